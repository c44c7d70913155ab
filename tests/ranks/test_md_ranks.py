"""Atoms on ranks that mpirun starts: the same bits on any number of them, and continued on another.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from launched import assert_same_results, launch, on_ranks
from program import write_parameters

COMMON: Mapping[str, object] = {
    "solver": "md", "initial.setup": "lattice", "output.double_precision": True, "output.picture": False,
    "run.pin": False}
ARGON = COMMON | {
    "lattice.density": 0.8442, "lattice.cells": [4, 5, 7], "velocities.temperature": 1.44, "md.dt": 0.005,
    "md.dump_every": 0.1, "md.xyz_every": 0.1, "time.end": 0.3, "output.statistics_every": 0.1,
    "output.snapshot_every": 0.1}
SILICON = COMMON | {
    "units.length": "1 Angstrom", "units.mass": "1.602176634e-20 g", "units.velocity": "1e4 cm/s",
    "lattice.structure": "diamond", "lattice.constant": "5.432 Angstrom", "lattice.cells": [2, 3, 4],
    "velocities.temperature": "6000 K", "md.units": "metal", "md.elements": "Si", "md.masses": [28.0855],
    "md.boundary": ["periodic", "periodic", "open"], "md.potential": "tersoff", "md.dt": "1 fs",
    "md.skin": "0.5 Angstrom", "tersoff.parameters": "si_1988", "time.end": "0.06 ps",
    "output.statistics_every": "20 fs", "output.snapshot_every": "20 fs"}
BOTH = {"argon": ARGON, "silicon": SILICON}


def atoms(folder: Path, name: str, ranks: int, case: str, *arguments: str, threads: int = 1) -> Path:
    """Runs a case on so many ranks into folder/NAME, which it returns."""
    file = write_parameters(folder / f"{case}.toml", BOTH[case])
    done = launch(on_ranks(ranks, "run", file.name, "--output", name, "--threads", str(threads), *arguments), folder)
    assert done.returncode == 0, f"exit code {done.returncode} on {ranks} ranks\n{done.stdout}{done.stderr}"
    return folder / name


def assert_same_texts(a: Path, b: Path) -> None:
    """Files in extended XYZ and dumps have the same bytes."""
    for pattern in ("*.xyz", "*.lammpstrj"):
        first = {path.name: path.read_bytes() for path in a.glob(pattern)}
        assert first == {path.name: path.read_bytes() for path in b.glob(pattern)}


@pytest.mark.parametrize("case", ["argon", pytest.param("silicon", marks=pytest.mark.long)])
def test_ranks_leave_what_one_leaves(case: str, tmp_path: Path) -> None:
    alone = atoms(tmp_path, "alone", 1, case)
    assert len(list(alone.glob("*.xyz"))) == (4 if case == "argon" else 0)
    for ranks, threads in ((2, 2), (4, 1)):
        found = atoms(tmp_path, str(ranks), ranks, case, threads=threads)
        assert_same_results(alone, found)
        assert_same_texts(alone, found)


@pytest.mark.parametrize("case", [pytest.param("argon", marks=pytest.mark.long), "silicon"])
def test_a_checkpoint_continues_on_other_counts(case: str, tmp_path: Path) -> None:
    alone = atoms(tmp_path, "alone", 1, case)
    for name, first, second in (("up", 1, 4), ("down", 3, 1)):
        atoms(tmp_path, name, first, case, "--set", "time.max_steps=25")
        assert_same_results(alone, atoms(tmp_path, name, second, case, "--restart"))


def test_an_explosion_is_told_once(tmp_path: Path) -> None:
    """Whichever rank has the atom, in the same step, with the state as it failed."""
    file = write_parameters(tmp_path / "hot.toml", ARGON | {"md.dt": 0.08, "time.end": 20.0})
    steps = []
    for ranks in (1, 3):
        done = launch(on_ranks(ranks, "run", file.name, "--output", f"out{ranks}"), tmp_path)
        assert done.returncode == 1, f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
        lines = [line for line in done.stderr.splitlines() if "further than the cutoff and the skin" in line]
        assert len(lines) == 1, done.stderr
        assert "atom " in lines[0]
        steps.append(lines[0].split(" in step ")[1].split(",")[0])
        assert (tmp_path / f"out{ranks}" / "failed.hdf5").exists()
    assert steps[0] == steps[1]


def test_more_ranks_than_cells_are_refused(tmp_path: Path) -> None:
    file = write_parameters(tmp_path / "small.toml", ARGON | {"lattice.cells": [2, 2, 4]})
    done = launch(on_ranks(4, "run", file.name, "--output", "out"), tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("'md' can divide these atoms among 2 rank(s), but there are 4") == 1, done.stderr
