"""The commands that answer a research question, `tarock exploit`, `tarock ablate`, `tarock curve`, `tarock pictures`."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from training.cli_options import Json, RuleOptions, RulesName, Seed, need_package, need_training_packages, read_rules, whole_number
from training.console import UserError, check_output, console, mistakes, progress, write_json


def exploit(
    bot: Annotated[str | None, typer.Argument(help="The bot to exploit: file:PATH, run:RUNDIR\\[@iteration]; others with --start.")] = None,
    rules: RulesName = "juegatu",
    deals: Annotated[
        int, typer.Option("--deals", parser=whole_number(1), help="Deals that the exploiter trains on, in each training.")
    ] = 200_000,
    seed: Seed = 1,
    test_deals: Annotated[int, typer.Option("--test-deals", parser=whole_number(2), help="Fresh duplicate deals that decide.")] = 8192,
    control: Annotated[bool, typer.Option(help="Train against the rule bot too: without that, a small gain means nothing.")] = True,
    start: Annotated[str | None, typer.Option("--start", help="Weights file to start from; default the bot's own.")] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", metavar="A.B=C", help="Override a key of the training config; repeatable.")
    ] = None,
    threads: Annotated[int, typer.Option("--threads", parser=whole_number(0), help="Torch threads; 0: all cores.")] = 1,
    run_dir: Annotated[Path | None, typer.Option("--run-dir", help="Folder of the runs; default runs/exploit-DATE.")] = None,
    resume: Annotated[Path | None, typer.Option("--resume", help="Folder of an interrupted tarock exploit.")] = None,
    options: RuleOptions = None,
    out: Json = None,
) -> None:
    """Measure exploitability: what a learner gains that trains against one frozen bot and nothing else."""
    if (bot is None) == (resume is None):
        raise UserError("tarock exploit: name a bot, or give --resume with a folder of tarock exploit")
    check_output("--json", out)
    need_training_packages("exploit")
    from agents.base import load_bot
    from tarock_env.rules.own import is_source
    from training.exploit import Plan, go_on, read_plan, result_lines, run_exploit, start_file

    if resume is not None:
        plan, folder = read_plan(resume), resume
        if is_source(rules) and (known := read_rules(rules, None)).id != plan.rules:
            raise UserError(f"--rules {rules}: these are {known.id}, the measurement in {resume} is of {plan.rules}")
    else:
        assert bot is not None
        chosen = read_rules(rules, options)
        with mistakes():
            load_bot(bot, rules=chosen.id)
            weights = start_file(bot, start)
            if bot.startswith("run:"):  # the run may go on meanwhile, and its newest bot change
                bot = f"file:{start_file(bot, None)}"
        plan = Plan(bot, str(weights), chosen.id, dict(chosen.chosen), deals, seed, test_deals, control, threads, tuple(overrides or ()))
        folder = run_dir or Path("runs") / f"exploit-{datetime.now():%Y%m%d-%H%M%S}"
    result = run_exploit(plan, folder, progress, resume is not None, rules)
    if result is None:
        console.print(f"interrupted; go on: {go_on(folder, rules)}", markup=False, soft_wrap=True)
        return
    write_json(out, result)
    for line in result_lines(result):
        console.print(line, markup=False)


def curve(
    sources: Annotated[list[Path], typer.Argument(help="Run folders, or tables (*.csv) of earlier calls.")],
    out: Annotated[
        list[Path], typer.Option("--out", help="*.csv, extended where it is there already; *.png or *.svg. May be given again.")
    ],
    systems: Annotated[list[str] | None, typer.Option("--rules", help="Draw this rule system only; may be given again.")] = None,
) -> None:
    """Learning curves: points a deal against each fixed opponent, with 99% intervals, over the decisions of one or more runs."""
    from training.curve import Point, draw, joined, read_table, run_points, write_table

    for path in out:
        if path.suffix not in (".csv", ".png", ".svg"):
            raise UserError(f"--out {path}: write *.csv, *.png or *.svg")
        check_output("--out", path)
    points: list[Point] = []
    for source in sources:
        with mistakes():
            points = joined(points, read_table(source) if source.suffix == ".csv" else run_points(source))
    for path in out:
        with mistakes(f"--out {path}"):
            if path.suffix == ".csv":
                table = joined(read_table(path) if path.exists() else [], points)
                write_table(path, table)
                console.print(f"{path}: {len(table)} rows", markup=False)
                continue
            shown = [point for point in points if not systems or point.system in systems]
            if not shown:
                known = ", ".join(sorted({point.system for point in points}))
                raise UserError(f"--rules {' '.join(systems or [])}: never evaluated; the runs have {known}")
            draw(shown, path)
            console.print(f"{path}: {len({point.system for point in shown})} systems, {len(shown)} evaluations", markup=False)


def pictures(
    runs: Annotated[list[Path], typer.Argument(help="Run folders, or folders of TensorBoard's event files.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for the pictures; their names begin with the run's.")],
    systems: Annotated[list[str] | None, typer.Option("--rules", help="This rule system only; may be given again.")] = None,
) -> None:
    """Draw an overview of a run and what it bids in each rule system, from its event files; write the pictures that they hold."""
    need_package("pictures", "tensorboard", "train")
    from tarock_env.files import new_file
    from training.drawing import save_figure
    from training.events import read_events
    from training.pictures import bidding_figure, overview_figure, systems_of

    with mistakes(f"--out {out}"):
        out.mkdir(parents=True, exist_ok=True)
    for run in runs:
        with mistakes(), progress(f"reading {run}") as report:
            report(0, 0)
            series, images = read_events(run)
        name = run.resolve().name
        known = systems_of(series)
        shown = [system for system in known if not systems or system in systems]
        if not shown:
            raise UserError(f"--rules {' '.join(systems or [])}: not in {run}; it has {', '.join(known) or 'no rule system'}")
        kept = {tag: image for tag, image in images.items() if tag.startswith("calibration/") and tag.partition("/")[2] in shown}
        with mistakes(f"--out {out}"):
            save_figure(overview_figure(series, name), out / f"{name}_overview.png")
            save_figure(bidding_figure(series, shown), out / f"{name}_bidding.png")
            for tag, image in kept.items():
                with new_file(out / f"{name}_{tag.replace('/', '_')}.png", binary=True) as file:
                    file.write(image)
        console.print(f"{out}: {2 + len(kept)} pictures of {name}", markup=False)


def ablate(
    configs: Annotated[list[Path], typer.Argument(help="Two or more configs; the others are compared with the first.")],
    seeds: Annotated[int, typer.Option("--seeds", parser=whole_number(1), help="Trainings of each config, with run.seed 1, 2, ...")] = 3,
    deals: Annotated[
        int, typer.Option("--deals", parser=whole_number(2), help="Duplicate deals against the rule bot, the same for all.")
    ] = 8192,
    run_dir: Annotated[Path, typer.Option("--run-dir", help="Folder of the runs; those that are there are gone on with.")] = Path(
        "runs/ablations"
    ),
    overrides: Annotated[
        list[str] | None, typer.Option("--set", metavar="A.B=C", help="Override a key of every config; repeatable.")
    ] = None,
    out: Json = None,
) -> None:
    """Train several configs with several seeds each, and say what each is worth in points against the rule bot."""
    from training.config_file import load_config

    if len(configs) < 2:
        raise UserError("tarock ablate: name at least two configs, as in configs/ablations/")
    check_output("--json", out)
    loaded = [(path.stem, load_config(path, overrides or [])) for path in configs]
    need_training_packages("ablate")
    from training.ablate import Variant, result_lines, run_ablation

    result = run_ablation([Variant(name, config) for name, config in loaded], seeds, deals, run_dir, progress)
    if result is None:
        console.print("interrupted; the same command goes on", markup=False)
        return
    write_json(out, result)
    for line in result_lines(result):
        console.print(line, markup=False)
