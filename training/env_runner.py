"""The env runner: thousands of deals in lockstep, one forward pass a step for all of them.

RLlib's own runners step Python environments one by one and hand over Python episodes; this one fills arrays and hands over a
ready `MultiAgentBatch`, advantages included. All randomness of a sample is a function of (run seed, runner, iteration): a
resumed run, or a restarted remote runner, plays on exactly as the interrupted one would have.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import ray
import torch
from numpy.typing import NDArray
from ray.rllib.core import COMPONENT_RL_MODULE, DEFAULT_MODULE_ID
from ray.rllib.core.columns import Columns
from ray.rllib.core.learner.learner import WEIGHTS_SEQ_NO
from ray.rllib.env import INPUT_ENV_SINGLE_SPACES, INPUT_ENV_SPACES
from ray.rllib.env.env_runner import EnvRunner
from ray.rllib.evaluation.postprocessing import Postprocessing
from ray.rllib.policy.sample_batch import MultiAgentBatch, SampleBatch
from ray.rllib.utils.checkpoints import Checkpointable

from agents.base import Bot, load_bot
from tarock_env.actions import NUM_ACTIONS
from tarock_env.batch import DealBatch
from tarock_env.engine.view import make_views
from tarock_env.observation import HIDDEN_SIZE, OBSERVATION_SIZE
from training.columns import BIDS, ENDGAME, HIDDEN, LEGAL_ACTIONS, MAX_LEGAL, PAYOFF, PHASE, PHASE_OF_ACTION, SPREAD, SYSTEM, TEACHER
from training.config import TrainConfig
from training.endgames import EndgameJudge
from training.memory import keep_freed_memory
from training.metrics import DealLog
from training.module import CastTrunk, TarockModule, decode_spread
from training.opponents import NUM_SEATS, cast_opponent, frozen_bot, padded_rows, seat_learner, seat_opponents
from training.store import RowStore
from training.systems import played_rules
from training.trajectories import advantages_and_targets, draw_actions, list_actions

SIXTHS = 6.0  # the engine counts payoffs in sixths of a table unit; training counts in table units ("points")
DECISIONS_PER_DEAL = 40  # first guess, until deals of this sample have finished
VALUE_CHUNK = 16_384  # rows a forward pass of the critic


def spaces() -> dict[str, tuple[gym.Space[Any], gym.Space[Any]]]:
    """Observation and action space by RLlib's keys."""
    pair: tuple[gym.Space[Any], gym.Space[Any]] = (gym.spaces.Box(0, 255, (OBSERVATION_SIZE,), np.uint8), gym.spaces.Discrete(NUM_ACTIONS))
    return {INPUT_ENV_SPACES: pair, INPUT_ENV_SINGLE_SPACES: pair, DEFAULT_MODULE_ID: pair}


class TarockEnvRunner(EnvRunner, Checkpointable):
    """Plays whole deals with the current policy and returns every decision of the learning seats exactly once.

    New deals start until the decisions taken, plus those expected of the deals under way, reach the target; then all deals are
    played to their end. Which deals are learnt from thus never depends on how they go, and no deal crosses an update.
    """

    def __init__(self, *, config: Any, **kwargs: Any) -> None:
        EnvRunner.__init__(self, config=config, **kwargs)
        self.train_config = TrainConfig.model_validate(config.train)
        if self.worker_index:  # remote runners: one core each, as Ray schedules them
            torch.set_num_threads(max(1, int(config.num_cpus_per_env_runner)))
        keep_freed_memory()
        self.rules = list(played_rules(self.train_config).values())
        self.make_module()
        target = self.train_config.exploit.target
        system = self.rules[0].id if len(self.rules) == 1 else None
        self._target: Bot | None = None if target is None else frozen_bot(target, self.module, system)
        self._adviser = load_bot(self.train_config.imitation.teacher) if self.asks_teacher else None
        self._weights_seq_no = 0
        self.num_env_steps_sampled_lifetime: int = 0
        self._exploration = 0.0
        self._store = RowStore()
        self._threads = torch.get_num_threads()  # torch's products have them all; so have the kernels
        self._judge = EndgameJudge(self.endgame_tricks, self._threads)
        self._log: DealLog | None = None

    def make_module(self) -> None:
        """The actor and the critic of the run, without the learner's magnet."""
        spec = self.config.get_rl_module_spec(spaces=spaces(), inference_only=True)
        self.module: TarockModule = spec.build()
        self.module.requires_grad_(False)
        self._actor: CastTrunk = self.module.cast_actor()
        self._critic: CastTrunk = self.module.cast_critic()

    @property
    def endgame_tricks(self) -> int:
        """In how many last tricks all cards of a row are judged."""
        return self.train_config.ppo.endgame_tricks

    @property
    def asks_teacher(self) -> bool:
        """Whether the teacher says in every auction and round of announcements what it would bid."""
        return self.train_config.ppo.asks_teacher

    def sample(
        self,
        *,
        iteration: int = 0,
        decisions: int | None = None,
        lam: float = 0.95,
        opponents: Sequence[dict[str, NDArray[np.float32]]] = (),
        imitate: bool = False,
        exploration: float = 0.0,
        **kwargs: Any,
    ) -> MultiAgentBatch:
        """Play deals until about `decisions` decisions are taken (default: the config's, shared among the runners).

        iteration: selects the random streams. lam: GAE's lambda. opponents: actor tensors of the snapshots that sit in some seats.
        imitate: the config's teacher plays in the learner's place, and log-probabilities are left at zero. exploration: for runners that
        explore apart from their policy; this one does not. Where the config names a target to exploit, it has all seats of a deal but
        one, and opponents must be empty. The arrays of the batch are this runner's own and hold until the next call.
        """
        self._exploration = exploration
        settings = self.train_config.sampling
        if decisions is None:
            decisions = settings.decisions_per_iteration // max(1, self.num_workers)
        streams = np.random.SeedSequence([self.train_config.run.seed, self.worker_index or 0, iteration]).spawn(3)
        teacher = load_bot(self.train_config.imitation.teacher) if imitate else None
        others: list[CastTrunk | Bot] = [cast_opponent(tensors, self.module) for tensors in opponents]
        if self._target is not None:
            others = [self._target]
        played = self._play(decisions, streams, others, teacher)
        return self._finish(played, lam)

    def _play(
        self, decisions: int, streams: list[np.random.SeedSequence], opponents: list[CastTrunk | Bot], teacher: Bot | None
    ) -> DealLog:
        settings = self.train_config.sampling
        guess = DECISIONS_PER_DEAL if self._target is None else DECISIONS_PER_DEAL // NUM_SEATS
        num_deals = int(min(settings.deals_in_lockstep, max(8, -(-decisions // guess))))
        rng = np.random.default_rng(streams[1])
        seating = np.random.default_rng(streams[2])
        batch = DealBatch(num_deals, self.rules, int(streams[0].generate_state(1, np.uint64)[0] >> np.uint64(1)), threads=self._threads)
        batch.force_contracts(settings.forced_contracts)
        observation = np.zeros((num_deals, OBSERVATION_SIZE), np.uint8)
        mask = np.zeros((num_deals, NUM_ACTIONS), np.bool_)
        hidden = np.zeros((num_deals, HIDDEN_SIZE), np.uint8)
        actions = np.zeros(num_deals, np.int64)
        theirs = np.empty((num_deals, MAX_LEGAL), np.int16)  # legal actions of rows that are not learnt from

        store, log = self._store, DealLog(self.rules)
        store.clear(decisions + decisions // 4)
        batch.reset()
        # owner[b, seat]: 0 for the learner, k for opponents[k - 1]
        owner = self._seat(batch, np.arange(num_deals), len(opponents), seating)
        deal_ids = log.start(batch, np.arange(num_deals), owner)
        live = np.ones(num_deals, np.bool_)
        while True:
            ended = np.flatnonzero(live & batch.finished)
            if len(ended):
                log.end(batch, ended, deal_ids[ended])
                per_deal = store.size / log.finished if log.finished >= 64 else guess
                running = int(live.sum()) - len(ended)
                wanted = int((decisions - store.size) / per_deal - running / 2)
                again, stop = ended[: max(0, wanted)], ended[max(0, wanted) :]
                live[stop] = False
                if len(again):
                    batch.reset(again)
                    owner[again] = self._seat(batch, again, len(opponents), seating)
                    deal_ids[again] = log.start(batch, again, owner)
            acting = np.flatnonzero(live & ~batch.finished)
            if not len(acting):
                if live.any():  # deals that ended on their own while being reset
                    continue
                return log
            batch.observe(observation, mask, hidden)
            seats = batch.seats[acting]
            players = owner[acting, seats]
            rows = acting[players == 0]
            if len(rows):
                added = store.append(rows, deal_ids[rows], seats[players == 0], observation, hidden)
                list_actions(batch.deals, rows, store[LEGAL_ACTIONS][added])
                store[TEACHER][added] = -1
                if teacher is not None:
                    actions[rows] = teacher.act(make_views(batch.deals, batch.tables, rows), batch.tables, rng)
                    store[Columns.ACTION_LOGP][added] = 0
                    store[ENDGAME][added] = np.nan
                else:
                    self._judge.judge(batch.deals, rows, batch.tables, store[ENDGAME][added])
                    self._ask_teacher(batch, rows, store[LEGAL_ACTIONS][added], store[TEACHER][added], rng)
                    block = slice(added.start, added.start + padded_rows(len(rows)))
                    drawn = self._choose(store[Columns.OBS][block], store[LEGAL_ACTIONS][added], rng)
                    actions[rows], store[Columns.ACTION_LOGP][added] = drawn
                store[Columns.ACTIONS][added] = actions[rows]
            for index, opponent in enumerate(opponents, start=1):
                rows = acting[players == index]
                if not len(rows):
                    continue
                if isinstance(opponent, CastTrunk):
                    padded = np.resize(rows, padded_rows(len(rows)))  # repeats rows
                    list_actions(batch.deals, rows, theirs)
                    actions[rows] = self._draw(opponent, observation[padded], theirs[: len(rows)], rng)[0]
                else:
                    actions[rows] = opponent.act(make_views(batch.deals, batch.tables, rows), batch.tables, rng)
            batch.step(actions)

    def _choose(self, observation: Any, legal: Any, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The learner's actions and their log-probabilities; arguments as in `_draw`."""
        return self._draw(self._actor, observation, legal, rng)

    def _ask_teacher(self, batch: DealBatch, rows: Any, legal: Any, answers: Any, rng: np.random.Generator) -> None:
        """Write into answers (n,) what the teacher would bid or announce in those of the rows (n,) that ask for it; legal (n, K)."""
        if self._adviser is None:
            return
        bidding = np.isin(PHASE_OF_ACTION[legal[:, 0]], BIDS)
        if bidding.any():
            answers[bidding] = self._adviser.act(make_views(batch.deals, batch.tables, rows[bidding]), batch.tables, rng)

    def _seat(self, batch: DealBatch, which: NDArray[np.int64], opponents: int, rng: np.random.Generator) -> NDArray[np.int8]:
        """(n, 4) who sits where in the new deals of `which`: 0 for the learner, k for the k-th of the opponents."""
        if self._target is not None:
            return seat_learner(batch.deals["num_seats"][which], rng)
        return seat_opponents(len(which), opponents, self.train_config.pool.share, rng)

    @torch.no_grad()
    def _draw(
        self, actor: CastTrunk, observation: Any, legal: Any, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Actions and their log-probabilities for the (n, K) lists of legal ones; observation may have more rows, padding at the end."""
        logits = actor.head("policy", actor.hidden(torch.from_numpy(observation).to(self.module.scale.device))).cpu().numpy()
        actions = np.empty(len(legal), np.int64)
        log_probabilities = np.empty(len(legal), np.float32)
        draw_actions(logits, legal, rng.random(len(legal)), actions, log_probabilities)
        return actions, log_probabilities

    @torch.no_grad()
    def _values(self, size: int) -> NDArray[np.float32]:
        """(size,) what the critic expects of the payoff in each row of the store, in points; fills the column SPREAD."""
        store = self._store
        values = np.empty(size, np.float32)
        for start in range(0, size, VALUE_CHUNK):
            rows = slice(start, min(size, start + VALUE_CHUNK))
            inputs = [torch.from_numpy(store[name][rows]).to(self.module.scale.device) for name in (Columns.OBS, HIDDEN)]
            logits = self._critic.head("value", self._critic.hidden(*inputs))
            expected, spread = decode_spread(logits, self.module.bins)
            values[rows], store[SPREAD][rows] = expected.cpu().numpy(), spread.cpu().numpy()
        return values

    def _finish(self, log: DealLog, lam: float) -> MultiAgentBatch:
        store = self._store
        size = store.size
        payoffs = log.payoffs() / SIXTHS
        values = self._values(size)
        deal, seat = store.deal[:size], store.seat[:size]
        advantages_and_targets(
            deal,
            seat,
            values,
            payoffs,
            self.train_config.ppo.gamma,
            lam,
            store[Postprocessing.ADVANTAGES][:size],
            store[Postprocessing.VALUE_TARGETS][:size],
        )
        store[PAYOFF][:size] = payoffs[deal, seat]
        store[SYSTEM][:size] = log.systems()[deal]
        store[PHASE][:size] = PHASE_OF_ACTION[store[Columns.ACTIONS][:size]]
        self._log = log
        self.num_env_steps_sampled_lifetime = self.num_env_steps_sampled_lifetime + size
        columns = SampleBatch({name: values[:size] for name, values in store.columns.items()})
        return MultiAgentBatch({DEFAULT_MODULE_ID: columns}, env_steps=size)

    @property
    def rows(self) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
        """Deal (index into the log) and seat of every row of the last sample."""
        return self._store.deal[: self._store.size], self._store.seat[: self._store.size]

    def take_log(self) -> DealLog | None:
        """What happened in the deals of the last sample, once."""
        log, self._log = self._log, None
        return log

    def get_metrics(self) -> Any:
        """RLlib's metrics of this runner; the deals themselves are in `take_log`."""
        return self.metrics.reduce()

    def get_spaces(self) -> dict[str, tuple[gym.Space[Any], gym.Space[Any]]]:
        """Observation and action space by module."""
        return spaces()

    def assert_healthy(self) -> None:
        """Raise AssertionError where the constructor has not run through."""
        assert self.module is not None

    def get_state(
        self, components: str | Collection[str] | None = None, *, not_components: str | Collection[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Counters, and the weights where asked for. There is no deal under way between samples and no generator to save."""
        state: dict[str, Any] = {"num_env_steps_sampled_lifetime": self.num_env_steps_sampled_lifetime}
        if self._check_component(COMPONENT_RL_MODULE, components, not_components):
            state[COMPONENT_RL_MODULE] = self.module.get_state(**kwargs)
            state[WEIGHTS_SEQ_NO] = self._weights_seq_no
        return state

    def set_state(self, state: dict[str, Any]) -> None:
        """Take over weights (of the learner or of another runner) and counters."""
        if COMPONENT_RL_MODULE in state:
            weights = state[COMPONENT_RL_MODULE]
            weights = ray.get(weights) if isinstance(weights, ray.ObjectRef) else weights
            sequence = state.get(WEIGHTS_SEQ_NO, 0)
            if sequence == 0 or sequence > self._weights_seq_no:
                self.module.set_state(weights.get(DEFAULT_MODULE_ID, weights))
                self._actor, self._critic = self.module.cast_actor(), self.module.cast_critic()
            self._weights_seq_no = sequence or self._weights_seq_no
        self.num_env_steps_sampled_lifetime = state.get("num_env_steps_sampled_lifetime", self.num_env_steps_sampled_lifetime)

    def get_ctor_args_and_kwargs(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """How to make this runner again from a checkpoint."""
        return (), {"config": self.config, "worker_index": self.worker_index}

    def get_checkpointable_components(self) -> list[tuple[str, Any]]:
        """The module is saved as a part of its own."""
        return [(COMPONENT_RL_MODULE, self.module)]
