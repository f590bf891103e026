"""Figures: matplotlib is an extra (`tarock[plot]`), imported only where something is drawn, and never needs a display."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarock_env.files import new_file
from training.console import UserError, check_output

INSTALL = "needs matplotlib; install it with pip install 'tarock[plot]' -c constraints.txt"
DPI = 100
PICTURES = (".png", ".svg")


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def new_figure(what: str, width: float, height: float, **settings: Any) -> Any:
    """An empty matplotlib Figure of so many inches. Raises UserError, `what` in front, where matplotlib is missing."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        raise UserError(f"{what}: {INSTALL}") from None
    figure = Figure(figsize=(width, height), dpi=DPI, **settings)
    FigureCanvasAgg(figure)
    return figure


def check_picture(option: str, path: Path) -> None:
    """Raise UserError where a picture could not be written at `path` in the end: its suffix, its folder, matplotlib."""
    if path.suffix not in PICTURES:
        raise UserError(f"{option} {path}: write *.png or *.svg")
    check_output(option, path)
    if not can_draw():
        raise UserError(f"{option}: {INSTALL}")


def panels(figure: Any, titles: list[str], columns: int) -> list[Any]:
    """Axes side by side in rows of `columns`, each with its title and a faint grid."""
    rows = -(-len(titles) // columns)
    found = []
    for number, title in enumerate(titles):
        axes = figure.add_subplot(rows, columns, number + 1)
        axes.set_title(title, fontsize=10)
        axes.grid(alpha=0.25)
        axes.tick_params(labelsize=8)
        found.append(axes)
    return found


def pixels(figure: Any) -> NDArray[np.uint8]:
    """(height, width, 3) what the figure looks like."""
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba(), np.uint8)[:, :, :3].copy()


def save_figure(figure: Any, path: Path) -> None:
    """Write the figure in the format of the file's suffix; a PNG in 128 colours, which is a third of the size."""
    from PIL import Image  # comes with matplotlib

    path.parent.mkdir(parents=True, exist_ok=True)
    with new_file(path, binary=True) as file:
        if path.suffix == ".png":
            Image.fromarray(pixels(figure)).quantize(128).save(file, "PNG", optimize=True)
        else:
            figure.savefig(file, format=path.suffix[1:])
