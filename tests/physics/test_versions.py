"""Checkpoints that earlier versions wrote are continued by this one.

tests/data/checkpoints/VERSION/SOLVER holds a parameter file, the checkpoint of a run that was stopped half-way, and the
statistics.csv of the same run without a stop. With TACIT_KEEP_CHECKPOINTS=1 those of the present version are written
again (README.md there says when).

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import csv
import os
import re
import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest
from program import SOURCE, checkpoint, renew_checksums, succeed, tacit, write_parameters

KEPT = SOURCE / "tests/data/checkpoints"
VERSION = re.search(r"project\(tacit VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]
STEPS = 6
"""Of the whole run; the checkpoint is that of half of them."""
COMMON = {"output.picture": False, "output.statistics_every": 1e-6, "run.threads": 1, "run.deterministic": True,
          "time.max_steps": STEPS}
CASES = {
    "sph": {"initial.setup": "sedov", "sedov.resolution": 5, "time.end": 0.05, "cooling.time": 10.0,
            "potential.field_x": 0.1, "sph.boundary": "reflecting"},
    "dns": {"initial.setup": "taylor_green", "dns.points": 8, "dns.viscosity": 0.05, "dns.scheme": "rk4",
            "dns.truncation": "spherical",
            "dns.rotation": [0.0, 0.0, 0.5], "dns.stratification": 1.0, "dns.phase_shift": "random",
            "dns.forcing": "eswaran_pope", "forcing.power": 0.01, "forcing.memory": 0.5, "scalars.schmidt": [0.7],
            "dns.particles.count": 20, "time.end": 5.0},
    "heat": {"initial.setup": "two_layers", "heat.cells": [8, 6, 4], "heat.walls": ["fixed", "insulating", "periodic"],
             "heat.low": [1, 0, 0], "heat.high": [0, 0, 0], "heat.scheme": "rkl2", "time.end": 10.0},
}
"""A run of each solver whose state has all that a checkpoint can hold."""
TOLERANCE = 1e-5
"""Of the largest number of a column, or of the three of a vector: with other instructions, sums in single precision
(6e-8) and what gas shows its neighbours (5e-7) round in another way."""


def keep(solver: str, folder: Path) -> None:
    """Writes what is kept of the present version."""
    target = KEPT / VERSION / solver
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    write_parameters(target / "run.toml", {"solver": solver} | COMMON | CASES[solver])
    succeed("run", target / "run.toml", "--output", "whole", cwd=folder)
    succeed("run", target / "run.toml", "--output", "half", "--set", f"time.max_steps={STEPS // 2}", cwd=folder)
    shutil.copy(folder / "whole/statistics.csv", target)
    forget_host(checkpoint(folder / "half"))
    shutil.copy(checkpoint(folder / "half"), target)


def forget_host(path: Path) -> None:
    """Takes the names of host and user out of a checkpoint, in place, so that they do not stand in the repository."""
    with h5py.File(path, "r+") as file:
        for name in ("host", "user"):
            attribute = h5py.h5a.open(file["Engine"].id, name.encode())
            text = np.zeros((), attribute.dtype)
            text[...] = b"x" * (text.itemsize - 1)
            attribute.write(text)
    renew_checksums(path)


def last_line(path: Path) -> dict[str, float]:
    """The end of a run, without what the clock says."""
    with path.open() as file:
        line = list(csv.DictReader(file))[-1]
    return {name: float(value) for name, value in line.items() if name != "wall_s" and value}


def quantity(column: str) -> str:
    """Components of a vector are one."""
    return re.sub("_[xyz]$", "", column)


def scales_of(path: Path) -> dict[str, float]:
    """The largest magnitude of each quantity."""
    scales: dict[str, float] = {}
    with path.open() as file:
        for line in csv.DictReader(file):
            for name, value in line.items():
                if name != "wall_s":
                    scales[quantity(name)] = max(abs(float(value or 0)), scales.get(quantity(name), 0.0))
    return scales


@pytest.mark.parametrize("solver", CASES)
def test_the_present_version_is_kept(solver: str, tmp_path: Path) -> None:
    if os.environ.get("TACIT_KEEP_CHECKPOINTS") == "1":
        keep(solver, tmp_path)
    folder = KEPT / VERSION / solver
    assert list(folder.glob("restart_*.hdf5")), f"{folder} is missing: see tests/data/checkpoints/README.md"
    assert sum(path.stat().st_size for path in folder.iterdir()) < 100_000


@pytest.mark.parametrize("kept", sorted(KEPT.glob("*/*/run.toml")), ids=lambda path: "-".join(path.parts[-3:-1]))
def test_a_checkpoint_is_continued(kept: Path, tmp_path: Path) -> None:
    """As the run went on that was not stopped."""
    run = shutil.copytree(kept.parent, tmp_path / "run")
    first = int(checkpoint(run).stem.split("_")[1])
    said = succeed("run", kept, "--output", run, "--restart", cwd=tmp_path)
    assert f"continues from step {first} at " in said
    expected, found = last_line(kept.parent / "statistics.csv"), last_line(run / "statistics.csv")
    assert found["step"] == expected["step"] > first
    scales = scales_of(kept.parent / "statistics.csv")
    assert {name: found[name] for name in expected} == {
        name: pytest.approx(value, rel=TOLERANCE, abs=TOLERANCE * scales[quantity(name)])
        for name, value in expected.items()}


def test_other_layouts_are_refused_and_the_guide_says_which_are_read(tmp_path: Path) -> None:
    run = shutil.copytree(KEPT / VERSION / "heat", tmp_path / "run")
    with h5py.File(checkpoint(run), "r+") as file:
        layout = int(file["Engine"].attrs["layout"][0])
        file["Engine"].attrs["layout"] = file["Engine"].attrs["layout"] + 1
    renew_checksums(checkpoint(run))
    done = tacit("run", run / "run.toml", "--output", run, "--restart", cwd=tmp_path)
    assert done.returncode == 2
    read = re.search(rf"has the layout {layout + 1} of version {re.escape(VERSION)}, and this version, "
                     rf"{re.escape(VERSION)}, reads (layouts? [\d to]*\d);", done.stderr)
    assert read, done.stderr
    assert f"writes layout {layout} and reads {read[1]}," in (SOURCE / "docs/guide/restarting.md").read_text()
