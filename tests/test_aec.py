"""The PettingZoo environment: its own tests, exact rewards, fixed deals, matches, errors that change nothing."""

import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from tarock_env.actions import NUM_ACTIONS
from tarock_env.aec import env, raw_env
from tarock_env.cards import card_mask
from tarock_env.engine.state import SIXTHS
from tarock_env.match import ring_settlement
from tarock_env.observation import SLICES
from tarock_env.record import parse_record
from tarock_env.replay import verify
from tarock_env.rules import SYSTEMS, load_rules

HANDS = (
    "T22 T21 T20 T19 T18 T17 T16 T15 HK DK SK H4",
    "T14 T13 T12 T11 T10 HQ HN HJ H1 DQ DN DJ",
    "T9 T8 T7 T6 T5 D1 D2 D3 D4 SQ SN SJ",
    "T4 T3 T2 T1 CK CQ CN CJ S10 S9 S8 S7",
)
TALON = "C10 C9 C8 C7 H2 H3"


def play(game, rng, until=None):
    """Random legal play; yields (agent, reward, terminated, info) as `last()` gives them."""
    for number, agent in enumerate(game.agent_iter()):
        if number == until:
            return
        observation, reward, terminated, _, info = game.last()
        yield agent, reward, terminated, dict(info)
        game.step(None if terminated else int(rng.choice(np.flatnonzero(observation["action_mask"]))))


@pytest.mark.parametrize(
    "ask",
    [
        lambda game: game.step(0),
        lambda game: game.last(),
        lambda game: game.observe("player_0"),
        lambda game: game.record(),
        lambda game: game.render(),
        lambda game: game.action_name(0),
        lambda game: game.agents,
        lambda game: next(iter(game.agent_iter())),
    ],
)
def test_before_reset_there_is_nothing_and_that_is_said(ask):
    with pytest.raises(AttributeError, match=r"no cards are dealt yet; call reset\(\) first"):
        ask(raw_env("juegatu", render_mode="ansi"))
    assert not hasattr(raw_env("juegatu"), "nonsense")


@pytest.mark.parametrize("system", SYSTEMS)
# PettingZoo's tests know observations with a mask, but say for every environment outside their own list that these are unusual.
@pytest.mark.filterwarnings("ignore:Observation space for each agent:UserWarning", "ignore:Observation is not a NumPy array:UserWarning")
def test_pettingzoo_own_tests_pass(system, capsys):
    api_test(env(system), num_cycles=300)
    api_test(raw_env(system, deals=2), num_cycles=300)
    seed_test(lambda: env(system), num_cycles=200)
    seed_test(lambda: env(system, deals=3), num_cycles=400)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_seat_is_paid_once_and_exactly(system):
    rng = np.random.default_rng(4)
    game = raw_env(system)
    for seed in range(20):
        game.reset(seed=seed)
        paid = {}
        for agent, reward, terminated, info in play(game, rng):
            if terminated:
                assert agent not in paid
                paid[agent] = reward
                assert reward == info["payoff_sixths"] / SIXTHS
            else:
                assert reward == 0
                assert "payoff_sixths" not in info
        assert sorted(paid) == sorted(game.possible_agents)
        payoffs = game.single.payoffs
        assert [paid[agent] for agent in game.possible_agents] == [payoff / SIXTHS for payoff in payoffs]
        assert game.agents == []


def test_observations_lie_in_their_space_for_every_agent():
    rng = np.random.default_rng(5)
    game = raw_env("juegatu")
    for seed in range(3):
        game.reset(seed=seed)
        for agent, *_ in play(game, rng):
            for other in game.agents:
                observation = game.observe(other)
                assert game.observation_space(other).contains(observation)
                assert observation["action_mask"].any() == (other == agent and not game.terminations[agent])


def test_the_mask_is_what_may_be_played_and_nothing_else():
    rng = np.random.default_rng(6)
    game = raw_env("oberoesterreichisch")
    for seed in range(5):
        game.reset(seed=seed)
        for agent, _, terminated, _ in play(game, rng):
            if not terminated:
                mask = game.observe(agent)["action_mask"]
                names = sorted(game.action_name(action) for action in np.flatnonzero(mask))
                assert names == game.single.legal_names().split()
                assert all(
                    game.action_id(name) == action
                    for name, action in zip(map(game.action_name, np.flatnonzero(mask)), np.flatnonzero(mask), strict=True)
                )


def test_an_illegal_action_is_named_and_changes_nothing():
    rng = np.random.default_rng(7)
    game = raw_env("juegatu")
    game.reset(seed=1)
    for number, (agent, _, terminated, _) in enumerate(play(game, rng)):
        if terminated or number % 7:
            continue
        before = game.single.deals.copy(), game.agent_selection, dict(game.rewards), game.single.legal_names(), len(game.single.actions)
        mask = game.observe(agent)["action_mask"]
        for action in (*rng.choice(np.flatnonzero(mask == 0), 3), -1, NUM_ACTIONS, 10**6):
            with pytest.raises(ValueError, match=r"seat \d may not .*; legal: ") as caught:
                game.step(int(action))
            assert caught.value.legal == game.single.legal_names()
        with pytest.raises(ValueError, match="None is for terminated agents"):
            game.step(None)
        after = game.single.deals.copy(), game.agent_selection, dict(game.rewards), game.single.legal_names(), len(game.single.actions)
        assert (before[0] == after[0]).all()
        assert before[1:] == after[1:]


def test_a_fixed_deal_is_dealt():
    game = raw_env("juegatu")
    game.reset(seed=1, options={"forehand": 2, "hands": HANDS, "talon": TALON})
    assert game.agent_selection == "player_3"
    for agent, hand in zip(game.possible_agents, HANDS, strict=True):
        seen = game.observe(agent)["observation"][SLICES["hand"]]
        assert sum(1 << card for card in np.flatnonzero(seen)) == card_mask(hand)
    assert game.record().to_json().count(TALON) == 1


def test_what_is_not_fixed_is_random():
    game = raw_env("juegatu")
    deals = set()
    for seed in range(5):
        game.reset(seed=seed, options={"hands": [None, HANDS[1].split(), None, None]})
        deals.add(game.record().to_json())
        assert sum(1 << card for card in game.single.deal_hands[1]) == card_mask(HANDS[1])
    assert len(deals) == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hands": HANDS[:3]}, "3 hands, juegatu has 4 players"),
        ({"hands": ["T1"] * 4}, "deals 4 hands of 12 cards"),
        ({"hands": [HANDS[0], HANDS[0], None, None]}, "is dealt twice"),
        ({"hands": ["T23 " + HANDS[0][4:], None, None, None]}, "unknown card 'T23'"),
        ({"talon": "T1 T2"}, "talon of 6"),
        ({"forehand": 4}, "forehand is 4, seats are 0..3"),
        ({"forced": True}, "juegatu has no forced contract"),
        ({"hands": []}, "0 hands, juegatu has 4 players"),
        ({"hands": 5}, "hands are one list of cards or None for each seat"),
        ({"hands": [[1.5] * 12, None, None, None]}, "cards are names or ids"),
        ({"talon": 3}, "talon a list of cards"),
        ({"forehand": "player_1"}, "forehand is a seat"),
        ([1], "give a dict with forehand, hands, talon, forced"),
    ],
)
def test_an_impossible_deal_is_refused_and_changes_nothing(options, message):
    game, other = raw_env("juegatu"), raw_env("juegatu")
    for each in (game, other):
        each.reset(seed=1)
    before = game.record().to_json()
    with pytest.raises(ValueError, match=message):
        game.reset(options=options)
    assert game.record().to_json() == before
    for each in (game, other):
        each.reset()
    assert game.record().to_json() == other.record().to_json()  # the generator has not moved either


@pytest.mark.parametrize("forced", [False, True])
def test_a_fixed_hand_without_tarocks_needs_a_forced_deal(forced):
    options = {"hands": ["HK HQ HN HJ H1 H2 H3 H4 DK DQ DN DJ", None, None, None], "forced": forced}
    game = raw_env("slovenian4")
    if forced:
        game.reset(seed=1, options=options)
        assert game.single.deals.forced[0] == 1
    else:
        with pytest.raises(ValueError, match="a hand without tarocks is thrown in"):
            game.reset(seed=1, options=options)


def test_hands_without_tarocks_where_the_given_cards_leave_none():
    tarocks = [f"T{number}" for number in range(1, 23)]
    options = {"hands": [tarocks[:12], None, None, None], "talon": tarocks[12:18]}
    game = raw_env("slovenian4")
    for seed in range(5):  # four tarocks for three hands: dealt anew until each has one
        game.reset(seed=seed, options=options)
    with pytest.raises(ValueError, match="a hand without tarocks is thrown in"):
        game.reset(seed=1, options={"hands": [tarocks[:12], [*tarocks[12:], "HK", "HQ"], None, None]})


@pytest.mark.parametrize("wrong", [1.0, "pass", np.nan, np.array([1, 2]), 10**30, -(10**30)])
def test_what_is_no_integer_is_no_action(wrong):
    game = raw_env("juegatu")
    game.reset(seed=1)
    before = game.record().to_json()
    with pytest.raises(ValueError, match=r"^seat \d.*; legal: "):
        game.step(wrong)
    assert game.record().to_json() == before


def test_a_mistyped_option_is_warned_about():
    with pytest.warns(UserWarning, match="unknown option 'hand'; did you mean hands"):
        raw_env("juegatu").reset(options={"hand": HANDS})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        raw_env("juegatu").reset(options={"for_a_wrapper": 1})


def test_seeds_decide_and_no_global_generator_does():
    def first(seed):
        game = raw_env("juegatu")
        game.reset(seed=seed)
        return game.record().to_json()

    np.random.seed(0)  # noqa: NPY002 - the legacy global generator, which must not matter
    one = first(1)
    np.random.seed(1)  # noqa: NPY002
    assert first(1) == one
    assert first(2) != one
    game = raw_env("juegatu")
    game.reset(seed=1)
    game.reset()
    assert game.record().to_json() != one  # no seed: the generator goes on


@pytest.mark.parametrize("system", ["juegatu", "slovenian4", "slovenian3"])
def test_a_match_carries_totals_and_rings_and_moves_the_forehand(system):
    rng = np.random.default_rng(8)
    rules = load_rules(system)
    game = raw_env(system, deals=6)
    open_rings = 0
    for seed in range(5):
        game.reset(seed=seed)
        sums = dict.fromkeys(game.possible_agents, 0.0)
        forehands, rings = [], []
        for agent, reward, _, info in play(game, rng):
            sums[agent] += reward
            if info["deal"] > len(forehands):
                forehands.append(int(game.single.deals.forehand[0]))
                rings.append(list(game.rings))
                assert game.single.deals.totals[0, : rules.players].tolist() == game.totals
        assert forehands == [(forehands[0] + step) % rules.players for step in range(6)]
        settlement = ring_settlement(rules, game.rings)
        assert sum(settlement) == 0
        for seat, agent in enumerate(game.possible_agents):
            assert sums[agent] == pytest.approx(game.totals[seat] / SIXTHS)
        open_rings += sum(map(sum, rings))
    assert (open_rings > 0) == rules.rings


@pytest.mark.parametrize("system", SYSTEMS)
def test_its_records_verify(system):
    rng = np.random.default_rng(9)
    game = raw_env(system)
    for seed in range(10):
        game.reset(seed=seed)
        for _ in play(game, rng):
            pass
        verify(parse_record(game.record().to_json()))


def test_a_record_as_a_seat_sees_it_hides_the_rest():
    game = raw_env("juegatu")
    game.reset(seed=1)
    view = game.record("player_2")
    assert view.view == 2
    assert [hand is None for hand in view.hands] == [True, True, False, True]
    assert view.talon == (None,) * 6


def test_rendering(capsys):
    game = env("juegatu", render_mode="ansi")
    game.reset(seed=1, options={"forehand": 0, "hands": HANDS, "talon": TALON})
    text = game.render()
    assert "seat 1 acts" in text
    assert "T22 T21 T20 T19 T18 T17 T16 T15  HK H4  DK  SK" in text
    assert capsys.readouterr().out == ""
    shown = env("juegatu", render_mode="human")
    shown.reset(seed=1)
    shown.step(int(np.flatnonzero(shown.last()[0]["action_mask"])[0]))
    assert "JuegaTu" in capsys.readouterr().out
    silent = env("juegatu")
    silent.reset()
    with pytest.warns(UserWarning, match="render_mode"):
        assert silent.render() is None


def test_mistakes_in_the_arguments_are_named():
    with pytest.raises(ValueError, match="did you mean juegatu"):
        env("juegato")
    with pytest.raises(ValueError, match="allowed are 2, 1"):
        env("juegatu", {"bonus_scale": 5})
    with pytest.raises(ValueError, match="allowed are human and ansi"):
        env("juegatu", render_mode="svg")
    for deals in (0, 1.5, "2"):
        with pytest.raises(ValueError, match=f"deals is {deals}"):
            env("juegatu", deals=deals)


@pytest.mark.parametrize("make", [raw_env, env])
def test_a_step_or_a_look_after_the_match_is_refused(make):
    game = make("juegatu")
    game.reset(seed=1)
    rng = np.random.default_rng(1)
    while game.agents:
        observation, _, over, _, _ = game.last()
        game.step(None if over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    with pytest.raises(ValueError, match="last: the match is over; call reset"):
        game.last()
    if make is env:  # PettingZoo's wrapper says so in a warning and does nothing
        game.step(0)
    else:
        with pytest.raises(ValueError, match="step: the match is over; call reset"):
            game.step(0)
    assert not game.agents
    game.reset(seed=1)
    assert game.agents
