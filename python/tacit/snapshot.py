"""Reads gas particles from snapshots in SWIFT's layout and from plain GADGET initial conditions.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.parts import open_whole
from tacit.units import Units

Array = NDArray[np.float64]

# Names of the same quantity: SWIFT's snapshots first, then GADGET's initial conditions.
_NAMES = {
    "u": ("InternalEnergies", "InternalEnergy"),
    "rho": ("Densities", "Density"),
    "P": ("Pressures", "Pressure"),
    "h": ("SmoothingLengths", "SmoothingLength"),
    "T": ("Temperatures", "Temperature"),
}
# What a file without a field would have to have, or the user to say.
_NEEDS = {
    "T": "a dataset Temperatures, or --mean-molecular-weight MU (0.59 of ionised gas, 1.22 of neutral gas) to work it "
         "out from the internal energies",
    "rho": "a dataset Densities; initial conditions have none before the first step",
    "P": "a dataset Pressures, or densities and internal energies",
    "u": "a dataset InternalEnergies, or densities and pressures",
}
_ETA = 1.2348  # Smoothing length in units of the mean spacing, for files that hold none.
_DEFAULT_GAMMA = 5.0 / 3.0
# CODATA 2018, cgs.
_BOLTZMANN = 1.380649e-16
_PROTON_MASS = 1.67262192369e-24


@dataclass
class Snapshot:
    """The gas of one file, in the file's units; N particles, all arrays float64."""

    path: Path
    name: str
    """Name of the run, or the file's name without its ending."""
    time: float
    dimension: int
    """Of the space: 1, 2 or 3; along the axes beyond it all positions are 0."""
    box: Array
    """Shape (3): extent of the domain [length]."""
    is_periodic: bool
    gamma: float
    units: Units
    x: Array
    """Shape (N, 3): positions [length]."""
    velocity: Array
    """Shape (N, 3): velocities [velocity]."""
    m: Array
    """Shape (N): masses [mass]."""
    h: Array
    """Shape (N): smoothing lengths [length]; the cubic spline ends at 1.825742 h."""
    fields: dict[str, Array] = field(default_factory=dict)
    """Of u, rho, P, T those that the file holds or that follow from what it holds; shape (N) each."""
    attributes: dict[str, str] = field(default_factory=dict)
    """Texts of the groups Header and Parameters, as "Header/RunName"."""

    @property
    def size(self) -> int:
        """Number of particles."""
        return len(self.m)

    def quantity(self, name: str) -> Array:
        """A scalar field by its symbol: rho, P, u, T, h, m, v (speed), vx, vy, vz, or a dataset's name in the file.

        Raises:
            InputError: if the file has no such field; names those that it has.
        """
        if name in self.fields:
            return self.fields[name]
        if name in ("h", "m"):
            return self.h if name == "h" else self.m
        if name == "v":
            return np.sqrt(np.sum(self.velocity**2, axis=1))
        if name in ("vx", "vy", "vz"):
            return self.velocity[:, "xyz".index(name[1])]
        return self._dataset(name)

    def add_temperature(self, mean_molecular_weight: float) -> None:
        """Adds T = (gamma - 1) u mu m_p / k_B [K], in place of the temperatures of the file if it has any.

        Raises:
            InputError: without internal energies or physical units.
        """
        if "u" not in self.fields:
            raise InputError(f"{self.path}: --mean-molecular-weight: temperatures need internal energies, it has none")
        if self.units.is_code:
            raise InputError(f"{self.path}: --mean-molecular-weight: temperatures need physical units, this file is in "
                             "code units (table [units] of the parameter file)")
        u = self.fields["u"] * (self.units.length / self.units.time) ** 2
        self.fields["T"] = (self.gamma - 1.0) * u * mean_molecular_weight * _PROTON_MASS / _BOLTZMANN

    def volume(self) -> Array:
        """Shape (N): m / rho, or the volume that h stands for, (h / eta)^3, where the file has no density."""
        return self.m / self.fields["rho"] if "rho" in self.fields else (self.h / _ETA) ** 3

    def energy(self) -> float:
        """Sum of m (u + v^2 / 2) [energy]; without u only the kinetic part."""
        u = self.fields.get("u", 0.0)
        return float(np.sum(self.m * (u + 0.5 * np.sum(self.velocity**2, axis=1))))

    def _dataset(self, name: str) -> Array:
        with open_whole(self.path) as file:
            gas = file["PartType0"]
            if name in gas and gas[name].shape == (self.size,):
                return gas[name][:].astype(float)
            scalars = [key for key in gas if gas[key].shape == (self.size,) and key != "ParticleIDs"]
        known = [*self.fields, "h", "m", "v", "vx", "vy", "vz", *scalars]
        missing = f"it has no field '{name}'" if name not in _NEEDS else f"--field {name} needs {_NEEDS[name]}"
        raise InputError(f"{self.path}: {missing}; it has {', '.join(dict.fromkeys(known))}")


def read_snapshot(path: Path) -> Snapshot:
    """Reads the gas of one snapshot or initial-conditions file.

    Raises:
        InputError: if the file is missing, is not HDF5, is not in this layout, is one part of several, lacks one of
            its own, or has no gas.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    try:
        with open_whole(path) as file:
            return _read(path, file)
    except OSError as error:
        reason = "it is not an HDF5 file" if "signature" in str(error) else f"cannot be read ({_one_line(error)})"
        raise InputError(f"{path}: {reason}; a snapshot in SWIFT's layout is needed") from error
    except KeyError as error:
        raise InputError(f"{path}: not a snapshot in SWIFT's layout ({_one_line(error)})") from error


def header_time(path: Path) -> float | None:
    """The time in a snapshot's header; None if the file is not a snapshot with gas. Reads no particles."""
    try:
        with h5py.File(path) as file:
            return _scalar(file["Header"].attrs, "Time", 0.0) if "PartType0" in file else None
    except (OSError, KeyError, ValueError):
        return None


def _read(path: Path, file: h5py.File) -> Snapshot:
    header = file["Header"].attrs
    gas = _gas_group(path, file)
    x = _positions(path, gas)
    box = _box(header, x)
    dimension = int(np.clip(_scalar(header, "Dimension", 3), 1, 3))
    texts = {f"{group}/{key}": value for group in ("Header", "Parameters") if group in file
             for key, value in _texts(file[group]).items()}
    gamma = _gamma(file)
    m = _masses(path, gas, header, len(x))
    fields = {key: values for key in ("u", "rho", "P", "T") if (values := _first(gas, key, len(x))) is not None}
    _complete(fields, gamma)
    h = _first(gas, "h", len(x))
    if h is None:
        share = m / fields["rho"] if "rho" in fields else np.full(len(x), np.prod(box[:dimension]) / len(x))
        h = _ETA * share ** (1.0 / dimension)
    velocity = gas["Velocities"][:].astype(float) if "Velocities" in gas else np.zeros_like(x)
    is_periodic = _is_periodic(texts, header, x[:, :dimension], box[:dimension])
    return Snapshot(
        path=path,
        name=texts.get("Header/RunName", "").strip() or path.stem,
        time=_scalar(header, "Time", 0.0),
        dimension=dimension,
        box=box,
        is_periodic=is_periodic,
        gamma=gamma,
        units=Units.read(file),
        x=x,
        velocity=velocity,
        m=m,
        h=h,
        fields=fields,
        attributes=texts,
    )


def _gas_group(path: Path, file: h5py.File) -> h5py.Group:
    if "PartType0" not in file or len(file["PartType0"].get("Coordinates", ())) == 0:
        others = [key for key in file if key.startswith("PartType") and key != "PartType0"]
        raise InputError(f"{path}: no gas particles in it" + (f", only {', '.join(others)}" if others else ""))
    header = file["Header"].attrs
    files = int(_scalar(header, "NumFilesPerSnapshot", 1))
    here, total = (int(np.ravel(header.get(key, [0]))[0]) for key in ("NumPart_ThisFile", "NumPart_Total"))
    if files > 1 and here < total:
        raise InputError(f"{path}: one of {files} files of a snapshot ({here} of {total} particles); join them first")
    return file["PartType0"]


def _positions(path: Path, gas: h5py.Group) -> Array:
    x = gas["Coordinates"][:].astype(float)
    if x.ndim != 2 or x.shape[1] != 3:
        raise InputError(f"{path}: PartType0/Coordinates has shape {x.shape}, not (N, 3)")
    if not np.isfinite(x).all():
        raise InputError(f"{path}: PartType0/Coordinates holds values that are not finite")
    return x


def _box(header: h5py.AttributeManager, x: Array) -> Array:
    """Box size as three numbers; the particles' extent if the header has none."""
    if "BoxSize" not in header or not np.all(np.asarray(header["BoxSize"]) > 0.0):
        return np.maximum(x.max(axis=0), 1e-300)
    return np.array(np.broadcast_to(np.ravel(header["BoxSize"]).astype(float), (3,)))


def _gamma(file: h5py.File) -> float:
    """Adiabatic index; a float32 5/3 or 7/5 is taken for the fraction that was meant."""
    if "HydroScheme" not in file:
        return _DEFAULT_GAMMA
    stored = _scalar(file["HydroScheme"].attrs, "Adiabatic index", _DEFAULT_GAMMA)
    fraction = float(Fraction(stored).limit_denominator(20))
    return fraction if abs(fraction - stored) < 1e-6 else stored


def _masses(path: Path, gas: h5py.Group, header: h5py.AttributeManager, count: int) -> Array:
    if "Masses" in gas:
        return gas["Masses"][:].astype(float)
    mass = float(np.ravel(header.get("MassTable", [0.0]))[0])
    if mass <= 0.0:
        raise InputError(f"{path}: no masses: neither PartType0/Masses nor a MassTable in the header")
    return np.full(count, mass)


def _first(gas: h5py.Group, key: str, count: int) -> Array | None:
    """The first dataset known by this symbol, if it has one number per particle."""
    for name in _NAMES[key]:
        if name in gas and gas[name].shape == (count,):
            return gas[name][:].astype(float)
    return None


def _complete(fields: dict[str, Array], gamma: float) -> None:
    """Adds P or u where the other and the density are there: P = (gamma - 1) rho u."""
    if "rho" not in fields:
        return
    if "P" not in fields and "u" in fields:
        fields["P"] = (gamma - 1.0) * fields["rho"] * fields["u"]
    elif "u" not in fields and "P" in fields:
        fields["u"] = fields["P"] / ((gamma - 1.0) * fields["rho"])


def _is_periodic(texts: dict[str, str], header: h5py.AttributeManager, x: Array, box: Array) -> bool:
    """What the file says; otherwise a box that its particles fill is taken for periodic."""
    said = texts.get("Parameters/InitialConditions:periodic", header.get("Periodic"))
    if said is not None:
        text = str(np.ravel(said)[0]).strip().lower()
        return text in ("1", "true", "yes", "periodic")
    inside = np.all((x >= 0.0) & (x <= box))
    return bool(inside and np.all(np.ptp(x, axis=0) > 0.5 * box))


def _texts(group: h5py.Group) -> dict[str, str]:
    """All attributes and scalar datasets of a group that are texts."""
    values: dict[str, Any] = dict(group.attrs)
    for key, item in group.items():
        if isinstance(item, h5py.Dataset) and item.size == 1:
            values[key] = item[()]
    texts = {}
    for key, value in values.items():
        value = value.item() if isinstance(value, np.ndarray) and value.size == 1 else value
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        if isinstance(value, str):
            texts[key] = value
    return texts


def _scalar(attributes: h5py.AttributeManager, key: str, default: float) -> float:
    return float(np.ravel(attributes[key])[0]) if key in attributes else default


def _one_line(error: Exception) -> str:
    return " ".join(str(error).strip("'\"").split())
