"""Pictures of quark propagators: correlators of mesons with effective masses, and residuals over iterations.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

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

_MESONS = {"Pion": ("pion", style.BLUE, "o"), "Rho": ("rho", style.VERMILION, "s")}
"""Name in files: what is shown, colour, marker."""
_HEIGHT = 3.4
"""Of the row of panels [inches]."""


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


def qcd_snapshots(path: Path) -> list[Path]:
    """The snapshots of the qcd solver in a directory, in the order of their names."""
    return [file for file in sorted(path.glob("snapshot_*.hdf5")) if is_qcd_file(file)]


def is_qcd_file(path: Path) -> bool:
    """Whether it is such a snapshot."""
    try:
        with h5py.File(path) as file:
            return "Correlators" in file and "Residuals" in file
    except OSError:
        return False


def is_qcd(path: Path) -> bool:
    """Whether there is anything of the qcd solver at `path`."""
    return bool(qcd_snapshots(path)) if path.is_dir() else is_qcd_file(path)


def compose_qcd(path: Path, request: Request) -> Figure:
    """The figure of a run's directory or a snapshot.

    Raises:
        InputError: if the request cannot be met with what is there.
    """
    if request.kind in ("slice", "projection"):
        raise InputError(f"--kind {request.kind}: there are profile (the correlator) and history (residuals) of "
                         "propagators")
    solves = _read(qcd_snapshots(path)[-1] if path.is_dir() else path)
    profile = [_draw_correlators, _draw_masses] if solves.correlators else []
    history = [_draw_residuals] if solves.residuals else []
    panels = {"profile": profile, "history": history, "all": profile + history}[request.kind]
    if not panels:
        raise InputError(f"{path}: there is nothing of the kind '{request.kind}' here: no solve has ended")
    return compose([[partial(panel, solves=solves) for panel in panels]], [_HEIGHT], _title(solves))


def _read(path: Path) -> _Solves:
    try:
        with open_whole(path) as file:
            header = file["Header"].attrs
            lengths = _array(file, "Residuals/Iterations").astype(int)
            residuals = np.split(_array(file, "Residuals/Recursion"), np.cumsum(lengths)[:-1]) if len(lengths) else []
            return _Solves(text_of(header["RunName"]), tuple(int(n) for n in header["Extents"]),
                           float(np.ravel(header["Mass"])[0]), float(np.ravel(header["Plaquette"])[0]),
                           text_of(header["GaugeField"]), float(np.ravel(file["Residuals"].attrs["Tolerance"])[0]),
                           [r for r in residuals if len(r)],
                           {name: _array(file, f"Correlators/{name}") for name in _MESONS
                            if f"Correlators/{name}" in file},
                           {name: _array(file, f"Correlators/{name}EffectiveMass") for name in _MESONS
                            if f"Correlators/{name}EffectiveMass" in file})
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise InputError(f"{path}: is no whole snapshot of the qcd solver: {error}") from error


def _array(file: h5py.File, name: str) -> Array:
    return np.array(file[name][()] if name in file else [], dtype=float)


def _title(solves: _Solves) -> str:
    return "    ".join([escaped(solves.name), "$" + r"\times".join(map(str, solves.extents)) + "$",
                        escaped(f"gauge field: {Path(solves.gauge_field).name}"), f"plaquette {solves.plaquette:.6f}",
                        f"$m_0 = {solves.mass:.6g}$"])


def _draw_correlators(axes: Axes, solves: _Solves) -> None:
    for name, values in solves.correlators.items():
        label, colour, marker = _MESONS[name]
        axes.semilogy(np.arange(len(values)), np.where(values > 0.0, values, np.nan), marker + "-", color=colour,
                      markersize=4.0, linewidth=0.8, label=label)
    axes.set(title="correlators", xlabel="distance $t$ from the source", ylabel="$C(t)$")
    axes.legend(loc="best")


def _draw_masses(axes: Axes, solves: _Solves) -> None:
    for name, values in solves.masses.items():
        label, colour, marker = _MESONS[name]
        known = np.isfinite(values)
        axes.plot(np.arange(len(values))[known] + 0.5, values[known], marker, color=colour, markersize=4.0, label=label)
        axes.set_xlim(0.0, len(values))
    axes.set(title="effective masses (cosh)", xlabel="distance $t$ from the source", ylabel="$m_\\mathrm{eff}(t)$")
    axes.margins(y=0.2)
    axes.set_ylim(bottom=0.0)
    axes.legend(loc="best")


def _draw_residuals(axes: Axes, solves: _Solves) -> None:
    first = 0
    for number, residuals in enumerate(solves.residuals):
        axes.semilogy(first + 1 + np.arange(len(residuals)), residuals, color=style.BLUE if number % 2 else style.SKY,
                      linewidth=1.0, marker=style.marker(len(residuals)))
        first += len(residuals)
    axes.axhline(solves.tolerance, color=style.BLACK, linestyle=":", linewidth=0.8, label="tolerance")
    count = len(solves.residuals)
    axes.set(title=f"{count} {'solve' if count == 1 else 'solves, one after the other'}", xlabel="iteration",
             ylabel=r"residual $|r| / |b|$", xlim=(0, max(first, 1)))
    axes.legend(loc="best")
