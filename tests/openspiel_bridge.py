"""The same deal in our engine and in OpenSpiel's `tarok`, compared at every decision; tests/openspiel_scores.py compares the end.

Both number the cards alike (tarok.cc and tarock_env/cards.py: 0 = T1 ... 21 = T22, then H D S C from the lowest card up), so a card action
there is the card id here. Player p there is the p-th seat after forehand here. Bids there are numbers:

    0 pass   1 klop        2 three  3 two   4 one    (three players: our solo_three, solo_two, solo_one)
    5 solo three  6 solo two  7 solo one  8 beggar  9 solo without  10 open beggar  11 colour valat without  12 valat without

Decisions of only one engine are answered here: our raise and announcements with `good`, their last bidder's confirmation with his own bid.

`Pair.play` returns the names of the known faults and differences that a deal met (tests/test_openspiel.py lists and explains them) and
raises Disagreement for anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import numpy as np
import pyspiel

from tarock_env.actions import BID, CALL, CALLS, CONTRACTS, DISCARD, GOOD, PASS, TALON, action_id
from tarock_env.cards import CARD_IDS, CARD_NAMES, KING_IDS, MOND, NUM_TAROCKS, PAGAT, SKUES, mask_cards
from tarock_env.engine import state as phases
from tarock_env.legal import mask_bits
from tarock_env.record import Record
from tarock_env.replay import record_of
from tarock_env.rules import Rules, load_rules
from tarock_env.rules.schema import Contract
from tarock_env.single_deal import SingleDeal

THEIR_PASS, KLOP = 0, 1
BIDS = {
    4: ("all_beggars", "call_three", "call_two", "call_one", "solo_three", "solo_two", "solo_one", "beggar", "solo_without",
        "beggar_exposed", "colour_slam_without", "slam_without"),
    3: ("all_beggars", "solo_three", "solo_two", "solo_one", None, None, None, "beggar", "solo_without",
        "beggar_exposed", "colour_slam_without", "slam_without"),
}  # fmt: skip
NEGATIVE = ("all_beggars", "beggar", "beggar_exposed")
GAMES = {players: pyspiel.load_game(f"tarok(players={players})") for players in (3, 4)}
FIRST_NUMBER = {phases.CALL: CALL, phases.TALON: TALON, phases.DISCARD: DISCARD, phases.PLAY: 0}

Choose = Callable[["Pair", Sequence[int]], int]


class Disagreement(AssertionError):
    """The two engines differ in something that is neither a known fault nor a known difference."""


def bridge_rules(system: str) -> Rules:
    """The rule system, with Solo Without for three players as well: OpenSpiel has it there."""
    return load_rules(system, {"solo_without": True} if system == "slovenian3" else {})


def their_deals(players: int, first_seed: int = 0) -> Iterator[tuple[int, Any]]:
    """(seed, state after the deal) of their deals from a seed on, without those that both engines throw in (a hand without tarocks)."""
    seed = first_seed
    while True:
        state = GAMES[players].deserialize_state(str(seed))
        if all(state.player_cards(player)[0] < NUM_TAROCKS for player in range(players)):
            yield seed, state
        seed += 1


def suit(card: int) -> int:
    """0 tarock, then H D S C."""
    return 0 if card < NUM_TAROCKS else 1 + (card - NUM_TAROCKS) // 8


class Pair:
    """One deal in both engines.

    seed: their deal. forehand: our seat of their player 0. `deal`: our DEAL record, fields by name, live. `notes`: known faults and
    differences met so far. `tricks`: (seat, card) in order of play, `winners`: their seats, ours. `stuck`: the legal sets had nothing in
    common, so the deal could not go on.
    """

    def __init__(self, system: str, seed: int, forehand: int = 0, state: Any = None) -> None:
        self.rules = bridge_rules(system)
        self.players = self.rules.players
        self.seed = seed
        self.forehand = forehand
        self.theirs = state or GAMES[self.players].deserialize_state(str(seed))
        hands = [self.theirs.player_cards(self.player(seat)) for seat in range(self.players)]
        self.ours = SingleDeal(self.rules, forehand, hands, self.theirs.talon())
        self.deal = self.ours.deals.view(phases.DEAL, np.ndarray)[0]
        self.bids = {name: number for number, name in enumerate(BIDS[self.players], start=1) if name}
        self.notes: set[str] = set()
        self.tricks: list[list[tuple[int, int]]] = []
        self.winners: list[int] = []
        self.stuck = False

    def player(self, seat: int) -> int:
        """Their player in a seat of ours."""
        return (seat - self.forehand) % self.players

    @property
    def seat(self) -> int:
        return int(self.deal["seat"])

    @property
    def phase(self) -> int:
        return int(self.deal["phase"])

    @property
    def contract(self) -> str:
        """The highest bid, then the contract; "" before the first bid."""
        contract = int(self.deal["contract"])
        return CONTRACTS[contract] if contract >= 0 else ""

    @property
    def terms(self) -> Contract:
        """What our rules say about the contract."""
        return self.rules.contract(self.contract)

    @property
    def declarer(self) -> int:
        return int(self.deal["declarer"])

    def hand(self, seat: int) -> list[int]:
        return mask_cards(self.deal["hands"][seat])

    @property
    def trick(self) -> list[int]:
        """Cards of the open trick."""
        return [card for _, card in self.tricks[-1]] if self.tricks and len(self.tricks[-1]) < self.players else []

    def record(self) -> Record:
        """The deal as far as it has been played, by our engine."""
        return record_of(self.ours.deal, self.rules, self.ours.actions)

    def fail(self, what: str) -> Disagreement:
        return Disagreement(f"their seed {self.seed}: {what}; {self.record().to_json()}")

    def translate(self, action: int) -> int:
        """Their number of an action of ours."""
        phase = self.phase
        if phase == phases.AUCTION:
            if action != PASS:
                return self.bids[CONTRACTS[action - BID]]
            nobody = self.seat == self.forehand and int(self.deal["contract"]) < 0
            return KLOP if nobody and self.players == 3 else THEIR_PASS
        number = action - FIRST_NUMBER[phase]
        if phase == phases.CALL:
            name = CALLS[number]
            return CARD_IDS[name] if name != "fourth" else next(king for king in KING_IDS if king not in self.hand(self.seat))
        return number

    def shared_actions(self) -> list[int]:
        """Our actions that are legal in both engines. Notes known differences, raises Disagreement for others."""
        if self.theirs.is_terminal():
            raise self.fail("theirs is over, ours is not")
        if self.theirs.current_player() != self.player(self.seat):
            raise self.fail(f"seat {self.seat} acts, theirs is their player {self.theirs.current_player()}")
        ours = mask_bits(self.deal["legal"]).nonzero()[0].tolist()
        theirs = set(self.theirs.legal_actions())
        numbers = ours if self.phase == phases.PLAY else list(map(self.translate, ours))
        if set(numbers) != theirs:
            self.explain(set(numbers), theirs)
        shared = [action for action, number in zip(ours, numbers, strict=True) if number in theirs]
        self.stuck = not shared
        return shared

    def explain(self, ours: set[int], theirs: set[int]) -> None:
        """Note why two legal sets (their numbers) differ, or raise Disagreement."""
        more, less = theirs - ours, ours - theirs
        if self.phase == phases.AUCTION and more <= self.equal_bid() and less <= self.early_three():
            self.notes |= {"equal_bid"} if more else set()
            self.notes |= {"early_three"} if less else set()
        elif self.phase == phases.DISCARD and not more and less == self.late_discards(theirs):
            self.notes.add("discard_order")
        elif self.phase == phases.PLAY and self.contract in NEGATIVE and self.emperor_fault(ours, theirs):
            self.notes.add(self.emperor_fault(ours, theirs))
        else:
            names = CARD_NAMES if self.phase in (phases.PLAY, phases.DISCARD, phases.CALL) else list(map(str, range(54)))
            only = [" ".join(names[number] for number in sorted(numbers)) or "nothing" for numbers in (less, more)]
            raise self.fail(f"legal in ours only: {only[0]}, in theirs only: {only[1]}")

    def equal_bid(self) -> set[int]:
        """The bid that a seat before the highest bidder may repeat in theirs; ours leaves that to P0."""
        return {self.bids[self.contract]} if self.contract and 0 < self.player(self.seat) < self.player(self.declarer) else set()

    def early_three(self) -> set[int]:
        """Three players: ours offers the lowest solo to everybody, theirs keeps it for P0 after all passed."""
        return {self.bids["solo_three"]} if self.players == 3 and not self.contract and self.seat != self.forehand else set()

    def late_discards(self, theirs: set[int]) -> set[int]:
        """The tarocks that theirs keeps back until the last free card is gone; ours lets them go as soon as they must go at all."""
        scarce = min(theirs) >= NUM_TAROCKS and len(theirs) < int(self.deal["owed"][self.seat])
        return {card for card in self.hand(self.seat) if card < NUM_TAROCKS} - {PAGAT, MOND, SKUES} if scarce else set()

    def emperor_fault(self, ours: set[int], theirs: set[int]) -> str:
        """Which fault about the Emperor trick in negative games explains two legal sets; "" if none."""
        trick, hand = self.trick, self.hand(self.seat)
        if {MOND, SKUES} <= set(trick) and PAGAT in hand and theirs == {PAGAT}:
            follow = {card for card in hand if suit(card) == suit(trick[0])}
            return "revoke" if suit(trick[0]) and ours == follow else ""
        if {PAGAT, MOND} <= set(trick) and theirs == {SKUES}:
            return "skues_forced" if ours == {card for card in hand if card < NUM_TAROCKS} else ""
        return ""

    def step(self, action: int) -> None:
        """Take one action in both engines, and the decisions that only one of them has after it."""
        phase, seat, number = self.phase, self.seat, self.translate(action)
        self.theirs.apply_action(number)
        self.ours.play(action)
        if phase == phases.PLAY:
            if not self.trick:
                self.tricks.append([])
            self.tricks[-1].append((seat, number))
            if not self.trick:
                self.winners.append(int(self.deal["leader"]))
        elif phase == phases.AUCTION and self.phase != phase and self.theirs.current_game_phase() == pyspiel.TarokGamePhase.BIDDING:
            self.confirm()
        while self.phase in (phases.RAISE, phases.ANNOUNCE):
            self.ours.play(GOOD)

    def confirm(self) -> None:
        """Their last bidder is asked once more whether he would like to raise."""
        bid = self.bids[self.contract]
        higher = [number for number in range(bid, 13) if BIDS[self.players][number - 1]]
        if self.theirs.current_player() != self.player(self.declarer) or self.theirs.legal_actions() != higher:
            raise self.fail(f"their player {self.theirs.current_player()} confirms out of {self.theirs.legal_actions()}")
        self.theirs.apply_action(bid)

    def play(self, choose: Choose) -> set[str]:
        """Play to the end with `choose` among the shared actions; returns the notes. The scores are still to be compared."""
        while not self.ours.finished:
            shared = self.shared_actions()
            if self.stuck:
                return self.notes
            self.step(choose(self, shared))
        if not self.theirs.is_terminal():
            raise self.fail("ours is over, theirs is not")
        return self.notes

    def replay(self, actions: Sequence[tuple[int, str]]) -> None:
        """Play (seat, name) as a record has them, comparing on the way; `good` stands there for what step() answers by itself."""
        for seat, name in actions:
            if name != "good":
                self.shared_actions()
                self.step(action_id(name, seat, self.players))

    # What the tricks came to.

    @property
    def side(self) -> set[int]:
        """The declarer and his partner."""
        return {self.declarer, int(self.deal["partner"])} - {-1}

    def won_by(self, seats: Collection[int]) -> list[int]:
        """Cards in the tricks of some seats."""
        return [card for trick, winner in zip(self.tricks, self.winners, strict=True) if winner in seats for _, card in trick]

    def swept(self) -> int:
        """+1 where the declarer's side won every trick of a whole deal, -1 where the defenders did, else 0."""
        if len(self.winners) < self.rules.hand_size:
            return 0
        won = [winner in self.side for winner in self.winners]
        return 1 if all(won) else -1 if not any(won) else 0

    def king_wins_rest(self) -> bool:
        """Whether the called king, taken from the talon, won a trick himself."""
        taken = int(self.deal["talon_taken"]) >> max(0, int(self.deal["called"])) & 1
        return bool(self.deal["king_in_talon"] and self.deal["king_itself"] and taken)
