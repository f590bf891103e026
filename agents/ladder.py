"""Fitting graded levels to a rule system, and showing that each beats the one below.

1. *Unit*: the standard deviation of a seat's payoff when the strong network plays itself; regrets are measured in it.
2. *Fit*: from level 5 down, bisection on the next level's softness until it lies `gap` below the one above: points a deal over the standard
   deviation of the per-deal score (duplicate deals, agents/arena.py). `gap` puts level 1 a little below the reference bot, within limits,
   and within the range that softness has in the rule system.
3. *Acceptance*, on fresh deals that the fit has not seen: each level beats the one below alone among three of them, and three of it beat
   one, by a gap within limits. Up to four looks at growing numbers of deals. Where a step fails, a probe's luck may have misled the
   fit: the levels from there down are fitted once more, with twice the deals, and accepted on fresh ones. p-values are multiplied by
   the number of looks and of rounds, then Holm's correction. A re-test knows a gap no better: it fails one only where the whole 99%
   interval lies outside the limits.
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
NARROW = 0.07  # SD: a step that four levels below the top may come down to, where the softest play leaves no room for more
BELOW_REFERENCE = 0.10  # SD by which level 1 should fall short of the reference bot
CLOSE = 0.02  # SD: a probe this near the aim ends a bisection; it knows the gap no better
FIRST_GUESS = 0.4  # softness of level 4
SIGNIFICANT = 0.01
ROUNDS = 2  # of fitting and accepting
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
    looks: tuple[int, ...] = (3000, 6000, 12000, 24000)
    matrix: int = 250
    audit: int = 500

    @staticmethod
    def of(deals: int) -> "Budget":
        """Everything in proportion to the deals of a probe."""
        return Budget(deals, 4, (deals * 3 // 2, 3 * deals, 6 * deals, 12 * deals), max(2, deals // 8), max(2, deals // 4))

    def expected(self) -> int:
        """Duplicate deals that a system usually takes, for the progress display: two probes a level, one look a gap."""
        steps = TOP - 1
        return self.probe * (2 + 2 * steps) + self.looks[0] * steps + self.matrix * (steps * (steps - 1) // 2 + TOP + 2)


@dataclass
class Pair:
    """One pair of bots on duplicate deals.

    a, b: labels. points (D,), halves (D, 2): as in the arena, from a's side. sets: (seed, deals) of the deals, one after another.
    """

    a: str
    b: str
    points: NDArray[np.float64]
    halves: NDArray[np.float64]
    sets: tuple[tuple[int, int], ...] = ()

    def gap(self) -> float:
        """Points a deal in standard deviations of the per-deal score."""
        spread = float(self.points.std())
        return float(self.points.mean()) / spread if spread else 0.0

    def gap_interval(self, seed: int) -> tuple[float, float]:
        """Ends of the gap's 99% interval: those of the mean's bootstrap by deal, over the standard deviation."""
        _, low, high = bootstrap_mean(self.points, seed)
        spread = float(self.points.std())
        return (low / spread, high / spread) if spread else (0.0, 0.0)

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
    """One system's levels while they are made.

    made: level -> softness. probes: every one played, for levels.json. round: of fitting and accepting, from 0.
    """

    rules: Rules
    strong: StrongNetwork
    budget: Budget
    seed: int
    reference: Bot
    played: Played = lambda deals: None
    unit: float = 1.0
    made: dict[int, float] = field(default_factory=lambda: {TOP: 0.0})
    probes: list[dict[str, float]] = field(default_factory=list)
    round: int = 0

    @property
    def probe_deals(self) -> int:
        """Duplicate deals of a probe in this round."""
        return probe_deals(self.budget, self.round)

    def bot(self, level: int, risk: str = "normal") -> LevelBot:
        """The bot of a level that has its softness."""
        return self.soft(self.made[level], f"level {level}", risk)

    def soft(self, softness: float, name: str = "probe", risk: str = "normal") -> LevelBot:
        """A bot of any softness."""
        return LevelBot(self.strong, softness, self.unit, risk, name)

    def deal_seed(self, purpose: int, part: int = 0) -> int:
        """The seed of the deals for a purpose in this round; parts, below 50, are disjoint."""
        return deal_seed(self.seed, purpose, self.round, part)

    def play(self, a: Bot, b: Bot, deals: int, purpose: int, part: int = 0) -> Pair:
        """A pair on the deals of a purpose."""
        done = 0

        def report(now: int, total: int) -> None:
            nonlocal done
            self.played(now - done)
            done = now

        seed = self.deal_seed(purpose, part)
        result = play_pair(a, b, self.rules, deals, seed, report)
        return Pair(a.name, b.name, result.points, result.halves, ((seed, deals),))


def deal_seed(seed: int, purpose: int, round_: int = 0, part: int = 0) -> int:
    """The seed of the deals for a purpose in a round; parts below 50."""
    return 1000 * seed + 100 * purpose + 50 * round_ + part


def probe_deals(budget: Budget, round_: int) -> int:
    """Duplicate deals of a probe in a round: twice as many in the second."""
    return budget.probe * (1 + round_)


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
    reachable = ladder.play(top, ladder.soft(1.0), ladder.budget.probe, FIT).gap() / (TOP - 1)
    if NARROW <= reachable < aim:
        aim = reachable
    fit_from(ladder, TOP - 1, aim)
    return aim


def fit_from(ladder: Ladder, highest: int, aim: float) -> None:
    """Fill in the softness of a level and of those below, as far down as the range allows; what they had is forgotten."""
    ladder.made = {level: softness for level, softness in ladder.made.items() if level > highest}
    for level in range(highest, 0, -1):
        found = fit_below(ladder, level, aim)
        if found is None:
            break
        ladder.made[level] = found


def fit_below(ladder: Ladder, level: int, aim: float) -> float | None:
    """The softness that lies `aim` below the level above, None where even the softest play is nearer than LEAST_GAP.

    Bisection in which a straight line through the ends of the bracket chooses the next point; all probes share their deals, so that the
    gap grows with softness nearly without noise.
    """
    above = ladder.bot(level + 1)

    def probe(softness: float) -> float:
        gap = ladder.play(above, ladder.soft(softness), ladder.probe_deals, FIT).gap()
        ladder.probes.append({"round": ladder.round, "level": level, "softness": softness, "gap_sd": gap})
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


def accept(ladder: Ladder, aim: float) -> tuple[list[dict[str, Any]], list[Pair]]:
    """Show on fresh deals that each made level beats the one below; where a step fails, fit once more from there down.

    Returns the tests, two a step, and the pairs that they stand on, from the strongest down.
    """
    trials = len(ladder.budget.looks) * ROUNDS
    pairs = challenge(ladder, ACCEPT, TOP)
    tests = judge_steps(pairs, trials, ladder.seed)
    while ladder.round + 1 < ROUNDS and not all(test["passed"] for test in tests):
        step = [test["passed"] for test in tests].index(False) // len(HALVES)
        ladder.round += 1
        fit_from(ladder, TOP - step - 1, aim)
        pairs = pairs[:step] + challenge(ladder, ACCEPT, TOP - step)
        tests = judge_steps(pairs, trials, ladder.seed)
    return tests, pairs


def challenge(ladder: Ladder, purpose: int, highest: int, rounds: int = ROUNDS) -> list[Pair]:
    """Each made level from `highest` down against the one below, with more deals as long as a test is open."""
    levels = sorted((level for level in ladder.made if level <= highest), reverse=True)
    trials = len(ladder.budget.looks) * rounds
    pairs = []
    for upper, lower in pairwise(levels):
        pair: Pair | None = None
        for look, deals in enumerate(ladder.budget.looks):
            before = 0 if pair is None else len(pair.points)
            more = ladder.play(ladder.bot(upper), ladder.bot(lower), deals - before, purpose, 10 * (TOP - upper) + look)
            pair = more if pair is None else _joined(pair, more)
            # Decided for good whatever the other tests give: the largest factor that Holm can apply.
            if all(p * trials * TESTS < SIGNIFICANT for p in _half_p(pair)):
                break
        assert pair is not None
        pairs.append(pair)
    return pairs


def judge_steps(pairs: Sequence[Pair], trials: int, seed: int, retest: bool = False) -> list[dict[str, Any]]:
    """Two tests a pair: rows of p, gap and its 99% interval (bootstrap with this seed), in SD, and whether the test is `passed`.

    p is multiplied by the number of trials that there may be, and corrected by Holm for all that a full ladder claims (TESTS); what comes
    out must be below SIGNIFICANT. The gap must lie within the limits as measured. In a re-test it fails only where its whole interval
    lies outside: a step that was accepted near a limit would else fail every other time.
    """
    raw = [_half_p(pair) for pair in pairs]
    corrected = iter(holm([min(1.0, p * trials) for both in raw for p in both], TESTS))
    tests = []
    for pair, both in zip(pairs, raw, strict=True):
        gap, (low, high) = pair.gap(), pair.gap_interval(seed)
        fair = low <= MOST_GAP and high >= LEAST_GAP if retest else LEAST_GAP <= gap <= MOST_GAP
        for index, (half, p) in enumerate(zip(HALVES, both, strict=True)):
            points, final = float(pair.halves[:, index].mean()), next(corrected)
            played = {"a": pair.a, "b": pair.b, "half": half, "deals": len(pair.points), "points_per_deal": points}
            judged = {"gap_sd": gap, "gap_low": low, "gap_high": high, "p": p, "p_corrected": final}
            tests.append(played | judged | {"passed": final < SIGNIFICANT and fair})
    return tests


def _half_p(pair: Pair) -> list[float]:
    return [p_above_zero(pair.halves[:, index]) for index in range(len(HALVES))]


def _joined(one: Pair, more: Pair) -> Pair:
    points, halves = np.concatenate([one.points, more.points]), np.concatenate([one.halves, more.halves])
    return Pair(one.a, one.b, points, halves, one.sets + more.sets)


def deal_sets(ladder: Ladder, pairs: Sequence[Pair]) -> dict[str, Any]:
    """Seeds, numbers and hashes of the deals that the figures stand on."""
    sets = {f"{pair.a} - {pair.b}, look {look}": chosen for pair in pairs for look, chosen in enumerate(pair.sets, start=1)}
    sets["matrix"] = ladder.deal_seed(MATRIX), ladder.budget.matrix
    for number in range(ladder.round + 1):
        name = "fit" if number == 0 else f"fit, round {number + 1}"
        sets[name] = deal_seed(ladder.seed, FIT, number), probe_deals(ladder.budget, number)
    return {name: {"seed": seed, "deals": deals, "sha256": deals_hash(ladder.rules, seed, deals)} for name, (seed, deals) in sets.items()}


def budget_row(budget: Budget) -> dict[str, Any]:
    """For levels.json, and to see whether a system that is there was made with the same effort."""
    return asdict(budget) | {"looks": list(budget.looks)}
