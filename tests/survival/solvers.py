"""The solvers whose runs must survive: all of the registry, some with an example that is made small.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from program import SOURCE, first_example, solvers


@dataclass(frozen=True)
class Case:
    """An example of a solver, made so small that it runs for some hundredths of a second."""

    solver: str
    example: str
    small: Mapping[str, object] = field(default_factory=dict)
    """Keys that replace those of the example."""
    ranks: tuple[int, ...] = (1, 2, 4)
    """On how many it runs."""
    quick_ranks: int = 1
    """On how many the quick suite disturbs it; --stress does so on all of the others as well."""
    is_quick: bool = False
    """Whether the quick suite disturbs it as long as it lasts: files of a grid, of particles, and in parts; all others
    are disturbed so by --full, for they write through the same layer."""
    large: Mapping[str, object] = field(default_factory=dict)
    """Keys for a state of some megabytes."""
    stop: str = "time.max_steps"
    """The key that ends a run after a number of steps."""
    has_log: bool = True
    """Whether output.log says anything."""

    @property
    def file(self) -> Path:
        """The parameter file."""
        return SOURCE / "examples" / self.example / "run.toml"


_KNOWN = (
    Case("sph", "sph/sedov", {"sedov.resolution": 12, "time.end": 0.02, "output.snapshot_every": 0.008},
         is_quick=True, large={"sedov.resolution": 24}),
    Case("dns", "dns/taylor_green", {"dns.points": 32, "dns.viscosity": 0.05, "dns.cfl": 0.3, "time.end": 0.6,
                                     "output.snapshot_every": 0.3, "dns.statistics.spectra_every": 0.3},
         quick_ranks=2, is_quick=True, large={"dns.points": 48}),
    Case("qcd", "qcd/pion", {"qcd.extents": [4, 4, 2, 4], "qcd.mass": 1.0, "solve.tolerance": 1e-3,
                             "output.snapshot_every": 30}, large={"qcd.extents": [8, 8, 8, 8]},
         quick_ranks=2, stop="iteration.max_steps", has_log=False),
    Case("gauge", "gauge/plaquette", {"gauge.extents": [4, 4, 2, 4], "measure.from": 1, "measure.wilson_loops": [1, 1],
                                      "sweep.end": 40, "output.snapshot_every": 15},
         large={"gauge.extents": [8, 8, 8, 8], "gauge.write": "none"}, quick_ranks=2, stop="sweep.max_steps",
         has_log=False),
    Case("heat", "heat/spreading", {"heat.cells": [16, 12, 16], "gaussian.width": 0.3, "time.end": 0.006,
                                    "output.snapshot_every": 0.003}, is_quick=True,
         large={"heat.cells": [64, 64, 64]}, has_log=False),
    Case("md", "md/argon_melt", {"lattice.cells": [4, 4, 4], "time.end": 0.3, "output.snapshot_every": 0.1},
         quick_ranks=2, large={"lattice.cells": [16, 16, 16]}, has_log=False),
    Case("amr", "amr/sedov", {"amr.level": 1, "time.end": 0.004, "output.snapshot_every": 0.002,
                              "output.statistics_every": 0.002}, quick_ranks=2,
         large={"amr.level": 3, "output.statistics_every": 1e-5}, has_log=False),
)
CASES = (
    *(Case(solver, f"{solver}/{first_example(solver).parent.name}", has_log=False)
      for solver in solvers() if solver not in {case.solver for case in _KNOWN}),
    *_KNOWN,
)
