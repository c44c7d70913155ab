"""Reads what runs of atoms measure while they go on: pair distributions, displacements, velocity autocorrelations.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.parameters import parsed
from tacit.parts import open_whole, text_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Curve:
    """A quantity by distance or lag."""

    x: Array
    mean: Array
    error: Array
    """One standard error of the mean, by blocking; not a number where there are too few samples."""


@dataclass(frozen=True)
class Analysis:
    """One file of a run of atoms: what has been measured up to a time."""

    path: Path
    name: str
    """Of the run."""
    time: float
    parameters: dict[str, Any]
    """The parameter file of the run."""
    pairs: dict[str, Curve] = field(default_factory=dict)
    """g(r) by pair of types: "Si C"."""
    neighbours: dict[str, Curve] = field(default_factory=dict)
    """How many atoms of the second type one of the first has within r."""
    displacements: dict[str, Curve] = field(default_factory=dict)
    """Mean squared displacement by type [length^2]; x is the lag [time]."""
    autocorrelations: dict[str, Curve] = field(default_factory=dict)
    """Of velocities [length^2 / time^2]."""
    green_kubo: dict[str, Curve] = field(default_factory=dict)
    """Integral of the autocorrelation up to a lag, over 3 [length^2 / time], without errors."""
    diffusion: dict[str, Curve] = field(default_factory=dict)
    """Slope of the displacement over 6, at the longer of the two lags between which it is [length^2 / time]."""

    structure: dict[str, Curve] = field(default_factory=dict)
    """Static structure factor by pair of types; x is the wave number [1/length]."""
    densities: dict[str, Curve] = field(default_factory=dict)
    """Atoms per volume of slabs by type [length^-3]; x is where their middle is."""
    temperatures: dict[str, Curve] = field(default_factory=dict)
    """Of slabs; one, "all"."""
    pressures: dict[str, Curve] = field(default_factory=dict)
    """Of slabs, by component of the pressure tensor: "xx"."""
    slab_axis: str = "z"
    """Across which slabs lie."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been sampled so far."""
        every = (self.pairs, self.displacements, self.structure, self.densities)
        return not any(len(curve.x) for curves in every for curve in curves.values())


def is_analysis_file(path: Path) -> bool:
    """Whether a file holds what was measured of atoms."""
    try:
        with h5py.File(path) as file:
            return any(group in file for group in ("PairDistribution", "Motion", "StructureFactor", "Slabs"))
    except OSError:
        return False


def analysis_files(path: Path) -> list[Path]:
    """Those of a run's directory, in the order of their steps."""
    files = [file for file in sorted(path.glob("analysis_*.hdf5")) if ".part" not in file.name]
    return [file for file in files if is_analysis_file(file)]


def read_analysis(path: Path) -> Analysis:
    """Reads what was measured.

    Raises:
        InputError: if it is no such file, or damaged.
    """
    try:
        with open_whole(path) as file:
            header = file["Header"].attrs
            result = Analysis(path, text_of(header["RunName"]).strip() or path.stem,
                              float(np.ravel(header["Time"])[0]), parsed(text_of(header["Parameters"])))
            if "PairDistribution" in file:
                group = file["PairDistribution"]
                result.pairs.update(_curves(group, "g", "distance"))
                result.neighbours.update(_curves(group, "neighbours", "outer_edge"))
            if "StructureFactor" in file:
                result.structure.update(_curves(file["StructureFactor"], "S", "wave_number"))
            if "Slabs" in file:
                group = file["Slabs"]
                result.densities.update(_curves(group, "density", "position"))
                result.temperatures.update(_curves(group, "temperature", "position"))
                result.pressures.update(_curves(group, "pressure", "position"))
                result = replace(result, slab_axis=text_of(group.attrs["Axis"]))
            if "Motion" in file:
                group = file["Motion"]
                result.displacements.update(_curves(group, "msd", "lag"))
                result.autocorrelations.update(_curves(group, "vacf", "lag"))
                result.green_kubo.update(_curves(group, "green_kubo", "lag"))
                result.diffusion.update(_curves(group, "diffusion", "slope_to"))
            return result
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise InputError(f"{path}: is no file of what was measured of atoms, or damaged ({error})") from error


def _curves(group: h5py.Group, quantity: str, x: str) -> dict[str, Curve]:
    """By what follows the quantity in names of arrays."""
    along = group[x][:].astype(float)
    result = {}
    for name in group:
        if not name.startswith(f"{quantity} ") or name.endswith("_error"):
            continue
        mean = group[name][:].astype(float)
        error = group[f"{name}_error"][:].astype(float) if f"{name}_error" in group else np.full(len(mean), np.nan)
        if not len(along) == len(mean) == len(error):
            raise ValueError(f"{name} has {len(mean)} values, {x} {len(along)}")
        result[name.removeprefix(f"{quantity} ")] = Curve(along, mean, error)
    return result
