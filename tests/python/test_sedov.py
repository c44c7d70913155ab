"""The exact blast wave against jump conditions, conservation and its differential equations.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np
import pytest

from tacit.exact import sedov
from tacit.exact.sedov import SedovSolution, similarity_profile

GAMMAS = [1.05, 1.2, 4.0 / 3.0, 1.4, 5.0 / 3.0, 1.9, 1.9999999, 2.0]


@pytest.mark.parametrize(("gamma", "expected"), [(1.4, 1.03278), (5.0 / 3.0, 1.15167)])
def test_constant_of_the_shock_radius(gamma: float, expected: float) -> None:
    """gamma = 1.4: 0.851072^(-1/5), the energy of Kamm & Timmes (2007) for R(1) = 1; 5/3: integrated independently."""
    assert sedov.xi0(gamma) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("gamma", GAMMAS)
def test_quadrature_has_converged(gamma: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice the points change nothing beyond round-off of 200 terms."""
    first = sedov.xi0.__wrapped__(gamma)
    monkeypatch.setattr(sedov, "_QUADRATURE_POINTS", 400)
    assert sedov.xi0.__wrapped__(gamma) == pytest.approx(first, rel=1e-11)


@pytest.mark.parametrize("gamma", GAMMAS)
def test_strong_shock_jump(gamma: float) -> None:
    f = similarity_profile(np.array([1.0]), gamma)
    assert f.lam[0] == pytest.approx(1.0, rel=1e-13)
    assert f.rho[0] == pytest.approx((gamma + 1.0) / (gamma - 1.0), rel=1e-13)
    assert f.v[0] == pytest.approx(2.0 / (gamma + 1.0), rel=1e-13)
    assert f.P[0] == pytest.approx(2.0 / (gamma + 1.0), rel=1e-13)


@pytest.mark.parametrize("gamma", GAMMAS)
def test_mass_behind_the_shock_is_the_mass_swept_up(gamma: float) -> None:
    """4 pi int rho lambda^2 dlambda = 4 pi / 3, by Gauss-Legendre quadrature."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    f = similarity_profile(0.5 * (nodes + 1.0), gamma)
    assert 0.5 * np.sum(weights * f.rho * f.lam**2 * f.dlam_ds) == pytest.approx(1.0 / 3.0, rel=1e-11)


@pytest.mark.parametrize("gamma", GAMMAS)
def test_satisfies_continuity_momentum_and_entropy_equations(gamma: float) -> None:
    """Central differences in s of the self-similar Euler equations (D = R = 1, dD/dt = -3/2):

        (v - l) rho' + rho v' + 2 rho v / l = 0
        (v - l) v' - 3/2 v + P' / rho = 0
        (v - l) (ln P/rho^gamma)' - 3 = 0

    The differences err by ds^2 / 6 ~ 1.5e-10 times third derivatives (up to 1e5 for gamma = 1.05, where rho ~ s^60);
    closer to the centre rho is so small that the round-off of P shows in P' / rho.
    """
    ds, s = 3e-5, np.linspace(0.9, 0.999, 200)
    f, low, high = (similarity_profile(s + shift, gamma) for shift in (0.0, -ds, ds))

    def slope(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return (b - a) / (2.0 * ds) / f.dlam_ds

    rho_slope, v_slope, P_slope = (slope(getattr(low, q), getattr(high, q)) for q in ("rho", "v", "P"))
    log_slope = slope(np.log(low.P) - gamma * np.log(low.rho), np.log(high.P) - gamma * np.log(high.rho))
    w = f.v - f.lam
    size = np.abs(f.rho * v_slope) + 2.0 * f.rho * f.v / f.lam
    assert np.max(np.abs(w * rho_slope + f.rho * v_slope + 2.0 * f.rho * f.v / f.lam) / size) < 1e-4
    assert np.max(np.abs(w * v_slope - 1.5 * f.v + P_slope / f.rho)) < 1e-4
    assert np.max(np.abs(w * log_slope - 3.0)) < 1e-4


@pytest.mark.parametrize("gamma", [1.4, 5.0 / 3.0])
def test_sampled_energy_and_mass_in_physical_units(gamma: float) -> None:
    """Midpoint sums over shells give back E and 4/3 pi rho0 R^3; errors are those of the table, below 1e-5."""
    E, rho0, t = 3.0, 0.2, 0.7
    blast = SedovSolution(E, rho0, gamma)
    R = blast.shock_radius(t)
    r = (np.arange(200_000) + 0.5) / 200_000 * R
    rho, v, P = blast.sample(r, t)
    shell = 4.0 * np.pi * r**2 * (R / 200_000)
    assert np.sum(shell * (0.5 * rho * v**2 + P / (gamma - 1.0))) == pytest.approx(E, rel=1e-5)
    assert np.sum(shell * rho) == pytest.approx(4.0 / 3.0 * np.pi * R**3 * rho0, rel=1e-5)


def test_ambient_gas_is_at_rest_and_the_shock_slows_down() -> None:
    blast = SedovSolution(1.0, 2.0, 5.0 / 3.0)
    rho, v, P = blast.sample(np.array([blast.shock_radius(0.1) * 1.0001, 5.0]), 0.1)
    assert list(rho) == [2.0, 2.0] and list(v) == [0.0, 0.0] and list(P) == [0.0, 0.0]
    assert blast.shock_radius(3.2) == pytest.approx(4.0 * blast.shock_radius(0.1), rel=1e-12)
    step = 1e-6
    speed = (blast.shock_radius(0.1 + step) - blast.shock_radius(0.1 - step)) / (2.0 * step)
    assert blast.shock_speed(0.1) == pytest.approx(speed, rel=1e-8)


@pytest.mark.parametrize("gamma", [1.0, 2.1, 0.5])
def test_gamma_outside_its_range_is_refused(gamma: float) -> None:
    with pytest.raises(ValueError, match="gamma"):
        similarity_profile(np.array([0.5]), gamma)
