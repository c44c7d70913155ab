"""What a run of atoms measures while it goes on, beside the same from its own snapshots by NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import numpy as np
import pytest
from numpy.typing import NDArray
from program import run, snapshots

from tacit.drawing.figure import draw, figure_of
from tacit.drawing.request import Request
from tacit.errors import InputError

Array = NDArray[np.float64]

STEPS, EVERY, DT = 80, 2, 0.004
LIQUID = {"solver": "md", "initial.setup": "lattice", "lattice.density": 0.8, "lattice.cells": [4, 3, 3],
          "md.elements": "Ar", "velocities.temperature": 2.5, "md.dt": DT, "lennard_jones.cutoff": 2.0,
          "time.end": STEPS * DT,
          "lennard_jones.truncation": "force_shifted", "output.snapshot_every": EVERY * DT,
          "output.double_precision": True, "output.statistics_every": DT, "output.average_from": 20 * DT,
          "analysis.pairs_every": EVERY * DT, "analysis.pair_distance": 2.2, "analysis.pair_bins": 50,
          "analysis.motion_every": EVERY * DT, "analysis.longest_lag": 20 * EVERY * DT,
          "analysis.waves_every": 4 * EVERY * DT, "analysis.highest_wave_number": 9.0,
          "analysis.waves_of_shell": 100000, "analysis.slabs_every": EVERY * DT, "analysis.slabs": 9,
          "analysis.slab_axis": "x", "analysis.bond_length": 1.5}


@pytest.fixture(scope="module")
def liquid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a run with a snapshot of each sample."""
    return run(tmp_path_factory.mktemp("liquid"), LIQUID)


def trajectory(results: Path) -> tuple[Array, Array, Array]:
    """Edges of the box, unwrapped positions and velocities; shapes (3), (samples, atoms, 3) twice."""
    positions, velocities = [], []
    for path in snapshots(results):
        with h5py.File(path) as file:
            edges = np.array(file["Header"].attrs["BoxSize"])
            positions.append(file["Atoms/Coordinates"][:] + file["Atoms/Images"][:] * edges)
            velocities.append(file["Atoms/Velocities"][:])
    return edges, np.array(positions), np.array(velocities)


def measured(results: Path, group: str) -> dict[str, Array]:
    with h5py.File(max(results.glob("analysis_*.hdf5"))) as file:
        return {name: values[:] for name, values in file[group].items()}


def test_pair_distribution(liquid: Path) -> None:
    found = measured(liquid, "PairDistribution")
    edges, positions, _ = trajectory(liquid)
    count = positions.shape[1]
    borders = np.linspace(0.0, 2.2, 51)
    pairs = np.zeros((len(positions), 50))
    for sample, x in enumerate(positions):
        away = x[:, None, :] - x[None, :, :]
        away -= edges * np.round(away / edges)
        distances = np.linalg.norm(away, axis=2)[~np.eye(count, dtype=bool)]
        pairs[sample] = np.histogram(distances, borders)[0]
    shells = 4.0 / 3.0 * np.pi * (borders[1:] ** 3 - borders[:-1] ** 3)
    g = pairs.mean(axis=0) * edges.prod() / (count * (count - 1) * shells)
    assert found["g Ar Ar"].max() > 2.0
    np.testing.assert_allclose(found["g Ar Ar"], g, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found["neighbours Ar Ar"], np.cumsum(pairs.mean(axis=0)) / count, rtol=1e-12, atol=1e-12)


def test_motion(liquid: Path) -> None:
    """Lags of 0 to 16 samples with every sample, then 18, 20, ... 32 with every second one."""
    found = measured(liquid, "Motion")
    edges, x, v = trajectory(liquid)
    assert np.abs(x - x[0]).max() > 0.5 and (np.floor(x / edges) != np.floor(x[0] / edges)).any(), "atoms cross faces"
    lags = [(lag, 1) for lag in range(17)] + [(lag, 2) for lag in range(18, 33, 2)]
    np.testing.assert_allclose(found["lag"], [lag * EVERY * DT for lag, _ in lags], rtol=1e-13)
    for k, (lag, stride) in enumerate(lags):
        later = np.arange(lag, len(x), stride) if lag % stride == 0 else np.array([])
        squares = ((x[later] - x[later - lag]) ** 2).mean(axis=(0, 1))
        assert found["samples"][k] == len(later)
        np.testing.assert_allclose(found["msd_along_axes Ar"][k], squares, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(found["msd Ar"][k], squares.sum(), rtol=1e-12, atol=1e-15)
        products = (v[later] * v[later - lag]).sum(axis=2).mean()
        np.testing.assert_allclose(found["vacf Ar"][k], products, rtol=1e-12, atol=1e-12 * found["vacf Ar"][0])
    trapezes = np.diff(found["lag"]) * (found["vacf Ar"][1:] + found["vacf Ar"][:-1]) / 2.0
    np.testing.assert_allclose(found["green_kubo Ar"][1:], np.cumsum(trapezes) / 3.0, rtol=1e-12)
    later = np.arange(16, len(x))
    slopes = [((x[later] - x[later - lag]) ** 2).sum(axis=2).mean() for lag in (9, 16)]
    np.testing.assert_allclose(found["diffusion Ar"][0], (slopes[1] - slopes[0]) / (6.0 * 7 * EVERY * DT), rtol=1e-11)


def test_structure_factor(liquid: Path) -> None:
    """Of every fourth sample, by all waves up to the highest, in shells around multiples of the lowest."""
    found = measured(liquid, "StructureFactor")
    edges, positions, _ = trajectory(liquid)
    lowest = 2.0 * np.pi / edges.max()
    reach = np.floor(9.0 * edges / (2.0 * np.pi)).astype(int)
    n = np.array(np.meshgrid(*[np.arange(-m, m + 1) for m in reach], indexing="ij")).reshape(3, -1).T
    k = np.linalg.norm(2.0 * np.pi * n / edges, axis=1)
    n, k = n[(k > 0.0) & (k <= 9.0)], k[(k > 0.0) & (k <= 9.0)]
    shell = np.round(k / lowest).astype(int)
    count = positions.shape[1]
    waves = [np.exp(-2j * np.pi * (n / edges) @ x.T).sum(axis=1) for x in positions[::4]]
    squares = np.mean(np.abs(waves) ** 2, axis=0)
    s = np.bincount(shell, squares)[1:] / np.bincount(shell)[1:] / count
    np.testing.assert_array_equal(found["waves"], np.bincount(shell)[1:] / 2)
    np.testing.assert_allclose(found["wave_number"], np.bincount(shell, k)[1:] / np.bincount(shell)[1:], rtol=1e-12)
    np.testing.assert_allclose(found["S Ar Ar"], s, rtol=1e-9, atol=1e-9)  # of 2^-41 for each atom


def test_slabs_and_neighbours(liquid: Path) -> None:
    found = measured(liquid, "Slabs")
    edges, positions, velocities = trajectory(liquid)
    slab = np.floor(positions[:, :, 0] / edges[0] % 1.0 * 9).astype(int)
    count = np.array([np.bincount(row, minlength=9) for row in slab])
    np.testing.assert_allclose(found["density Ar"], count.mean(axis=0) * 9 / edges.prod(), rtol=1e-12)
    heat = [np.bincount(row, (v ** 2).sum(axis=1), 9) for row, v in zip(slab, velocities)]
    np.testing.assert_allclose(found["temperature all"], np.sum(heat, axis=0) / count.sum(axis=0) / 3.0, rtol=1e-12)
    x = positions[-1]
    away = x[:, None, :] - x[None, :, :]
    away -= edges * np.round(away / edges)
    with h5py.File(snapshots(liquid)[-1]) as file:
        np.testing.assert_array_equal(file["Atoms/Neighbours"][:], (np.linalg.norm(away, axis=2) < 1.5).sum(axis=1) - 1)


def test_averages_of_statistics(liquid: Path) -> None:
    """Of all columns, by the mean and the blocks of NumPy."""
    said = json.loads((liquid / "summary.json").read_text())["averages"]
    table = np.genfromtxt(liquid / "statistics.csv", delimiter=",", names=True)
    rows = table[table["step"] >= 20]
    assert said["lines"] == len(rows) == 61
    measured_ones = {name for name in table.dtype.names if np.isfinite(table[name]).all()}
    assert set(said["columns"]) == measured_ones - {"step", "time", "dt", "wall_s"}
    assert {"temperature", "pressure_xy", "total_energy"} < measured_ones
    for name, column in said["columns"].items():
        np.testing.assert_allclose(column["mean"], rows[name].mean(), rtol=1e-12, atol=1e-14)
        blocks = rows[name][:len(rows) // column["block"] * column["block"]].reshape(-1, column["block"]).mean(axis=1)
        np.testing.assert_allclose(column["error"], blocks.std(ddof=1) / np.sqrt(len(blocks)), rtol=1e-8, atol=1e-14)


def test_pictures(liquid: Path) -> None:
    """Of a file two rows, and of the run these below its atoms; of a file without samples none."""
    files = sorted(liquid.glob("analysis_*.hdf5"))
    assert len(figure_of(files[-1], Request()).subfigs) == 3
    assert len(figure_of(liquid, Request()).subfigs) == 5
    assert draw(files[-1], None, Request()).stat().st_size > 20000
    assert figure_of(liquid, Request(kind="slice", field="Q6")).subfigs
    with pytest.raises(InputError, match="Neighbours, Q4, Q6"):
        figure_of(liquid, Request(field="Q8"))
    with pytest.raises(InputError, match="there is --kind profile"):
        figure_of(files[-1], Request(kind="slice"))
