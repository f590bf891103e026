"""Fitted numbers."""

from __future__ import annotations
import numpy as np
from agents.rule.hand import NUM_FEATURES
from agents.rule.kinds import NUM_KINDS

WIN = np.zeros((NUM_KINDS, NUM_FEATURES))
DIFFERENCE = np.zeros((NUM_KINDS, NUM_FEATURES))
BONUS = np.zeros((NUM_KINDS, NUM_FEATURES))
PASSING = np.zeros((3, 3, NUM_FEATURES))
STAGED_POINTS = np.zeros(NUM_FEATURES + 1)
ITEM = np.zeros((3, 4, 5, NUM_FEATURES))
ITEM[:, :, :, 0] = -5.0
WIN[:, 0] = -5.0
ROLE_CHANCE = np.zeros((6, 3, NUM_FEATURES))
SHIFT = np.zeros((NUM_KINDS, 2, 2))
