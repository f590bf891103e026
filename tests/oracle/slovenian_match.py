"""The match around slovenian4 and slovenian3 deals (rules.md 3.4 "Rings", "0/500 rule").

A record is turned into the part of the next record that the match decides; cards and actions
are the dealer's business.
"""

from __future__ import annotations

from typing import Any

from tests.oracle.core import tarocks


def calls_for_beggars(totals: list[int]) -> bool:
    """0/500 rule: some total is 0 or a multiple of 500, negative ones included."""
    return any(total % 500 == 0 for total in totals)


def next_deal(record: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    """`forehand`, `match` and, by the 0/500 rule, `forced` of the deal after this one."""
    num_seats = len(record["hands"])
    before = (record.get("match") or {}).get("totals") or [0] * num_seats
    totals = [total + gain for total, gain in zip(before, result["payoffs"], strict=True)]
    following: dict[str, Any] = {
        "forehand": (record["forehand"] + 1) % num_seats,
        "match": {"totals": totals, "rings": list(result["rings"])},
    }
    if calls_for_beggars(totals):
        following["forced"] = "all_beggars"
    return following


def thrown_in(hands: list[str]) -> bool:
    """A hand without tarocks is declared at once, and the deal thrown in (1.8.11)."""
    return any(not tarocks(hand.split()) for hand in hands)


def redeal(record: dict[str, Any]) -> dict[str, Any]:
    """The deal that replaces a thrown-in one: same dealer, All Beggars, however often."""
    following: dict[str, Any] = {"forehand": record["forehand"], "forced": "all_beggars"}
    if "match" in record:
        following["match"] = record["match"]
    return following


def ring_settlement(rings: list[int]) -> list[int]:
    """At the agreed end each open ring costs its owner 100 to each other player."""
    everybody = sum(rings)
    return [100 * (everybody - len(rings) * own) for own in rings]


def final_totals(totals: list[int], rings: list[int]) -> list[int]:
    return [total + gain for total, gain in zip(totals, ring_settlement(rings), strict=True)]
