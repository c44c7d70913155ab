"""Gas on ranks that mpirun starts: the same bits on any number of them, and continued on another.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
from launched import assert_same_results, launch, on_ranks
from moving_gas import write_moving_gas
from program import write_parameters

GAS = {"solver": "sph", "output.double_precision": True, "output.picture": False, "run.threads": 1, "run.pin": False,
       "run.deterministic": True}
SEDOV = {"initial.setup": "sedov", "sedov.resolution": 10, "time.end": 0.02, "output.snapshot_every": 0.008,
         "output.statistics_every": 0.005}
CASES = {
    "own_steps": SEDOV,
    "common_steps": SEDOV | {"sph.time_steps": "common", "time.end": 0.015},
    "walls": {"initial.setup": "sedov", "sph.dimension": 2, "sph.boundary": "reflecting", "sph.kernel": "wendland_c2",
              "sedov.resolution": 24, "potential.field_y": -5.0, "time.end": 0.02, "output.snapshot_every": 0.008},
    "open": {"initial.setup": "evrard", "sph.boundary": "open", "sph.scheme": "gadget2", "evrard.resolution": 12,
             "potential.point_mass": 1.0, "potential.softening": 0.1, "cooling.time": 1.0, "time.end": 0.3,
             "output.snapshot_every": 0.1},
    "line": {"initial.setup": "sedov", "sph.dimension": 1, "sedov.resolution": 200, "time.end": 0.002,
             "output.snapshot_every": 0.001},
    "bath": {"initial.setup": "kelvin_helmholtz", "kelvin_helmholtz.resolution": 16, "time.end": 0.04,
             "sph.equation_of_state": "isothermal", "sph.sound_speed": 2.0, "output.snapshot_every": 0.02},
}
"""Some twenty steps each: in eight, faults on purpose show in the unit tests, which have lines, walls, common steps."""


def gas(folder: Path, name: str, ranks: int, values: dict[str, object], *arguments: str) -> Path:
    """Runs it on so many ranks into folder/NAME, which it returns."""
    file = write_parameters(folder / "gas.toml", GAS | values)
    done = launch(on_ranks(ranks, "run", file.name, "--output", name, *arguments), folder)
    assert done.returncode == 0, f"exit code {done.returncode} on {ranks} ranks\n{done.stdout}{done.stderr}"
    return folder / name


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Makes a run of a case on one rank at its first use."""
    return functools.cache(lambda case: gas(tmp_path_factory.mktemp(case), "alone", 1, CASES[case]))


@pytest.mark.parametrize("case", [
    pytest.param(name, marks=() if name in ("own_steps", "open") else pytest.mark.long) for name in CASES])
def test_ranks_leave_what_one_leaves(case: str, alone: Callable[[str], Path], tmp_path: Path) -> None:
    ranks, threads = (2, 2) if case == "own_steps" else (3, 1)
    assert_same_results(alone(case), gas(tmp_path, "some", ranks, CASES[case] | {"run.threads": threads}))


@pytest.mark.parametrize("case", ["own_steps", pytest.param("common_steps", marks=pytest.mark.long)])
def test_a_checkpoint_continues_on_other_counts(case: str, alone: Callable[[str], Path], tmp_path: Path) -> None:
    gas(tmp_path, "some", 3, CASES[case], "--set", "time.max_steps=5")
    gas(tmp_path, "some", 1, CASES[case], "--restart", "--set", "time.max_steps=11")
    assert_same_results(alone(case), gas(tmp_path, "some", 4, CASES[case], "--restart"))


def spoil(path: Path, change: str) -> None:
    with h5py.File(path, "a") as file:
        gas = file["PartType0"]
        if change == "twin":  # in the shares of the first and the last rank
            ids = gas["ParticleIDs"][:]
            ids[-2] = ids[3]
            gas["ParticleIDs"][...] = ids
        else:
            gas["InternalEnergies"][-5] = np.nan


@pytest.mark.parametrize("change", ["twin", "nan"])
def test_what_one_rank_finds_in_its_share_is_said_as_on_one(change: str, tmp_path: Path) -> None:
    write_moving_gas(tmp_path / "gas.hdf5", 8, (0.0, 0.0, 0.0))
    spoil(tmp_path / "gas.hdf5", change)
    file = write_parameters(tmp_path / "gas.toml", GAS | {"initial.file": "gas.hdf5", "time.end": 0.1})
    said = []
    for ranks in (1, 3):
        done = launch(on_ranks(ranks, "run", file.name, "--output", f"out{ranks}"), tmp_path)
        assert done.returncode == 2, done.stdout + done.stderr
        said.append([line for line in done.stderr.splitlines() if "gas.hdf5: " in line])
    assert len(said[0]) == 1 and said[1] == said[0]


def test_what_one_rank_alone_does_is_refused(tmp_path: Path) -> None:
    """Once; tests/messages has all that is refused so, by `tacit check`."""
    file = write_parameters(tmp_path / "gas.toml", GAS | SEDOV | {"sph.pairs": "symmetric"})
    done = launch(on_ranks(2, "run", file.name, "--output", "out"), tmp_path)
    said = done.stderr.count("sph.pairs: pairs are visited once on one rank alone")
    assert done.returncode != 0 and said == 1, done.stdout + done.stderr
