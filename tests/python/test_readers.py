"""Files of the program, opened with readers of other projects, which have to find the same numbers.

SPDX-License-Identifier: Apache-2.0

They wait for --full, which installs the readers; swiftsimio has test_swiftsimio.py, plotfiles test_amr.py.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import warnings
from pathlib import Path

import h5py
import numpy as np
import pytest

from tacit.history import read_history

pytestmark = pytest.mark.long
MISSING = "needs the Python module {}, which ./tacit test --full installs"

SILICON = """\
solver = "md"
[initial]
setup = "lattice"
[lattice]
structure = "diamond"
constant = 5.432
cells = 2
[md]
units = "metal"
elements = "Si"
masses = [28.0855]
potential = "tersoff"
dt = "1 fs"
skin = "0.8 Angstrom"
xyz_every = "0.02 ps"
dump_every = "0.02 ps"
[velocities]
temperature = 801.0
[tersoff]
parameters = "si_1988"
[time]
end = "0.02 ps"
[output]
picture = false
"""
TUBE = """\
solver = "sph"
[initial]
setup = "sod"
[sph]
dimension = {}
[sod]
resolution = 8
[time]
end = 0.005
[output]
picture = false
"""
SPREADING = """\
solver = "heat"
[initial]
setup = "gaussian"
[heat]
cells = [16, 16, 16]
diffusivity = 0.1
[time]
end = 0.001
[output]
picture = false
"""


def module(name: str):
    """Of another project; the test is skipped, and says so, where it is not installed."""
    return pytest.importorskip(name, reason=MISSING.format(name))


def run(folder: Path, text: str) -> Path:
    """The directory that a run of the program leaves."""
    program = os.environ.get("TACIT_PROGRAM")
    if not program:
        warnings.warn("TACIT_PROGRAM is not set: NO FILE OF THE PROGRAM IS CHECKED")
        pytest.skip("TACIT_PROGRAM is not set")
    (folder / "run.toml").write_text(text)
    done = subprocess.run([*shlex.split(program), "run", str(folder / "run.toml"), "--output", str(folder / "out")],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "out"


def last(folder: Path, pattern: str) -> str:
    return str(max(folder.glob(pattern)))


@pytest.fixture(scope="module")
def silicon(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("silicon"), SILICON)


def places(silicon: Path) -> np.ndarray:
    """By rising ID, as the snapshot has them: doubles."""
    with h5py.File(last(silicon, "snapshot_*.hdf5")) as file:
        x = file["Atoms/Coordinates"][()]
        assert x.dtype == np.float64
        return x[np.argsort(file["Atoms/ParticleIDs"][()])]


@pytest.mark.parametrize("kind", ["xyz", "lammpstrj"])
def test_ase_finds_places_elements_and_motion(kind: str, silicon: Path) -> None:
    read = module("ase.io").read
    atoms = read(last(silicon, f"*.{kind}"), **({"format": "lammps-dump-text"} if kind == "lammpstrj" else {}))
    assert np.array_equal(atoms.positions, places(silicon))
    assert set(atoms.get_chemical_symbols()) == {"Si"}
    assert np.allclose(atoms.cell.array, np.diag([10.864] * 3), rtol=1e-15)
    energy = read_history(silicon / "statistics.csv")["kinetic_energy"][-1]
    # Units of ASE are those of CODATA 2014, md.units those of LAMMPS.
    assert atoms.get_kinetic_energy() == pytest.approx(energy, rel=1e-9 if kind == "xyz" else 1e-4)


@pytest.mark.parametrize("kind", ["xyz", "lammpstrj"])
def test_ovito_finds_places_and_velocities(kind: str, silicon: Path) -> None:
    data = module("ovito.io").import_file(last(silicon, f"*.{kind}")).compute()
    order = np.argsort(data.particles["Particle Identifier"][...])
    assert np.allclose(data.particles.positions[...][order], places(silicon), rtol=0.0, atol=1e-14)
    with h5py.File(last(silicon, "snapshot_*.hdf5")) as file:
        v = file["Atoms/Velocities"][()][np.argsort(file["Atoms/ParticleIDs"][()])]
    assert np.allclose(data.particles["Velocity"][...][order], v, rtol=1e-6)  # single in the snapshot
    assert all(data.cell.pbc)


def test_mdanalysis_finds_places_and_masses(silicon: Path) -> None:
    md = module("MDAnalysis")
    found = md.Universe(last(silicon, "*.lammpstrj"), format="LAMMPSDUMP", topology_format="LAMMPSDUMP")
    assert np.allclose(found.atoms.positions, places(silicon), rtol=0.0, atol=1e-5)  # which keeps floats
    assert set(found.atoms.masses) == {28.0855}
    assert set(found.atoms.elements) == {"Si"}


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_gas_in_readers_of_swift(dimension: int, tmp_path: Path) -> None:
    """swiftsimio in any dimension; pynbody and yt know three alone, which the guide says."""
    path = last(run(tmp_path, TUBE.format(dimension)), "snapshot_*.hdf5")
    with h5py.File(path) as file:
        mass, density = file["PartType0/Masses"][()].sum(dtype=float), file["PartType0/Densities"][()].max()
    gas = module("swiftsimio").load(path).gas
    assert float(gas.masses.sum().value) == pytest.approx(mass, rel=1e-6)
    pynbody = module("pynbody")
    if dimension < 3:
        with pytest.raises(AssertionError, match="3-dimensional"):
            pynbody.load(path)
        return
    loaded = pynbody.load(path)
    assert float(loaded["mass"].sum()) == pytest.approx(mass, rel=1e-6)
    assert float(loaded.gas["rho"].max()) == pytest.approx(density, rel=1e-6)
    yt = module("yt")
    yt.set_log_level("error")
    everything = yt.load(path).all_data()
    assert float(everything["PartType0", "mass"].sum().d) == pytest.approx(mass, rel=1e-6)
    assert float(everything["PartType0", "density"].max().d) == pytest.approx(density, rel=1e-6)


def test_pyvista_reads_grids(tmp_path: Path) -> None:
    pyvista = module("pyvista")
    path = last(run(tmp_path, SPREADING), "snapshot_*.hdf5")
    grid = pyvista.read(path, force_ext=".vtkhdf")
    with h5py.File(path) as file:
        name, values = next(iter(file["VTKHDF/CellData"].items()))
        assert grid.n_cells == values.size
        assert np.array_equal(np.ravel(grid.cell_data[name]), np.ravel(values[()]))
