"""Whatever moment a run is killed at, by SIGKILL: what it had written stays, and it continues to the same end.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from disturbed import PARAMS, Trial
from faults import faults
from program import environment, program
from runs import EVERY_STEP, IS_STRESS, LONGEST_S, Launch, checkpoints, some
from solvers import CASES

SEEDS = range(50 if IS_STRESS else 1)


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
    for number, (rank, point) in enumerate(some(points(trial, kind), 4 if trial.ranks == 1 else 2)):
        launch = trial.launch(tmp_path / str(number))
        done = launch.run(env=faults(launch.directory, kill=point, rank=rank, kill_all=number % 2))
        killed += done.returncode != 0
        is_there = launch.directory.exists() and bool(checkpoints(launch.directory))
        assert is_there or rank not in was_there, point
        was_there |= {rank} if is_there else set()
        trial.assert_survives(launch)
        shutil.rmtree(tmp_path / str(number))
    assert killed > 0 and was_there


@pytest.mark.parametrize("number", [5, 6])
def test_a_checkpoint_stays_until_a_newer_one_has_its_name(number: int, tmp_path: Path) -> None:
    """Without staging, so that old ones are removed and new ones written by one thread, in an order that is known: the
    first two renames are those of the parameters and the first snapshot, the others those of checkpoints."""
    case = next(case for case in CASES if case.solver == "heat")
    launch = Launch(case, tmp_path / "out", values=EVERY_STEP | {"output.staging_memory": 0})
    assert launch.run(env=faults(launch.directory, kill=f"before:rename:{number}")).returncode != 0
    assert [path.name for path in checkpoints(launch.directory)][-1:] == [f"restart_{number - 4:06}.hdf5"]


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


@pytest.mark.long
def test_a_rank_lost_before_the_ranks_have_met(tmp_path: Path) -> None:
    """A launcher that goes on without it leaves the other inside of MPI's start, which knows no end."""
    launch = Launch(CASES[0], tmp_path / "run", ranks=2, values={"ranks.deadline": 1.0})
    command = launch.command()
    at = command.index(program())
    lost = '[ "$OMPI_COMM_WORLD_RANK" = 1 ] && kill -9 $$; exec "$0" "$@"'
    done = subprocess.run([*command[:at], "--enable-recovery", "sh", "-c", lost, *command[at:]], cwd=tmp_path,
                          env=environment(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1"),
                          capture_output=True, text=True, errors="replace", timeout=LONGEST_S, check=False)
    assert "the ranks have not met within 60 s (ranks.deadline, at least 60 s)" in done.stderr


@pytest.mark.parametrize("seed", range(200 if IS_STRESS else 1))
def test_the_others_end_when_one_of_three_is_lost(seed: int, tmp_path: Path) -> None:
    """By themselves: the launcher goes on without it. All ranks write into one file meanwhile."""
    draw = random.Random(seed)
    launch = Launch(draw.choice([case for case in CASES if 4 in case.ranks]), tmp_path / "run", ranks=3,
                    values={"output.writers": "shared", "ranks.deadline": 1.0, **EVERY_STEP})
    command = launch.command()
    at = command.index(program())
    process = subprocess.Popen([*command[:at], "--enable-recovery", *command[at:]], cwd=tmp_path,
                               env=environment(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1"),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        if IS_STRESS:
            time.sleep(draw.uniform(0.0, 1.5))
        while not IS_STRESS and process.poll() is None and not checkpoints(launch.directory):
            time.sleep(0.01)  # MPI has started, so that they need not wait for its deadline
        for pid in sorted(pids_of(process.pid), key=lambda _: draw.random())[:1]:
            with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
                os.kill(pid, signal.SIGKILL)
        process.wait(timeout=LONGEST_S)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
