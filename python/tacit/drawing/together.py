"""One picture of several runs: their profiles or spectra, and their histories, over each other.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from tacit.drawing import curves, maps, style
from tacit.drawing.atoms import is_atoms
from tacit.drawing.cells import is_cells
from tacit.drawing.flow import CURVE_HEIGHT, draw_law, is_flow, points_text
from tacit.drawing.gauge import is_gauge
from tacit.drawing.heat import is_heat
from tacit.drawing.octree import is_octree
from tacit.drawing.page import check_ending, compose, escaped, write
from tacit.drawing.qcd import compose_several_qcd, is_qcd
from tacit.drawing.request import Request
from tacit.errors import InputError
from tacit.growth import growth_of
from tacit.history import FILE_NAME, drifts, read_history
from tacit.parameters import setup_of
from tacit.profiles import binned_mean
from tacit.runs import snapshot_path
from tacit.snapshot import Snapshot, read_snapshot
from tacit.solutions import exact_profile, parameters_of, shear_seed
from tacit.turbulence import Spectra, flow_files, read_spectra
from tacit.units import Clock

Array = NDArray[np.float64]

_MOST_RUNS = len(style.RUNS)
_EXACT_POINTS = 600


@dataclass(frozen=True)
class _Run:
    """What there is to draw of one run: a snapshot of gas or the spectra of a flow, and a history."""

    folder: Path
    state: Snapshot | Spectra
    history: dict[str, Array]
    frame: curves.ProfileFrame | None = None
    """Of gas."""

    @property
    def solver(self) -> str:
        """By its name in parameter files."""
        return "sph" if isinstance(self.state, Snapshot) else "dns"

    @property
    def setup(self) -> str | None:
        """What it began from, if its files say so."""
        parameters: dict[str, Any] = (parameters_of(self.state) if isinstance(self.state, Snapshot)
                                      else self.state.parameters)
        return setup_of(parameters)

    def resolution(self) -> str:
        """Particles or points, for mathtext."""
        if isinstance(self.state, Snapshot):
            return f"$N = {self.state.size}$"
        return points_text(self.state.points)


Draw = Callable[[Axes, _Run, dict[str, Any]], None]


def draw_together(folders: list[Path], output: Path | None, request: Request) -> Path:
    """Draws the curves of several runs into one picture.

    Returns:
        The path of the picture.

    Raises:
        InputError: if there are too many runs, they do not belong together, or the request cannot be met.
    """
    target = output or folders[0] / "comparison.png"
    check_ending(target)
    write(compose_together(folders, request), target)
    return target


def compose_together(folders: list[Path], request: Request) -> Figure:
    """The figure of several runs.

    Raises:
        InputError: as above.
    """
    if len(folders) > _MOST_RUNS:
        raise InputError(f"{len(folders)} runs are too many for one picture: at most {_MOST_RUNS} can be told apart")
    if request.kind in ("slice", "projection"):
        raise InputError(f"--kind {request.kind}: maps of several runs cannot lie over each other; there are profile, "
                         "history and all, or draw the runs one by one")
    if all(is_qcd(folder) for folder in folders):
        return compose_several_qcd(folders, request)
    for folder in folders:
        for solver, is_of_it in (("heat", is_heat), ("md", is_atoms), ("qcd", is_qcd), ("gauge", is_gauge),
                                 ("amr", is_octree), ("fields in cells", is_cells)):
            if is_of_it(folder):
                raise InputError(f"{folder} is a run of {solver}: there is no picture of several of those; "
                                 "draw them one by one")
    runs = [_read(folder, request) for folder in folders]
    for other in runs[1:]:
        _require_same_kind(runs[0], other)
    rows = _rows(runs, request)
    if not rows:
        without = next(run.folder for run in runs if not run.history)
        raise InputError(f"{without}: no {FILE_NAME} with a column 'time' in it, so no history to draw")
    return compose(rows, [CURVE_HEIGHT] * len(rows), _title(runs))


def _read(folder: Path, request: Request) -> _Run:
    history = read_history(folder / FILE_NAME)
    if is_flow(folder):
        spectra = flow_files(folder)["spectra"]
        if not spectra:
            raise InputError(f"{folder}: no spectra in it (dns.statistics.spectra_every), so no curves to compare")
        return _Run(folder, read_spectra(spectra[-1]), history)
    snapshot = read_snapshot(snapshot_path(folder))
    if request.mean_molecular_weight is not None:
        snapshot.add_temperature(request.mean_molecular_weight)
    exact = exact_profile(snapshot, request.solution)
    if exact is not None and exact.invalid_because() is not None:
        exact = None
    return _Run(folder, snapshot, history, curves.ProfileFrame(snapshot, exact, *maps.view_bounds(snapshot)))


def _require_same_kind(first: _Run, other: _Run) -> None:
    """Refuses runs whose curves cannot share their axes."""
    if first.solver != other.solver:
        raise InputError(f"{first.folder} is a run of {first.solver} and {other.folder} one of {other.solver}: their "
                         "curves have nothing in common; draw them one by one")
    if None not in (first.setup, other.setup) and first.setup != other.setup:
        raise InputError(f"{first.folder} began from {first.setup} and {other.folder} from {other.setup}: runs in one "
                         "picture need the same initial.setup; draw them one by one")
    if isinstance(first.state, Snapshot) and first.state.units != other.state.units:
        raise InputError(f"{first.folder} and {other.folder} have different [units]: one picture needs one system; "
                         "draw them one by one")


def _title(runs: list[_Run]) -> str:
    clock = _clock(runs)
    parts = [escaped(runs[0].setup or "runs")]
    if len({run.state.time for run in runs}) == 1:
        parts.append(f"$t = {clock.text(runs[0].state.time)}$")
    if not isinstance(runs[0].state, Snapshot) or runs[0].state.units.is_code:
        parts.append("(code units)")
    return "    ".join(parts)


def _clock(runs: list[_Run]) -> Clock:
    state = runs[0].state
    times = [time for run in runs for time in (run.state.time, *run.history.get("time", ()))]
    return state.units.clock(max(times)) if isinstance(state, Snapshot) else Clock()


def _labels(runs: list[_Run]) -> list[str]:
    """Names of the runs, or their directories where names are the same; with the resolution, and times that differ."""
    names = [run.state.name for run in runs]
    if len(set(names)) < len(names):
        names = [run.folder.name for run in runs]
    if len(set(names)) < len(names):
        names = [str(run.folder) for run in runs]
    labels = [f"{escaped(name)}, {run.resolution()}" for name, run in zip(names, runs)]
    if len({run.state.time for run in runs}) > 1:
        clock = _clock(runs)
        labels = [f"{label}, $t = {clock.text(run.state.time)}$" for label, run in zip(labels, runs)]
    return labels


def _rows(runs: list[_Run], request: Request) -> list[list[Callable[[Axes], None]]]:
    """Panels, row by row; the first of each row has the legend."""
    profile, history = (_of_gas if runs[0].solver == "sph" else _of_flow)(runs, request)
    if not all(run.history for run in runs):
        history = []
    rows = {"profile": [profile], "history": [history], "all": [profile, history]}[request.kind]
    return [[partial(draw, legend=column == 0) for column, draw in enumerate(row)] for row in rows if row]


def _panel(axes: Axes, runs: list[_Run], draw: Draw, decorate: Callable[[Axes], None], legend: bool) -> None:
    """Draws every run in its colour and line, then what belongs to all of them."""
    for run, look, label in zip(runs, style.RUNS, _labels(runs)):
        draw(axes, run, {"color": look[0], "linestyle": look[1], "label": label})
    decorate(axes)
    if legend:
        axes.legend(loc="best")


def _of_gas(runs: list[_Run], request: Request) -> tuple[list[Callable], list[Callable]]:
    """Panels of profiles and of the history."""
    units, clock = runs[0].state.units, _clock(runs)
    names = [request.field] if request.field else runs[0].frame.names()
    profile = [partial(_panel, runs=runs, draw=partial(_mean, name=name),
                       decorate=partial(_exact, runs=runs, name=name)) for name in names]
    over_time = partial(_label_history, xlabel=f"time $t${clock.label}")

    def energy(axes: Axes, run: _Run, look: dict[str, Any]) -> None:
        axes.plot(run.history["time"] * clock.scale, run.history["kinetic_energy"], **look)

    def drift(axes: Axes, run: _Run, look: dict[str, Any], name: str) -> None:
        values = drifts(run.history).get(name, np.zeros(0))
        if np.any(values > 0.0):
            axes.semilogy(run.history["time"] * clock.scale, np.where(values > 0.0, values, np.nan), **look)

    def wave(axes: Axes, run: _Run, look: dict[str, Any]) -> None:
        growth = growth_of(shear_seed(run.state), run.folder, run.state.time)
        if growth is not None:
            axes.semilogy(growth.time * clock.scale, growth.amplitude, **look)

    label = r"kinetic energy $E_\mathrm{kin}$" + units.label("energy")
    history = [partial(_panel, runs=runs, draw=energy, decorate=partial(over_time, ylabel=label))]
    if all(shear_seed(run.state) is not None for run in runs):
        amplitude = partial(over_time, ylabel=f"amplitude of $v_y${units.label('v')}")
        history.append(partial(_panel, runs=runs, draw=wave, decorate=amplitude))
    for name in ("energy", "momentum"):
        history.append(partial(_panel, runs=runs, draw=partial(drift, name=name),
                               decorate=partial(over_time, ylabel=f"drift of {name}  $|q(t)-q(0)|$ / scale")))
    return profile, history if all("kinetic_energy" in run.history for run in runs) else []


def _label_history(axes: Axes, xlabel: str, ylabel: str) -> None:
    axes.set(xlabel=xlabel, ylabel=ylabel)
    axes.margins(x=0.0)


def _mean(axes: Axes, run: _Run, look: dict[str, Any], name: str) -> None:
    """The mean of the particles in bins of the coordinate."""
    frame = run.frame
    mean = binned_mean(frame.coordinate, frame.values(name), run.state.m, frame.edges)
    axes.plot(mean.centre, mean.mean, **look)


def _exact(axes: Axes, runs: list[_Run], name: str) -> None:
    """The exact solution, if it is the same for all runs; and the axes."""
    frame = runs[0].frame
    means = np.concatenate([drawn.get_ydata() for drawn in axes.lines])
    line = np.linspace(*frame.range, _EXACT_POINTS)
    exact, *others = [run.frame.exact_values(name, line) for run in runs]
    if exact is not None and all(other is not None and np.allclose(exact, other, rtol=1e-6, equal_nan=True)
                                 for other in others):
        axes.plot(line, exact, color=style.BLACK, linewidth=0.9, linestyle=":", label="exact")
    else:
        exact = None
    curves.label_profile(axes, frame, name)
    curves.set_scale(axes, name, means, exact, means, maps.reference(frame.exact, name))


def _of_flow(runs: list[_Run], request: Request) -> tuple[list[Callable], list[Callable]]:
    """Panels of spectra and of the history."""
    if request.field is not None:
        raise InputError(f"--field {request.field}: fields of flows are drawn as maps, which cannot lie over each "
                         "other")

    def spectrum(axes: Axes, run: _Run, look: dict[str, Any]) -> None:
        k, energy = run.state.shells["wave_number"][1:], run.state.shells["energy"][1:] / run.state.shell_width
        seen = energy > 1e-14 * energy.max()
        axes.loglog(k[seen], energy[seen], **look)

    def law(axes: Axes) -> None:
        ranged = [run.state for run in runs if run.state.inertial_range() is not None]
        for state in ranged[-1:]:
            draw_law(axes, state)
        style.number_ticks(axes.xaxis)
        axes.set(xlabel="wave number $k$", ylabel="energy spectrum $E(k)$")

    def flux(axes: Axes, run: _Run, look: dict[str, Any]) -> None:
        shells = run.state.shells
        total = float(shells["dissipation"].sum())
        if total > 0.0:
            axes.semilogx(shells["wave_number"][1:] + 0.5 * run.state.shell_width, shells["flux"][1:] / total, **look)

    def flux_axes(axes: Axes) -> None:
        axes.axhline(0.0, color=style.BLACK, linewidth=0.6)
        style.number_ticks(axes.xaxis)
        axes.set(xlabel="wave number $k$", ylabel=r"energy flux $\Pi(k) / \epsilon$")

    def column(axes: Axes, run: _Run, look: dict[str, Any], name: str) -> None:
        if name in run.history:
            axes.plot(run.history["time"], run.history[name], **look)

    history = [partial(_panel, runs=runs, draw=partial(column, name=name),
                       decorate=partial(_label_history, xlabel="time $t$", ylabel=label))
               for name, label in (("kinetic_energy", "kinetic energy $K$"), ("dissipation", r"dissipation $\epsilon$"),
                                   ("taylor_reynolds_number", r"Taylor Reynolds number $Re_\lambda$"),
                                   ("k_max_eta", r"resolution $k_\mathrm{max}\,\eta$"))]
    return [partial(_panel, runs=runs, draw=spectrum, decorate=law),
            partial(_panel, runs=runs, draw=flux, decorate=flux_axes)], history
