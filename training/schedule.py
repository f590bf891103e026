"""Values that change over a run."""

from __future__ import annotations

from dataclasses import dataclass

from training.config import PpoSection


@dataclass(frozen=True)
class Schedule:
    """What is in force in one iteration (config [ppo])."""

    learning_rate: float
    clip: float
    lam: float
    entropy: float
    magnet: float
    teacher_bids: float


def schedule_at(ppo: PpoSection, progress: float) -> Schedule:
    """The values at a share `progress` (0..1) of the run's budget."""
    return Schedule(
        learning_rate=linear(ppo.learning_rate, ppo.final_learning_rate, progress),
        clip=linear(ppo.clip, ppo.final_clip, progress),
        lam=linear(ppo.lambda_, ppo.final_lambda, progress),
        entropy=geometric(ppo.entropy, ppo.final_entropy, progress),
        magnet=geometric(ppo.magnet, ppo.final_magnet, progress),
        teacher_bids=geometric(ppo.teacher_bids, ppo.final_teacher_bids, progress),
    )


def linear(first: float, last: float, progress: float) -> float:
    """A straight line from first to last."""
    return first + (last - first) * progress


def geometric(first: float, last: float, progress: float) -> float:
    """Equal factors in equal times; a straight line where one end is zero."""
    if first <= 0 or last <= 0:
        return linear(first, last, progress)
    return float(first * (last / first) ** progress)
