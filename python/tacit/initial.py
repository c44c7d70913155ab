"""Initial fields, particles and atoms from arrays in memory, for every solver that begins from a file.

SPDX-License-Identifier: Apache-2.0

The arrays go into a file of the kind that the solver's initial.file names, in a temporary folder, and from there into
the engine by the way that files take: what is wrong with them has the texts of files, and what comes out is bit by bit
what such a file gives.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.errors import InputError

PARTICLE_TYPES = ("gas", "halo", "disc", "bulge", "stars", "black_holes")
"""Of sph, by GADGET's numbers."""
_AXES = 4
_SOLVER = re.compile(r"^\s*solver\s*=\s*[\"'](\w+)[\"']", re.MULTILINE)


def keys_of(arrays: Mapping[str, Any], parameters: str | os.PathLike[str] | Mapping[str, Any],
            settings: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """The keys by which the run of `parameters` begins from arrays, which are written into a file in `folder`.

    Raises:
        InputError: as `write`, or if neither parameters nor settings say the solver.
    """
    if isinstance(parameters, Mapping):
        solver = parameters.get("solver")
    else:
        try:
            text = Path(parameters).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            text = ""  # the engine says what is wrong with it
        named = _SOLVER.search(text)
        solver = named.group(1) if named else None
    solver = settings.get("solver", solver)
    if not isinstance(solver, str):
        raise InputError("initial: the parameters do not say the solver that begins from these arrays")
    return write(solver, arrays, folder)


def write(solver: str, arrays: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """Writes `arrays` into a file in `folder`. Returns the keys that make a run of the solver begin from it.

    Raises:
        InputError: if the solver begins from no file, or an array is missing, unknown or of a wrong shape.
    """
    if solver not in _WRITERS:
        raise InputError(f"initial: {solver} begins from no arrays; these do: {', '.join(_WRITERS)}")
    if not isinstance(arrays, Mapping):
        raise InputError(f"initial: expected a dict of arrays, not {type(arrays).__name__}")
    path = folder / f"initial{_SUFFIXES.get(solver, '.hdf5')}"
    _WRITERS[solver](path, dict(arrays))
    return {"initial.file": str(path)} | ({} if solver == "sph" else {"initial.setup": "file"})


def _real(name: str, values: ArrayLike, shape: tuple[int | None, ...]) -> NDArray[np.float64]:
    """As doubles of a shape, in which None is any length."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"initial: '{name}' is no array of numbers: {error}") from None
    fits = array.ndim == len(shape) and all(want in (None, have) for want, have in zip(shape, array.shape, strict=True))
    if not fits:
        wanted = ", ".join("n" if length is None else str(length) for length in shape)
        raise InputError(f"initial: '{name}' has the shape {array.shape}, expected ({wanted})")
    return array


def _taken(arrays: dict[str, Any], known: tuple[str, ...], required: tuple[str, ...], of: str = "") -> None:
    where = f" of {of}" if of else ""
    for name in arrays:
        if name not in known:
            raise InputError(f"initial: there is no array '{name}'{where}; there are {', '.join(known)}")
    for name in required:
        if name not in arrays:
            raise InputError(f"initial: '{name}'{where} is missing")


# ---- particles -------------------------------------------------------------------------------------------------------

_PARTICLES = {"positions": "Coordinates", "velocities": "Velocities", "masses": "Masses",
              "internal_energies": "InternalEnergy", "smoothing_lengths": "SmoothingLength", "ids": "ParticleIDs"}


def _write_particles(path: Path, arrays: dict[str, Any]) -> None:
    """Gas as plain arrays, or dicts of arrays by type of particle."""
    box = arrays.pop("box", 0.0)
    time = arrays.pop("time", 0.0)
    groups = arrays if arrays and all(isinstance(value, Mapping) for value in arrays.values()) else {"gas": arrays}
    counts = np.zeros(len(PARTICLE_TYPES), dtype=np.int64)
    with h5py.File(path, "w") as file:
        for name, group in groups.items():
            if name not in PARTICLE_TYPES:
                raise InputError(f"initial: there are no particles '{name}'; there are {', '.join(PARTICLE_TYPES)}")
            number = PARTICLE_TYPES.index(name)
            counts[number] = _write_group(file.create_group(f"PartType{number}"), name, dict(group))
        # Particles of all types share one range of IDs where none are given.
        first = 1
        for number, count in enumerate(counts):
            if count > 0 and "ParticleIDs" not in file[f"PartType{number}"]:
                file[f"PartType{number}"]["ParticleIDs"] = np.arange(first, first + count, dtype=np.uint64)
            first += int(count)
        low, high = counts & 0xFFFFFFFF, counts >> 32
        file.create_group("Header").attrs.update({
            "NumPart_ThisFile": counts, "NumPart_Total": low.astype(np.uint32),
            "NumPart_Total_HighWord": high.astype(np.uint32), "NumFilesPerSnapshot": 1,
            "BoxSize": np.asarray(box, dtype=np.float64), "Time": float(time), "MassTable": np.zeros(len(counts))})


def _write_group(group: h5py.Group, name: str, arrays: dict[str, Any]) -> int:
    required = ("positions", "velocities", "masses", *(("internal_energies",) if name == "gas" else ()))
    _taken(arrays, tuple(_PARTICLES), required, name)
    positions = _real("positions", arrays["positions"], (None, 3))
    count = len(positions)
    for key, value in arrays.items():
        if key == "ids":
            ids = np.asarray(value)
            if ids.shape != (count,) or ids.dtype.kind not in "iu":
                raise InputError(f"initial: 'ids' of {name} are not {count} whole numbers")
            group["ParticleIDs"] = ids
        elif key in ("positions", "velocities"):
            group[_PARTICLES[key]] = _real(key, value, (count, 3))
        else:  # one number stands for all
            group[_PARTICLES[key]] = _real(key, np.full(count, value) if np.ndim(value) == 0 else value, (count,))
    return count


# ---- fields on grids -------------------------------------------------------------------------------------------------


def _write_temperature(path: Path, arrays: dict[str, Any]) -> None:
    """`temperature`, and optionally `diffusivity` and `source`, axes (z, y, x); of a plane (y, x), of a line (x)."""
    known = ("temperature", "diffusivity", "source")
    _taken(arrays, known, known[:1])
    _write_grid(path, arrays)


def _write_flow(path: Path, arrays: dict[str, Any]) -> None:
    """`u`, `v` and `w`, and optionally `scalar1`, ... and `b`, axes (z, y, x)."""
    scalars = tuple(sorted(name for name in arrays if name.startswith("scalar")))
    _taken(arrays, ("u", "v", "w", *scalars, "b"), ("u", "v", "w"))
    _write_grid(path, arrays)


def _write_grid(path: Path, arrays: dict[str, Any]) -> None:
    shape = np.shape(next(iter(arrays.values())))
    if not 1 <= len(shape) <= 3:
        raise InputError(f"initial: '{next(iter(arrays))}' has the shape {shape}, expected axes z, y, x")
    with h5py.File(path, "w") as file:
        for name, values in arrays.items():
            array = _real(name, values, shape)
            file[name] = array.reshape((1,) * (3 - array.ndim) + array.shape)


# ---- atoms -----------------------------------------------------------------------------------------------------------


def _write_atoms(path: Path, arrays: dict[str, Any]) -> None:
    """`positions`, `elements` (one name, or one for each atom), `cell` (edges, or a matrix of rows), and optionally
    `velocities`, `masses`, `periodic` (three truth values)."""
    _taken(arrays, ("positions", "elements", "cell", "velocities", "masses", "periodic"),
           ("positions", "elements", "cell"))
    positions = _real("positions", arrays["positions"], (None, 3))
    count = len(positions)
    cell = np.asarray(arrays["cell"], dtype=np.float64)
    cell = _real("cell", np.diag(cell) if cell.ndim == 1 else cell, (3, 3))
    names = arrays["elements"]
    names = [names] * count if isinstance(names, str) else [str(name) for name in names]
    if len(names) != count or not all(name and not any(c.isspace() for c in name) for name in names):
        raise InputError(f"initial: 'elements' is not one name without spaces for each of {count} atoms")
    properties, columns = "species:S:1:pos:R:3", [positions]
    if "velocities" in arrays:
        properties += ":velo:R:3"
        columns.append(_real("velocities", arrays["velocities"], (count, 3)))
    if "masses" in arrays:
        properties += ":masses:R:1"
        masses = arrays["masses"]
        columns.append(_real("masses", np.full(count, masses) if np.ndim(masses) == 0 else masses, (count,))[:, None])
    faces = " ".join("T" if periodic else "F" for periodic in np.broadcast_to(arrays.get("periodic", True), 3))
    edges = " ".join(f"{number:.17g}" for number in cell.ravel())
    numbers = np.hstack(columns)
    with path.open("w") as file:
        file.write(f'{count}\nLattice="{edges}" Properties={properties} pbc="{faces}"\n')
        for name, row in zip(names, numbers, strict=True):
            file.write(f"{name} {' '.join(f'{number:.17g}' for number in row)}\n")


# ---- gauge fields ----------------------------------------------------------------------------------------------------


def _write_links(path: Path, arrays: dict[str, Any]) -> None:
    """`links`, complex, axes (t, z, y, x, direction, row, column) with the directions x, y, z, t, in NERSC's format."""
    _taken(arrays, ("links",), ("links",))
    links = np.ascontiguousarray(arrays["links"], dtype=np.complex128)
    if links.ndim != _AXES + 3 or links.shape[_AXES:] != (_AXES, 3, 3):
        raise InputError(f"initial: 'links' has the shape {links.shape}, expected (t, z, y, x, 4, 3, 3)")
    data = links.astype(">c16").tobytes()
    checksum = int(np.frombuffer(data, dtype=">u4").sum(dtype=np.uint64)) & 0xFFFFFFFF
    sizes = [f"DIMENSION_{axis + 1} = {links.shape[_AXES - 1 - axis]}" for axis in range(_AXES)]
    header = ["BEGIN_HEADER", "HDR_VERSION = 1.0", "DATATYPE = 4D_SU3_GAUGE_3x3", *sizes,
              f"CHECKSUM = {checksum:x}", f"LINK_TRACE = {np.trace(links, axis1=-2, axis2=-1).real.mean() / 3:.15g}",
              f"PLAQUETTE = {_plaquette(links):.15g}", "FLOATING_POINT = IEEE64BIG", "END_HEADER", ""]
    path.write_bytes("\n".join(header).encode() + data)


def _plaquette(links: NDArray[np.complex128]) -> float:
    """The mean of Re tr U / 3 over all plaquettes."""
    total, count = 0.0, 0
    for mu in range(_AXES):
        for nu in range(mu):
            u, v = links[..., mu, :, :], links[..., nu, :, :]
            # Axis of the array: t is the first, x the last of the four.
            v_ahead = np.roll(v, -1, axis=_AXES - 1 - mu)
            u_ahead = np.roll(u, -1, axis=_AXES - 1 - nu)
            loop = u @ v_ahead @ np.conj(np.swapaxes(v @ u_ahead, -1, -2))
            total += float(np.trace(loop, axis1=-2, axis2=-1).real.sum()) / 3
            count += loop[..., 0, 0].size
    return total / count


_WRITERS: dict[str, Callable[[Path, dict[str, Any]], None]] = {
    "sph": _write_particles, "heat": _write_temperature, "dns": _write_flow, "md": _write_atoms, "qcd": _write_links,
    "gauge": _write_links}
_SUFFIXES = {"md": ".xyz", "qcd": ".nersc", "gauge": ".nersc"}
