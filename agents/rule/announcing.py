"""Announcements and kontras."""
from tarock_env.actions import GOOD
from tarock_env.engine.jit import kernel


@kernel
def choose_announcement(view, rules):
    return GOOD
