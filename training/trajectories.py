"""Kernels over rows of decisions: listing and drawing actions, and advantages along each seat's trajectory."""

from __future__ import annotations

import math

import numpy as np

from tarock_env.actions import NUM_WORDS
from tarock_env.engine.bits import lowest, without_lowest
from tarock_env.engine.jit import kernel


@kernel
def list_actions(deals, rows, legal):  # type: ignore[no-untyped-def]
    """Overwrite legal (n, K) with the legal actions of deals[rows], rows (n,), in ascending order; -1 after the last one."""
    for index in range(len(rows)):
        place = 0
        for word in range(NUM_WORDS):
            bits = deals[rows[index]].legal[word]
            while bits:
                legal[index, place] = 64 * word + lowest(bits)
                bits = without_lowest(bits)
                place += 1
        legal[index, place:] = -1


@kernel
def draw_actions(logits, legal, uniforms, actions, log_probabilities):  # type: ignore[no-untyped-def]
    """Draw an action a row from the softmax over its legal ones.

    legal: (n, K) as `list_actions` writes it. logits: (n or more, A) float32; rows beyond n are padding. uniforms: (n,) in [0, 1).
    actions (n,) int64 and log_probabilities (n,) float32 are overwritten.
    """
    for row in range(legal.shape[0]):
        count = 0
        highest = -np.inf
        while count < legal.shape[1] and legal[row, count] >= 0:
            highest = max(highest, logits[row, legal[row, count]])
            count += 1
        total = 0.0
        for place in range(count):
            total += math.exp(logits[row, legal[row, place]] - highest)
        left = uniforms[row] * total
        chosen = -1
        for place in range(count):
            chosen = legal[row, place]  # rounding can leave a rest: then the last legal action stands
            left -= math.exp(logits[row, chosen] - highest)
            if left < 0.0:
                break
        actions[row] = chosen
        log_probabilities[row] = logits[row, chosen] - highest - math.log(total)


@kernel
def advantages_and_targets(deal, seat, values, payoffs, gamma, lam, advantages, targets):  # type: ignore[no-untyped-def]
    """Generalised advantage estimation (arXiv:1506.02438) along each seat's decisions in each deal.

    deal (N,), seat (N,): whose decision, rows of one seat in one deal in the order taken. values (N,): V in points.
    payoffs: (D, 4) points. The only reward is the payoff, paid after a seat's last decision:
        delta_t = gamma V_{t+1} - V_t, at the last payoff - V_t;  A_t = delta_t + gamma lam A_{t+1};  target_t = A_t + V_t
    advantages and targets, (N,) float32 in points, are overwritten.
    """
    next_value = np.zeros(payoffs.shape, np.float64)
    next_advantage = np.zeros(payoffs.shape, np.float64)
    seen = np.zeros(payoffs.shape, np.bool_)
    for row in range(deal.shape[0] - 1, -1, -1):
        d, s = deal[row], seat[row]
        value = float(values[row])
        if seen[d, s]:
            advantage = gamma * next_value[d, s] - value + gamma * lam * next_advantage[d, s]
        else:
            advantage = payoffs[d, s] - value
            seen[d, s] = True
        next_value[d, s] = value
        next_advantage[d, s] = advantage
        advantages[row] = advantage
        targets[row] = advantage + value
