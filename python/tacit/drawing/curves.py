"""Curve panels: profiles of the gas beside the exact solution, and the history of a run.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from tacit.drawing import style
from tacit.drawing.maps import reference
from tacit.growth import Growth
from tacit.history import drifts, is_expanding
from tacit.profiles import binned_mean, coordinate_and_velocity
from tacit.snapshot import Snapshot
from tacit.solutions import ExactProfile, shear_seed
from tacit.units import Clock, Units

Array = NDArray[np.float64]

MOST_POINTS = 20_000
_BINS = {"radial": 50, "axial": 100, "layered": 100, "circular": 50, "square": 50}
# Names of the coordinate and of the velocity.
_SYMBOLS = {"radial": ("r", "v_r"), "axial": ("x", "v_x"), "layered": ("y", "v_x"), "circular": ("r", r"v_\varphi"),
            "square": (r"\max(|x|, |y|)", "v")}
_EXACT_POINTS = 1200
# Largest over median of the mean profile; the internal energy, which blast waves drive up in thin gas, comes first.
_LOGARITHMIC_FROM = (100.0, 20.0)


class ProfileFrame:
    """The coordinate that all profile panels of a figure share: along x, or distance from a centre."""

    def __init__(self, snapshot: Snapshot, exact: ExactProfile | None, low: Array, high: Array) -> None:
        """Takes the exact solution's coordinate; without one, x in a long box and else the radius.

        Args:
            low, high: shape (3), corners of the part of the domain that is drawn.
        """
        self.snapshot, self.exact = snapshot, exact
        used = snapshot.box[: snapshot.dimension]
        is_long = snapshot.dimension == 1 or used[0] > 1.9 * max(used[1:])
        guess = "layered" if shear_seed(snapshot) is not None else "axial" if is_long else "radial"
        self.geometry = exact.geometry if exact is not None else guess
        self.centre = exact.centre if exact is not None else 0.5 * (low + high)
        self.coordinate, self.velocity = coordinate_and_velocity(snapshot, self.geometry, self.centre)
        # What turns about an axis or is a column does not care how deep the box is.
        across = 2 if self.geometry in ("circular", "square") else snapshot.dimension
        shortest = float((high - low)[:across].min())
        along = {"axial": 0, "layered": 1}.get(self.geometry)
        self.range = (0.0, 0.5 * shortest) if along is None else (low[along], high[along])
        inside = np.flatnonzero((self.coordinate >= self.range[0]) & (self.coordinate <= self.range[1]))
        # Same subset in every panel and every drawing; the seed is arbitrary.
        if len(inside) > MOST_POINTS:
            inside = np.random.default_rng(1).choice(inside, MOST_POINTS, replace=False)
        self.shown = inside
        self.edges = np.linspace(*self.range, _BINS[self.geometry] + 1)

    def names(self) -> list[str]:
        """Fields that can be drawn, in the order of the panels."""
        return [name for name in ("rho", "v", "P", "u") if name == "v" or name in self.snapshot.fields]

    def values(self, name: str) -> Array:
        """Shape (N); v is the component along the coordinate."""
        return self.velocity if name == "v" else self.snapshot.quantity(name)

    def exact_values(self, name: str, coordinate: Array) -> Array | None:
        """The exact solution, with u = P / ((gamma - 1) rho); None where it has no such field."""
        if self.exact is None:
            return None
        fields = self.exact.sample(coordinate)
        if name == "u":
            positive = np.where(fields["rho"] > 0.0, fields["rho"], np.nan)
            return fields["P"] / ((self.snapshot.gamma - 1.0) * positive)
        return fields.get(name)


def draw_profile(axes: Axes, frame: ProfileFrame, name: str) -> None:
    """Particles as dots, their mean per bin, and the exact solution."""
    values = frame.values(name)
    mean = binned_mean(frame.coordinate, values, frame.snapshot.m, frame.edges)
    size = 3.5 if len(frame.shown) < 3000 else 1.8
    axes.plot(frame.coordinate[frame.shown], values[frame.shown], ".", color=style.PARTICLES, markersize=size,
              markeredgewidth=0.0, alpha=0.5, rasterized=True, zorder=1, label="particles")
    line = np.linspace(*frame.range, _EXACT_POINTS)
    exact = frame.exact_values(name, line)
    if exact is not None:
        axes.plot(line, exact, color=style.EXACT, zorder=2, label="exact")
    axes.plot(mean.centre, mean.mean, "o", color=style.MEAN, markersize=3.2, markeredgecolor="white",
              markeredgewidth=0.4, zorder=3, label="mean")
    label_profile(axes, frame, name)
    set_scale(axes, name, values[frame.shown], exact, mean.mean, reference(frame.exact, name))


def label_profile(axes: Axes, frame: ProfileFrame, name: str) -> None:
    """Names both axes, and gives the coordinate its range."""
    along, velocity = _SYMBOLS[frame.geometry]
    units = frame.snapshot.units
    word = f"velocity ${velocity}$" if name == "v" else style.words(name)
    axes.set(xlabel=f"${along}${units.label('length')}", ylabel=f"{word}{units.label(name)}", xlim=frame.range)


def set_scale(axes: Axes, name: str, values: Array, exact: Array | None, mean: Array, about: float | None) -> None:
    """Limits that hold particles and exact line; a logarithmic axis where a linear one would hide most of the curve.

    What is shown about a value has that in the middle.
    """
    values = values[np.isfinite(values)]
    if len(values) == 0 or len(mean) == 0:
        return
    low, high = np.percentile(values, (0.02, 99.98))
    if values.min() > 0.0 and mean.max() > _LOGARITHMIC_FROM[name == "u"] * np.median(mean):
        axes.set_yscale("log")
        axes.set_ylim(max(low / 2.0, 1e-10 * high), high * 3.0)
        return
    if exact is not None and np.isfinite(exact).any():
        low, high = min(low, float(np.nanmin(exact))), max(high, float(np.nanmax(exact)))
    if about is not None:
        low, high = (about + sign * max(high - about, about - low) for sign in (-1.0, 1.0))
    size = max(abs(high), abs(low))
    # A uniform field must not be drawn as its round-off over the whole axis.
    margin = 0.07 * (high - low) if high - low > 1e-4 * size else 0.1 * size or 1.0
    axes.set_ylim(low - margin, high + margin)


def draw_growth(axes: Axes, growth: Growth, units: Units, clock: Clock) -> None:
    """Amplitude of the seeded wave in the snapshots, beside linear theory."""
    axes.plot(growth.linear_time * clock.scale, growth.linear_amplitude, color=style.EXACT, label="linear theory")
    axes.plot(growth.time * clock.scale, growth.amplitude, "o-", color=style.MEAN, markersize=3.5, linewidth=0.8,
              label="run")
    axes.set_yscale("log")
    low, high = growth.amplitude.min(), growth.amplitude.max()
    axes.set(xlabel=f"time $t${clock.label}", ylabel=f"amplitude of $v_y${units.label('v')}",
             xlim=(0.0, growth.time.max() * clock.scale), ylim=(0.5 * low, 3.0 * high))
    axes.legend(loc="best")


def _times(history: dict[str, Array], clock: Clock) -> tuple[Array, str]:
    """Along the axis of a history, and its label."""
    if is_expanding(history):
        return history["time"], "scale factor $a$"
    return history["time"] * clock.scale, f"time $t${clock.label}"


def draw_energies(axes: Axes, history: dict[str, Array], units: Units, clock: Clock) -> None:
    """Kinetic, internal, potential and total energy, as far as the run recorded them."""
    looks = (("kinetic", style.BLUE, "-"), ("internal", style.ORANGE, "-"), ("potential", style.GREEN, "-"),
             ("total", style.BLACK, "--"))
    times, axis = _times(history, clock)
    for name, colour, line in looks:
        energy = history.get(f"{name}_energy")
        if energy is not None and (name != "potential" or np.any(energy != 0.0)):
            axes.plot(times, energy, color=colour, linestyle=line, label=name, marker=style.marker(len(energy)))
    axes.set(xlabel=axis, ylabel=f"energy $E${units.label('energy')}")
    axes.margins(x=0.0, y=0.12)
    axes.legend(loc="best", ncols=2)


def draw_drifts(axes: Axes, history: dict[str, Array], clock: Clock, columns: int = 3) -> None:
    """Drift of the conserved quantities on a logarithmic axis; where it is exactly 0 the legend says so."""
    colours = {"energy": style.BLACK, "momentum": style.VERMILION, "mass": style.SKY}
    time, axis = _times(history, clock)
    smallest, largest = 1.0, 0.0
    for name, drift in drifts(history).items():
        positive = drift[drift > 0.0]
        label = name if len(positive) > 0 else f"{name}: exactly 0"
        axes.plot(time, np.where(drift > 0.0, drift, np.nan), color=colours[name], label=label,
                  marker=style.marker(len(drift)))
        if len(positive) > 0:
            smallest, largest = min(smallest, float(positive.min())), max(largest, float(positive.max()))
    if largest > 0.0:
        axes.set_yscale("log")
        axes.set_ylim(max(smallest / 10.0, 1e-20), largest * 30.0)
    axes.set(xlabel=axis, ylabel="drift  $|q(t)-q(0)|$ / scale",
             xlim=(time.min(), time.max() or 1.0))
    if axes.lines:
        axes.legend(loc="best", ncols=columns)
