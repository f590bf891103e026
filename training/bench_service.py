"""Decisions a second of the bot service, with concurrent clients over real sockets.

python -m training.bench_service --clients 8 --seconds 10 --bot rule
"""

import argparse
import http.client
import json
import threading
import time

import numpy as np
import uvicorn

from tarock_env.aec import raw_env
from training.serve import make_app


def requests_of_a_deal(seed: int) -> list[bytes]:
    """One request for each decision of a deal that chance plays."""
    game = raw_env("juegatu")
    game.reset(seed)
    rng = np.random.default_rng(seed)
    requests = []
    while not all(game.terminations.values()):
        view = game.record(game.agent_selection).to_json()
        requests.append(json.dumps({"view": json.loads(view)}).encode())
        game.step(int(rng.choice(np.flatnonzero(game.single.legal_mask()))))
    return requests


def client(port: int, requests: list[bytes], until: float, latencies: list[float]) -> None:
    """Ask one view after the other on one connection until a time; each answer's seconds are added to `latencies`."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    number = 0
    while time.monotonic() < until:
        begun = time.perf_counter()
        connection.request("POST", "/decide", requests[number % len(requests)])
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{answer.status}: {content[:200]!r}")
        latencies.append(time.perf_counter() - begun)
        number += 1
    connection.close()


def measure(bot: str, clients: int, seconds: float) -> str:
    """Start the service, let the clients ask, stop it; the figures in one line."""
    server = uvicorn.Server(uvicorn.Config(make_app([bot]), host="127.0.0.1", port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.1)
    port = server.servers[0].sockets[0].getsockname()[1]
    requests = requests_of_a_deal(1)
    latencies: list[float] = []
    client(port, requests, time.monotonic() + 1, [])
    until, processor = time.monotonic() + seconds, time.process_time()
    asking = [threading.Thread(target=client, args=(port, requests, until, latencies)) for _ in range(clients)]
    for one in asking:
        one.start()
    for one in asking:
        one.join()
    each = (time.process_time() - processor) / len(latencies) * 1e3
    server.should_exit = True
    thread.join()
    latencies.sort()
    middle, late = latencies[len(latencies) // 2] * 1e3, latencies[len(latencies) * 99 // 100] * 1e3
    return (
        f"{bot}, {clients} clients: {len(latencies) / seconds:.0f} decisions/s, median {middle:.0f} ms, 1% over {late:.0f} ms; "
        f"{each:.1f} ms of a processor each, the clients' share included"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--bot", default="rule")
    chosen = parser.parse_args()
    print(measure(chosen.bot, chosen.clients, chosen.seconds))
