"""Kinds of contracts where card points, slams or rings count: the families that graded_fits knows. Told by features alone."""

from __future__ import annotations

from agents.rule.knowledge import FEWEST_POINTS
from tarock_env.engine.exchange import CALLS_TAROCK, STAGED, UNUSED
from tarock_env.engine.jit import kernel
from tarock_env.engine.play import SLAM, TRICKS
from tarock_env.engine.score import ADDED, MULTIPLIED
from tarock_env.rules.schema import FewestPoints, Play

COLOUR = int(Play.COLOUR)
OWN_POINTS, LOSER_BY_POINTS = int(FewestPoints.OWN_POINTS), int(FewestPoints.LOSER_BY_POINTS)
FOUR_SEATS, THREE_SEATS, DUTIES = range(3)  # groups of rule systems

KINDS = (
    # four seats
    "call_three", "call_two", "call_one", "solo_three", "solo_two", "solo_one", "solo_without", "beggar", "beggar_exposed",
    "colour_slam", "slam", "all_beggars",
    # three seats
    "solo_three_of_three", "solo_two_of_three", "solo_one_of_three", "solo_without_of_three", "beggar_of_three",
    "beggar_exposed_of_three", "colour_slam_of_three", "slam_of_three", "all_beggars_of_three",
    # points over half multiplied
    "duty", "duty_with_bird", "dreier", "solo", "warsaw", "duty_alone",
)  # fmt: skip
NUM_KINDS = len(KINDS)
(CALL_THREE, CALL_TWO, CALL_ONE, SOLO_THREE, SOLO_TWO, SOLO_ONE, SOLO_WITHOUT, BEGGAR, BEGGAR_EXPOSED, COLOUR_SLAM,
 SLAM_KIND, ALL_BEGGARS) = range(12)  # fmt: skip
OF_THREE = 9  # from a kind without a call to its like for three seats
DUTY, DUTY_WITH_BIRD, DREIER, SOLO, WARSAW, DUTY_ALONE = range(21, 27)


@kernel
def counts_points(rules):
    """Whether passing has a price: in all-against-all everybody pays for his points, and a game passed pays by its points."""
    return rules.fewest_scheme >= OWN_POINTS


@kernel
def group_of(rules):
    """The group of a rule system for what is fitted by system."""
    if rules.num_seats == 3:
        return THREE_SEATS
    return DUTIES if rules.fewest_scheme == LOSER_BY_POINTS else FOUR_SEATS


@kernel
def kind_of(rules, contract):
    """The kind of a contract; -1 for those that hand.family_of knows."""
    goal = rules.goal[contract]
    three = OF_THREE if rules.num_seats == 3 else 0
    if goal == FEWEST_POINTS:
        if rules.fewest_scheme == LOSER_BY_POINTS:
            return WARSAW
        return ALL_BEGGARS + three if rules.fewest_scheme == OWN_POINTS else -1
    if goal == TRICKS:
        if not rules.pagat_waits_for_all:
            return -1
        return (BEGGAR_EXPOSED if rules.shown[contract] else BEGGAR) + three
    if goal == SLAM:
        return (COLOUR_SLAM if rules.play[contract] == COLOUR else SLAM_KIND) + three
    if rules.difference[contract] == MULTIPLIED:
        if rules.calls[contract] == CALLS_TAROCK:
            return DUTY_WITH_BIRD if rules.bird[contract] else DUTY
        return DREIER if rules.talon[contract] == STAGED else SOLO
    if rules.difference[contract] == ADDED:
        group = min(max(3 - rules.talon_group[contract], 0), 2)
        return CALL_THREE + group if rules.calls[contract] else SOLO_THREE + group + three
    return SOLO_WITHOUT + three if rules.ring[contract] and rules.talon[contract] == UNUSED else -1
