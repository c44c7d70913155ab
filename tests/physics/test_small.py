"""A small case of every solver: what the sanitizers run when a layer below all solvers has changed.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import pytest
from program import assert_same_bits, keys_of_example, run, snapshots, solvers

CASES = {
    "sph": {"initial.setup": "sedov", "sedov.resolution": 8, "time.end": 0.005},
    "dns": {"initial.setup": "taylor_green", "dns.points": 8, "dns.viscosity": 0.05, "dns.scheme": "rk4",
            "dns.dt": 0.05, "time.end": 0.1},
    "heat": {"initial.setup": "two_layers", "heat.cells": [12, 8, 6], "heat.walls": ["fixed", "insulating", "periodic"],
             "heat.low": [1, 0, 0], "heat.high": [0, 0, 0], "heat.scheme": "rkl2", "time.end": 0.2},
    "md": {"initial.setup": "lattice", "lattice.density": 0.8442, "lattice.cells": [4, 5, 3], "md.dt": 0.005,
           "velocities.temperature": 1.44, "time.end": 0.15},
    "qcd": {"initial.setup": "random", "qcd.extents": [4, 2, 2, 4], "qcd.mass": 0.5, "iteration.end": 10000},
    "gauge": {"initial.setup": "hot", "gauge.extents": [4, 2, 2, 4], "gauge.beta": 5.7, "measure.wilson_loops": [2, 2],
              "sweep.end": 3},
    "amr": {"initial.setup": "sedov", "amr.root": [2, 2, 2], "amr.finest": 1, "amr.regrid_every": 2,
            "time.end": 0.005},
}


@pytest.mark.parametrize("solver", solvers())
def test_a_small_case(solver: str, tmp_path: Path) -> None:
    """On two threads and on one, with the same results."""
    values = {"solver": solver, "run.deterministic": True} | (CASES.get(solver) or keys_of_example(solver))
    together, alone = (run(tmp_path, values, "--threads", str(threads), name=f"on-{threads}") for threads in (2, 1))
    assert_same_bits(snapshots(together)[-1], snapshots(alone)[-1])
