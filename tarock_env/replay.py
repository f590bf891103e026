"""Deal records in the game's terms: replaying, checking, the result of a deal, and views of one seat."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tarock_env.actions import CONTRACTS
from tarock_env.cards import CARD_IDS
from tarock_env.engine.sides import known_and_with_declarer
from tarock_env.engine.view import hand_visible, talon_known
from tarock_env.legal import names_by_seat
from tarock_env.record import HIDDEN_DISCARD, Record, RecordError
from tarock_env.results import result_of
from tarock_env.rules import Rules
from tarock_env.rules.schema import Calls
from tarock_env.single_deal import IllegalAction, SingleDeal, dealt_hands


def replay(record: Record, line: int = 1) -> SingleDeal:
    """Play a record's actions; returns the deal where they end.

    Raises RecordError for a wrong seat, an illegal action, an action after the end, or a view (whose hidden cards cannot be played):
    line, action number, what was played, what was legal.
    """
    deal = start(record, line)
    for _ in steps(record, deal, line):
        pass
    return deal


def start(record: Record, line: int = 1) -> SingleDeal:
    """The deal of a record before its first action. Raises RecordError for a view, and for a hand that would be thrown in."""
    if record.view is not None:
        raise RecordError(f"line {line}: a view of seat {record.view}: it hides cards, so it cannot be replayed")
    hands = [hand for hand in record.hands if hand is not None]
    talon = [card for card in record.talon if card is not None]
    try:
        return SingleDeal(record.rules, record.forehand, hands, talon, record.totals, record.rings, record.forced)
    except ValueError as error:
        raise RecordError(f"line {line}: {error}") from None


def steps(record: Record, deal: SingleDeal, line: int) -> Iterator[int]:
    """Play a record's actions on its deal; yields each action's index just before it is played, once its seat is known to be right."""
    for index, (seat, name) in enumerate(record.actions):
        where = f"line {line}: action {index + 1} ({seat} {name})"
        if deal.finished:
            raise RecordError(f"{where}: the deal was over before it")
        if seat != deal.seat:
            raise RecordError(f"{where}: seat {deal.seat} is to act; legal: {deal.legal_names()}")
        yield index
        try:
            deal.play_name(name)
        except IllegalAction as error:
            raise RecordError(f"{where}: not legal; legal: {error.legal}") from None


def verify(record: Record, line: int = 1) -> None:
    """Replay a record and check everything in it: seats, actions, legal sets, the result. Raises RecordError at the first difference.

    A view is checked as far as its cards allow (tarock_env/deal_behind.py).
    """
    if record.view is not None:
        from tarock_env.deal_behind import verify_view  # which builds on this module

        verify_view(record, line)
        return
    deal = start(record, line)
    for index in steps(record, deal, line):
        if record.legal is not None and record.legal[index] != deal.legal_names():
            where = f"line {line}: action {index + 1} ({' '.join(map(str, record.actions[index]))})"
            raise RecordError(f"{where}: {legal_difference(record.legal[index], deal.legal_names())}")
    if record.result is None:
        if deal.finished:
            raise RecordError(f"line {line}: the deal is over after {len(record.actions)} actions, but the record has no result")
        return
    if not deal.finished:
        raise RecordError(
            f"line {line}: a result after {len(record.actions)} actions, but seat {deal.seat} is to act; legal: {deal.legal_names()}"
        )
    difference = result_difference(record.result, result_of(deal.deal, record.rules))
    if difference:
        raise RecordError(f"line {line}: {difference}")


def legal_difference(recorded: str, legal: str) -> str:
    """What is wrong with a recorded legal set."""
    missing = sorted(set(legal.split()) - set(recorded.split()))
    extra = sorted(set(recorded.split()) - set(legal.split()))
    if missing:
        return f"the record's legal set lacks {' '.join(missing)}; legal: {legal}"
    if extra:
        return f"the record's legal set has {' '.join(extra)}, not legal; legal: {legal}"
    return f"the record's legal set is not sorted, or has a name twice; legal: {legal}"


def result_difference(recorded: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    """The first difference between two results, as a sentence; empty where they agree. The order of items means nothing."""

    def canonical(value: object) -> str:
        return json.dumps(value, sort_keys=True)

    for key in [*result, *(key for key in recorded if key not in result)]:
        theirs, ours = recorded.get(key, "absent"), result.get(key, "absent")
        if key == "items" and isinstance(theirs, list):
            left, right = sorted(map(canonical, theirs)), sorted(map(canonical, ours))
            for item in right:
                if item not in left:
                    return f"result items: the record lacks {item}"
                left.remove(item)
            if left:
                return f"result items: the record has {left[0]}, which the rules do not give"
        elif canonical(theirs) != canonical(ours):
            return f"result {key}: the record has {canonical(theirs)}, the rules give {canonical(ours)}"
    return ""


def record_of(
    deal: Any,
    rules: Rules,
    actions: Sequence[tuple[int, int]],
    legal: Sequence[str] | None = None,
    hands: Sequence[Sequence[int]] | None = None,
    rings: Sequence[int] = (),
) -> Record:
    """The record of a DEAL, finished or not, and of the (seat, action id) that led to it.

    hands: in the order in which they shall stand; by default ascending. rings: open ones by seat before the deal (the DEAL has those
    after it); by default none.
    """
    names = names_by_seat(rules.players)
    totals = tuple(int(total) for total in deal.totals[: rules.players])
    return Record(
        rules=rules,
        forehand=int(deal.forehand),
        hands=tuple(map(tuple, hands if hands is not None else dealt_hands(deal))),
        talon=tuple(int(card) for card in deal.talon),
        actions=tuple((seat, names[seat][action]) for seat, action in actions),
        legal=None if legal is None else tuple(legal),
        result=result_of(deal, rules) if deal.seat < 0 else None,
        totals=totals if any(totals) or any(rings) else (),
        rings=tuple(map(int, rings)) if any(totals) or any(rings) else (),
        forced=bool(deal.forced),
    )


def view_of(record: Record, viewer: int, line: int = 1, open_hands: bool = False) -> Record:
    """What a seat knows where the record ends: other hands, unseen talon cards and hidden discards blanked; legal sets left out.

    open_hands: a hand that lies open in the play (ouvert games) stands there as dealt, since the viewer knows it; what bots are asked with.

    Raises RecordError as `replay`, ValueError for a seat that is not there.
    """
    if not 0 <= viewer < record.rules.players:
        raise ValueError(f"view is {viewer}, seats are 0..{record.rules.players - 1}")
    return as_seen_by(record, replay(record, line), viewer, open_hands)


def as_seen_by(record: Record, single: SingleDeal, viewer: int, open_hands: bool = False) -> Record:
    """The same where the record is replayed already: single is where it ends."""
    deal, table = single.deal, single.tables[0]
    seen = int(talon_known(deal, viewer))
    shown = int(deal.discards_shown)
    known = sum(1 << seat for seat in range(record.rules.players) if open_hands and hand_visible(deal, table, viewer, seat))

    def action(seat: int, name: str) -> str:
        verb, _, card = name.partition(":")
        return HIDDEN_DISCARD if verb == "discard" and seat != viewer and not shown >> CARD_IDS[card] & 1 else name

    return replace(
        record,
        hands=tuple(hand if seat == viewer or known >> seat & 1 else None for seat, hand in enumerate(record.hands)),
        talon=tuple(card if card is not None and seen >> card & 1 else None for card in record.talon),
        actions=tuple((seat, action(seat, name)) for seat, name in record.actions),
        legal=None,
        view=viewer,
        sides=known_sides(deal, record.rules, viewer),
    )


def known_sides(deal: Any, rules: Rules, viewer: int) -> dict[int, str]:
    """Seats whose side is public or known to the viewer, his own included; nobody's before there is a declarer."""
    calls_somebody = deal.contract >= 0 and rules.contract(CONTRACTS[deal.contract]).calls != Calls.NOTHING
    known, declaring = known_and_with_declarer(deal, calls_somebody, rules.own_king_callable, viewer)
    return {seat: "declarer" if declaring >> seat & 1 else "defenders" for seat in range(rules.players) if known >> seat & 1}
