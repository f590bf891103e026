"""One rule system's entry in levels.json: fitted, accepted, and with every figure; and the re-test of an entry that is there."""

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from agents.arena import deals_hash
from agents.audit import audit
from agents.base import Bot
from agents.intervals import bootstrap_mean
from agents.ladder import (
    ACCEPT,
    AUDIT,
    CHECK,
    LEAST_GAP,
    MASTERY,
    MATRIX,
    MOST_GAP,
    ROUNDS,
    SIGNIFICANT,
    TESTS,
    Budget,
    Ladder,
    Pair,
    Played,
    accept,
    budget_row,
    challenge,
    deal_sets,
    fit,
    judge_steps,
)  # fmt: skip
from agents.levels import MASTER, TITLES, TOP, LevelError, StrongNetwork, master
from agents.search_bot import SearchBudget
from agents.significance import elo
from agents.softness import RISKS, setting_of
from agents.weights import critic_path, read_manifest
from tarock_env.actions import ANNOUNCE as ANNOUNCE_ACTION
from tarock_env.actions import BID, KONTRA, PASS
from tarock_env.batch import DealBatch
from tarock_env.engine.state import ANNOUNCE, AUCTION
from tarock_env.engine.view import make_views
from tarock_env.rules import Rules

BIDDING_DEALS = 4  # times the deals of an audit for level 5: rare contracts must be seen
Audit = Callable[[Bot, Rules, int, int], dict[str, Any]]


def grade(
    rules: Rules, strong: StrongNetwork, budget: Budget, seed: int, reference: Bot, played: Played, audited: Audit = audit
) -> dict[str, Any]:
    """Fit a system's levels, accept them and collect the figures: its entry in levels.json.

    reference: the bot that level 1 should be near. played: called with every number of duplicate deals that was played. audited: as
    agents.audit.audit.
    """
    start = time.monotonic()
    ladder = Ladder(rules, strong, budget, seed, reference, played)
    aim = fit(ladder)
    tests, pairs = accept(ladder, aim)
    fitted = dict(ladder.made)
    drop_failed(ladder, tests)
    kept = pairs[: len(ladder.made) - 1]
    matrix, ratings = figures(ladder, kept)
    return {
        "rules_version": rules.version,
        "weights": weights_row(strong),
        "unit": ladder.unit,
        "levels": {str(level): level_row(ladder, level, audited) for level in sorted(ladder.made)},
        "note": range_note(ladder, fitted, aim, tests),
        "fit": {"seed": seed, "budget": budget_row(budget), "gap_aimed_sd": aim, "rounds": ladder.round + 1, "probes": ladder.probes},
        "acceptance": {"significant": SIGNIFICANT, "looks": len(budget.looks), "rounds": ROUNDS, "holm_family": TESTS, "tests": tests},
        "matrix": matrix,
        "elo": ratings,
        "risk": risk_rows(ladder),
        "deals": deal_sets(ladder, pairs),
        "seconds": round(time.monotonic() - start, 1),
    }


def grade_master(
    rules: Rules, strong: StrongNetwork, deals: Sequence[int], seed: int, opponents: Sequence[Bot], played: Played, recheck: bool = False
) -> dict[str, Any]:
    """What level 6 gains on level 5 and on each of the opponents, on fresh duplicate deals: `master` of a system's entry.

    deals: how many, for level 5 and for each opponent. recheck: on other deals than those of the entry with this seed.
    """
    start = time.monotonic()
    ladder = Ladder(rules, strong, Budget(), seed, opponents[0], played)
    parts = range(len(opponents) + 1, 2 * (len(opponents) + 1)) if recheck else range(len(opponents) + 1)
    bot, against = master(strong), [ladder.bot(TOP), *opponents]
    pairs = [ladder.play(bot, other, count, MASTERY, part) for part, other, count in zip(parts, against, deals, strict=True)]
    seeds = [ladder.deal_seed(MASTERY, part) for part in parts]
    return {
        "title": TITLES[MASTER],
        "search": asdict(bot.budget),
        "weights": weights_row(strong),
        "critic_sha256": critic_hash(strong, bot.budget),
        "seed": seed,
        "against": [
            pair.row(seed) | {"deals_seed": chosen, "deals_sha256": deals_hash(rules, chosen, count)}
            for pair, chosen, count in zip(pairs, seeds, deals, strict=True)
        ],
        "seconds": round(time.monotonic() - start, 1),
    }


def drop_failed(ladder: Ladder, tests: Sequence[dict[str, Any]]) -> None:
    """Keep the levels from 5 down to the first that is not shown to be below its neighbour."""
    failed = {test["b"] for test in tests if not test["passed"]}
    for level in sorted(ladder.made, reverse=True):
        if f"level {level}" in failed:
            ladder.made = {kept: softness for kept, softness in ladder.made.items() if kept > level}
            return


def range_note(ladder: Ladder, fitted: dict[int, float], aim: float, tests: Sequence[dict[str, Any]]) -> str:
    """Why there are fewer than five levels, "" where there are five. tests: the acceptance of all that were fitted."""
    reasons = []
    if len(fitted) < TOP:
        last = min(fitted)
        probes = [probe for probe in ladder.probes if (probe["round"], probe["level"]) == (ladder.round, last - 1)]
        gap = max(probes, key=lambda probe: probe["softness"])["gap_sd"] if probes else 0.0
        reasons.append(f"below level {last} the softest play is {gap:.3f} SD weaker, {aim:.3f} was aimed at")
    if len(ladder.made) < len(fitted):
        last = min(ladder.made)
        failed = [test for test in tests if test["b"] == f"level {last - 1}"]
        if all(test["p_corrected"] < SIGNIFICANT for test in failed):
            gap, limits = failed[0]["gap_sd"], f"{LEAST_GAP:.2f} to {MOST_GAP:.2f}"
            reasons.append(f"level {last - 1} lies {gap:.3f} SD below level {last} on fresh deals, outside {limits}")
        else:
            reasons.append(f"level {last - 1} was not shown to be below level {last} on fresh deals")
    return "; ".join(reasons)


def figures(ladder: Ladder, neighbours: Sequence[Pair]) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Every pair of levels and reference: rows of the matrix, and Elo on the sign with the reference at 0."""
    known = {(pair.a, pair.b): pair for pair in neighbours}
    bots: list[Bot] = [*(ladder.bot(level) for level in sorted(ladder.made, reverse=True)), ladder.reference]
    rows, wins = [], {}
    for a, b in combinations(bots, 2):
        pair = known.get((a.name, b.name)) or ladder.play(a, b, ladder.budget.matrix, MATRIX)
        rows.append(pair.row(ladder.seed))
        ties = 1 - rows[-1]["better"] - rows[-1]["worse"]
        wins[a.name, b.name] = tuple(len(pair.points) * (rows[-1][side] + ties / 2) for side in ("better", "worse"))
    return rows, elo(wins, ladder.reference.name)


def level_row(ladder: Ladder, level: int, audited: Audit) -> dict[str, Any]:
    """What one level is, what mistakes it makes and what it bids."""
    softness = ladder.made[level]
    deals = ladder.budget.audit * (BIDDING_DEALS if level == TOP else 1)
    result = audited(ladder.bot(level), ladder.rules, deals, ladder.deal_seed(AUDIT))
    return {
        "title": TITLES[level],
        "softness": softness,
        "setting": asdict(setting_of(softness)),
        "audit": {"deals": deals, "decisions": result["decisions"], "mistakes": result["mistakes"]},
        "bidding": {"above_forced": result["above_forced"], "contracts": result["contracts"]},
    }


def risk_rows(ladder: Ladder) -> list[dict[str, Any]]:
    """How often each risk setting of level 4 (5 where there is no 4) bids and announces, and what it costs against the normal one."""
    level = max(kept for kept in ladder.made if kept < TOP or len(ladder.made) == 1)
    normal = ladder.bot(level)
    rows = []
    for risk in RISKS:
        bot = ladder.bot(level, risk)
        row: dict[str, Any] = {"level": level, "risk": risk}
        row |= bid_shares(bot, ladder.rules, ladder.budget.audit, ladder.deal_seed(AUDIT, 1))
        if risk != "normal":
            pair = ladder.play(bot, normal, ladder.budget.matrix, MATRIX, 1)
            mean, low, high = bootstrap_mean(pair.points, ladder.seed)
            row |= {"deals": len(pair.points), "points_per_deal": mean, "low": low, "high": high}
        rows.append(row)
    return rows


def bid_shares(bot: Bot, rules: Rules, deals: int, seed: int) -> dict[str, float]:
    """The bot in all seats: in which share of the decisions where it may bid or pass it bids, and its announcements a deal."""
    batch = DealBatch(deals, rules, seed)
    rng = np.random.default_rng(seed)
    actions = np.zeros(deals, np.int64)
    asked = bids = announcements = 0
    may_pass = np.uint64(1 << (PASS - BID))
    while not batch.finished.all():
        acting = np.flatnonzero(~batch.finished)
        views = make_views(batch.deals, batch.tables, acting)
        actions[acting] = chosen = bot.act(views, batch.tables, rng)
        open_auction = (views["phase"] == AUCTION) & ((views["legal"][:, BID // 64] & may_pass) > 0)
        asked += int(open_auction.sum())
        bids += int((open_auction & (chosen != PASS)).sum())
        announcements += int(((views["phase"] == ANNOUNCE) & (chosen >= ANNOUNCE_ACTION) & (chosen < KONTRA)).sum())
        batch.step(actions)
    return {"bids": bids / max(asked, 1), "announcements_per_deal": announcements / deals}


def weights_row(strong: StrongNetwork) -> dict[str, str]:
    """Which network: name of its file, hash of the file, and the hash of its tensors, which loading compares."""
    return {
        "file": strong.path.name,
        "file_sha256": hashlib.sha256(Path(strong.path).read_bytes()).hexdigest(),
        "name": strong.manifest.name,
        "sha256": strong.manifest.sha256,
    }


def critic_hash(strong: StrongNetwork, budget: SearchBudget) -> str:
    """Hash of the tensors of the critic that a search asks, "" where it asks none. Raises BotFileError."""
    return "" if not budget.asks_critic else read_manifest(critic_path(strong.path)).sha256


def check_network(rules: Rules, entry: dict[str, Any], strong: StrongNetwork) -> None:
    """Raise LevelError where an entry was made from another network."""
    if entry["weights"]["sha256"] != strong.manifest.sha256:
        raise LevelError(f"{rules.id}: the levels were fitted to another network than {strong.path}; run tarock ladder --rules {rules.id}")


def recheck(
    rules: Rules, entry: dict[str, Any], strong: StrongNetwork, budget: Budget, seed: int, reference: Bot, played: Played
) -> list[dict[str, Any]]:
    """Acceptance again for the levels of an entry, on fresh deals, where a gap fails only with its whole interval outside the limits.

    Returns the tests. Raises LevelError where the network is another.
    """
    check_network(rules, entry, strong)
    ladder = Ladder(rules, strong, budget, seed, reference, played, unit=entry["unit"])
    ladder.made = {int(level): row["softness"] for level, row in entry["levels"].items()}
    purpose = CHECK if seed == entry["fit"]["seed"] else ACCEPT  # fresh deals whatever seed was given
    return judge_steps(challenge(ladder, purpose, TOP, rounds=1), len(budget.looks), seed, retest=True)
