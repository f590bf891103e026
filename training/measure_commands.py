"""The commands that measure how bots play: `tarock arena`, `tarock gain`, `tarock ladder`, `tarock audit`."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from training.cli_options import Deals, Forced, Json, RuleOptions, RulesName, Seed, read_rules, whole_number
from training.console import UserError, check_output, console, mistakes, progress, table, write_json


def arena(
    bots: Annotated[
        list[str],
        typer.Argument(
            help="Two or more bots: random, rule, level:N, file:PATH, run:RUNDIR\\[@iteration], pimc:WORLDS, search:BOT\\[@worlds=N]."
        ),
    ],
    rules: RulesName = "juegatu",
    deals: Annotated[
        int | None, typer.Option("--deals", parser=whole_number(1), help="Number of deals (default 1000), or of matches (100).")
    ] = None,
    match: Annotated[
        int | None, typer.Option("--match", parser=whole_number(2), metavar="N", help="Play matches of N deals instead of deals.")
    ] = None,
    seed: Seed = 1,
    options: RuleOptions = None,
    forced: Forced = False,
    out: Json = None,
) -> None:
    """Play bots against each other on duplicate deals or matches: points with 99% intervals, and what was bid and won.

    With --forced, every contract occurs often and the points are listed by contract and by family of contracts too.
    """
    from agents.arena import play_pairs
    from agents.base import load_bot
    from agents.match_arena import play_match_pairs

    if len(bots) < 2:
        raise UserError("tarock arena: name at least two bots")
    if match is not None and forced:
        raise UserError("--forced: sets the contract of single deals, not of matches")
    check_output("--json", out)
    chosen = read_rules(rules, options)
    with mistakes():
        players = [load_bot(bot, rules=chosen.id) for bot in bots]
    named = list(zip(bots, players, strict=True))
    with progress("arena") as report:
        if match is None:
            result = play_pairs(named, chosen, deals or 1000, seed, report, forced)
        else:
            result = play_match_pairs(named, chosen, deals or 100, match, seed, report)
    write_json(out, result)
    print_pairs(rules, 2 * chosen.players, result)
    for pair in result["pairs"] if forced else ():
        for what in ("family", "contract"):
            console.print()
            table(
                f"{pair['a']} against {pair['b']}, by {what} set at the start",
                (what, ">points", ">low", ">high", ">deals"),
                [(name, *interval(row), row["deals"]) for name, row in pair["by_" + what].items()],
            )
    for bot, contracts in result["contracts"].items():
        console.print()
        table(
            f"{bot}: contracts it declared",
            ("contract", ">share", ">won", ">points", ">deals"),
            [
                (name, f"{row['share']:.1%}", "-" if row["won"] is None else f"{row['won']:.1%}", f"{row['points']:+.2f}", row["deals"])
                for name, row in contracts.items()
            ],
        )


def interval(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Points a deal and the ends of their interval, as they are printed."""
    return tuple(f"{row[key]:+.3f}" for key in ("points_per_deal", "low", "high"))


def print_pairs(rules: str, tables: int, result: Mapping[str, Any]) -> None:
    """The table of an arena's pairs: points a match, where matches were played, and points a deal."""
    match = result.get("match")
    units = (("_per_match", ""), ("", " a deal")) if match else (("", ""),)
    first = result["pairs"][0]
    played = f"{first['matches']} matches of {match} deals" if match else f"{first['deals']} deals"
    table(
        f"{rules}, {played}, each played {tables} times: points a {'match' if match else 'deal'} for A, 99% interval",
        ("A", "B", *(f">{name}{unit}" for _, unit in units for name in ("points", "low", "high"))),
        [
            (
                pair["a"],
                pair["b"],
                *(f"{pair[key + end]:+.3f}" for end, _ in units for key in ("points" if end else "points_per_deal", "low", "high")),
            )
            for pair in result["pairs"]
        ],
    )


def ladder(
    rules: Annotated[list[str] | None, typer.Option("--rules", help="Rule system, may be given again; default all with a network.")] = None,
    deals: Annotated[
        int | None,
        typer.Option(
            "--deals",
            parser=whole_number(10),
            help="Duplicate deals a probe (default 2000), all else in proportion; with --master against level 5 (default 600), half as "
            "many against pimc:100.",
        ),
    ] = None,
    seed: Seed = 1,
    master: Annotated[
        bool, typer.Option("--master", help="Instead: what level 6, the network with search, gains on level 5 and on pimc:100.")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Only re-test the levels on fresh deals; exit code 1 where one fails.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="A tiny budget, to see that it works: 50 deals a probe.")] = False,
    weights: Annotated[Path | None, typer.Option("--weights", help="Bot file to grade; default the shipped network.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="File of the levels; default the shipped levels.json.")] = None,
) -> None:
    """Fit levels 1 to 4 of a rule system below level 5 and show on fresh deals that each beats the one below."""
    from agents.ladder import Budget
    from agents.levels import LEVELS_FILE
    from agents.weights import PRETRAINED
    from training.ladder import check_ladder, chosen_systems, run_ladder, run_master, show_levels, show_master, show_tests, verdict

    file = out or PRETRAINED / LEVELS_FILE
    if not check:
        check_output("--out", file)
    if master:
        systems = [read_rules(name, None) for name in chosen_systems(rules or [], weights)]
        with mistakes(), progress("ladder --master") as report:
            found = run_master(systems, weights, file, 50 if quick else deals or 600, seed, report, check)
        show_master(found)
        if check and any(verdict(row) == "weaker" for entry in found.values() for row in entry["against"]):
            sys.exit(1)
        return
    budget = Budget.of(50 if quick else deals or 2000)
    systems = [read_rules(name, None) for name in chosen_systems(rules or [], weights)]
    with mistakes(), progress("ladder") as report:
        if check:
            results = check_ladder(systems, weights, file, budget, seed, report)
        else:
            made = run_ladder(systems, weights, file, budget, seed, report)
    if not check:
        made = {system.id: made[system.id] for system in systems}
        show_levels(made)
        results = {name: entry["acceptance"]["tests"] for name, entry in made.items()}
    show_tests(results)
    if check and not all(test["passed"] for tests in results.values() for test in tests):
        sys.exit(1)


def gain(
    base: Annotated[str, typer.Argument(help="The bot in all other seats, and the one that is replaced.")],
    bots: Annotated[list[str], typer.Argument(help="Bots that replace it in one seat, one after the other.")],
    rules: Annotated[list[str] | None, typer.Option("--rules", help="Rule system, may be given again; default juegatu.")] = None,
    deals: Deals = 1000,
    seed: Seed = 1,
    out: Annotated[Path | None, typer.Option("--out", help="Draw the gains: *.png or *.svg.")] = None,
    json: Json = None,
) -> None:
    """Say what one seat gains by playing another bot while all others keep theirs, and over the bot named before, on the same deals."""
    from agents.base import load_bot
    from training.drawing import check_picture
    from training.gains import draw_gains, measure_gains

    check_output("--json", json)
    if out is not None:
        check_picture("--out", out)
    systems = [read_rules(name, None) for name in dict.fromkeys(rules or ["juegatu"])]
    with mistakes():
        loaded = [(spec, [load_bot(spec, rules=system.id) for system in systems]) for spec in (base, *bots)]
    with progress("gain") as report:
        result = measure_gains(loaded[0], loaded[1:], systems, deals, seed, report)
    write_json(json, result)
    table(
        f"one seat of {base} replaced, {deals} duplicate deals: points a deal, 99% interval",
        ("rules", "bot", ">gain", ">over the one before", ">seconds"),
        [
            (system, row["bot"], *("-" if found is None else f"{found['points']:+.3f} ({found['low']:+.3f} to {found['high']:+.3f})"
             for found in (row["gain"], row["over_previous"])), f"{row['seconds']:.0f}")
            for system, rows in result["systems"].items()
            for row in rows
        ],
    )  # fmt: skip
    if out is not None:
        with mistakes(f"--out {out}"):
            draw_gains(result, out)
        console.print(f"{out}: {len(systems)} systems, {len(bots)} bots", markup=False)


def audit(
    bot: Annotated[str, typer.Argument(help="The bot to look at, in all seats.")],
    rules: RulesName = "juegatu",
    deals: Deals = 1000,
    seed: Seed = 1,
    options: RuleOptions = None,
    forced: Forced = False,
    out: Json = None,
) -> None:
    """Count the mistakes that card players complain about, and how the games that a bot bids end."""
    from agents.audit import audit as audit_bot
    from agents.audit import audit_text
    from agents.base import load_bot

    check_output("--json", out)
    chosen = read_rules(rules, options)
    with mistakes():
        player = load_bot(bot, rules=chosen.id)
    with progress("audit") as report:
        result = audit_bot(player, chosen, deals, seed, forced, report)
    write_json(out, result)
    console.print(audit_text(result), markup=False)
