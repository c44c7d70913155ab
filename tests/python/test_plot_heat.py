"""Pictures of temperatures, from files like those of the heat solver.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from matplotlib.figure import Figure
from test_plot import check_picture

from tacit.cli import main
from tacit.drawing.cells import compose_cells, is_cells
from tacit.drawing.heat import compose_heat, is_heat, read_temperature
from tacit.drawing.request import Request
from tacit.errors import InputError

BOX = np.array([2.0, 1.0, 1.0])


def write_temperatures(path: Path, time: float, cells: tuple[int, ...], has_exact: bool = True) -> Path:
    """A product of waves that has its largest value in the middle of the low side of x; `cells` along x, y, z."""
    n = (*cells, 1, 1)[:3]
    x, y, z = ((np.arange(count) + 0.5) / count for count in n)
    waves = np.cos(np.pi * x)[None, None, :] * np.sin(np.pi * y)[None, :, None] * np.sin(np.pi * z)[:, None, None]
    with h5py.File(path, "w") as file:
        header = file.create_group("Header").attrs
        header["Time"], header["BoxSize"], header["Dimension"] = np.array([time]), BOX, np.array([len(cells)])
        header["RunName"] = np.bytes_("warm")
        header["Parameters"] = np.bytes_('solver = "heat"\n[initial]\nsetup = "eigenmode"\n')
        file["VTKHDF/CellData/temperature"] = np.exp(-time) * waves + 0.001 * time
        if has_exact:
            file["VTKHDF/CellData/exact"] = np.exp(-time) * waves
    return path


def write_heat_run(folder: Path, cells: tuple[int, ...] = (16, 9), has_exact: bool = True) -> Path:
    """A run's directory with two snapshots and a history."""
    for number, time in enumerate((0.0, 1.0)):
        write_temperatures(folder / f"snapshot_000{number}.hdf5", time, cells, has_exact)
    columns = {"largest": 1.0, "mean": 0.0, "least": -1.0, "inflow_low": 0.5, "inflow_high": -0.5}
    columns |= {"error": 1e-3, "largest_error": 2e-3} if has_exact else {}
    rows = [",".join(["time", *columns])]
    rows += [",".join(map(str, [t, *(np.exp(-t) * value for value in columns.values())])) for t in np.linspace(0, 1, 9)]
    (folder / "statistics.csv").write_text("\n".join(rows) + "\n")
    return folder


def titles(figure: Figure) -> list[list[str]]:
    """Of the panels, row by row; of curves what stands at their y axis."""
    return [[axes.get_title() or axes.get_ylabel() for axes in part.axes if axes.get_xlabel()]
            for part in figure.subfigs]


QUICK = (("slice", (16,)), ("all", (16,)), ("all", (8, 7, 5)))


@pytest.mark.parametrize(("kind", "cells"), [
    pytest.param(kind, cells, marks=() if (kind, cells) in QUICK else pytest.mark.long)
    for kind in ("slice", "profile", "history", "all") for cells in ((16,), (16, 9), (8, 7, 5))])
def test_every_kind_is_drawn(kind: str, cells: tuple[int, ...], tmp_path: Path,
                             capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_heat_run(tmp_path, cells)
    if kind == "slice" and len(cells) == 1:
        assert main(["plot", str(folder), "--kind", kind]) == 1
        assert "there is nothing of the kind 'slice' here" in capsys.readouterr().err
        return
    assert main(["plot", str(folder), "--kind", kind]) == 0
    check_picture(folder / "picture.png")


def test_the_exact_temperature_stands_beside_the_computed_one(tmp_path: Path) -> None:
    figure = compose_heat(write_heat_run(tmp_path), Request())
    assert titles(figure) == [["temperature", "exact", "difference from exact"],
                              ["profile at $y = 0.5$", "temperature $T$", r"error $|T - T_\mathrm{exact}|$",
                               "heat flow into the domain"]]
    computed, exact, difference = (axes.images[0] for axes in figure.subfigs[0].axes if axes.images)
    assert computed.get_clim() == exact.get_clim()
    assert np.allclose(difference.get_array(), 0.001)
    assert "$16\\times9$ cells" in figure.texts[0].get_text() and "eigenmode" in figure.texts[0].get_text()


def test_without_an_exact_temperature_there_is_the_computed_one(tmp_path: Path) -> None:
    figure = compose_heat(write_heat_run(tmp_path, has_exact=False), Request())
    assert titles(figure)[0] == ["temperature"] and len(titles(figure)[1]) == 3


def test_slices_and_profiles_pass_where_there_is_something_to_see(tmp_path: Path) -> None:
    path = write_temperatures(tmp_path / "snapshot_0000.hdf5", 0.5, (8, 7, 5))
    snapshot = read_temperature(path)
    assert snapshot.place("temperature") in ((2, 3, 0), (2, 3, 7))
    assert snapshot.cells == (8, 7, 5)
    figure = compose_heat(path, Request(kind="profile"))
    assert figure.subfigs[0].axes[0].get_title() == "profile at $y = 0.5$, $z = 0.5$"
    figure = compose_heat(path, Request(kind="slice", axis=0, cut=1.6))
    assert figure.subfigs[0].axes[0].get_title() == "temperature, $x = 1.625$"
    assert figure.subfigs[0].axes[0].get_xlabel() == "$y$"


def test_a_uniform_temperature_is_not_drawn_as_its_rounding(tmp_path: Path) -> None:
    path = write_temperatures(tmp_path / "snapshot_0000.hdf5", 0.0, (8, 4), has_exact=False)
    with h5py.File(path, "r+") as file:
        values = file["VTKHDF/CellData/temperature"]
        values[...] = 1.0 + 1e-15 * np.arange(32).reshape(1, 4, 8)
    low, high = compose_heat(path, Request(kind="slice")).subfigs[0].axes[0].images[0].get_clim()
    assert low < 0.9 and high > 1.1


def test_what_is_no_snapshot_of_heat(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_heat_run(tmp_path)
    assert is_heat(folder) and is_heat(folder / "snapshot_0001.hdf5") and not is_heat(folder / "statistics.csv")
    with h5py.File(folder / "snapshot_0001.hdf5", "r+") as file:
        del file["Header"].attrs["Dimension"]
    assert main(["plot", str(folder)]) == 1
    assert "is no whole snapshot of the heat solver" in capsys.readouterr().err


@pytest.mark.parametrize(("place", "values", "message"), [
    ("Dimension", np.array([0]), "Dimension is 0, expected 1, 2 or 3"),
    ("BoxSize", np.ones(2), "BoxSize has the shape (2,), expected (3,)"),
    ("temperature", np.ones((9, 16)), "temperature has the shape (9, 16), expected (z, y, x)"),
    ("exact", np.ones((1, 16, 9)), "exact has the shape (1, 16, 9), expected that of temperature, (1, 9, 16)"),
])
def test_a_damaged_snapshot_is_refused(place: str, values: np.ndarray, message: str, tmp_path: Path) -> None:
    path = write_temperatures(tmp_path / "snapshot_0000.hdf5", 0.0, (16, 9))
    with h5py.File(path, "r+") as file:
        if place in file["Header"].attrs:
            file["Header"].attrs[place] = values
        else:
            del file["VTKHDF/CellData"][place]
            file["VTKHDF/CellData"][place] = values
    with pytest.raises(InputError) as refused:
        read_temperature(path)
    assert str(refused.value) == f"{path}: is no whole snapshot of the heat solver: {message}"


def write_cells(path: Path, time: float, cells: tuple[int, ...]) -> Path:
    """Two fields that no solver of Tacit has, and a vector."""
    n = (*cells, 1, 1)[:3]
    u = np.square(np.arange(float(np.prod(n)))).reshape(n[::-1])  # the last cell is furthest from the mean
    with h5py.File(path, "w") as file:
        header = file.create_group("Header").attrs
        header["Time"], header["BoxSize"], header["Dimension"] = np.array([time]), BOX, np.array([len(cells)])
        header["RunName"], header["Parameters"] = np.bytes_("reaction"), np.bytes_('solver = "reaction"\n')
        data = file.create_group("VTKHDF/CellData")
        data.attrs["Scalars"] = np.bytes_("u")
        data["inhibitor_v"], data["u"], data["flow"] = 1.0 - u, u * (1.0 + time), np.stack([u, -u, u], axis=-1)
    return path


@pytest.mark.parametrize("cells", [(16,), (16, 9), (8, 7, 5)])
def test_any_fields_in_cells_are_drawn(cells: tuple[int, ...], tmp_path: Path,
                                       capsys: pytest.CaptureFixture[str]) -> None:
    for number in (0, 1):
        write_cells(tmp_path / f"snapshot_000{number}.hdf5", float(number), cells)
    (tmp_path / "statistics.csv").write_text("time,u_mean,u_variance,u_least,u_largest\n0,1,2,0,3\n1,2,4,0,6\n")
    assert is_cells(tmp_path) and not is_heat(tmp_path)
    assert main(["plot", str(tmp_path)]) == 0
    check_picture(tmp_path / "picture.png")
    shown = titles(compose_cells(tmp_path, Request()))
    names = ["u", "flow\\_x", "flow\\_y", "flow\\_z"]
    slices = [[name + (", $z = 0.9$" if len(cells) == 3 else "") for name in names]] if len(cells) > 1 else []
    assert [[title.replace("\\_", "_") for title in row] for row in shown[: len(slices)]] == [
        [title.replace("\\_", "_") for title in row] for row in slices]
    assert len(shown) == len(slices) + 2 and len(shown[-2]) == 4  # a profile of each, and the history of u
    assert main(["plot", str(tmp_path), "--kind", "slice", "--field", "inhibitor_v"]) == (0 if len(cells) > 1 else 1)
    capsys.readouterr()
    assert main(["plot", str(tmp_path), "--field", "rho"]) == 1
    assert "--field rho: the snapshot has flow_x, flow_y, flow_z, inhibitor_v, u" in capsys.readouterr().err
