"""`check_rules`: the nine systems are sound, and every kind of fault is reported in one line."""

from dataclasses import replace

import numpy as np
import pytest

from tarock_env.engine.bits import bit
from tarock_env.rules import SYSTEMS, load_rules, register_rules
from tarock_env.rules.check import check_rules, main
from tarock_env.rules.check_play import Trial
from tarock_env.rules.schema import Announcer, Auction, Bonus, Calls, Difference, FewestPoints, Goal, Kontra, Option, RulesError, Talon

WIENER = load_rules("wiener")


def changed(name, rules=WIENER, **features):
    """The rules with one contract changed."""
    contracts = tuple(replace(c, **features) if c.name == name else c for c in rules.contracts)
    return replace(rules, contracts=contracts)


def without(*names, rules=WIENER):
    return replace(rules, contracts=tuple(c for c in rules.contracts if c.name not in names))


def with_bonus(name, **features):
    return replace(WIENER, bonuses=tuple(replace(b, **features) if b.name == name else b for b in WIENER.bonuses))


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_nine_systems_are_sound_and_every_contract_is_played(system):
    rules = load_rules(system)
    report = check_rules(rules)
    assert (report.faults, report.doubts) == ((), ())
    assert set(report.contracts) == {contract.name for contract in rules.contracts}
    assert min(report.contracts.values()) >= 10
    assert sum(report.contracts.values()) == report.deals


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_value_of_every_option_is_sound(system):
    for option in load_rules(system).options:
        for value in option.values[1:]:
            assert check_rules(load_rules(system, {option.name: value}), deals=40).faults == ()


@pytest.mark.parametrize(
    ("rules", "fault"),
    [
        (changed("dreier", value=2.5), "contract dreier: value is 2.5; write a whole number"),
        (changed("dreier", value=50_000), "contract dreier: value is 50000; it lies between 0 and 10000"),
        (changed("piccolo", tricks=13), "contract piccolo: tricks is 13; it lies between 0 and 12"),
        (changed("farbendreier", minimum_suit=9), "contract farbendreier: minimum_suit is 9; it lies between 0 and 8"),
        (with_bonus("trull", silent=True), "bonus trull: silent is True; write a whole number"),
        (replace(WIENER, difference_rounding="5"), "difference_rounding is '5'; write a whole number"),
        (changed("dreier", solo=1), "contract dreier: solo is 1; write True or False"),
        (changed("dreier", goal=0), "contract dreier: goal is 0; write Goal.POINTS or another Goal"),
        (replace(WIENER, melds={"trull": 2.5}), "meld trull is 2.5; write a whole number"),
        (replace(WIENER, difference_rounding=0), "difference_rounding is 0; it lies between 1 and 35"),
        (
            replace(without("trischaken"), forehand_must_bid=False),
            "all four may pass, but there is no all-against-all contract to be played then",
        ),
        (
            replace(WIENER, contracts=tuple(c if c.calls else replace(c, others_only=True, opening_only=False) for c in WIENER.contracts)),
            "forehand must bid, but there is no contract that any hand may bid there",
        ),
        (
            replace(load_rules("juegatu"), opening_games=True),
            "opening_games has no effect: P0 opens only where the auction is FOREHAND_FIRST",
        ),
        (
            replace(WIENER, auction=Auction.FOREHAND_LAST),
            "contract sechserdreier: can never be played; an opening needs the auction FOREHAND_FIRST",
        ),
        (changed("dreier", forehand_only=True, others_only=True), "contract dreier: can never be played; nobody may bid it"),
        (
            changed("trischaken", bid=False),
            "contract trischaken: can never be played; it is not bid, P0 may not pass, and nothing converts to it",
        ),
        (changed("dreier", bid=False), "contract dreier: can never be played; it is not bid, and nothing converts or is raised to it"),
        (changed("bettler", bonuses=("trull",)), "contract bettler: counts bonuses, but where the goal is tricks none is settled"),
        (
            changed("bettler", calls=Calls.KING),
            "contract bettler: calls a card, but where the goal is tricks everybody plays for himself",
        ),
        (changed("bettler", loss_factor=2), "contract bettler: loss_factor and difference have no effect where the goal is tricks"),
        (
            changed("sechserdreier", difference=Difference.ADDED),
            "contract sechserdreier: loss_factor has no effect beside a difference",
        ),
        (
            changed("trischaken", kontra=Kontra.SIDES),
            "contract trischaken: an all-against-all game has no kontra, no bird and no exchange; its talon is set in all_against_all",
        ),
        (
            changed("dreier", kontra=Kontra.EACH_OPPONENT),
            "contract dreier: kontra by each opponent has an effect only where the goal is tricks",
        ),
        (changed("dreier", may_raise=True), "contract dreier: may_raise needs a contract named colour_slam"),
        (
            changed("solo_without", load_rules("slovenian4"), may_raise=True),
            "contract solo_without: may_raise has no effect: the raise follows an exchange",
        ),
        (
            changed("uhurufer", bonuses=("pagat", "valat")),
            "contract uhurufer: the bid announces uhu, which is not among its bonuses and would never be paid",
        ),
        (changed("rufer", calls=Calls.NOTHING), "contract rufer: counts king_ultimo, but calls no card"),
        (replace(WIENER, bonuses=(*WIENER.bonuses, Bonus(name="sack1", silent=0, announced=2))), "bonus sack1 counts in no contract"),
        (with_bonus("trull", silent=0, announced=0), "bonus trull pays nothing"),
        (
            with_bonus("trull", announcer=Announcer.HOLDER),
            "bonus trull is not about one card, so nobody could announce it as its holder",
        ),
        (replace(WIENER, mond_to_partner=True), "mond_to_partner has no effect without a mond_penalty"),
        (replace(WIENER, seventy=70), "seventy has no effect: the all-against-all game does not pay own points"),
        (
            replace(WIENER, melds={"trull": 5}),
            "melds are counted from the cards played, so no contract with a round of announcements may end before the last trick",
        ),
        (replace(WIENER, options=(Option(name="pot", values=(1, 2), meaning=""),)), "option pot has no effect; add it to OPTION_EFFECTS"),
        (
            replace(load_rules("tiroler"), options=(Option(name="colour_min_scope", values=("a", "b"), meaning=""),)),
            "option colour_min_scope=b changes nothing",
        ),
        (replace(WIENER, options=WIENER.options[:1] * 2), "option sixer_loss_factor is listed twice"),
    ],
)
def test_faulty_data_is_reported_and_not_played(rules, fault):
    report = check_rules(rules)
    assert fault in report.faults
    assert not report.ok
    assert report.deals == 0
    assert all("\n" not in line for line in report.faults)


@pytest.mark.parametrize(
    ("rules", "doubt"),
    [
        (with_bonus("trull", announced=0), "bonus trull is worth less announced (0) than silent (1)"),
        (changed("dreier", value=0), "contract dreier is worth nothing"),
        (changed("dreier", rank=9, value=7), "farbendreier (5) and dreier (7) share rank 9, so neither overbids"),
        (replace(WIENER, title=""), "title and sources are empty; say what the rules are and where they stand"),
    ],
)
def test_what_looks_like_a_slip_is_a_doubt(rules, doubt):
    report = check_rules(rules, deals=20)
    assert report.ok
    assert doubt in report.doubts


def test_payments_that_do_not_add_up_are_found_by_playing():
    three = load_rules("slovenian3")
    places = replace(three, all_against_all=replace(three.all_against_all, scheme=FewestPoints.PLACES), rings=False, options=())
    report = check_rules(changed("all_beggars", places, value=2, ring=False))
    assert any(fault.startswith("contract all_beggars: payoffs do not add up to zero (deal ") for fault in report.faults)


def test_a_state_without_a_legal_action_is_found_and_the_rest_is_played():
    trial = Trial(WIENER, 60, 1)
    trial.batch.deals["legal"][7] = 0
    trial.play()
    assert trial.findings == {"auction: no legal action in phase auction": 7}
    assert sum(trial.contracts.values()) == 59


def test_a_card_in_two_places_is_found():
    trial = Trial(WIENER, 20, 1)
    talon_card = bit(trial.batch.deals["talon"][3, 0])
    trial.batch.deals["hands"][3, 0] |= talon_card
    trial._check_states(np.arange(20))
    assert trial.findings == {"auction: cards are lost or in two places": 3}


def test_the_same_seed_gives_the_same_report():
    assert check_rules(WIENER, deals=50, seed=4) == check_rules(WIENER, deals=50, seed=4)


def test_rules_that_are_not_registered_are_checked_with_the_common_options():
    ours = replace(WIENER, id="ours")
    assert check_rules(ours, deals=20).ok
    pot = Option(name="pot", values=(2, 3), meaning="units in the pot")
    register_rules(replace(ours, options=(pot,)), {"pot": lambda rules, value: changed("trischaken", rules, value=value)})
    assert check_rules(load_rules("ours"), deals=20).ok


def test_the_command_says_what_it_found(capsys, tmp_path):
    assert main(["wiener", "sixer_loss_factor=1"]) == 0
    assert capsys.readouterr().out == "wiener: Wiener Königrufen, version 1; 432 deals in 18 contracts\nnothing found\n"
    broken = tmp_path / "broken.py"
    broken.write_text(
        "from dataclasses import replace\nfrom tarock_env.rules import load_rules\n"
        "RULES = replace(load_rules('wiener'), id='broken', difference_rounding=0)\n"
    )
    assert main([str(broken)]) == 1
    assert "fault: difference_rounding is 0; it lies between 1 and 35\n" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["a=b"], ["wiener", "kontra"], ["nobody"], ["wiener", "sixer_loss_factor=7"]])
def test_the_command_answers_a_mistake_with_one_line(capsys, arguments):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1


def test_goals_and_talons_are_all_known_to_the_checks():
    """A new member needs a look at check_data.py: does every check still say the truth?"""
    assert {goal.name for goal in Goal} == {"POINTS", "TRICKS", "SLAM", "FEWEST_POINTS"}
    assert {talon.name for talon in Talon} == {"UNUSED", "HALVES", "PAIRS", "SINGLES", "ALL_OPEN", "ALL_HIDDEN", "DUTY", "STAGED"}


def test_a_rank_beyond_the_observation_is_refused_at_once() -> None:
    with pytest.raises(RulesError, match="contract dreier: rank is 20, allowed are 0 to 19"):
        replace(load_rules("steirisch").contract("dreier"), rank=20)
