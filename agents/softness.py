"""What a level is: one number, `softness`, and the distribution over moves that follows from it.

    pi(a) ~ prior(a)^(1/T) * exp(-max(0, regret(a) - delta) / lambda)     over the moves that the caps allow

prior: the policy of the strong network. regret: what the network's own action values say a move loses against the move that the policy
likes best, in *units* (the standard deviation of a seat's payoff when strong bots play, by system, so that one map serves all systems).
The reference is the policy's choice and not the highest action value: values are learnt from outcomes of moves that were played, and a
maximum over moves that hardly ever were would pick their errors.

In calls of the auction, announcements and kontras (*bids*) the action values are too coarse (DECISIONS, "Levels"): there the prior alone
decides, at a lower temperature, and the cap is one on odds.

Softness s runs from 0 (the policy's choice, always) to 1; everything grows with it:

    T        = 6 s            cards, exchange, call           bid T = 1.5 s
    delta    = 0.02 s         regret that costs nothing       lambda = 0.20 s
    cap      = 0.02 + 0.43 s  regret beyond which a move is never chosen
    bid odds = 1 + 3 s        a bid less likely than the best by more than this many nats is never chosen

The cap shrinks in the last LATE_TRICKS tricks, in proportion to the tricks left, and is halved where the policy gives one move at least
CLEAR: a blunder there is what people remember. The policy's choice is always allowed.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.sparse import Floats
from tarock_env.actions import ANNOUNCE as ANNOUNCE_ACTION
from tarock_env.actions import BID, NUM_CONTRACT_SLOTS, PASS
from tarock_env.actions import KONTRA as KONTRA_ACTION
from tarock_env.actions import RAISE as RAISE_ACTION
from tarock_env.engine.jit import kernel
from tarock_env.engine.state import ANNOUNCE, AUCTION, KONTRA, NAME_BIRD, PLAY, RAISE, WARSAW

BID_PHASES = np.array([AUCTION, NAME_BIRD, WARSAW, RAISE, ANNOUNCE, KONTRA])
LATE_TRICKS = 4
CLEAR, CLEAR_FACTOR = 0.95, 0.5
# Logits by which a risk setting lifts bids against passing, high games against the lowest, and announcements against none.
RISKS = {"cautious": -1.5, "normal": 0.0, "bold": 1.5}


@dataclass(frozen=True)
class Setting:
    """What a softness comes to; regrets in units, `bid_odds` in nats. See the module's text."""

    temperature: float
    bid_temperature: float
    delta: float
    scale: float
    cap: float
    bid_odds: float


def setting_of(softness: float) -> Setting:
    """The map of the module's text. Raises ValueError outside 0..1."""
    if not 0.0 <= softness <= 1.0:
        raise ValueError(f"softness is {softness}; it lies between 0 and 1")
    return Setting(
        temperature=6.0 * softness,
        bid_temperature=1.5 * softness,
        delta=0.02 * softness,
        scale=0.20 * softness,
        cap=0.02 + 0.43 * softness,
        bid_odds=1.0 + 3.0 * softness,
    )


@kernel
def _fill_probabilities(logits, losses, mask, bids, tightness, temperatures, delta, scale, cap, bid_odds, out):
    """out[i]: the formula for row i. losses: regrets; temperatures: (2,) of moves and of bids, above 0."""
    actions = logits.shape[1]
    for row in range(len(logits)):
        best = highest_legal(logits[row], mask[row])
        total = 0.0
        for action in range(actions):
            out[row, action] = 0
            if not mask[row, action]:
                continue
            score = (logits[row, action] - logits[row, best]) / temperatures[int(bids[row])]
            if bids[row]:
                capped = logits[row, action] < logits[row, best] - bid_odds
            else:
                capped = losses[row, action] > cap * tightness[row]
                score -= max(0.0, losses[row, action] - delta) / scale
            if action == best:
                out[row, action] = 1
            elif not capped:
                out[row, action] = math.exp(score)
            total += out[row, action]
        for action in range(actions):
            out[row, action] /= total


@kernel
def highest_legal(logits, mask):
    """The first legal action of the highest logit of one row."""
    best = -1
    for action in range(len(logits)):
        if mask[action] and (best < 0 or logits[action] > logits[best]):
            best = action
    return best


@kernel
def _fill_regrets(values, logits, mask, unit, out):
    for row in range(len(values)):
        best = highest_legal(logits[row], mask[row])
        for action in range(values.shape[1]):
            out[row, action] = max(0.0, (values[row, best] - values[row, action]) / unit) if mask[row, action] else 0.0


@kernel
def _fill_clear(logits, mask, share, out):
    """out[i]: whether one legal move of row i has at least this share of the probability."""
    for row in range(len(logits)):
        best = highest_legal(logits[row], mask[row])
        total = 0.0
        for action in range(logits.shape[1]):
            if mask[row, action]:
                total += math.exp(logits[row, action] - logits[row, best])
        out[row] = total * share <= 1


def move_probabilities(
    logits: Floats, regrets: Floats, mask: NDArray[np.bool_], bids: NDArray[np.bool_], tightness: Floats, setting: Setting
) -> Floats:
    """The formula of the module's text: (B, A) probabilities, exactly 0 for illegal and capped moves.

    logits: (B, A) of the policy, not masked. regrets: (B, A) in units, read where bids is False. mask: (B, A) legal, at least one a row.
    bids: (B,) rows that the prior alone decides. tightness: (B,) in (0, 1], multiplies the cap.
    """
    if setting.temperature <= 0:
        greedy = np.zeros(mask.shape, np.float32)
        greedy[np.arange(len(mask)), np.where(mask, logits, -np.inf).argmax(axis=1)] = 1
        return greedy
    out = np.empty(mask.shape, np.float32)
    temperatures = np.array([setting.temperature, setting.bid_temperature])
    _fill_probabilities(
        logits, regrets, mask, bids, tightness, temperatures, setting.delta, setting.scale, setting.cap, setting.bid_odds, out
    )  # fmt: skip
    return out


def regrets_of(values: Floats, logits: Floats, mask: NDArray[np.bool_], unit: float) -> Floats:
    """(B, A) what each legal move loses against the policy's choice, in units. values: (B, A) in points; unit: points for one."""
    regrets = np.empty(values.shape, np.float32)
    _fill_regrets(values, logits, mask, float(unit), regrets)
    return regrets


def bid_rows(deals: Any) -> NDArray[np.bool_]:
    """(B,) whether the decision is a bid: a call of the auction, an announcement, a kontra."""
    return np.isin(deals["phase"], BID_PHASES)


def cap_tightness(deals: Any, tables: Any, logits: Floats, mask: NDArray[np.bool_]) -> Floats:
    """(B,) what the cap is multiplied with: less in the last tricks and where the policy is sure of one move."""
    left = tables["num_tricks"][deals["rules_id"]].astype(np.float32) - deals["trick_number"]
    late = np.where(deals["phase"] == PLAY, np.clip(left / LATE_TRICKS, 1 / LATE_TRICKS, 1), 1)
    clear = np.empty(len(logits), np.bool_)
    _fill_clear(logits, mask, CLEAR, clear)
    return np.where(clear, late * CLEAR_FACTOR, late).astype(np.float32)


def shift_bids(logits: Floats, deals: Any, tables: Any, mask: NDArray[np.bool_], shift: float) -> Floats:
    """(B, A) logits with a risk setting's shift: once for bidding at all where one may pass, once more for more than the lowest game.

    Announcements and raises gain the same against saying nothing. Kontras stay: doubling is no matter of optimism about the own cards.
    """
    if not shift:
        return logits
    games = slice(BID, BID + NUM_CONTRACT_SLOTS)
    legal = mask[:, games]
    ranks = tables["rank"][deals["rules_id"]].astype(np.int64)
    lowest = np.where(legal, ranks, ranks.max() + 1).min(axis=1, keepdims=True)
    shifted = logits.copy()
    shifted[:, games] += shift * ((ranks > lowest) + mask[:, [PASS]].astype(np.int64))
    shifted[:, ANNOUNCE_ACTION:KONTRA_ACTION] += shift
    shifted[:, RAISE_ACTION] += shift
    return shifted
