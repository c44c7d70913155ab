"""Reads snapshots of the amr solver: gas in the cells of sub-grids, in VTK's layout of overlapping grids.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.header import Header, read_header
from tacit.parameters import table
from tacit.parts import open_whole

Array = NDArray[np.float64]

_GROUP = "VTKHDF"


@dataclass(frozen=True)
class OctreeGas(Header):
    """One snapshot: the cells of all sub-grids, one after the other."""

    gamma: float
    centres: Array
    """Shape (cells, 3): of the cells [length]."""
    sizes: Array
    """Shape (cells, 3): their sides [length]."""
    blocks: Array
    """Shape (sub-grids, 2, 3): low and high corner of each [length]."""
    fields: dict[str, Array]
    """rho, P, vx, vy, vz, and with `exact_` before the name those that are known; shape (cells) each."""

    @property
    def setup(self) -> str:
        """Name of the set-up, or nothing."""
        return str(table(self.parameters, "initial").get("setup", ""))

    def has_exact(self) -> bool:
        """Whether the file has the exact solution."""
        return "exact_rho" in self.fields

    def slice(self, name: str, axis: int, cut: float) -> Array:
        """A field in the plane across an axis, in pixels of the finest cells; shape (up, right)."""
        right, up = (k for k in range(3) if k != axis)
        inside = np.abs(self.centres[:, axis] - cut) <= 0.5 * self.sizes[:, axis] * (1.0 + 1e-9)
        finest = self.sizes.min(axis=0)
        shape = np.rint(self.box / finest).astype(int)
        image = np.full((shape[up], shape[right]), np.nan)
        first = np.rint((self.centres - 0.5 * self.sizes) / finest).astype(int)[inside]
        count = np.rint(self.sizes / finest).astype(int)[inside]
        values = self.fields[name][inside]
        for size in np.unique(count[:, [right, up]], axis=0):
            mine = np.all(count[:, [right, up]] == size, axis=1)
            for i in range(size[0]):
                for j in range(size[1]):
                    image[first[mine, up] + j, first[mine, right] + i] = values[mine]
        return image


def octree_snapshots(path: Path) -> list[Path]:
    """The snapshots of the amr solver in a directory, in the order of their names."""
    return [file for file in sorted(path.glob("snapshot_*.hdf5")) if is_octree_file(file)]


def is_octree_file(path: Path) -> bool:
    """Whether it is such a snapshot."""
    try:
        with h5py.File(path) as file:
            return f"{_GROUP}/Level0/CellData/density" in file
    except OSError:
        return False


def read_octree_gas(path: Path) -> OctreeGas:
    """One snapshot.

    Raises:
        InputError: if something that every snapshot has is missing or has another shape, or a part of the file is.
    """
    try:
        with open_whole(path) as file:
            header = read_header(path, file)
            levels = [_read_level(file[f"{_GROUP}/{name}"]) for name in _levels(file[_GROUP])]
            centres, sizes, blocks = (np.concatenate([level[k] for level in levels]) for k in range(3))
            return OctreeGas(**vars(header),
                             gamma=float(np.ravel(file["Header"].attrs["Gamma"])[0]),
                             centres=centres, sizes=sizes, blocks=blocks,
                             fields={name: np.concatenate([level[3][name] for level in levels])
                                     for name in levels[0][3]})
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise InputError(f"{path}: is no whole snapshot of the amr solver: {error}") from error


def _levels(group: h5py.Group) -> list[str]:
    names = [name for name in group if name.startswith("Level")]
    return sorted(names, key=lambda name: int(name[5:]))


def _read_level(group: h5py.Group) -> tuple[Array, Array, Array, dict[str, Array]]:
    """Centres, sizes, corners of the sub-grids, and fields; without cells that finer ones cover."""
    spacing = np.array(group.attrs["Spacing"], dtype=float)
    boxes = np.array(group["AMRBox"], dtype=int).reshape(-1, 3, 2)
    low, cells = boxes[:, :, 0], boxes[0, :, 1] - boxes[0, :, 0] + 1
    z, y, x = (index.ravel() for index in np.meshgrid(*(np.arange(n) for n in cells[::-1]), indexing="ij"))
    centres = ((low[:, None, :] + np.stack([x, y, z], axis=1)[None] + 0.5) * spacing).reshape(-1, 3)
    fields: dict[str, Array] = {}
    for name, data in group["CellData"].items():
        values = np.array(data[()], dtype=float)
        if len(values) != len(centres):
            raise ValueError(f"{name} has {len(values)} rows, expected {len(centres)}")
        prefix = "exact_" if name.startswith("exact_") else ""
        bare = name.removeprefix("exact_")
        if bare == "velocity":
            fields |= {f"{prefix}v{axis}": values[:, k] for k, axis in enumerate("xyz")}
        else:
            fields[prefix + {"density": "rho", "pressure": "P"}.get(bare, bare)] = values
    corners = np.stack([low * spacing, (boxes[:, :, 1] + 1) * spacing], axis=1)
    return centres, np.broadcast_to(spacing, centres.shape), corners, fields
