"""What the dns solver says of runs that begin well: warnings, steps that are too long, fields at another resolution.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import h5py
import numpy as np
import pytest
from program import checkpoint, datasets, run, snapshots, succeed, tacit, write_parameters

NUMERICS = 1
TAYLOR_GREEN = {"solver": "dns", "initial.setup": "taylor_green", "dns.points": 12, "dns.viscosity": 0.01,
                "time.end": 0.5, "output.picture": False}


def complaint(folder: Path, **time_step: float) -> str:
    """What a flow says that cannot begin: it leaves a snapshot and a checkpoint of its state. `dns__dt=2` is dns.dt."""
    changes = {name.replace("__", "."): value for name, value in time_step.items()}
    write_parameters(folder / "run.toml", TAYLOR_GREEN | changes)
    done = tacit("run", "run.toml", "--output", "run", cwd=folder)
    assert done.returncode == NUMERICS
    assert len(snapshots(folder / "run")) >= 1
    text, checkpoint = done.stderr.rstrip("\n").rsplit("\n", 1)
    assert checkpoint == "  The last valid checkpoint is run/restart_000000.hdf5, of step 0, t = 0."
    return text + "\n"


def test_fixed_step_that_is_too_long(tmp_path: Path) -> None:
    """u + v is at most 1, and a cell is 2 pi / 12 long: a step of 2 crosses four of them."""
    assert complaint(tmp_path, dns__dt=2.0) == (
        "at t = 0: dns.dt = 2 is too long: no step beyond 1.57 is stable; take 0.2618 or less (a Courant number of 0.5 "
        "is good for rk2), or dns.cfl\n")
    run(tmp_path, TAYLOR_GREEN | {"dns.dt": 1.57, "time.end": 1.57}, name="longest")  # what it says is what it checks


def test_check_knows_a_fixed_step_that_is_too_long(tmp_path: Path) -> None:
    write_parameters(tmp_path / "run.toml", TAYLOR_GREEN | {"dns.dt": 2.0})
    done = tacit("check", "run.toml", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == (
        "run.toml: the run would fail after 0 steps, at t = 0: dns.dt = 2 is too long: no step beyond 1.57 is stable; "
        "take 0.2618 or less (a Courant number of 0.5 is good for rk2), or dns.cfl\n")
    # Of a run that is too large to be begun here, before any step.
    done = tacit("check", "run.toml", "--set", "dns.points=1024", cwd=tmp_path)
    assert "warning: dns.dt = 2 is too long: no step beyond 0.017 is stable; take 0.0031 or less (a Courant number " \
           "of 0.5 is good for rk2), or dns.cfl: a run will end with an error\n" in done.stderr
    write_parameters(tmp_path / "run.toml", TAYLOR_GREEN | {"dns.dt": 0.5})
    done = tacit("check", "run.toml", cwd=tmp_path)
    assert done.returncode == 0 and "too long" not in done.stderr


def test_check_counts_the_events_that_ranks_keep(tmp_path: Path) -> None:
    """A thousand of each worker, and four million of all together where each shall be there, at 113 bytes."""
    write_parameters(tmp_path / "run.toml", TAYLOR_GREEN | {"dns.points": 64})
    done = tacit("check", "run.toml", "--ranks", "64", "--threads", "2", cwd=tmp_path)
    assert "a trace of 14.8 MB" in done.stdout
    done = tacit("check", "run.toml", "--ranks", "64", "--threads", "2", "--set", "output.trace=all", cwd=tmp_path)
    assert "a trace of 474 MB" in done.stdout


def test_info_lists_what_the_files_of_a_flow_hold(tmp_path: Path) -> None:
    results = run(tmp_path, TAYLOR_GREEN | {"time.max_steps": 1, "scalars.schmidt": [1]})
    snapshot = succeed("info", snapshots(results)[0], cwd=tmp_path)
    assert re.search(r"^  VTKHDF/PointData/velocity +float32 +12 x 12 x 12 x 3$", snapshot, re.M)
    assert re.search(r"^  VTKHDF/PointData/scalar1 +float32 +12 x 12 x 12$", snapshot, re.M)
    stored = succeed("info", checkpoint(results), cwd=tmp_path)
    assert re.search(r"^  Dns/u +float64 +4 x 7 x 7 x 2$", stored, re.M)
    assert re.search(r"^  Time +0\.\d+$", stored, re.M)
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


@pytest.mark.parametrize(("stratification", "warning"), [
    (2.0, ""),
    (0.0, "warning: field.hdf5: buoyancy is left out; a flow has it with dns.stratification > 0\n"),
])
def test_buoyancy_of_a_file(stratification: float, warning: str, tmp_path: Path) -> None:
    """It is b = N theta, so that the potential energy is <b^2> / (2 N^2)."""
    write_velocity(tmp_path / "field.hdf5", 0.0)
    with h5py.File(tmp_path / "field.hdf5", "a") as file:
        file["buoyancy"] = np.broadcast_to(np.cos(np.arange(8) * (2 * np.pi / 8)), (8, 8, 8))
    write_parameters(tmp_path / "run.toml", TAYLOR_GREEN | {
        "initial.setup": "file", "initial.file": "field.hdf5", "dns.stratification": stratification,
        "time.max_steps": 1})
    done = tacit("run", "run.toml", "--output", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert warning in done.stdout
    assert ("buoyancy" in done.stdout) == bool(warning)
    if stratification > 0:
        names, first = ((tmp_path / "run" / "statistics.csv").read_text().splitlines()[i].split(",") for i in (0, 1))
        assert abs(float(first[names.index("potential_energy")]) - 0.25 / stratification**2) < 1e-15


def test_energy_out_of_nothing(tmp_path: Path) -> None:
    """A step of rk2 without viscosity multiplies the energy of fast waves: said once, and kept in the summary."""
    write_parameters(tmp_path / "run.toml", TAYLOR_GREEN | {
        "initial.setup": "isotropic", "isotropic.peak": 2.0, "dns.viscosity": 0.0, "dns.cfl": 2.0, "time.end": 4.0,
        "output.statistics_every": 0.5})
    done = tacit("run", "run.toml", "--output", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert len(summary["warnings"]) == 1
    warning = summary["warnings"][0]
    assert re.fullmatch(r"warning: the energy has grown by [\d.e+]+ %, but nothing brings any: "
                        r"the velocity is wrong by at least [\d.e+]+ %. "
                        r"Steps are too long: lower dns.cfl \(now 2\), or set dns.scheme = \"rk4\"", warning)
    assert done.stdout.count(warning) == 2  # when it is found, and at the end


def test_run_from_a_snapshot_at_another_resolution(tmp_path: Path) -> None:
    """The same velocity, at every second point of twice as many; snapshots are of single precision."""
    first = run(tmp_path, TAYLOR_GREEN, name="first")
    second = run(tmp_path, TAYLOR_GREEN | {"initial.setup": "file", "initial.file": str(snapshots(first)[-1]),
                                           "dns.points": 24, "time.end": 0.1}, name="second")
    coarse = datasets(snapshots(first)[-1])["VTKHDF/PointData/velocity"]
    fine = datasets(snapshots(second)[0])["VTKHDF/PointData/velocity"]
    # Two roundings to single precision of numbers up to 1, and what the transforms make of the first.
    assert np.max(np.abs(fine[::2, ::2, ::2] - coarse)) < 4 * 2.0**-24
    third = run(tmp_path, TAYLOR_GREEN | {"initial.setup": "file", "initial.file": str(checkpoint(first)),
                                          "dns.points": 24, "time.end": 0.1}, name="third")
    again = datasets(snapshots(third)[0])["VTKHDF/PointData/velocity"]
    assert np.max(np.abs(again - fine)) < 4 * 2.0**-24


def test_tracers_of_a_run_and_of_one_in_two_parts(tmp_path: Path) -> None:
    """All of them in every file, and bitwise identical with a restart between."""
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
