"""Evaluation while training: the exported bot against fixed bots on fixed duplicate deals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agents.arena import play_pairs
from agents.base import load_bot
from agents.policy_bot import PolicyBot
from agents.weights import Manifest, Tensors
from training.config import TrainConfig
from training.systems import played_rules

Result = dict[str, dict[str, Any]]
"""rule system -> the arena's result: pairs with points_per_deal, low, high, deals; contracts by bot."""


def evaluate(
    config: TrainConfig, tensors: Tensors, manifest: Manifest, deals: int, seed: int, report: Callable[[int, int], None] | None = None
) -> Result:
    """Play the actor as an exported bot would play it, so that the figure is the bot's and not the training module's."""
    bot = PolicyBot(tensors, manifest)
    results: Result = {}
    for system, rules in played_rules(config).items():
        pairs = [(opponent, load_bot(opponent, rules=system)) for opponent in config.evaluation.opponents]
        for opponent in pairs:
            played = play_pairs([(manifest.name, bot), opponent], rules, deals, seed, report or (lambda done, total: None))
            kept = results.setdefault(system, {"pairs": [], "contracts": {}})
            kept["pairs"] += played["pairs"]
            kept["contracts"][f"{manifest.name} against {opponent[0]}"] = played.get("contracts", {}).get(manifest.name, {})
    return results


def evaluation_scalars(results: Result) -> dict[str, float]:
    """TensorBoard's scalars of an evaluation."""
    scalars: dict[str, float] = {}
    for system, result in results.items():
        for pair in result["pairs"]:
            name = f"strength/{system}/{pair['b']}"
            scalars |= {name: pair["points_per_deal"], f"{name}_low": pair["low"], f"{name}_high": pair["high"]}
    return scalars


def evaluation_lines(results: Result) -> list[str]:
    """For people: one line an opponent."""
    return [
        f"{system}: {pair['a']} against {pair['b']} {pair['points_per_deal']:+.2f} points a deal, "
        f"99% interval {pair['low']:+.2f} to {pair['high']:+.2f} ({pair['deals']} duplicate deals)"
        for system, result in results.items()
        for pair in result["pairs"]
    ]
