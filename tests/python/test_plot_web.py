"""Pictures of the matter of a universe.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from tacit.drawing.figure import figure_of
from tacit.drawing.request import Request
from tacit.drawing.web import local_spacing, surface_density
from tacit.errors import InputError
from tacit.matter import power_files, read_groups, read_power


def write_run(path: Path) -> Path:
    """Two spectra, of which the second has grown, a snapshot of gas and bodies, and a catalogue."""
    rng = np.random.default_rng(2)
    path.mkdir()
    k = np.arange(1.0, 9.0)
    for step, growth in ((0, 1.0), (100, 25.0)):
        with h5py.File(path / f"power_{step:06}.hdf5", "w") as file:
            header = file.create_group("Header").attrs
            header["RunName"], header["ScaleFactor"] = b"web", np.array([0.04 * np.sqrt(growth)])
            group = file.create_group("MatterPower")
            group.attrs["ShotNoise"] = np.array([1e-3])
            group["wave_number"], group["linear_theory"], group["modes"] = k, growth / k, np.full(8, 20)
            group["power"] = 1.1 * growth / k
    with h5py.File(path / "groups_000100.hdf5", "w") as file:
        group = file.create_group("Groups")
        group["Masses"], group["Centres"] = np.array([5.0, 2.0]), rng.random((2, 3))
    with h5py.File(path / "snapshot_0001.hdf5", "w") as file:
        file.create_group("Header").attrs["BoxSize"] = np.full(3, 2.0)
        for kind in (0, 1):
            group = file.create_group(f"PartType{kind}")
            group["Coordinates"], group["Masses"] = 2.0 * rng.random((64, 3)), np.ones(64)
    return path


def titles(figure: object) -> list[str]:
    """Of all panels."""
    return [axes.get_title() for part in figure.subfigs for axes in part.axes if axes.get_title()]


def test_the_picture_shows_matter_spectra_and_groups(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    assert [file.name for file in power_files(run)] == ["power_000000.hdf5", "power_000100.hdf5"]
    figure = figure_of(run, Request(resolution=32))
    assert titles(figure) == ["dark matter, along $z$", "gas, along $z$", "power spectrum", "growth of structure",
                              "groups"]
    ratio = figure.subfigs[1].axes[1]
    assert ratio.lines[1].get_ydata() == pytest.approx(1.1)
    image = figure.subfigs[0].axes[0].images[0].get_array()
    assert image.mean() == pytest.approx(1.0)  # surface density over its mean
    assert titles(figure_of(run, Request(kind="profile"))) == ["power spectrum", "growth of structure", "groups"]
    assert titles(figure_of(run / "power_000100.hdf5", Request())) == ["power spectrum", "growth of structure"]


def test_what_cannot_be_drawn_is_said(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    with pytest.raises(InputError, match="there are --kind projection and profile"):
        figure_of(run, Request(kind="history"))
    with h5py.File(run / "power_000100.hdf5", "a") as file:
        del file["MatterPower/power"]
    with pytest.raises(InputError, match="is no file of a power spectrum, or damaged"):
        read_power(run / "power_000100.hdf5")
    with pytest.raises(InputError, match="is no catalogue of groups"):
        read_groups(run / "power_000000.hdf5")


def test_each_particle_is_spread_by_the_distance_of_its_neighbours() -> None:
    """A halo among bodies of a lattice: where they are rare none shows as a dot, and the halo stays small."""
    rng = np.random.default_rng(4)
    one = (np.arange(8) + 0.5) / 8.0
    field = np.stack(np.meshgrid(one, one, one, indexing="ij"), axis=-1).reshape(-1, 3)
    halo = np.array([0.3, 0.7, 0.5]) + 0.01 * rng.normal(size=(512, 3))
    x = np.concatenate([field, halo])
    assert local_spacing(field, np.ones(3)) == pytest.approx(1.0 / 8.0)
    assert np.all(local_spacing(x, np.ones(3))[512:].mean() < 0.02)
    sigma = surface_density(x, np.ones(len(x)), np.ones(3), 2, 64)
    assert sigma.mean() == pytest.approx(1.0)
    up, right = np.unravel_index(np.argmax(sigma), sigma.shape)
    assert (right / 64, up / 64) == pytest.approx((0.3, 0.7), abs=0.04)
    around = sigma[:, :8]  # far from the halo: half of the mass, and even
    assert around == pytest.approx(0.5, rel=0.1)
    assert np.sum(sigma > 0.25 * sigma.max()) < 40  # of 4096 pixels


def test_today_has_no_redshift_of_rounding(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    with h5py.File(run / "power_000100.hdf5", "a") as file:
        file["Header"].attrs["ScaleFactor"] = np.array([1.0 + 5e-15])
    figure = figure_of(run, Request(resolution=32))
    assert any("z = 0$" in text.get_text() for text in figure.texts)
