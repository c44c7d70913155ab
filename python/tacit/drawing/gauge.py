"""Pictures of chains of gauge fields: plaquettes, Polyakov loops, energies of Wilson loops, the Wilson flow, charges.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import h5py
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from tacit.drawing import style
from tacit.drawing.lattice import LatticeFigure, title_of
from tacit.parts import text_of

Array = NDArray[np.float64]

_LOOP = re.compile(r"Wilson(\d+)x(\d+)")
_SCALE = 0.3
"""Of t^2 E at t0."""
_COLOURS = (style.BLUE, style.VERMILION, style.GREEN, style.SKY, style.BLACK)


@dataclass(frozen=True)
class _Chain:
    """What a snapshot says of the chain so far."""

    name: str
    extents: tuple[int, ...]
    beta: float
    sweeps: Array
    measured: dict[str, Array]
    """By name, a value of each measurement."""
    means: dict[str, Array]
    """By name: mean, error, autocorrelation time."""
    flow: dict[str, Array]
    """Means over all fields at each time, the charge of each field; empty without a flow."""


def _read(file: h5py.File) -> _Chain:
    header = file["Header"].attrs
    measured = _arrays(file, "Measurements")
    return _Chain(text_of(header["RunName"]), tuple(int(n) for n in header["Extents"]),
                  float(np.ravel(header["Beta"])[0]), measured.pop("Sweep", np.array([])), measured,
                  _arrays(file, "Means"), _arrays(file, "Flow"))


def _arrays(file: h5py.File, group: str) -> dict[str, Array]:
    return {name: np.array(values[()], dtype=float) for name, values in file[group].items()} if group in file else {}


def _title(state: _Chain) -> str:
    parts = [rf"$\beta = {state.beta:.6g}$"]
    if "Plaquette" in state.means:
        parts.append("plaquette " + _with_error(state.means["Plaquette"], 5))
    if "T0" in state.means and np.isfinite(state.means["T0"][0]):
        parts.append(f"$t_0$ = {_with_error(state.means['T0'], 3)}")
    return title_of(state.name, state.extents, parts)


def _with_error(mean: Array, digits: int) -> str:
    return f"{mean[0]:.{digits}f}" + (rf" $\pm$ {mean[1]:.{digits}f}" if np.isfinite(mean[1]) else "")


def _draw_plaquettes(axes: Axes, state: _Chain) -> None:
    for name, label, colour in (("SpatialPlaquette", "spatial", style.SKY),
                                ("TemporalPlaquette", "temporal", style.VERMILION), ("Plaquette", "all", style.BLUE)):
        axes.plot(state.sweeps, state.measured[name], color=colour, linewidth=1.0,
                  marker=style.marker(len(state.sweeps)), label=label)
    mean, error, _ = state.means["Plaquette"]
    if np.isfinite(error):
        axes.axhspan(mean - error, mean + error, color=style.BLACK, alpha=0.25, linewidth=0.0)
    axes.set(title="mean plaquettes", xlabel="sweep", ylabel=r"$\mathrm{Re\,tr}\,U_p / 3$")
    axes.legend(loc="best")


def _draw_polyakov(axes: Axes, state: _Chain) -> None:
    axes.plot(state.measured["PolyakovReal"], state.measured["PolyakovImaginary"], ".", color=style.BLUE,
              markersize=4.0)
    reach = 1.1 * max(0.05, *(np.abs(state.measured[name]).max() for name in ("PolyakovReal", "PolyakovImaginary")))
    for turn in range(3):  # where the phases of the centre of SU(3) lie
        angle = 2.0 * np.pi * turn / 3.0
        axes.plot([0.0, reach * np.cos(angle)], [0.0, reach * np.sin(angle)], ":", color=style.BLACK, linewidth=0.8)
    axes.set(title="Polyakov loop", xlabel="real part", ylabel="imaginary part", xlim=(-reach, reach),
             ylim=(-reach, reach), aspect="equal")


def _draw_energies(axes: Axes, state: _Chain) -> None:
    """-ln W(r, t + 1) / W(r, t), which is V(r) at large t; those of loops that are lost in noise are left out."""
    loops = {tuple(map(int, match.groups())): state.means[name]
             for name in state.means if (match := _LOOP.fullmatch(name))}
    for number, t in enumerate(range(1, max(t for _, t in loops))):
        points = [(r, loops[r, t], loops[r, t + 1]) for r in sorted({r for r, _ in loops})]
        kept = [(r, near, far) for r, near, far in points if near[0] > 0.0 and far[0] > 2.0 * np.nan_to_num(far[1])]
        errors = [np.nan_to_num(far[1] / far[0]) for _, near, far in kept]
        axes.errorbar([r for r, _, _ in kept], [np.log(near[0] / far[0]) for _, near, far in kept], yerr=errors,
                      fmt="o", color=_COLOURS[number % len(_COLOURS)], markersize=4.0, label=f"$t = {t}$")
    axes.set(title="energies of two static quarks", xlabel="distance $r$",
             ylabel=r"$\ln\,W(r, t) / W(r, t + 1)$")
    axes.set_ylim(bottom=0.0)
    axes.legend(loc="best")


def _draw_flow(axes: Axes, state: _Chain) -> None:
    """t^2 <E>, and where it reaches 0.3."""
    for name, label, colour in (("T2Energy", "clover", style.BLUE), ("T2PlaquetteEnergy", "plaquettes", style.SKY)):
        mean, error = state.flow[name], np.nan_to_num(state.flow[f"{name}Error"])
        axes.plot(state.flow["Time"], mean, color=colour, linewidth=1.2, label=label)
        axes.fill_between(state.flow["Time"], mean - error, mean + error, color=colour, alpha=0.3, linewidth=0.0)
    axes.axhline(_SCALE, color=style.BLACK, linestyle=":", linewidth=0.8)
    t0 = state.means["T0"]
    if np.isfinite(t0[0]):
        axes.errorbar([t0[0]], [_SCALE], xerr=[np.nan_to_num(t0[1])], fmt="o", color=style.VERMILION, markersize=4.0,
                      label="$t_0$")
    axes.set(title="Wilson flow", xlabel="flow time $t / a^2$", ylabel=r"$t^2\,\langle E \rangle$",
             xlim=(0.0, state.flow["Time"][-1]))
    axes.set_ylim(bottom=0.0)
    axes.legend(loc="best")


def _draw_charge(axes: Axes, state: _Chain) -> None:
    sweeps, charge = state.flow["Sweep"], state.flow["Charge"]
    axes.plot(sweeps, charge, color=style.BLUE, linewidth=0.8, marker="o", markersize=3.0)
    reach = 1.5 + np.abs(charge).max()
    for whole in range(-int(reach), int(reach) + 1):
        axes.axhline(whole, color=style.BLACK, linestyle=":", linewidth=0.5)
    axes.set(title="topological charge at the end of the flow", xlabel="sweep", ylabel="$Q$", ylim=(-reach, reach))


def _panels(state: _Chain) -> dict[str, list[Callable[[Axes, _Chain], None]]]:
    has_loops = any(_LOOP.fullmatch(name) for name in state.means)
    history = [_draw_plaquettes, _draw_polyakov] if len(state.sweeps) else []
    return {"history": history + ([_draw_charge] if state.flow else []),
            "profile": ([_draw_energies] if has_loops else []) + ([_draw_flow] if state.flow else [])}


GAUGE = LatticeFigure("gauge", ("Measurements", "Means"), _read, _panels, _title,
                      "profile (energies of Wilson loops, the Wilson flow) and history (plaquettes, the Polyakov loop, "
                      "the topological charge) of gauge fields",
                      "no field has been measured so far, or no Wilson loops (measure.wilson_loops)")
is_gauge, compose_gauge = GAUGE.is_there, GAUGE.compose
