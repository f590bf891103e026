"""A few deals as a person reads them, for TensorBoard's text tab."""

from __future__ import annotations

import numpy as np

from agents.base import Bot
from tarock_env.engine.view import make_views
from tarock_env.render import render_record
from tarock_env.replay import record_of
from tarock_env.rules import Rules
from tarock_env.single_deal import SingleDeal


def played_deal(rules: Rules, bot: Bot, rng: np.random.Generator) -> str:
    """One random deal with `bot` in every seat: hands, what was said and played, the result."""
    deck = rng.permutation(54)
    seats = [sorted(deck[6 + seat * rules.hand_size : 6 + (seat + 1) * rules.hand_size].tolist()) for seat in range(rules.players)]
    single = SingleDeal(rules, int(rng.integers(rules.players)), seats, deck[:6].tolist())
    while not single.finished:
        views = make_views(single.deals, single.tables, np.zeros(1, np.int64))
        single.play(int(bot.act(views, single.tables, rng)[0]))
    return render_record(record_of(single.deal, rules, single.actions))


def sample_deals(rules: Rules, bot: Bot, seed: int, count: int) -> str:
    """`count` deals as Markdown code blocks."""
    rng = np.random.default_rng(seed)
    return "\n\n".join("    " + played_deal(rules, bot, rng).rstrip().replace("\n", "\n    ") for _ in range(count))
