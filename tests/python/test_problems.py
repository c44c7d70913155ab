"""Exact and reference solutions of the test problems: what their equations say, and pictures with them.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from conftest import GAMMA, lattice, write_snapshot

from tacit.cli import main
from tacit.compare import compare
from tacit.drawing.figure import compose_gas
from tacit.drawing.request import Request
from tacit.exact.shear import ShearLayer, growth_rate, linear_growth
from tacit.problems import GreshoProfile, HaloProfile, NohProfile, SquareProfile
from tacit.snapshot import read_snapshot
from tacit.solutions import exact_profile, shear_seed

CENTRE = np.array([0.5, 0.5, 0.5])
NOH = NohProfile(2.0, 1e-6, 3.0, 1.0, GAMMA, 3, 0.2, CENTRE)
GRESHO = GreshoProfile(2.0, 7.0, 1.5, 1.0, 0.3, CENTRE)
SQUARE = SquareProfile(1.0, 2.5, 1.0, 0.3, CENTRE)
HALO = HaloProfile(3.0, 0.1, 0.02, 0.5, 0.7, 1.2, 0.0, 0.3, CENTRE)
HALO_TEXT = """[units]
length = 1.0
[initial]
setup = "nfw_gas"
[potential]
nfw_mass = 1e7
nfw_concentration = 5.0
critical_density = 1e6
softening = 0.01
[nfw_gas]
radius = 1.0
"""


def problem_snapshot(path: Path, name: str, n: int = 16) -> Path:
    """n^3 particles in a box of side 1 that carry the solution `name` at time 0.3."""
    x = lattice((n, n, n), (1.0, 1.0, 1.0))
    d = x - CENTRE
    r = np.sqrt(np.sum(d * d, axis=1))
    texts = {"noh": '[initial]\nsetup = "noh"\n[noh]\ndensity = 2.0\nspeed = 2.0\nradius = 2.0\n',
             "gresho": '[initial]\nsetup = "gresho"\n[gresho]\nspeed = 0.5\n',
             "square": '[initial]\nsetup = "square"\n', "nfw_gas": HALO_TEXT}
    empty = write_snapshot(path, (1.0, 1.0, 1.0), x, np.zeros_like(x), np.ones(len(x)), np.ones(len(x)), 0.3,
                           parameters=texts[name])
    exact = exact_profile(read_snapshot(empty))
    along = {"square": np.abs(d[:, :2]).max(axis=1), "gresho": np.hypot(d[:, 0], d[:, 1])}.get(name, r)
    fields = {key: np.nan_to_num(values, nan=1e-9) for key, values in exact.sample(along).items()}
    turn = np.stack([-d[:, 1], d[:, 0], np.zeros(len(x))], axis=1) / np.hypot(d[:, 0], d[:, 1])[:, None]
    direction = turn if name == "gresho" else d / r[:, None]
    return write_snapshot(path, (1.0, 1.0, 1.0), x, fields["v"][:, None] * direction, np.maximum(fields["rho"], 1e-9),
                          np.maximum(fields["P"], 1e-9), 0.3, parameters=texts[name])


@pytest.mark.parametrize("name", ["noh", "gresho", "square", "nfw_gas"])
def test_particles_on_the_solution_have_no_error_and_a_picture(tmp_path: Path, name: str) -> None:
    """Single precision of the fields: 6e-8 of their size; each of them is measured against its largest value."""
    path = problem_snapshot(tmp_path / "snap.hdf5", name)
    snapshot = read_snapshot(path)
    result = compare(snapshot)
    assert result["solution"] == name
    for key, field in (("L1_rho", "rho"), ("L1_P", "P"), ("L1_v", "v")):
        assert result[key] <= 1e-6 * max(float(snapshot.quantity(field).max()), 1e-12), key
    assert main(["plot", str(path), "--resolution", "32"]) == 0
    assert path.with_suffix(".png").stat().st_size > 10_000


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_noh_holds_all_mass(dimension: int) -> None:
    """What falls through a shell comes to rest within it: the mass is that of the ball at the start. The midpoint rule
    on 10^5 intervals misses the jump by at most half an interval of 48 times the density: 5e-4 of the mass."""
    noh = NohProfile(2.0, 1e-6, 3.0, 1.0, GAMMA, dimension, 0.2, CENTRE)
    r = (np.arange(100_000) + 0.5) * noh.edge / 100_000
    area = {1: 2.0, 2: 2.0 * np.pi * r, 3: 4.0 * np.pi * r**2}[dimension]
    mass = np.sum(area * noh.sample(r)["rho"]) * noh.edge / 100_000
    ball = {1: 2.0, 2: np.pi, 3: 4.0 / 3.0 * np.pi}[dimension]
    assert mass == pytest.approx(2.0 * ball, rel=5e-4)
    # The gas at rest has the heat that its motion had.
    behind = noh.sample(np.array([0.5 * noh.shock_radius]))
    assert behind["P"] / ((GAMMA - 1.0) * behind["rho"]) == pytest.approx(0.5 * 3.0**2)
    assert behind["rho"] / 2.0 == pytest.approx(4.0**dimension)


def test_noh_ends_when_the_shock_meets_the_edge() -> None:
    assert NOH.invalid_because() is None
    assert "edge" in NohProfile(2.0, 1e-6, 3.0, 1.0, GAMMA, 3, 0.26, CENTRE).invalid_because()
    assert "time 0" in NohProfile(2.0, 1e-6, 3.0, 1.0, GAMMA, 3, 0.0, CENTRE).invalid_because()
    assert np.isnan(NOH.sample(np.array([0.5]))["rho"]).all()


def test_gresho_is_in_balance() -> None:
    """dP/dr = rho v^2 / r, by differences over 2e-6: they round off by 5e-9 and err by 1e-12 of the third derivative.
    No place of r lies that near to a kink."""
    r = np.linspace(0.01, 0.49, 97) + 1e-4
    slope = (GRESHO.sample(r + 1e-6)["P"] - GRESHO.sample(r - 1e-6)["P"]) / 2e-6
    v = GRESHO.sample(r)["v"]
    assert slope == pytest.approx(2.0 * v**2 / r, abs=1e-6)
    assert v.max() == pytest.approx(1.5, abs=0.03)


@pytest.mark.parametrize("c0", [0.0, 1.1])
def test_halo_gas_is_in_balance_and_complete(c0: float) -> None:
    """dP/dr = -rho G M(r) / r^2 with the mass of the halo written out; and all the gas is there."""
    halo = HaloProfile(3.0, 0.1, 0.0, 0.5, 0.7, 1.2, c0, 0.3, CENTRE)
    r = np.linspace(0.02, 0.45, 44)
    slope = (halo.sample(r + 1e-6)["P"] - halo.sample(r - 1e-6)["P"]) / 2e-6
    g = 3.0 * (np.log(1.0 + r / 0.1) - r / (0.1 + r)) / r**2
    assert slope == pytest.approx(-halo.sample(r)["rho"] * g, rel=1e-5)
    shells = (np.arange(100_000) + 0.5) * 0.5 / 100_000
    mass = np.sum(4.0 * np.pi * shells**2 * halo.sample(shells)["rho"]) * 0.5 / 100_000
    assert mass == pytest.approx(0.7, rel=1e-5)


def test_halo_of_the_file_is_that_of_the_solver(tmp_path: Path) -> None:
    """r200^3 = M / (4/3 pi 200 rho_c) in code units of 1 cm, 1 g and 1 s; G M then in cm^3 s^-2."""
    halo = exact_profile(read_snapshot(problem_snapshot(tmp_path / "snap.hdf5", "nfw_gas", n=4)))
    r200 = (1e7 / (4.0 / 3.0 * np.pi * 200.0 * 1e6)) ** (1.0 / 3.0)
    assert halo.radius == pytest.approx(r200) and halo.r_s == pytest.approx(r200 / 5.0)
    assert halo.GM_halo * (np.log(6.0) - 5.0 / 6.0) == pytest.approx(6.6743e-8 * 1e7)
    assert halo.mass == pytest.approx(1e6)


def test_shear_grows_as_between_two_half_spaces_when_the_border_is_thin() -> None:
    """k dv sqrt(r1 r2) / (r1 + r2) (Chandrasekhar 1961, chapter XI) less a part of the order of k times the width of
    the border, 12.6 * 0.004 = 5 %, on either side; both borders together touch by e^(-pi k / 6.3) at most."""
    sharp = 4.0 * np.pi * np.sqrt(2.0) / 3.0
    rates = [growth_rate(ShearLayer(1.0, 2.0, 1.0, width, 2)) for width in (0.025, 0.0125, 0.004)]
    assert rates == sorted(rates)
    assert 0.85 * sharp < rates[-1] < sharp


def test_the_seed_ends_up_growing_at_that_rate() -> None:
    layer = ShearLayer(1.0, 2.0, 1.0, 0.025, 2)
    time, amplitude = linear_growth(layer, 2.0)
    assert time[-1] == 2.0 and amplitude[0] == 1.0
    # After a time of 1 the decaying waves are e^-6 of the growing one.
    late = time > 1.5
    assert np.gradient(np.log(amplitude[late]), time[late]) == pytest.approx(growth_rate(layer), rel=0.01)


def shear_run(folder: Path, amplitudes: list[float]) -> Path:
    """Snapshots with sines of these amplitudes, 0.1 apart, and a history."""
    folder.mkdir()
    x = lattice((16, 16, 4), (1.0, 1.0, 0.25), jitter=0.0)
    for number, amplitude in enumerate(amplitudes):
        v = np.zeros_like(x)
        v[:, 1] = amplitude * np.sin(4.0 * np.pi * x[:, 0] + 0.3)
        write_snapshot(folder / f"snapshot_{number:04}.hdf5", (1.0, 1.0, 0.25), x, v, np.ones(len(x)),
                       np.full(len(x), 2.5), 0.1 * number, parameters='[initial]\nsetup = "kelvin_helmholtz"\n')
    (folder / "statistics.csv").write_text("time,kinetic_energy\n0,1\n0.1,1\n0.2,1\n")
    return folder


def test_amplitudes_of_waves_are_measured(tmp_path: Path) -> None:
    """A sine of any phase has its own amplitude, to the single precision of the velocities."""
    folder = shear_run(tmp_path / "run", [0.01, 0.02, 0.04])
    snapshot = read_snapshot(folder / "snapshot_0002.hdf5")
    assert shear_seed(snapshot).measured(snapshot) == pytest.approx(0.04, rel=1e-6)
    result = compare(snapshot)
    assert result["amplitude"] == pytest.approx(0.04, rel=1e-6)
    assert result["linear_amplitude"] == pytest.approx(0.01 * linear_growth(ShearLayer(1, 2, 1, 0.025, 2), 0.2)[1][-1])


def test_growth_is_drawn_where_there_are_snapshots(tmp_path: Path) -> None:
    """With three snapshots the history has three panels; the picture is of the same size without."""
    folder = shear_run(tmp_path / "run", [0.01, 0.02, 0.04])
    assert main(["plot", str(folder), "--kind", "history"]) == 0
    with_growth = (folder / "picture.png").stat().st_size
    shutil.move(folder / "snapshot_0001.hdf5", tmp_path / "elsewhere.hdf5")
    assert main(["plot", str(folder), "--kind", "history"]) == 0
    assert with_growth > (folder / "picture.png").stat().st_size > 3_000


def test_the_square_is_shown_about_its_pressure(tmp_path: Path) -> None:
    """White is the pressure of the set-up, 2.5, in the middle of the colours; so in the profile."""
    path = problem_snapshot(tmp_path / "snap.hdf5", "square", 8)
    image = compose_gas(path, Request(kind="slice", field="P", resolution=32)).subfigs[0].axes[0].images[0]
    assert image.get_cmap().name == "RdBu_r"
    assert image.norm(2.5) == pytest.approx(0.5)
    assert image.axes.child_axes[0].get_ylabel() == "pressure $P$, white: 2.5"
    profile = compose_gas(path, Request(kind="profile", field="P")).subfigs[0].axes[0]
    assert np.mean(profile.get_ylim()) == pytest.approx(2.5)


def test_square_outlines_the_dense_gas() -> None:
    rho = SQUARE.sample(np.array([0.0, 0.24, 0.26, 0.5]))["rho"]
    assert rho.tolist() == [4.0, 4.0, 1.0, 1.0]
    assert HALO.region == (0.0, 0.5)
