"""Pictures of snapshots and runs, and the messages when there is nothing to draw.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import matplotlib.image
import numpy as np
import pytest
from conftest import lattice, sedov_snapshot, sod_snapshot, write_snapshot
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from program import run

from tacit.cli import main
from tacit.drawing import maps
from tacit.drawing.figure import compose_gas
from tacit.drawing.request import Request
from tacit.history import balanced, drifts, read_history
from tacit.runs import snapshot_path
from tacit.snapshot import read_snapshot
from tacit.units import Units

PYTHON = Path(__file__).resolve().parents[2] / "python"


def panels(figure: Figure) -> list[Axes]:
    """All axes but colour bars, row by row."""
    return [axes for part in figure.subfigs for axes in part.axes]


def check_picture(path: Path, least_bytes: int = 4_000) -> np.ndarray:
    """The picture is a PNG of a size to look at, with more on it than a background; returns it."""
    assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert path.stat().st_size > least_bytes
    image = matplotlib.image.imread(path)[:, :, :3]
    assert image.shape[0] >= 150 and image.shape[1] >= 400
    assert len(np.unique((image * 15).astype(int).reshape(-1, 3), axis=0)) > 20
    return image


@pytest.mark.parametrize(("dimension", "maps_there"), [(1, 0), (2, 1)])
def test_runs_on_a_line_and_in_a_plane(dimension: int, maps_there: int, tmp_path: Path) -> None:
    """A line has no maps, a plane one where it is long. Laid out without being written: test_examples.py does that,
    with gas in a plane."""
    directory = run(tmp_path, {"initial.setup": "sod", "sod.resolution": 16, "sph.dimension": dimension,
                               "sph.kernel": "wendland_c4", "sph.eta": 1.6, "sph.time_steps": "common",
                               "time.end": 0.02})
    figure = compose_gas(directory, Request(resolution=64))
    assert sum(bool(axes.images) for axes in figure.axes) == maps_there
    if dimension == 1:
        figure.set_layout_engine("none")
        figure.draw_without_rendering()


def test_colours_and_part_of_maps_are_those_asked_for(tmp_path: Path) -> None:
    """The density of slices, but not that of the projection, which is one per area."""
    path = sedov_snapshot(tmp_path / "snap.hdf5", 8)
    asked = Request(resolution=32, range=(0.5, 3.0), extent=(0.25, 0.75, 0.0, 0.5))
    shown = [axes for axes in panels(compose_gas(path, asked)) if axes.images]
    assert len(shown) == 3
    for axes in shown:
        assert (*axes.get_xlim(), *axes.get_ylim()) == (0.25, 0.75, 0.0, 0.5)
    assert [axes.images[0].get_clim() == (0.5, 3.0) for axes in shown] == [True, False, False]
    one = [axes for axes in panels(compose_gas(path, Request(resolution=32, kind="projection", range=(0.5, 3.0))))
           if axes.images]
    assert one[0].images[0].get_clim() == (0.5, 3.0)


@pytest.mark.parametrize("make", [sedov_snapshot, pytest.param(sod_snapshot, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", [pytest.param("slice", marks=pytest.mark.long), "projection",
                                  pytest.param("profile", marks=pytest.mark.long),
                                  pytest.param("all", marks=[pytest.mark.full_picture, pytest.mark.long])])
def test_every_kind_is_drawn(tmp_path: Path, kind: str, make, capsys: pytest.CaptureFixture[str]) -> None:
    path = make(tmp_path / "snap.hdf5", 10)
    assert main(["plot", str(path), "--kind", kind, "--resolution", "64"]) == 0
    output = capsys.readouterr()
    assert output.out.strip() == str(tmp_path / "snap.png") and output.err == ""
    check_picture(tmp_path / "snap.png")


@pytest.mark.parametrize(("field", "axis"), [("rho", "x"), ("v", "z"), *(
    pytest.param(name, axis, marks=pytest.mark.long) for name in ("rho", "v", "P", "u", "vx", "h", "Densities")
    for axis in ("x", "z") if (name, axis) not in (("rho", "x"), ("v", "z")))])
def test_fields_and_axes(sedov_file: Path, tmp_path: Path, field: str, axis: str) -> None:
    target = tmp_path / f"{field}.png"
    arguments = ["--kind", "slice", "--field", field, "--axis", axis, "--cut", "0.45", "--resolution", "48"]
    assert main(["plot", str(sedov_file), "--output", str(target), *arguments]) == 0
    check_picture(target)


def test_run_directory_takes_the_latest_snapshot_and_its_history(run_directory: Path, capsys) -> None:
    assert snapshot_path(run_directory).name == "snapshot_0001.hdf5"
    assert main(["plot", str(run_directory), "--resolution", "32"]) == 0
    assert capsys.readouterr().out.strip() == str(run_directory / "picture.png")
    check_picture(run_directory / "picture.png")
    with_history = compose_gas(run_directory, Request(resolution=16)).get_figheight()
    (run_directory / "statistics.csv").unlink()
    assert compose_gas(run_directory, Request(resolution=16)).get_figheight() < with_history
    assert not list(run_directory.glob(".*"))


def test_several_files_give_a_picture_each(sedov_file: Path, sod_file: Path, capsys) -> None:
    assert main(["plot", str(sedov_file), str(sod_file), "--kind", "projection", "--resolution", "32"]) == 0
    assert len(capsys.readouterr().out.split()) == 2


def test_gadget_initial_conditions_are_drawn(tmp_path: Path) -> None:
    """Scalar header values, singular names, no densities, no pressures, no units."""
    path = sedov_snapshot(tmp_path / "full.hdf5", 10)
    ics = tmp_path / "ics.hdf5"
    with h5py.File(path) as source, h5py.File(ics, "w") as target:
        target.create_group("Header").attrs.update({"BoxSize": 1.0, "Time": 0.0, "NumFilesPerSnapshot": 1})
        gas = target.create_group("PartType0")
        for name, old in (("Coordinates", "Coordinates"), ("Velocities", "Velocities"), ("Masses", "Masses"),
                          ("InternalEnergy", "InternalEnergies"), ("SmoothingLength", "SmoothingLengths")):
            gas[name] = source["PartType0"][old][:]
    snapshot = read_snapshot(ics)
    assert sorted(snapshot.fields) == ["u"] and snapshot.is_periodic
    assert main(["plot", str(ics), "--resolution", "48"]) == 0
    check_picture(ics.with_suffix(".png"))


def test_gas_that_fills_little_of_its_box_is_magnified(tmp_path: Path) -> None:
    from tacit.drawing.maps import view_bounds

    path = sedov_snapshot(tmp_path / "ball.hdf5", 8)
    with h5py.File(path, "r+") as file:
        file["Header"].attrs["BoxSize"] = np.array([50.0, 50.0, 50.0])
        file["PartType0/Coordinates"][:] += 25.0
    low, high = view_bounds(read_snapshot(path))
    assert np.all(low > 24.5) and np.all(high < 26.5)
    assert main(["plot", str(path), "--kind", "projection", "--resolution", "48"]) == 0
    check_picture(path.with_suffix(".png"))


def test_units_of_the_file_label_the_axes(tmp_path: Path) -> None:
    kpc, sun, km_s = 3.0856776e21, 1.98841e43, 1e5
    snapshot = read_snapshot(sedov_snapshot(tmp_path / "s.hdf5", 4, units=(kpc, sun, kpc / km_s)))
    assert snapshot.units.label("length") == r" [$\mathrm{kpc}$]"
    assert snapshot.units.label("v") == r" [$\mathrm{km/s}$]"
    assert snapshot.units.label("u") == r" [$\mathrm{(km/s)^{2}}$]"
    clock = snapshot.units.clock(0.05)
    assert clock.text(0.05) == r"48.89\ \mathrm{Myr}" and clock.label == r" [$\mathrm{Myr}$]"
    assert snapshot.units.label("rho") == r" [$\mathrm{10^{10}\,M_\odot\,kpc^{-3}}$]"
    # What has a name of its own is not translated, and before the first step times are of the size of its unit.
    assert Units(kpc, sun, 3.15576e16).clock(0.05).text(0.05) == r"0.05\ \mathrm{Gyr}"
    assert Units(kpc, sun, kpc / km_s).clock(0.0).text(0.0) == r"0\ \mathrm{Myr}"


def test_titles_say_the_units_of_the_run():
    metal = Units.of_run({"units": {"length": 1e-8, "mass": 1.602176634e-20, "velocity": 1e4}})
    assert metal.note == r"(lengths in $\mathrm{\AA}$, times in $\mathrm{ps}$)"
    assert metal.moment(2.5) == r"$t = 2.5\ \mathrm{ps}$"
    assert Units.of_run({}).note == "(code units)" and Units.of_run({}).moment(2.5) == "$t = 2.5$"


def test_a_figure_has_one_unit_of_time(run_directory: Path) -> None:
    """Title and axes agree, and the curves are in that unit: 0.05 kpc/(km/s) are 48.89 Myr."""
    kpc, sun, km_s = 3.0856776e21, 1.98841e43, 1e5
    sedov_snapshot(run_directory / "snapshot_0003.hdf5", 4, time=0.05, units=(kpc, sun, kpc / km_s))
    figure = compose_gas(run_directory, Request(resolution=16))
    assert r"48.89\ \mathrm{Myr}" in figure.texts[0].get_text()
    history = [axes for axes in panels(figure) if axes.get_xlabel().startswith("time")]
    assert [axes.get_xlabel() for axes in history] == [r"time $t$ [$\mathrm{Myr}$]"] * 2
    assert all(axes.lines[0].get_xdata()[-1] == pytest.approx(48.89, rel=1e-4) for axes in history)


def test_temperature_follows_from_the_mean_molecular_weight(tmp_path: Path) -> None:
    """T = (gamma - 1) u mu m_p / k_B: u = 1 (km/s)^2 and mu = 1 give 2/3 * 1e10 * 1.67262e-24 / 1.38065e-16 K."""
    x = lattice((2, 2, 2), (1.0, 1.0, 1.0))
    path = write_snapshot(tmp_path / "s.hdf5", (1.0, 1.0, 1.0), x, 0 * x, np.ones(8), np.full(8, 2.0 / 3.0), 0.0,
                          units=(1e5, 1e30, 1.0))
    snapshot = read_snapshot(path)
    snapshot.add_temperature(1.0)
    assert snapshot.quantity("T") == pytest.approx(80.765, rel=1e-4)
    assert main(["plot", str(path), "--kind", "slice", "--field", "T", "--mean-molecular-weight", "0.6",
                 "--resolution", "32"]) == 0


def test_gas_in_a_plane_is_not_called_a_slice(tmp_path: Path) -> None:
    """It is all there is, so maps have no place along z; of gas in space they say where they cut, with the unit."""
    path = sedov_snapshot(tmp_path / "s.hdf5", 6, units=(3.0856776e21, 1.98841e43, 3.0856776e16))
    titles = [axes.get_title() for axes in panels(compose_gas(path, Request(resolution=16)))]
    assert titles[:2] == [r"slice at $z = 0.5$ $\mathrm{kpc}$"] * 2
    with h5py.File(path, "r+") as file:
        file["Header"].attrs["Dimension"] = 2
        file["PartType0/Coordinates"][:, 2] = 0.0
    figure = compose_gas(path, Request(resolution=16))
    assert {axes.get_title() for axes in panels(figure)} == {""}


@pytest.mark.parametrize("side", [1.0, 0.25])
def test_colour_bars_are_as_long_as_their_maps(tmp_path: Path, side: float) -> None:
    x = lattice((16, 8, 8), (1.0, side, side))
    path = write_snapshot(tmp_path / "s.hdf5", (1.0, side, side), x, 0 * x, 1.0 + 20.0 * x[:, 0], np.ones(len(x)), 0.0)
    axes = panels(compose_gas(path, Request(kind="slice", resolution=32)))[0]
    (bar,) = axes.child_axes
    axes.figure.canvas.draw()
    shown, beside = axes.get_window_extent(), bar.get_window_extent()
    assert (beside.y0, beside.y1) == pytest.approx((shown.y0, shown.y1)) and beside.x0 > shown.x1


def test_bars_of_few_decades_have_numbers_between_powers_of_ten() -> None:
    figure = Figure()
    axes = figure.subplots()
    maps.add_bar(axes, axes.imshow([[0.4, 13.0]], norm=LogNorm(0.4, 13.0)), "density", 1.0)
    figure.canvas.draw()
    numbers = [label.get_text() for label in axes.child_axes[0].get_yticklabels()]
    assert {"0.5", "1", "2", "5", "10"} <= set(numbers)


def test_history_survives_a_cut_line_and_unknown_columns(tmp_path: Path) -> None:
    file = tmp_path / "statistics.csv"
    file.write_text("# time, colour, total_energy, kinetic_energy\n0,red,2,1\n1,blue,2.5,4\n2,green,2")
    history = read_history(file)
    assert sorted(history) == ["kinetic_energy", "time", "total_energy"]
    assert history["time"].tolist() == [0.0, 1.0]
    assert drifts(history)["energy"].tolist() == [0.0, 0.125]
    assert read_history(tmp_path / "none.csv") == {}
    # In a box that expands another quantity is kept, on the scale of a^2 times the energies.
    expanding = history | {"layzer_irvine": np.array([2.0, 2.125]), "time": np.array([0.5, 1.0])}
    assert drifts(expanding)["energy"].tolist() == [0.0, 0.03125]
    # What has left counts as if it were there, and what was added as if it were not.
    opened = history | {"mass": np.array([4.0, 3.0]), "mass_left": np.array([0.0, 1.5]),
                        "mass_added": np.array([0.0, 0.5]), "energy_left": np.array([0.0, -0.25])}
    assert drifts(balanced(opened))["mass"].tolist() == [0.0, 0.0]
    assert drifts(balanced(opened))["energy"].tolist() == [0.0, 0.0625]


def broken_files(folder: Path) -> dict[str, tuple[Path, str]]:
    """Inputs that cannot be drawn, with what the message must say."""
    text = folder / "text.hdf5"
    text.write_text("not HDF5")
    empty, other, dark = folder / "empty.hdf5", folder / "other.hdf5", folder / "dark.hdf5"
    with h5py.File(other, "w") as file:
        file["numbers"] = np.arange(3)
    with h5py.File(empty, "w") as file:
        file.create_group("Header")
        file.create_group("PartType0")["Coordinates"] = np.zeros((0, 3))
    with h5py.File(dark, "w") as file:
        file.create_group("Header")
        file.create_group("PartType1")["Coordinates"] = np.zeros((5, 3))
    cut = folder / "cut.hdf5"
    whole = sedov_snapshot(folder / "whole.hdf5", 6).read_bytes()
    cut.write_bytes(whole[: len(whole) // 2])
    part = sedov_snapshot(folder / "part.0.hdf5", 4)
    with h5py.File(part, "r+") as file:
        file["Header"].attrs["NumFilesPerSnapshot"] = 4
        file["Header"].attrs["NumPart_Total"] = np.array([256, 0, 0, 0, 0, 0])
    (folder / "directory").mkdir()
    return {
        "missing": (folder / "missing.hdf5", "no such file"),
        "text": (text, "not an HDF5 file"),
        "other": (other, "not a snapshot"),
        "empty": (empty, "no gas particles"),
        "dark": (dark, "only PartType1"),
        "cut": (cut, "cannot be read"),
        "part": (part, "one of 4 files"),
        "directory": (folder / "directory", "no snapshot"),
    }


def test_what_cannot_be_drawn_is_said_in_one_line(tmp_path: Path, capsys) -> None:
    for path, message in broken_files(tmp_path).values():
        for command in ("plot", "compare"):
            assert main([command, str(path)]) == 1, path
            output = capsys.readouterr()
            assert output.out == "" and output.err.count("\n") == 1, output
            assert str(path) in output.err and message in output.err
    assert not list(tmp_path.rglob("*.png"))


def test_command_runs_as_a_module_without_traceback(sedov_file: Path, tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "tacit", *arguments], cwd=PYTHON, capture_output=True, text=True)

    drawn = run("plot", str(sedov_file), "--kind", "profile")
    assert drawn.returncode == 0 and drawn.stdout.strip().endswith(".png") and drawn.stderr == ""
    failed = run("compare", str(tmp_path / "none.hdf5"))
    assert failed.returncode == 1 and "Traceback" not in failed.stderr
    assert run("plot", str(sedov_file), "--resolution", "5").returncode == 2


def test_package_imports_nothing_heavy() -> None:
    code = "import sys, tacit.cli; print(sorted({'numpy', 'h5py', 'matplotlib'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], cwd=PYTHON, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_picture_of_another_place_is_left_alone_on_failure(sedov_file: Path, tmp_path: Path) -> None:
    target = tmp_path / "kept.png"
    shutil.copy(__file__, target)
    before = target.read_bytes()
    assert main(["plot", str(sedov_file), "--output", str(target), "--field", "colour"]) == 1
    assert target.read_bytes() == before
