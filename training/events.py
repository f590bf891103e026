"""Reading a run's TensorBoard event files, or its curve.jsonl, as series of scalars."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tarock_env.files import why_not
from training.console import UserError
from training.pictures import Series


def series_of(entries: Iterable[Mapping[str, Any]]) -> Series:
    """The entries of a curve.jsonl (training.report.read_curve) as series; of an iteration that stands there twice, the later value."""
    found: dict[str, dict[int, float]] = {}
    for entry in entries:
        for name, value in entry.items():
            if name != "iteration":
                found.setdefault(name, {})[int(entry["iteration"])] = float(value)
    return {name: (sorted(values), [values[iteration] for iteration in sorted(values)]) for name, values in found.items()}


def read_events(folder: Path) -> tuple[Series, dict[str, bytes]]:
    """Scalars, and the newest picture of each name as the bytes of a PNG file, from a run folder or a folder of event files.

    Raises UserError where there is none.
    """
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    logging.getLogger("tensorboard").setLevel(logging.ERROR)  # it speaks of a fault wherever a run was resumed
    place = folder / "tensorboard" if (folder / "tensorboard").is_dir() else folder
    if not any(place.glob("events.out.tfevents.*")):
        raise UserError(why_not(folder, "no event files of TensorBoard in it"))
    events = EventAccumulator(str(place), size_guidance={"scalars": 0, "images": 1, "tensors": 1, "histograms": 1})
    events.Reload()
    tags = events.Tags()
    entries = ({"iteration": event.step, name: event.value} for name in tags["scalars"] for event in events.Scalars(name))
    return series_of(entries), {name: events.Images(name)[-1].encoded_image_string for name in tags["images"]}
