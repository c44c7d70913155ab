"""Which exact solution belongs to a snapshot, and with which parameters.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit import problems
from tacit.errors import InputError
from tacit.exact import riemann
from tacit.exact.sedov import SedovSolution
from tacit.growth import Seed
from tacit.parameters import parsed
from tacit.problems import number as _number
from tacit.snapshot import Snapshot

Array = NDArray[np.float64]

_KNOWN = ("sedov", "sod", "noh", "gresho", "square", "nfw_gas")
CHOICES = ("auto", *_KNOWN, "none")


class ExactProfile(Protocol):
    """An exact solution at the snapshot's time as a function of one coordinate."""

    name: str
    geometry: str
    """One of those of profiles.coordinate_and_velocity."""
    time: float
    centre: Array

    @property
    def region(self) -> tuple[float, float]:
        """Between which coordinates errors are measured if nothing else is asked for."""

    def sample(self, coordinate: Array) -> dict[str, Array]:
        """Fields rho, v, P at the coordinates [length], same shape."""

    def invalid_because(self) -> str | None:
        """Why the solution does not hold at this time, or None."""


@dataclass(frozen=True)
class SedovProfile:
    """The blast wave at one time."""

    solution: SedovSolution
    time: float
    centre: Array
    room: float
    """Distance from the centre to the nearest side of the domain [length]."""
    name: str = "sedov"
    geometry: str = "radial"

    @property
    def region(self) -> tuple[float, float]:
        """Half the box."""
        return 0.0, self.room

    @property
    def shock_radius(self) -> float:
        """Radius of the shock [length]."""
        return self.solution.shock_radius(self.time)

    def sample(self, coordinate: Array) -> dict[str, Array]:
        """Fields rho, v (radial) and P at distances from the centre."""
        return dict(zip(("rho", "v", "P"), self.solution.sample(coordinate, self.time)))

    def invalid_because(self) -> str | None:
        """The solution needs time > 0 and a shock that has not reached the sides."""
        if self.time <= 0.0:
            return "the explosion starts at time 0"
        if self.shock_radius > self.room:
            return f"the shock (r = {self.shock_radius:.4g}) has left the domain"
        return None


@dataclass(frozen=True)
class SodProfile:
    """A shock tube along x; in a periodic box a second, mirrored interface lies at x = 0."""

    solution: riemann.RiemannSolution
    time: float
    interface: float
    length: float
    """Size of the box along x [length]."""
    is_periodic: bool
    centre: Array
    name: str = "sod"
    geometry: str = "axial"

    @property
    def region(self) -> tuple[float, float]:
        """From 0.2 lengths of the box left of the interface to 0.25 right of it."""
        return self.interface - 0.2 * self.length, self.interface + 0.25 * self.length

    def sample(self, coordinate: Array) -> dict[str, Array]:
        """Fields rho, v (along x) and P at positions x."""
        x = np.asarray(coordinate, dtype=float)
        from_main, sign = x - self.interface, np.ones_like(x)
        if self.is_periodic:
            # The mirrored interface has its left state at x > 0 and its right state at x < 0, which is x near length.
            is_mirrored = (x < 0.5 * self.interface) | (x > 0.5 * (self.interface + self.length))
            from_zero = np.where(x < 0.5 * self.interface, x, x - self.length)
            from_main, sign = np.where(is_mirrored, -from_zero, from_main), np.where(is_mirrored, -1.0, 1.0)
        speed = from_main / self.time if self.time > 0.0 else np.copysign(1e300, from_main)
        rho, u, P = self.solution.sample(speed)
        return {"rho": rho, "v": sign * u, "P": P}

    def invalid_because(self) -> str | None:
        """The solution needs waves that have not met those of the mirrored interface, nor the sides."""
        head_l, _, _, head_r = self.solution.wave_speeds()
        share = 0.5 if self.is_periodic else 1.0
        if -head_l * self.time > share * self.interface or head_r * self.time > share * (self.length - self.interface):
            return "the waves have met those of the other interface" if self.is_periodic else "a wave has left the box"
        return None


def exact_profile(snapshot: Snapshot, choice: str = "auto") -> ExactProfile | None:
    """The exact solution asked for, or the one that the file's texts and names point to.

    Raises:
        InputError: if a solution is asked for that cannot be made from this file.
    """
    if choice == "none":
        return None
    parameters = parameters_of(snapshot)
    name = _guess(snapshot, parameters) if choice == "auto" else choice
    if name == "sedov" and snapshot.dimension != 3:
        if choice == "auto":
            return None
        raise InputError(f"{snapshot.path}: the exact sedov solution is spherical; this gas has {snapshot.dimension} "
                         "dimension(s)")
    try:
        if name == "sedov":
            return _sedov(snapshot, parameters.get("sedov", {}))
        if name == "nfw_gas":
            return problems.halo(snapshot, parameters)
        makers = {"sod": _sod, "noh": problems.noh, "gresho": problems.gresho, "square": problems.square}
        return makers[name](snapshot, parameters.get(name, {})) if name in makers else None
    except (ValueError, OverflowError) as error:
        if choice == "auto":
            return None
        raise InputError(f"{snapshot.path}: no exact {name} solution: {error}") from error


def shear_seed(snapshot: Snapshot) -> Seed | None:
    """The wave that was put onto the gas, if the file says that it is of the set-up kelvin_helmholtz."""
    parameters = parameters_of(snapshot)
    initial = parameters.get("initial", {})
    if not isinstance(initial, dict) or initial.get("setup") != "kelvin_helmholtz":
        return None
    return Seed.of(parameters.get("kelvin_helmholtz", {}))


def parameters_of(snapshot: Snapshot) -> dict[str, Any]:
    """The parameter file that the snapshot carries, as nested tables; empty if there is none."""
    texts = (text for key, text in snapshot.attributes.items() if key.startswith("Parameters/") and "=" in text)
    return next((found for text in texts if (found := parsed(text))), {})


def _guess(snapshot: Snapshot, parameters: dict[str, Any]) -> str | None:
    """The name of the set-up: as written in the parameters, else in a name of the input file, run or snapshot."""
    initial = parameters.get("initial", {})
    if isinstance(initial, dict) and initial.get("setup"):
        return initial["setup"] if initial["setup"] in _KNOWN else None
    # Without a TOML reader (Python 3.10) the line itself has to do.
    for name in _KNOWN if not parameters else ():
        if any(re.search(rf"^\s*setup\s*=\s*[\"']{name}[\"']", text, re.M) for text in snapshot.attributes.values()):
            return name
    inputs = [text for key, text in snapshot.attributes.items()
              if re.search(r"file|input|source|RunName", key) and "\n" not in text]
    inputs += [str(initial.get("file", "")) if isinstance(initial, dict) else "", snapshot.path.stem]
    for name in ("sedov", "sod"):
        if any(re.search(rf"(?<![a-z]){name}(?![a-z])", text.lower()) for text in inputs):
            return name
    return None


def _sedov(snapshot: Snapshot, table: Any) -> SedovProfile:
    """Energy and density from the parameters; without them all the energy and the mean density of the gas."""
    rho0 = _number(table, "density", float(snapshot.m.sum() / np.prod(snapshot.box)))
    energy = _number(table, "energy", snapshot.energy())
    if not (energy > 0.0 and rho0 > 0.0):
        raise ValueError(f"energy {energy:.4g} and density {rho0:.4g} must be positive")
    solution = SedovSolution(energy, rho0, snapshot.gamma)
    solution.shock_radius(1.0)  # Refuses a gamma outside (1, 2] here rather than in the middle of a picture.
    centre = 0.5 * snapshot.box
    return SedovProfile(solution, snapshot.time, centre, float(centre.min()))


def _sod(snapshot: Snapshot, table: Any) -> SodProfile:
    """States from the parameters; without them rho = 1 | 1/8, P = 1 | 0.1 at half the box.

    The set-up has equal masses, so the density on the right is 1/8 of that on the left unless the parameters differ.
    """
    length = float(snapshot.box[0])
    interface = _number(table, "x_interface", 0.5 * length)
    rho_left = _state_number(snapshot, table, "rho_left", 1.0, 0.5 * interface)
    rho_right = _number(table, "rho_right", rho_left / 8.0)
    P_left = _state_number(snapshot, table, "P_left", 1.0, 0.5 * interface)
    P_right = _state_number(snapshot, table, "P_right", 0.1, 0.5 * (interface + length))
    left = riemann.State(rho_left, _number(table, "v_left", 0.0), P_left)
    right = riemann.State(rho_right, _number(table, "v_right", 0.0), P_right)
    solution = riemann.solve(left, right, snapshot.gamma)
    return SodProfile(solution, snapshot.time, interface, length, snapshot.is_periodic, 0.5 * snapshot.box)


def _state_number(snapshot: Snapshot, table: Any, key: str, default: float, x_quiet: float) -> float:
    """A number of the parameters; one written with a unit is measured where no wave has come yet, around x_quiet."""
    value = table.get(key) if isinstance(table, dict) else None
    field = key.split("_")[0]
    if not isinstance(value, str) or field not in snapshot.fields:
        return _number(table, key, default)
    near = np.abs(snapshot.x[:, 0] - x_quiet) < 0.02 * snapshot.box[0]
    return float(np.median(snapshot.fields[field][near])) if near.any() else default
