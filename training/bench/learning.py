"""Learning, measured side by side in one process: a bare torch loop of the same shapes, this project's training, the stock RLlib path.

A *decision* is a learnt row. The bare loop does what any implementation must: one policy forward pass in batches of the lockstep
size, one critic pass, and the update's forward and backward passes with Adam, on random rows that are already in memory. It has no
environment, no trajectories, no shuffling, no metrics and no RLlib.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from ray.rllib.core.columns import Columns
from ray.rllib.evaluation.postprocessing import Postprocessing

from tarock_env.actions import NUM_ACTIONS
from tarock_env.batch import DealBatch
from tarock_env.observation import HIDDEN_SIZE, OBSERVATION_SIZE
from training.algorithm import tarock_config
from training.columns import ACTION_MASK, HIDDEN
from training.config import TrainConfig
from training.env_runner import VALUE_CHUNK, spaces
from training.module import MAGNET_STRIDE, TarockModule, mask_logits, value_loss
from training.stock import stock_config
from training.systems import played_rules

Report = Callable[[int, int], None]
ITERATIONS = 6  # turns measured; the median counts. One more before them compiles and warms up
LEGAL_ACTIONS = 6  # in a random row of the bare loop


class BareLoop:
    """Plain torch with the config's networks, rows, epochs and minibatches."""

    def __init__(self, config: TrainConfig) -> None:
        observation_space, action_space = next(iter(spaces().values()))
        model_config = config.network.model_dump() | {"precision": config.resources.precision, "seed": 1}
        self.config = config
        self.module = TarockModule(observation_space=observation_space, action_space=action_space, model_config=model_config)
        self.optimizer = torch.optim.Adam([p for p in self.module.parameters() if p.requires_grad], lr=1e-4, fused=True)
        self.batch = random_rows(config.sampling.decisions_per_iteration, self.module)

    def iteration(self) -> float:
        """One iteration; its decisions a second."""
        config, module, batch = self.config, self.module, self.batch
        rows = config.sampling.decisions_per_iteration
        start = time.perf_counter()
        with torch.no_grad():
            actor, critic = module.cast_actor(), module.cast_critic()
            for part in batch[Columns.OBS].split(config.sampling.deals_in_lockstep):
                actor.head("policy", actor.hidden(part))
            for part, hidden in zip(batch[Columns.OBS].split(VALUE_CHUNK), batch[HIDDEN].split(VALUE_CHUNK), strict=True):
                critic.head("value", critic.hidden(part, hidden))
        for _ in range(config.ppo.epochs):
            for first in range(0, rows, config.ppo.minibatch_size):
                part_rows = slice(first, first + config.ppo.minibatch_size)
                loss = bare_loss(module, {name: column[part_rows] for name, column in batch.items()}, config)
                self.optimizer.zero_grad(set_to_none=True)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(module.parameters(), config.ppo.grad_norm)
                self.optimizer.step()
        return rows / (time.perf_counter() - start)


def bare_loss(module: TarockModule, batch: dict[str, torch.Tensor], config: TrainConfig) -> torch.Tensor:
    """The parts of the loss that shape the work, over all actions: masked PPO with entropy and magnet, two-hot values, action values."""
    rows, mask, actions = batch[Columns.OBS].to(module.compute_dtype), batch[ACTION_MASK], batch[Columns.ACTIONS].unsqueeze(-1)
    actor, critic = module.cast_actor(), module.cast_critic()
    hidden = actor.hidden(rows)
    logits = mask_logits(actor.head("policy", hidden), mask)
    log_pi, pi = logits.log_softmax(-1), logits.softmax(-1)
    ratio = (log_pi.gather(-1, actions).squeeze(-1) - batch[Columns.ACTION_LOGP]).exp()
    advantages = batch[Postprocessing.ADVANTAGES]
    loss = -torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean() + 0.01 * (pi * log_pi).sum(-1).mean()
    with torch.no_grad():
        magnet = module.magnet.cast(module.compute_dtype, module.scale)
        strided = mask_logits(magnet.head("policy", magnet.hidden(rows[::MAGNET_STRIDE])), mask[::MAGNET_STRIDE])
    loss = loss + 0.01 * (pi[::MAGNET_STRIDE] * (log_pi[::MAGNET_STRIDE] - strided.log_softmax(-1))).sum(-1).mean()
    values = critic.head("value", critic.hidden(rows, batch[HIDDEN]))
    loss = loss + config.ppo.value_weight * value_loss(values, batch[Postprocessing.VALUE_TARGETS], module.bins).mean()
    if "q" in actor.heads:
        errors = actor.head("q", hidden).gather(-1, actions).squeeze(-1) - advantages
        loss = loss + config.ppo.q_weight * errors.square().mean()
    return loss


def random_rows(rows: int, module: TarockModule) -> dict[str, torch.Tensor]:
    """Random training rows of the right shapes and types."""
    rng = np.random.default_rng(1)
    order = rng.random((rows, NUM_ACTIONS), dtype=np.float32).argpartition(LEGAL_ACTIONS, axis=1)
    mask = np.zeros((rows, NUM_ACTIONS), np.bool_)
    np.put_along_axis(mask, order[:, :LEGAL_ACTIONS], True, axis=1)
    columns = {
        Columns.OBS: rng.integers(0, 2, (rows, OBSERVATION_SIZE), np.uint8),
        HIDDEN: rng.integers(0, 2, (rows, HIDDEN_SIZE), np.uint8),
        ACTION_MASK: mask,
        Columns.ACTIONS: order[:, 0].astype(np.int64),
        Columns.ACTION_LOGP: np.full(rows, -np.log(LEGAL_ACTIONS), np.float32),
        Postprocessing.ADVANTAGES: rng.standard_normal(rows, np.float32),
        Postprocessing.VALUE_TARGETS: 10 * rng.standard_normal(rows, np.float32),
    }
    return {name: torch.from_numpy(column).to(module.scale.device) for name, column in columns.items()}


def training_speed(config: TrainConfig, report: Callable[[int], None] | None = None) -> dict[str, float]:
    """Decisions a second of whole training iterations (`training`: sampling, learning, weights to the runners) and of its halves, of
    the `bare` loop, and their `ratio`.

    The two take turns, and the ratio is the median over the turns: a machine that slows down meanwhile favours neither side.
    report: called with the number of turns done.
    """
    bare = BareLoop(config)
    with tempfile.TemporaryDirectory(prefix="tarock-bench-") as folder:
        algorithm = tarock_config(config, Path(folder)).build_algo()
        try:
            found: dict[str, list[float]] = {}
            for turn in range(ITERATIONS + 1):
                speeds = {"bare": bare.iteration()}
                algorithm.train()
                speeds |= {name: algorithm.figures[f"speed/{name}"] for name in ("decisions_per_second", "sampling", "learning")}
                speeds["ratio"] = speeds["decisions_per_second"] / speeds["bare"]
                for name, value in speeds.items():
                    if turn:
                        found.setdefault(name, []).append(value)
                if report is not None:
                    report(turn + 1)
        finally:
            algorithm.stop()
    middle = {name: median(values) for name, values in found.items()}
    return {
        "training": middle["decisions_per_second"],
        "sampling": middle["sampling"],
        "learning": middle["learning"],
        "bare": middle["bare"],
        "ratio": middle["ratio"],
    }


def stock_speed(config: TrainConfig, batch_size: int = 1024) -> float:
    """Decisions a second of RLlib's own PPO on the PettingZoo environment.

    Its rows include decisions with one legal action; they are left out of the count by the share that play has on average.
    """
    network, ppo = config.network, config.ppo
    stock = stock_config(config.rules.systems[0], network.width, network.layers, batch_size, min(512, batch_size), ppo.epochs)
    algorithm = stock.build_algo()
    try:
        algorithm.train()
        start = time.perf_counter()
        result: dict[str, Any] = algorithm.train()
        rows = sum(result["env_runners"]["num_agent_steps_sampled"].values())
        seconds = time.perf_counter() - start
    finally:
        algorithm.stop()
    return float(rows) * (1 - forced_share(config)) / seconds


def forced_share(config: TrainConfig, deals: int = 256) -> float:
    """Share of all decisions that have one legal action, in random play."""
    rules = played_rules(config)[config.rules.systems[0]]
    counts = []
    for skip in (True, False):
        batch = DealBatch(deals, rules, 1, skip_forced=skip)
        decisions = 0
        while not batch.finished.all():
            decisions += int((~batch.finished).sum())
            batch.step(batch.random_actions())
        counts.append(decisions)
    return 1 - counts[0] / counts[1]
