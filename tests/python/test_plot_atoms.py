"""Pictures of atoms, from files like those of the solver md.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from test_plot import check_picture

from tacit.atoms import read_atoms
from tacit.cli import main
from tacit.drawing.atoms import compose_atoms, is_atoms
from tacit.drawing.request import Request
from tacit.errors import InputError

SIDE = 6


def write_atoms(path: Path, time: float = 0.0, jitter: float = 0.0, tilt: float = 0.0) -> Path:
    """A simple cubic crystal of the constant 1, with random displacements."""
    random = np.random.default_rng(1)
    places = np.array(np.meshgrid(*[np.arange(SIDE)] * 3)).reshape(3, -1).T + 0.25
    places = places + jitter * random.normal(size=places.shape)
    edges = np.diag([float(SIDE)] * 3)
    edges[1, 0] = tilt
    fractions = places / SIDE
    with h5py.File(path, "w") as file:
        header = file.create_group("Header").attrs
        header["Time"], header["BoxSize"] = np.array([time]), np.full(3, float(SIDE))
        header["Origin"], header["Tilt"] = np.zeros(3), np.array([tilt, 0.0, 0.0])
        header["Periodic"] = np.ones(3, dtype=int)
        header["RunName"] = np.bytes_("crystal")
        header["Parameters"] = np.bytes_('solver = "md"\n[initial]\nsetup = "lattice"\n')
        file["Atoms/Coordinates"] = (fractions - np.floor(fractions)) @ edges
        file["Atoms/Types"] = np.zeros(len(places), dtype=int)
        file["Atoms/PotentialEnergies"] = random.normal(size=len(places))
        file["Atoms"].attrs["Elements"] = np.bytes_("Ar")
    return path


def write_run(folder: Path) -> Path:
    """A run's directory with two snapshots and a history."""
    write_atoms(folder / "snapshot_0000.hdf5")
    write_atoms(folder / "snapshot_0001.hdf5", 1.0, 0.1)
    names = ("time", "kinetic_energy", "potential_energy", "total_energy", "temperature", "pressure")
    rows = [",".join(map(str, [t, 1.0 + t, -3.0 - t, -2.0, 0.5 + t, 1.0])) for t in np.linspace(0.0, 1.0, 5)]
    (folder / "statistics.csv").write_text("\n".join([",".join(names), *rows]) + "\n")
    return folder


@pytest.mark.parametrize("kind", ["all", *[pytest.param(kind, marks=pytest.mark.long)
                                           for kind in ("slice", "profile", "history")]])
def test_every_kind_of_picture(kind: str, tmp_path: Path) -> None:
    run = write_run(tmp_path)
    assert is_atoms(run)
    assert main(["plot", str(run), "--kind", kind]) == 0
    check_picture(run / "picture.png")


def test_one_snapshot_alone(tmp_path: Path) -> None:
    figure = compose_atoms(write_atoms(tmp_path / "snapshot_0000.hdf5", 0.0, 0.05), Request())
    assert len(figure.subfigs) == 1


@pytest.mark.parametrize("tilt", [0.0, 1.0])
def test_a_crystal_has_its_shells(tilt: float, tmp_path: Path) -> None:
    """The number of atoms within a distance is the integral of g(r): 6, 12 and 8 neighbours of a cubic crystal."""
    atoms = read_atoms(write_atoms(tmp_path / "snapshot_0000.hdf5", tilt=tilt))
    assert atoms.half_width() == pytest.approx(0.5 * SIDE / np.hypot(1.0, tilt / SIDE), rel=1e-12)
    r, g = atoms.radial_distribution(bins=290)
    width = r[1] - r[0]
    inside = np.cumsum(g * 4.0 / 3.0 * np.pi * ((r + width / 2) ** 3 - (r - width / 2) ** 3))
    inside *= (atoms.count - 1) / atoms.volume
    if tilt == 0.0:
        for distance, count in ((1.2, 6), (1.6, 18), (1.9, 26)):
            assert np.interp(distance, r, inside) == pytest.approx(count, abs=1e-9)
    # All that is nearer than the largest distance, however it is tilted: as many as the density says.
    assert inside[-1] == pytest.approx(4.0 / 3.0 * np.pi * r[-1] ** 3, rel=0.12)


@pytest.mark.parametrize(("request_of", "message"), [
    (Request(kind="projection"), "--kind projection"), (Request(field="rho"), "--field rho"),
    (Request(cut=99.0), "--cut 99"),
])
def test_what_cannot_be_drawn(request_of: Request, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        compose_atoms(write_run(tmp_path), request_of)


@pytest.mark.parametrize("lost", ["Atoms/Types", "Atoms/PotentialEnergies"])
def test_a_damaged_snapshot(lost: str, tmp_path: Path) -> None:
    path = write_atoms(tmp_path / "snapshot_0000.hdf5")
    with h5py.File(path, "a") as file:
        del file[lost]
    with pytest.raises(InputError, match="is no whole snapshot of the solver md"):
        read_atoms(path)
