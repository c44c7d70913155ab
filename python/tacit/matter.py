"""Reads what runs of expanding boxes measure: files of power spectra and of groups, and where all matter is.

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

_TYPES = range(6)


@dataclass(frozen=True)
class MatterPower:
    """One file of a power spectrum, in the units of the run; S shells of waves."""

    path: Path
    name: str
    """Of the run."""
    a: float
    """Scale factor; in a box that does not expand 1."""
    units: Units
    k: Array
    """Shape (S): mean wave number [1/length]."""
    power: Array
    """Shape (S): [length^3], shot noise included."""
    modes: Array
    """Shape (S): how many there are."""
    linear: Array | None
    """Shape (S): what linear theory expects of the same modes on average, or None."""
    shot_noise: float
    """[length^3]"""


@dataclass(frozen=True)
class Groups:
    """One catalogue, from the heaviest to the lightest; N groups."""

    masses: Array
    """Shape (N): [mass]"""
    centres: Array
    """Shape (N, 3): [length]"""


@dataclass(frozen=True)
class Matter:
    """All particles of a snapshot."""

    box: Array
    """Shape (3): [length]"""
    x: Array
    """Shape (N, 3): [length]"""
    m: Array
    """Shape (N): [mass]"""
    is_gas: NDArray[np.bool_]
    """Shape (N)."""


def is_power_file(path: Path) -> bool:
    """Whether a file holds a power spectrum of matter."""
    try:
        with h5py.File(path) as file:
            return "MatterPower" in file
    except OSError:
        return False


def power_files(path: Path) -> list[Path]:
    """Those of a run's directory, in the order of their steps."""
    return [file for file in sorted(path.rglob("power_*.hdf5"), key=lambda file: file.name) if is_power_file(file)]


def read_power(path: Path) -> MatterPower:
    """Reads a power spectrum.

    Raises:
        InputError: if it is none, or damaged.
    """
    try:
        with open_whole(path) as file:
            group, header = file["MatterPower"], file["Header"].attrs
            name = header.get("RunName", b"")
            return MatterPower(
                path=path,
                name=(name.decode() if isinstance(name, bytes) else str(name)).strip() or path.stem,
                a=float(np.ravel(header.get("ScaleFactor", [1.0]))[0]),
                units=Units.read(file),
                k=group["wave_number"][:].astype(float),
                power=group["power"][:].astype(float),
                modes=group["modes"][:].astype(float),
                linear=group["linear_theory"][:].astype(float) if "linear_theory" in group else None,
                shot_noise=float(np.ravel(group.attrs["ShotNoise"])[0]),
            )
    except (OSError, KeyError, ValueError) as error:
        raise InputError(f"{path}: is no file of a power spectrum, or damaged ({error})") from error


def read_groups(path: Path) -> Groups:
    """Reads a catalogue of groups.

    Raises:
        InputError: if it is none, or damaged.
    """
    try:
        with open_whole(path) as file:
            group = file["Groups"]
            return Groups(masses=group["Masses"][:].astype(float), centres=group["Centres"][:].astype(float))
    except (OSError, KeyError, ValueError) as error:
        raise InputError(f"{path}: is no catalogue of groups, or damaged ({error})") from error


def read_matter(path: Path) -> Matter:
    """Reads where the particles of a snapshot are, of all types.

    Raises:
        InputError: if it is no snapshot, or damaged.
    """
    try:
        with open_whole(path) as file:
            kinds = [kind for kind in _TYPES if f"PartType{kind}/Masses" in file]
            groups = [file[f"PartType{kind}"] for kind in kinds]
            return Matter(
                box=np.broadcast_to(np.ravel(file["Header"].attrs["BoxSize"]).astype(float), 3),
                x=np.concatenate([group["Coordinates"][:].astype(float) for group in groups]),
                m=np.concatenate([group["Masses"][:].astype(float) for group in groups]),
                is_gas=np.concatenate([np.full(len(group["Masses"]), kind == 0) for kind, group in zip(kinds, groups)]),
            )
    except (OSError, KeyError, ValueError) as error:
        raise InputError(f"{path}: not a snapshot of particles ({error})") from error
