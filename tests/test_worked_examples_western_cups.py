"""The worked examples of the rules text for the Upper Austrian and Tyrolean cups (6.5, 6.6), on the engine."""

from __future__ import annotations

import pytest

from tarock_env.cards import CARD_NAMES
from tests.positions import bids, cards, cards_worth, go, legal, position, settled, start, trick_winner

O, T = "oberoesterreichisch", "tiroler"  # noqa: E741
PLAIN = "C7 C8 C9 S7 S8 S9"
EVERYTHING = [card for card in CARD_NAMES if card not in PLAIN.split()]


# -- 6.5 oberoesterreichisch --------------------------------------------------------------------------------------------------------


def test_oberoesterreichisch_1_game_won_uhu_missed():
    end = settled(
        O, "besserrufer", declarer=1, partner=2, called="SK", pile=cards_worth(groups=36), announced={"uhu": 1},
        tricks=[(11, 1, "T2 T9 T8 T7")],
    )  # fmt: skip
    assert end.payoffs == (3, -3, -3, 3)
    assert end.items == ["game", "uhu"]


@pytest.mark.parametrize("system", [O, T])
def test_oberoesterreichisch_2_and_tiroler_5_no_kaiserstich(system):
    assert trick_winner(system, "dreier", "T21 T22 T14 T1") == 1


def test_oberoesterreichisch_3_a_silent_valat_is_four_games_and_ends_silent_bonuses():
    last = (12, 1, "T1 C10 CJ CN")  # a silent Pagat
    pile = [card for card in EVERYTHING if card not in ("T1", "C10", "CJ", "CN")]
    end = settled(O, "dreier", declarer=1, pile=pile, tricks=[last], tricks_won=12, talon=PLAIN)
    assert end.payoffs == (-16, 48, -16, -16)
    assert end.items == ["valat"]
    end = settled(O, "dreier", declarer=1, pile=pile, tricks=[last], tricks_won=12, talon=PLAIN, announced={"trull": 1})
    assert end.payoffs == (-18, 54, -18, -18)
    assert end.items == ["trull", "valat"]


def test_oberoesterreichisch_4_silent_four_kings_count_double_in_a_farbensolo():
    end = settled(O, "farbensolo", declarer=3, pile=cards_worth(groups=36, holding="HK DK SK CK"))
    assert end.payoffs == (-8, -8, -8, 24)
    assert end.items == ["four_kings", "game"]


def test_oberoesterreichisch_5_a_lost_sechserdreier_counts_single():
    assert settled(O, "sechserdreier", declarer=0, pile=cards_worth(groups=35)).payoffs == (-12, 4, 4, 4)


def test_oberoesterreichisch_6_trischaken_has_must_beat_without_must_tarock():
    assert legal(position(O, "trischaken", led="HQ T12", hand="T3 T9 S7 CQ")) == cards("T3 T9 S7 CQ")
    assert legal(position(O, "trischaken", led="HQ T12", hand="T3 T15 S7 CQ")) == cards("T15")
    assert legal(position(O, "trischaken", led="HQ", hand="T3 T9 S7")) == cards("T3 T9")
    for system in ("steirisch", "kaerntner", "wiener"):
        assert legal(position(system, "trischaken", led="HQ T12", hand="T3 T9 S7 CQ")) == cards("T3 T9")


def test_oberoesterreichisch_7_conceding_a_besserrufer_pays_the_bird_too():
    at = start(
        O, {2: "T2 DK"}, "0 forehand", "1 pass", "2 bid:besserrufer", "3 pass", "0 pass", "2 announce:uhu", "2 call:HK", talon="C7 HK"
    )
    go(at, "2 concede")
    assert at.payoffs == (5, 5, -15, 5)
    assert at.items == ["game", "uhu"]


def test_oberoesterreichisch_8_a_lost_solorufer_with_its_king_ultimo():
    pile = cards_worth(thirds=80, holding="HK T22")
    end = settled(
        O, "solorufer", declarer=0, partner=2, called="SK", pile=pile, talon=PLAIN, announced={"king_ultimo": 2},
        tricks=[(12, 2, "SK S10 SJ SN")],
    )  # fmt: skip
    assert end.payoffs == (2, -2, 2, -2)
    assert end.item("game")["made"] is False


# -- 6.6 tiroler --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "sacks", "payoffs"),
    [
        (47, ("sack1",), (-7, -7, 21, -7)),
        (45, ("sack1",), (-3, -3, 9, -3)),
        (58, ("sack1", "sack2"), (-9, -9, 27, -9)),
        (47, (), (-5, -5, 15, -5)),  # example 2
    ],
)
def test_tiroler_1_and_2_sacks_count_announced_only(points, sacks, payoffs):
    pile = cards_worth(groups=points, holding="HK DK SK T22 T21")
    end = settled(T, "dreier", declarer=2, pile=pile, announced=dict.fromkeys(sacks, 2))
    assert end.payoffs == payoffs
    assert end.items == sorted(["game", *sacks])


def test_tiroler_3_the_schrift_keeps_a_single_kontra():
    won = cards_worth(groups=36)
    end = settled(T, "dreier", declarer=1, pile=won, kontra={"game": 4})
    assert end.payoffs == (-20, 60, -20, -20)
    assert end.schrift == (-10, 30, -10, -10)
    end = settled(T, "dreier", declarer=1, pile=won, kontra={"game": 2})
    assert end.payoffs == end.schrift == (-10, 30, -10, -10)


def test_tiroler_4_game_and_bird_of_a_besserrufer_lost():
    end = settled(
        T, "besserrufer_3", declarer=1, partner=3, called="SK", pile=cards_worth(groups=35, holding="HK T22"),
        announced={"kakadu": 1}, tricks=[(10, 2, "T9 T8 T7 T3")],
    )  # fmt: skip
    assert end.payoffs == (7, -7, 7, -7)
    assert end.items == ["game", "kakadu"]


def test_tiroler_6_forehand_chooses_must_beat():
    assert legal(position(T, "trischaken", led="T9", hand="T5 T15", must_beat=True)) == cards("T15")
    assert legal(position(T, "trischaken", led="T9", hand="T5 T15", must_beat=False)) == cards("T5 T15")


def test_tiroler_6_the_choice_is_made_when_forehand_names_trischaken():
    at = start(T, {}, "0 forehand", "1 pass", "2 pass", "3 pass", "0 bid:trischaken")
    assert legal(at) == {"choose:beat", "choose:free"}
    go(at, "0 choose:free")
    assert legal(at) == {"choose:talon_first", "choose:talon_last"}


def test_tiroler_7_zwiccolo_is_played_open_only():
    assert settled(T, "zwiccolo_ouvert", declarer=1, tricks_won=2).payoffs == (-8, 24, -8, -8)
    at = start(T, {}, "0 forehand")
    assert "zwiccolo_ouvert" in bids(at)
    assert "zwiccolo" not in bids(at)


def test_tiroler_8_the_opponents_earn_a_silent_trull():
    end = settled(T, "rufer", declarer=0, partner=3, called="SK", pile=cards_worth(groups=35, holding="HK DK"))
    assert end.payoffs == (-2, 2, 2, -2)
    assert end.items == ["game", "trull"]


def test_tiroler_9_a_colour_game_needs_no_suit_length():
    hand = "HQ HJ H4 H3 DQ D4 D3 SQ S7 C7 T5 T6"  # suits of 4, 3, 2 and 1
    assert "farbendreier" in bids(start(T, {1: hand}, "0 forehand"))
    assert "farbendreier" not in bids(start("steirisch", {1: hand}, "0 forehand"))
