"""Helpers of the Königrufen oracle tests: deals with given hands, and finished games with given piles."""

from __future__ import annotations

from typing import Any

from tests.oracle import new_deal
from tests.oracle.core import DECK
from tests.oracle.koenigrufen import Item, KoenigrufenDeal
from tests.oracle.koenigrufen_score import Facts, Trick, positive_result
from tests.oracle.koenigrufen_tables import contracts, default_options


def words(text: str) -> list[str]:
    """Cards or names separated by spaces."""
    return text.split()


QUEENS_KNIGHTS = "HQ DQ SQ CQ HN DN SN CN"
WON = words(f"HK DK T22 {QUEENS_KNIGHTS}")  # 107 thirds, 36 in groups, four honours, no bonus
LOST = words("HK DK T22 HQ DQ SQ CQ HJ DN SN CN T5 T6")  # 106 thirds, 35 in groups


def header(rules: str, hands: dict[int, str], talon: str = "", forehand: int = 0, **options: Any) -> dict[str, Any]:
    """A record header: the given cards by seat, the rest of the deck filled in from its end."""
    given = {seat: hands.get(seat, "").split() for seat in range(4)}
    in_talon = talon.split()
    used = {card for cards in [*given.values(), in_talon] for card in cards}
    rest = [card for card in DECK if card not in used]
    for cards, size in [*((given[seat], 12) for seat in range(4)), (in_talon, 6)]:
        while len(cards) < size:
            cards.append(rest.pop())
    return {
        "format": "tarock-deal/1",
        "rules": rules,
        "options": options,
        "forehand": forehand,
        "hands": [" ".join(given[seat]) for seat in range(4)],
        "talon": " ".join(in_talon),
    }


def start(rules: str, hands: dict[int, str], *actions: str, talon: str = "", **options: Any) -> KoenigrufenDeal:
    """A deal after the given actions, each "SEAT NAME"; the seats are checked."""
    deal = new_deal(header(rules, hands, talon, **options))
    assert isinstance(deal, KoenigrufenDeal)
    return go(deal, *actions)


def go(deal: KoenigrufenDeal, *actions: str) -> KoenigrufenDeal:
    for action in actions:
        seat, name = action.split()
        assert deal.seat == int(seat), f"{action}: seat {deal.seat} acts"
        deal.apply(name)
    return deal


def goods(deal: KoenigrufenDeal, count: int) -> KoenigrufenDeal:
    for _ in range(count):
        deal.apply("good")
    return deal


def bids(deal: KoenigrufenDeal) -> set[str]:
    return {name.removeprefix("bid:") for name in deal.legal() if name.startswith("bid:")}


def playable(rules: str, contract: str, hand: str, trick: str = "", *, locked: str = "", number: int = 1, **options: Any) -> set[str]:
    """Legal cards of seat 0, who is the declarer. locked: bonuses his side announced."""
    deal = start(rules, {}, **options)
    deal.contract, deal.declarer = contracts(rules, deal.options)[contract], 0
    if contract == "trischaken" and rules == "oberoesterreichisch":
        deal.must_trump = False
    deal.hands[0] = set(hand.split())
    deal.items = {name: Item("declarer") for name in locked.split()}
    deal.called = "HK"
    return deal.playable(0, trick.split(), number)


def facts(rules: str, contract: str, declarer: int, partner: int | None = None, **rest: Any) -> Facts:
    """A finished positive game, won without any bonus unless `rest` says otherwise."""
    rest.setdefault("declarer_extra", list(WON))
    given = rest.pop("options", {})
    options = {**default_options(rules), **given}
    return Facts(rules, options, contracts(rules, options)[contract], declarer, partner, **rest)


def payoffs(rules: str, contract: str, declarer: int, partner: int | None = None, **rest: Any) -> tuple[Any, ...]:
    return tuple(positive_result(facts(rules, contract, declarer, partner, **rest))["payoffs"])


def schrift(rules: str, contract: str, declarer: int, partner: int | None = None, **rest: Any) -> tuple[Any, ...]:
    return tuple(positive_result(facts(rules, contract, declarer, partner, **rest))["schrift"])


def twelve_tricks(seat: int, last: str | None = None) -> list[Trick]:
    """All tricks to one seat, the low tarocks in the first, none in their own trick.

    last: a card that the seat plays to, and wins, trick 12.
    """
    cards = [card for card in DECK if card != last][: 48 - (last is not None)]
    if last is not None:
        cards.insert(44, last)
    return [Trick(n + 1, seat, cards[4 * n : 4 * n + 4], seat) for n in range(12)]
