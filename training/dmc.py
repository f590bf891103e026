"""Deep Monte-Carlo, the algorithm of DouZero (arXiv:2106.06135): values of actions, fitted to what the deals came to.

    L = mean[huber((Q(o, a) - G) / sigma)],   a = argmax Q(o, .) with probability 1 - epsilon, else a random legal action

G is the deal's payoff in points, sigma the running spread of the rule system's payoffs: one network learns games of one point and
of a hundred. No critic, no bootstrap, no policy gradient; opponents, forced contracts, pool, evaluation and files are those of PPO.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from ray.rllib.core.columns import Columns
from ray.rllib.evaluation.postprocessing import Postprocessing
from ray.rllib.policy.sample_batch import MultiAgentBatch, SampleBatch
from torch import Tensor
from torch.nn import functional

from training.algorithm import TarockPPO
from training.columns import LEGAL_ACTIONS, Q_VALUES, SPREAD, SYSTEM
from training.env_runner import TarockEnvRunner
from training.learner import Q_HUBER, TarockLearner, place_of
from training.module import ILLEGAL, Q_UNIT, TarockModule, widest
from training.schedule import linear
from training.trajectories import draw_actions

# An exported bot's policy head holds the action values times this: a quarter of a point is a factor of e, all but the best action.
SHARPNESS = 64.0


class ValueModule(TarockModule):
    """The same networks, of which the update needs the actor's trunk and its action values alone."""

    def setup(self) -> None:
        """Build the networks. Raises ValueError without a head for action values."""
        if not self.model_config["q_head"]:
            raise ValueError("network.q_head: dmc learns action values; set it to true")
        super().setup()

    def _forward_train(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Tensor]:
        legal, actor = widest(batch[LEGAL_ACTIONS]), self.cast_actor()
        values = actor.head_at("q", actor.hidden(batch[Columns.OBS]), legal.clamp(min=0))
        return {LEGAL_ACTIONS: legal, Q_VALUES: values.masked_fill(legal < 0, ILLEGAL)}


class ValueRunner(TarockEnvRunner):
    """Plays the action of the highest value, and now and then a random one."""

    endgame_tricks = 0  # it learns from what was played alone
    asks_teacher = False

    @torch.no_grad()
    def _choose(self, observation: Any, legal: Any, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        rows = torch.from_numpy(observation).to(self.module.scale.device)
        values = self._actor.head("q", self._actor.hidden(rows)).cpu().numpy()
        best = np.where(legal < 0, -np.inf, np.take_along_axis(values[: len(legal)], legal.clip(0), axis=1)).argmax(axis=1)
        explores = rng.random(len(legal)) < self._exploration
        at_random, log_probabilities = np.empty(len(legal), np.int64), np.zeros(len(legal), np.float32)
        draw_actions(np.zeros_like(values), legal, rng.random(len(legal)), at_random, log_probabilities)
        actions = np.take_along_axis(legal, best[:, np.newaxis], axis=1)[:, 0]
        return np.where(explores, at_random, actions), np.zeros(len(legal), np.float32)

    def _values(self, size: int) -> NDArray[np.float32]:
        """Nothing is expected: advantages and targets are then the payoff itself."""
        self._store[SPREAD][:size] = 1.0
        return np.zeros(size, np.float32)


class ValueLearner(TarockLearner):
    """Fits the values of the actions taken."""

    def compute_loss_for_module(self, *, module_id: str, config: Any, batch: dict[str, Any], fwd_out: dict[str, Tensor]) -> Tensor:
        """The loss at the head of this file for one minibatch; a scalar."""
        targets = batch[Postprocessing.VALUE_TARGETS]
        taken = place_of(batch[Columns.ACTIONS], fwd_out[LEGAL_ACTIONS])
        values = fwd_out[Q_VALUES].gather(-1, taken).squeeze(-1) * Q_UNIT
        errors = (values - targets) / batch[SPREAD]
        loss = functional.huber_loss(errors, torch.zeros_like(errors), delta=Q_HUBER)
        with torch.no_grad():
            self._note("update/q_loss", errors.square())
            self._note("update/greedy", fwd_out[Q_VALUES].argmax(-1) == taken.squeeze(-1))
            self._note_moments("q", targets - values, targets)
        return loss


class DeepMonteCarlo(TarockPPO):
    """Self-play by action values; `[run] algorithm = "dmc"`."""

    loss_learner = ValueLearner
    runner = ValueRunner
    network = ValueModule

    @property
    def exploration(self) -> float:
        """Epsilon of the coming iteration."""
        settings = self.train_config.dmc
        return linear(settings.epsilon, settings.final_epsilon, self.progress)

    def _sample(self, lam: float) -> MultiAgentBatch | None:
        return super()._sample(1.0)  # the target of every decision is the whole payoff

    def expected(self, rows: SampleBatch) -> None:
        """There is no critic."""

    def prepare(self, rows: SampleBatch) -> None:
        """The unit of an error is the spread of the system's payoffs so far."""
        rows[SPREAD][:] = np.array(self.sigma.values(), np.float32)[rows[SYSTEM]]

    def actor_tensors(self) -> dict[str, NDArray[np.float32]]:
        """The actor as a bot file holds it: the policy head prefers what has the highest value."""
        tensors = super().actor_tensors()
        return tensors | {f"policy.{part}": tensors[f"q.{part}"] * np.float32(SHARPNESS) for part in ("weight", "bias")}
