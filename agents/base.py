"""What a bot is, and how bots are named: `load_bot("rule")`, `load_bot("file:bots/strong.safetensors")`, ..."""

import importlib
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class Bot(Protocol):
    """Anything that plays.

    name: as shown in tables. A bot has no memory of its own between calls: all that a seat knows is in its view.
    """

    name: str

    def act(self, deals: Any, tables: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        """One legal action for the acting seat of each deal.

        deals: (n,) DEAL records, *views* of their acting seats (engine.view): hidden cards are blanked. None is finished.
        tables: (R,) RULES records; deals["rules_id"] says which one holds. Neither is changed.
        rng: the only source of chance a bot may use. Returns (n,) action ids.
        """
        ...


# One line a bot: kind -> "module:function"; the function takes what stands after the colon ("" where nothing does), and for kinds in
# BY_SYSTEM the id of the rule system too.
# Modules are imported when a bot is asked for: the rule bot's kernels cost nothing to those who do not play it.
BOTS: dict[str, str] = {
    "random": "agents.random_bot:load",
    "rule": "agents.rule_bot:load",
    "file": "agents.policy_bot:load_file",
    "run": "agents.policy_bot:load_run",
    "pimc": "agents.pimc:load",
    "level": "agents.levels:load",
    "search": "agents.search_bot:load",
}


ARGUMENTS = {"file": "PATH", "run": "RUNDIR[@iteration]", "pimc": "WORLDS", "level": "N[@risk=R]", "search": "BOT[@worlds=N]"}
BY_SYSTEM = ("level",)
SPECS = tuple(f"{kind}:{ARGUMENTS[kind]}" if kind in ARGUMENTS else kind for kind in BOTS)


def load_bot(spec: str, *, level: int | None = None, risk: str = "normal", rules: str | None = None) -> Bot:
    """The bot of a spec: `random`, `rule`, `file:PATH`, `run:RUNDIR[@iteration]`, `pimc:WORLDS`, `level:N[@risk=R]` or
    `search:BOT[@worlds=N]`.

    rules: id of the rule system that will be played; `level:N` needs it, the others do not ask. Or, with level=N and perhaps
    risk="cautious", "bold", `spec` is itself the id of a rule system: load_bot("wiener", level=4).
    Raises ValueError (BotFileError for files) with one line that says what is wrong and what is known.
    """
    if level is not None:
        from agents.levels import load_level

        return load_level(spec, level, risk)
    kind, argument = check_spec(spec)
    if risk != "normal":
        raise ValueError(f"bot {spec!r}: risk goes with a level, as in load_bot('juegatu', level=4, risk='{risk}')")
    if kind in BY_SYSTEM and rules is None:
        raise ValueError(f"bot {spec!r}: differs by rule system; write load_bot('juegatu', level=N), or give rules='juegatu'")
    module, _, function = BOTS[kind].partition(":")
    loader: Callable[..., Bot] = getattr(importlib.import_module(module), function)
    return loader(argument, rules) if kind in BY_SYSTEM else loader(argument)


def check_spec(spec: str) -> tuple[str, str]:
    """Kind and argument of a spec that is well formed; nothing is loaded. Raises ValueError as load_bot does."""
    kind, _, argument = spec.partition(":")
    if kind not in BOTS:
        raise ValueError(f"bot {spec!r}: unknown{_hint(spec, kind)} Known: {', '.join(SPECS)}")
    if kind in ARGUMENTS and not argument:
        raise ValueError(f"bot {spec!r}: write {kind}:{ARGUMENTS[kind]}")
    if kind not in ARGUMENTS and argument:
        raise ValueError(f"bot {spec!r}: {kind} takes nothing after the colon")
    return kind, argument


def _hint(spec: str, kind: str) -> str:
    if spec.endswith(".safetensors"):
        return f"; did you mean file:{spec}?"
    near = get_close_matches(kind, BOTS, n=1)
    return f"; did you mean {near[0]}{spec[len(kind) :]}?" if near else "."
