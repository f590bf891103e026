"""The bots of the service: loaded once, asked one view at a time each, from any thread."""

import importlib
import importlib.util
import threading
from collections.abc import Sequence

import numpy as np

from agents.advice import Advice, advise
from agents.base import Bot, load_bot
from tarock_env.aec import raw_env
from tarock_env.rules import Rules
from tarock_env.view_text import View, parse_view

MOST_SYSTEMS = 30


class UnknownBot(ValueError):
    """A bot or level that the service does not have; one line that lists those it has."""


class ServedBots:
    """Bots by name, and levels where this version has some.

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
        name = self._name(bot, level)
        key = name if name in self.names else f"{name} {view.rules.id}"  # levels differ by rule system
        player = self._load(key, name, view.rules.id)
        with self._locks[key]:
            advice = advise(player, view.deals, view.tables, view.rules, np.random.default_rng(seed), explain)
        self.decisions += 1
        return name, advice

    def warm_up(self) -> None:
        """Ask every bot once: what is compiled on first use is compiled now."""
        game = raw_env("juegatu")
        game.reset(seed=1)
        view = parse_view(game.record(game.agent_selection).to_json())
        for name in self.names:
            self.advise(name, None, view, explain=False, seed=1)

    def _name(self, bot: str | None, level: int | None) -> str:
        if level is not None:
            if level not in self.levels:
                known = f"levels are {min(self.levels)}..{max(self.levels)}" if self.levels else "this service has no levels"
                raise UnknownBot(f"level {level}: {known}; bots are {', '.join(self.names)}")
            return f"level:{level}"
        if bot is None:
            return self.names[0]
        if bot not in self.names:
            raise UnknownBot(f"bot {bot[:60]!r} is not served; bots are {', '.join(self.names)} (start with --bot to serve others)")
        return bot

    def _load(self, key: str, name: str, system: str) -> Bot:
        with self._loading:
            if key not in self._bots:
                self._bots[key], self._locks[key] = load_bot(name, rules=system), threading.Lock()
            return self._bots[key]


def known_levels() -> list[int]:
    """The levels that `level:N` may name; none where this version has no graded bots."""
    if importlib.util.find_spec("agents.levels") is None:
        return []
    return sorted(int(level) for level in importlib.import_module("agents.levels").LEVELS)
