"""SPH interpolation onto grids against direct sums, analytic integrals and uniform gas.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np
import pytest
from conftest import ETA, lattice

from tacit.interpolation import SUPPORT, Window, column_kernel, cubic_spline, projection_sums, slice_sums

UNIT_BOX = (1.0, 1.0, 1.0)


def window(axis: int = 2, pixels: tuple[int, int] = (48, 48), periodic: bool = True) -> Window:
    """The unit box."""
    return Window(axis, (0.0, 0.0), (1.0, 1.0), pixels, UNIT_BOX, periodic)


def test_kernel_and_its_column_integrate_to_one() -> None:
    """Midpoint rule with 1e5 points; the column's table is linear with 1024 points: error ~ 1e-6."""
    q = (np.arange(100_000) + 0.5) / 100_000
    assert np.mean(4.0 * np.pi * q**2 * cubic_spline(q)) == pytest.approx(1.0, abs=1e-9)
    assert np.mean(2.0 * np.pi * q * column_kernel(q)) == pytest.approx(1.0, abs=5e-6)
    # Through the centre: 2 int_0^1 W dq = 2 * 8/pi * (1/2 - 2 (1/2)^3 + 6/4 (1/2)^4 + 2/4 (1/2)^4) = 6/pi.
    assert column_kernel(np.array([0.0]))[0] == pytest.approx(6.0 / np.pi, rel=1e-5)
    assert column_kernel(np.array([1.0, 1.5])).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("periodic", [True, False])
def test_slice_equals_the_direct_sum(axis: int, periodic: bool) -> None:
    random = np.random.default_rng(3)
    x, h, w = random.random((200, 3)), 0.02 + 0.08 * random.random(200), random.random((2, 200))
    view, cut = window(axis, (13, 9), periodic), 0.1
    found = slice_sums(x, h, w, view, cut)
    a, b = view.directions
    for up in range(9):
        for right in range(13):
            point = np.empty(3)
            point[axis], point[a], point[b] = cut, (right + 0.5) / 13, (up + 0.5) / 9
            d = x - point
            d = d - np.round(d) if periodic else d
            H = SUPPORT * h
            kernel = cubic_spline(np.sqrt(np.sum(d * d, axis=1)) / H) / H**3
            assert found[:, up, right] == pytest.approx(w @ kernel, rel=1e-10, abs=1e-12)


def test_uniform_gas_has_uniform_slice_and_projection() -> None:
    """The kernel sum over a lattice with 48 neighbours errs by 1 to 2 %, as in any SPH code."""
    n = 16
    x = lattice((n, n, n), UNIT_BOX, jitter=0.0)
    h, m = np.full(n**3, ETA / n), np.full((1, n**3), 1.0 / n**3)
    assert slice_sums(x, h, m, window(), 0.37)[0] == pytest.approx(np.ones((48, 48)), rel=0.02)
    assert projection_sums(x, h, m, window())[0] == pytest.approx(np.ones((48, 48)), rel=0.02)


@pytest.mark.parametrize("h_range", [(0.05, 0.05), (0.002, 0.1)])
def test_projection_conserves_mass(h_range: tuple[float, float]) -> None:
    random = np.random.default_rng(5)
    x, m = random.random((500, 3)), random.random((1, 500))
    h = random.uniform(*h_range, 500)
    image = projection_sums(x, h, m, window())
    assert image.sum() / 48**2 == pytest.approx(m.sum(), rel=1e-12)


def test_projection_of_one_particle_is_its_column() -> None:
    """Cloud-in-cell from a corner (variance 1/4 pixel^2 along each side) and averaging (1/12) blur the column:

        change = (1/2) (1/3) pixel^2 laplace F ~ (1/6) (1/64/0.3)^2 * 2 * 11 F(0) = 0.010 F(0)   in the middle.
    """
    x, h = np.array([[0.5, 0.5, 0.9]]), np.array([0.3 / SUPPORT])
    image = projection_sums(x, h, np.array([[2.0]]), window(pixels=(64, 64), periodic=False))[0]
    centre = (np.arange(64) + 0.5) / 64 - 0.5
    b = np.sqrt(centre**2 + centre[:, None] ** 2) / 0.3
    expected = 2.0 * column_kernel(b) / 0.3**2
    assert image == pytest.approx(expected, abs=0.012 * expected.max())


def test_gas_beyond_an_open_edge_does_not_come_back_on_the_other_side() -> None:
    x, h = np.array([[0.99, 0.5, 0.5]]), np.array([0.1])
    for image in (projection_sums(x, h, np.ones((1, 1)), window(periodic=False))[0],
                  slice_sums(x, h, np.ones((1, 1)), window(periodic=False), 0.5)[0]):
        assert np.abs(image[:, :20]).max() < 1e-12 * image.max()
        assert image[:, -1].max() > 0.0
