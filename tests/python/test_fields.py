"""Fields of a run that goes on: views of the engine's memory, and copies.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
import tacit

BAR = {"solver": "heat", "initial.setup": "gaussian", "gaussian.width": 0.1, "heat.cells": [12, 8, 6],
       "heat.diffusivity": 1.0, "time.end": 0.04, "run.threads": 1, "output.double_precision": True}


@pytest.fixture
def bar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tacit.Simulation:
    """Some steps into a run."""
    monkeypatch.chdir(tmp_path)
    simulation = tacit.Simulation(BAR, output="out")
    for _ in range(3):
        simulation.step()
    return simulation


def test_a_view_is_the_memory_of_the_engine(bar: tacit.Simulation) -> None:
    assert "temperature" in bar.fields
    view = bar.field("temperature")
    assert view.shape == (6, 8, 12) and view.dtype == np.float64 and view.unit == "temperature" and view.meaning
    address = view.__array_interface__["data"][0]
    assert bar.field("temperature").__array_interface__["data"][0] == address and not view.flags.c_contiguous  # ghosts
    with h5py.File(bar.write_snapshot("now.hdf5")) as file:
        written = file["VTKHDF/CellData/temperature"][()]
    assert np.array_equal(view, written) and np.ptp(written) > 0.0
    assert view.sum() == pytest.approx(written.sum()) and view[2, 3, 4] == written[2, 3, 4]
    assert isinstance(view + 1.0, np.ndarray) and type(view + 1.0) is np.ndarray and type(np.mean(view)) is np.float64
    kept = bar.field("temperature", copy=True)
    assert type(kept) is np.ndarray and np.array_equal(kept, view)
    bar.step()
    assert np.array_equal(kept, written) and not np.array_equal(bar.field("temperature"), written)


def test_a_view_cannot_be_written_to(bar: tacit.Simulation) -> None:
    view = bar.field("temperature")
    for write in (lambda: view.__setitem__(0, 1.0), lambda: view.fill(0.0), lambda: np.add(view, 1.0, out=view)):
        with pytest.raises(ValueError, match="read-only"):
            write()
    with pytest.raises(ValueError, match="WRITEABLE"):
        view.flags.writeable = True


USES: dict[str, Callable[[np.ndarray], object]] = {
    "a number": lambda view: view[0, 0, 0], "a part": lambda view: view[1:], "a sum": lambda view: view + view,
    "a method": lambda view: view.sum(), "a function": np.mean, "in a list": lambda view: np.stack([view, view]),
    "a loop": lambda view: list(view), "a text": str, "its inside": repr, "a copy": lambda view: view.copy(),
    "another copy": copy.deepcopy, "a pickle": pickle.dumps, "a list": lambda view: view.tolist(),
    "of it": lambda view: view.T.max(), "a comparison": lambda view: view == 1.0,
    "a cast": lambda view: view.astype("f4"), "in": lambda view: 3.0 in view}


@pytest.mark.parametrize("use", USES.values(), ids=USES.keys())
def test_a_view_raises_after_a_step(bar: tacit.Simulation, use: Callable[[np.ndarray], object]) -> None:
    view = bar.field("temperature")
    part = view[1:3]
    use(view), use(part)
    own = view.copy()
    bar.step()
    for one in (view, part):
        with pytest.raises(tacit.StateError, match="of step 3, and 1 have been taken since"):
            use(one)
    use(own)  # has memory of its own


def test_memory_stays_as_long_as_there_is_an_array_of_it(bar: tacit.Simulation) -> None:
    view = bar.field("temperature")
    plain = np.asarray(view)
    sum_before = plain.sum()
    bar.close()
    with pytest.raises(tacit.StateError, match="of a run that has ended"):
        view.sum()
    del view, bar
    gc.collect()
    assert plain.sum() == sum_before  # nothing has been stepped, nothing is freed


def test_copies_of_what_only_snapshots_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blast = {"solver": "sph", "initial.setup": "sedov", "sedov.resolution": 6, "time.end": 0.01, "run.threads": 1}
    with tacit.Simulation(blast, output="out") as simulation:
        simulation.step()
        assert simulation.fields == {}
        densities = simulation.field("Densities", copy=True)
        assert densities.dtype == np.float64 and densities.shape == (216,)
        assert np.array_equal(densities, simulation.field("PartType0/Densities", copy=True))
        with pytest.raises(tacit.InputError, match="no field 'Density'; there are .*PartType0/Densities"):
            simulation.field("Density", copy=True)
        with pytest.raises(tacit.InputError, match="copy=True"):
            simulation.field("Densities")
        simulation.step()
        assert not np.array_equal(densities, simulation.field("Densities", copy=True))
    with pytest.raises(tacit.StateError, match="closed"):
        simulation.field("Densities", copy=True)
