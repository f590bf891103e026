"""The commands for rule systems: `tarock rules`, `tarock check-rules`."""

from typing import Annotated

import typer

from training.cli_options import Json, RuleOptions, Seed, read_rules, whole_number
from training.console import UserError, check_output, console, mistakes, progress, table, write_json


def rules(
    name: Annotated[str | None, typer.Argument(help="Rule system; without one, all are listed.")] = None,
    options: RuleOptions = None,
) -> None:
    """List the rule systems, or print the contracts, values, bonuses and options of one."""
    from tarock_env.rules import known_systems, load_rules
    from training.show_rules import show_rules

    if name is None and options:
        raise UserError(f"tarock rules --rule {options[0]}: name the rule system that has this option")
    if name is None:
        with mistakes():
            systems = [load_rules(system) for system in known_systems()]
        table("Rule systems", ("rules", "title", ">players", ">contracts"), [(r.id, r.title, r.players, len(r.contracts)) for r in systems])
        console.print("tarock rules NAME prints one of them", markup=False)
    else:
        show_rules(read_rules(name, options))


def check_rules(
    names: Annotated[list[str] | None, typer.Argument(help="Ids, files or modules; default all, with TAROCK_RULES.")] = None,
    options: RuleOptions = None,
    deals: Annotated[
        int | None, typer.Option("--deals", parser=whole_number(1), help="Deals to play of each system; by default 24 a contract.")
    ] = None,
    seed: Seed = 1,
    out: Json = None,
) -> None:
    """Check rule systems: their data, then deals played towards every contract. Exit code 1 where a fault is found."""
    from tarock_env.rules import known_systems
    from training.check_rules import check_systems, report_json, report_text

    check_output("--json", out)
    if options and len(names or ()) != 1:
        raise UserError(f"tarock check-rules --rule {options[0]}: name the one rule system that has this option")
    with mistakes():
        chosen = [read_rules(name, options) for name in names or known_systems()]
    with progress("check-rules") as report:
        reports = check_systems(chosen, deals, seed, report)
    write_json(out, report_json(reports, seed))
    console.print(report_text(reports), markup=False)
    if not all(found.ok for found in reports):
        raise typer.Exit(1)
