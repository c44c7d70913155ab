"""Pictures of bodies without gas: projections by type, profiles around their centre, and history.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from numpy.typing import NDArray

from tacit.bodies import KINDS, Bodies, body_snapshots, is_body_file, read_bodies
from tacit.drawing import curves, maps, style
from tacit.drawing.page import compose, escaped, width_of
from tacit.drawing.request import Request
from tacit.errors import InputError
from tacit.history import FILE_NAME, read_history

Array = NDArray[np.float64]

_MOST_MAPS = 3
_SHELLS = 24
_PIXELS = 128


@dataclass(frozen=True)
class _Scene:
    bodies: Bodies
    history: dict[str, Array]
    request: Request

    @property
    def half(self) -> float:
        """Half of what maps show: what holds 95 % of the bodies along each axis [length]."""
        return 1.1 * float(np.percentile(np.abs(self.bodies.x - self.bodies.centre()).max(axis=1), 95.0)) or 1.0


def is_bodies(path: Path) -> bool:
    """Whether there are bodies without gas at `path`."""
    return bool(body_snapshots(path)) if path.is_dir() else is_body_file(path)


def compose_bodies(path: Path, request: Request) -> Figure:
    """The figure of a snapshot or a run's directory.

    Raises:
        InputError: if the request cannot be met.
    """
    bodies = read_bodies(body_snapshots(path)[-1] if path.is_dir() else path)
    history = read_history((path if path.is_dir() else path.parent) / FILE_NAME)
    scene = _Scene(bodies, history, request)
    rows = _rows(scene)
    width = width_of(max(map(len, rows)))
    heights = [maps.height(width / len(row), 1.0, request) if row[0].func is _draw_map else 2.75 for row in rows]
    count = f"{len(bodies.m):,}".replace(",", r"\,")
    clock = bodies.units.clock(max([bodies.time, *history.get("time", ())]))
    title = rf"{escaped(bodies.name)}    $t = {clock.text(bodies.time)}$    $N = {count}$"
    return compose(rows, heights, title)


def _rows(scene: _Scene) -> list[list[partial[None]]]:
    kind = scene.request.kind
    if kind == "slice" or scene.request.field is not None:
        raise InputError(f"{scene.bodies.path}: has bodies alone, of which there are projection, profile and history")
    shown = [partial(_draw_map, scene=scene, kind=one) for one in scene.bodies.types[:_MOST_MAPS]]
    profiles = [partial(_draw_density, scene=scene), partial(_draw_rotation, scene=scene),
                partial(_draw_dispersion, scene=scene)]
    clock = scene.bodies.units.clock(max([scene.bodies.time, *scene.history.get("time", ())]))
    energies = [partial(curves.draw_energies, history=scene.history, units=scene.bodies.units, clock=clock),
                partial(curves.draw_drifts, history=scene.history, clock=clock)] if scene.history else []
    rows = {"projection": [shown], "profile": [profiles], "history": [energies]}.get(kind, [shown, profiles, energies])
    rows = [row for row in rows if row]
    if not rows:
        raise InputError(f"{scene.bodies.path}: no {FILE_NAME} with a column 'time' beside it, so no history to draw")
    return rows


def _draw_map(axes: Axes, scene: _Scene, kind: int) -> None:
    """Surface density of one type."""
    bodies, axis = scene.bodies, scene.request.axis
    right, up = (k for k in range(3) if k != axis)
    centre, half = bodies.centre(), scene.half
    mine = bodies.type == kind
    pixels = min(_PIXELS, scene.request.resolution)
    left, right_end, down, top = scene.request.extent or (centre[right] - half, centre[right] + half,
                                                          centre[up] - half, centre[up] + half)
    edges = [np.linspace(left, right_end, pixels + 1), np.linspace(down, top, pixels + 1)]
    mass, _, _ = np.histogram2d(bodies.x[mine, right], bodies.x[mine, up], bins=edges, weights=bodies.m[mine])
    sigma = _blurred(mass.T / ((right_end - left) * (top - down) / pixels**2))
    high = float(sigma.max()) or 1.0
    shown = axes.imshow(np.maximum(sigma, 1e-4 * high), origin="lower", cmap=style.colour_map("sigma"),
                        extent=(*edges[0][[0, -1]], *edges[1][[0, -1]]), norm=LogNorm(1e-4 * high, high))
    maps.frame(axes, shown, scene.request)
    label = bodies.units.label("length")
    axes.set(title=f"{KINDS[kind]}, along ${'xyz'[axis]}$", xlabel=f"${'xyz'[right]}${label}",
             ylabel=f"${'xyz'[up]}${label}")
    maps.add_bar(axes, shown, f"{style.words('sigma')}{bodies.units.label('sigma')}", (top - down) / (right_end - left))


def _blurred(image: Array) -> Array:
    """Spread by two pixels, so that few bodies do not show as dots alone."""
    weights = np.exp(-0.5 * (np.arange(-6, 7) / 2.0) ** 2)
    weights /= weights.sum()
    for axis in (0, 1):
        image = np.apply_along_axis(np.convolve, axis, image, weights, mode="same")
    return image


def _shells(scene: _Scene) -> tuple[Array, Array]:
    """Distances from the centre, shape (N), and edges of shells from 1 % of the bodies to 99 % [length]."""
    r = np.linalg.norm(scene.bodies.x - scene.bodies.centre(), axis=1)
    low, high = np.percentile(r, (1.0, 99.0))
    low = max(float(low), 1e-6 * float(high), 1e-300)
    return r, np.geomspace(low, max(float(high), 2.0 * low), _SHELLS + 1)


def _draw_density(axes: Axes, scene: _Scene) -> None:
    r, edges = _shells(scene)
    volume = 4.0 / 3.0 * np.pi * np.diff(edges**3)
    for kind, (colour, line) in zip(scene.bodies.types, style.RUNS):
        mine = scene.bodies.type == kind
        mass, _ = np.histogram(r[mine], edges, weights=scene.bodies.m[mine])
        some = mass > 0.0
        axes.loglog(np.sqrt(edges[1:] * edges[:-1])[some], (mass / volume)[some], color=colour, linestyle=line,
                    label=KINDS[kind])
    units = scene.bodies.units
    axes.set(xlabel=f"$r${units.label('length')}", ylabel=f"{style.words('rho')}{units.label('rho')}", title="profile")
    if scene.bodies.types:
        axes.legend(loc="best")


def _draw_rotation(axes: Axes, scene: _Scene) -> None:
    """Mean speed around the axis of the angular momentum, by type."""
    bodies = scene.bodies
    r, edges = _shells(scene)
    x = bodies.x - bodies.centre()
    inner = r <= np.median(r)
    v = bodies.velocity - np.average(bodies.velocity[inner], axis=0, weights=bodies.m[inner])
    spin = np.sum(bodies.m[:, None] * np.cross(x, v), axis=0)
    size = np.linalg.norm(spin)
    axis = spin / size if size > 0.0 else np.array([0.0, 0.0, 1.0])
    around = np.cross(axis, x)
    away = np.linalg.norm(around, axis=1)
    speed = np.sum(v * around, axis=1) / np.where(away > 0.0, away, 1.0)
    for kind, (colour, line) in zip(bodies.types, style.RUNS):
        mine = bodies.type == kind
        count, _ = np.histogram(away[mine], edges)
        total, _ = np.histogram(away[mine], edges, weights=speed[mine])
        some = count > 0
        axes.semilogx(np.sqrt(edges[1:] * edges[:-1])[some], total[some] / count[some], color=colour, linestyle=line)
    axes.axhline(0.0, color=style.BLACK, linewidth=0.6)
    axes.set(xlabel=f"distance from the axis{bodies.units.label('length')}",
             ylabel=f"mean rotation{bodies.units.label('v')}", title="rotation")


def _draw_dispersion(axes: Axes, scene: _Scene) -> None:
    """Root of the mean square of one component of velocities, by type."""
    bodies = scene.bodies
    r, edges = _shells(scene)
    for kind, (colour, line) in zip(bodies.types, style.RUNS):
        mine = bodies.type == kind
        count, _ = np.histogram(r[mine], edges)
        some = count > 1
        variance = np.zeros(len(count))
        for k in range(3):
            mean = np.histogram(r[mine], edges, weights=bodies.velocity[mine, k])[0] / np.maximum(count, 1)
            square = np.histogram(r[mine], edges, weights=bodies.velocity[mine, k] ** 2)[0] / np.maximum(count, 1)
            variance += np.maximum(square - mean**2, 0.0) / 3.0
        axes.semilogx(np.sqrt(edges[1:] * edges[:-1])[some], np.sqrt(variance[some]), color=colour, linestyle=line)
    axes.set(xlabel=f"$r${bodies.units.label('length')}", ylabel=f"$\\sigma_1${bodies.units.label('v')}",
             title="velocity dispersion")
