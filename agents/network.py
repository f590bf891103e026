"""The exported networks on numpy: a trunk of Linear, LayerNorm, ReLU layers, and on it the actor's heads or the critic's value."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from agents.sparse import Floats, first_layer

LAYER_NORM_EPS = np.float32(1e-5)  # torch's default, part of the file format
CHUNK = 4096  # rows a forward pass: bounds memory, and the activations stay in the cache


class Trunk:
    """Linear, LayerNorm, ReLU layers.

    tensors: `{prefix}trunk.0.weight` and so on, as in agents/weights.py. scale: (F,) float32, what an input row is multiplied with; it is
    folded into the first layer once, so that a forward pass reads the uint8 rows as they are.
    """

    def __init__(self, tensors: Mapping[str, Floats], scale: Floats, prefix: str = "") -> None:
        num_layers = sum(name.startswith(f"{prefix}trunk.") and name.endswith(".weight") for name in tensors)
        self._layers: list[tuple[Floats, Floats, Floats, Floats]] = []
        for layer in range(num_layers):
            weight = tensors[f"{prefix}trunk.{layer}.weight"]
            if layer == 0:
                weight = weight * scale[np.newaxis, :]
            self._layers.append(
                (
                    np.ascontiguousarray(weight.T),
                    tensors[f"{prefix}trunk.{layer}.bias"],
                    tensors[f"{prefix}norm.{layer}.weight"],
                    tensors[f"{prefix}norm.{layer}.bias"],
                )
            )

    def hidden(self, rows: NDArray[np.uint8], added: Floats | None = None) -> Floats:
        """(B, F) uint8 -> (B, H) float32. added: (B, H_0), what a second input adds to the first layer's sums."""
        for layer, (weight, bias, gain, shift) in enumerate(self._layers):
            if layer == 0:
                x = first_layer(rows, weight, bias)
                if added is not None:
                    x += added
            else:
                x = x @ weight
                x += bias
            x -= x.mean(axis=1, keepdims=True)
            variance = np.einsum("ij,ij->i", x, x)[:, np.newaxis] / np.float32(x.shape[1])
            x *= 1 / np.sqrt(variance + LAYER_NORM_EPS)
            x *= gain
            x += shift
            np.maximum(x, 0, out=x)
        return x


class PolicyNetwork:
    """Logits and action values from uint8 observations, without torch.

    tensors: as in agents/weights.py. scale: (F,) float32, what an observation is multiplied with (tarock_env.observation.SCALE).
    """

    def __init__(self, tensors: Mapping[str, Floats], scale: Floats) -> None:
        self._trunk = Trunk(tensors, scale)
        self._policy = (np.ascontiguousarray(tensors["policy.weight"].T), tensors["policy.bias"])
        self._q = (np.ascontiguousarray(tensors["q.weight"].T), tensors["q.bias"]) if "q.weight" in tensors else None

    @property
    def has_q(self) -> bool:
        """Whether the file came with an action-value head."""
        return self._q is not None

    def logits(self, observation: NDArray[np.uint8]) -> Floats:
        """(B, F) uint8 -> (B, A) float32, not masked."""
        return self._in_chunks(observation, self._policy)[0]

    def action_values(self, observation: NDArray[np.uint8]) -> Floats:
        """(B, F) uint8 -> (B, A) float32 in units of the manifest's q_scale. Raises ValueError where the bot has no Q head."""
        return self._in_chunks(observation, self._values())[0]

    def logits_and_values(self, observation: NDArray[np.uint8]) -> tuple[Floats, Floats]:
        """Both from one pass through the trunk. Raises ValueError as action_values does."""
        logits, values = self._in_chunks(observation, self._policy, self._values())
        return logits, values

    def _values(self) -> tuple[Floats, Floats]:
        if self._q is None:
            raise ValueError("this bot was exported without an action-value head")
        return self._q

    def _in_chunks(self, observation: NDArray[np.uint8], *heads: tuple[Floats, Floats]) -> list[Floats]:
        """The named heads, each (weight, bias), of every row."""
        outs = [np.empty((len(observation), len(bias)), np.float32) for _, bias in heads]
        for start in range(0, len(observation), CHUNK):
            rows = slice(start, start + CHUNK)
            hidden = self._trunk.hidden(observation[rows])
            for (weight, bias), out in zip(heads, outs, strict=True):
                np.matmul(hidden, weight, out=out[rows])
                out[rows] += bias
        return outs


class CriticNetwork:
    """What a seat is expected to be paid, with all cards open: the exported critic, without torch.

    tensors: as in agents/weights.py. scale, hidden_scale: (F,) and (F_hidden,) float32, of observation and hidden cards. limit: the
    payoff in points of the highest value bin.
    """

    def __init__(self, tensors: Mapping[str, Floats], scale: Floats, hidden_scale: Floats, limit: float) -> None:
        self._trunk = Trunk(tensors, scale, "critic.")
        extra = tensors.get("critic.extra.weight")
        self._extra = None if extra is None else np.ascontiguousarray((extra * hidden_scale[np.newaxis, :]).T)
        self._value = (np.ascontiguousarray(tensors["critic.value.weight"].T), tensors["critic.value.bias"])
        self._bins = value_bins(len(self._value[1]), limit)

    def values(self, observation: NDArray[np.uint8], hidden_cards: NDArray[np.uint8]) -> Floats:
        """(B, F) and (B, F_hidden) uint8 of acting seats -> (B,) float32 expected payoffs in points."""
        values = np.empty(len(observation), np.float32)
        for start in range(0, len(observation), CHUNK):
            rows = slice(start, start + CHUNK)
            values[rows] = self._values(observation[rows], hidden_cards[rows])
        return values

    def _values(self, observation: NDArray[np.uint8], hidden_cards: NDArray[np.uint8]) -> Floats:
        added = None
        if self._extra is not None:
            added = first_layer(hidden_cards, self._extra, np.zeros(self._extra.shape[1], np.float32))
        weight, bias = self._value
        logits = self._trunk.hidden(observation, added) @ weight
        logits += bias
        logits -= logits.max(axis=1, keepdims=True)
        chances = np.exp(logits)
        values: Floats = (chances @ self._bins) / chances.sum(axis=1)
        return values


def value_bins(bins: int, limit: float) -> Floats:
    """(bins,) payoffs in points from -limit to limit, evenly spaced in symlog(x) = sign(x) log(1 + |x|) (arXiv:2301.04104)."""
    reach = np.linspace(-math.log1p(limit), math.log1p(limit), bins)
    return np.asarray(np.sign(reach) * np.expm1(np.abs(reach)), np.float32)


def masked_probabilities(logits: Floats, mask: NDArray[np.bool_], temperature: float = 1.0) -> Floats:
    """Softmax over the legal actions of each row; (B, A) logits and bool mask -> (B, A), illegal actions exactly 0.

    temperature must be above 0. Every row needs a legal action: a row without one gives zeros.
    """
    shifted = np.where(mask, logits / np.float32(temperature), -np.inf)
    highest = shifted.max(axis=1, keepdims=True)
    weights = np.exp(shifted - np.where(np.isfinite(highest), highest, 0))
    total = weights.sum(axis=1, keepdims=True)
    probabilities: Floats = weights / np.where(total > 0, total, 1)
    return probabilities


def best_actions(logits: Floats, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The most likely legal action of each row."""
    best: NDArray[np.int64] = np.where(mask, logits, -np.inf).argmax(axis=1)
    return best


def choose_actions(logits: Floats, mask: NDArray[np.bool_], rng: np.random.Generator, temperature: float = 1.0) -> NDArray[np.int64]:
    """One action a row: the best for temperature 0, else drawn from the masked softmax at that temperature."""
    if temperature <= 0:
        return best_actions(logits, mask)
    cumulative = masked_probabilities(logits, mask, temperature).cumsum(axis=1)
    # Scaled to each row's own total: rounding of the sum can then never point past the last legal action.
    draw = rng.random((len(logits), 1), dtype=np.float32) * cumulative[:, -1:]
    chosen = (cumulative > draw).argmax(axis=1)
    actions: NDArray[np.int64] = np.where(cumulative[:, -1] > draw[:, 0], chosen, mask.argmax(axis=1))
    return actions
