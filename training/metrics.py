"""What a run writes to TensorBoard: every scalar's name and meaning once, and how the deals of a sample become scalars."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarock_env.actions import CONTRACTS, ITEMS
from tarock_env.engine.state import AUCTION, DEAL, MAX_SEATS
from training.columns import PHASES

ROLES = ("declarer", "partner", "defender")

# Pattern of a name -> meaning. {contract}, {role}, {item}, {phase}, {opponent} and {system} stand for any of theirs.
SCALARS: dict[str, str] = {
    "strength/{system}/{opponent}": "points a deal against a fixed bot on fixed duplicate deals (payoff minus table mean)",
    "strength/{system}/{opponent}_low": "lower end of its 99% interval",
    "strength/{system}/{opponent}_high": "upper end of its 99% interval",
    "contract_share/{contract}": "share of the deals with a free auction that were played as this contract",
    "contract_share_{system}/{contract}": "the same within one rule system, where a run has several",
    "contract_points/{contract}_{role}": "mean payoff in points of a learning seat in this role",
    "contract_wins/{contract}_{role}": "share of the deals in which a learning seat in this role was paid",
    "announced/{item}": "share of the deals in which the bonus was announced",
    "announced_made/{item}": "share of its announcements that were made",
    "silent/{item}": "share of the deals in which the bonus was settled without an announcement",
    "kontra/{item}": "share of the deals in which the item was doubled",
    "kontra/levels": "mean number of doublings a deal, all items together",
    "entropy/{phase}": "entropy of the policy divided by log(number of legal actions)",
    "update/kl": "mean KL from the sampling policy to the updated one (estimate of Schulman)",
    "update/clipped": "share of the rows whose ratio was outside the clip range",
    "update/magnet_kl": "mean KL from the policy to the magnet",
    "update/policy_loss": "PPO's surrogate loss",
    "update/imitation_loss": "cross-entropy to the teacher's actions",
    "update/imitated": "share of the decisions in which the teacher's action is the policy's first",
    "update/teacher_bids": "share of the bids in which the teacher's is the policy's first",
    "update/value_loss": "cross-entropy of the critic's two-hot distribution",
    "update/q_loss": "squared error of the action values, in units of the spread that the critic expects",
    "update/gradient_norm": "norm of the gradient before clipping",
    "update/skipped": "share of the minibatches left out because their gradient was not finite",
    "value/error": "root mean square of critic minus return, points",
    "value/explained": "share of the variance of the returns that the critic explains",
    "value/q_explained": "share of the variance of the returns that the actor-side action values explain",
    "value/sigma_{system}": "running standard deviation of a seat's payoff, points",
    "schedule/learning_rate": "as in force in this iteration",
    "schedule/clip": "as in force in this iteration",
    "schedule/lambda": "as in force in this iteration",
    "schedule/entropy": "as in force in this iteration",
    "schedule/magnet": "as in force in this iteration",
    "schedule/teacher_bids": "as in force in this iteration",
    "progress/decisions": "decisions learnt from so far",
    "progress/deals": "deals played so far",
    "progress/hours": "hours of training so far, all parts of a resumed run together",
    "speed/decisions_per_second": "decisions learnt from a second, sampling and learning together",
    "speed/sampling": "decisions sampled a second of sampling",
    "speed/learning": "decisions learnt from a second of learning",
    "deals/decisions": "decisions of learning seats a deal",
    "deals/against_past_selves": "share of the deals with a snapshot at the table",
    "pool/snapshots": "snapshots in the opponents' pool",
    "pool/points": "mean points of learning seats minus those of snapshots at mixed tables",
}
_ANY = {
    "contract": "|".join(CONTRACTS),
    "item": "|".join(ITEMS),
    "role": "|".join(ROLES),
    "phase": "|".join(PHASES),
    "opponent": r"[A-Za-z0-9_.:@-]+?",
    "system": r"[a-z0-9_]+",
}


def _pattern(name: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", name)
    return re.compile("".join(f"(?:{_ANY[part]})" if index % 2 else re.escape(part) for index, part in enumerate(parts)))


_PATTERNS = {_pattern(name): meaning for name, meaning in SCALARS.items()}


def meaning(name: str) -> str:
    """What a scalar means. Raises KeyError for a name that is not in the list."""
    for pattern, text in _PATTERNS.items():
        if pattern.fullmatch(name):
            return text
    raise KeyError(f"no scalar {name!r} in training.metrics.SCALARS")


class DealLog:
    """The deals of a sample: their final records, who owned the seats, whether the auction was free.

    Ids count the deals in the order in which they were started. Fields of `records` are those of tarock_env.engine.state.DEAL.
    """

    def __init__(self, rules: Sequence[Any]) -> None:
        self.rules = rules
        self.started = 0
        self.finished = 0
        self._owners: list[NDArray[np.int8]] = []
        self._free: list[NDArray[np.bool_]] = []
        self._ended: list[tuple[NDArray[np.int32], NDArray[Any], NDArray[np.int32]]] = []

    def start(self, batch: Any, which: NDArray[np.int64], owner: NDArray[np.int8]) -> NDArray[np.int32]:
        """Note the deals of `which` as begun; return their ids. owner: (B, 4), 0 where the learner sits."""
        ids = np.arange(self.started, self.started + len(which), dtype=np.int32)
        self.started += len(which)
        self._owners.append(owner[which].copy())
        # A deal that starts past its auction was given its contract (DealBatch.force_contracts).
        self._free.append(batch.deals["phase"][which] == AUCTION)
        return ids

    def end(self, batch: Any, which: NDArray[np.int64], ids: NDArray[np.int32]) -> None:
        """Note the deals of `which`, with these ids, as finished."""
        self.finished += len(which)
        self._ended.append((ids.copy(), np.array(batch.deals[which]), batch.payoffs[which].copy()))

    def _in_order(self, values: Sequence[NDArray[Any]]) -> NDArray[Any]:
        ids = np.concatenate([ids for ids, _, _ in self._ended])
        joined = np.concatenate(values)
        out = np.zeros((self.started, *joined.shape[1:]), joined.dtype)
        out[ids] = joined
        return out

    def payoffs(self) -> NDArray[np.int32]:
        """(D, 4) payoffs in sixths, by deal id."""
        return self._in_order([payoffs for _, _, payoffs in self._ended])

    def records(self) -> NDArray[Any]:
        """(D,) final DEAL records, by deal id."""
        return self._in_order([records for _, records, _ in self._ended])

    def systems(self) -> NDArray[np.uint8]:
        """(D,) index of the rule system in the run's list, by deal id."""
        return self.records()["rules_id"].astype(np.uint8)

    def owners(self) -> NDArray[np.int8]:
        """(D, 4) 0 where the learner sat, else the number of the snapshot."""
        return np.concatenate(self._owners)

    def free(self) -> NDArray[np.bool_]:
        """(D,) whether the deal began with its auction."""
        return np.concatenate(self._free)


class DealTable:
    """Records, payoffs in points, owners and free-auction flags of many deals, from one log or several (one a runner).

    `systems`: ids of the rule systems, in the order that `rules_id` counts.
    """

    def __init__(self, logs: Sequence[DealLog]) -> None:
        self.records = np.concatenate([log.records() for log in logs]) if logs else np.zeros(0, DEAL)
        self.points = np.concatenate([log.payoffs() for log in logs]) / 6.0 if logs else np.zeros((0, MAX_SEATS))
        self.owners = np.concatenate([log.owners() for log in logs]) if logs else np.zeros((0, MAX_SEATS), np.int8)
        self.free = np.concatenate([log.free() for log in logs]) if logs else np.zeros(0, np.bool_)
        self.systems: tuple[str, ...] = tuple(rules.id for rules in logs[0].rules) if logs else ()

    def __len__(self) -> int:
        return len(self.records)

    def roles(self) -> NDArray[np.int8]:
        """(D, 4) index into ROLES; 2 for everybody in a contract without a declarer, -1 for an empty seat."""
        seats = np.arange(MAX_SEATS)
        roles = np.full((len(self), MAX_SEATS), 2, np.int8)
        roles[seats == self.records["partner"][:, np.newaxis]] = 1
        roles[seats == self.records["declarer"][:, np.newaxis]] = 0
        roles[seats >= self.records["num_seats"][:, np.newaxis]] = -1
        return roles


def deal_scalars(table: DealTable) -> Iterator[tuple[str, float]]:
    """Scalars of the deals of one iteration. A group without a deal writes nothing."""
    if not len(table):
        return
    records, learner = table.records, table.owners == 0
    yield "deals/against_past_selves", float((~learner).any(1).mean())
    mixed = (~learner).any(1) & learner.any(1)
    if mixed.any():
        yield "pool/points", float(table.points[mixed][learner[mixed]].mean() - table.points[mixed][~learner[mixed]].mean())
    roles = np.where(learner, table.roles(), -1)
    free = max(1, int(table.free.sum()))
    for contract in np.unique(records["contract"]):
        if contract < 0:
            continue
        name, played = CONTRACTS[contract], records["contract"] == contract
        yield f"contract_share/{name}", float((played & table.free).sum() / free)
        for role, role_name in enumerate(ROLES):
            points = table.points[played][roles[played] == role]
            if len(points):
                yield f"contract_points/{name}_{role_name}", float(points.mean())
                yield f"contract_wins/{name}_{role_name}", float((points > 0).mean())
    if len(table.systems) > 1:
        for index, system in enumerate(table.systems):
            contracts = records["contract"][table.free & (records["rules_id"] == index) & (records["contract"] >= 0)]
            for contract in np.unique(contracts):
                yield f"contract_share_{system}/{CONTRACTS[contract]}", float((contracts == contract).mean())
    yield from _item_scalars(records)


def _item_scalars(records: NDArray[Any]) -> Iterator[tuple[str, float]]:
    doubled = records["kontra"]
    yield "kontra/levels", float(doubled.sum(1).mean())
    for item, name in enumerate(ITEMS):
        announced = records["announced_by"][:, item] >= 0
        if announced.any() and name != "game":
            yield f"announced/{name}", float(announced.mean())
            yield f"announced_made/{name}", float((records["made"][announced, item] == 1).mean())
        silent = ~announced & (records["settled"][:, item] != 0)
        if silent.any() and name != "game":
            yield f"silent/{name}", float(silent.mean())
        if (doubled[:, item] > 0).any():
            yield f"kontra/{name}", float((doubled[:, item] > 0).mean())
