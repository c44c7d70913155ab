"""The Sedov explosion and Sod's shock tube against their exact solutions.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path

import pytest
from program import SOURCE, errors, run

SOD_ERRORS = {
    "sphenix": {40: {"L1_rho": 0.0177, "L1_v": 0.0501, "L1_P": 0.0190},
                16: {"L1_rho": 0.0322, "L1_v": 0.0851, "L1_P": 0.0352}},
    "gadget2": {40: {"L1_rho": 0.0164, "L1_v": 0.0447, "L1_P": 0.0181},
                16: {"L1_rho": 0.0330, "L1_v": 0.0786, "L1_P": 0.0381}}}
"""Of 40 cells per length: SWIFT v2026.04 with the same equations, kernel, eta and Courant number, on the particles of
sod_40.hdf5. Of 16, for the quick suite: measured with the program that agrees with SWIFT on 40."""


def cases(small: int, large: int) -> list:
    """Who made the particles, Tacit or, of those that other codes were run on, a file; how many there are along a side
    or a length; who takes which step."""
    return [("set-up", small, "individual"), *(
        pytest.param((start, large, steps), marks=pytest.mark.long)
        for start in ("set-up", "reference file") for steps in ("individual", "common"))]


SOD_TIME = {"time.end": 0.2, "time.dt_max": 0.01}


class Result:
    """A finished run: its summary and its errors."""

    def __init__(self, directory: Path, solution: str) -> None:
        self.summary = json.loads((directory / "summary.json").read_text())
        self.errors = errors(directory, solution)
        self.conserved = self.summary["conserved"]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory):
    """Makes a run at its first use: results(name, values, solution)."""

    @cache
    def make(name: str, solution: str, values: tuple[tuple[str, object], ...]) -> Result:
        return Result(run(tmp_path_factory.mktemp(name), dict(values)), solution)

    return lambda name, solution, values: make(name, solution, tuple(values.items()))


def reference(name: str) -> str:
    """Initial conditions that other codes were run on."""
    return str(SOURCE / "tests/data/sph" / name)


Case = tuple[str, int, str]


def name_of(case: Case) -> str:
    """In the names of tests and folders."""
    return "-".join(map(str, case)).replace(" ", "-")


@pytest.fixture(params=cases(18, 32), ids=name_of)
def sedov_case(request: pytest.FixtureRequest) -> Case:
    """Which explosion."""
    return request.param


@pytest.fixture
def sedov(sedov_case: Case, results) -> Result:
    """To t = 0.05."""
    start, n, time_steps = sedov_case
    values = ({"initial.setup": "sedov", "sedov.resolution": n} if start == "set-up"
              else {"initial.file": reference("sedov_32.hdf5")})
    values |= {"time.end": 0.05, "time.dt_max": 0.01, "sph.time_steps": time_steps}
    return results(f"sedov-{name_of(sedov_case)}", "sedov", values)


@pytest.fixture(params=SOD_ERRORS.keys())
def scheme(request: pytest.FixtureRequest) -> str:
    """Which equations."""
    return request.param


@pytest.fixture(params=cases(16, 40), ids=name_of)
def sod_case(request: pytest.FixtureRequest) -> Case:
    """Which shock tube."""
    return request.param


@pytest.fixture
def sod(sod_case: Case, scheme: str, results) -> Result:
    """To t = 0.2; 36000 particles where a length has 40 cells."""
    start, n, time_steps = sod_case
    values = ({"initial.setup": "sod", "sod.resolution": n} if start == "set-up"
              else {"initial.file": reference("sod_40.hdf5")})
    values |= SOD_TIME | {"sph.time_steps": time_steps, "sph.scheme": scheme}
    return results(f"sod-{name_of(sod_case)}-{scheme}", "sod", values)


def most_momentum(time_steps: str) -> float:
    """Drift of the momentum over the sum of |m v|. With a common step pair forces are opposite but for the rounding of
    floats, as each side sums its own: 2^-24 of sum m |a| dt, some ten times the sum of |m v| in these runs, with random
    signs over 32768 particles and 157 steps: 6e-8 * 10 / sqrt(32768) = 3e-9 at most; measured 4e-10. With steps of
    their own kicks of pairs are one-sided while one of both is idle, in a random walk: 3.6e-5 and 3.9e-5 measured,
    4e-5 is promised; with 18 particles along a side of the explosion 9.3e-5, twice that is allowed."""
    return 3e-9 if time_steps == "common" else 4e-5


def test_sedov_keeps_energy(sedov: Result) -> None:
    """The scheme conserves energy up to the error of its steps: 0.3 % is what is promised. Measured: 0.08 % with steps
    of their own (0.09 % of 18^3 particles), 0.11 % with a common one."""
    assert sedov.conserved["energy"]["max_drift"] <= 3e-3
    assert sedov.conserved["mass"]["max_drift"] == 0.0


def test_sedov_keeps_momentum(sedov: Result, sedov_case: Case) -> None:
    """To rounding with a common step."""
    _, n, time_steps = sedov_case
    assert sedov.conserved["momentum"]["max_drift"] <= (1.9e-4 if n == 18 else most_momentum(time_steps))


@pytest.mark.long
def test_sedov_with_steps_of_their_own_does_less(results) -> None:
    """Nine tenths of the gas are cold until the blast comes: measured a seventh of the updates."""
    updates = {steps: results(f"sedov-set-up-32-{steps}", "sedov",
                              {"initial.setup": "sedov", "sedov.resolution": 32, "time.end": 0.05,
                               "time.dt_max": 0.01, "sph.time_steps": steps}).summary["updates"]
               for steps in ("individual", "common")}
    assert 4 * updates["individual"] < updates["common"]


def test_sedov_shock_is_where_it_should_be(sedov: Result) -> None:
    """A bin of the profile is 0.01 wide and the spacing of the particles 0.03: half of that on either side. The highest
    bin is the one around 0.335, as in SWIFT's run, and with 18 particles along a side, too."""
    assert sedov.errors["shock_radius"] == pytest.approx(0.3475, abs=1e-4)
    assert sedov.errors["peak_radius"] == pytest.approx(0.335, abs=1e-6)


def test_sedov_shock_is_as_dense_as_elsewhere(sedov: Result, sedov_case: Case) -> None:
    """The kernel smears the jump by 4 over the shell; SWIFT's equations give 2.44 at most on 32^3 particles, and other
    steps and jitter change that by 1 %: 2.418 to 2.445 measured. Three times that is allowed. On 18^3, 1.833."""
    assert sedov.errors["max_density"] == pytest.approx(1.833 if sedov_case[1] == 18 else 2.44, rel=0.03)


def test_sod_errors(sod: Result, sod_case: Case, scheme: str) -> None:
    """A twentieth more or less than the reference, for what other steps and rounding may do; measured 0.98 to 1.003
    times its errors, the velocity lowest. With less viscosity they are smaller."""
    for name, reference in SOD_ERRORS[scheme][sod_case[1]].items():
        assert sod.errors[name] == pytest.approx(reference, rel=0.05), name


def test_sod_conserves(sod: Result, sod_case: Case) -> None:
    """Energy: second order in the step, 73 steps of Courant number 0.1; measured 3e-5 with a common step and up to 8e-5
    with steps of their own: bounded by some three times that.
    Momentum: both interfaces push alike, so it starts and stays at 0, as in the explosion."""
    time_steps = sod_case[2]
    assert sod.conserved["energy"]["max_drift"] <= (1e-4 if time_steps == "common" else 2.5e-4)
    # On lattices all particles of a layer round alike: 2^-24 of sum m |a| dt, some ten times the sum of |m v|, without
    # the help of random signs but for those of the layers. Measured 6e-8 and 3e-8.
    assert sod.conserved["momentum"]["max_drift"] <= (2e-7 if time_steps == "common" else 4e-5)
    assert sod.conserved["mass"]["max_drift"] == 0.0


@pytest.mark.parametrize(("coarse", "fine"), [(12, 16), pytest.param(20, 40, marks=pytest.mark.long)])
def test_sod_converges(coarse: int, fine: int, results) -> None:
    """The error sits in a few h around shock, contact and the rarefaction's ends: order 1 at best, less at the contact,
    which no viscosity sharpens. Measured between 12 and 16 0.77, between 20 and 40 0.0286 / 0.0174 = 2^0.72."""
    steps = {"sph.time_steps": "individual", "sph.scheme": "sphenix"}  # as in the fixture, which has run most of them
    found = [results(f"sod-set-up-{n}-individual-sphenix", "sod", {"initial.setup": "sod", "sod.resolution": n}
                     | SOD_TIME | steps).errors["L1_rho"] for n in (coarse, fine)]
    assert 0.6 < math.log(found[0] / found[1]) / math.log(fine / coarse) < 1.1
