"""Every rule option: what it changes, in a position or a settlement and in a whole recorded deal; nonsense is refused in one line."""

from __future__ import annotations

import pytest

from tarock_env.rules import SYSTEMS, RulesError, load_rules
from tests.oracle.verify import verify_record
from tests.option_deals import course, option_values, read
from tests.positions import (
    bids,
    cards,
    cards_worth,
    everybody_alone,
    go,
    legal,
    position,
    settled,
    start,
    trick_winner,
)

EASTERN = ("steirisch", "kaerntner", "wiener")
CUPS = (*EASTERN, "oberoesterreichisch", "tiroler")
KOENIGRUFEN = ("juegatu", *CUPS)
SLOVENIAN = ("slovenian4", "slovenian3")
PLAIN = "C7 C8 C9 S7 S8 S9"
RECORDS = read()


def values_of(system, option):
    """The default value and the others."""
    return next(o.values for o in load_rules(system).options if o.name == option)


# -- what each option changes -------------------------------------------------------------------------------------------------------


def test_bonus_scale():
    def trull(**options):
        pile = cards_worth(thirds=107, holding="T1 T21 T22 HK")
        return settled("juegatu", "solorufer", declarer=0, partner=2, called="SK", pile=pile, talon=PLAIN, options=options).payoffs

    assert trull() == (8, -8, 8, -8)
    assert trull(bonus_scale=1) == (6, -6, 6, -6)


def test_bonus_scale_moves_the_bids():
    def over_rufer_pagat(**options):
        return bids(start("juegatu", {1: "T1"}, "1 bid:rufer_pagat", options=options))

    assert "bettler" not in over_rufer_pagat()
    assert "bettler" in over_rufer_pagat(bonus_scale=1)


@pytest.mark.parametrize("system", EASTERN)
def test_colour_min_scope(system):
    def may_bid(**options):
        six_suit_cards = "HQ HJ H4 DQ D4 SQ T5 T6 T7 T8 T9 T10"
        return "farbendreier" in bids(start(system, {1: six_suit_cards}, "0 forehand", options=options))

    assert not may_bid()
    assert may_bid(colour_min_scope="any_suit_cards")


@pytest.mark.parametrize(("system", "value"), [("juegatu", 6), *((system, 4) for system in CUPS)])
def test_sixer_loss_factor(system, value):
    default, other = values_of(system, "sixer_loss_factor")
    for factor in (default, other):
        lost = settled(system, "sechserdreier", declarer=0, pile=cards_worth(thirds=106), options={"sixer_loss_factor": factor})
        assert lost.payoffs == (-3 * value * factor, value * factor, value * factor, value * factor)
    assert default == {"juegatu": 2, "kaerntner": 2, "wiener": 2}.get(system, 1)


@pytest.mark.parametrize(
    ("system", "thirds", "exact", "whole"),
    [
        *((system, (40, 62, 63, 45), (2, 2, -6, 2), (3, -3, -3, 3)) for system in EASTERN),
        ("oberoesterreichisch", (40, 62, 63, 45), (1, 1, -3, 1), (2, -2, -2, 2)),
        ("tiroler", (39, 70, 51, 50), (2, -2, -2, 2), (2, -2, 0, 0)),
    ],
)
def test_trischaken_exact(system, thirds, exact, whole):
    assert everybody_alone(system, thirds=thirds).payoffs == exact
    assert everybody_alone(system, thirds=thirds, trischaken_exact=False).payoffs == whole


@pytest.mark.parametrize("system", SYSTEMS)
def test_hard_hold(system):
    default, _ = values_of(system, "hard_hold")

    def held(value):
        return legal(position(system, hand="T1 T9", led="T5", trick=7, announced={"pagat": 0}, hard_hold=value)) == cards("T9")

    assert held(True)
    assert not held(False)
    assert default is (system != "oberoesterreichisch")


@pytest.mark.parametrize("system", CUPS)
def test_silent_bird_loss(system):
    def uhu(**options):
        pile = cards_worth(groups=36)
        return settled(system, "dreier", declarer=1, pile=pile, tricks=[(11, 0, "T9 T2 T8 T7")], options=options)

    assert uhu().items == ["game"]
    beaten = uhu(silent_bird_loss=True)
    assert beaten.item("uhu")["payoffs"] == [2, -6, 2, 2]
    assert beaten.item("uhu")["made"] is False


@pytest.mark.parametrize("system", [*EASTERN, "tiroler"])
def test_valat_scheme(system):
    def valat(**options):
        everything = cards_worth(thirds=204, holding="T1 T21 T22 HK DK SK CK T2 T3 T4", without=PLAIN)
        return settled(system, "dreier", declarer=1, pile=everything, tricks_won=12, talon=PLAIN, options=options)

    assert (valat().payoffs, valat().items) == ((-15, 45, -15, -15), ["game", "valat"])
    replaced = valat(valat_scheme="replace")
    assert (replaced.payoffs, replaced.items) == ((-20, 60, -20, -20), ["valat"])


@pytest.mark.parametrize("system", SYSTEMS)
def test_emperor_trick(system):
    contract = "solo_three" if system in SLOVENIAN else "dreier"
    trick = "T21 T22 T1" if system == "slovenian3" else "T21 T22 T1 T14"
    assert trick_winner(system, contract, trick, emperor_trick=True) == 2
    assert trick_winner(system, contract, trick, emperor_trick=False) == 1
    default, _ = values_of(system, "emperor_trick")
    assert default is (system in ("juegatu", *EASTERN, *SLOVENIAN))


@pytest.mark.parametrize("system", [*KOENIGRUFEN, *SLOVENIAN])
def test_forehand_may_hold(system):
    default, _ = values_of(system, "forehand_may_hold")

    def may_hold(value):
        contract = "beggar" if system in SLOVENIAN else "bettler"
        opening = () if system in ("juegatu", *SLOVENIAN) else ("0 forehand",)
        passes = ("2 pass",) if system == "slovenian3" else ("2 pass", "3 pass")
        at = start(system, {}, *opening, f"1 bid:{contract}", *passes, options={"forehand_may_hold": value})
        assert at.seat == 0
        return contract in bids(at)

    assert may_hold(True)
    assert not may_hold(False)
    assert default is (system in ("oberoesterreichisch", *SLOVENIAN))


def in_announcements(system, **options):
    """After the exchange of a Solo With Three of seat 1; seat 2 is to speak."""
    passes = ("2 pass", "0 pass") if system == "slovenian3" else ("2 pass", "3 pass", "0 pass")
    at = start(system, {1: "H4 H3 H2"}, "1 bid:solo_three", *passes, "1 talon:1", talon="S7 S8 S9", options=options)
    return go(at, "1 discard:S7", "1 discard:S8", "1 discard:S9", "1 good", "1 good")


@pytest.mark.parametrize("system", SLOVENIAN)
def test_kontra(system):
    assert "kontra:game" not in legal(in_announcements(system))
    assert "kontra:game" in legal(in_announcements(system, kontra=True))
    doubled = settled(system, "solo_three", declarer=1, pile=cards_worth(groups=36), kontra={"game": 4}, options={"kontra": True})
    assert doubled.item("game")["kontra"] == 4


@pytest.mark.parametrize("system", SLOVENIAN)
def test_silent_ultimo_loss(system):
    last = (12, 0, "T9 T1 T8 T7") if system == "slovenian4" else (16, 0, "T9 T1 T8")

    def items(**options):
        return settled(system, "solo_one", declarer=1, pile=cards_worth(groups=36), tricks=[last], options=options).items

    assert items() == ["game", "pagat"]
    assert items(silent_ultimo_loss=False) == ["game"]


def test_silent_ultimo_loss_of_the_king():
    def items(**options):
        return settled(
            "slovenian4", "call_one", declarer=1, partner=2, called="SK", pile=cards_worth(groups=36),
            tricks=[(12, 0, "T9 S7 SK S8")], options=options,
        ).items  # fmt: skip

    assert items() == ["game", "king_ultimo"]
    assert items(silent_ultimo_loss=False) == ["game"]


@pytest.mark.parametrize("system", SLOVENIAN)
def test_difference_rounding(system):
    def game(points, **options):
        return settled(system, "solo_two", declarer=1, pile=cards_worth(groups=points), options=options).item("game")["payoffs"][0]

    base = {"slovenian4": 50, "slovenian3": 20}[system]
    assert [game(points) for points in (37, 38, 42, 43)] == [-(base + off) for off in (2, 3, 7, 8)]
    assert [game(points, difference_rounding=5) for points in (37, 38, 42, 43)] == [-(base + off) for off in (0, 5, 5, 10)]
    assert game(31, difference_rounding=5) == base + 5


def test_beggars_seventy():
    assert everybody_alone("slovenian4", groups=(20, 0, 36, 12), trickless=(1,)).payoffs == (-20, 0, -36, -12)
    seventy = everybody_alone("slovenian4", groups=(20, 0, 36, 12), trickless=(1,), beggars_seventy=True)
    assert seventy.payoffs == (0, 70, -70, 0)
    assert everybody_alone("slovenian3", groups=(36, 30, 2), beggars_seventy=True).payoffs == (-70, 0, 0)
    nobody = everybody_alone("slovenian3", groups=(35, 30, 3), beggars_seventy=True)
    assert (nobody.payoffs, nobody.items) == ((0, 0, 0), [])


@pytest.mark.parametrize("system", SLOVENIAN)
def test_mond_penalty(system):
    trick = "T22 T21 T8 T7" if system == "slovenian4" else "T22 T21 T8"

    def mond(**options):
        end = settled(system, "solo_one", declarer=0, pile=cards_worth(groups=36, holding="HK DK"), tricks=[(5, 0, trick)], options=options)
        return end.item("mond")["payoffs"][:2]

    assert mond() == [20, -20]
    assert mond(mond_penalty=21) == [21, -21]


@pytest.mark.parametrize("system", SLOVENIAN)
def test_mond_penalty_to_partner(system):
    trick = "T22 T21 T8 T7" if system == "slovenian4" else "T22 T21 T8"

    def items(**options):
        end = settled(system, "solo_one", declarer=2, pile=cards_worth(groups=36, holding="HK DK"), tricks=[(5, 0, trick)], options=options)
        return end.items

    assert "mond" not in items()
    assert "mond" in items(mond_penalty_to_partner=True)


@pytest.mark.parametrize("system", SLOVENIAN)
@pytest.mark.parametrize("contract", ["colour_slam", "colour_slam_without"])
def test_colour_slam_value(system, contract):
    tricks = load_rules(system).hand_size

    def value(**options):
        return settled(system, contract, declarer=0, tricks_won=tricks, options=options).payoffs[1]

    assert value() == -125
    assert value(colour_slam_value=250) == -250


def test_solo_without():
    assert "solo_without" not in bids(start("slovenian3"))
    assert "solo_without" in bids(start("slovenian3", options={"solo_without": True}))


def test_forehand_second_duty():
    assert "second_duty" not in bids(start("czech19", {0: "T1"}))
    assert "second_duty" in bids(start("czech19", {0: "T1"}, options={"forehand_second_duty": True}))


# -- whole deals --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("system", "option", "value"), option_values())
def test_each_value_changes_a_recorded_deal(system, option, value):
    record = RECORDS[system, option, value]
    under_the_option = course(record, {option: value})
    assert under_the_option[-1] == record["result"]
    assert verify_record(record) == []  # the oracle agrees
    assert course(record, {}) != under_the_option


def test_every_option_of_the_rules_text_is_there():
    """The table of rules text 1.9."""
    common = {"hard_hold", "emperor_trick"}
    cup = common | {"sixer_loss_factor", "trischaken_exact", "silent_bird_loss", "forehand_may_hold"}
    slovenian = common | {
        "forehand_may_hold", "kontra", "silent_ultimo_loss", "difference_rounding", "beggars_seventy", "mond_penalty",
        "mond_penalty_to_partner", "colour_slam_value",
    }  # fmt: skip
    expected = {
        "juegatu": common | {"bonus_scale", "sixer_loss_factor", "forehand_may_hold"},
        **{system: cup | {"colour_min_scope", "valat_scheme"} for system in EASTERN},
        "oberoesterreichisch": cup,
        "tiroler": cup | {"valat_scheme"},
        "slovenian4": slovenian,
        "slovenian3": slovenian | {"solo_without"},
        "czech19": common | {"forehand_second_duty"},
    }
    assert {system: {option.name for option in load_rules(system).options} for system in SYSTEMS} == expected


def test_a_default_given_is_no_choice():
    for system in SYSTEMS:
        defaults = {option.name: option.values[0] for option in load_rules(system).options}
        assert load_rules(system, defaults) == load_rules(system)


# -- nonsense -----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("nonsense", [None, "", "yes", "True", -1, 3, 0.5, 2.0, [], {}, (1,), 10**30])
def test_nonsense_values_are_refused_in_one_line(system, nonsense):
    for option in load_rules(system).options:
        with pytest.raises(RulesError) as refused:
            load_rules(system, {option.name: nonsense})
        line = str(refused.value)
        assert "\n" not in line
        for part in (system, option.name, repr(nonsense), "allowed are"):
            assert part in line


def test_truth_values_and_numbers_are_not_the_same():
    with pytest.raises(RulesError, match="kontra is 1; allowed are false, true"):
        load_rules("slovenian4", {"kontra": 1})
    with pytest.raises(RulesError, match="sixer_loss_factor is True; allowed are 1, 2"):
        load_rules("steirisch", {"sixer_loss_factor": True})


def test_unknown_options_are_refused_with_a_hint():
    with pytest.raises(RulesError, match="rules wiener: unknown option hard_hol; did you mean hard_hold"):
        load_rules("wiener", {"hard_hol": True})
    with pytest.raises(RulesError, match="unknown option bonus_scale"):
        load_rules("wiener", {"bonus_scale": 1})
    with pytest.raises(RulesError, match="unknown rules 'weiner'; did you mean wiener"):
        load_rules("weiner")
