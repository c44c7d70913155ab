"""What a run leaves behind, and that it takes the memory that is predicted.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import csv
import json
import re
import tomllib
from pathlib import Path

import h5py
import numpy as np
import pytest
from gadget import blob
from program import checkpoint, gas, run, snapshot_time, snapshots, succeed, tacit, write_parameters

KINDS = {"density", "force"}
"""Kinds of tasks that every step has."""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny run. Pictures are drawn by test_examples.py."""
    folder = tmp_path_factory.mktemp("results")
    return run(folder, {"initial.setup": "sedov", "sedov.resolution": 8, "time.end": 0.01,
                        "output.snapshot_every": 0.005, "run.threads": 2})


def test_files(results: Path) -> None:
    names = {path.name for path in results.iterdir() if path.name != ".tacit.lock"}
    assert names == {"parameters.toml", "snapshot_0000.hdf5", "snapshot_0001.hdf5", "snapshot_0002.hdf5",
                     "statistics.csv", "trace.json", "summary.json", checkpoint(results).name}
    assert [snapshot_time(path) for path in snapshots(results)] == [0.0, 0.005, 0.01]


def test_summary(results: Path) -> None:
    summary = json.loads((results / "summary.json").read_text())
    assert (summary["solver"], summary["ranks"], summary["threads"]) == ("sph", 1, 2)
    assert summary["version"] in succeed("--version", cwd=results)
    assert summary["steps"] <= summary["updates"] < 8**3 * summary["steps"]  # particles take steps of their own
    assert 0.0 < summary["updates_per_core_s"] < 1e9
    assert summary["wall_s"] > 0.0
    # One rank: nothing is transferred, so nothing is exposed and there is nothing to hide.
    assert (summary["exposed_s"], summary["exposed_share"], summary["hidden_fraction"]) == (0.0, 0.0, None)
    for name in ("mass", "momentum", "energy"):
        assert summary["conserved"][name].keys() == {"start", "end", "max_drift"}
        assert 0.0 <= summary["conserved"][name]["max_drift"] < 0.01


def test_summary_agrees_with_the_snapshots(results: Path) -> None:
    """The sums are exact, the snapshot's numbers single precision: 1e-7 each."""
    summary = json.loads((results / "summary.json").read_text())["conserved"]
    for name, path in (("start", snapshots(results)[0]), ("end", snapshots(results)[-1])):
        fields = gas(path)
        m, v = fields["Masses"].astype(float), fields["Velocities"].astype(float)
        energy = np.sum(m * (0.5 * np.sum(v * v, axis=1) + fields["InternalEnergies"]))
        assert summary["mass"][name] == pytest.approx(m.sum(), rel=1e-6)
        assert summary["energy"][name] == pytest.approx(energy, rel=1e-6)


def test_statistics(results: Path) -> None:
    with (results / "statistics.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    summary = json.loads((results / "summary.json").read_text())
    assert (int(rows[0]["step"]), float(rows[0]["time"])) == (0, 0.0)
    assert (int(rows[-1]["step"]), float(rows[-1]["time"])) == (summary["steps"], 0.01)
    assert float(rows[-1]["total_energy"]) == summary["conserved"]["energy"]["end"]
    times = [float(row["time"]) for row in rows]
    assert times == sorted(set(times))


def test_trace(results: Path) -> None:
    events = json.loads((results / "trace.json").read_text())["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]
    kinds = {event["name"] for event in spans}
    assert KINDS | {"write snapshot", "write checkpoint", "statistics"} <= kinds
    assert {event["tid"] for event in events} == {0, 1, 3}  # the third is the I/O thread
    for track in (0, 1):
        ends = 0.0
        for span in sorted((event for event in spans if event["tid"] == track), key=lambda event: event["ts"]):
            assert span["dur"] >= 0.0
            # Three decimals of a microsecond: rounding of begin and duration, a nanosecond each.
            if span["ts"] + span["dur"] <= ends + 0.002:
                continue  # within it: loops that output runs
            assert span["ts"] >= ends - 0.002, f"{span['name']} begins before the one before it has ended"
            ends = span["ts"] + span["dur"]


@pytest.mark.long
def test_picture_without_the_launcher(tmp_path: Path) -> None:
    """By the Python that is named; test_output.py has what is started so."""
    done = run(tmp_path, {"initial.setup": "sedov", "sedov.resolution": 4, "time.end": 0.001, "output.picture": True})
    assert (done / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_parameters_as_used(results: Path) -> None:
    used = tomllib.loads((results / "parameters.toml").read_text())
    assert used["sedov"]["resolution"] == 8 and used["time"]["end"] == 0.01
    assert used["run"]["threads"] == 2 and used["sph"]["kernel"] == "cubic_spline"


def test_provenance_is_in_every_result(tmp_path: Path) -> None:
    """Who made a result, and from what: the same rows in each file (statistics.csv is kept plain for readers)."""
    blob(4).write(tmp_path / "gas.hdf5")
    run(tmp_path, {"initial.file": "gas.hdf5", "time.end": 0.01, "time.max_steps": 1})
    summary = json.loads((tmp_path / "run/summary.json").read_text())["provenance"]
    assert {"version", "commit", "compiler", "build", "host", "user", "date", "input", "input checksum"} == set(summary)
    assert re.fullmatch("[0-9a-f]{32}", summary["input checksum"]) and summary["input"].endswith("gas.hdf5")
    trace = json.loads((tmp_path / "run/trace.json").read_text())["otherData"]
    comments = (tmp_path / "run/parameters.toml").read_text().splitlines()
    results = tmp_path / "run"
    with h5py.File(results / "snapshot_0000.hdf5") as snapshot, h5py.File(checkpoint(results)) as restart:
        for name, value in summary.items():
            if name == "date":  # of each file's own writing
                continue
            assert trace[name] == value
            assert f"# {name}: {value}" in comments
            assert snapshot["Provenance"].attrs[name].decode() == value
            assert restart["Engine"].attrs[name].decode() == value


GAS = {"initial.setup": "sedov", "sedov.resolution": 32}
FLOW = {"solver": "dns", "initial.setup": "taylor_green", "dns.points": 128, "dns.viscosity": 1e-3}
HEAT = {"solver": "heat", "initial.setup": "gaussian", "heat.cells": [144, 144, 144], "heat.diffusivity": 1.0}


def predict(text: str) -> float:
    """The memory [byte] in what `tacit check` says."""
    number, unit = re.search(r"memory  about (\S+) (\S+)", text).groups()
    return float(number) * {"MB": 1e6, "GB": 1e9}[unit]


@pytest.mark.parametrize("changes", [
    GAS,
    pytest.param(FLOW, marks=pytest.mark.long),
    pytest.param(HEAT, marks=pytest.mark.long),
    pytest.param(GAS | {"sph.scheme": "gadget2", "sph.time_steps": "common"}, marks=pytest.mark.long),
    # cells are halved, and each sees 81
    pytest.param(GAS | {"sph.kernel": "wendland_c6"}, marks=pytest.mark.long),
    pytest.param(GAS | {"sph.dimension": 2, "sedov.resolution": 250}, marks=pytest.mark.long),
], ids=["default", "dns", "heat", "gadget2", "wendland", "plane"])
def test_memory_is_predicted(tmp_path: Path, changes: dict[str, object]) -> None:
    """Of some 3 * 10^4 elements and more, so that most of it is theirs. Measured within 12 % of gas, 24 % where each
    particle sees many cells, and 20 % of the grids. What waits to be written adds at most what there is room for, less
    where the disk is fast. One thread is as good as two: what each needs of its own is little."""
    values = {"time.end": 1.0, "time.max_steps": 2, "output.picture": False, "run.threads": 1} | changes
    write_parameters(tmp_path / "run.toml", values)
    predicted, taken = {}, {}
    for room in ("0", "5000000", "1000000000"):
        staging = ("--set", f"output.staging_memory={room}")
        predicted[room] = predict(succeed("check", "run.toml", *staging, cwd=tmp_path))
        if room != "5000000":
            succeed("run", "run.toml", *staging, "--output", room, cwd=tmp_path)
            taken[room] = json.loads((tmp_path / room / "summary.json").read_text())["peak_memory_bytes"]
    at_once = predicted["0"]
    assert at_once == pytest.approx(taken["0"], rel=0.3)
    assert predicted["5000000"] - at_once == pytest.approx(5e6, abs=1e6)  # of three digits each
    files = sum(path.stat().st_size for path in sorted((tmp_path / "0").glob("*_*.hdf5"))[:2])
    assert predicted["1000000000"] - at_once > 0.7 * files
    assert taken["1000000000"] < 1.3 * predicted["1000000000"]


def test_no_step_is_longer_than_dt_max(tmp_path: Path) -> None:
    """Cold gas far from the blast could take any step. Twice as many at most, as steps are powers of two apart, and no
    step ends for the output in between; at the beginning and end each particle is within a step."""
    blast = {"initial.setup": "sedov", "sedov.resolution": 8, "time.end": 1e-3, "time.dt_max": 2e-5,
             "output.snapshot_every": 3.3e-4, "output.statistics_every": 1.7e-4}
    updates = json.loads((run(tmp_path, blast) / "summary.json").read_text())["updates"]
    assert 49 * 8**3 <= updates <= 101 * 8**3
    seldom = blast | {"output.snapshot_every": 1e-3, "output.statistics_every": 1e-3}
    assert json.loads((run(tmp_path, seldom, name="seldom") / "summary.json").read_text())["updates"] == updates


@pytest.mark.parametrize("steps", ["individual", "common"])
def test_only_a_particle_ends_a_run_for_dt_min(tmp_path: Path, steps: str) -> None:
    blast = {"initial.setup": "sedov", "sedov.resolution": 8, "time.end": 2e-2, "sph.time_steps": steps,
             "output.snapshot_every": 1.7e-3, "output.statistics_every": 1.3e-3}  # 0.4e-3 apart, and less
    succeeded = run(tmp_path, blast | {"time.dt_min": 1e-3})  # measured: stable steps are 2.5e-3 and longer
    assert json.loads((succeeded / "summary.json").read_text())["finished"]
    write_parameters(tmp_path / "refused.toml", blast | {"time.dt_min": 1e-2})
    done = tacit("run", "refused.toml", "--output", "refused", cwd=tmp_path)
    assert done.returncode == 1
    assert re.search(r"at t = 0: particle \d+ at \(.*\) needs a time step of .*, below time.dt_min = 0.01\n"
                     r"  Look at the last snapshot", done.stderr), done.stderr
    assert {"snapshot_0000.hdf5", "restart_000000.hdf5"} <= {path.name for path in (tmp_path / "refused").iterdir()}


def test_info(results: Path) -> None:
    text = succeed("info", results, cwd=results)
    for path in results.iterdir():
        assert path.name.startswith(".") or path.name in text
    text = succeed("info", snapshots(results)[-1], cwd=results)
    assert "PartType0/Densities" in text and "512" in text
