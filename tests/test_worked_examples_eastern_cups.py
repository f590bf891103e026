"""The worked examples of the rules text for the Styrian, Carinthian and Viennese cups (6.2 to 6.4), on the engine."""

from __future__ import annotations

import pytest

from tarock_env.cards import CARD_NAMES, CARD_VALUES
from tests.positions import (
    act,
    cards_worth,
    everybody_alone,
    go,
    goods,
    groups_of,
    legal,
    settled,
    start,
    trick_winner,
)  # fmt: skip

EASTERN = ("steirisch", "kaerntner", "wiener")
FOUR_KINGS = "HK DK SK CK"
PLAIN = "C7 C8 C9 S7 S8 S9"  # a talon without anything in it


def play_out(at):
    while not at.finished:
        act(at, f"play:{min(legal(at))}")
    return at


# -- 6.2 steirisch ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("high", "ours", "theirs"),
    [
        ("HK DK SK T22 T21 HQ DQ HN DN", 42, 28),  # card values 65 and 41
        ("HK DK SK T22 HQ HN HJ DJ", 35, 35),  # 58 and 48
        ("HK DK SK T22 HQ HN HJ DN", 36, 34),  # 59 and 47
    ],
)
def test_steirisch_1_groups_of_35_and_19_cards(high, ours, theirs):
    ones = [card for card, value in zip(CARD_NAMES, CARD_VALUES, strict=True) if value == 1]
    pile = high.split() + ones[: 35 - len(high.split())]
    assert groups_of(pile) == ours
    assert groups_of(set(CARD_NAMES) - set(pile)) == theirs
    assert settled("steirisch", "dreier", declarer=1, pile=pile).item("game")["made"] is (ours >= 36)


def test_steirisch_2_game_and_bird_of_a_pagatrufer_are_two_items():
    def end(last):
        return settled(
            "steirisch", "pagatrufer", declarer=2, partner=0, called="SK", pile=cards_worth(groups=36), announced={"pagat": 2},
            tricks=[(12, 2, last)],
        )  # fmt: skip

    assert end("T1 C7 C8 C9").payoffs == (3, -3, 3, -3)
    assert end("T1 T9 C8 C9").payoffs == (-1, 1, -1, 1)
    assert end("T1 T9 C8 C9").items == ["game", "pagat"]


def test_steirisch_3_a_lost_sechserdreier_counts_single():
    assert settled("steirisch", "sechserdreier", declarer=0, pile=cards_worth(groups=35)).payoffs == (-12, 4, 4, 4)


@pytest.mark.parametrize("system", EASTERN)
def test_steirisch_4_kaiserstich(system):
    assert trick_winner(system, "dreier", "T21 T22 T14 T1") == 3


def test_steirisch_5_a_silent_uhu_counts_double_in_a_solodreier():
    end = settled("steirisch", "solodreier", declarer=3, pile=cards_worth(groups=36), tricks=[(11, 3, "T2 C7 C8 C9")])
    assert end.payoffs == (-14, -14, -14, 42)
    assert end.items == ["game", "uhu"]


def test_steirisch_6_kontra_counts_in_the_bilanz_only():
    end = settled("steirisch", "dreier", declarer=1, pile=cards_worth(groups=36), kontra={"game": 2})
    assert end.payoffs == (-10, 30, -10, -10)
    assert end.schrift == (-5, 15, -5, -5)


@pytest.mark.parametrize(
    ("thirds", "trickless", "payoffs"),
    [
        ((50, 80, 50, 30), (), (2, -6, 2, 2)),
        ((70, 100, 40, 0), (3,), (0, -6, 0, 6)),
        ((90, 40, 40, 40), (), (-12, 4, 4, 4)),
        ((110, 40, 40, 20), (), (-24, 8, 8, 8)),
        ((40, 70, 70, 30), (), (3, -3, -3, 3)),
    ],
)
def test_steirisch_7_trischaken(thirds, trickless, payoffs):
    assert everybody_alone("steirisch", thirds=thirds, trickless=trickless).payoffs == payoffs


@pytest.mark.parametrize("system", EASTERN)
def test_steirisch_8_with_four_kings_a_queen_is_called(system):
    at = start(system, {0: f"{FOUR_KINGS} HQ", 1: "DQ", 2: "SQ CQ"}, "0 forehand", "1 pass", "2 pass", "3 pass", "0 bid:rufer")
    assert legal(at) == {"call:DQ", "call:SQ", "call:CQ"}
    go(at, "0 call:DQ")
    assert at.deal.partner == 1


# -- 6.3 kaerntner ------------------------------------------------------------------------------------------------------------------


def test_kaerntner_1_a_lost_sechserdreier_counts_double():
    lost = cards_worth(groups=35)
    assert settled("kaerntner", "sechserdreier", declarer=0, pile=lost).payoffs == (-24, 8, 8, 8)
    pile = cards_worth(thirds=102)  # and four more in trick 11
    end = settled("kaerntner", "sechserdreier", declarer=0, pile=pile, announced={"uhu": 0}, tricks=[(11, 0, "T2 C7 C8 C9")])
    assert end.payoffs == (-12, 4, 4, 4)
    assert end.items == ["game", "uhu"]


def test_kaerntner_2_a_lost_quapilrufer_with_its_quapil():
    pile = cards_worth(thirds=102)
    end = settled(
        "kaerntner", "quapilrufer", declarer=1, partner=3, called="SK", pile=pile, announced={"quapil": 1},
        tricks=[(9, 1, "T4 C7 C8 C9")],
    )  # fmt: skip
    assert end.payoffs == (-7, 7, -7, 7)
    assert end.item("game")["made"] is False


def test_kaerntner_3_silent_trull_and_four_kings_do_not_count_beside_valat():
    everything = [card for card in CARD_NAMES if card not in PLAIN.split()]
    end = settled("kaerntner", "solodreier", declarer=0, pile=everything, tricks_won=12, talon=PLAIN)
    assert end.payoffs == (90, -30, -30, -30)
    assert end.items == ["game", "valat"]


def test_kaerntner_4_conceding_a_kakadurufer():
    at = start("kaerntner", {2: "T3 DK"}, "0 forehand", "1 pass", "2 bid:kakadurufer", "3 pass", "0 pass", "2 call:HK", talon="C7 HK")
    go(at, "2 concede")
    assert at.payoffs == (7, 7, -21, 7)
    assert at.items == ["game", "kakadu"]


def test_kaerntner_5_the_half_with_the_called_king_goes_to_the_soloist_and_kontra_is_void():
    pile = cards_worth(thirds=92, holding="DK T22", without="T1 T2 T3 T4 T21 HK SK CK")  # 36 points with the half C7 C8 SK
    end = settled(
        "kaerntner", "solorufer", declarer=1, pile=pile, called="SK", talon="C7 C8 SK D2 D3 D4", kontra={"game": 2},
    )  # fmt: skip
    assert end.payoffs == (-2, 6, -2, -2)
    assert end.item("game")["kontra"] == 1


@pytest.mark.parametrize("system", EASTERN)
def test_kaerntner_6_no_kaiserstich_in_a_colour_game_unless_a_tarock_was_led(system):
    assert trick_winner(system, "farbendreier", "H4 T21 T22 T1") == 0
    assert trick_winner(system, "farbendreier", "T21 H4 T22 T1") == 3


# -- 6.4 wiener ---------------------------------------------------------------------------------------------------------------------


def test_wiener_1_sechserdreier():
    assert settled("wiener", "sechserdreier", declarer=0, pile=cards_worth(groups=36)).payoffs == (12, -4, -4, -4)
    assert settled("wiener", "sechserdreier", declarer=0, pile=cards_worth(groups=35)).payoffs == (-24, 8, 8, 8)


def test_wiener_2_king_ultimo_is_made_where_the_declarers_side_wins_its_trick():
    end = settled(
        "wiener", "rufer", declarer=0, partner=1, called="SK", pile=cards_worth(groups=36, holding="HK T22"),
        announced={"king_ultimo": 1}, tricks=[(12, 0, "T9 SK S8 S7")],
    )  # fmt: skip
    assert end.payoffs == (3, 3, -3, -3)
    assert end.items == ["game", "king_ultimo"]


def test_wiener_3_a_missed_trull_is_one_item_even_if_the_opponents_hold_all_three():
    end = settled(
        "wiener", "rufer", declarer=0, partner=1, called="SK", pile=cards_worth(groups=36, holding="HK DK"), announced={"trull": 0}
    )
    assert end.payoffs == (-1, -1, 1, 1)
    assert end.items == ["game", "trull"]


def test_wiener_4_a_silent_king_ultimo_counts_double_in_a_solorufer():
    end = settled(
        "wiener", "solorufer", declarer=1, partner=2, called="SK", pile=cards_worth(groups=36, holding="HK T22"), talon=PLAIN,
        tricks=[(12, 2, "SK S10 SJ SN")],
    )  # fmt: skip
    assert end.payoffs == (-4, 4, 4, -4)
    assert end.items == ["game", "king_ultimo"]


def test_wiener_5_forehand_tied_in_trischaken_loses_alone():
    assert everybody_alone("wiener", thirds=(75, 75, 30, 30)).payoffs == (-12, 4, 4, 4)


def test_wiener_6_a_silent_valat_voids_the_kontra_on_the_game():
    everything = [card for card in CARD_NAMES if card not in PLAIN.split()]
    end = settled("wiener", "dreier", declarer=1, pile=everything, tricks_won=12, talon=PLAIN, kontra={"game": 2})
    assert end.payoffs == (-15, 45, -15, -15)
    assert end.item("game")["kontra"] == 1


@pytest.mark.parametrize("system", EASTERN)
def test_whole_deals_end_with_the_same_items(system):
    """A Pagatrufer from the auction to its settlement, by cards: the bid's bird is an item of its own."""
    at = start(
        system,
        {0: "SK", 2: "T1 T22 T20 T19 T18 T17 T16 T15 T14 DK HK CK", 1: "T21"},
        "0 forehand", "1 pass", "2 bid:pagatrufer", "3 pass", "0 pass", "2 call:SK", "2 talon:1",
        talon="C7 C8 C9 S7 S8 S9",
    )  # fmt: skip
    assert legal(at) == {"C7", "C8", "C9"}  # no kings, no Trull, no tarocks while suit cards suffice
    go(at, "2 discard:C7", "2 discard:C8", "2 discard:C9")
    play_out(goods(at))
    assert "pagat" in at.items
    assert at.item("pagat")["announced"] is True
