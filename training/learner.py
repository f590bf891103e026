"""The loss: masked PPO with a magnet, a privileged two-hot critic and actor-side action values, on RLlib's TorchLearner.

    L = mean[-min(r A, clip(r, 1 - c, 1 + c) A)] - mean[e(phase) H / log n] + m mean[KL(pi || magnet)]
        + b mean[-log pi(t|o)] + w_v mean[CE(two-hot(G), V)] + w_q mean[huber((Q(o, a) - G) / s)]

r = pi(a|o) / pi_old(a|o); A advantages over the spread s, normalised per phase and cut off; t what the teacher would bid, announce or
double, in such rows alone; n legal actions, e the entropy weight with its floors for auction and exchange; G the lambda-return in points
(the payoff, with the critic's view of all cards taking out most of the noise that later decisions add); s the spread that the critic
expects of the payoff here: an error counts by the stakes at hand.
In rows of the last tricks, where `training.endgames` has a value v(a) for every card, the first term is w_e sum_a pi(a|o) (v(a) - v_pi),
v_pi being the policy's mean of v: no ratio, no outcome of the one card that was played.
PPO: arXiv:1707.06347; magnet: arXiv:2206.05825; a teacher beside the reward: arXiv:1803.03835.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import torch
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.columns import Columns
from ray.rllib.core.learner.torch.torch_learner import TorchLearner
from ray.rllib.evaluation.postprocessing import Postprocessing
from ray.rllib.policy.sample_batch import MultiAgentBatch, SampleBatch
from torch import Tensor
from torch.nn import functional

from training.columns import (
    AUCTION,
    ENDGAME,
    EXCHANGE,
    HIDDEN,
    LEGAL_ACTIONS,
    MAGNET_LOGITS,
    PHASE,
    PHASES,
    Q_TAKEN,
    SPREAD,
    TEACHER,
    VALUE_LOGITS,
)
from training.config import TrainConfig
from training.memory import keep_freed_memory
from training.module import MAGNET_STRIDE, Q_UNIT, decode_value, value_loss
from training.schedule import Schedule, schedule_at

Q_HUBER = 5.0  # spreads: the squared error of a rare valat must not drown a minibatch
# The columns that a minibatch needs; the rest of a batch is for reports.
LOSS_COLUMNS = (
    Columns.OBS, HIDDEN, LEGAL_ACTIONS, Columns.ACTIONS, Columns.ACTION_LOGP,
    Postprocessing.ADVANTAGES, Postprocessing.VALUE_TARGETS, SPREAD, ENDGAME, PHASE, TEACHER,
)  # fmt: skip


class TarockLearner(TorchLearner):
    """RLlib's learner with this project's loss, schedules and minibatches.

    `update(..., timesteps={"progress": 0..1, "iteration": n})` sets the schedules and the shuffling; `"imitate"` and `"critic_only"`
    in it say what is learnt in this iteration.
    """

    def build(self) -> None:
        """Read the run's config; RLlib calls this once."""
        self.train_config = TrainConfig.model_validate(self.config.train)
        self.schedule: Schedule = schedule_at(self.train_config.ppo, 0.0)
        self._iteration = 0
        self._imitate = False
        self._finite = True
        self._critic_only = False
        self._sums: dict[str, Tensor] = defaultdict(lambda: torch.zeros(()))
        self._counts: dict[str, Tensor] = defaultdict(lambda: torch.zeros(()))
        keep_freed_memory()
        super().build()

    def configure_optimizers_for_module(self, module_id: str, config: Any = None) -> None:
        """One fused Adam over all that is trained."""
        params = [parameter for parameter in self.get_parameters(self._module[module_id]) if parameter.requires_grad]
        optimizer = torch.optim.Adam(params, lr=self.train_config.ppo.learning_rate, eps=1e-5, fused=True)
        self.register_optimizer(module_id=module_id, optimizer=optimizer, params=params)

    def before_gradient_based_update(self, *, timesteps: dict[str, Any]) -> None:
        """Put the schedules of this iteration into force."""
        super().before_gradient_based_update(timesteps=timesteps)
        self._iteration = int(timesteps.get("iteration", 0))
        self._imitate = bool(timesteps.get("imitate", False))
        self._critic_only = bool(timesteps.get("critic_only", False))
        self.schedule = schedule_at(self.train_config.ppo, float(timesteps.get("progress", 0.0)))
        for optimizer in self._named_optimizers.values():
            self._set_optimizer_lr(optimizer, self.schedule.learning_rate)

    def postprocess_gradients_for_module(
        self, *, module_id: str, config: Any = None, module_gradients_dict: dict[Any, Tensor]
    ) -> dict[Any, Tensor]:
        """Clip by the global norm, in two passes over the gradients where RLlib's takes five; a norm that is not finite is kept."""
        gradients = [gradient for gradient in module_gradients_dict.values() if gradient is not None]
        norm = torch.nn.utils.get_total_norm(gradients, foreach=True)
        self._finite = bool(torch.isfinite(norm))
        if self._finite:
            torch._foreach_mul_(gradients, (self.train_config.ppo.grad_norm / (norm + 1e-6)).clamp(max=1.0))
            self._note("update/gradient_norm", norm)
        self._note("update/skipped", torch.tensor(0.0 if self._finite else 1.0))
        return module_gradients_dict

    def apply_gradients(self, gradients_dict: dict[Any, Tensor]) -> None:
        """One optimiser step; a minibatch whose gradients are not finite is left out (RLlib's own check reads every gradient twice)."""
        if self._finite:
            for optimizer in self._named_optimizers.values():
                optimizer.step()

    def after_gradient_based_update(self, *, timesteps: dict[str, Any]) -> None:
        """Move the magnet, and report the means over all minibatches of this iteration."""
        super().after_gradient_based_update(timesteps=timesteps)
        # While imitating, the magnet keeps up: self-play then starts out from the imitated policy.
        self.module[DEFAULT_MODULE_ID].unwrapped().move_magnet(1.0 if self._imitate else self.train_config.ppo.magnet_rate)
        for name, total in self._sums.items():
            if self._counts[name] > 0:  # a phase that nobody came to has no entropy
                self.metrics.log_value((DEFAULT_MODULE_ID, name), float(total / self._counts[name]), window=1)
        self._sums.clear()
        self._counts.clear()

    def _create_iterator_if_necessary(
        self,
        *,
        training_data: Any,
        num_total_minibatches: int = 0,
        num_epochs: int = 1,
        minibatch_size: int | None = None,
        **kwargs: Any,
    ) -> Iterable[MultiAgentBatch]:
        """Minibatches by index instead of RLlib's: theirs copies the whole batch to shuffle it and repeats rows in the last minibatch.

        num_total_minibatches, where given, fixes the number (several learners must take equally many steps).
        """
        batch = self._make_batch_if_necessary(training_data=training_data)
        rows = batch.policy_batches[DEFAULT_MODULE_ID]
        count = num_total_minibatches // num_epochs or max(1, round(len(rows) / (minibatch_size or len(rows))))
        return Minibatches(rows, num_epochs, count, [self.train_config.run.seed, self._learner_index, self._iteration])

    def compute_loss_for_module(self, *, module_id: str, config: Any, batch: dict[str, Any], fwd_out: dict[str, Tensor]) -> Tensor:
        """The loss at the head of this file for one minibatch; a scalar."""
        settings = self.train_config.ppo
        loss = self._imitation_loss(batch, fwd_out) if self._imitate else self._policy_loss(batch, fwd_out)
        module = self.module[module_id].unwrapped()
        targets = batch[Postprocessing.VALUE_TARGETS]
        critic_loss = value_loss(fwd_out[VALUE_LOGITS], targets, module.bins).mean()
        # Zero, not left out: the actor's gradients are then zeros, on which Adam takes no step and keeps no memory.
        actor = 0.0 if self._critic_only else 1.0
        loss = loss * actor
        loss = loss + settings.value_weight * critic_loss
        if Q_TAKEN in fwd_out:
            q = fwd_out[Q_TAKEN]
            errors = (q * Q_UNIT - targets) / batch[SPREAD]
            loss = loss + actor * settings.q_weight * functional.huber_loss(errors, torch.zeros_like(errors), delta=Q_HUBER)
            self._note("update/q_loss", errors.detach().square())
            self._note_moments("q", targets - q.detach() * Q_UNIT, targets)
        with torch.no_grad():
            values = decode_value(fwd_out[VALUE_LOGITS].detach(), module.bins)
            self._note("update/value_loss", critic_loss.detach())
            self._note_moments("value", targets - values, targets)
        return loss

    def _policy_loss(self, batch: dict[str, Any], fwd_out: dict[str, Tensor]) -> Tensor:
        """Clipped surrogate, entropy and pull to the magnet."""
        settings, schedule = self.train_config.ppo, self.schedule
        log_pi = fwd_out[Columns.ACTION_DIST_INPUTS].log_softmax(-1)
        pi = fwd_out[Columns.ACTION_DIST_INPUTS].softmax(-1)  # not exp(log_pi): exp of very negative numbers is slow on CPUs
        log_ratio = log_pi.gather(-1, place_of(batch[Columns.ACTIONS], fwd_out[LEGAL_ACTIONS])).squeeze(-1) - batch[Columns.ACTION_LOGP]
        ratio = log_ratio.exp()
        advantages = batch[Postprocessing.ADVANTAGES]
        clipped = ratio.clamp(1 - schedule.clip, 1 + schedule.clip)
        surrogate = torch.min(ratio * advantages, clipped * advantages)
        judged = batch[ENDGAME][:, 0].isfinite().nonzero().squeeze(-1)
        if len(judged):
            gains = settings.endgame_weight * expected_gain(pi[judged], batch[ENDGAME][judged], settings.advantage_limit)
            surrogate = surrogate.index_put((judged,), gains)
        policy_loss: Tensor = -surrogate.mean()
        entropy = normalised_entropy(pi, log_pi, (fwd_out[LEGAL_ACTIONS] >= 0).sum(-1))
        floors = {AUCTION: settings.bid_entropy, EXCHANGE: settings.exchange_entropy}
        weights = [max(schedule.entropy, floors.get(phase, 0.0)) for phase in range(len(PHASES))]
        entropy_weight = torch.tensor(weights, device=entropy.device)[batch[PHASE].long()]
        magnet_kl = (pi[::MAGNET_STRIDE] * (log_pi[::MAGNET_STRIDE] - fwd_out[MAGNET_LOGITS].log_softmax(-1))).sum(-1)
        self._note("update/policy_loss", policy_loss.detach())
        self._note("update/magnet_kl", magnet_kl.detach())
        self._note("update/kl", ratio.detach() - 1 - log_ratio.detach())
        self._note("update/clipped", (ratio.detach() - 1).abs() > schedule.clip)
        self._note_entropy(entropy, batch[PHASE])
        loss: Tensor = policy_loss - (entropy_weight * entropy).mean() + schedule.magnet * magnet_kl.mean()
        return loss + schedule.teacher_bids * self._teacher_loss(log_pi, batch, fwd_out) if schedule.teacher_bids > 0 else loss

    def _teacher_loss(self, log_pi: Tensor, batch: dict[str, Any], fwd_out: dict[str, Tensor]) -> Tensor:
        """Cross-entropy to what the teacher would bid, zero in rows that it was not asked about; mean over all rows."""
        asked = (batch[TEACHER] >= 0).nonzero().squeeze(-1)
        place, chances = place_of(batch[TEACHER][asked], fwd_out[LEGAL_ACTIONS][asked]), log_pi[asked]
        self._note("update/teacher_bids", chances.detach().argmax(-1) == place.squeeze(-1))
        return -chances.gather(-1, place).sum() / len(log_pi)

    def _imitation_loss(self, batch: dict[str, Any], fwd_out: dict[str, Tensor]) -> Tensor:
        """Cross-entropy to the teacher's action, a share of the target spread over the legal ones."""
        smoothing = self.train_config.imitation.smoothing
        log_pi = fwd_out[Columns.ACTION_DIST_INPUTS].log_softmax(-1)
        legal = fwd_out[LEGAL_ACTIONS]
        place = place_of(batch[Columns.ACTIONS], legal)
        counts = (legal >= 0).sum(-1)
        taken = log_pi.gather(-1, place).squeeze(-1)
        spread = log_pi.masked_fill(legal < 0, 0.0).sum(-1) / counts
        loss: Tensor = -((1 - smoothing) * taken + smoothing * spread).mean()
        pi = fwd_out[Columns.ACTION_DIST_INPUTS].detach().softmax(-1)
        self._note("update/imitation_loss", loss.detach())
        self._note("update/imitated", pi.argmax(-1) == place.squeeze(-1))
        self._note_entropy(normalised_entropy(pi, log_pi.detach(), counts), batch[PHASE])
        return loss

    def _note_entropy(self, entropy: Tensor, phases: Tensor) -> None:
        counts = torch.bincount(phases, minlength=len(PHASES)).tolist()
        sums = torch.bincount(phases, entropy.detach(), minlength=len(PHASES)).cpu()
        for name, total, count in zip(PHASES, sums, counts, strict=True):
            self._add(f"entropy/{name}", total, count)

    def _note(self, name: str, values: Tensor) -> None:
        self._add(name, values.float().sum().cpu(), values.numel())

    def _add(self, name: str, total: Tensor, count: int) -> None:
        self._sums[name] = self._sums[name] + total
        self._counts[name] = self._counts[name] + count

    def _note_moments(self, name: str, errors: Tensor, goals: Tensor) -> None:
        for moment, values in (("error", errors), ("error2", errors.square()), ("goal", goals), ("goal2", goals.square())):
            self._note(f"{name}_{moment}", values)


def expected_gain(pi: Tensor, values: Tensor, limit: float) -> Tensor:
    """(n,) what the policy's probabilities (n, K) gain over the mean that they stand at, by the (n, C) values of the first actions.

    values: NaN for actions that are not there. limit: of a single action's gain. The gradient is that of all actions at once.
    """
    width = min(pi.shape[1], values.shape[1])
    pi, values = pi[:, :width], values[:, :width].nan_to_num(0.0)
    gains = values - (pi.detach() * values).sum(-1, keepdim=True)
    return (pi * gains.clamp(-limit, limit)).sum(-1)


def normalised_entropy(pi: Tensor, log_pi: Tensor, counts: Tensor) -> Tensor:
    """(B,) entropy over the log of the number of legal actions (B,): 1 for a uniform policy, 0 for a certain one."""
    return -(pi * log_pi).sum(-1) / counts.clamp(min=2).log()


def place_of(actions: Tensor, legal: Tensor) -> Tensor:
    """(B, 1) place of the actions (B,) among their rows' legal ones (B, K)."""
    place: Tensor = (legal == actions.unsqueeze(-1)).to(torch.uint8).argmax(-1, keepdim=True)
    return place


class Minibatches:
    """`epochs` passes over `rows` in `count` minibatches of nearly equal size; every row exactly once a pass.

    seed: entropy of the permutation of each pass.
    """

    def __init__(self, rows: SampleBatch, epochs: int, count: int, seed: list[int]) -> None:
        self.rows, self.epochs, self.count = rows, epochs, count
        self.rng = np.random.default_rng(np.random.SeedSequence(seed))

    def __iter__(self) -> Iterator[MultiAgentBatch]:
        size = len(self.rows)
        for _ in range(self.epochs):
            order = torch.from_numpy(self.rng.permutation(size)).to(self.rows[Columns.OBS].device)
            for part in order.tensor_split(self.count):
                columns = SampleBatch({name: self.rows[name].index_select(0, part) for name in LOSS_COLUMNS})
                yield MultiAgentBatch({DEFAULT_MODULE_ID: columns}, env_steps=len(part))
