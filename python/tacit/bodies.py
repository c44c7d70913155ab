"""Reads particles that are no gas from snapshots in SWIFT's layout.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.parts import open_whole
from tacit.units import Units

Array = NDArray[np.float64]

KINDS = {1: "halo", 2: "disc", 3: "bulge", 4: "stars", 5: "black holes"}
"""GADGET's words for its types."""


@dataclass
class Bodies:
    """All bodies of a snapshot, in its units; N of them."""

    path: Path
    name: str
    time: float
    units: Units
    x: Array
    """Shape (N, 3): positions [length]."""
    velocity: Array
    """Shape (N, 3): velocities [velocity]."""
    m: Array
    """Shape (N): masses [mass]."""
    type: NDArray[np.int64]
    """Shape (N): GADGET's type, 1 to 5."""

    @property
    def types(self) -> list[int]:
        """Those that there are."""
        return [int(kind) for kind in np.unique(self.type)]

    def centre(self) -> Array:
        """Shape (3): the centre of mass of the half that lies nearest to the median of all, found twice [length]."""
        centre = np.median(self.x, axis=0)
        for _ in range(2):
            r = np.linalg.norm(self.x - centre, axis=1)
            near = r <= np.median(r)
            centre = np.average(self.x[near], axis=0, weights=self.m[near])
        return centre


def is_body_file(path: Path) -> bool:
    """Whether a file is a snapshot of bodies without gas."""
    try:
        with h5py.File(path) as file:
            return "PartType0" not in file and any(_has_motion(file, kind) for kind in KINDS)
    except OSError:
        return False


def body_snapshots(path: Path) -> list[Path]:
    """The snapshots of bodies without gas in a run's directory, by time, then by name."""
    dated = []
    for file in [found for folder in (path, path / "snapshots") for found in folder.glob("*.hdf5")]:
        if is_body_file(file):
            with h5py.File(file) as opened:
                dated.append((float(np.ravel(opened["Header"].attrs.get("Time", 0.0))[0]), file.name, file))
    return [entry[2] for entry in sorted(dated)]


def read_bodies(path: Path) -> Bodies:
    """Reads one snapshot.

    Raises:
        InputError: if it cannot be read, or lacks what a snapshot has.
    """
    try:
        with open_whole(path) as file:
            kinds = [kind for kind in KINDS if _has_motion(file, kind)]
            groups = [file[f"PartType{kind}"] for kind in kinds]
            name = file["Header"].attrs.get("RunName", b"")
            return Bodies(
                path=path,
                name=(name.decode() if isinstance(name, bytes) else str(name)).strip() or path.stem,
                time=float(np.ravel(file["Header"].attrs.get("Time", 0.0))[0]),
                units=Units.read(file),
                x=np.concatenate([group["Coordinates"][:].astype(float) for group in groups]),
                velocity=np.concatenate([group["Velocities"][:].astype(float) for group in groups]),
                m=np.concatenate([group["Masses"][:].astype(float) for group in groups]),
                type=np.concatenate([np.full(len(group["Masses"]), kind) for kind, group in zip(kinds, groups)]),
            )
    except (OSError, KeyError, ValueError) as error:
        raise InputError(f"{path}: not a snapshot of bodies ({error})") from error


def _has_motion(file: h5py.File, kind: int) -> bool:
    group = f"PartType{kind}"
    return group in file and all(name in file[group] for name in ("Coordinates", "Velocities", "Masses"))
