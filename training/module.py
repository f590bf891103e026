"""The networks: an actor that sees its own seat, a critic that sees all cards, and the magnet, a slow copy of the actor.

    observation (B, F) uint8 -> [Linear, LayerNorm, ReLU] x layers -> policy (B, A) logits
                                                                   -> q (B, A) value of every action, in units of Q_UNIT points
    observation, hidden (B, H) -> [Linear, LayerNorm, ReLU] x critic_layers -> value (B, bins) logits (no hidden where not privileged)

The tensors of the actor are named as in an exported bot (agents/weights.py). Parameters are float32; a forward pass casts them
once to the compute type (bf16 where the processor multiplies it), so that the optimiser keeps full precision.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import InferenceOnlyAPI
from ray.rllib.core.rl_module.torch import TorchRLModule
from torch import Tensor, nn
from torch.nn import functional

from agents.network import value_bins
from tarock_env.actions import ANNOUNCE, BID, MELD, NUM_ACTIONS, PASS
from tarock_env.observation import HIDDEN_SCALE, HIDDEN_SIZE, OBSERVATION_SIZE, SCALE
from training.columns import ACTION_MASK, HIDDEN, LEGAL_ACTIONS, MAGNET_LOGITS, Q_TAKEN, VALUE_LOGITS

# The magnet is evaluated on one row in this many: the mean KL needs no more, and a full pass would cost a fifth of the update.
MAGNET_STRIDE = 4
Q_UNIT = 16.0  # points for one unit of the action values: their usual size
EPS = 1e-5  # of every LayerNorm; part of the exported format
# The first policy passes and says "good" more often than uniform play would. Uniform play bids the highest game in most deals,
# announces every bonus and doubles it eightfold; among payoffs of thousands of points nothing else could be learnt for long.
FIRST_BID_LOGIT = -2.0
FIRST_RAISE_LOGIT = -3.0  # announcements and kontras
ILLEGAL = -1e9  # added to the logits of illegal actions: finite, so that p log p is 0 and not NaN


def compute_dtype(precision: str) -> torch.dtype:
    """Type of the matrix products. precision: auto, bf16 or fp32 (config [resources])."""
    if precision == "auto":
        native = torch.cuda.is_bf16_supported() if torch.cuda.is_available() else bool(torch.cpu._is_avx512_bf16_supported())
        return torch.bfloat16 if native else torch.float32
    return torch.bfloat16 if precision == "bf16" else torch.float32


class Trunk(nn.Module):
    """Linear, LayerNorm, ReLU layers and the heads on top of them.

    inputs: width of the input row. width, layers: of the trunk. heads: name -> outputs. extra_inputs: width of a second input
    row, added in the first layer (the critic's hidden cards).
    """

    def __init__(self, inputs: int, width: int, layers: int, heads: Mapping[str, int], extra_inputs: int = 0) -> None:
        super().__init__()
        self.linears = [nn.Linear(inputs if layer == 0 else width, width) for layer in range(layers)]
        self.norms = [nn.LayerNorm(width, eps=EPS) for _ in range(layers)]
        self.trunk, self.norm = nn.ModuleList(self.linears), nn.ModuleList(self.norms)
        self.extra = nn.Linear(extra_inputs, width, bias=False) if extra_inputs else None
        self.heads = {name: nn.Linear(width, outputs) for name, outputs in heads.items()}
        for name, head in self.heads.items():  # named as in the exported file, not heads.*
            self.add_module(name, head)

    @torch.no_grad()
    def initialise(self, generator: torch.Generator) -> None:
        """Orthogonal trunk, heads near zero: the first policy is close to uniform and the first values close to zero."""
        for layer in self.linears:
            nn.init.orthogonal_(layer.weight, math.sqrt(2), generator=generator)
            nn.init.zeros_(layer.bias)
        if self.extra is not None:
            nn.init.orthogonal_(self.extra.weight, math.sqrt(2), generator=generator)
        for head in self.heads.values():
            nn.init.orthogonal_(head.weight, 0.01, generator=generator)
            nn.init.zeros_(head.bias)
        if "policy" in self.heads:
            self.heads["policy"].bias[BID:PASS] = FIRST_BID_LOGIT
            self.heads["policy"].bias[ANNOUNCE:MELD] = FIRST_RAISE_LOGIT

    def cast(self, dtype: torch.dtype, scale: Tensor, extra_scale: Tensor | None = None) -> CastTrunk:
        """The trunk in the compute type. scale: (inputs,) what uint8 rows are multiplied with, folded into the first layer."""
        layers = []
        for index, (linear, norm) in enumerate(zip(self.linears, self.norms, strict=True)):
            weight = linear.weight * scale if index == 0 else linear.weight
            layers.append(tuple(tensor.to(dtype) for tensor in (weight, linear.bias, norm.weight, norm.bias)))
        heads = {name: (head.weight.to(dtype), head.bias.to(dtype)) for name, head in self.heads.items()}
        extra = None if self.extra is None or extra_scale is None else (self.extra.weight * extra_scale).to(dtype)
        return CastTrunk(dtype, layers, heads, extra)


class CastTrunk:
    """A trunk whose tensors are in the compute type: cast once, used for many forward passes."""

    def __init__(
        self, dtype: torch.dtype, layers: Sequence[tuple[Tensor, ...]], heads: dict[str, tuple[Tensor, Tensor]], extra: Tensor | None
    ) -> None:
        self.dtype = dtype
        self.layers = layers
        self.heads = heads
        self.extra = extra

    def hidden(self, rows: Tensor, extra_rows: Tensor | None = None) -> Tensor:
        """(B, inputs) and (B, extra_inputs), uint8 or already in the compute type -> (B, width) in the compute type."""
        x = rows.to(self.dtype)
        for index, (weight, bias, gain, shift) in enumerate(self.layers):
            x = functional.linear(x, weight, bias)
            if index == 0 and self.extra is not None and extra_rows is not None:
                x = x + functional.linear(extra_rows.to(self.dtype), self.extra)
            x = torch.relu_(functional.layer_norm(x, gain.shape, gain, shift, EPS))  # in place: a pass over memory less
        return x

    def head(self, name: str, hidden: Tensor) -> Tensor:
        """(B, width) -> (B, outputs) float32 of the named head."""
        weight, bias = self.heads[name]
        return functional.linear(hidden, weight, bias).float()

    def head_at(self, name: str, hidden: Tensor, outputs: Tensor) -> Tensor:
        """The same for the (B, K) outputs of each row alone: (B, K) float32. What follows then reads K numbers a row and not all."""
        weight, bias = self.heads[name]
        return functional.linear(hidden, weight, bias).gather(-1, outputs).float()


class TarockModule(TorchRLModule, InferenceOnlyAPI):
    """Actor, critic and magnet as one RLModule.

    model_config: layers, width, critic_layers, critic_width, privileged_critic, q_head, value_bins, value_limit (config [network]),
    precision (auto, bf16, fp32) and seed. Env runners hold the actor and the critic (`inference_only` leaves out the magnet):
    advantages are computed where the data is made.
    """

    def setup(self) -> None:
        """Build the networks; RLlib calls this once."""
        settings: dict[str, Any] = dict(self.model_config)
        self.compute_dtype = compute_dtype(settings["precision"])
        heads = {"policy": NUM_ACTIONS} | ({"q": NUM_ACTIONS} if settings["q_head"] else {})
        generator = torch.Generator().manual_seed(settings["seed"])
        self.actor = Trunk(OBSERVATION_SIZE, settings["width"], settings["layers"], heads)
        self.actor.initialise(generator)
        hidden = HIDDEN_SIZE if settings["privileged_critic"] else 0
        self.critic = Trunk(
            OBSERVATION_SIZE, settings["critic_width"], settings["critic_layers"], {"value": settings["value_bins"]}, hidden
        )
        self.critic.initialise(generator)
        self.magnet = Trunk(OBSERVATION_SIZE, settings["width"], settings["layers"], {"policy": NUM_ACTIONS})
        self.magnet.load_state_dict(self.actor.state_dict(), strict=False)
        self.magnet.requires_grad_(False)
        self.register_buffer("scale", torch.from_numpy(np.array(SCALE)), persistent=False)
        self.register_buffer("hidden_scale", torch.from_numpy(np.array(HIDDEN_SCALE)), persistent=False)
        self.register_buffer("bins", torch.from_numpy(value_bins(settings["value_bins"], settings["value_limit"])), persistent=False)

    def get_non_inference_attributes(self) -> list[str]:
        """The learner alone needs the magnet."""
        return ["magnet"]

    def cast_actor(self) -> CastTrunk:
        """The actor in the compute type."""
        return self.actor.cast(self.compute_dtype, self.scale)

    def cast_critic(self) -> CastTrunk:
        """The critic in the compute type."""
        return self.critic.cast(self.compute_dtype, self.scale, self.hidden_scale)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Tensor]:
        actor = self.cast_actor()
        logits = actor.head("policy", actor.hidden(batch[Columns.OBS]))
        return {Columns.ACTION_DIST_INPUTS: mask_logits(logits, batch[ACTION_MASK])}

    def _forward_train(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Tensor]:
        """The legal actions (B, K) of the rows, their logits (B, K), value logits (B, bins), the value (B,) of the action taken, and the
        magnet's logits (B / MAGNET_STRIDE, K) on every n-th row. K is the largest number of legal actions.
        """
        rows = batch[Columns.OBS].to(self.compute_dtype)  # once, for three networks
        legal = widest(batch[LEGAL_ACTIONS])
        none, some = legal < 0, legal.clamp(min=0)
        actor = self.cast_actor()
        hidden = actor.hidden(rows)
        critic = self.cast_critic()
        out = {
            LEGAL_ACTIONS: legal,
            Columns.ACTION_DIST_INPUTS: actor.head_at("policy", hidden, some).masked_fill(none, ILLEGAL),
            VALUE_LOGITS: critic.head("value", critic.hidden(rows, batch[HIDDEN])),
        }
        if "q" in actor.heads:
            out[Q_TAKEN] = actor.head_at("q", hidden, batch[Columns.ACTIONS].unsqueeze(-1)).squeeze(-1)
        with torch.no_grad():
            magnet = self.magnet.cast(self.compute_dtype, self.scale)
            strided = magnet.head_at("policy", magnet.hidden(rows[::MAGNET_STRIDE]), some[::MAGNET_STRIDE])
            out[MAGNET_LOGITS] = strided.masked_fill(none[::MAGNET_STRIDE], ILLEGAL)
        return out

    @torch.no_grad()
    def move_magnet(self, rate: float) -> None:
        """Move the magnet by `rate` of the way towards the actor."""
        target = dict(self.actor.named_parameters())
        for name, parameter in self.magnet.named_parameters():
            parameter.lerp_(target[name], rate)


def mask_logits(logits: Tensor, mask: Tensor) -> Tensor:
    """(B, A) logits with illegal actions (mask False) at a large negative value."""
    return logits.masked_fill(~mask, ILLEGAL)


def widest(legal: Tensor) -> Tensor:
    """(B, MAX_LEGAL) legal actions, then -1, cut to the longest list: (B, K) int64."""
    return legal[:, : int((legal >= 0).sum(-1).max())].long()


def decode_value(logits: Tensor, bins: Tensor) -> Tensor:
    """(B, bins) logits -> (B,) expected payoff in points."""
    return logits.softmax(-1) @ bins


def decode_spread(logits: Tensor, bins: Tensor) -> tuple[Tensor, Tensor]:
    """(B, bins) logits -> (B,) expected payoff and (B,) mean absolute deviation around it, both in points.

    Not the standard deviation: a stray millionth of probability on a payoff of thousands would rule it.
    """
    probabilities = logits.softmax(-1)
    values = probabilities @ bins
    return values, (probabilities * (bins - values.unsqueeze(-1)).abs()).sum(-1)


def value_loss(logits: Tensor, targets: Tensor, bins: Tensor) -> Tensor:
    """Cross-entropy to the two-hot target, per row.

    The two bins around a target (B,) in points share the weight so that their mean is the target: `decode_value` of a fitted
    distribution is then unbiased in points, which weights linear in symlog would not give.
    """
    targets = targets.clamp(bins[0], bins[-1])
    upper = torch.bucketize(targets, bins).clamp(1, len(bins) - 1)
    low, high = bins[upper - 1], bins[upper]
    weight = (targets - low) / (high - low)
    log_p = logits.log_softmax(-1)
    at_low = log_p.gather(-1, (upper - 1).unsqueeze(-1)).squeeze(-1)
    at_high = log_p.gather(-1, upper.unsqueeze(-1)).squeeze(-1)
    return -((1 - weight) * at_low + weight * at_high)
