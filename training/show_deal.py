"""`tarock replay --deal K`: one deal step by step, as a person would tell it."""

import sys
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path

from tarock_env.cards import CARD_IDS, CARD_NAMES, CARD_VALUES
from tarock_env.files import write_text
from tarock_env.record import UNSEEN, Record
from tarock_env.render import render_record, result_lines
from tarock_env.svg import deal_svg, tricks_of
from training.cards_text import CardStyle, wrapped


def deal_pages(record: Record, line: int, style: CardStyle) -> list[str]:
    """A record in pages: hands and talon, what was said, trick after trick, the settlement. A view is one page.

    Raises RecordError where its actions break the rules.
    """
    if record.view is not None:
        return [style.text(render_record(record, line)).rstrip("\n")]
    tricks = tricks_of(record, line)
    pages = ["\n".join(_dealt(record, line, style)), "\n".join(_said(record, style))]
    taken = [0] * record.rules.players
    for number, (plays, winner) in enumerate(tricks, start=1):
        row = "   ".join(f"seat {seat} {style.card(card)}" for seat, card in plays)
        if winner is None:
            pages.append(f"trick {number:<3} {row}")
            continue
        taken[winner] += sum(3 * CARD_VALUES[CARD_IDS[card]] - 2 for _, card in plays)  # thirds of a point
        pages.append(f"trick {number:<3} {row}   -> seat {winner}\n          {_points(taken)}")
    if record.result is not None:
        pages.append("\n".join([f"result: {record.result.get('contract', '')}", *result_lines(record.result)]))
    return [page for page in pages if page]


def _points(thirds: list[int]) -> str:
    """Card points so far, by seat; thirds as in the rules."""
    shown = [f"{whole}{('', ' 1/3', ' 2/3')[rest]}" for whole, rest in (divmod(count, 3) for count in thirds)]
    return f"points by seat: {' | '.join(shown)}"


def _dealt(record: Record, line: int, style: CardStyle) -> Iterator[str]:
    chosen = "".join(f" {name}={value}" for name, value in record.rules.chosen.items())
    yield f"line {line}: {record.rules.id}{chosen}, forehand {record.forehand}"
    for seat, hand in enumerate(record.hands):
        yield f"seat {seat}   {UNSEEN if hand is None else style.hand(hand)}"
    talon = [UNSEEN if card is None else style.card(CARD_NAMES[card]) for card in record.talon]
    yield f"talon    {' '.join(talon[:3])} | {' '.join(talon[3:])}"


def _said(record: Record, style: CardStyle) -> Iterator[str]:
    spoken = [(seat, name) for seat, name in record.actions if not name.startswith("play:")]
    for seat, turn in groupby(spoken, key=lambda action: action[0]):
        yield wrapped([f"seat {seat}  ", *(style.text(name) for _, name in turn)], " ", "         ")


def show_pages(pages: list[str], write: Callable[[str], None] = print, read: Callable[[str], str] | None = None) -> None:
    """Print the pages; read: asks after each whether to go on (Enter), back (b) or to stop (q). None prints all."""
    number = 0
    while number < len(pages):
        write(pages[number] + "\n")
        if read is None or number == len(pages) - 1:
            number += 1
            continue
        try:
            answer = read("Enter: on, b: back, q: stop ").strip().lower()
        except EOFError:
            return
        if answer == "q":
            return
        number = max(number - 1, 0) if answer == "b" else number + 1


def step_through(record: Record, line: int) -> None:
    """Show a record page by page; where a person sits at both ends, each waits for Enter. Raises RecordError."""
    person = sys.stdin.isatty() and sys.stdout.isatty()
    show_pages(deal_pages(record, line, CardStyle.of(sys.stdout)), read=input if person else None)


def draw_deal(record: Record, line: int, path: Path) -> None:
    """Write the drawing of a record to a file. Raises RecordError, and OSError for a file that cannot be written."""
    drawing = deal_svg(record, line)
    write_text(path, drawing)
    print(f"{path}: deal of line {line} ({record.rules.id})")
