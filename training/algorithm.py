"""RLlib's PPO with this project's env runner, learner and training step; scaling out is RLlib's own.

One iteration is

    sample (every env runner, a ready batch) -> normalise advantages by phase -> learner group update -> sync weights
"""

from __future__ import annotations

import functools
import time
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import ray
from numpy.typing import NDArray
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.core import ALL_MODULES, COMPONENT_LEARNER, COMPONENT_RL_MODULE, DEFAULT_MODULE_ID
from ray.rllib.core.learner.training_data import TrainingData
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.evaluation.postprocessing import Postprocessing
from ray.rllib.policy.sample_batch import MultiAgentBatch, SampleBatch, concat_samples
from ray.rllib.utils.metrics import ENV_RUNNER_SAMPLING_TIMER, LEARNER_RESULTS, LEARNER_UPDATE_TIMER, SYNCH_WORKER_WEIGHTS_TIMER, TIMERS

from training.calibration import Expectations
from training.columns import ENDGAME, PAYOFF, PHASE, PHASES, SPREAD, SYSTEM
from training.config import TrainConfig
from training.env_runner import TarockEnvRunner, spaces
from training.learner import TarockLearner
from training.metrics import DealLog, DealTable
from training.module import TarockModule
from training.pool import Pool
from training.registry import algorithm_class
from training.schedule import Schedule, schedule_at
from training.sigma import RunningSigma

MIN_SPREAD = 0.1


class TarockPPOConfig(PPOConfig):
    """RLlib's config object for a run; `tarock_config` makes it from ours.

    train: our own config as a plain dict, which env runners and learners read back. run_dir: where snapshots lie.
    """

    def __init__(self, algo_class: type | None = None) -> None:
        super().__init__(algo_class=algo_class or TarockPPO)
        self.train: dict[str, Any] = {}
        self.run_dir = ""


def tarock_config(train: TrainConfig, run_dir: str | Path) -> TarockPPOConfig:
    """RLlib's config of a run: our settings, and where RLlib places its runners and learners."""
    resources = train.resources
    observation_space, action_space = spaces()[DEFAULT_MODULE_ID]
    model_config = train.network.model_dump() | {"precision": resources.precision, "seed": train.run.seed}
    algorithm = algorithm_class(train.run.algorithm)
    config = TarockPPOConfig(algorithm)
    config.train = train.model_dump(by_alias=True, mode="json")
    config.run_dir = str(run_dir)
    config.environment(observation_space=observation_space, action_space=action_space)
    config.framework("torch")
    config.env_runners(env_runner_cls=algorithm.runner, num_env_runners=resources.num_env_runners, num_cpus_per_env_runner=1)
    config.learners(num_learners=resources.num_learners, num_gpus_per_learner=resources.gpus_per_learner)
    config.rl_module(rl_module_spec=RLModuleSpec(module_class=algorithm.network, model_config=model_config))
    config.training(
        learner_class=algorithm.loss_learner,
        lr=train.ppo.learning_rate,
        gamma=train.ppo.gamma,
        lambda_=train.ppo.lambda_,
        num_epochs=train.ppo.epochs,
        minibatch_size=train.ppo.minibatch_size,
        train_batch_size_per_learner=max(
            train.ppo.minibatch_size, train.sampling.decisions_per_iteration // max(1, resources.num_learners)
        ),
        grad_clip=train.ppo.grad_norm,
        grad_clip_by="global_norm",
    )
    # A killed remote runner is restarted; its streams depend on the iteration alone, so nothing is lost but its part of one sample.
    config.fault_tolerance(restart_failed_env_runners=True, ignore_env_runner_failures=True)
    config.debugging(seed=train.run.seed, log_level="ERROR")
    return config


class TarockPPO(PPO):
    """Self-play PPO against the current self and a pool of past selves.

    `hours` is set by the caller before each iteration; everything else that a run needs to go on is in `get_state`.
    `loss_learner`, `runner`, `network`: what it updates with, samples with and trains; a subclass may name others.
    """

    loss_learner: type[TarockLearner] = TarockLearner
    runner: type[TarockEnvRunner] = TarockEnvRunner
    network: type[TarockModule] = TarockModule

    def setup(self, config: Any) -> None:
        """Build runners and learners, and an empty pool; RLlib calls this once."""
        self.train_config = TrainConfig.model_validate(config.train)
        self.pool = Pool(Path(config.run_dir), self.train_config.pool.size, self.train_config.run.seed)
        self.sigma = RunningSigma(len(self.train_config.rules.systems))
        self.decisions = 0
        self.decisions_before = 0  # of the training that a warm start goes on from
        self.deals = 0
        self.hours = 0.0
        self.table = DealTable([])
        self.expectations: Expectations | None = None
        self.figures: dict[str, float] = {}
        super().setup(config)

    @classmethod
    def get_default_config(cls) -> TarockPPOConfig:
        """RLlib's hook."""
        return TarockPPOConfig()

    @property
    def progress(self) -> float:
        """Share of the run's budget that is used up, 0..1."""
        return self.train_config.run.used(self.iteration, self.decisions, self.deals, self.hours)

    @property
    def imitating(self) -> bool:
        """Whether the coming iteration imitates the teacher."""
        return bool(self.iteration < self.train_config.imitation.iterations)

    @property
    def schedule(self) -> Schedule:
        """The values in force in the coming iteration."""
        return schedule_at(self.train_config.ppo, self.progress)

    def training_step(self) -> None:
        """One iteration: sample, update, sync."""
        progress, schedule, imitate = self.progress, self.schedule, self.imitating
        critic_only = self.iteration < self.train_config.exploit.critic_iterations
        start = time.perf_counter()
        with self.metrics.log_time((TIMERS, ENV_RUNNER_SAMPLING_TIMER)):
            batch = self._sample(schedule.lam)
        if batch is None:  # every remote runner failed; RLlib restarts them before the next iteration
            return
        rows = batch.policy_batches[DEFAULT_MODULE_ID]
        self.expectations = self.expected(rows)
        self.prepare(rows)
        sampled = time.perf_counter()
        ppo, learners = self.train_config.ppo, max(1, self.train_config.resources.num_learners)
        minibatches = max(1, round(len(rows) / learners / ppo.minibatch_size))
        with self.metrics.log_time((TIMERS, LEARNER_UPDATE_TIMER)):
            results = self.learner_group.update(
                training_data=TrainingData(batch=batch),
                timesteps={"progress": progress, "iteration": self.iteration, "imitate": imitate, "critic_only": critic_only},
                num_epochs=ppo.epochs,
                minibatch_size=ppo.minibatch_size,
                num_total_minibatches=minibatches * ppo.epochs,
                shuffle_batch_per_epoch=True,
            )
            self.metrics.aggregate(results, key=LEARNER_RESULTS)
        with self.metrics.log_time((TIMERS, SYNCH_WORKER_WEIGHTS_TIMER)):
            self.env_runner_group.sync_weights(
                from_worker_or_learner_group=self.learner_group, policies=set(results[0]) - {ALL_MODULES}, inference_only=True
            )
        self.decisions += len(rows)
        self.deals += len(self.table)
        self.sigma.update(rows[SYSTEM], rows[PAYOFF])
        self.figures = self._figures(len(rows), sampled - start, time.perf_counter() - sampled, schedule)

    def expected(self, rows: SampleBatch) -> Expectations | None:
        """What the critic expected of a sample that is not prepared yet; None for algorithms without a critic. Copies: rows are reused."""
        values = rows[Postprocessing.VALUE_TARGETS] - rows[Postprocessing.ADVANTAGES]
        return Expectations(rows[SYSTEM].copy(), values, rows[PAYOFF].copy())

    def prepare(self, rows: SampleBatch) -> None:
        """Make a sample ready for the update, in place."""
        normalise_advantages(rows, self.train_config.ppo.advantage_limit)

    @property
    def exploration(self) -> float:
        """What the runners are told to explore with in the coming iteration (`TarockEnvRunner.sample`)."""
        return 0.0

    def _figures(self, rows: int, sampling: float, learning: float, schedule: Schedule) -> dict[str, float]:
        """Scalars of the last iteration that stand in no learner result; seconds of its two halves are given."""
        return {
            "speed/decisions_per_second": rows / (sampling + learning),
            "speed/sampling": rows / sampling,
            "speed/learning": rows / learning,
            "schedule/learning_rate": schedule.learning_rate,
            "schedule/clip": schedule.clip,
            "schedule/lambda": schedule.lam,
            "schedule/entropy": schedule.entropy,
            "schedule/magnet": schedule.magnet,
            "schedule/teacher_bids": schedule.teacher_bids,
            "progress/decisions": self.decisions,
            "progress/deals": self.deals,
            "progress/hours": self.hours,
            "deals/decisions": rows / max(1, len(self.table)),
            "pool/snapshots": len(self.pool),
        }

    def _sample(self, lam: float) -> MultiAgentBatch | None:
        settings = self.train_config.pool
        opponents = self.pool.draw(settings.drawn, self.iteration) if settings.share > 0 and not self.imitating else []
        arguments: dict[str, Any] = {"iteration": self.iteration, "lam": lam, "imitate": self.imitating, "exploration": self.exploration}
        if self.env_runner_group.num_remote_env_runners():
            arguments["opponents"] = ray.put(opponents)
            found = self.env_runner_group.foreach_env_runner(functools.partial(_sample_and_log, **arguments), local_env_runner=False)
        else:
            found = [_sample_and_log(self.env_runner, **arguments, opponents=opponents)]
        batches = [batch for batch, _ in found]
        self.table = DealTable([log for _, log in found])
        if not batches:
            return None
        return batches[0] if len(batches) == 1 and not self.env_runner_group.num_remote_env_runners() else concat_samples(batches)

    def actor_tensors(self) -> dict[str, NDArray[np.float32]]:
        """The actor's tensors by the names of agents/weights.py."""
        return self._tensors("actor.", "")

    def critic_tensors(self) -> dict[str, NDArray[np.float32]]:
        """The critic's tensors, named `critic.*`."""
        return self._tensors("critic.", "critic.")

    def _tensors(self, prefix: str, shown: str) -> dict[str, NDArray[np.float32]]:
        state = self.learner_group.get_weights([DEFAULT_MODULE_ID])[DEFAULT_MODULE_ID]
        return {shown + name.removeprefix(prefix): np.array(value, np.float32) for name, value in state.items() if name.startswith(prefix)}

    def warm_start(self, actor: dict[str, NDArray[np.float32]], critic: dict[str, NDArray[np.float32]] | None) -> None:
        """Take over an exported actor (and critic); the magnet starts as the actor. Raises ValueError on another shape."""
        state = dict(self.learner_group.get_weights([DEFAULT_MODULE_ID])[DEFAULT_MODULE_ID])
        given = {f"actor.{name}": value for name, value in actor.items()} | (critic or {})
        given |= {f"magnet.{name}": value for name, value in actor.items() if f"magnet.{name}" in state}
        for name, value in given.items():
            if name not in state or state[name].shape != value.shape:
                expected = "no such tensor" if name not in state else f"shape {state[name].shape}"
                raise ValueError(f"warm start: the file has {name} of shape {value.shape}, the config implies {expected}")
        self.learner_group.set_state({COMPONENT_LEARNER: {COMPONENT_RL_MODULE: {DEFAULT_MODULE_ID: state | given}}})
        self.env_runner_group.sync_weights(from_worker_or_learner_group=self.learner_group, inference_only=True)

    def get_state(
        self, components: str | Collection[str] | None = None, *, not_components: str | Collection[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """RLlib's state, plus counters, pool and payoff scales."""
        state = super().get_state(components, not_components=not_components, **kwargs)
        state["tarock"] = {
            "decisions": self.decisions,
            "decisions_before": self.decisions_before,
            "deals": self.deals,
            "hours": self.hours,
            "pool": self.pool.get_state(),
            "sigma": self.sigma.get_state(),
        }
        return dict(state)

    def set_state(self, state: dict[str, Any]) -> None:
        """Take over a state of `get_state`."""
        super().set_state(state)
        if "tarock" in state:
            own = state["tarock"]
            self.decisions, self.deals, self.hours = own["decisions"], own["deals"], own["hours"]
            self.decisions_before = own.get("decisions_before", 0)  # older checkpoints have none
            self.pool.set_state(own["pool"])
            self.sigma.set_state(own["sigma"])


def _sample_and_log(runner: Any, **arguments: Any) -> tuple[MultiAgentBatch, DealLog]:
    if isinstance(arguments.get("opponents"), ray.ObjectRef):
        arguments["opponents"] = ray.get(arguments["opponents"])
    return runner.sample(**arguments), runner.take_log()


def normalise_advantages(rows: SampleBatch, limit: float) -> None:
    """Advantages in place: over the row's spread, then mean 0 and standard deviation 1 in each phase, cut off at +-limit.

    The spread is what the critic expects the payoff to deviate from its mean, and depends on the state alone, not on what was done
    in it: dividing by it leaves the best policy of every state as it is. Without it a few deals with kontras drown the others,
    whose stakes are a hundred times smaller. Phases differ in scale: most of what an auction decides is far larger than what one
    card decides. Spreads are raised, in place, to MIN_SPREAD of their phase's median: a deal that is all but decided teaches noise.
    Values of cards in endgames are brought to the scale of their phase's advantages.
    """
    advantages, spread, endgame = rows[Postprocessing.ADVANTAGES], rows[SPREAD], rows[ENDGAME]
    for phase in range(len(PHASES)):
        chosen = rows[PHASE] == phase
        if not chosen.any():
            continue
        floor = max(MIN_SPREAD * float(np.median(spread[chosen])), 1e-3)
        spread[chosen] = np.maximum(spread[chosen], floor)
        values = advantages[chosen] / spread[chosen]
        if len(values) > 1:
            scale = values.std() + 1e-6
            advantages[chosen] = (values - values.mean()) / scale
            endgame[chosen] /= (scale * spread[chosen])[:, None]
    np.clip(advantages, -limit, limit, out=advantages)


def learner_means(result: Mapping[str, Any]) -> dict[str, float]:
    """The learner's means of the last iteration, by name, from the result of `train()`."""
    found = result.get(LEARNER_RESULTS, {}).get(DEFAULT_MODULE_ID, {})
    return {name: float(value) for name, value in found.items() if np.ndim(value) == 0 and not isinstance(value, dict)}
