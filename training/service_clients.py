"""Clients of `training.bench_service`, a process of their own: the load is then no part of the server's figures.

Reads {"port", "clients", "seconds", "good": [text], "bad": [text]} on standard input; writes {"latencies": [seconds of good requests],
"good", "refused", "cpu_seconds"}. Where there are bad requests, every second one sent is one of them.
"""

import json
import socket
import sys
import threading
import time
from collections.abc import Iterator
from itertools import chain, cycle
from typing import Any


def http_request(body: str) -> bytes:
    """A POST to /decide."""
    content = body.encode("utf-8", "surrogateescape")
    return b"POST /decide HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n%b" % (len(content), content)


def answer(connection: socket.socket) -> tuple[int, bool]:
    """(status, whether the server closes the connection) of the next answer. Raises ConnectionError where it ends early."""
    text = b""
    while b"\r\n\r\n" not in text:
        text += receive(connection)
    head, _, body = text.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    length = next(int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length:"))
    while len(body) < length:
        body += receive(connection)
    return int(head.split(b" ", 2)[1]), b"connection: close" in lines


def receive(connection: socket.socket) -> bytes:
    """Some bytes. Raises ConnectionError at the end."""
    found = connection.recv(65536)
    if not found:
        raise ConnectionError("the server closed the connection")
    return found


def ask(port: int, requests: Iterator[tuple[bytes, bool]], until: float, found: dict[str, Any]) -> None:
    """Send one request after the other until a time, each when the last is answered."""
    connection = None
    while time.monotonic() < until:
        request, good = next(requests)
        if connection is None:
            connection = socket.create_connection(("127.0.0.1", port))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        begun = time.perf_counter()
        try:
            connection.sendall(request)
            status, closed = answer(connection)
        except ConnectionError:
            if good:
                raise
            status, closed = 413, True  # it need not read to the end what is too large
        if good:
            found["latencies"].append(time.perf_counter() - begun)
        if (status == 200) is not good:
            raise RuntimeError(f"status {status} for a {'good' if good else 'bad'} request")
        found["good" if good else "refused"] += 1
        if closed:
            connection.close()
            connection = None


def main() -> None:
    """Let the clients ask, and write what they found."""
    asked = json.load(sys.stdin)
    good = [(http_request(body), True) for body in asked["good"]]
    bad = [(http_request(body), False) for body in asked["bad"]]
    found: dict[str, Any] = {"latencies": [], "good": 0, "refused": 0}
    until = time.monotonic() + asked["seconds"]
    threads = []
    for number in range(asked["clients"]):
        turned = good[number % len(good) :] + good[: number % len(good)]
        requests = chain.from_iterable(zip(cycle(turned), cycle(bad), strict=False)) if bad else cycle(turned)
        threads.append(threading.Thread(target=ask, args=(asked["port"], requests, until, found)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    json.dump(found | {"cpu_seconds": time.process_time()}, sys.stdout)


if __name__ == "__main__":
    main()
