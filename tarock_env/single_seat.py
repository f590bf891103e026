"""One seat against given opponents: a gymnasium environment for everything that learns from a single agent's side.

    import gymnasium, agents.gym_env                  # the second makes Tarock-v0 known
    game = gymnasium.make("Tarock-v0", rules="juegatu", opponents=["rule"])
    observation, info = game.reset(seed=1)

================  ====================================================================================================
episode           one deal; the opponents' decisions are played inside `reset` and `step`
action            Discrete(256), the ids of tarock_env/actions.py
observation       {"observation": float32 (F,), "action_mask": int8 (A,)}; with `flat=True` the float32 (F,) alone
action_masks()    (A,) bool: what sb3-contrib's MaskablePPO asks for
reward            the seat's payoff in table units when the deal ends, 0 before
illegal actions   end the episode with reward `ILLEGAL_REWARD` and `info["illegal"]`; with `illegal="raise"` a ValueError, nothing changed
infos             `seat`, `phase`; at the end `payoff_sixths` by seat
================  ====================================================================================================

Opponents are bots (an object with `act`) or functions `(views, tables, rng) -> action ids`; they see views, never the deal. Names of
bots are understood by `agents.gym_env`, which knows them; this package does not.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from tarock_env.actions import NUM_ACTIONS
from tarock_env.aec import HIGHEST, raw_env
from tarock_env.engine.state import PHASES
from tarock_env.engine.view import make_views
from tarock_env.legal import mask_bits
from tarock_env.observation import OBSERVATION_SIZE, SCALE, observe_rows
from tarock_env.render import render_deal
from tarock_env.rules import Rules
from tarock_env.rules.options import Value
from tarock_env.single_deal import IllegalAction, SingleDeal

Policy = Callable[[Any, Any, np.random.Generator], NDArray[np.int64]]
ILLEGAL_REWARD = -100.0  # table units: worse than nearly every deal
ILLEGAL = ("end", "raise")


class SingleSeat(gym.Env[Any, np.int64]):
    """One seat of a deal.

    rules: id of a rule system, or the Rules. options: its rule options. opponents: one bot or function for all other seats, or one for
    each, counted from the seat after the player's; without any, they play uniformly random legal actions. seat: the player's; None draws
    one for each deal. flat: observations without the mask. skip_forced: decisions with one legal action are played at once, they are no
    steps. illegal: see the module. Raises ValueError for unknown rules, options and values.
    """

    metadata = {"render_modes": ["ansi", "human"], "render_fps": 1}  # noqa: RUF012 - gymnasium declares it as an instance's

    def __init__(
        self,
        rules: str | Rules = "steirisch",
        options: Mapping[str, Value] | None = None,
        opponents: Any = (),
        seat: int | None = None,
        flat: bool = False,
        skip_forced: bool = True,
        illegal: str = "end",
        render_mode: str | None = None,
    ) -> None:
        self.game = raw_env(rules, options, render_mode=render_mode)
        self.rules = self.game.rules
        players = self.rules.players
        if seat is not None and not 0 <= seat < players:
            raise ValueError(f"seat is {seat}; seats are 0..{players - 1}, None draws one for each deal")
        if illegal not in ILLEGAL:
            raise ValueError(f"illegal is {illegal!r}; allowed are {' and '.join(ILLEGAL)}")
        self.policies = _policies(opponents, players - 1)
        self.fixed_seat, self.flat, self.skip_forced, self.illegal = seat, flat, skip_forced, illegal
        self.render_mode = render_mode
        features = gym.spaces.Box(np.zeros(OBSERVATION_SIZE, np.float32), HIGHEST, dtype=np.float32)
        mask = gym.spaces.Box(0, 1, (NUM_ACTIONS,), np.int8)
        self.observation_space = features if flat else gym.spaces.Dict({"observation": features, "action_mask": mask})
        self.action_space = gym.spaces.Discrete(NUM_ACTIONS)
        self._row, self._mask = np.zeros((1, OBSERVATION_SIZE), np.uint8), np.zeros((1, NUM_ACTIONS), np.bool_)
        self.over = True

    @property
    def single(self) -> SingleDeal:
        """The deal in progress."""
        single: SingleDeal = self.game.single
        return single

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal anew and play on to the player's first decision.

        seed: fixes cards, seat and the opponents' chances. options: `forehand`, `hands`, `talon`, `forced`, as PettingZoo's reset here.
        """
        super().reset(seed=seed)
        self.over = True
        while self.over:  # a deal can end before the player had a choice
            self.game.reset(int(self.np_random.integers(2**62)), options)
            drawn = int(self.np_random.integers(self.rules.players))
            self.seat = drawn if self.fixed_seat is None else self.fixed_seat
            self._opponents_rng = np.random.default_rng(int(self.np_random.integers(2**62)))
            self._play_on()
        return self._observe(), self._info()

    def step(self, action: np.int64 | int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """The player's action, then everything up to his next decision or the end. Raises ValueError for what is no integer."""
        if self.over:
            raise gym.error.ResetNeeded("the deal is over: call reset before step")
        chosen = self.single.as_action(action)
        try:
            self.single.play(chosen)
        except IllegalAction as error:
            if self.illegal == "raise":
                raise
            self.over = True
            return self._observe(), ILLEGAL_REWARD, True, False, self._info() | {"illegal": str(error)}
        self._play_on()
        if self.render_mode == "human":
            self.render()
        if not self.single.finished:
            return self._observe(), 0.0, False, False, self._info()
        payoffs = self.single.payoffs.tolist()
        return self._observe(), payoffs[self.seat] / 6, True, False, self._info() | {"payoff_sixths": payoffs}

    def action_masks(self) -> NDArray[np.bool_]:
        """(A,) bool: the player's legal actions; all False once the episode is over."""
        return np.zeros(NUM_ACTIONS, np.bool_) if self.over else self.single.legal_mask()

    def render(self) -> str | None:  # type: ignore[override]
        """The table as the player sees it."""
        text = render_deal(self.single, self.seat)
        if self.render_mode == "human":
            print(text, flush=True)
            return None
        return text

    def _play_on(self) -> None:
        """Opponents' decisions, and the player's forced ones, until he has a choice or the deal ends."""
        single = self.single
        while not single.finished:
            if single.seat != self.seat:
                policy = self.policies[(single.seat - self.seat) % self.rules.players - 1]
                single.play(int(policy(make_views(single.deals, single.tables), single.tables, self._opponents_rng)[0]))
            elif self.skip_forced and (legal := single.legal_mask()).sum() == 1:
                single.play(int(legal.argmax()))
            else:
                break
        self.over = single.finished

    def _observe(self) -> Any:
        """What the player knows at his decision; zeros when the episode is over."""
        self._row[:], self._mask[:] = 0, False
        if not self.over:
            observe_rows(self.single.deals, self.single.tables, self._row, self._mask, 0, 1)
        features = self._row[0] * SCALE
        return features if self.flat else {"observation": features, "action_mask": self._mask[0].astype(np.int8)}

    def _info(self) -> dict[str, Any]:
        return {"seat": self.seat, "phase": PHASES[self.single.deals.phase[0]]}


def _policies(opponents: Any, count: int) -> list[Policy]:
    """A function for each other seat. Raises ValueError."""
    given = list(opponents) if isinstance(opponents, Sequence) and not isinstance(opponents, str) else [opponents]
    if not given:
        given = [random_policy]
    if len(given) not in (1, count):
        raise ValueError(f"{len(given)} opponents; give one for all other seats, or one for each of the {count}")
    for opponent in given:
        if isinstance(opponent, str):
            raise ValueError(f"opponent {opponent!r}: names of bots are read by agents.gym_env; import it and make Tarock-v0")
        if not hasattr(opponent, "act") and not callable(opponent):
            raise ValueError(f"opponent {opponent!r} is no bot with act, and no function of views, tables and a generator")
    policies = [getattr(opponent, "act", opponent) for opponent in given]
    return policies * count if len(policies) == 1 else policies


def random_policy(views: Any, tables: Any, rng: np.random.Generator) -> NDArray[np.int64]:
    """(n,) uniformly random legal actions."""
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in mask_bits(views["legal"])], np.int64)
