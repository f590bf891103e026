"""Games about every trick: the declarer plays what surely wins, the others keep what can still beat him."""

from __future__ import annotations

import numpy as np

from agents.rule.knowledge import outlook
from agents.rule.negative import declarer_takes
from tarock_env.engine.bits import SUIT_MASKS, above, lowest, size, suit_of, without_lowest
from tarock_env.engine.jit import kernel

GUARD = 0.7  # how fast a card's hope to win falls with every higher card of its suit unseen


@kernel
def hope(know, card):
    """How much a card can be hoped to win later on."""
    return np.exp(-GUARD * size(know.unseen & SUIT_MASKS[suit_of(card)] & above(card)))


@kernel
def score_for_slam(view, rules, know, card):
    """Declarer: win the trick; long suits and tarocks first, so that the others run out. Others: beat it, or keep the guards."""
    if view.seat == view.declarer:
        itself = outlook(view, rules, know, card)[1]
        length = size(view.hands[view.seat] & SUIT_MASKS[suit_of(card)])
        return itself + 0.002 * length - (0.0 if view.trick_size == 0 else 0.02 * hope(know, card))
    return -declarer_takes(view, rules, know, card) - 0.2 * hope(know, card)


@kernel
def play_for_slam(view, rules, know):
    """The card to play in a slam."""
    chosen, best = -1, -1e9
    legal = view.legal[0]
    while legal:
        card = lowest(legal)
        legal = without_lowest(legal)
        score = score_for_slam(view, rules, know, card)
        if score > best + 1e-9:
            chosen, best = card, score
    return chosen
