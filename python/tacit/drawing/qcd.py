"""Pictures of quark propagators: correlators of mesons with effective masses, and residuals over iterations.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from tacit.drawing import style
from tacit.drawing.lattice import LatticeFigure, compose_panels, title_of
from tacit.drawing.page import escaped
from tacit.drawing.request import Request
from tacit.errors import InputError
from tacit.parts import text_of

Array = NDArray[np.float64]

_MESONS = {"Pion": ("pion", style.BLUE, "o"), "Rho": ("rho", style.VERMILION, "s")}
"""Name in files: what is shown, colour, marker."""


@dataclass(frozen=True)
class _Solves:
    """What a snapshot says of its solves; what is not there yet is empty."""

    name: str
    extents: tuple[int, ...]
    mass: float
    plaquette: float
    gauge_field: str
    tolerance: float
    residuals: list[Array]
    """Of each source, after each iteration."""
    correlators: dict[str, Array]
    """By name: Pion, Rho."""
    masses: dict[str, Array]
    """Effective ones, by the same names."""


def _read(file: h5py.File) -> _Solves:
    header = file["Header"].attrs
    lengths = _array(file, "Residuals/Iterations").astype(int)
    residuals = np.split(_array(file, "Residuals/Recursion"), np.cumsum(lengths)[:-1]) if len(lengths) else []
    return _Solves(text_of(header["RunName"]), tuple(int(n) for n in header["Extents"]),
                   float(np.ravel(header["Mass"])[0]), float(np.ravel(header["Plaquette"])[0]),
                   text_of(header["GaugeField"]), float(np.ravel(file["Residuals"].attrs["Tolerance"])[0]),
                   [r for r in residuals if len(r)],
                   {name: _array(file, f"Correlators/{name}") for name in _MESONS if f"Correlators/{name}" in file},
                   {name: _array(file, f"Correlators/{name}EffectiveMass") for name in _MESONS
                    if f"Correlators/{name}EffectiveMass" in file})


def _array(file: h5py.File, name: str) -> Array:
    return np.array(file[name][()] if name in file else [], dtype=float)


def _title(state: _Solves) -> str:
    return title_of(state.name, state.extents,
                    [escaped(f"gauge field: {Path(state.gauge_field).name}"), f"plaquette {state.plaquette:.6f}",
                     f"$m_0 = {state.mass:.6g}$"])


def _draw_correlators(axes: Axes, state: _Solves) -> None:
    for name, values in state.correlators.items():
        label, colour, marker = _MESONS[name]
        axes.semilogy(np.arange(len(values)), np.where(values > 0.0, values, np.nan), marker + "-", color=colour,
                      markersize=4.0, linewidth=0.8, label=label)
    axes.set(title="correlators", xlabel="distance $t$ from the source", ylabel="$C(t)$")
    axes.legend(loc="best")


def _draw_masses(axes: Axes, state: _Solves) -> None:
    for name, values in state.masses.items():
        label, colour, marker = _MESONS[name]
        known = np.isfinite(values)
        axes.plot(np.arange(len(values))[known] + 0.5, values[known], marker, color=colour, markersize=4.0, label=label)
        axes.set_xlim(0.0, len(values))
    axes.set(title="effective masses (cosh)", xlabel="distance $t$ from the source", ylabel="$m_\\mathrm{eff}(t)$")
    axes.margins(y=0.2)
    axes.set_ylim(bottom=0.0)
    axes.legend(loc="best")


def _draw_residuals(axes: Axes, state: _Solves) -> None:
    first = 0
    for number, residuals in enumerate(state.residuals):
        axes.semilogy(first + 1 + np.arange(len(residuals)), residuals, color=style.BLUE if number % 2 else style.SKY,
                      linewidth=1.0, marker=style.marker(len(residuals)))
        first += len(residuals)
    axes.axhline(state.tolerance, color=style.BLACK, linestyle=":", linewidth=0.8, label="tolerance")
    count = len(state.residuals)
    axes.set(title=f"{count} {'solve' if count == 1 else 'solves, one after the other'}", xlabel="iteration",
             ylabel=r"residual $|r| / |b|$", xlim=(0, max(first, 1)))
    axes.legend(loc="best")


def _panels(state: _Solves) -> dict[str, list[Callable[[Axes, _Solves], None]]]:
    return {"profile": [_draw_correlators, _draw_masses] if state.correlators else [],
            "history": [_draw_residuals] if state.residuals else []}


QCD = LatticeFigure("qcd", ("Correlators", "Residuals"), _read, _panels, _title,
                    "profile (the correlator) and history (residuals) of propagators", "no solve has ended")
is_qcd, compose_qcd = QCD.is_there, QCD.compose


def compose_several_qcd(folders: list[Path], request: Request) -> Figure:
    """Correlators, effective masses of the pion and residuals of several runs, over each other.

    Raises:
        InputError: if one has no whole snapshot, or none of them has what the request asks for.
    """
    states = [QCD.state_of(folder) for folder in folders]
    names = [state.name for state in states]
    if len(set(names)) < len(names):
        names = [folder.name if len({f.name for f in folders}) == len(folders) else str(folder) for folder in folders]
    looks = [{"color": colour, "linestyle": line, "label": f"{escaped(name)}, $m_0 = {state.mass:.6g}$"}
             for state, name, (colour, line, *_) in zip(states, names, style.RUNS)]

    def correlators(axes: Axes) -> None:
        for state, look in zip(states, looks):
            values = state.correlators.get("Pion", np.zeros(0))
            axes.semilogy(np.arange(len(values)), np.where(values > 0.0, values, np.nan), **look)
        axes.set(title="pion", xlabel="distance $t$ from the source", ylabel="$C(t)$")
        axes.legend(loc="best")

    def masses(axes: Axes) -> None:
        for state, look in zip(states, looks):
            values = state.masses.get("Pion", np.zeros(0))
            known = np.isfinite(values)
            axes.plot(np.arange(len(values))[known] + 0.5, values[known], marker="o", markersize=3.0, **look)
        axes.set(title="effective mass of the pion (cosh)", xlabel="distance $t$ from the source",
                 ylabel="$m_\\mathrm{eff}(t)$")
        axes.margins(y=0.2)
        axes.set_ylim(bottom=0.0)

    def residuals(axes: Axes) -> None:
        for state, look in zip(states, looks):
            values = state.residuals[0] if state.residuals else np.zeros(0)
            axes.semilogy(1 + np.arange(len(values)), values, **look)
        axes.set(title="first solve", xlabel="iteration", ylabel=r"residual $|r| / |b|$")
        if request.kind == "history":
            axes.legend(loc="best")

    by_kind = {"profile": [correlators, masses] if any(state.correlators for state in states) else [],
               "history": [residuals] if any(state.residuals for state in states) else []}
    panels = [panel for kind, drawn in by_kind.items() if request.kind in (kind, "all") for panel in drawn]
    if not panels:
        raise InputError(f"{folders[0]} and the others have nothing of the kind '{request.kind}': {QCD.empty}")
    extents = {state.extents for state in states}
    size = ["$" + r"\times".join(map(str, states[0].extents)) + "$"] if len(extents) == 1 else []
    return compose_panels(panels, "    ".join([f"{len(states)} runs", *size]))
