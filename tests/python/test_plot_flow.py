"""Pictures of flows, from files like those of the dns solver, and what is said where they cannot be drawn.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from test_plot import check_picture

from tacit.cli import main
from tacit.drawing.flow import compose_flow, points_text
from tacit.drawing.request import Request
from tacit.turbulence import flow_files, flow_kind, read_plane, read_spectra

N = (24, 16, 20)
"""Points along x, y, z."""
BOX = (2.0 * np.pi, 4.0, 5.0)


def velocity(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """A flow of few waves; shape (..., 3)."""
    a, b, c = x, 2.0 * np.pi * y / BOX[1], 2.0 * np.pi * z / BOX[2]
    return np.stack([np.sin(c) + np.cos(2 * b), np.sin(a) + 0.5 * np.cos(c), np.cos(b) + np.sin(2 * a)], axis=-1)


def vorticity(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Its curl, shape (..., 3)."""
    p, q = 2.0 * np.pi / BOX[1], 2.0 * np.pi / BOX[2]
    a, b, c = x, p * y, q * z
    return np.stack([-p * np.sin(b) + 0.5 * q * np.sin(c), q * np.cos(c) - 2.0 * np.cos(2 * a),
                     np.cos(a) + 2.0 * p * np.sin(2 * b)], axis=-1)


def grid() -> list[np.ndarray]:
    """x, y and z at points, shape (z, y, x) each."""
    places = [np.arange(n) * side / n for n, side in zip(N, BOX)]
    z, y, x = np.meshgrid(places[2], places[1], places[0], indexing="ij")
    return [x, y, z]


def write_header(file: h5py.File, time: float) -> None:
    header = file.create_group("Header").attrs
    header["Time"], header["BoxSize"] = np.array([time]), np.array(BOX)
    header["RunName"], header["Viscosity"] = np.bytes_("swirl"), np.array([0.01])
    header["Parameters"] = np.bytes_('[initial]\nsetup = "abc"\n')


def write_snapshot(path: Path, time: float) -> Path:
    with h5py.File(path, "w") as file:
        write_header(file, time)
        file["VTKHDF/PointData/velocity"] = velocity(*grid()).astype(np.float32)
        file["VTKHDF/PointData/scalar1"] = np.sin(grid()[0] + grid()[2]).astype(np.float32)
    return path


def write_spectra(path: Path, time: float, reynolds: float = 42.0, slope: float = 2.0) -> Path:
    k = np.arange(12.0)
    energy = np.maximum(k, 1.0) ** slope * np.where(k > 0.0, np.exp(-k / 2.0) if slope > 0.0 else 1.0, 0.0)
    with h5py.File(path, "w") as file:
        write_header(file, time)
        group = file.create_group("Spectra")
        group.attrs["ShellWidth"] = np.array([1.0])
        for name, values in {"wave_number": k, "energy": energy, "dissipation": 0.02 * k**2 * energy,
                             "helicity": 0.0 * k, "transfer": np.sin(k), "flux": np.exp(-k)}.items():
            group[name] = values
        for axis, side, count in zip("xyz", BOX, N):
            r = side * np.arange(count // 2 + 1) / count
            for name in ("separation", "longitudinal_2", "transverse_2", "longitudinal_3", "mixed_3"):
                file[f"StructureFunctions/{axis}/{name}"] = r if name == "separation" else -r**2
        centre = np.linspace(-5.0, 5.0, 51)
        for name in ("velocity", "gradient", "vorticity"):
            file[f"Densities/{name}/centre"] = centre
            file[f"Densities/{name}/density"] = np.stack([np.exp(-np.abs(centre))] * 3)
            file[f"Densities/{name}"].attrs["Skewness"] = np.zeros(3)
        file.create_group("Scales").attrs.update({"taylor_reynolds_number": np.array([reynolds]),
                                               "integral_scale": np.array([0.5])})
        file.create_group("Slice").attrs["Z"] = np.array([0.0])
        plane = [values[0] for values in grid()]
        file["Slice/velocity"] = np.moveaxis(velocity(*plane), -1, 0)
        file["Slice/vorticity"] = np.moveaxis(vorticity(*plane), -1, 0)
    return path


def write_flow_run(folder: Path) -> Path:
    """A run's directory with two snapshots, two files of spectra and a history."""
    for number, time in enumerate((0.0, 1.0)):
        write_snapshot(folder / f"snapshot_000{number}.hdf5", time)
        write_spectra(folder / f"spectra_00000{number}.hdf5", time)
    rows = ["time,kinetic_energy,dissipation,taylor_reynolds_number,k_max_eta"]
    rows += [f"{t},{np.exp(-t)},{np.exp(-t)},{50 - t},{1 + t}" for t in np.linspace(0.0, 1.0, 20)]
    (folder / "statistics.csv").write_text("\n".join(rows) + "\n")
    return folder


@pytest.fixture()
def flow_run(tmp_path: Path) -> Path:
    """A run of its own."""
    return write_flow_run(tmp_path)


def test_titles_tell_resolution_and_reynolds_numbers(flow_run: Path) -> None:
    """Re_L = u' L / nu with u'^2 = 2 K / 3 and K the sum of the spectrum; of a snapshot alone from the history."""
    k = np.arange(1.0, 12.0)
    large = np.sqrt(2.0 / 3.0 * np.sum(k**2 * np.exp(-k / 2.0))) * 0.5 / 0.01
    title = compose_flow(flow_run, Request(kind="history")).texts[0].get_text()
    assert r"$24\times16\times20$    $\nu = 0.01$" in title
    assert rf"$Re_L = {large:.4g}$    $Re_\lambda = 42$" in title
    title = compose_flow(flow_run / "snapshot_0001.hdf5", Request(kind="slice")).texts[0].get_text()
    assert r"$24\times16\times20$    $\nu = 0.01$    $Re_\lambda = 49$" in title
    assert points_text((64, 64, 64)) == "$64^3$"


def test_taylor_green_has_the_reynolds_number_of_its_definition(flow_run: Path) -> None:
    """V L / nu with the box 2 pi L wide along x: 3 * 1 / 0.01."""
    path = flow_run / "snapshot_0001.hdf5"
    with h5py.File(path, "r+") as file:
        text = '[initial]\nsetup = "taylor_green"\n[taylor_green]\nspeed = 3.0\n'
        file["Header"].attrs["Parameters"] = np.bytes_(text)
    assert "$Re = 300$" in compose_flow(path, Request(kind="slice")).texts[0].get_text()


@pytest.mark.parametrize(("reynolds", "slope", "expected"), [
    (150.0, -5.0 / 3.0, (1.0, 11.0)), (42.0, -5.0 / 3.0, None), (150.0, -3.0, None), (150.0, 2.0, None),
    # k^(1/3) is a factor 1.5 over a factor 3.4 in k: a little more than half a decade.
    (150.0, -4.0 / 3.0, (3.0, 10.0)),
])
def test_the_line_of_kolmogorov_stands_where_spectra_follow_it(
    flow_run: Path, reynolds: float, slope: float, expected: tuple[float, float] | None
) -> None:
    path = write_spectra(flow_run / "spectra_000002.hdf5", 2.0, reynolds, slope)
    assert read_spectra(path).inertial_range() == expected
    figure = compose_flow(path, Request(kind="profile"))
    lines = [line.get_label() for line in figure.subfigs[0].axes[0].lines]
    assert ("$k^{-5/3}$" in lines) == (expected is not None)


def test_axes_have_symbols(flow_run: Path) -> None:
    figure = compose_flow(flow_run, Request())
    labels = [axes.get_ylabel() for part in figure.subfigs for axes in part.axes]
    assert {"energy spectrum $E(k)$", r"energy flux $\Pi(k) / \epsilon$", "kinetic energy $K$",
            r"dissipation $\epsilon$", r"Taylor Reynolds number $Re_\lambda$"} <= set(labels)
    assert all("$" in label for label in labels)


def test_of_a_driven_flow_the_balance_has_its_power(flow_run: Path) -> None:
    """dK/dt = P - epsilon: with P = 2 exp(-t) the flow of the file, K = exp(-t), would lose 3 exp(-t)."""
    def balance() -> tuple[str, np.ndarray]:
        axes = next(axes for part in compose_flow(flow_run, Request(kind="history")).subfigs for axes in part.axes
                    if axes.get_ylabel() == r"dissipation $\epsilon$")
        return axes.lines[1].get_label(), axes.lines[1].get_ydata()
    lines = (flow_run / "statistics.csv").read_text().splitlines()
    time = np.array([float(line.split(",")[0]) for line in lines[1:]])
    label, values = balance()
    assert label == r"$-\mathrm{d}K/\mathrm{d}t$" and values == pytest.approx(np.exp(-time), rel=3e-3)
    powers = ["forcing_power", *(str(2.0 * np.exp(-t)) for t in time)]
    (flow_run / "statistics.csv").write_text("\n".join(f"{line},{power}" for line, power in zip(lines, powers)) + "\n")
    label, values = balance()
    assert label == r"$P - \mathrm{d}K/\mathrm{d}t$" and values == pytest.approx(3.0 * np.exp(-time), rel=3e-3)


@pytest.mark.parametrize("kind", ["profile", pytest.param("all", marks=[pytest.mark.full_picture, pytest.mark.long])])
def test_every_kind_is_drawn(flow_run: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plot", str(flow_run), "--kind", kind]) == 0
    output = capsys.readouterr()
    assert output.out.strip() == str(flow_run / "picture.png") and output.err == ""
    check_picture(flow_run / "picture.png")


@pytest.mark.parametrize(("field", "axis"), [
    ("omega", "x"), pytest.param("vz", "z", marks=pytest.mark.long), ("scalar1", "y")])
def test_fields_and_axes(flow_run: Path, tmp_path: Path, field: str, axis: str) -> None:
    target = tmp_path / f"{field}.png"
    assert main(["plot", str(flow_run / "snapshot_0001.hdf5"), "--output", str(target), "--kind", "slice", "--field",
                 field, "--axis", axis, "--cut", "1.5"]) == 0
    check_picture(target)


def test_files_are_told_apart_and_dated(flow_run: Path) -> None:
    (flow_run / "spectra_000099.hdf5").write_bytes(b"nothing")
    files = flow_files(flow_run)
    assert [path.name for path in files["spectra"]] == ["spectra_000000.hdf5", "spectra_000001.hdf5"]
    assert [path.name for path in files["snapshot"]] == ["snapshot_0000.hdf5", "snapshot_0001.hdf5"]
    assert flow_kind(flow_run / "statistics.csv") is None
    assert read_spectra(files["spectra"][-1]).time == 1.0


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_planes_of_snapshots_have_the_vorticity(flow_run: Path, axis: int) -> None:
    """Along the axis differences of fourth order: (k h)^4 / 30 of each wave, of k h <= 2 (2 pi / 16) or pi / 5; within
    the plane the rounding of single precision alone."""
    plane = read_plane(flow_run / "snapshot_0000.hdf5", axis, 0.3 * BOX[axis])
    index = int(np.rint(0.3 * N[axis]))
    assert plane.cut == pytest.approx(index * BOX[axis] / N[axis])
    where = [slice(None)] * 3
    where[2 - axis] = index
    places = [values[tuple(where)] for values in grid()]
    assert np.abs(plane.velocity - np.moveaxis(velocity(*places), -1, 0)).max() < 1e-6
    expected = np.moveaxis(vorticity(*places), -1, 0)
    largest = (4.0 * np.pi / 16.0) ** 4 / 30.0 * np.abs(expected).max()
    assert np.abs(plane.vorticity - expected).max() < 2.0 * largest


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_planes_of_snapshots_have_the_scalars(flow_run: Path, axis: int) -> None:
    plane = read_plane(flow_run / "snapshot_0000.hdf5", axis, 0.3 * BOX[axis])
    where = [slice(None)] * 3
    where[2 - axis] = int(np.rint(0.3 * N[axis]))
    x, _, z = (values[tuple(where)] for values in grid())
    assert np.abs(plane.quantity("scalar1") - np.sin(x + z)).max() < 1e-6  # single precision


def test_points_stand_where_they_are(flow_run: Path) -> None:
    """Point i of the picture lies at i L / n, and what lies beyond the last one is the first."""
    figure = compose_flow(flow_run / "snapshot_0000.hdf5", Request(kind="slice", field="vx"))
    axes = next(axes for part in figure.subfigs for axes in part.axes if axes.images)
    left, right, bottom, top = axes.images[0].get_extent()
    image = axes.images[0].get_array()
    assert image.shape == (N[1] + 1, N[0] + 1)
    for low, high, side, count in ((left, right, BOX[0], N[0]), (bottom, top, BOX[1], N[1])):
        centres = low + (np.arange(count + 1) + 0.5) * (high - low) / (count + 1)
        assert centres == pytest.approx(np.arange(count + 1) * side / count)
    assert np.array_equal(image[:, 0], image[:, -1]) and np.array_equal(image[0], image[-1])
    assert axes.get_xlim() == (0.0, BOX[0]) and axes.get_ylim() == (0.0, BOX[1])


def test_tracers_are_no_snapshot(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "tracers_0000.hdf5", "w") as file:
        file["VTKHDF/PointData/velocity"] = np.zeros((5, 3))
    assert flow_kind(tmp_path / "tracers_0000.hdf5") is None


def test_a_damaged_file_is_named(flow_run: Path, capsys) -> None:
    path = flow_run / "spectra_000001.hdf5"
    with h5py.File(path, "r+") as file:
        del file["Spectra/flux"]
    assert main(["plot", str(flow_run)]) == 1
    assert f"{path}: is no file of spectra of the dns solver, or damaged" in capsys.readouterr().err
