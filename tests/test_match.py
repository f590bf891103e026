"""Matches: totals, rings and forehand carry over; the 0-or-500 rule; the ring settlement at the end."""

from __future__ import annotations

import numpy as np
import pytest

from tarock_env.batch import DealBatch
from tarock_env.engine.jit import JIT
from tarock_env.engine.state import SIXTHS
from tarock_env.match import forces_all_against_all, ring_settlement
from tarock_env.rules import load_rules
from tests.oracle.slovenian_match import calls_for_beggars
from tests.oracle.slovenian_match import ring_settlement as oracle_settlement


MATCHES = 256 if JIT else 24


def play_out(batch: DealBatch) -> None:
    while not batch.finished.all():
        batch.step(batch.random_actions())


def test_open_rings_are_paid_at_the_end() -> None:
    """Worked example 6.7.9."""
    rules = load_rules("slovenian4")
    assert ring_settlement(rules, [2, 0, 1, 0]) == [SIXTHS * units for units in (-500, 300, -100, 300)]
    assert ring_settlement(rules, [2, 0, 1, 0]) == [SIXTHS * units for units in oracle_settlement([2, 0, 1, 0])]
    assert ring_settlement(load_rules("wiener"), [2, 0, 1, 0]) == [0, 0, 0, 0]


@pytest.mark.parametrize(("totals", "forced"), [((500, -120, -380, 0), True), ((-1500, 3, 4, 5), True), ((1, 2, 3, -6), False)])
def test_zero_or_a_multiple_of_500_sets_the_next_contract(totals: tuple[int, ...], forced: bool) -> None:
    """Worked example 6.7.10."""
    sixths = [SIXTHS * total for total in totals]
    assert forces_all_against_all(load_rules("slovenian4"), sixths) is forced is calls_for_beggars(list(totals))
    assert not forces_all_against_all(load_rules("juegatu"), sixths)


@pytest.mark.parametrize("system", ["slovenian4", "slovenian3", "juegatu"])
def test_totals_rings_and_forehand_carry_over(system: str) -> None:
    rules = load_rules(system)
    batch = DealBatch(MATCHES, rules, seed=5)
    totals = np.zeros((MATCHES, 4), np.int64)
    forced = 0
    for _ in range(6):
        play_out(batch)
        totals += batch.payoffs
        rings, forehand = batch.deals.rings.copy(), batch.deals.forehand.copy()
        batch.next_deals(np.arange(MATCHES))
        assert (batch.deals.totals == totals).all()
        assert (batch.deals.forehand == (forehand + 1) % rules.players).all()
        # A forced deal may already be over a ring further on; otherwise rings are as they were left.
        running = batch.deals.tricks_won.sum(1) == 0
        assert (batch.deals.rings[running] == rings[running]).all()
        for row in range(MATCHES):
            if forces_all_against_all(rules, totals[row, : rules.players]):
                assert batch.deals.forced[row]
                forced += 1
    assert (forced > 0) == rules.rings


def test_a_match_goes_on_only_after_its_last_card() -> None:
    batch = DealBatch(4, load_rules("slovenian4"), seed=1)
    with pytest.raises(ValueError, match="deal 2 is not finished"):
        batch.next_deals([2])
