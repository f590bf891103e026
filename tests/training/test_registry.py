"""The recipe of CONTRIBUTING.md for an algorithm: a subclass and one registry line."""

import pytest

from tests.training.conftest import small_config
from training.algorithm import TarockPPO, tarock_config
from training.learner import TarockLearner
from training.registry import ALGORITHMS, algorithm_class, check_algorithm

pytestmark = pytest.mark.usefixtures("_ray")


class HalfLearner(TarockLearner):
    """A toy: half of PPO's loss."""

    calls = 0

    def compute_loss_for_module(self, *, module_id, config, batch, fwd_out):
        type(self).calls += 1
        return super().compute_loss_for_module(module_id=module_id, config=config, batch=batch, fwd_out=fwd_out) / 2


class HalfPPO(TarockPPO):
    loss_learner = HalfLearner


def test_an_algorithm_is_a_subclass_and_one_registry_line(monkeypatch, tmp_path):
    monkeypatch.setitem(ALGORITHMS, "half", f"{__name__}:HalfPPO")
    config = small_config(run={"algorithm": "half"})
    algorithm = tarock_config(config, tmp_path).build_algo()
    try:
        algorithm.train()
        assert isinstance(algorithm, HalfPPO)
        assert algorithm.decisions > 0
        assert HalfLearner.calls > 0
    finally:
        algorithm.stop()


def test_names_are_checked():
    assert algorithm_class("ppo") is TarockPPO
    with pytest.raises(ValueError, match=r"run.algorithm: unknown algorithm 'pp'; did you mean ppo\?"):
        check_algorithm("pp")
    with pytest.raises(ValueError, match="known: ppo, dmc"):
        check_algorithm("sarsa")
