"""The search bot: replayed history, weights of worlds, roll-outs, the update at the root, its spec."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agents.base import load_bot
from agents.history import LEAST_EFFECTIVE, MOST_BIDS, log_likelihoods, replay_bids, replay_cards, world_weights
from agents.network import masked_probabilities
from agents.policy_bot import load_critic
from agents.rollout import rollout_payoffs
from agents.sampler import sample_worlds
from agents.search_bot import SearchBot, SearchBudget, best_of, updated_policy
from agents.solver import ILLEGAL, solve
from agents.views import PADDING, observe_hidden, observe_views
from agents.weights import critic_path, read_weights, write_weights
from tarock_env.actions import NUM_ACTIONS
from tarock_env.batch import DealBatch
from tarock_env.engine.jit import JIT
from tarock_env.engine.lockstep import step_rows
from tarock_env.engine.state import AUCTION, DONE, PLAY, SIXTHS, new_deals
from tarock_env.engine.view import make_views
from tarock_env.observation import OBSERVATION_SIZE, SLICES
from tarock_env.rules import SYSTEMS, load_rules
from tests.agents.bot_files import write_player

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
    assert updated_policy(np.array([0.0, 1.0]), np.array([[9.0, 1.0]]), np.ones(1), 1000.0).tolist() == [0, 1]
    assert updated_policy(np.array([0.3, 0.1]), np.zeros((2, 2)), np.array([0.5, 0.5]), 2.0) == pytest.approx([0.75, 0.25])


def test_candidates_are_likely_enough_and_legal() -> None:
    chances = np.array([0.05, 0.0, 0.6, 0.35, 0.0])
    for options, expected in (("", [2, 3]), ("@share=0", [2, 3, 0]), ("@share=0,candidates=9", [2, 3, 0]), ("@share=0.9", [2])):
        assert load_bot(SEARCH + options).candidates(chances).tolist() == expected


def test_ties_go_to_the_policy() -> None:
    chances = np.array([0.1, 0.7, 0.2])
    assert best_of(np.arange(3), np.array([1.0, 0.5, 1.0]), chances) == 2


def open_worlds(stage, count=4):
    """Stands in for the sampler: every world is the deal itself, as if the seat saw all cards."""

    def sample(views, row, tables, worlds, seed):
        same = (stage["forehand"] == views[row].forehand) & (stage["legal"] == views[row].legal).all(axis=1)
        same &= stage["hands"][np.arange(len(stage)), views[row].seat] == views[row].hands[views[row].seat]
        return np.repeat(stage[np.flatnonzero(same)[:1]], count).view(np.recarray)

    return sample


def play_on(batch, row, action, bot, ends):
    """The deal `row` of a batch after an action and then the policy's, to its end or to where `ends(deal)`."""
    deal = batch.deals[row : row + 1].copy().view(np.recarray)
    step_rows(deal, batch.tables, np.array([action]), 0, 1, True)
    while deal.phase[0] != DONE and not ends(deal):
        step_rows(deal, batch.tables, bot.act(make_views(deal, batch.tables), batch.tables, np.random.default_rng(0)), 0, 1, True)
    return deal


@pytest.mark.parametrize("asked", [False, True])
def test_rollouts_pay_what_the_policy_playing_on_is_paid(asked: bool) -> None:
    """To the end of the deal, or to the seat's next decision and there what the critic says; several decisions at once."""
    bot, critic = load_bot(f"file:{PRETRAINED}"), load_critic(PRETRAINED) if asked else None
    batch = DealBatch(3, load_rules("juegatu"), seed=2)
    decisions, expected = [], []
    for row in range(3):
        worlds = np.repeat(batch.deals[row : row + 1], 2).view(np.recarray)
        seat = int(worlds.seat[0])
        candidates = np.flatnonzero(observe_views(worlds, batch.tables)[1][0])[: row + 1]
        decisions.append((worlds, candidates))
        for action in candidates:
            deal = play_on(batch, row, action, bot, lambda deal, seat=seat: asked and deal.seat[0] == seat)
            if deal.phase[0] == DONE:
                expected.append(deal.payoffs[0, seat] / SIXTHS)
            else:
                assert critic is not None
                expected.append(float(critic.values(observe_views(deal, batch.tables)[0], observe_hidden(deal))[0]))
    payoffs = rollout_payoffs(decisions, batch.tables, bot.network, critic)
    assert [paid.shape for paid in payoffs] == [(2, 1), (2, 2), (2, 3)]
    assert np.concatenate([paid[0] for paid in payoffs]) == pytest.approx(expected, abs=1e-4)
    assert np.concatenate([paid[1] for paid in payoffs]) == pytest.approx(expected, abs=1e-4)
    assert (batch.deals["phase"] == AUCTION).all()


def test_a_world_that_cannot_be_played_on_is_an_error(monkeypatch) -> None:
    batch = DealBatch(1, load_rules("juegatu"), seed=2)
    candidates = np.flatnonzero(observe_views(batch.deals, batch.tables)[1][0])[:1]
    blank = observe_views(batch.deals, batch.tables)[0], np.zeros((1, NUM_ACTIONS), bool)
    monkeypatch.setattr("agents.rollout.observe_views", lambda deals, tables: blank)
    with pytest.raises(RuntimeError, match="seat without a legal action"):
        rollout_payoffs([(batch.deals, candidates)], batch.tables, load_bot(f"file:{PRETRAINED}").network)


def test_the_last_tricks_are_played_for_the_best_exact_value(monkeypatch) -> None:
    """With all cards open, no card that the solver likes better is left in hand; the policy alone leaves some."""
    batch, deals, _ = course("juegatu", 24 if JIT else 12, seed=9)
    bot, plain = load_bot(f"{SEARCH}@eta=0"), load_bot(f"file:{PRETRAINED}")
    left, policy_left = 0.0, 0.0
    for stage in deals:
        rows = np.flatnonzero((stage["phase"] == PLAY) & (stage["trick_number"] >= (8 if JIT else 9)))
        if not len(rows):
            continue
        monkeypatch.setattr("agents.search_bot.sample_worlds", open_worlds(stage))
        views = make_views(stage.view(np.recarray), batch.tables, rows)
        values = solve(stage[rows].view(np.recarray), batch.tables)
        best = np.where(values == ILLEGAL, -np.inf, values).max(axis=1)
        for player in (bot, plain):
            loss = best - values[np.arange(len(rows)), player.act(views, batch.tables, np.random.default_rng(1))]
            left, policy_left = (left + loss.sum(), policy_left) if player is bot else (left, policy_left + loss.sum())
    assert left == pytest.approx(0, abs=1e-6)
    assert policy_left > 0 or not JIT  # so few deals may hold no mistake


def test_weights_of_worlds_decide_between_them(monkeypatch) -> None:
    batch, deals, _ = course("juegatu", 24 if JIT else 12, seed=9)
    bot = load_bot(f"{SEARCH}@eta=0,worlds=6,history=1")
    differ = 0
    for stage in deals:
        for row in np.flatnonzero((stage["phase"] == PLAY) & (stage["trick_number"] >= (8 if JIT else 9))):
            views = make_views(stage.view(np.recarray), batch.tables, np.array([row]))
            solved, chosen = [], []
            monkeypatch.setattr("agents.search_bot.solve", lambda *given: solved.append(solve(*given)) or solved[-1])  # noqa: B023
            for world in range(6):
                monkeypatch.setattr("agents.search_bot.world_weights", lambda likelihoods, world=world: np.eye(6)[world])
                chosen.append(int(bot.act(views, batch.tables, np.random.default_rng(1))[0]))
            for world, (values, action) in enumerate(zip(solved, chosen, strict=False)):
                assert values[world, action] == pytest.approx(values[world].max())
            differ += len(set(chosen)) > 1
    assert differ > 0 or not JIT


def test_the_root_follows_the_rollouts_as_far_as_eta_lets_it(monkeypatch) -> None:
    """With all cards open and a huge eta it plays the candidate that pays most, with a tiny one the policy's choice."""
    batch, deals, _ = course("juegatu", 12 if JIT else 2, seed=6, act=load_bot("rule").act)
    plain = load_bot(f"file:{PRETRAINED}")
    changed = 0
    for stage in deals[:40:3]:
        monkeypatch.setattr("agents.search_bot.sample_worlds", open_worlds(stage))
        rows = np.flatnonzero((stage["seat"] >= 0) & (stage["phase"] != DONE))
        views = make_views(stage.view(np.recarray), batch.tables, rows)
        observation, mask = observe_views(views, batch.tables)
        likely = masked_probabilities(plain.network.logits(observation), mask) > 0
        bold, damped = (load_bot(f"{SEARCH}@endgame=0,critic=0,history=0,candidates=9,share=0,eta={eta}") for eta in (1000, 0.001))
        policy = plain.act(views, batch.tables, np.random.default_rng(1))
        assert (damped.act(views, batch.tables, np.random.default_rng(1)) == policy).all()
        for row, action in zip(rows, bold.act(views, batch.tables, np.random.default_rng(1)), strict=True):
            legal = np.flatnonzero(likely[np.flatnonzero(rows == row)[0]])
            if 1 < len(legal) <= 9:
                paid = rollout_payoffs([(stage[row : row + 1].view(np.recarray), legal)], batch.tables, plain.network)[0][0]
                assert paid[legal == action] == pytest.approx(paid.max())
                changed += paid.max() > paid[legal == policy[rows == row]]
    assert changed > 0


def test_a_decision_does_not_depend_on_what_is_decided_beside_it() -> None:
    batch, deals, _ = course("wiener", 6 if JIT else 2, seed=3)
    bot = load_bot(f"{SEARCH}@worlds=6,history=2")
    for stage in deals[1::13]:
        rows = np.flatnonzero(stage["seat"] >= 0)
        twice = make_views(stage.view(np.recarray), batch.tables, np.concatenate([rows, rows[::-1]]))
        together = bot.act(twice, batch.tables, np.random.default_rng(1))
        twice.view(np.uint8).reshape(len(twice), -1)[:, PADDING] = np.arange(len(twice))[:, np.newaxis]  # as copies may leave it
        alone = [int(bot.act(twice[row : row + 1], batch.tables, np.random.default_rng(1))[0]) for row in range(len(rows))]
        assert together.tolist() == alone + alone[::-1]


def test_the_same_generator_gives_the_same_actions() -> None:
    batch, deals, _ = course("juegatu", 3, seed=7)
    bot = load_bot(f"{SEARCH}@worlds=6,history=3")
    for stage in deals[4::20]:
        rows = np.flatnonzero(stage["seat"] >= 0)
        views = make_views(stage.view(np.recarray), batch.tables, rows)
        first, again = (bot.act(views, batch.tables, np.random.default_rng(1)) for _ in range(2))
        assert (first == again).all()
        assert observe_views(views, batch.tables)[1][np.arange(len(rows)), first].all()


def test_with_every_part_off_it_is_the_policy() -> None:
    batch, deals, _ = course("juegatu", 6, seed=8)
    bot, plain = load_bot(f"{SEARCH}@endgame=0,eta=0"), load_bot(f"file:{PRETRAINED}")
    for stage in deals[2::9]:
        rows = np.flatnonzero(stage["seat"] >= 0)
        views = make_views(stage.view(np.recarray), batch.tables, rows)
        rng = np.random.default_rng(1)
        assert (bot.act(views, batch.tables, rng) == plain.act(views, batch.tables, rng)).all()


def test_games_alone_are_solved_in_the_last_four_tricks_only(monkeypatch) -> None:
    batch, deals, _ = course("juegatu", 24, seed=5, act=load_bot("rule").act)
    bot = load_bot(f"{SEARCH}@endgame=6,worlds=2,history=0,eta=0")
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
    assert load_bot(f"{SEARCH}@worlds=8,eta=1.5,history=3").budget == SearchBudget(worlds=8, eta=1.5, history=3)


def test_without_its_critic_the_bot_says_what_is_missing(tmp_path: Path) -> None:
    bot = write_player(tmp_path / "lonely.safetensors")
    with pytest.raises(ValueError, match=r"lonely.critic.safetensors: no such file; without its critic: critic=0 or eta=0"):
        load_bot(f"search:file:{bot}")
    plain = load_bot(f"search:file:{bot}@critic=0")
    assert plain.critic is None
    with pytest.raises(ValueError, match="has no critic beside it"):
        SearchBot(plain.network, SearchBudget(), "homeless", None)
    manifest, tensors = read_weights(critic_path(PRETRAINED), "critic")
    for wrong, changed in ((replace(manifest, training={}), tensors), (manifest, tensors | {"critic.extra.weight": np.zeros((256, 3))})):
        write_weights(critic_path(bot), changed, wrong)
        load_critic.cache_clear()
        with pytest.raises(ValueError, match=r"training.value_limit = None|made for 3 hidden features"):
            load_bot(f"search:file:{bot}")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("search", "write search:BOT"),
        ("search:rule", "has no policy"),
        ("search:level:5", "has no policy"),
        (f"{SEARCH}@worlds=3,worlds=4", "worlds is given twice"),
        (f"{SEARCH}@critic=2", "allowed are 0 to 1"),
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
