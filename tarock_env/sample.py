"""Corpora of deal records: by coverage play or by any policy."""

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarock_env.batch import DealBatch
from tarock_env.coverage import CoveragePlay
from tarock_env.engine.chance import new_streams
from tarock_env.engine.view import make_views
from tarock_env.legal import all_legal_names
from tarock_env.occurrences import count_deals, expected
from tarock_env.record import Record, write_records
from tarock_env.replay import record_of
from tarock_env.rules import Rules

CHUNK = 1024  # deals at a time
Policy = Callable[[Any, Any, np.random.Generator], NDArray[np.int64]]
"""(views (n,), tables, rng) -> (n,) action ids: what agents.base.Bot.act is."""
Report = Callable[[int, int], None]


def write_sample(
    path: str | Path | None,
    rules: Rules,
    num_deals: int,
    seed: int,
    policy: Policy | None = None,
    legal: bool = False,
    report: Report | None = None,
) -> dict[str, int]:
    """Write `num_deals` records; returns what occurred in them, as `count_deals`.

    path: of the file; None: the deals are counted, none is written. policy: plays all seats from views; None: coverage play.
    legal: store the legal sets too. The same arguments write the same file.
    """
    counts = dict.fromkeys(expected(rules), 0)
    legal = legal and path is not None
    chunks = covering_chunks(rules, num_deals, seed, legal) if policy is None else policy_chunks(rules, num_deals, seed, policy, legal)

    def counted() -> Iterator[Iterator[Record]]:
        for deals, records in chunks:
            count_deals(deals, rules, counts)
            yield records

    def reported(records: Iterator[Record]) -> Iterator[Record]:
        for done, record in enumerate(records, start=1):
            yield record
            if report is not None and done % 256 == 0:
                report(done, num_deals)

    if path is None:
        for _ in counted():
            pass
    else:
        write_records(path, reported(chain.from_iterable(counted())))
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
