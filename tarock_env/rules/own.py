"""Rule systems that do not come with the project: a Python file, a module, or `Rules` registered by a program.

A file or module defines `RULES = Rules(...)` and, where it has options of its own, `OPTION_EFFECTS`, as the files in `variants/` do.
What has been loaded once is known by its id for the rest of the process. The environment variable TAROCK_RULES lists files and modules
(separated as in PATH) whose ids every process knows, workers of a training run included.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib import import_module, util
from pathlib import Path
from types import ModuleType

from tarock_env.rules.options import EFFECTS, Effect, apply_options
from tarock_env.rules.schema import Rules, RulesError

VARIABLE = "TAROCK_RULES"
OwnRules = tuple[Rules, Mapping[str, Effect]]
_KNOWN: dict[str, OwnRules] = {}
_loading: set[str] = set()
_listed: dict[str, str] = {}  # sources of TAROCK_RULES that were run -> their ids


def register(rules: Rules, effects: Mapping[str, Effect] | None = None, *, taken: tuple[str, ...] = ()) -> OwnRules:
    """Make a rule system known by its id; one of the same id is replaced.

    effects: what its own options do. taken: ids that may not be used. Raises RulesError for an id that cannot be used and for an option
    without an effect, or whose effect fails.
    """
    if not isinstance(rules, Rules):
        raise RulesError(f"a rule system is a Rules object, not {type(rules).__name__}")
    if not re.fullmatch("[a-z][a-z0-9_]*", rules.id):
        raise RulesError(f"rules id {rules.id!r}: write small letters, digits and _, a letter first")
    if rules.id in taken:
        raise RulesError(f"rules id {rules.id} is that of a built-in system; choose another id")
    own = (rules, dict(effects or {}))
    for option in rules.options:
        if option.name not in own[1] and option.name not in EFFECTS:
            raise RulesError(f"rules {rules.id}: option {option.name} has no effect; add it to OPTION_EFFECTS")
        for value in option.values:
            try:
                apply_options(rules, {option.name: value}, own[1])
            except RulesError:
                raise
            except (Exception, SystemExit) as error:
                raise RulesError(f"rules {rules.id}: option {option.name}={value} fails: {_one_line(error)}") from None
    _KNOWN[rules.id] = own
    return own


def known_ids() -> tuple[str, ...]:
    """Ids of the registered rule systems."""
    return tuple(_KNOWN)


def find(system: str, taken: tuple[str, ...]) -> OwnRules | None:
    """The registered system of that id, those of TAROCK_RULES included; None where there is none."""
    if system not in _KNOWN:
        load_listed(taken)
    return _KNOWN.get(system)


def load_listed(taken: tuple[str, ...]) -> None:
    """Register the systems of TAROCK_RULES, each once: unknown names in requests run nothing again. Raises RulesError."""
    for source in os.environ.get(VARIABLE, "").split(os.pathsep):
        if source and source not in _loading and _listed.get(source) not in _KNOWN:
            _loading.add(source)  # a file that asks for rules itself does not load itself again
            try:
                _listed[source] = load_source(source, taken)[0].id
            except RulesError as error:
                raise RulesError(f"{VARIABLE}: {error}") from None
            finally:
                _loading.discard(source)


def is_source(system: str) -> bool:
    """Whether a text names a file or a module rather than an id."""
    return is_file(system) or ("." in system and all(part.isidentifier() for part in system.split(".")))


def is_file(system: str) -> bool:
    """Whether a text is the path of a Python file."""
    return system.endswith(".py") or "/" in system or os.sep in system


def load_source(source: str, taken: tuple[str, ...]) -> OwnRules:
    """Run a file or import a module, and register its RULES. Raises RulesError with the source in front."""
    try:
        module = _run_file(Path(source)) if is_file(source) else import_module(source)
    except RulesError as error:  # a mistake in the rules themselves
        raise RulesError(f"{source}: {error}") from None
    except SyntaxError as error:
        raise RulesError(f"{source}: line {error.lineno}: {error.msg}") from None
    except ModuleNotFoundError as error:
        raise RulesError(f"{source}: there is no module {error.name}; a file is named by its path, as rules/mine.py") from None
    except (Exception, SystemExit) as error:
        raise RulesError(f"{source}: {_one_line(error)}") from None
    rules = getattr(module, "RULES", None)
    if not isinstance(rules, Rules):
        found = "defines no RULES" if rules is None else f"has a RULES that is a {type(rules).__name__}"
        raise RulesError(f"{source}: {found}; write RULES = Rules(id=..., ...)")
    try:
        return register(rules, getattr(module, "OPTION_EFFECTS", None), taken=taken)
    except RulesError as error:
        raise RulesError(f"{source}: {error}") from None


def _run_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise RulesError("there is no such file" if not path.exists() else "not a file")
    name = f"tarock_rules_of_{path.stem}"
    spec = util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise RulesError("not a Python file; its name ends in .py")
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _one_line(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return "it ends the program (SystemExit); a rules file only defines RULES"
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
