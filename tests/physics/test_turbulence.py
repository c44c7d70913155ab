"""Statistics that a run of the dns solver leaves, through the real program: against its snapshots, and restarted.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import csv
from pathlib import Path

import h5py
import numpy as np
import pytest
from program import assert_same_bits, run, succeed

N = 16
FLOW = {"solver": "dns", "dns.points": N, "dns.viscosity": 0.02, "dns.scheme": "rk4", "dns.dt": 0.05,
        "dns.statistics.spectra_every": 0.2, "dns.statistics.slice_z": 3.0, "initial.setup": "isotropic",
        "isotropic.peak": 3.0, "time.end": 0.5, "output.double_precision": True, "output.statistics_every": 0.05,
        "run.threads": 1, "run.deterministic": True}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short run."""
    return run(tmp_path_factory.mktemp("flow"), FLOW)


def files(directory: Path) -> list[Path]:
    """Its files of spectra in their order."""
    return sorted(directory.glob("spectra_*.hdf5"))


def test_files(results: Path) -> None:
    """Begin, the first steps at or past 0.2 and 0.4 (a sum of steps may fall short of either by its rounding), end."""
    steps = [int(path.stem.split("_")[1]) for path in files(results)]
    assert len(steps) == 4 and steps[0] == 0
    assert steps[1] in (4, 5) and steps[2] in (8, 9) and steps[3] in (10, 11)


def test_spectra_agree_with_the_snapshot(results: Path) -> None:
    """Both are double precision; transforms of 16^3 points are off by some roundings of 1e-16 of the largest mode."""
    with h5py.File(results / "snapshot_0001.hdf5") as file:
        u = np.moveaxis(file["VTKHDF/PointData/velocity"][()], -1, 0)
    modes = np.fft.fftn(u, axes=(1, 2, 3)) / N**3
    k = np.fft.fftfreq(N, 1.0 / N)
    kz, ky, kx = np.meshgrid(k, k, k, indexing="ij")
    shell = np.rint(np.sqrt(kx**2 + ky**2 + kz**2)).astype(int).ravel()
    energy = np.bincount(shell, 0.5 * np.sum(np.abs(modes) ** 2, axis=0).ravel())
    with h5py.File(files(results)[-1]) as file:
        found = file["Spectra/energy"][()]
        assert np.abs(found - energy[: len(found)]).max() < 1e-14
        along = 2.0 * np.sum(np.abs(modes[0]) ** 2, axis=(0, 1))[1 : N // 3 + 1]  # kx and -kx
        assert np.abs(file["LineSpectra/x/u"][1:] - along).max() < 1e-14
        difference = np.roll(u[1], -3, axis=1) - u[1]  # v along y, arrays run (z, y, x)
        assert file["StructureFunctions/y/longitudinal_2"][3] == pytest.approx(np.mean(difference**2), rel=1e-12)
        assert file["StructureFunctions/y/longitudinal_3"][3] == pytest.approx(np.mean(difference**3), abs=1e-14)
        plane = round(3.0 / (2.0 * np.pi) * N)
        assert np.abs(file["Slice/velocity"][()] - u[:, plane]).max() < 1e-6  # single precision
        assert np.ravel(file["Densities/velocity"].attrs["RootMeanSquare"]) == pytest.approx(
            np.sqrt(np.mean(u**2, axis=(1, 2, 3))), rel=1e-12)


def test_spectra_agree_with_the_statistics(results: Path) -> None:
    """Exact sums of the same numbers in other groups: a rounding or two of each."""
    with (results / "statistics.csv").open() as file:
        last = list(csv.DictReader(file))[-1]
    with h5py.File(files(results)[-1]) as file:
        spectra = {name: values[()] for name, values in file["Spectra"].items()}
        skewness = np.ravel(file["Scales"].attrs["derivative_skewness"])[0]
    assert spectra["energy"].sum() == pytest.approx(float(last["kinetic_energy"]), rel=1e-13)
    assert spectra["dissipation"].sum() == pytest.approx(float(last["dissipation"]), rel=1e-13)
    assert spectra["helicity"].sum() == pytest.approx(float(last["helicity"]), abs=1e-13)
    assert abs(spectra["transfer"].sum()) < 1e-14 * np.abs(spectra["transfer"]).sum()
    assert skewness == float(last["derivative_skewness"])


def test_a_restarted_run_writes_the_same_files(results: Path, tmp_path: Path) -> None:
    """The clock of the schedule is that of the run, so that a restart falls into step."""
    half = run(tmp_path, FLOW | {"time.max_steps": 6, "run.threads": 2})
    succeed("run", "run.toml", "--output", "run", "--restart", "--set", "time.max_steps=1000", cwd=tmp_path)
    assert [path.name for path in files(half)] == [path.name for path in files(results)]
    for one, other in zip(files(half), files(results)):
        assert_same_bits(one, other)
