"""How doublings are written in settlements."""

from tarock_env.render import factors


def test_what_is_not_doubled_is_not_mentioned():
    assert factors(1) == ""
    assert factors([1, 1, 1, 1]) == ""


def test_doublings_of_one_and_of_each_opponent():
    assert factors(4) == "x4"
    assert factors([2, 1, 1, 4]) == "0:x2 3:x4"
