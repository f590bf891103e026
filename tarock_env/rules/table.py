"""`Rules` -> one numeric record that the kernels read: one compilation serves every rule system.

Per-contract arrays are indexed by contract id (actions.CONTRACTS), per-bonus arrays by item id (actions.ITEMS). Sets of
contracts are `uint64` masks by contract id, sets of items are `uint32` masks by item id.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from tarock_env.actions import CONTRACT_IDS, ITEM_IDS, MELDS, NUM_CONTRACT_SLOTS, NUM_ITEMS
from tarock_env.engine.jit import record_dtype
from tarock_env.rules.schema import (
    ANY_BIRD, SINGLE_BIRDS, TALON_GROUP, Announcer, Auction, Bonus, Calls, Contract, FewestPoints, Goal, Rules,
    Schrift, Talon, TalonTricks, Ultimo, ValatScheme,
)  # fmt: skip

_C = (NUM_CONTRACT_SLOTS,)
_I = (NUM_ITEMS,)

NUM_RULE_FEATURES = 64
RULE_VALUES = slice(NUM_RULE_FEATURES - NUM_ITEMS, NUM_RULE_FEATURES)  # where the bonus values stand in the vector
RAISED = "colour_slam"  # the contract that a Slovenian raise leads to

RULES = record_dtype(
    [
        ("num_seats", "i1"), ("hand_size", "i1"), ("num_tricks", "i1"),
        # auction
        ("auction", "i1"), ("forehand_may_hold", "i1"), ("forehand_must_bid", "i1"), ("opening_games", "i1"),
        ("any_suit_minimum", "i1"), ("queens_with_four_kings", "i1"), ("own_king_callable", "i1"),
        ("offered", "u8"), ("forehand_only", "u8"), ("opening_only", "u8"), ("others_only", "u8"), ("calls_king", "u8"),
        ("fewest_contract", "i1"), ("raise_contract", "i1"), ("converts_to", "i1", _C), ("may_raise", "i1", _C),
        ("needs_any_bird", "u8"), ("needs_bird", "u8", 4), ("minimum_suit_bids", "u8"), ("higher", "u8", _C),
        # contracts
        ("value", "i4", _C), ("loss_factor", "i1", _C), ("play", "i1", _C), ("goal", "i1", _C), ("tricks", "i1", _C),
        ("calls", "i1", _C), ("talon", "i1", _C), ("talon_group", "i1", _C), ("bird", "i1", _C), ("solo", "i1", _C),
        ("shown", "i1", _C), ("declarer_leads", "i1", _C), ("kontra", "i1", _C), ("emperor", "i1", _C),
        ("minimum_suit", "i1", _C), ("difference", "i1", _C), ("ring", "i1", _C), ("rank", "i1", _C),
        ("bonuses", "u4", _C), ("announceable", "u4", _C),
        # bonuses
        ("silent", "i4", _I), ("announced", "i4", _I), ("announcer", "i1", _I),
        ("bird_loss", "i1"), ("announced_bird_follows_trick", "i1"), ("ultimo", "i1"), ("ultimo_loss", "i1"),
        ("mond_penalty", "i2"), ("mond_to_partner", "i1"), ("rings", "i1"), ("difference_rounding", "i1"),
        # exchange, announcements, play
        ("may_concede", "i1"), ("king_half_to_declarer", "i1"), ("king_wins_talon", "i1"),
        ("king_in_talon_voids_kontra", "i1"), ("separate_kontra_round", "i1"), ("pagat_waits_for_all", "i1"),
        ("mond_guard", "i1"), ("colour_leads_free", "i1"),
        ("free_tarock_discards", "i1"), ("repeated_announcements", "i1"), ("announce_any_turn", "i1"),
        ("kontra_any_turn", "i1"), ("locks", "i1"),
        # valat
        ("valat_scheme", "i1"), ("valat_silent_multiple", "i1"), ("valat_announced_multiple", "i1"),
        ("valat_keeps_silent", "u4"), ("valat_keeps_announced", "u4"), ("valat_voids_game_kontra", "i1"),
        ("valat_excludes", "u4"), ("valat_in_solo", "i1"), ("valat_ends_deal", "i1"),
        # all against all
        ("fewest_scheme", "i1"), ("fewest_talon", "i1"), ("fewest_must_beat", "i1"), ("fewest_must_tarock", "i1"),
        ("fewest_chooses_beat", "i1"), ("fewest_exact", "i1"), ("mayor_thirds", "i2"), ("seventy", "i2"),
        ("schrift", "i1"), ("meld_value", "i4", (4,)),
        ("vector", "u1", (NUM_RULE_FEATURES,)),  # what a network sees of the rule system
    ],
)  # fmt: skip


def contract_set(rules: Rules, chosen: Callable[[Contract], bool]) -> int:
    """Mask of the contracts for which `chosen` holds."""
    return sum(1 << CONTRACT_IDS[contract.name] for contract in rules.contracts if chosen(contract))


def _needing(rules: Rules, bird: str) -> int:
    return contract_set(rules, lambda contract: contract.bird == bird)


def item_set(names: Iterable[str]) -> int:
    """Mask of the named items."""
    return sum(1 << ITEM_IDS[name] for name in set(names))


def _fill_auction(rules: Rules, row: np.record) -> None:
    row.num_seats, row.hand_size, row.num_tricks = rules.players, rules.hand_size, rules.hand_size
    row.auction = rules.auction
    for name in ("forehand_may_hold", "forehand_must_bid", "opening_games", "any_suit_minimum",
                 "queens_with_four_kings", "own_king_callable"):  # fmt: skip
        row[name] = getattr(rules, name)
    row.offered = contract_set(rules, lambda c: c.bid)
    row.forehand_only = contract_set(rules, lambda c: c.forehand_only)
    row.opening_only = contract_set(rules, lambda c: c.opening_only)
    row.calls_king = contract_set(rules, lambda c: c.calls == Calls.KING)
    row.needs_any_bird = contract_set(rules, lambda c: c.bird == ANY_BIRD)
    row.others_only = contract_set(rules, lambda c: c.others_only)
    for index, bird in enumerate(SINGLE_BIRDS):
        row.needs_bird[index] = _needing(rules, bird)
    row.minimum_suit_bids = contract_set(rules, lambda c: c.minimum_suit > 0)
    fewest = [CONTRACT_IDS[c.name] for c in rules.contracts if c.goal == Goal.FEWEST_POINTS]
    row.fewest_contract = fewest[0] if fewest else -1
    raised = [CONTRACT_IDS[c.name] for c in rules.contracts if c.name == RAISED]
    row.raise_contract = raised[0] if raised else -1


def _fill_contract(rules: Rules, contract: Contract, row: np.record) -> None:
    c = CONTRACT_IDS[contract.name]
    row.higher[c] = contract_set(rules, lambda other: other.rank > contract.rank)
    for column in ("value", "loss_factor", "play", "goal", "tricks", "calls", "talon", "solo", "shown",
                   "declarer_leads", "kontra", "emperor", "minimum_suit", "ring", "rank", "difference", "may_raise"):  # fmt: skip
        row[column][c] = getattr(contract, column)
    row.talon_group[c] = TALON_GROUP.get(contract.talon, 6 if contract.talon != Talon.UNUSED else 0)
    row.bird[c] = 0 if contract.bird is None else -1 if contract.bird == ANY_BIRD else ITEM_IDS[contract.bird]
    row.converts_to[c] = CONTRACT_IDS[contract.converts_to] if contract.converts_to else -1
    row.bonuses[c] = item_set(contract.bonuses)
    may = {bonus.name for bonus in rules.bonuses if bonus.announcer != Announcer.NOBODY}
    row.announceable[c] = item_set(name for name in contract.bonuses if name in may)


def _fill_bonus(bonus: Bonus, row: np.record) -> None:
    item = ITEM_IDS[bonus.name]
    row.silent[item], row.announced[item], row.announcer[item] = bonus.silent, bonus.announced, bonus.announcer


def _fill_rest(rules: Rules, row: np.record) -> None:
    for name in ("bird_loss", "announced_bird_follows_trick", "ultimo", "ultimo_loss", "mond_penalty",
                 "mond_to_partner", "rings", "difference_rounding", "seventy", "may_concede", "king_half_to_declarer",
                 "king_wins_talon", "separate_kontra_round", "pagat_waits_for_all", "mond_guard", "colour_leads_free",
                 "king_in_talon_voids_kontra", "free_tarock_discards",
                 "repeated_announcements", "announce_any_turn", "kontra_any_turn", "locks", "schrift"):  # fmt: skip
        row[name] = getattr(rules, name)
    valat = rules.valat
    row.valat_scheme = valat.scheme
    multiples = valat.scheme == ValatScheme.GAME_MULTIPLE
    row.valat_silent_multiple = valat.silent_multiple if multiples else 0
    row.valat_announced_multiple = valat.announced_multiple if multiples else 0
    row.valat_keeps_silent = item_set(valat.keeps_silent)
    row.valat_keeps_announced = item_set(valat.keeps_announced)
    row.valat_voids_game_kontra = valat.silent_voids_game_kontra
    row.valat_excludes = item_set(valat.excludes)
    row.valat_in_solo = valat.doubles_in_solo
    row.valat_ends_deal = valat.ends_deal
    fewest = rules.all_against_all
    row.fewest_scheme, row.fewest_talon = fewest.scheme, fewest.talon
    row.fewest_must_beat, row.fewest_must_tarock = fewest.must_beat, fewest.must_tarock
    row.fewest_chooses_beat, row.fewest_exact = fewest.forehand_chooses_beat, fewest.exact
    row.mayor_thirds = fewest.mayor_thirds
    for index, meld in enumerate(MELDS):
        row.meld_value[index] = rules.melds.get(meld, 0)


_FLAGS = (
    "forehand_may_hold", "forehand_must_bid", "opening_games", "any_suit_minimum", "queens_with_four_kings",
    "own_king_callable", "announced_bird_follows_trick", "rings", "separate_kontra_round", "may_concede",
    "king_half_to_declarer", "king_in_talon_voids_kontra", "free_tarock_discards", "repeated_announcements",
    "announce_any_turn", "kontra_any_turn", "locks", "valat_voids_game_kontra", "valat_in_solo", "fewest_must_beat",
    "fewest_must_tarock", "fewest_chooses_beat", "fewest_exact",
)  # fmt: skip
_KINDS = (
    ("auction", Auction), ("ultimo", Ultimo), ("valat_scheme", ValatScheme), ("fewest_scheme", FewestPoints),
    ("fewest_talon", TalonTricks), ("schrift", Schrift),
)  # fmt: skip


def _rules_vector(row: np.record) -> np.ndarray:
    """(NUM_RULE_FEATURES,) uint8: flags as 0/1 and kinds one-hot, then bonus values on a log scale (16 per doubling)."""
    features: list[int] = [int(row.num_seats == 3), *(int(row[name]) for name in _FLAGS)]
    for name, kind in _KINDS:
        features += [int(row[name] == value) for value in kind]
    features.append(int(2 in row.loss_factor))
    vector = np.zeros(NUM_RULE_FEATURES, np.uint8)
    vector[: len(features)] = features
    vector[RULE_VALUES] = [round(16 * math.log2(1 + int(value))) for value in row.silent]
    assert len(features) <= RULE_VALUES.start
    return vector


def rules_table(systems: Rules | Sequence[Rules]) -> np.recarray:
    """(R,) records of dtype RULES, in the order given."""
    chosen = [systems] if isinstance(systems, Rules) else list(systems)
    table: np.recarray = np.zeros(len(chosen), RULES).view(np.recarray)
    for rules, row in zip(chosen, table, strict=True):
        _fill_auction(rules, row)
        for contract in rules.contracts:
            _fill_contract(rules, contract, row)
        for bonus in rules.bonuses:
            _fill_bonus(bonus, row)
        _fill_rest(rules, row)
        row.vector[:] = _rules_vector(row)
    return table
