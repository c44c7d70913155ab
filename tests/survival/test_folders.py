"""Series of folders: a run that is killed, or whose disk fails, leaves none of them half written under its name.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from disturbed import IN_PLACE
from faults import faults, is_durable, read_counts
from plotfile import files_of, plotfiles, read_plotfile
from runs import EVERY_STEP, Launch, assert_one_message, assert_same_run, leftovers, some
from solvers import CASES

PLOTS = next(replace(case, small=dict(case.small) | {"amr.plotfile_every": 0.001, "output.checkpoint_every": 0})
             for case in CASES if case.solver == "amr")
RANKS = 2


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An undisturbed run; what it calls is counted in `counts` beside it."""
    folder = tmp_path_factory.mktemp("good")
    counted = faults(folder / "out", counts=folder / "counts", **{"except": IN_PLACE})
    directory = Launch(PLOTS, folder / "out", RANKS, EVERY_STEP).succeed(env=counted)
    assert len(plotfiles(directory)) > 2
    assert all(is_durable(counts) for counts in read_counts(folder / "counts", RANKS))
    return directory


def assert_survives(launch: Launch, good: Path) -> None:
    """What has a name is whole, and the continued run ends with all of it and nothing else."""
    for path in plotfiles(launch.directory):
        assert files_of(path) == files_of(good / path.name)
        read_plotfile(path)
    launch.go_on()
    assert_same_run(good, launch.directory)
    assert {path.name: files_of(path) for path in plotfiles(launch.directory)} == \
        {path.name: files_of(path) for path in plotfiles(good)}
    assert leftovers(launch.directory) == []


def calls(good: Path, kind: str) -> list[tuple[int, int]]:
    """Rank and number of every call."""
    counts = read_counts(good.parent / "counts", RANKS)
    return [(rank, number) for rank in range(RANKS) for number in range(1, counts[rank][kind] + 1)]


@pytest.mark.parametrize("kind", ["fsync", "rename"])
def test_killed_while_folders_are_written(kind: str, good: Path, tmp_path: Path) -> None:
    unfinished = 0
    for number, (rank, call) in enumerate(some(calls(good, kind), 5)):
        launch = Launch(PLOTS, tmp_path / str(number) / "out", RANKS, EVERY_STEP)
        point = f"{'before' if number % 2 else 'after'}:{kind}:{call}"
        done = launch.run(env=faults(launch.directory, kill=point, rank=rank, kill_all=1))
        assert done.returncode != 0
        unfinished += len(plotfiles(launch.directory)) < len(plotfiles(good))
        assert_survives(launch, good)
        shutil.rmtree(tmp_path / str(number))
    assert unfinished > 0


@pytest.mark.parametrize("rank", range(RANKS))
def test_full_disk_under_a_folder(rank: int, good: Path, tmp_path: Path) -> None:
    """The message names the file in it by the name that it was to have."""
    size = read_counts(good.parent / "counts", RANKS)[rank]["bytes"]
    said = ""
    for number in some(list(range(1, 40)), 4):
        launch = Launch(PLOTS, tmp_path / str(number) / "out", RANKS, EVERY_STEP)
        done = launch.run(env=faults(launch.directory, space=size * number // 40, rank=rank, **{"except": IN_PLACE}))
        assert done.returncode > 0
        assert_one_message(done.stderr)
        assert ".tacit-write" not in done.stderr
        said += done.stderr
        assert_survives(launch, good)
        shutil.rmtree(tmp_path / str(number))
    assert "No space left on device" in said
    # The first folder is the first that there is to write after the snapshot.
    launch = Launch(PLOTS, tmp_path / "first" / "out", RANKS, EVERY_STEP)
    launch.directory.mkdir(parents=True)
    hidden = faults(launch.directory, error="fsync:1:EIO", rank=1)
    done = launch.run(env=hidden)
    assert done.returncode > 0
    assert re.search(r"out/[\w./]+: rank 1: cannot be written.*Input/output error", done.stderr), done.stderr
