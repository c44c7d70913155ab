"""A disk that is full or broken ends a run with one message; what it had written stays, and it can continue.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from disturbed import IN_PLACE, PARAMS, TRIALS, Trial
from faults import faults, read_counts
from runs import IS_STRESS, MACHINE, Launch, assert_one_message, assert_whole, checkpoints, results, some
from solvers import CASES, Case

OFFSETS = 50 if IS_STRESS else 2
FULL = re.compile(r"needs [\d.]+ \w?B, [\d.]+ \w?B free; ")


@pytest.fixture(scope="module", params=PARAMS)
def trial(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Trial:
    """One of the trials, whose undisturbed run has been made."""
    return request.param.prepare(tmp_path_factory.mktemp("good"))


def fail(launch: Launch, **asked: object) -> str:
    """Runs it on such a disk; returns its one message, which names the directory."""
    done = launch.run(env=faults(launch.directory, **asked, **{"except": IN_PLACE}))
    assert done.returncode > 0, (asked, done.stdout, done.stderr)
    assert_one_message(done.stderr)
    assert str(launch.directory) in done.stderr, (asked, done.stderr)
    return done.stderr


def test_full_disk(trial: Trial, tmp_path: Path) -> None:
    rank = trial.writing_ranks[-1]  # of a part, where there are parts
    for number in some(list(range(OFFSETS)), OFFSETS if trial.ranks == 1 else 2):
        launch = trial.launch(tmp_path / str(number))
        said = fail(launch, space=trial.counts[rank]["bytes"] * number // OFFSETS, rank=rank)
        assert "No space left on device" in said, said
        trial.assert_survives(launch)
        shutil.rmtree(tmp_path / str(number))


def test_full_disk_names_what_is_needed(trial: Trial, tmp_path: Path) -> None:
    rank = trial.writing_ranks[-1]
    size = trial.counts[rank]["bytes"]
    silent = []
    for space in some([size * number // 50 for number in range(45)], 3 if trial.ranks == 1 else 1):
        said = fail(trial.launch(tmp_path / str(space)), space=space, rank=rank)
        silent += [] if FULL.search(said) else [said]
    assert silent == []


@pytest.mark.parametrize("name", IN_PLACE.split(":")[:-1])
def test_full_disk_under_what_is_written_in_place(name: str, tmp_path: Path) -> None:
    launch = Launch(CASES[-1], tmp_path / "out")
    launch.directory.mkdir()
    done = launch.run(env=faults(launch.directory / name, space=0))
    assert done.returncode > 0
    assert FULL.search(done.stderr), done.stderr


def test_full_disk_under_the_trace(trial: Trial, tmp_path: Path) -> None:
    launch = trial.launch(tmp_path)
    # With room for what is asked for before the last checkpoint: parts of other ranks are counted there.
    trace = (trial.good / "trace.json").stat().st_size
    said = fail(launch, space=trial.counts[0]["bytes"] + trace // 2, rank=0)
    assert not (launch.directory / "trace.json").exists()
    assert "trace.json" in said and FULL.search(said), said


def test_lines_that_are_lost_at_close(tmp_path: Path) -> None:
    """A network file system says only then that it could not write."""
    launch = Launch(CASES[-1], tmp_path / "out")
    launch.directory.mkdir()
    done = launch.run(env=faults(launch.directory / "statistics.csv", error="close:1:EIO"))
    assert done.returncode > 0 and "statistics.csv" in done.stderr, done.stdout


def test_full_disk_keeps_the_checkpoint_before(trial: Trial, tmp_path: Path) -> None:
    """Continued where the disk fills at once, a run that was stopped loses nothing."""
    launch = trial.launch(tmp_path)
    launch.succeed("--set", f"{trial.case.stop}=2")
    before = {path.name: path.read_bytes() for path in checkpoints(launch.directory)}
    done = launch.run("--restart", env=faults(launch.directory, space=3000))
    assert done.returncode > 0, done.stdout
    assert {path.name: path.read_bytes() for path in checkpoints(launch.directory)} == before
    trial.assert_survives(launch)


@pytest.mark.parametrize(("case", "ranks"), [
    pytest.param(case, ranks, id=f"{case.solver}-{ranks}",
                 marks=() if ranks == 1 or case.solver == "sph" else pytest.mark.long)
    for case in CASES for ranks in case.ranks if ranks < 4])
def test_no_room_is_seen_before_a_file_is_begun(case: Case, ranks: int, tmp_path: Path) -> None:
    """Half a checkpoint too little: nothing of it is written, and what was given before it is whole."""
    values = dict(case.large) | {"output.compression": 0, "output.checkpoint_steps": 1, case.stop: 1}
    good = Launch(case, tmp_path / "good", ranks, values).succeed()
    checkpoint = good / "restart_000001.hdf5"
    others = {path.name: path.stat().st_size for path in results(good) if path != checkpoint}
    assert others
    needed = checkpoint.stat().st_size
    counts = tmp_path / "counts"
    launch = Launch(case, tmp_path / "out", ranks, values)
    done = launch.run(env=faults(launch.directory, space=sum(others.values()) + needed // 2, rank=0, counts=counts,
                                 **{"except": IN_PLACE}))
    assert done.returncode == MACHINE, done.stdout + done.stderr
    assert_one_message(done.stderr)
    said = re.search(r"restart_000001\.hdf5: cannot be written: needs ([\d.]+) (\w)B, [\d.]+ \wB free; ", done.stderr)
    assert said, (done.stderr, read_counts(counts))
    said_bytes = float(said[1]) * {"k": 1e3, "M": 1e6}[said[2]]
    assert 0.9 * needed < said_bytes < 1.05 * needed  # the arrays, in two or three digits
    assert {path.name for path in results(launch.directory)} == set(others)
    assert read_counts(counts)[0]["bytes"] < sum(others.values()) + needed / 4  # parameters and statistics, too
    assert_whole(launch.directory)


@pytest.mark.parametrize("kind", ["close", "fsync"])
def test_broken_disk(trial: Trial, kind: str, tmp_path: Path) -> None:
    rank = trial.writing_ranks[-1]
    calls = list(range(1, trial.counts[rank][kind] + 1))
    for number in some(calls, 3 if trial.ranks == 1 else 1):
        launch = trial.launch(tmp_path / str(number))
        said = fail(launch, error=f"{kind}:{number}:EIO", rank=rank)
        assert "Input/output error" in said, said
        trial.assert_survives(launch)
        shutil.rmtree(tmp_path / str(number))


ALONE = [param for param, trial in zip(PARAMS, TRIALS) if trial.ranks == 1]


@pytest.mark.parametrize("trial", ALONE, indirect=True)
def test_a_write_meets_a_full_disk(trial: Trial, tmp_path: Path) -> None:
    """A disk may be full though it had room when the file was begun: others write, too."""
    launch = trial.launch(tmp_path)
    said = fail(launch, error=f"write:{trial.counts[0]['write'] // 2}:ENOSPC")
    assert "No space left on device" in said, said
    trial.assert_survives(launch)
