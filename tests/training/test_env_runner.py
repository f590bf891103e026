import numpy as np
import pytest
import torch
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.columns import Columns
from ray.rllib.evaluation.postprocessing import Postprocessing

from tarock_env.actions import NUM_ACTIONS
from tarock_env.batch import DealBatch
from tests.training.conftest import small_config
from training import env_runner as env_runner_module
from training.algorithm import tarock_config
from training.columns import BIDS, LEGAL_ACTIONS, PAYOFF, PHASE_OF_ACTION, TEACHER
from training.env_runner import TarockEnvRunner
from training.opponents import seat_opponents

pytestmark = pytest.mark.usefixtures("_ray")


def make_runner(tmp_path, worker_index=0, **sections):
    config = tarock_config(small_config(**sections), tmp_path)
    return TarockEnvRunner(config=config, worker_index=worker_index, num_workers=0)


def sample(runner, **arguments):
    rows = runner.sample(**arguments).policy_batches[DEFAULT_MODULE_ID]
    return {name: np.array(values) for name, values in rows.items()}, runner.take_log()


def past_self(runner):
    return {name: value.numpy().copy() for name, value in runner.module.actor.state_dict().items()}


def test_every_seats_return_equals_the_engines_payoff(tmp_path):
    runner = make_runner(tmp_path)
    rows, log = sample(runner, lam=1.0)
    deal, seat = runner.rows
    payoffs = log.payoffs()[deal, seat] / 6
    np.testing.assert_allclose(rows[PAYOFF], payoffs, rtol=1e-6)
    np.testing.assert_allclose(rows[Postprocessing.VALUE_TARGETS], payoffs, rtol=1e-4, atol=1e-3)
    np.testing.assert_array_equal(log.payoffs(), log.records()["payoffs"])
    assert (log.payoffs().sum(1) == 0).all()


def test_every_decision_is_taken_once_and_had_a_choice(tmp_path, monkeypatch):
    made = []

    class Counted(DealBatch):
        def step(self, actions):
            acting = np.flatnonzero(~self.finished)
            made.extend(zip(acting.tolist(), np.asarray(actions)[acting].tolist(), strict=True))
            super().step(actions)

    monkeypatch.setattr(env_runner_module, "DealBatch", Counted)
    rows, log = sample(make_runner(tmp_path))
    assert len(rows[Columns.ACTIONS]) == len(made)
    assert rows[Columns.ACTIONS].tolist() == [action for _, action in made]
    assert log.finished == log.started
    assert ((rows[LEGAL_ACTIONS] >= 0).sum(1) >= 2).all()
    assert (rows[LEGAL_ACTIONS] == rows[Columns.ACTIONS][:, np.newaxis]).any(1).all()


def test_log_probabilities_are_the_policys(tmp_path):
    runner = make_runner(tmp_path, resources={"precision": "fp32"})
    rows, _ = sample(runner)
    with torch.no_grad():
        actor = runner.module.cast_actor()
        logits = actor.head("policy", actor.hidden(torch.from_numpy(rows[Columns.OBS])))
    legal = (torch.from_numpy(rows[LEGAL_ACTIONS])[:, :, None] == torch.arange(NUM_ACTIONS)).any(1)
    expected = logits.masked_fill(~legal, -1e9).log_softmax(-1)
    expected = expected[torch.arange(len(expected)), torch.from_numpy(rows[Columns.ACTIONS])]
    np.testing.assert_allclose(rows[Columns.ACTION_LOGP], expected.numpy(), atol=1e-4)


def test_the_number_of_decisions_is_about_what_was_asked_for(tmp_path):
    rows, _ = sample(make_runner(tmp_path), decisions=4000)
    assert 3500 < len(rows[Columns.ACTIONS]) < 5000


def test_past_selves_are_not_learnt_from(tmp_path):
    runner = make_runner(tmp_path, pool={"share": 1.0})
    rows, log = sample(runner, opponents=[past_self(runner), past_self(runner)])
    deal, seat = runner.rows
    assert (log.owners()[deal, seat] == 0).all()
    assert ((log.owners() > 0).sum(1) >= 1).all()
    assert len(rows[Columns.ACTIONS]) == len(deal)


def test_sampling_is_a_function_of_seed_runner_and_iteration(tmp_path):
    first = make_runner(tmp_path)
    one, _ = sample(first, iteration=5)
    sample(first, iteration=6)
    again, _ = sample(make_runner(tmp_path), iteration=5)
    for name in one:
        np.testing.assert_array_equal(one[name], again[name])
    others = [
        sample(make_runner(tmp_path), iteration=6)[1],
        sample(make_runner(tmp_path, worker_index=1), iteration=5)[1],
        sample(make_runner(tmp_path, worker_index=2), iteration=5)[1],
        sample(make_runner(tmp_path, run={"seed": 4}), iteration=5)[1],
    ]
    first_hands = [log.records()["dealt"][0].tolist() for log in others]
    assert len({str(hands) for hands in first_hands}) == len(others)


def test_some_deals_start_after_a_forced_auction(tmp_path):
    _, log = sample(make_runner(tmp_path, sampling={"forced_contracts": 0.5}))
    assert 0.2 < log.free().mean() < 0.8
    _, log = sample(make_runner(tmp_path, sampling={"forced_contracts": 0.0}))
    assert log.free().mean() > 0.9


def test_two_systems_share_the_deals(tmp_path):
    runner = make_runner(tmp_path, rules={"systems": ["juegatu", "oberoesterreichisch"]})
    rows, log = sample(runner)
    deal, _ = runner.rows
    assert set(log.systems()) == {0, 1}
    np.testing.assert_array_equal(rows["system"], log.systems()[deal])


def test_a_teacher_plays_in_the_learners_place(tmp_path):
    runner = make_runner(tmp_path, imitation={"teacher": "rule", "iterations": 1})
    rows, log = sample(runner, imitate=True)
    assert (rows[LEGAL_ACTIONS] == rows[Columns.ACTIONS][:, np.newaxis]).any(1).all()
    assert (rows[Columns.ACTION_LOGP] == 0).all()
    assert (log.owners() == 0).all()
    drawn, _ = sample(runner, imitate=False)
    assert (drawn[Columns.ACTION_LOGP] < 0).all()


def test_a_teacher_says_what_it_would_bid_and_changes_nothing_else(tmp_path):
    plain, _ = sample(make_runner(tmp_path))
    assert (plain[TEACHER] == -1).all()
    asked, _ = sample(make_runner(tmp_path, ppo={"final_teacher_bids": 0.1}))
    bidding = np.isin(PHASE_OF_ACTION[asked[LEGAL_ACTIONS][:, 0]], BIDS)
    assert 0 < bidding.sum() < len(bidding)
    np.testing.assert_array_equal(asked[TEACHER] >= 0, bidding)
    assert (asked[LEGAL_ACTIONS] == asked[TEACHER][:, np.newaxis])[bidding].any(1).all()
    for name in (Columns.OBS, Columns.ACTIONS, Columns.ACTION_LOGP):
        np.testing.assert_array_equal(plain[name], asked[name])


def test_weights_arrive_only_when_newer(tmp_path):
    runner = make_runner(tmp_path)
    weights = {DEFAULT_MODULE_ID: {name: value.numpy() * 0 for name, value in runner.module.state_dict().items()}}
    runner.set_state({"rl_module": weights, "weights_seq_no": 2})
    assert all(float(value.abs().sum()) == 0 for value in runner.module.parameters())
    ones = {DEFAULT_MODULE_ID: {name: value + 1 for name, value in weights[DEFAULT_MODULE_ID].items()}}
    runner.set_state({"rl_module": ones, "weights_seq_no": 1})
    assert all(float(value.abs().sum()) == 0 for value in runner.module.parameters())


def test_opponents_take_one_or_two_seats_of_their_share_of_deals():
    owner = seat_opponents(20_000, 3, 0.2, np.random.default_rng(1))
    seats = (owner > 0).sum(1)
    assert set(seats.tolist()) == {0, 1, 2}
    assert (seats > 0).mean() == pytest.approx(0.2, abs=0.01)
    assert (seats[seats > 0] == 2).mean() == pytest.approx(0.5, abs=0.03)
    np.testing.assert_allclose((owner > 0).mean(0), (owner > 0).mean(), atol=0.01)
    np.testing.assert_allclose(np.bincount(owner[owner > 0])[1:] / (owner > 0).sum(), 1 / 3, atol=0.03)
    assert (seat_opponents(100, 0, 0.2, np.random.default_rng(1)) == 0).all()
