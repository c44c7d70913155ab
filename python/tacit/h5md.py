"""Trajectories of atoms in H5MD, as MDAnalysis and others read them.

SPDX-License-Identifier: Apache-2.0

H5MD 1.1 (de Buyl, Colberg & Hoefling 2014, Comput. Phys. Commun. 185, 1546; nongnu.org/h5md): one file for all times,
with its module `units`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from tacit import __version__
from tacit.atoms import atoms_snapshots, read_atoms
from tacit.errors import InputError
from tacit.parts import open_whole

_KJ_PER_MOL_IN_EV = 96.48533212
_UNITS = {
    "metal": {"length": "Angstrom", "time": "ps", "velocity": "Angstrom ps-1", "force": "kJ mol-1 Angstrom-1",
              "energy": "kJ mol-1", "mass": "u"},
    "real": {"length": "Angstrom", "time": "fs", "velocity": "Angstrom fs-1", "force": "kcal mol-1 Angstrom-1",
             "energy": "kcal mol-1", "mass": "u"},
    "si": {"length": "m", "time": "s", "velocity": "m s-1", "force": "N", "energy": "J", "mass": "kg"},
}
"""By md.units; of others there are none in the file. MDAnalysis knows no eV: with `metal` forces and energies are
converted."""
_MASS_UNITS = {"metal": 1.0364269e-4, "real": 48.88821291**2}
"""What a mass of 1 g/mol is in the units of the equations."""


def write_h5md(run: str | Path, output: str | Path | None = None) -> Path:
    """Writes all snapshots of a run of md into one H5MD file.

    `particles/all` has box, position, image, velocity and force over time, species (numbers of `parameters/elements`,
    from 0), id and mass. The box begins at 0. The file is complete or absent.

    Args:
        run: directory of the run.
        output: the file; default: trajectory.h5md in the directory.

    Returns:
        The path of the file.

    Raises:
        InputError: if there are no snapshots of atoms, or they are not of the same ones.
    """
    run = Path(run)
    files = atoms_snapshots(run) if run.is_dir() else []
    if not files:
        raise InputError(f"{run}: has no snapshots of atoms: give the directory of a run of md")
    path = Path(output) if output is not None else run / "trajectory.h5md"
    part = path.with_name(path.name + ".part")
    try:
        with h5py.File(part, "w") as file:
            _write(file, files)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return path


def _write(file: h5py.File, snapshots: list[Path]) -> None:
    first = read_atoms(snapshots[0])
    system = str(first.parameters.get("md", {}).get("units", "lj"))
    units = _UNITS.get(system, {})
    energy = _KJ_PER_MOL_IN_EV if system == "metal" else 1.0
    about = file.create_group("h5md")
    about.attrs["version"] = np.array([1, 1])
    about.create_group("author").attrs["name"] = "N/A"
    creator = about.create_group("creator")
    creator.attrs["name"], creator.attrs["version"] = "Tacit", __version__
    if units:
        about.create_group("modules/units").attrs["version"] = np.array([1, 0])
    file.create_group("parameters").attrs["elements"] = first.elements
    everything = file.create_group("particles/all")
    with open_whole(snapshots[0]) as data:
        ids = np.array(data["Atoms/ParticleIDs"])
        masses = np.array(data["Atoms"].attrs["Masses"], dtype=float) / _MASS_UNITS.get(system, 1.0)
    everything["species"] = first.types
    everything["id"] = ids
    _with_unit(everything.create_dataset("mass", data=masses[first.types]), units.get("mass"))
    box = everything.create_group("box")
    box.attrs["dimension"] = 3
    box.attrs["boundary"] = ["periodic" if is_periodic else "none" for is_periodic in first.periodic]
    times, steps = np.zeros(len(snapshots)), np.zeros(len(snapshots), dtype=np.int64)
    series = {
        "box/edges": _Series(everything, "box/edges", (len(snapshots), 3, 3), float, units.get("length")),
        "position": _Series(everything, "position", (len(snapshots), first.count, 3), float, units.get("length")),
        "image": _Series(everything, "image", (len(snapshots), first.count, 3), np.int64, None),
        "velocity": _Series(everything, "velocity", (len(snapshots), first.count, 3), float, units.get("velocity")),
        "force": _Series(everything, "force", (len(snapshots), first.count, 3), float, units.get("force")),
        "potential_energy": _Series(everything, "potential_energy", (len(snapshots), first.count), float,
                                    units.get("energy")),
    }
    for k, snapshot in enumerate(snapshots):
        atoms = read_atoms(snapshot)
        with open_whole(snapshot) as data:
            if not np.array_equal(np.array(data["Atoms/ParticleIDs"]), ids):
                raise InputError(f"{snapshot}: has other atoms than {snapshots[0]}: a trajectory is of the same ones")
            steps[k] = int(np.ravel(data["Header"].attrs["Step"])[0])
            series["image"].values[k] = np.array(data["Atoms/Images"])
            series["velocity"].values[k] = np.array(data["Atoms/Velocities"])
            series["force"].values[k] = energy * np.array(data["Atoms/Forces"], dtype=float)
        times[k] = atoms.time
        series["box/edges"].values[k] = atoms.edges
        series["position"].values[k] = atoms.positions - atoms.origin
        series["potential_energy"].values[k] = energy * atoms.energies
    shared: h5py.Group | None = None
    for name in series:
        shared = _complete(everything[name], steps, times, units.get("time"), shared)


class _Series:
    """An element that depends on time: the group of that name with the values."""

    def __init__(self, parent: h5py.Group, name: str, shape: tuple[int, ...], kind: Any, unit: str | None) -> None:
        self.values = parent.create_group(name).create_dataset("value", shape, dtype=kind, chunks=(1, *shape[1:]))
        _with_unit(self.values, unit)


def _complete(element: h5py.Group, steps: NDArray[np.int64], times: NDArray[np.float64], unit: str | None,
              like: h5py.Group | None) -> h5py.Group:
    """Adds steps and times; of all elements but the first they are links to those of that one."""
    if like is not None:
        element["step"], element["time"] = like["step"], like["time"]
        return like
    element["step"] = steps
    _with_unit(element.create_dataset("time", data=times), unit)
    return element


def _with_unit(data: h5py.Dataset, unit: str | None) -> None:
    if unit is not None:
        data.attrs["unit"] = unit
