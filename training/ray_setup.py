"""Ray and torch of this process."""

from __future__ import annotations

import logging
import os

import ray
import torch

from training.config import ResourcesSection

# Without remote workers Ray's object store holds a few weights only; by default it would reserve a third of the memory.
SMALL_STORE = 256 * 2**20


def start_ray(resources: ResourcesSection) -> None:
    """Connect to the configured cluster, or start Ray on this machine; a Ray that already runs is used as it is."""
    for name in ("ray", "ray.rllib", "ray.tune"):
        logging.getLogger(name).setLevel(logging.ERROR)
    if ray.is_initialized():
        return
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # the behaviour to come; the other one warns
    os.environ.setdefault("RAY_raylet_start_wait_time_s", "180")  # on a busy machine its half minute is not enough
    if resources.ray_address is not None:
        ray.init(address=resources.ray_address, log_to_driver=False, logging_level=logging.ERROR)
        return
    workers = resources.num_env_runners + resources.num_learners
    ray.init(
        num_cpus=max(available_cores(), workers + 1),
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.ERROR,
        object_store_memory=None if workers else SMALL_STORE,
    )


def set_threads(resources: ResourcesSection) -> None:
    """Torch's threads in this process."""
    torch.set_num_threads(resources.threads or available_cores())


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
