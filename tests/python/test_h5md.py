"""Trajectories in H5MD: what stands in the file is what the snapshots have, in the structure of H5MD 1.1.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from program import run

from tacit.errors import InputError
from tacit.h5md import write_h5md

SILICON = {"solver": "md", "initial.setup": "lattice", "lattice.structure": "diamond", "lattice.constant": 5.431,
           "lattice.cells": [2, 2, 2], "velocities.temperature": 600.0, "md.units": "metal", "md.elements": "Si",
           "md.masses": [28.0855], "md.potential": "stillinger_weber", "md.dt": 0.002,
           "stillinger_weber.parameters": "si_1985", "strain.rates": [0.5, 0.0, 0.0], "time.end": 0.02,
           "output.snapshot_every": 0.01, "output.double_precision": True, "output.picture": False}


def test_trajectory(tmp_path: Path) -> None:
    results = run(tmp_path, SILICON)
    path = write_h5md(results)
    snapshots = sorted(results.glob("snapshot_*.hdf5"))
    assert len(snapshots) == 3
    with h5py.File(path) as file:
        assert list(file["h5md"].attrs["version"]) == [1, 1]
        atoms = file["particles/all"]
        assert atoms["box"].attrs["dimension"] == 3
        assert list(atoms["box"].attrs["boundary"]) == ["periodic"] * 3
        assert atoms["mass"][0] == pytest.approx(28.0855, rel=1e-12)
        assert atoms["position/value"].attrs["unit"] == "Angstrom"
        for k, snapshot in enumerate(snapshots):
            with h5py.File(snapshot) as data:
                np.testing.assert_array_equal(atoms["position/value"][k], data["Atoms/Coordinates"])
                np.testing.assert_array_equal(atoms["velocity/value"][k], data["Atoms/Velocities"])
                np.testing.assert_array_equal(atoms["image/value"][k], data["Atoms/Images"])
                np.testing.assert_allclose(atoms["force/value"][k], np.array(data["Atoms/Forces"]) * 96.48533212)
                size = data["Header"].attrs["BoxSize"]
                np.testing.assert_array_equal(atoms["box/edges/value"][k], np.diag(size))
        for name in ("position", "velocity", "force", "image", "potential_energy", "box/edges"):
            np.testing.assert_array_equal(atoms[name]["step"], [0, 5, 10])
            np.testing.assert_allclose(atoms[name]["time"], [0.0, 0.01, 0.02], rtol=1e-12)
        # The box is strained by half of its length in a unit of time.
        ratio = atoms["box/edges/value"][2, 0, 0] / atoms["box/edges/value"][0, 0, 0]
        assert ratio == pytest.approx(1.01, rel=1e-12)


def test_nothing_is_left_where_there_are_no_atoms(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no snapshots of atoms"):
        write_h5md(tmp_path)
    assert list(tmp_path.iterdir()) == []
