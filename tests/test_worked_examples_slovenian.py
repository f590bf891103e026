"""The worked examples of the rules text for the Slovenian systems (6.7, 6.8), on the engine."""

from __future__ import annotations

import pytest

from tarock_env.actions import CONTRACTS
from tarock_env.cards import CARD_NAMES
from tarock_env.engine.state import SIXTHS
from tarock_env.match import forces_all_against_all, ring_settlement
from tarock_env.rules import load_rules
from tests.positions import (
    bids,
    cards,
    cards_worth,
    everybody_alone,
    go,
    groups_of,
    legal,
    settled,
    start,
    trick_winner,
)  # fmt: skip

S4, S3 = "slovenian4", "slovenian3"
ORDINARY = {
    "call_two", "call_one", "solo_three", "solo_two", "solo_one", "beggar", "solo_without", "beggar_exposed", "colour_slam_without",
    "slam_without",
}  # fmt: skip
FROM_SOLO_THREE = ORDINARY - {"call_two", "call_one"}


# -- 6.7 slovenian4 -----------------------------------------------------------------------------------------------------------------


def test_slovenian4_1_counting_in_groups():
    assert groups_of(cards("T22 HK DQ T5 T6 S7 C8")) == 13  # 5 5 4 1 1 1 1
    assert groups_of(cards("T1 HN")) == 7
    assert groups_of(cards("C7")) == 0


def test_slovenian4_2_overbidding_and_the_forehands_hold():
    at = start(S4, {}, "1 bid:call_one")
    assert "pass" in legal(at)
    assert bids(at) == FROM_SOLO_THREE
    go(at, "2 pass", "3 pass")
    assert "pass" in legal(at)
    assert bids(at) == FROM_SOLO_THREE | {"call_one"}
    go(at, "0 bid:call_one")  # held; P1 may go higher
    assert at.seat == 1
    assert bids(at) == FROM_SOLO_THREE


def test_slovenian4_3_the_forehand_must_choose_where_all_others_passed():
    at = start(S4, {}, "1 pass", "2 pass", "3 pass")
    assert "pass" not in legal(at)
    assert bids(at) == ORDINARY | {"all_beggars", "call_three"}


@pytest.mark.parametrize(("points", "payoffs"), [(45, (-30, 30, -30, 30)), (30, (25, -25, 25, -25)), (35, (20, -20, 20, -20))])
def test_slovenian4_4_call_with_two(points, payoffs):
    end = settled(S4, "call_two", declarer=1, partner=3, called="SK", pile=cards_worth(groups=points, holding="HK DK T22"))
    assert end.payoffs == payoffs
    assert end.items == ["game"]


def test_slovenian4_5_solo_with_one():
    assert settled(S4, "solo_one", declarer=2, pile=cards_worth(groups=36)).payoffs == (-61, -61, 183, -61)


def test_slovenian4_6_a_beggar_gives_everyone_a_ring():
    end = settled(S4, "beggar", declarer=3, tricks_won=0)
    assert end.payoffs == (-70, -70, -70, 210)
    assert end.rings == (1, 1, 1, 1)


def test_slovenian4_7_all_beggars_costs_the_own_points():
    end = everybody_alone(S4, groups=(20, 0, 35, 13), trickless=(1,))
    assert end.payoffs == (-20, 0, -35, -13)
    assert end.rings == (1, 1, 1, 1)


def test_slovenian4_8_the_mond_penalty():
    def end(trick):
        return settled(S4, "solo_one", declarer=0, pile=cards_worth(groups=36, holding="HK DK"), tricks=[trick])

    caught = end((5, 1, "T21 T7 C7 T22"))
    assert caught.item("mond")["payoffs"] == [20, -20, 0, 0]
    assert "mond" not in end((5, 1, "T21 T22 C7 T7")).items  # taken by the fellow defender
    assert trick_winner(S4, "solo_one", "T21 T22 T1 C7") == 2


def test_slovenian4_9_open_rings_are_paid_at_the_end():
    assert ring_settlement(load_rules(S4), [2, 0, 1, 0]) == [units * SIXTHS for units in (-500, 300, -100, 300)]


def test_slovenian4_10_zero_and_multiples_of_500_set_all_beggars():
    assert forces_all_against_all(load_rules(S4), [total * SIXTHS for total in (500, -120, -380, 0)])
    assert not forces_all_against_all(load_rules(S4), [total * SIXTHS for total in (501, -120, -380, -1)])


def test_slovenian4_11_no_tarock_is_discarded_while_suit_cards_suffice():
    hand = "H4 S9 C9 DK T9 T10 T11 T12 T13 T14 T15 T16"
    at = start(S4, {0: hand}, "1 pass", "2 pass", "3 pass", "0 bid:solo_three", "0 talon:1", talon="H3 S8 T6")
    assert legal(at) == cards("H3 S8 H4 S9 C9")
    go(at, "0 discard:H3", "0 discard:S8")
    assert "T6" not in legal(at)


def test_slovenian4_12_a_silent_pagat_beaten_in_the_last_trick_costs_25():
    end = settled(S4, "call_two", declarer=1, partner=2, called="SK", pile=cards_worth(thirds=3 * 38 - 16), tricks=[(12, 1, "T9 T8 T1 C7")])
    assert end.payoffs == (-48, 48, 48, -48)
    assert end.items == ["game", "pagat"]


def test_slovenian4_an_open_ring_doubles_and_a_won_bid_cancels_it():
    end = settled(S4, "beggar", declarer=3, tricks_won=0, rings=(0, 0, 0, 2))
    assert end.payoffs == (-140, -140, -140, 420)
    assert end.rings == (1, 1, 1, 2)
    end = settled(S4, "solo_one", declarer=2, pile=cards_worth(groups=35), rings=(0, 0, 1, 0))
    assert end.payoffs == (120, 120, -360, 120)
    assert end.rings == (0, 0, 1, 0)


# -- 6.8 slovenian3 -----------------------------------------------------------------------------------------------------------------


def test_slovenian3_1_bids_above_solo_with_one():
    at = start(S3, {}, "1 bid:solo_one")
    assert bids(at) == {"beggar", "beggar_exposed", "colour_slam_without", "slam_without"}


def test_slovenian3_2_all_pass_sets_all_beggars():
    at = start(S3, {}, "1 pass", "2 pass", "0 pass")
    assert CONTRACTS[at.deal.contract] == "all_beggars"
    assert legal(at) <= set(CARD_NAMES)  # cards are played at once


def test_slovenian3_3_solo_with_three():
    assert settled(S3, "solo_three", declarer=1, pile=cards_worth(groups=39)).payoffs == (-14, 28, -14)


def test_slovenian3_4_a_lost_solo_with_two():
    assert settled(S3, "solo_two", declarer=0, pile=cards_worth(groups=30)).payoffs == (-50, 25, 25)


def test_slovenian3_5_beggars_and_their_rings():
    end = settled(S3, "beggar_exposed", declarer=2, tricks_won=0)
    assert (end.payoffs, end.rings) == ((-90, -90, 180), (1, 1, 1))
    end = settled(S3, "beggar", declarer=1, tricks_won=1)
    assert (end.payoffs, end.rings) == ((70, -140, 70), (1, 1, 1))


def test_slovenian3_6_raised_to_a_colour_slam():
    at = start(S3, {0: "H4 H3 H2"}, "1 pass", "2 pass", "0 bid:solo_three", "0 talon:1", talon="S7 S8 S9")
    go(at, "0 discard:S7", "0 discard:S8", "0 discard:S9")
    assert legal(at) == {"good", "raise:colour_slam"}
    go(at, "0 raise:colour_slam")
    assert at.seat == 0  # he leads, without announcements
    assert settled(S3, "colour_slam", declarer=0, tricks_won=16).payoffs == (250, -125, -125)


def test_slovenian3_7_35_points_lose_the_base():
    assert settled(S3, "solo_two", declarer=2, pile=cards_worth(groups=35)).payoffs == (20, 20, -40)
