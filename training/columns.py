"""Names of the columns of a training batch beyond RLlib's own, and the phases of a decision.

A row is one decision of a learning seat. Rows of all seats and deals stand in the order in which they were taken.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarock_env.actions import CALL, DISCARD, GOOD, NUM_ACTIONS, TALON

HIDDEN = "hidden"  # (N, H) uint8: what only the critic sees
LEGAL_ACTIONS = "legal_actions"  # (N, MAX_LEGAL) int16: the legal actions in ascending order, then -1
MAX_LEGAL = 64  # a bidder has the most to choose from: 48 contracts, a pass and a few more
PHASE = "phase"  # (N,) uint8, index into PHASES
PAYOFF = "payoff"  # (N,) float32: the engine's payoff of the seat, in points
SYSTEM = "system"  # (N,) uint8: index of the rule system in the run's list
SPREAD = "spread"  # (N,) float32: mean absolute deviation of the payoff that the critic expects here, in points
ENDGAME = "endgame"  # (N, ENDGAME_CARDS) float32: values of the legal cards, see endgames.EndgameJudge
TEACHER = "teacher"  # (N,) int16: what the teacher would have bid here, -1 where it was not asked
ENDGAME_CARDS = 4  # at most in hand where endgames are judged
ACTION_MASK = "action_mask"  # (N, A) bool: what RLlib's inference gives the module
# outputs of the module
VALUE_LOGITS = "value_logits"
Q_VALUES = "q_values"  # (B, A)
Q_TAKEN = "q_taken"  # (B,): of the action taken
MAGNET_LOGITS = "magnet_logits"

PHASES = ("auction", "exchange", "announce", "play")
AUCTION, EXCHANGE, ANNOUNCE, PLAY = range(4)
BIDS = (AUCTION, ANNOUNCE)  # what seats say they will do: contracts; bonuses and kontras


def _phase_of_action() -> NDArray[np.uint8]:
    """(A,) phase of a decision by the action taken: the ids are laid out by phase (tarock_env/actions.py)."""
    phase = np.full(NUM_ACTIONS, ANNOUNCE, np.uint8)
    phase[:DISCARD] = PLAY
    phase[DISCARD : 2 * DISCARD] = EXCHANGE
    phase[2 * DISCARD : GOOD] = AUCTION
    phase[GOOD] = ANNOUNCE
    phase[GOOD + 1 : CALL] = AUCTION  # variants of Trischaken are chosen by the bidder
    phase[CALL : TALON + 11] = EXCHANGE  # call a king, take a talon half, concede, take, expose, return, raise
    return phase


PHASE_OF_ACTION = _phase_of_action()
