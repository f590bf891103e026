import pytest

from training.config import TrainConfig
from training.ray_setup import set_threads, start_ray
from training.report import read_curve

SMALL = {
    "run": {"name": "small", "seed": 3, "iterations": 3},
    "network": {"layers": 2, "width": 32, "critic_layers": 1, "critic_width": 32},
    "ppo": {"minibatch_size": 512},
    "sampling": {"deals_in_lockstep": 32, "decisions_per_iteration": 2048},
    "pool": {"every": 1, "size": 20},
    "evaluation": {"every": 0, "deals": 2, "final_deals": 2, "opponents": []},
    "resources": {"threads": 1},
    "checkpoint": {"every": 1},
}


def small_config(**sections):
    """A config that trains in a second, with keys of sections replaced: small_config(run={"seed": 4})."""
    return TrainConfig.model_validate({name: SMALL.get(name, {}) | sections.get(name, {}) for name in {*SMALL, *sections}})


VARYING = ("speed/", "progress/hours")


def curve(folder):
    """Scalars of a run that do not depend on the clock, by iteration."""
    entries = [entry for entry in read_curve(folder) if "progress/decisions" in entry]
    return [{name: value for name, value in entry.items() if not name.startswith(VARYING)} for entry in entries]


@pytest.fixture(scope="session")
def _ray():
    # Room for two remote runners or learners, however few cores this process may use: Ray would wait for more for ever.
    resources = small_config(resources={"threads": 1, "num_env_runners": 2}).resources
    set_threads(resources)
    start_ray(resources)
