"""Options that several commands share, and what is done with them."""

import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from training.console import UserError, mistakes

if TYPE_CHECKING:
    from tarock_env.rules import Rules

RulesName = Annotated[str, typer.Option("--rules", help="Rule system; `tarock rules` lists them.")]
RuleOptions = Annotated[list[str] | None, typer.Option("--rule", metavar="KEY=VALUE", help="Rule option; may be given again.")]
Deals = Annotated[int, typer.Option("--deals", min=1, help="Number of deals.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of the deals and of every random choice.")]
Json = Annotated[Path | None, typer.Option("--json", help="Write the figures to this file too.")]


def read_rules(name: str, options: list[str] | None) -> "Rules":
    """The rule system of `--rules` and `--rule key=value`."""
    from tarock_env.rules import Value, load_rules, parse_value

    chosen: dict[str, Value] = {}
    for option in options or []:
        key, equals, value = option.partition("=")
        if not equals or not key:
            raise UserError(f"--rule {option}: write --rule key=value")
        chosen[key] = parse_value(value)
    with mistakes():
        return load_rules(name, chosen)


def write_json(path: Path | None, content: object) -> None:
    """Write figures where `--json` asked for them."""
    if path is not None:
        with mistakes(f"--json {path}"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def need_training_packages(command: str) -> None:
    """Say in one line that torch or Ray is not installed."""
    for package in ("torch", "ray"):
        if importlib.util.find_spec(package) is None:
            raise UserError(f"tarock {command}: needs {package}; install it with pip install 'tarock[train]' -c constraints.txt")
