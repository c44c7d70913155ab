"""A real snapshot of the program, opened with swiftsimio: load, units, region mask, projection.

SPDX-License-Identifier: Apache-2.0

It waits for --full: to load the reader takes seconds, and test_formats_snapshot.cpp has what readers ask for. The
snapshot is the one that TACIT_TEST_SNAPSHOT names, or comes from a tiny run of the program in TACIT_PROGRAM.
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

from tacit.cli import main
from tacit.runs import snapshot_path
from tacit.snapshot import read_snapshot

pytestmark = pytest.mark.long

# To compile swiftsimio's loops takes longer than to interpret them for 512 particles.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")

PARAMETERS = """\
solver = "sph"
[initial]
setup = "sedov"
[sedov]
resolution = 8
[time]
end = 0.005
[output]
picture = false
"""


@pytest.fixture(scope="module")
def snapshot_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A snapshot written by the program; skips, and says so in the summary, where there is no program."""
    given = os.environ.get("TACIT_TEST_SNAPSHOT")
    if given:
        return Path(given)
    program = os.environ.get("TACIT_PROGRAM")
    if not program:
        warnings.warn("neither TACIT_TEST_SNAPSHOT nor TACIT_PROGRAM is set: NO SNAPSHOT OF THE PROGRAM IS CHECKED")
        pytest.skip("neither TACIT_TEST_SNAPSHOT nor TACIT_PROGRAM is set")
    folder = tmp_path_factory.mktemp("run")
    (folder / "run.toml").write_text(PARAMETERS)
    command = [*shlex.split(program), "run", str(folder / "run.toml"), "--output", str(folder / "output")]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return snapshot_path(folder / "output")


@pytest.fixture(scope="module")
def swiftsimio():
    """The reader that SWIFT's users have."""
    return pytest.importorskip("swiftsimio")


def test_loads_with_units(snapshot_file: Path, swiftsimio) -> None:
    data = swiftsimio.load(str(snapshot_file))
    with h5py.File(snapshot_file) as file:
        count = file["PartType0/Coordinates"].shape[0]
        masses = file["PartType0/Masses"][:].astype(float).sum()
        unit_mass = float(file["Units"].attrs["Unit mass in cgs (U_M)"][0])
        unit_length = float(file["Units"].attrs["Unit length in cgs (U_L)"][0])
    gas = data.gas
    assert gas.coordinates.shape == (count, 3)
    # Masses are single precision: sums of N of them agree to about 1e-7 sqrt(N).
    assert float(gas.masses.sum().to("g")) == pytest.approx(masses * unit_mass, rel=1e-5)
    assert gas.densities.units.dimensions == (gas.masses.units / gas.coordinates.units**3).dimensions
    assert gas.internal_energies.units.dimensions == (gas.velocities.units**2).dimensions
    assert gas.pressures.units.dimensions == (gas.densities.units * gas.velocities.units**2).dimensions
    assert np.all(gas.smoothing_lengths.to("cm").value > 0.0)
    assert float(data.metadata.boxsize[0].to("cm")) == pytest.approx(unit_length * read_snapshot(snapshot_file).box[0])


def test_scheme_is_described(snapshot_file: Path, swiftsimio) -> None:
    """The summary that swiftsimio prints names the kernel; it needs every number of the group HydroScheme."""
    info = swiftsimio.load(str(snapshot_file)).metadata.hydro_info
    assert "spline" in info.lower() and "eta" in info


def test_fields_obey_the_equation_of_state(snapshot_file: Path, swiftsimio) -> None:
    """P = (gamma - 1) rho u; each factor is single precision, so a few 1e-7."""
    data = swiftsimio.load(str(snapshot_file))
    gas = data.gas
    P = (data.metadata.gas_gamma - 1.0) * gas.densities.value * gas.internal_energies.value
    assert gas.pressures.value == pytest.approx(np.asarray(P), rel=2e-6)


def test_region_mask_finds_all_particles_of_the_region(snapshot_file: Path, swiftsimio) -> None:
    mask = swiftsimio.mask(str(snapshot_file))
    box = mask.metadata.boxsize
    region = [[0.0 * length, 0.4 * length] for length in box]
    mask.constrain_spatial(region)
    part = swiftsimio.load(str(snapshot_file), mask=mask)
    whole = swiftsimio.load(str(snapshot_file))

    def ids_inside(data) -> np.ndarray:
        x = data.gas.coordinates.value
        inside = np.all(x < 0.4 * np.asarray(box.value), axis=1)
        return np.sort(np.asarray(data.gas.particle_ids.value)[inside])

    assert len(ids_inside(whole)) > 0
    assert np.array_equal(ids_inside(part), ids_inside(whole))
    assert len(part.gas.masses) <= len(whole.gas.masses)


@pytest.mark.long
def test_projection_holds_the_mass(snapshot_file: Path, swiftsimio) -> None:
    """swiftsimio samples kernels at pixel centres, which loses a few per cent where pixels are not small."""
    from swiftsimio.visualisation import project_gas

    data = swiftsimio.load(str(snapshot_file))
    image = project_gas(data, resolution=64, project="masses", periodic=True)
    area = data.metadata.boxsize[0] * data.metadata.boxsize[1] / 64**2
    total = float((np.sum(image) * area).to("g"))
    assert total == pytest.approx(float(data.gas.masses.sum().to("g")), rel=0.05)


def test_own_reader_agrees_and_draws(snapshot_file: Path, tmp_path: Path) -> None:
    snapshot = read_snapshot(snapshot_file)
    assert snapshot.time > 0.0 and snapshot.size > 0
    assert snapshot.gamma == pytest.approx(5.0 / 3.0, abs=1e-12)
    assert {"rho", "P", "u"} <= set(snapshot.fields)
    assert main(["plot", str(snapshot_file), "--output", str(tmp_path / "p.png"), "--resolution", "64"]) == 0
    assert (tmp_path / "p.png").stat().st_size > 4_000
