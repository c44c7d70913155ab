"""Runs of the amr solver through the real program: files, pictures, restarts, errors against exact solutions.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import h5py
import numpy as np
import pytest
from numpy.typing import NDArray
from plotfile import Plotfile, files_of, plotfiles, read_plotfile
from program import assert_same_bits, run, snapshots, succeed, tacit, write_parameters

from tacit.cli import main as plot_main
from tacit.drawing import page
from tacit.drawing.octree import compose_octree
from tacit.drawing.request import Request
from tacit.exact import riemann
from tacit.exact.sedov import SedovSolution
from tacit.octree_gas import read_octree_gas

TUBE = {"solver": "amr", "initial.setup": "sod", "sod.axis": "y", "amr.root": [1, 4, 1], "amr.level": 0,
        "amr.low": ["periodic", "outflow", "periodic"], "time.end": 0.2, "output.double_precision": True,
        "output.statistics_every": 0.05}
EXPLOSION = {"solver": "amr", "initial.setup": "sedov", "amr.root": [1, 1, 1], "amr.level": 2, "time.end": 0.04,
             "output.double_precision": True}


@pytest.fixture(scope="module")
def tube(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shock tube along y."""
    return run(tmp_path_factory.mktemp("tube"), TUBE)


def rows(directory: Path) -> list[dict[str, float]]:
    """The lines of statistics.csv."""
    with (directory / "statistics.csv").open() as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


def test_a_tube_along_y_has_the_exact_waves_and_no_velocity_across(tube: Path) -> None:
    gas = read_octree_gas(snapshots(tube)[-1])
    assert len(gas.centres) == 8 * 32 * 8
    exact = riemann.solve(riemann.State(1.0, 0.0, 1.0), riemann.State(0.125, 0.0, 0.1), 1.4)
    rho, u, P = exact.sample((gas.centres[:, 1] - 0.5) / 0.2)
    for name, values in (("rho", rho), ("vy", u), ("P", P)):
        # Two programs for the same formulas; where they begin and end fans they round otherwise.
        assert np.abs(gas.fields[f"exact_{name}"] - values).max() < 1e-12
    assert not np.any(gas.fields["vx"]) and not np.any(gas.fields["vz"])
    error = float(np.mean(np.abs(gas.fields["rho"] - rho)))
    assert error == pytest.approx(rows(tube)[-1]["error_density"], rel=1e-12)
    assert 1e-3 < error < 0.02  # a few cells of 32 at each of the waves


def test_a_run_has_a_summary_and_grids_that_vtk_knows(tube: Path) -> None:
    summary = json.loads((tube / "summary.json").read_text())
    assert summary["finished"] and summary["solver"] == "amr"
    with h5py.File(snapshots(tube)[-1]) as file:
        group = file["VTKHDF"]
        assert group.attrs["Type"] == b"OverlappingAMR"
        boxes = group["Level0/AMRBox"][()]
        assert boxes.shape == (4, 6) and sorted(boxes[:, 2]) == [0, 8, 16, 24]
        assert len(group["Level0/CellData/velocity"]) == np.prod(boxes[:, 1::2] - boxes[:, ::2] + 1, axis=1).sum()


def test_a_restarted_run_leaves_the_same_bits(tmp_path: Path) -> None:
    values = EXPLOSION | {"amr.level": 1, "time.end": 0.005}
    whole = run(tmp_path, values, name="whole")
    parts = run(tmp_path, values | {"time.max_steps": 5, "run.threads": 2}, name="parts")
    assert run(tmp_path, values, "--restart", name="parts") == parts
    assert_same_bits(snapshots(whole)[-1], snapshots(parts)[-1])
    without_clock = [[{name: value for name, value in row.items() if name != "wall_s"} for row in rows(directory)]
                     for directory in (whole, parts)]
    assert without_clock[0][-1] == without_clock[1][-1]


def test_an_explosion_is_near_the_exact_one_and_keeps_its_sums(tmp_path: Path) -> None:
    done = run(tmp_path, EXPLOSION)
    gas = read_octree_gas(snapshots(done)[-1])
    r = np.linalg.norm(gas.centres - 0.5, axis=1)
    rho, v, P = SedovSolution(1.0, 1.0, 1.4).sample(r, 0.04)
    assert np.abs(gas.fields["exact_rho"] - rho).max() < 1e-3  # two tables, of 4096 and 8192 rows
    first, last = rows(done)[0], rows(done)[-1]
    for name in ("mass", "total_energy"):
        assert abs(last[name] - first[name]) < 1e-13 * first[name]
    for axis in "xyz":
        assert abs(last[f"momentum_{axis}"]) < 1e-13
    assert last["error_density"] < 0.1
    speeds = [last[f"largest_v{axis}"] for axis in "xyz"]
    assert speeds[0] == pytest.approx(speeds[1], rel=1e-12) == pytest.approx(speeds[2], rel=1e-12)


LEVELS = EXPLOSION | {"amr.root": [4, 4], "amr.level": 0, "amr.regions": [2, 0.4, 0.6, 0.4, 0.6], "time.end": 0.02,
                      "output.statistics_every": 0.005}


@pytest.fixture(scope="module")
def levels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An explosion in a plane with a refined middle."""
    return run(tmp_path_factory.mktemp("levels"), LEVELS)


def test_files_of_several_levels_cover_the_domain_once_and_hold_the_sums(levels: Path) -> None:
    gas = read_octree_gas(snapshots(levels)[-1])
    volumes = np.prod(gas.sizes, axis=1)
    assert len(np.unique(volumes)) == 3
    assert volumes.sum() == pytest.approx(1.0, abs=1e-13)
    assert not np.isnan(gas.slice("rho", 2, 0.5)).any()
    last = rows(levels)[-1]
    energy = gas.fields["P"] / 0.4 + 0.5 * gas.fields["rho"] * sum(gas.fields[f"v{axis}"] ** 2 for axis in "xyz")
    assert (volumes * gas.fields["rho"]).sum() == pytest.approx(last["mass"], rel=1e-12)
    assert (volumes * energy).sum() == pytest.approx(last["total_energy"], rel=1e-12)


def test_several_levels_are_drawn(levels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a search for the best layout, which takes seconds; test_results.py has pictures that runs draw."""
    monkeypatch.setattr(page, "_LAYOUT", "none")
    assert plot_main(["plot", str(levels), "--resolution", "64"]) == 0
    assert (levels / "picture.png").stat().st_size > 20_000


def test_a_restarted_run_of_several_levels_leaves_the_same_bits(levels: Path, tmp_path: Path) -> None:
    parts = run(tmp_path, LEVELS | {"time.max_steps": 7, "run.threads": 2}, name="parts")
    assert run(tmp_path, LEVELS, "--restart", name="parts") == parts
    assert_same_bits(snapshots(levels)[-1], snapshots(parts)[-1])


def test_a_restarted_adaptive_run_leaves_the_same_bits(tmp_path: Path) -> None:
    values = LEVELS | {"amr.regions": [1, 0.4, 0.6, 0.4, 0.6], "amr.finest": 3, "amr.regrid_every": 4,
                       "time.end": 0.004}
    whole = run(tmp_path, values, name="whole")
    parts = run(tmp_path, values | {"time.max_steps": 10, "run.threads": 2}, name="parts")
    assert run(tmp_path, values, "--restart", name="parts") == parts
    assert_same_bits(snapshots(whole)[-1], snapshots(parts)[-1])
    counts = [row["cells"] for row in rows(whole)]
    assert counts[-1] != counts[0], "nothing was adapted"


def test_a_run_of_too_many_sub_grids_keeps_its_state_and_goes_on_with_more_of_them(tmp_path: Path) -> None:
    values = EXPLOSION | {"amr.root": [8, 8], "amr.level": 0, "amr.finest": 2, "time.end": 0.02, "run.threads": 1,
                          "output.picture": False}
    parameters = write_parameters(tmp_path / "bounded.toml", values | {"amr.most_sub_grids": 200})
    checked = tacit("check", parameters, cwd=tmp_path)
    assert checked.returncode == 1 and "more than amr.most_sub_grids = 200" in checked.stderr
    failed = tacit("run", parameters, cwd=tmp_path)
    assert failed.returncode != 0
    assert "more than amr.most_sub_grids = 200" in failed.stderr and "--restart goes on from it" in failed.stderr
    kept = tmp_path / "output" / "bounded"
    assert len(list(kept.glob("restart_*.hdf5"))) == 1 and not list(kept.glob("failed*"))
    write_parameters(parameters, values | {"amr.most_sub_grids": 2000})
    succeed("run", parameters, "--restart", cwd=tmp_path)
    last = rows(kept)[-1]
    assert last["time"] == 0.02 and last["cells"] > 200 * 64
    assert abs(last["total_energy"] - rows(kept)[0]["total_energy"]) < 1e-13 * last["total_energy"]


def test_check_foresees_what_the_most_sub_grids_take(tmp_path: Path) -> None:
    values = EXPLOSION | {"amr.finest": 8, "amr.most_sub_grids": 10**9}
    parameters = write_parameters(tmp_path / "huge.toml", values)
    checked = tacit("check", parameters, cwd=tmp_path)
    assert checked.returncode == 4 and "too large for this machine" in checked.stdout
    assert "about 1.23 TB; there are" in checked.stdout  # 8^8 sub-grids, fewer than the limit, of 73 kB
    unbounded = write_parameters(tmp_path / "unbounded.toml", {key: value for key, value in values.items()
                                                               if key != "amr.most_sub_grids"})
    checked = tacit("check", unbounded, cwd=tmp_path)
    assert checked.returncode == 0 and "amr.most_sub_grids does not bound their number" in checked.stderr


@pytest.mark.parametrize("is_double", [False, True])
def test_check_foresees_what_plotfiles_take(is_double: bool, tmp_path: Path) -> None:
    values = LEVELS | {"amr.plotfile_every": 0.0008, "time.end": 0.002, "output.double_precision": is_double,
                       "output.picture": False, "run.threads": 1}
    parameters = write_parameters(tmp_path / "plotted.toml", values)
    said = re.search(r", (\d+) plotfiles of ([\d.]+) ([kM])B, ", succeed("check", parameters, cwd=tmp_path))
    assert said
    succeed("run", parameters, cwd=tmp_path)
    found = plotfiles(tmp_path / "output" / "plotted")
    assert len(found) == int(said[1]) == 4
    for path in found:
        taken = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
        # Besides some fifty boxes of 2 or 3 kB there are a few kB of parameters; text is as long as its numbers.
        assert float(said[2]) * {"k": 1e3, "M": 1e6}[said[3]] == pytest.approx(taken, rel=0.1)


def leaves_of(snapshot: Path) -> dict[tuple[float, ...], NDArray[np.generic]]:
    """The fields of each sub-grid of a snapshot, in the order of plotfiles; by spacing and first cell."""
    leaves = {}
    with h5py.File(snapshot) as file:
        axes = int(file["Header"].attrs["Dimension"][0])
        for name in file["VTKHDF"]:
            level = file[f"VTKHDF/{name}"]
            boxes = level["AMRBox"][()]
            cells = level["CellData"]
            fields = np.vstack([cells["density"][()], cells["velocity"][()].T, cells["pressure"][()],
                                *([cells["potential"][()]] if "potential" in cells else [])])
            for box, of_box in zip(boxes, np.split(fields, len(boxes), axis=1), strict=True):
                shape = (box[1::2] - box[::2] + 1)[:axes]
                leaves[(level.attrs["Spacing"][0], *box[:2 * axes:2])] = of_box.reshape(-1, *shape[::-1])
    return leaves


def mean_of_parts(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of two cells along each axis, of these means, ...: the last axis first, in the order of the sums."""
    for axis in range(cells.ndim - 1, 0, -1):
        low, high = (np.take(cells, range(first, cells.shape[axis], 2), axis=axis) for first in (0, 1))
        cells = low + high
    return cells


def assert_has_the_cells_of(plot: Plotfile, snapshot: Path) -> int:
    """Bit by bit where there are no finer cells; elsewhere means of these. Returns how many boxes have such."""
    leaves = leaves_of(snapshot)
    conserved = []
    divided = 0
    for level, grids in enumerate(plot.levels):
        cells = np.full((len(plot.fields), *(np.array(plot.domains[level][1]) + 1)[::-1]), np.nan)
        for grid in grids:
            leaf = leaves.pop((plot.spacings[level][0], *grid.low), None)
            divided += leaf is None
            if leaf is not None:
                assert grid.cells.dtype == leaf.dtype and grid.cells.tobytes() == leaf.tobytes()
            inside = [slice(low, high + 1) for low, high in zip(grid.low, grid.high, strict=True)]
            cells[(slice(None), *inside[::-1])] = grid.cells
            places = np.array([grid.low, np.array(grid.high) + 1]).T * plot.spacings[level][:, None]
            assert np.array_equal(grid.edges, plot.low[:, None] + places)
        rho, v, P = cells[0], cells[1:4], cells[4]
        conserved.append(np.vstack([rho[None], rho * v, (P / 0.4 + 0.5 * rho * (v**2).sum(axis=0))[None], cells[5:]]))
    assert not leaves, "not all sub-grids are there"
    assert not np.isnan(conserved[0]).any(), "the first level covers the domain"
    for coarse, fine in zip(conserved, conserved[1:], strict=False):
        means = mean_of_parts(fine) / 2 ** (fine.ndim - 1)
        inside = ~np.isnan(means)
        is_double = plot.levels[0][0].cells.dtype == np.float64
        if is_double:  # else it is rounded behind the sums
            assert np.array_equal(coarse[0][inside[0]], means[0][inside[0]])
        assert np.allclose(coarse[inside], means[inside], rtol=1e-12 if is_double else 1e-6, atol=1e-13)
    return divided


PLOTTED = {"plane": LEVELS | {"amr.regions": [1, 0.4, 0.6, 0.4, 0.6], "amr.finest": 3, "amr.regrid_every": 4,
                              "time.end": 0.004, "amr.plotfile_every": 0.001},
           "space": EXPLOSION | {"amr.level": 0, "amr.root": [2, 1, 1], "amr.box": [2.0, 1.0, 1.0], "amr.finest": 2,
                                 "time.end": 0.002, "output.statistics_every": 0.001, "amr.plotfile_every": 0.001},
           "line": TUBE | {"amr.root": [8], "sod.axis": "x", "amr.low": "outflow", "amr.finest": 2,
                           "output.double_precision": False, "amr.plotfile_every": 0.1},
           "star": {"solver": "amr", "initial.setup": "polytrope", "gravity.self": True, "amr.root": [1, 1, 1],
                    "amr.level": 1, "amr.box": [3.0, 3.0, 3.0], "amr.low": "outflow", "amr.dual_energy": "never",
                    "amr.regions": [2, 1.5, 3.0, 1.5, 3.0, 1.5, 3.0], "time.end": 0.05,
                    "output.double_precision": True, "amr.plotfile_every": 0.025}}


@pytest.mark.parametrize("case", list(PLOTTED))
def test_plotfiles_have_every_cell_of_snapshots(case: str, tmp_path: Path) -> None:
    done = run(tmp_path, PLOTTED[case])
    found = plotfiles(done)
    times = [read_plotfile(path).time for path in found]
    assert len(found) >= 3 and times == sorted(times) and times[0] == 0.0
    assert [path.name for path in found] == [f"plt_{read_plotfile(path).step:06}" for path in found]
    for snapshot, path in ((snapshots(done)[0], found[0]), (snapshots(done)[-1], found[-1])):
        plot = read_plotfile(path)
        assert plot.fields == ["density", "velocity_x", "velocity_y", "velocity_z", "pressure",
                               *(["potential"] if case == "star" else [])]
        assert assert_has_the_cells_of(plot, snapshot) > 0, "nothing is refined"
    assert times[-1] == pytest.approx(PLOTTED[case]["time.end"])
    assert succeed("check", found[-1] / "parameters.toml", cwd=tmp_path)


def test_the_exact_star_is_drawn_up_to_its_surface(tmp_path: Path) -> None:
    """Around it the thin gas falls, of which nothing exact is known."""
    figure = compose_octree(run(tmp_path, PLOTTED["star"] | {"time.max_steps": 2}), Request(kind="profile"))
    axes = [axes for part in figure.subfigs for axes in part.axes]
    lines = [line for one in axes for line in one.lines if line.get_label() == "exact"]
    assert len(lines) >= 3 and all(0.8 < max(line.get_xdata()) <= 1.0 for line in lines)


def test_plotfiles_are_written_anew_and_moved_aside_like_other_files(tmp_path: Path) -> None:
    values = PLOTTED["plane"] | {"amr.plotfile_every": 1e-6, "output.checkpoint_steps": 5, "time.max_steps": 12}
    done = run(tmp_path, values, name="run")
    before = {path.name: files_of(path) for path in plotfiles(done)}
    assert len(before) > 5
    newest = sorted(done.glob("restart_*.hdf5"))[-1]
    newest.unlink()
    (plotfiles(done)[-1] / "stray").touch()
    run(tmp_path, values, "--restart", name="run")
    assert {path.name: files_of(path) for path in plotfiles(done)} == before
    run(tmp_path, values | {"time.max_steps": 2}, name="run")
    assert {path.name: files_of(path) for path in plotfiles(done / "earlier-1")} == before
    assert len(plotfiles(done)) < len(before)
    assert not list(done.glob(".tacit-write*"))


@pytest.mark.long
def test_an_adaptive_explosion_has_the_errors_of_the_uniform_grid_on_fewer_cells(tmp_path: Path) -> None:
    """12 sub-grids along each axis, so that there is room for coarser ones around the shock, which meets no side."""
    values = EXPLOSION | {"amr.root": [3, 3, 3], "time.end": 0.012, "output.statistics_every": 0.003}
    uniform = run(tmp_path, values | {"amr.level": 2}, name="uniform")
    adaptive = run(tmp_path, values | {"amr.level": 0, "amr.finest": 2}, name="adaptive")
    for fine, few in zip(rows(uniform)[1:], rows(adaptive)[1:], strict=True):
        assert few["time"] == pytest.approx(fine["time"], rel=0.05)  # steps are not cut for statistics
        for name in ("error_density", "error_velocity", "error_pressure"):
            assert few[name] <= 1.1 * fine[name], name
        assert few["cells"] < 0.5 * fine["cells"]
    last = rows(adaptive)[-1]
    assert last["time"] == values["time.end"] and last["error_density"] > 0.0
    updates = [json.loads((path / "summary.json").read_text())["updates"] for path in (uniform, adaptive)]
    assert updates[1] < 0.4 * updates[0]
    # Exact sums, and mirrored octants: nothing of the levels breaks either.
    assert abs(last["mass"] - 1.0) < 1e-13 and abs(last["total_energy"] - rows(adaptive)[0]["total_energy"]) < 1e-13
    speeds = [last[f"largest_v{axis}"] for axis in "xyz"]
    assert speeds[0] == pytest.approx(speeds[1], rel=1e-12) == pytest.approx(speeds[2], rel=1e-12)


@pytest.mark.long
def test_a_star_pulsates_with_the_known_period_and_keeps_its_energies(tmp_path: Path) -> None:
    """The example until the second time that the star is widest."""
    values = {"solver": "amr", "initial.setup": "polytrope", "polytrope.index": 1.5, "polytrope.pulse": 0.02,
              "gravity.self": True, "gravity.order": 4, "amr.root": [1, 1, 1], "amr.level": 2,
              "amr.box": [3.0, 3.0, 3.0], "amr.low": "reflecting", "amr.gamma": 5.0 / 3.0, "time.end": 5.2,
              "output.statistics_every": 0.01}
    found = rows(run(tmp_path, values))
    potential = np.array([row["potential_energy"] for row in found])
    widest = [row["time"] for k, row in enumerate(found[:-1])
              if k > 0 and potential[k - 1] < potential[k] >= potential[k + 1]]
    assert len(widest) == 2
    # Linear theory has omega^2 = 2.70587 G M / R^3; steps are 0.02 long, and the surface is a cell of a tenth wide.
    assert widest[1] - widest[0] == pytest.approx(2.0 * np.pi / np.sqrt(2.70587), rel=0.02)
    assert max(row["kinetic_energy"] for row in found) < 1e-3
    for name, scale in (("mass", 1.0), ("total_energy", 1.3)):
        assert max(abs(row[name] - found[0][name]) for row in found) < 1e-14 * scale
    speeds = [found[-1][f"largest_v{axis}"] for axis in "xyz"]
    assert speeds[0] == pytest.approx(speeds[1], rel=1e-6) == pytest.approx(speeds[2], rel=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("case", list(PLOTTED))
def test_yt_reads_plotfiles_and_finds_the_mass(case: str, tmp_path: Path) -> None:
    yt = pytest.importorskip("yt", reason="needs the Python module yt, which ./tacit test --full installs")
    yt.set_log_level("error")
    values = PLOTTED[case] | {"output.double_precision": True}
    done = run(tmp_path, values)
    last = rows(done)[-1]
    plot = yt.load(plotfiles(done)[-1])
    plot.index
    everything = plot.all_data()
    density, volume = everything["boxlib", "density"], everything["index", "cell_volume"]
    assert density.size == last["cells"], "cells under finer ones do not count"
    assert float((density.d * volume.d).sum()) == pytest.approx(last["mass"], rel=1e-12)
    assert plot.parameters["gamma"] == 1.4 and float(plot.current_time) == last["time"]


@pytest.mark.long
def test_vtk_reads_the_grids_and_their_cells(tube: Path, levels: Path) -> None:
    vtk = pytest.importorskip("vtkmodules.vtkIOHDF",
                              reason="needs the Python module vtk, which ./tacit test --full installs")
    for directory in (tube, levels):
        reader = vtk.vtkHDFReader()
        reader.SetFileName(str(snapshots(directory)[-1]))
        reader.Update()
        grids = reader.GetOutputDataObject(0)
        assert grids.GetNumberOfCells() == len(read_octree_gas(snapshots(directory)[-1]).centres)
