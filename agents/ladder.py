"""Fitting graded levels to a rule system, and showing that each beats the one below.

1. *Unit*: the standard deviation of a seat's payoff when the strong network plays itself; regrets are measured in it.
2. *Fit*: from level 5 down, bisection on the next level's softness until it lies `gap` below the one above: points a deal over the standard
   deviation of the per-deal score (duplicate deals, agents/arena.py). `gap` puts level 1 a little below the reference bot, within limits.
3. *Acceptance*, on fresh deals that the fit has not seen: each level beats the one below alone among three of them, and three of it beat
   one. Up to three looks at growing numbers of deals, p-values multiplied by the number of looks, then Holm's correction.
4. *Figures*: every pair with intervals, Elo on the sign, the expert audit of each level, what risk settings cost.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.arena import deals_hash, play_pair
from agents.base import Bot
from agents.intervals import bootstrap_mean
from agents.levels import TOP, LevelBot, StrongNetwork
from agents.significance import holm, p_above_zero
from tarock_env.batch import DealBatch
from tarock_env.engine.state import SIXTHS
from tarock_env.engine.view import make_views
from tarock_env.rules import SYSTEMS, Rules

LEAST_GAP, MOST_GAP = 0.05, 0.20  # strength.md: what a step between neighbours may be, in SD
AIMED = 0.10, 0.18  # what the fit aims at: away from the limits, since a probe of 2000 deals knows a gap to about 0.02
BELOW_REFERENCE = 0.10  # SD by which level 1 should fall short of the reference bot
CLOSE = 0.02  # SD: a probe this near the aim ends a bisection; it knows the gap no better
FIRST_GUESS = 0.4  # softness of level 4
SIGNIFICANT = 0.01
HALVES = ("alone", "three")  # one of the better among three of the worse, and the reverse
TESTS = len(SYSTEMS) * len(HALVES) * (TOP - 1)  # the family of Holm's correction: everything that a full ladder claims
# Streams of deals, one for each purpose, so that none is ever judged on deals that shaped it.
FIT, ACCEPT, MATRIX, AUDIT, CHECK, MASTERY = range(6)
Played = Callable[[int], None]


@dataclass(frozen=True)
class Budget:
    """Duplicate deals. probe: of one probe; probes: at most, a level; looks: total at each look; matrix, risk: a pair; audit: a level."""

    probe: int = 2000
    probes: int = 4
    looks: tuple[int, ...] = (3000, 6000, 12000)
    matrix: int = 250
    audit: int = 500

    @staticmethod
    def of(deals: int) -> "Budget":
        """Everything in proportion to the deals of a probe."""
        return Budget(deals, 4, (deals * 3 // 2, 3 * deals, 6 * deals), max(2, deals // 8), max(2, deals // 4))

    def expected(self) -> int:
        """Duplicate deals that a system usually takes, for the progress display: two probes a level, one look a gap."""
        steps = TOP - 1
        return self.probe * (1 + 2 * steps) + self.looks[0] * steps + self.matrix * (steps * (steps - 1) // 2 + TOP + 2)


@dataclass
class Pair:
    """One pair of bots on duplicate deals. a, b: labels; points (D,), halves (D, 2) as in the arena, from a's side."""

    a: str
    b: str
    points: NDArray[np.float64]
    halves: NDArray[np.float64]

    def gap(self) -> float:
        """Points a deal in standard deviations of the per-deal score."""
        spread = float(self.points.std())
        return float(self.points.mean()) / spread if spread else 0.0

    def row(self, seed: int) -> dict[str, Any]:
        """For levels.json."""
        mean, low, high = bootstrap_mean(self.points, seed)
        better, worse = float((self.points > 0).mean()), float((self.points < 0).mean())
        return {
            "a": self.a, "b": self.b, "deals": len(self.points), "points_per_deal": mean, "low": low, "high": high,
            "sd": float(self.points.std()), "gap_sd": self.gap(), "better": better, "worse": worse,
            **{half: float(self.halves[:, index].mean()) for index, half in enumerate(HALVES)},
        }  # fmt: skip


@dataclass
class Ladder:
    """One system's levels while they are made. made: level -> softness. probes: every one played, for levels.json."""

    rules: Rules
    strong: StrongNetwork
    budget: Budget
    seed: int
    reference: Bot
    played: Played = lambda deals: None
    unit: float = 1.0
    made: dict[int, float] = field(default_factory=lambda: {TOP: 0.0})
    probes: list[dict[str, float]] = field(default_factory=list)

    def bot(self, level: int, risk: str = "normal") -> LevelBot:
        """The bot of a level that has its softness."""
        return self.soft(self.made[level], f"level {level}", risk)

    def soft(self, softness: float, name: str = "probe", risk: str = "normal") -> LevelBot:
        """A bot of any softness."""
        return LevelBot(self.strong, softness, self.unit, risk, name)

    def deal_seed(self, purpose: int, part: int = 0) -> int:
        """The seed of the deals for a purpose; parts are disjoint."""
        return 1000 * self.seed + 100 * purpose + part

    def play(self, a: Bot, b: Bot, deals: int, purpose: int, part: int = 0) -> Pair:
        """A pair on the deals of a purpose."""
        done = 0

        def report(now: int, total: int) -> None:
            nonlocal done
            self.played(now - done)
            done = now

        result = play_pair(a, b, self.rules, deals, self.deal_seed(purpose, part), report)
        return Pair(a.name, b.name, result.points, result.halves)


def payoff_unit(bot: Bot, rules: Rules, deals: int, seed: int) -> float:
    """Standard deviation of a seat's payoff, in points, when the bot plays itself."""
    batch = DealBatch(deals, rules, seed)
    rng = np.random.default_rng(seed)
    actions = np.zeros(deals, np.int64)
    while not batch.finished.all():
        acting = np.flatnonzero(~batch.finished)
        actions[acting] = bot.act(make_views(batch.deals, batch.tables, acting), batch.tables, rng)
        batch.step(actions)
    return float(batch.payoffs[:, : rules.players].std() / SIXTHS) or 1.0


def fit(ladder: Ladder) -> float:
    """Fill in the softness of the levels below 5, as many as the range allows; returns the gap aimed at."""
    top = ladder.bot(TOP)
    ladder.unit = payoff_unit(top, ladder.rules, ladder.budget.probe, ladder.deal_seed(FIT, 1))
    to_reference = ladder.play(top, ladder.reference, ladder.budget.probe, FIT).gap()
    aim = min(max((to_reference + BELOW_REFERENCE) / (TOP - 1), AIMED[0]), AIMED[1])
    for level in range(TOP - 1, 0, -1):
        found = fit_below(ladder, level, aim)
        if found is None:
            break
        ladder.made[level] = found
    return aim


def fit_below(ladder: Ladder, level: int, aim: float) -> float | None:
    """The softness that lies `aim` below the level above, None where even the softest play is nearer than LEAST_GAP.

    Bisection in which a straight line through the ends of the bracket chooses the next point; all probes share their deals, so that the
    gap grows with softness nearly without noise.
    """
    above = ladder.bot(level + 1)

    def probe(softness: float) -> float:
        gap = ladder.play(above, ladder.soft(softness), ladder.budget.probe, FIT).gap()
        ladder.probes.append({"level": level, "softness": softness, "gap_sd": gap})
        return gap

    low, low_gap = above.softness, 0.0
    steps = TOP - level
    # What is lost grows about as the square of softness.
    guess = min(1.0, above.softness * math.sqrt(steps / (steps - 1))) if steps > 1 else FIRST_GUESS
    high, high_gap = 1.0, math.nan  # not measured yet
    best, best_gap = guess, math.inf
    for _ in range(ladder.budget.probes):
        gap = probe(guess)
        if abs(gap - aim) < abs(best_gap - aim):
            best, best_gap = guess, gap
        if abs(gap - aim) <= CLOSE or (guess >= 1.0 and gap < aim):
            break
        if gap < aim:
            low, low_gap = guess, gap
        else:
            high, high_gap = guess, gap
        guess = _between(low, low_gap, high, high_gap, aim)
    if best_gap < LEAST_GAP and not math.isnan(high_gap):
        return guess  # every probe was far off, on both sides of the aim: where the line through them points
    return None if best_gap < LEAST_GAP or best <= above.softness else best


def _between(low: float, low_gap: float, high: float, high_gap: float, aim: float) -> float:
    """The next probe: on the line through both ends, in the middle eight tenths; where the upper end is unknown, further up."""
    if math.isnan(high_gap):
        return min(1.0, low + 0.5 * (high - low)) if high - low > 0.2 else high
    share = (aim - low_gap) / (high_gap - low_gap) if high_gap > low_gap else 0.5
    return low + (high - low) * min(max(share, 0.1), 0.9)


def accept(ladder: Ladder, purpose: int = ACCEPT) -> tuple[list[dict[str, Any]], list[Pair]]:
    """Each made level against the one below on fresh deals: the tests, two a gap, and what was played.

    A test that a look leaves open is looked at again with more deals. p is multiplied by the number of looks there may be, and
    corrected by Holm for all that a full ladder claims (TESTS); `passed` says whether what comes out is below SIGNIFICANT.
    """
    levels = sorted(ladder.made, reverse=True)
    pairs: list[Pair] = []
    for part, (upper, lower) in enumerate(pairwise(levels)):
        pair: Pair | None = None
        for look, deals in enumerate(ladder.budget.looks):
            before = 0 if pair is None else len(pair.points)
            more = ladder.play(ladder.bot(upper), ladder.bot(lower), deals - before, purpose, 10 * part + look)
            pair = more if pair is None else _joined(pair, more)
            # Decided for good whatever the other tests give: the largest factor that Holm can apply.
            if all(p * len(ladder.budget.looks) * TESTS < SIGNIFICANT for p in _half_p(pair)):
                break
        assert pair is not None
        pairs.append(pair)
    raw = [(pair, half, p) for pair in pairs for half, p in zip(HALVES, _half_p(pair), strict=True)]
    corrected = holm([min(1.0, p * len(ladder.budget.looks)) for _, _, p in raw], TESTS)
    tests = []
    for (pair, half, p), final in zip(raw, corrected, strict=True):
        points = float(pair.halves[:, HALVES.index(half)].mean())
        played = {"a": pair.a, "b": pair.b, "half": half, "deals": len(pair.points), "points_per_deal": points}
        tests.append(played | {"p": p, "p_corrected": final, "passed": final < SIGNIFICANT})
    return tests, pairs


def _half_p(pair: Pair) -> list[float]:
    return [p_above_zero(pair.halves[:, index]) for index in range(len(HALVES))]


def _joined(one: Pair, more: Pair) -> Pair:
    return Pair(one.a, one.b, np.concatenate([one.points, more.points]), np.concatenate([one.halves, more.halves]))


def deal_sets(ladder: Ladder, pairs: Sequence[Pair]) -> dict[str, Any]:
    """Seeds, numbers and hashes of the deals that the figures stand on."""
    looks = ladder.budget.looks
    sets = {"fit": (ladder.deal_seed(FIT), ladder.budget.probe), "matrix": (ladder.deal_seed(MATRIX), ladder.budget.matrix)}
    for part, pair in enumerate(pairs):
        before = 0
        for look, deals in enumerate(looks):
            if len(pair.points) > before:
                sets[f"{pair.a} - {pair.b}, look {look + 1}"] = ladder.deal_seed(ACCEPT, 10 * part + look), deals - before
            before = deals
    return {name: {"seed": seed, "deals": deals, "sha256": deals_hash(ladder.rules, seed, deals)} for name, (seed, deals) in sets.items()}


def budget_row(budget: Budget) -> dict[str, Any]:
    """For levels.json, and to see whether a system that is there was made with the same effort."""
    return asdict(budget) | {"looks": list(budget.looks)}
