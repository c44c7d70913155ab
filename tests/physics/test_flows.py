"""Implosions, vortices, squares and halos against their exact solutions, with both schemes and individual steps.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import csv
import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from program import SOURCE, environment, errors, program, run, snapshots

SCHEMES = ["sphenix", "gadget2"]
NOH = {"initial.setup": "noh", "sph.boundary": "open", "time.end": 0.6}
GRESHO = {"initial.setup": "gresho", "sph.dimension": 2, "sph.alpha": 0.1, "sph.kernel": "wendland_c4",
          "sph.eta": 1.6, "time.end": 0.2}
SQUARE = {"initial.setup": "square", "sph.dimension": 2, "time.end": 0.2}
SHEAR = {"initial.setup": "kelvin_helmholtz", "sph.dimension": 2, "sph.kernel": "wendland_c4", "sph.eta": 1.6,
         "time.end": 1.0, "output.snapshot_every": 0.5}
HALO = {"units.length": "1 kpc", "units.mass": "1e10 Msun", "units.velocity": "1 km/s", "initial.setup": "nfw_gas",
        "sph.boundary": "open", "potential.nfw_mass": 100, "potential.nfw_concentration": 5,
        "potential.softening": 20, "nfw_gas.radius": 1.0, "nfw_gas.polytropic_index": 1.4, "time.end": 0.1}
MOST_MOMENTUM = 1e-6
"""Flows without shocks, with steps of their own: rounding of floats and kicks of pairs that are one-sided for a while.
2.5e-8 to 2.5e-7 measured, four times the most."""


@pytest.fixture(params=SCHEMES)
def scheme(request: pytest.FixtureRequest) -> dict[str, object]:
    """Which equations."""
    return {"sph.scheme": request.param}


def results(folder: Path, values: dict[str, object]) -> tuple[dict, dict, Path]:
    """Errors, conserved sums and directory of a run."""
    directory = run(folder, values)
    return errors(directory), json.loads((directory / "summary.json").read_text())["conserved"], directory


def order(coarse: float, fine: float, ratio: float = 2.0) -> float:
    """p of error ~ resolution^-p."""
    return math.log(coarse / fine) / math.log(ratio)


def test_noh_on_a_line(scheme: dict[str, object], tmp_path: Path) -> None:
    """The jump is exact up to the wall heating at the centre, which is left out: 3.9938 (sphenix) and 3.9987 (gadget2)
    measured, 4 expected. Energy: 0.13 % and 0.09 %, where 0.3 % is promised for an explosion. The error of the density
    sits in the shock and in the middle, each a few h wide: first order, 0.98 and 0.99 measured. The initial conditions
    are symmetric, and so are the forces: momentum stays at 0 but for the rounding of its sum, 100 terms of 1.1e-16 of
    its scale at most (1.1e-15 measured). A force without its counterpart would give 1e-8, a float's rounding."""
    (coarse, _, _), (fine, conserved, _) = (
        results(tmp_path / str(n), NOH | scheme | {"sph.dimension": 1, "noh.resolution": n}) for n in (50, 100))
    assert fine["post_shock_density"] == pytest.approx(4.0, rel=3e-3)
    assert conserved["energy"]["max_drift"] <= 3e-3
    assert conserved["momentum"]["max_drift"] <= 1.1e-14
    assert 0.8 < order(coarse["L1_rho"], fine["L1_rho"]) < 1.2


def test_noh_on_a_plane(scheme: dict[str, object], tmp_path: Path) -> None:
    """16 expected. The viscosity heats what is only squeezed, by an amount that falls with h: 6.2 and 11.1 (sphenix),
    9.8 and 13.6 (gadget2) measured with 16 and 32 cells, so that the missing part halves. Sphenix misses more, as its
    conduction spreads the heat of the middle; a fifth is left for other rounding. The orders are 0.74 and 0.97. All
    instruction sets give four digits alike; a viscosity of six tenths gives 14.3 and 14.7."""
    (coarse, _, _), (fine, conserved, _) = (
        results(tmp_path / str(n), NOH | scheme | {"sph.dimension": 2, "noh.resolution": n}) for n in (16, 32))
    missing = [16.0 - found["post_shock_density"] for found in (coarse, fine)]
    assert 0.0 < missing[1] < 0.6 * missing[0]
    measured = {"sphenix": 11.11, "gadget2": 13.64}[scheme["sph.scheme"]]
    assert fine["post_shock_density"] == pytest.approx(measured, rel=0.02)
    assert 0.6 < order(coarse["L1_rho"], fine["L1_rho"]) < 1.3
    # Of the steps: 2.2e-4 and 5.8e-4 measured, three times that.
    assert conserved["energy"]["max_drift"] <= 1.8e-3


def test_gresho_converges(scheme: dict[str, object], tmp_path: Path) -> None:
    """The mean velocity of rings: 0.0434 and 0.0267 with both schemes, an order of 0.70; the kinks of the profile allow
    no more than 1. Single particles scatter by 0.055 about it."""
    (coarse, _, _), (fine, conserved, _) = (results(tmp_path / str(n), GRESHO | scheme | {"gresho.resolution": n})
                                            for n in (16, 32))
    assert 0.5 < order(coarse["L1_v_mean"], fine["L1_v_mean"]) < 1.1
    assert fine["L1_v_mean"] <= 0.032  # a fifth more than measured
    assert fine["L1_v"] <= 0.066
    assert conserved["momentum"]["max_drift"] <= MOST_MOMENTUM


def test_square_keeps_its_pressure_but_at_the_edge(scheme: dict[str, object], tmp_path: Path) -> None:
    """The pressure is wrong within a kernel of the edge, so that its error falls with h: 0.48 and 0.21 (sphenix), 0.54
    and 0.26 (gadget2) measured, orders of 1.17 and 1.04. That error drives the gas: speeds of 0.16 to 0.22, a tenth of
    the sound speed of 2.04 around the square. The errors have the same four digits with all instruction sets: a square
    with a twentieth more pressure has a tenth more, and sphenix without conduction a quarter."""
    (coarse, _, _), (fine, conserved, _) = (results(tmp_path / str(n), SQUARE | scheme | {"square.resolution": n})
                                            for n in (8, 16))
    assert 0.8 < order(coarse["L1_P"], fine["L1_P"]) < 1.4
    assert fine["L1_P"] == pytest.approx({"sphenix": 0.2146, "gadget2": 0.2612}[scheme["sph.scheme"]], rel=0.05)
    assert max(coarse["max_speed"], fine["max_speed"]) <= 0.26
    assert conserved["momentum"]["max_drift"] <= MOST_MOMENTUM


def growth(folder: Path, resolution: int) -> float:
    """Growth rate of the wave between t = 0.5 and 1, over that of linear theory."""
    directory = run(folder, SHEAR | {"kelvin_helmholtz.resolution": resolution})
    first, last = (errors(path) for path in snapshots(directory)[1:])
    return (math.log(last["amplitude"] / first["amplitude"])
            / math.log(last["linear_amplitude"] / first["linear_amplitude"]))


@pytest.mark.long
def test_shear_grows_as_in_linear_theory(tmp_path: Path) -> None:
    """Viscosity and the noise of the sums slow it down, less with more particles: 0.82 and 0.96 of the linear rate
    measured with 32 and 64 particles along x, with the default scheme. A mode that is a tenth of the box long may reach
    a few percent of its box before it is nonlinear; it has 3 % at the end. Twice the missing 4 % is allowed."""
    coarse, fine = (growth(tmp_path / str(n), n) for n in (32, 64))
    assert 0.92 < fine < 1.04
    assert 0.7 < coarse < fine


def test_gas_in_a_halo_stays_in_equilibrium(scheme: dict[str, object], tmp_path: Path) -> None:
    """The density is missed within a smoothing length of the middle: order 1.14 between 8 and 12 cells. Settling there
    changes the heat by 0.36 % and 0.24 %, and leaves motions of 6.6e-4 of it: bounded by some three times that. Energy:
    steps of 1/50 of the dynamical time, 1.3e-6 measured, three times that."""
    (coarse, _, _), (fine, conserved, directory) = (
        results(tmp_path / str(n), HALO | scheme | {"nfw_gas.resolution": n}) for n in (8, 12))
    assert 0.7 < order(coarse["L1_rho"], fine["L1_rho"], 1.5) < 1.6
    with (directory / "statistics.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    internal = [float(row["internal_energy"]) for row in rows]
    assert max(internal) - min(internal) <= 0.02 * internal[0]
    assert max(float(row["kinetic_energy"]) for row in rows) <= 2e-3 * internal[0]
    assert conserved["energy"]["max_drift"] <= 4e-6


@pytest.mark.long
def test_convergence_is_measured_by_one_command(tmp_path: Path) -> None:
    """Two resolutions of the implosion, by the script that makes the page of test problems: first order, as above."""
    command = [sys.executable, SOURCE / "bench/sph/convergence.py", "--problems", "noh", "--quick", "--set",
               "sph.scheme=gadget2", "--output", tmp_path]
    variables = environment(TACIT_PROGRAM=program())
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "convergence.json").read_text())["noh"]
    assert [row["resolution"] for row in result["runs"]] == [16, 24]
    assert 0.7 < result["order"] < 1.3
    assert done.stdout.startswith("| noh, 2-D | density | 16, 24 | ") and done.stdout.count("|") == 6
    assert (tmp_path / "convergence.png").stat().st_size > 10_000
