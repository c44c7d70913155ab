"""Writes small files in the GADGET layout, good ones and hostile ones.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import h5py
import numpy as np

GAMMA = 5.0 / 3.0


@dataclass
class GasFile:
    """Gas and how it is to be written; every value is representable in single precision."""

    x: np.ndarray
    v: np.ndarray
    m: np.ndarray
    u: np.ndarray
    ids: np.ndarray
    h: np.ndarray | None = None
    box: float = 1.0
    time: float = 0.0
    dtype: type = np.float64
    units: tuple[float, float, float] | None = None
    """Length, mass and time in cgs, or no group Units."""
    header: Mapping[str, object] = field(default_factory=dict)
    """Further attributes of the header, or other values for them."""

    def write(self, path: Path) -> Path:
        """Writes the file."""
        counts = np.array([len(self.x), 0, 0, 0, 0, 0], dtype=np.uint32)
        header = {"BoxSize": self.box, "Time": self.time, "NumPart_ThisFile": counts, "NumPart_Total": counts,
                  "NumPart_Total_HighWord": np.zeros(6, np.uint32), "NumFilesPerSnapshot": 1, "Flag_Entropy_ICs": 0,
                  "MassTable": np.zeros(6)}
        with h5py.File(path, "w") as file:
            for name, value in (header | dict(self.header)).items():
                file.require_group("Header").attrs[name] = value
            if self.units is not None:
                names = ("Unit length in cgs (U_L)", "Unit mass in cgs (U_M)", "Unit time in cgs (U_t)")
                for name, value in zip(names, self.units):
                    file.require_group("Units").attrs[name] = value
            part = file.create_group("PartType0")
            part["Coordinates"] = self.x.astype(self.dtype)
            part["Velocities"] = self.v.astype(self.dtype)
            part["Masses"] = self.m.astype(self.dtype)
            part["InternalEnergy"] = self.u.astype(self.dtype)
            part["ParticleIDs"] = self.ids
            if self.h is not None:
                part["SmoothingLength"] = self.h.astype(self.dtype)
        return path


def blob(n: int = 8) -> GasFile:
    """n^3 particles of a jittered lattice with a warm centre and random velocities, in a periodic unit box."""
    random = np.random.default_rng(3)
    cells = np.stack(np.meshgrid(*3 * [np.arange(n)], indexing="ij"), axis=-1).reshape(-1, 3)
    x = (cells + 0.5 + 0.3 * (random.random(cells.shape) - 0.5)) / n
    r = np.sqrt(np.sum((x - 0.5) ** 2, axis=1))

    def single(values: np.ndarray) -> np.ndarray:
        return values.astype(np.float32).astype(np.float64)

    return GasFile(x=single(x), v=single(0.1 * (random.random(x.shape) - 0.5)), m=single(np.full(n**3, 1.0 / n**3)),
                   u=single(1.0 + 9.0 * np.exp(-((r / 0.2) ** 2))), ids=np.arange(1, n**3 + 1, dtype=np.uint64),
                   h=single(np.full(n**3, 1.2348 / n)))
