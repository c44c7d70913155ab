"""Linear growth of a wave on a shear layer of gas: the reference of the Kelvin-Helmholtz set-up.

SPDX-License-Identifier: Apache-2.0

The flow is U(y) along x with density rho(y), periodic in y; a small v_y = Re[phi(y, t) e^(ikx)] rides on it. Without
compression the momentum equations, with the pressure and the other velocity eliminated, are

    B dphi/dt = -i k A phi        B phi = (rho phi')' - k^2 rho phi
                                  A phi = (rho U phi' - rho U' phi)' - k^2 rho U phi

(Chandrasekhar 1961, Hydrodynamic and Hydromagnetic Stability, chapter XI, without gravity and surface tension). The
gas of the set-up is compressible: the growth is slower by terms of the order of the square of shear over sound speed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_POINTS = 256
_STEPS_PER_TIME = 100
"""Of the unit time box / shear: k U dt = 0.06 for two waves, which to the fourth power is nothing."""


@dataclass(frozen=True)
class ShearLayer:
    """The profiles of McNally, Lyra & Passy (2012), ApJS 201, 18, in a box of side 1.

    The layer is the middle half; `smoothing` is the width of its borders over the side of the box.
    """

    rho: float
    contrast: float
    shear: float
    smoothing: float
    modes: int

    @property
    def k(self) -> float:
        """Wave number [1 / box]."""
        return 2.0 * np.pi * self.modes

    def share(self, y: Array) -> Array:
        """How much of the layer's value a quantity has at height y: 0 outside, 1 within, 1/2 at the borders."""
        q = 0.25 - np.abs(y - 0.5)
        decay = 0.5 * np.exp(-np.abs(q) / max(self.smoothing, 1e-12))
        return np.where(q > 0.0, 1.0 - decay, decay)

    def density(self, y: Array) -> Array:
        """rho(y)."""
        return self.rho * (1.0 + (self.contrast - 1.0) * self.share(y))

    def velocity(self, y: Array) -> Array:
        """U(y)."""
        return self.shear * (0.5 - self.share(y))


def border_weight(y: Array, k: float) -> Array:
    """e^(-k q), q being the distance from the nearer border of the layer [box]: how the wave decays away from it."""
    return np.exp(-k * np.abs(0.25 - np.abs(y - 0.5)))


def _operator(layer: ShearLayer) -> tuple[Array, Array]:
    """Heights and the matrix B^-1 A on a periodic grid, of second order."""
    d = 1.0 / _POINTS
    y = (np.arange(_POINTS) + 0.5) * d
    half = y + 0.5 * d
    rho, U = layer.density(y), layer.velocity(y)
    rho_half, U_half = layer.density(half % 1.0), layer.velocity(half % 1.0)
    one = np.eye(_POINTS)
    above = np.roll(one, 1, axis=1)  # row i picks i + 1
    gradient, mean = (above - one) / d, 0.5 * (above + one)
    divergence = -gradient.T
    slope = np.roll(U, -1) - U
    B = divergence @ (rho_half[:, None] * gradient) - layer.k**2 * np.diag(rho)
    flux = rho_half[:, None] * (U_half[:, None] * gradient - (slope / d)[:, None] * mean)
    A = divergence @ flux - layer.k**2 * np.diag(rho * U)
    return y, np.linalg.solve(B, A)


@lru_cache(maxsize=8)
def linear_growth(layer: ShearLayer, end: float) -> tuple[Array, Array]:
    """Times from 0 to `end` [box / unit of the shear] and the amplitude of the seed v_y = sin(kx), 1 at the start.

    The amplitude is that of McNally et al. (2012): the mode's mean with the weight `border_weight`. Time steps
    are of the fourth order of Runge and Kutta.
    """
    y, matrix = _operator(layer)
    steps = max(int(np.ceil(_STEPS_PER_TIME * end * layer.shear)), 1)
    step = (-1j * layer.k * end / steps) * matrix
    one = np.eye(_POINTS)
    propagator = one + step @ (one + step @ (one + step @ (one + step / 4.0) / 3.0) / 2.0)
    weight = border_weight(y, layer.k)
    phi = np.full(_POINTS, -1j)
    amplitudes = [1.0]
    for _ in range(steps):
        phi = propagator @ phi
        amplitudes.append(float(abs(weight @ phi) / weight.sum()))
    return np.linspace(0.0, end, steps + 1), np.array(amplitudes)


def growth_rate(layer: ShearLayer) -> float:
    """The fastest exponential growth [shear unit / box]: k times the largest imaginary part of A's eigenvalues."""
    return float(layer.k * np.linalg.eigvals(_operator(layer)[1]).imag.max())
