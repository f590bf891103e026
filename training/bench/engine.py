"""Speed of what needs neither torch nor Ray: random play, observations, the PettingZoo loop, an exported bot.

A *decision* is a choice between two and more legal actions or a forced one where nothing else is said; random play counts all.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from statistics import median

import numpy as np

from tarock_env.actions import NUM_ACTIONS
from tarock_env.aec import env
from tarock_env.batch import DealBatch, play_random
from tarock_env.engine.chance import new_streams
from tarock_env.engine.state import new_deals
from tarock_env.observation import OBSERVATION_SIZE
from tarock_env.rules import SYSTEMS, Rules, load_rules
from tarock_env.rules.table import rules_table

SECONDS = 1.0  # of each measurement
DEALS = 2048
OBSERVED = 16_384  # rows of one call: handing half of them to another thread costs a tenth of a millisecond
SLICE = 4  # random deals a row between two looks at the clock
BOT_DECISIONS = 300
WARM_DEALS = 3  # of the PettingZoo loop, before the clock starts


def random_play_speed(rules: Rules, threads: int, seconds: float = SECONDS) -> float:
    """Decisions a second of uniformly random legal play in the kernels, deals and scores included."""
    deals, tables, streams = new_deals(DEALS), rules_table(rules), new_streams(1, DEALS)
    edges = np.linspace(0, DEALS, threads + 1).astype(int).tolist()
    spans = list(pairwise(edges))
    play_random(deals, tables, streams, 0, DEALS, 1)  # compile
    with ThreadPoolExecutor(threads) as pool:
        decisions, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            decisions += sum(pool.map(lambda span: int(play_random(deals, tables, streams, *span, SLICE)), spans))
        return decisions / (time.perf_counter() - start)


def slowest_random_play(threads: int, seconds: float = SECONDS / 2) -> tuple[str, float]:
    """The rule system with the slowest random play, and its decisions a second."""
    speeds = {system: random_play_speed(load_rules(system), threads, seconds) for system in SYSTEMS}
    slowest = min(speeds, key=lambda system: speeds[system])
    return slowest, speeds[slowest]


def observation_speed(rules: Rules, threads: int, seconds: float = SECONDS) -> float:
    """Rows a second of `DealBatch.observe`: observation and mask, deals in the middle of play."""
    batch = DealBatch(OBSERVED, rules, 1, threads=threads)
    observation = np.zeros((OBSERVED, OBSERVATION_SIZE), np.uint8)
    mask = np.zeros((OBSERVED, NUM_ACTIONS), np.bool_)
    for _ in range(16):
        batch.step(batch.random_actions())
    live = int((~batch.finished).sum())
    batch.observe(observation, mask)
    rows, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        batch.observe(observation, mask)
        rows += live
    return rows / (time.perf_counter() - start)


def aec_speed(rules: Rules, seconds: float = SECONDS) -> float:
    """Steps a second of the PettingZoo loop: last(), a random action of the mask, step()."""
    environment = env(rules)
    rng = np.random.default_rng(1)
    steps, deals = 0, 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds or deals < WARM_DEALS + 1:
        if deals == WARM_DEALS:  # all kernels are loaded by now
            steps, start = 0, time.perf_counter()
        environment.reset(seed=deals)
        deals += 1
        for _ in environment.agent_iter():
            observation, _, termination, truncation, _ = environment.last()
            if termination or truncation or observation is None:
                environment.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            environment.step(int(legal[int(rng.random() * len(legal))]))
            steps += 1
    return steps / (time.perf_counter() - start)


def full_length_rules() -> Rules:
    """Slovenian Tarok for four without what ends a deal early: slams, beggars, an announced Slam."""
    rules = load_rules("slovenian4")
    contracts = [contract for contract in rules.contracts if contract.talon or contract.name == "all_beggars"]
    quiet = [replace(contract, bonuses=tuple(b for b in contract.bonuses if b != "valat"), may_raise=False) for contract in contracts]
    return replace(rules, contracts=tuple(quiet))


def openspiel_speed(seconds: float = 2 * SECONDS) -> float | None:
    """Decisions a second of OpenSpiel's Slovenian Tarok driven from Python, on full-length deals; None where it is not installed.

    OpenSpiel's random bidding would end in its highest contract, whose deals end with the first lost trick; so three players pass
    and forehand picks one of the seven that are played to the last trick.
    """
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game("tarok(players=4,rng_seed=1)")
    rng = np.random.default_rng(1)
    decisions, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        state = game.new_initial_state()
        state.apply_action(0)
        for bid in (0, 0, 0, 1 + int(rng.random() * 7)):
            state.apply_action(bid)
        decisions += 4
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[int(rng.random() * len(legal))])
            decisions += 1
    return decisions / (time.perf_counter() - start)


START = """
import time; start = time.perf_counter()
import numpy as np
from tarock_env.actions import NUM_ACTIONS
from tarock_env.batch import DealBatch
from tarock_env.observation import OBSERVATION_SIZE
from tarock_env.rules import load_rules
batch = DealBatch(256, load_rules("juegatu"), 1)
observation, mask = np.zeros((256, OBSERVATION_SIZE), np.uint8), np.zeros((256, NUM_ACTIONS), np.bool_)
batch.observe(observation, mask)
batch.step(batch.random_actions())
print(time.perf_counter() - start)
"""


def start_seconds(cold: bool) -> float:
    """Seconds from the start of a fresh process's imports to its first stepped batch. cold: with an empty kernel cache."""
    with tempfile.TemporaryDirectory(prefix="tarock-bench-") as folder:
        environment = os.environ | ({"TAROCK_CACHE_DIR": folder} if cold else {})
        found = [float(_run(START, environment)) for _ in range(1 if cold else 3)]
    return median(found)


DECISION = """
import sys, time
from statistics import median
import numpy as np
from agents.base import load_bot
from tarock_env.batch import DealBatch
from tarock_env.engine.view import make_views
from tarock_env.rules import load_rules
batch, rng = DealBatch(1, load_rules("juegatu"), 1), np.random.default_rng(1)
if sys.argv[1] == "softened":  # a level whatever was fitted: the shipped network, half softened
    from agents.levels import LevelBot, strong_network, weights_of
    bot = LevelBot(strong_network("juegatu", weights_of("juegatu")), 0.5, 20.0)
else:
    bot = load_bot(sys.argv[1], rules="juegatu")
seconds = []
for _ in range(int(sys.argv[2])):
    view = make_views(batch.deals, batch.tables, np.arange(1))
    start = time.perf_counter()
    action = bot.act(view, batch.tables, rng)
    seconds.append(time.perf_counter() - start)
    batch.step(action)
    if batch.finished[0]:
        batch.reset()
print(median(seconds))
"""


def bot_seconds(spec: str, decisions: int = BOT_DECISIONS) -> float:
    """Median seconds of one decision of a bot, one deal at a time, on one thread. spec: of a bot, or `softened` for a graded level."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return float(_run(DECISION, os.environ | one, spec, str(decisions)))


def _run(program: str, environment: dict[str, str], *arguments: str) -> str:
    """Standard output of a Python program in a process of its own. Raises RuntimeError with its last line of errors."""
    done = subprocess.run([sys.executable, "-c", program, *arguments], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["it ended without a word"])[-1])
    return done.stdout
