"""Reads what the dns solver writes: files of spectra, and planes of snapshots in VTK's HDF layout.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.parameters import parsed
from tacit.parts import open_whole, text_of

Array = NDArray[np.float64]

COMPONENTS = ("u", "v", "w")
FLOW_FIELDS = ("v", "omega", "vx", "omega_x", "vy", "omega_y", "vz", "omega_z")
"""What every plane has."""
_INERTIAL_FROM = 100.0
_FLAT = 1.5
_HALF_A_DECADE = np.sqrt(10.0)
_POINT_DATA = "VTKHDF/PointData"
_POINTS = f"{_POINT_DATA}/velocity"


@dataclass(frozen=True)
class Density:
    """Probability densities of the three components of a quantity, in units of their root mean squares."""

    centre: Array
    """Shape (bins)."""
    density: Array
    """Shape (3, bins)."""
    skewness: Array
    """Shape (3)."""


@dataclass(frozen=True)
class Spectra:
    """One file of spectra; names of arrays are those of the file."""

    path: Path
    name: str
    """Of the run."""
    time: float
    viscosity: float
    box: Array
    """Shape (3): sides [length]."""
    shell_width: float
    """[1/length]."""
    shells: dict[str, Array]
    """wave_number, energy, dissipation, helicity, transfer, flux: sums over shells."""
    structures: dict[str, dict[str, Array]]
    """By axis: separation, longitudinal_2, transverse_2, longitudinal_3, mixed_3."""
    densities: dict[str, Density]
    """Of velocity, gradient, vorticity."""
    scales: dict[str, float]
    """The columns of statistics.csv at this time."""
    parameters: dict[str, Any]
    """The parameter file of the run."""

    @property
    def points(self) -> tuple[int, ...]:
        """Along x, y and z: structure functions are measured from point to point."""
        return tuple(int(np.rint(side / self.structures[axis]["separation"][1])) for side, axis in zip(self.box, "xyz"))

    def inertial_range(self) -> tuple[float, float] | None:
        """Wave numbers between which E(k) follows k^(-5/3), or None.

        The widest range, of half a decade at least, within which k^(5/3) E(k) varies by less than a factor 1.5; of
        flows with a Taylor Reynolds number of at least 100: below, too, k^(5/3) E(k) is flat about its largest value,
        but there is no range in which neither large scales nor viscosity matter.
        """
        k, energy = self.shells["wave_number"][1:], self.shells["energy"][1:]
        if self.scales.get("taylor_reynolds_number", 0.0) < _INERTIAL_FROM:
            return None
        compensated = k ** (5.0 / 3.0) * energy
        best = None
        for first in range(len(k)):
            low, high = np.minimum.accumulate(compensated[first:]), np.maximum.accumulate(compensated[first:])
            last = first + int(np.count_nonzero((low > 0.0) & (high < _FLAT * low))) - 1
            if last >= first and k[last] >= _HALF_A_DECADE * k[first] and (
                    best is None or k[last] / k[first] > best[1] / best[0]):
                best = float(k[first]), float(k[last])
        return best


@dataclass(frozen=True)
class Plane:
    """The flow in a plane: values at points, shape (3, up, right) each."""

    axis: int
    cut: float
    """Where it cuts the axis [length]."""
    extent: tuple[float, float]
    """Sides of the plane, right and up [length]."""
    velocity: Array
    vorticity: Array
    name: str = ""
    time: float = 0.0
    box: Array = field(default_factory=lambda: np.ones(3))
    scalars: dict[str, Array] = field(default_factory=dict)
    """By name (scalar1, ..., buoyancy), shape (up, right) each."""
    points: tuple[int, ...] = ()
    """Of the whole flow along x, y and z; empty if the file does not say."""
    viscosity: float | None = None
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def directions(self) -> tuple[int, int]:
        """The axes that run to the right and upwards."""
        right, up = (k for k in range(3) if k != self.axis)
        return right, up

    def quantity(self, name: str) -> Array:
        """Shape (up, right): v (speed), vx, vy, vz, omega (size of the vorticity), omega_x, omega_y, omega_z, a scalar.

        Raises:
            InputError: if the name is none of these.
        """
        fields = {"v": np.sqrt(np.sum(self.velocity**2, axis=0)),
                  "omega": np.sqrt(np.sum(self.vorticity**2, axis=0))}
        for k, axis in enumerate("xyz"):
            fields[f"v{axis}"], fields[f"omega_{axis}"] = self.velocity[k], self.vorticity[k]
        fields |= self.scalars
        if name not in fields:
            raise InputError(f"--field {name}: {_hint(name)}this flow has {', '.join(fields)}")
        return fields[name]


def _hint(name: str) -> str:
    """What a field that a flow does not have would need."""
    if name == "buoyancy":
        return "it needs stratification (dns.stratification) and a snapshot; "
    if name.startswith("scalar"):
        return "it needs that many scalars (scalars.schmidt) and a snapshot; "
    return "the dns solver has no density, pressure or temperature; " if name in ("rho", "P", "u", "T") else ""


def flow_kind(path: Path) -> str | None:
    """"spectra" or "snapshot" for a file that the dns solver wrote, else None."""
    try:
        with h5py.File(path) as file:
            if "Spectra" in file and "StructureFunctions" in file:
                return "spectra"
            return "snapshot" if _POINTS in file and file[_POINTS].ndim == 4 else None  # 2 of tracers
    except OSError:
        return None


def flow_files(directory: Path) -> dict[str, list[Path]]:
    """Files of a run in the order of their times: "spectra" and "snapshot"; both empty if it is no run of dns."""
    found: dict[str, list[tuple[float, str, Path]]] = {"spectra": [], "snapshot": []}
    for pattern in ("spectra_*.hdf5", "snapshot_*.hdf5"):
        for path in directory.glob(pattern):
            kind = flow_kind(path)
            if kind is not None:
                found[kind].append((_header(path)[1], path.name, path))
    return {kind: [path for _, _, path in sorted(entries)] for kind, entries in found.items()}


def read_spectra(path: Path) -> Spectra:
    """Reads a file of spectra.

    Raises:
        InputError: if something is missing or of another kind.
    """
    try:
        with open_whole(path) as file:
            return _read_spectra(path, file)
    except (OSError, KeyError, ValueError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: is no file of spectra of the dns solver, or damaged ({error})") from error


def read_slice(path: Path) -> Plane:
    """The plane that a file of spectra holds."""
    name, time, box = _header(path)
    try:
        with open_whole(path) as file:
            velocity, vorticity = (file[f"Slice/{key}"][()].astype(float) for key in ("velocity", "vorticity"))
            cut = _number(file["Slice"].attrs["Z"])
    except (OSError, KeyError, ValueError) as error:
        raise InputError(f"{path}: has no whole slice ({error})") from error
    return Plane(2, cut, (box[0], box[1]), velocity, vorticity, name, time, box)


def read_plane(path: Path, axis: int, cut: float | None) -> Plane:
    """The plane of points of a snapshot nearest to `cut`, by default the one at 0.

    Vorticity: within the plane derivatives are those of the modes, along the axis differences of fourth order.

    Raises:
        InputError: if the cut is outside of the box or the file is damaged.
    """
    name, time, box = _header(path)
    place = 0.0 if cut is None else cut
    if not 0.0 <= place <= box[axis]:
        raise InputError(f"--cut {place:g}: the box ends at 0 and {box[axis]:g} along {'xyz'[axis]}")
    try:
        with open_whole(path) as file:
            points = file[_POINTS]
            shape = tuple(int(n) for n in points.shape[2::-1])
            viscosity, parameters = file["Header"].attrs.get("Viscosity"), _parameters(file)
            count = shape[axis]
            index = int(np.rint(place / box[axis] * count)) % count
            planes = [_plane(points, axis, (index + shift) % count) for shift in (-2, -1, 0, 1, 2)]
            scalars = {name: _plane(values, axis, index) for name, values in file[_POINT_DATA].items()
                       if values.shape == points.shape[:3]}
    except (OSError, KeyError, ValueError, IndexError) as error:
        raise InputError(f"{path}: cannot be read as a snapshot of a flow ({error})") from error
    right, up = (k for k in range(3) if k != axis)
    spacing = box[axis] / count
    gradient = np.empty((3, *planes[2].shape))  # by direction, component, up, right
    gradient[axis] = (planes[0] - 8.0 * planes[1] + 8.0 * planes[3] - planes[4]) / (12.0 * spacing)
    gradient[right] = _derivative(planes[2], 2, box[right])
    gradient[up] = _derivative(planes[2], 1, box[up])
    vorticity = np.stack([gradient[(c + 1) % 3][(c + 2) % 3] - gradient[(c + 2) % 3][(c + 1) % 3] for c in range(3)])
    return Plane(axis, box[axis] * index / count, (box[right], box[up]), planes[2], vorticity, name, time, box,
                 scalars, shape, None if viscosity is None else _number(viscosity), parameters)


def _plane(points: h5py.Dataset, axis: int, index: int) -> Array:
    """Shape (up, right), and of vectors (3, up, right): arrays of points run (z, y, x) or (z, y, x, component)."""
    where: list[int | slice] = [slice(None)] * points.ndim
    where[2 - axis] = index
    values = points[tuple(where)].astype(float)
    return np.moveaxis(values, -1, 0) if points.ndim == 4 else values


def _derivative(values: Array, along: int, side: float) -> Array:
    """d/dx of periodic values at even points."""
    count = values.shape[along]
    k = 2.0 * np.pi / side * np.fft.rfftfreq(count, 1.0 / count)
    if count % 2 == 0:
        k[-1] = 0.0  # the highest wave has no derivative on these points
    shape = [1] * values.ndim
    shape[along] = len(k)
    return np.fft.irfft(1j * k.reshape(shape) * np.fft.rfft(values, axis=along), count, axis=along)


def _read_spectra(path: Path, file: h5py.File) -> Spectra:
    name, time, box = _header(path)
    group = file["Spectra"]
    shells = {key: group[key][()] for key in ("wave_number", "energy", "dissipation", "helicity", "transfer", "flux")}
    structures = {axis: {key: values[()] for key, values in part.items()}
                  for axis, part in file["StructureFunctions"].items()}
    densities = {key: Density(part["centre"][()], part["density"][()], np.ravel(part.attrs["Skewness"]))
                 for key, part in file["Densities"].items()}
    scales = {key: _number(value) for key, value in file["Scales"].attrs.items()}
    return Spectra(path, name, time, _number(file["Header"].attrs["Viscosity"]), box,
                   _number(group.attrs["ShellWidth"]), shells, structures, densities, scales, _parameters(file))


def _parameters(file: h5py.File) -> dict[str, Any]:
    return parsed(text_of(file["Header"].attrs.get("Parameters", b"")))


def _header(path: Path) -> tuple[str, float, Array]:
    """Name of the run, time, sides of the box."""
    try:
        with h5py.File(path) as file:
            header = file["Header"].attrs
            name = text_of(header.get("RunName", b""))
            box = np.ravel(header["BoxSize"]).astype(float)
            if box.shape != (3,) or not np.all(box > 0.0):
                raise ValueError("BoxSize is not three lengths")
            return name or path.stem, _number(header["Time"]), box
    except (OSError, KeyError, ValueError) as error:
        raise InputError(f"{path}: has no header with RunName, Time and BoxSize ({error})") from error


def _number(value: object) -> float:
    """Attributes are arrays of one."""
    return float(np.ravel(value)[0])
