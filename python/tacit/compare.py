"""Error norms of a snapshot against the exact solution of its problem.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.profiles import binned_mean, coordinate_and_velocity
from tacit.snapshot import Snapshot
from tacit.solutions import SedovProfile, SodProfile, exact_profile

Array = NDArray[np.float64]

_SEDOV_BINS = 50


def compare(snapshot: Snapshot, choice: str = "auto", region: tuple[float, float] | None = None) -> dict[str, object]:
    """Volume-weighted L1 errors of density, velocity and pressure in a region:

        L1(q) = sum |q - q_exact| V / sum V      V = m / rho

    Sod: along x, by default 0.2 box lengths left to 0.25 right of the interface (0.6 < x < 1.5 for an interface at 1 in
    a box of length 2). Sedov: by radius up to half the box; with it the exact shock radius, the largest density and the
    highest of 50 bins of the mean density.

    Raises:
        InputError: if there is no exact solution, it does not hold at this time, or fields are missing.
    """
    exact = exact_profile(snapshot, choice)
    if exact is None:
        raise InputError(f"{snapshot.path}: no exact solution known for it; name one with --solution sedov or sod")
    reason = exact.invalid_because()
    if reason is not None:
        raise InputError(
            f"{snapshot.path}: the exact {exact.name} solution does not hold at t = {snapshot.time:.6g}: {reason}"
        )
    for key in ("rho", "P"):
        if key not in snapshot.fields:
            raise InputError(f"{snapshot.path}: it has no field '{key}'; errors are measured on snapshots of a run")
    region = region or _default_region(exact)
    result: dict[str, object] = {
        "solution": exact.name,
        "time": snapshot.time,
        "particles": snapshot.size,
        "gamma": snapshot.gamma,
        "region": list(region),
    }
    coordinate, v = coordinate_and_velocity(snapshot, exact.geometry, exact.centre)
    result.update(_errors(snapshot, exact, coordinate, v, region))
    if isinstance(exact, SedovProfile):
        result.update(_blast_wave(snapshot, exact, coordinate))
    return result


def _default_region(exact: SedovProfile | SodProfile) -> tuple[float, float]:
    if isinstance(exact, SedovProfile):
        return 0.0, exact.room
    return exact.interface - 0.2 * exact.length, exact.interface + 0.25 * exact.length


def _errors(
    snapshot: Snapshot, exact: SedovProfile | SodProfile, coordinate: Array, v: Array, region: tuple[float, float]
) -> dict[str, object]:
    inside = (coordinate > region[0]) & (coordinate < region[1])
    if not inside.any():
        raise InputError(f"{snapshot.path}: no particles between {region[0]:g} and {region[1]:g}")
    volume = snapshot.volume()[inside]
    volume = volume / volume.sum()
    truth = exact.sample(coordinate[inside])
    measured = {"rho": snapshot.fields["rho"], "v": v, "P": snapshot.fields["P"]}
    errors = {f"L1_{key}": float(np.sum(volume * np.abs(measured[key][inside] - truth[key]))) for key in truth}
    return {"particles_in_region": int(inside.sum()), **errors}


def _blast_wave(snapshot: Snapshot, exact: SedovProfile, r: Array) -> dict[str, object]:
    """Where the shock is, by the exact solution and by the densest bin, and how dense the gas gets."""
    rho = snapshot.fields["rho"]
    profile = binned_mean(r, rho, snapshot.m, np.linspace(0.0, exact.room, _SEDOV_BINS + 1))
    peak = int(np.argmax(profile.mean))
    return {
        "energy": exact.solution.energy,
        "rho0": exact.solution.rho0,
        "shock_radius": exact.shock_radius,
        "shock_density": exact.solution.rho0 * (snapshot.gamma + 1.0) / (snapshot.gamma - 1.0),
        "peak_radius": float(profile.centre[peak]),
        "peak_density": float(profile.mean[peak]),
        "max_density": float(rho.max()),
    }


def as_text(result: dict[str, object]) -> str:
    """One line "name value" per result, aligned."""
    width = max(map(len, result))
    lines = []
    for key, value in result.items():
        if isinstance(value, list):
            value = " ".join(f"{number:.6g}" for number in value)
        lines.append(f"{key:<{width}}  {value:.6g}" if isinstance(value, float) else f"{key:<{width}}  {value}")
    return "\n".join(lines)
