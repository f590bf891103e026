"""Bots against each other on duplicate deals.

Each deal of a pair (A, B) is played with A alone in every seat against B's, and with B alone in every seat against A's: with four
players eight times. Card luck falls out of the difference, and what is left is skill.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.base import Bot
from agents.intervals import bootstrap_mean
from tarock_env.actions import CONTRACTS
from tarock_env.batch import DealBatch
from tarock_env.engine.state import SIXTHS
from tarock_env.engine.view import make_views
from tarock_env.rules import Rules
from tarock_env.rules.schema import Calls, Contract, Goal, Play

LOCKSTEP = 4096  # deals played at once, seatings included
Report = Callable[[int, int], None]


@dataclass
class ContractCount:
    """How often a bot declared a contract, and how it went. made counts games with a winner only (not all against all)."""

    deals: int = 0
    decided: int = 0
    made: int = 0
    sixths: int = 0


@dataclass
class PairResult:
    """What a pair played, in table units.

    points: (D,) A's score on each deal. halves: (D, 2) its two parts, whose mean it is: A alone among B's, and A's three times round
    one B. starts: (D,) the contract id that was set for each deal, where contracts are set. contracts: by bot (0 A, 1 B), by contract id.
    """

    points: NDArray[np.float64]
    halves: NDArray[np.float64]
    starts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    contracts: tuple[dict[int, ContractCount], dict[int, ContractCount]] = field(default_factory=lambda: ({}, {}))


def play_pairs(
    bots: Sequence[tuple[str, Bot]],
    rules: Rules,
    num_deals: int,
    seed: int,
    report: Report | None = None,
    forced: bool = False,
    play: Callable[..., PairResult] | None = None,
) -> dict[str, Any]:
    """Every pair of the given bots on the same deals.

    bots: (label, bot). seed: of the deals, of the bots' choices and of the intervals. report(done, total) counts deals. forced: the
    contract of each deal is set, a random one that a seat is fit to bid. play: plays one pair; by default `play_pair`.
    Returns what `tarock arena --json` writes: `pairs` with a, b, points_per_deal, low, high (99% interval by deal) and deals, forced ones
    also with `by_contract` and `by_family`, the same figures for the deals that began with each contract; `contracts`: for each label
    the share, the win rate and the points of every contract it declared; `deals_sha256`: see deals_hash.
    """
    pairs = list(combinations(range(len(bots)), 2))
    counts: list[dict[int, ContractCount]] = [{} for _ in bots]
    rows = []
    for number, (a, b) in enumerate(pairs):

        def reported(done: int, total: int, before: int = number * num_deals) -> None:
            if report is not None:
                report(before + done, len(pairs) * num_deals)

        play_one = play or partial(play_pair, forced=forced)
        result = play_one(bots[a][1], bots[b][1], rules, num_deals, seed, reported)
        rows.append({"a": bots[a][0], "b": bots[b][0], **points_row(result.points, seed)})
        if forced:
            names = np.array([CONTRACTS[contract] for contract in result.starts])
            families = np.array([family(rules.contract(name)) for name in names])
            rows[-1] |= {"by_contract": points_by(result.points, names, seed), "by_family": points_by(result.points, families, seed)}
        for bot, contracts in zip((a, b), result.contracts, strict=True):
            add_counts(counts[bot], contracts)
    return {
        "rules": rules.id,
        "options": dict(rules.chosen),
        "seed": seed,
        "forced": forced,
        "deals_sha256": deals_hash(rules, seed, num_deals, forced),
        "pairs": rows,
        "contracts": {label: contract_table(counts[bot]) for bot, (label, _) in enumerate(bots)},
    }


def points_row(points: NDArray[np.float64], seed: int) -> dict[str, Any]:
    """Mean, the ends of its 99% interval, and the number of deals."""
    mean, low, high = bootstrap_mean(points, seed)
    return {"points_per_deal": mean, "low": low, "high": high, "deals": len(points)}


def points_by(points: NDArray[np.float64], names: NDArray[np.str_], seed: int) -> dict[str, dict[str, Any]]:
    """The same for the deals of each name, the most frequent first. points, names: (D,)."""
    found, counts = np.unique(names, return_counts=True)
    return {str(found[index]): points_row(points[names == found[index]], seed) for index in np.argsort(-counts, kind="stable")}


def family(contract: Contract) -> str:
    """The kind of game that a contract is."""
    if contract.goal == Goal.FEWEST_POINTS:
        return "all against all"
    if contract.goal == Goal.TRICKS:
        return "negative"
    if contract.goal == Goal.SLAM:
        return "slam"
    if contract.calls != Calls.NOTHING:
        return "with a partner"
    return "colour game" if contract.play == Play.COLOUR else "alone"


def play_pair(a: Bot, b: Bot, rules: Rules, num_deals: int, seed: int, report: Report | None = None, forced: bool = False) -> PairResult:
    """A against B on `num_deals` duplicate deals. The deals depend on the seed (and on forced) alone, not on the bots."""
    seatings = make_seatings(rules.players)
    at_once = _deals_at_once(rules)
    table = DealBatch(at_once * len(seatings), rules, seed)
    rngs = [np.random.default_rng([seed, bot]) for bot in (0, 1)]
    halves = np.empty((num_deals, 2))
    result = PairResult(halves[:, 0], halves, np.empty(num_deals, np.int64))
    for done, dealt in arena_deals(rules, num_deals, seed, forced):
        count = len(dealt)
        if count < at_once:
            table = DealBatch(count * len(seatings), rules, seed)
        result.starts[done : done + count] = dealt["contract"]
        table.deals[:] = np.repeat(dealt, len(seatings))
        owner = np.tile(seatings, (count, 1))
        play_table(table, (a, b), owner, rngs)
        halves[done : done + count] = score_halves(table.payoffs[:, : rules.players], seatings)
        count_contracts(result.contracts, table.deals, owner)
        if report is not None:
            report(done + count, num_deals)
    result.points = halves.mean(axis=1)
    return result


def arena_deals(rules: Rules, num_deals: int, seed: int, forced: bool = False) -> Iterator[tuple[int, Any]]:
    """The deals of a seed before their first action, some at a time: (how many came before, (n,) DEAL records that hold until the next).

    forced: after an auction that sets a contract.
    """
    at_once = _deals_at_once(rules)
    source = DealBatch(at_once, rules, seed, skip_forced=False)  # always of one size: 100 deals are the first 100 of 5000
    source.force_contracts(1.0 if forced else 0.0)
    for done in range(0, num_deals, at_once):
        if done or forced:
            source.reset()
        yield done, source.deals[: min(at_once, num_deals - done)]


def deals_hash(rules: Rules, seed: int, num_deals: int, forced: bool = False) -> str:
    """SHA-256 of the deals that a seed stands for: rule system and its version, forehands, hands and talons.

    Published figures carry it: who measures again knows whether the same deals were played.
    """
    digest = hashlib.sha256(f"{rules.id} {rules.version} {sorted(rules.chosen.items())} {num_deals}\n".encode())
    for _, dealt in arena_deals(rules, num_deals, seed, forced):
        for name, dtype in (("forehand", "i1"), ("dealt", "<u8"), ("talon", "i1")):
            digest.update(np.ascontiguousarray(dealt[name], dtype).tobytes())
    return digest.hexdigest()


def _deals_at_once(rules: Rules) -> int:
    return max(1, LOCKSTEP // (2 * rules.players))


def make_seatings(players: int) -> NDArray[np.int8]:
    """(2P, P) who sits where, 0 for A and 1 for B: A alone in each seat, then B alone in each seat."""
    alone = np.eye(players, dtype=np.int8)
    return np.concatenate([1 - alone, alone])


def play_table(batch: DealBatch, bots: tuple[Bot, Bot], owner: NDArray[np.int8], rngs: Sequence[np.random.Generator]) -> None:
    """Play all deals of a batch to their end. owner: (B, P) which bot has which seat."""
    actions = np.zeros(len(batch.deals), np.int64)
    while not batch.finished.all():
        acting = np.flatnonzero(~batch.finished)
        players = owner[acting, batch.seats[acting]]
        for index, bot in enumerate(bots):
            rows = acting[players == index]
            if len(rows):
                actions[rows] = bot.act(make_views(batch.deals, batch.tables, rows), batch.tables, rngs[index])
        batch.step(actions)


def score_halves(payoffs: NDArray[np.integer[Any]], seatings: NDArray[np.int8]) -> NDArray[np.float64]:
    """(D * 2P, P) payoffs in sixths, seatings of a deal side by side -> (D, 2) points a deal: A's mean payoff alone among B's, and minus
    B's mean payoff alone among A's.

    Payoffs count less their table's mean, which matters only in games that are not zero-sum.
    """
    players = seatings.shape[1]
    relative = payoffs - payoffs.mean(axis=1, keepdims=True)
    tables = relative.reshape(-1, 2, players, players)
    seats = np.arange(players)
    alone = tables[:, :, seats, seats].mean(axis=2)
    return np.asarray(np.stack([alone[:, 0], -alone[:, 1]], axis=1) / SIXTHS)


def count_contracts(contracts: tuple[dict[int, ContractCount], dict[int, ContractCount]], deals: Any, owner: NDArray[np.int8]) -> None:
    """Add the contracts of finished deals to their declarers' counts; an all-against-all game counts for the forehand, who bid it."""
    rows = np.arange(len(deals))
    declarer = np.where(deals["declarer"] >= 0, deals["declarer"], deals["forehand"]).astype(np.int64)
    contract, made = deals["contract"], deals["made"][:, 0]
    bot = owner[rows, declarer]
    sixths = deals["payoffs"][rows, declarer]
    for index in (0, 1):
        for name in np.unique(contract[bot == index]):
            chosen = (bot == index) & (contract == name)
            count = contracts[index].setdefault(int(name), ContractCount())
            count.deals += int(chosen.sum())
            count.decided += int((chosen & (made >= 0)).sum())
            count.made += int((chosen & (made == 1)).sum())
            count.sixths += int(sixths[chosen].sum())


def add_counts(total: dict[int, ContractCount], more: dict[int, ContractCount]) -> None:
    """Add one table of counts to another."""
    for contract, count in more.items():
        into = total.setdefault(contract, ContractCount())
        into.deals += count.deals
        into.decided += count.decided
        into.made += count.made
        into.sixths += count.sixths


def contract_table(counts: dict[int, ContractCount]) -> dict[str, dict[str, Any]]:
    """Contract -> deals, share of the deals declared, win rate (None where nobody wins as such) and the declarer's points a deal."""
    total = sum(count.deals for count in counts.values())
    return {
        CONTRACTS[contract]: {
            "deals": count.deals,
            "share": count.deals / total,
            "won": count.made / count.decided if count.decided else None,
            "points": count.sixths / SIXTHS / count.deals,
        }
        for contract, count in sorted(counts.items(), key=lambda entry: -entry[1].deals)
    }
