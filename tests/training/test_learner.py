import platform

import numpy as np
import pytest
import torch
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.columns import Columns
from ray.rllib.evaluation.postprocessing import Postprocessing
from ray.rllib.policy.sample_batch import SampleBatch

from tests.training.conftest import small_config
from tarock_env.actions import NUM_ACTIONS, PASS
from training.algorithm import learner_means, normalise_advantages, tarock_config
from training.columns import AUCTION, ENDGAME, EXCHANGE, LEGAL_ACTIONS, PHASE, PHASE_OF_ACTION, PHASES, PLAY, Q_TAKEN, SPREAD, TEACHER
from training.config import PpoSection
from training.env_runner import TarockEnvRunner
from training.module import ILLEGAL, widest
from training.learner import LOSS_COLUMNS, Minibatches, expected_gain
from training.memory import keep_freed_memory
from training.schedule import geometric, schedule_at
from training.sigma import RunningSigma

pytestmark = pytest.mark.usefixtures("_ray")


def make_algorithm(tmp_path, **sections):
    return tarock_config(small_config(**sections), tmp_path).build_algo()


def rows_of(size):
    columns = {name: torch.zeros(size, 2) for name in LOSS_COLUMNS}
    return SampleBatch(columns | {Columns.ACTIONS: torch.arange(size)})


def test_minibatches_hold_every_row_exactly_once_an_epoch():
    parts = [part.policy_batches[DEFAULT_MODULE_ID] for part in Minibatches(rows_of(1003), 2, 4, [1])]
    assert len(parts) == 8
    assert {len(part) for part in parts} == {250, 251}
    for epoch in (parts[:4], parts[4:]):
        assert sorted(torch.cat([part[Columns.ACTIONS] for part in epoch]).tolist()) == list(range(1003))
    assert parts[0][Columns.ACTIONS].tolist() != parts[4][Columns.ACTIONS].tolist()


def test_minibatches_are_shuffled_by_their_seed_alone():
    def order(seed):
        return [row for part in Minibatches(rows_of(100), 1, 3, seed) for row in part.policy_batches[DEFAULT_MODULE_ID][Columns.ACTIONS]]

    assert order([1, 2]) == order([1, 2])
    assert order([1, 2]) != order([1, 3])


def test_advantages_are_normalised_by_phase_and_cut_off():
    rng = np.random.default_rng(1)
    phase = rng.integers(0, len(PHASES), 8000).astype(np.uint8)
    values = (rng.normal(size=8000) * (1 + 10 * phase) + phase).astype(np.float32)
    values[phase == PLAY] *= 2  # twice the stakes: twice the spread
    endgame = np.where((phase == PLAY)[:, None], values[:, None] * np.float32([1, 2, np.nan, np.nan]), np.float32(np.nan))
    spread = np.where(phase == PLAY, 2, 1).astype(np.float32)
    rows = SampleBatch({Postprocessing.ADVANTAGES: values.copy(), PHASE: phase, SPREAD: spread, ENDGAME: endgame})
    normalise_advantages(rows, 2.0)
    result = rows[Postprocessing.ADVANTAGES]
    judged = rows[ENDGAME][phase == PLAY]
    np.testing.assert_allclose(judged[:, 0], values[phase == PLAY] / values[phase == PLAY].std(), rtol=1e-3)
    np.testing.assert_allclose(judged[:, 1], 2 * judged[:, 0], rtol=1e-5)
    assert np.isnan(judged[:, 2:]).all()
    assert np.abs(result).max() == 2.0
    for index in range(len(PHASES)):
        assert abs(result[phase == index].mean()) < 0.05
        assert 0.9 < result[phase == index].std() < 1.0


def test_phases_follow_from_actions():
    assert PHASES[PHASE_OF_ACTION[0]] == "play"
    assert PHASES[PHASE_OF_ACTION[64]] == "exchange"
    assert PHASES[PHASE_OF_ACTION[128]] == PHASES[PHASE_OF_ACTION[176]] == "auction"
    assert PHASES[PHASE_OF_ACTION[192]] == PHASES[PHASE_OF_ACTION[221]] == PHASES[PHASE_OF_ACTION[233]] == "announce"
    assert PHASES[PHASE_OF_ACTION[197]] == "exchange"


def test_schedules_run_from_first_to_final():
    ppo = PpoSection()
    first, last = schedule_at(ppo, 0.0), schedule_at(ppo, 1.0)
    assert (first.learning_rate, first.clip, first.lam, first.entropy, first.magnet) == (
        ppo.learning_rate, ppo.clip, ppo.lambda_, ppo.entropy, ppo.magnet,
    )  # fmt: skip
    assert last.learning_rate == pytest.approx(ppo.final_learning_rate)
    assert last.entropy == pytest.approx(ppo.final_entropy)
    assert geometric(1.0, 0.01, 0.5) == pytest.approx(0.1)
    assert geometric(1.0, 0.0, 0.5) == 0.5


def test_sigma_is_a_running_root_mean_square_by_system():
    sigma = RunningSigma(2)
    before = sigma.values()[1]
    for _ in range(500):
        sigma.update(np.zeros(4, np.uint8), np.array([3, -3, 3, -3], np.float32))
    assert sigma.values()[0] == pytest.approx(3, rel=1e-3)
    assert sigma.values()[1] == before
    copy = RunningSigma(2)
    copy.set_state(sigma.get_state())
    assert copy.values() == sigma.values()


def loss_gradient(tmp_path, phase, **ppo):
    """The gradient on the logits of a row of that phase and of one of play, both with zero advantages, and their batch."""
    algorithm = make_algorithm(tmp_path, ppo={"value_weight": 0, "q_weight": 0, "magnet": 0, "final_magnet": 0} | ppo)
    learner = algorithm.learner_group._learner
    runner = TarockEnvRunner(config=algorithm.config, worker_index=0)
    rows = runner.sample().policy_batches[DEFAULT_MODULE_ID]
    pick = [int(np.flatnonzero(rows[PHASE] == phase)[0]) for phase in (phase, PLAY)]
    batch = {name: torch.from_numpy(np.array(rows[name])[pick]) for name in LOSS_COLUMNS}
    batch[Postprocessing.ADVANTAGES] = torch.zeros(2)
    out = learner.module[DEFAULT_MODULE_ID]._forward_train(batch)
    legal = out[LEGAL_ACTIONS]
    logits = torch.where(legal >= 0, torch.linspace(0, 1, legal.shape[1]), -1e9).requires_grad_()
    out[Columns.ACTION_DIST_INPUTS] = logits
    loss = learner.compute_loss_for_module(module_id=DEFAULT_MODULE_ID, config=None, batch=batch, fwd_out=out)
    loss.backward()
    algorithm.stop()
    return logits.grad.abs().sum(1), batch


@pytest.mark.parametrize(("phase", "floor"), [(AUCTION, "bid_entropy"), (EXCHANGE, "exchange_entropy")])
def test_auction_and_exchange_keep_their_floors_of_entropy(tmp_path, phase, floor):
    none = {"entropy": 0.0, "final_entropy": 0.0, "bid_entropy": 0.0, "exchange_entropy": 0.0}
    gradient, _ = loss_gradient(tmp_path, phase, **none | {floor: 0.1})
    assert gradient[0] > 0
    assert gradient[1] == 0
    gradient, _ = loss_gradient(tmp_path, phase, **none)
    assert gradient[0] == 0


def test_the_pull_to_the_teachers_bid_is_of_its_size_and_not_in_the_play_of_cards(tmp_path):
    still = {"entropy": 0.0, "final_entropy": 0.0, "bid_entropy": 0.0, "exchange_entropy": 0.0}
    gradient, batch = loss_gradient(tmp_path, AUCTION, **still, teacher_bids=0.1)
    assert gradient[1] == 0
    legal = batch[LEGAL_ACTIONS][0][batch[LEGAL_ACTIONS][0] >= 0]
    chance = torch.linspace(0, 1, int((batch[LEGAL_ACTIONS] >= 0).sum(1).max()))[: len(legal)].softmax(0)[legal == batch[TEACHER][0]]
    assert len(chance) == 1
    # -d log pi(t) / d logits = pi - (1 at t), whose absolute values sum to 2 (1 - pi(t)); the mean is over two rows
    torch.testing.assert_close(gradient[0], 0.1 * (1 - chance[0]))


def test_a_contract_that_died_out_is_bid_again_where_a_teacher_bids_it(tmp_path):
    algorithm = make_algorithm(tmp_path, ppo={"learning_rate": 1e-2, "minibatch_size": 64, "teacher_bids": 3.0, "final_teacher_bids": 3.0})
    module = algorithm.learner_group._learner.module[DEFAULT_MODULE_ID]
    with torch.no_grad():
        module.actor.heads["policy"].bias[PASS] -= 8.0
    algorithm.env_runner_group.sync_weights(from_worker_or_learner_group=algorithm.learner_group, inference_only=True)

    def passes():
        rows = algorithm.env_runner.sample(iteration=99).policy_batches[DEFAULT_MODULE_ID]
        return float((rows[Columns.ACTIONS] == PASS)[rows[TEACHER] == PASS].mean())

    assert passes() < 0.01
    for _ in range(6):
        algorithm.train()
    assert passes() > 0.3
    algorithm.stop()


def test_imitation_brings_the_policy_to_the_teacher_and_then_ends(tmp_path):
    algorithm = make_algorithm(tmp_path, imitation={"iterations": 4}, ppo={"learning_rate": 3e-3, "minibatch_size": 256})
    losses = []
    for _ in range(4):
        assert algorithm.imitating
        losses.append(algorithm.train()["learners"][DEFAULT_MODULE_ID]["update/imitation_loss"])
    assert losses[-1] < losses[0]
    module = algorithm.learner_group._learner.module[DEFAULT_MODULE_ID]
    assert torch.equal(module.magnet.trunk[0].weight, module.actor.trunk[0].weight)
    assert not algorithm.imitating
    algorithm.train()
    assert not torch.equal(module.magnet.trunk[0].weight, module.actor.trunk[0].weight)
    algorithm.stop()


def test_illegal_actions_get_no_gradient(tmp_path):
    algorithm = make_algorithm(tmp_path)
    rows = TarockEnvRunner(config=algorithm.config, worker_index=0).sample().policy_batches[DEFAULT_MODULE_ID]
    batch = {name: torch.from_numpy(np.array(rows[name])[:64]) for name in LOSS_COLUMNS}
    learner = algorithm.learner_group._learner
    out = learner.module[DEFAULT_MODULE_ID]._forward_train(batch)
    learner.compute_loss_for_module(module_id=DEFAULT_MODULE_ID, config=None, batch=batch, fwd_out=out).backward()
    gradient = learner.module[DEFAULT_MODULE_ID].actor.heads["policy"].bias.grad
    legal = torch.zeros(NUM_ACTIONS, dtype=torch.bool)
    legal[batch[LEGAL_ACTIONS][batch[LEGAL_ACTIONS] >= 0].long()] = True
    assert 0 < legal.sum() < len(legal)
    assert gradient[legal].abs().sum() > 0
    assert gradient[~legal].abs().max() == 0


def test_an_endgame_teaches_about_all_its_cards():
    logits = torch.tensor([[0.0, 0.0, -1e9], [1.0, 0.0, 0.5]], requires_grad=True)
    values = torch.tensor([[3.0, 1.0, torch.nan, torch.nan], [-1.0, 9.0, 2.0, torch.nan]])
    pi = logits.softmax(-1)
    expected_gain(pi, values, limit=100.0).sum().backward()
    means = (pi * values[:, :3].nan_to_num(0)).sum(-1, keepdim=True)
    torch.testing.assert_close(logits.grad, (pi * (values[:, :3].nan_to_num(0) - means)).detach())
    assert expected_gain(pi, values, limit=100.0).abs().max() < 1e-6  # a gain over what the policy has: none yet
    assert expected_gain(torch.tensor([[0.0, 1.0]]), torch.tensor([[0.0, 50.0]]), limit=2.0).tolist() == [0.0]


def test_rows_in_an_endgame_learn_from_it_and_not_from_the_card_played(tmp_path):
    algorithm = make_algorithm(
        tmp_path, ppo={"value_weight": 0, "q_weight": 0, "magnet": 0, "final_magnet": 0, "entropy": 0, "final_entropy": 0}
    )
    learner = algorithm.learner_group._learner
    rows = TarockEnvRunner(config=algorithm.config, worker_index=0).sample().policy_batches[DEFAULT_MODULE_ID]
    judged = np.flatnonzero(np.isfinite(rows[ENDGAME][:, 0]))
    pick = judged[(rows[ENDGAME][judged] != rows[ENDGAME][judged][:, :1]).any(1)][:8]  # NaN differs too
    batch = {name: torch.from_numpy(np.array(rows[name])[pick]) for name in LOSS_COLUMNS}
    gradients = []
    for advantage in (-1.0, 5.0):
        batch[Postprocessing.ADVANTAGES] = torch.full((len(pick),), advantage)
        out = learner.module[DEFAULT_MODULE_ID]._forward_train(batch)
        out[Columns.ACTION_DIST_INPUTS].retain_grad()
        learner.compute_loss_for_module(module_id=DEFAULT_MODULE_ID, config=None, batch=batch, fwd_out=out).backward()
        gradients.append(out[Columns.ACTION_DIST_INPUTS].grad)
    assert gradients[0].abs().max() > 0
    torch.testing.assert_close(gradients[0], gradients[1])
    algorithm.stop()


def test_lists_are_cut_to_the_longest():
    legal = torch.tensor([[0, 2, -1, -1], [3, -1, -1, -1], [1, 2, 3, -1]], dtype=torch.int16)
    assert widest(legal).tolist() == [[0, 2, -1], [3, -1, -1], [1, 2, 3]]


def test_the_learners_outputs_are_those_of_the_full_heads(tmp_path):
    algorithm = make_algorithm(tmp_path)
    rows = TarockEnvRunner(config=algorithm.config, worker_index=0).sample().policy_batches[DEFAULT_MODULE_ID]
    batch = {name: torch.from_numpy(np.array(rows[name])[:64]) for name in LOSS_COLUMNS}
    module = algorithm.learner_group._learner.module[DEFAULT_MODULE_ID]
    with torch.no_grad():
        out, hidden = module._forward_train(batch), module.cast_actor().hidden(batch[Columns.OBS])
        logits, values = (module.cast_actor().head(name, hidden) for name in ("policy", "q"))
    actions = torch.arange(64), batch[Columns.ACTIONS]
    torch.testing.assert_close(out[Q_TAKEN], values[actions])
    for row, listed in enumerate(batch[LEGAL_ACTIONS]):
        legal = listed[listed >= 0].long()
        count = len(legal)
        torch.testing.assert_close(out[Columns.ACTION_DIST_INPUTS][row, :count], logits[row, legal])
        assert (out[Columns.ACTION_DIST_INPUTS][row, count:] == ILLEGAL).all()
    algorithm.stop()
    algorithm.stop()


def test_an_iteration_learns_every_row_and_moves_all_networks(tmp_path):
    algorithm = make_algorithm(tmp_path, ppo={"epochs": 2})
    module = algorithm.learner_group._learner.module[DEFAULT_MODULE_ID]
    before = {name: value.clone() for name, value in module.state_dict().items()}
    result = algorithm.train()
    rows = len(algorithm.env_runner.rows[0])
    assert algorithm.decisions == rows
    assert result["learners"][DEFAULT_MODULE_ID]["num_module_steps_trained"] == 2 * rows
    after = module.state_dict()
    assert all(not torch.equal(before[name], after[name]) for name in before if name.endswith("weight"))
    runner_state = algorithm.env_runner.module.state_dict()
    assert all(torch.equal(after[name], runner_state[name]) for name in runner_state)
    algorithm.stop()


def test_a_gradient_that_is_not_finite_changes_nothing_and_is_counted(tmp_path):
    algorithm = make_algorithm(tmp_path)
    learner = algorithm.learner_group._learner
    parameters = list(learner._params.values())
    before = [parameter.detach().clone() for parameter in parameters]
    gradients = {reference: torch.ones_like(parameter) for reference, parameter in learner._params.items()}
    poisoned = dict(gradients)
    poisoned[next(iter(poisoned))].view(-1)[0] = torch.inf
    learner.apply_gradients(learner.postprocess_gradients(poisoned))
    assert all(torch.equal(parameter, old) for parameter, old in zip(parameters, before, strict=True))
    assert float(learner._sums["update/skipped"]) == 1.0
    algorithm.stop()


def test_gradients_are_clipped_to_the_norm(tmp_path):
    algorithm = make_algorithm(tmp_path)
    learner = algorithm.learner_group._learner
    for factor, expected in ((1.0, algorithm.train_config.ppo.grad_norm), (1e-9, None)):
        gradients = {reference: torch.full_like(parameter, factor) for reference, parameter in learner._params.items()}
        norm = float(torch.nn.utils.get_total_norm(list(gradients.values())))
        clipped = learner.postprocess_gradients(gradients)
        assert float(torch.nn.utils.get_total_norm(list(clipped.values()))) == pytest.approx(expected or norm, rel=1e-3)
        learner.apply_gradients(clipped)
    algorithm.stop()


def test_freed_memory_stays_where_the_c_library_allows_it():
    assert keep_freed_memory() == (platform.libc_ver()[0] == "glibc")


def test_a_phase_that_no_decision_belongs_to_has_no_entropy(tmp_path):
    algorithm = make_algorithm(tmp_path)
    algorithm.learner_group._learner._note("entropy/nowhere", torch.zeros(0))
    means = learner_means(algorithm.train())
    algorithm.stop()
    assert "entropy/nowhere" not in means
    assert 0 < means["entropy/play"] <= 1
