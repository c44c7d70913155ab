"""Pictures of atoms: where they are, what is between them, and the history of energies and temperature.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection
from matplotlib.figure import Figure
from numpy.typing import NDArray

from tacit.atoms import Atoms, atoms_snapshots, is_atoms_file, read_atoms
from tacit.drawing import maps, motion, style
from tacit.drawing.page import compose, escaped, width_of
from tacit.drawing.request import Request
from tacit.errors import InputError
from tacit.history import FILE_NAME, read_history
from tacit.motion import Analysis, analysis_files, read_analysis
from tacit.parameters import setup_of
from tacit.units import Units

Array = NDArray[np.float64]
Panel = Callable[[Axes, "_Scene"], None]

_CURVE_HEIGHT = 3.1
"""Of a row of curves [inches]."""
_MAP_HEIGHT = 4.2
_LABELS = {"Neighbours": "neighbours", "Q4": "$q_4$", "Q6": "$q_6$"}
_DIAMETER = 0.9
"""Of the circle of an atom, over the cube root of its volume."""


@dataclass(frozen=True)
class _Scene:
    """What there is to draw."""

    request: Request
    first: Atoms
    """The first snapshot of the run; the one to be drawn where there is no other."""
    now: Atoms
    history: dict[str, Array]
    analysis: Analysis | None = None
    """The latest of the run."""


def is_atoms(path: Path) -> bool:
    """Whether there is anything of the solver md at `path`."""
    return bool(atoms_snapshots(path)) if path.is_dir() else is_atoms_file(path)


def compose_atoms(path: Path, request: Request) -> Figure:
    """The figure of a run's directory or a snapshot.

    Raises:
        InputError: if the request cannot be met with what is there.
    """
    if request.kind == "projection":
        raise InputError("--kind projection: there are slice, profile and history of atoms")
    files = atoms_snapshots(path) if path.is_dir() else [path]
    first, now = (read_atoms(file) for file in (files[0], files[-1]))
    if request.field is not None and not (request.field in first.order and request.field in now.order):
        fields = ", ".join(now.order) or "none, as the run had no analysis.bond_length"
        raise InputError(f"--field {request.field}: atoms are drawn by their potential energies, or by what snapshots "
                         f"have of their surroundings ({fields})")
    measured = analysis_files(path) if path.is_dir() else []
    scene = _Scene(request, first, now, read_history((path if path.is_dir() else path.parent) / FILE_NAME),
                   read_analysis(measured[-1]) if measured else None)
    atoms: list[Panel] = [partial(_draw_atoms, which="first"), partial(_draw_atoms, which="now")]
    if first.time == now.time:
        atoms = atoms[1:]
    history: list[Panel] = [_draw_energies, _draw_temperature] if "temperature" in scene.history else []
    rows = {"slice": [atoms], "profile": [[_draw_distribution]], "history": [history],
            "all": [[*atoms, _draw_distribution], history]}[request.kind]
    rows = [row for row in rows if row]
    if not rows:
        raise InputError(f"{path}: there is nothing of the kind '{request.kind}' here")
    heights = [_MAP_HEIGHT if isinstance(row[0], partial) else _CURVE_HEIGHT for row in rows]
    panels = [[partial(panel, scene=scene) for panel in row] for row in rows]
    if scene.analysis is not None and request.kind in ("all", "profile"):
        more = motion.rows_of(scene.analysis)
        panels, heights = panels + more, heights + [motion.CURVE_HEIGHT] * len(more)
        rows += more
    return compose(panels, heights, _title(scene), width_of(max(map(len, rows))))


def _title(scene: _Scene) -> str:
    now = scene.now
    units = Units.of_run(now.parameters)
    setup = setup_of(now.parameters)
    count = f"{now.count:,}".replace(",", r"\,")
    return "    ".join([escaped(now.name), *([escaped(setup)] if setup and setup != now.name else []),
                        units.moment(now.time), f"${count}$ atoms", units.note])


def _draw_atoms(axes: Axes, scene: _Scene, which: str) -> None:
    """A layer of atoms, those behind first, coloured by their potential energies."""
    atoms = getattr(scene, which)
    normal = scene.request.axis
    right, up = (axis for axis in range(3) if axis != normal)
    spacing = (atoms.volume / atoms.count) ** (1.0 / 3.0)
    depth = atoms.positions[:, normal] - atoms.origin[normal]
    length = atoms.edges[normal, normal]
    at = 0.5 * length if scene.request.cut is None else scene.request.cut
    if not 0.0 <= at <= length:
        raise InputError(f"--cut {scene.request.cut:g}: the box reaches from {'xyz'[normal]} = 0 to {length:g}")
    seen = np.flatnonzero(np.abs(depth - at) <= max(1.5 * spacing, 0.5 * length / 8.0))
    seen = seen[np.argsort(depth[seen])]
    size = np.full(len(seen), _DIAMETER * spacing)
    field = scene.request.field
    values, both = ((atoms.energies, np.concatenate([scene.first.energies, scene.now.energies])) if field is None else
                    (atoms.order[field], np.concatenate([scene.first.order[field], scene.now.order[field]])))
    low, high = np.percentile(both, [2.0, 98.0])
    if not high - low > 1e-9 * max(abs(low), abs(high), 1e-300):
        low, high = low - 0.5, high + 0.5
    circles = EllipseCollection(size, size, 0.0, units="xy", offsets=atoms.positions[seen][:, [right, up]],
                                offset_transform=axes.transData, array=values[seen], cmap="viridis",
                                edgecolor="white", linewidth=0.3)
    circles.set_clim(low, high)
    axes.add_collection(circles)
    axes.set(title=rf"atoms around ${'xyz'[normal]} = {at:.3g}$, $t = {atoms.time:.4g}$", xlabel=f"${'xyz'[right]}$",
             ylabel=f"${'xyz'[up]}$", aspect="equal",
             xlim=(atoms.origin[right], atoms.origin[right] + np.abs(atoms.edges[:, right]).sum()),
             ylim=(atoms.origin[up], atoms.origin[up] + np.abs(atoms.edges[:, up]).sum()))
    axes.minorticks_off()
    maps.add_bar(axes, circles, _LABELS.get(field or "", "potential energy"),
                 float(atoms.edges[up, up] / atoms.edges[right, right]))


def _draw_distribution(axes: Axes, scene: _Scene) -> None:
    """The radial distribution function at the begin and now."""
    both = [(scene.now, style.VERMILION)]
    if scene.first.time != scene.now.time:
        both.insert(0, (scene.first, style.SKY))
    heights = []
    for atoms, colour in both:
        r, g = atoms.radial_distribution()
        axes.plot(r, g, color=colour, linewidth=1.2, label=f"$t = {atoms.time:.4g}$")
        heights.append(float(g.max()))
    axes.axhline(1.0, color=style.PARTICLES, linewidth=0.8)
    # The peaks of a perfect crystal have no width: what comes of it is to be seen.
    axes.set(xlabel="distance $r$", ylabel="$g(r)$", title="radial distribution",
             xlim=(0.0, scene.now.half_width()), ylim=(0.0, max(1.3 * heights[-1], 2.0)))
    axes.legend(loc="best")


def _draw_energies(axes: Axes, scene: _Scene) -> None:
    time = scene.history["time"]
    for name, colour, line in (("kinetic", style.VERMILION, "-"), ("potential", style.BLUE, "-"),
                               ("total", style.BLACK, "--")):
        axes.plot(time, scene.history[f"{name}_energy"] / scene.now.count, color=colour, linestyle=line, label=name,
                  marker=style.marker(len(time)))
    axes.set(xlabel="time $t$", ylabel="energy of an atom")
    axes.margins(x=0.0, y=0.2)
    axes.legend(loc="best", ncols=3)


def _draw_temperature(axes: Axes, scene: _Scene) -> None:
    """Each on a scale of its own: in units of metals one is some 10^4 times the other."""
    time = scene.history["time"]
    for own, name, colour in ((axes, "temperature", style.VERMILION), (axes.twinx(), "pressure", style.BLUE)):
        own.plot(time, scene.history[name], color=colour, marker=style.marker(len(time)))
        own.set_ylabel(name, color=colour)
        own.margins(x=0.0, y=0.2)
    axes.set_xlabel("time $t$")
