"""The search bot: an exported policy that looks ahead in sampled worlds, `search:file:PATH@worlds=32`.

Three parts, each an option of the spec:

    worlds     complete deals drawn for a decision (agents.sampler)                                         32
    history    weigh worlds by how likely the policy would have bid and played as the other seats did;
               the last so many cards of each seat count (agents.history); 0: all worlds count alike        0
    endgame    exact values of every card by the solver in the last so many tricks; 0: none                  4
               (all against all: at most four)
    eta        before the endgame: one damped policy update from policy roll-outs (agents.rollout); 0: none  4
    critic     1: roll-outs end where the seat decides again, with what the critic expects; 0: with the deal 1
    candidates actions rolled out, the policy's most likely ones; others keep the policy's chance            3
    share      actions below this chance are not rolled out; with one candidate left the policy stands       0.1

The update is pi_new(a) ~ pi(a) * exp(eta * (Q(a) - V) / sd): Q(a) the weighted mean payoff of a, V that of the policy over the
candidates, sd the weighted standard deviation of payoffs over worlds and candidates. The most likely action of pi_new is played. The
critic sees all cards, but those of sampled worlds: what the seat cannot know stays out. There is no deeper tree, and the work is counted,
never timed: worlds times candidates. Where the sampler finds no worlds the policy decides.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.base import load_bot
from agents.history import log_likelihoods, world_weights
from agents.network import PolicyNetwork, masked_probabilities
from agents.policy_bot import PolicyBot, load_critic
from agents.rollout import rollout_payoffs
from agents.sampler import sample_worlds
from agents.solver import ILLEGAL, solve
from agents.sparse import hashes_of
from agents.views import observe_views, record_bytes
from agents.weights import BotFileError
from tarock_env.engine.state import PLAY, Deals


@dataclass(frozen=True)
class SearchBudget:
    """What a decision may cost, and which parts of the search are on; the module says what each number means."""

    worlds: int = 32
    history: int = 0
    endgame: int = 4
    eta: float = 4.0
    critic: int = 1
    candidates: int = 3
    share: float = 0.1

    @property
    def asks_critic(self) -> bool:
        """Whether a bot with this budget needs a critic."""
        return self.eta > 0 and self.critic > 0


@dataclass(frozen=True)
class Lookahead:
    """A decision that roll-outs are needed for. row: of its view. candidates, chances: (C,). worlds, weights: (n,)."""

    row: int
    candidates: NDArray[np.int64]
    chances: NDArray[np.float64]
    worlds: Deals
    weights: NDArray[np.float64]


AT_ONCE = 64  # decisions whose roll-outs go in lockstep: bounds memory
DEEPEST_ALONE = 4  # tricks solved where everybody plays alone: nothing can be cut off there, and five tricks take half a minute
LIMITS = {
    "worlds": (1, 10_000),
    "history": (0, 12),
    "endgame": (0, 6),
    "eta": (0, 1000),
    "critic": (0, 1),
    "candidates": (1, 256),
    "share": (0, 1),
}


class SearchBot:
    """Plays a policy with search at its root; no memory, chance from the given generator only.

    file: the policy's bot file, beside which its critic lies if the budget asks one. Raises BotFileError where that is missing.
    """

    def __init__(self, network: PolicyNetwork, budget: SearchBudget, name: str, file: Path | None) -> None:
        self.name = name
        self.network = network
        self.budget = budget
        if budget.asks_critic and file is None:
            raise BotFileError(f"{name}: a policy that was not read from a file has no critic beside it")
        self.critic = load_critic(file) if file is not None and budget.asks_critic else None

    def act(self, deals: Any, tables: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        """(n,) actions for (n,) views; see agents.base.Bot. One number is drawn from `rng`, whatever is searched.

        Equal views are searched once: on duplicate deals many tables are still alike.
        """
        hashes = hashes_of(record_bytes(deals))
        _, first, back = np.unique(hashes, return_index=True, return_inverse=True)
        # From the view alone, so that a decision does not depend on what else is decided beside it.
        drawn = int(rng.integers(2**63))
        seeds = [drawn ^ int(number) for number in hashes[first] >> np.uint64(1)]
        return self._act(deals[first].view(np.recarray), tables, seeds)[back]

    def _act(self, views: Deals, tables: np.recarray, seeds: list[int]) -> NDArray[np.int64]:
        observation, mask = observe_views(views, tables)
        chances = masked_probabilities(self.network.logits(observation), mask)
        actions: NDArray[np.int64] = chances.argmax(axis=1)
        waiting: list[Lookahead] = []
        for row in np.flatnonzero(mask.sum(axis=1) > 1):
            found = self._search(views, int(row), tables, chances[row].astype(np.float64), seeds[row])
            if isinstance(found, Lookahead):
                waiting.append(found)
            else:
                actions[row] = found
        for start in range(0, len(waiting), AT_ONCE):
            batch = waiting[start : start + AT_ONCE]
            paid = rollout_payoffs([(one.worlds, one.candidates) for one in batch], tables, self.network, self.critic)
            for one, payoffs in zip(batch, paid, strict=True):
                actions[one.row] = one.candidates[updated_policy(one.chances, payoffs, one.weights, self.budget.eta).argmax()]
        return actions

    def _search(self, views: Deals, row: int, tables: np.recarray, chances: NDArray[np.float64], seed: int) -> int | Lookahead:
        """The action for view `row`, whose policy is `chances` (A,), or what has to be rolled out to find it."""
        view, budget = views[row], self.budget
        plain = int(chances.argmax())
        left = int(tables[view.rules_id].num_tricks) - int(view.trick_number)
        depth = budget.endgame if view.declarer >= 0 else min(budget.endgame, DEEPEST_ALONE)
        exact = view.phase == PLAY and left <= depth
        candidates = self.candidates(chances)
        if not exact and (budget.eta == 0 or len(candidates) < 2):
            return plain
        try:
            worlds = sample_worlds(views, row, tables, budget.worlds, seed)
        except ValueError:  # no deal fits: a view that no deal has
            return plain
        weights = np.full(len(worlds), 1 / len(worlds))
        if budget.history:
            weights = world_weights(log_likelihoods(worlds, tables, self.network, budget.history))
        if not exact:
            return Lookahead(row, candidates, chances[candidates], worlds, weights)
        values = solve(worlds, tables)
        legal = np.flatnonzero(values[0] != ILLEGAL)
        return best_of(legal, weights @ values[:, legal], chances)

    def candidates(self, chances: NDArray[np.float64]) -> NDArray[np.int64]:
        """The policy's most likely actions, best first: at most `candidates`, none below `share`, and none that is illegal."""
        order = np.argsort(-chances, kind="stable")[: self.budget.candidates]
        return np.asarray(order[(chances[order] >= min(self.budget.share, chances[order[0]])) & (chances[order] > 0)])


def best_of(actions: NDArray[np.int64], values: NDArray[np.float64], chances: NDArray[np.float64]) -> int:
    """The action with the highest value; among those that are equal but for rounding, the policy's most likely one."""
    equal = actions[values >= values.max() - 1e-6]
    return int(equal[chances[equal].argmax()])


def updated_policy(
    chances: NDArray[np.float64], payoffs: NDArray[np.float64], weights: NDArray[np.float64], eta: float
) -> NDArray[np.float64]:
    """(C,) pi_new ~ pi * exp(eta * advantage / sd), sum 1; see the module.

    chances: (C,) pi over the candidates. payoffs: (n, C). weights: (n,) with sum 1.
    """
    prior: NDArray[np.float64] = chances / chances.sum()
    values = weights @ payoffs
    baseline = prior @ values
    sd = np.sqrt(weights @ np.square(payoffs - baseline) @ prior)
    if sd == 0:
        return prior
    with np.errstate(divide="ignore"):  # a chance of 0 stays one, whatever the roll-outs pay
        logits = np.log(prior) + eta * (values - baseline) / sd
    updated = np.exp(logits - logits.max())
    return np.asarray(updated / updated.sum())


def load(argument: str) -> SearchBot:
    """The bot of `search:BOT@worlds=100,history=3`, BOT being `file:PATH` or `run:RUNDIR[@iteration]`. Raises ValueError of one line."""
    spec, _, options = argument.rpartition("@") if "=" in argument.rpartition("@")[2] else (argument, "", "")
    policy = load_bot(spec) if spec.startswith(("file:", "run:")) else None
    if not isinstance(policy, PolicyBot):
        raise ValueError(f"bot 'search:{argument}': {spec} has no policy to search with; name file:PATH or run:RUNDIR[@iteration]")
    where = f"bot 'search:{argument}'"
    budget = read_budget(options, where)
    try:
        return SearchBot(policy.network, budget, f"search:{policy.name}", policy.file)
    except BotFileError as error:
        raise BotFileError(f"{where}: {error}; without its critic: critic=0 or eta=0") from None


def read_budget(options: str, where: str) -> SearchBudget:
    """`worlds=100,history=3` -> SearchBudget. Raises ValueError of one line that begins with `where`."""
    known: dict[str, Any] = {field.name: type(getattr(SearchBudget(), field.name)) for field in fields(SearchBudget)}
    chosen: dict[str, Any] = {}
    for option in filter(None, options.split(",")):
        name, _, text = option.partition("=")
        if name not in known:
            near = get_close_matches(name, known, n=1)
            raise ValueError(f"{where}: unknown option {name}{f'; did you mean {near[0]}?' if near else ''} Known: {', '.join(known)}")
        if name in chosen:
            raise ValueError(f"{where}: {name} is given twice")
        low, high = LIMITS[name]
        try:
            value = known[name](text)
        except ValueError:
            value = high + 1
        if not low <= value <= high:
            raise ValueError(f"{where}: {name}={text}; allowed are {low} to {high}")
        chosen[name] = value
    return SearchBudget(**chosen)
