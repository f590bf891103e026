"""The bots of the service: loaded once, asked one view at a time each, from any thread."""

import threading
import time
from collections.abc import Sequence

import numpy as np

from agents.advice import Advice, advise
from agents.base import Bot, load_bot
from agents.levels import LEVELS_FILE, MASTER, TOP, LevelError, read_levels, weights_of
from agents.weights import PRETRAINED
from tarock_env.aec import raw_env
from tarock_env.replay import view_of
from tarock_env.rules import SYSTEMS, Rules
from tarock_env.view_text import View, view_deal

MOST_SYSTEMS = 30
FIRST_SYSTEM = "juegatu"
QUICK_SECONDS = 0.01
FADING = 0.99  # an answer's share in the next one's measure


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
        self._seconds: dict[str, float] = {}  # what each bot's slowest answer of late took
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
            begun = time.perf_counter()
            advice = advise(self._bots[key], view.deals, view.tables, view.rules, np.random.default_rng(seed), explain)
            took = time.perf_counter() - begun
            # A bot that searches the end of a deal answers most questions at once and one in ten slowly: the slow ones count.
            self._seconds[key] = max(took, FADING * self._seconds.get(key, 0.0))
        self.decisions += 1
        return name, advice

    def quick(self, bot: str | None, level: int | None, view: View) -> bool:
        """Whether the bot's answers of late took so little time that the next may be given while everybody else waits."""
        key = (self.names[0] if bot is None else bot) if level is None else _level_key(level, view.rules.id)
        return self._seconds.get(key, QUICK_SECONDS) < QUICK_SECONDS

    def warm_up(self) -> None:
        """Ask every bot and every level of one rule system: what is compiled or loaded on first use is compiled and loaded now."""
        game = raw_env(FIRST_SYSTEM)
        game.reset(seed=1)
        view = view_deal(view_of(game.record(), game.single.seat))
        asked = [(name, None) for name in self.names] + [(None, level) for level in self.levels.get(FIRST_SYSTEM, [])]
        for _ in range(2):
            self._seconds.clear()  # the first answer takes as long as compiling, the second as long as answers take
            for name, level in asked:
                self.advise(name, level, view, explain=False, seed=1)

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
        key = _level_key(level, system)
        with self._loading:
            if key not in self._bots:
                self._locks[key], self._bots[key] = threading.Lock(), load_bot(system, level=level)
        return f"level:{level}", key


def _level_key(level: int, system: str) -> str:
    return f"level:{level} {system}"


def known_levels() -> dict[str, list[int]]:
    """The levels of each rule system that has some: the network's own and the one that searches where a shipped network plays it, those
    below where they are fitted.

    Raises ValueError for files that are damaged.
    """
    fitted = read_levels(PRETRAINED / LEVELS_FILE)
    found: dict[str, list[int]] = {}
    for system in SYSTEMS:
        try:
            weights_of(system)
        except LevelError:
            continue
        found[system] = sorted({TOP, MASTER, *map(int, fitted.get(system, {}).get("levels", {}))})
    return found
