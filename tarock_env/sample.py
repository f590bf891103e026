"""Corpora of deal records: by coverage play or by any policy, and what occurs in them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarock_env.actions import CONTRACTS, ITEMS, MELDS, NUM_ITEMS
from tarock_env.batch import DealBatch
from tarock_env.coverage import CoveragePlay
from tarock_env.engine.chance import new_streams
from tarock_env.engine.view import make_views
from tarock_env.legal import all_legal_names
from tarock_env.record import Record, write_records
from tarock_env.replay import record_of
from tarock_env.rules import Rules
from tarock_env.rules.schema import SINGLE_BIRDS, Announcer, BirdLoss, Goal, Kontra

CHUNK = 1024  # deals at a time
Policy = Callable[[Any, Any, np.random.Generator], NDArray[np.int64]]
"""(views (n,), tables, rng) -> (n,) action ids: what agents.base.Bot.act is."""
Report = Callable[[int, int], None]
KONTRA_STEPS = ("", "kontra", "rekontra", "subkontra")


def write_sample(
    path: str | Path,
    rules: Rules,
    num_deals: int,
    seed: int,
    policy: Policy | None = None,
    legal: bool = False,
    report: Report | None = None,
) -> dict[str, int]:
    """Write `num_deals` records; returns what occurred in them, as `count_deals`.

    policy: plays all seats from views; None: coverage play. legal: store the legal sets too. The same arguments write the same file.
    """
    counts = dict.fromkeys(expected(rules), 0)

    def records() -> Iterator[Record]:
        chunks = covering_chunks(rules, num_deals, seed, legal) if policy is None else policy_chunks(rules, num_deals, seed, policy, legal)
        done = 0
        for deals, chunk in chunks:
            count_deals(deals, rules, counts)
            for record in chunk:
                yield record
                done += 1
                if report is not None and done % 256 == 0:
                    report(done, num_deals)

    write_records(path, records())
    return counts


Chunk = tuple[Any, Iterator[Record]]


def covering_chunks(rules: Rules, num_deals: int, seed: int, legal: bool) -> Iterator[Chunk]:
    """Coverage play in chunks: (DEAL records, their deal records)."""
    streams = new_streams(seed, num_deals)
    play = CoveragePlay(rules, min(CHUNK, num_deals), legal)
    for start in range(0, num_deals, CHUNK):
        count = play.play(streams[start : start + CHUNK])
        used = np.arange(play.actions.shape[1]) < play.counts[:count, np.newaxis]
        deal, _ = np.nonzero(used)
        rows = Decisions(deal, play.seats[:count][used], play.actions[:count][used], play.legal[:count][used] if legal else None)
        yield play.deals[:count], rows.records(play.deals[:count], rules, play.rings)


def policy_chunks(rules: Rules, num_deals: int, seed: int, policy: Policy, legal: bool) -> Iterator[Chunk]:
    """The same by a policy that sees views; forced decisions are written down without asking it."""
    batch = DealBatch(min(CHUNK, num_deals), rules, seed, skip_forced=False)
    rng = np.random.default_rng(seed)
    for start in range(0, num_deals, CHUNK):
        if start:
            batch.reset()
        played: list[tuple[NDArray[Any], ...]] = []
        actions = np.zeros(batch.num_deals, np.int64)
        while len(acting := np.flatnonzero(~batch.finished)):
            actions[acting] = policy(make_views(batch.deals, batch.tables, acting), batch.tables, rng)
            played.append((acting, batch.seats[acting], actions[acting], batch.deals["legal"][acting]))
            batch.step(actions)
        deal, seats, chosen, masks = (np.concatenate(column) for column in zip(*played, strict=True))
        order = np.argsort(deal, kind="stable")
        count = min(CHUNK, num_deals - start)
        order = order[deal[order] < count]
        rows = Decisions(deal[order], seats[order], chosen[order], masks[order] if legal else None)
        yield batch.deals[:count], rows.records(batch.deals[:count], rules)


class Decisions:
    """The decisions of a chunk of deals, deal by deal: (N,) deal, seat and action, (N, 4) legal words or None."""

    def __init__(self, deal: NDArray[Any], seats: NDArray[Any], actions: NDArray[Any], legal: NDArray[Any] | None) -> None:
        self.deal, self.seats, self.actions, self.legal = deal, seats, actions, legal

    def records(self, deals: Any, rules: Rules, rings: NDArray[np.int8] | None = None) -> Iterator[Record]:
        """One record for each deal. rings: (B, 4) open rings before the deals."""
        names = None if self.legal is None else all_legal_names(self.legal, self.seats, rules.players)
        pairs = list(zip(self.seats.tolist(), self.actions.tolist(), strict=True))
        ends = np.cumsum(np.bincount(self.deal, minlength=len(deals))).tolist()
        before = [()] * len(deals) if rings is None else rings[:, : rules.players].tolist()
        start = 0
        for index, end in enumerate(ends):
            yield record_of(deals[index], rules, pairs[start:end], None if names is None else names[start:end], rings=before[index])
            start = end


def expected(rules: Rules) -> list[str]:
    """Names of everything that can occur in a rule system, as `count_deals` counts it, in the order of the table."""
    bonuses = [bonus.name for bonus in rules.bonuses]
    announceable = [bonus.name for bonus in rules.bonuses if bonus.announcer != Announcer.NOBODY]
    names = [f"contract {contract.name}" for contract in rules.contracts]
    names += [f"silent {name}" for name in bonuses if counts_silent(rules, name)]
    if rules.bird_loss != BirdLoss.NOTHING:
        names += [f"silent {name} beaten" for name in SINGLE_BIRDS if name in bonuses]
    names += [f"announced {name} {end}" for name in announceable for end in ("made", "lost")]
    if any(contract.kontra != Kontra.NONE for contract in rules.contracts):
        names += [f"{name} {step}" for name in ["game", *announceable] for step in KONTRA_STEPS[1:]]
    if any(contract.kontra == Kontra.EACH_OPPONENT for contract in rules.contracts):
        names += [f"game of one opponent {step}" for step in KONTRA_STEPS[1:]]
    names += [f"meld {name}" for name in rules.melds]
    calling = any(contract.calls for contract in rules.contracts)
    if calling:
        names.append("called card in the talon")
    if calling and rules.may_concede:
        names.append("conceded")
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

    for contract in np.unique(deals["contract"]):
        add(f"contract {CONTRACTS[contract]}", deals["contract"] == contract)
    settled, made, announced = deals["settled"] == 1, deals["made"], deals["announced_by"] >= 0
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
    add("forced", deals["forced"] == 1)
    add("conceded", deals["conceded"] == 1)
    add("called card in the talon", deals["king_in_talon"] == 1)
    add("ended early", (deals["trick_number"] < rules.hand_size) & (deals["conceded"] == 0))
