"""A finished trick, as the Slovenian and Czech oracles keep it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Trick:
    """seats and cards in play order; winner: a seat."""

    seats: list[int]
    cards: list[str]
    winner: int

    def seat_of(self, card: str) -> int:
        return self.seats[self.cards.index(card)]

    def winning_card(self) -> str:
        return self.cards[self.seats.index(self.winner)]
