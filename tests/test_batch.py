"""DealBatch, the engine's public interface: seeds, legality, forced decisions, forced contracts, threads, observations."""

from copy import deepcopy

import numpy as np
import pytest

from tarock_env.actions import NUM_ACTIONS
from tarock_env.batch import DealBatch
from tarock_env.engine.state import AUCTION, DEAL, new_deals
from tarock_env.engine.view import make_views
from tarock_env.legal import mask_bits
from tarock_env.observation import HIDDEN_SIZE, OBSERVATION_SIZE
from tarock_env.rules import SYSTEMS, load_rules
from tarock_env.rules.table import RULES, rules_table
from tarock_env.single_deal import SingleDeal


def play_out(batch):
    """Play all deals by chance; returns the number of steps."""
    steps = 0
    while not batch.finished.all():
        batch.step(batch.random_actions())
        steps += 1
    return steps


def observed(batch):
    arrays = (
        np.full((batch.num_deals, OBSERVATION_SIZE), 7, np.uint8),
        np.ones((batch.num_deals, NUM_ACTIONS), np.bool_),
        np.full((batch.num_deals, HIDDEN_SIZE), 7, np.uint8),
    )
    batch.observe(*arrays)
    return arrays


def test_the_same_seed_plays_the_same_deals():
    rules = load_rules("juegatu")
    batches = [DealBatch(50, rules, seed) for seed in (1, 1, 2)]
    for batch in batches:
        play_out(batch)
    assert (batches[0].deals == batches[1].deals).all()
    assert not (batches[0].payoffs == batches[2].payoffs).all()


def test_rows_do_not_depend_on_the_size_of_the_batch():
    rules = load_rules("juegatu")
    few, many = DealBatch(10, rules, 3), DealBatch(40, rules, 3)
    assert (few.deals["dealt"] == many.deals["dealt"][:10]).all()


def test_several_systems_are_dealt_out_evenly():
    batch = DealBatch(len(SYSTEMS) * 10, [load_rules(system) for system in SYSTEMS], seed=1)
    assert (np.bincount(batch.deals["rules_id"]) == 10).all()
    play_out(batch)
    assert batch.finished.all()
    three = batch.deals["rules_id"] == SYSTEMS.index("slovenian3")
    assert (batch.payoffs[three, 3] == 0).all()


def test_records_keep_the_dtype_object_that_numba_knows():
    """An equal dtype would do, and cost more at every call than a step (engine/jit.py, record_dtype)."""
    rules = load_rules("juegatu")
    batch = DealBatch(8, rules, 1)
    views = make_views(batch.deals, batch.tables, np.arange(3))
    deck = list(range(54))
    single = SingleDeal(rules, 0, [deck[6 + 12 * seat : 18 + 12 * seat] for seat in range(4)], deck[:6])
    assert all(
        records.dtype is DEAL for records in (new_deals(2), batch.deals, views, single.deals, single.rows[0], deepcopy(single).rows[0])
    )
    assert all(table.dtype is RULES for table in (rules_table(rules), batch.tables, single.tables, single.rows[1]))


def test_an_illegal_action_moves_no_row():
    batch = DealBatch(6, load_rules("juegatu"), seed=1)
    before = batch.deals.copy()
    actions = batch.random_actions()
    actions[4] = 0
    with pytest.raises(ValueError, match=r"^deal 4: seat \d may not play:T1; legal: bid:") as caught:
        batch.step(actions)
    assert "\n" not in str(caught.value)
    assert (batch.deals == before).all()
    for wrong in (-1, NUM_ACTIONS, 10**9):
        actions[4] = wrong
        with pytest.raises(ValueError, match=rf"may not action id {wrong}"):
            batch.step(actions)
    with pytest.raises(ValueError, match=r"actions have shape \(5,\); expected \(6,\)"):
        batch.step(actions[:5])


def test_finished_deals_are_left_alone():
    batch = DealBatch(20, load_rules("juegatu"), seed=1)
    play_out(batch)
    before = batch.deals.copy()
    batch.step(np.full(20, -1))
    assert (batch.deals == before).all()
    assert (batch.seats == -1).all()
    observation, mask, hidden = observed(batch)
    assert not observation.any()
    assert not mask.any()
    assert not hidden.any()


def test_decisions_without_a_choice_are_skipped():
    rules = load_rules("juegatu")
    skipping, telling = DealBatch(40, rules, 4), DealBatch(40, rules, 4, skip_forced=False)
    assert play_out(telling) > play_out(skipping)
    batch = DealBatch(200, rules, 5)
    while not batch.finished.all():
        _, mask, _ = observed(batch)
        assert (mask.sum(axis=1)[~batch.finished] > 1).all()
        assert (mask == mask_bits(batch.deals["legal"])).all()
        batch.step(batch.random_actions())


def test_some_rows_can_be_dealt_anew():
    batch = DealBatch(10, load_rules("juegatu"), seed=1)
    play_out(batch)
    before = batch.deals.copy()
    batch.reset([2, 7])
    assert list(np.flatnonzero(~batch.finished)) == [2, 7]
    others = [row for row in range(10) if row not in (2, 7)]
    assert (batch.deals[others] == before[others]).all()


def test_forced_contracts_show_rare_games():
    batch = DealBatch(3000, load_rules("juegatu"), seed=1)
    assert (batch.deals["phase"] == AUCTION).all()
    batch.force_contracts(0.5)
    batch.reset()
    past = batch.deals["phase"] != AUCTION
    assert 0.4 < past.mean() < 0.6
    assert len(np.unique(batch.deals["contract"][past])) == len(load_rules("juegatu").contracts)
    with pytest.raises(ValueError, match="lies between 0 and 1"):
        batch.force_contracts(1.5)


def test_threads_change_nothing():
    rules = load_rules("juegatu")
    one, two = DealBatch(101, rules, 6), DealBatch(101, rules, 6, threads=2)
    while not one.finished.all():
        for first, second in zip(observed(one), observed(two), strict=True):
            assert (first == second).all()
        actions = one.random_actions()
        assert (actions == two.random_actions()).all()
        one.step(actions)
        two.step(actions)
    assert (one.deals == two.deals).all()


def test_a_batch_needs_a_deal():
    with pytest.raises(ValueError, match="at least one deal"):
        DealBatch(0, load_rules("juegatu"), seed=1)


@pytest.mark.parametrize("rules", [[], "juegatu", ["juegatu"]])
def test_a_batch_needs_rules(rules):
    with pytest.raises(ValueError, match="one or more Rules"):
        DealBatch(4, rules, seed=1)


def test_a_mask_of_rows_is_as_good_as_their_numbers():
    one, two = (DealBatch(10, load_rules("juegatu"), seed=1) for _ in range(2))
    rows = [2, 7]
    one.reset(rows)
    two.reset(np.isin(np.arange(10), rows))
    assert (one.deals == two.deals).all()


@pytest.mark.parametrize("rows", [[10], [-1], [10**6], [2**40], [0.5], 3, "x", [[0, 1]], [True] * 9])
def test_rows_that_are_not_there_are_refused(rows):
    batch = DealBatch(10, load_rules("juegatu"), seed=1)
    before, streams = batch.deals.copy(), batch.streams.copy()
    for change in (batch.reset, batch.next_deals):
        with pytest.raises(ValueError, match=r"^rows? "):
            change(rows)
    assert (batch.deals == before).all()
    assert (batch.streams == streams).all()
    batch.reset([])
    assert (batch.deals == before).all()


@pytest.mark.parametrize("dtype", [np.float64, np.bool_, "U5", object])
def test_actions_are_integers(dtype):
    batch = DealBatch(6, load_rules("juegatu"), seed=1)
    before = batch.deals.copy()
    with pytest.raises(ValueError, match=r"^actions have type .*; expected integers"):
        batch.step(batch.random_actions().astype(dtype))
    assert (batch.deals == before).all()


def test_observations_go_into_arrays_of_the_right_shape_and_type():
    batch = DealBatch(6, load_rules("juegatu"), seed=1)
    observation, mask, hidden = observed(batch)
    for arrays, name in (
        ((observation[:2], mask), "observation"),
        ((observation[:, :9], mask), "observation"),
        ((observation.astype(np.float32), mask), "observation"),
        ((observation, mask[:1]), "action_mask"),
        ((observation, mask.astype(np.int8)), "action_mask"),
        ((observation, mask, hidden[:, :3]), "hidden"),
    ):
        with pytest.raises(ValueError, match=rf"^{name} has shape"):
            batch.observe(*arrays)
