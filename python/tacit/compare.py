"""Error norms of a snapshot against the exact solution of its problem.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.growth import Seed
from tacit.profiles import binned_mean, coordinate_and_velocity
from tacit.snapshot import Snapshot
from tacit.problems import NohProfile
from tacit.solutions import ExactProfile, SedovProfile, exact_profile, shear_seed

Array = NDArray[np.float64]

_SEDOV_BINS = 50
_RINGS = 50


def compare(snapshot: Snapshot, choice: str = "auto", region: tuple[float, float] | None = None) -> dict[str, object]:
    """Volume-weighted L1 errors of density, velocity and pressure in a region:

        L1(q) = sum |q - q_exact| V / sum V      V = m / rho

    Sod: along x, by default 0.2 box lengths left to 0.25 right of the interface (0.6 < x < 1.5 for an interface at 1 in
    a box of length 2). Sedov: by radius up to half the box; with it the exact shock radius, the largest density and the
    highest of 50 bins of the mean density. Noh: to twice the shock's radius; with it the mean density behind the shock.
    Gresho: v is the velocity around the axis; with it the error of its means over rings. Square: by the larger of |x|
    and |y| from its centre; with it the largest speed. Kelvin-Helmholtz has no exact solution: the amplitude of the
    wave beside that of linear theory.

    Raises:
        InputError: if there is no exact solution, it does not hold at this time, or fields are missing.
    """
    exact = exact_profile(snapshot, choice)
    if exact is None and choice == "auto" and (seed := shear_seed(snapshot)) is not None:
        return _wave(snapshot, seed)
    if exact is None:
        raise InputError(f"{snapshot.path}: no exact solution known for it; name one with --solution")
    reason = exact.invalid_because()
    if reason is not None:
        raise InputError(
            f"{snapshot.path}: the exact {exact.name} solution does not hold at t = {snapshot.time:.6g}: {reason}"
        )
    for key in ("rho", "P"):
        if key not in snapshot.fields:
            raise InputError(f"{snapshot.path}: it has no field '{key}'; errors are measured on snapshots of a run")
    region = region or exact.region
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
    if isinstance(exact, NohProfile):
        result.update(_implosion(snapshot, exact, coordinate))
    if exact.name == "gresho":
        result["L1_v_mean"] = _error_of_means(snapshot, exact, coordinate, v, region)
    if exact.name == "square":
        result["max_speed"] = float(np.sqrt(np.sum(snapshot.velocity**2, axis=1)).max())
    return result


def _wave(snapshot: Snapshot, seed: Seed) -> dict[str, object]:
    """The amplitude of the seeded wave, beside linear theory."""
    linear = seed.linear(snapshot.time)[1] if snapshot.time > 0.0 else np.array([seed.amplitude])
    return {
        "solution": "kelvin_helmholtz",
        "time": snapshot.time,
        "particles": snapshot.size,
        "amplitude": seed.measured(snapshot),
        "linear_amplitude": float(linear[-1]),
    }


def _errors(
    snapshot: Snapshot, exact: ExactProfile, coordinate: Array, v: Array, region: tuple[float, float]
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


def _error_of_means(
    snapshot: Snapshot, exact: ExactProfile, coordinate: Array, v: Array, region: tuple[float, float]
) -> float:
    """L1 of v - v_exact averaged over each of 50 rings first, which leaves out the noise of single particles."""
    difference = v - exact.sample(coordinate)["v"]
    edges = np.linspace(*region, _RINGS + 1)
    ring = np.searchsorted(edges, coordinate, side="right") - 1
    inside = (ring >= 0) & (ring < _RINGS)
    sums = np.bincount(ring[inside], (snapshot.m * difference)[inside], minlength=_RINGS)
    return float(np.abs(sums).sum() / snapshot.m[inside].sum())


def _implosion(snapshot: Snapshot, exact: NohProfile, r: Array) -> dict[str, object]:
    """The mean density of the gas at rest, away from the centre, where it heats too much, and from the shock."""
    inside = (r > 0.3 * exact.shock_radius) & (r < 0.8 * exact.shock_radius)
    m = snapshot.m[inside]
    mean = float(m.sum() / np.sum(m / snapshot.fields["rho"][inside])) if inside.any() else float("nan")
    return {"shock_radius": exact.shock_radius, "shock_density": exact.shock_density, "post_shock_density": mean}


def as_text(result: dict[str, object]) -> str:
    """One line "name value" per result, aligned."""
    width = max(map(len, result))
    lines = []
    for key, value in result.items():
        if isinstance(value, list):
            value = " ".join(f"{number:.6g}" for number in value)
        lines.append(f"{key:<{width}}  {value:.6g}" if isinstance(value, float) else f"{key:<{width}}  {value}")
    return "\n".join(lines)
