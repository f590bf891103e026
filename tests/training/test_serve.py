"""The bot service over real sockets: answers, refusals, and that it goes on answering while bad requests rain."""

import http.client
import json
import logging
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the service needs pip install 'tarock[serve]'")
uvicorn = pytest.importorskip("uvicorn")

from agents.random_bot import RandomBot  # noqa: E402 - after the packages that may be missing
from tarock_env.aec import raw_env  # noqa: E402
from tarock_env.record import parse_record  # noqa: E402
from tarock_env.replay import verify  # noqa: E402
from tarock_env.rules import SYSTEMS  # noqa: E402
from tarock_env.view_text import parse_view  # noqa: E402
from training import cli, serve  # noqa: E402
from training.serve import LONGEST_BODY, make_app, server_config  # noqa: E402
from training.served_bots import QUICK_SECONDS, ServedBots  # noqa: E402

ROOT = Path(__file__).parents[2]


@contextmanager
def served(app):
    """The port of a service that runs as `tarock serve` runs it."""
    server = uvicorn.Server(server_config(app))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.05)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def port():
    with served(make_app(["random"])) as found:
        yield found


def ask(port, method, path, body=None):
    """Status and JSON of one request."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, body if body is None or isinstance(body, bytes) else json.dumps(body))
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def first_view(system="juegatu", seed=1):
    game = raw_env(system)
    game.reset(seed)
    return json.loads(game.record(game.agent_selection).to_json())


def whole_deal(port, system, seed):
    """Play a deal as the example client does; the record and the result."""
    game = raw_env(system)
    game.reset(seed)
    record = json.loads(game.record().to_json())
    while True:
        status, turn = ask(port, "POST", "/turn", record)
        assert status == 200, turn
        if turn["result"] is not None:
            return record, turn["result"]
        status, answer = ask(port, "POST", "/decide", {"view": turn["view"], "seed": seed})
        assert status == 200, answer
        assert answer["legal"] == turn["legal"]
        assert answer["action"] in answer["legal"]
        record["actions"].append(f"{turn['seat']} {answer['action']}")


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_whole_deal(port, system):
    record, result = whole_deal(port, system, 1)
    verify(parse_record(json.dumps(record | {"result": result})))


def test_what_there_is(port):
    status, systems = ask(port, "GET", "/systems")
    assert status == 200
    assert [system["rules"] for system in systems] == list(SYSTEMS)
    assert ask(port, "GET", "/bots")[1]["bots"] == ["random"]
    assert ask(port, "GET", "/health")[1]["status"] == "ok"
    description = ask(port, "GET", "/openapi.json")[1]
    assert set(description["paths"]) >= {"/decide", "/turn", "/systems", "/bots"}


def test_levels(port):
    levels = ask(port, "GET", "/bots")[1]["levels"]
    assert 5 in levels["juegatu"]
    status, answer = ask(port, "POST", "/decide", {"view": first_view(), "level": 5, "policy": True})
    assert status == 200
    assert answer["bot"] == "level:5"
    assert sum(answer["policy"].values()) == pytest.approx(1, abs=1e-3)
    assert list(answer["policy"].values()) == sorted(answer["policy"].values(), reverse=True)
    assert set(answer["values"]) == set(answer["legal"])


def test_the_same_seed_gives_the_same_action(port):
    answers = {ask(port, "POST", "/decide", {"view": first_view(), "seed": 7, "policy": True})[1]["action"] for _ in range(5)}
    assert len(answers) == 1


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("/decide", b"{", 400, "body: not valid JSON"),
        ("/decide", b"\xff\xfe", 400, "not UTF-8"),
        ("/decide", b"[" * 50_000, 400, "nested too deeply"),
        ("/decide", b"9" * 50_000, 400, ""),
        ("/decide", b'{"view": {}, "view": {}}', 400, "stands twice"),
        ("/decide", b"[]", 422, "body: must be an object"),
        ("/decide", {}, 422, "view: is missing; it must be an object: what one seat knows, as POST /turn gives it"),
        ("/decide", {"view": 3}, 422, "view: must be an object"),
        ("/decide", {"view": first_view(), "bot": 3}, 422, "bot: must be a string"),
        ("/decide", {"view": first_view(), "level": "5"}, 422, "level: must be a whole number"),
        ("/decide", {"view": first_view(), "policy": 1}, 422, "policy: must be true or false"),
        ("/decide", {"view": {}}, 422, "view: format is null"),
        ("/decide", {"view": first_view(), "bot": "nobody"}, 404, "bots are random"),
        ("/decide", {"view": first_view(), "bot": "file:/etc/passwd"}, 404, "not served"),
        ("/decide", {"view": first_view(), "level": 99}, 404, "level 99"),
        ("/decide", {"view": first_view(), "bot": "random", "level": 1}, 422, "not both"),
        ("/decide", {"view": first_view(), "seed": -1}, 422, "seed: must be a whole number from 0"),
        ("/decide", {"view": first_view(), "colour": 1}, 422, "colour: unknown field; the fields are view, bot, level, policy, seed"),
        ("/decide", {"view": first_view() | {"rules": "../../etc/passwd"}}, 422, "rules"),
        ("/decide", {"view": first_view() | {"rules": "a" * 300}}, 422, "unknown rules 'aaa"),
        ("/decide", {"view": first_view() | {"rules": "\ud800"}}, 422, "unknown rules"),
        ("/decide", {"view": first_view() | {"options": {"\ud800": 1}}}, 422, "unknown option \\ud800"),
        ("/decide", {"view": first_view(), "\ud800": 1}, 422, ""),
        ("/decide", {"view": first_view(), "bot": "\ud800"}, 404, "not served"),
        ("/decide", {"view": first_view() | {"\ud800": 1}}, 422, "unknown field"),
        ("/turn", first_view() | {"rules": "a" * 300}, 422, "unknown rules 'aaa"),
        ("/turn", first_view() | {"options": {"\ud800": 1}}, 422, "unknown option \\ud800"),
        ("/turn", first_view() | {"actions": ["0 \ud800"]}, 422, "action 1"),
        ("/decide", {"view": first_view() | {"actions": ["0 bid:whist"]}}, 422, "action 1"),
        ("/decide", b" " * (LONGEST_BODY + 1), 413, "bytes"),
        ("/turn", b" " * (LONGEST_BODY + 1), 413, "bytes"),
        ("/turn", b"{", 400, "body: not valid JSON"),
        ("/turn", b"{}", 422, "record: format"),
        ("/turn", b"\xff", 400, "UTF-8"),
        ("/turn", first_view(), 422, "view"),
    ],
)
def test_bad_requests_get_one_clear_line(port, path, body, status, said):
    found, answer = ask(port, "POST", path, body)
    assert found == status, answer
    assert set(answer) == {"error"}
    assert said in answer["error"]
    assert "\n" not in answer["error"]
    assert "Traceback" not in answer["error"]


def test_pages_that_are_not_there(port):
    status, answer = ask(port, "GET", "/nowhere")
    assert status == 404
    assert "see /docs" in answer["error"]
    assert ask(port, "GET", "/decide") == (405, {"error": "GET /decide: only POST is answered here; see /docs"})


@pytest.mark.parametrize(("arguments", "said"), [(["--bot", "nobody"], "Known:"), ([], "in use"), (["--host", "256.0.0.1"], "")])
def test_the_commands_mistakes_are_one_line(port, monkeypatch, capsys, arguments, said):
    taken = port if not arguments else 0
    monkeypatch.setattr(sys, "argv", ["tarock", "serve", "--port", str(taken or 8719), *arguments])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def test_it_answers_while_bad_requests_rain(port):
    rng = np.random.default_rng(1)
    text = json.dumps({"view": first_view()}).encode()
    stop = threading.Event()
    statuses = []

    def rain(seed):
        chance = np.random.default_rng(seed)
        while not stop.is_set():
            damaged = bytearray(text)
            for _ in range(4):
                damaged[int(chance.integers(len(damaged)))] = int(chance.integers(256))
            statuses.append(ask(port, "POST", "/decide", bytes(damaged[: int(chance.integers(len(damaged)))]))[0])

    with ThreadPoolExecutor(4) as pool:
        storm = [pool.submit(rain, int(seed)) for seed in rng.integers(1 << 30, size=3)]
        try:
            for _ in range(20):
                assert ask(port, "POST", "/decide", {"view": first_view()})[0] == 200
        finally:
            stop.set()
        for clouds in storm:
            clouds.result()
    assert statuses
    assert all(400 <= status < 500 for status in statuses)


def test_a_body_that_is_announced_as_too_large_is_not_waited_for(port):
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(b"POST /decide HTTP/1.1\r\nhost: here\r\ncontent-length: %d\r\n\r\n{" % (LONGEST_BODY + 1))
        assert connection.recv(1000).startswith(b"HTTP/1.1 413 ")


@pytest.fixture(scope="module")
def hasty_port():
    """A service that has few places and waits half a second for the head of a request."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(serve, "HEAD_SECONDS", 0.5)
        patch.setattr(serve, "MOST_CONNECTIONS", 20)
        with served(make_app(["random"])) as found:
            yield found


def closed(connection):
    """Whether the other side closes, rather than leaving us to wait."""
    try:
        while connection.recv(1000):
            pass
    except ConnectionResetError:
        pass
    except TimeoutError:
        return False
    return True


@pytest.mark.parametrize("sent", [b"", b"GET /hea", b"GET /health HTTP/1.1\r\nhost: here\r\n"])
def test_silent_connections_do_not_fill_the_service(hasty_port, sent):
    with ExitStack() as stack:
        silent = [stack.enter_context(socket.create_connection(("127.0.0.1", hasty_port), timeout=30)) for _ in range(25)]
        for connection in silent:
            connection.sendall(sent)
        assert all(map(closed, silent))
        assert ask(hasty_port, "GET", "/health")[0] == 200


def test_a_head_in_small_pieces_or_after_an_answer_has_no_more_time(hasty_port):
    with socket.create_connection(("127.0.0.1", hasty_port), timeout=30) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nhost: here\r\n\r\n")
        assert connection.recv(1000).startswith(b"HTTP/1.1 200 ")
        assert any(refused(connection) for _ in range(600))


def refused(connection):
    """Whether another byte finds the connection closed."""
    time.sleep(0.05)
    try:
        connection.sendall(b"G")
    except OSError:
        return True
    return False


def test_a_body_may_take_longer_than_a_head(hasty_port):
    body = json.dumps({"view": first_view()}).encode()
    with socket.create_connection(("127.0.0.1", hasty_port), timeout=60) as connection:
        connection.sendall(b"POST /decide HTTP/1.1\r\nhost: here\r\ncontent-length: %d\r\n\r\n" % len(body))
        time.sleep(1.0)
        connection.sendall(body)
        assert connection.recv(1000).startswith(b"HTTP/1.1 200 ")


def test_a_client_that_leaves_in_mid_body_leaves_nothing_in_the_log(port, caplog, monkeypatch):
    log = logging.getLogger("uvicorn.error")
    monkeypatch.setattr(log, "handlers", [*log.handlers, caplog.handler])
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(b'POST /turn HTTP/1.1\r\nhost: here\r\ncontent-length: 100\r\n\r\n{"format"')
        time.sleep(0.2)
    time.sleep(0.5)
    assert ask(port, "GET", "/health")[0] == 200
    assert not caplog.records


def test_slow_bots_do_not_hold_up_the_others(port):
    """A bot that took long is asked on another thread; a quick one is answered at once."""
    bots = ServedBots(["random"])
    bots.warm_up()
    view = parse_view(json.dumps(first_view()))
    assert not bots.quick(None, 9, view)  # not asked yet: it may have to be loaded
    assert bots.quick(None, None, view)
    bots._bots["random"] = Slow()
    bots.advise(None, None, view, explain=False, seed=1)
    assert not bots.quick("random", None, view)


class Slow(RandomBot):
    def act(self, deals, tables, rng):
        time.sleep(2 * QUICK_SECONDS)
        return super().act(deals, tables, rng)


@pytest.mark.full
def test_the_bench_measures_the_server_alone():
    command = [sys.executable, "-m", "training.bench_service", "--bot", "random", "--seconds", "2", "--clients", "3", "--bad"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert run.returncode == 0, run.stderr
    assert re.fullmatch(r"random, 3 clients: \d+ decisions/s and \d+ refusals/s, .* ms a request .* a second\n", run.stdout)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
@pytest.mark.parametrize("system", ["juegatu", "slovenian3"])
def test_the_javascript_client_plays_a_deal(port, system):
    script = ROOT / "docs" / "examples" / "play_deal.mjs"
    run = subprocess.run(["node", script, f"http://127.0.0.1:{port}", system], capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 0, run.stderr
    assert "payoffs" in run.stdout.splitlines()[-1]
