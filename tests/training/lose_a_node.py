"""A run on a cluster of several raylets that loses a node in the middle of an iteration; a process of its own, because Ray connects once.

    python -m tests.training.lose_a_node

Prints one JSON line: what `run` returns.
"""

import json
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import ray
from ray.cluster_utils import Cluster

from tests.training.conftest import small_config
from training.algorithm import tarock_config
from training.ray_setup import start_ray

RECOVERY_SECONDS = 240


def run(folder: Path) -> dict[str, object]:
    """Train on two nodes of one runner each beside a head without cores, lose one while it samples, get another in its place.

    rows: learnt rows after the first iteration, after the one that lost the node, after two more with one runner, after its return
    and after one more. nodes: how many the runners lived on at first. unique, unique_again: whether no hand was dealt twice in the
    first and the last iteration. alone: runners alive after the loss; restored: after the new node.
    """
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - Ray spells it so; as `start_ray` has it for a Ray of its own
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=1), cluster.add_node(num_cpus=1)]
    cluster.wait_for_nodes()
    config = small_config(
        run={"iterations": 1000},
        sampling={"decisions_per_iteration": 16_384},
        resources={"num_env_runners": 2, "ray_address": cluster.address},
    )
    start_ray(config.resources)
    algorithm = tarock_config(config, folder).build_algo()
    runners = algorithm.env_runner_group
    homes = runners.foreach_env_runner(lambda runner: ray.get_runtime_context().get_node_id(), local_env_runner=False)
    algorithm.train()
    hands = algorithm.table.records["dealt"]
    rows, unique = [algorithm.decisions], len(np.unique(hands, axis=0)) == len(hands)
    loss = threading.Timer(0.2, cluster.remove_node, (nodes[1],), {"allow_graceful": False})
    loss.start()
    algorithm.train()
    loss.join()
    rows.append(algorithm.decisions)
    for _ in range(2):
        algorithm.train()
        rows.append(algorithm.decisions)
    alone = runners.num_healthy_remote_env_runners()
    cluster.add_node(num_cpus=1)
    until = time.monotonic() + RECOVERY_SECONDS
    while runners.num_healthy_remote_env_runners() < 2 and time.monotonic() < until:
        algorithm.train()
    rows.append(algorithm.decisions)
    algorithm.train()
    rows.append(algorithm.decisions)
    restored = runners.num_healthy_remote_env_runners()
    again = algorithm.table.records["dealt"]
    found = {
        "rows": rows, "nodes": len(set(homes)), "unique": unique, "alone": alone, "restored": restored,
        "unique_again": len(np.unique(again, axis=0)) == len(again),
    }  # fmt: skip
    algorithm.stop()
    ray.shutdown()
    cluster.shutdown()
    return found


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tarock-cluster-") as scratch:
        json.dump(run(Path(scratch)), sys.stdout)
