"""Growth of the seeded wave of a Kelvin-Helmholtz run, beside linear theory.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.exact.shear import ShearLayer, border_weight, linear_growth
from tacit.problems import number
from tacit.snapshot import Snapshot, read_snapshot

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Seed:
    """What a run's table [kelvin_helmholtz] says of the wave."""

    layer: ShearLayer
    """In units of the box."""
    box: float
    amplitude: float

    @staticmethod
    def of(table: Any) -> Seed:
        """With the defaults of the keys where the table is silent."""
        box = number(table, "box", 1.0)
        layer = ShearLayer(number(table, "density", 1.0), number(table, "density_ratio", 2.0),
                           number(table, "shear", 1.0) / box, number(table, "smoothing", 0.025),
                           int(number(table, "modes", 2)))
        return Seed(layer, box, number(table, "amplitude", 0.01))

    def linear(self, end: float) -> tuple[Array, Array]:
        """Times up to `end` and the amplitude of v_y by linear theory."""
        time, growth = linear_growth(self.layer, end)
        return time, self.amplitude * growth

    def measured(self, snapshot: Snapshot) -> float:
        """The amplitude of the seeded wave of v_y, as in McNally, Lyra & Passy (2012), ApJS 201, 18:

            M = 2 |sum v_y e^(i k x) w V| / sum w V      w = e^(-k q), q the distance from the nearer border, V = m/rho
        """
        x, y = snapshot.x[:, 0] / self.box, snapshot.x[:, 1] / self.box
        k = self.layer.k
        weight = border_weight(y, k) * snapshot.volume()
        return float(2.0 * abs(np.sum(weight * snapshot.velocity[:, 1] * np.exp(1j * k * x))) / weight.sum())


@dataclass(frozen=True)
class Growth:
    """Amplitudes of a run's snapshots and of linear theory."""

    time: Array
    amplitude: Array
    linear_time: Array
    linear_amplitude: Array


def growth_of(seed: Seed, folder: Path, end: float) -> Growth | None:
    """Measures all snapshots up to `end` in a run's directory; None if there are not three of them."""
    points = []
    for path in sorted(folder.glob("snapshot_*.hdf5")):
        try:
            snapshot = read_snapshot(path)
        except InputError:
            continue
        if snapshot.time <= end:
            points.append((snapshot.time, seed.measured(snapshot)))
    if len(points) < 3 or end <= 0.0:
        return None
    time, amplitude = np.array(sorted(points)).T
    return Growth(time, amplitude, *seed.linear(end))
