"""Whoever may choose among groups of the open talon sees which cards lie in which."""

import numpy as np
import pytest

from tarock_env.actions import NUM_ACTIONS
from tarock_env.batch import DealBatch
from tarock_env.cards import CARD_IDS
from tarock_env.engine.state import TALON
from tarock_env.engine.view import make_views
from tarock_env.observation import OBSERVATION_SIZE, PLACE_FEATURES, SCALE, SLICES, observe_rows
from tarock_env.rules import known_systems, load_rules


def talon_choices(system, count):
    """Views of seats that choose a group of the open talon."""
    batch = DealBatch(64, load_rules(system), 5)
    batch.force_contracts(1.0)
    found = []
    for _ in range(40):
        batch.reset()
        for _ in range(60):
            rows = np.flatnonzero(~batch.finished)
            views = make_views(batch.deals, batch.tables, rows)
            found += [view.copy() for view in views if view["phase"] == TALON and (view["talon"] >= 0).all()]
            if not len(rows):
                break
            batch.step(batch.random_actions())
        if len(found) >= count:
            return np.array(found[:count]), batch.tables
    raise AssertionError(f"{system}: {len(found)} choices of the talon only")


def observed(views, tables):
    rows, masks = np.zeros((len(views), OBSERVATION_SIZE), np.uint8), np.zeros((len(views), NUM_ACTIONS), np.bool_)
    observe_rows(views.view(np.recarray), tables, rows, masks, 0, len(views))
    return rows


@pytest.mark.parametrize("system", [system for system in known_systems() if system != "czech19"])  # which deals its talon out
def test_cards_of_two_groups_that_change_places_are_seen(system):
    views, tables = talon_choices(system, 20)
    swapped = views.copy()
    swapped["talon"][:, 0], swapped["talon"][:, 5] = views["talon"][:, 5], views["talon"][:, 0]
    before, after = observed(views, tables), observed(swapped, tables)
    places = slice(SLICES["talon_places"].start, SLICES["talon_places"].stop)
    assert (before[:, places] != after[:, places]).any(1).all()
    before[:, places] = after[:, places] = 0
    np.testing.assert_array_equal(before, after)


def test_a_place_holds_rank_and_points_of_its_card():
    views, tables = talon_choices("slovenian3", 1)
    views["talon"][0] = [CARD_IDS[name] for name in ("T21", "HK", "D1", "S7", "CQ", "T1")]
    views["talon_open"] = sum(1 << int(card) for card in views["talon"][0])
    views["talon_taken"] = 0
    row = (observed(views, tables) * SCALE)[0, SLICES["talon_places"]].reshape(6, PLACE_FEATURES)
    expected = np.zeros((6, PLACE_FEATURES))
    expected[0, 0], expected[5, 0] = 21 / 22, 1 / 22
    expected[1, 1], expected[2, 2], expected[3, 3], expected[4, 4] = 1, 4 / 8, 1 / 8, 7 / 8
    expected[:, 5] = np.array([13, 13, 1, 1, 10, 13]) / 13
    np.testing.assert_allclose(row, expected, rtol=1e-6)


def test_places_of_taken_cards_are_empty():
    views, tables = talon_choices("wiener", 1)
    views["talon_taken"] = sum(1 << int(card) for card in views["talon"][0, :3])
    row = observed(views, tables)[0, SLICES["talon_places"]].reshape(6, PLACE_FEATURES)
    assert (row[:3] == 0).all()
    assert (row[3:, 5] > 0).all()
