"""A drawing of a whole deal: the table with hands and talon, what was said, every trick, the settlement. One SVG file, nothing else needed.

    Path("deal.svg").write_text(deal_svg(record), encoding="utf-8")

Cards are drawn here, as a rounded rectangle with rank and suit; no picture is loaded, so a file looks alike everywhere.
"""

import textwrap
from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby

from tarock_env.cards import CARD_IDS, CARD_NAMES, CARD_SUITS
from tarock_env.record import Record
from tarock_env.render import result_lines
from tarock_env.replay import start, steps

WIDTH, MARGIN = 1000, 20
CARD_WIDTH, CARD_HEIGHT, OVERLAP = 34, 48, 23
TABLE_HEIGHT = 400
TRICK_WIDTH, TRICK_HEIGHT, TRICKS_A_ROW = 160, 86, 6
LINE = 17
COLUMNS = 128  # characters of a line of text
SUITS = {"T": ("", "#7a5200"), "H": ("♥", "#c0182b"), "D": ("♦", "#c0182b"), "S": ("♠", "#1c1c1c"), "C": ("♣", "#1c1c1c")}
FELT, PAPER, INK, WINNER = "#2f6b4f", "#fffdf6", "#222222", "#e3a008"
SERIF, MONO = "Georgia, 'DejaVu Serif', serif", "'DejaVu Sans Mono', Menlo, monospace"
Trick = tuple[list[tuple[int, str]], int | None]
"""Seat and card in order of play, and the winner where the trick is whole."""


def deal_svg(record: Record, line: int = 1) -> str:
    """The drawing of a record, finished or not. Raises RecordError, as replaying does, where it breaks the rules or is a view."""
    tricks = tricks_of(record, line)
    parts = [*_table(record)]
    y = TABLE_HEIGHT + 2 * MARGIN
    for text in _spoken(record):
        parts.append(_text(MARGIN, y, text))
        y += LINE
    y += LINE // 2
    for number, (plays, winner) in enumerate(tricks):
        x = MARGIN + number % TRICKS_A_ROW * TRICK_WIDTH
        parts += _trick(x, y + number // TRICKS_A_ROW * TRICK_HEIGHT, number + 1, plays, winner)
    y += -(-len(tricks) // TRICKS_A_ROW) * TRICK_HEIGHT + LINE
    if record.result is not None:
        seats = " ".join(f"{f'seat {seat}':>7}" for seat in range(record.rules.players))
        for text in [f"{record.result.get('contract', ''):<36}{seats}", *result_lines(record.result)]:
            parts.append(_text(MARGIN, y, text, font=MONO))
            y += LINE
    height = y + MARGIN
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">'
    title = f"<title>{escape(record.rules.title)}, forehand {record.forehand}</title>"
    return "\n".join([head, title, f'<rect width="{WIDTH}" height="{height}" fill="{PAPER}"/>', *parts, "</svg>"]) + "\n"


def tricks_of(record: Record, line: int = 1) -> list[Trick]:
    """The tricks of a record, the last one perhaps unfinished. Raises RecordError as replaying does."""
    deal = start(record, line)
    tricks: list[Trick] = []
    for index in steps(record, deal, line):
        _close(tricks, deal.deal.trick_number, deal.deal.leader)
        seat, name = record.actions[index]
        if name.startswith("play:"):
            if not deal.deal.trick_size:
                tricks.append(([], None))
            tricks[-1][0].append((seat, name.removeprefix("play:")))
    _close(tricks, deal.deal.trick_number, deal.deal.leader)
    return tricks


def _close(tricks: list[Trick], finished: int, leader: int) -> None:
    """Write the winner, who leads next, to the trick that has just ended."""
    if tricks and tricks[-1][1] is None and finished == len(tricks):
        tricks[-1] = tricks[-1][0], int(leader)


def _table(record: Record) -> Iterator[str]:
    """Felt, hands around it, the talon in the middle."""
    yield f'<rect x="{MARGIN}" y="{MARGIN}" width="{WIDTH - 2 * MARGIN}" height="{TABLE_HEIGHT}" rx="24" fill="{FELT}"/>'
    span = OVERLAP * (record.rules.hand_size - 1) + CARD_WIDTH
    middle, right = (WIDTH - span) // 2, WIDTH - 2 * MARGIN - span
    top, centre, bottom = 2 * MARGIN + LINE, (TABLE_HEIGHT - CARD_HEIGHT) // 2 + MARGIN, TABLE_HEIGHT - CARD_HEIGHT
    places = [(middle, bottom), (right, centre), (middle, top), (2 * MARGIN, centre)]
    if record.rules.players == 3:
        places = [(middle, bottom), (right, top), (2 * MARGIN, top)]
    for seat, hand in enumerate(record.hands):
        x, y = places[seat]
        role = " (forehand)" if seat == record.forehand else ""
        if record.result is not None:
            role += " declarer" if record.result.get("declarer") == seat else " partner" if record.result.get("partner") == seat else ""
        yield _text(x, y - 6, f"seat {seat}{role}", colour=PAPER)
        for number, card in enumerate(sorted(hand or (), key=lambda card: (CARD_SUITS[card], -card))):
            yield _card(x + number * OVERLAP, y, CARD_NAMES[card])
    x = (WIDTH - 6 * (CARD_WIDTH + 4) - 10) // 2
    y = centre if record.rules.players == 4 else centre + 20
    yield _text(x, y - 6, "talon", colour=PAPER)
    for number, known in enumerate(record.talon):
        if known is not None:
            yield _card(x + number * (CARD_WIDTH + 4) + (10 if number > 2 else 0), y, CARD_NAMES[known])


def _spoken(record: Record) -> Iterator[str]:
    """Everything but the play, speaker by speaker, in lines."""
    said = [(seat, name) for seat, name in record.actions if not name.startswith("play:")]
    turns = [f"{seat}: {', '.join(name for _, name in turn)}" for seat, turn in groupby(said, key=lambda action: action[0])]
    yield from textwrap.wrap("   ".join(turns), COLUMNS)


def _trick(x: int, y: int, number: int, plays: Iterable[tuple[int, str]], winner: int | None) -> Iterator[str]:
    yield _text(x, y + 10, f"trick {number}")
    for step, (seat, card) in enumerate(plays):
        left = x + step * (CARD_WIDTH + 2)
        yield _card(left, y + 16, card, framed=seat == winner)
        yield _text(left + CARD_WIDTH // 2, y + 16 + CARD_HEIGHT + 13, str(seat), anchor="middle")


def _card(x: int, y: int, name: str, framed: bool = False) -> str:
    """One card: its rank over its suit; a tarock has its number over a dot. framed: it won its trick."""
    assert name in CARD_IDS
    symbol, colour = SUITS[name[0]]
    frame = f'stroke="{WINNER}" stroke-width="3"' if framed else f'stroke="{INK}" stroke-width="0.8"'
    box = f'<rect x="{x}" y="{y}" width="{CARD_WIDTH}" height="{CARD_HEIGHT}" rx="4" fill="{PAPER}" {frame}/>'
    rank = _text(x + 3, y + 15, name[1:], colour, size=14)
    mark = _text(x + 3, y + 32, symbol, colour, size=16) if symbol else f'<circle cx="{x + 9}" cy="{y + 27}" r="4" fill="{colour}"/>'
    return box + rank + mark


def _text(x: int, y: int, text: str, colour: str = INK, size: int = 13, anchor: str = "start", font: str = SERIF) -> str:
    anchored = "" if anchor == "start" else f' text-anchor="{anchor}"'
    spaced = ' xml:space="preserve"' if font == MONO else ""
    return f'<text x="{x}" y="{y}" font-family="{font}" font-size="{size}" fill="{colour}"{anchored}{spaced}>{escape(text)}</text>'
