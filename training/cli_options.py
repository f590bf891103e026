"""Options that several commands share, and what is done with them."""

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from training.console import UserError, mistakes

if TYPE_CHECKING:
    from tarock_env.rules import Rules


def whole_number(least: int, most: int = 10**18 - 1) -> Callable[[Any], int]:
    """A parser of whole numbers in plain digits; Typer's own takes 1.0 and 1_000 too, which are slips more often than meant."""
    span = f"from {least} on" if most == 10**18 - 1 else f"from {least} to {most}"

    def number(text: Any) -> int:
        if not re.fullmatch("[0-9]{1,18}", str(text)) or not least <= int(text) <= most:
            raise typer.BadParameter(f"{str(text)!r} is no whole number {span}")
        return int(text)

    return number


RulesName = Annotated[str, typer.Option("--rules", help="Rule system; `tarock rules` lists them.")]
RuleOptions = Annotated[list[str] | None, typer.Option("--rule", metavar="KEY=VALUE", help="Rule option; may be given again.")]
Deals = Annotated[int, typer.Option("--deals", parser=whole_number(1), help="Number of deals.")]
Seed = Annotated[int, typer.Option("--seed", parser=whole_number(0), help="Seed of the deals and of every random choice.")]
Forced = Annotated[bool, typer.Option("--forced", help="Set the contract of every deal: a random one that a seat is fit to bid.")]
Json = Annotated[Path | None, typer.Option("--json", help="Write the figures to this file too.")]


def read_rules(name: str, options: list[str] | None) -> "Rules":
    """The rule system of `--rules` and `--rule key=value`."""
    from tarock_env.rules import Value, load_rules, parse_value

    chosen: dict[str, Value] = {}
    for option in options or []:
        key, equals, value = option.partition("=")
        if not equals or not key:
            raise UserError(f"--rule {option}: write --rule key=value")
        if key in chosen:
            raise UserError(f"--rule {option}: {key} is given twice; once is enough")
        chosen[key] = parse_value(value)
    if "," in name and not Path(name).exists():
        raise UserError(f"{name}: name one rule system; a command that takes several wants each by itself, as in --rules A --rules B")
    with mistakes():
        return load_rules(name, chosen)


def need_training_packages(command: str) -> None:
    """Say in one line that torch or Ray is not installed."""
    for package in ("torch", "ray"):
        need_package(command, package, "train")


def need_package(command: str, package: str, extra: str) -> None:
    """Say in one line that a package of an extra is not installed."""
    if importlib.util.find_spec(package) is None:
        raise UserError(f"tarock {command}: needs {package}; install it with pip install 'tarock[{extra}]' -c constraints.txt")
