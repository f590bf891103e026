"""The exported bot file: tensors and a manifest in one safetensors file, written by training, read with numpy alone.

A file is `safetensors` (never pickle) whose `__metadata__` holds one key, `manifest`: the JSON of :class:`Manifest`.
Two kinds, one format:

`actor`, what a bot plays with. Tensors are float32, or float16 on disk; `i` counts layers from 0, F, H, A as in docs/architecture.md:

===================  ============  =================================================
name                 shape         meaning
===================  ============  =================================================
trunk.{i}.weight     (H_i, H_i-1)  Linear, H_-1 = F; as torch stores it (out, in)
trunk.{i}.bias       (H_i,)
norm.{i}.weight      (H_i,)        LayerNorm (eps 1e-5) after the Linear, before ReLU
norm.{i}.bias        (H_i,)
policy.weight, bias  (A, H), (A,)  logits over the whole action space, to be masked
q.weight, bias       (A, H), (A,)  optional: value of each action in units of `q_scale`
===================  ============  =================================================

`critic`, beside the actor: training goes on with it, and a search asks it about sampled worlds (agents/search_bot.py). Its manifest's
`training` tells the payoff of the highest of its B value bins as `value_limit`. F_hidden is the width of the hidden cards' row.

==========================  ===============  ================================================
critic.trunk, critic.norm   as the actor's
critic.extra.weight         (H_0, F_hidden)  optional: the hidden cards' part of the first layer
critic.value.weight, bias   (B, H), (B,)     logits over the value bins
==========================  ===============  ================================================

A file is written under a temporary name and then renamed, so that a reader never meets half of one.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from tarock_env.files import new_file

FORMAT = "tarock-bot/1"
PRETRAINED = Path(__file__).parent / "pretrained"  # the bot files that ship with the project
KINDS = ("actor", "critic")
LONGEST_NAME = 120  # of a bot, in tables
Tensors = dict[str, NDArray[np.float32]]


class BotFileError(ValueError):
    """A bot file that cannot be used. The message is one line: the file, what is wrong, and where it helps, what to do."""


@dataclass(frozen=True)
class Manifest:
    """What a bot file says about itself.

    name: shown in tables. schema_version: layout of observation, actions and rules vector (tarock_env.observation).
    observation_size, num_actions: F and A. hidden_sizes: width of each trunk layer. systems: rule systems it was trained on,
    with the version of each. decisions, iterations: training length. q_scale: table units for one unit of Q, by system.
    created, commit: when and from which source. training: free notes (settings, evaluation). sha256: of all tensors,
    filled in by the writer.
    """

    name: str
    schema_version: int
    observation_size: int
    num_actions: int
    hidden_sizes: tuple[int, ...]
    systems: dict[str, str]
    decisions: int = 0
    iterations: int = 0
    q_scale: dict[str, float] = field(default_factory=dict)
    created: str = ""
    commit: str = ""
    training: dict[str, Any] = field(default_factory=dict)
    kind: str = "actor"
    format: str = FORMAT
    sha256: str = ""


_TYPES: dict[str, type | tuple[type, ...]] = {
    "name": str,
    "schema_version": int,
    "observation_size": int,
    "num_actions": int,
    "hidden_sizes": list,
    "systems": dict,
    "decisions": int,
    "iterations": int,
    "q_scale": dict,
    "created": str,
    "commit": str,
    "training": dict,
    "kind": str,
    "format": str,
    "sha256": str,
}


def tensors_sha256(tensors: Mapping[str, NDArray[Any]]) -> str:
    """Hash of names, shapes and values, independent of the order of the tensors and of the file around them."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        value = np.ascontiguousarray(tensors[name])
        digest.update(f"{name} {value.dtype.str} {value.shape}\n".encode())
        digest.update(value.tobytes())
    return digest.hexdigest()


def write_weights(path: str | Path, tensors: Mapping[str, NDArray[Any]], manifest: Manifest, half: bool = False) -> Manifest:
    """Write a bot file; return the manifest as stored, with its hash.

    tensors: name -> array, stored as float32, or with `half` as float16, half the size. The folder is made when missing; an older
    file of that name is replaced in one step. Raises BotFileError where the shapes contradict the manifest: a file that could
    not be loaded is not written. Raises OSError where the file cannot be written.
    """
    target = Path(path)
    dtype: type[np.floating[Any]] = np.float16 if half else np.float32
    stored: dict[str, NDArray[Any]] = {name: np.ascontiguousarray(value, dtype=dtype) for name, value in tensors.items()}
    for name, value in stored.items():
        if not np.isfinite(value).all():
            raise BotFileError(f"{target}: tensor {name} holds NaN or infinity; not written")
    content = asdict(manifest) | {"sha256": tensors_sha256(stored), "hidden_sizes": list(manifest.hidden_sizes)}
    complete = _manifest_from(content, target)
    check_shapes(stored, complete, target)
    target.parent.mkdir(parents=True, exist_ok=True)
    with new_file(target, binary=True) as file:
        file.write(save(stored, {"manifest": json.dumps(content, sort_keys=True)}))
    return complete


def read_manifest(path: str | Path) -> Manifest:
    """The manifest alone; the tensors stay on disk. Raises BotFileError."""
    return _read(Path(path), tensors=False)[0]


def read_weights(path: str | Path, kind: str = "actor") -> tuple[Manifest, Tensors]:
    """Manifest and tensors of a bot file, hash and shapes verified. Raises BotFileError."""
    source = Path(path)
    manifest, tensors = _read(source, tensors=True)
    if manifest.kind != kind:
        raise BotFileError(f"{source}: holds the {manifest.kind}, not the {kind}")
    if tensors_sha256(tensors) != manifest.sha256:
        raise BotFileError(f"{source}: damaged: its tensors do not match the hash in its manifest; export the bot again")
    check_shapes(tensors, manifest, source)
    for name, value in tensors.items():
        if not np.isfinite(value).all():
            raise BotFileError(f"{source}: tensor {name} holds NaN or infinity")
    return manifest, {name: value.astype(np.float32) for name, value in tensors.items()}


def critic_path(actor: Path) -> Path:
    """Where the critic of an exported actor lies: beside it, `x.critic.safetensors` for `x.safetensors`."""
    return actor.with_suffix(".critic.safetensors")


def value_limit(critic: Manifest, path: str | Path) -> float:
    """The payoff in points of a critic's highest value bin. Raises BotFileError where its manifest does not tell."""
    limit = critic.training.get("value_limit")
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 < limit < math.inf:
        raise BotFileError(f"{path}: its manifest has training.value_limit = {limit!r}, a number above 0 is needed; export the bot again")
    return float(limit)


def check_layout(manifest: Manifest, schema_version: int, observation_size: int, num_actions: int, path: str | Path) -> None:
    """Refuse a bot that was made for another layout than the one in force (the three numbers). Raises BotFileError."""
    for what, found, wanted in (
        ("schema_version", manifest.schema_version, schema_version),
        ("observation_size", manifest.observation_size, observation_size),
        ("num_actions", manifest.num_actions, num_actions),
    ):
        if found != wanted:
            raise BotFileError(f"{path}: made for {what} {found}, this version of Tarock has {wanted}; train or export it again")


def check_shapes(tensors: Mapping[str, NDArray[Any]], manifest: Manifest, path: str | Path) -> None:
    """Every tensor of an actor or critic is there with the shape that the manifest implies, and nothing else. Raises BotFileError."""
    sizes = manifest.observation_size, manifest.hidden_sizes
    if manifest.kind == "actor":
        expected = actor_shapes(*sizes, manifest.num_actions, q="q.weight" in tensors)
    else:
        extra, bins = tensors.get("critic.extra.weight"), tensors.get("critic.value.bias")
        expected = critic_shapes(*sizes, 0 if bins is None else bins.size, None if extra is None else extra.shape[-1])
    for name, shape in expected.items():
        if name not in tensors:
            raise BotFileError(f"{path}: tensor {name} is missing")
        if tensors[name].shape != shape:
            raise BotFileError(f"{path}: tensor {name} has shape {tensors[name].shape}, the manifest implies {shape}")
    unknown = sorted(set(tensors) - set(expected))
    if unknown:
        raise BotFileError(f"{path}: unknown tensor {unknown[0]}")


def actor_shapes(observation_size: int, hidden_sizes: tuple[int, ...], num_actions: int, q: bool) -> dict[str, tuple[int, ...]]:
    """Name -> shape of every tensor of an actor. q: with an action-value head."""
    shapes = _trunk_shapes(observation_size, hidden_sizes)
    for head in ("policy", "q") if q else ("policy",):
        shapes[f"{head}.weight"] = (num_actions, hidden_sizes[-1])
        shapes[f"{head}.bias"] = (num_actions,)
    return shapes


def critic_shapes(observation_size: int, hidden_sizes: tuple[int, ...], bins: int, hidden_size: int | None) -> dict[str, tuple[int, ...]]:
    """Name -> shape of every tensor of a critic. bins: of the value. hidden_size: width of the hidden cards' row, None: it sees none."""
    shapes = _trunk_shapes(observation_size, hidden_sizes) | {"value.weight": (bins, hidden_sizes[-1]), "value.bias": (bins,)}
    if hidden_size is not None:
        shapes["extra.weight"] = (hidden_sizes[0], hidden_size)
    return {f"critic.{name}": shape for name, shape in shapes.items()}


def _trunk_shapes(observation_size: int, hidden_sizes: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {}
    width = observation_size
    for layer, size in enumerate(hidden_sizes):
        shapes[f"trunk.{layer}.weight"] = (size, width)
        for name in (f"trunk.{layer}.bias", f"norm.{layer}.weight", f"norm.{layer}.bias"):
            shapes[name] = (size,)
        width = size
    return shapes


def _read(source: Path, tensors: bool) -> tuple[Manifest, Tensors]:
    if not source.is_file():
        folder = "a folder, not a bot file; a run's bot is run:RUNDIR" if source.is_dir() else "no such file"
        raise BotFileError(f"{source}: {folder}")
    try:
        with safe_open(source, framework="numpy") as file:
            metadata = file.metadata() or {}
            values = {name: file.get_tensor(name) for name in file.keys()} if tensors else {}  # noqa: SIM118 - not a dict
    except (SafetensorError, OSError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise BotFileError(f"{source}: truncated, or not a bot file ({reason})") from None
    if "manifest" not in metadata:
        raise BotFileError(f"{source}: a safetensors file without a manifest: not a bot exported by Tarock")
    try:
        content = json.loads(metadata["manifest"])
    except (ValueError, RecursionError):  # no JSON, a number of thousands of digits, lists nested thousands deep
        raise BotFileError(f"{source}: its manifest is not valid JSON; export the bot again") from None
    for name, value in values.items():
        if value.dtype not in (np.float32, np.float16):
            raise BotFileError(f"{source}: tensor {name} is {value.dtype}; bots are float32 or float16")
    return _manifest_from(content, source), values


def _manifest_from(content: object, source: Path) -> Manifest:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        found = content.get("format") if isinstance(content, dict) else content
        raise BotFileError(f"{source}: format is {found!r}, this version of Tarock reads {FORMAT!r}")
    for entry in fields(Manifest):
        if entry.name not in content:
            raise BotFileError(f"{source}: its manifest lacks {entry.name}")
        value = content[entry.name]
        if not isinstance(value, _TYPES[entry.name]) or isinstance(value, bool):
            raise BotFileError(f"{source}: its manifest has {entry.name} = {value!r}")
    if not content["name"].isprintable() or not 0 < len(content["name"]) <= LONGEST_NAME:
        allowed = f"1 to {LONGEST_NAME} printable characters in one line"
        raise BotFileError(f"{source}: a bot's name is {allowed}, not {content['name'][:LONGEST_NAME]!r}")
    sizes = content["hidden_sizes"]
    if not sizes or not all(isinstance(size, int) and 0 < size <= 65536 for size in sizes):
        raise BotFileError(f"{source}: its manifest has hidden_sizes = {sizes!r}")
    if content["kind"] not in KINDS:
        raise BotFileError(f"{source}: kind is {content['kind']!r}; known: {', '.join(KINDS)}")
    known = {entry.name: content[entry.name] for entry in fields(Manifest)}
    return Manifest(**known | {"hidden_sizes": tuple(sizes)})
