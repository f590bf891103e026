"""Pictures of a run: what is bid in each rule system, whether the critic is calibrated, and an overview of a whole run.

The first two stand in TensorBoard's Images, one picture a rule system (`PICTURES` has their names). `tarock pictures` makes files of
them and draws the overview, from event files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.calibration import Calibration
from training.columns import PHASES
from training.drawing import new_figure, panels

Series = Mapping[str, tuple[Sequence[int], Sequence[float]]]
"""Name of a scalar -> (iterations, values), of equal length, iterations rising."""

# Name of a picture -> meaning; {system} stands for the id of a rule system.
PICTURES: dict[str, str] = {
    "bidding/{system}": "share of each contract among the deals with a free auction, over the decisions learnt from",
    "calibration/{system}": "what the critic expected of the last sample's decisions and what was paid, in groups of equal size",
}
POINTS = 80  # columns of a chart of shares: single iterations are noisy
SHOWN = 7  # contracts with a colour of their own; the rest are one band
AXIS = "million decisions"
BESIDE = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5), "fontsize": 7, "frameon": False, "handlelength": 1}  # a legend


def systems_of(series: Series) -> list[str]:
    """Ids of the rule systems of a run, in its order: each has a scale of its payoffs."""
    return [name.removeprefix("value/sigma_") for name in series if name.startswith("value/sigma_")]


def decisions_at(series: Series, iterations: Sequence[int]) -> NDArray[np.float64]:
    """(n,) million decisions learnt from at each of the iterations."""
    known, decisions = series["progress/decisions"]
    return np.interp(iterations, known, decisions) / 1e6


def grouped(values: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Means of neighbours, so that at most so many values are left."""
    return np.array([part.mean() for part in np.array_split(values, most) if len(part)])


def contract_shares(series: Series, system: str) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
    """Million decisions (n,), and contract -> its share (n,) in a rule system, the most frequent first; n is at most POINTS.

    What the run writes for all systems together is used where it has one system only. Contracts of small share are joined as `other`.
    """
    prefix = f"contract_share_{system}/"
    if not any(name.startswith(prefix) for name in series):
        prefix = "contract_share/"
    found = {name.removeprefix(prefix): dict(zip(*series[name], strict=True)) for name in series if name.startswith(prefix)}
    iterations = sorted({iteration for share in found.values() for iteration in share})
    # A contract that nobody played in an iteration is not written.
    shares = {name: np.array([share.get(iteration, 0.0) for iteration in iterations]) for name, share in found.items()}
    x = grouped(decisions_at(series, iterations), POINTS)
    shares = {name: grouped(row, POINTS) for name, row in shares.items()}
    ordered = sorted(shares, key=lambda name: -shares[name].mean())
    shown = {name: shares[name] for name in ordered[:SHOWN]}
    if ordered[SHOWN:]:
        shown["other"] = np.sum([shares[name] for name in ordered[SHOWN:]], axis=0)
    return x, shown


def draw_shares(axes: Any, series: Series, system: str) -> None:
    """Shares of contracts, stacked, with their names beside them."""
    axes.set_ylim(0, 1)
    axes.set_xlabel(AXIS, fontsize=8)
    x, shares = contract_shares(series, system)
    if not len(x):  # no deal began with its auction
        return
    colours = [f"C{number % 10}" if name != "other" else "0.8" for number, name in enumerate(shares)]
    if len(x) == 1:  # one iteration: a band needs two ends
        x, shares = np.array([0.0, x[0]]), {name: np.repeat(row, 2) for name, row in shares.items()}
    axes.stackplot(x, list(shares.values()), labels=list(shares), colors=colours)
    axes.set_xlim(x[0], x[-1])
    handles, names = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], names[::-1], **BESIDE)


def bidding_figure(series: Series, systems: Sequence[str]) -> Any:
    """A panel a rule system with the shares of its contracts. Raises UserError without matplotlib."""
    columns = min(3, len(systems))
    rows = -(-len(systems) // columns)
    figure = new_figure("pictures", 4.6 * columns, 2.7 * rows, layout="constrained")
    for axes, system in zip(panels(figure, [f"{system}: contracts" for system in systems], columns), systems, strict=True):
        draw_shares(axes, series, system)
    return figure


def calibration_figure(calibration: Calibration, system: str) -> Any:
    """Payoffs over expectations, and the diagonal on which they should lie. Raises UserError without matplotlib."""
    figure = new_figure("pictures", 4.2, 4.0, layout="constrained")
    (axes,) = panels(figure, [f"{system}: {calibration.rows:,} decisions"], 1)
    axes.axline((0, 0), slope=1, color="0.6", linewidth=0.8)
    if calibration.rows:
        bars = np.stack([calibration.paid - calibration.low, calibration.high - calibration.paid]).clip(0)
        axes.errorbar(calibration.expected, calibration.paid, yerr=bars, fmt="o", markersize=4, color="C0", ecolor="0.75", linewidth=1)
    axes.set_xlabel("expected by the critic, points", fontsize=8)
    axes.set_ylabel("paid: mean, and the middle half", fontsize=8)
    return figure


def overview_figure(series: Series, title: str) -> Any:
    """The charts that tell a healthy run from a collapsing one, side by side. Raises UserError without matplotlib."""
    figure = new_figure("pictures", 13.0, 5.6, layout="constrained")
    figure.suptitle(title, fontsize=11)
    titles = ["points a deal", "entropy by phase", "contracts", "variance explained", "doublings a deal", "change an update"]
    strength, entropy, shares, explained, doublings, change = panels(figure, titles, 3)
    # Against the strongest fixed opponent, which is the one named last; a line for each rule system.
    found = [name for name in series if name.startswith("strength/") and not name.endswith(("_low", "_high"))]
    opponent = found[-1].rpartition("/")[2] if found else ""
    _lines(strength, series, {name: name.split("/")[1] for name in found if name.endswith("/" + opponent)}, marker=".")
    strength.set_title(f"points a deal against {opponent}" if found else "points a deal: never evaluated", fontsize=10)
    strength.axhline(0, color="0.6", linewidth=0.8)
    _lines(entropy, series, {f"entropy/{phase}": phase for phase in PHASES})
    entropy.set_ylim(0, 1)
    draw_shares(shares, series, "")
    _lines(explained, series, {"value/explained": "critic", "value/q_explained": "action values"})
    explained.set_ylim(-0.1, 1)
    _lines(doublings, series, {"kontra/levels": ""})
    _lines(change, series, {"update/clipped": "clipped", "update/kl": "KL", "update/magnet_kl": "KL to the magnet"})
    change.set_ylim(bottom=0)
    return figure


def _lines(axes: Any, series: Series, labels: Mapping[str, str], marker: str = "") -> None:
    """Scalars as lines over the decisions, those that the run has, with a legend where they have labels."""
    for name, label in labels.items():
        if name in series:
            iterations, values = series[name]
            x, y = (grouped(np.asarray(row, np.float64), 2 * POINTS) for row in (decisions_at(series, iterations), values))
            axes.plot(x, y, label=label, linewidth=1.2, marker=marker)
    if any(labels.values()) and axes.lines:
        axes.legend(**BESIDE)
    axes.set_xlabel(AXIS, fontsize=8)
