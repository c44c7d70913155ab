"""Snapshots made for the tests: particles that carry an exact solution, written in SWIFT's layout.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Matrices of these tests are small; threads that wait for each other on a busy machine cost seconds.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import h5py  # noqa: E402
import numpy as np  # noqa: E402
import pytest  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from tacit.exact import riemann  # noqa: E402
from tacit.exact.sedov import SedovSolution  # noqa: E402

GAMMA = 5.0 / 3.0
ETA = 1.2348


def lattice(counts: tuple[int, int, int], box: tuple[float, float, float], jitter: float = 0.1) -> np.ndarray:
    """Cell centres of a regular grid, moved at random by up to half of `jitter` cells; shape (N, 3)."""
    cells = np.stack(np.meshgrid(*(np.arange(n) for n in counts), indexing="ij"), axis=-1).reshape(-1, 3)
    shift = jitter * (np.random.default_rng(7).random(cells.shape) - 0.5)
    return (cells + 0.5 + shift) * np.array(box) / np.array(counts)


def write_snapshot(path, box, x, v, rho, P, time, parameters="", units=(1.0, 1.0, 1.0), name="test"):
    """Writes gas of equal volumes, m = rho V, with the names and attributes of SWIFT's snapshots."""
    count = len(x)
    volume = np.prod(box) / count
    with h5py.File(path, "w") as file:
        header = file.create_group("Header").attrs
        header["BoxSize"] = np.array(box, dtype=float)
        header["Time"] = np.array([time])
        header["NumPart_ThisFile"] = np.array([count, 0, 0, 0, 0, 0], dtype=np.uint64)
        header["NumFilesPerSnapshot"] = np.array([1])
        header["RunName"] = np.bytes_(name)
        keys = ("Unit length in cgs (U_L)", "Unit mass in cgs (U_M)", "Unit time in cgs (U_t)")
        unit_attributes = file.create_group("Units").attrs
        for key, value in zip(keys, units):
            unit_attributes[key] = np.array([value])
        file.create_group("HydroScheme").attrs["Adiabatic index"] = np.array([GAMMA], dtype=np.float32)
        if parameters:
            file.create_group("Parameters").attrs["Tacit:parameter_file"] = np.bytes_(parameters)
        gas = file.create_group("PartType0")
        gas["Coordinates"] = x
        gas["Velocities"] = v.astype(np.float32)
        gas["Masses"] = (rho * volume).astype(np.float32)
        gas["Densities"] = rho.astype(np.float32)
        gas["Pressures"] = P.astype(np.float32)
        gas["InternalEnergies"] = (P / ((GAMMA - 1.0) * rho)).astype(np.float32)
        gas["SmoothingLengths"] = np.full(count, ETA * np.cbrt(volume), dtype=np.float32)
        gas["ParticleIDs"] = np.arange(1, count + 1, dtype=np.uint64)
    return path


def sedov_snapshot(path: Path, n: int = 20, time: float = 0.05, **options) -> Path:
    """n^3 particles that carry the exact blast wave of energy 1 in density 1, in a box of side 1."""
    x = lattice((n, n, n), (1.0, 1.0, 1.0))
    d = x - 0.5
    r = np.sqrt(np.sum(d * d, axis=1))
    rho, v, P = SedovSolution(1.0, 1.0, GAMMA).sample(r, time)
    velocity = v[:, None] * d / r[:, None]
    options.setdefault("parameters", '[initial]\nsetup = "sedov"\n[sedov]\nenergy = 1.0\ndensity = 1\n')
    return write_snapshot(path, (1.0, 1.0, 1.0), x, velocity, np.maximum(rho, 1e-3), np.maximum(P, 1e-6), time,
                          **options)


def sod_snapshot(path: Path, n: int = 10, time: float = 0.2, v_error: float = 0.0, **options) -> Path:
    """4 n^2 * n particles that carry the exact shock tube with interfaces at 1 and, mirrored, at 0."""
    x = lattice((4 * n, n, n), (2.0, 0.5, 0.5))
    tube = riemann.solve(riemann.State(1.0, 0.0, 1.0), riemann.State(0.125, 0.0, 0.1), GAMMA)
    distance = np.where(x[:, 0] < 0.5, -x[:, 0], np.where(x[:, 0] > 1.5, 2.0 - x[:, 0], x[:, 0] - 1.0))
    sign = np.where((x[:, 0] < 0.5) | (x[:, 0] > 1.5), -1.0, 1.0)
    rho, u, P = tube.sample(distance / time)
    velocity = np.zeros_like(x)
    velocity[:, 0] = sign * u + v_error
    options.setdefault("parameters", '[initial]\nsetup = "sod"\n')
    return write_snapshot(path, (2.0, 0.5, 0.5), x, velocity, rho, P, time, **options)


@pytest.fixture(autouse=True)
def coarse_pictures(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few points per inch, no small ticks and no search for the best layout, which takes two thirds of the time of a
    picture; tests marked `full_picture` draw what users see."""
    if request.node.get_closest_marker("full_picture"):
        return
    from tacit.drawing import page, style

    monkeypatch.setattr(page, "_LAYOUT", "none")
    for key in ("xtick.minor.visible", "ytick.minor.visible"):
        monkeypatch.setitem(style.SETTINGS, key, False)
    monkeypatch.setitem(style.SETTINGS, "savefig.dpi", 75)


def pytest_configure(config: pytest.Config) -> None:
    """Makes the marker known."""
    config.addinivalue_line("markers", "full_picture: draws a picture as users see it")


@pytest.fixture
def sedov_file(tmp_path: Path) -> Path:
    """A blast wave at t = 0.05."""
    return sedov_snapshot(tmp_path / "blast_0005.hdf5")


@pytest.fixture
def sod_file(tmp_path: Path) -> Path:
    """A shock tube at t = 0.2."""
    return sod_snapshot(tmp_path / "tube_0002.hdf5")


@pytest.fixture
def run_directory(tmp_path: Path) -> Path:
    """A run's directory: two snapshots and a history whose total energy drifts by 1e-3."""
    directory = tmp_path / "run"
    directory.mkdir()
    sedov_snapshot(directory / "snapshot_0001.hdf5", n=12, time=0.05, name="late")
    sedov_snapshot(directory / "snapshot_0002.hdf5", n=12, time=0.01, name="early, in spite of its number")
    time = np.linspace(0.0, 0.05, 21)
    kinetic = 0.28 * (1.0 - np.exp(-time / 0.005))
    total = 1.0 + 1e-3 * time / 0.05
    columns = {"step": np.arange(21), "time": time, "kinetic_energy": kinetic, "internal_energy": total - kinetic,
               "total_energy": total, "momentum_x": 1e-14 * time, "momentum_y": 0 * time, "momentum_z": 0 * time,
               "mass": np.ones(21)}
    lines = [",".join(columns)] + [",".join(f"{value:.15g}" for value in row) for row in zip(*columns.values())]
    (directory / "statistics.csv").write_text("\n".join(lines) + "\n")
    return directory
