import numpy as np
import pytest

from agents.base import load_bot
from agents.gain import gain_over, seat_payoffs
from tarock_env.rules import load_rules


@pytest.mark.parametrize("system", ["juegatu", "slovenian3"])
def test_a_bot_gains_nothing_over_itself(system):
    rule = load_bot("rule")
    payoffs = seat_payoffs([load_bot("rule"), rule], rule, load_rules(system), 40, seed=1)
    assert payoffs.shape == (2, 40, load_rules(system).players)
    np.testing.assert_array_equal(payoffs[0], payoffs[1])  # alone in each seat among itself: the same games, played one by one
    gain = gain_over(payoffs[0], payoffs[1], 1)
    assert (gain.points, gain.low, gain.high, gain.in_sd) == (0, 0, 0, 0)


def test_the_better_bot_gains_in_the_seat_of_the_worse():
    random = load_bot("random")
    payoffs = seat_payoffs([load_bot("rule"), random], random, load_rules("juegatu"), 300, seed=1)
    gain = gain_over(payoffs[0], payoffs[1], 1)
    assert gain.low > 0
    assert gain.in_sd == pytest.approx(gain.points / gain.sd)
    assert gain.deals == 300
    assert "300 duplicate deals" in gain.shown()


def test_deals_and_draws_do_not_depend_on_who_else_is_measured():
    rules, random, rule = load_rules("juegatu"), load_bot("random"), load_bot("rule")
    alone = seat_payoffs([random], rule, rules, 20, seed=3)
    together = seat_payoffs([rule, random], rule, rules, 20, seed=3)
    np.testing.assert_array_equal(alone[0], together[1])
