"""Tarock as a PettingZoo AEC environment.

    from tarock_env.aec import env
    game = env(rules="juegatu")
    game.reset(seed=1)
    for agent in game.agent_iter():
        observation, reward, terminated, truncated, info = game.last()
        action = None if terminated else game.action_space(agent).sample(observation["action_mask"])
        game.step(action)

==================  ==============================================================================================
agents              `player_0` .. `player_3` (three players: `player_2`), the seats of the table
actions             Discrete(256); tarock_env/actions.py has the table, `action_name` and `action_id` translate
observation         {"observation": float32 (F,), "action_mask": int8 (A,)}; tarock_env/observation.py has the table of fields.
                    The mask is all zero for agents that are not to act
rewards             only when a deal ends: each seat's payoff of that deal in table units, once, exact; else 0. Where the rules have
                    rings, the last reward of a match has their settlement in it
termination         all agents at once, after the last deal; never truncated
infos               every agent: `phase` and `deal` (number within the match, from 1). Once a deal has ended: `payoff_sixths`, the integer
                    payoff of the last finished deal (a reward may be a third of a unit, which a float rounds), and at the end of a
                    match `match_sixths`, totals with the settlement of open rings
==================  ==============================================================================================

Forced decisions, with one legal action, are agents' steps like all others. Illegal actions raise ValueError and change nothing.
"""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from operator import attrgetter, index
from typing import Any, ClassVar
from warnings import warn

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from tarock_env.actions import NUM_ACTIONS, action_id, action_name
from tarock_env.cards import NUM_CARDS, NUM_TAROCKS, card_id
from tarock_env.engine.jit import kernel
from tarock_env.engine.state import PHASES, SIXTHS
from tarock_env.match import forces_all_against_all, ring_settlement
from tarock_env.observation import OBSERVATION_SIZE, SCALE, encode_cards, encode_contract, encode_mask, encode_seats, encode_trick
from tarock_env.record import Record
from tarock_env.render import render_deal
from tarock_env.replay import record_of, view_of
from tarock_env.rules import Rules, load_rules
from tarock_env.rules.options import Value
from tarock_env.single_deal import SingleDeal, check_cards, some_hand_without_tarocks

Agent = str
Observation = dict[str, NDArray[Any]]
Hand = Sequence[int] | Sequence[str] | str | None
OF_A_DEAL = (
    "single", "deal_number", "totals", "rings", "agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations",
    "truncations", "infos",
)  # fmt: skip
DEAL_OPTIONS = ("forehand", "hands", "talon", "forced")
WANTED = "hands are one list of cards or None for each seat, talon a list of cards, cards are names or ids, forehand is a seat"
# A field of 0s and 1s has scale 1; every other is a uint8 times its scale.
HIGHEST = np.where(SCALE == 1, 1, 255 * SCALE).astype(np.float32)


def env(
    rules: str | Rules = "steirisch", options: Mapping[str, Value] | None = None, deals: int = 1, render_mode: str | None = None
) -> AECEnv:
    """The environment behind PettingZoo's check that reset comes first. Arguments as for `raw_env`."""
    return OrderEnforced(raw_env(rules, options, deals, render_mode))


class OrderEnforced(OrderEnforcingWrapper):
    """PettingZoo's wrapper, which asks for each of these attributes through two Python functions, twice as long as a step takes.

    Before reset the environment has none of them, and the wrapper's own check speaks. `last` and `step` go straight to the environment
    where the order is right.
    """

    agents = property(attrgetter("env.agents"))
    agent_selection = property(attrgetter("env.agent_selection"))
    rewards = property(attrgetter("env.rewards"))
    _cumulative_rewards = property(attrgetter("env._cumulative_rewards"))
    terminations = property(attrgetter("env.terminations"))
    truncations = property(attrgetter("env.truncations"))
    infos = property(attrgetter("env.infos"))

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward, terminated, truncated and info of the agent to act; see PettingZoo."""
        found: tuple[Observation | None, float, bool, bool, dict[str, Any]]
        found = self.env.last(observe) if self._has_reset else super().last(observe)
        return found

    def step(self, action: int | None) -> None:
        """Take the action of the agent to act; see `raw_env.step`."""
        if self._has_reset and self.env.agents:
            self._has_updated = True
            self.env.step(action)
        else:
            super().step(action)

    def __str__(self) -> str:
        return str(self.env)


class raw_env(AECEnv):  # noqa: N801 - PettingZoo's name for it
    """A match of one or more deals.

    rules: id of a rule system, or the Rules themselves. options: its rule options. deals: how many make the match: the forehand moves on
    from deal to deal, totals and open rings carry over. render_mode: "human" prints, "ansi" returns text. Raises ValueError for unknown
    rules, options, values or modes.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "tarock_v1",
        "render_modes": ["human", "ansi"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self, rules: str | Rules = "steirisch", options: Mapping[str, Value] | None = None, deals: int = 1, render_mode: str | None = None
    ) -> None:
        super().__init__()
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"render_mode is {render_mode!r}; allowed are human and ansi")
        if not isinstance(deals, int) or deals < 1:
            raise ValueError(f"deals is {deals}; a match has a whole number of them, at least one")
        self.rules = load_rules(rules, options) if isinstance(rules, str) else rules
        self.num_deals = deals
        self.render_mode = render_mode
        self.possible_agents: list[Agent] = [f"player_{seat}" for seat in range(self.rules.players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._observation_space = gym.spaces.Dict(
            {
                "observation": gym.spaces.Box(np.zeros(OBSERVATION_SIZE, np.float32), HIGHEST, dtype=np.float32),
                "action_mask": gym.spaces.Box(0, 1, (NUM_ACTIONS,), np.int8),
            }
        )
        self._observation_spaces = dict.fromkeys(self.possible_agents, self._observation_space)
        self._action_spaces: dict[Agent, gym.spaces.Discrete[np.int64]] = {
            agent: gym.spaces.Discrete(NUM_ACTIONS) for agent in self.possible_agents
        }
        self._rng = np.random.default_rng()
        self._row = np.zeros(OBSERVATION_SIZE, np.uint8)

    def __getattr__(self, name: str) -> Any:
        """What only a deal has is asked for before there is one (Python calls this for absent attributes alone)."""
        if name in OF_A_DEAL:
            raise AttributeError(f"{name}: no cards are dealt yet; call reset() first")
        raise AttributeError(f"{type(self).__name__} has no attribute {name}")

    def observation_space(self, agent: Agent) -> gym.spaces.Dict:
        """The same object for the same agent, always."""
        return self._observation_spaces[agent]

    def action_space(self, agent: Agent) -> gym.spaces.Discrete[np.int64]:
        """The same object for the same agent, always."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deal anew and start the match.

        seed: fixes all deals of the match; None goes on with the environment's own generator. options may fix the first deal:
        `forehand` (seat), `hands` (one entry a seat: card names as text or list, or ids; None deals that hand at random), `talon` (six
        cards in dealt order), `forced` (Slovenian systems: the contract is set to all_beggars). What is not given is random. Raises
        ValueError for cards that are no deal, before anything changes.
        """
        if not isinstance(options, Mapping | None):
            raise ValueError(f"reset: options are {options!r}; give a dict with {', '.join(DEAL_OPTIONS)}")
        chosen = dict(options or {})
        for key in chosen.keys() - set(DEAL_OPTIONS):
            near = get_close_matches(str(key), DEAL_OPTIONS, 1)
            if near:  # others may be meant for a wrapper
                warn(f"reset: unknown option {key!r}; did you mean {near[0]}?", stacklevel=2)
        rng = self._rng if seed is None else np.random.default_rng(seed)
        state = rng.bit_generator.state
        try:
            single = self._dealt(rng, chosen)
        except TypeError as error:
            rng.bit_generator.state = state
            raise ValueError(f"reset: {error}; {WANTED}") from None
        except BaseException:
            rng.bit_generator.state = state
            raise
        self._rng = rng
        self.single = single
        self.deal_number = 1
        self.totals = [0] * self.rules.players
        self.rings = [0] * self.rules.players
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._rewarded = False  # whether `rewards` hold a payoff: in all other steps they are zeros already
        self.infos: dict[Agent, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._point()

    def step(self, action: int | None) -> None:
        """Take the action (an id) of `agent_selection`; None for a terminated agent.

        Raises ValueError naming seat, action and the legal names; the environment is then as it was.
        """
        agent = self.agent_selection
        if agent not in self.terminations:
            raise ValueError("step: the match is over; call reset() for the next one")
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.single.play(action if type(action) is int else self.single.as_action(action))
        self._cumulative_rewards[agent] = 0.0
        if self._rewarded:
            self._clear_rewards()
            self._rewarded = False
        if self.single.finished:
            self._end_deal()
            self._rewarded = True
            self._accumulate_rewards()
        else:
            self._point()
        if self.render_mode == "human":
            self.render()

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last turn, terminated, truncated, info of the agent to act. Raises ValueError after the match."""
        agent = self.agent_selection
        if agent not in self.terminations:
            raise ValueError("last: the match is over; call reset() for the next one")
        observation = self.observe(agent) if observe else None
        return observation, self._cumulative_rewards[agent], self.terminations[agent], self.truncations[agent], self.infos[agent]

    def observe(self, agent: Agent) -> Observation:
        """What an agent knows, whether it is to act or not."""
        seat = self._seats[agent]
        single = self.single
        observation, mask = np.empty(OBSERVATION_SIZE, np.float32), np.zeros(NUM_ACTIONS, np.int8)
        _observe(*single.rows, seat, self._row, SCALE, observation, mask)
        return {"observation": observation, "action_mask": mask}

    def render(self) -> str | None:
        """The table as text, everything open: returned for "ansi", printed for "human"."""
        if self.render_mode is None:
            warn("render: make the environment with render_mode='human' or 'ansi'", stacklevel=2)
            return None
        text = f"deal {self.deal_number} of {self.num_deals}, totals {' '.join(f'{total / SIXTHS:g}' for total in self.totals)}\n"
        text += render_deal(self.single)
        if self.render_mode == "ansi":
            return text
        print(text, flush=True)
        return None

    def close(self) -> None:
        """Nothing is held open."""

    def record(self, agent: Agent | None = None) -> Record:
        """The current deal as a deal record; with an agent, as that agent sees it."""
        record = record_of(self.single.deal, self.rules, self.single.actions, hands=self.single.deal_hands, rings=self.single.rings)
        return record if agent is None else view_of(record, self._seats[agent], open_hands=True)

    def action_name(self, action: int, agent: Agent | None = None) -> str:
        """Name of an action id in deal records, spoken by an agent (by default the one to act)."""
        return action_name(action, self._seats[agent or self.agent_selection], self.rules.players)

    def action_id(self, name: str, agent: Agent | None = None) -> int:
        """The reverse of `action_name`."""
        return action_id(name, self._seats[agent or self.agent_selection], self.rules.players)

    def _point(self) -> None:
        """Select the agent to act and refresh the infos where phase or deal is another one."""
        self.agent_selection = self.possible_agents[self.single.seat]
        now = {"phase": PHASES[self.single.phase], "deal": self.deal_number}
        if not now.items() <= self.infos[self.agent_selection].items():
            for info in self.infos.values():
                info.update(now)

    def _end_deal(self) -> None:
        """Pay the deal; start the next one or end the match."""
        single = self.single
        for seat, agent in enumerate(self.possible_agents):
            payoff = int(single.payoffs[seat])
            self.rewards[agent] = payoff / SIXTHS
            self.infos[agent] = {"phase": "done", "deal": self.deal_number, "payoff_sixths": payoff}
            self.totals[seat] += payoff
            self.rings[seat] = int(single.deals.rings[0, seat])
        if self.deal_number == self.num_deals:
            self._end_match()
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
            return
        self.deal_number += 1
        forehand = (int(single.deals.forehand[0]) + 1) % self.rules.players
        forced = forces_all_against_all(self.rules, self.totals)
        self.single = self._dealt(self._rng, {"forehand": forehand, "forced": forced}, self.totals, self.rings)
        self._point()

    def _end_match(self) -> None:
        """Settle open rings."""
        if self.num_deals == 1:  # a deal by itself is no match
            return
        settlement = ring_settlement(self.rules, self.rings)
        for seat, agent in enumerate(self.possible_agents):
            self.totals[seat] += settlement[seat]
            self.rewards[agent] += settlement[seat] / SIXTHS
            self.infos[agent]["match_sixths"] = self.totals[seat]

    def _dealt(
        self, rng: np.random.Generator, options: Mapping[str, Any], totals: Sequence[int] = (), rings: Sequence[int] = ()
    ) -> SingleDeal:
        """A deal: what the options fix, the rest from the generator. totals, rings: the match's so far.

        Where the rules throw in hands without tarocks, the deal that replaces such a one is forced, as they say.
        """
        players = self.rules.players
        drawn = int(rng.integers(players))
        hands_option = options.get("hands")
        given: Sequence[Hand] = [None] * players if hands_option is None else hands_option
        if len(given) != players:
            raise ValueError(f"reset: {len(given)} hands, {self.rules.id} has {players} players")
        fixed = [_cards(hand) for hand in given]
        talon = _cards(options.get("talon"))
        forehand = options.get("forehand")
        forced = bool(options.get("forced", False))
        hands, dealt_talon = self._hands(rng, fixed, talon)
        drawn_hands = [seat for seat, hand in enumerate(fixed) if hand is None]
        taken = sum(card < NUM_TAROCKS for cards in [*fixed, talon] if cards is not None for card in cards)
        enough = NUM_TAROCKS - taken >= len(drawn_hands)  # else no shuffle gives each of them one
        while self.rules.rings and enough and some_hand_without_tarocks([hands[seat] for seat in drawn_hands]):
            forced = True
            hands, dealt_talon = self._hands(rng, fixed, talon)
        return SingleDeal(self.rules, drawn if forehand is None else index(forehand), hands, dealt_talon, totals, rings, forced)

    def _hands(
        self, rng: np.random.Generator, fixed: Sequence[list[int] | None], talon: list[int] | None
    ) -> tuple[list[list[int]], list[int]]:
        """Hands and talon: the given ones, the others from a shuffled rest of the deck."""
        deck = rng.permutation(NUM_CARDS).tolist()
        used = {card for cards in [*fixed, talon] if cards is not None for card in cards}
        rest = iter([card for card in deck if card not in used])

        def filled(cards: list[int] | None, count: int) -> list[int]:
            return cards if cards is not None else [card for _, card in zip(range(count), rest, strict=False)]

        hands = [filled(cards, self.rules.hand_size) for cards in fixed]
        dealt_talon = filled(talon, 6)
        check_cards(self.rules, hands, dealt_talon)
        return hands, dealt_talon


def _cards(cards: Hand) -> list[int] | None:
    """Card ids of a hand given as text, names or ids."""
    if cards is None:
        return None
    names = cards.split() if isinstance(cards, str) else cards
    return [card_id(card) if isinstance(card, str) else index(card) for card in names]


@kernel
def _observe(deals, tables, seat, row, scale, observation, mask):  # type: ignore[no-untyped-def]
    """What a seat of the one deal knows, whether it is to act or not; the mask is left alone where it is not.

    row (F,) uint8 and observation (F,) float32, the row times its scale (F,), are overwritten; mask (A,) int8 comes as zeros.
    """
    deal = deals[0]
    rules = tables[0]
    row[:] = 0
    encode_cards(deal, rules, seat, row)
    encode_trick(deal, rules, seat, row)
    encode_seats(deal, rules, seat, row)
    encode_contract(deal, rules, seat, row)
    for feature in range(len(row)):
        observation[feature] = row[feature] * scale[feature]
    if seat == deal.seat:
        encode_mask(deal, mask)
