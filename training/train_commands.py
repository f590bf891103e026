"""The commands that train, and what belongs to a training: `tarock train`, `tarock export`, `tarock bench`."""

import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from training.cli_options import Json, need_training_packages, whole_number
from training.console import UserError, check_output, console, progress, seconds, table, write_json

if TYPE_CHECKING:
    from training.config import TrainConfig


def train(
    config: Annotated[Path | None, typer.Argument(help="TOML config, as in configs/.")] = None,
    overrides: Annotated[list[str] | None, typer.Option("--set", metavar="A.B=C", help="Override a key of the config; repeatable.")] = None,
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
    doing = "starting" if resume is None else "going on with"
    print(f"{doing} {folder}: loading torch and Ray, which can take a minute", file=sys.stderr, flush=True)
    from training.run import train as run_training

    with progress(f"{folder}, {settings.run.unit}") as report:
        summary = run_training(settings, folder, resume=resume is not None, progress=report, fall_back=fall_back)
    print_summary(summary)


def print_summary(summary: Mapping[str, Any]) -> None:
    """The last lines of a training run: what it came to, and what to do with it."""
    from training.evaluate import evaluation_lines

    did = "interrupted after" if summary["interrupted"] else "done:"
    console.print(
        f"{summary['run']}: {did} {counted(summary['iterations'], 'iteration')}, {summary['decisions']:,} decisions "
        f"in {summary['deals']:,} deals, {seconds(summary['hours'] * 3600)}; {summary['decisions_per_second']:,.0f} decisions/s",
        markup=False,
    )
    for line in evaluation_lines(summary["evaluation"]):
        console.print(line, markup=False)
    console.print(f"bot: {summary['bot']}  (tarock arena file:{summary['bot']} rule)", markup=False)
    if summary["imitation_left"] and not summary["interrupted"]:
        console.print(
            f"the budget ended {counted(summary['imitation_left'], 'iteration')} before self-play: this bot only imitates its teacher. "
            "Give it longer; where other work runs on the machine, --set resources.threads=1",
            markup=False,
        )
    if summary["interrupted"]:
        console.print(f"go on: tarock train --resume {summary['run']}", markup=False)
    console.print(f"curves: tensorboard --logdir {summary['tensorboard']}", markup=False)


def counted(number: int, word: str) -> str:
    """`1 deal`, `2 deals`."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def export(
    source: Annotated[Path, typer.Argument(help="Run folder, or a bot file (*.safetensors).")],
    out: Annotated[Path | None, typer.Option("--out", help="Bot file to write: *.safetensors, or *.onnx.")] = None,
    onnx: Annotated[Path | None, typer.Option("--onnx", help="Write the networks as ONNX too, or alone.")] = None,
    onnx_input: Annotated[str, typer.Option("--onnx-input", help="uint8 rows, or float32 rows as PettingZoo gives them.")] = "uint8",
    iteration: Annotated[
        int | None, typer.Option("--iteration", parser=whole_number(0), help="Iteration of the snapshot; default the newest.")
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
    for line in export_files(source, bot, onnx or model, onnx_input, iteration, name, half):
        console.print(line, markup=False)


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


def shown_figure(value: float) -> str:
    """A figure as it is printed: whole where it is large, two digits where it is a ratio."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"
