"""The endgame solver against plain brute force over the engine's single deals."""

from __future__ import annotations

import numpy as np
import pytest

from agents.solver import ILLEGAL, solve
from tarock_env.batch import DealBatch
from tarock_env.engine.state import DONE, PLAY, new_deals
from tarock_env.engine.step import step
from tarock_env.rules import load_rules


def endgames(system: str, tricks_left: int, count: int, seed: int) -> DealBatch:
    """Deals stopped at the start of a late trick by random play; some have ended before."""
    batch = DealBatch(count, load_rules(system), seed)
    batch.force_contracts(1.0)
    batch.reset()
    stop = batch.rules[0].hand_size - tricks_left
    while True:
        there = (batch.deals.phase == PLAY) & (batch.deals.trick_number >= stop)
        if (there | batch.finished).all():
            return batch
        before = batch.deals.copy()
        batch.step(batch.random_actions())
        for row in np.flatnonzero(there):
            batch.deals[row] = before[row]


def after(deal: np.record, rules: np.record, card: int) -> np.record:
    child = new_deals(1)
    child[0] = deal
    step(child[0], rules, card)
    return child[0]


def best_payoffs(deal: np.record, rules: np.record) -> tuple[int, ...]:
    """Payoffs under best play by trying everything: each seat, or side, maximises its own sum; lowest card on ties."""
    if deal.phase == DONE:
        return tuple(int(value) for value in deal.payoffs)
    mine = [seat for seat in range(4) if same_side(deal, seat)]
    lines = [best_payoffs(after(deal, rules, card), rules) for card in range(54) if int(deal.legal[0]) >> card & 1]
    return max(lines, key=lambda payoffs: sum(payoffs[seat] for seat in mine))


def same_side(deal: np.record, seat: int) -> bool:
    if deal.declarer < 0:
        return bool(seat == deal.seat)
    sides = [other in (deal.declarer, deal.partner) for other in (seat, deal.seat)]
    return sides[0] == sides[1]


@pytest.mark.parametrize("system", ["juegatu", "oberoesterreichisch", "slovenian3", "czech19"])
def test_every_card_is_worth_what_brute_force_says(system: str) -> None:
    batch = endgames(system, tricks_left=2, count=60, seed=11)
    rows = np.flatnonzero(batch.deals.phase == PLAY)[:25]
    assert len(rows)
    worlds = batch.deals[rows].copy().view(np.recarray)
    values = solve(worlds, batch.tables)
    choices = 0
    for world, found in zip(worlds, values, strict=True):
        mine = [seat for seat in range(4) if same_side(world, seat)]
        for card in range(54):
            if int(world.legal[0]) >> card & 1:
                expected = sum(best_payoffs(after(world, batch.tables[0], card), batch.tables[0])[seat] for seat in mine)
                assert found[card] == expected
                choices += 1
            else:
                assert found[card] == ILLEGAL
    assert choices > len(rows)


def test_only_positions_in_the_play_have_values() -> None:
    batch = DealBatch(3, load_rules("wiener"), seed=1)
    assert (solve(batch.deals, batch.tables) == ILLEGAL).all()
