import numpy as np
import pytest
import torch
from ray.rllib.core import DEFAULT_MODULE_ID

from agents.network import CriticNetwork, PolicyNetwork, value_bins
from agents.weights import actor_shapes, critic_shapes
from tarock_env.actions import NUM_ACTIONS
from tarock_env.observation import HIDDEN_SCALE, HIDDEN_SIZE, OBSERVATION_SIZE, SCALE
from tests.training.conftest import small_config
from training.env_runner import spaces
from training.module import TarockModule, decode_value, value_loss


def make_module(precision="fp32", inference_only=False, **network):
    config = small_config(network=network)
    observation_space, action_space = spaces()[DEFAULT_MODULE_ID]
    model_config = config.network.model_dump() | {"precision": precision, "seed": 1}
    return TarockModule(
        observation_space=observation_space, action_space=action_space, model_config=model_config, inference_only=inference_only
    )


def test_the_actor_has_the_tensors_of_an_exported_bot():
    shapes = {name: tuple(value.shape) for name, value in make_module().actor.state_dict().items()}
    assert shapes == actor_shapes(OBSERVATION_SIZE, (32, 32), NUM_ACTIONS, q=True)


def test_without_action_values_there_is_no_q_head():
    assert not any(name.startswith("q.") for name in make_module(q_head=False).actor.state_dict())


def test_numpy_plays_the_same_network():
    module = make_module()
    for parameter in module.actor.parameters():
        torch.nn.init.normal_(parameter, std=0.1, generator=torch.Generator().manual_seed(2))
    rows = np.random.default_rng(1).integers(0, 4, (64, OBSERVATION_SIZE)).astype(np.uint8)
    network = PolicyNetwork({name: value.numpy() for name, value in module.actor.state_dict().items()}, SCALE)
    actor = module.cast_actor()
    with torch.no_grad():
        hidden = actor.hidden(torch.from_numpy(rows))
        np.testing.assert_allclose(network.logits(rows), actor.head("policy", hidden).numpy(), atol=1e-4)
        np.testing.assert_allclose(network.action_values(rows), actor.head("q", hidden).numpy(), atol=1e-4)


@pytest.mark.parametrize("privileged", [True, False])
def test_numpy_asks_the_same_critic(privileged):
    module = make_module(critic_layers=2, privileged_critic=privileged, value_limit=300.0)
    for parameter in module.critic.parameters():
        torch.nn.init.normal_(parameter, std=0.3, generator=torch.Generator().manual_seed(2))
    rng = np.random.default_rng(1)
    rows, hidden = (rng.integers(0, 4, (64, size)).astype(np.uint8) for size in (OBSERVATION_SIZE, HIDDEN_SIZE))
    tensors = {f"critic.{name}": value.numpy() for name, value in module.critic.state_dict().items()}
    assert {name: value.shape for name, value in tensors.items()} == critic_shapes(
        OBSERVATION_SIZE, (32, 32), module.bins.numel(), HIDDEN_SIZE if privileged else None
    )
    critic = module.cast_critic()
    with torch.no_grad():
        logits = critic.head("value", critic.hidden(torch.from_numpy(rows), torch.from_numpy(hidden)))
    values = CriticNetwork(tensors, SCALE, HIDDEN_SCALE, 300.0).values(rows, hidden)
    np.testing.assert_allclose(values, decode_value(logits, module.bins).numpy(), rtol=1e-3, atol=1e-2)
    assert values.std() > 1


def test_bf16_stays_near_fp32():
    rows = torch.randint(0, 2, (64, OBSERVATION_SIZE), dtype=torch.uint8, generator=torch.Generator().manual_seed(1))
    exact, rounded = (make_module(precision).cast_actor() for precision in ("fp32", "bf16"))
    with torch.no_grad():
        a, b = exact.hidden(rows), rounded.hidden(rows).float()
    assert float((a - b).abs().mean()) < 0.02


def test_the_same_seed_gives_the_same_weights_whatever_the_global_generator():
    torch.manual_seed(1)
    first = make_module().state_dict()
    torch.manual_seed(2)
    second = make_module().state_dict()
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_an_env_runners_module_lacks_the_magnet():
    names = set(make_module(inference_only=True).state_dict())
    assert any(name.startswith("critic.") for name in names)
    assert not any(name.startswith("magnet.") for name in names)


def test_the_magnet_starts_as_the_actor_and_follows_it():
    module = make_module()
    before = module.magnet.trunk[0].weight.clone()
    assert torch.equal(before, module.actor.trunk[0].weight)
    with torch.no_grad():
        module.actor.trunk[0].weight += 1
    module.move_magnet(0.25)
    torch.testing.assert_close(module.magnet.trunk[0].weight, before + 0.25)


def test_bins_are_symmetric_and_hold_zero():
    bins = torch.from_numpy(value_bins(129, 20_000.0))
    assert bins[64] == 0
    torch.testing.assert_close(bins, -bins.flip(0))
    assert float(bins[-1]) == pytest.approx(20_000, rel=1e-5)


def test_a_fitted_distribution_decodes_to_the_mean_in_points():
    bins = torch.from_numpy(value_bins(65, 400.0))
    targets = torch.tensor([-350.0, -3.3, 0.0, 0.4, 17.0, 17.0, 5.0, 399.0])
    logits = torch.zeros(8, 65, requires_grad=True)
    optimizer = torch.optim.Adam([logits], lr=0.3)
    for _ in range(400):
        optimizer.zero_grad()
        value_loss(logits, targets, bins).sum().backward()
        optimizer.step()
    torch.testing.assert_close(decode_value(logits.detach(), bins), targets, rtol=0.02, atol=0.05)


def test_one_distribution_for_two_outcomes_decodes_to_their_average():
    bins = torch.from_numpy(value_bins(65, 400.0))
    logits = torch.zeros(1, 65, requires_grad=True)
    optimizer = torch.optim.Adam([logits], lr=0.1)
    for _ in range(1500):
        optimizer.zero_grad()
        value_loss(logits.expand(2, -1), torch.tensor([-10.0, 90.0]), bins).mean().backward()
        optimizer.step()
    assert float(decode_value(logits.detach(), bins)) == pytest.approx(40, abs=0.5)
