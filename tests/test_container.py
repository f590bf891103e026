"""The container of the bot service, without a container: what is copied suffices, its commands are right, and step by step it runs."""

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import pytest

from tarock_env.aec import raw_env

ROOT = Path(__file__).parents[1]
MAKERS = ("torch", "ray", "tensorboard", "matplotlib", "onnx", "psutil", "pytest")  # not in the image


def steps():
    """(instruction, the rest of its line) of the Containerfile."""
    lines = (ROOT / "Containerfile").read_text().replace("\\\n", " ").splitlines()
    return [tuple(line.split(" ", 1)) for line in lines if line and not line.startswith("#")]


def the(instruction):
    """The rest of the one line with this instruction."""
    (found,) = [rest for name, rest in steps() if name == instruction]
    return found


def copied():
    """Paths of this project that are copied into the image, by where they come to lie."""
    found = {}
    for name, rest in steps():
        if name == "COPY":
            *sources, target = rest.split()
            found |= {f"{target}/{source}" if target == "./" else target: ROOT / source for source in sources}
    return found


def run_lines():
    """The shell commands of the image's making, one by one."""
    return [command.strip() for name, rest in steps() if name == "RUN" for command in rest.split("&&")]


IMPORTS = f"""
import importlib, json, sys
for name in {MAKERS!r}:
    sys.modules[name] = None  # importing it raises ImportError
import training.cli, training.serve, training.served_bots
from agents.base import BOTS
for kind, place in BOTS.items():
    importlib.import_module(place.partition(":")[0])
import tarock_env.rules as rules
for system in rules.SYSTEMS:
    rules.load_rules(system)
print(json.dumps([module.__file__ for module in list(sys.modules.values()) if getattr(module, "__file__", None)]))
"""


def test_everything_that_the_service_imports_is_copied():
    pytest.importorskip("fastapi", reason="the service needs pip install 'tarock[serve]'")
    listed = subprocess.run([sys.executable, "-c", IMPORTS], cwd=ROOT, capture_output=True, text=True, check=True, timeout=300).stdout
    ours = [Path(file) for file in json.loads(listed) if Path(file).is_relative_to(ROOT) and ".venv" not in file]
    assert len(ours) > 50
    places = list(copied().values())
    assert all(any(file.is_relative_to(place) for place in places) for file in ours)
    assert ROOT / "agents" / "pretrained" in [place / "pretrained" for place in places]


def test_all_that_is_copied_is_there():
    assert all(place.exists() for place in copied().values())
    named = re.findall(r'^(?:readme|license-files) = .*?"([^"]+)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert {"pyproject.toml", "constraints.txt", *named} <= {place.name for place in copied().values()}  # pip needs them


def test_its_commands_are_commands(tarock, monkeypatch):
    pytest.importorskip("fastapi", reason="the service needs pip install 'tarock[serve]'")
    served = []
    monkeypatch.setattr("training.serve.listen", lambda host, port: (host, port))
    monkeypatch.setattr("training.serve.run_service", lambda app, listening: served.append(listening))
    program, *arguments = json.loads(the("CMD"))
    assert program == "tarock"
    assert tarock(*arguments)[0] == 0
    assert served == [("0.0.0.0", int(the("EXPOSE")))]


def test_what_it_compiles_is_there():
    pytest.importorskip("fastapi", reason="the service needs pip install 'tarock[serve]'")
    (line,) = [command for command in run_lines() if command.startswith("python")]
    program, flag, code = shlex.split(line)
    assert (program, flag) == ("python", "-c")
    exec(code, {})


@pytest.mark.full
def test_step_by_step_it_answers():
    """Every step in a fresh environment with nothing but the copied files; served by another user where this one may choose."""
    folder = Path(tempfile.mkdtemp(prefix="container-"))
    try:
        answers(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def answers(folder):
    folder.chmod(0o755)
    work, cache, venv = folder / "work", folder / "cache", folder / "venv"
    work.mkdir()
    for target, source in copied().items():
        (shutil.copytree if source.is_dir() else shutil.copy)(source, work / target)
    everybodys = python_for_everybody() if os.geteuid() == 0 else None
    subprocess.run([everybodys or sys.executable, "-m", "venv", venv], check=True)
    settings = dict(part.split("=", 1) for part in the("ENV").split())
    environment = settings | {"TAROCK_CACHE_DIR": str(cache), "PATH": f"{venv / 'bin'}:/usr/bin:/bin", "HOME": "/nonexistent"}
    for line in run_lines():
        line = line.replace(settings["TAROCK_CACHE_DIR"], str(cache))
        subprocess.run(["sh", "-c", line], cwd=work, env=environment, check=True, timeout=1800, stdout=subprocess.DEVNULL)
    packages = subprocess.run([venv / "bin" / "pip", "list"], capture_output=True, text=True, check=True).stdout
    assert not re.search(r"^(torch|ray) ", packages, re.MULTILINE)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [word.replace("8710", str(port)) for word in json.loads(the("CMD"))]
    user = {"user": the("USER"), "group": "nogroup", "extra_groups": []} if everybodys else {}
    print(f"served by {the('USER') if user else 'this user'}")
    with subprocess.Popen([venv / "bin" / command[0], *command[1:]], cwd=work, env=environment, stderr=subprocess.PIPE, **user) as service:
        try:
            wait_until_it_answers(service, f"http://127.0.0.1:{port}/health")
            game = raw_env("juegatu")
            game.reset(seed=1)
            body = json.dumps({"view": game.record(game.agent_selection).to_content(), "level": 5}).encode()
            begun = time.perf_counter()
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/decide", body, timeout=300) as answer:
                assert json.load(answer)["bot"] == "level:5"
            print(f"first decision after {time.perf_counter() - begun:.2f} s")
        finally:
            service.terminate()
        assert service.wait(60) in (0, -15, 143)


def python_for_everybody():
    """An interpreter that other users may run, None where there is none."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for prefix in (Path(sys.base_prefix), Path("/usr")):
        found = prefix / "bin" / version
        if found.exists() and all(parent.stat().st_mode & 1 for parent in found.resolve().parents):
            return found
    return None


def wait_until_it_answers(service, address):
    until = time.monotonic() + 300
    while True:
        assert service.poll() is None, service.stderr.read().decode()
        assert time.monotonic() < until
        try:
            with urllib.request.urlopen(address, timeout=10) as answer:
                assert json.load(answer)["status"] == "ok"
                return
        except OSError:
            time.sleep(0.5)
