"""The exact Riemann solver against its own jump conditions, invariants and published star states.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from tacit.exact.riemann import State, solve

SOD = (State(1.0, 0.0, 1.0), State(0.125, 0.0, 0.1))


@pytest.mark.parametrize(
    ("left", "right", "P_star", "u_star"),
    [
        # Toro (2009), table 4.2, printed to 5 or 6 digits: the tolerance is one unit of the last.
        (State(1.0, 0.0, 1.0), State(0.125, 0.0, 0.1), 0.30313, 0.92745),
        (State(1.0, 0.0, 1000.0), State(1.0, 0.0, 0.01), 460.894, 19.5975),
        (State(1.0, 0.0, 0.01), State(1.0, 0.0, 100.0), 46.0950, -6.19633),
        (State(5.99924, 19.5975, 460.894), State(5.99242, -6.19633, 46.0950), 1691.64, 8.68975),
        (State(1.0, -2.0, 0.4), State(1.0, 2.0, 0.4), 0.00189, 0.0),
    ],
)
def test_star_region_of_published_problems(left: State, right: State, P_star: float, u_star: float) -> None:
    solution = solve(left, right, 1.4)
    assert solution.P_star == pytest.approx(P_star, rel=3e-5, abs=1e-5)
    assert solution.u_star == pytest.approx(u_star, rel=3e-5, abs=1e-5)


@pytest.mark.parametrize("gamma", [1.1, 1.4, 5.0 / 3.0, 2.0])
def test_shock_conserves_mass_momentum_and_energy(gamma: float) -> None:
    """Fluxes in the shock's frame are the same on both sides (Rankine-Hugoniot), to round-off."""
    solution = solve(*SOD, gamma)
    speed = solution.wave_speeds()[3]
    ahead, behind = (np.array([float(q) for q in solution.sample(speed * (1.0 + s))]) for s in (1e-9, -1e-9))

    def fluxes(state: np.ndarray) -> list[float]:
        rho, u, P = state
        w = u - speed
        return [rho * w, rho * w * w + P, w * (gamma / (gamma - 1.0) * P + 0.5 * rho * w * w)]

    assert fluxes(behind) == pytest.approx(fluxes(ahead), rel=1e-12)


def test_fan_keeps_entropy_and_riemann_invariant() -> None:
    gamma = 5.0 / 3.0
    solution = solve(*SOD, gamma)
    head, tail, _, _ = solution.wave_speeds()
    s = np.linspace(head, tail, 100)[1:-1]
    rho, u, P = solution.sample(s)
    c = np.sqrt(gamma * P / rho)
    assert P / rho**gamma == pytest.approx(np.ones(98), rel=1e-12)
    assert u + 2.0 * c / (gamma - 1.0) == pytest.approx(np.full(98, 2.0 * math.sqrt(gamma) / (gamma - 1.0)), rel=1e-12)
    assert u - c == pytest.approx(s, abs=1e-12)


def test_total_mass_momentum_and_energy_grow_as_the_boundary_fluxes() -> None:
    """int q dx = initial content + t (F_left - F_right); midpoint rule, so errors ~ the cells at the jumps."""
    gamma, t, count = 1.4, 0.2, 400_000
    solution = solve(*SOD, gamma)
    x = (np.arange(count) + 0.5) / count - 0.5
    rho, u, P = solution.sample(x / t)
    energy = P / (gamma - 1.0) + 0.5 * rho * u * u
    assert rho.mean() == pytest.approx(0.5 * (1.0 + 0.125), abs=3.0 / count)
    assert (rho * u).mean() == pytest.approx(t * (1.0 - 0.1), abs=3.0 / count)
    assert energy.mean() == pytest.approx(0.5 * (1.0 + 0.1) / (gamma - 1.0), abs=6.0 / count)


def test_mirrored_states_give_the_mirrored_solution() -> None:
    left, right = State(1.0, 0.3, 1.0), State(0.2, -0.7, 0.05)
    s = np.linspace(-3.0, 3.0, 301) + 1e-4
    rho, u, P = solve(left, right, 1.4).sample(s)
    rho_m, u_m, P_m = solve(right.mirrored(), left.mirrored(), 1.4).sample(-s)
    assert rho == pytest.approx(rho_m, rel=1e-12)
    assert u == pytest.approx(-u_m, rel=1e-12, abs=1e-14)
    assert P == pytest.approx(P_m, rel=1e-12)


def test_vacuum_appears_when_the_sides_flee_from_each_other() -> None:
    gamma = 1.4
    escape = 2.0 * math.sqrt(gamma) / (gamma - 1.0)
    assert not solve(State(1, -0.99 * escape, 1), State(1, 0.99 * escape, 1), gamma).has_vacuum
    solution = solve(State(1, -1.01 * escape, 1), State(1, 1.01 * escape, 1), gamma)
    assert solution.has_vacuum
    rho, u, P = solution.sample(np.array([0.0, -1.01 * escape, 1.01 * escape]))
    assert rho[0] == 0.0 and P[0] == 0.0
    # Just inside each fan, where u - c = s: the sonic ray of the undisturbed speed lies 2/(gamma+1) c from it.
    assert np.all(rho[1:] > 0.0)
    assert u[1] == pytest.approx(-u[2], rel=1e-12)


def test_gas_expands_into_vacuum_at_the_escape_speed() -> None:
    solution = solve(State(1.0, 0.0, 1.0), State(0.0, 0.0, 0.0), 1.4)
    edge = 2.0 * math.sqrt(1.4) / 0.4
    rho, u, _ = solution.sample(np.array([-2.0, edge * (1.0 - 1e-6), edge * (1.0 + 1e-6)]))
    assert rho[0] == 1.0 and u[0] == 0.0
    assert 0.0 < rho[1] < 1e-20 and rho[2] == 0.0


def test_shock_into_cold_gas_compresses_to_the_strong_limit() -> None:
    solution = solve(State(1.0, 0.0, 1.0), State(1.0, 0.0, 0.0), 5.0 / 3.0)
    assert solution.rho_star()[1] == pytest.approx(4.0, rel=1e-12)
    assert solution.wave_speeds()[3] == pytest.approx(4.0 / 3.0 * solution.u_star, rel=1e-12)


@pytest.mark.parametrize("left", [State(-1.0, 0.0, 1.0), State(1.0, 0.0, -1.0), State(1.0, math.nan, 1.0)])
def test_impossible_states_are_refused(left: State) -> None:
    with pytest.raises(ValueError, match="left state"):
        solve(left, SOD[1], 1.4)
