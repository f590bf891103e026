"""Is a view true to the rules? Hidden cards are filled in until everything in it can have happened.

A view hides cards, so it cannot be replayed as it stands. But it must be the view of some deal. So the cards that the seat cannot see are
dealt to the places that hide them (tarock_env/hidden_cards.py), and the actions are played; where one is not legal, the cards that forbid
it go elsewhere, or hidden cards change places by chance, until all are legal. That deal must then show the seat what the view shows, no
more and no less, and have its result.

What a seat says or plays leaves few doubts about its cards, so a deal is found at once or after some dozen changes; a view for which
`CHANGES` do not suffice is refused.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from tarock_env.cards import CARD_IDS, CARD_NAMES, NUM_CARDS, NUM_TAROCKS
from tarock_env.hidden_cards import REST, HiddenCards, card_of
from tarock_env.record import HIDDEN_DISCARD, Record, RecordError
from tarock_env.replay import as_seen_by, legal_difference, result_difference
from tarock_env.results import result_of
from tarock_env.rules.schema import Contract
from tarock_env.single_deal import IllegalAction, SingleDeal

CHANGES = 600  # attempts until a view is given up
PATIENCE = 60  # attempts without progress until the hidden cards are dealt anew
BLIND = 0.2  # share of the changes that do not look for what forbids an action
REDRAWN = 0.2  # ... that let the seat have drawn other cards from the hidden talon
VALUABLE = 0.5  # ... that move a king or a card of the Trull, where only the result is another one
SEED = 1  # the same view gets the same answer
KINGS = frozenset(CARD_IDS[suit + "K"] for suit in "HDSC")
TRULL = frozenset(CARD_IDS[name] for name in ("T1", "T21", "T22"))
BIRDS = frozenset(CARD_IDS[name] for name in ("T1", "T2", "T3", "T4"))
# What a seat says because of its hand -> cards of which it then holds some, or more than others do.
SPEAKING: dict[str, frozenset[int]] = {
    "announce:pagat": frozenset({CARD_IDS["T1"]}),
    "announce:uhu": frozenset({CARD_IDS["T2"]}),
    "announce:kakadu": frozenset({CARD_IDS["T3"]}),
    "announce:quapil": frozenset({CARD_IDS["T4"]}),
    "meld:trumps": frozenset(range(NUM_TAROCKS)),
    "meld:few_trumps": frozenset(range(NUM_TAROCKS, NUM_CARDS)),
    "meld:trull": TRULL,
    "meld:honours": KINGS | TRULL,
}


@dataclass(frozen=True)
class Attempt:
    """A view's actions played with some hidden cards.

    deal: where they end, None for cards that are no deal. played: how many were legal. fault: what is wrong, "" where nothing is.
    seat: whose action failed, None where none did. legal: what that seat could do.
    """

    deal: SingleDeal | None
    played: int
    fault: str = ""
    seat: int | None = None
    legal: str = ""


def verify_view(view: Record, line: int = 1) -> None:
    """Check a view: seats, actions, what it shows and hides, sides, result. Raises RecordError with the first thing that cannot be."""
    deal_behind(view, line)


def deal_behind(view: Record, line: int = 1) -> SingleDeal:
    """A deal of which a record is a view, played to where it ends; others may fit as well. Raises RecordError where none is found."""
    assert view.view is not None
    for index, (seat, name) in enumerate(view.actions):
        where = f"line {line}: action {index + 1} ({seat} {name})"
        if seat == view.view and name == HIDDEN_DISCARD:
            raise RecordError(f"{where}: a view shows the discards of its own seat")
        if view.legal is not None and seat != view.view and view.legal[index]:
            raise RecordError(f"{where}: seat {view.view} cannot know what was legal; its view has an empty set there")
    rng = random.Random(SEED)
    cards = HiddenCards(view, rng)
    best = current = play_view(view, cards)
    idle = restarts = 0
    for _ in range(CHANGES if cards.possible else PATIENCE):  # what cannot be is tried for its error's sake
        if not current.fault:
            assert current.deal is not None
            return current.deal
        if learn(cards, current):
            idle = 0
            cards.settle(rng)
            current = play_view(view, cards)
        elif idle > PATIENCE:
            idle, restarts = 0, restarts + 1
            if restarts % 2 == 0:
                cards.forget()
            cards.deal(rng)
            current = play_view(view, cards)
        else:
            undo = change(cards, current, rng)
            if undo is None:  # no two cards may change places: dealt anew, they may
                if not cards.movable():
                    break
                idle = PATIENCE + 1
                continue
            changed = play_view(view, cards)
            idle = 0 if changed.played > current.played else idle + 1
            if changed.played < current.played and not learn(cards, changed):
                undo()
            else:
                current = changed
        if current.played > best.played:
            best = current
    if not current.fault and current.deal is not None:
        return current.deal
    raise RecordError(f"line {line}: {best.fault}")


def learn(cards: HiddenCards, attempt: Attempt) -> bool:
    """Note which cards forbade a seat the card that it played; whether that is news."""
    if attempt.seat is None or not 0 <= attempt.played < len(cards.view.actions):
        return False
    seat, name = cards.view.actions[attempt.played]
    return seat == attempt.seat and cards.learn(seat, name, attempt.legal)


def change(cards: HiddenCards, attempt: Attempt, rng: random.Random) -> Callable[[], None] | None:
    """Change something that may help the action that failed; returns what undoes it, None where nothing can be changed.

    A card of the seat that failed is swapped with one from elsewhere, by preference so that its hand comes to allow the action.
    """
    if attempt.seat is not None and cards.secret.get(attempt.seat) and rng.random() < REDRAWN:
        return cards.draw_others(attempt.seat, rng)
    movable = cards.movable()
    own = cards.movable(attempt.seat) if attempt.seat is not None else []
    wanted, unwanted = frozenset[int](), frozenset[int]()
    if 0 <= attempt.played < len(cards.view.actions) and own and rng.random() >= BLIND:
        wanted, unwanted = suits_action(cards, attempt, rng)
    else:
        own = movable
    if attempt.played == len(cards.view.actions) and rng.random() < VALUABLE:  # what came of it depends on these above all
        own = [card for card in movable if card in KINGS | TRULL] or movable
    first = [card for card in own if card in unwanted] or [card for card in own if card not in wanted]
    for one in rng.sample(first, len(first)) + rng.sample(own, len(own)):
        others = [card for card in movable if cards.may_swap(one, card)]
        others = [card for card in others if card in wanted] or [card for card in others if card not in unwanted] or others
        if others:
            other = rng.choice(others)
            cards.swap(one, other)
            return partial(cards.swap, one, other)
    return None


def suits_action(cards: HiddenCards, attempt: Attempt, rng: random.Random) -> tuple[frozenset[int], frozenset[int]]:
    """Cards with which a seat's hand comes nearer to allowing the action that failed, and cards without which it does."""
    name, legal = cards.view.actions[attempt.played][1], attempt.legal.split()
    verb, _, what = name.partition(":")
    calls = [CARD_IDS.get(word.removeprefix("call:")) for _, word in cards.view.actions[: attempt.played] if word.startswith("call:")]
    called = [card for call in calls for card in ([call] if call is not None else KINGS)]
    if verb in ("play", "discard"):  # what it could have played or laid away instead, it may not have had
        return frozenset(), frozenset(card for word in legal if (card := card_of(word)) is not None)
    if verb == "call":
        return (KINGS, frozenset()) if what not in CARD_IDS or CARD_IDS[what] not in KINGS else (frozenset(), frozenset({CARD_IDS[what]}))
    if verb == "kontra" and len(called) == 1:  # by the other side
        holds = cards.place_of.get(called[0], REST)[1] == attempt.seat
        return (frozenset(), frozenset(called)) if holds else (frozenset(called), frozenset())
    if verb == "bid":
        needs = [bid_needs(contract, rng) for contract in cards.view.rules.contracts if contract.name == what]
        return (needs[0] if needs else frozenset()), frozenset()
    if verb == "good":  # with such cards it would have had to speak
        return frozenset(), frozenset(card for word in legal for card in SPEAKING.get(word, ()))
    return SPEAKING.get(name, frozenset(called)), frozenset()


def bid_needs(contract: Contract, rng: random.Random) -> frozenset[int]:
    """Cards that a bidder of a contract must hold: its bird, many cards of a suit."""
    if contract.bird is not None:
        return SPEAKING.get(f"announce:{contract.bird}", BIRDS)
    if contract.minimum_suit:
        first = NUM_TAROCKS + 8 * rng.randrange(4)
        return frozenset(range(first, first + 8))
    return frozenset()


def play_view(view: Record, cards: HiddenCards) -> Attempt:
    """Play a view's actions with these hidden cards, and compare what the seat then sees with what the view shows."""
    hands, talon = cards.whole()
    try:
        deal = SingleDeal(view.rules, view.forehand, hands, talon, view.totals, view.rings, view.forced)
    except ValueError as error:
        return Attempt(None, -1, str(error))
    played: list[tuple[int, str]] = []
    for index, (seat, name) in enumerate(view.actions):
        where = f"action {index + 1} ({seat} {name})"
        if deal.finished:
            return Attempt(deal, index, f"{where}: the deal was over before it")
        legal = deal.legal_names()
        if seat != deal.seat:
            return Attempt(deal, index, f"{where}: seat {deal.seat} is to act; legal: {legal}", deal.seat, legal)
        if seat == view.view and view.legal is not None and view.legal[index] != legal:
            return Attempt(deal, index, f"{where}: {legal_difference(view.legal[index], legal)}", seat, legal)
        played.append((seat, hidden_discard(cards, seat, legal, played) if name == HIDDEN_DISCARD else name))
        try:
            deal.play_name(played[-1][1])
        except IllegalAction:
            hidden = "" if seat == view.view else ", whatever cards are hidden"
            return Attempt(deal, index, f"{where}: not legal{hidden}; legal: {legal}", seat, legal)
    full = replace(view, hands=tuple(map(tuple, hands)), talon=tuple(talon), actions=tuple(played), view=None, sides={})
    return Attempt(deal, len(view.actions), difference(view, full, deal))


def hidden_discard(cards: HiddenCards, seat: int, legal: str, played: Sequence[tuple[int, str]]) -> str:
    """A card that a seat laid away unseen, by the places that the hidden cards have."""
    names = [name for name in legal.split() if name.startswith("discard:")]
    if seat not in cards.seats:  # its hand lies open, so one card is as good as another
        return names[0] if names else HIDDEN_DISCARD
    gone = {card_of(name) for other, name in played if other == seat}
    laid = {card for card in cards.laid_away(seat) if card not in gone}
    return next((name for name in names if card_of(name) in laid), HIDDEN_DISCARD)


def difference(view: Record, full: Record, deal: SingleDeal) -> str:
    """The first thing that a view shows otherwise than the deal shows it to the seat; "" where there is none."""
    seen = as_seen_by(full, deal, int(view.view or 0), open_hands=True)
    for seat, (given, known) in enumerate(zip(view.hands, seen.hands, strict=True)):
        if given is not None and known is None:
            return f"hand {seat}: seat {view.view} does not see it; write null"
    for what, theirs, ours in (("talon", view.talon, seen.talon), ("actions", view.actions, seen.actions)):
        for index, (left, right) in enumerate(zip(theirs, ours, strict=True)):
            if left != right:
                return f"{what} {index + 1}: {_shown(left)}, but seat {view.view} sees {_shown(right)}"
    if view.sides and dict(view.sides) != dict(seen.sides):
        return f"sides are {_sides(view)}, but seat {view.view} knows {_sides(seen) or 'none'}"
    if (view.result is None) == deal.finished:
        end = "the deal is over, but the view has no result" if deal.finished else f"a result, but seat {deal.seat} is to act"
        return f"after {len(view.actions)} actions: {end}"
    return "" if view.result is None else result_difference(view.result, result_of(deal.deal, view.rules))


def _shown(value: object) -> str:
    if isinstance(value, int):
        return f"it shows {CARD_NAMES[value]}"
    return "it is hidden" if value is None else " ".join(map(str, value)) if isinstance(value, Sequence) else str(value)


def _sides(record: Record) -> str:
    return ", ".join(f"{seat} {side}" for seat, side in sorted(record.sides.items()))
