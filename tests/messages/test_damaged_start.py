"""Starts from files that are no longer what was written: every byte counts before anything is computed.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import h5py
import numpy as np
import pytest
from program import run, settings, tacit

BAD_INPUT = 2
SHARED = {"output.writers": "shared", "output.picture": False, "run.threads": 2}
"""Arrays of such files have no checksum of their own."""
STARTS: Mapping[str, tuple[Mapping[str, object], Mapping[str, object], str]] = {
    "heat": ({"solver": "heat", "initial.setup": "gaussian", "gaussian.width": 0.08, "gaussian.amplitude": 1.0,
              "heat.cells": [8, 8, 8], "heat.diffusivity": 1.0, "time.end": 0.001},
             {"solver": "heat", "initial.setup": "file", "heat.cells": [8, 8, 8], "heat.diffusivity": 1.0},
             "VTKHDF/CellData/temperature"),
    "sph": ({"initial.setup": "sedov", "sedov.resolution": 6, "time.end": 0.001}, {},
            "PartType0/InternalEnergies"),
    "dns": ({"solver": "dns", "initial.setup": "taylor_green", "dns.points": 16, "dns.viscosity": 0.1,
             "time.end": 0.01},
            {"solver": "dns", "initial.setup": "file", "dns.points": 16, "dns.viscosity": 0.1},
            "VTKHDF/PointData/velocity"),
}
"""Of each solver a run, what a start from its last snapshot has, and one of its arrays."""


def flip(path: Path, array: str) -> None:
    """Changes one bit in the middle of an array that lies in one piece."""
    with h5py.File(path) as file:
        stored = file[array]
        place = stored.id.get_offset() + stored.dtype.itemsize * (stored.size // 2) + stored.dtype.itemsize - 2
    content = bytearray(path.read_bytes())
    content[place] ^= 8
    path.write_bytes(content)


@pytest.mark.parametrize("solver", STARTS)
def test_a_flipped_bit_of_a_snapshot_is_found_by_a_start(solver: str, tmp_path: Path) -> None:
    first, then, array = STARTS[solver]
    results = run(tmp_path, dict(first) | SHARED, name="first")
    start = tmp_path / "start.hdf5"
    shutil.copy(sorted(results.glob("snapshot_*.hdf5"))[-1], start)
    go_on = dict(then) | {"initial.file": str(start), "time.end": 1.0, "time.max_steps": 1, "output.picture": False}
    run(tmp_path, go_on, name="sound")
    flip(start, array)
    file = tmp_path / "damaged.toml"
    file.write_text(f"solver = \"{solver}\"\n", encoding="utf-8")
    keys = {key: value for key, value in go_on.items() if key != "solver"}
    checked = tacit("check", file, *settings(keys), cwd=tmp_path)
    assert checked.returncode == BAD_INPUT, checked.stdout + checked.stderr
    assert f"initial.file: {start} is damaged: bytes " in checked.stderr, checked.stderr
    for threads in (1, 2):
        done = tacit("run", file, *settings(keys), "--threads", str(threads), "--output", "damaged", cwd=tmp_path)
        assert done.returncode == BAD_INPUT, done.stdout + done.stderr
        assert f"initial.file: {start} is damaged: bytes " in done.stderr, done.stderr
        assert not list((tmp_path / "damaged").glob("snapshot_*"))


def test_a_file_that_was_changed_on_purpose_starts_a_run(tmp_path: Path) -> None:
    """h5py cuts the checksums off."""
    first, then, array = STARTS["heat"]
    start = tmp_path / "start.hdf5"
    shutil.copy(sorted(run(tmp_path, dict(first) | SHARED, name="first").glob("snapshot_*.hdf5"))[-1], start)
    with h5py.File(start, "r+") as file:
        file[array][...] = np.ones(file[array].shape)
    run(tmp_path, dict(then) | {"initial.file": str(start), "time.end": 1.0, "time.max_steps": 1,
                                "output.picture": False}, name="changed")


def test_every_file_of_a_set_is_looked_at(tmp_path: Path) -> None:
    results = run(tmp_path, dict(STARTS["sph"][0]) | SHARED, name="first")
    snapshot = sorted(results.glob("snapshot_*.hdf5"))[-1]
    for i in range(2):
        shutil.copy(snapshot, tmp_path / f"set.{i}.hdf5")
    with h5py.File(tmp_path / "set.0.hdf5", "r+") as file:  # this one has no checksums any more
        file["Header"].attrs["NumFilesPerSnapshot"] = np.array([2], dtype=np.int32)
        file["Header"].attrs["NumPart_Total"] = 2 * file["Header"].attrs["NumPart_Total"]
        file["PartType0/ParticleIDs"][...] += 1 << 20
    flip(tmp_path / "set.1.hdf5", "PartType0/InternalEnergies")
    file = tmp_path / "gas.toml"
    file.write_text("solver = \"sph\"\ninitial.file = \"set\"\ntime.end = 1.0\n", encoding="utf-8")
    done = tacit("run", file, cwd=tmp_path)
    assert done.returncode == BAD_INPUT, done.stdout + done.stderr
