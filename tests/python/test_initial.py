"""Runs that begin from arrays: the bits of a run from a file, the arrays themselves in the first snapshot, errors.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
import tacit
from program import assert_same_bits, snapshots
from tacit import initial

QUIET = {"output.picture": False, "run.threads": 1}
BAR = {"solver": "heat", "heat.cells": [16, 8], "heat.diffusivity": 1.0, "time.end": 0.001, **QUIET}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_run_from_an_array_is_that_from_a_file() -> None:
    temperature = np.random.default_rng(1).random((8, 16))
    with h5py.File("warm.hdf5", "w") as file:
        file["temperature"] = temperature[None]
    tacit.run({**BAR, "initial.setup": "file", "initial.file": "warm.hdf5"}, output="a")
    Path("bar.toml").write_text('solver = "heat"\n[heat]\ncells = [16, 8]\ndiffusivity = 1.0\n[time]\nend = 0.001\n')
    tacit.run("bar.toml", output="b", set=QUIET, initial={"temperature": temperature})
    for one, other in zip(snapshots(Path("a")), snapshots(Path("b")), strict=True):
        assert_same_bits(one, other)


def test_particles_are_those_of_the_arrays() -> None:
    random = np.random.default_rng(2)
    gas = {"positions": random.random((200, 3)), "velocities": random.normal(size=(200, 3)), "masses": 0.01,
           "internal_energies": random.random(200) + 1.0, "ids": np.arange(200)[::-1] + 5}
    halo = {"positions": random.random((50, 3)), "velocities": np.zeros((50, 3)), "masses": random.random(50) + 1.0,
            "ids": np.arange(50) + 1000}
    run = {"solver": "sph", "time.end": 0.001, "gravity.self": True, "gravity.softening": 0.05, **QUIET}
    with tacit.Simulation(run, output="p", initial={"gas": gas, "halo": halo, "box": 1.0}) as simulation:
        simulation.write_snapshot("now.hdf5")
    with h5py.File("now.hdf5") as file:
        for number, group in ((0, gas), (1, halo)):
            order = np.argsort(file[f"PartType{number}/ParticleIDs"])
            wanted = np.argsort(group["ids"])
            assert np.array_equal(file[f"PartType{number}/Coordinates"][:][order], group["positions"][wanted])
            masses = np.broadcast_to(group["masses"], len(wanted))
            assert np.array_equal(file[f"PartType{number}/Masses"][:][order], masses[wanted])


def test_atoms_are_those_of_the_arrays() -> None:
    corners = np.stack(np.meshgrid(*[np.arange(4)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    positions = 1.7 * corners + np.random.default_rng(3).normal(0.0, 0.05, corners.shape)
    run = {"solver": "md", "md.elements": "Ar", "md.dt": 0.001, "time.end": 0.01, **QUIET}
    given = {"positions": positions, "elements": "Ar", "cell": [6.8, 6.8, 6.8], "velocities": 0.0 * positions}
    with tacit.Simulation(run, output="m", initial=given) as simulation:
        simulation.write_snapshot("now.hdf5")
    with h5py.File("now.hdf5") as file:
        order = np.argsort(file["Atoms/ParticleIDs"])
        found = file["Atoms/Coordinates"][:][order] + 6.8 * file["Atoms/Images"][:][order]
    assert np.allclose(found, positions, rtol=0.0, atol=1e-14)


def test_links_pass_the_sums_of_their_format() -> None:
    random = np.random.default_rng(4)
    links, _ = np.linalg.qr(random.normal(size=(4, 2, 4, 6, 4, 3, 3)) + 1j * random.normal(size=(4, 2, 4, 6, 4, 3, 3)))
    links /= np.linalg.det(links)[..., None, None] ** (1.0 / 3.0)
    run = {"solver": "gauge", "gauge.beta": 6.0, "sweep.end": 1, **QUIET}
    with tacit.Simulation(run, output="u", initial={"links": links}) as simulation:  # trace, plaquette, checksum
        assert simulation.steps == 0


def test_what_is_wrong_is_named() -> None:
    ok = np.zeros((8, 16))
    for solver, arrays, part in (
        ("amr", {}, "amr begins from no arrays"),
        ("heat", {"temp": ok}, "there is no array 'temp'"),
        ("heat", {"source": ok}, "'temperature' is missing"),
        ("heat", {"temperature": ok, "source": ok[:3]}, "'source' has the shape (3, 16), expected (8, 16)"),
        ("heat", {"temperature": [["a"]]}, "is no array of numbers"),
        ("dns", {"u": ok, "v": ok}, "'w' is missing"),
        ("sph", {"positions": ok}, "'velocities' of gas is missing"),
        ("sph", {"positions": ok, "velocities": ok, "masses": 1, "internal_energies": 1}, "expected (n, 3)"),
        ("sph", {"planets": {}}, "there are no particles 'planets'"),
        ("md", {"positions": ok[:, :3], "elements": ["Ar"], "cell": [1, 1, 1]}, "'elements' is not one name"),
        ("qcd", {"links": ok}, "expected (t, z, y, x, 4, 3, 3)"),
    ):
        with pytest.raises(tacit.InputError, match="^initial: ") as caught:
            initial.write(solver, arrays, Path())
        assert part in str(caught.value), (solver, caught.value)
    with pytest.raises(tacit.InputError, match="do not say the solver"):
        tacit.run({"time.end": 1.0}, initial={"temperature": ok})
    with pytest.raises(tacit.FormatError, match=r"heat\.cells"):  # texts of files say the rest
        tacit.run({**BAR, "heat.cells": [4, 4]}, output="x", initial={"temperature": ok})
