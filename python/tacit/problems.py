"""Exact and reference solutions of the test problems beyond shock tube and explosion, as functions of one coordinate.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.snapshot import Snapshot

Array = NDArray[np.float64]

_G = 6.67430e-8
"""CODATA 2018 [cm^3 g^-1 s^-2]."""
_CRITICAL_DENSITY = 9.2e-30
"""Of potential.critical_density [g cm^-3]."""


def number(table: Any, key: str, default: float) -> float:
    """A plain number of the parameters; one written with a unit is left to the default."""
    value = table.get(key) if isinstance(table, dict) else None
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else default


@dataclass(frozen=True)
class NohProfile:
    """Cold gas that falls onto its centre with one speed: a shock runs outwards at (gamma - 1)/2 of that speed.

    Source: Noh (1987), J. Comp. Phys. 72, 78.
    """

    rho0: float
    P0: float
    speed: float
    radius: float
    """Of the ball of gas at the start [length]."""
    gamma: float
    dimension: int
    time: float
    centre: Array
    name: str = "noh"
    geometry: str = "radial"

    @property
    def shock_radius(self) -> float:
        """Where the falling gas comes to rest [length]."""
        return 0.5 * (self.gamma - 1.0) * self.speed * self.time

    @property
    def shock_density(self) -> float:
        """Of the gas at rest: 64 in three dimensions, 16 in two and 4 in one for gamma = 5/3."""
        return self.rho0 * ((self.gamma + 1.0) / (self.gamma - 1.0)) ** self.dimension

    @property
    def edge(self) -> float:
        """Radius of the gas now [length]."""
        return self.radius - self.speed * self.time

    @property
    def region(self) -> tuple[float, float]:
        """Twice the radius of the shock, as far as there is gas."""
        return 0.0, min(2.0 * self.shock_radius, self.edge)

    def sample(self, coordinate: Array) -> dict[str, Array]:
        """Fields rho, v (radial) and P at distances from the centre; nan outside the gas."""
        r = np.asarray(coordinate, dtype=float)
        is_behind = r < self.shock_radius
        squeezed = (1.0 + self.speed * self.time / np.maximum(r, 1e-6 * self.radius)) ** (self.dimension - 1)
        falling = np.where(r <= self.edge, self.rho0 * squeezed, np.nan)
        at_rest = 0.5 * (self.gamma - 1.0) * self.shock_density * self.speed**2
        return {
            "rho": np.where(is_behind, self.shock_density, falling),
            "v": np.where(is_behind, 0.0, -self.speed),
            "P": np.where(is_behind, at_rest, self.P0 * (falling / self.rho0) ** self.gamma),
        }

    def invalid_because(self) -> str | None:
        """The solution needs a shock, which has not met the edge of the gas."""
        if self.time <= 0.0:
            return "the shock starts at time 0"
        return "the shock has met the edge of the gas" if self.shock_radius > self.edge else None


class _Steady:
    """A solution that does not change with time."""

    def invalid_because(self) -> None:
        """It holds at any time."""


@dataclass(frozen=True)
class GreshoProfile(_Steady):
    """A vortex about the z axis, which stays as it is; v is the velocity around the axis.

    Source: Gresho & Chan (1990), Int. J. Numer. Meth. Fluids 11, 621; Liska & Wendroff (2003), SIAM J. Sci. Comput.
    25, 995.
    """

    rho0: float
    P0: float
    speed: float
    box: float
    time: float
    centre: Array
    name: str = "gresho"
    geometry: str = "circular"

    @property
    def region(self) -> tuple[float, float]:
        """All of the box that is as wide on all sides."""
        return 0.0, 0.5 * self.box

    def sample(self, coordinate: Array) -> dict[str, Array]:
        """Fields rho, v (about the axis) and P at distances from the axis."""
        x = np.asarray(coordinate, dtype=float) / (0.2 * self.box)
        v = np.maximum(np.minimum(x, 2.0 - x), 0.0)
        logarithm = np.log(np.clip(x, 1.0, 2.0))
        outer = np.minimum(x, 2.0)
        P = np.where(x < 1.0, 0.5 * x * x, 0.5 * outer * outer - 4.0 * outer + 4.0 + 4.0 * logarithm)
        return {"rho": np.full_like(x, self.rho0), "v": self.speed * v,
                "P": self.P0 + self.rho0 * self.speed**2 * P}


@dataclass(frozen=True)
class SquareProfile(_Steady):
    """A dense square at rest; the coordinate is the larger of |x| and |y| from its centre.

    Source: Saitoh & Makino (2013), ApJ 768, 44.
    """

    rho0: float
    P0: float
    box: float
    time: float
    centre: Array
    name: str = "square"
    geometry: str = "square"

    @property
    def region(self) -> tuple[float, float]:
        """All of the box."""
        return 0.0, 0.5 * self.box

    def sample(self, coordinate: Array) -> dict[str, Array]:
        """Fields rho, v (outwards) and P."""
        s = np.asarray(coordinate, dtype=float)
        rho = np.where(s < 0.25 * self.box, 4.0 * self.rho0, self.rho0)
        return {"rho": rho, "v": np.zeros_like(s), "P": np.full_like(s, self.P0)}


@lru_cache(maxsize=1)
def _quadrature() -> tuple[Array, Array]:
    """Points and weights of Gauss & Legendre: eigenvalues of a matrix, so not once per curve."""
    return np.polynomial.legendre.leggauss(400)


@dataclass(frozen=True)
class HaloProfile(_Steady):
    """Gas at rest in the potential of a halo (Navarro, Frenk & White 1997, ApJ 490, 493), by quadrature.

    With d(r) the depth of the potential below its value at the edge, P/rho = (Gamma - 1)/Gamma d and rho ~
    d^(1/(Gamma - 1)); of isothermal gas rho ~ exp(d / c0^2).
    """

    GM_halo: float
    r_s: float
    softening: float
    radius: float
    mass: float
    polytropic: float
    c0: float
    time: float
    centre: Array
    name: str = "nfw_gas"
    geometry: str = "radial"

    @property
    def region(self) -> tuple[float, float]:
        """All of the gas."""
        return 0.0, self.radius

    def _depth(self, r: Array) -> Array:
        R, edge = (np.sqrt(x * x + self.softening**2) for x in (np.maximum(r, 1e-8 * self.radius), self.radius))
        depth = self.GM_halo * (np.log1p(R / self.r_s) / R - np.log1p(edge / self.r_s) / edge)
        return np.where(r < self.radius, depth, np.nan)

    def _relative_density(self, r: Array) -> Array:
        if self.c0 > 0.0:
            return np.exp(self._depth(r) / self.c0**2)
        return (self._depth(r) / self._depth(np.zeros(1))) ** (1.0 / (self.polytropic - 1.0))

    def sample(self, coordinate: Array) -> dict[str, Array]:
        """Fields rho, v (radial) and P at distances from the centre; nan outside the gas."""
        r = np.asarray(coordinate, dtype=float)
        x, weights = _quadrature()
        nodes = self.radius * (0.5 * (x + 1.0)) ** 3  # dense in the middle
        jacobian = 1.5 * self.radius * (0.5 * (x + 1.0)) ** 2
        total = float(np.sum(weights * jacobian * 4.0 * np.pi * nodes**2 * self._relative_density(nodes)))
        rho = self.mass / total * self._relative_density(r)
        heat = self.c0**2 if self.c0 > 0.0 else (self.polytropic - 1.0) / self.polytropic * self._depth(r)
        return {"rho": rho, "v": np.zeros_like(r), "P": rho * heat}


def noh(snapshot: Snapshot, table: Any) -> NohProfile:
    """From the table [noh]."""
    return NohProfile(number(table, "density", 1.0), number(table, "pressure", 1e-6), number(table, "speed", 1.0),
                      number(table, "radius", 1.0), snapshot.gamma, snapshot.dimension, snapshot.time,
                      0.5 * snapshot.box)


def gresho(snapshot: Snapshot, table: Any) -> GreshoProfile:
    """From the table [gresho]."""
    return GreshoProfile(number(table, "density", 1.0), number(table, "pressure", 5.0), number(table, "speed", 1.0),
                         number(table, "box", 1.0), snapshot.time, 0.5 * snapshot.box)


def square(snapshot: Snapshot, table: Any) -> SquareProfile:
    """From the table [square]."""
    return SquareProfile(number(table, "density", 1.0), number(table, "pressure", 2.5), number(table, "box", 1.0),
                         snapshot.time, 0.5 * snapshot.box)


def halo(snapshot: Snapshot, parameters: dict[str, Any]) -> HaloProfile:
    """From the tables [nfw_gas], [potential] and [sph].

    Raises:
        ValueError: if they do not name a halo.
    """
    potential, table, sph = (parameters.get(key, {}) for key in ("potential", "nfw_gas", "sph"))
    mass, c = number(potential, "nfw_mass", 0.0), number(potential, "nfw_concentration", 10.0)
    if mass <= 0.0:
        raise ValueError("the parameters name no halo (potential.nfw_mass)")
    units = snapshot.units
    rho = number(potential, "critical_density", _CRITICAL_DENSITY * units.length**3 / units.mass)
    r200 = float(np.cbrt(mass / (800.0 / 3.0 * np.pi * rho)))
    GM = _G * units.mass * units.time**2 / units.length**3 * mass
    centre = [number(potential, axis, 0.5 * float(snapshot.box[k])) for k, axis in enumerate("xyz")]
    is_isothermal = isinstance(sph, dict) and sph.get("equation_of_state") == "isothermal"
    return HaloProfile(GM / float(np.log1p(c) - c / (1.0 + c)), r200 / c, number(potential, "softening", 0.0),
                       number(table, "radius", 1.5) * r200, number(table, "fraction", 0.1) * mass,
                       number(table, "polytropic_index", 1.2),
                       number(sph, "sound_speed", 0.0) if is_isothermal else 0.0, snapshot.time, np.array(centre))
