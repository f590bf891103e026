"""Builders that make a test read like a rule: positions in the play, deals from the auction on, finished deals by their piles.

at = position("steirisch", led="HK", hand="S7 T15 T3")
assert legal(at) == cards("T15 T3")

deal = start("wiener", {0: "HK DK SK CK"}, "0 forehand", "1 pass", "2 pass", "3 pass")
assert "rufer" in bids(deal)

end = settled("juegatu", "rufer", declarer=0, partner=1, pile=cards_worth(thirds=107))
assert end.payoffs == (2, 2, -2, -2)
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from tarock_env.actions import CONTRACT_IDS, CONTRACTS, ITEM_IDS, MELDS, action_id
from tarock_env.cards import CARD_NAMES, CARD_VALUES, card_id, card_mask
from tarock_env.engine.bits import card_groups, card_thirds
from tarock_env.engine.score import score_deal
from tarock_env.engine.seats import reveal_all
from tarock_env.engine.state import DONE, PLAY, SIXTHS, new_deals
from tarock_env.engine.step import begin_deal, is_legal, step, update_legal
from tarock_env.legal import legal_names
from tarock_env.results import result_of
from tarock_env.rules import Rules, load_rules
from tarock_env.rules.table import rules_table

KEPT = "HK DK T22"  # declarer's share of the seven great cards in `cards_worth`: with these nobody earns a bonus by his pile
SPARED = "HK DK SK CK T22 T21 T1 T2 T3 T4"


@dataclass(frozen=True)
class Position:
    """A DEAL record with its rules."""

    deal: Any
    table: Any
    rules: Rules

    @property
    def seat(self) -> int:
        return int(self.deal.seat)

    @property
    def finished(self) -> bool:
        return bool(self.deal.phase == DONE)

    @property
    def result(self) -> dict[str, Any]:
        assert self.finished
        return result_of(self.deal, self.rules)

    @property
    def payoffs(self) -> tuple[Fraction, ...]:
        return tuple(map(Fraction, self.result["payoffs"]))

    @property
    def schrift(self) -> tuple[Fraction, ...]:
        return tuple(map(Fraction, self.result["schrift"]))

    @property
    def rings(self) -> tuple[int, ...]:
        return tuple(self.result["rings"])

    @property
    def items(self) -> list[str]:
        """Names of the settled items, sorted."""
        return sorted(item["item"] for item in self.result["items"])

    def item(self, name: str) -> dict[str, Any]:
        return next(item for item in self.result["items"] if item["item"] == name)

    @property
    def legal_names(self) -> list[str]:
        """Legal actions of the acting seat, sorted."""
        return [] if self.finished else legal_names(self.deal.legal, self.seat, self.rules.players).split()


# -- sets of names ----------------------------------------------------------------------------------------------------------------


def cards(text: str) -> set[str]:
    """The named cards."""
    names = set(text.split())
    assert names <= set(CARD_NAMES), names - set(CARD_NAMES)
    return names


def legal(at: Position) -> set[str]:
    """What the acting seat may do; cards without their verb."""
    return {name.removeprefix("play:").removeprefix("discard:") for name in at.legal_names}


def bids(at: Position) -> set[str]:
    """Contracts that the acting seat may bid."""
    return {name.removeprefix("bid:") for name in at.legal_names if name.startswith("bid:")}


# -- whole deals --------------------------------------------------------------------------------------------------------------------


def header(
    system: str,
    hands: Mapping[int, str] | None = None,
    *,
    talon: str = "",
    forehand: int = 0,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """A deal record without actions. hands: cards that a seat surely has; talon: its first cards.

    The rest is dealt by chance, so that every hand has a tarock. fields: `match`, `forced`.
    """
    players = load_rules(system).players
    given = {seat: (hands or {}).get(seat, "").split() for seat in range(players)}
    used = {card for held in given.values() for card in held} | set(talon.split())
    rng = random.Random(seed)
    while True:
        rest = [card for card in CARD_NAMES if card not in used]
        rng.shuffle(rest)
        dealt = [held + [rest.pop() for _ in range(48 // players - len(held))] for held in given.values()]
        if all(any(card[0] == "T" for card in hand) for hand in dealt):
            break
    return {
        "format": "tarock-deal/1",
        "rules": system,
        "options": dict(options or {}),
        "forehand": forehand,
        "hands": [" ".join(hand) for hand in dealt],
        "talon": " ".join(talon.split() + rest),
        **fields,
    }


def begin(record: Mapping[str, Any]) -> Position:
    """The deal of a record before its first action."""
    at = blank(record["rules"], record.get("options", {}))
    rules, deal = at.rules, at.deal
    deal.forehand = record["forehand"]
    deal.talon[:] = [card_id(card) for card in record["talon"].split()]
    for seat, hand in enumerate(record["hands"]):
        deal.hands[seat] = deal.dealt[seat] = card_mask(hand)
    match = record.get("match", {})
    deal.rings[: rules.players] = match.get("rings", 0)
    deal.totals[: rules.players] = np.multiply(match.get("totals", 0), SIXTHS)
    deal.forced = "forced" in record
    begin_deal(deal, at.table)
    return at


def start(system: str, hands: Mapping[int, str] | None = None, *actions: str, **given: Any) -> Position:
    """A deal after the given actions ("SEAT NAME"); `given` as in `header`."""
    return go(begin(header(system, hands, **given)), *actions)


def go(at: Position, *actions: str) -> Position:
    """Take actions in place, each checked; returns the position."""
    for action in actions:
        seat, name = action.split(" ", 1)
        assert int(seat) == at.seat, f"{action}: seat {at.seat} acts"
        act(at, name)
    return at


def act(at: Position, name: str) -> None:
    """One action of the acting seat."""
    action = action_id(name, at.seat, at.rules.players)
    assert is_legal(at.deal, action), f"seat {at.seat} may not {name}; legal: {' '.join(at.legal_names)}"
    step(at.deal, at.table, action)


def goods(at: Position) -> Position:
    """Everybody says `good` until the cards are played."""
    while "good" in at.legal_names:
        act(at, "good")
    return at


def blank(system: str, options: Mapping[str, Any]) -> Position:
    """A DEAL record with nothing in it yet."""
    rules, table = _loaded(system, tuple(sorted(options.items())))
    deal = new_deals(1)[0]
    deal.num_seats = rules.players
    return Position(deal, table, rules)


@cache
def _loaded(system: str, options: tuple[tuple[str, Any], ...]) -> tuple[Rules, Any]:
    rules = load_rules(system, dict(options))
    return rules, rules_table(rules)[0]


# -- positions in the play ------------------------------------------------------------------------------------------------------------


def position(
    system: str,
    contract: str = "",
    *,
    hand: str,
    led: str = "",
    trick: int = 1,
    declarer: int = 0,
    partner: int | None = None,
    called: str | None = None,
    announced: Mapping[str, int] | None = None,
    must_beat: bool | None = None,
    **options: Any,
) -> Position:
    """Seat 0 holds `hand` and is to play to the cards already in the trick (`led`, the led card first), or to lead.

    contract: a Dreier or Solo With Three where it does not matter. announced: bonus -> seat. must_beat: what P0 chose (Tirol).
    """
    at = blank(system, options)
    rules, deal = at.rules, at.deal
    _set_contract(at, contract or ("solo_three" if rules.rings else "dreier"), declarer, partner, called)
    table = led.split()
    deal.hands[0] = card_mask(hand)
    deal.trick[: len(table)] = [card_id(card) for card in table]
    deal.trick_size, deal.trick_number = len(table), trick - 1
    deal.leader, deal.seat = -len(table) % rules.players, 0
    for bonus, seat in (announced or {}).items():
        deal.announced_by[ITEM_IDS[bonus]] = seat
    if must_beat is not None:
        deal.must_beat = must_beat
    update_legal(deal, at.table)
    return at


def trick_winner(system: str, contract: str, trick: str, leader: int = 0, **options: Any) -> int:
    """The seat that wins a trick, its cards in order of play."""
    at = blank(system, options)
    _set_contract(at, contract, 0, None, None)
    _play_trick(at, 5, leader, trick)
    return int(at.deal.tricks_won.argmax())


def _set_contract(at: Position, contract: str, declarer: int, partner: int | None, called: str | None) -> None:
    deal = at.deal
    at.rules.contract(contract)
    deal.contract, deal.declarer, deal.phase = CONTRACT_IDS[contract], declarer, PLAY
    deal.partner = -1 if partner is None else partner
    deal.called = -1 if called is None else card_id(called)
    reveal_all(deal)


def _play_trick(at: Position, number: int, leader: int, trick: str) -> None:
    """Play one trick from hands that hold nothing else."""
    deal = at.deal
    names = trick.split()
    assert len(names) == at.rules.players, trick
    deal.trick_number, deal.leader, deal.seat = number - 1, leader, leader
    for index, card in enumerate(names):
        deal.hands[(leader + index) % at.rules.players] = card_mask(card)
    for card in names:
        update_legal(deal, at.table)
        act(at, f"play:{card}")


# -- finished deals by their piles ------------------------------------------------------------------------------------------------------


def cards_worth(*, thirds: int = 0, groups: int = 0, holding: str = KEPT, without: str = SPARED) -> list[str]:
    """Cards that count exactly so many thirds, or so many whole points in groups of three, `holding` among them.

    By default no side then has Trull, four kings or five of the seven great cards.
    """
    wanted = thirds or 3 * groups
    pile = holding.split()
    rest = [card for card in CARD_NAMES if card not in {*pile, *without.split()}]
    for card in sorted(rest, key=lambda card: -CARD_VALUES[card_id(card)]):
        if thirds_of(pile) + thirds_of([card]) <= wanted:
            pile.append(card)
    assert thirds_of(pile) == wanted, f"{wanted} thirds do not work out: {thirds_of(pile)}"
    assert not groups or groups_of(pile) == groups
    return pile


def thirds_of(pile: Iterable[str]) -> int:
    """The engine's count of a pile in thirds."""
    return int(card_thirds(np.uint64(card_mask(pile))))


def groups_of(pile: Iterable[str]) -> int:
    """The engine's count of a pile in whole points."""
    return int(card_groups(np.uint64(card_mask(pile))))


def heaps(*thirds: int) -> list[list[str]]:
    """Disjoint heaps of cards that count exactly so many thirds each."""
    result: list[list[str]] = [[] for _ in thirds]
    for card in sorted(CARD_NAMES, key=lambda card: -CARD_VALUES[card_id(card)]):
        room = [wanted - thirds_of(heap) for wanted, heap in zip(thirds, result, strict=True)]
        neediest = room.index(max(room))
        if room[neediest] >= thirds_of([card]):
            result[neediest].append(card)
    assert [thirds_of(heap) for heap in result] == list(thirds)
    return result


def settled(
    system: str,
    contract: str,
    *,
    declarer: int,
    partner: int | None = None,
    pile: Sequence[str] = (),
    tricks: Sequence[tuple[int, int, str]] = (),
    tricks_won: int | None = None,
    called: str | None = None,
    talon: str = "",
    taken: str = "",
    level: int = 0,
    announced: Mapping[str, int] | None = None,
    kontra: Mapping[str, int] | None = None,
    seat_kontra: Mapping[int, int] | None = None,
    melds: Mapping[int, tuple[str, str]] | None = None,
    rings: Sequence[int] = (),
    forehand: int = 0,
    options: Mapping[str, Any] | None = None,
) -> Position:
    """A finished deal with a declarer: what the two sides have in their piles, and the tricks that matter.

    pile: the declarer's side's cards, beside what it wins in `tricks`; every other card is the defenders'.
    tricks: (number, leader, cards in order of play), played one by one. tricks_won: of the declarer in all, 5 by default.
    talon, taken: six cards, and those that the declarer took. level: Czech Dreier. announced: bonus -> seat.
    kontra: item -> factor. seat_kontra: seat -> factor. melds: seat -> (meld, the seat's twelve cards). rings: open ones before the deal.
    """
    at = blank(system, options or {})
    rules, deal = at.rules, at.deal
    deal.forehand = forehand
    _set_contract(at, contract, declarer, partner, called)
    for bonus, seat in (announced or {}).items():
        deal.announced_by[ITEM_IDS[bonus]] = seat
    for item, factor in (kontra or {}).items():
        deal.kontra[ITEM_IDS[item]] = factor.bit_length() - 1
    for seat, factor in (seat_kontra or {}).items():
        deal.seat_kontra[seat] = factor.bit_length() - 1
    if talon:
        deal.talon[:] = [card_id(card) for card in talon.split()]
        deal.king_in_talon = called in talon.split()
        deal.talon_taken = card_mask(taken)
    deal.talon_choice = level - 1
    for seat, (meld, played) in (melds or {}).items():
        deal.melds[seat] = 1 << MELDS.index(meld)
        deal.played[seat] = card_mask(played)
    defender = next(seat for seat in range(rules.players) if seat not in (declarer, partner))
    elsewhere = {card for _, _, trick in tricks for card in trick.split()} | set(pile)
    deal.won[declarer] = card_mask(pile)
    deal.won[defender] = card_mask(card for card in CARD_NAMES if card not in elsewhere and card not in talon.split())
    for number, leader, trick in tricks:
        _play_trick(at, number, leader, trick)
    deal.trick_number = rules.hand_size
    own = 5 if tricks_won is None else tricks_won
    deal.tricks_won[:] = 0
    deal.tricks_won[declarer], deal.tricks_won[defender] = own, rules.hand_size - own
    deal.rings[:] = 0  # the last of `tricks` may have settled the deal already
    deal.rings[: len(rings)] = rings
    score_deal(deal, at.table)
    return at


def everybody_alone(
    system: str,
    *,
    thirds: Sequence[int] = (),
    groups: Sequence[int] = (),
    trickless: Sequence[int] = (),
    contract: str = "",
    rings: Sequence[int] = (),
    **options: Any,
) -> Position:
    """A finished all-against-all deal in which P0..P3 won so many thirds, or whole points; P0 is seat 0."""
    at = blank(system, options)
    rules, deal = at.rules, at.deal
    name = contract or CONTRACTS[at.table.fewest_contract]
    _set_contract(at, name, -1, None, None)
    for seat, heap in enumerate(heaps(*(thirds or [3 * points for points in groups]))):
        deal.won[seat] = card_mask(heap)
        deal.tricks_won[seat] = 0 if seat in trickless else 3
    deal.rings[: len(rings)] = rings
    deal.trick_number = rules.hand_size
    score_deal(deal, at.table)
    return at
