"""The rule bot as kernels: a view and its rules in, an action id out."""

from __future__ import annotations

from agents.rule.announcing import choose_announcement
from agents.rule.bids import choose_bid, choose_bird
from agents.rule.exchange import choose_call, choose_discard, choose_talon, choose_terms
from agents.rule.graded import call_by_worth, choose_raise, choose_staged, convert
from agents.rule.kinds import kind_of
from agents.rule.knowledge import NEGATIVE, fill_knowledge
from agents.rule.negative import play_negative
from agents.rule.slams import play_for_slam
from agents.rule.tricks import play_for_points
from tarock_env.engine.jit import kernel
from tarock_env.engine.play import SLAM
from tarock_env.engine.state import (
    ANNOUNCE, AUCTION, CALL, CHOOSE_BEAT, CHOOSE_TALON, DISCARD, KONTRA, NAME_BIRD, PLAY, RAISE, STAGED, TALON, WARSAW,
)  # fmt: skip
from tarock_env.engine.step import legal_at, only_legal


@kernel
def decide(view, rules, know, weights):
    """The rule bot's action for the acting seat of a view. `know`: a KNOW record to work in."""
    forced = only_legal(view)
    if forced >= 0:
        return forced
    phase = view.phase
    if phase == PLAY:
        fill_knowledge(view, rules, know)
        if rules.play[view.contract] == NEGATIVE:
            return play_negative(view, rules, know, weights)
        if rules.goal[view.contract] == SLAM:
            return play_for_slam(view, rules, know)
        return play_for_points(view, rules, know, weights)
    if phase == DISCARD:
        return choose_discard(view, rules, weights)
    if phase == AUCTION:
        return choose_bid(view, rules, weights)
    if phase == ANNOUNCE or phase == KONTRA:
        return choose_announcement(view, rules, weights)
    if phase == CALL:
        if kind_of(rules, view.contract) >= 0:
            return call_by_worth(view, rules, weights)
        return choose_call(view, weights)
    if phase == TALON:
        return choose_talon(view, rules, weights)
    if phase == CHOOSE_BEAT or phase == CHOOSE_TALON:
        return choose_terms(view, weights)
    if phase == NAME_BIRD:
        return choose_bird(view, rules, weights)
    if phase == WARSAW:
        return convert(view, rules)
    if phase == STAGED:
        return choose_staged(view, rules, weights)
    if phase == RAISE:
        return choose_raise(view, rules)
    return legal_at(view, 0)


@kernel
def rule_actions(views, tables, weights, know, out):
    """out[i] = the action for views[i]; -1 for finished deals. know: (1,) KNOW, scratch."""
    for row in range(len(views)):
        view = views[row]
        out[row] = decide(view, tables[view.rules_id], know[0], weights) if view.seat >= 0 else -1
