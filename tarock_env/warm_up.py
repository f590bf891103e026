"""Compile the kernels once: `python -m tarock_env.warm_up`, or `warm_up()` before starting worker processes.

Compiled kernels are kept on disk (engine/jit.py) until a source changes. Processes that start while the cache is empty would all compile
the same for a minute; after this they only read.
"""

import sys

import numpy as np

from tarock_env.actions import NUM_ACTIONS
from tarock_env.arrays import decision_rows, records_to_arrays
from tarock_env.batch import DealBatch
from tarock_env.coverage import CoveragePlay
from tarock_env.engine.chance import new_streams
from tarock_env.engine.jit import tell_compiling
from tarock_env.engine.view import make_views
from tarock_env.observation import HIDDEN_SIZE, OBSERVATION_SIZE
from tarock_env.replay import record_of, view_of
from tarock_env.rules import load_rules
from tarock_env.single_deal import SingleDeal, dealt_hands
from tarock_env.view_text import view_deal


def warm_up() -> None:
    """Run every kernel that batches, records, views, arrays and environments use, on a few deals of one system."""
    rules = load_rules("juegatu")
    batch = DealBatch(4, rules, seed=0)
    observation = np.zeros((4, OBSERVATION_SIZE), np.uint8)
    mask = np.zeros((4, NUM_ACTIONS), np.bool_)
    hidden = np.zeros((4, HIDDEN_SIZE), np.uint8)
    while not batch.finished.all():
        batch.observe(observation, mask, hidden)
        make_views(batch.deals, batch.tables)
        batch.step(batch.random_actions())
    batch.next_deals(np.arange(4))
    play = CoveragePlay(rules, 4)
    play.play(new_streams(0, 4))
    deal = play.deals[0]
    single = SingleDeal(rules, int(deal.forehand), dealt_hands(deal), deal.talon.tolist())
    view_deal(view_of(record_of(single.deal, rules, []), single.seat))
    while not single.finished:
        single.play(int(single.legal_mask().argmax()))
    decision_rows(records_to_arrays([record_of(single.deal, rules, single.actions)], rules))


if __name__ == "__main__":
    print("compiling the kernels (once; about a minute on two free cores)", file=sys.stderr, flush=True)
    if not sys.stderr.isatty():  # at a terminal it is told by itself
        tell_compiling()
    warm_up()
