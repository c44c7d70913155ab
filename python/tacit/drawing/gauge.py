"""Pictures of chains of gauge fields: plaquettes and the Polyakov loop over sweeps, and effective energies of loops.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import h5py
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from tacit.drawing import style
from tacit.drawing.page import compose, escaped
from tacit.drawing.request import Request
from tacit.errors import InputError
from tacit.parts import open_whole, text_of

Array = NDArray[np.float64]

_HEIGHT = 3.4
"""Of the row of panels [inches]."""
_LOOP = re.compile(r"Wilson(\d+)x(\d+)")
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


def gauge_snapshots(path: Path) -> list[Path]:
    """The snapshots of the gauge solver in a directory, in the order of their names."""
    return [file for file in sorted(path.glob("snapshot_*.hdf5")) if is_gauge_file(file)]


def is_gauge_file(path: Path) -> bool:
    """Whether it is such a snapshot."""
    try:
        with h5py.File(path) as file:
            return "Measurements" in file and "Means" in file
    except OSError:
        return False


def is_gauge(path: Path) -> bool:
    """Whether there is anything of the gauge solver at `path`."""
    return bool(gauge_snapshots(path)) if path.is_dir() else is_gauge_file(path)


def compose_gauge(path: Path, request: Request) -> Figure:
    """The figure of a run's directory or a snapshot.

    Raises:
        InputError: if the request cannot be met with what is there.
    """
    if request.kind in ("slice", "projection"):
        raise InputError(f"--kind {request.kind}: there are profile (energies of Wilson loops) and history "
                         "(plaquettes, the Polyakov loop) of gauge fields")
    chain = _read(gauge_snapshots(path)[-1] if path.is_dir() else path)
    profile = [_draw_energies] if any(_LOOP.fullmatch(name) for name in chain.means) else []
    history = [_draw_plaquettes, _draw_polyakov] if len(chain.sweeps) else []
    panels = {"profile": profile, "history": history, "all": history + profile}[request.kind]
    if not panels:
        raise InputError(f"{path}: there is nothing of the kind '{request.kind}' here: no field has been measured so "
                         "far, or no Wilson loops (measure.wilson_loops)")
    return compose([[partial(panel, chain=chain) for panel in panels]], [_HEIGHT], _title(chain))


def _read(path: Path) -> _Chain:
    try:
        with open_whole(path) as file:
            header = file["Header"].attrs
            measured = {name: np.array(values[()], dtype=float) for name, values in file["Measurements"].items()}
            return _Chain(text_of(header["RunName"]), tuple(int(n) for n in header["Extents"]),
                          float(np.ravel(header["Beta"])[0]), measured.pop("Sweep", np.array([])), measured,
                          {name: np.array(values[()], dtype=float) for name, values in file["Means"].items()})
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise InputError(f"{path}: is no whole snapshot of the gauge solver: {error}") from error


def _title(chain: _Chain) -> str:
    parts = [escaped(chain.name), "$" + r"\times".join(map(str, chain.extents)) + "$", rf"$\beta = {chain.beta:.6g}$"]
    if "Plaquette" in chain.means:
        mean, error, _ = chain.means["Plaquette"]
        parts.append(f"plaquette {mean:.5f}" + (rf" $\pm$ {error:.5f}" if np.isfinite(error) else ""))
    return "    ".join(parts)


def _draw_plaquettes(axes: Axes, chain: _Chain) -> None:
    for name, label, colour in (("SpatialPlaquette", "spatial", style.SKY),
                                ("TemporalPlaquette", "temporal", style.VERMILION), ("Plaquette", "all", style.BLUE)):
        axes.plot(chain.sweeps, chain.measured[name], color=colour, linewidth=1.0,
                  marker=style.marker(len(chain.sweeps)), label=label)
    mean, error, _ = chain.means["Plaquette"]
    if np.isfinite(error):
        axes.axhspan(mean - error, mean + error, color=style.BLACK, alpha=0.25, linewidth=0.0)
    axes.set(title="mean plaquettes", xlabel="sweep", ylabel=r"$\mathrm{Re\,tr}\,U_p / 3$")
    axes.legend(loc="best")


def _draw_polyakov(axes: Axes, chain: _Chain) -> None:
    axes.plot(chain.measured["PolyakovReal"], chain.measured["PolyakovImaginary"], ".", color=style.BLUE,
              markersize=4.0)
    reach = 1.1 * max(0.05, *(np.abs(chain.measured[name]).max() for name in ("PolyakovReal", "PolyakovImaginary")))
    for turn in range(3):  # where the phases of the centre of SU(3) lie
        angle = 2.0 * np.pi * turn / 3.0
        axes.plot([0.0, reach * np.cos(angle)], [0.0, reach * np.sin(angle)], ":", color=style.BLACK, linewidth=0.8)
    axes.set(title="Polyakov loop", xlabel="real part", ylabel="imaginary part", xlim=(-reach, reach),
             ylim=(-reach, reach), aspect="equal")


def _draw_energies(axes: Axes, chain: _Chain) -> None:
    """-ln W(r, t + 1) / W(r, t), which is V(r) at large t; those of loops that are lost in noise are left out."""
    loops = {tuple(map(int, match.groups())): chain.means[name]
             for name in chain.means if (match := _LOOP.fullmatch(name))}
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
