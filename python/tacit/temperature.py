"""Reads snapshots of the heat solver: temperatures in the cells of a grid, in VTK's HDF layout.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.parameters import parsed
from tacit.parts import open_whole

Array = NDArray[np.float64]

_CELL_DATA = "VTKHDF/CellData"


@dataclass(frozen=True)
class Temperature:
    """One snapshot; arrays have the shape (z, y, x), 1 along axes that the grid does not have."""

    path: Path
    name: str
    """Of the run."""
    time: float
    dimension: int
    box: Array
    """Shape (3): sides [length]."""
    fields: dict[str, Array]
    """temperature; exact, diffusivity and source where the file has them."""
    parameters: dict[str, Any]
    """The parameter file of the run."""

    @property
    def cells(self) -> tuple[int, ...]:
        """Along each axis that the grid has."""
        return self.fields["temperature"].shape[::-1][: self.dimension]

    def centres(self, axis: int) -> Array:
        """Of the cells along an axis [length]."""
        count = self.fields["temperature"].shape[2 - axis]
        return (np.arange(count) + 0.5) * self.box[axis] / count

    def place(self) -> tuple[int, ...]:
        """The cell, as (z, y, x), whose temperature differs most from the mean: where there is something to see."""
        values = self.fields.get("exact", self.fields["temperature"])
        values = values if np.ptp(values) > 0.0 else self.fields["temperature"]
        return tuple(int(i) for i in np.unravel_index(np.argmax(np.abs(values - values.mean())), values.shape))


def heat_snapshots(path: Path) -> list[Path]:
    """The snapshots of the heat solver in a directory, in the order of their names."""
    return [file for file in sorted(path.glob("snapshot_*.hdf5")) if is_heat_file(file)]


def is_heat_file(path: Path) -> bool:
    """Whether it is such a snapshot."""
    try:
        with h5py.File(path) as file:
            return f"{_CELL_DATA}/temperature" in file
    except OSError:
        return False


def read_temperature(path: Path) -> Temperature:
    """One snapshot.

    Raises:
        InputError: if something that every snapshot has is missing or has another shape, or a part of the file is.
    """
    try:
        with open_whole(path) as file:
            header = file["Header"].attrs
            snapshot = Temperature(path, _text(header["RunName"]), float(np.ravel(header["Time"])[0]),
                                   int(np.ravel(header["Dimension"])[0]), np.array(header["BoxSize"], dtype=float),
                                   {name: np.array(data[()], dtype=float) for name, data in file[_CELL_DATA].items()},
                                   parsed(_text(header["Parameters"])))
            _check_shapes(snapshot)
            return snapshot
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise InputError(f"{path}: is no whole snapshot of the heat solver: {error}") from error


def _check_shapes(snapshot: Temperature) -> None:
    if not 1 <= snapshot.dimension <= 3:
        raise ValueError(f"Dimension is {snapshot.dimension}, expected 1, 2 or 3")
    if snapshot.box.shape != (3,):
        raise ValueError(f"BoxSize has the shape {snapshot.box.shape}, expected (3,)")
    shape = snapshot.fields["temperature"].shape
    if len(shape) != 3 or 0 in shape:
        raise ValueError(f"temperature has the shape {shape}, expected (z, y, x)")
    for name, values in snapshot.fields.items():
        if values.shape != shape:
            raise ValueError(f"{name} has the shape {values.shape}, expected that of temperature, {shape}")


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
