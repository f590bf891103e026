"""Decisions a second of the bot service on one core, with concurrent clients in a process of their own.

OMP_NUM_THREADS=1 python -m training.bench_service --clients 8 --seconds 10 --bot level:5 [--bad]

The server has one core, the clients the others where there are more. On a machine with other work, the server's processor time a decision
is the figure that holds: a free core answers that many in a second.
"""

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import uvicorn

from tarock_env.aec import raw_env
from training.serve import LONGEST_BODY, make_app, server_config

SYSTEM = "juegatu"
DEALS = 3


def requests_of_a_deal(seed: int, asked: dict[str, object]) -> list[str]:
    """One request for each decision of a deal that chance plays. asked: what stands in it beside the view."""
    game = raw_env(SYSTEM)
    game.reset(seed)
    rng = np.random.default_rng(seed)
    requests = []
    while not all(game.terminations.values()):
        requests.append(json.dumps({"view": game.record(game.agent_selection).to_content()} | asked))
        game.step(int(rng.choice(np.flatnonzero(game.single.legal_mask()))))
    return requests


def bad_requests(good: list[str], seed: int) -> list[str]:
    """What a service meets: cut off, no JSON, no text, views that cannot be, and bodies that are too large."""
    rng = np.random.default_rng(seed)
    found = []
    for text in good:
        content = json.loads(text)
        view = content["view"]
        found += [text[: int(rng.integers(1, len(text) - 1))], "x" * int(rng.integers(1, 2000)), " " * (LONGEST_BODY + 1)]
        found.append(json.dumps(content | {"view": view | {"actions": [*view["actions"], "0 bid:whist"]}}))
        found.append("\udcff\udcfe" + text)  # bytes that are no UTF-8
    return [found[index] for index in rng.permutation(len(found))]


def measure(bot: str, clients: int, seconds: float, bad: bool) -> str:
    """Start the service, let the clients ask, stop it; the figures in one line."""
    level = bot.removeprefix("level:")
    asked: dict[str, object] = {"level": int(level)} if level.isdecimal() else {"bot": bot}
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cores[:1])
    server = uvicorn.Server(server_config(make_app(["random"] if "level" in asked else [bot]), port=0))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.1)
    port = server.servers[0].sockets[0].getsockname()[1]
    good = [text for seed in range(DEALS) for text in requests_of_a_deal(seed, asked)]
    load = {"port": port, "clients": clients, "good": good, "bad": bad_requests(good, 1) if bad else []}
    _run_clients(load | {"clients": 1, "seconds": 2.0}, cores)  # compiles, loads
    processor = time.process_time()
    found = _run_clients(load | {"seconds": seconds}, cores)
    processor = time.process_time() - processor
    server.should_exit = True
    thread.join()
    os.sched_setaffinity(0, cores)
    answered = found["good"] + found["refused"]
    latencies = sorted(found["latencies"])
    middle, late = latencies[len(latencies) // 2] * 1e3, latencies[len(latencies) * 99 // 100] * 1e3
    rain = f" and {found['refused'] / seconds:.0f} refusals/s" if bad else ""
    return (
        f"{bot}, {clients} clients: {found['good'] / seconds:.0f} decisions/s{rain}, median {middle:.0f} ms, 1% over {late:.0f} ms; "
        f"the server's core was used for {processor / answered * 1e3:.2f} ms a request ({processor / seconds:.0%} of the time), "
        f"so it can answer {answered / processor:.0f} a second"
    )


def _run_clients(load: dict[str, object], cores: list[int]) -> dict[str, Any]:
    command = [sys.executable, "-m", "training.service_clients"]
    rest = cores[1:] or cores
    done = subprocess.run(
        command, input=json.dumps(load), capture_output=True, text=True, check=True, preexec_fn=lambda: os.sched_setaffinity(0, rest)
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--bot", default="level:5")
    parser.add_argument("--bad", action="store_true", help="Every second request is malformed, impossible or too large.")
    chosen = parser.parse_args()
    print(measure(chosen.bot, chosen.clients, chosen.seconds, chosen.bad))
