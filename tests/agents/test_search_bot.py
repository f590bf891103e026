"""The search bot: replayed history, weights of worlds, roll-outs, the update at the root, its spec."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agents.base import load_bot
from agents.history import LEAST_EFFECTIVE, MOST_BIDS, log_likelihoods, replay_bids, replay_cards, world_weights
from agents.rollout import rollout_payoffs
from agents.sampler import sample_worlds
from agents.search_bot import SearchBudget, best_of, updated_policy
from agents.views import observe_views
from tarock_env.batch import DealBatch
from tarock_env.engine.jit import JIT
from tarock_env.engine.state import AUCTION, PLAY, SIXTHS, new_deals
from tarock_env.engine.view import make_views
from tarock_env.observation import OBSERVATION_SIZE, SLICES
from tarock_env.rules import SYSTEMS, load_rules

PRETRAINED = Path(__file__).parents[2] / "agents" / "pretrained" / "all.safetensors"
ABOUT_SIDES = np.zeros(OBSERVATION_SIZE, bool)
for name in ("sides", "partner_known"):
    ABOUT_SIDES[SLICES[name]] = True
SEARCH = f"search:file:{PRETRAINED}"


def course(system: str, count: int, seed: int, act=None):
    """Deals played to the end, and of every deal its decisions in order: (phase, seat, action, observation)."""
    batch = DealBatch(count, load_rules(system), seed, skip_forced=False)
    if act is None:
        batch.force_contracts(0.5 if JIT else 0.0)
        batch.reset()
    decisions: list[list] = [[] for _ in range(count)]
    deals = []
    while not batch.finished.all():
        deals.append(batch.deals.copy())
        actions = batch.random_actions()
        rows = np.flatnonzero(~batch.finished)
        if act is not None:
            actions[rows] = act(make_views(batch.deals, batch.tables, rows), batch.tables, np.random.default_rng(0))
        observation, _ = observe_views(batch.deals, batch.tables)
        for row in rows:
            deal = batch.deals[row]
            decisions[row].append((int(deal.phase), int(deal.seat), int(actions[row]), observation[row].copy()))
        batch.step(actions)
    return batch, deals, decisions


@pytest.mark.parametrize("system", SYSTEMS)
def test_bids_and_cards_of_the_others_are_replayed_as_they_were(system: str) -> None:
    """In the true deal, every replayed decision is the one that was made, seen by its seat as it was then.

    But for the sides: that some were public before the called card fell is not in the record.
    """
    count = 40 if JIT else 8
    batch, deals, decisions = course(system, count, seed=3)
    bids, cards, same_view = 0, 0, 0
    whole = (deals[0].contract < 0) & (deals[0].passed == 0) & (deals[0].opened == 0)  # others were steered through the auction
    past, actions, start = new_deals(MOST_BIDS + 60), np.zeros(MOST_BIDS + 60, np.int64), new_deals(1)
    for number, stage in enumerate(deals[::7]):
        for row in range(count):
            deal = stage[row]
            made = decisions[row][: 7 * number]
            if deal.phase != PLAY or deal.seat < 0:
                continue
            found = replay_bids(deal, batch.tables[0], deal.seat, start, past, actions, 0)
            truth = [(seat, action) for phase, seat, action, _ in made if phase == AUCTION and seat != deal.seat]
            if found and whole[row]:
                assert list(zip(past.seat[:found].tolist(), actions[:found].tolist(), strict=True)) == truth
                bids += found
            found = replay_cards(deal, batch.tables[0], deal.seat, 13, start, past, actions, 0)
            played = [one for one in made if one[0] == PLAY and one[1] != deal.seat]
            assert actions[:found].tolist() == [action for _, _, action, _ in played][-found:] or not found
            observation, _ = observe_views(past[:found], batch.tables)
            cards += found
            same_view += sum((row == one[3])[~ABOUT_SIDES].all() for row, one in zip(observation, played, strict=False))
    least = count if JIT else count // 2  # so few deals hold few bids
    assert bids > least
    assert cards > least
    assert same_view == cards


def test_the_true_deal_is_likelier_than_a_sampled_one() -> None:
    """Where the policy itself played, its likelihood singles out the true deal more often than chance would."""
    bot = load_bot(f"file:{PRETRAINED}")
    batch, deals, _ = course("juegatu", 40 if JIT else 2, seed=5, act=bot.act)
    beaten, seen = 0.0, 0
    for stage in deals[24::12]:
        views = make_views(stage.view(np.recarray), batch.tables)
        for row in np.flatnonzero((stage["phase"] == PLAY) & (stage["seat"] >= 0)):
            worlds = sample_worlds(views, int(row), batch.tables, 9, seed=int(row))
            worlds[0] = stage[row]
            likelihood = log_likelihoods(worlds, batch.tables, bot.network, 3)
            beaten += (likelihood[1:] < likelihood[0]).mean() + 0.5 * (likelihood[1:] == likelihood[0]).mean()
            seen += 1
    assert seen > 0
    assert not JIT or beaten / seen > 0.6


def test_weights_keep_enough_worlds_effective() -> None:
    weights = world_weights(np.array([0.0, -300.0, -500.0, -2.0] * 4))
    assert weights.sum() == pytest.approx(1)
    assert weights[0] > weights[3] > weights[1] > 0
    assert 1 / np.square(weights).sum() >= LEAST_EFFECTIVE * len(weights)
    assert world_weights(np.zeros(5)) == pytest.approx(np.full(5, 0.2))
    assert world_weights(np.log(np.array([0.6, 0.4]))) == pytest.approx([0.6, 0.4])


def test_the_update_follows_the_formula() -> None:
    """Two actions, two worlds: V = 0, sd = 1, so that pi_new ~ pi * exp(eta * Q)."""
    payoffs = np.array([[1.0, -1.0], [1.0, -1.0]])
    found = updated_policy(np.array([0.4, 0.4]), payoffs, np.array([0.5, 0.5]), 2.0)
    expected = np.exp([2.0, -2.0])
    assert found == pytest.approx(expected / expected.sum())
    assert updated_policy(np.array([0.3, 0.1]), np.zeros((2, 2)), np.array([0.5, 0.5]), 2.0) == pytest.approx([0.75, 0.25])


def test_ties_go_to_the_policy() -> None:
    chances = np.array([0.1, 0.7, 0.2])
    assert best_of(np.arange(3), np.array([1.0, 0.5, 1.0]), chances) == 2


def test_rollouts_pay_what_the_policy_playing_on_is_paid() -> None:
    bot = load_bot(f"file:{PRETRAINED}")
    batch = DealBatch(1, load_rules("juegatu"), seed=2)
    seat = int(batch.seats[0])
    worlds = batch.deals.copy().view(np.recarray)
    action = bot.act(make_views(batch.deals, batch.tables), batch.tables, np.random.default_rng(0))
    payoffs = rollout_payoffs(worlds, batch.tables, action, bot.network, np.random.default_rng(0))
    while not batch.finished.all():
        batch.step(bot.act(make_views(batch.deals, batch.tables), batch.tables, np.random.default_rng(0)))
    assert payoffs == pytest.approx((batch.payoffs[0, seat] - batch.payoffs[0].mean()) / SIXTHS)
    assert worlds.phase[0] == AUCTION


def test_the_same_generator_gives_the_same_actions() -> None:
    batch, deals, _ = course("juegatu", 3, seed=7)
    bot = load_bot(f"{SEARCH}@worlds=6,eta=4")
    for stage in deals[4::20]:
        rows = np.flatnonzero(stage["seat"] >= 0)
        views = make_views(stage.view(np.recarray), batch.tables, rows)
        first, again = (bot.act(views, batch.tables, np.random.default_rng(1)) for _ in range(2))
        assert (first == again).all()
        assert observe_views(views, batch.tables)[1][np.arange(len(rows)), first].all()


def test_with_every_part_off_it_is_the_policy() -> None:
    batch, deals, _ = course("juegatu", 6, seed=8)
    bot, plain = load_bot(f"{SEARCH}@endgame=0"), load_bot(f"file:{PRETRAINED}")
    for stage in deals[2::9]:
        rows = np.flatnonzero(stage["seat"] >= 0)
        views = make_views(stage.view(np.recarray), batch.tables, rows)
        rng = np.random.default_rng(1)
        assert (bot.act(views, batch.tables, rng) == plain.act(views, batch.tables, rng)).all()


def test_games_alone_are_solved_in_the_last_four_tricks_only(monkeypatch) -> None:
    batch, deals, _ = course("juegatu", 24, seed=5, act=load_bot("rule").act)
    bot = load_bot(f"{SEARCH}@endgame=6,worlds=2,history=0")
    solved = []
    monkeypatch.setattr("agents.search_bot.solve", lambda worlds, tables: solved.append(worlds[0].copy()) or np.zeros((len(worlds), 54)))
    for stage in deals[::3]:
        late = stage["trick_number"] >= int(batch.tables[0].num_tricks) - 6
        rows = np.flatnonzero((stage["phase"] == PLAY) & late)
        if len(rows):
            bot.act(make_views(stage.view(np.recarray), batch.tables, rows), batch.tables, np.random.default_rng(1))
    left = {alone: {12 - int(world["trick_number"]) for world in solved if (world["declarer"] < 0) == alone} for alone in (True, False)}
    assert max(left[True]) == 4
    assert max(left[False]) > 4


def test_spec() -> None:
    assert load_bot(SEARCH).budget == SearchBudget()
    assert load_bot(f"{SEARCH}@worlds=8,eta=1.5").budget == SearchBudget(worlds=8, eta=1.5)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("search", "write search:BOT"),
        ("search:rule", "has no policy"),
        (f"{SEARCH}@world=3", "did you mean worlds"),
        (f"{SEARCH}@worlds=0", "allowed are 1 to"),
        (f"{SEARCH}@worlds=many", "allowed are 1 to"),
        ("search:file:nowhere.safetensors@worlds=3", "nowhere.safetensors"),
    ],
)
def test_a_wrong_spec_is_one_line(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        load_bot(spec)
    assert "\n" not in str(caught.value)
