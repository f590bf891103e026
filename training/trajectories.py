"""Kernels over rows of decisions: drawing actions, and advantages along each seat's trajectory."""

from __future__ import annotations

import math

import numpy as np

from tarock_env.engine.jit import kernel


@kernel
def draw_actions(logits, mask, uniforms, actions, log_probabilities):  # type: ignore[no-untyped-def]
    """Draw an action a row from the masked softmax.

    mask: (n, A) bool, a legal action in every row. logits: (n or more, A) float32; rows beyond n are padding. uniforms: (n,) in [0, 1).
    actions (n,) int64 and log_probabilities (n,) float32 are overwritten.
    """
    num_actions = logits.shape[1]
    for row in range(mask.shape[0]):
        highest = -np.inf
        for action in range(num_actions):
            if mask[row, action] and logits[row, action] > highest:
                highest = logits[row, action]
        total = 0.0
        for action in range(num_actions):
            if mask[row, action]:
                total += math.exp(logits[row, action] - highest)
        left = uniforms[row] * total
        chosen = -1
        for action in range(num_actions):
            if mask[row, action]:
                chosen = action  # rounding can leave a rest: then the last legal action stands
                left -= math.exp(logits[row, action] - highest)
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
