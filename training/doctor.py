"""`tarock doctor`: what of the installation works, and in plain words what to do about what does not.

Nothing here imports what it checks before it knows that it is there; Ray is started in a process of its own.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parents[1]
CORE = ("numpy", "numba", "gymnasium", "pettingzoo", "safetensors", "typer", "rich", "pydantic")
EXTRAS = {"train": ("torch", "ray", "tensorboard"), "serve": ("fastapi", "uvicorn")}
RAY_SECONDS = 120
START_RAY = "import ray; ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level='ERROR'); ray.shutdown()"
BF16_FLAGS = ("avx512_bf16", "amx_bf16", "bf16")


@dataclass(frozen=True)
class Finding:
    """One thing looked at. state: ok; note (works, but could be better or is not needed by everybody); bad (to be mended)."""

    state: Literal["ok", "note", "bad"]
    text: str

    def line(self) -> str:
        """As it is printed."""
        return f"{self.state.upper() if self.state == 'bad' else self.state:<5} {self.text}"


def findings(ray: bool = True) -> Iterator[Finding]:
    """Everything that is looked at, one after the other. ray: start it too, which takes some seconds."""
    yield python_version(sys.version_info[:2])
    yield from packages()
    yield from threads(available_cores(), os.environ)
    yield bf16(cpu_flags())
    yield from kernel_cache()
    if not ray:
        yield Finding("note", "Ray not started: asked not to")
    elif find_spec("ray") is not None:
        print("starting Ray, some seconds", file=sys.stderr, flush=True)
        yield ray_start([sys.executable, "-c", START_RAY])


def python_version(found: tuple[int, int]) -> Finding:
    """Whether this Python is one that the project runs on."""
    text = f"Python {found[0]}.{found[1]}"
    if (3, 11) <= found < (3, 14):
        return Finding("ok", text)
    return Finding("bad", f"{text}: Tarock needs 3.11, 3.12 or 3.13; make the environment anew with one of them: python3.11 -m venv .venv")


def packages() -> Iterator[Finding]:
    """What is installed, against the versions that were tested together."""
    tested = read_constraints(ROOT / "constraints.txt")
    for name in CORE:
        yield package(name, tested, None)
    for extra, names in EXTRAS.items():
        for name in names:
            yield package(name, tested, extra)


def package(name: str, tested: dict[str, str], extra: str | None) -> Finding:
    """One package. extra: the extra that brings it, None for what everything needs."""
    try:
        found = version(name)
    except PackageNotFoundError:
        if extra is None:
            return Finding("bad", f"{name} is not installed: pip install tarock -c constraints.txt")
        return Finding("note", f"{name} is not installed: `tarock {extra}` needs it; pip install 'tarock[{extra}]' -c constraints.txt")
    wanted = tested.get(name)
    if wanted is None or found.partition("+")[0] == wanted:
        return Finding("ok", f"{name} {found}")
    return Finding("note", f"{name} {found}; tested was {wanted}. If something fails, pip install {name}=={wanted}")


def read_constraints(path: Path) -> dict[str, str]:
    """Package -> version of a constraints file; nothing where there is none (an installed wheel has no such file)."""
    if not path.is_file():
        return {}
    lines = [line.partition("==") for line in path.read_text(encoding="utf-8").splitlines() if "==" in line and not line.startswith("#")]
    return {name.strip(): number.strip() for name, _, number in lines}


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads(cores: int, environment: "os._Environ[str] | dict[str, str]") -> Iterator[Finding]:
    """Whether numeric libraries would start more threads than there are cores."""
    yield Finding("ok", f"{cores} core{'s' if cores > 1 else ''} for this process")
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
        value = environment.get(name)
        if value is not None and (not value.isdecimal() or int(value) < 1):
            yield Finding("bad", f"{name} is {value!r}: it must be a number of threads; unset {name}")
        elif value is not None and int(value) > cores:
            yield Finding("note", f"{name}={value} is more than {cores} cores: threads would wait for each other; export {name}={cores}")


def cpu_flags() -> set[str] | None:
    """The processor's features; None where the system does not say."""
    path = Path("/proc/cpuinfo")
    if not path.is_file():
        return None
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith(("flags", "Features")):
            return set(line.partition(":")[2].split())
    return None


def bf16(flags: set[str] | None) -> Finding:
    """Whether this processor multiplies bf16 itself."""
    if flags is None:
        return Finding("note", 'bf16: this system does not list processor features; resources.precision = "auto" finds out')
    if flags & set(BF16_FLAGS):
        return Finding("ok", "bf16: the processor multiplies it; training uses it by itself")
    return Finding("note", 'bf16: not on this processor; training runs in fp32 by itself, slower. Leave resources.precision at "auto"')


def kernel_cache() -> Iterator[Finding]:
    """Whether kernels run, and are kept from one process to the next."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        yield Finding("note", "NUMBA_DISABLE_JIT is set: everything runs some hundred times slower; unset NUMBA_DISABLE_JIT")
    if os.environ.get("TAROCK_DEBUG", "") not in ("", "0"):
        yield Finding("note", "TAROCK_DEBUG is set: kernels are compiled anew in every process; unset TAROCK_DEBUG")
    folder = Path(os.environ.get("TAROCK_CACHE_DIR") or Path.home() / ".cache" / "tarock")
    yield writable(folder)
    start = time.perf_counter()
    try:
        from tarock_env.rules import load_rules
        from tarock_env.single_deal import SingleDeal

        hands = [list(range(6 + seat * 12, 18 + seat * 12)) for seat in range(4)]
        SingleDeal(load_rules("juegatu"), 0, hands, list(range(6)))
    except Exception as error:  # whatever it is, the person who asked shall read it
        yield Finding("bad", f"kernels do not run: {type(error).__name__}: {' '.join(str(error).split())[:200]}; reinstall numba and numpy")
        return
    took = time.perf_counter() - start
    hint = "; compile all once: python -m tarock_env.warm_up" if took > 10 else ""
    yield Finding("note" if hint else "ok", f"kernels run, the first deal after {took:.1f} s{hint}")


def writable(folder: Path) -> Finding:
    """Whether compiled kernels can be kept in a folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        return Finding("bad", f"kernel cache {folder}: {error.strerror}; export TAROCK_CACHE_DIR=FOLDER with one that you may write to")
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return Finding("ok", f"kernel cache {folder}: {size / 2**20:.0f} MB; it may be deleted at any time")


def ray_start(command: list[str], limit: float = RAY_SECONDS) -> Finding:
    """Whether Ray comes up on this machine. command: starts and stops it."""
    start = time.perf_counter()
    environment = os.environ | {"RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "RAY_agent_register_timeout_ms": "180000"}
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False, env=environment)
    except subprocess.TimeoutExpired:
        return Finding(
            "bad", f"Ray did not start within {limit:.0f} s: the machine is busy, or a firewall closes its own ports to it; try again"
        )
    if run.returncode:
        last = (run.stderr.strip().splitlines() or ["no message"])[-1]
        return Finding(
            "bad", f"Ray does not start: {last[:200]}; look for space in /tmp and /dev/shm, then pip install 'tarock[train]' again"
        )
    return Finding("ok", f"Ray starts and stops in {time.perf_counter() - start:.1f} s")
