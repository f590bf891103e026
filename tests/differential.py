"""The engine against the slow oracle: one deal played in both, compared at every decision.

A deal aims at one contract, dealt so that somebody may bid it, and has a mood: how much is announced and doubled, how cards are
played, whether the declarer's hand is strong or weak. So everything that the rules know occurs in a few hundred deals.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarock_env.actions import CONTRACT_IDS, ITEM_IDS
from tarock_env.cards import CARD_IDS, CARD_NAMES, card_mask
from tarock_env.engine.auction import qualified_bids
from tarock_env.engine.seats import with_declarer
from tarock_env.engine.state import DONE
from tarock_env.replay import known_sides
from tarock_env.rules import Rules
from tarock_env.rules.schema import Announcer, Calls, Contract, Goal, Kontra, Talon
from tarock_env.rules.table import rules_table
from tests.oracle import new_deal
from tests.oracle.core import OracleDeal
from tests.oracle.verify import result_differences
from tests.positions import Position, act, begin

BIRDS = ("pagat", "uhu", "kakadu", "quapil")
# How the declarer's hand is dealt: relative weights of its cards, 1 for the rest.
TAROCKS, KINGS = [f"T{number}" for number in range(1, 23)], ["HK", "DK", "SK", "CK"]
LOW = [card for card in CARD_NAMES if card[1:] in ("1", "2", "3", "4", "7", "8", "9", "10")]


def any_hand(rng: random.Random) -> Mapping[str, float]:
    return {}


def strong(rng: random.Random) -> Mapping[str, float]:
    return {card: 4 + int(card[1:]) for card in TAROCKS} | dict.fromkeys(KINGS, 40)


def all_tricks(rng: random.Random) -> Mapping[str, float]:
    return {card: 1.7 ** int(card[1:]) for card in TAROCKS} | dict.fromkeys(KINGS, 3000)


def weak(rng: random.Random) -> Mapping[str, float]:
    return dict.fromkeys(LOW, 8) | dict.fromkeys(("T22", "T21", *KINGS), 0.1) | dict.fromkeys(TAROCKS[:20], 0.5)


def kings(rng: random.Random) -> Mapping[str, float]:
    """Three kings or four; with four, some queens stay elsewhere."""
    held = rng.sample(KINGS, rng.choice([3, 4]))
    return dict.fromkeys(KINGS, 0.01) | dict.fromkeys(held, 1e6)


def birds(rng: random.Random) -> Mapping[str, float]:
    return dict.fromkeys(TAROCKS[:4], 40)


def one_suit(rng: random.Random) -> Mapping[str, float]:
    suit = rng.choice("HDSC")
    return dict.fromkeys([card for card in CARD_NAMES if card[0] == suit], 60)


def solid_suits(rng: random.Random) -> Mapping[str, float]:
    """Two suits from the top."""
    suits = rng.sample("HDSC", 2)
    return {card: 3.0 ** ((CARD_IDS[card] - 22) % 8 + 5) for card in CARD_NAMES if card[0] in suits}


def nineteen(rng: random.Random) -> Mapping[str, float]:
    """XIX and some of those below it."""
    return dict.fromkeys(("T19", "T18", "T17", "T16")[: rng.choice([2, 3, 3, 4])], 1e4) | dict.fromkeys(("T16",), 0.1)


Shape = Callable[[random.Random], Mapping[str, float]]
FITTING: dict[Goal, tuple[Shape, ...]] = {
    Goal.POINTS: (any_hand, any_hand, strong, birds, one_suit, all_tricks),
    Goal.TRICKS: (any_hand, weak, weak, weak, one_suit),
    Goal.SLAM: (any_hand, strong, all_tricks, solid_suits),
    Goal.FEWEST_POINTS: (any_hand, any_hand, weak, strong),
}
CALLING: tuple[Shape, ...] = (kings, kings, nineteen)
STYLES = {  # how cards are played: by chance, birds held back, one side strong and the other weak
    Goal.POINTS: ("chance", "hold", "hold", "declarers", "defenders"),
    Goal.TRICKS: ("chance", "defenders", "defenders", "piccolo"),
    Goal.SLAM: ("chance", "declarers", "declarers"),
    Goal.FEWEST_POINTS: ("chance", "declarers", "defenders"),
}
TRIES = 60


class Difference(AssertionError):
    """Engine and oracle disagree; the message has the record up to there."""


@dataclass
class Mood:
    """How one deal is played."""

    aim: str  # contract
    talk: float  # announcements and kontras against `good`
    valat: float
    style: str  # of the cards

    @classmethod
    def draw(cls, rng: random.Random, contract: Contract) -> Mood:
        return cls(
            aim=contract.name,
            talk=rng.choice([0, 0.1, 0.5, 2, 6]),
            valat=rng.choice([0, 0, 0.02, 0.3]),
            style=rng.choice(STYLES[contract.goal]),
        )

    def weight(self, name: str, at: Position) -> float:
        """The relative chance of an action."""
        verb, _, what = name.partition(":")
        if verb == "bid":
            return 100 if what == self.aim else 0.02
        if verb in ("pass", "forehand"):
            return 3
        if verb in ("announce", "kontra"):
            return self.talk * 2 if verb == "kontra" else self.valat if what == "valat" else self.talk
        if verb == "play":
            return self.card_weight(what, at)
        return 0.7 if verb == "raise" else 2 if verb == "concede" else 1

    def card_weight(self, card: str, at: Position) -> float:
        if self.style == "chance":
            return 1
        deal, number = at.deal, CARD_IDS[card]
        if self.style == "hold":
            due = at.rules.hand_size - 1 - (number if number < 4 else 0)
            held = number < 4 or number == deal.called
            return 1 if not held else 0.01 if deal.trick_number < due else 30
        strength = 10 + number if number < 22 else (number - 22) % 8
        declarers = bool(with_declarer(deal, deal.seat))
        if self.style == "piccolo":
            strong = declarers == bool(deal.tricks_won[deal.declarer] < at.rules.contract(self.aim).tricks)
        else:
            strong = declarers == (self.style == "declarers")
        return float(2.0**strength) if strong else float(2.0**-strength)


def random_header(rules: Rules, table: Any, rng: random.Random, contract: Contract) -> dict[str, Any]:
    """A deal record without actions, dealt until the hand of some seat allows the contract."""
    players = rules.players
    forehand = rng.randrange(players)
    seat = rng.randrange(players)
    if contract.forehand_only or contract.opening_only or contract.converts_to:
        seat = forehand
    elif contract.others_only:
        seat = (forehand + rng.randrange(1, players)) % players
    wanted = 1 << CONTRACT_IDS[contract.name]
    shapes = FITTING[contract.goal] + (CALLING if contract.calls else ())
    for _ in range(TRIES):
        hands, talon = shaped_hands(rng, players, rng.choice(shapes), seat)
        if not contract.bid or int(qualified_bids(table, np.uint64(card_mask(hands[seat])))) & wanted:
            break
    header: dict[str, Any] = {
        "format": "tarock-deal/1",
        "rules": rules.id,
        "options": dict(rules.chosen),
        "forehand": forehand,
        "hands": [" ".join(hand) for hand in hands],
        "talon": " ".join(talon),
    }
    if rules.rings:
        header["match"] = {
            "totals": [rng.choice([-77, 3, 12]) for _ in range(players)],
            "rings": [rng.choice([0, 0, 1, 2]) for _ in range(players)],
        }
        if rng.random() < 0.04 or not all(any(card[0] == "T" for card in hand) for hand in hands):
            header["forced"] = "all_beggars"
    return header


def shaped_hands(rng: random.Random, players: int, shape: Shape, seat: int) -> tuple[list[list[str]], list[str]]:
    """Random hands and talon; the cards of `seat` are drawn by the shape's weights."""
    weights = shape(rng)
    order = sorted(CARD_NAMES, key=lambda card: rng.random() ** (1 / weights.get(card, 1)), reverse=True)
    size = 48 // players
    rest = order[size:]
    rng.shuffle(rest)
    hands = [[rest.pop() for _ in range(size)] for _ in range(players - 1)]
    hands.insert(seat, order[:size])
    return hands, rest


def compare_deal(header: Mapping[str, Any], mood: Mood, rng: random.Random, seen: Counter[str]) -> None:
    """Play one deal in engine and oracle. Raises Difference at the first decision, or in the result, where they disagree."""
    at, oracle = begin(header), new_deal(dict(header))
    while not oracle.finished and at.deal.phase != DONE:
        names = at.legal_names
        check_decision(header, at, oracle, names)
        name = rng.choices(names, [mood.weight(name, at) + 1e-9 for name in names])[0]
        note_action(name, at, seen)
        act(at, name)
        oracle.apply(name)
    if not (oracle.finished and at.finished):
        fail(header, oracle, f"finished: engine {at.finished}, oracle {oracle.finished}")
    differences = result_differences(at.result, oracle.result())
    if differences:
        fail(header, oracle, "; ".join(differences).replace("record", "engine"))
    note_result(at, oracle, seen)


def check_decision(header: Mapping[str, Any], at: Position, oracle: OracleDeal, names: list[str]) -> None:
    """Player, exact legal set, and which sides the player knows."""
    if at.seat != oracle.seat:
        fail(header, oracle, f"player: engine {at.seat}, oracle {oracle.seat}")
    mine, theirs = set(names), oracle.legal()
    if mine != theirs:
        fail(header, oracle, f"legal: only the engine {sorted(mine - theirs)}, only the oracle {sorted(theirs - mine)}")
    known, expected = known_sides(at.deal, at.rules, at.seat), oracle.sides_known_to(at.seat)
    if known != expected:
        fail(header, oracle, f"sides known to {at.seat}: engine {known}, oracle {expected}")


def fail(header: Mapping[str, Any], oracle: OracleDeal, what: str) -> None:
    """Raise with a record that shows the fault."""
    record = {**header, "actions": [f"{seat} {name}" for seat, name in oracle.history]}
    raise Difference(f"{what}\nafter {len(oracle.history)} actions of {record}".replace("'", '"'))


def compare_deals(rules: Rules, count: int, seed: int) -> Counter[str]:
    """Compare that many deals; returns what occurred in them."""
    rng = random.Random(f"{rules.id} {seed}")
    table = rules_table(rules)[0]
    aims = [contract for contract in rules.contracts if contract.name != "colour_slam"]
    seen: Counter[str] = Counter()
    for number in range(count):
        aim = aims[number % len(aims)]
        compare_deal(random_header(rules, table, rng, aim), Mood.draw(rng, aim), rng, seen)
    return seen


# -- what occurred -----------------------------------------------------------------------------------------------------------------

COUNTED = ("announce:", "meld:", "call:", "choose:", "raise:")


def note_action(name: str, at: Position, seen: Counter[str]) -> None:
    """Count actions that stand for themselves."""
    if name.startswith(COUNTED) or name in ("concede", "bid:warsaw"):
        seen[name] += 1
    elif name.startswith("kontra:"):
        item = name.removeprefix("kontra:").partition("@")[0]
        deal = at.deal
        duel = at.table.kontra[deal.contract] == Kontra.EACH_OPPONENT
        other = int(name.partition("@")[2] or deal.seat)
        factor = 2 << int(deal.seat_kontra[other] if duel else deal.kontra[ITEM_IDS[item]])
        seen[f"{'own ' if duel else ''}kontra:{item} x{factor}"] += 1


def note_result(at: Position, oracle: OracleDeal, seen: Counter[str]) -> None:
    """Count what the result shows."""
    result, deal = at.result, at.deal
    seen[f"contract {result['contract']}"] += 1
    for item in result["items"]:
        name = item["item"]
        if name == "game":
            seen[f"{result['contract']} {'won' if item['made'] else 'lost'}"] += item["made"] is not None
        elif not name.startswith("meld:"):
            how = "announced" if item["announced"] else "silent"
            seen[f"{how} {name} {'made' if item['made'] else 'lost'}"] += 1
    if "level" in result:
        seen[f"level {result['level']}"] += 1
    if oracle.forced:
        seen["forced all_beggars"] += 1
    elif at.rules.rings and result["declarer"] is not None and oracle.rings[result["declarer"]]:
        seen["declarer with an open ring"] += 1
    if result["declarer"] is not None and deal.called >= 0 and deal.king_in_talon:
        seen["called card in the talon"] += 1
    if result["declarer"] is not None and int(deal.discards_shown):
        seen["tarocks or suit cards discarded openly"] += 1
    if deal.called >= 0 and deal.trick_number < at.rules.hand_size and not deal.conceded:
        seen["announced valat ended the deal"] += 1


def events(rules: Rules) -> set[str]:
    """All that can occur in a rule system, by the names that are counted."""
    names: set[str] = set()
    for contract in rules.contracts:
        names.add(f"contract {contract.name}")
        if contract.goal != Goal.FEWEST_POINTS:
            names |= {f"{contract.name} won", f"{contract.name} lost"}
        if contract.kontra == Kontra.EACH_OPPONENT:
            names |= {f"own kontra:game x{factor}" for factor in (2, 4, 8)}
        elif contract.kontra == Kontra.SIDES:
            names |= {f"kontra:game x{factor}" for factor in (2, 4, 8)}
            doubled = {bonus.name for bonus in rules.bonuses if bonus.announcer != Announcer.NOBODY and bonus.name in contract.bonuses}
            names |= {f"kontra:{bonus} x{factor}" for bonus in doubled for factor in (2, 4, 8)}
        if contract.talon == Talon.STAGED:
            names |= {"level 1", "level 2", "level 3"}
        if contract.calls == Calls.KING:
            names |= {"call:fourth", "called card in the talon", *(f"call:{suit}K" for suit in "HDSC")}
            if rules.queens_with_four_kings:
                names |= {f"call:{suit}Q" for suit in "HDSC"}
        if contract.calls == Calls.TAROCK:
            names |= {"call:T19", "call:T18", "call:T17", "call:T16", "called card in the talon"}
        if contract.may_raise:
            names.add("raise:colour_slam")
    for bonus in rules.bonuses:
        if bonus.announcer != Announcer.NOBODY:
            names |= {f"announce:{bonus.name}", f"announced {bonus.name} made", f"announced {bonus.name} lost"}
        if bonus.silent or bonus.name == "valat":
            names.add(f"silent {bonus.name} made")
    names |= {f"meld:{meld}" for meld in rules.melds}
    if any(contract.name == "warsaw" for contract in rules.contracts):
        names.add("bid:warsaw")
    if rules.may_concede:
        names.add("concede")
    if rules.rings:
        names |= {"forced all_beggars", "declarer with an open ring", "silent mond made"}
    if rules.all_against_all.forehand_chooses_beat:
        names |= {"choose:beat", "choose:free", "choose:talon_first", "choose:talon_last"}
    if not rules.free_tarock_discards:
        names.add("tarocks or suit cards discarded openly")
    return names
