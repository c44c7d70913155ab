"""Gas on an octree on ranks that mpirun starts: the same bits on any number of them, and continued on another.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import h5py
import pytest
from launched import assert_same_results, launch, on_ranks, statistics
from program import checkpoint, snapshots, write_parameters

COMMON: Mapping[str, object] = {
    "solver": "amr", "output.double_precision": True, "output.picture": False, "run.pin": False}
LEVELS = COMMON | {
    "initial.setup": "sedov", "amr.root": [2, 2, 2], "amr.regions": [2, 0.4, 0.6, 0.4, 0.6, 0.4, 0.6],
    "amr.low": "reflecting", "time.max_steps": 10, "time.end": 1.0, "output.snapshot_every": 2e-4,
    "output.statistics_every": 1e-4}
"""An explosion in two steps of levels, which all meet on every rank."""
ADAPTIVE = COMMON | {
    "initial.setup": "sedov", "amr.root": [4, 4], "amr.finest": 3, "amr.regrid_every": 2, "amr.low": "outflow",
    "time.max_steps": 40, "time.end": 1.0, "output.snapshot_every": 5e-4, "output.statistics_every": 1e-4}
"""Sub-grids follow a shock, and go from rank to rank."""
CASES = {"levels": LEVELS, "adaptive": ADAPTIVE}


def gas(folder: Path, name: str, ranks: int, case: str, *arguments: str, threads: int = 1) -> Path:
    """Runs a case on so many ranks into folder/NAME, which it returns."""
    file = write_parameters(folder / f"{case}.toml", CASES[case])
    done = launch(on_ranks(ranks, "run", file.name, "--output", name, "--threads", str(threads), *arguments), folder)
    assert done.returncode == 0, f"exit code {done.returncode} on {ranks} ranks\n{done.stdout}{done.stderr}"
    return folder / name


@pytest.mark.parametrize("case", list(CASES))
def test_ranks_leave_what_one_leaves(case: str, tmp_path: Path) -> None:
    alone = gas(tmp_path, "alone", 1, case)
    assert len(snapshots(alone)) > 2
    for ranks, threads in ((2, 2), (4, 1)):
        assert_same_results(alone, gas(tmp_path, str(ranks), ranks, case, threads=threads))


def test_sub_grids_come_and_go(tmp_path: Path) -> None:
    """Without that the adaptive case would say nothing."""
    cells = [line.split(",") for line in statistics(gas(tmp_path, "two", 2, "adaptive"))]
    column = cells[0].index("cells")
    assert len({row[column] for row in cells[1:]}) >= 3


@pytest.mark.parametrize("case", list(CASES))
def test_a_checkpoint_continues_on_other_counts(case: str, tmp_path: Path) -> None:
    alone = gas(tmp_path, "alone", 1, case)
    for name, first, second in (("up", 1, 4), ("down", 3, 1), ("across", 4, 2)):
        gas(tmp_path, name, first, case, "--set", "time.max_steps=5")
        assert_same_results(alone, gas(tmp_path, name, second, case, "--restart"))


def test_all_ranks_write_into_one_file_or_parts(tmp_path: Path) -> None:
    """And what they write goes on."""
    alone = gas(tmp_path, "alone", 1, "adaptive")
    for writers in ("shared", "all"):
        setting = ("--set", f"output.writers={writers}")
        folder = gas(tmp_path, writers, 3, "adaptive", *setting, "--set", "time.max_steps=5")
        with h5py.File(checkpoint(folder)) as file:
            assert file["Amr/density"].shape[1] == 64
        gas(tmp_path, writers, 2, "adaptive", "--restart", *setting)
        assert_same_results(alone, folder)


def test_more_ranks_than_sub_grids_are_refused(tmp_path: Path) -> None:
    file = write_parameters(tmp_path / "small.toml", ADAPTIVE | {"amr.root": [2, 1]})
    done = launch(on_ranks(3, "run", file.name, "--output", "out"), tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("2 sub-grid(s) cannot be divided among 3 ranks") == 1, done.stderr
