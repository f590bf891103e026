"""Playing a rule system to find what its data does not show: stuck states, lost cards, payments that do not add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tarock_env.actions import BID, CONCEDE, CONTRACT_IDS, CONTRACTS, GOOD, ITEMS, NUM_ACTIONS, PASS, action_id, known_actions
from tarock_env.actions import RAISE as RAISE_ACTION
from tarock_env.actions import TALON as TALON_ACTION
from tarock_env.batch import DealBatch
from tarock_env.engine.auction import qualified_bids, steer_auction
from tarock_env.engine.state import ANNOUNCE, AUCTION, DONE, KONTRA, MAX_SEATS, PHASES, RAISE, SIXTHS, TALON, WARSAW
from tarock_env.legal import mask_bits
from tarock_env.observation import HIDDEN_SCALE, HIDDEN_SIZE, OBSERVATION_SIZE, SCALE, SLICES
from tarock_env.rules.check_data import first_fewest
from tarock_env.rules.schema import Auction, Contract, Difference, FewestPoints, Goal, Rules
from tarock_env.rules.table import RAISED

ALL_CARDS = np.uint64((1 << 54) - 1)
MAX_DECISIONS = 512  # a deal has far fewer
TRIES = 400  # deals dealt until somebody may bid what is aimed at
AIMED = 0.8  # share of the deals that aim at a contract; the others bid by chance
NO_AIM, ALL_PASS = -1, -2
QUIET, MODEST = 0.4, 0.45  # shares of the deals in which nobody announces anything, and nobody a Valat, which voids so much
MAX_INPUT = 4.0  # no input of a network, row times scale, is larger
KNOWN = np.isin(np.arange(NUM_ACTIONS), known_actions())
HALF_POINTS = 35
MAX_KONTRA = 8
VALAT_ACTION = action_id("announce:valat", 0)
PARTS = ("hands", "played", "discards")


class Trial:
    """`num_deals` deals of a rule system, played by chance towards each of its contracts in turn.

    After `play()`: `findings`, text by text with the first deal that showed it; `contracts`, how many deals were played to the end in
    each; `settled`, the same for items. Deal k of a seed is always the same deal.
    """

    def __init__(self, rules: Rules, num_deals: int, seed: int) -> None:
        self.rules = rules
        self.num_deals = num_deals
        self.batch = DealBatch(num_deals, rules, seed, skip_forced=False)
        self.rng = np.random.default_rng(seed)
        mood = self.rng.random(num_deals)
        self.quiet, self.modest = mood < QUIET, mood < QUIET + MODEST
        self.concedes = self.rng.random(num_deals) < 1 / 4
        self.most = most_sixths(rules)
        self.findings: dict[str, int] = {}
        self.contracts: Counter[str] = Counter()
        self.settled: Counter[str] = Counter()
        self.given_up = np.zeros(num_deals, np.bool_)
        self.aim_seat = np.full(num_deals, -1)
        self.aim = np.full(num_deals, NO_AIM)
        self.target = np.full(num_deals, NO_AIM)  # a contract that the one aimed at turns into
        self._choose_aims()

    def play(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Play all deals to their end, or to the first state that has none. progress: called with (finished deals, all deals)."""
        for _ in range(MAX_DECISIONS):
            acting = np.flatnonzero(~self.batch.finished)
            if not len(acting):
                break
            self._check_states(acting)
            acting = acting[~self.batch.finished[acting]]
            self.batch.step(self._actions(acting))
            if progress is not None:
                progress(self.num_deals - len(acting), self.num_deals)
        endless = np.flatnonzero(~self.batch.finished)
        self._note(endless, "a deal does not end", [""] * len(endless))
        self._give_up(endless)
        self._check_ends()

    # -- what is aimed at --

    def _choose_aims(self) -> None:
        """Give most rows a contract, and deal them until a seat may bid it."""
        rows = np.arange(int(self.num_deals * AIMED))
        ways = [way_to(self.rules, contract) for contract in self.rules.contracts]
        for row in rows:
            self.aim[row], self.target[row] = ways[row % len(ways)]
        open_rows = rows[self.aim[rows] >= 0]
        for _ in range(TRIES):
            for row in open_rows:
                self.aim_seat[row] = self._bidder(row)
            open_rows = open_rows[self.aim_seat[open_rows] < 0]
            if not len(open_rows):
                return
            self.batch.reset(open_rows)

    def _bidder(self, row: int) -> int:
        """A seat that may bid what the row aims at, -1 where nobody may."""
        deal, table = self.batch.deals[row], self.batch.tables[0]
        if deal.phase != AUCTION:
            return -1
        contract = self.rules.contract(CONTRACTS[self.aim[row]])
        first = self.rules.auction == Auction.ONE_ROUND and not contract.others_only  # what P0 opens with, others cannot bid any more
        at_forehand = first or contract.forehand_only or contract.opening_only or self.target[row] >= 0
        seats = [int(deal.forehand)] if at_forehand else self.rng.permutation(self.rules.players).tolist()
        for seat in seats:
            barred = contract.others_only and seat == deal.forehand
            if not barred and int(qualified_bids(table, deal.hands[seat])) >> int(self.aim[row]) & 1:
                return int(seat)
        return -1

    # -- choosing --

    def _actions(self, acting: NDArray[np.int64]) -> NDArray[np.int64]:
        """By chance, but towards the contract aimed at, often quiet, and seldom conceding."""
        actions = self.batch.random_actions()
        deals, table = self.batch.deals, self.batch.tables[0]
        for row in acting[deals["phase"][acting] == AUCTION]:
            if self.aim[row] == ALL_PASS:
                steered = PASS if deals["legal"][row, 2] >> np.uint64(PASS - BID) & np.uint64(1) else -1
            elif self.aim_seat[row] >= 0:
                steered = int(steer_auction(deals[row], table, self.aim_seat[row], self.aim[row]))
            else:
                continue
            if steered >= 0:
                actions[row] = steered
        for row in acting[np.isin(deals["phase"][acting], (WARSAW, RAISE))]:
            warsaw = deals["phase"][row] == WARSAW
            if self.target[row] >= 0:
                actions[row] = BID + self.target[row] if warsaw else RAISE_ACTION
            elif self.aim_seat[row] >= 0:
                actions[row] = PASS if warsaw else GOOD
        talking = acting[np.isin(deals["phase"][acting], (ANNOUNCE, KONTRA))]
        actions[talking[self.quiet[talking] | self.modest[talking] & (actions[talking] == VALAT_ACTION)]] = GOOD
        for row in acting[(deals["phase"][acting] == TALON) & ~self.concedes[acting]]:
            if actions[row] == CONCEDE:
                groups = np.flatnonzero(mask_bits(deals["legal"][row])[TALON_ACTION : TALON_ACTION + 6])
                actions[row] = TALON_ACTION + self.rng.choice(groups)
        return actions

    # -- checking --

    def _note(self, rows: NDArray[np.int64], text: str, details: list[str]) -> None:
        """Keep a finding once for each contract it concerns."""
        for row, detail in zip(rows.tolist(), details, strict=True):
            contract = int(self.batch.deals["contract"][row])
            where = f"contract {CONTRACTS[contract]}" if 0 <= contract < len(CONTRACTS) else "auction"
            self.findings.setdefault(f"{where}: {text}{detail}", row)

    def _check_states(self, acting: NDArray[np.int64]) -> None:
        """The invariants of every state in which somebody must act; a row without a legal action is given up."""
        deals = self.batch.deals
        masks = mask_bits(deals["legal"][acting])
        phases = [PHASES[phase] for phase in deals["phase"][acting]]
        stuck = ~masks.any(axis=1)
        self._note(acting[stuck], "no legal action in phase ", [phases[index] for index in np.flatnonzero(stuck)])
        unknown = (masks & ~KNOWN).any(axis=1)
        self._note(acting[unknown], "a reserved action is legal in phase ", [phases[index] for index in np.flatnonzero(unknown)])
        seats = deals["seat"][acting].astype(np.int64)
        foreign = (seats < 0) | (seats >= self.rules.players)
        hands = deals["hands"][acting, np.clip(seats, 0, MAX_SEATS - 1)]
        foreign |= ((deals["legal"][acting, 0] | deals["legal"][acting, 1]) & ~hands) != 0
        self._note(acting[foreign], "a card may be played that the seat does not hold", [""] * int(foreign.sum()))
        self._check_cards(acting)
        self._check_observations(acting, masks)
        self._give_up(acting[stuck])

    def _give_up(self, rows: NDArray[np.int64]) -> None:
        """Play these rows no further."""
        self.given_up[rows] = True
        self.batch.deals["phase"][rows], self.batch.deals["seat"][rows] = DONE, -1

    def _check_cards(self, rows: NDArray[np.int64]) -> None:
        """Every card is in exactly one place."""
        deals = self.batch.deals
        talon = np.bitwise_or.reduce(np.left_shift(np.uint64(1), deals["talon"][rows].astype(np.uint64)), axis=1)
        seen, twice = talon & ~deals["talon_taken"][rows], np.zeros(len(rows), np.uint64)
        for part in PARTS:
            for seat in range(MAX_SEATS):
                cards = deals[part][rows, seat]
                twice |= seen & cards
                seen |= cards
        wrong = np.flatnonzero((seen != ALL_CARDS) | (twice != 0))
        self._note(rows[wrong], "cards are lost or in two places", [""] * len(wrong))

    def _check_observations(self, acting: NDArray[np.int64], masks: NDArray[np.bool_]) -> None:
        """Rows in range, masks the legal actions."""
        count = self.num_deals
        observation, hidden = np.zeros((count, OBSERVATION_SIZE), np.uint8), np.zeros((count, HIDDEN_SIZE), np.uint8)
        shown = np.zeros((count, NUM_ACTIONS), np.bool_)
        self.batch.observe(observation, shown, hidden)
        for row, scale, name in ((observation, SCALE, "observation"), (hidden, HIDDEN_SCALE, "hidden observation")):
            out = ((row[acting] > 1) & (scale == 1)) | (row[acting] * scale > MAX_INPUT)
            wrong = np.flatnonzero(out.any(axis=1))
            self._note(acting[wrong], f"{name} out of range, feature ", [str(int(out[index].argmax())) for index in wrong])
        reserved = observation[acting][:, SLICES["reserved"]].any(axis=1)
        self._note(acting[reserved], "the reserved part of the observation is used", [""] * int(reserved.sum()))
        differ = (shown[acting] != masks).any(axis=1)
        self._note(acting[differ], "the action mask is not the legal actions", [""] * int(differ.sum()))

    def _check_ends(self) -> None:
        """Payments of finished deals."""
        rules, deals = self.rules, self.batch.deals
        names = {CONTRACT_IDS[contract.name]: contract for contract in rules.contracts}
        ended = np.flatnonzero(~self.given_up)
        known = np.isin(deals["contract"][ended], list(names))
        self._note(ended[~known], "the deal ended in a contract that the rules do not have", [""] * int((~known).sum()))
        ended = ended[known]
        played = [names[contract] for contract in deals["contract"][ended].tolist()]
        self.contracts.update(contract.name for contract in played)
        self.settled.update(ITEMS[item] for item in np.nonzero(deals["settled"][ended])[1])
        zero_sum = ended[np.array([not own_points(rules, contract) for contract in played], np.bool_)]
        for ledger in ("payoffs", "schrift"):
            sums = deals[ledger][zero_sum].sum(axis=1, dtype=np.int64)
            wrong = np.flatnonzero(sums != 0)
            self._note(zero_sum[wrong], f"{ledger} do not add up to zero", [""] * len(wrong))
        large = np.flatnonzero(np.abs(deals["payoffs"][ended].astype(np.int64)).max(axis=1, initial=0) > self.most)
        self._note(ended[large], f"a payoff is larger than the values allow ({self.most / SIXTHS:g} units)", [""] * len(large))
        absent = deals["payoffs"][ended][:, rules.players :].any(axis=1)
        self._note(ended[absent], "a seat that does not exist is paid", [""] * int(absent.sum()))


def way_to(rules: Rules, contract: Contract) -> tuple[int, int]:
    """What to aim at in the auction, and what that is to be turned into, so that this contract is played."""
    own = CONTRACT_IDS[contract.name]
    if contract.bid:
        return own, NO_AIM
    if contract == first_fewest(rules) and not rules.forehand_must_bid:
        return ALL_PASS, NO_AIM
    for other in rules.contracts:
        if other.converts_to == contract.name or (contract.name == RAISED and other.may_raise):
            return CONTRACT_IDS[other.name], own
    return NO_AIM, NO_AIM


def own_points(rules: Rules, contract: Contract) -> bool:
    """Whether everybody just loses his own points: the one game that is not zero-sum."""
    return contract.goal == Goal.FEWEST_POINTS and rules.all_against_all.scheme == FewestPoints.OWN_POINTS


def most_sixths(rules: Rules) -> int:
    """No seat can win or lose more in one deal."""
    values = {bonus.name: max(bonus.silent, bonus.announced) for bonus in rules.bonuses}
    multiple = max(rules.valat.silent_multiple, rules.valat.announced_multiple)
    most = 0
    for contract in rules.contracts:
        if contract.goal == Goal.FEWEST_POINTS:
            most = max(most, 2 * HALF_POINTS, rules.seventy, 8 * contract.value)
            continue
        levels = 3 * HALF_POINTS if contract.difference == Difference.MULTIPLIED else 1
        game = contract.value * contract.loss_factor * levels + HALF_POINTS + contract.value * multiple
        most = max(most, game + sum(2 * values[name] for name in contract.bonuses))
    melds = sum(2 * value for value in rules.melds.values()) * rules.players
    return (most * MAX_KONTRA * (2 if rules.rings else 1) + melds + rules.mond_penalty) * (rules.players - 1) * SIXTHS
