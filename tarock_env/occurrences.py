"""What occurs in finished deals: everything that a rule system has, by name, and how often it came about."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarock_env.actions import CONTRACT_IDS, CONTRACTS, ITEMS, MELDS, NUM_ITEMS
from tarock_env.cards import MOND, PAGAT, QUEEN_IDS, SKUES
from tarock_env.rules import Rules
from tarock_env.rules.schema import SINGLE_BIRDS, Announcer, BirdLoss, Emperor, FewestPoints, Goal, Kontra, Talon

KONTRA_STEPS = ("", "kontra", "rekontra", "subkontra")
# All-against-all games in which a seat without a trick is paid, or pays nothing.
TRICKLESS_MATTERS = (FewestPoints.POT, FewestPoints.POT_BASE, FewestPoints.PLACES, FewestPoints.LOSER_BY_POINTS)


def expected(rules: Rules) -> list[str]:
    """Names of everything that can occur in a rule system with its options, as `count_deals` counts it, in the order of the table."""
    bonuses = [bonus.name for bonus in rules.bonuses]
    announceable = [bonus.name for bonus in rules.bonuses if bonus.announcer != Announcer.NOBODY]
    names = [f"contract {contract.name}" for contract in rules.contracts]
    names += [f"{contract.name} {end}" for contract in rules.contracts if contract.goal != Goal.FEWEST_POINTS for end in ("won", "lost")]
    names += [f"silent {name}" for name in bonuses if counts_silent(rules, name)]
    if rules.bird_loss != BirdLoss.NOTHING:
        names += [f"silent {name} beaten" for name in SINGLE_BIRDS if name in bonuses]
    if rules.ultimo_loss:
        names.append("silent king_ultimo beaten")
    if rules.mond_penalty:
        names.append("silent mond")
    names += [f"announced {name} {end}" for name in announceable for end in ("made", "lost")]
    if any(contract.kontra != Kontra.NONE for contract in rules.contracts):
        names += [f"{name} {step}" for name in ["game", *announceable] for step in KONTRA_STEPS[1:]]
    if any(contract.kontra == Kontra.EACH_OPPONENT for contract in rules.contracts):
        names += [f"game of one opponent {step}" for step in KONTRA_STEPS[1:]]
    names += [f"meld {name}" for name in rules.melds]
    if any(contract.calls for contract in rules.contracts):
        names.append("called card in the talon")
        if rules.may_concede:
            names.append("conceded")
        if rules.queens_with_four_kings:
            names.append("queen called")
    if any(contract.talon == Talon.STAGED for contract in rules.contracts):
        names += [f"level {level}" for level in (1, 2, 3)]
    if rules.forehand_may_hold:
        names.append("bid held")
    if any(contract.emperor == Emperor.ALWAYS for contract in rules.contracts):
        names.append("emperor trick")
    if rules.all_against_all.scheme in TRICKLESS_MATTERS:
        names.append("no trick for somebody alone")
    if rules.rings:
        names.append("forced")
    if rules.valat.ends_deal or any(contract.goal in (Goal.TRICKS, Goal.SLAM) for contract in rules.contracts):
        names.append("ended early")
    return names


def counts_silent(rules: Rules, bonus: str) -> bool:
    """Whether a bonus can be settled without having been announced."""
    return rules.bonus(bonus).silent > 0 or (bonus == "valat" and rules.valat.silent_multiple > 0)


def count_deals(deals: Any, rules: Rules, counts: dict[str, int]) -> None:
    """Add what occurred in finished DEAL records to `counts`; names as in `expected`."""

    def add(name: str, occurred: NDArray[np.bool_]) -> None:
        number = int(occurred.sum())
        if number or name in counts:
            counts[name] = counts.get(name, 0) + number

    settled, made, announced = deals["settled"] == 1, deals["made"], deals["announced_by"] >= 0
    for contract in np.unique(deals["contract"]):
        played = deals["contract"] == contract
        add(f"contract {CONTRACTS[contract]}", played)
        add(f"{CONTRACTS[contract]} won", played & (made[:, 0] == 1))
        add(f"{CONTRACTS[contract]} lost", played & (made[:, 0] == 0))
    for item in range(1, NUM_ITEMS):
        name = ITEMS[item]
        silent = settled[:, item] & ~announced[:, item]
        add(f"silent {name}", silent & (made[:, item] != 0))
        add(f"silent {name} beaten", silent & (made[:, item] == 0))
        add(f"announced {name} made", settled[:, item] & announced[:, item] & (made[:, item] == 1))
        add(f"announced {name} lost", settled[:, item] & announced[:, item] & (made[:, item] == 0))
    for step, word in enumerate(KONTRA_STEPS[1:], start=1):
        for item in range(NUM_ITEMS):
            add(f"{ITEMS[item]} {word}", deals["kontra"][:, item] >= step)
        add(f"game of one opponent {word}", (deals["seat_kontra"] >= step).any(axis=1))
    for index, name in enumerate(MELDS):
        add(f"meld {name}", (deals["melds"] >> index & 1).any(axis=1))
    count_events(deals, rules, add)


def count_events(deals: Any, rules: Rules, add: Any) -> None:
    """What is no contract, item, kontra or meld. add(name, (B,) bool) counts."""
    staged = [CONTRACT_IDS[contract.name] for contract in rules.contracts if contract.talon == Talon.STAGED]
    emperor = [CONTRACT_IDS[contract.name] for contract in rules.contracts if contract.emperor == Emperor.ALWAYS]
    alone = [CONTRACT_IDS[contract.name] for contract in rules.contracts if contract.goal == Goal.FEWEST_POINTS]
    add("called card in the talon", deals["king_in_talon"] == 1)
    add("conceded", deals["conceded"] == 1)
    add("queen called", np.isin(deals["called"], QUEEN_IDS))
    for level in (1, 2, 3):
        add(f"level {level}", np.isin(deals["contract"], staged) & (deals["talon_choice"] == level - 1))
    if rules.forehand_may_hold:
        forehand = deals["bids"][np.arange(len(deals)), deals["forehand"]]
        others = np.bitwise_or.reduce(np.where(np.arange(4) == deals["forehand"][:, np.newaxis], 0, deals["bids"]), axis=1)
        add("bid held", forehand & others != 0)
    trick_of = deals["trick_of"]
    together = (trick_of[:, PAGAT] == trick_of[:, MOND]) & (trick_of[:, PAGAT] == trick_of[:, SKUES]) & (trick_of[:, PAGAT] >= 0)
    add("emperor trick", np.isin(deals["contract"], emperor) & together)
    trickless = (deals["tricks_won"][:, : rules.players] == 0).any(axis=1)
    if rules.all_against_all.scheme in TRICKLESS_MATTERS:
        add("no trick for somebody alone", np.isin(deals["contract"], alone) & trickless)
    add("forced", deals["forced"] == 1)
    add("ended early", (deals["trick_number"] < rules.hand_size) & (deals["conceded"] == 0))
