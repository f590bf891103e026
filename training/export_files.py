"""What `tarock export` does: a bot out of a run folder or a file, written as a file of its own or as ONNX. No torch, no Ray."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from agents.policy_bot import run_snapshot
from agents.weights import BotFileError, check_layout, critic_path, read_weights, write_weights
from tarock_env.actions import NUM_ACTIONS
from tarock_env.observation import OBSERVATION_SIZE, SCALE, SCHEMA_VERSION
from training.console import UserError, mistakes
from training.onnx_export import INPUTS, OPSET, write_onnx


def export_files(
    source: Path,
    out: Path | None,
    onnx: Path | None,
    onnx_input: str = "uint8",
    iteration: int | None = None,
    name: str | None = None,
    half: bool = False,
) -> list[str]:
    """Write a bot to `out`, its critic beside it where there is one, and its networks to `onnx`; return what to say about it.

    source: run folder (iteration: which snapshot, None for the newest) or bot file. name: replaces the bot's. half: float16.
    Raises UserError or BotFileError.
    """
    if out is None and onnx is None:
        raise UserError("tarock export: say what to write, --out FILE.safetensors or --onnx FILE.onnx")
    if onnx_input not in INPUTS:
        raise UserError(f"--onnx-input {onnx_input}: write {' or '.join(INPUTS)}")
    if source.is_file() and iteration is not None:
        raise UserError(f"--iteration {iteration}: {source} is one bot; an iteration chooses among the snapshots of a run folder")
    file = source if source.is_file() or source.suffix == ".safetensors" else run_snapshot(source, iteration)
    manifest, tensors = read_weights(file)
    manifest = replace(manifest, name=name or manifest.name)
    lines = []
    if out is not None:
        if out.resolve() == file.resolve():
            raise BotFileError(f"{out}: is the file that is read; choose another name")
        with mistakes(f"--out {out}"):
            write_weights(out, tensors, manifest, half)
            has_critic = critic_path(file).exists()
            if has_critic:  # for warm starts
                kept, values = read_weights(critic_path(file), "critic")
                write_weights(critic_path(out), values, kept, half)
        lines.append(f"{out}: {manifest.name}, {manifest.decisions:,} decisions; play it as file:{out}")
        if has_critic:
            lines.append(f"{critic_path(out)}: its critic, for training on")
    if onnx is not None:
        check_layout(manifest, SCHEMA_VERSION, OBSERVATION_SIZE, NUM_ACTIONS, file)  # SCALE is of the layout in force
        with mistakes(f"--onnx {onnx}"):
            write_onnx(onnx, manifest, tensors, SCALE, onnx_input)
        heads = "policy and q" if "q.weight" in tensors else "policy"
        lines.append(f"{onnx}: {manifest.name}, ONNX opset {OPSET}, observation {onnx_input} (batch, {OBSERVATION_SIZE}) -> {heads}")
    return lines
