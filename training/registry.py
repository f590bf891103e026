"""Algorithms by name, as `[run] algorithm` in a config says them. One line an algorithm: name -> "module:class".

The class is a subclass of TarockPPO (training/algorithm.py); its `loss_learner` is the learner it updates with. Modules are imported when
asked for, so that reading a config needs no torch.
"""

import importlib
from difflib import get_close_matches
from typing import Any

ALGORITHMS: dict[str, str] = {
    "ppo": "training.algorithm:TarockPPO",
    "dmc": "training.dmc:DeepMonteCarlo",
}


def check_algorithm(name: str) -> str:
    """The name, if it is known. Raises ValueError: one line with the nearest known one."""
    if name not in ALGORITHMS:
        near = get_close_matches(name, ALGORITHMS, 1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(ALGORITHMS)}"
        raise ValueError(f"run.algorithm: unknown algorithm {name!r}; {hint}")
    return name


def algorithm_class(name: str) -> Any:
    """The class of a known algorithm."""
    module, _, attribute = ALGORITHMS[check_algorithm(name)].partition(":")
    return getattr(importlib.import_module(module), attribute)
