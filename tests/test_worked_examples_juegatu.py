"""The worked examples of the rules text for JuegaTu (6.1), on the engine."""

from __future__ import annotations

from tests.positions import (
    bids,
    cards,
    cards_worth,
    everybody_alone,
    legal,
    position,
    settled,
    start,
    thirds_of,
    trick_winner,
)  # fmt: skip

SYSTEM = "juegatu"
FOUR_KINGS = "HK DK SK CK"
LOW_TRICK = (12, 2, "C7 C8 C9 C10")


def test_1_counting_in_thirds():
    assert thirds_of(cards("HK T22 T7 DJ")) == 31


def test_2_a_rufer_is_won_with_107_thirds():
    for thirds, payoffs in ((107, (2, 2, -2, -2)), (106, (-2, -2, 2, 2))):
        end = settled(SYSTEM, "rufer", declarer=0, partner=1, called="SK", pile=cards_worth(thirds=thirds))
        assert end.payoffs == payoffs
        assert end.items == ["game"]


def test_3_four_kings_and_three_passes():
    at = start(SYSTEM, {0: FOUR_KINGS}, "1 pass", "2 pass", "3 pass")
    assert at.seat == 0
    assert "pass" not in legal(at)
    assert bids(at) == {
        "trischaken", "piccolo", "bettler", "sechserdreier", "farbendreier", "dreier", "piccolo_ouvert", "bettler_ouvert",
        "solofarbendreier", "solodreier",
    }  # fmt: skip


def test_4_a_lost_dreier_with_kontra():
    end = settled(SYSTEM, "dreier", declarer=1, pile=cards_worth(thirds=106), kontra={"game": 2})
    assert end.payoffs == (12, -36, 12, 12)
    assert end.items == ["game"]


def test_5_a_lost_sechserdreier_counts_double():
    assert settled(SYSTEM, "sechserdreier", declarer=0, pile=cards_worth(thirds=107)).payoffs == (18, -6, -6, -6)
    assert settled(SYSTEM, "sechserdreier", declarer=0, pile=cards_worth(thirds=106)).payoffs == (-36, 12, 12, 12)


def test_6_trischaken_ties_buergermeister_and_forehand():
    assert everybody_alone(SYSTEM, thirds=(40, 60, 60, 30)).payoffs == (2, 2, -6, 2)
    assert everybody_alone(SYSTEM, thirds=(70, 20, 30, 70)).payoffs == (-12, 4, 4, 4)
    assert everybody_alone(SYSTEM, thirds=(30, 20, 96, 40)).payoffs == (4, 4, -12, 4)
    assert everybody_alone(SYSTEM, thirds=(100, 20, 30, 40)).payoffs == (-24, 8, 8, 8)


def test_7_the_maerchenstich_holds_in_black_positive_games():
    trick = "H4 T21 T22 T1"
    assert trick_winner(SYSTEM, "dreier", trick) == 3
    assert trick_winner(SYSTEM, "farbendreier", trick) == 0
    assert trick_winner(SYSTEM, "bettler", trick) == 2


def test_7_a_mond_in_the_maerchenstich_is_caught():
    end = settled(SYSTEM, "dreier", declarer=1, pile=cards_worth(thirds=107, holding="HK DK HQ DQ"), tricks=[(5, 0, "H4 T21 T22 T1")])
    assert end.item("mondfang")["payoffs"] == [2, -6, 2, 2]


def test_8_must_beat_and_pagat_last_in_negative_games():
    assert legal(position(SYSTEM, "bettler", hand="T1 T5 S8", led="T9")) == cards("T5")
    assert legal(position(SYSTEM, "bettler", hand="T1 T5 S8")) == cards("T5 S8")
    assert legal(position(SYSTEM, "bettler", hand="H1 HJ T4", led="H2 H3")) == cards("H1 HJ")
    assert legal(position(SYSTEM, "bettler", hand="H1 HJ T4", led="H2 T3")) == cards("H1 HJ")
    assert legal(position(SYSTEM, "bettler", hand="S9 T4 T1", led="HQ H1")) == cards("T4")


def test_9_a_pagat_taken_by_the_partner_goes_to_the_other_side():
    pile = cards_worth(thirds=103)  # and the last trick
    end = settled(SYSTEM, "rufer", declarer=0, partner=1, called="SK", pile=pile, tricks=[(12, 0, "T9 T1 T8 C7")])
    assert end.payoffs == (0, 0, 0, 0)
    assert end.items == ["game", "pagat"]
    assert end.item("pagat")["made"] is False


def test_10_solorufer_doubles_a_silent_trull():
    pile = cards_worth(thirds=107, holding="T1 T21 T22 HK")
    end = settled(SYSTEM, "solorufer", declarer=0, partner=2, called="SK", pile=pile, talon="C7 C8 C9 S7 S8 S9")
    assert end.payoffs == (8, -8, 8, -8)
    assert end.items == ["game", "trull"]


def test_11_kontra_on_a_bettler_holds_for_all():
    end = settled(SYSTEM, "bettler", declarer=3, tricks_won=1, kontra={"game": 2})
    assert end.payoffs == (10, 10, 10, -30)


def test_11_one_opponent_speaks_for_all_three():
    at = start(SYSTEM, {}, "1 pass", "2 pass", "3 bid:bettler", "0 pass", "3 good", "0 good", "1 kontra:game", "1 good")
    assert legal(at) == {"good"}


def test_12_mondfang_and_koenigfang():
    mond = (5, 2, "T21 T7 T22 C7")
    pile = cards_worth(thirds=80, holding="HK DK")  # 27 more in the trick that caught the Mond
    end = settled(SYSTEM, "rufer", declarer=0, partner=2, called="SK", pile=pile, tricks=[mond])
    assert end.payoffs == (0, 0, 0, 0)
    assert end.items == ["game", "mondfang"]
    king = (5, 0, "S7 T9 SK S8")
    end = settled(SYSTEM, "rufer", declarer=0, partner=2, called="SK", pile=cards_worth(thirds=106), tricks=[king])
    assert end.payoffs == (-4, 4, -4, 4)
    assert end.items == ["game", "koenigfang"]
