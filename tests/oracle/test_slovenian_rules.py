"""Rules of 3.4, 3.5, 1.8.11 without a worked example, the options, and random self-play."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.oracle.core import DECK, KINGS, TRULL, groups, winner
from tests.oracle.courses import contract, item_names, points_and_game_only, search
from tests.oracle.dealing import after, finish, header, random_deal
from tests.oracle.slovenian import OPTIONS, SlovenianDeal, legal_cards, legal_negative
from tests.oracle.slovenian_score import Played, game_amount, piles, score
from tests.oracle.trick import Trick

# -- bonuses, rings, slams ------------------------------------------------------------------------


def bonus(result: dict[str, Any], name: str) -> list[Any]:
    return [i["payoffs"] for i in result["items"] if i["item"] == name]


def test_king_ultimo() -> None:
    what = contract("call_one")

    def king(last: str, announced: frozenset[int] | None = None) -> list[Any]:
        fields: dict[str, Any] = {"announced": {"king_ultimo": announced}} if announced else {}
        found = search(what, {0, 2}, lambda _, r: "valat" not in item_names(r), last=last, called_king="HK", **fields)
        return bonus(found[1], "king_ultimo")

    assert king("H2 H3 HK H4") == [[10, -10, 10, -10]]
    assert king("T2 H3 HK H4") == [], "the partner took it"
    assert king("H2 H3 HK T4") == [[-10, 10, -10, 10]]
    side = frozenset({0, 2})
    assert king("T2 H3 HK H4", side) == [[-20, 20, -20, 20]]
    assert king("H2 H3 HK H4", side) == [[20, -20, 20, -20]]
    assert king("HQ HN HJ H4", side) == [[-20, 20, -20, 20]]


def test_ring_doubles_and_is_cancelled_by_a_won_bid() -> None:
    what = contract("solo_two")
    for points, payoff, rings in ((40, 55, [1, 0, 1, 0]), (30, -55, [2, 0, 1, 0])):
        _, result = search(what, {0}, points_and_game_only(points), rings=[2, 0, 1, 0])
        assert result["payoffs"][0] == 3 * 2 * payoff
        assert result["rings"] == rings
    _, result = search(what, {1}, points_and_game_only(40), rings=[2, 0, 1, 0])
    assert result["payoffs"] == [-55, 165, -55, -55], "only the declarer's ring matters"


def slam_result(takers: int, announced_by: set[int] | None, **fields: Any) -> dict[str, Any]:
    """Solo With Three by P0; `takers` wins the only trick given (missed) or all twelve."""
    rest = [card for card in DECK if card not in TRULL | KINGS]
    tricks = [Trick([0, 1, 2, 3], rest[4 * n : 4 * n + 4], takers) for n in range(fields.pop("num_tricks", 12))]
    announced = {"valat": frozenset(announced_by)} if announced_by else {}
    played = Played(
        contract=contract("solo_three"),
        num_seats=4,
        options=OPTIONS,
        tricks=tricks,
        declarer=0,
        declarer_side=frozenset({0}),
        announced=announced,
        rings=[1, 0, 0, 0],
    )
    return score(played)


def test_slam_alone_scores_and_decides_the_ring() -> None:
    silent = slam_result(takers=0, announced_by=None)
    assert item_names(silent) == ["valat"]
    assert silent["payoffs"] == [1500, -500, -500, -500]
    assert silent["rings"] == [1, 1, 1, 1], "cancelled, and a new one for all"
    missed = slam_result(takers=1, announced_by={0}, num_tricks=1)
    assert missed["payoffs"] == [-3000, 1000, 1000, 1000]
    assert missed["rings"] == [2, 1, 1, 1]
    defenders = slam_result(takers=0, announced_by={1, 2, 3}, num_tricks=1)
    assert defenders["payoffs"] == [3000, -1000, -1000, -1000]
    assert defenders["rings"] == [1, 1, 1, 1]


def test_slam_by_the_defenders_loses_the_bid() -> None:
    result = slam_result(takers=2, announced_by=None)
    # All tricks by P2 alone are all tricks of the defenders.
    assert result["payoffs"] == [-1500, 500, 500, 500]
    assert result["rings"] == [2, 1, 1, 1]


def test_announced_slam_ends_at_the_first_lost_trick() -> None:
    record = header("slovenian4", {0: "T2", 1: "T22"})
    deal = after(record, "pass", "pass", "pass", "bid:solo_one", "talon:1")
    deal.apply(min(deal.legal()))
    for name in ("good", "announce:valat", "good", "good", "good", "good", "play:T2", "play:T22"):
        deal.apply(name)
    finish(deal, random.Random(0))
    assert sum(name.startswith("play:") for _, name in deal.history) == 4
    assert deal.result()["payoffs"] == [-1500, 500, 500, 500]


def test_stock_goes_to_the_declarer_whose_called_king_wins() -> None:
    what = contract("call_three")
    king = Trick([0, 1, 2, 3], ["HK", "H1", "H2", "H3"], 0)
    lost = Trick([0, 1, 2, 3], ["HK", "T5", "H2", "H3"], 1)
    for trick, ours in ((king, True), (lost, False)):
        played = Played(
            contract=what,
            num_seats=4,
            options=OPTIONS,
            tricks=[trick],
            declarer=0,
            declarer_side=frozenset({0}),
            stock=["S7", "S8", "S9"],
            called_king="HK",
            king_from_stock=True,
        )
        assert ("S7" in piles(played)[0]) == ours
        assert ("S7" in piles(played)[1]) != ours


def test_difference_rounding() -> None:
    solo = contract("solo_three")
    assert [game_amount(solo, points, 5) for points in (36, 37, 38, 42, 43)] == [40, 40, 45, 45, 50]
    assert [game_amount(solo, points, 5) for points in (35, 33, 32)] == [-40, -40, -45]
    assert game_amount(contract("solo_without"), 50, 5) == 80


# -- calls, announcements, locks ------------------------------------------------------------------


def test_calls() -> None:
    deal = after(header("slovenian4", {1: "HK DK SK", 2: "CK"}), "bid:call_two", "pass", "pass", "pass")
    assert deal.legal() == {f"call:{card}" for card in (*KINGS, "fourth")}
    deal.apply("call:fourth")
    assert isinstance(deal, SlovenianDeal)
    assert (deal.called_king, deal.partner) == ("CK", 2)
    assert deal.legal() == {"talon:1", "talon:2", "talon:3"}
    assert deal.sides_known_to(2) == {0: "defenders", 1: "declarer", 2: "declarer", 3: "defenders"}
    assert deal.sides_known_to(0) == {0: "defenders", 1: "declarer"}
    four = header("slovenian4", {1: "HK DK SK CK"})
    assert after(four, "bid:call_two", "pass", "pass", "pass").legal() == {f"call:{card}" for card in KINGS}


def announcing(rules: str = "slovenian4", **fields: Any) -> Any:
    """P0 plays Solo With One, holds T1 and is about to announce."""
    record = header(rules, {0: "T1 T2 S7", 1: "T3"}, **fields)
    passes = ["pass"] * (3 if rules == "slovenian4" else 2)
    deal = after(record, *passes, "bid:solo_one", "talon:1")
    deal.apply("discard:S7")
    deal.apply("good")
    return deal


def test_announcements_one_turn_each_one_side_a_bonus() -> None:
    deal = announcing()
    assert deal.legal() == {
        "good",
        "announce:pagat",
        "announce:trull",
        "announce:four_kings",
        "announce:valat",
    }
    deal.apply("announce:pagat")
    deal.apply("announce:trull")
    deal.apply("good")
    assert deal.seat == 1
    assert deal.legal() == {"good", "announce:four_kings", "announce:valat"}
    for _ in range(3):
        deal.apply("good")
    assert deal.seat == 0
    assert "play:T1" not in deal.legal(), "held for the last trick"
    assert "play:T2" in deal.legal()
    soft = announcing(options={"hard_hold": False})
    for name in ("announce:pagat", "good", "good", "good", "good"):
        soft.apply(name)
    assert "play:T1" in soft.legal()


def test_raise_to_colour_slam_has_no_announcements() -> None:
    for rules, value in (("slovenian4", 125), ("slovenian3", 250)):
        record = header(rules, {0: "T2 S7", 1: "T3"}, options={"colour_slam_value": value} if value != 125 else {})
        passes = ["pass"] * (3 if rules == "slovenian4" else 2)
        deal = after(record, *passes, "bid:solo_one", "talon:1", "discard:S7", "raise:colour_slam")
        assert deal.legal() == {f"play:{card}" for card in deal.hands[0]}, "tarocks may be led"
        finish(deal, random.Random(1))
        result = deal.result()
        assert result["contract"] == "colour_slam"
        assert abs(result["payoffs"][1]) == value
        assert result["rings"] == [1] * deal.num_seats


def test_kontra_option_makes_the_round_repeat() -> None:
    deal = announcing(options={"kontra": True})
    for name in ("announce:pagat", "good", "kontra:game", "kontra:pagat"):
        deal.apply(name)
    assert not any(name.startswith("kontra") for name in deal.legal())
    for name in ("good", "good", "good"):
        deal.apply(name)
    assert deal.seat == 0
    assert {"kontra:game", "kontra:pagat"} <= deal.legal()
    deal.apply("kontra:game")
    for name in ("good", "kontra:game", "good", "good", "good", "good"):
        deal.apply(name)
    assert deal.legal() <= {f"play:{card}" for card in deal.hands[0]}
    finish(deal, random.Random(0))
    factors = {item["item"]: item["kontra"] for item in deal.result()["items"]}
    assert factors["game"] == 8
    assert factors["pagat"] == 2


# -- legal cards ----------------------------------------------------------------------------------


def negative(hand: str, trick: str = "") -> set[str]:
    return legal_negative(set(hand.split()), trick.split(), emperor=True)


def test_negative_games() -> None:
    assert negative("T1 T5 S7") == {"T5", "S7"}
    assert negative("T1 S7") == {"S7"}, "T1 is led only as the last card"
    assert negative("T1") == {"T1"}
    assert negative("T1 T5 S8", "T9") == {"T5"}
    assert negative("T1 S8", "T9") == {"T1"}
    assert negative("H1 HJ S7", "H2") == {"H1", "HJ"}
    assert negative("T1 T5 S8", "T21 T22") == {"T1"}, "Emperor trick"
    assert negative("T22 T5", "T1 T21") == {"T22", "T5"}, "T22 would not win"
    assert negative("T1 T5", "H1 T21 T22") == {"T1"}
    assert legal_negative({"T1", "T5"}, ["T21", "T22"], emperor=False) == {"T5"}


def test_colour_slam_tarocks_do_not_beat() -> None:
    assert legal_cards({"T3", "S7"}, ["H4"], "colour", True) == {"T3"}, "void: still a tarock"
    assert winner(["H4", "T21", "T22", "T1"], "colour", emperor=True) == 0
    assert winner(["T21", "T22", "T1"], "colour", emperor=True) == 2


# -- random self-play -----------------------------------------------------------------------------

OPTION_SETS = [
    {},
    {"kontra": True, "hard_hold": False},
    {"forehand_may_hold": False, "mond_penalty": 21, "mond_penalty_to_partner": True},
    {"beggars_seventy": True, "difference_rounding": 5, "colour_slam_value": 250},
    {"emperor_trick": False, "silent_ultimo_loss": False},
]


@pytest.mark.parametrize("rules", ["slovenian4", "slovenian3"])
@pytest.mark.parametrize("options", OPTION_SETS, ids=lambda options: "-".join(options) or "default")
def test_random_deals(rules: str, options: dict[str, Any]) -> None:
    rng = random.Random(7)
    contracts = set()
    for seed in range(120):
        num_seats = 4 if rules == "slovenian4" else 3
        rings = [rng.randrange(3) for _ in range(num_seats)]
        record = header(rules, seed=seed, forehand=seed % num_seats, options=options)
        record["match"] = {"totals": [7] * num_seats, "rings": rings}
        if seed % 12 == 0:
            record["forced"] = "all_beggars"
        deal = random_deal(record, rng)
        assert isinstance(deal, SlovenianDeal)
        result = deal.result()
        contracts.add(result["contract"])
        check_deal(deal, result)
    assert len(contracts) >= 8


def check_deal(deal: SlovenianDeal, result: dict[str, Any]) -> None:
    in_tricks = [card for trick in deal.tricks for card in trick.cards]
    left = [card for hand in deal.hands for card in hand]
    assert sorted(in_tricks + left + deal.discards + deal.stock) == sorted(DECK)
    assert not (set(deal.discards) & (KINGS | TRULL))
    sums = [sum(item["payoffs"][seat] for item in result["items"]) for seat in range(deal.num_seats)]
    assert sums == result["payoffs"]
    if result["contract"] == "all_beggars":
        assert result["declarer"] is None
        return
    assert sum(result["payoffs"]) == 0
    ours, theirs = piles(deal.played())
    if not left:
        assert groups(ours) + groups(theirs) == 70
        assert sorted(ours + theirs) == sorted(DECK)
    names = [item["item"] for item in result["items"]]
    assert len(names) == len(set(names))
    if left or "valat" in names:
        assert names in (["game"], ["valat"])
