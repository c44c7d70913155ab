"""A run is the same, bit by bit, as one that was stopped and continued: on any ranks, threads, and files.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from faults import faults
from runs import (EVERY_STEP, IS_STRESS, Launch, assert_same_run, checkpoints, each_case, leftovers, main_files,
                  quick_for, some, strategies)
from solvers import CASES, Case


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Runs to their end on one rank, by solver."""
    folder = tmp_path_factory.mktemp("alone")
    found = {case.solver: Launch(case, folder / case.solver).succeed() for case in CASES}
    assert all(len(main_files(directory)) > 3 for directory in found.values())
    return found


def steps_of(directory: Path) -> int:
    """How many steps the run took."""
    return int(json.loads((directory / "summary.json").read_text())["steps"])


@each_case
def test_checkpoints_at_every_step_change_nothing(case: Case, alone: dict[str, Path], tmp_path: Path) -> None:
    often = Launch(case, tmp_path / "often", values=EVERY_STEP).succeed()
    assert_same_run(alone[case.solver], often)
    assert leftovers(often) == []


QUICK_RANKS = {"sph": 2, "dns": 2, "heat": 4}
"""Besides one. The others wait for --full: tests/ranks continues each solver on other counts."""


@pytest.mark.parametrize(("case", "ranks"), [
    pytest.param(case, ranks, id=f"{case.solver}-{ranks}",
                 marks=() if ranks in (1, QUICK_RANKS.get(case.solver)) else pytest.mark.long)
    for case in CASES for ranks in case.ranks])
def test_a_restarted_run_is_the_same(case: Case, ranks: int, alone: dict[str, Path], tmp_path: Path) -> None:
    """Stopped once and continued, on so many ranks; with each of the ways to write."""
    stop = max(1, steps_of(alone[case.solver]) // 2)
    for number, strategy in enumerate(some(strategies(ranks), 2)):
        launch = Launch(case, tmp_path / str(number), ranks, strategy)
        launch.succeed("--set", f"{case.stop}={stop}")
        assert len(checkpoints(launch.directory)) >= 1
        assert_same_run(alone[case.solver], launch.succeed("--restart"))
        assert leftovers(launch.directory) == []


@quick_for("sph", "dns", "heat")
def test_on_other_ranks_and_threads(case: Case, alone: dict[str, Path], tmp_path: Path) -> None:
    """The checkpoint of one count is continued on another."""
    most = case.ranks[-1] if IS_STRESS else min(2, case.ranks[-1])
    stop = max(1, steps_of(alone[case.solver]) // 3)
    for number, (first, second) in enumerate([((1, 2), (most, 1)), ((most, 1), (1, 2))]):
        directory = tmp_path / str(number)
        Launch(case, directory, first[0], {"run.threads": first[1]}).succeed("--set", f"{case.stop}={stop}")
        again = Launch(case, directory, second[0], {"run.threads": second[1]} | EVERY_STEP).succeed("--restart")
        assert_same_run(alone[case.solver], again)


def test_statistics_are_durable_before_a_checkpoint(tmp_path: Path) -> None:
    """No checkpoint has its name before the lines that it does not compute again are on disk."""
    launch = Launch(CASES[0], tmp_path / "out", values=EVERY_STEP | {"output.staging_memory": 0})
    launch.directory.mkdir()
    for number in (1, 2):
        done = launch.run(env=faults(launch.directory / "statistics.csv", kill=f"before:fsync:{number}"))
        assert done.returncode != 0
        assert len(checkpoints(launch.directory)) == number - 1
        shutil.rmtree(launch.directory)
        launch.directory.mkdir()


@pytest.mark.parametrize("number", [pytest.param(number, marks=() if number in (3, 7) else pytest.mark.long)
                                    for number in range(1, 14)])
def test_an_earlier_run_is_moved_aside_whole(number: int, tmp_path: Path) -> None:
    """Also where the process ends at any of its renames, of files in parts too."""
    case = next(case for case in CASES if case.solver == "heat")
    launch = Launch(case, tmp_path / "out", 2, {"output.writers": "all", "heat.cells": [32, 32, 32]})
    launch.succeed()
    before = {path.name: path.read_bytes() for path in launch.directory.iterdir() if not path.name.startswith(".")}
    assert sum(".part" in name for name in before) >= 4
    alone = Launch(case, launch.directory)
    assert alone.run(env=faults(launch.directory, kill=f"before:rename:{number}")).returncode != 0
    alone.succeed()
    earlier = launch.directory / "earlier-1"
    assert {path.name: path.read_bytes() for path in earlier.iterdir() if path.name in before} == before
    assert leftovers(launch.directory) == []
