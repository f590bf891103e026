"""From a view's text to the DEAL record that a bot reads.

    view = parse_view(text)                    # one line of JSON, as deal-record.md defines a view
    bot.act(view.deals, view.tables, rng)      # view.deals is what engine.view.make_views gives for that seat

The actions of a view are replayed by the engine on a deal of which only a part is known: the viewer's hand, the talon cards that he
has seen, and, of every other hand, the cards that it plays later on. That is enough, because the engine's steps ask a hidden hand for
nothing that the viewer does not learn: who is whose partner stands in `sides`, hidden cards are stood for by bits that are no card.
tarock_env/view_check.py looks for what cannot be: a view that is refused fits no deal.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from tarock_env.actions import CALLS, DISCARD, action_id
from tarock_env.cards import CARD_IDS, CARD_NAMES, NUM_CARDS
from tarock_env.engine.bits import ALL_CARDS, KINGS, TAROCKS
from tarock_env.engine.exchange import restricted_cards
from tarock_env.engine.state import CALL as CALL_PHASE
from tarock_env.engine.state import DISCARD as DISCARD_PHASE
from tarock_env.engine.state import DEAL, DONE, PLAY, Deals, new_deals
from tarock_env.engine.step import begin_deal, is_legal, step
from tarock_env.engine.view import blank_hidden, hand_visible, talon_known
from tarock_env.legal import legal_names
from tarock_env.record import TALON_SIZE, UNSEEN, Record, RecordError, parse_record
from tarock_env.replay import known_sides
from tarock_env.rules import Rules
from tarock_env.rules.table import rules_table
from tarock_env.single_deal import table_of
from tarock_env.view_check import allowed, check_counts, needed_cards, possible_hand

LONGEST_VIEW = 65_536  # characters; the longest views that play can lead to have some six thousand
MOST_ACTIONS = 512
UNSEEN_TALON = NUM_CARDS  # + index: bits that are no card stand for talon cards that the viewer has not seen,
HIDDEN_DISCARD = 63  # and for a discard that he does not see
_ALL = int(ALL_CARDS)
HIDDEN_NAME = f"discard:{UNSEEN}"
FOURTH = "call:fourth"


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
        deals = _Replay(record).deals
    except ValueError as error:
        raise RecordError(f"line {line}: {error}") from None
    return View(record, deals, table_of(record.rules))


def stack_views(views: Sequence[View]) -> tuple[Deals, Any]:
    """(n,) DEAL and (R,) RULES of several views, of one or more rule systems: one call of a bot answers them all."""
    systems = {id(view.rules): view.rules for view in views}
    numbers = {key: number for number, key in enumerate(systems)}
    deals = new_deals(len(views))
    for row, view in enumerate(views):
        deals[row] = view.deals[0]
        deals.rules_id[row] = numbers[id(view.rules)]
    return deals, rules_table(list(systems.values()))


class _Replay:
    """A view's actions played on what is known of its deal. `deals`: the blanked result."""

    def __init__(self, record: Record) -> None:
        self.record, self.rules = record, record.rules
        self.players = record.rules.players
        self._check_form()
        assert record.view is not None
        self.viewer = record.view
        self.table = table_of(self.rules)[0]
        self.own = _mask(record.hands[self.viewer])
        self.talon = _mask(record.talon)
        self.guessed = 0  # kings that the caller of an unknown fourth king was given for the call
        self.plays = self._later_plays()
        self.deals = new_deals(1)
        self.deal: Any = self.deals[0]
        # Live: (4,) and (1,) views. Looking a field of a record up by name costs more than a step of the engine.
        plain = self.deals.view(DEAL, np.ndarray)
        self.hands, self.played = plain["hands"][0], plain["played"][0]
        self._phase, self._seat, self.partner, self.shown = (plain[name] for name in ("phase", "seat", "partner", "discards_shown"))
        self._deal()
        for number, (seat, name) in enumerate(record.actions, start=1):
            self.where = f"action {number} ({seat} {name})"
            self._play(seat, name)
        self._check_end()
        blank_hidden(self.deal, self.table, self.viewer)

    @property
    def phase(self) -> int:
        """The deal's phase."""
        return int(self._phase[0])

    @property
    def seat(self) -> int:
        """The acting seat, -1 when the deal is over."""
        return int(self._seat[0])

    def _check_form(self) -> None:
        record = self.record
        if record.view is None:
            raise ValueError("no view: it lacks view, the seat that it is seen by")
        for name, given in (("legal", record.legal), ("result", record.result)):
            if given is not None:
                raise ValueError(f"a view of a deal in progress has no {name}")
        if len(record.actions) > MOST_ACTIONS:
            raise ValueError(f"{len(record.actions)} actions; no deal has more than {MOST_ACTIONS}")
        hand = record.hands[record.view]
        if self.rules.rings and not record.forced and not _mask(hand) & int(TAROCKS):
            raise ValueError(f"hand {record.view} has no tarocks: it is thrown in, and the deal that replaces it is forced to all_beggars")

    def _later_plays(self) -> list[int]:
        """For each seat the cards that it plays, as sets: known parts of the hidden hands. A card counts where it is met first."""
        plays = [0] * self.players
        met = self.own
        for seat, name in self.record.actions:
            card = CARD_IDS.get(name.removeprefix("play:"), -1) if name.startswith("play:") else -1
            if card >= 0 and seat != self.viewer and not met >> card & 1:
                plays[seat] |= 1 << card
                met |= 1 << card
        return plays

    def _deal(self) -> None:
        """The deal before its first action."""
        record, deal = self.record, self.deal
        deal.num_seats, deal.forehand, deal.forced = self.players, record.forehand, record.forced
        for seat, hand in enumerate(record.hands):
            known = _mask(hand) if hand is not None else self.plays[seat] & ~self.talon
            self.hands[seat] = np.uint64(known)
        deal.dealt[self.viewer] = np.uint64(self.own)
        deal.talon[:] = [UNSEEN_TALON + index if card is None else card for index, card in enumerate(record.talon)]
        if record.totals:
            deal.totals[: self.players] = record.totals
        if record.rings:
            deal.rings[: self.players] = record.rings
        begin_deal(deal, self.table)

    def _play(self, seat: int, name: str) -> None:
        """One action, checked: exactly where it is the viewer's, as far as his knowledge goes where it is another seat's."""
        deal = self.deal
        if self.phase == DONE:
            self._fail("the deal was over before it")
        if seat != self.seat:
            self._fail(f"seat {self.seat} is to act")
        hidden = name == HIDDEN_NAME and seat != self.viewer and self.phase == DISCARD_PHASE
        try:
            action = DISCARD + HIDDEN_DISCARD if hidden else action_id(name, seat, self.players)
        except ValueError:
            self._fail("no action of the game" + self._viewers_choice(seat))
        if seat == self.viewer:
            if not is_legal(deal, action):
                self._fail("not legal" + self._viewers_choice(seat))
            if self.phase == CALL_PHASE:
                missing = int(KINGS) & ~int(self.hands[seat])
                self._seat_partner(missing.bit_length() - 1 if name == FOURTH else CARD_IDS.get(name.removeprefix("call:"), -1))
        elif not hidden:
            self._check_other(seat, name, action)
        step(deal, self.table, action)
        if seat != self.viewer and name.startswith("call:"):  # a card that it could not hold then may have come with the talon
            self.hands[seat] = self.hands[seat] & np.uint64(~self.guessed & _ALL) | np.uint64(self.plays[seat] & ~self.talon)

    def _viewers_choice(self, seat: int) -> str:
        return f"; legal: {legal_names(self.deal.legal, seat, self.players)}" if seat == self.viewer else ""

    def _check_other(self, seat: int, name: str, action: int) -> None:
        """Refuse what another seat cannot have done, whatever it holds; note the cards that the action proves it to hold."""
        deal = self.deal
        if self.phase == DISCARD_PHASE:
            shown = not self.rules.free_tarock_discards and int(restricted_cards(deal, self.table))
            card = action - DISCARD
            if not 0 <= card < len(CARD_NAMES) or not shown or not shown >> card & 1:
                self._fail(f"a discard that seat {self.viewer} does not see is written {HIDDEN_NAME}")
        possible = possible_hand(self, seat)
        if self.phase == DISCARD_PHASE:
            has_it = possible >> action - DISCARD & 1
        else:
            has_it = self.phase != PLAY or action >= NUM_CARDS or int(self.hands[seat]) >> action & 1
        if not has_it:
            self._fail(f"seat {seat} cannot have this card")
        if self.phase == CALL_PHASE:
            self._prepare_call(seat, name, possible)
        elif not allowed(self, seat, action, possible):
            self._fail(f"seat {seat} may not do that, whatever it holds")
        needed = needed_cards(self, name)
        if needed & ~possible:
            missing = CARD_NAMES[(needed & ~possible).bit_length() - 1]
            self._fail(f"seat {seat} needs {missing} for it and cannot have it")
        self.hands[seat] |= np.uint64(needed)

    def _prepare_call(self, seat: int, name: str, possible: int) -> None:
        """Give the declarer's hidden hand the kings that the call proves, so that the engine finds the called card and its holder."""
        call = name.removeprefix("call:")
        hand = int(self.hands[seat])
        if name == FOURTH:
            called, outside = self._fourth_king(seat)
            if called is None or (int(KINGS) & ~(1 << called)) & ~possible:
                self._fail(f"seat {seat} cannot hold just three kings")
            three = int(KINGS) & ~(1 << called)
            if not outside >> called & 1:
                self.guessed = three & ~hand
            hand = hand & ~int(KINGS) | three
        else:
            called = CARD_IDS.get(call, -1)
            if call in CALLS and call[0] == "T":  # the declarer may have been given the called one since
                above = sum(1 << card for card in range(called + 1, CARD_IDS["T19"] + 1))
                hand = (hand | above) & ~(1 << called) if above else hand
                if above & ~possible:
                    self._fail(f"seat {seat} cannot hold the tarocks from T19 down to the called one")
            elif call in CALLS and call[1] == "Q":
                hand |= int(KINGS)
                if int(KINGS) & ~possible:
                    self._fail(f"seat {seat} cannot hold four kings")
        self.hands[seat] = np.uint64(hand)
        if not allowed(self, seat, action_id(name, seat, self.players), hand):
            self._fail(f"seat {seat} may not do that, whatever it holds")
        self._seat_partner(called)

    def _fourth_king(self, declarer: int) -> tuple[int | None, int]:
        """The called king: one that shows itself, else one that nobody has seen; None where no card fits. Then those that show."""
        others = self.own | self.talon
        for seat in range(self.players):
            if seat not in (declarer, self.viewer):
                others |= self.plays[seat]
        outside = others & int(KINGS)
        unseen = int(KINGS) & ~int(self.hands[declarer]) & ~outside
        if outside & (outside - 1) or not outside | unseen:
            return None, outside
        return (outside or unseen).bit_length() - 1, outside

    def _seat_partner(self, called: int) -> None:
        """Where `sides` names the partner and nobody has seen the called card, he holds it."""
        if called < 0 or (self.own | self.talon) >> called & 1 or any(int(hand) >> called & 1 for hand in self.hands):
            return
        for seat, side in self.record.sides.items():
            if side == "declarer" and seat not in (int(self.deal.declarer), self.viewer):
                self.hands[seat] |= np.uint64(1 << called)

    def _check_end(self) -> None:
        """The viewer is to act, and knows what the view says: the talon, open hands, sides; and some deal fits it."""
        deal, record, viewer = self.deal, self.record, self.viewer
        if self.phase == DONE:
            raise ValueError(f"the deal is over after {len(record.actions)} actions, nobody acts")
        if self.seat != viewer:
            raise ValueError(f"a view of seat {viewer}, but after {len(record.actions)} actions seat {self.seat} is to act")
        seen = int(talon_known(deal, viewer))
        for index in range(TALON_SIZE):
            card, known = record.talon[index], seen >> int(deal.talon[index]) & 1
            if card is None and known:
                raise ValueError(f"talon: seat {viewer} has seen card {index + 1}, so it is not {UNSEEN}")
            if card is not None and not known:
                raise ValueError(f"talon: seat {viewer} has not seen card {index + 1}, write {UNSEEN}")
        for seat, hand in enumerate(record.hands):
            if hand is not None and not hand_visible(deal, self.table, viewer, seat):
                raise ValueError(f"hand {seat} is hidden from seat {viewer}: write null")
        sides = known_sides(deal, self.rules, viewer)
        if dict(record.sides) != sides:
            raise ValueError(f"sides: {_sides(record.sides)}, but the actions show {_sides(sides)}")
        check_counts(self)

    def _fail(self, what: str) -> NoReturn:
        raise ValueError(f"{self.where}: {what}")


def _mask(cards: Sequence[int | None] | None) -> int:
    """Cards as a set; those that are None are left out."""
    return sum(1 << card for card in cards or () if card is not None)


def _sides(sides: Any) -> str:
    return ", ".join(f"{seat} {side}" for seat, side in sorted(sides.items())) or "nobody's"
