"""Worked examples 6.9 of rules.md, the other rules of 3.6, and random self-play."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from tests.oracle.core import DECK, KINGS, TRULL, groups, winner
from tests.oracle.czech import CzechDeal, callable_tarocks, legal_warsaw
from tests.oracle.czech_score import (
    Played,
    game_amount,
    level_factor,
    meld_values,
    pile,
    score,
    warsaw_items,
    warsaw_payoffs,
)
from tests.oracle.dealing import after, bids, finish, header, random_deal
from tests.oracle.trick import Trick

DUTY = ("bid:first_duty", "pass", "pass", "pass", "pass")


def search(wanted: Callable[[Played, dict[str, Any]], bool], last: str = "", **fields: Any) -> tuple[Played, dict[str, Any]]:
    """A randomly dealt course of tricks whose result is as wanted; the rest is discards of P0.

    last: the cards of the last trick in seat order.
    """
    rng = random.Random(1)
    fixed = last.split()
    fields = {"contract": "first_duty", "declarer": 0, **fields}
    for _ in range(20000):
        cards = [card for card in DECK if card not in fixed]
        rng.shuffle(cards)
        discards = [cards.pop() for _ in range(6)]
        cards += fixed
        tricks = []
        for start in range(0, 48, 4):
            trick = cards[start : start + 4]
            seat = winner(trick, "positive", emperor=False)
            tricks.append(Trick([0, 1, 2, 3], trick, seat))
        played = Played(tricks=tricks, discards={0: discards}, **fields)
        result = score(played)
        if wanted(played, result):
            return played, result
    raise AssertionError("nothing found")


def having(points: int, *names: str) -> Callable[[Played, dict[str, Any]], bool]:
    def wanted(played: Played, result: dict[str, Any]) -> bool:
        return groups(pile(played, played.declarer_side)) == points and sorted(item["item"] for item in result["items"]) == sorted(names)

    return wanted


def payoffs(points: int, side: set[int], *names: str, **fields: Any) -> Any:
    wanted = having(points, *(names or ("game",)))
    return search(wanted, declarer_side=frozenset(side), **fields)[1]["payoffs"]


# -- 6.9 ------------------------------------------------------------------------------------------


def test_6_9_1_auction() -> None:
    deal = after(header("czech19", {0: "T1"}))
    assert deal.legal() == bids("first_duty", "dreier", "solo")
    deal.apply("bid:first_duty")
    assert deal.legal() == bids("dreier", "solo") | {"pass"}
    deal = after(header("czech19", {1: "T1"}), "bid:first_duty")
    assert deal.legal() == bids("second_duty", "dreier", "solo") | {"pass"}
    deal.apply("bid:dreier")
    assert deal.legal() == bids("solo") | {"pass"}
    deal.apply("bid:solo")
    assert (deal.seat, deal.legal()) == (3, {"pass"})
    option = {"forehand_second_duty": True}
    deal = after(header("czech19", {0: "T1"}, options=option))
    assert deal.legal() == bids("first_duty", "second_duty", "dreier", "solo")


def test_warsaw_only_after_first_duty_and_three_passes() -> None:
    deal = after(header("czech19", forehand=2), *DUTY[:4])
    assert (deal.seat, deal.legal()) == (2, {"pass", "bid:warsaw"})
    deal.apply("bid:warsaw")
    assert deal.seat == 2
    assert all(name.startswith("play:") for name in deal.legal())
    opened = after(header("czech19"), "bid:dreier", "pass", "pass", "pass")
    assert opened.legal() == {"take", "expose"}


def test_6_9_2_calls() -> None:
    assert callable_tarocks({"T19", "T18"}) == {"T19", "T17"}
    assert callable_tarocks({"T18", "T17"}) == {"T19"}
    assert callable_tarocks({"T19", "T18", "T17", "T16"}) == {"T19"}
    assert callable_tarocks({"T19", "T17"}) == {"T19", "T18"}
    own = after(header("czech19", {0: "T19 T18", 1: "T17"}), *DUTY)
    assert own.legal() == {"call:T19", "call:T17"}
    own.apply("call:T19")
    assert isinstance(own, CzechDeal)
    assert own.declarer_side() == {0}


def test_6_9_3_the_talon_of_a_duty() -> None:
    record = header("czech19", {1: "T1", 3: "T19"}, talon="S7 S8 S9 C7 C8 C9")
    deal = after(record, "bid:first_duty", "bid:second_duty", "pass", "pass", "call:T19")
    assert [len(hand) for hand in deal.hands] == [12, 16, 13, 13]
    assert deal.hands[1] >= {"S7", "S8", "S9", "C7"}
    assert "C8" in deal.hands[2]
    assert "C9" in deal.hands[3]
    seats = []
    while any(name.startswith("discard:") for name in deal.legal()):
        seats.append(deal.seat)
        deal.apply(min(deal.legal()))
    assert seats == [1, 1, 1, 1, 2, 3]
    assert [len(hand) for hand in deal.hands] == [12, 12, 12, 12]
    assert deal.sides_known_to(0) == {0: "defenders", 1: "declarer"}
    assert deal.sides_known_to(3)[3] == "declarer"


def test_6_9_4_discards_with_two_suit_cards() -> None:
    hand = {0: "HK DK T2 T3 T4 T5 T6 T7 T22 T21 T1 T18", 1: "T19"}
    record = header("czech19", hand, talon="S7 S8 T9 T10")
    deal = after(record, *DUTY, "call:T19")
    restricted = {f"discard:T{number}" for number in (2, 3, 4, 5, 6, 7, 9, 10, 18)}
    assert deal.legal() == {"discard:S7", "discard:S8"} | restricted
    deal.apply("discard:T2")
    deal.apply("discard:T3")
    assert deal.legal() == {"discard:S7", "discard:S8"}


def test_the_called_tarock_is_discarded_by_nobody() -> None:
    hand = {1: "HK DK SK CK T1 T21 T22 T19 T2 T3 T4 T5"}
    record = header("czech19", hand, talon="S7 S8 S9 C7 T6 T7")
    deal = after(record, *DUTY, "call:T19")
    for _ in range(4):
        deal.apply(min(deal.legal()))
    assert deal.seat == 1
    assert deal.legal() == {f"discard:T{number}" for number in (2, 3, 4, 5, 6)}


def test_the_called_tarock_in_the_talon() -> None:
    for talon, partner in (("T19 S7 S8 S9 C7 C8", None), ("S7 S8 S9 C7 C8 T19", 2)):
        deal = after(header("czech19", {0: "C9"}, talon=talon), *DUTY, "call:T19")
        finish(deal, random.Random(0))
        assert deal.result()["partner"] == partner


def test_6_9_5_first_duty() -> None:
    assert payoffs(42, {0, 2}) == [7, -7, 7, -7]
    assert payoffs(30, {0, 2}) == [-5, 5, -5, 5]
    assert payoffs(35, {0, 2}) == [-1, 1, -1, 1]
    assert payoffs(40, {0, 2}, kontra={"game": 2}) == [10, -10, 10, -10]


def test_6_9_6_solo() -> None:
    solo: dict[str, Any] = {"contract": "solo", "declarer": 3}
    assert payoffs(36, {3}, **solo) == [-6, -6, -6, 18]
    assert payoffs(35, {3}, **solo) == [1, 1, 1, -3]
    _, result = search(having(35, "game"), declarer_side=frozenset({3}), **solo)
    assert result["items"][0]["made"] is False


def test_6_9_7_second_duty_loses_its_pagat() -> None:
    side = {"contract": "second_duty", "declarer": 1, "announced": {"pagat": frozenset({1, 3})}}
    got = payoffs(38, {1, 3}, "game", "pagat", last="T5 T1 T6 T7", **side)
    assert got == [17, -17, 17, -17]


def test_6_9_8_silent_pagat_taken_by_the_partner() -> None:
    wanted = having(38, "game", "pagat")
    _, result = search(wanted, declarer_side=frozenset({0, 2}), last="T7 H1 T1 H2")
    pagat = next(item for item in result["items"] if item["item"] == "pagat")
    assert pagat["payoffs"] == [-10, 10, -10, 10]
    assert pagat["made"] is False


def test_6_9_9_melds_count_for_the_side() -> None:
    melds = [(2, "trumps", 10), (0, "honours", 5)]
    played, result = search(having(36, "game", "meld:trumps", "meld:honours"), declarer_side=frozenset({0, 1}), melds=melds)
    game = next(item for item in result["items"] if item["item"] == "game")
    without = [a - b for a, b in zip(result["payoffs"], game["payoffs"], strict=True)]
    assert without == [-5, -5, 5, 5]
    assert played.melds == melds


def test_6_9_10_dreier_with_a_missed_valat() -> None:
    fields = {"contract": "dreier", "level": 1, "announced": {"valat": frozenset({0})}}
    got = payoffs(40, {0}, "game", "valat", **fields)
    assert got == [-405, 135, 135, 135]


def test_6_9_11_the_announced_pagat_is_held() -> None:
    record = header("czech19", {0: "T1 T9 S7 S8", 1: "T2 T3 T4"})
    deal = after(record, "bid:solo", "pass", "pass", "pass", "announce:pagat")
    for _ in range(8):
        deal.apply("good")
    assert "play:T1" not in deal.legal()
    assert deal.seat == 0
    for hand, legal in (("T1 T9 S7", {"play:T9"}), ("T1 S7", {"play:T1"})):
        assert follow_with(hand, hard_hold=True) == legal
    assert follow_with("T1 T9 S7", hard_hold=False) == {"play:T1", "play:T9"}


def follow_with(hand: str, hard_hold: bool) -> set[str]:
    """Legal plays of P1, who announced the Pagat and holds `hand`, after P0 led T22."""
    options = {} if hard_hold else {"hard_hold": False}
    record = header("czech19", {0: "T22 T20", 1: hand}, options=options)
    deal = after(record, "bid:first_duty", "bid:dreier", "pass", "pass", "take")
    while any(name.startswith("discard:") for name in deal.legal()):
        deal.apply(max(deal.legal() - {f"discard:{card}" for card in hand.split()}))
    for name in ("announce:pagat", *["good"] * 8):
        deal.apply(name)
    deal.hands[1] = set(hand.split())
    deal.apply("play:T22")
    assert deal.seat == 1
    return deal.legal()


# -- announcements and kontra -----------------------------------------------------------------------


def test_melds_of_a_hand() -> None:
    def melds(text: str) -> dict[str, int]:
        return meld_values(set(text.split()))

    suits = "H1 H2 H3 H4 D1 D2 D3 D4 S7 S8 S9 C7"
    assert melds(suits) == {"few_trumps": 10}
    assert melds(suits.replace("S7", "T1")) == {"few_trumps": 10}
    assert melds(suits.replace("S7", "T2")) == {"few_trumps": 5}
    assert melds(suits.replace("S7 S8", "T1 T2")) == {"few_trumps": 5}
    assert melds("HK DK SK CK H1 H2 H3 H4 D1 D2 D3 T1") == {"few_trumps": 10, "honours": 10}
    trumps = "T2 T3 T4 T5 T6 T7 T8"
    assert melds(f"{trumps} S7 S8 S9 C7 C8") == {}
    assert melds(f"{trumps} T9 S7 S8 S9 C7") == {"trumps": 5}
    assert melds(f"{trumps} T1 T21 T22 HK S7") == {"trumps": 10, "trull": 5, "honours": 5}


def test_announcements_then_kontra_round() -> None:
    record = header("czech19", {0: "T19 T20", 1: "T1 T21 T22", 2: "T2"})
    deal = after(record, "bid:solo", "pass", "pass", "pass", "good")
    assert deal.seat == 1
    assert {"announce:pagat", "announce:valat", "meld:trull"} <= deal.legal()
    for name in ("announce:pagat", "meld:trull"):
        deal.apply(name)
    assert deal.legal().isdisjoint({"announce:pagat", "meld:trull"})
    for name in ("announce:valat", "good", "good", "good"):
        deal.apply(name)
    assert deal.seat == 1, "the kontra round starts after the declarer"
    assert deal.legal() == {"kontra:game", "good"}
    for name in ("good", "kontra:game", "good", "good"):
        deal.apply(name)
    assert deal.seat == 0
    assert deal.legal() == {"kontra:game", "kontra:pagat", "kontra:valat", "good"}
    for name in ("kontra:game", "kontra:pagat", "good", "kontra:game", "kontra:pagat", "good"):
        deal.apply(name)
    assert deal.seat == 2
    assert deal.legal() == {"good"}
    for _ in range(3):
        deal.apply("good")
    assert deal.seat == 1
    deal.apply("good")
    assert deal.seat == 0
    assert all(name.startswith("play:") for name in deal.legal())
    finish(deal, random.Random(0))
    factors = {item["item"]: item["kontra"] for item in deal.result()["items"]}
    assert factors == {"game": 8, "pagat": 4, "valat": 1, "meld:trull": 1}


def test_second_duty_has_announced_its_pagat() -> None:
    record = header("czech19", {1: "T1", 0: "T19"})
    deal = after(record, "bid:first_duty", "bid:second_duty", "pass", "pass", "call:T19")
    while any(name.startswith("discard:") for name in deal.legal()):
        deal.apply(min(deal.legal()))
    assert deal.seat == 1
    assert "announce:pagat" not in deal.legal()
    for _ in range(4):
        deal.apply("good")
    assert deal.seat == 2
    assert deal.legal() == {"kontra:game", "kontra:pagat", "good"}
    finish(deal, random.Random(0))
    assert any(i["item"] == "pagat" and i["announced"] for i in deal.result()["items"])


# -- talon of the Dreier, levels ----------------------------------------------------------------------


def test_dreier_levels() -> None:
    talon = "S7 S8 S9 C7 C8 C9"
    record = header("czech19", {0: "H1 H2 H3"}, talon=talon)
    opening = ("bid:dreier", "pass", "pass", "pass")
    for choice, level, got in (
        (("take",), 1, "S7 S8 S9"),
        (("expose", "take"), 2, "C7 C8 C9"),
        (("expose", "return"), 3, "S7 S8 S9"),
    ):
        deal = after(record, *opening, *choice)
        assert deal.hands[0] >= set(got.split())
        finish(deal, random.Random(0))
        assert isinstance(deal, CzechDeal)
        assert deal.result()["level"] == level
        assert set(deal.unused) == set(talon.split()) - set(got.split())
    assert [level_factor("dreier", level) for level in (1, 2, 3)] == [1, 2, 3]
    assert game_amount(35, 3) == -1
    assert game_amount(30, 3) == -15


# -- Warsaw ---------------------------------------------------------------------------------------------


def warsaw(hand: str, trick: str = "") -> set[str]:
    return legal_warsaw(set(hand.split()), trick.split())


def test_warsaw_legal_cards() -> None:
    assert warsaw("T1 T21 T5 S7") == {"T5", "S7"}
    assert warsaw("T1 T21 S7") == {"T21", "S7"}
    assert warsaw("T1 S7") == {"T1", "S7"}
    assert warsaw("T21 T22 S7") == {"T22", "S7"}
    assert warsaw("T21 T5 S7", "T22") == {"T5"}
    assert warsaw("T21 T1 S7", "T22") == {"T21"}
    assert warsaw("T21 T5", "T9") == {"T21"}, "must beat"
    assert warsaw("T1 T5 S8", "T9") == {"T5"}
    assert warsaw("T1 S8", "T9") == {"T1"}
    assert warsaw("T21 T5 S8", "H4 T22") == {"T5"}


def test_warsaw_payments() -> None:
    assert warsaw_payoffs([20, 29, 15, 10], []) == [10, -30, 10, 10]
    assert warsaw_payoffs([20, 30, 15, 9], []) == [20, -60, 20, 20]
    assert warsaw_payoffs([40, 0, 20, 10], [1]) == [-160, 80, 40, 40]
    assert warsaw_payoffs([25, 25, 10, 10], []) == [-10, -10, 10, 10]
    assert warsaw_payoffs([35, 35, 0, 2], [2]) == [-30, -30, 40, 20]
    third = Fraction(10, 3)
    assert warsaw_payoffs([23, 23, 23, 3], []) == [-third, -third, -third, 10]
    assert warsaw_payoffs([18, 18, 18, 18], []) == [0, 0, 0, 0]


def test_warsaw_record_has_fractions_as_strings() -> None:
    rng = random.Random(0)
    while True:
        cards = rng.sample(DECK, 54)
        tricks = [Trick([0, 1, 2, 3], cards[4 * n : 4 * n + 4], rng.randrange(4)) for n in range(12)]
        played = Played("warsaw", tricks, talon=cards[48:])
        payoffs = score(played)["payoffs"]
        if any(isinstance(number, str) for number in payoffs):
            break
    assert sum(map(Fraction, payoffs)) == 0
    assert warsaw_items(played)[0]["made"] is None


def test_warsaw_talon_cards_go_to_the_first_six_tricks() -> None:
    deal = after(header("czech19"), *DUTY[:4], "bid:warsaw")
    finish(deal, random.Random(3))
    assert isinstance(deal, CzechDeal)
    points = []
    for seat in range(4):
        cards = []
        for number, trick in enumerate(deal.tricks, start=1):
            if trick.winner == seat:
                cards += trick.cards + ([deal.talon[number - 1]] if number <= 6 else [])
        points.append(groups(cards))
    trickless = [seat for seat in range(4) if points[seat] == 0]
    assert deal.result()["payoffs"] == warsaw_payoffs(points, trickless)
    assert deal.result()["declarer"] is None


# -- random self-play -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [{}, {"forehand_second_duty": True, "hard_hold": False}, {"emperor_trick": True}],
    ids=lambda options: "-".join(options) or "default",
)
def test_random_deals(options: dict[str, Any]) -> None:
    rng = random.Random(11)
    contracts, items = set(), set()
    for seed in range(250):
        deal = random_deal(header("czech19", seed=seed, forehand=seed % 4, options=options), rng)
        assert isinstance(deal, CzechDeal)
        result = deal.result()
        contracts.add(result["contract"])
        items |= {item["item"] for item in result["items"]}
        check_deal(deal, result)
    assert contracts == {"first_duty", "second_duty", "dreier", "solo", "warsaw"}
    assert {"game", "pagat", "valat", "meld:trumps", "meld:few_trumps", "meld:honours"} <= items


def check_deal(deal: CzechDeal, result: dict[str, Any]) -> None:
    in_tricks = [card for trick in deal.tricks for card in trick.cards]
    discards = [card for cards in deal.discards.values() for card in cards]
    assert sorted(in_tricks + discards + deal.unused) == sorted(DECK)
    assert not set(discards) & (KINGS | TRULL | {deal.called})
    assert sum(map(Fraction, result["payoffs"])) == 0
    totals = [sum(Fraction(item["payoffs"][seat]) for item in result["items"]) for seat in range(4)]
    assert totals == [Fraction(number) for number in result["payoffs"]]
    assert ("level" in result) == (result["contract"] == "dreier")
    if result["contract"] != "warsaw":
        played = deal.played()
        ours, theirs = (pile(played, side) for side in played.sides)
        assert groups(ours) + groups(theirs) == 70
