"""Writing a run's figures: TensorBoard, the learning curve as JSON lines, evaluations as JSON."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from torch.utils.tensorboard import SummaryWriter
from torch.utils.tensorboard.summary import hparams

from tarock_env.files import write_text
from training.algorithm import TarockPPO, learner_means
from training.calibration import Expectations, calibrate
from training.config import TrainConfig
from training.drawing import INSTALL, can_draw, pixels
from training.events import series_of
from training.metrics import SCALARS, deal_scalars, meaning
from training.pictures import PICTURES, bidding_figure, calibration_figure
from training.run_folder import EVALUATIONS_FOLDER

CURVE = "curve.jsonl"


class Reporter:
    """Writes into a run folder. A run that goes on from iteration n cuts off what was written after n first."""

    def __init__(self, run_dir: Path, iteration: int) -> None:
        self.run_dir = run_dir
        self.curve = run_dir / CURVE
        kept = [entry for entry in read_curve(run_dir) if entry["iteration"] <= iteration]
        write_text(self.curve, "".join(json.dumps(entry) + "\n" for entry in kept))
        self._speeds = [entry["speed/decisions_per_second"] for entry in kept if "speed/decisions_per_second" in entry]
        self._board = SummaryWriter(str(run_dir / "tensorboard"), purge_step=iteration + 1 if iteration else None)
        if not can_draw():
            print(f"TensorBoard gets no pictures of this run: that {INSTALL}", file=sys.stderr, flush=True)

    def describe(self, config: TrainConfig) -> None:
        """What a stranger needs to read the run: the charts that matter, the settings as hyperparameters and as text."""
        self._board.add_custom_scalars(layout(config))
        settings = {
            f"{section}.{name}": value for section, values in config.model_dump(by_alias=True).items() for name, value in values.items()
        }
        plain = {name: value if isinstance(value, bool | int | float | str) else str(value) for name, value in settings.items()}
        metrics = [f"strength/{system}/{opponent}" for system in config.rules.systems for opponent in config.evaluation.opponents]
        for summary in hparams(plain, dict.fromkeys(metrics, 0.0)):
            self._board._get_file_writer().add_summary(summary)
        rows = "".join(f"| `{name}` | `{value}` |\n" for name, value in plain.items())
        self._board.add_text("run/config", f"| setting | value |\n|---|---|\n{rows}", 0)
        meanings = "".join(f"| `{name}` | {text} |\n" for name, text in (SCALARS | PICTURES).items())
        self._board.add_text("run/scalars", f"| scalar or picture | meaning |\n|---|---|\n{meanings}", 0)

    def write(self, iteration: int, scalars: Mapping[str, float]) -> None:
        """Scalars of an iteration. Raises KeyError for a name that training.metrics does not list."""
        for name, value in scalars.items():
            meaning(name)
            self._board.add_scalar(name, value, iteration)
        with self.curve.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"iteration": iteration, **{name: round(float(value), 6) for name, value in scalars.items()}}) + "\n")
        if "speed/decisions_per_second" in scalars:
            self._speeds.append(scalars["speed/decisions_per_second"])

    def text(self, iteration: int, text: str) -> None:
        """Sample deals, as text."""
        if text:
            self._board.add_text("deals/sample", text, iteration)

    def pictures(self, iteration: int, systems: Sequence[str], expectations: Expectations | None) -> None:
        """What is bid so far, and where there is a critic its calibration: a picture a rule system. Nothing without matplotlib."""
        if not can_draw():
            return
        series = series_of(read_curve(self.run_dir))
        for index, system in enumerate(systems):
            if "progress/decisions" in series:
                self._picture(f"bidding/{system}", bidding_figure(series, [system]), iteration)
            if expectations is not None:
                self._picture(f"calibration/{system}", calibration_figure(calibrate(expectations, index), system), iteration)

    def _picture(self, name: str, figure: Any, iteration: int) -> None:
        self._board.add_image(name, pixels(figure), iteration, dataformats="HWC")

    def evaluation(self, iteration: int, result: Mapping[str, Any]) -> None:
        """An evaluation's figures as JSON."""
        path = self.run_dir / EVALUATIONS_FOLDER / f"iteration_{iteration:06d}.json"
        path.parent.mkdir(exist_ok=True)
        write_text(path, json.dumps(result, indent=1) + "\n")

    def decisions_per_second(self) -> float:
        """Median over the run's iterations: the first one compiles kernels, and other programs may disturb some."""
        ordered = sorted(self._speeds)
        return ordered[len(ordered) // 2] if ordered else 0.0

    def __enter__(self) -> Reporter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._board.close()


def layout(config: TrainConfig) -> dict[str, dict[str, list[Any]]]:
    """TensorBoard's Custom Scalars page: the charts that tell a healthy run from a collapsing one (docs/tensorboard.md)."""

    def lines(*tags: str) -> list[Any]:
        return ["Multiline", list(tags)]

    strength: dict[str, list[Any]] = {}
    for opponent in config.evaluation.opponents:
        strength[f"all systems against {opponent}"] = lines(*(f"strength/{system}/{opponent}$" for system in config.rules.systems))
        for system in config.rules.systems:
            name = f"strength/{system}/{opponent}"
            strength[f"{system} against {opponent}, 99% interval"] = ["Margin", [name, f"{name}_low", f"{name}_high"]]
    return {
        "1 strength, points a deal": strength,
        "2 bidding": {
            "contracts: share of the deals": lines("contract_share/.*"),
            **{
                f"contracts in {system}": lines(f"contract_share_{system}/.*")
                for system in config.rules.systems
                if len(config.rules.systems) > 1
            },
            "declarer's points by contract": lines("contract_points/.*_declarer"),
            "declarer's games won": lines("contract_wins/.*_declarer"),
        },
        "3 announcements": {
            "announced": lines("announced/.*"),
            "... and made": lines("announced_made/.*"),
            "doublings a deal": lines("kontra/levels"),
        },
        "4 policy": {
            "entropy by phase": lines("entropy/.*"),
            "change an update": lines("update/kl", "update/magnet_kl", "update/clipped"),
            "against past selves": lines("pool/points"),
        },
        "5 values": {
            "explained variance": lines("value/explained", "value/q_explained"),
            "error, points": lines("value/error"),
        },
        "6 speed": {"decisions a second": lines("speed/.*")},
    }


def read_curve(run_dir: Path) -> list[dict[str, Any]]:
    """The learning curve: one dict of scalars an iteration (evaluations on a line of their own). A half-written last line is left out."""
    entries = []
    path = run_dir / CURVE
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            entries.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return entries


def iteration_scalars(algorithm: TarockPPO, result: Mapping[str, Any]) -> dict[str, float]:
    """Everything that is written about an iteration but evaluations."""
    means = learner_means(result)
    # A mean that was not taken in this iteration (imitation and self-play take different ones) comes back as NaN.
    scalars = {name: value for name, value in means.items() if "/" in name and math.isfinite(value)}
    for name, target in (("value", "value/explained"), ("q", "value/q_explained")):
        if f"{name}_goal2" in means:
            spread = means[f"{name}_goal2"] - means[f"{name}_goal"] ** 2
            rest = means[f"{name}_error2"] - means[f"{name}_error"] ** 2
            scalars[target] = 1 - rest / spread if spread > 0 else 0.0
    if "value_error2" in means:
        scalars["value/error"] = means["value_error2"] ** 0.5
    scalars |= algorithm.figures
    scalars |= dict(deal_scalars(algorithm.table))
    for system, sigma in zip(algorithm.train_config.rules.systems, algorithm.sigma.values(), strict=True):
        scalars[f"value/sigma_{system}"] = sigma
    return scalars
