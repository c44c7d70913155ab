"""Pictures of fields in cells, whatever they are: slices, profiles, and history.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from tacit.cells import CellFields, cell_snapshots, is_cell_file, read_cells
from tacit.drawing import maps, style
from tacit.drawing.page import compose, escaped, width_of
from tacit.drawing.request import Request
from tacit.errors import InputError
from tacit.history import FILE_NAME, read_history
from tacit.parameters import setup_of
from tacit.units import Units

Array = NDArray[np.float64]
Panel = Callable[[Axes, "Scene"], None]

_MOST_FIELDS = 4
"""That are drawn without being asked for."""
_CURVE_HEIGHT = 3.1
"""Of a row of curves [inches]."""


@dataclass(frozen=True)
class Scene:
    """What there is to draw; solvers with more to say of their fields override its functions."""

    request: Request
    first: CellFields
    """The first snapshot of the run; the one to be drawn where there is no other."""
    now: CellFields
    history: dict[str, Array]

    def values(self, name: str) -> Array:
        """A field of the snapshot."""
        return self.now.fields[name]

    def place(self, name: str) -> tuple[int, ...]:
        """The cell, as (z, y, x), through which slices and profiles of a field pass."""
        return self.now.place(name)

    def title(self, name: str) -> str:
        """Of its panels."""
        return escaped(name)

    def label(self, name: str) -> str:
        """Of the bar of its colours."""
        return escaped(name)

    def axis_label(self, name: str) -> str:
        """Of axes that show its numbers."""
        return self.label(name)

    def colours(self, name: str) -> tuple[float, float, str]:
        """Limits and colour map of a slice."""
        return (*limits_of([self.values(name)]), "viridis")


def limits_of(fields: list[Array]) -> tuple[float, float]:
    """Of all of them; a uniform field is not drawn as its rounding."""
    low, high = (float(f([f(one) for one in fields])) for f in (np.min, np.max))
    if high - low < 1e-9 * max(abs(low), abs(high)):
        low, high = low - 0.5 * max(abs(low), 1e-9), high + 0.5 * max(abs(high), 1e-9)
    return low, high


def is_cells(path: Path) -> bool:
    """Whether there are fields in cells at `path`."""
    return bool(cell_snapshots(path)) if path.is_dir() else is_cell_file(path)


def compose_cells(path: Path, request: Request) -> Figure:
    """The figure of a run's directory or a snapshot.

    Raises:
        InputError: if the request cannot be met with what is there.
    """
    if request.kind == "projection":
        raise InputError("--kind projection: there are slice, profile and history of fields in cells")
    files = cell_snapshots(path) if path.is_dir() else [path]
    first, now = (read_cells(file) for file in (files[0], files[-1]))
    scene = Scene(request, first, now, read_history((path if path.is_dir() else path.parent) / FILE_NAME))
    names = asked_fields(scene, sorted(now.fields, key=lambda name: name != now.main)[:_MOST_FIELDS])
    history: list[Panel] = [partial(draw_range, name=name, prefix=f"{name}_") for name in names
                            if f"{name}_mean" in scene.history]
    return compose_scene(path, scene, names, [partial(draw_profile, name=name) for name in names], history)


def asked_fields(scene: Scene, otherwise: list[str]) -> list[str]:
    """The field that the request names, or others.

    Raises:
        InputError: if the snapshot has none of that name.
    """
    if scene.request.field is None:
        return otherwise
    if scene.request.field not in scene.now.fields:
        raise InputError(f"--field {scene.request.field}: the snapshot has {', '.join(scene.now.fields)}")
    return [scene.request.field]


def compose_scene(path: Path, scene: Scene, fields: list[str], profiles: list[Panel], history: list[Panel],
                  is_together: bool = False) -> Figure:
    """The figure of slices of some fields and of curves.

    Args:
        is_together: whether profiles and history share a row.

    Raises:
        InputError: if there is nothing of the kind that is asked for.
    """
    slices: list[Panel] = [partial(draw_slice, name=name, is_ranged=name == fields[0])
                           for name in fields] if scene.now.dimension > 1 else []
    curves = [[*profiles, *history]] if is_together else [profiles, history]
    rows = {"slice": [slices], "profile": [profiles], "history": [history], "all": [slices, *curves]}
    shown = [row for row in rows[scene.request.kind] if row]
    if not shown:
        raise InputError(f"{path}: there is nothing of the kind '{scene.request.kind}' here")
    width = width_of(max(map(len, shown)))
    heights = [_map_height(scene, width / len(row)) if row is slices else _CURVE_HEIGHT for row in shown]
    return compose([[partial(panel, scene=scene) for panel in row] for row in shown], heights, _title_of(scene))


def _axes_of(scene: Scene) -> tuple[int, int, int]:
    """The normal of slices, and the axes along and up; of a plane its own."""
    normal = scene.request.axis if scene.now.dimension == 3 else 2
    right, up = (axis for axis in range(3) if axis != normal)
    return normal, right, up


def _map_height(scene: Scene, width: float) -> float:
    """Inches; slices follow the shape of their plane."""
    _, right, up = _axes_of(scene)
    return maps.height(width, scene.now.box[up] / scene.now.box[right], scene.request)


def _title_of(scene: Scene) -> str:
    now = scene.now
    units = Units.of_run(now.parameters)
    cells = "$" + (f"{now.cells[0]}^{now.dimension}" if len(set(now.cells)) == 1 and now.dimension > 1
                   else r"\times".join(map(str, now.cells))) + "$ cells"
    setup = setup_of(now.parameters)
    return "    ".join([escaped(now.name), *([escaped(setup)] if setup and setup != now.name else []),
                        units.moment(now.time), cells, units.note])


def draw_slice(axes: Axes, scene: Scene, name: str, is_ranged: bool = True) -> None:
    """Through the place of the field, or where the request says. `is_ranged`: in the colours that it asks for."""
    normal, right, up = _axes_of(scene)
    now = scene.now
    at = scene.place(name)[2 - normal]
    if scene.request.cut is not None:
        if not 0.0 <= scene.request.cut <= now.box[normal]:
            raise InputError(f"--cut {scene.request.cut:g}: {now.path} reaches from {'xyz'[normal]} = 0 to "
                             f"{now.box[normal]:g}")
        at = int(np.argmin(np.abs(now.centres(normal) - scene.request.cut)))
    image = np.take(scene.values(name), at, axis=2 - normal)
    low, high, colours = scene.colours(name)
    shown = axes.imshow(image, origin="lower", extent=(0.0, now.box[right], 0.0, now.box[up]), cmap=colours, vmin=low,
                        vmax=high, interpolation="nearest")
    where = rf", ${'xyz'[normal]} = {now.centres(normal)[at]:.4g}$" if now.dimension == 3 else ""
    axes.set(title=scene.title(name) + where, xlabel=f"${'xyz'[right]}$", ylabel=f"${'xyz'[up]}$")
    ratio = maps.frame(axes, shown, scene.request, is_ranged)
    maps.add_bar(axes, shown, scene.label(name), ratio or now.box[up] / now.box[right])


def draw_profile(axes: Axes, scene: Scene, name: str, exact: str | None = None) -> None:
    """Along x, through the place of the field: at the begin and now, and an exact solution."""
    now = scene.now
    z, y, _ = scene.place(name)
    x = now.centres(0)
    looks = {"markersize": 4.0 if len(x) <= 64 else 2.0, "linestyle": "none", "markeredgewidth": 0.0}
    if scene.first.time != now.time and name in scene.first.fields:
        axes.plot(x, scene.first.fields[name][z, y], "o", color=style.SKY, label=f"cells, $t = {scene.first.time:.4g}$",
                  **looks)
    axes.plot(x, now.fields[name][z, y], "o", color=style.BLUE, label=f"cells, $t = {now.time:.4g}$", **looks)
    if exact is not None:
        axes.plot(x, now.fields[exact][z, y], color=style.EXACT, linewidth=1.0, label="exact")
    where = [rf"${letter} = {now.centres(axis)[at]:.4g}$" for axis, letter, at in ((1, "y", y), (2, "z", z))
             if axis < now.dimension]
    axes.set(title="profile" + (" at " + ", ".join(where) if where else ""), xlabel="$x$",
             ylabel=scene.axis_label(name), xlim=(0.0, now.box[0]))
    axes.margins(y=0.25)
    axes.legend(loc="best")


def draw_range(axes: Axes, scene: Scene, name: str, prefix: str = "") -> None:
    """Least, mean and largest number of a field over time. `prefix`: of the columns of the history."""
    time = scene.history["time"]
    for column, colour, line in (("largest", style.VERMILION, "-"), ("mean", style.BLACK, "--"),
                                 ("least", style.BLUE, "-")):
        axes.plot(time, scene.history[prefix + column], color=colour, linestyle=line, label=column,
                  marker=style.marker(len(time)))
    axes.set(xlabel="time $t$", ylabel=scene.axis_label(name))
    axes.margins(x=0.0, y=0.15)
    axes.legend(loc="best")
