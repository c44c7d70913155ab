"""SPH interpolation of particle fields onto a plane (slice) and along lines of sight (projection).

SPDX-License-Identifier: Apache-2.0

Kernel: cubic spline M4 (Monaghan & Lattanzio 1985, A&A 149, 135), written by its support radius H = 1.825742 h,
with h in the sense of Dehnen & Aly (2012), MNRAS 425, 1068: twice the kernel's standard deviation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SUPPORT = 1.825742
"""Support radius of the cubic spline over h."""

_CHUNK = 2_000_000  # Kernel evaluations at once: temporaries of 16 MB each stay near the cache.
_MOST_CLASSES = 32
_FINE_SAMPLING = 5
_TABLE_SIZE = 1024


def cubic_spline(q: Array) -> Array:
    """Kernel by its support, H^3 W(q) with q = r / H; its integral over the unit ball is 1.

    W = 8 / pi * { 1 - 6 q^2 + 6 q^3   q < 1/2
                 { 2 (1 - q)^3         1/2 <= q < 1
    """
    rest = np.maximum(1.0 - q, 0.0)
    return 8.0 / np.pi * np.where(q < 0.5, 1.0 - 6.0 * q * q * rest, 2.0 * rest**3)


@lru_cache(maxsize=1)
def _column_table() -> tuple[Array, Array]:
    """Impact parameters b / H in [0, 1] and the kernel's column F there, by the midpoint rule with 2000 points."""
    b = np.linspace(0.0, 1.0, _TABLE_SIZE)
    half_length = np.sqrt(1.0 - b * b)
    depth = (np.arange(2000) + 0.5) / 2000.0
    z = half_length[:, None] * depth
    return b, 2.0 * half_length * np.mean(cubic_spline(np.sqrt(b[:, None] ** 2 + z * z)), axis=1)


def column_kernel(b: Array) -> Array:
    """Kernel integrated along a line of sight, H^2 F(b) with b = impact parameter / H:

    F(b) = 2 int_0^sqrt(1 - b^2) H^3 W(sqrt(b^2 + z^2)) dz        (linear in a table of 1024)
    """
    return np.interp(b, *_column_table(), right=0.0)


@dataclass(frozen=True)
class Window:
    """The rectangle that is drawn: perpendicular to `axis`, with square pixels up to rounding.

    Its directions are the two other axes in the order x, y, z (for axis y: x to the right, z upwards).
    """

    axis: int
    low: tuple[float, float]
    high: tuple[float, float]
    shape: tuple[int, int]
    """Pixels (right, up)."""
    box: tuple[float, float, float]
    is_periodic: bool

    @property
    def directions(self) -> tuple[int, int]:
        """Indices of the axes to the right and upwards."""
        right, up = (k for k in range(3) if k != self.axis)
        return right, up

    @property
    def pixel(self) -> tuple[float, float]:
        """Size of a pixel [length]."""
        right, up = ((self.high[k] - self.low[k]) / self.shape[k] for k in range(2))
        return right, up

    def wraps(self, k: int) -> bool:
        """Whether the window covers the whole period along its direction k."""
        return self.is_periodic and np.isclose(self.high[k] - self.low[k], self.box[self.directions[k]])


def slice_sums(x: Array, h: Array, weights: Array, window: Window, cut: float) -> Array:
    """Sums over particles at the pixels' centres in the plane `axis` = cut.

        S_k(p) = sum_j w_kj W(|p - x_j|, h_j)

    With w = m it is the density; with w = m / rho and w = A m / rho their ratio is the interpolated field A.
    Only particles whose support meets the plane are visited, grouped by the size of their footprint in pixels.

    Args:
        x: shape (N, 3); h: shape (N); weights: shape (K, N).

    Returns:
        shape (K, up, right).
    """
    H = SUPPORT * h
    d = x[:, window.axis] - cut
    if window.is_periodic:
        period = window.box[window.axis]
        d = d - period * np.round(d / period)
    near = np.flatnonzero(np.abs(d) < H)
    d, H, weights = d[near], H[near], weights[:, near] / H[near] ** 3
    size, pixel = window.shape, window.pixel
    # Positions in pixels, with pixel centres at the integers.
    a = np.stack([(x[near, window.directions[k]] - window.low[k]) / pixel[k] - 0.5 for k in range(2)])
    reach = np.sqrt(H * H - d * d)
    radius = np.maximum(np.ceil(reach / pixel[0]), np.ceil(reach / pixel[1])).astype(int)
    radius = _rounded_up(radius)
    sums = np.zeros((len(weights), size[0] * size[1]))
    for n in np.unique(radius):
        group = np.flatnonzero(radius == n)
        step = max(1, _CHUNK // (2 * n + 1) ** 2)
        for start in range(0, len(group), step):
            part = group[start : start + step]
            _add_footprints(sums, a[:, part], d[part], H[part], weights[:, part], int(n), window)
    return sums.reshape(len(weights), size[1], size[0])


def _rounded_up(n: Array) -> Array:
    """Footprint radii rounded up to one of about twelve per factor of ten, so that groups are few and large."""
    exact = 2.0 ** (np.ceil(4.0 * np.log2(np.maximum(n, 1))) / 4.0)
    return np.ceil(exact - 1e-9).astype(int)


def _add_footprints(sums: Array, a: Array, d: Array, H: Array, weights: Array, n: int, window: Window) -> None:
    """Adds particles whose footprints fit into (2n + 1)^2 pixels to `sums`, shape (K, pixels), in place."""
    offset = np.arange(-n, n + 1)
    squares, indices, inside = [], [], []
    for k in range(2):
        index = np.rint(a[k]).astype(int)[:, None] + offset
        squares.append(((index - a[k][:, None]) * window.pixel[k]) ** 2)
        inside.append(np.ones_like(index, dtype=bool) if window.wraps(k) else (index >= 0) & (index < window.shape[k]))
        indices.append(index % window.shape[k])
    r2 = squares[1][:, :, None] + (squares[0] + (d * d)[:, None])[:, None, :]
    hit = (r2 < (H * H)[:, None, None]) & inside[1][:, :, None] & inside[0][:, None, :]
    particle, up, right = np.nonzero(hit)
    w = cubic_spline(np.sqrt(r2[hit]) / H[particle])
    target = indices[1][particle, up] * window.shape[0] + indices[0][particle, right]
    for k in range(len(sums)):
        sums[k] += np.bincount(target, w * weights[k, particle], minlength=sums.shape[1])


def projection_sums(x: Array, h: Array, weights: Array, window: Window) -> Array:
    """Sums of kernel columns through the whole depth, averaged over pixels.

        S_k(p) = sum_j w_kj F(|p - x_j|_perp / H_j) / H_j^2

    With w = m it is the surface density. Particles are shared between two of at most 32 classes of H (linearly in
    log H), laid on the grid by cloud-in-cell, and each class is convolved with its column by FFT, so the cost does not
    grow with the number of pixels under a particle; mass is conserved to round-off.

    Args:
        x: shape (N, 3); h: shape (N); weights: shape (K, N).

    Returns:
        shape (K, up, right).
    """
    H = np.maximum(SUPPORT * h, 1e-3 * max(window.pixel))
    margin = [0 if window.wraps(k) else int(np.ceil(H.max() / window.pixel[k])) + 1 for k in range(2)]
    margin = [min(margin[k], window.shape[k]) for k in range(2)]
    size = [window.shape[k] + 2 * margin[k] for k in range(2)]
    a = np.stack([(x[:, window.directions[k]] - window.low[k]) / window.pixel[k] - 0.5 + margin[k] for k in range(2)])
    classes = _support_classes(H)
    place = np.zeros(len(H)) if len(classes) == 1 else np.interp(np.log(H), np.log(classes), np.arange(len(classes)))
    total = np.zeros((len(weights), size[1], size[0]))
    for c, support in enumerate(classes):
        share = 1.0 - np.abs(place - c)
        members = np.flatnonzero(share > 0.0)
        if len(members) == 0:
            continue
        kernel = np.fft.rfft2(_column_image(support, size, window.pixel))
        for k in range(len(weights)):
            grid = _cloud_in_cell(a[:, members], weights[k, members] * share[members], size, window)
            total[k] += np.fft.irfft2(np.fft.rfft2(grid) * kernel, s=grid.shape)
    total = total[:, margin[1] : margin[1] + window.shape[1], margin[0] : margin[0] + window.shape[0]]
    return total / (window.pixel[0] * window.pixel[1])


def _support_classes(H: Array) -> Array:
    """Logarithmically spaced support radii, at most 15 % apart unless 32 do not suffice."""
    low, high = H.min(), H.max()
    count = 1 + int(np.ceil(np.log(high / low) / np.log(1.15)))
    return np.geomspace(low, high, min(count, _MOST_CLASSES)) if count > 1 else np.array([high])


def _column_image(support: float, size: list[int], pixel: tuple[float, float]) -> Array:
    """The column kernel on the grid, its centre in pixel (0, 0), wrapped, with sum 1; averaged over sub-pixels."""
    fine = (np.arange(_FINE_SAMPLING) + 0.5) / _FINE_SAMPLING - 0.5
    steps = []
    for k in range(2):
        cells = np.arange(size[k])
        steps.append(((cells + size[k] // 2) % size[k] - size[k] // 2)[:, None] + fine)
    image = np.zeros((size[1], size[0]))
    # Only the pixels that the kernel reaches: the table is slow compared with the rest.
    near = [np.flatnonzero(np.min(np.abs(steps[k]), axis=1) * pixel[k] < support) for k in range(2)]
    dx, dy = (steps[k][near[k]] * pixel[k] for k in range(2))
    b = np.sqrt(dx[None, :, None, :] ** 2 + dy[:, None, :, None] ** 2) / support
    image[np.ix_(near[1], near[0])] = column_kernel(b).mean(axis=(2, 3))
    total = image.sum()
    if total > 0.0:
        return image / total
    image[0, 0] = 1.0
    return image


def _cloud_in_cell(a: Array, weight: Array, size: list[int], window: Window) -> Array:
    """Lays weights on the grid, shared between the four nearest pixels; shape (up, right)."""
    base = np.floor(a).astype(int)
    part = a - base
    grid = np.zeros(size[0] * size[1])
    for i in range(2):
        for j in range(2):
            cell = [base[0] + i, base[1] + j]
            share = (part[0] if i else 1.0 - part[0]) * (part[1] if j else 1.0 - part[1]) * weight
            inside = np.ones(len(weight), dtype=bool)
            for k in range(2):
                if not window.wraps(k):
                    inside &= (cell[k] >= 0) & (cell[k] < size[k])
            target = (cell[1] % size[1]) * size[0] + cell[0] % size[0]
            grid += np.bincount(target[inside], share[inside], minlength=len(grid))
    return grid.reshape(size[1], size[0])
