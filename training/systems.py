"""The rule systems of a run, with their options."""

from __future__ import annotations

from tarock_env.rules import Rules, load_rules
from training.config import TrainConfig


def played_rules(config: TrainConfig) -> dict[str, Rules]:
    """Id -> rules, in the order of the config. Raises RulesError on an unknown id, option or value."""
    return {system: load_rules(system, config.rules.options.get(system)) for system in config.rules.systems}
