"""One seat against given opponents, through gymnasium."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import agents.gym_env
from agents.random_bot import RandomBot
from tarock_env.aec import raw_env
from tarock_env.rules import SYSTEMS
from tarock_env.single_seat import ILLEGAL_REWARD, SingleSeat, random_policy


def episode(game, seed, rng=None):
    """Play a deal by legal chance: observations, rewards, the last info."""
    rng = rng or np.random.default_rng(seed)
    observation, info = game.reset(seed=seed)
    seen, rewards, over = [observation], [], False
    while not over:
        mask = game.unwrapped.action_masks()
        observation, reward, over, truncated, info = game.step(rng.choice(np.flatnonzero(mask)))
        assert not truncated
        seen.append(observation)
        rewards.append(reward)
    return seen, rewards, info


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_deal_pays_the_seat_its_payoff(system):
    game = gymnasium.make("Tarock-v0", rules=system, opponents=["random"])
    for seed in range(3):
        seen, rewards, info = episode(game, seed)
        assert not any(rewards[:-1])
        assert rewards[-1] == info["payoff_sixths"][info["seat"]] / 6
        assert all(game.observation_space.contains(observation) for observation in seen)


@pytest.mark.parametrize("flat", [False, True])
def test_gymnasium_finds_nothing_to_complain_about(flat):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # A box without a bound of its own: what is not 0/1 is bounded by its uint8, which the checker finds high.
        warnings.filterwarnings("ignore", message=".*[Bb]ox.*")
        check_env(gymnasium.make("Tarock-v0", rules="juegatu", opponents=["random"], flat=flat).unwrapped, skip_render_check=True)


def test_the_same_seed_is_the_same_episode():
    game = gymnasium.make("Tarock-v0", rules="steirisch", opponents=["random"])
    first, second, other = episode(game, 5), episode(game, 5), episode(game, 6)
    assert len(first[0]) == len(second[0])
    assert all((one["observation"] == two["observation"]).all() for one, two in zip(first[0], second[0], strict=True))
    assert first[1:] == second[1:]
    assert not (first[0][0]["observation"] == other[0][0]["observation"]).all()


def test_opponents_are_bots_functions_or_names_and_see_views():
    seats = []

    def watching(views, tables, rng):
        view = views[0]
        assert sum(bool(hand) for hand in view.hands) <= 1 or view.phase == 12
        seats.append(int(view.seat))
        return random_policy(views, tables, rng)

    game = agents.gym_env.single_seat(rules="tiroler", opponents=[watching, RandomBot(), "random"], seat=2)
    episode(game, 1)
    assert set(seats) == {3}
    assert game.reset(seed=1)[1]["seat"] == 2


def test_a_fixed_deal():
    game = SingleSeat("juegatu", seat=0)
    other = raw_env("juegatu")
    other.reset(seed=3)
    hands = [list(hand) for hand in other.single.deal_hands]
    game.reset(seed=1, options={"forehand": 0, "hands": hands, "talon": other.single.deal.talon.tolist()})
    assert [sorted(hand) for hand in game.single.deal_hands] == [sorted(hand) for hand in hands]


def test_an_illegal_action_ends_the_episode_or_raises():
    game = SingleSeat("juegatu", skip_forced=False)
    game.reset(seed=1)
    illegal = int(np.flatnonzero(~game.action_masks())[0])
    observation, reward, over, _, info = game.step(illegal)
    assert (reward, over) == (ILLEGAL_REWARD, True)
    assert "legal:" in info["illegal"]
    assert not game.action_masks().any()
    assert not observation["observation"].any()
    with pytest.raises(gymnasium.error.ResetNeeded):
        game.step(0)
    strict = SingleSeat("juegatu", illegal="raise")
    strict.reset(seed=1)
    before = strict.single.deals.copy()
    with pytest.raises(ValueError, match="legal:"):
        strict.step(illegal)
    assert (strict.single.deals == before).all()


@pytest.mark.parametrize("wrong", [None, 1.0, "pass", np.nan, np.array([1, 2]), [1]])
@pytest.mark.parametrize("illegal", ["end", "raise"])
def test_what_is_no_integer_is_no_action(wrong, illegal):
    """A mistake of the program, not of the player: nothing has changed."""
    game = SingleSeat("juegatu", illegal=illegal)
    game.reset(seed=1)
    with pytest.raises(ValueError, match=r"seat [0-3]"):
        game.step(wrong)
    assert game.action_masks().any()
    game.step(int(np.flatnonzero(game.action_masks())[0]))


def test_mistakes_are_named():
    with pytest.raises(ValueError, match=r"seats are 0\.\.3"):
        SingleSeat("juegatu", seat=4)
    with pytest.raises(ValueError, match="2 opponents"):
        SingleSeat("juegatu", opponents=[random_policy] * 2)
    with pytest.raises(ValueError, match=r"read by agents\.gym_env"):
        SingleSeat("juegatu", opponents=["rule"])
    with pytest.raises(ValueError, match="no bot"):
        SingleSeat("juegatu", opponents=[3])
    with pytest.raises(ValueError, match="Known:"):
        agents.gym_env.single_seat(rules="juegatu", opponents="nobody")
    with pytest.raises(ValueError, match="illegal"):
        SingleSeat("juegatu", illegal="maybe")


def test_maskable_ppo_learns_here():
    """The example of docs/single-seat.md, a few steps of it."""
    sb3 = pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed; pip install sb3-contrib")
    game = gymnasium.make("Tarock-v0", rules="juegatu", opponents=["random"], flat=True)
    model = sb3.MaskablePPO("MlpPolicy", game, n_steps=32, batch_size=32, n_epochs=1, seed=1, device="cpu")
    model.learn(64)
    observation, _ = game.reset(seed=4)
    over = False
    while not over:
        action, _ = model.predict(observation, action_masks=game.unwrapped.action_masks(), deterministic=True)
        observation, _, over, _, info = game.step(int(action))
    assert "illegal" not in info
