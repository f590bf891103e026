"""What one seat gains by playing other bots, on the same deals: `tarock gain`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents.base import Bot
from agents.gain import gain_over, seat_payoffs
from tarock_env.rules import Rules
from training.console import Report
from training.drawing import new_figure, panels, save_figure


def measure_gains(
    base: tuple[str, Sequence[Bot]],
    bots: Sequence[tuple[str, Sequence[Bot]]],
    rules: Sequence[Rules],
    deals: int,
    seed: int,
    report: Report,
) -> dict[str, Any]:
    """Gains over the base bot in one seat of four, the base bot in the others, every bot on the same duplicate deals.

    base, bots: what each is called, and the bot in each rule system. Returns `systems`: by id a row for each bot, with `gain`,
    `over_previous` (what it gains over the bot named before it, None for the first; both as agents.gain.Gain) and `seconds` it took.
    """
    name, players = base
    done, total = 0, len(rules) * (1 + len(bots)) * deals
    found: dict[str, list[dict[str, Any]]] = {}
    for number, system in enumerate(rules):
        frozen = players[number]

        def count(now: int, _: int) -> None:
            report(done + now, total)  # noqa: B023 - called within this turn of the loop

        plain = before = seat_payoffs([frozen], frozen, system, deals, seed, count)[0]
        done += deals
        rows: list[dict[str, Any]] = []
        for spec, challengers in bots:
            start = time.monotonic()
            payoffs = seat_payoffs([challengers[number]], frozen, system, deals, seed, count)[0]
            done += deals
            step = gain_over(payoffs, before, seed).as_dict() if rows else None
            gain = gain_over(payoffs, plain, seed).as_dict()
            rows.append({"bot": spec, "gain": gain, "over_previous": step, "seconds": round(time.monotonic() - start, 1)})
            before = payoffs
        found[system.id] = rows
    return {"base": name, "deals": deals, "seed": seed, "systems": found}


def label(spec: str) -> str:
    """What tells a bot from its neighbours in a picture: its options, else the end of its name."""
    return spec.rpartition("@")[2].replace(",", "\n") if "@" in spec else spec.rpartition("/")[2].removesuffix(".safetensors")


def draw_gains(result: dict[str, Any], path: Path) -> None:
    """One panel a system: the gain of each bot with its 99% interval, in the order in which they were named."""
    systems = list(result["systems"])
    columns = min(3, len(systems))
    rows = -(-len(systems) // columns)
    figure = new_figure("tarock gain", 1.0 + 4.2 * columns, 1.2 + 2.6 * rows, layout="constrained")
    for number, (system, axes) in enumerate(zip(systems, panels(figure, systems, columns), strict=True)):
        found = result["systems"][system]
        points = [row["gain"]["points"] for row in found]
        ends = [
            [p - row["gain"]["low"] for p, row in zip(points, found, strict=True)],
            [row["gain"]["high"] - p for p, row in zip(points, found, strict=True)],
        ]
        axes.axhline(0, color="0.6", linewidth=0.8)
        axes.errorbar(range(len(found)), points, yerr=ends, marker="o", markersize=4, linewidth=1.0, capsize=3)
        axes.set_xticks(range(len(found)), [label(row["bot"]) for row in found], fontsize=8)
        if number % columns == 0:
            axes.set_ylabel("points a deal gained")
    save_figure(figure, path)
