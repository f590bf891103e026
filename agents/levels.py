"""Graded levels: `load_bot("wiener", level=4)`, or `level:4`, `level:4@risk=bold` where the rule system is known.

    6 Meister             the same with search in sampled worlds: moves looked ahead, the last tricks solved (agents/search_bot.py)
    5 Experte             the strong network's choice, always
    4 Stark               4 to 1: the same network, softened (agents/softness.py); how far is fitted by system (`tarock ladder`)
    3 Fortgeschrittener
    2 Gelegenheitsspieler
    1 Anfänger

The network is a file of agents/pretrained: the system's own where one ships, else `all.safetensors`. `levels.json` beside it holds what was
fitted, with every figure that speaks for it.
"""

import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.base import Bot
from agents.network import PolicyNetwork, choose_actions
from agents.search_bot import SearchBot, SearchBudget
from agents.softness import RISKS, bid_rows, cap_tightness, move_probabilities, regrets_of, setting_of, shift_bids
from agents.sparse import distinct_rows
from agents.views import observe_views
from agents.weights import PRETRAINED, BotFileError, Manifest, check_layout, read_manifest, read_weights
from tarock_env.actions import NUM_ACTIONS
from tarock_env.observation import OBSERVATION_SIZE, SCALE, SCHEMA_VERSION

LEVELS_FILE = "levels.json"
FORMAT = "tarock-levels/1"
TITLES = {1: "Anfänger", 2: "Gelegenheitsspieler", 3: "Fortgeschrittener", 4: "Stark", 5: "Experte", 6: "Meister"}
LEVELS = tuple(TITLES)
TOP = 5  # the network itself, unsoftened
MASTER = 6
MASTER_BUDGET = SearchBudget()
START_ANEW = "delete or move it, then run tarock ladder"
# What readers of levels.json use (_check_shape).
INTERVAL_SHAPE = {"points_per_deal": float, "low": float, "high": float}
PAIR_SHAPE = {"a": str, "b": str, "deals": int} | INTERVAL_SHAPE
TEST_SHAPE = {
    "a": str, "b": str, "half": str, "deals": int, "points_per_deal": float, "p": float, "p_corrected": float, "passed": bool
}  # fmt: skip
ENTRY_SHAPE = {
    "unit": float, "note": str, "seconds": float, "weights": {"sha256": str, "name": str}, "levels": dict, "elo": dict,
    "fit": {"seed": int, "budget": dict}, "acceptance": {"tests": [TEST_SHAPE]}, "matrix": [PAIR_SHAPE | {"gap_sd": float}],
    "risk": [{"level": int, "risk": str, "bids": float, "announcements_per_deal": float}],
}  # fmt: skip
MASTER_SHAPE = {"weights": {"sha256": str}, "search": dict, "seed": int, "against": [PAIR_SHAPE]}


class LevelError(BotFileError):
    """A level that cannot be had. One line: which, why, and what to do."""


@dataclass(frozen=True)
class StrongNetwork:
    """The network that levels of one system are made from. q_points: points for one unit of its action values."""

    path: Path
    manifest: Manifest
    network: PolicyNetwork
    q_points: float


class LevelBot:
    """A strong network, softened.

    softness: 0 plays the policy's choice; see agents/softness.py. unit: points in which regrets are measured, any positive number where
    softness is 0. risk: cautious, normal or bold.
    """

    def __init__(self, strong: StrongNetwork, softness: float, unit: float, risk: str = "normal", name: str = "level") -> None:
        self.name = name if risk == "normal" else f"{name} {risk}"
        self.softness = softness
        self.setting = setting_of(softness)
        self.risk = risk
        self.network, self.manifest = strong.network, strong.manifest
        self._q_points = strong.q_points
        self._unit = unit
        self._shift = RISKS[risk]

    def act(self, deals: Any, tables: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        """One action for the acting seat of each view; see agents.base.Bot."""
        if self.setting.temperature <= 0:  # always the policy's choice: nothing to draw from
            observation, mask = observe_views(deals, tables)
            return choose_actions(shift_bids(self._logits(observation), deals, tables, mask, self._shift), mask, rng, 0.0)
        probabilities = self.policy(deals, tables)
        cumulative = probabilities.cumsum(axis=1)
        draw = rng.random((len(deals), 1), dtype=np.float32) * cumulative[:, -1:]
        # The draw can reach the total only by rounding; the most likely move then stands in.
        chosen = np.where(cumulative[:, -1] > draw[:, 0], (cumulative > draw).argmax(axis=1), probabilities.argmax(axis=1))
        return np.asarray(chosen, np.int64)

    def policy(self, deals: Any, tables: Any) -> NDArray[np.float32]:
        """(n, A) what it plays how often; 0 for moves that are illegal or beyond its caps."""
        observation, mask = observe_views(deals, tables)
        if self.setting.temperature <= 0:  # action values are not needed
            logits = self._logits(observation)
            regrets = np.zeros_like(logits)
        else:
            first, back = distinct_rows(observation)
            logits, values = self.network.logits_and_values(observation[first])
            logits, values = logits[back], values[back] * np.float32(self._q_points)
            regrets = regrets_of(values, logits, mask, self._unit)
        tightness = cap_tightness(deals, tables, logits, mask)
        shifted = shift_bids(logits, deals, tables, mask, self._shift)
        return move_probabilities(shifted, regrets, mask, bid_rows(deals), tightness, self.setting)

    def _logits(self, observation: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(n, A) logits of (n, F) rows; equal rows are computed once."""
        first, back = distinct_rows(observation)
        return self.network.logits(observation[first])[back]


def load(argument: str, system: str) -> Bot:
    """The bot of `level:ARGUMENT`, N or N@risk=R, in a rule system. Raises LevelError."""
    number, at, wish = argument.partition("@")
    risk = wish.removeprefix("risk=") if at else "normal"
    if not (number.isascii() and number.isdecimal()) or (at and not (wish.startswith("risk=") and risk)):
        raise LevelError(f"bot 'level:{argument}': write level:N or level:N@risk=bold, N from 1 to {MASTER}")
    return load_level(system, int(number), risk)


def load_level(system: str, level: int, risk: str = "normal", folder: Path = PRETRAINED) -> Bot:
    """Level 1 to 6 of a rule system, from the network and the levels.json of a folder. Raises LevelError or BotFileError."""
    if risk not in RISKS:
        raise LevelError(f"level {level}: risk is {risk!r}; known: {', '.join(RISKS)}")
    if type(level) is not int:  # True is 1 and 6.0 is 6 to a comparison
        raise LevelError(f"level {repr(level)[:60]}: a level is a whole number, 1 to {MASTER}")
    if level not in LEVELS:
        raise LevelError(f"level {level}: there are levels 1 to {MASTER}")
    strong = strong_network(system, weights_of(system, folder))
    name = f"level {level}"
    if level == MASTER:
        if risk != "normal":
            raise LevelError(f"level {MASTER}: risk is for levels 1 to {TOP}; this one plays what its search finds best")
        return master(strong)
    if level == TOP:
        return LevelBot(strong, 0.0, 1.0, risk, name)
    entry = read_levels(folder / LEVELS_FILE).get(system)
    if entry is None:
        raise LevelError(f"{system}: level {level} is not fitted yet, only levels {TOP} and {MASTER}; run tarock ladder --rules {system}")
    if entry["weights"]["sha256"] != strong.manifest.sha256:
        raise LevelError(
            f"{system}: {LEVELS_FILE} was fitted to another network than {strong.path.name}; run tarock ladder --rules {system}"
        )
    fitted = entry["levels"]
    if str(level) not in fitted:
        raise LevelError(f"{system}: no level {level}; its network has levels {', '.join(sorted(fitted))}")
    return LevelBot(strong, fitted[str(level)]["softness"], entry["unit"], risk, name)


def master(strong: StrongNetwork) -> SearchBot:
    """Level 6 of a network. Raises BotFileError where its critic is missing."""
    return SearchBot(strong.network, MASTER_BUDGET, f"level {MASTER}", strong.path)


def weights_of(system: str, folder: Path = PRETRAINED) -> Path:
    """The shipped network that plays a system: its own, else the one for all. Raises LevelError where there is none."""
    for path in (folder / f"{system}.safetensors", folder / "all.safetensors"):
        if path.is_file() and system in read_manifest(path).systems:
            return path
    raise LevelError(f"{system}: no levels, since no network in {folder} plays it; train one, and play it as file:PATH")


@cache
def strong_network(system: str, path: Path) -> StrongNetwork:
    """Read a network once. Raises BotFileError, also where it has no action values for the system."""
    manifest, tensors = read_weights(path)
    check_layout(manifest, SCHEMA_VERSION, OBSERVATION_SIZE, NUM_ACTIONS, path)
    network = PolicyNetwork(tensors, SCALE)
    if not network.has_q or system not in manifest.q_scale:
        raise BotFileError(f"{path}: no action values for {system}, which levels are made from; train it with network.q_head = true")
    return StrongNetwork(path, manifest, network, manifest.q_scale[system])


def read_levels(path: Path) -> dict[str, Any]:
    """System -> what was fitted, {} where the file is missing. Raises LevelError on anything else than such a file."""
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        _check_shape(content, {"format": str, "systems": dict}, "the file")
        found, systems = content["format"], content["systems"]
        for name in systems if found == FORMAT else ():
            _check_entry(systems[name], name)
    except (ValueError, OverflowError) as error:  # no JSON, a wrong value, a whole number beyond all floats
        raise LevelError(f"{path}: damaged, or not written by tarock ladder ({error}); {START_ANEW}") from None
    if found != FORMAT:
        raise LevelError(f"{path}: format is {found!r}, this version of Tarock reads {FORMAT!r}; {START_ANEW}")
    return dict(systems)


def _check_entry(entry: Any, name: str) -> None:
    """Raise ValueError, saying where, unless a system's entry has all that its readers use."""
    _check_shape(entry, ENTRY_SHAPE, name)
    levels = entry["levels"]
    if not {str(TOP)} <= levels.keys() <= {str(level) for level in range(1, TOP + 1)}:
        raise ValueError(f"{name}.levels: {', '.join(levels) or 'none'}")
    _check_shape(levels, {level: {"softness": float, "title": str} for level in levels}, f"{name}.levels")
    _check_shape(entry["elo"], {f"level {level}": float for level in levels}, f"{name}.elo")
    for level, row in levels.items():
        if not 0 <= row["softness"] <= 1:
            raise ValueError(f"{name}.levels.{level}.softness: {row['softness']}")
    if entry["unit"] <= 0:
        raise ValueError(f"{name}.unit: {entry['unit']}")
    if not entry["risk"]:
        raise ValueError(f"{name}.risk: none")
    for number, row in enumerate(entry["risk"]):
        _check_shape(row, INTERVAL_SHAPE if "low" in row else {}, f"{name}.risk[{number}]")
    if "master" in entry:
        _check_shape(entry["master"], MASTER_SHAPE, f"{name}.master")


def _check_shape(value: Any, shape: Any, where: str) -> None:
    """Raise ValueError, saying where, unless a value is of a type (float: any finite number), or {key: shape}, or [shape of each item]."""
    kind = shape if isinstance(shape, type) else type(shape)
    if not (type(value) in (int, float) and math.isfinite(value) if kind is float else type(value) is kind):
        raise ValueError(f"{where}: missing or wrong")
    if isinstance(shape, dict):
        for key, inner in shape.items():
            _check_shape(value.get(key), inner, f"{where}.{key}")
    elif isinstance(shape, list):
        for number, item in enumerate(value):
            _check_shape(item, shape[0], f"{where}[{number}]")
