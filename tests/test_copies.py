"""Copies of environments: `copy.deepcopy` and pickle give one that goes on exactly as the original does, and apart from it."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest

import agents.gym_env  # noqa: F401 - makes Tarock-v0 known
from tarock_env.aec import env
from tarock_env.batch import DealBatch
from tarock_env.coverage import CoveragePlay
from tarock_env.engine.chance import new_streams
from tarock_env.engine.state import DEAL
from tarock_env.rules import SYSTEMS, load_rules
from tarock_env.single_deal import IllegalAction, SingleDeal
from tarock_env.single_seat import SingleSeat


def pickled(thing):
    return pickle.loads(pickle.dumps(thing))


COPIES = [copy.deepcopy, pickled]


def steps_of(game, rng):
    """Play a PettingZoo environment out with random legal actions; yields what every step shows."""
    while game.agents:
        observation, reward, over, _, info = game.last()
        action = None if over else int(rng.choice(np.flatnonzero(observation["action_mask"])))
        yield game.agent_selection, observation["observation"].tobytes(), reward, over, dict(info), action
        game.step(action)


def played_on(game, number, seed):
    """Some steps of a game."""
    return [step for step, _ in zip(steps_of(game, np.random.default_rng(seed)), range(number), strict=False)]


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_copied_environment_goes_on_as_the_original_does(system, copied):
    """Through the end of the deal and, from the copied generator, into the next one."""
    game = env(system, deals=2)
    game.reset(seed=3)
    for moment in (0, 11, 25):
        played_on(game, moment, seed=moment)
        other = copied(game)
        before = game.record().to_json()
        theirs = list(steps_of(other, np.random.default_rng(4)))
        assert game.record().to_json() == before  # the original has not moved
        third = copied(game)
        assert list(steps_of(third, np.random.default_rng(4))) == theirs
    assert list(steps_of(game, np.random.default_rng(4))) == theirs
    game.reset(seed=5)
    other.reset(seed=5)
    assert list(steps_of(game, np.random.default_rng(6))) == list(steps_of(other, np.random.default_rng(6)))


@pytest.mark.parametrize("copied", COPIES)
def test_an_environment_can_be_copied_before_its_first_deal(copied):
    game = copied(env("czech19"))
    with pytest.raises(AttributeError, match="reset"):
        game.agents  # noqa: B018
    game.reset(seed=1)
    assert len(list(steps_of(game, np.random.default_rng(1)))) > 12


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_copied_deal_has_a_record_of_its_own(system, copied):
    rules = load_rules(system)
    play = CoveragePlay(rules, 3)
    play.play(new_streams(8, 3))
    for row, actions in enumerate(play.actions):
        deal = play.deals[row]
        hands = [[card for card in range(54) if int(deal.dealt[seat]) >> card & 1] for seat in range(rules.players)]
        rings = play.rings[row, : rules.players].tolist()
        single = SingleDeal(rules, int(deal.forehand), hands, deal.talon.tolist(), (), rings, bool(deal.forced))
        for index, action in enumerate(actions[: play.counts[row]]):
            if index % 9 == 4:
                other = copied(single)
                other.play(int(action))
                assert other.actions[:-1] == single.actions
                assert other.legal_names() != "" or other.finished
                with pytest.raises(IllegalAction):
                    other.play_name("pass:")
            single.play(int(action))
            if index % 9 == 4:
                assert (other.seat, other.phase, other.legal_names()) == (single.seat, single.phase, single.legal_names())
                assert all(np.array_equal(other.deals[name], single.deals[name]) for name in DEAL.names)
                assert other.rules == single.rules


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("copied", COPIES)
def test_a_copied_batch_goes_on_as_the_original_does(copied, threads):
    batch = DealBatch(len(SYSTEMS) * 2, [load_rules(system) for system in SYSTEMS], 5, threads=threads)
    for _ in range(9):
        batch.step(batch.random_actions())
    before = batch.deals.copy()
    other = copied(batch)
    ends = []
    for one in (other, batch):
        assert all(np.array_equal(batch.deals[name], before[name]) for name in DEAL.names)
        while not one.finished.all():
            one.step(one.random_actions())
        one.reset(one.finished)
        ends.append((one.deals.copy(), one.streams.copy()))
    assert all(np.array_equal(ends[0][0][name], ends[1][0][name]) for name in DEAL.names)
    assert (ends[0][1] == ends[1][1]).all()


def episode(game, seed):
    """What a single seat sees and gets until its deal ends."""
    rng, shown, over = np.random.default_rng(seed), [], False
    while not over:
        observation, reward, over, _, info = game.step(int(rng.choice(np.flatnonzero(game.unwrapped.action_masks()))))
        shown.append((observation["observation"].tobytes(), reward, info))
    return shown


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_copied_single_seat_goes_on_as_the_original_does(system, copied):
    for game in (SingleSeat(system), gymnasium.make("Tarock-v0", rules=system, opponents=["rule"])):
        game.reset(seed=2)
        other = copied(game)
        assert episode(other, 7) == episode(game, 7)
        assert (other.reset()[0]["observation"] == game.reset()[0]["observation"]).all()


@pytest.mark.parametrize("system", SYSTEMS)
def test_rules_are_shared_by_copies_and_equal_after_a_pickle(system):
    rules = load_rules(system, {"hard_hold": True} if system == "oberoesterreichisch" else None)
    assert copy.deepcopy(rules) is rules
    other = pickled(rules)
    assert other == rules
    with pytest.raises(TypeError):
        other.chosen["hard_hold"] = False
