"""Pictures of bodies without gas.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from tacit.bodies import body_snapshots, is_body_file, read_bodies
from tacit.cli import main
from tacit.drawing.bodies import compose_bodies
from tacit.drawing.request import Request
from tacit.errors import InputError


def write_bodies(path: Path, time: float = 0.5, count: int = 300) -> Path:
    """Two types, one of which turns around z."""
    rng = np.random.default_rng(1)
    path.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(path, "w") as file:
        header = file.create_group("Header").attrs
        header["Time"], header["BoxSize"], header["RunName"] = np.array([time]), np.full(3, 10.0), b"cluster"
        for kind in (1, 4):
            x = 5.0 + rng.normal(size=(count, 3)) * (1.0 if kind == 1 else 0.3)
            v = rng.normal(size=(count, 3)) * 0.1
            if kind == 4:
                v += np.cross([0.0, 0.0, 2.0], x - 5.0)
            group = file.create_group(f"PartType{kind}")
            group["Coordinates"], group["Velocities"], group["Masses"] = x, v, np.full(count, 1.0 / count)
    return path


def test_bodies_are_known_and_read(tmp_path: Path) -> None:
    first = write_bodies(tmp_path / "snapshots/snapshot_000000.hdf5", 0.0)
    last = write_bodies(tmp_path / "snapshots/snapshot_000001.hdf5")
    assert is_body_file(last)
    assert body_snapshots(tmp_path) == [first, last]
    bodies = read_bodies(last)
    assert bodies.name == "cluster"
    assert bodies.types == [1, 4]
    assert bodies.centre() == pytest.approx([5.0] * 3, abs=0.1)
    with h5py.File(last, "a") as file:
        file.create_group("PartType0")
    assert not is_body_file(last)


def test_the_picture_shows_each_type_profiles_and_what_is_asked_for(tmp_path: Path) -> None:
    path = write_bodies(tmp_path / "snap.hdf5")
    figure = compose_bodies(path, Request())
    panels = [axes for part in figure.subfigs for axes in part.axes if axes.get_title()]
    titles = [axes.get_title() for axes in panels]
    assert titles == ["halo, along $z$", "stars, along $z$", "profile", "rotation", "velocity dispersion"]
    rotation = panels[3]
    outer = [line.get_ydata()[-1] for line in rotation.lines[:2]]
    assert abs(outer[0]) < 0.5 and outer[1] > 1.0  # stars turn, the halo does not
    assert len(compose_bodies(path, Request(kind="projection")).subfigs) == 1
    for request in (Request(kind="history"), Request(kind="slice"), Request(field="rho")):
        with pytest.raises(InputError):
            compose_bodies(path, request)
    assert main(["plot", str(path), "--output", str(tmp_path / "picture.png")]) == 0
    assert (tmp_path / "picture.png").stat().st_size > 10000


def test_maps_have_the_part_and_the_colours_that_are_asked_for(tmp_path: Path) -> None:
    """Also of a second file, whose own would be others: pictures of a film agree."""
    path = write_bodies(tmp_path / "snap.hdf5")
    figure = compose_bodies(path, Request(kind="projection", range=(0.01, 2.0), extent=(4.0, 6.5, 3.0, 8.0)))
    maps = [axes for part in figure.subfigs for axes in part.axes if axes.images]
    assert len(maps) == 2
    for axes in maps:
        assert (*axes.get_xlim(), *axes.get_ylim()) == (4.0, 6.5, 3.0, 8.0)
        assert axes.images[0].get_clim() == (0.01, 2.0)
    alone = compose_bodies(path, Request(kind="projection"))
    assert all(axes.images[0].get_clim() != (0.01, 2.0) for part in alone.subfigs for axes in part.axes if axes.images)
