"""Reading a TOML config into the strict models of training/config.py, and saying in one line what is wrong with it."""

import copy
import json
import tomllib
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from agents.base import check_spec
from tarock_env.files import in_words, why_not
from tarock_env.rules import load_rules
from training.config import TrainConfig

NEAR = 0.6  # similarity from which a known key is offered for an unknown one


class ConfigError(ValueError):
    """A config that cannot be used: one line with the file (or --set), the key, and what is allowed."""


def load_config(path: str | Path, overrides: Iterable[str] = ()) -> TrainConfig:
    """The config of a TOML file with `--set` overrides (`"ppo.learning_rate=1e-4"`) applied. Raises ConfigError.

    An override's value is TOML (`0.1`, `true`, `["juegatu"]`, `"text"`); what is no TOML value counts as text. A file that begins with
    `base = "other.toml"` says only what differs from that config, which lies beside it and is whole by itself.
    """
    source = Path(path)
    return config_from(_content(source, ()), str(source), overrides)


def _content(source: Path, above: tuple[Path, ...]) -> dict[str, Any]:
    """A config file on top of its base. above: the files whose base this is. Raises ConfigError."""
    content = _read(source)
    if "base" not in content:
        return content
    base = content.pop("base")
    if not isinstance(base, str):
        raise ConfigError(f'{source}: base = {json.dumps(base, default=str)}: name a config file, as in base = "juegatu.toml"')
    beside = source.parent / base
    if beside.resolve() in [file.resolve() for file in (*above, source)]:
        raise ConfigError(f"{source}: base = {base}: files are each other's base")
    if not beside.is_file():
        raise ConfigError(f"{source}: base = {base}: no such file ({beside})")
    under = _content(beside, (*above, source))
    config_from(copy.deepcopy(under), str(beside), ())  # so that its own mistakes name it
    return _merged(under, content)


def _merged(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Sections are joined, values replaced."""
    joined = dict(under)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(joined.get(key), dict)
        joined[key] = _merged(joined[key], value) if both else value
    return joined


def _read(source: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(source.read_text(encoding="utf-8-sig"))  # Windows editors begin with a mark
    except FileNotFoundError:
        raise ConfigError(f"{source}: no such file") from None
    except IsADirectoryError:
        raise ConfigError(f"{source}: a folder, not a config; a run goes on with --resume") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{source}: cannot be read ({in_words(error)})") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{source}: not valid TOML: {error}") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, lists nested hundreds deep
        raise ConfigError(f"{source}: cannot be read ({error})") from None


def resumed_config(run_dir: Path, overrides: Iterable[str] = ()) -> TrainConfig:
    """The config that a run was started with (RUN/config.json), overrides applied. Raises ConfigError."""
    source = run_dir / "config.json"
    try:
        content = json.loads(source.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(why_not(run_dir, "not a run folder (no config.json in it)")) from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{source}: truncated or not JSON ({in_words(error)})") from None
    if not isinstance(content, dict):
        raise ConfigError(f"{source}: not a config")
    return config_from(content, str(source), overrides)


def config_from(content: dict[str, Any], source: str, overrides: Iterable[str]) -> TrainConfig:
    """The config of a plain dict, which is changed, with overrides applied. source: what an error names. Raises ConfigError."""
    places: dict[str, str] = {}
    for override in overrides:
        key = _apply(content, override)
        if key in places:
            raise ConfigError(f"--set {override}: {key} is given twice; once is enough")
        places[key] = f"--set {' '.join(override.split())}"
    return _validate(content, source, places)


def _apply(content: dict[str, Any], override: str) -> str:
    key, equals, text = override.partition("=")
    key = key.strip()
    parts = key.split(".")
    if not equals or not all(parts):
        raise ConfigError(f"--set {override}: write --set section.key=value")
    section = content
    for part in parts[:-1]:
        section = section.setdefault(part, {})
        if not isinstance(section, dict):
            raise ConfigError(f"--set {override}: {part} is a value, not a section")
    section[parts[-1]] = _toml_value(text.strip())
    return key


def _toml_value(text: str) -> Any:
    try:
        values = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return values["value"] if values.keys() == {"value"} else text  # a line break would let further keys in


def _validate(content: dict[str, Any], source: str, places: dict[str, str]) -> TrainConfig:
    try:
        text = json.dumps(content)
    except TypeError:
        raise ConfigError(f"{source}: dates and times are not used in a config") from None
    try:
        # Through JSON, since strict validation takes a list for a tuple only there.
        config = TrainConfig.model_validate_json(text, strict=True)
    except ValidationError as error:
        raise ConfigError(_first_line(error, source, places)) from None
    for system in config.rules.systems:
        try:
            found = load_rules(system, config.rules.options.get(system, {})).id
        except ValueError as error:
            raise ConfigError(f"{_place('rules', source, places)}: rules: {error}") from None
        if found != system:  # a run folder and its workers know ids alone (DECISIONS 24)
            told = f"{system} is where rules lie, a config names ids: write {found}, and put TAROCK_RULES={system} into the environment"
            raise ConfigError(f"{_place('rules', source, places)}: rules.systems: {told}")
    targets = () if config.exploit.target is None else (config.exploit.target,)
    named = {
        "evaluation.opponents": config.evaluation.opponents,
        "imitation.teacher": (config.imitation.teacher,),
        "exploit.target": targets,
    }
    for key, specs in named.items():
        for spec in specs:
            try:
                check_spec(spec)
            except ValueError as error:
                raise ConfigError(f"{_place(key, source, places)}: {key}: {error}") from None
    return config


def _first_line(error: ValidationError, source: str, places: dict[str, str]) -> str:
    errors = error.errors()
    first = errors[0]
    # Inside a list or a union, pydantic adds positions and type names to the location; the key ends before them.
    names = [part for part in first["loc"] if isinstance(part, str)]
    while len(names) > 1 and not _known(names) and first["type"] != "extra_forbidden":
        names.pop()
    key = ".".join(names)
    place = _place(key, source, places)
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    if first["type"] == "extra_forbidden":
        near = nearest_key(names)
        return f"{place}: unknown key {key}; {f'did you mean {near}?' if near else known_keys(names)}{more}"
    if first["type"] == "missing":
        return f"{place}: {key} is missing{more}"
    message = first["msg"].removeprefix("Value error, ").replace("Input should be", "should be")
    if first["type"] == "value_error":
        return f"{place}: {message}{more}"
    return f"{place}: {key} = {json.dumps(first['input'], default=str)}: {message}{more}"


def _place(key: str, source: str, places: dict[str, str]) -> str:
    for overridden, place in places.items():
        if overridden == key or overridden.startswith(key + ".") or key.startswith(overridden + "."):
            return place
    return source


def known_keys(names: list[str]) -> str:
    """What stands where the unknown key does: the keys of its section, or the sections."""
    depth = len(names) - 1
    inside = [parts for parts in (key.split(".") for key in _keys(TrainConfig)) if len(parts) > depth and parts[:depth] == names[:-1]]
    return f"known: {', '.join(dict.fromkeys(parts[depth] for parts in inside))}"


def nearest_key(names: list[str]) -> str | None:
    """The known key most like the unknown one: in its own section if there is one, else anywhere. None where nothing is near."""
    keys = list(_keys(TrainConfig))
    unknown = names[-1]
    for candidates in ([key for key in keys if key.split(".")[:-1] == names[:-1]], keys):
        scored = [(_likeness(unknown, key.split(".")[-1]), key) for key in candidates]
        best = max(scored, default=(0.0, ""))
        if best[0] >= NEAR:
            return best[1]
    return None


def _likeness(unknown: str, known: str) -> float:
    initials = "".join(part[0] for part in known.split("_") if part)
    if len(unknown) > 1 and unknown == initials:  # lr for learning_rate
        return 0.95
    if len(unknown) > 2 and (unknown in known.split("_") or known in unknown.split("_")):
        return 0.9
    return SequenceMatcher(None, unknown, known).ratio()


def _keys(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, entry in model.model_fields.items():
        key = prefix + (entry.alias or name)
        yield key
        section = _section(entry.annotation)
        if section is not None:
            yield from _keys(section, key + ".")


def _section(annotation: Any) -> type[BaseModel] | None:
    for kind in (annotation, *get_args(annotation)):
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return kind
    return None


def _known(names: list[str]) -> bool:
    return ".".join(names) in set(_keys(TrainConfig))
