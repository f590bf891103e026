"""What can be said about a rule system from its data alone: settings that the engine cannot play, would ignore, or that look like slips."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from enum import EnumType
from typing import Any, get_type_hints

import numpy as np

from tarock_env.rules.options import EFFECTS, Effect, apply_options
from tarock_env.rules.schema import (
    ANY_BIRD,
    SINGLE_BIRDS,
    Announcer,
    Auction,
    Calls,
    Contract,
    Difference,
    FewestPoints,
    Goal,
    Kontra,
    Rules,
    RulesError,
    Talon,
    ValatScheme,
)
from tarock_env.rules.table import RAISED, rules_table

MAX_UNITS = 10_000  # values beyond would not fit the rules vector
MAX_THIRDS = 211  # the deck has 210
NEVER_EARNED = ("mond",)  # an item that the engine settles by itself
OF_A_CALLED_CARD = ("king_ultimo", "koenigfang")
WRITE = {int: "a whole number", bool: "True or False", str: "a text"}
OF_ONE_CARD = (*SINGLE_BIRDS, "king_ultimo")


def data_faults(rules: Rules) -> Iterator[str]:
    """What makes a rule system unplayable, or a setting that would have no effect; one line each."""
    mistyped = list(type_faults(rules))
    if mistyped:  # what follows reads the values
        yield from mistyped
        return
    yield from number_faults(rules)
    yield from auction_faults(rules)
    for contract in rules.contracts:
        yield from (f"contract {contract.name}: {fault}" for fault in contract_faults(rules, contract))
    yield from bonus_faults(rules)


def type_faults(rules: Rules) -> Iterator[str]:
    """Values of another kind than the schema says."""
    parts: list[tuple[str, Any]] = [("", rules), ("valat: ", rules.valat), ("all_against_all: ", rules.all_against_all)]
    parts += [(f"contract {contract.name}: ", contract) for contract in rules.contracts]
    parts += [(f"bonus {bonus.name}: ", bonus) for bonus in rules.bonuses]
    for where, part in parts:
        kinds = get_type_hints(type(part))
        for field in fields(part):
            kind, value = kinds[field.name], getattr(part, field.name)
            if kind in WRITE and type(value) is not kind:
                yield f"{where}{field.name} is {value!r}; write {WRITE[kind]}"
            elif isinstance(kind, EnumType) and not isinstance(value, kind):
                yield f"{where}{field.name} is {value!r}; write {kind.__name__}.{next(iter(kind)).name} or another {kind.__name__}"


def number_faults(rules: Rules) -> Iterator[str]:
    """Numbers outside of what records and observations hold."""
    named: list[tuple[str, object, int, int]] = [("version", rules.version, 1, MAX_UNITS)]
    for contract in rules.contracts:
        named.append((f"contract {contract.name}: value", contract.value, 0, MAX_UNITS))
        named.append((f"contract {contract.name}: tricks", contract.tricks, 0, rules.hand_size))
        longest = rules.hand_size if rules.any_suit_minimum else 8
        named.append((f"contract {contract.name}: minimum_suit", contract.minimum_suit, 0, longest))
    for bonus in rules.bonuses:
        named.append((f"bonus {bonus.name}: silent", bonus.silent, 0, MAX_UNITS))
        named.append((f"bonus {bonus.name}: announced", bonus.announced, 0, MAX_UNITS))
    named += [(f"meld {name}", value, 0, MAX_UNITS) for name, value in rules.melds.items()]
    named.append(("mond_penalty", rules.mond_penalty, 0, MAX_UNITS))
    named.append(("seventy", rules.seventy, 0, MAX_UNITS))
    named.append(("difference_rounding", rules.difference_rounding, 1, 35))
    named.append(("all_against_all: mayor_thirds", rules.all_against_all.mayor_thirds, 0, MAX_THIRDS))
    if rules.valat.scheme == ValatScheme.GAME_MULTIPLE:
        named.append(("valat: silent_multiple", rules.valat.silent_multiple, 0, 100))
        named.append(("valat: announced_multiple", rules.valat.announced_multiple, 1, 100))
    for name, value, low, high in named:
        if isinstance(value, bool) or not isinstance(value, int):
            yield f"{name} is {value!r}; write a whole number"
        elif not low <= value <= high:
            yield f"{name} is {value}; it lies between {low} and {high}"


def auction_faults(rules: Rules) -> Iterator[str]:
    """An auction that can get stuck."""
    sure = [c for c in rules.contracts if c.bid and not (c.opening_only or c.others_only) and any_hand_may_bid(rules, c)]
    fewest = [c for c in rules.contracts if c.goal == Goal.FEWEST_POINTS]
    if rules.forehand_must_bid and not sure:
        yield "forehand must bid, but there is no contract that any hand may bid there"
    if not rules.forehand_must_bid and not fewest:
        yield "all four may pass, but there is no all-against-all contract to be played then"
    if rules.auction == Auction.ONE_ROUND and rules.forehand_may_hold:
        yield "forehand_may_hold has no effect: in a single round P0 speaks once"
    if rules.opening_games and rules.auction != Auction.FOREHAND_FIRST:
        yield "opening_games has no effect: P0 opens only where the auction is FOREHAND_FIRST"


def any_hand_may_bid(rules: Rules, contract: Contract) -> bool:
    """Whether a contract asks nothing of the cards."""
    may_call = contract.calls != Calls.KING or rules.own_king_callable
    return may_call and not contract.bird and not contract.minimum_suit


def contract_faults(rules: Rules, contract: Contract) -> Iterator[str]:
    """What is wrong with one contract."""
    if not reachable(rules, contract):
        yield f"can never be played; {way_in(rules, contract)}"
    about_points = contract.goal == Goal.POINTS
    if not about_points:
        goal = contract.goal.name.lower()
        if contract.bonuses:
            yield f"counts bonuses, but where the goal is {goal} none is settled"
        if contract.calls:
            yield f"calls a card, but where the goal is {goal} everybody plays for himself"
        if contract.loss_factor != 1 or contract.difference != Difference.NONE:
            yield f"loss_factor and difference have no effect where the goal is {goal}"
    elif contract.loss_factor != 1 and contract.difference != Difference.NONE:
        yield "loss_factor has no effect beside a difference"
    if contract.goal == Goal.FEWEST_POINTS and (contract.kontra or contract.talon != Talon.UNUSED or contract.bird):
        yield "an all-against-all game has no kontra, no bird and no exchange; its talon is set in all_against_all"
    if contract.kontra == Kontra.EACH_OPPONENT and contract.goal != Goal.TRICKS:
        yield "kontra by each opponent has an effect only where the goal is tricks"
    if contract.may_raise and contract.talon == Talon.UNUSED:
        yield "may_raise has no effect: the raise follows an exchange"
    if contract.may_raise and not any(other.name == RAISED for other in rules.contracts):
        yield f"may_raise needs a contract named {RAISED}"
    birds = SINGLE_BIRDS if contract.bird == ANY_BIRD else (contract.bird,) if contract.bird else ()
    for bird in birds:
        if bird not in contract.bonuses:
            yield f"the bid announces {bird}, which is not among its bonuses and would never be paid"
    if not contract.calls:
        for name in OF_A_CALLED_CARD:
            if name in contract.bonuses:
                yield f"counts {name}, but calls no card"


def reachable(rules: Rules, contract: Contract) -> bool:
    """Whether some course of the auction can end in this contract."""
    if contract.bid:
        if contract.others_only and (contract.forehand_only or contract.opening_only):
            return False
        if contract.opening_only:
            return rules.auction == Auction.FOREHAND_FIRST
        if rules.auction == Auction.ONE_ROUND and contract.others_only and rules.forehand_must_bid:
            return any(c.bid and not c.others_only and c.rank < contract.rank for c in rules.contracts)
        return True
    if contract.goal == Goal.FEWEST_POINTS and contract == first_fewest(rules):
        if not rules.forehand_must_bid or rules.rings:
            return True
    if contract.name == RAISED and any(c.may_raise for c in rules.contracts):
        return True
    return any(c.converts_to == contract.name and not c.others_only for c in rules.contracts)


def way_in(rules: Rules, contract: Contract) -> str:
    """How an unreachable contract could be reached."""
    if contract.bid:
        return "an opening needs the auction FOREHAND_FIRST" if contract.opening_only else "nobody may bid it"
    if contract.goal == Goal.FEWEST_POINTS:
        return "it is not bid, P0 may not pass, and nothing converts to it"
    return "it is not bid, and nothing converts or is raised to it"


def first_fewest(rules: Rules) -> Contract | None:
    """The all-against-all contract that the rules themselves may set."""
    return next((c for c in rules.contracts if c.goal == Goal.FEWEST_POINTS), None)


def bonus_faults(rules: Rules) -> Iterator[str]:
    """Bonuses that could not be paid, melds and penalties without effect."""
    multiple = rules.valat.scheme == ValatScheme.GAME_MULTIPLE
    for bonus in rules.bonuses:
        if bonus.name in NEVER_EARNED:
            yield f"bonus {bonus.name} cannot be earned; its price is mond_penalty"
        elif not any(bonus.name in contract.bonuses for contract in rules.contracts):
            yield f"bonus {bonus.name} counts in no contract"
        if bonus.announcer == Announcer.HOLDER and bonus.name not in OF_ONE_CARD:
            yield f"bonus {bonus.name} is not about one card, so nobody could announce it as its holder"
        payable = bonus.silent or (bonus.announced and bonus.announcer != Announcer.NOBODY)
        if not payable and not (multiple and bonus.name == "valat"):
            yield f"bonus {bonus.name} pays nothing"
    if rules.mond_to_partner and not rules.mond_penalty:
        yield "mond_to_partner has no effect without a mond_penalty"
    if rules.seventy and rules.all_against_all.scheme != FewestPoints.OWN_POINTS:
        yield "seventy has no effect: the all-against-all game does not pay own points"
    early = rules.valat.ends_deal or any(c.goal in (Goal.TRICKS, Goal.SLAM) and c.kontra for c in rules.contracts)
    if rules.melds and early:
        yield "melds are counted from the cards played, so no contract with a round of announcements may end before the last trick"


def data_doubts(rules: Rules) -> Iterator[str]:
    """What can be played, but looks like a slip."""
    if not rules.title or not rules.sources:
        yield "title and sources are empty; say what the rules are and where they stand"
    for bonus in rules.bonuses:
        if bonus.announcer != Announcer.NOBODY and bonus.announced < bonus.silent:
            yield f"bonus {bonus.name} is worth less announced ({bonus.announced}) than silent ({bonus.silent})"
    own_points = rules.all_against_all.scheme == FewestPoints.OWN_POINTS
    for contract in rules.contracts:
        if contract.value == 0 and not (contract.goal == Goal.FEWEST_POINTS and own_points):
            yield f"contract {contract.name} is worth nothing"
    bid = [c for c in rules.contracts if c.bid]
    for index, contract in enumerate(bid):
        for other in bid[index + 1 :]:
            if contract.rank == other.rank and contract.value != other.value:
                yield f"{contract.name} ({contract.value}) and {other.name} ({other.value}) share rank {contract.rank}, so neither overbids"


def option_faults(rules: Rules, effects: Mapping[str, Effect]) -> Iterator[str]:
    """Options that nobody can set, or that change nothing. The rules must have no other fault, and none chosen."""
    names = [option.name for option in rules.options]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"option {name} is listed twice"
    base = rules_table(rules)
    for option in rules.options:
        if option.name not in {**EFFECTS, **effects}:
            yield f"option {option.name} has no effect; add it to OPTION_EFFECTS"
            continue
        if len(option.values) < 2:
            yield f"option {option.name} has one value only"
        for value in option.values[1:]:
            try:
                changed = apply_options(rules, {option.name: value}, effects)
                faults = list(data_faults(changed))
                table = None if faults else rules_table(changed)
            except RulesError as error:
                faults, table = [str(error)], None
            if faults:
                yield f"option {option.name}={shown(value)}: {faults[0]}"
            elif table is not None and same_rules(base, table):
                yield f"option {option.name}={shown(value)} changes nothing"


def same_rules(one: np.recarray, other: np.recarray) -> bool:
    """Whether two tables of one row play alike."""
    return all(np.array_equal(one[name], other[name]) for name in one.dtype.names or ())


def shown(value: object) -> str:
    """A value as it is typed on a command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)
