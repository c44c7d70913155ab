"""Pictures of heat: slices of the temperature beside the exact one, profiles, and history.

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

from tacit.drawing import maps, style
from tacit.drawing.page import compose, escaped, width_of
from tacit.drawing.request import Request
from tacit.errors import InputError
from tacit.history import FILE_NAME, read_history
from tacit.parameters import setup_of
from tacit.temperature import Temperature, heat_snapshots, is_heat_file, read_temperature

Array = NDArray[np.float64]
Panel = Callable[[Axes, "_Scene"], None]

_CURVE_HEIGHT = 3.1
"""Of a row of curves [inches]."""
_TITLES = {"temperature": "temperature", "exact": "exact", "difference": "difference from exact",
           "diffusivity": "diffusivity"}
_LABELS = {"temperature": "$T$", "exact": "$T$", "difference": r"$T - T_\mathrm{exact}$", "diffusivity": r"$\kappa$"}


@dataclass(frozen=True)
class _Scene:
    """What there is to draw."""

    request: Request
    first: Temperature
    """The first snapshot of the run; the one to be drawn where there is no other."""
    now: Temperature
    history: dict[str, Array]

    def values(self, name: str) -> Array:
        """A field of the snapshot, or what differs from the exact solution."""
        fields = self.now.fields
        return fields["temperature"] - fields["exact"] if name == "difference" else fields[name]


def is_heat(path: Path) -> bool:
    """Whether there is anything of the heat solver at `path`."""
    return bool(heat_snapshots(path)) if path.is_dir() else is_heat_file(path)


def compose_heat(path: Path, request: Request) -> Figure:
    """The figure of a run's directory or a snapshot.

    Raises:
        InputError: if the request cannot be met with what is there.
    """
    if request.kind == "projection":
        raise InputError("--kind projection: there are slice, profile and history of temperatures")
    files = heat_snapshots(path) if path.is_dir() else [path]
    first, now = (read_temperature(file) for file in (files[0], files[-1]))
    scene = _Scene(request, first, now, read_history((path if path.is_dir() else path.parent) / FILE_NAME))
    rows = _rows(scene)
    if not rows:
        raise InputError(f"{path}: there is nothing of the kind '{request.kind}' here")
    width = width_of(max(map(len, rows)))
    heights = [_height(row, scene, width / len(row)) for row in rows]
    return compose([[partial(panel, scene=scene) for panel in row] for row in rows], heights, _title(scene))


def _rows(scene: _Scene) -> list[list[Panel]]:
    fields = scene.now.fields
    names = ["temperature", *(["exact", "difference"] if "exact" in fields else []),
             *(["diffusivity"] if "diffusivity" in fields and "exact" not in fields else [])]
    if scene.request.field is not None:
        names = [scene.request.field]
        if names[0] not in fields:
            raise InputError(f"--field {names[0]}: the snapshot has {', '.join(fields)}")
    slices: list[Panel] = [partial(_draw_slice, name=name) for name in names] if scene.now.dimension > 1 else []
    history: list[Panel] = [_draw_range] if scene.history else []
    if np.any(scene.history.get("error", np.zeros(1)) > 0.0):
        history.append(_draw_error)
    if "inflow_low" in scene.history:
        history.append(_draw_inflow)
    kind = scene.request.kind
    rows = {"slice": [slices], "profile": [[_draw_profile]], "history": [history],
            "all": [slices, [_draw_profile, *history]]}[kind]
    return [row for row in rows if row]


def _axes_of(scene: _Scene) -> tuple[int, int, int]:
    """The normal of slices, and the axes along and up; of a plane its own."""
    normal = scene.request.axis if scene.now.dimension == 3 else 2
    right, up = (axis for axis in range(3) if axis != normal)
    return normal, right, up


def _height(row: list[Panel], scene: _Scene, width: float) -> float:
    """Inches; slices follow the shape of their plane."""
    if not isinstance(row[0], partial):
        return _CURVE_HEIGHT
    _, right, up = _axes_of(scene)
    return float(np.clip(0.72 * width * scene.now.box[up] / scene.now.box[right] + 0.75, 2.0, 9.0))


def _title(scene: _Scene) -> str:
    now = scene.now
    cells = "$" + (f"{now.cells[0]}^{now.dimension}" if len(set(now.cells)) == 1 and now.dimension > 1
                   else r"\times".join(map(str, now.cells))) + "$ cells"
    setup = setup_of(now.parameters)
    return "    ".join([escaped(now.name), *([escaped(setup)] if setup and setup != now.name else []),
                        rf"$t = {now.time:.4g}$", cells, "(code units)"])


def _draw_slice(axes: Axes, scene: _Scene, name: str) -> None:
    normal, right, up = _axes_of(scene)
    now = scene.now
    at = now.place()[2 - normal]
    if scene.request.cut is not None:
        if not 0.0 <= scene.request.cut <= now.box[normal]:
            raise InputError(f"--cut {scene.request.cut:g}: {now.path} reaches from {'xyz'[normal]} = 0 to "
                             f"{now.box[normal]:g}")
        at = int(np.argmin(np.abs(now.centres(normal) - scene.request.cut)))
    image = np.take(scene.values(name), at, axis=2 - normal)
    low, high, colours = _colours(scene, name)
    shown = axes.imshow(image, origin="lower", extent=(0.0, now.box[right], 0.0, now.box[up]), cmap=colours, vmin=low,
                        vmax=high, interpolation="nearest")
    where = rf", ${'xyz'[normal]} = {now.centres(normal)[at]:.4g}$" if now.dimension == 3 else ""
    axes.set(title=_TITLES.get(name, name) + where, xlabel=f"${'xyz'[right]}$", ylabel=f"${'xyz'[up]}$")
    maps.add_bar(axes, shown, _LABELS.get(name, name), now.box[up] / now.box[right])


def _colours(scene: _Scene, name: str) -> tuple[float, float, str]:
    """Limits and colour map: the same for the temperature and the exact one."""
    if name == "difference":
        largest = float(np.abs(scene.values(name)).max()) or 1e-300
        return -largest, largest, style.DIVERGING
    names = {"temperature", "exact"} & set(scene.now.fields) if name in ("temperature", "exact") else {name}
    low, high = (float(f([f(scene.values(one)) for one in names])) for f in (np.min, np.max))
    if high - low < 1e-9 * max(abs(low), abs(high)):  # a uniform field is not drawn as its rounding
        low, high = low - 0.5 * max(abs(low), 1e-9), high + 0.5 * max(abs(high), 1e-9)
    return low, high, "viridis" if name == "diffusivity" else "inferno"


def _draw_profile(axes: Axes, scene: _Scene) -> None:
    """Along x, through the cell that differs most from the mean: at the begin and now, and the exact solution."""
    now = scene.now
    z, y, _ = now.place()
    x = now.centres(0)
    looks = {"markersize": 4.0 if len(x) <= 64 else 2.0, "linestyle": "none", "markeredgewidth": 0.0}
    if scene.first.time != now.time:
        axes.plot(x, scene.first.fields["temperature"][z, y], "o", color=style.SKY,
                  label=f"cells, $t = {scene.first.time:.4g}$", **looks)
    axes.plot(x, now.fields["temperature"][z, y], "o", color=style.BLUE, label=f"cells, $t = {now.time:.4g}$", **looks)
    if "exact" in now.fields:
        axes.plot(x, now.fields["exact"][z, y], color=style.EXACT, linewidth=1.0, label="exact")
    where = [rf"${name} = {now.centres(axis)[at]:.4g}$" for axis, name, at in ((1, "y", y), (2, "z", z))
             if axis < now.dimension]
    axes.set(title="profile" + (" at " + ", ".join(where) if where else ""), xlabel="$x$", ylabel="temperature $T$",
             xlim=(0.0, now.box[0]))
    axes.margins(y=0.25)
    axes.legend(loc="best")


def _draw_range(axes: Axes, scene: _Scene) -> None:
    time = scene.history["time"]
    for name, colour, line in (("largest", style.VERMILION, "-"), ("mean", style.BLACK, "--"),
                               ("least", style.BLUE, "-")):
        axes.plot(time, scene.history[name], color=colour, linestyle=line, label=name, marker=style.marker(len(time)))
    axes.set(xlabel="time $t$", ylabel="temperature $T$")
    axes.margins(x=0.0, y=0.15)
    axes.legend(loc="best")


def _draw_error(axes: Axes, scene: _Scene) -> None:
    """Against the exact solution; where that is a steady state, how far from it the run is."""
    time = scene.history["time"]
    for name, colour, label in (("largest_error", style.ORANGE, "largest"), ("error", style.GREEN, "root mean square")):
        seen = scene.history[name] > 0.0
        axes.semilogy(time[seen], scene.history[name][seen], color=colour, label=label,
                      marker=style.marker(np.count_nonzero(seen)))
    axes.set(xlabel="time $t$", ylabel=r"error $|T - T_\mathrm{exact}|$")
    low, high = axes.get_ylim()
    axes.set_ylim(low, high * (high / low) ** 0.25)
    axes.margins(x=0.0)
    axes.legend(loc="best")


def _draw_inflow(axes: Axes, scene: _Scene) -> None:
    time = scene.history["time"]
    later = slice(1, None) if len(time) > 3 else slice(None)  # at the begin it may be out of all proportion
    for name, colour, line in (("low", style.BLUE, "-"), ("high", style.VERMILION, "--")):
        axes.plot(time[later], scene.history[f"inflow_{name}"][later], color=colour, linestyle=line,
                  label=f"{name} sides", marker=style.marker(len(time)))
    axes.set(xlabel="time $t$", ylabel="heat flow into the domain")
    axes.margins(x=0.0, y=0.15)
    axes.legend(loc="best")
