"""Coordinates and binned means of particle fields, along x or by distance from a centre.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.snapshot import Snapshot

Array = NDArray[np.float64]


def offsets(snapshot: Snapshot, centre: Array) -> Array:
    """Shape (N, 3): x - centre [length], by the nearest image in a periodic box; 0 along axes that it does not use."""
    d = snapshot.x - centre
    d[:, snapshot.dimension :] = 0.0
    return d - snapshot.box * np.round(d / snapshot.box) if snapshot.is_periodic else d


def coordinate_and_velocity(snapshot: Snapshot, geometry: str, centre: Array) -> tuple[Array, Array]:
    """Shape (N) each: a coordinate and a velocity that belongs to it.

    - "axial": x and v_x; "layered": y and v_x
    - "radial": r = |x - centre| and v_r = v . (x - centre) / r
    - "circular": distance from the axis along z, and the velocity around it
    - "square": the larger of |x| and |y| from the centre, and the velocity along that axis away from it
    """
    if geometry in ("axial", "layered"):
        return snapshot.x[:, 0 if geometry == "axial" else 1], snapshot.velocity[:, 0]
    d = offsets(snapshot, centre)
    if geometry == "square":
        axis = np.argmax(np.abs(d[:, :2]), axis=1)
        along = np.take_along_axis(d, axis[:, None], axis=1)[:, 0]
        return np.abs(along), np.sign(along) * np.take_along_axis(snapshot.velocity, axis[:, None], axis=1)[:, 0]
    if geometry == "circular":
        r = np.hypot(d[:, 0], d[:, 1])
        turn = d[:, 0] * snapshot.velocity[:, 1] - d[:, 1] * snapshot.velocity[:, 0]
        return r, turn / np.maximum(r, 1e-300)
    r = np.sqrt(np.sum(d * d, axis=1))
    return r, np.sum(d * snapshot.velocity, axis=1) / np.maximum(r, 1e-300)


@dataclass(frozen=True)
class BinnedMean:
    """Means over bins that hold at least one particle."""

    centre: Array
    mean: Array
    scatter: Array
    """Standard deviation within the bin."""


def binned_mean(coordinate: Array, values: Array, weights: Array, edges: Array) -> BinnedMean:
    """Weighted mean and standard deviation per bin; values on the last edge lie outside.

    Args:
        coordinate, values, weights: shape (N); weights are the particles' masses in all uses here.
        edges: shape (n + 1), increasing.
    """
    count = len(edges) - 1
    index = np.searchsorted(edges, coordinate, side="right") - 1
    inside = (index >= 0) & (index < count) & np.isfinite(values)
    index, values, weights = index[inside], values[inside], weights[inside]
    total = np.bincount(index, weights, minlength=count)
    filled = total > 0.0
    norm = np.where(filled, total, 1.0)
    mean = np.bincount(index, weights * values, minlength=count) / norm
    variance = np.bincount(index, weights * (values - mean[index]) ** 2, minlength=count) / norm
    centre = 0.5 * (edges[1:] + edges[:-1])
    return BinnedMean(centre[filled], mean[filled], np.sqrt(variance[filled]))
