"""The worked examples of the rules text for Czech Neunzehnerrufen (6.9), on the engine."""

from __future__ import annotations

import pytest

from tarock_env.cards import mask_names
from tests.positions import cards, cards_worth, go, goods, legal, position, settled, start

C = "czech19"
WITHOUT_T1 = {1: "T5", 2: "T1"}


def test_1_the_auction_in_one_round():
    at = start(C, WITHOUT_T1)
    assert legal(at) == {"bid:first_duty", "bid:dreier", "bid:solo"}
    go(at, "0 bid:first_duty")
    assert legal(at) == {"pass", "bid:dreier", "bid:solo"}
    go(at, "1 pass")
    assert legal(at) == {"pass", "bid:second_duty", "bid:dreier", "bid:solo"}
    at = start(C, WITHOUT_T1, "0 bid:first_duty", "1 bid:dreier")
    assert legal(at) == {"pass", "bid:solo"}


@pytest.mark.parametrize(
    ("held", "elsewhere", "calls"),
    [
        ("T19 T18", "T17", {"call:T19", "call:T17"}),
        ("T18", "T19", {"call:T19"}),
        ("T19 T18 T17 T16", "T1", {"call:T19"}),
    ],
)
def test_2_the_called_tarock(held, elsewhere, calls):
    at = start(C, {0: held, 1: elsewhere}, "0 bid:first_duty", "1 pass", "2 pass", "3 pass", "0 pass")
    assert legal(at) == calls


def test_2_calling_the_own_nineteen_plays_alone():
    at = start(C, {0: "T19 T18", 1: "T17"}, "0 bid:first_duty", "1 pass", "2 pass", "3 pass", "0 pass")
    assert go(at, "0 call:T19").deal.partner == -1


def test_3_the_talon_of_a_duty():
    talon = "H4 H3 H2 H1 D4 D3"
    at = start(C, {1: "T1 T5"}, "0 bid:first_duty", "1 bid:second_duty", "2 pass", "3 pass", "1 call:T19", talon=talon)
    drawn = [set(mask_names(cards)) for cards in at.deal.drawn]
    assert drawn == [set(), cards("H4 H3 H2 H1"), cards("D4"), cards("D3")]


def test_4_tarocks_are_discarded_where_forced_and_shown():
    hand = "HK DK S7 T20 T18 T16 T15 T14 T13 T12 T11 T10"
    at = start(C, {0: hand}, "0 bid:first_duty", "1 pass", "2 pass", "3 pass", "0 pass", "0 call:T19", talon="D4 T1 T2 T3")
    tarocks = cards("T20 T18 T16 T15 T14 T13 T12 T11 T10 T2 T3")
    assert legal(at) == tarocks | cards("S7 D4")
    go(at, "0 discard:T2")
    assert legal(at) == tarocks - cards("T2") | cards("S7 D4")
    go(at, "0 discard:T3")
    assert legal(at) == cards("S7 D4")
    go(at, "0 discard:S7", "0 discard:D4")
    assert set(mask_names(at.deal.discards_shown)) == cards("T2 T3")


@pytest.mark.parametrize(
    ("points", "kontra", "payoffs"),
    [
        (42, 1, (7, -7, 7, -7)),
        (30, 1, (-5, 5, -5, 5)),
        (35, 1, (-1, 1, -1, 1)),
        (40, 2, (10, -10, 10, -10)),
    ],
)
def test_5_first_duty(points, kontra, payoffs):
    end = settled(C, "first_duty", declarer=0, partner=2, called="T19", pile=cards_worth(groups=points), kontra={"game": kontra})
    assert end.payoffs == payoffs
    assert end.items == ["game"]


@pytest.mark.parametrize(("points", "payoffs"), [(36, (-6, -6, -6, 18)), (35, (1, 1, 1, -3))])
def test_6_solo(points, payoffs):
    assert settled(C, "solo", declarer=3, pile=cards_worth(groups=points)).payoffs == payoffs


def test_7_a_second_duty_whose_pagat_is_beaten():
    end = settled(
        C, "second_duty", declarer=1, partner=3, called="T19", pile=cards_worth(groups=38), announced={"pagat": 1},
        tricks=[(12, 0, "T9 T1 C7 C8")],
    )  # fmt: skip
    assert end.payoffs == (17, -17, 17, -17)
    assert end.items == ["game", "pagat"]


def test_8_a_silent_pagat_taken_by_the_partner_costs_ten():
    end = settled(C, "first_duty", declarer=0, partner=2, called="T19", pile=cards_worth(groups=42), tricks=[(12, 0, "T7 C7 T1 C8")])
    assert end.item("pagat")["payoffs"] == [-10, 10, -10, 10]
    assert end.item("pagat")["made"] is False


def test_9_melds_count_for_the_whole_side():
    ten_tarocks, two_tarocks = "T5 T6 T7 T8 T9 T10 T11 T12 T13 T14 C7 C8", "T2 T3 HJ H4 H3 H2 H1 DJ D4 D3 D2 D1"
    end = settled(
        C, "first_duty", declarer=0, partner=1, called="T19", pile=cards_worth(groups=36),
        melds={2: ("trumps", ten_tarocks), 0: ("few_trumps", two_tarocks)},
    )  # fmt: skip
    melds = [end.item("meld:trumps")["payoffs"], end.item("meld:few_trumps")["payoffs"]]
    assert [sum(pair) for pair in zip(*melds, strict=True)] == [-5, -5, 5, 5]


def test_10_a_missed_valat_stands_beside_the_game():
    end = settled(C, "dreier", declarer=0, level=1, pile=cards_worth(groups=40), announced={"valat": 0})
    assert end.payoffs == (-405, 135, 135, 135)
    assert end.items == ["game", "valat"]


def test_11_the_announced_pagat_is_held_back():
    assert legal(position(C, "first_duty", hand="T1 T9 S7", led="T5", trick=7, announced={"pagat": 0})) == cards("T9")
    assert legal(position(C, "first_duty", hand="T1 S7", led="T5", trick=7, announced={"pagat": 0})) == cards("T1")


def test_11_played_early_the_twenty_are_lost():
    end = settled(
        C, "first_duty", declarer=0, partner=2, called="T19", pile=cards_worth(groups=36), announced={"pagat": 0},
        tricks=[(7, 1, "T5 C7 C8 T1")],
    )  # fmt: skip
    assert end.item("pagat")["payoffs"] == [-20, 20, -20, 20]


def test_the_kontra_round_follows_the_melds():
    at = start(C, {3: "T1"}, "0 bid:dreier", "1 pass", "2 pass", "3 pass", "0 take")
    while "good" not in legal(at):
        go(at, f"0 discard:{min(legal(at))}")
    go(at, "0 good", "1 good", "2 good", "3 announce:pagat", "3 good")
    assert at.seat == 1
    assert legal(at) == {"good", "kontra:game"}
    go(at, "1 good", "2 good", "3 good", "0 kontra:pagat", "0 good")
    goods(at)
    assert at.deal.trick_number == 0
    assert at.seat == 0
