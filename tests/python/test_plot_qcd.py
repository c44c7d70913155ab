"""Pictures of propagators, from files like those of the qcd solver.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest
from test_plot import check_picture

from tacit.cli import main
from tacit.drawing.qcd import compose_qcd, is_qcd
from tacit.drawing.request import Request
from tacit.drawing.together import compose_together
from tacit.errors import InputError


def write_propagator(path: Path, solves: int = 2, is_whole: bool = True, mass: float = 0.25) -> Path:
    """Residuals of solves of ten iterations, and if they are all a correlator."""
    t = np.arange(8)
    with h5py.File(path, "w") as file:
        header = file.create_group("Header").attrs
        header["RunName"], header["Extents"] = np.bytes_("pion"), np.array([4, 4, 4, 8])
        header["Mass"], header["Plaquette"] = np.array([mass]), np.array([0.75])
        header["GaugeField"] = np.bytes_("fields/beta_6.nersc")
        file.create_group("Residuals").attrs["Tolerance"] = np.array([1e-10])
        file.create_group("Correlators")
        if solves:
            file["Residuals/Recursion"] = np.tile(10.0 ** -np.arange(10.0), solves)
            file["Residuals/Iterations"] = np.full(solves, 10.0)
        if is_whole:
            file["Correlators/Pion"] = np.cosh(0.5 * (t - 4))
            file["Correlators/PionEffectiveMass"] = np.where(t == 3, np.nan, 0.5)
            file["Correlators/Rho"] = np.where(t == 4, -1.0, np.cosh(0.8 * (t - 4)))
            file["Correlators/RhoEffectiveMass"] = np.full(8, 0.8)
    return path


@pytest.mark.parametrize("kind", ["profile", "history", "all"])
def test_every_kind_is_drawn(kind: str, tmp_path: Path) -> None:
    write_propagator(tmp_path / "snapshot_0000.hdf5", 0, is_whole=False)
    write_propagator(tmp_path / "snapshot_0001.hdf5")
    assert main(["plot", str(tmp_path), "--kind", kind]) == 0
    check_picture(tmp_path / "picture.png")


def test_panels_show_correlator_mass_and_residuals(tmp_path: Path) -> None:
    figure = compose_qcd(write_propagator(tmp_path / "snapshot_0001.hdf5"), Request())
    correlator, mass, residuals = figure.subfigs[0].axes
    assert [axes.get_title() for axes in (correlator, mass, residuals)] == [
        "correlators", "effective masses (cosh)", "2 solves, one after the other"]
    assert np.array_equal(correlator.lines[0].get_ydata(), np.cosh(0.5 * (np.arange(8) - 4)))
    assert np.array_equal(mass.lines[0].get_xdata(), [0.5, 1.5, 2.5, 4.5, 5.5, 6.5, 7.5])
    assert [text.get_text() for text in mass.get_legend().get_texts()] == ["pion", "rho"]
    assert np.isnan(correlator.lines[1].get_ydata()[4]) and mass.lines[1].get_ydata()[0] == 0.8
    assert np.array_equal(residuals.lines[1].get_xdata(), np.arange(11, 21))
    title = figure.texts[0].get_text()
    assert r"$4\times4\times4\times8$" in title and "beta" in title and "fields" not in title


def test_a_solve_that_has_not_ended_has_its_residuals(tmp_path: Path) -> None:
    figure = compose_qcd(write_propagator(tmp_path / "snapshot_0001.hdf5", 1, is_whole=False), Request())
    assert [axes.get_title() for axes in figure.subfigs[0].axes] == ["1 solve"]


def test_runs_are_drawn_over_each_other(tmp_path: Path) -> None:
    """One with correlators beside one whose solve has not ended, told apart by their directories and masses."""
    runs = [tmp_path / "light", tmp_path / "heavy"]
    for run, mass in zip(runs, (-0.3, 0.5)):
        run.mkdir()
        write_propagator(run / "snapshot_0001.hdf5", is_whole=mass < 0.0, mass=mass)
    figure = compose_together(runs, Request())
    correlator, mass, residuals = figure.subfigs[0].axes
    assert [line.get_label() for line in correlator.lines] == ["light, $m_0 = -0.3$", "heavy, $m_0 = 0.5$"]
    assert np.array_equal(correlator.lines[0].get_ydata(), np.cosh(0.5 * (np.arange(8) - 4)))
    assert [len(line.get_xdata()) for line in mass.lines] == [7, 0]
    assert [len(line.get_xdata()) for line in residuals.lines] == [10, 10]
    assert main(["plot", *map(str, runs)]) == 0
    check_picture(runs[0] / "comparison.png")
    shutil.rmtree(runs[0])
    runs[0].mkdir()
    write_propagator(runs[0] / "snapshot_0001.hdf5", 0, is_whole=False)
    write_propagator(runs[1] / "snapshot_0001.hdf5", 0, is_whole=False)
    with pytest.raises(InputError, match="nothing of the kind 'history': no solve has ended"):
        compose_together(runs, Request(kind="history"))


def test_what_cannot_be_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_propagator(tmp_path / "snapshot_0000.hdf5", 0, is_whole=False)
    assert is_qcd(tmp_path) and is_qcd(path) and not is_qcd(tmp_path / "statistics.csv")
    assert main(["plot", str(tmp_path)]) == 1
    assert "nothing of the kind 'all' here: no solve has ended" in capsys.readouterr().err
    with pytest.raises(InputError, match="--kind slice: there are profile"):
        compose_qcd(path, Request(kind="slice"))
    with h5py.File(path, "r+") as file:
        del file["Header"].attrs["Mass"]
    with pytest.raises(InputError, match="is no whole snapshot of the qcd solver"):
        compose_qcd(path, Request())
