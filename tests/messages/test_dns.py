"""What the dns solver says of runs that begin well: warnings, steps that are too long, fields at another resolution.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re
from pathlib import Path

import h5py
import numpy as np
import pytest
from program import datasets, run, snapshots, succeed, tacit, write_parameters

NUMERICS = 1
TAYLOR_GREEN = {"solver": "dns", "initial.setup": "taylor_green", "dns.points": 12, "dns.viscosity": 0.01,
                "time.end": 0.5, "output.picture": False}


def complaint(folder: Path, **time_step: float) -> str:
    """What a flow says that cannot begin: it leaves a snapshot of its state. `dns__dt=2` is dns.dt."""
    changes = {name.replace("__", "."): value for name, value in time_step.items()}
    write_parameters(folder / "run.toml", TAYLOR_GREEN | changes)
    done = tacit("run", "run.toml", "--output", "run", cwd=folder)
    assert done.returncode == NUMERICS
    assert len(snapshots(folder / "run")) >= 1
    return done.stderr


def test_fixed_step_that_is_too_long(tmp_path: Path) -> None:
    """u + v is at most 1, and a cell is 2 pi / 12 long: a step of 2 crosses four of them."""
    assert complaint(tmp_path, dns__dt=2.0) == (
        "at t = 0: dns.dt = 2 is too long for a flow that crosses a cell in 0.5236; take at most 0.5236, or dns.cfl\n")


def test_check_warns_of_a_fixed_step_that_is_too_long(tmp_path: Path) -> None:
    write_parameters(tmp_path / "run.toml", TAYLOR_GREEN | {"dns.dt": 2.0})
    done = tacit("check", "run.toml", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr == ("warning: dns.dt = 2 is too long for a flow that crosses a cell in about 0.52: a run will "
                           "end with an error; take at most 0.52, or dns.cfl\n")
    write_parameters(tmp_path / "run.toml", TAYLOR_GREEN | {"dns.dt": 0.5})
    assert tacit("check", "run.toml", cwd=tmp_path).stderr == ""


def test_check_counts_the_events_that_ranks_keep(tmp_path: Path) -> None:
    """A million of all ranks together, at 113 bytes each."""
    write_parameters(tmp_path / "run.toml", TAYLOR_GREEN | {"dns.points": 64})
    done = tacit("check", "run.toml", "--ranks", "64", "--threads", "2", cwd=tmp_path)
    assert "a time line of 118 MB" in done.stdout


def test_info_lists_what_the_files_of_a_flow_hold(tmp_path: Path) -> None:
    results = run(tmp_path, TAYLOR_GREEN | {"time.max_steps": 1, "scalars.schmidt": [1]})
    snapshot = succeed("info", snapshots(results)[0], cwd=tmp_path)
    assert re.search(r"^  VTKHDF/PointData/velocity +float32 +12 x 12 x 12 x 3$", snapshot, re.M)
    assert re.search(r"^  VTKHDF/PointData/scalar1 +float32 +12 x 12 x 12$", snapshot, re.M)
    checkpoint = succeed("info", results / "restart.hdf5", cwd=tmp_path)
    assert re.search(r"^  Dns/u +float64 +4 x 7 x 7 x 2$", checkpoint, re.M)
    assert re.search(r"^  Time +0\.\d+$", checkpoint, re.M)
    spectra = succeed("info", results / "spectra_000000.hdf5", cwd=tmp_path)
    assert re.search(r"^  StructureFunctions/x/mixed_3 +float64 +7$", spectra, re.M)


def test_flow_that_needs_a_shorter_step_than_dt_min(tmp_path: Path) -> None:
    assert complaint(tmp_path, time__dt_min=0.3) == (
        "at t = 0: the flow needs a time step of 0.2618, below time.dt_min = 0.3\n"
        "  Look at the last snapshot. If all is as it should be, lower time.dt_min.\n")


def write_velocity(path: Path, gradient: float) -> None:
    """sin y along x, and a gradient beside it."""
    angle = np.arange(8) * (2 * np.pi / 8)
    with h5py.File(path, "w") as file:
        file["u"] = np.broadcast_to(np.sin(angle)[None, :, None] + gradient * np.sin(angle), (8, 8, 8))
        file["v"] = file["w"] = np.zeros((8, 8, 8))


@pytest.mark.parametrize(("gradient", "warning"), [
    (0.0, ""),
    (0.25, "warning: field.hdf5: the field had divergence, which was taken out: its largest |k.u| was 0.25 of the "
           "largest |k||u|\n"),
])
def test_divergence_of_a_file(gradient: float, warning: str, tmp_path: Path) -> None:
    write_velocity(tmp_path / "field.hdf5", gradient)
    write_parameters(tmp_path / "run.toml", TAYLOR_GREEN | {"initial.setup": "file", "initial.file": "field.hdf5"})
    done = tacit("run", "run.toml", "--output", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert warning in done.stdout + done.stderr
    assert ("divergence" in done.stdout + done.stderr) == bool(warning)


def test_run_from_a_snapshot_at_another_resolution(tmp_path: Path) -> None:
    """The same velocity, at every second point of twice as many; snapshots are of single precision."""
    first = run(tmp_path, TAYLOR_GREEN, name="first")
    second = run(tmp_path, TAYLOR_GREEN | {"initial.setup": "file", "initial.file": str(snapshots(first)[-1]),
                                           "dns.points": 24, "time.end": 0.1}, name="second")
    coarse = datasets(snapshots(first)[-1])["VTKHDF/PointData/velocity"]
    fine = datasets(snapshots(second)[0])["VTKHDF/PointData/velocity"]
    # Two roundings to single precision of numbers up to 1, and what the transforms make of the first.
    assert np.max(np.abs(fine[::2, ::2, ::2] - coarse)) < 4 * 2.0**-24
    checkpoint = first / "restart.hdf5"
    third = run(tmp_path, TAYLOR_GREEN | {"initial.setup": "file", "initial.file": str(checkpoint), "dns.points": 24,
                                          "time.end": 0.1}, name="third")
    again = datasets(snapshots(third)[0])["VTKHDF/PointData/velocity"]
    assert np.max(np.abs(again - fine)) < 4 * 2.0**-24


def test_tracers_of_a_run_and_of_one_in_two_parts(tmp_path: Path) -> None:
    """All of them in every file, and the same bits with a restart between."""
    settings = TAYLOR_GREEN | {"dns.particles.count": 50, "output.double_precision": True, "time.dt_max": 0.05,
                               "run.deterministic": True}
    whole = run(tmp_path, settings, name="whole")
    parts = run(tmp_path, settings | {"time.max_steps": 4}, name="parts")
    write_parameters(tmp_path / "parts.toml", settings)
    done = tacit("run", "parts.toml", "--output", "parts", "--restart", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    expected = datasets(sorted(whole.glob("tracers_*.hdf5"))[-1])
    found = datasets(sorted(parts.glob("tracers_*.hdf5"))[-1])
    assert expected.keys() == found.keys()
    assert list(expected["VTKHDF/PointData/id"]) == list(range(50))
    for name, values in expected.items():
        assert values.tobytes() == found[name].tobytes(), name
    last_line = [(folder / "statistics.csv").read_text().splitlines()[-1].split(",")[-2:] for folder in (whole, parts)]
    assert last_line[0] == last_line[1]
