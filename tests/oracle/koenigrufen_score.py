"""The six Königrufen systems: what a finished game with a declarer is worth (rules.md 3.1, 3.3)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from tests.oracle.core import (
    BIRD_TRICK,
    BIRDS,
    KINGS,
    TRULL,
    add,
    groups,
    record_number,
    settle,
    thirds,
)
from tests.oracle.koenigrufen_tables import (
    Contract,
    bonus_value,
    valat_replaces_game,
    valat_value,
)

SIDES = ("declarer", "defenders")


@dataclass
class Trick:
    """number: 1 to 12; cards in play order from the leader; winner: a seat."""

    number: int
    leader: int
    cards: list[str]
    winner: int

    def player(self, card: str) -> int:
        return (self.leader + self.cards.index(card)) % 4


@dataclass
class Facts:
    """All that a deal's result depends on. announced: bonus -> (side, kontra)."""

    rules: str
    options: dict[str, Any]
    contract: Contract
    declarer: int
    partner: int | None = None
    bird: str | None = None
    called: str | None = None
    called_in_talon: bool = False
    announced: dict[str, tuple[str, int]] = field(default_factory=dict)
    game_kontra: int = 1
    duel_kontra: dict[int, int] = field(default_factory=dict)
    tricks: list[Trick] = field(default_factory=list)
    declarer_extra: list[str] = field(default_factory=list)  # discards, talon cards awarded
    defenders_extra: list[str] = field(default_factory=list)

    def seats(self, side: str) -> list[int]:
        ours = [seat for seat in range(4) if seat in (self.declarer, self.partner)]
        return ours if side == "declarer" else [seat for seat in range(4) if seat not in ours]

    def side(self, seat: int) -> str:
        return "declarer" if seat in self.seats("declarer") else "defenders"

    def pile(self, side: str) -> list[str]:
        """Tricks, discards and talon cards of a side (1.6, 1.8.4)."""
        cards = list(self.declarer_extra if side == "declarer" else self.defenders_extra)
        for trick in self.tricks:
            if self.side(trick.winner) == side:
                cards += trick.cards
        return cards

    def trick_with(self, card: str | None) -> Trick | None:
        return next((trick for trick in self.tricks if card in trick.cards), None)


def other(side: str) -> str:
    return "defenders" if side == "declarer" else "declarer"


@dataclass
class Settled:
    """One settled item. base: payments by seat before kontra."""

    name: str
    made: bool | None
    announced: bool
    kontra: int | list[int]
    base: list[Fraction]

    def payoffs(self, most: int | None = None) -> list[Fraction]:
        """Payments with kontra; most: the largest factor that counts (Schrift)."""
        if isinstance(self.kontra, int):
            factor = self.kontra if most is None else min(self.kontra, most)
            return [factor * amount for amount in self.base]
        # Duels: the declarer's payment is what his opponents' payments add up to.
        factors = [k if most is None else min(k, most) for k in self.kontra]
        declarer = max(range(4), key=lambda seat: abs(self.base[seat]))
        payments = [factors[seat] * self.base[seat] for seat in range(4)]
        payments[declarer] = -sum(payments[s] for s in range(4) if s != declarer)
        return payments


def result(rules: str, contract: str, declarer: int | None, partner: int | None, items: list[Settled]) -> dict[str, Any]:
    """The record's `result`."""
    out: dict[str, Any] = {
        "contract": contract,
        "declarer": declarer,
        "partner": partner,
        "items": [
            {
                "item": item.name,
                "made": item.made,
                "announced": item.announced,
                "kontra": item.kontra,
                "payoffs": [record_number(amount) for amount in item.payoffs()],
            }
            for item in items
        ],
    }
    total = add([0] * 4, *(item.payoffs() for item in items))
    out["payoffs"] = [record_number(amount) for amount in total]
    if rules != "juegatu":
        most = 2 if rules == "tiroler" else 1  # 3.3 Ledgers
        schrift = add([0] * 4, *(item.payoffs(most) for item in items))
        out["schrift"] = [record_number(amount) for amount in schrift]
    return out


# -- positive games ---------------------------------------------------------------------------


def game_won(facts: Facts) -> bool:
    pile = facts.pile("declarer")
    return thirds(pile) >= 107 if facts.rules == "juegatu" else groups(pile) >= 36


def valat_side(facts: Facts) -> str | None:
    """The side that won all twelve tricks."""
    winners = {facts.side(trick.winner) for trick in facts.tricks}
    return winners.pop() if len(facts.tricks) == 12 and len(winners) == 1 else None


def bonuses_of(facts: Facts) -> list[str]:
    """Bonuses that exist in this contract, Valat aside (3.1, 3.3)."""
    names = ["four_kings"]
    if facts.rules == "juegatu":
        names += ["honneurs", "absolut"]
    if facts.rules == "tiroler":
        names += ["sack1", "sack2"]
    if facts.contract.black:
        names += [*BIRDS, "trull"]
        if facts.rules == "juegatu":
            names.append("mondfang")
    if facts.contract.kind == "rufer":
        names.append("king_ultimo")
        if facts.rules == "juegatu":
            names.append("koenigfang")
    return names


def bird_outcome(facts: Facts, bird: str) -> tuple[str, bool] | None:
    """(side of its player, whether it won) where the bird fell in its trick, else None."""
    trick = facts.trick_with(BIRDS[bird])
    if trick is None or trick.number != BIRD_TRICK[bird]:
        return None
    player = trick.player(BIRDS[bird])
    return facts.side(player), trick.winner == player


def earned_by(facts: Facts, bonus: str) -> str | None:
    """The side that a bonus goes to, before any question of announcing."""
    juegatu = facts.rules == "juegatu"
    if bonus in BIRDS:
        fell = bird_outcome(facts, bonus)
        if fell is None:
            return None
        side, won = fell
        return side if won else other(side) if juegatu else None
    if bonus == "king_ultimo":
        trick = facts.trick_with(facts.called)
        if trick is None or trick.number != 12:
            return None
        side = facts.side(trick.winner)
        return side if juegatu or side == "declarer" else None
    if bonus == "mondfang":
        trick = facts.trick_with("T21")
        if trick is None or trick.winner == trick.player("T21"):
            return None
        return other(facts.side(trick.player("T21")))
    if bonus == "koenigfang":
        trick = facts.trick_with(facts.called)
        taken = trick is not None and facts.side(trick.winner) == "defenders"
        return "defenders" if taken or facts.called in facts.defenders_extra else None
    if bonus in ("sack1", "sack2"):
        enough = groups(facts.pile("declarer")) >= (46 if bonus == "sack1" else 56)
        return "declarer" if enough else None
    return next((side for side in SIDES if pile_earns(set(facts.pile(side)), bonus)), None)


def pile_earns(pile: set[str], bonus: str) -> bool:
    """Bonuses of a side's whole pile (1.8.4)."""
    if bonus == "trull":
        return pile >= TRULL
    if bonus == "four_kings":
        return pile >= KINGS
    if bonus == "honneurs":
        return len(pile & (KINGS | TRULL)) >= 5
    return thirds(pile) >= 136  # absolut: 45 1/3 points


def settle_for(facts: Facts, name: str, side: str, amount: int, made: bool, kontra: int | None) -> Settled:
    """An item that `side` wins. kontra: None for a silent bonus."""
    return Settled(
        name,
        made,
        announced=kontra is not None and name != "game",
        kontra=kontra or 1,
        base=settle(amount, facts.seats(side)),
    )


def bonus_items(facts: Facts, silent: bool = True, skipped: Collection[str] = ()) -> list[Settled]:
    """All bonuses except Valat. silent: whether unannounced ones count; skipped: never counted."""
    items = []
    for bonus in bonuses_of(facts):
        if bonus in skipped:
            continue
        amount = bonus_value(facts.rules, facts.options, facts.contract, bonus, bonus in facts.announced)
        earned = earned_by(facts, bonus)
        if bonus in facts.announced:
            side, kontra = facts.announced[bonus]
            made = earned == side
            winner = side if made else other(side)
            items.append(settle_for(facts, bonus, winner, amount, made, kontra))
        elif silent and bonus in BIRDS and (fell := bird_outcome(facts, bonus)) is not None:
            side, made = fell
            if made or facts.rules == "juegatu" or facts.options["silent_bird_loss"]:
                winner = side if made else other(side)
                items.append(settle_for(facts, bonus, winner, amount, made, None))
        elif silent and earned is not None and amount:
            items.append(settle_for(facts, bonus, earned, amount, True, None))
    return items


def game_item(facts: Facts) -> Settled:
    won = game_won(facts)
    amount = facts.contract.value
    if facts.contract.name == "sechserdreier" and not won:
        amount *= facts.options["sixer_loss_factor"]
    side = "declarer" if won else "defenders"
    return settle_for(facts, "game", side, amount, won, facts.game_kontra)


def valat_item(facts: Facts) -> Settled | None:
    """Valat as it was announced, else as it was made, else None."""
    made_by = valat_side(facts)
    if "valat" in facts.announced:
        side, kontra = facts.announced["valat"]
        made = made_by == side
        amount = valat_value(facts.rules, facts.options, facts.contract, True)
        return settle_for(facts, "valat", side if made else other(side), amount, made, kontra)
    if made_by is None:
        return None
    amount = valat_value(facts.rules, facts.options, facts.contract, False)
    return settle_for(facts, "valat", made_by, amount, True, None)


def positive_items(facts: Facts) -> list[Settled]:
    if facts.rules == "juegatu":
        return juegatu_items(facts, valat_item(facts))
    if facts.contract.solo and facts.called_in_talon:  # all kontras void (1.8.8)
        plain = {name: (side, 1) for name, (side, _) in facts.announced.items()}
        facts = replace(facts, game_kontra=1, announced=plain)
    valat = valat_item(facts)
    if valat is None:
        return [game_item(facts), *bonus_items(facts)]
    if valat_replaces_game(facts.rules, facts.options):
        return [valat, *bonus_items(facts, silent=False)]
    if facts.rules == "wiener" and not valat.announced:
        facts = replace(facts, game_kontra=1)  # 1.8.8
    skipped = {"trull", "four_kings"} - set(facts.announced)
    if facts.rules == "tiroler":
        skipped = {"trull", "four_kings", "sack1", "sack2"}
    return [game_item(facts), valat, *bonus_items(facts, skipped=skipped)]


def juegatu_items(facts: Facts, valat: Settled | None) -> list[Settled]:
    """An announced Valat stands alone; a silent one, unless the rest is worth more (3.1)."""
    if valat is not None and valat.announced:
        return [valat]
    items = [game_item(facts), *bonus_items(facts)]
    if valat is None:
        return items
    net = per_head(facts, items, valat_side(facts))
    return items if net > per_head(facts, [valat], valat_side(facts)) else [valat]


def per_head(facts: Facts, items: list[Settled], side: str) -> Fraction:
    """What the items bring the side from each opponent, or each partner in two against two."""
    seats = facts.seats(side)
    total = sum((item.payoffs()[seats[0]] for item in items), Fraction(0))
    return total / 3 if len(seats) == 1 else total


def positive_result(facts: Facts) -> dict[str, Any]:
    return result(facts.rules, facts.contract.name, facts.declarer, facts.partner, positive_items(facts))


def concession(facts: Facts) -> dict[str, Any]:
    """Game and bird of the bid, lost to each of the three (1.8.13)."""
    items = [settle_for(facts, "game", "defenders", facts.contract.value, False, 1)]
    if facts.bird:
        amount = bonus_value(facts.rules, facts.options, facts.contract, facts.bird, True)
        items.append(settle_for(facts, facts.bird, "defenders", amount, False, 1))
    return result(facts.rules, facts.contract.name, facts.declarer, None, items)


# -- negative games ---------------------------------------------------------------------------


def negative_result(facts: Facts) -> dict[str, Any]:
    declarer = facts.declarer
    made = sum(trick.winner == declarer for trick in facts.tricks) == facts.contract.tricks
    base = settle(facts.contract.value, facts.seats("declarer" if made else "defenders"))
    kontra: int | list[int] = facts.game_kontra
    if facts.rules != "juegatu":
        kontra = [facts.duel_kontra.get(seat, 1) for seat in range(4)]
    item = Settled("game", made, announced=False, kontra=kontra, base=base)
    return result(facts.rules, facts.contract.name, declarer, None, [item])
