"""Runs in one and two dimensions, between walls and in potentials, through the real program.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import math
from pathlib import Path

from program import errors, run

COMMON = {"sph.time_steps": "common"}
"""Where the leapfrog's own errors are measured."""
SOD = {"initial.setup": "sod", "time.end": 0.2, "sph.kernel": "wendland_c4", "sph.eta": 1.6} | COMMON


def summary(directory: Path) -> dict:
    """What the run says of itself."""
    return json.loads((directory / "summary.json").read_text())


def sod_errors(folder: Path, dimension: int, resolution: int) -> dict:
    """L1 errors against the exact solution."""
    values = SOD | {"sph.dimension": dimension, "sod.resolution": resolution}
    directory = run(folder, values)
    conserved = summary(directory)["conserved"]
    # The leapfrog at Courant number 0.1, as in three dimensions; both interfaces push alike.
    assert conserved["energy"]["max_drift"] <= 2e-4
    # Accelerations are kept as floats: 2^-24 of sum m |a| dt, which is some ten times the sum of |m v|, over the root
    # of 117 particles at least, whose signs are random: 4e-8 is usual, five times that is not. 8e-9 to 8e-8 measured
    # with different instruction sets; as much, 4e-8, with the scalar loops, whose sums are of doubles.
    assert conserved["momentum"]["max_drift"] <= 2e-7
    return errors(directory)


def test_sod_on_a_line_converges(tmp_path: Path) -> None:
    """First order at best: the errors sit in a few h around shock, contact and the ends of the rarefaction."""
    coarse, fine = (sod_errors(tmp_path / str(n), 1, n) for n in (104, 400))
    assert fine["L1_rho"] <= 0.0095  # 0.0089 measured
    for name in ("L1_rho", "L1_v", "L1_P"):
        assert 0.6 < math.log(coarse[name] / fine[name]) / math.log(400 / 104) < 1.3, name


def test_sod_on_a_plane(tmp_path: Path) -> None:
    """Measured 0.0233 and 0.0254 at 40 cells per length (the kernel is wider than that of the 3-D tubes), and a fifth
    more for other steps."""
    found = sod_errors(tmp_path, 2, 40)
    assert found["L1_rho"] <= 0.028
    assert found["L1_P"] <= 0.0305


def test_a_blast_between_walls_keeps_its_energy(tmp_path: Path) -> None:
    """The shock meets the walls and comes back. Energy: 0.22 % measured, almost all of it from the first steps of the
    explosion, as in a periodic box (0.5 % is what is promised there)."""
    directory = run(tmp_path, {"initial.setup": "sedov", "sedov.resolution": 24, "sph.dimension": 2,
                               "sph.boundary": "reflecting", "time.end": 0.3} | COMMON)
    assert summary(directory)["conserved"]["energy"]["max_drift"] <= 5e-3
    assert summary(directory)["conserved"]["mass"]["max_drift"] == 0.0


def test_gas_in_a_halo_and_at_a_point_keeps_its_energy(tmp_path: Path) -> None:
    """Heat, motion and potential add up, in units in which G is not 1. Steps of 1/50 of the dynamical time: the
    leapfrog's (1/50)^2 / 24 = 1.7e-5 of the potential energy, of which 3.1e-6 was measured."""
    directory = run(tmp_path, {
        "units.length": "1 kpc", "units.mass": "1e10 Msun", "units.velocity": "1 km/s", "initial.setup": "sedov",
        "sedov.resolution": 8, "sedov.box": 100, "sedov.density": 1e-6, "sedov.pressure": 0.01, "sedov.energy": 10,
        "sph.boundary": "open", "potential.nfw_mass": 100, "potential.point_mass": 1, "potential.softening": 5,
        "time.end": 0.3} | COMMON)
    conserved = summary(directory)["conserved"]
    assert conserved["energy"]["max_drift"] <= 1.7e-5
