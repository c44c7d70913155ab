"""Gas on an octree on ranks that mpirun starts: the same bits on any number of them, and continued on another.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path

import h5py
import pytest
from launched import assert_same_results, launch, on_ranks, statistics
from plotfile import files_of, plotfiles, read_plotfile
from program import checkpoint, snapshots, write_parameters

COMMON: Mapping[str, object] = {
    "solver": "amr", "output.double_precision": True, "output.picture": False, "run.pin": False}
LEVELS = COMMON | {
    "initial.setup": "sedov", "amr.root": [2, 2, 2], "amr.regions": [2, 0.4, 0.6, 0.4, 0.6, 0.4, 0.6],
    "amr.low": "reflecting", "time.max_steps": 10, "time.end": 1.0, "output.snapshot_every": 2e-4,
    "output.statistics_every": 1e-4, "amr.plotfile_every": 1e-4}
"""An explosion in two steps of levels, which all meet on every rank."""
ADAPTIVE = COMMON | {
    "initial.setup": "sedov", "amr.root": [4, 4], "amr.finest": 3, "amr.regrid_every": 2, "amr.low": "outflow",
    "time.max_steps": 24, "time.end": 1.0, "output.snapshot_every": 2e-4, "output.statistics_every": 5e-5,
    "amr.plotfile_every": 2e-4}
"""Sub-grids follow a shock, and go from rank to rank."""
CASES = {"levels": LEVELS, "adaptive": ADAPTIVE}
each_case = pytest.mark.parametrize("case", [pytest.param("levels", marks=pytest.mark.long), "adaptive"])
"""Adaptive gas has levels, too; fixed ones are what test_amr_ranks.cpp has in every arrangement."""


def gas(folder: Path, name: str, ranks: int, case: str, *arguments: str, threads: int = 1) -> Path:
    """Runs a case on so many ranks into folder/NAME, which it returns."""
    file = write_parameters(folder / f"{case}.toml", CASES[case])
    done = launch(on_ranks(ranks, "run", file.name, "--output", name, "--threads", str(threads), *arguments), folder)
    assert done.returncode == 0, f"exit code {done.returncode} on {ranks} ranks\n{done.stdout}{done.stderr}"
    return folder / name


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Makes a run of a case on one rank at its first use."""
    return functools.cache(lambda case: gas(tmp_path_factory.mktemp(case), "alone", 1, case))


def assert_same_gas(a: Path, b: Path) -> None:
    """As assert_same_results, and the plotfiles, byte by byte."""
    assert_same_results(a, b)
    names = [path.name for path in plotfiles(a)]
    assert [path.name for path in plotfiles(b)] == names
    for name in names:
        assert files_of(a / name) == files_of(b / name), name


@each_case
def test_ranks_leave_what_one_leaves(case: str, alone: Callable[[str], Path], tmp_path: Path) -> None:
    assert len(snapshots(alone(case))) > 2 and len(plotfiles(alone(case))) > 2
    assert len(read_plotfile(plotfiles(alone(case))[-1]).levels) > 2
    for ranks, threads in ((2, 2), (4, 1)):
        assert_same_gas(alone(case), gas(tmp_path, str(ranks), ranks, case, threads=threads))


def test_sub_grids_come_and_go(alone: Callable[[str], Path]) -> None:
    """Without that the adaptive case would say nothing."""
    cells = [line.split(",") for line in statistics(alone("adaptive"))]
    column = cells[0].index("cells")
    assert len({row[column] for row in cells[1:]}) >= 3


@each_case
def test_a_checkpoint_continues_on_other_counts(case: str, alone: Callable[[str], Path], tmp_path: Path) -> None:
    """Files of three ranks in parts, of one from which four begin, and of four in one file that all write."""
    for name, first, second, writers in (("up", 1, 4, "one"), ("down", 3, 1, "all"), ("across", 4, 2, "shared")):
        setting = ("--set", f"output.writers={writers}")
        folder = gas(tmp_path, name, first, case, *setting, "--set", "time.max_steps=5")
        with h5py.File(checkpoint(folder)) as file:
            assert file["Amr/density"].shape[1] == (64 if case == "adaptive" else 512)
        assert_same_gas(alone(case), gas(tmp_path, name, second, case, "--restart", *setting))


def test_sub_grids_by_cost_leave_the_same(alone: Callable[[str], Path], tmp_path: Path) -> None:
    """What is measured moves them, or does not; a run that was divided so goes on divided by number."""
    by_cost = ("--set", "amr.rebalance=cost")
    assert_same_gas(alone("adaptive"), gas(tmp_path, "cost", 2, "adaptive", *by_cost))
    gas(tmp_path, "both", 2, "adaptive", *by_cost, "--set", "time.max_steps=20")
    assert_same_gas(alone("adaptive"), gas(tmp_path, "both", 3, "adaptive", "--restart"))


def test_more_ranks_than_sub_grids_are_refused(tmp_path: Path) -> None:
    file = write_parameters(tmp_path / "small.toml", ADAPTIVE | {"amr.root": [2, 1]})
    done = launch(on_ranks(3, "run", file.name, "--output", "out"), tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("2 sub-grid(s) cannot be divided among 3 ranks") == 1, done.stderr
