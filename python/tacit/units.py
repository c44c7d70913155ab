"""Code units of a snapshot and the labels of axes that follow from them.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import h5py
import numpy as np

from tacit.parameters import table

# Known units in cgs (lengths by IAU 2012 and 2015, mass of the sun from its nominal GM with CODATA 2018 G).
_LENGTHS = {r"\AA": 1e-8, "nm": 1e-7, "cm": 1.0, "m": 1e2, "km": 1e5, r"R_\odot": 6.957e10, "AU": 1.495978707e13,
            "pc": 3.0856776e18, "kpc": 3.0856776e21, "Mpc": 3.0856776e24}
_MASSES = {"g": 1.0, "kg": 1e3, r"M_\odot": 1.98841e33, r"10^{10}\,M_\odot": 1.98841e43}
_TIMES = {"fs": 1e-15, "ps": 1e-12, "ns": 1e-9, "s": 1.0, "yr": 3.15576e7, "kyr": 3.15576e10, "Myr": 3.15576e13,
          "Gyr": 3.15576e16}
_SPEEDS = {"cm/s": 1.0, "m/s": 1e2, "km/s": 1e5}

# Exponents of length, mass and time.
_DIMENSIONS = {
    "length": (1, 0, 0), "h": (1, 0, 0), "m": (0, 1, 0), "time": (0, 0, 1), "rho": (-3, 1, 0), "sigma": (-2, 1, 0),
    "P": (-1, 1, -2), "u": (2, 0, -2), "v": (1, 0, -1), "vx": (1, 0, -1), "vy": (1, 0, -1), "vz": (1, 0, -1),
    "energy": (2, 1, -2),
}


def _name(value: float, known: dict[str, float]) -> str | None:
    """The unit whose size is `value` to 2 parts in 1000: constants differ between codes in the fourth digit."""
    return next((name for name, size in known.items() if math.isclose(value, size, rel_tol=2e-3)), None)


def _power(base: str, exponent: int) -> str:
    return base if exponent == 1 else f"{base}^{{{exponent}}}"


@dataclass(frozen=True)
class Clock:
    """The unit in which one figure gives all its times."""

    scale: float = 1.0
    """Of it in a unit of time of the code."""
    name: str = ""
    """For mathtext; empty in code units."""

    @property
    def label(self) -> str:
        """For an axis: " [Myr]"."""
        return rf" [$\mathrm{{{self.name}}}$]" if self.name else ""

    def text(self, time: float) -> str:
        """A time of the code with the unit, for mathtext."""
        return f"{time * self.scale:.4g}" + (rf"\ \mathrm{{{self.name}}}" if self.name else "")


@dataclass(frozen=True)
class Units:
    """Length, mass and time of the code in cgs; all 1 means plain code units."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    @staticmethod
    def read(file: h5py.File) -> Units:
        """From the group Units of a snapshot; without one, code units."""
        if "Units" not in file:
            return Units()
        attributes = file["Units"].attrs
        keys = ("Unit length in cgs (U_L)", "Unit mass in cgs (U_M)", "Unit time in cgs (U_t)")
        return Units(*(float(np.ravel(attributes.get(key, [1.0]))[0]) for key in keys))

    @staticmethod
    def of_run(parameters: dict[str, Any]) -> Units:
        """From the table [units] of a run's parameters, in cgs; without it, code units."""
        given = table(parameters, "units")
        length, mass, velocity = (float(given.get(key, 1.0)) for key in ("length", "mass", "velocity"))
        return Units(length, mass, length / velocity)

    @property
    def note(self) -> str:
        """For a title: what numbers along axes mean, "(lengths in kpc, times in Myr)"."""
        if self.is_code:
            return "(code units)"
        length, time = (rf"$\mathrm{{{self._compose(*_DIMENSIONS[what])}}}$" for what in ("length", "time"))
        return f"(lengths in {length}, times in {time})"

    def moment(self, time: float) -> str:
        """A time of the run, for mathtext, with its unit."""
        return rf"$t = {self.clock(time).text(time)}$"

    @property
    def is_code(self) -> bool:
        """Whether the numbers have no physical unit."""
        return self.length == self.mass == self.time == 1.0

    def label(self, quantity: str) -> str:
        """Unit of a quantity for an axis, " [kpc]"; "" in code units or where the dimension is not known."""
        if quantity == "T":
            return " [K]"
        name = self.name(quantity)
        return f" [{name.strip()}]" if name else ""

    def name(self, quantity: str) -> str:
        """Unit of a quantity after a number, " kpc"; "" in code units or where the dimension is not known."""
        if self.is_code or quantity not in _DIMENSIONS:
            return ""
        return rf" $\mathrm{{{self._compose(*_DIMENSIONS[quantity])}}}$"

    def clock(self, longest: float) -> Clock:
        """The unit for times up to `longest`: the code's own where it has a name, else the largest in which it is 1."""
        if self.is_code:
            return Clock()
        name = _name(self.time, _TIMES)
        if name is None:
            seconds = (longest if longest > 0.0 else 1.0) * self.time
            name = max((unit for unit, size in _TIMES.items() if seconds >= size), key=_TIMES.get, default="s")
        return Clock(self.time / _TIMES[name], name)

    def _compose(self, length: int, mass: int, time: int) -> str:
        """The product of named units; velocities stay together where their unit has a name, as in km/s.

        So a time whose unit has no name but follows from named ones becomes kpc (km/s)^-1.
        """
        parts = []
        speed = _name(self.length / self.time, _SPEEDS)
        velocity = 0
        if speed is not None and (time < 0 or _name(self.time, _TIMES) is None):
            length, velocity, time = length + time, -time, 0
        for exponent, value, known, base in (
            (mass, self.mass, _MASSES, "g"),
            (length, self.length, _LENGTHS, "cm"),
            (time, self.time, _TIMES, "s"),
        ):
            if exponent != 0:
                parts.append(_power(self._unit(value, known, base, exponent), exponent))
        if velocity != 0:
            parts.append(_power(speed if velocity == 1 else f"({speed})", velocity))
        return r"\,".join(parts)

    @staticmethod
    def _unit(value: float, known: dict[str, float], base: str, exponent: int) -> str:
        name = _name(value, known)
        if name is None:
            digits, power = f"{value:.3e}".split("e")
            name = rf"{digits}\times 10^{{{int(power)}}}\,{base}"
        return f"({name})" if exponent != 1 and ("\\" in name and "times" in name or "^" in name) else name
