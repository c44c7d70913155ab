"""Pictures of heat: slices of the temperature beside the exact one, profiles, and history.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from tacit.cells import CellFields, cell_snapshots, is_cell_file, read_cells
from tacit.drawing import style
from tacit.drawing.cells import (
    Panel,
    Scene,
    asked_fields,
    compose_scene,
    draw_profile,
    draw_range,
    limits_of,
)
from tacit.drawing.request import Request
from tacit.errors import InputError
from tacit.history import FILE_NAME, read_history

Array = NDArray[np.float64]

_TITLES = {"temperature": "temperature", "exact": "exact", "difference": "difference from exact",
           "diffusivity": "diffusivity"}
_LABELS = {"temperature": "$T$", "exact": "$T$", "difference": r"$T - T_\mathrm{exact}$", "diffusivity": r"$\kappa$"}


class _HeatScene(Scene):
    """Temperatures beside exact ones."""

    def values(self, name: str) -> Array:
        """A field of the snapshot, or what differs from the exact solution."""
        fields = self.now.fields
        return fields["temperature"] - fields["exact"] if name == "difference" else fields[name]

    def place(self, name: str) -> tuple[int, ...]:
        """Where the exact temperature, or that of the cells, differs most from its mean."""
        exact = self.now.fields.get("exact")
        return super().place("exact" if exact is not None and np.ptp(exact) > 0.0 else "temperature")

    def title(self, name: str) -> str:
        return _TITLES.get(name, name)

    def label(self, name: str) -> str:
        return _LABELS.get(name, name)

    def axis_label(self, name: str) -> str:
        return "temperature $T$"

    def colours(self, name: str) -> tuple[float, float, str]:
        """The same limits for the temperature and the exact one."""
        if name == "difference":
            largest = float(np.abs(self.values(name)).max()) or 1e-300
            return -largest, largest, style.DIVERGING
        names = {"temperature", "exact"} & set(self.now.fields) if name in ("temperature", "exact") else {name}
        return (*limits_of([self.values(one) for one in names]), "viridis" if name == "diffusivity" else "inferno")


def is_heat(path: Path) -> bool:
    """Whether there is anything of the heat solver at `path`."""
    return bool(cell_snapshots(path, "temperature")) if path.is_dir() else is_cell_file(path, "temperature")


def read_temperature(path: Path) -> CellFields:
    """One snapshot: temperature; exact, diffusivity and source where the file has them.

    Raises:
        InputError: if it is no whole one.
    """
    return read_cells(path, "temperature", "the heat solver")


def compose_heat(path: Path, request: Request) -> Figure:
    """The figure of a run's directory or a snapshot.

    Raises:
        InputError: if the request cannot be met with what is there.
    """
    if request.kind == "projection":
        raise InputError("--kind projection: there are slice, profile and history of temperatures")
    files = cell_snapshots(path, "temperature") if path.is_dir() else [path]
    first, now = (read_temperature(file) for file in (files[0], files[-1]))
    scene = _HeatScene(request, first, now, read_history((path if path.is_dir() else path.parent) / FILE_NAME))
    has_exact = "exact" in now.fields
    names = asked_fields(scene, ["temperature", *(["exact", "difference"] if has_exact else []),
                                 *(["diffusivity"] if "diffusivity" in now.fields and not has_exact else [])])
    return compose_scene(path, scene, names, [_draw_profile], _history_of(scene), is_together=True)


def _draw_profile(axes: Axes, scene: Scene) -> None:
    draw_profile(axes, scene, "temperature", "exact" if "exact" in scene.now.fields else None)


def _history_of(scene: Scene) -> list[Panel]:
    history: list[Panel] = [_draw_range] if scene.history else []
    if np.any(scene.history.get("error", np.zeros(1)) > 0.0):
        history.append(_draw_error)
    if "inflow_low" in scene.history:
        history.append(_draw_inflow)
    return history


def _draw_range(axes: Axes, scene: Scene) -> None:
    draw_range(axes, scene, "temperature")


def _draw_error(axes: Axes, scene: Scene) -> None:
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


def _draw_inflow(axes: Axes, scene: Scene) -> None:
    time = scene.history["time"]
    later = slice(1, None) if len(time) > 3 else slice(None)  # at the begin it may be out of all proportion
    for name, colour, line in (("low", style.BLUE, "-"), ("high", style.VERMILION, "--")):
        axes.plot(time[later], scene.history[f"inflow_{name}"][later], color=colour, linestyle=line,
                  label=f"{name} sides", marker=style.marker(len(time)))
    axes.set(xlabel="time $t$", ylabel="heat flow into the domain")
    axes.margins(x=0.0, y=0.15)
    axes.legend(loc="best")
