"""What one seat gains by playing another bot, all other seats keeping theirs: the measure behind exploitability."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.arena import LOCKSTEP, play_table
from agents.base import Bot
from agents.intervals import bootstrap_mean
from tarock_env.batch import DealBatch
from tarock_env.engine.state import SIXTHS
from tarock_env.rules import Rules

Report = Callable[[int, int], None]


@dataclass(frozen=True)
class Gain:
    """A mean gain a deal, in points, with the ends of its 99% interval by deal.

    sd: standard deviation of the paired difference of one deal. in_sd: points / sd, the effect size d of strength tests, with its
    interval. payoff_sd: standard deviation of one seat's payoff where it keeps the bot that is replaced, for scale. deals: duplicate
    deals, each played in every seat.
    """

    points: float
    low: float
    high: float
    sd: float
    in_sd: float
    in_sd_low: float
    in_sd_high: float
    payoff_sd: float
    deals: int

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def shown(self) -> str:
        """For people."""
        return (
            f"{self.points:+.3f} points a deal (99%: {self.low:+.3f} to {self.high:+.3f}), "
            f"{self.in_sd:+.3f} SD (99%: {self.in_sd_low:+.3f} to {self.in_sd_high:+.3f}), {self.deals} duplicate deals"
        )


def seat_payoffs(
    bots: Sequence[Bot], frozen: Bot, rules: Rules, num_deals: int, seed: int, report: Report | None = None
) -> NDArray[np.float64]:
    """(K, D, P) payoff in points of each of K bots, alone in each of P seats among `frozen`, on the same D deals.

    Where a bot is `frozen` itself, one game of four of them serves all seats. The deals depend on the seed alone, and so do a bot's
    draws, not on who else is measured. report(done, total) counts deals.
    """
    players = rules.players
    at_once = max(1, LOCKSTEP // players)
    source = DealBatch(at_once, rules, seed, skip_forced=False)  # always of one size: 100 deals are the first 100 of 5000
    payoffs = np.empty((len(bots), num_deals, players))
    rngs = [(np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1])) for _ in bots]
    for done in range(0, num_deals, at_once):
        count = min(at_once, num_deals - done)
        for index, bot in enumerate(bots):
            seatings = np.ones((1, players), np.int8) if bot is frozen else (1 - np.eye(players, dtype=np.int8))
            table = DealBatch(count * len(seatings), rules, seed)
            table.deals[:] = np.repeat(source.deals[:count], len(seatings))
            play_table(table, (bot, frozen), np.tile(seatings, (count, 1)), rngs[index])
            paid = table.payoffs[:, :players].reshape(count, len(seatings), players)
            own = paid[:, 0] if bot is frozen else paid[:, np.arange(players), np.arange(players)]
            payoffs[index, done : done + count] = own / SIXTHS
        source.reset()
        if report is not None:
            report(done + count, num_deals)
    return payoffs


def gain_over(challenger: NDArray[np.float64], replaced: NDArray[np.float64], seed: int) -> Gain:
    """What the challenger gains over the bot it replaces, from two (D, P) arrays of `seat_payoffs`. seed: of the bootstrap."""
    difference = (challenger - replaced).mean(axis=1)
    points, low, high = bootstrap_mean(difference, seed)
    sd = float(difference.std())
    effect, effect_low, effect_high = (value / sd if sd else 0.0 for value in (points, low, high))
    return Gain(points, low, high, sd, effect, effect_low, effect_high, payoff_sd=float(replaced.std()), deals=len(difference))
