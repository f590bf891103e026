"""Corpora of deal records: by coverage play or by any policy."""

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarock_env.array_files import write_corpus
from tarock_env.arrays import Arrays, deals_to_arrays, records_of
from tarock_env.batch import DealBatch
from tarock_env.coverage import CoveragePlay
from tarock_env.engine.chance import new_streams
from tarock_env.engine.view import make_views
from tarock_env.occurrences import count_deals, expected
from tarock_env.record import write_records
from tarock_env.rules import Rules

CHUNK = 1024  # deals at a time
Policy = Callable[[Any, Any, np.random.Generator], NDArray[np.int64]]
"""(views (n,), tables, rng) -> (n,) action ids: what agents.base.Bot.act is."""
Report = Callable[[int, int], None]
Chunk = tuple[Any, Arrays, NDArray[np.uint64] | None]
"""Finished (B,) DEAL records, the same as arrays, and the (N, 4) legal words of every decision where they were asked for."""


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
    chunks = counted(chunks_of(rules, num_deals, seed, policy, legal and path is not None), rules, num_deals, counts, report)
    if path is None:
        for _ in chunks:
            pass
    else:
        write_records(path, chain.from_iterable(records_of(arrays, rules, deals, words) for deals, arrays, words in chunks))
    return counts


def write_sample_arrays(
    path: str | Path,
    rules: Rules,
    num_deals: int,
    seed: int,
    policy: Policy | None = None,
    deals_per_file: int | None = None,
    observations: bool = False,
    report: Report | None = None,
) -> tuple[dict[str, int], list[Path]]:
    """The same deals as arrays; returns what occurred, and the files. deals_per_file, observations: as for `write_corpus`."""
    counts = dict.fromkeys(expected(rules), 0)
    chunks = counted(chunks_of(rules, num_deals, seed, policy), rules, num_deals, counts, report)
    return counts, write_corpus(path, (arrays for _, arrays, _ in chunks), deals_per_file, observations)


def counted(chunks: Iterator[Chunk], rules: Rules, num_deals: int, counts: dict[str, int], report: Report | None) -> Iterator[Chunk]:
    """The chunks as they come, what occurs in them counted and reported."""
    done = 0
    for chunk in chunks:
        count_deals(chunk[0], rules, counts)
        yield chunk
        done += len(chunk[0])
        if report is not None:
            report(done, num_deals)


def chunks_of(rules: Rules, num_deals: int, seed: int, policy: Policy | None, legal: bool = False) -> Iterator[Chunk]:
    """Deals of a policy, or of coverage play."""
    return covering_chunks(rules, num_deals, seed, legal) if policy is None else policy_chunks(rules, num_deals, seed, policy, legal)


def covering_chunks(rules: Rules, num_deals: int, seed: int, legal: bool = False) -> Iterator[Chunk]:
    """Deals of coverage play, `CHUNK` at a time."""
    streams = new_streams(seed, num_deals)
    play = CoveragePlay(rules, min(CHUNK, num_deals), legal)
    for start in range(0, num_deals, CHUNK):
        count = play.play(streams[start : start + CHUNK])
        used = np.arange(play.actions.shape[1]) < play.counts[:count, np.newaxis]
        deals, counts = play.deals[:count], play.counts[:count]
        arrays = deals_to_arrays(deals, rules, counts, play.seats[:count][used], play.actions[:count][used], play.rings[:count])
        yield deals, arrays, play.legal[:count][used] if legal else None


def policy_chunks(rules: Rules, num_deals: int, seed: int, policy: Policy, legal: bool = False) -> Iterator[Chunk]:
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
        deals = batch.deals[:count]
        arrays = deals_to_arrays(deals, rules, np.bincount(deal[order], minlength=count), seats[order], chosen[order])
        yield deals, arrays, masks[order] if legal else None
