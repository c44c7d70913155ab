"""Pictures of gas on an octree: slices with the sub-grids, profiles beside the exact solution, and history.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from numpy.typing import NDArray

from tacit.drawing import maps, style
from tacit.drawing.page import compose, escaped, width_of
from tacit.drawing.request import Request
from tacit.errors import InputError
from tacit.history import FILE_NAME, balanced, drifts, read_history
from tacit.octree_gas import OctreeGas, is_octree_file, octree_snapshots, read_octree_gas
from tacit.parameters import table
from tacit.units import Units

Array = NDArray[np.float64]
Panel = Callable[[Axes, "_Scene"], None]

_CURVE_HEIGHT = 2.9
"""Of a row of curves [inches]."""
_MOST_POINTS = 20_000
_MOST_BLOCKS = 4000


@dataclass(frozen=True)
class _Scene:
    """What there is to draw."""

    request: Request
    now: OctreeGas
    history: dict[str, Array]
    coordinate: Array
    """Shape (cells): along which profiles are drawn."""
    symbol: str
    velocity: str
    """The name of the velocity along it."""

    def values(self, name: str) -> Array:
        """A field of the snapshot; v is the velocity along the coordinate."""
        fields = self.now.fields
        prefix = "exact_" if name.startswith("exact_") else ""
        bare = name.removeprefix("exact_")
        if bare == "u":
            return fields[f"{prefix}P"] / ((self.now.gamma - 1.0) * fields[f"{prefix}rho"])
        if bare == "speed" or (bare == "v" and self.symbol != "r"):
            parts = [fields[f"{prefix}v{axis}"] for axis in "xyz"]
            return np.sqrt(sum(part**2 for part in parts)) if bare == "speed" else parts["xyz".index(self.symbol)]
        if bare == "v":
            away = self.now.centres - 0.5 * self.now.box
            away[:, self.now.dimension:] = 0.0
            parts = sum(fields[f"{prefix}v{axis}"] * away[:, k] for k, axis in enumerate("xyz"))
            return parts / np.maximum(self.coordinate, 1e-300)
        return fields[name]


def is_octree(path: Path) -> bool:
    """Whether there is anything of the amr solver at `path`."""
    return bool(octree_snapshots(path)) if path.is_dir() else is_octree_file(path)


def compose_octree(path: Path, request: Request) -> Figure:
    """The figure of a run's directory or a snapshot.

    Raises:
        InputError: if the request cannot be met with what is there.
    """
    if request.kind == "projection":
        raise InputError("--kind projection: there are slice, profile and history of gas on an octree")
    now = read_octree_gas((octree_snapshots(path) if path.is_dir() else [path])[-1])
    history = read_history((path if path.is_dir() else path.parent) / FILE_NAME)
    scene = _Scene(request, now, history, *_coordinate(now))
    rows = _rows(scene)
    if not rows:
        raise InputError(f"{path}: there is nothing of the kind '{request.kind}' here")
    width = width_of(max(map(len, rows)))
    heights = [_height(row, scene, width / len(row)) for row in rows]
    return compose([[partial(panel, scene=scene) for panel in row] for row in rows], heights, _title(scene))


def _coordinate(now: OctreeGas) -> tuple[Array, str, str]:
    """The distance from the centre of an explosion; along the tube; else along x."""
    if now.setup == "sedov":
        away = now.centres - 0.5 * now.box
        away[:, now.dimension:] = 0.0
        return np.sqrt(np.sum(away**2, axis=1)), "r", "v_r"
    axis = str(table(now.parameters, "sod").get("axis", "x")) if now.setup == "sod" else "x"
    return now.centres[:, "xyz".index(axis)], axis, f"v_{axis}"


def _rows(scene: _Scene) -> list[list[Panel]]:
    now, kind = scene.now, scene.request.kind
    asked = scene.request.field
    if asked is not None and asked not in {*now.fields, "u", "v", "speed"}:
        raise InputError(f"--field {asked}: the snapshot has {', '.join([*now.fields, 'u', 'v', 'speed'])}")
    maps_of = [asked] if asked is not None else ["rho", "P"]
    slices: list[Panel] = [partial(_draw_slice, name=name) for name in maps_of] if now.dimension > 1 else []
    curves: list[Panel] = [partial(_draw_profile, name=name) for name in ("rho", "v", "P", "u")]
    if asked is not None and kind == "profile":
        curves = [partial(_draw_profile, name=asked)]
    history: list[Panel] = [_draw_energies, _draw_drifts] if scene.history else []
    if np.any(scene.history.get("error_density", np.zeros(1)) > 0.0):
        history.append(_draw_errors)
    halves = [curves[:2], curves[2:]]
    rows = {"slice": [slices], "profile": halves, "history": [history],
            "all": [slices, *halves, history] if now.dimension == 1 else [slices, curves, history]}[kind]
    return [row for row in rows if row]


def _axes_of(scene: _Scene) -> tuple[int, int, int]:
    """The normal of slices, and the axes along and up; of a plane its own."""
    normal = scene.request.axis if scene.now.dimension == 3 else 2
    right, up = (axis for axis in range(3) if axis != normal)
    return normal, right, up


def _height(row: list[Panel], scene: _Scene, width: float) -> float:
    """Inches; slices follow the shape of their plane."""
    if not isinstance(row[0], partial) or row[0].func is not _draw_slice:
        return _CURVE_HEIGHT
    _, right, up = _axes_of(scene)
    return maps.height(width, scene.now.box[up] / scene.now.box[right], scene.request)


def _title(scene: _Scene) -> str:
    now = scene.now
    units = Units.of_run(now.parameters)
    blocks = len(now.blocks)
    return "    ".join([escaped(now.name), *([escaped(now.setup)] if now.setup and now.setup != now.name else []),
                        units.moment(now.time),
                        f"{len(now.centres):,} cells in {blocks:,} sub-grids".replace(",", " "), units.note])


def _draw_slice(axes: Axes, scene: _Scene, name: str) -> None:
    """Colours of the cells that the plane cuts, and over the first field the sub-grids."""
    now, (normal, right, up) = scene.now, _axes_of(scene)
    cut = 0.5 * now.box[normal] if scene.request.cut is None else scene.request.cut
    if not 0.0 <= cut <= now.box[normal]:
        raise InputError(f"--cut {cut:g}: {now.path} reaches from {'xyz'[normal]} = 0 to {now.box[normal]:g}")
    fields = now.fields if name in now.fields else now.fields | {name: scene.values(name)}
    image = OctreeGas(**(vars(now) | {"fields": fields})).slice(name, normal, cut)
    low, high = float(np.nanmin(image)), float(np.nanmax(image))
    if high - low < 1e-12 * max(abs(low), abs(high)):  # a uniform field is not drawn as its rounding
        low, high = low - 0.5 * max(abs(low), 1e-9), high + 0.5 * max(abs(high), 1e-9)
    shown = axes.imshow(image, origin="lower", extent=(0.0, now.box[right], 0.0, now.box[up]),
                        cmap=style.colour_map(name), vmin=low, vmax=high, interpolation="nearest")
    cuts = now.blocks[(now.blocks[:, 0, normal] <= cut) & (cut <= now.blocks[:, 1, normal])]
    if name == "rho" and len(cuts) <= _MOST_BLOCKS:
        (x0, y0), (x1, y1) = ((cuts[:, k, right], cuts[:, k, up]) for k in range(2))
        outlines = np.stack([np.stack([x0, x1, x1, x0, x0], 1), np.stack([y0, y0, y1, y1, y0], 1)], axis=2)
        axes.add_collection(LineCollection(list(outlines), colors="white", linewidths=0.35, alpha=0.6))
    if name == "rho":
        _draw_lobes(axes, now, normal, cut)
    where = rf", ${'xyz'[normal]} = {cut:.4g}$" if now.dimension == 3 else ""
    axes.set(title=style.words(name) + where, xlabel=f"${'xyz'[right]}$", ylabel=f"${'xyz'[up]}$")
    ratio = maps.frame(axes, shown, scene.request, name == (scene.request.field or "rho"))
    maps.add_bar(axes, shown, style.symbol(name), ratio or now.box[up] / now.box[right])


def _draw_lobes(axes: Axes, now: OctreeGas, normal: int, cut: float) -> None:
    """Roche lobes of a binary in the frame that turns with it: the potential is that of the inner Lagrange point."""
    is_at_rest = table(now.parameters, "amr").get("frame", "inertial") == "inertial"
    if now.setup != "binary" or normal == 0 or is_at_rest:
        return
    plane = now.slice("potential", 2, 0.5 * now.box[2])
    along = plane[plane.shape[0] // 2]
    middle = len(along) // 2  # between the stars, whose centre of mass is there
    first, second = int(np.argmin(along[:middle])), middle + int(np.argmin(along[middle:]))
    image = now.slice("potential", normal, cut)
    up, right = ((np.arange(count) + 0.5) * now.box[axis] / count
                 for count, axis in zip(image.shape, (3 - normal, 0)))
    axes.contour(right, up, image, levels=[float(np.max(along[first:second]))], colors="white", linewidths=0.9)


def _end_of_exact(scene: _Scene) -> float:
    """The coordinate up to which the exact solution is one: around a star at rest the thin gas falls."""
    if table(scene.now.parameters, "initial").get("setup") != "polytrope":
        return np.inf
    radius = table(scene.now.parameters, "polytrope").get("radius", 1.0)
    return radius if isinstance(radius, (int, float)) else np.inf  # with a unit, which only the run knows


def _draw_profile(axes: Axes, scene: _Scene, name: str) -> None:
    """Cells as dots over the coordinate, and the exact solution where the file has it."""
    now = scene.now
    within = np.flatnonzero(scene.coordinate <= 0.5 * now.box[: now.dimension].min()) if scene.symbol == "r" \
        else np.arange(len(scene.coordinate))
    shown = within
    if len(within) > _MOST_POINTS:  # the same ones in every panel; the seed is arbitrary
        shown = np.random.default_rng(1).choice(within, _MOST_POINTS, replace=False)
    looks = {"markersize": 3.5 if len(shown) < 3000 else 1.5, "linestyle": "none", "markeredgewidth": 0.0,
             "rasterized": True}
    axes.plot(scene.coordinate[shown], scene.values(name)[shown], "o", color=style.BLUE, label="cells", **looks)
    if now.has_exact():
        known = within[scene.coordinate[within] <= _end_of_exact(scene)]
        first = known[np.unique(scene.coordinate[known], return_index=True)[1]]
        axes.plot(scene.coordinate[first], scene.values(f"exact_{name}")[first], color=style.EXACT, linewidth=1.0,
                  label="exact")
    label = rf"velocity ${scene.velocity}$" if name == "v" else style.words(name)
    axes.set(xlabel=f"${scene.symbol}$", ylabel=label)
    if name == "u" and np.ptp(np.log10(np.maximum(scene.values(name)[shown], 1e-300))) > 3.0:
        axes.set_yscale("log")
    axes.margins(y=0.12)
    axes.legend(loc="best")


def _draw_energies(axes: Axes, scene: _Scene) -> None:
    time = scene.history["time"]
    for name, colour, line in (("total", style.BLACK, "-"), ("kinetic", style.BLUE, "--"),
                               ("internal", style.VERMILION, "-."), ("potential", style.GREEN, ":")):
        energy = scene.history.get(f"{name}_energy")
        if energy is not None:  # there is a potential one with gravity only
            axes.plot(time, energy, color=colour, linestyle=line, label=name, marker=style.marker(len(time)))
    axes.set(xlabel="time $t$", ylabel="energy")
    axes.margins(x=0.0, y=0.15)
    axes.legend(loc="best")


def _draw_drifts(axes: Axes, scene: _Scene) -> None:
    """Of mass and energy, with what has left through sides; and where all sides are periodic of momentum."""
    low = table(scene.now.parameters, "amr").get("low", "periodic")
    is_periodic = set([low] if isinstance(low, str) else low) == {"periodic"}
    found = drifts(balanced(scene.history))
    for (name, drift), colour in zip(found.items(), (style.VERMILION, style.BLUE, style.GREEN)):
        if name == "momentum" and not is_periodic:
            continue
        axes.semilogy(scene.history["time"], np.maximum(drift, 1e-17), color=colour, label=name)
    axes.set(xlabel="time $t$", ylabel="change over the scale", ylim=(5e-18, None))
    axes.margins(x=0.0)
    axes.legend(loc="best")


def _draw_errors(axes: Axes, scene: _Scene) -> None:
    time = scene.history["time"]
    for name, colour in (("density", style.BLUE), ("velocity", style.GREEN), ("pressure", style.VERMILION)):
        error = scene.history[f"error_{name}"]
        seen = error > 0.0
        axes.semilogy(time[seen], error[seen], color=colour, label=name, marker=style.marker(np.count_nonzero(seen)))
    axes.set(xlabel="time $t$", ylabel="mean error against exact")
    axes.margins(x=0.0)
    axes.legend(loc="best")
