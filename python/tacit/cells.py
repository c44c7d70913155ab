"""Reads snapshots of fields in the cells of a grid, in VTK's HDF layout.

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
from tacit.parts import open_whole, text_of

Array = NDArray[np.float64]

_CELL_DATA = "VTKHDF/CellData"


@dataclass(frozen=True)
class CellFields(Header):
    """One snapshot; arrays have the shape (z, y, x), 1 along axes that the grid does not have."""

    fields: dict[str, Array]
    """By name, those of vectors by component: velocity_x, ..."""
    main: str
    """The field that is shown first."""

    @property
    def cells(self) -> tuple[int, ...]:
        """Along each axis that the grid has."""
        return self.fields[self.main].shape[::-1][: self.dimension]

    def centres(self, axis: int) -> Array:
        """Of the cells along an axis [length]."""
        count = self.fields[self.main].shape[2 - axis]
        return (np.arange(count) + 0.5) * self.box[axis] / count

    def place(self, name: str) -> tuple[int, ...]:
        """The cell, as (z, y, x), where a field differs most from its mean: where there is something to see."""
        values = self.fields[name]
        return tuple(int(i) for i in np.unravel_index(np.argmax(np.abs(values - values.mean())), values.shape))


def cell_snapshots(path: Path, field: str | None = None) -> list[Path]:
    """The snapshots with such a field, or with any, in a directory, in the order of their names."""
    return [file for file in sorted(path.glob("snapshot_*.hdf5")) if is_cell_file(file, field)]


def is_cell_file(path: Path, field: str | None = None) -> bool:
    """Whether it is such a snapshot."""
    try:
        with h5py.File(path) as file:
            return _CELL_DATA in file and (len(file[_CELL_DATA]) > 0 if field is None else field in file[_CELL_DATA])
    except OSError:
        return False


def read_cells(path: Path, main: str | None = None, of: str = "fields in cells") -> CellFields:
    """One snapshot.

    Args:
        main: the field that is shown first; without it, the one that the file names, or the first.
        of: what it should have been a snapshot of, for messages.

    Raises:
        InputError: if something that every snapshot has is missing or has another shape, or a part of the file is.
    """
    try:
        with open_whole(path) as file:
            header = read_header(path, file)
            data = file[_CELL_DATA]
            fields = _components({name: np.array(array[()], dtype=float) for name, array in data.items()})
            named = text_of(data.attrs.get("Scalars", ""))
            snapshot = CellFields(**vars(header), fields=fields,
                                  main=main or (named if named in fields else next(iter(fields))))
            _check_shapes(snapshot)
            return snapshot
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise InputError(f"{path}: is no whole snapshot of {of}: {error}") from error


def _components(fields: dict[str, Array]) -> dict[str, Array]:
    """Vectors as their components."""
    result: dict[str, Array] = {}
    for name, values in fields.items():
        if values.ndim == 4:
            ends = "xyz" if values.shape[3] == 3 else map(str, range(values.shape[3]))
            result |= {f"{name}_{end}": values[..., i] for i, end in enumerate(ends)}
        else:
            result[name] = values
    return result


def _check_shapes(snapshot: CellFields) -> None:
    if not 1 <= snapshot.dimension <= 3:
        raise ValueError(f"Dimension is {snapshot.dimension}, expected 1, 2 or 3")
    if snapshot.box.shape != (3,):
        raise ValueError(f"BoxSize has the shape {snapshot.box.shape}, expected (3,)")
    shape = snapshot.fields[snapshot.main].shape
    if len(shape) != 3 or 0 in shape:
        raise ValueError(f"{snapshot.main} has the shape {shape}, expected (z, y, x)")
    for name, values in snapshot.fields.items():
        if values.shape != shape:
            raise ValueError(f"{name} has the shape {values.shape}, expected that of {snapshot.main}, {shape}")
