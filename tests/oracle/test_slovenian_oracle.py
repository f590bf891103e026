"""Worked examples 6.7 and 6.8 of rules.md on the oracle, and the match around deals."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.oracle import new_deal
from tests.oracle.core import DECK, groups, winner
from tests.oracle.courses import S3_OPTIONS, contract, item_names, points_and_game_only, search
from tests.oracle.dealing import after, bids, finish, header
from tests.oracle.slovenian import OPTIONS, SlovenianDeal
from tests.oracle.slovenian_contracts import ALL_BEGGARS, bid_list
from tests.oracle.slovenian_match import (
    calls_for_beggars,
    final_totals,
    next_deal,
    redeal,
    ring_settlement,
    thrown_in,
)
from tests.oracle.slovenian_score import Played, piles, score
from tests.oracle.trick import Trick


def settled(name: str, points: int, side: set[int], rules: str = "slovenian4", **fields: Any) -> Any:
    num_seats = 4 if rules == "slovenian4" else 3
    what = contract(name, rules)
    return search(what, side, points_and_game_only(points), num_seats, **fields)[1]["payoffs"]


# -- 6.7 ----------------------------------------------------------------------------------------


def test_6_7_1_counting_in_groups() -> None:
    assert groups(["HK", "DK", "HQ", "T2", "T3", "S7", "C7"]) == 13
    assert groups(["HK", "HN"]) == 7
    assert groups(["S7"]) == 0


def test_6_7_2_auction_and_hold() -> None:
    above = ["solo_three", "solo_two", "solo_one", "beggar", "solo_without", "beggar_exposed"]
    above += ["colour_slam_without", "slam_without"]
    deal = after(header("slovenian4"), "bid:call_one")
    assert deal.seat == 2
    assert deal.legal() == bids(*above) | {"pass"}
    deal = after(header("slovenian4"), "bid:call_one", "pass", "pass")
    assert deal.seat == 0
    assert deal.legal() == bids("call_one", *above) | {"pass"}
    deal.apply("bid:call_one")
    assert deal.seat == 1, "the ousted player may go higher"
    assert deal.legal() == bids(*above) | {"pass"}
    deal.apply("bid:solo_three")
    assert deal.seat == 0
    assert "bid:solo_three" in deal.legal()


def test_6_7_3_the_forehand_must_choose() -> None:
    deal = after(header("slovenian4"), "pass", "pass", "pass")
    names = [one.name for one in bid_list("slovenian4", OPTIONS)]
    assert deal.seat == 0
    assert deal.legal() == bids("all_beggars", "call_three", *names)


def test_nobody_but_the_forehand_holds() -> None:
    deal = after(header("slovenian4", forehand=2), "bid:call_two", "bid:call_one", "pass", "pass")
    assert deal.seat == 3
    assert "bid:call_one" not in deal.legal()
    option = {"forehand_may_hold": False}
    deal = after(header("slovenian4", options=option), "bid:call_two", "pass", "pass")
    assert deal.legal().isdisjoint({"bid:call_two", "bid:call_three"})


def test_6_7_4_call_with_two() -> None:
    assert settled("call_two", 45, {1, 3}) == [-30, 30, -30, 30]
    assert settled("call_two", 30, {1, 3}) == [25, -25, 25, -25]
    assert settled("call_two", 35, {1, 3}) == [20, -20, 20, -20]


def test_6_7_5_solo_with_one() -> None:
    assert settled("solo_one", 36, {2}) == [-61, -61, 183, -61]


BEGGAR_HAND = "H4 H3 H2 H1 D4 D3 D2 D1 S7 S8 C7 T2"


def test_6_7_6_beggar_won_then_a_ring_for_everyone() -> None:
    record = header("slovenian4", {3: BEGGAR_HAND, 0: "T3 T4 T5"})
    rng = random.Random(2)
    for _ in range(200):
        deal = after(record, "pass", "pass", "bid:beggar", "pass")
        assert deal.seat == 3, "the declarer leads"
        finish(deal, rng)
        if deal.result()["payoffs"] == [-70, -70, -70, 210]:
            break
    assert deal.result()["payoffs"] == [-70, -70, -70, 210]
    assert deal.result()["rings"] == [1, 1, 1, 1]
    assert deal.result()["items"][0]["made"] is True


def test_beggar_ends_at_the_declarers_first_trick() -> None:
    deal = after(header("slovenian4", {1: "T22"}), "bid:beggar", "pass", "pass", "pass", "play:T22")
    finish(deal, random.Random(0))
    played = [name for _, name in deal.history if name.startswith("play:")]
    assert len(played) == 4
    assert deal.result()["payoffs"] == [70, -210, 70, 70]


def test_6_7_7_all_beggars() -> None:
    deal = new_deal(header("slovenian4", forced="all_beggars"))
    assert deal.seat == 0
    finish(deal, random.Random(5))
    assert isinstance(deal, SlovenianDeal)
    for seat, payoff in enumerate(deal.result()["payoffs"]):
        pile = [card for trick in deal.tricks if trick.winner == seat for card in trick.cards]
        assert payoff == -groups(pile)
    assert deal.result()["rings"] == [1, 1, 1, 1]
    assert deal.result()["declarer"] is None
    assert deal.result()["items"][0]["made"] is None


def test_beggars_seventy() -> None:
    option = {"beggars_seventy": True}
    _, result = search(ALL_BEGGARS, set(), lambda _, r: -70 in r["payoffs"] and 70 in r["payoffs"], options=option)
    assert set(result["payoffs"]) <= {70, -70, 0}
    _, result = search(ALL_BEGGARS, set(), lambda _, r: not any(r["payoffs"]), options=option)
    assert result["items"] == []


def test_6_7_8_mond_penalty() -> None:
    mond = {"item": "mond", "made": True, "announced": False, "kontra": 1}

    def taken_by(taker: int) -> Callable[[Played, dict[str, Any]], bool]:
        def wanted(played: Played, _: dict[str, Any]) -> bool:
            trick = next((t for t in played.tricks if "T21" in t.cards), None)
            return trick is not None and trick.seat_of("T21") == 1 and trick.winner == taker

        return wanted

    solo = contract("solo_one")
    _, result = search(solo, {0}, taken_by(0), rings=[1, 0, 0, 0])
    assert {**mond, "payoffs": [20, -20, 0, 0]} in result["items"], "never doubled by a ring"
    _, result = search(solo, {0}, taken_by(2))
    assert "mond" not in item_names(result)
    _, result = search(solo, {0}, taken_by(2), options={"mond_penalty_to_partner": True})
    assert {**mond, "payoffs": [0, -20, 20, 0]} in result["items"]
    _, result = search(solo, {0}, taken_by(0), options={"mond_penalty": 21})
    assert {**mond, "payoffs": [21, -21, 0, 0]} in result["items"]
    assert winner(["T21", "T22", "T1"], "positive", emperor=True) == 2


def test_6_7_9_rings_at_the_end() -> None:
    assert ring_settlement([2, 0, 1, 0]) == [-500, 300, -100, 300]
    assert final_totals([10, 0, 0, 0], [2, 0, 1, 0]) == [-490, 300, -100, 300]
    assert ring_settlement([0, 1, 0]) == [100, -200, 100]


def test_6_7_10_next_deal_is_all_beggars() -> None:
    record = header("slovenian4", match={"totals": [470, -90, -350, -30], "rings": [0, 1, 0, 0]})
    result = {"payoffs": [30, -30, -30, 30], "rings": [1, 2, 1, 1]}
    assert next_deal(record, result) == {
        "forehand": 1,
        "match": {"totals": [500, -120, -380, 0], "rings": [1, 2, 1, 1]},
        "forced": "all_beggars",
    }
    assert "forced" not in next_deal(record, {"payoffs": [1, -1, -1, 1], "rings": [0] * 4})
    assert calls_for_beggars([-1000, 3, 4, 5])


def test_totals_in_a_record_force_nothing() -> None:
    record = header("slovenian4", match={"totals": [0, 0, 0, 0], "rings": [0, 0, 0, 0]})
    assert "pass" in new_deal(record).legal()


def test_a_hand_without_tarocks() -> None:
    suits = "HK HQ HN HJ H1 H2 H3 H4 DK DQ DN DJ"
    rest = [card for card in DECK if card not in suits.split()]
    hands = [suits, *(" ".join(rest[start : start + 12]) for start in (0, 12, 24))]
    record = {
        "rules": "slovenian4",
        "forehand": 2,
        "hands": hands,
        "talon": " ".join(rest[36:]),
    }
    assert thrown_in(hands)
    with pytest.raises(ValueError, match="no tarock"):
        new_deal(record)
    assert redeal(record) == {"forehand": 2, "forced": "all_beggars"}
    assert not thrown_in(header("slovenian4")["hands"])


def test_6_7_11_discards() -> None:
    hand = {0: "S8 C9 C10 T6 T9 SK", 1: "T2"}
    record = header("slovenian4", hand, talon="H3 H4 D4 D3 D2 D1")
    deal = after(record, "pass", "pass", "pass", "bid:solo_three", "talon:1")
    discards = deal.legal()
    assert discards >= {f"discard:{card}" for card in ("H3", "H4", "D4", "S8", "C9")}
    assert discards.isdisjoint({"discard:T6", "discard:T9", "discard:SK"})


def test_tarocks_are_discarded_only_where_suit_cards_do_not_suffice() -> None:
    hand = {0: "HK DK SK CK T1 T21 T22 T2 T3 T4 T5 S7"}
    record = header("slovenian4", hand, talon="H3 T6 T7 T8 T9 T10")
    deal = after(record, "pass", "pass", "pass", "bid:solo_three", "talon:1")
    free, forced = {"discard:S7", "discard:H3"}, {f"discard:T{n}" for n in (2, 3, 4, 5, 6, 7)}
    assert deal.legal() == free | forced
    deal.apply("discard:T2")
    assert deal.legal() == free
    deal.apply("discard:S7")
    deal.apply("discard:H3")
    assert deal.legal() == {"raise:colour_slam", "good"}


def test_6_7_12_silent_pagat_beaten_in_the_last_trick() -> None:
    def wanted(played: Played, result: dict[str, Any]) -> bool:
        names = item_names(result)
        return names == ["game", "pagat"] and groups(piles(played)[0]) == 38

    what = contract("call_two")
    _, result = search(what, {1, 2}, wanted, last="T5 T6 T7 T1")
    assert result["payoffs"] == [-48, 48, 48, -48]
    # The fellow defender P0 takes it: still lost (1.8.11).
    _, result = search(what, {1, 2}, wanted, last="T9 T6 T7 T1")
    assert result["payoffs"] == [-48, 48, 48, -48]
    pagat = next(item for item in result["items"] if item["item"] == "pagat")
    assert pagat["made"] is False
    option = {"silent_ultimo_loss": False}
    _, result = search(what, {1, 2}, points_and_game_only(38), last="T5 T6 T7 T1", options=option)
    assert result["payoffs"] == [-23, 23, 23, -23]


# -- 6.8 ------------------------------------------------------------------------------------------


def test_6_8_1_bids_above_solo_with_one() -> None:
    deal = after(header("slovenian3"), "bid:solo_one")
    above = {"beggar", "beggar_exposed", "colour_slam_without", "slam_without"}
    assert deal.legal() == bids(*above) | {"pass"}
    deal = after(header("slovenian3", options={"solo_without": True}), "bid:beggar")
    assert "bid:solo_without" in deal.legal()


def test_6_8_2_all_pass() -> None:
    deal = after(header("slovenian3"), "pass", "pass")
    assert deal.seat == 0
    assert "pass" in deal.legal()
    assert not deal.legal() & bids("all_beggars", "call_three")
    deal.apply("pass")
    assert isinstance(deal, SlovenianDeal)
    assert deal.contract == ALL_BEGGARS
    assert deal.seat == 0
    assert all(name.startswith("play:") for name in deal.legal())


def test_6_8_3_4_7_solos() -> None:
    assert settled("solo_three", 39, {1}, "slovenian3") == [-14, 28, -14]
    assert settled("solo_two", 30, {0}, "slovenian3") == [-50, 25, 25]
    assert settled("solo_two", 35, {2}, "slovenian3") == [20, 20, -40]


def test_6_8_5_beggars() -> None:
    exposed, beggar = contract("beggar_exposed", "slovenian3"), contract("beggar", "slovenian3")
    _, result = search(exposed, {2}, lambda _, r: r["items"][0]["made"], 3)
    assert (result["payoffs"], result["rings"]) == ([-90, -90, 180], [1, 1, 1])
    _, result = search(beggar, {1}, lambda _, r: not r["items"][0]["made"], 3)
    assert (result["payoffs"], result["rings"]) == ([70, -140, 70], [1, 1, 1])


def test_6_8_6_raised_colour_slam_made() -> None:
    rest = DECK[:48]
    tricks = [Trick([0, 1, 2], rest[3 * n : 3 * n + 3], 0) for n in range(16)]
    what = contract("colour_slam", "slovenian3")
    played = Played(what, 3, S3_OPTIONS, tricks, 0, frozenset({0}), rings=[0, 0, 0])
    assert score(played)["payoffs"] == [250, -125, -125]
