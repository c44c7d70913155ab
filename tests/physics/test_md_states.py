"""Equations of state of the Lennard-Jones fluid: mean energies, pressures and densities beside published ones.

SPDX-License-Identifier: Apache-2.0

The numbers are those of the NIST Standard Reference Simulation Website (LJ_PURE, Monte Carlo of 500 atoms at constant
temperature and volume, cut at 3 sigma with the correction for what lies beyond). They agree if they are within three of
the standard errors that the run gives by blocking.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from program import run

STATES = {
    (0.85, 0.776): (-5.5121, 0.0067714), (0.85, 0.82): (-5.7947, 0.55355), (0.85, 0.86): (-6.0305, 1.266),
    (0.90, 0.776): (-5.4689, 0.24056), (0.90, 0.82): (-5.7456, 0.82386), (0.90, 0.86): (-5.9753, 1.5781),
    (0.85, 0.003): (-0.031019, 0.0024965), (0.90, 0.009): (-0.089936, 0.0076363),
}
"""By temperature and density: potential energy of an atom, pressure."""
ATOMS = 500


def averages(folder: Path, temperature: float, density: float, begin: float, length: float,
             **more: object) -> dict[str, tuple[float, float]]:
    """Mean and error of each column of a run of argon that melts first."""
    values = {"solver": "md", "initial.setup": "lattice", "lattice.density": density, "lattice.cells": [5, 5, 5],
              "velocities.temperature": 3.0, "md.dt": 0.005, "lennard_jones.cutoff": 3.0,
              "lennard_jones.truncation": "cut", "lennard_jones.tail": True,
              "thermostat.method": "nose_hoover", "thermostat.temperatures": [2.5, temperature],
              "thermostat.times": [0.0, 0.5 * begin], "thermostat.relaxation_time": 0.5, "time.end": begin + length,
              "output.statistics_every": 0.05, "output.average_from": begin}
    results = run(folder, values | {name.replace("__", "."): value for name, value in more.items()})
    said = json.loads((results / "summary.json").read_text())["averages"]["columns"]
    assert all(said[name]["is_reliable"] for name in ("potential_energy", "pressure"))
    return {name: (column["mean"], column["error"]) for name, column in said.items()}


@pytest.mark.parametrize(("state", "length"), [
    ((0.85, 0.82), 30.0), *[pytest.param(state, 200.0, marks=pytest.mark.long) for state in STATES]])
def test_energy_and_pressure(state: tuple[float, float], length: float, tmp_path: Path) -> None:
    temperature, density = state
    is_gas = density < 0.1  # where atoms seldom meet
    more = {"thermostat__method": "langevin", "thermostat__relaxation_time": 5.0, "md__dt": 0.01} if is_gas else {}
    found = averages(tmp_path, temperature, density, 100.0 if is_gas else 10.0, length * (10.0 if is_gas else 1.0),
                     **more)
    energy, pressure = STATES[state]
    mean, error = (value / ATOMS for value in found["potential_energy"])
    assert error < 0.02 * abs(energy), "the error is no excuse"
    assert abs(mean - energy) < 3.0 * error
    mean, error = found["pressure"]
    assert error < (0.01 * pressure if is_gas else 0.1)
    assert abs(mean - pressure) < 3.0 * error


@pytest.mark.long
@pytest.mark.parametrize("state", [(0.85, 0.82), (0.90, 0.86)])
def test_density(state: tuple[float, float], tmp_path: Path) -> None:
    """At the pressure of a state its density comes about."""
    temperature, density = state
    _, pressure = STATES[state]
    found = averages(tmp_path, temperature, 0.8, 20.0, 200.0, barostat__pressures=[pressure],
                     barostat__relaxation_time=2.0)
    mean, error = found["volume"]
    assert error < 5e-3 * mean
    assert abs(mean - ATOMS / density) < 3.0 * error
    assert abs(found["pressure"][0] - pressure) < 3.0 * found["pressure"][1]
