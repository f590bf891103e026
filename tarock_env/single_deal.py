"""One deal played action by action, by name or id, with every action checked: what records, the PettingZoo environment and tools use.

`DealBatch` is the fast way to play many; here each step costs some microseconds of Python.
"""

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarock_env.actions import NUM_ACTIONS, action_id
from tarock_env.cards import CARD_NAMES, NUM_CARDS, NUM_TAROCKS, mask_cards
from tarock_env.engine.lockstep import open_deal, play_action
from tarock_env.engine.state import DONE, MAX_SEATS, for_kernels, new_deals
from tarock_env.legal import illegal_action, legal_names, mask_bits
from tarock_env.rules import Rules
from tarock_env.rules.table import rules_table


REMADE = ("tables", "rows", "_seat", "_phase", "_legal", "_deal")  # attributes of a SingleDeal that follow from the others


class IllegalAction(ValueError):
    """An action that is not legal. seat: who acts. legal: the names that are, separated by spaces ("" when the deal is over)."""

    def __init__(self, message: str, seat: int, legal: str) -> None:
        super().__init__(message)
        self.seat = seat
        self.legal = legal


class SingleDeal:
    """One deal from the hands to the score.

    rules: the rule system. forehand: seat of P0. hands: card ids by seat. talon: six card ids in dealt order. totals: sixths, before the
    deal; rings: open ones; both by seat. forced: the contract is set to the all-against-all game (Slovenian systems). Raises ValueError
    unless hands and talon are the whole deck in the right sizes, and for a dealt hand that the rules throw in.
    `deals` (1,) and `tables` (1,) are the engine's records, `rows` both as kernels take them quickest, `actions` what was played:
    (seat, action id).
    """

    def __init__(
        self,
        rules: Rules,
        forehand: int,
        hands: Sequence[Sequence[int]],
        talon: Sequence[int],
        totals: Sequence[int] = (),
        rings: Sequence[int] = (),
        forced: bool = False,
    ) -> None:
        check_cards(rules, hands, talon)
        if forced and not rules.rings:
            raise ValueError(f"{rules.id} has no forced contract")
        if rules.rings and not forced and some_hand_without_tarocks(hands):
            raise ValueError("a hand without tarocks is thrown in; the deal that replaces it is forced to all_beggars")
        if not 0 <= forehand < rules.players:
            raise ValueError(f"forehand is {forehand}, seats are 0..{rules.players - 1}")
        self.rules = rules
        self.tables = table_of(rules)
        self.deals = new_deals(1)
        self.actions: list[tuple[int, int]] = []
        self.rings = tuple(int(count) for count in rings) if rules.rings else ()
        self.deal_hands = tuple(tuple(int(card) for card in hand) for hand in hands)
        deal = self.deals[0]
        deal.num_seats = rules.players
        deal.forehand = forehand
        masks = [sum(1 << int(card) for card in hand) for hand in hands]
        self.deals["hands"][0, : rules.players] = self.deals["dealt"][0, : rules.players] = masks
        deal.talon[:] = talon
        if totals:
            deal.totals[: rules.players] = totals
        if rings:
            deal.rings[: rules.players] = rings
        deal.forced = forced
        self._bind()
        open_deal(*self.rows, 0)

    def _bind(self) -> None:
        """Live views of the record: looking a field up by name costs more than a step of the engine."""
        self._seat, self._phase, self._legal = self.deals["seat"], self.deals["phase"], self.deals["legal"]
        self._deal = self.deals[0]
        self.rows = for_kernels(self.deals), for_kernels(self.tables)

    def __getstate__(self) -> dict[str, Any]:
        """What copies and pickles hold; views and table are made anew, or a copy would look at another deal than it plays."""
        return {name: value for name, value in vars(self).items() if name not in REMADE}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.tables = table_of(self.rules)
        self._bind()

    @property
    def deal(self) -> Any:
        """The DEAL record."""
        return self._deal

    @property
    def seat(self) -> int:
        """The acting seat, -1 when the deal is over."""
        return int(self._seat[0])

    @property
    def phase(self) -> int:
        """The phase of the deal (engine.state)."""
        return int(self._phase[0])

    @property
    def finished(self) -> bool:
        """Whether the deal is scored."""
        return bool(self._phase[0] == DONE)

    @property
    def payoffs(self) -> NDArray[np.int32]:
        """(P,) sixths of a unit by seat; zeros before the end."""
        payoffs: NDArray[np.int32] = self.deals["payoffs"][0, : self.rules.players]
        return payoffs

    def legal_mask(self) -> NDArray[np.bool_]:
        """(A,) bool for the acting seat; all False when the deal is over."""
        return mask_bits(self._legal[0])

    def legal_names(self) -> str:
        """The acting seat's legal actions by name, sorted by code point, separated by spaces."""
        return "" if self.finished else legal_names(self._legal[0], self.seat, self.rules.players)

    def as_action(self, action: Any) -> int:
        """The acting seat's action as an integer: 1.7 is no action 1. Raises IllegalAction."""
        if action is None:
            raise IllegalAction(f"seat {self.seat} must act: None is for terminated agents", self.seat, self.legal_names())
        try:
            return index(action)
        except TypeError:
            message = f"seat {self.seat}: {action!r} is no action id; legal: {self.legal_names()}"
            raise IllegalAction(message, self.seat, self.legal_names()) from None

    def play(self, action: int) -> None:
        """Take an action of the acting seat by id. Raises IllegalAction, the deal unchanged."""
        seat = self.seat
        if not (0 <= action < NUM_ACTIONS and play_action(*self.rows, 0, action)):
            if self.finished:
                raise IllegalAction("the deal is over, nobody acts", -1, "")
            raise IllegalAction(illegal_action(self._deal, action), seat, self.legal_names())
        self.actions.append((seat, int(action)))

    def play_name(self, name: str) -> None:
        """Take an action by its name in deal records. Raises IllegalAction, the deal unchanged."""
        if self.finished:
            raise IllegalAction(f"{name}: the deal is over, nobody acts", -1, "")
        try:
            action = action_id(name, self.seat, self.rules.players)
        except ValueError:
            legal = self.legal_names()
            raise IllegalAction(f"seat {self.seat}: unknown action {name!r}; legal: {legal}", self.seat, legal) from None
        self.play(action)


_TABLES: dict[int, tuple[Rules, Any]] = {}
_TABLES_KEPT = 32


def table_of(rules: Rules) -> Any:
    """(1,) RULES record of a rule system, made once for the same object: it takes longer than a deal. Not to be written to."""
    known = _TABLES.get(id(rules))
    if known is None:  # the Rules are kept with their table, so no other object can get their id
        if len(_TABLES) >= _TABLES_KEPT:
            _TABLES.clear()
        known = _TABLES[id(rules)] = (rules, rules_table(rules))
    return known[1]


def check_cards(rules: Rules, hands: Sequence[Sequence[int]], talon: Sequence[int]) -> None:
    """Raise ValueError unless hands and talon are the 54 cards, dealt in the sizes of the rule system."""
    if len(hands) != rules.players or any(len(hand) != rules.hand_size for hand in hands) or len(talon) != 6:
        sizes = [len(hand) for hand in hands]
        raise ValueError(
            f"{rules.id} deals {rules.players} hands of {rules.hand_size} cards and a talon of 6, not {sizes} and {len(talon)}"
        )
    seen: set[int] = set()
    for card in [*(card for hand in hands for card in hand), *talon]:
        if not 0 <= card < NUM_CARDS:
            raise ValueError(f"{card} is no card id; they are 0..{NUM_CARDS - 1}")
        if card in seen:
            raise ValueError(f"card {CARD_NAMES[card]} is dealt twice")
        seen.add(card)


def some_hand_without_tarocks(hands: Sequence[Sequence[int]]) -> bool:
    """Whether a hand has no tarock: systems with rings throw such a deal in (rules text 3.4)."""
    return any(all(card >= NUM_TAROCKS for card in hand) for hand in hands)


def dealt_hands(deal: Any) -> list[list[int]]:
    """Card ids by seat as dealt, ascending, of a DEAL record."""
    return [mask_cards(deal.dealt[seat]) for seat in range(min(int(deal.num_seats), MAX_SEATS))]
