"""Pictures of chains of gauge fields, from files like those of the gauge solver.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from test_plot import check_picture

from tacit.cli import main
from tacit.drawing.gauge import compose_gauge, is_gauge
from tacit.drawing.request import Request
from tacit.errors import InputError


def write_chain(path: Path, sweeps: int = 12, flows: int = 0) -> Path:
    """Loops with an energy of 0.5 r, and as many measurements as there are sweeps."""
    with h5py.File(path, "w") as file:
        header = file.create_group("Header").attrs
        header["RunName"], header["Extents"] = np.bytes_("chain"), np.array([4, 4, 4, 8])
        header["Beta"] = np.array([6.0])
        measured, means = file.create_group("Measurements"), file.create_group("Means")
        if sweeps:
            measured["Sweep"] = np.arange(1.0, sweeps + 1.0)
            for name in ("Plaquette", "SpatialPlaquette", "TemporalPlaquette", "PolyakovReal", "PolyakovImaginary"):
                measured[name] = 0.59 + 0.01 * np.sin(np.arange(sweeps))
                means[name] = np.array([0.59, 0.001, 0.5])
            for r in (1, 2):
                for t in (1, 2, 3):
                    means[f"Wilson{r}x{t}"] = np.array([np.exp(-0.5 * r * t), 1e-4, 0.5])
        if flows:
            flow = file.create_group("Flow")
            flow["Time"], flow["Sweep"] = np.linspace(0.0, 4.0, 21), np.arange(1.0, flows + 1.0)
            flow["Charge"] = np.cos(np.arange(flows))
            for name in ("T2Energy", "T2PlaquetteEnergy"):
                flow[name], flow[f"{name}Error"] = 0.1 * np.linspace(0.0, 4.0, 21), np.full(21, np.nan)
            means["T0"], means["W0"] = np.array([3.0, 0.1, 0.5]), np.array([np.nan] * 3)
    return path


@pytest.mark.parametrize("kind", ["profile", "history", "all"])
def test_every_kind_is_drawn(kind: str, tmp_path: Path) -> None:
    write_chain(tmp_path / "snapshot_0000.hdf5", 0)
    write_chain(tmp_path / "snapshot_0001.hdf5")
    assert main(["plot", str(tmp_path), "--kind", kind]) == 0
    check_picture(tmp_path / "picture.png")


def test_panels_show_plaquettes_and_energies(tmp_path: Path) -> None:
    path = write_chain(tmp_path / "snapshot_0001.hdf5")
    assert is_gauge(path) and is_gauge(tmp_path)
    plaquettes, polyakov, energies = compose_gauge(path, Request()).axes
    assert len(plaquettes.lines[0].get_xdata()) == 12 and len(polyakov.lines[0].get_xdata()) == 12
    for errorbar in energies.containers:
        line = errorbar.lines[0]
        assert np.array(line.get_ydata(), float) == pytest.approx(0.5 * np.array(line.get_xdata(), float))


def test_a_flow_has_its_scale_and_its_charges(tmp_path: Path) -> None:
    figure = compose_gauge(write_chain(tmp_path / "snapshot_0001.hdf5", flows=5), Request())
    charge, flow = (axes for axes in figure.axes if axes.get_title().startswith(("topological", "Wilson flow")))
    assert len(charge.lines[0].get_xdata()) == 5
    assert flow.lines[0].get_ydata()[-1] == pytest.approx(0.4)
    assert any(list(line.get_xdata()) == [3.0] for line in flow.lines)
    assert "$t_0$ = 3.000" in figure.texts[0].get_text()


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    path = write_chain(tmp_path / "snapshot_0000.hdf5", 0)
    with pytest.raises(InputError, match="no field has been measured"):
        compose_gauge(path, Request())
    with pytest.raises(InputError, match="there are profile"):
        compose_gauge(path, Request(kind="slice"))
