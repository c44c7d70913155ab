"""Pictures of what runs of atoms measure while they go on: g(r), displacements, velocity autocorrelations, diffusion.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tacit.drawing import style
from tacit.drawing.page import Panel, compose, escaped, width_of
from tacit.drawing.request import Request
from tacit.errors import InputError
from tacit.motion import Analysis, Curve, is_analysis_file, read_analysis
from tacit.units import Units

CURVE_HEIGHT = 3.1
"""Of a row [inches]."""
_UNITS = {"lj": ("", ""), "metal": ("Angstrom", "ps"), "real": ("Angstrom", "fs"), "si": ("m", "s")}
"""Names of the units of length and time of md.units."""


def is_motion(path: Path) -> bool:
    """Whether it is a file of what was measured of atoms."""
    return not path.is_dir() and is_analysis_file(path)


def compose_motion(path: Path, request: Request) -> Figure:
    """The figure of one file.

    Raises:
        InputError: if the request cannot be met, or nothing has been measured so far.
    """
    if request.kind not in ("all", "profile") or request.field is not None:
        raise InputError(f"{path}: of what was measured of atoms there is --kind profile")
    analysis = read_analysis(path)
    rows = rows_of(analysis)
    if not rows:
        raise InputError(f"{path}: nothing had been sampled by the time {analysis.time:g}; draw a later file")
    title = "    ".join([escaped(analysis.name), Units.of_run(analysis.parameters).moment(analysis.time)])
    return compose(rows, [CURVE_HEIGHT] * len(rows), title, width_of(max(map(len, rows))))


def rows_of(analysis: Analysis) -> list[list[Panel]]:
    """Panels of all that has been sampled: distances, then motion."""
    first: list[Panel] = []
    second: list[Panel] = []
    if _has_samples(analysis.pairs):
        first = [partial(_draw_pairs, analysis=analysis), partial(_draw_neighbours, analysis=analysis)]
    if _has_samples(analysis.displacements):
        second = [partial(_draw_displacements, analysis=analysis), partial(_draw_autocorrelations, analysis=analysis),
                  partial(_draw_diffusion, analysis=analysis)]
    if _has_samples(analysis.structure):
        first.append(partial(_draw_structure, analysis=analysis))
    third: list[Panel] = []
    if _has_samples(analysis.densities):
        third = [partial(_draw_densities, analysis=analysis), partial(_draw_temperatures, analysis=analysis),
                 partial(_draw_pressures, analysis=analysis)]
    return [row for row in (first, second, third) if row]


def _draw_structure(axes: Axes, analysis: Analysis) -> None:
    _draw_curves(axes, analysis.structure)
    axes.axhline(1.0, color=style.PARTICLES, linewidth=0.8)
    axes.set(xlabel=f"wave number $k${_unit(analysis, -1)}", ylabel="$S(k)$", title="static structure factor")
    axes.set_xlim(left=0.0)
    axes.legend(loc="best")


def _draw_densities(axes: Axes, analysis: Analysis) -> None:
    _draw_slabs(axes, analysis, analysis.densities)
    axes.set(ylabel=f"atoms per volume{_unit(analysis, -3)}", title="density")
    axes.set_ylim(bottom=0.0)


def _draw_temperatures(axes: Axes, analysis: Analysis) -> None:
    _draw_slabs(axes, analysis, {"temperature": analysis.temperatures["all"]})
    axes.set(ylabel="temperature", title="temperature")


def _draw_pressures(axes: Axes, analysis: Analysis) -> None:
    """Across slabs, and along them: they differ where there is surface tension."""
    normal = analysis.slab_axis
    across = analysis.pressures[2 * normal]
    others = [analysis.pressures[2 * name] for name in "xyz" if name != normal]
    along = Curve(across.x, 0.5 * (others[0].mean + others[1].mean), 0.5 * np.hypot(others[0].error, others[1].error))
    _draw_slabs(axes, analysis, {"across": across, "along": along})
    axes.axhline(0.0, color=style.PARTICLES, linewidth=0.8)
    axes.set(ylabel="pressure", title="pressure tensor")


def _draw_slabs(axes: Axes, analysis: Analysis, curves: dict[str, Curve]) -> None:
    _draw_curves(axes, curves)
    axes.set(xlabel=f"${analysis.slab_axis}${_unit(analysis, 1)}")
    axes.margins(x=0.0)
    axes.legend(loc="best")


def _has_samples(curves: dict[str, Curve]) -> bool:
    return any(len(curve.x) for curve in curves.values())


def _unit(analysis: Analysis, length: int, time: int = 0) -> str:
    """" [A^2 / ps]"; empty in reduced units."""
    names = _UNITS.get(str(analysis.parameters.get("md", {}).get("units", "lj")), ("length", "time"))
    if not names[0]:
        return ""
    over = "" if length == 0 else names[0] + ("" if length == 1 else f"$^{length}$")
    under = "" if time == 0 else f" / {names[1]}" + ("" if time == 1 else f"$^{time}$")
    return f" [{over}{under}]"


def _time_unit(analysis: Analysis) -> str:
    name = _UNITS.get(str(analysis.parameters.get("md", {}).get("units", "lj")), ("length", "time"))[1]
    return f" [{name}]" if name else ""


def _draw_curves(axes: Axes, curves: dict[str, Curve], names: str = "{}") -> None:
    """Means, with bands of one standard error."""
    for (name, curve), (colour, line) in zip(curves.items(), style.RUNS):
        axes.plot(curve.x, curve.mean, color=colour, linestyle=line, linewidth=1.2, label=names.format(escaped(name)),
                  marker=style.marker(len(curve.x)))
        error = np.nan_to_num(curve.error)
        axes.fill_between(curve.x, curve.mean - error, curve.mean + error, color=colour, alpha=0.3, linewidth=0.0)


def _draw_pairs(axes: Axes, analysis: Analysis) -> None:
    _draw_curves(axes, analysis.pairs)
    axes.axhline(1.0, color=style.PARTICLES, linewidth=0.8)
    axes.set(xlabel=f"distance $r${_unit(analysis, 1)}", ylabel="$g(r)$", title="pair distribution")
    axes.set_xlim(0.0, max(float(curve.x[-1]) for curve in analysis.pairs.values()))
    axes.set_ylim(bottom=0.0)
    axes.legend(loc="best")


def _draw_neighbours(axes: Axes, analysis: Analysis) -> None:
    """Up to where the first shells end, beyond which the curve is that of any density."""
    _draw_curves(axes, {" around ".join(reversed(name.split(" ", 1))): curve
                        for name, curve in analysis.neighbours.items()})
    reach = max(float(curve.x[-1]) for curve in analysis.neighbours.values())
    shown = 0.6 * reach
    high = max(float(np.interp(shown, curve.x, curve.mean)) for curve in analysis.neighbours.values())
    axes.set(xlabel=f"distance $r${_unit(analysis, 1)}", ylabel="neighbours within $r$", title="coordination",
             xlim=(0.0, shown), ylim=(0.0, max(1.05 * high, 1.0)))
    axes.legend(loc="best")


def _draw_displacements(axes: Axes, analysis: Analysis) -> None:
    curves = {name: Curve(curve.x[1:], curve.mean[1:], curve.error[1:])
              for name, curve in analysis.displacements.items()}
    _draw_curves(axes, curves)
    axes.set(xlabel=f"lag $t${_time_unit(analysis)}", ylabel=rf"$\langle \Delta x^2 \rangle${_unit(analysis, 2)}",
             title="mean squared displacement")
    if all(np.all(curve.mean > 0.0) for curve in curves.values()) and _has_samples(curves):
        axes.set(xscale="log", yscale="log")
    axes.legend(loc="best")


def _draw_autocorrelations(axes: Axes, analysis: Analysis) -> None:
    """Over their values at lag 0, up to where little is left of them."""
    curves = {}
    for name, curve in analysis.autocorrelations.items():
        scale = curve.mean[0] if curve.mean[0] > 0.0 else 1.0
        curves[name] = Curve(curve.x, curve.mean / scale, curve.error / scale)
    _draw_curves(axes, curves)
    end = 0.0
    for curve in curves.values():
        seen = np.flatnonzero(np.abs(curve.mean) > 0.02)
        end = max(end, float(curve.x[min(seen[-1] + 1, len(curve.x) - 1)]))
    axes.axhline(0.0, color=style.PARTICLES, linewidth=0.8)
    axes.set(xlabel=f"lag $t${_time_unit(analysis)}",
             ylabel=r"$\langle v(t) \cdot v(0) \rangle / \langle v^2 \rangle$", title="velocity autocorrelation")
    if end > 0.0:
        axes.set_xlim(0.0, end)
    axes.legend(loc="best")


def _draw_diffusion(axes: Axes, analysis: Analysis) -> None:
    """Einstein's slopes with errors, and the integral of Green and Kubo."""
    for (name, kubo), (colour, _) in zip(analysis.green_kubo.items(), style.RUNS):
        axes.plot(kubo.x[1:], kubo.mean[1:], color=colour, linewidth=1.0, label=f"{escaped(name)}, Green and Kubo")
        slopes = analysis.diffusion[name]
        axes.errorbar(slopes.x, slopes.mean, yerr=np.nan_to_num(slopes.error), fmt="o", color=colour, markersize=4.0,
                      label=f"{escaped(name)}, Einstein")
    if any(len(curve.x) > 2 for curve in analysis.green_kubo.values()):
        axes.set_xscale("log")
    axes.set(xlabel=f"lag $t${_time_unit(analysis)}", ylabel=f"$D${_unit(analysis, 2, 1)}", title="diffusion")
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    axes.legend(loc="best")
