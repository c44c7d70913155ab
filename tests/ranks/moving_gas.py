"""A file of gas that moves: on several ranks, particles migrate all the time.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np

MACH_10 = (12.0, 4.0, -3.0)
"""In units of about the speed of sound of the gas around the hot spot."""


def write_gas(path: Path, x: np.ndarray, u: np.ndarray, velocities: np.ndarray, masses: np.ndarray,
              order: np.ndarray | None = None) -> None:
    """Writes particles, shape (N, 3) and (N), in the given order of rows; IDs from 1, shuffled in one way always."""
    n = len(x)
    order = np.arange(n) if order is None else order
    ids = np.random.default_rng(3).permutation(n) + 1
    with h5py.File(path, "w") as file:
        header = file.create_group("Header")
        header.attrs["NumPart_ThisFile"] = header.attrs["NumPart_Total"] = [n, 0, 0, 0, 0, 0]
        header.attrs["NumPart_Total_HighWord"] = [0] * 6
        header.attrs["MassTable"] = [0.0] * 6
        header.attrs["BoxSize"] = 1.0
        header.attrs["Time"] = 0.0
        header.attrs["NumFilesPerSnapshot"] = 1
        particles = file.create_group("PartType0")
        particles["Coordinates"] = x[order]
        particles["Velocities"] = velocities[order]
        particles["Masses"] = masses[order]
        particles["InternalEnergies"] = u[order]
        particles["ParticleIDs"] = ids[order].astype(np.uint64)


def lattice(side: int, dimension: int = 3, offset: float = 0.5) -> np.ndarray:
    """Shape (side^dimension, 3): a lattice in a box of 1, with 0 along unused axes."""
    one = (np.arange(side) + offset) / side
    x = np.stack(np.meshgrid(*[one] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension)
    return np.pad(x, ((0, 0), (0, 3 - dimension)))


def write_moving_gas(path: Path, side: int, velocity: tuple[float, float, float] = MACH_10,
                     order: np.ndarray | None = None, offset: float = 0.5) -> None:
    """Gas at rest in itself with a hot spot off the middle, moving as a whole, in a periodic box of 1."""
    x = lattice(side, offset=offset)
    u = np.where(((x - 0.3) ** 2).sum(axis=1) < 0.02, 30.0, 1.0)
    write_gas(path, x, u, np.tile(velocity, (len(x), 1)), np.full(len(x), 1.0 / len(x)), order)
