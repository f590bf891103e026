"""Random decisions a second in full-length deals of Slovenian Tarok for four: our kernels and OpenSpiel's Python binding, one thread each.

    python -m tests.benchmarks.openspiel_speed [SECONDS]

Full-length: contracts that are played to the last trick (All Beggars, Calls, exchange Solos). OpenSpiel's random bidding would end in
its highest contract, whose deals end with the first lost trick; so three players pass there and forehand picks one of the seven.
"""

from __future__ import annotations

import random
import sys
import time
from dataclasses import replace

import pyspiel

from tarock_env.batch import play_random
from tarock_env.engine.chance import new_streams
from tarock_env.engine.state import new_deals
from tarock_env.rules import Rules, load_rules
from tarock_env.rules.table import rules_table

NUM_DEALS = 256


def full_length_rules() -> Rules:
    """Slovenian Tarok for four without what ends a deal early: slams, beggars, an announced Slam."""
    rules = load_rules("slovenian4")
    contracts = [contract for contract in rules.contracts if contract.talon or contract.name == "all_beggars"]
    quiet = [replace(contract, bonuses=tuple(b for b in contract.bonuses if b != "valat"), may_raise=False) for contract in contracts]
    return replace(rules, contracts=tuple(quiet))


def our_speed(seconds: float) -> tuple[float, float]:
    """(decisions a second, decisions a deal) of `play_random`."""
    deals, tables, streams = new_deals(NUM_DEALS), rules_table(full_length_rules()), new_streams(1, NUM_DEALS)
    play_random(deals, tables, streams, 0, NUM_DEALS, 1)  # compile
    decisions, rounds, begin = 0, 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        decisions += play_random(deals, tables, streams, 0, NUM_DEALS, 4)
        rounds += 4
    return decisions / (time.perf_counter() - begin), decisions / (rounds * NUM_DEALS)


def their_speed(seconds: float) -> tuple[float, float]:
    """(decisions a second, decisions a deal) of OpenSpiel driven from Python."""
    game = pyspiel.load_game("tarok(players=4,rng_seed=1)")
    rng = random.Random(1)
    decisions, deals, begin = 0, 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        state = game.new_initial_state()
        state.apply_action(0)
        for bid in (0, 0, 0, 1 + int(rng.random() * 7)):
            state.apply_action(bid)
        decisions += 4
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[int(rng.random() * len(legal))])
            decisions += 1
        deals += 1
    return decisions / (time.perf_counter() - begin), decisions / deals


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    ours, theirs = our_speed(seconds), their_speed(seconds)
    for name, (speed, length) in (("tarock_env.batch.play_random", ours), ("OpenSpiel tarok from Python", theirs)):
        print(f"{name:30} {speed:12,.0f} decisions/s   {length:5.1f} decisions a deal")
    print(f"ratio {ours[0] / theirs[0]:.1f}")


if __name__ == "__main__":
    main()
