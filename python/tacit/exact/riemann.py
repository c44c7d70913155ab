"""Exact solution of the Riemann problem of an ideal gas, with vacuum.

SPDX-License-Identifier: Apache-2.0

Source: Toro (2009), Riemann Solvers and Numerical Methods for Fluid Dynamics, 3rd ed., chapter 4:
pressure function (section 4.3), wave relations (4.4), sampling (4.5), vacuum (4.6).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class State:
    """A uniform state of the gas: density rho >= 0, velocity u, pressure P >= 0; rho = 0 is vacuum."""

    rho: float
    u: float
    P: float

    def sound_speed(self, gamma: float) -> float:
        """Speed of sound, c = sqrt(gamma P / rho); 0 in vacuum."""
        return math.sqrt(gamma * self.P / self.rho) if self.rho > 0.0 else 0.0

    def mirrored(self) -> State:
        """The state seen in the mirror x -> -x, which turns left waves into right ones."""
        return State(self.rho, -self.u, self.P)


@dataclass(frozen=True)
class RiemannSolution:
    """The self-similar solution of one Riemann problem.

    Between the two non-linear waves lies the star region (P_star, u_star); where the waves leave a vacuum,
    P_star is 0 and u_star is nan, for a vacuum has no velocity.
    """

    left: State
    right: State
    gamma: float
    P_star: float
    u_star: float

    @property
    def has_vacuum(self) -> bool:
        """Whether a vacuum lies between the waves, or was there from the start."""
        return self.P_star == 0.0

    def rho_star(self) -> tuple[float, float]:
        """Densities left and right of the contact discontinuity."""
        return _rho_star(self.left, self.P_star, self.gamma), _rho_star(self.right, self.P_star, self.gamma)

    def wave_speeds(self) -> tuple[float, float, float, float]:
        """Head and tail of the left wave, tail and head of the right wave; head = tail for a shock."""
        head_l, tail_l = _right_wave(self.left.mirrored(), self.P_star, -self.u_star, self.gamma)
        head_r, tail_r = _right_wave(self.right, self.P_star, self.u_star, self.gamma)
        return -head_l, -tail_l, tail_r, head_r

    def sample(self, speed: ArrayLike) -> tuple[Array, Array, Array]:
        """The solution along the rays x / t = speed.

        In a vacuum rho = P = 0, and u is the speed of the ray itself.

        Args:
            speed: any shape; (x - x_interface) / t [velocity].

        Returns:
            rho, u, P of the same shape.
        """
        s = np.asarray(speed, dtype=float)
        rho, u, P = np.zeros_like(s), s.copy(), np.zeros_like(s)
        _, tail_l, tail_r, _ = self.wave_speeds()
        is_left = s < (tail_l if self.has_vacuum else self.u_star)
        is_right = s >= (tail_r if self.has_vacuum else self.u_star)
        if self.left.rho > 0.0:
            r, v, p = _sample_right(self.left.mirrored(), -s[is_left], self.P_star, -self.u_star, self.gamma)
            rho[is_left], u[is_left], P[is_left] = r, -v, p
        if self.right.rho > 0.0:
            rho[is_right], u[is_right], P[is_right] = _sample_right(
                self.right, s[is_right], self.P_star, self.u_star, self.gamma
            )
        return rho, u, P


def solve(left: State, right: State, gamma: float) -> RiemannSolution:
    """Solves the Riemann problem (left | right).

        f(P, left) + f(P, right) + u_right - u_left = 0      (Toro, section 4.2)

    A vacuum appears between the waves if  2 (c_l + c_r) / (gamma - 1) <= u_right - u_left  (Toro, section 4.6).

    Raises:
        ValueError: if gamma <= 1, or a density or pressure is negative or not finite.
    """
    _check(left, right, gamma)
    du = right.u - left.u
    escape = 2.0 * (left.sound_speed(gamma) + right.sound_speed(gamma)) / (gamma - 1.0)
    if left.rho == 0.0 or right.rho == 0.0 or escape <= du:
        return RiemannSolution(left, right, gamma, 0.0, math.nan)
    P_star = _star_pressure(left, right, gamma)
    f_l, f_r = (_pressure_function(P_star, state, gamma) for state in (left, right))
    return RiemannSolution(left, right, gamma, P_star, 0.5 * (left.u + right.u + f_r - f_l))


def _check(left: State, right: State, gamma: float) -> None:
    if not gamma > 1.0:
        raise ValueError(f"gamma = {gamma}: an ideal gas has gamma > 1")
    for name, state in (("left", left), ("right", right)):
        values = (state.rho, state.u, state.P)
        if not all(map(math.isfinite, values)) or state.rho < 0.0 or state.P < 0.0:
            raise ValueError(f"{name} state {values}: density and pressure must be finite and not negative")


def _pressure_function(P: float, state: State, gamma: float) -> float:
    """Change of velocity across the wave that joins `state` to pressure P (Toro, section 4.3)."""
    if P > state.P:
        A = 2.0 / ((gamma + 1.0) * state.rho)
        B = (gamma - 1.0) / (gamma + 1.0) * state.P
        return (P - state.P) * math.sqrt(A / (P + B))
    c = state.sound_speed(gamma)
    if c == 0.0:
        return 0.0
    return 2.0 * c / (gamma - 1.0) * ((P / state.P) ** ((gamma - 1.0) / (2.0 * gamma)) - 1.0)


def _star_pressure(left: State, right: State, gamma: float) -> float:
    """Root of the pressure function, by bisection in log P: it is monotonic, and 200 halvings reach round-off."""

    def velocity_gap(P: float) -> float:
        return _pressure_function(P, left, gamma) + _pressure_function(P, right, gamma) + right.u - left.u

    high = max(left.P, right.P, 1e-300)
    while velocity_gap(high) < 0.0:
        high *= 2.0
    low = high
    while velocity_gap(low) > 0.0 and low > 1e-300:
        low *= 0.5
    for _ in range(200):
        middle = math.sqrt(low) * math.sqrt(high)
        if velocity_gap(middle) < 0.0:
            low = middle
        else:
            high = middle
    return math.sqrt(low) * math.sqrt(high)


def _rho_star(state: State, P_star: float, gamma: float) -> float:
    """Density behind the wave that joins `state` to P_star: Hugoniot or isentrope (Toro, section 4.4)."""
    if state.rho == 0.0 or P_star == 0.0:
        return 0.0
    if P_star > state.P:
        k = (gamma - 1.0) / (gamma + 1.0)
        # Multiplied through by state.P, so that a shock into a cold gas (P = 0) has its limit 1/k.
        return state.rho * (P_star + k * state.P) / (k * P_star + state.P)
    return state.rho * (P_star / state.P) ** (1.0 / gamma)


def _right_wave(state: State, P_star: float, u_star: float, gamma: float) -> tuple[float, float]:
    """Speeds of head and tail of the right-going wave: shock, fan (Toro, section 4.4) or fan into vacuum (4.6)."""
    c = state.sound_speed(gamma)
    if P_star > state.P:
        # rho (S - u) is the mass flux Q = sqrt((P* + B) / A) of Toro, section 4.3; this form also holds for P = 0.
        Q = math.sqrt(0.5 * state.rho * ((gamma + 1.0) * P_star + (gamma - 1.0) * state.P))
        speed = state.u + Q / state.rho
        return speed, speed
    if P_star == 0.0:
        return state.u + c, state.u - 2.0 * c / (gamma - 1.0)
    return state.u + c, u_star + c * (P_star / state.P) ** ((gamma - 1.0) / (2.0 * gamma))


def _sample_right(state: State, s: Array, P_star: float, u_star: float, gamma: float) -> tuple[Array, Array, Array]:
    """The solution right of the contact, s >= u_star: star region, wave, undisturbed state (section 4.5)."""
    head, tail = _right_wave(state, P_star, u_star, gamma)
    rho_star = _rho_star(state, P_star, gamma)
    c = state.sound_speed(gamma)
    is_outside = s >= head
    is_star = s < tail
    # c_fan / c inside the fan; clipped, because it is evaluated for all s and used only there.
    ratio = 2.0 / (gamma + 1.0) - (gamma - 1.0) / (gamma + 1.0) * (state.u - s) / c if c > 0.0 else np.ones_like(s)
    ratio = np.clip(ratio, 0.0, 1.0)
    fan = (
        state.rho * ratio ** (2.0 / (gamma - 1.0)),
        2.0 / (gamma + 1.0) * (-c + 0.5 * (gamma - 1.0) * state.u + s),
        state.P * ratio ** (2.0 * gamma / (gamma - 1.0)),
    )
    outside, star = (state.rho, state.u, state.P), (rho_star, u_star, P_star)
    rho, u, P = (np.where(is_outside, o, np.where(is_star, i, f)) for o, i, f in zip(outside, star, fan))
    return rho, u, P
