"""Bots against each other in duplicate matches: `agents.arena` with whole matches where it has single deals.

A match is a number of deals with what one hands on to the next (tarock_env.match): the forehand moves on, totals and open rings carry
over, totals may set a contract, and at the end open rings are paid for. Every match is played in all seatings of the pair with the same
cards in every deal, whatever the totals have come to at each table; what a bot makes of totals and rings is then part of its score.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.arena import PairResult, Report, count_contracts, make_seatings, play_pairs, play_table, score_halves
from agents.base import Bot
from tarock_env.batch import DealBatch
from tarock_env.engine.chance import new_streams
from tarock_env.match import ring_settlements
from tarock_env.rules import Rules

AT_ONCE = 64  # matches in lockstep; always so many, so that the chance of bots does not depend on how many are asked for


def play_match_pairs(
    bots: Sequence[tuple[str, Bot]], rules: Rules, num_matches: int, match: int, seed: int, report: Report | None = None
) -> dict[str, Any]:
    """Every pair of the given bots on the same matches of `match` deals. report(done, total) counts matches.

    Returns what `play_pairs` does, but for the hash of the deals, and `match`. A pair also has matches and points_per_match with
    low_per_match and high_per_match, the 99% interval by match; its points_per_deal, low and high are those divided by the deals of a
    match, and deals counts all deals.
    Raises ValueError for a match of fewer than two deals: a single one hands nothing on and settles nothing.
    """
    if match < 2:
        raise ValueError(f"a match of {match} deals: it takes at least two")
    result = play_pairs(bots, rules, num_matches, seed, report, play=partial(play_match_pair, match=match))
    del result["deals_sha256"]  # it is of single deals, which were not played
    for pair in result["pairs"]:
        by_match = {"points_per_match": pair["points_per_deal"], "low_per_match": pair["low"], "high_per_match": pair["high"]}
        pair |= {key: pair[key] / match for key in ("points_per_deal", "low", "high")}
        pair |= {"deals": num_matches * match, "matches": num_matches, **by_match}
    return {"match": match, **result}


def play_match_pair(a: Bot, b: Bot, rules: Rules, num_matches: int, seed: int, report: Report | None = None, *, match: int) -> PairResult:
    """A against B in `num_matches` duplicate matches of `match` deals; points: (M,) A's score a match, in table units.

    The cards depend on the seed alone; the first matches are the same however many there are, with bots that play by chance as well.
    """
    seatings = make_seatings(rules.players)
    streams = new_streams(seed, -(-num_matches // AT_ONCE) * AT_ONCE)
    halves = np.empty((len(streams), 2))
    result = PairResult(halves[:num_matches, 0], halves[:num_matches])
    for done in range(0, num_matches, AT_ONCE):
        rngs = [np.random.default_rng([seed, bot, done]) for bot in (0, 1)]
        count = min(AT_ONCE, num_matches - done)
        totals, _ = play_matches((a, b), rules, streams[done : done + AT_ONCE], match, rngs, result, count)
        halves[done : done + AT_ONCE] = score_halves(totals, seatings)
        if report is not None:
            report(done + count, num_matches)
    result.points = result.halves.mean(axis=1)
    return result


def play_matches(
    bots: tuple[Bot, Bot],
    rules: Rules,
    streams: NDArray[np.uint64],
    match: int,
    rngs: Sequence[np.random.Generator],
    result: PairResult | None = None,
    counted: int = 0,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Play matches of `match` deals in lockstep, each in the 2P seatings of a pair side by side.

    streams: (M,) generator states, one a match; they are not advanced. result: gets the contracts of the first `counted` matches.
    Returns, in sixths by seat, (M * 2P, P) totals with the settlement of open rings in them, and the settlements alone.
    """
    seatings = make_seatings(rules.players)
    table = DealBatch(len(streams) * len(seatings), rules, seed=0)
    table.streams[:] = np.repeat(streams, len(seatings))  # the same stream deals the same cards, deal after deal
    table.reset()
    owner = np.tile(seatings, (len(streams), 1))
    totals = np.zeros((table.num_deals, rules.players), np.int64)
    for number in range(match):
        if number:
            table.next_deals(np.arange(table.num_deals))
        play_table(table, bots, owner, rngs)
        totals += table.payoffs[:, : rules.players]
        if result is not None:
            rows = counted * len(seatings)
            count_contracts(result.contracts, table.deals[:rows], owner[:rows])
    settlements = ring_settlements(rules, table.deals["rings"][:, : rules.players])
    return totals + settlements, settlements
