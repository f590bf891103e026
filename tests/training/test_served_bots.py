"""Levels in the service: which bot answers depends on the rules of the view."""

from tarock_env.aec import raw_env
from tarock_env.view_text import parse_view
from training.served_bots import ServedBots


def test_a_level_is_the_one_of_the_rules_of_the_view():
    bots = ServedBots(["random"])
    assert 5 in bots.levels["juegatu"]  # (those below where they are fitted)
    game = raw_env("juegatu")
    game.reset(seed=1)
    view = parse_view(game.record(game.agent_selection).to_json())
    name, advice = bots.advise(None, 5, view, explain=True, seed=1)
    assert name == "level:5"
    assert advice.policy is not None
    assert advice.policy[advice.action] == 1  # level 5 plays its choice
    assert set(advice.values or {}) == set(advice.policy)
