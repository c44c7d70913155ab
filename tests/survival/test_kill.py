"""Whatever moment a run is killed at, by SIGKILL: what it had written stays, and it continues to the same end.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from pathlib import Path

import pytest
from disturbed import PARAMS, Trial
from faults import faults
from program import program
from runs import IS_STRESS, LONGEST_S, Launch, checkpoints, some

SEEDS = range(50 if IS_STRESS else 2)


@pytest.fixture(scope="module", params=PARAMS)
def trial(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Trial:
    """One of the trials, whose undisturbed run has been made."""
    return request.param.prepare(tmp_path_factory.mktemp("good"))


def points(trial: Trial, kind: str) -> list[tuple[int, str]]:
    """Ranks, and moments right before and after each call of a kind that they make. The first rank comes last: it alone
    gives a file in parts its name, which on a slow disk may be after all calls of the others."""
    return [(rank, f"{when}:{kind}:{number}") for rank in reversed(trial.writing_ranks)
            for number in range(1, trial.counts[rank][kind] + 1) for when in ("before", "after")]


@pytest.mark.parametrize("kind", ["fsync", "rename"])
def test_killed_at_each_call(trial: Trial, kind: str, tmp_path: Path) -> None:
    """Once there has been a checkpoint, there is one at every later moment."""
    killed = 0
    was_there = set()
    for number, (rank, point) in enumerate(some(points(trial, kind), 5 if trial.ranks == 1 else 2)):
        launch = trial.launch(tmp_path / str(number))
        done = launch.run(env=faults(launch.directory, kill=point, rank=rank, kill_all=number % 2))
        killed += done.returncode != 0
        is_there = launch.directory.exists() and bool(checkpoints(launch.directory))
        assert is_there or rank not in was_there, point
        was_there |= {rank} if is_there else set()
        trial.assert_survives(launch)
        shutil.rmtree(tmp_path / str(number))
    assert killed > 0 and was_there


def pids_of(launcher: int) -> list[int]:
    """The processes that run the program: of a launcher its children, else the process itself."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if not entry.name.isdigit() or os.readlink(entry / "exe") != program():
                continue
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue  # it has ended meanwhile
        if launcher in (parent, int(entry.name)):
            found.append(int(entry.name))
    return sorted(found)


def kill_some(launch: Launch, draw: random.Random, longest_s: float) -> None:
    """Starts a run, and kills one of its ranks or all at a random time."""
    process = launch.start()
    time.sleep(draw.uniform(0.0, longest_s))
    ranks = pids_of(process.pid)
    for pid in ranks if draw.random() < 0.5 else ranks[:1] if draw.random() < 0.5 else ranks[-1:]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it has ended meanwhile
    process.communicate(timeout=LONGEST_S)


def test_killed_at_random_times(trial: Trial, tmp_path: Path) -> None:
    before = time.monotonic()
    trial.launch(tmp_path / "timed").succeed()
    longest_s = time.monotonic() - before
    for seed in SEEDS:
        launch = trial.launch(tmp_path / str(seed))
        kill_some(launch, random.Random(seed), longest_s)
        trial.assert_survives(launch)
        shutil.rmtree(tmp_path / str(seed))
