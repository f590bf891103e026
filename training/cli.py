"""The command `tarock`. Every command reads its arguments here and does its work elsewhere.

It stands in `training` because `train` and `bench` need it; torch and Ray are imported by those two commands alone, so that the
others work without them. A user's mistake is one line on standard error and exit code 2, never a traceback.
"""

import errno
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from agents.weights import BotFileError
from training.cli_options import Deals, Forced, Json, RuleOptions, RulesName, Seed, need_training_packages, read_rules, whole_number
from training.config_file import ConfigError
from training.console import UserError, check_output, console, mistakes, plain, progress, seconds, table, write_json
from training.corpus_commands import arrays, sample
from training.research import ablate, curve, exploit, pictures
from training.table_commands import add_commands

if TYPE_CHECKING:
    from training.config import TrainConfig

app = typer.Typer(
    name="tarock",
    help="Self-play reinforcement learning for the Tarock card games.",
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.command()
def train(
    config: Annotated[Path | None, typer.Argument(help="TOML config, as in configs/.")] = None,
    overrides: Annotated[list[str] | None, typer.Option("--set", metavar="A.B=C", help="Override a key of the config.")] = None,
    resume: Annotated[Path | None, typer.Option("--resume", help="Run folder to go on with.")] = None,
    fall_back: Annotated[bool, typer.Option("--fall-back", help="Resume before a damaged checkpoint.")] = False,
    run_dir: Annotated[Path | None, typer.Option("--run-dir", help="Folder of the new run; default runs/NAME-DATE.")] = None,
) -> None:
    """Train a bot, evaluate it and export it; or go on with an interrupted run."""
    from training.config_file import load_config, resumed_config
    from training.run_folder import refuse_finished

    if (config is None) == (resume is None):
        raise UserError("tarock train: give a config, or --resume with a run folder")
    if resume is not None:
        settings, folder = resumed_config(resume, overrides or []), resume
        refuse_finished(settings, resume, fall_back)
    else:
        assert config is not None
        settings = load_config(config, overrides or [])
        folder = run_dir or Path("runs") / f"{settings.run.name}-{datetime.now():%Y%m%d-%H%M%S}"
    need_training_packages("train")
    from training.run import train as run_training

    with progress(f"training in {folder}") as report:
        summary = run_training(settings, folder, resume=resume is not None, progress=report, fall_back=fall_back)
    print_summary(summary)


def print_summary(summary: Mapping[str, Any]) -> None:
    """The last lines of a training run: what it came to, and what to do with it."""
    did = "interrupted after" if summary["interrupted"] else "done:"
    console.print(
        f"{summary['run']}: {did} {counted(summary['iterations'], 'iteration')}, {summary['decisions']:,} decisions "
        f"in {summary['deals']:,} deals, {seconds(summary['hours'] * 3600)}; {summary['decisions_per_second']:,.0f} decisions/s",
        markup=False,
    )
    for system, result in summary["evaluation"].items():
        for pair in result["pairs"]:
            console.print(
                f"{system}: against {pair['b']} {pair['points_per_deal']:+.3f} points a deal, "
                f"99% interval {pair['low']:+.3f} to {pair['high']:+.3f} ({pair['deals']} duplicate deals)",
                markup=False,
            )
    console.print(f"bot: {summary['bot']}  (tarock arena file:{summary['bot']} rule)", markup=False)
    if summary["imitation_left"] and not summary["interrupted"]:
        console.print(
            f"the budget ended {counted(summary['imitation_left'], 'iteration')} before self-play: this bot only imitates its teacher. "
            "Give it longer; where other work runs on the machine, --set resources.threads=1",
            markup=False,
        )
    if summary["interrupted"]:
        console.print(f"go on: tarock train --resume {summary['run']}", markup=False)
    console.print(f"curves: .venv/bin/tensorboard --logdir {summary['tensorboard']}", markup=False)


def counted(number: int, word: str) -> str:
    """`1 deal`, `2 deals`."""
    return f"{number} {word}{'' if number == 1 else 's'}"


@app.command()
def arena(
    bots: Annotated[
        list[str],
        typer.Argument(help="Two or more bots: random, rule, level:N, file:PATH, run:RUNDIR[@step], pimc:WORLDS, search:BOT[@worlds=N]."),
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


@app.command()
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


@app.command()
def ladder(
    rules: Annotated[list[str] | None, typer.Option("--rules", help="Rule system, may be given again; default all with a network.")] = None,
    deals: Annotated[
        int | None,
        typer.Option(
            "--deals",
            parser=whole_number(10),
            help="Duplicate deals a probe (default 2000), all else in proportion; with --master a pair (default 600).",
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


@app.command()
def replay(
    records: Annotated[Path, typer.Argument(help="File of deal records (*.jsonl).")],
    verify: Annotated[bool, typer.Option("--verify", help="Only check: every action, legal list and result.")] = False,
    deal: Annotated[int | None, typer.Option("--deal", parser=whole_number(1), help="The deal of this line only, step by step.")] = None,
    view: Annotated[int | None, typer.Option("--view", parser=whole_number(0), help="What this seat knows at the end.")] = None,
    svg: Annotated[Path | None, typer.Option("--svg", help="Draw the deal of --deal (default 1) into this file instead.")] = None,
) -> None:
    """Show deal records as text, step through one, draw one, or check them."""
    from tarock_env.record import read_records
    from tarock_env.render import render_record
    from tarock_env.replay import verify as verify_record
    from tarock_env.replay import view_of
    from training.show_deal import draw_deal, step_through

    if svg is not None and verify:
        raise UserError("tarock replay: give --verify or --svg, not both")
    check_output("--svg", svg)
    if svg is not None and deal is None:
        deal = 1
    count = 0
    with mistakes(), progress("replay") as report:
        for line, record in read_records(records):
            if deal is not None and line != deal:
                continue
            count += 1
            with mistakes(str(records)):
                if view is not None:
                    record = view_of(record, view, line)
                if verify:
                    verify_record(record, line)
                elif svg is not None:
                    draw_deal(record, line, svg)
                elif deal is not None:
                    step_through(record, line)
                else:
                    console.print(render_record(record, line), markup=False)
            report(count, 0)
    if deal is not None and not count:
        raise UserError(f"{records}: no record on line {deal}")
    if not count:
        raise UserError(f"{records}: there is no record in it")
    if verify:
        console.print(f"{records}: {count} record{'s' if count != 1 else ''}, all right", markup=False)


@app.command()
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
    else:
        show_rules(read_rules(name, options))


@app.command("check-rules")
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


@app.command()
def export(
    source: Annotated[Path, typer.Argument(help="Run folder, or a bot file (*.safetensors).")],
    out: Annotated[Path | None, typer.Option("--out", help="Bot file to write: *.safetensors, or *.onnx.")] = None,
    onnx: Annotated[Path | None, typer.Option("--onnx", help="Write the networks as ONNX too, or alone.")] = None,
    onnx_input: Annotated[str, typer.Option("--onnx-input", help="uint8 rows, or float32 rows as PettingZoo gives them.")] = "uint8",
    step: Annotated[
        int | None, typer.Option("--step", parser=whole_number(0), help="Iteration of the snapshot; default the newest.")
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="The bot's name in tables.")] = None,
    half: Annotated[bool, typer.Option("--half", help="Store float16: half the size.")] = False,
) -> None:
    """Copy a run's bot into a file that plays without torch or Ray, or without Python (ONNX)."""
    from agents.weights import critic_path
    from training.export_files import export_files

    bot, model = (None, out) if out is not None and out.suffix == ".onnx" else (out, None)
    if bot is not None and bot.suffix != ".safetensors":
        raise UserError(f"--out {out}: write *.safetensors or *.onnx")
    if model is not None and onnx is not None:
        raise UserError(f"--out {out} and --onnx {onnx}: give one ONNX file")
    for option, path in (("--out", bot), ("--out", None if bot is None else critic_path(bot)), ("--onnx", onnx or model)):
        check_output(option, path)
    for line in export_files(source, bot, onnx or model, onnx_input, step, name, half):
        console.print(line, markup=False)


@app.command()
def bench(
    out: Json = None,
    config: Annotated[Path | None, typer.Option("--config", help="Config to measure; default configs/juegatu.toml's sizes.")] = None,
    scaling: Annotated[
        Path | None, typer.Option("--scaling", help="Measure how training's speed grows with its settings instead; a picture.")
    ] = None,
) -> None:
    """Measure every speed figure of the project, each beside its goal; takes a few minutes. What falls short is marked."""
    from training.config_file import load_config

    check_output("--json", out)
    settings = None if config is None else load_config(config)
    need_training_packages("bench")
    from training.bench.figures import machine, run_bench, to_json

    where = machine(settings)
    if scaling is not None:
        bench_scaling(settings, scaling, out, where)
        return
    with progress("bench") as report:
        figures = run_bench(settings, report)
    write_json(out, to_json(figures, where))
    rows = [
        (
            figure.name,
            f"{shown_figure(figure.value)} {figure.unit}",
            "" if figure.goal is None else f"{'at most' if figure.at_most else 'at least'} {shown_figure(figure.goal)}",
            {True: "yes", False: "SHORT", None: ""}[figure.met],
        )
        for figure in figures
    ]
    table("Speed", ("what", ">value", ">goal", "met"), rows)
    console.print(
        f"{where['processor']}, {where['cores']} cores, {where['precision']}, load {where['load']:.1f} at the start", markup=False
    )


def bench_scaling(settings: "TrainConfig | None", picture: Path, out: Path | None, where: dict[str, Any]) -> None:
    """What `tarock bench --scaling` does."""
    from training.bench.scaling import AXES, default_config, draw, measure, points_json
    from training.drawing import check_picture

    check_picture("tarock bench --scaling", picture)
    base = settings or default_config()
    with progress("bench --scaling") as report:
        points = measure(base, report)
    write_json(out, points_json(points, base, where))
    draw(points, base, picture)
    titles = {axis.key: axis.title for axis in AXES}
    rows = [(titles[point.axis], f"{point.value:,}", f"{point.decisions_per_second:,.0f}", f"{point.ratio:.2f}") for point in points]
    table("Speed of training", ("what grows", ">to", ">decisions/s", ">times the default's"), rows)
    console.print(f"picture: {picture}", markup=False)


app.command()(sample)
app.command()(arrays)
app.command()(exploit)
app.command()(ablate)
app.command()(curve)
app.command()(pictures)


def shown_figure(value: float) -> str:
    """A figure as it is printed: whole where it is large, two digits where it is a ratio."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"


add_commands(app)

# A disk that is full or may not be written to is no fault of the program's, wherever it shows.
OUT_OF_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM}


def main() -> None:
    """Run `tarock`."""
    code = 0
    try:
        code = app(sys.argv[1:] or ["--help"], standalone_mode=False)
        sys.stdout.flush()
    except (UserError, BotFileError, ConfigError) as error:
        fail(str(error))
    except typer.TyperException as error:  # an unknown option, a missing argument, a value out of range
        context = getattr(error, "ctx", None)
        fail(f"{context.command_path if context else 'tarock'}: {error.format_message()}")
    except (typer.Abort, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output, `head` perhaps, has what it wanted
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        if error.errno not in OUT_OF_DISK:
            raise
        fail(f"{error.filename or 'output'}: {error.strerror}")
    if code:
        sys.exit(code)


def fail(line: str) -> NoReturn:
    """End with a user's mistake: one line, exit code 2."""
    print(plain(" ".join(line.split())), file=sys.stderr)
    sys.exit(2)
