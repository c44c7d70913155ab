"""Runs of the heat solver through the real program: files, pictures, restarts, steady states.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import h5py
import numpy as np
import pytest
from program import assert_same_bits, run, snapshots

MODE = {"solver": "heat", "initial.setup": "eigenmode", "heat.cells": [24, 16, 12], "heat.diffusivity": 1.0,
        "heat.walls": ["periodic", "insulating", "fixed"], "heat.low": [0, 0, 1], "heat.high": [0, 0, 2],
        "time.end": 0.01, "output.double_precision": True, "output.statistics_every": 0.001, "run.threads": 1}


@pytest.fixture(scope="module")
def mode(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A mode between walls of every kind."""
    return run(tmp_path_factory.mktemp("mode"), MODE)


def rows(directory: Path) -> list[dict[str, float]]:
    """The lines of statistics.csv."""
    with (directory / "statistics.csv").open() as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


def cell_data(path: Path) -> dict[str, np.ndarray]:
    """The fields of a snapshot, shape (z, y, x)."""
    with h5py.File(path) as file:
        return {name: values[()] for name, values in file["VTKHDF/CellData"].items()}


def test_snapshots_hold_the_exact_solution_beside_the_computed_one(mode: Path) -> None:
    fields = cell_data(snapshots(mode)[-1])
    x, y, z = ((np.arange(n) + 0.5) / n for n in MODE["heat.cells"])
    decay = np.exp(-((2 * np.pi) ** 2 + 2 * np.pi**2) * 0.01)
    waves = (np.sin(np.pi * z)[:, None, None] * np.cos(np.pi * y)[:, None] * np.cos(2 * np.pi * x)) * decay
    assert np.abs(fields["exact"] - (1.0 + z[:, None, None] + waves)).max() < 1e-14  # some roundings of 2
    error = fields["temperature"] - fields["exact"]
    last = rows(mode)[-1]
    assert last["largest_error"] == np.abs(error).max() < 0.01 * decay
    assert last["error"] == pytest.approx(np.sqrt(np.mean(error**2)), rel=1e-12)
    assert last["mean"] == pytest.approx(fields["temperature"].mean(), rel=1e-13)
    assert (last["least"], last["largest"]) == (fields["temperature"].min(), fields["temperature"].max())


def test_a_run_has_a_summary_and_a_grid(mode: Path) -> None:
    summary = json.loads((mode / "summary.json").read_text())
    assert summary["finished"] and summary["solver"] == "heat"
    with h5py.File(snapshots(mode)[-1]) as file:
        assert file["VTKHDF"].attrs["Type"] == b"ImageData"
        assert list(file["VTKHDF"].attrs["WholeExtent"]) == [0, 24, 0, 16, 0, 12]


@pytest.mark.parametrize("scheme", ["rk2", "rkl2"])
def test_a_restarted_run_leaves_the_same_bits(scheme: str, tmp_path: Path) -> None:
    values = MODE | {"heat.scheme": scheme, "heat.stages": 5} if scheme == "rkl2" else MODE
    whole = run(tmp_path, values, name="whole")
    parts = run(tmp_path, values | {"time.max_steps": 2, "run.threads": 2}, name="parts")
    assert run(tmp_path, values, "--restart", name="parts") == parts
    assert_same_bits(snapshots(whole)[-1], snapshots(parts)[-1])
    without_clock = [[{name: value for name, value in row.items() if name != "wall_s"} for row in rows(directory)]
                     for directory in (whole, parts)]
    assert without_clock[0] == without_clock[1]


def test_a_file_gives_temperature_diffusivity_and_source(tmp_path: Path) -> None:
    """A steady state that is known: div(kappa grad T) = -S with kappa = 1 + x, T = x (1 - x) between walls at 0."""
    n = 64
    x = (np.arange(n) + 0.5) / n
    tmp_path.joinpath("run").mkdir()
    with h5py.File(tmp_path / "field.hdf5", "w") as file:
        file["temperature"] = np.zeros((4, n))
        file["diffusivity"] = np.ones((4, n)) * (1.0 + x)
        file["source"] = np.ones((4, n)) * (1.0 + 4.0 * x)
    done = run(tmp_path, {"solver": "heat", "initial.setup": "file", "initial.file": "field.hdf5",
                          "heat.cells": [n, 4], "heat.walls": ["fixed", "periodic"], "heat.low": [0, 0, 0],
                          "heat.high": [0, 0, 0], "heat.scheme": "rkl2", "heat.stages": 15, "time.end": 2.5,
                          "output.double_precision": True}, name="run")
    fields = cell_data(snapshots(done)[-1])
    assert fields["temperature"].shape == (1, 4, n) and "exact" not in fields
    assert np.all(fields["diffusivity"] == 1.0 + x)
    # exp(-10 t) has left 1e-11; what remains is the error of the grid, of some dx^2 = 2.4e-4.
    assert np.abs(fields["temperature"] - x * (1.0 - x)).max() < 2e-4


def test_time_may_begin_anywhere(mode: Path, tmp_path: Path) -> None:
    """Steps between 4 and 4.01 have other roundings of t than those between 0 and 0.01."""
    later = run(tmp_path, MODE | {"time.begin": 4.0, "time.end": 4.01})
    assert rows(later)[0]["largest_error"] == 0.0
    assert rows(later)[-1]["largest_error"] == pytest.approx(rows(mode)[-1]["largest_error"], rel=1e-9)


def test_a_snapshot_begins_another_run(mode: Path, tmp_path: Path) -> None:
    file = snapshots(mode)[0]
    other = run(tmp_path, MODE | {"initial.setup": "file", "initial.file": str(file)}, name="other")
    ours, theirs = (cell_data(snapshots(directory)[-1])["temperature"] for directory in (mode, other))
    assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("fields", [("source",), ("diffusivity",), ("diffusivity", "source")])
def test_a_snapshot_continues_with_the_same_source_and_diffusivity(fields: tuple[str, ...], tmp_path: Path) -> None:
    """A step from a file's fields, and one more from the snapshot: the bits of two steps."""
    values = {"solver": "heat", "initial.setup": "file", "initial.file": "field.hdf5", "heat.cells": [16, 4],
              "heat.dt": 0.001, "heat.source": 0.5, "time.end": 0.002, "output.double_precision": True}
    if "diffusivity" not in fields:
        values["heat.diffusivity"] = 0.25
    cells = np.arange(64.0).reshape(4, 16)
    with h5py.File(tmp_path / "field.hdf5", "w") as file:
        file["temperature"] = cells % 7
        for name in fields:
            file[name] = 0.25 + cells % 3 / 4  # no rounding where heat.source is added and taken away
    whole = run(tmp_path, values, name="whole")
    first = run(tmp_path, values | {"time.end": 0.001}, name="first")
    assert set(cell_data(snapshots(first)[-1])) == {"temperature", *fields}
    begun = {"initial.file": str(snapshots(first)[-1]), "time.begin": 0.001}
    second = run(tmp_path, values | begun, name="second")
    for name, expected in cell_data(snapshots(whole)[-1]).items():
        assert np.array_equal(cell_data(snapshots(second)[-1])[name], expected), name


def test_launches_are_told_of_and_are_no_communication(tmp_path: Path) -> None:
    summary = json.loads((run(tmp_path, MODE | {"gpu.slots": 4, "gpu.fallback": "never", "gpu.device": "host"}) /
                          "summary.json").read_text())
    launches = summary["launches"]
    assert launches["all"] == launches["on_device"] > 0 and launches["on_cpu"] == launches["failed"] == 0
    assert (launches["device_share"], launches["fallback_share"]) == (1.0, 0.0)
    assert (summary["exposed_s"], summary["exposed_share"], summary["hidden_fraction"]) == (0.0, 0.0, None)
