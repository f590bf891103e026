"""The worked examples of rules.md 6.1-6.6 on the oracle."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.oracle.core import DECK, groups, thirds, value, winner
from tests.oracle.koenigrufen_positions import (
    LOST,
    QUEENS_KNIGHTS,
    WON,
    bids,
    facts,
    go,
    payoffs,
    playable,
    schrift,
    start,
    twelve_tricks,
    words,
)
from tests.oracle.koenigrufen_score import Trick, concession, negative_result, positive_result
from tests.oracle.koenigrufen_trischaken import trischaken_payments

FOUR_KINGS = "HK DK SK CK"


def trischaken(rules, points, trickless=()):
    return tuple(trischaken_payments(rules, list(points), set(trickless)))


# -- 6.1 juegatu --------------------------------------------------------------------------------


def test_j1_exact_counting():
    assert thirds(["HK", "T22", "T7", "DJ"]) == 31


def test_j2_rufer_needs_107_thirds():
    assert (thirds(WON), thirds(LOST)) == (107, 106)
    assert payoffs("juegatu", "rufer", 0, 1, called="SK") == (2, 2, -2, -2)
    assert payoffs("juegatu", "rufer", 0, 1, called="SK", declarer_extra=LOST) == (-2, -2, 2, 2)


def test_j3_four_kings_and_three_passes():
    deal = start("juegatu", {0: FOUR_KINGS}, "1 pass", "2 pass", "3 pass")
    assert "pass" not in deal.legal()
    assert bids(deal) == set(
        words("trischaken piccolo bettler sechserdreier farbendreier dreier piccolo_ouvert bettler_ouvert")
        + words("solofarbendreier solodreier")
    )


def test_j4_dreier_lost_with_kontra():
    assert payoffs("juegatu", "dreier", 1, declarer_extra=LOST, game_kontra=2) == (12, -36, 12, 12)


def test_j5_sechserdreier_lost_counts_double():
    assert payoffs("juegatu", "sechserdreier", 0) == (18, -6, -6, -6)
    assert payoffs("juegatu", "sechserdreier", 0, declarer_extra=LOST) == (-36, 12, 12, 12)


def test_j6_trischaken():
    assert trischaken("juegatu", (40, 60, 60, 30)) == (2, 2, -6, 2)
    assert trischaken("juegatu", (70, 20, 30, 70)) == (-12, 4, 4, 4)
    assert trischaken("juegatu", (30, 20, 96, 40)) == (4, 4, -12, 4)
    assert trischaken("juegatu", (100, 20, 30, 40)) == (-24, 8, 8, 8)


def test_j7_emperor_trick_in_black_positive_games_only():
    deal = start("juegatu", {})
    trick = ["H4", "T21", "T22", "T1"]
    for contract, winning in (("dreier", 3), ("farbendreier", 0), ("bettler", 2)):
        deal.contract = deal.contracts[contract]
        assert winner(trick, deal.mode, deal.emperor) == winning


def test_j8_legal_cards_in_negative_games():
    assert playable("juegatu", "bettler", "T1 T5 S8", "T9") == {"T5"}
    assert playable("juegatu", "bettler", "T1 T5 S8") == {"T5", "S8"}
    assert playable("juegatu", "bettler", "H1 HJ T4", "H2 H3") == {"H1", "HJ"}
    assert playable("juegatu", "bettler", "H1 HJ T4", "H2 T3") == {"H1", "HJ"}
    assert playable("juegatu", "bettler", "S9 T4 T1", "HQ H1") == {"T4"}


def test_j9_pagat_taken_by_the_partner_goes_to_the_other_side():
    last = Trick(12, 0, ["T9", "T1", "T8", "T7"], winner=0)
    assert payoffs("juegatu", "rufer", 0, 1, called="SK", tricks=[last]) == (0, 0, 0, 0)


def test_j10_solorufer_doubles_trull():
    pile = f"HK T1 T21 T22 {QUEENS_KNIGHTS}".split()
    assert payoffs("juegatu", "solorufer", 0, 2, called="SK", declarer_extra=pile) == (8, -8, 8, -8)


def test_j11_kontra_on_bettler_holds_for_all():
    lost = Trick(1, 3, ["H4", "H3", "H2", "D4"], winner=3)
    at = facts("juegatu", "bettler", 3, tricks=[lost], game_kontra=2)
    assert negative_result(at)["payoffs"] == [10, 10, 10, -30]


def test_j12_mondfang_and_koenigfang():
    pile = f"HK {QUEENS_KNIGHTS}".split()
    mond = Trick(5, 2, ["T21", "T7", "T22", "T8"], winner=0)
    assert payoffs("juegatu", "rufer", 0, 2, called="SK", declarer_extra=pile, tricks=[mond]) == (0, 0, 0, 0)
    king = Trick(5, 0, ["S7", "T9", "SK", "S8"], winner=1)
    assert payoffs("juegatu", "rufer", 0, 2, called="SK", declarer_extra=LOST, tricks=[king]) == (-4, 4, -4, 4)


# -- 6.2 steirisch ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("high", "ours", "theirs"),
    [
        ("HK DK SK T22 T21 HQ DQ HN DN", 42, 28),  # card values 65 and 41
        ("HK DK SK T22 HQ HN HJ DJ", 35, 35),  # 58 and 48
        ("HK DK SK T22 HQ HN HJ DN", 36, 34),  # 59 and 47
    ],
)
def test_s1_groups_of_35_and_19_cards(high, ours, theirs):
    low = [card for card in DECK if value(card) == 1]
    pile = words(high) + low[: 35 - len(words(high))]
    rest = [card for card in DECK if card not in pile]
    assert (groups(pile), groups(rest)) == (ours, theirs)
    result = positive_result(facts("steirisch", "dreier", 1, declarer_extra=pile))
    assert result["items"][0]["made"] == (ours >= 36)


def test_s2_pagatrufer_is_two_items():
    bird = {"pagat": ("declarer", 1)}
    made = [Trick(12, 2, ["T1", "C7", "C8", "C9"], winner=2)]
    missed = [Trick(12, 2, ["T1", "T9", "C8", "C9"], winner=3)]
    common = {"bird": "pagat", "called": "SK", "announced": bird}
    assert payoffs("steirisch", "pagatrufer", 2, 0, tricks=made, **common) == (3, -3, 3, -3)
    assert payoffs("steirisch", "pagatrufer", 2, 0, tricks=missed, **common) == (-1, 1, -1, 1)


def test_s3_sechserdreier_lost():
    assert payoffs("steirisch", "sechserdreier", 0, declarer_extra=LOST) == (-12, 4, 4, 4)


@pytest.mark.parametrize(
    ("rules", "winning"),
    [("steirisch", 3), ("kaerntner", 3), ("wiener", 3), ("oberoesterreichisch", 1), ("tiroler", 1)],
)
def test_s4_o2_t5_kaiserstich(rules, winning):
    deal = start(rules, {})
    deal.contract = deal.contracts["dreier"]
    assert winner(["T21", "T22", "T14", "T1"], deal.mode, deal.emperor) == winning


def test_s5_silent_uhu_doubled_in_solo():
    uhu = [Trick(11, 3, ["T2", "C7", "C8", "C9"], winner=3)]
    assert payoffs("steirisch", "solodreier", 3, tricks=uhu) == (-14, -14, -14, 42)


def test_s6_schrift_without_kontra():
    assert payoffs("steirisch", "dreier", 1, game_kontra=2) == (-10, 30, -10, -10)
    assert schrift("steirisch", "dreier", 1, game_kontra=2) == (-5, 15, -5, -5)


def test_s7_trischaken():
    assert trischaken("steirisch", (50, 80, 50, 30)) == (2, -6, 2, 2)
    assert trischaken("steirisch", (70, 100, 40, 0), [3]) == (0, -6, 0, 6)
    assert trischaken("steirisch", (90, 40, 40, 40)) == (-12, 4, 4, 4)
    assert trischaken("steirisch", (110, 40, 40, 20)) == (-24, 8, 8, 8)
    assert trischaken("steirisch", (40, 70, 70, 30)) == (3, -3, -3, 3)


def test_s8_four_kings_call_a_queen():
    hand = f"{FOUR_KINGS} HQ H1 H2 H3 T5 T6 T7 T8"
    deal = start("steirisch", {0: hand}, "0 forehand", "1 pass", "2 pass", "3 pass", "0 bid:rufer")
    assert deal.legal() == {"call:DQ", "call:SQ", "call:CQ"}


# -- 6.3 kaerntner ------------------------------------------------------------------------------


def test_k1_sechserdreier_lost_counts_double():
    assert payoffs("kaerntner", "sechserdreier", 0, declarer_extra=LOST) == (-24, 8, 8, 8)
    uhu = {"announced": {"uhu": ("declarer", 1)}, "tricks": [Trick(11, 0, ["T2", "C7", "C8", "C9"], winner=0)]}
    pile = [card for card in LOST if card not in ("T5", "T6")]  # keeps the game lost with T2 and three pips
    assert payoffs("kaerntner", "sechserdreier", 0, declarer_extra=pile[:-1], **uhu) == (-12, 4, 4, 4)


def test_k2_quapilrufer_lost_with_the_bird_made():
    quapil = [Trick(9, 1, ["T4", "C7", "C8", "C9"], winner=1)]
    rest = {"bird": "quapil", "called": "SK", "announced": {"quapil": ("declarer", 1)}, "tricks": quapil}
    assert payoffs("kaerntner", "quapilrufer", 1, 3, declarer_extra=LOST[:10], **rest) == (-7, 7, -7, 7)


def test_k3_silent_valat():
    result = positive_result(facts("kaerntner", "solodreier", 0, tricks=twelve_tricks(0)))
    assert result["payoffs"] == [90, -30, -30, -30]
    assert {item["item"] for item in result["items"]} == {"game", "valat"}


def test_k4_concession_pays_game_and_bird():
    at = facts("kaerntner", "kakadurufer", 2, bird="kakadu")
    assert concession(at)["payoffs"] == [7, 7, -21, 7]
    assert concession(at)["schrift"] == [7, 7, -21, 7]


def test_k5_solorufer_with_the_king_in_the_talon_voids_kontra():
    rest = {"called": "SK", "called_in_talon": True, "game_kontra": 2}
    assert payoffs("kaerntner", "solorufer", 1, **rest) == (-2, 6, -2, -2)


def test_k6_emperor_in_colour_games_only_when_a_tarock_was_led():
    deal = start("kaerntner", {})
    deal.contract = deal.contracts["farbendreier"]
    assert winner(["H4", "T21", "T22", "T1"], deal.mode, deal.emperor) == 0
    assert winner(["T21", "H4", "T22", "T1"], deal.mode, deal.emperor) == 3


# -- 6.4 wiener ---------------------------------------------------------------------------------


def test_w1_sechserdreier():
    assert payoffs("wiener", "sechserdreier", 0) == (12, -4, -4, -4)
    assert payoffs("wiener", "sechserdreier", 0, declarer_extra=LOST) == (-24, 8, 8, 8)


def test_w2_announced_king_ultimo_taken_by_the_partner():
    last = [Trick(12, 0, ["T9", "SK", "C7", "C8"], winner=0)]
    rest = {"called": "SK", "tricks": last, "announced": {"king_ultimo": ("declarer", 1)}}
    assert payoffs("wiener", "rufer", 0, 1, **rest) == (3, 3, -3, -3)


def test_w3_announced_trull_missed_is_one_item():
    rest = {"called": "SK", "announced": {"trull": ("declarer", 1)}}
    pile = words("HK DK SK HQ DQ SQ CQ HN DN SN CN")
    assert payoffs("wiener", "rufer", 0, 1, declarer_extra=pile, **rest) == (-1, -1, 1, 1)
    opponents_trull = {"defenders_extra": ["T1", "T21", "T22"]}
    assert payoffs("wiener", "rufer", 0, 1, declarer_extra=pile, **opponents_trull, **rest) == (-1, -1, 1, 1)


def test_w4_silent_king_ultimo_doubled_in_solo():
    last = [Trick(12, 1, ["T9", "SK", "C7", "C8"], winner=1)]
    assert payoffs("wiener", "solorufer", 1, 2, called="SK", tricks=last) == (-4, 4, 4, -4)


def test_w5_trischaken_forehand_tied_is_alone():
    assert trischaken("wiener", (75, 75, 30, 30)) == (-12, 4, 4, 4)


def test_w6_silent_valat_voids_kontra_on_the_game():
    rest = {"tricks": twelve_tricks(1), "game_kontra": 2}
    assert payoffs("wiener", "dreier", 1, **rest) == (-15, 45, -15, -15)
    assert payoffs("steirisch", "dreier", 1, **rest) == (-20, 60, -20, -20)


# -- 6.5 oberoesterreichisch ----------------------------------------------------------------------


def test_o1_besserrufer_uhu_missed():
    missed = [Trick(11, 1, ["T2", "T9", "C8", "C9"], winner=2)]
    rest = {"bird": "uhu", "called": "SK", "announced": {"uhu": ("declarer", 1)}, "tricks": missed}
    assert payoffs("oberoesterreichisch", "besserrufer", 1, 2, **rest) == (3, -3, -3, 3)
    taken_by_opponent = [Trick(11, 1, ["T2", "C8", "T9", "C9"], winner=3)]
    rest["tricks"] = taken_by_opponent
    assert payoffs("oberoesterreichisch", "besserrufer", 1, 2, **rest) == (3, -3, -3, 3)


def test_o3_valat_replaces_the_game():
    tricks = twelve_tricks(1, last="T1")
    assert payoffs("oberoesterreichisch", "dreier", 1, tricks=tricks) == (-16, 48, -16, -16)
    rest = {"tricks": tricks, "announced": {"trull": ("declarer", 1)}}
    assert payoffs("oberoesterreichisch", "dreier", 1, **rest) == (-18, 54, -18, -18)


def test_o4_silent_four_kings_in_farbensolo():
    pile = f"{FOUR_KINGS} {QUEENS_KNIGHTS}".split()
    assert payoffs("oberoesterreichisch", "farbensolo", 3, declarer_extra=pile) == (-8, -8, -8, 24)


def test_o5_sechserdreier_lost_single():
    assert payoffs("oberoesterreichisch", "sechserdreier", 0, declarer_extra=LOST) == (-12, 4, 4, 4)


def test_o6_trischaken_without_must_trump():
    game = ("oberoesterreichisch", "trischaken")
    assert playable(*game, "T3 T9 S7 CQ", "HQ T12") == {"T3", "T9", "S7", "CQ"}
    assert playable(*game, "T3 T15 S7 CQ", "HQ T12") == {"T15"}
    assert playable(*game, "T3 T9 S7", "HQ") == {"T3", "T9"}
    for rules in ("steirisch", "kaerntner", "wiener"):
        assert playable(rules, "trischaken", "T3 T9 S7 CQ", "HQ T12") == {"T3", "T9"}


def test_o7_besserrufer_conceded():
    hands = {2: "T2 T5 T6 T7 HQ HN HJ H1 C7 C8 C9 C10"}
    auction = ("0 forehand", "1 pass", "2 bid:besserrufer", "3 pass", "0 pass", "2 announce:uhu", "2 call:SK")
    deal = start("oberoesterreichisch", hands, *auction, talon="SK S7 S8 S9 T8 T9")
    assert deal.legal() == {"talon:1", "talon:2", "concede"}
    go(deal, "2 concede")
    result = deal.result()
    assert result["payoffs"] == [5, 5, -15, 5]
    assert [(item["item"], item["made"], item["announced"]) for item in result["items"]] == [
        ("game", False, False),
        ("uhu", False, True),
    ]


def test_o8_game_lost_with_king_ultimo_made_in_solo():
    last = [Trick(12, 0, ["T9", "C7", "SK", "C8"], winner=0)]
    rest = {"called": "SK", "tricks": last, "announced": {"king_ultimo": ("declarer", 1)}}
    assert payoffs("oberoesterreichisch", "solorufer", 0, 2, declarer_extra=LOST[:8], **rest) == (2, -2, 2, -2)


# -- 6.6 tiroler --------------------------------------------------------------------------------


def pile_of(points):
    """A pile of so many points in groups, no Trull, not four kings."""
    pile = f"HK DK SK T22 T21 {QUEENS_KNIGHTS} HJ DJ".split()
    low = [card for card in DECK if value(card) == 1]
    while groups(pile) > points:
        pile.pop()
    while groups(pile) < points:
        pile.append(low.pop(0))
    assert groups(pile) == points
    return pile


def test_t1_saecke_announced():
    one = {"sack1": ("declarer", 1)}
    both = {**one, "sack2": ("declarer", 1)}
    assert payoffs("tiroler", "dreier", 2, declarer_extra=pile_of(47), announced=one) == (-7, -7, 21, -7)
    assert payoffs("tiroler", "dreier", 2, declarer_extra=pile_of(45), announced=one) == (-3, -3, 9, -3)
    assert payoffs("tiroler", "dreier", 2, declarer_extra=pile_of(58), announced=both) == (-9, -9, 27, -9)


def test_t2_no_silent_sack():
    assert payoffs("tiroler", "dreier", 2, declarer_extra=pile_of(47)) == (-5, -5, 15, -5)


def test_t3_schrift_keeps_a_simple_kontra():
    assert payoffs("tiroler", "dreier", 1, game_kontra=4) == (-20, 60, -20, -20)
    assert schrift("tiroler", "dreier", 1, game_kontra=4) == (-10, 30, -10, -10)
    assert payoffs("tiroler", "dreier", 1, game_kontra=2) == (-10, 30, -10, -10)
    assert schrift("tiroler", "dreier", 1, game_kontra=2) == (-10, 30, -10, -10)


def test_t4_besserrufer_lost_with_its_bird():
    rest = {"bird": "kakadu", "called": "SK", "announced": {"kakadu": ("declarer", 1)}}
    assert payoffs("tiroler", "besserrufer_3", 1, 3, declarer_extra=LOST, **rest) == (7, -7, 7, -7)


def test_t6_trischaken_forehand_chooses():
    deal = start("tiroler", {}, "0 forehand", "1 pass", "2 pass", "3 pass", "0 bid:trischaken")
    assert deal.legal() == {"choose:beat", "choose:free"}
    go(deal, "0 choose:free")
    assert deal.legal() == {"choose:talon_first", "choose:talon_last"}
    go(deal, "0 choose:talon_last")
    deal.hands[1] = {"T5", "T15"}
    assert deal.playable(1, ["T9"], 1) == {"T5", "T15"}
    deal.must_beat = True
    assert deal.playable(1, ["T9"], 1) == {"T15"}
    assert (deal.talon_with(1), deal.talon_with(12)) == ([], deal.talon)


def test_t7_zwiccolo_only_ouvert():
    assert "zwiccolo" not in start("tiroler", {}).contracts
    tricks = [Trick(n, 1, ["H4", "H3", "H2", "D4"], winner=1) for n in (1, 2)]
    assert negative_result(facts("tiroler", "zwiccolo_ouvert", 1, tricks=tricks))["payoffs"] == [-8, 24, -8, -8]


def test_t8_opponents_silent_trull():
    opponents = {"declarer_extra": ["HK", "DK", "HQ"], "defenders_extra": ["T1", "T21", "T22"]}
    assert payoffs("tiroler", "rufer", 0, 3, called="SK", **opponents) == (-2, 2, 2, -2)


def test_t9_farbendreier_without_a_minimum():
    hand = "HK H1 H2 H3 DK D1 D2 SK S7 C7 T5 T6"
    assert "farbendreier" in bids(start("tiroler", {1: hand}, "0 forehand"))
    assert "farbendreier" not in bids(start("steirisch", {1: hand}, "0 forehand"))
    assert "farbendreier" in bids(start("steirisch", {1: hand}, "0 forehand", colour_min_scope="any_suit_cards"))


# -- other Trischaken payments of 3.3 and 1.8.10 --------------------------------------------------


def test_upper_austrian_trischaken():
    game = "oberoesterreichisch"
    assert trischaken(game, (50, 80, 50, 30)) == (1, -3, 1, 1)
    assert trischaken(game, (80, 80, 20, 30)) == (-6, 2, 2, 2)
    assert trischaken(game, (20, 120, 40, 30)) == (2, -6, 2, 2)
    assert trischaken(game, (120, 30, 30, 30)) == (-12, 4, 4, 4)
    assert trischaken(game, (0, 104, 106, 0), [0, 3]) == (2, 0, -4, 2)
    assert trischaken(game, (0, 60, 150, 0), [0, 3]) == (3, 0, -6, 3)
    assert trischaken(game, (40, 70, 70, 30)) == (2, -2, -2, 2)
    assert trischaken(game, (0, 70, 70, 70), [0]) == (3, -1, -1, -1)
    assert trischaken(game, (0, 90, 90, 30), [0]) == (4, -2, -2, 0)


def test_tyrolean_trischaken():
    game = "tiroler"
    assert trischaken(game, (40, 80, 60, 30)) == (2, -2, -2, 2)
    assert trischaken(game, (50, 80, 50, 30)) == (0, -2, 0, 2)
    assert trischaken(game, (80, 50, 50, 30)) == (-6, 2, 2, 2)
    assert trischaken(game, (110, 50, 20, 30)) == (-12, 4, 4, 4)
    assert trischaken(game, (30, 110, 40, 30)) == (2, -6, 2, 2)
    assert trischaken(game, (0, 110, 60, 40), [0]) == (6, -6, 0, 0)
    assert trischaken(game, (0, 80, 70, 60), [0]) == (6, -2, -2, -2)
    assert trischaken(game, (0, 106, 104, 0), [0, 3]) == (2, -2, -2, 2)
    third = Fraction(2, 3)
    assert trischaken(game, (60, 60, 60, 30)) == (-6, 2, 2, 2)
    assert trischaken(game, (30, 60, 60, 60)) == (2, -third, -third, -third)
