"""Cards for people at a terminal: suit symbols, colours where they are wanted, lines of at most 80 columns."""

import os
import re
from collections.abc import Iterable
from itertools import groupby
from typing import TextIO

from tarock_env.cards import CARD_NAMES, CARD_SUITS

WIDTH = 80
SYMBOLS = {"H": "♥", "D": "♦", "S": "♠", "C": "♣"}
RED, YELLOW, PLAIN = "31", "33", ""
COLOURS = {"T": YELLOW, "H": RED, "D": RED, "S": PLAIN, "C": PLAIN}
_CARD = re.compile(r"\b(?:T(?:1\d|2[0-2]|[1-9])|[HDSC](?:10|[KQNJ1-9]))\b")
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


class CardStyle:
    """How cards are written. colour: with terminal colours. symbols: ♥ ♦ ♠ ♣ for H D S C."""

    def __init__(self, colour: bool = False, symbols: bool = True) -> None:
        self.colour, self.symbols = colour, symbols

    @classmethod
    def of(cls, stream: TextIO) -> "CardStyle":
        """What a stream can show: colours on a terminal unless NO_COLOR is set (no-color.org), symbols where its encoding has them."""
        try:
            "♥".encode(stream.encoding or "ascii")
            symbols = True
        except (UnicodeEncodeError, LookupError):
            symbols = False
        return cls(stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb", symbols)

    def card(self, name: str) -> str:
        """One card, by its name in deal records."""
        suit = name[0]
        text = SYMBOLS[suit] + name[1:] if self.symbols and suit in SYMBOLS else name
        return f"\x1b[{COLOURS[suit]}m{text}\x1b[0m" if self.colour and COLOURS[suit] else text

    def text(self, line: str) -> str:
        """A line with every card name in it written as a card."""
        return _CARD.sub(lambda found: self.card(found[0]), line)

    def hand(self, cards: Iterable[int]) -> str:
        """Cards as a player holds them: tarocks from the top, then suit by suit from the top."""
        ordered = sorted(cards, key=lambda card: (CARD_SUITS[card], -card))
        suits = [" ".join(self.card(CARD_NAMES[card]) for card in suit) for _, suit in groupby(ordered, key=lambda card: CARD_SUITS[card])]
        return "  ".join(suits)


def columns(text: str) -> int:
    """How many columns a text takes on a terminal: colours take none."""
    return len(_ESCAPE.sub("", text))


def wrapped(pieces: Iterable[str], separator: str = " ", indent: str = "", width: int = WIDTH) -> str:
    """Pieces side by side, broken between pieces into lines of at most `width` columns; later lines are indented."""
    lines: list[str] = []
    line = ""
    for piece in pieces:
        grown = line + separator + piece if line else (indent if lines else "") + piece
        if line and columns(grown) > width:
            lines.append(line)
            grown = indent + piece
        line = grown
    return "\n".join([*lines, line])
