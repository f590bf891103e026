"""What `tarock play` says of a deal: where it stands, line by line, and its moves in words. Deals are views of the player's seat."""

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

from tarock_env.actions import CONTRACTS, ITEM_IDS, ITEMS, NUM_CALLABLE_ITEMS
from tarock_env.cards import CARD_IDS, CARD_NAMES, CARD_SUITS, mask_cards
from tarock_env.engine.state import AUCTION, PLAY
from tarock_env.render import contract_text
from tarock_env.rules import Rules
from tarock_env.rules.describe import DIFFERENCES, value
from tarock_env.rules.schema import Contract, Difference, Talon
from training.cards_text import CardStyle, wrapped

KONTRA = ("kontra", "rekontra", "subkontra")
WORDS = {
    "forehand": "forehand (all stays open)",
    "choose:beat": "all must beat",
    "choose:free": "nobody must beat",
    "choose:talon_first": "talon to the first six tricks",
    "choose:talon_last": "talon to the last trick",
    "take": "take this half",
    "expose": "look at the other half",
    "return": "take the first half after all",
    "call:fourth": "call the fourth king",
}
"""Moves whose names in deal records say too little at a table; of others the colon goes."""
GROUPS = {Talon.PAIRS: 2, Talon.SINGLES: 1, Talon.DUTY: 4}
SIGNS = {Difference.NONE: "", Difference.ADDED: "+", Difference.MULTIPLIED: "x"}


def status(deal: Any, rules: Rules, seat: int, style: CardStyle) -> Iterator[str]:
    """What has been bid, announced and doubled, and the cards on the table."""
    if deal.phase == AUCTION:
        yield _bids_heading(rules)
    if deal.contract >= 0:
        yield style.text(contract_text(deal))
    for label, said in (("announced", _announced(deal, seat)), ("doubled", _doubled(deal, seat))):
        if said:
            yield wrapped([f"{label:<10}", *said.split(" ")], " ", " " * 11)
    if any(card >= 0 for card in deal.talon) and deal.phase != PLAY:
        yield f"talon      {style.text(' | '.join(' '.join(group) for group in _talon_groups(deal, rules)))}"
    for other in range(rules.players):
        if other != seat and deal.hands[other]:
            yield f"seat {other}     {style.hand(mask_cards(deal.hands[other]))}"
    if deal.phase == PLAY and deal.trick_size:
        on_table = [f"seat {(deal.leader + step) % rules.players} {CARD_NAMES[deal.trick[step]]}" for step in range(deal.trick_size)]
        yield style.text(f"trick {deal.trick_number + 1:<4} {', '.join(on_table)}")


def _talon_groups(deal: Any, rules: Rules) -> list[list[str]]:
    """The talon as the contract divides it, unseen cards as `?`."""
    cards = [CARD_NAMES[card] if card >= 0 else "?" for card in deal.talon]
    size = GROUPS.get(rules.contract(CONTRACTS[deal.contract]).talon, 3) if deal.contract >= 0 else 3
    return [cards[start : start + size] for start in range(0, len(cards), size)]


def _bids_heading(rules: Rules) -> str:
    """How the bids in the list of moves are to be read."""
    lines = ["bids from low to high, with what the game is worth"]
    for difference in (Difference.ADDED, Difference.MULTIPLIED):
        if any(contract.difference == difference for contract in rules.contracts):
            lines.append(f"({SIGNS[difference]}: {DIFFERENCES[difference]})")
    return wrapped(lines)


def _who(seat: int, viewer: int) -> str:
    return "you" if seat == viewer else f"seat {seat}"


def _announced(deal: Any, seat: int) -> str:
    """Who announced which bonuses."""
    by = [(int(deal.announced_by[item]), ITEMS[item]) for item in range(1, NUM_CALLABLE_ITEMS)]
    return _grouped([(_who(other, seat), item) for other, item in sorted(by, key=itemgetter(0)) if other >= 0])


def _doubled(deal: Any, seat: int) -> str:
    """What is doubled, and how often it counts."""
    steps = [(steps, ITEMS[item]) for item, steps in enumerate(deal.kontra)]
    steps += [(steps, f"game against {_who(other, seat)}") for other, steps in enumerate(deal.seat_kontra)]
    return _grouped([(f"{KONTRA[count - 1]} x{1 << count}", item) for count, item in sorted(steps, key=itemgetter(0)) if count])


def _grouped(pairs: list[tuple[str, str]]) -> str:
    """`seat 1: pagat, uhu; you: trull`."""
    items: dict[str, list[str]] = {}
    for name, item in pairs:
        items.setdefault(name, []).append(item)
    return "; ".join(f"{name}: {', '.join(said)}" for name, said in items.items())


def in_order(names: Sequence[str], rules: Rules) -> list[str]:
    """Moves as they are listed: `pass` or `good`, announcements, kontras, then bids from the lowest, or cards as in the hand."""
    return sorted(names, key=lambda name: _place(name, rules))


def _place(name: str, rules: Rules) -> tuple[int, int]:
    kind, _, what = name.partition(":")
    if kind == "bid":
        return (0, rules.contract(what).rank)
    if kind in ("play", "discard"):
        return (CARD_SUITS[CARD_IDS[what]], -CARD_IDS[what])
    return ({"announce": -2, "kontra": -1}.get(kind, -3), ITEM_IDS.get(what, 0))


def move_text(name: str, deal: Any, rules: Rules, seat: int) -> str:
    """A move of `seat` in words: a card by itself in the play, a bid with its value, a kontra with what it makes of which item."""
    if name in WORDS:
        return WORDS[name]
    kind, _, what = name.partition(":")
    if kind == "play":
        return what
    if kind == "bid":
        return f"{what} ({worth(rules, rules.contract(what))})"
    if kind == "kontra":
        item, _, opponent = what.partition("@")
        # Where each opponent doubles for himself, his own count stands at his seat, and that of the game stays 0.
        steps = int(deal.seat_kontra[int(opponent)] if opponent else max(deal.kontra[ITEM_IDS[item]], deal.seat_kontra[seat]))
        return f"{KONTRA[steps]} on {item}{f' against seat {opponent}' if opponent else ''} (x{2 << steps})"
    if kind == "talon":
        return f"talon {what}: {' '.join(_talon_groups(deal, rules)[int(what) - 1])}"
    return f"{kind} {what}".rstrip()


def worth(rules: Rules, contract: Contract) -> str:
    """The value of a game; what it costs lost where that is more."""
    lost = f", lost {contract.value * contract.loss_factor}" if contract.loss_factor > 1 else ""
    return f"{value(rules, contract)}{SIGNS[contract.difference]}{lost}"
