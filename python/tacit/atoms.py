"""Reads snapshots of the solver md: atoms in a box.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as dataclass_field
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.parameters import parsed
from tacit.parts import open_whole, text_of

Array = NDArray[np.float64]

ORDER = ("Neighbours", "Q4", "Q6")
"""What snapshots have of the surroundings of atoms, with analysis.bond_length."""

_MOST_CENTRES = 1500
"""Atoms from which distances are counted: more only smooth the curve."""


@dataclass(frozen=True)
class Atoms:
    """One snapshot; positions lie inside the box."""

    path: Path
    name: str
    """Of the run."""
    time: float
    origin: Array
    edges: Array
    """Shape (3, 3): an edge of the box in each row [length]."""
    periodic: NDArray[np.bool_]
    elements: list[str]
    types: NDArray[np.int64]
    positions: Array
    energies: Array
    """Potential energy of each atom."""
    parameters: dict[str, Any]
    """The parameter file of the run."""
    order: dict[str, Array] = dataclass_field(default_factory=dict)
    """Of each atom, where the run measured it: "Neighbours", "Q4", "Q6"."""

    @property
    def count(self) -> int:
        """How many atoms there are."""
        return len(self.types)

    @property
    def volume(self) -> float:
        """Of the box [length^3]."""
        return float(abs(np.linalg.det(self.edges)))

    def half_width(self) -> float:
        """Half of the least distance of two faces that are periodic; half of the longest edge where none is."""
        widths = self.volume / np.linalg.norm(np.cross(np.roll(self.edges, -1, axis=0),
                                                       np.roll(self.edges, -2, axis=0)), axis=1)
        return 0.5 * float(widths[self.periodic].min() if self.periodic.any() else widths.max())

    def radial_distribution(self, bins: int = 150) -> tuple[Array, Array]:
        """The radial distribution function g(r): centres of bins and values, up to half of the box.

        An atom's nearest image is found by fractions of the edges, which is exact up to that distance in boxes that are
        not tilted much.
        """
        longest = self.half_width()
        borders = np.linspace(0.0, longest, bins + 1)
        found = np.zeros(bins)
        fractions = (self.positions - self.origin) @ np.linalg.inv(self.edges)
        centres = np.unique(np.linspace(0, self.count - 1, min(self.count, _MOST_CENTRES)).astype(int))
        for at in centres:
            away = fractions - fractions[at]
            away -= np.round(away) * self.periodic
            distances = np.linalg.norm(away @ self.edges, axis=1)
            found += np.histogram(distances[distances > 0.0], borders)[0]
        shells = 4.0 / 3.0 * np.pi * (borders[1:] ** 3 - borders[:-1] ** 3)
        density = max(self.count - 1, 1) / self.volume
        return 0.5 * (borders[1:] + borders[:-1]), found / (len(centres) * density * shells)


def atoms_snapshots(path: Path) -> list[Path]:
    """The snapshots of md in a directory, in the order of their names."""
    return [file for file in sorted(path.glob("snapshot_*.hdf5")) if is_atoms_file(file)]


def is_atoms_file(path: Path) -> bool:
    """Whether it is such a snapshot."""
    try:
        with h5py.File(path) as file:
            return "Atoms/Coordinates" in file
    except OSError:
        return False


def read_atoms(path: Path) -> Atoms:
    """One snapshot.

    Raises:
        InputError: if something that every snapshot has is missing or has another shape, or a part of the file is.
    """
    try:
        with open_whole(path) as file:
            header, data = file["Header"].attrs, file["Atoms"]
            size, tilt = (np.array(header[name], dtype=float) for name in ("BoxSize", "Tilt"))
            edges = np.diag(size)
            edges[1, 0], edges[2, 0], edges[2, 1] = tilt
            atoms = Atoms(path, text_of(header["RunName"]), float(np.ravel(header["Time"])[0]),
                          np.array(header["Origin"], dtype=float), edges, np.array(header["Periodic"]) != 0,
                          text_of(data.attrs["Elements"]).split(), np.array(data["Types"], dtype=np.int64),
                          np.array(data["Coordinates"], dtype=float), np.array(data["PotentialEnergies"], dtype=float),
                          parsed(text_of(header["Parameters"])),
                          {name: np.array(data[name], dtype=float) for name in ORDER if name in data})
            _check(atoms)
            return atoms
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise InputError(f"{path}: is no whole snapshot of the solver md: {error}") from error


def _check(atoms: Atoms) -> None:
    if atoms.positions.shape != (atoms.count, 3) or atoms.energies.shape != (atoms.count,) or atoms.count == 0:
        raise ValueError(f"Coordinates has the shape {atoms.positions.shape}, expected ({atoms.count}, 3)")
    if not atoms.volume > 0.0:
        raise ValueError("the box has no volume")
    if atoms.types.min() < 0 or atoms.types.max() >= len(atoms.elements):
        raise ValueError(f"Types are not those of {len(atoms.elements)} elements")
