"""From a view's text to the DEAL record that a bot reads.

    view = parse_view(text)                    # one line of JSON, as deal-record.md defines a view
    bot.act(view.deals, view.tables, rng)      # view.deals is what engine.view.make_views gives for that seat

tarock_env/view_replay.py plays the actions of a view and finds what cannot be: a view that is refused fits no deal.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from tarock_env.cards import CARD_NAMES
from tarock_env.engine.bits import TAROCKS
from tarock_env.engine.state import Deals, new_deals
from tarock_env.engine.view import view_seat
from tarock_env.legal import ids_by_seat, legal_names
from tarock_env.record import DECLARER, UNSEEN, Record, RecordError, parse_record
from tarock_env.record import HIDDEN_DISCARD as HIDDEN_NAME
from tarock_env.replay import known_sides
from tarock_env.rules import Rules
from tarock_env.rules.table import rules_table
from tarock_env.single_deal import table_of
from tarock_env.view_check import FACTS, UNSEEN_TALON
from tarock_env.view_replay import (
    CARD_MISSING, DEAL_OVER, DISCARD_SHOWN, FOUR_KINGS, HAND_HIDDEN, HIDDEN_DISCARD, HIGH_TAROCKS, KEPT_FREE, NO_ACTION, NO_HAND,
    NO_PLACE, NOBODY_ACTS, NONE, NOT_ALLOWED, NOT_HELD, NOT_LEGAL, NOT_THE_VIEWERS, NOT_TOGETHER, OTHERS_TURN, TALON_SEEN, TALON_UNSEEN,
    THREE_KINGS, UNKNOWN, WRONG_SIDES, replay_view,
)  # fmt: skip

LONGEST_VIEW = 65_536  # characters; the longest views that play can lead to have some six thousand
MOST_ACTIONS = 512
_BLANK = new_deals(1)


@dataclass(frozen=True)
class View:
    """What one seat knows, ready for a bot.

    record: as it was read. deals: (1,) DEAL, a view whose acting seat is the viewer. tables: (1,) RULES. Neither is to be written to.
    """

    record: Record
    deals: Deals
    tables: Any

    @property
    def rules(self) -> Rules:
        """The rule system."""
        return self.record.rules

    @property
    def seat(self) -> int:
        """The seat whose view it is, and whose turn."""
        return int(self.deals.seat[0])

    def legal(self) -> list[str]:
        """Names of the viewer's legal actions, sorted by code point."""
        return legal_names(self.deals.legal[0], self.seat, self.rules.players).split()


def parse_view(text: str, line: int = 1, systems: dict[str, Rules] | None = None) -> View:
    """The view in one line of JSON. systems: as for `parse_record`.

    Raises RecordError of one line: what is malformed or cannot be, where, and what would be right.
    """
    if len(text) > LONGEST_VIEW:
        raise RecordError(f"line {line}: {len(text)} characters; a view has at most {LONGEST_VIEW}")
    return view_deal(parse_record(text, line, systems), line)


def view_deal(record: Record, line: int = 1) -> View:
    """The same from a record that is a view. Raises RecordError as `parse_view`."""
    try:
        _check_form(record)
    except ValueError as error:
        raise RecordError(f"line {line}: {error}") from None
    fault, deals, tables, known = replayed(record)
    if fault != NONE:
        raise RecordError(f"line {line}: {_explain(fault, record, deals[0], known[0])}")
    view_seat(deals, tables, int(known[0].viewer))
    return View(record, deals, tables)


def replayed(record: Record) -> tuple[int, Deals, Any, Any]:
    """A view's actions played as far as they can be: the fault that ends it or NONE, (1,) DEAL, (1,) RULES, (1,) FACTS.

    The deal has the cards that the view shows, and what its actions prove of hidden hands.
    """
    ids, tables, known, deals = _action_ids(record.rules.players), table_of(record.rules), _facts(record), _BLANK.copy()
    seats = np.array([seat for seat, _ in record.actions], np.int64)
    actions = np.array([ids[seat].get(name, NO_ACTION) for seat, name in record.actions], np.int64)
    fault = int(replay_view(deals, tables, known, seats, actions))
    if fault == DEAL_OVER and deals[0].called >= 0 and deals[0].partner < 0:  # an announced valat was not lost: the partner won the trick
        known["partner"], deals = seats[known[0].number], _BLANK.copy()
        fault = int(replay_view(deals, tables, known, seats, actions))
    return fault, deals, tables, known


def stack_views(views: Sequence[View]) -> tuple[Deals, Any]:
    """(n,) DEAL and (R,) RULES of several views, of one or more rule systems: one call of a bot answers them all."""
    systems = {id(view.rules): view.rules for view in views}
    numbers = {key: number for number, key in enumerate(systems)}
    deals = new_deals(len(views))
    for row, view in enumerate(views):
        deals[row] = view.deals[0]
        deals.rules_id[row] = numbers[id(view.rules)]
    return deals, rules_table(list(systems.values()))


def _check_form(record: Record) -> None:
    """Raise ValueError for a record that is no view of a deal in progress, whatever its actions."""
    if record.view is None:
        raise ValueError("no view: it lacks view, the seat that it is seen by")
    for name, given in (("legal", record.legal), ("result", record.result)):
        if given is not None:
            raise ValueError(f"a view of a deal in progress has no {name}")
    if len(record.actions) > MOST_ACTIONS:
        raise ValueError(f"{len(record.actions)} actions; no deal has more than {MOST_ACTIONS}")
    if record.rules.rings and not record.forced and not _mask(record.hands[record.view]) & int(TAROCKS):
        raise ValueError(f"hand {record.view} has no tarocks: it is thrown in, and the deal that replaces it is forced to all_beggars")


def _facts(record: Record) -> Any:
    """(1,) FACTS: what a view says beside its actions."""
    facts = np.zeros(1, FACTS)
    assert record.view is not None
    facts["viewer"], facts["forehand"], facts["forced"], facts["partner"] = record.view, record.forehand, record.forced, -1
    facts["own"], facts["seen"] = _mask(record.hands[record.view]), _mask(record.talon)
    facts["talon"] = [UNSEEN_TALON + index if card is None else card for index, card in enumerate(record.talon)]
    for seat, hand in enumerate(record.hands):
        if hand is not None:
            facts["given"][0, seat], facts["hands"][0, seat] = True, _mask(hand)
    for name, values in (("totals", record.totals), ("rings", record.rings)):
        if values:
            facts[name][0, : len(values)] = values
    facts["known"] = sum(1 << seat for seat in record.sides)
    facts["declaring"] = sum(1 << seat for seat, side in record.sides.items() if side == DECLARER)
    return facts.view(np.recarray)


@cache
def _action_ids(num_seats: int) -> tuple[dict[str, int], ...]:
    """[seat] -> action name -> id, hidden discards included."""
    return tuple(ids | {HIDDEN_NAME: HIDDEN_DISCARD} for ids in ids_by_seat(num_seats))


def _explain(fault: int, record: Record, deal: Any, facts: Any) -> str:
    """The line for a fault of the replay: where it is, what cannot be, what would be right."""
    viewer, detail, count = record.view, int(facts.detail), len(record.actions)
    if fault == NOBODY_ACTS:
        return f"the deal is over after {count} actions, nobody acts"
    if fault == NOT_THE_VIEWERS:
        return f"a view of seat {viewer}, but after {count} actions seat {deal.seat} is to act"
    if fault == TALON_SEEN:
        return f"talon: seat {viewer} has seen card {detail + 1}, so it is not {UNSEEN}"
    if fault == TALON_UNSEEN:
        return f"talon: seat {viewer} has not seen card {detail + 1}, write {UNSEEN}"
    if fault == HAND_HIDDEN:
        return f"hand {detail} is hidden from seat {viewer}: write null"
    if fault == WRONG_SIDES:
        assert viewer is not None
        return f"sides: {_sides(record.sides)}, but the actions show {_sides(known_sides(deal, record.rules, viewer))}"
    if fault == NO_HAND:
        return f"no deal fits this view: no hand of seat {detail} allows all that it bid, called and played"
    if fault == KEPT_FREE:
        return f"no deal fits this view: who laid cards away openly had no {CARD_NAMES[detail]} to keep"
    if fault == NO_PLACE:
        return f"no deal fits this view: there is no place left where {CARD_NAMES[detail]} can be"
    seat, name = record.actions[int(facts.number)]
    choice = f"; legal: {legal_names(deal.legal, seat, record.rules.players)}" if seat == viewer else ""
    what = {
        DEAL_OVER: "the deal was over before it",
        OTHERS_TURN: f"seat {deal.seat} is to act",
        UNKNOWN: f"no action of the game{choice}",
        NOT_LEGAL: f"not legal{choice}",
        DISCARD_SHOWN: f"a discard that seat {viewer} does not see is written {HIDDEN_NAME}",
        NOT_HELD: f"seat {seat} cannot have this card",
        NOT_ALLOWED: f"seat {seat} may not do that, whatever it holds",
        CARD_MISSING: f"seat {seat} needs {CARD_NAMES[detail] if fault == CARD_MISSING else ''} for it and cannot have it",
        THREE_KINGS: f"seat {seat} cannot hold just three kings",
        HIGH_TAROCKS: f"seat {seat} cannot hold the tarocks from T19 down to the called one",
        FOUR_KINGS: f"seat {seat} cannot hold four kings",
        NOT_TOGETHER: f"no hand allows seat {seat} this and what else it bid and played",
    }[fault]
    return f"action {int(facts.number) + 1} ({seat} {name}): {what}"


def _mask(cards: Sequence[int | None] | None) -> int:
    """Cards as a set; those that are None are left out."""
    return sum(1 << card for card in cards or () if card is not None)


def _sides(sides: Any) -> str:
    return ", ".join(f"{seat} {side}" for seat, side in sorted(sides.items())) or "nobody's"
