"""A universe on several ranks, from initial conditions to spectra and groups, and continued in the midst of it.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import pytest
from launched import assert_same_results, launch, on_ranks
from program import assert_same_bits, write_parameters

UNIVERSE = {
    "solver": "sph", "units.length": "1 Mpc", "units.mass": "1e10 Msun", "units.velocity": "1 km/s",
    "cosmology.expanding": True, "cosmology.h": 0.7, "cosmology.omega_m": 0.3, "cosmology.omega_b": 0.05,
    "initial.setup": "cosmological", "cosmological.resolution": 8, "cosmological.box": 25.0,
    "cosmological.sigma_8": 0.8, "cosmological.gas": True, "sph.time_steps": "individual",
    "gravity.self": True, "gravity.softening": 0.12, "gravity.tolerance": 1e-2,
    "analysis.power_spectrum": True, "analysis.groups": True, "analysis.least_particles": 8,
    "time.begin": 0.05, "time.end": 0.35, "output.redshifts": [9, 4, 2], "output.statistics_every": 0.05,
    "output.double_precision": True, "output.picture": False, "run.threads": 1, "run.pin": False,
    "run.deterministic": True}


def run(folder: Path, name: str, ranks: int, values: dict[str, object], *arguments: str) -> Path:
    """Runs it on so many ranks into folder/NAME, which it returns."""
    file = write_parameters(folder / "web.toml", values)
    done = launch(on_ranks(ranks, "run", file.name, "--output", name, *arguments), folder)
    assert done.returncode == 0, f"exit code {done.returncode} on {ranks} ranks\n{done.stdout}{done.stderr}"
    return folder / name


def assert_same_universe(one: Path, other: Path) -> None:
    """All that is written of it has the same bits."""
    assert_same_results(one, other)
    names = sorted(path.name for kind in ("power", "groups") for path in one.glob(f"{kind}_*.hdf5"))
    assert len(names) == 2 * 5
    assert names == sorted(path.name for kind in ("power", "groups") for path in other.glob(f"{kind}_*.hdf5"))
    for name in names:
        assert_same_bits(one / name, other / name)


def pieces(folder: Path, values: dict[str, object], parts: list[tuple[int, int]]) -> Path:
    """One run in parts of so many ranks until so many steps; the last part goes to the end."""
    for k, (ranks, steps) in enumerate(parts):
        until = {"time.max_steps": steps} if k + 1 < len(parts) else {}
        words = ("--restart",) if k > 0 else ()
        run(folder, "some", ranks, values | until, *words)
    return folder / "some"


def test_a_universe_on_any_ranks_and_restarted(tmp_path: Path) -> None:
    alone = run(tmp_path, "alone", 1, UNIVERSE)
    assert_same_universe(alone, pieces(tmp_path, UNIVERSE, [(4, 60), (2, 150), (1, 0)]))


@pytest.mark.long
@pytest.mark.parametrize("ranks", [2, 4])
def test_a_universe_from_begin_to_end_on_ranks(ranks: int, tmp_path: Path) -> None:
    """Twice as fine, until the first haloes are old."""
    values = UNIVERSE | {"cosmological.resolution": 12, "cosmological.box": 40.0, "time.end": 0.6}
    alone = run(tmp_path, "alone", 1, values)
    assert_same_universe(alone, run(tmp_path, "some", ranks, values))
