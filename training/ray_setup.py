"""Ray and torch of this process."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ray
import torch
from ray._private import services

from training.config import ResourcesSection

# Without remote workers Ray's object store holds a few weights only; by default it would reserve a third of the memory.
SMALL_STORE = 256 * 2**20
ATTEMPTS = 3  # Ray gives a node half a minute to come up, which a busy machine can exceed


def start_ray(resources: ResourcesSection) -> None:
    """Connect to the configured cluster, or start Ray on this machine; a Ray that already runs is used as it is."""
    for name in ("ray", "ray.rllib", "ray.tune"):
        logging.getLogger(name).setLevel(logging.ERROR)
    if ray.is_initialized():
        return
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # the behaviour to come; the other one warns
    if resources.ray_address is not None:
        ray.init(address=resources.ray_address, log_to_driver=False, logging_level=logging.ERROR)
        return
    # Ray starts workers at niceness 15: beside any other work a remote runner would get a fiftieth of a core.
    os.environ.setdefault("RAY_worker_niceness", "0")
    os.environ.setdefault("RAY_agent_register_timeout_ms", "180000")  # on a busy machine its agents need longer to start
    workers = resources.num_env_runners + resources.num_learners
    for attempt in range(ATTEMPTS):
        try:
            _start_here(workers)
            return
        except Exception as error:  # Ray has no class of its own for "the current node timed out during startup"
            ray.shutdown()
            if "timed out during startup" not in str(error) or attempt == ATTEMPTS - 1:
                raise


def _start_here(workers: int) -> None:
    with own_sessions():
        ray.init(
            address="local",  # without it Ray would join any cluster that somebody runs on this machine
            num_cpus=max(available_cores(), workers + 1),
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
            object_store_memory=None if workers else SMALL_STORE,
        )


@contextmanager
def own_sessions() -> Iterator[None]:
    """Ray's daemons that start within get sessions of their own, out of reach of a signal to this process's group.

    A terminal's Ctrl-C and a batch system's SIGTERM go to the whole group. Ray shields its daemons from the first only; without them
    the driver, which ends after a last checkpoint, could not write it. Ray has no setting for this, so the class that starts its
    daemons is replaced for the moment. They still die with the driver, even with a killed one: Linux's parent-death signal does not
    ask for sessions. Elsewhere Ray ends its daemons by their group, so there all stays as it is.
    """
    popen = getattr(services, "ConsolePopen", None)
    if popen is None or not sys.platform.startswith("linux"):
        yield
        return
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: Any, **settings: Any) -> subprocess.Popen[bytes]:
        started.append(popen(*arguments, start_new_session=True, **settings))
        return started[-1]

    services.ConsolePopen = start
    try:
        yield
    except BaseException:  # Ray forgets the daemons of a start that failed; they would run on beside those of the next one
        for daemon in started:
            daemon.kill()
            daemon.wait()
        raise
    finally:
        services.ConsolePopen = popen


def set_threads(resources: ResourcesSection) -> None:
    """Torch's threads in this process."""
    torch.set_num_threads(resources.threads or available_cores())


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
