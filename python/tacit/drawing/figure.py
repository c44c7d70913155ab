"""Puts a snapshot's panels onto one figure and writes it.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from tacit.drawing import curves, maps
from tacit.drawing.atoms import compose_atoms, is_atoms
from tacit.drawing.benchmark import compose_benchmark, is_benchmark
from tacit.drawing.bodies import compose_bodies, is_bodies
from tacit.drawing.cells import compose_cells, is_cells
from tacit.drawing.flow import compose_flow, is_flow
from tacit.drawing.gauge import compose_gauge, is_gauge
from tacit.drawing.heat import compose_heat, is_heat
from tacit.drawing.motion import compose_motion, is_motion
from tacit.drawing.octree import compose_octree, is_octree
from tacit.drawing.page import check_ending, compose, escaped, width_of, write
from tacit.drawing.qcd import compose_qcd, is_qcd
from tacit.drawing.request import Request
from tacit.drawing.timeline import compose_timeline, is_trace
from tacit.drawing.web import compose_web, is_web
from tacit.errors import InputError
from tacit.growth import Growth, growth_of
from tacit.history import FILE_NAME, read_history
from tacit.runs import snapshot_path
from tacit.snapshot import Snapshot, read_snapshot
from tacit.solutions import ExactProfile, exact_profile, shear_seed
from tacit.units import Clock

Array = NDArray[np.float64]

_ROW_HEIGHT = 2.5
"""Of the history [inches]."""


@dataclass(frozen=True)
class _Scene:
    """A snapshot with everything that its panels need."""

    snapshot: Snapshot
    exact: ExactProfile | None
    history: dict[str, Array]
    request: Request
    growth: Growth | None = None
    """Of a wave on a shear layer."""

    @property
    def field(self) -> str:
        """The field of slice and projection: as asked for, else the density, else the internal energy."""
        if self.request.field is not None:
            return self.request.field
        return "rho" if "rho" in self.snapshot.fields or "u" not in self.snapshot.fields else "u"

    @property
    def clock(self) -> Clock:
        """The unit of all times of the figure."""
        return self.snapshot.units.clock(max([self.snapshot.time, *self.history.get("time", ())]))

    @property
    def is_wide(self) -> bool:
        """Whether maps are long strips, two of which fill a row."""
        keep = [k for k in range(3) if k != self.request.axis]
        low, high = maps.view_bounds(self.snapshot)
        extent = (high - low)[keep]
        return bool(extent.max() > 1.9 * extent.min() and extent[0] > extent[1])


def draw(path: Path, output: Path | None, request: Request) -> Path:
    """Draws a snapshot, a run's directory or its trace, or results of benchmarks; the picture is complete or absent.

    Returns:
        The path of the picture.

    Raises:
        InputError: if there is nothing to draw at `path`, or `request` or `output` cannot be met.
    """
    target = output or (path / "picture.png" if path.is_dir() else path.with_suffix(".png"))
    check_ending(target)
    write(figure_of(path, request), target)
    return target


def figure_of(path: Path, request: Request) -> Figure:
    """The figure of a snapshot, a run's directory or its trace, or of results of benchmarks.

    Raises:
        InputError: as `draw`.
    """
    if is_benchmark(path):
        return compose_benchmark(path)
    if is_trace(path):
        return compose_timeline(path, request.window)
    if request.window is not None:
        raise InputError(f"--window is for traces; {path} is none (give trace.json of a run)")
    kinds = ((is_heat, compose_heat), (is_atoms, compose_atoms), (is_motion, compose_motion),
             (is_flow, compose_flow), (is_octree, compose_octree),
             (is_qcd, compose_qcd), (is_gauge, compose_gauge), (is_cells, compose_cells), (is_web, compose_web),
             (is_bodies, compose_bodies))
    compose_one = next((composed for belongs, composed in kinds if belongs(path)), compose_gas)
    return compose_one(path, request)


def compose_gas(path: Path, request: Request) -> Figure:
    """The figure of a snapshot or a run's directory.

    Raises:
        InputError: if there is nothing to draw at `path`, or the request cannot be met.
    """
    return _compose(_read(path, request))


def _read(path: Path, request: Request) -> _Scene:
    snapshot = read_snapshot(snapshot_path(path))
    if request.mean_molecular_weight is not None:
        snapshot.add_temperature(request.mean_molecular_weight)
    history = read_history((path if path.is_dir() else path.parent) / FILE_NAME)
    exact = exact_profile(snapshot, request.solution)
    if exact is not None and exact.invalid_because() is not None:
        exact = None
    seed = shear_seed(snapshot) if history else None
    growth = growth_of(seed, path if path.is_dir() else path.parent, snapshot.time) if seed else None
    return _Scene(snapshot, exact, history, request, growth)


def _compose(scene: _Scene) -> Figure:
    rows = _rows(scene)
    if not rows:
        raise InputError(f"{scene.snapshot.path}: no {FILE_NAME} with a column 'time' beside it, so no history to draw")
    width = width_of(max(map(len, rows)))
    heights = [_height(row, scene, width / len(row)) for row in rows]
    panels = [[partial(_draw_panel, panel=panel, scene=scene) for panel in row] for row in rows]
    return compose(panels, heights, _title(scene))


def _rows(scene: _Scene) -> list[list[tuple[str, str]]]:
    """Panels as (kind, field), row by row."""
    kind, field = scene.request.kind, scene.field
    _require_maps(scene)
    if kind in ("slice", "projection"):
        return [[(kind, field)]]
    profile = [("profile", name) for name in _profile_names(scene)]
    history = [("energies", ""), ("drifts", "")] if scene.history else []
    if scene.growth is not None:
        history.insert(0, ("growth", ""))
    if kind == "profile":
        return [profile[:2], profile[2:]] if len(profile) == 4 else [profile]
    if kind == "history":
        return [history] if history else []
    if scene.snapshot.dimension < 3:
        pictures = [("slice", field)] if scene.snapshot.dimension == 2 else []
        if pictures and not scene.is_wide:
            pictures.append(("slice", _second_field(scene)))
        return [row for row in (pictures, profile, history) if row]
    # A file without densities still has a surface density: it needs masses only.
    pictures = [("slice", field), ("projection", scene.request.field or "rho")]
    if not scene.is_wide and np.any(scene.snapshot.velocity):
        pictures.insert(1, ("slice", _second_field(scene)))
    return [row for row in (pictures, profile, history) if row]


def _second_field(scene: _Scene) -> str:
    """What is drawn beside the field of the maps: the speed; of gas that should rest, its pressure; of a shear layer,
    the wave; or the density."""
    if scene.field != "rho" and "rho" in scene.snapshot.fields:
        return "rho"
    if shear_seed(scene.snapshot) is not None:
        return "vy"
    return "P" if scene.exact is not None and scene.exact.name == "square" else "v"


def _require_maps(scene: _Scene) -> None:
    """Refuses maps of a line, and of a plane those that are not the plane itself."""
    kind, snapshot = scene.request.kind, scene.snapshot
    is_possible = kind != "slice" or (snapshot.dimension == 2 and scene.request.axis == 2)
    if snapshot.dimension < 3 and (kind == "projection" or not is_possible):
        kinds = "profile and history" if snapshot.dimension == 1 else "slice (along z), profile and history"
        raise InputError(f"--kind {kind}: {snapshot.path} has {snapshot.dimension} dimension(s); of it there are "
                         f"{kinds}")


def _profile_names(scene: _Scene) -> list[str]:
    names = [name for name in ("rho", "v", "P", "u") if name == "v" or name in scene.snapshot.fields]
    asked = scene.request.field
    if asked is None or asked in names:
        return names if asked is None or scene.request.kind == "all" else [asked]
    return [asked] if scene.request.kind == "profile" else names


def _height(row: list[tuple[str, str]], scene: _Scene, width: float) -> float:
    """Height in inches of a row with panels of this width: maps follow the shape of the domain."""
    kind = row[0][0]
    if kind in ("energies", "drifts", "growth"):
        return _ROW_HEIGHT
    if kind == "profile":
        return 2.75 if len(row) > 2 else 3.2
    window = maps.make_window(scene.snapshot, scene.request.axis, 256, scene.request.extent)
    ratio = (window.high[1] - window.low[1]) / (window.high[0] - window.low[0])
    return float(np.clip(0.72 * width * ratio + 0.75, 2.2, 9.0))


def _draw_panel(axes: Axes, panel: tuple[str, str], scene: _Scene) -> None:
    kind, field = panel
    snapshot = scene.snapshot
    if kind == "energies":
        curves.draw_energies(axes, scene.history, snapshot.units, scene.clock)
    elif kind == "growth":
        curves.draw_growth(axes, scene.growth, snapshot.units, scene.clock)
    elif kind == "drifts":
        curves.draw_drifts(axes, scene.history, scene.clock, columns=3 if scene.growth is None else 1)
    elif kind == "profile":
        low, high = maps.view_bounds(snapshot)
        curves.draw_profile(axes, curves.ProfileFrame(snapshot, scene.exact, low, high), field)
        if field == _profile_names(scene)[0]:
            legend = axes.legend(loc="best")
            for handle in legend.legend_handles:
                handle.set(markersize=5.0, alpha=1.0)  # dots of a picture are too small to be seen alone
    else:
        _draw_map_panel(axes, kind, field, scene)


def _draw_map_panel(axes: Axes, kind: str, field: str, scene: _Scene) -> None:
    snapshot, request = scene.snapshot, scene.request
    window = maps.make_window(snapshot, request.axis, request.resolution, request.extent)
    asked = request if field == scene.field else replace(request, range=None)
    normal = "xyz"[request.axis]
    if kind == "projection":
        image = maps.projection_map(snapshot, field, window)
        name, title = ("sigma", f"projection along ${normal}$") if field == "rho" else (field, f"mean along ${normal}$")
        if scene.request.kind == "all" and name == "sigma":
            asked = replace(request, range=None)  # which is for the density
        maps.draw_map(axes, image, snapshot, window, name, title, asked)
        return
    low, high = maps.view_bounds(snapshot)
    middle = 0.5 * float((low + high)[request.axis]) if snapshot.dimension == 3 else 0.0
    cut = middle if request.cut is None else request.cut
    if not 0.0 <= cut <= snapshot.box[request.axis] and snapshot.is_periodic:
        raise InputError(f"--cut {cut:g}: the box ends at 0 and {snapshot.box[request.axis]:g} along {normal}")
    image = maps.slice_map(snapshot, field, window, cut)
    # Gas in two dimensions is all in its plane: there is nothing to cut.
    title = f"slice at ${normal} = {cut:.4g}$" + snapshot.units.name("length") if snapshot.dimension == 3 else ""
    maps.draw_map(axes, image, snapshot, window, field, title, asked, maps.reference(scene.exact, field))
    maps.mark_exact(axes, scene.exact, window, cut, snapshot.dimension == 3)


def _title(scene: _Scene) -> str:
    snapshot = scene.snapshot
    count = f"{snapshot.size:,}".replace(",", r"\,")
    note = "   (code units)" if snapshot.units.is_code else ""
    return rf"{escaped(snapshot.name)}    $t = {scene.clock.text(snapshot.time)}$    $N = {count}${note}"
