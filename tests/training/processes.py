"""Training in a process of its own, and what that leaves behind: read from /proc."""

import subprocess
import sys
import time
from pathlib import Path

CODE = """
from pathlib import Path
from training.config import TrainConfig
from training.run import train
train(TrainConfig.model_validate({config!r}), Path({folder!r}))
"""


def start_training(config, folder, said):
    """Train a config in a new process that leads a session and group of its own; said: the open file of its standard error."""
    code = CODE.format(config=config, folder=str(folder))
    return subprocess.Popen([sys.executable, "-c", code], stderr=said, start_new_session=True)


def descendants(process_id):
    """(process id, start time) of the children of a process, of theirs, and so on."""
    parents, started = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        parents[int(stat.parent.name)], started[int(stat.parent.name)] = int(fields[1]), fields[19]
    found, ancestors = set(), {process_id}
    while ancestors:
        ancestors = {child for child, parent in parents.items() if parent in ancestors}
        found |= ancestors
    return {(child, started[child]) for child in found}


def alive(processes):
    """Those (process id, start time) that still run: a zombie does not, nor does a process that got the id of an old one."""
    running = set()
    for number, start in processes:
        try:
            fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if fields[19] == start and fields[0] != "Z":
            running.add((number, start))
    return running


def all_end(processes, within=240.0):
    """Whether all of them end within so many seconds: on a busy machine Ray's agents notice late that they are alone."""
    end = time.monotonic() + within
    while alive(processes):
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True
