"""The bots of the service: loaded once, asked one view at a time each, from any thread."""

import threading
from collections.abc import Sequence

import numpy as np

from agents.advice import Advice, advise
from agents.base import Bot, load_bot
from agents.levels import LEVELS_FILE, TOP, LevelError, read_levels, weights_of
from agents.weights import PRETRAINED
from tarock_env.aec import raw_env
from tarock_env.rules import SYSTEMS, Rules
from tarock_env.view_text import View, parse_view

MOST_SYSTEMS = 30


class UnknownBot(ValueError):
    """A bot or level that the service does not have; one line that lists those it has."""


class ServedBots:
    """Bots by name, and the levels that the shipped networks have.

    specs: as for `agents.load_bot`; the first is asked where a request names none. Raises ValueError for one that cannot be loaded.
    """

    def __init__(self, specs: Sequence[str]) -> None:
        self._bots: dict[str, Bot] = {spec: load_bot(spec) for spec in specs}
        self._locks = {spec: threading.Lock() for spec in specs}  # bots may keep scratch memory
        self._loading = threading.Lock()
        self.names = list(specs)
        self.levels = known_levels()
        self.decisions = 0
        self._systems: dict[str, Rules] = {}

    def systems(self) -> dict[str, Rules]:
        """Rule systems met so far, for the reader of views and records: making one anew costs more than a decision."""
        if len(self._systems) > MOST_SYSTEMS:  # every choice of options is one
            self._systems = {}
        return self._systems

    def advise(self, bot: str | None, level: int | None, view: View, explain: bool, seed: int | None) -> tuple[str, Advice]:
        """Name of the bot asked, and its answer. Raises UnknownBot, and ValueError where a bot cannot play the view's rules."""
        if bot is not None and level is not None:
            raise ValueError("give bot or level, not both")
        name, key = self._named(bot) if level is None else self._level(level, view.rules.id)
        with self._locks[key]:
            advice = advise(self._bots[key], view.deals, view.tables, view.rules, np.random.default_rng(seed), explain)
        self.decisions += 1
        return name, advice

    def warm_up(self) -> None:
        """Ask every bot once: what is compiled on first use is compiled now."""
        game = raw_env("juegatu")
        game.reset(seed=1)
        view = parse_view(game.record(game.agent_selection).to_json())
        for name in self.names:
            self.advise(name, None, view, explain=False, seed=1)

    def _named(self, bot: str | None) -> tuple[str, str]:
        """Name and key of a bot that was named at the start."""
        name = self.names[0] if bot is None else bot
        if name not in self.names:
            raise UnknownBot(f"bot {name[:60]!r} is not served; bots are {', '.join(self.names)} (start with --bot to serve others)")
        return name, name

    def _level(self, level: int, system: str) -> tuple[str, str]:
        """Name and key of a level in a rule system, loaded when it is first asked for."""
        known = self.levels.get(system, [])
        if level not in known:
            there = f"levels of {system} are {', '.join(map(str, known))}" if known else f"{system} has no levels yet"
            raise UnknownBot(f"level {level}: {there}; bots are {', '.join(self.names)}")
        key = f"level:{level} {system}"
        with self._loading:
            if key not in self._bots:
                self._locks[key], self._bots[key] = threading.Lock(), load_bot(system, level=level)
        return f"level:{level}", key


def known_levels() -> dict[str, list[int]]:
    """The levels of each rule system that has some: the top one where a shipped network plays it, those below where they are fitted.

    Raises ValueError for files that are damaged.
    """
    fitted = read_levels(PRETRAINED / LEVELS_FILE)
    found: dict[str, list[int]] = {}
    for system in SYSTEMS:
        try:
            weights_of(system)
        except LevelError:
            continue
        found[system] = sorted({TOP, *map(int, fitted.get(system, {}).get("levels", {}))})
    return found
