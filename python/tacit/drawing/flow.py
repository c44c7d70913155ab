"""Pictures of turbulence: slices, spectra, flux, structure functions, probability densities and history.

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
from tacit.parameters import setup_of, table
from tacit.turbulence import (FLOW_FIELDS, Plane, Spectra, flow_files, flow_kind, read_plane, read_slice,
                              read_spectra)

Array = NDArray[np.float64]
Panel = Callable[[Axes, "_Scene"], None]

CURVE_HEIGHT = 3.1
"""Of a row of curves [inches]."""
_NAMES = {"v": r"speed $|\mathbf{u}|$", "omega": r"vorticity $|\mathbf{\omega}|$"}
_SMALLEST = 1e-14
"""Of the largest value: what lies below is rounding and is not drawn."""


@dataclass(frozen=True)
class _Scene:
    """What there is to draw; parts may be missing."""

    request: Request
    plane: Plane | None
    spectra: list[Spectra]
    """The first and the latest, or one alone."""
    history: dict[str, Array]

    @property
    def latest(self) -> Spectra:
        """The spectra that most panels show."""
        return self.spectra[-1]


def is_flow(path: Path) -> bool:
    """Whether there is anything of the dns solver at `path`."""
    if path.is_dir():
        return any(flow_files(path).values())
    return flow_kind(path) is not None


def compose_flow(path: Path, request: Request) -> Figure:
    """The figure of a run's directory, a file of spectra or a snapshot.

    Raises:
        InputError: if the request cannot be met with what is there.
    """
    if request.kind == "projection":
        raise InputError("--kind projection: there are slice, profile (spectra) and history of a flow")
    scene = _read(path, request)
    rows = _rows(scene)
    if not rows:
        raise InputError(f"{path}: there is nothing of the kind '{request.kind}' here")
    width = width_of(max(map(len, rows)))
    heights = [_height(row, scene, width / len(row)) for row in rows]
    return compose([[partial(panel, scene=scene) for panel in row] for row in rows], heights, _title(scene))


def _read(path: Path, request: Request) -> _Scene:
    if path.is_dir():
        files = flow_files(path)
    else:
        kind = flow_kind(path)
        files = {"spectra": [], "snapshot": []} | ({kind: [path]} if kind else {})
    spectra = [read_spectra(file) for file in dict.fromkeys(files["spectra"][:1] + files["spectra"][-1:])]
    needs_snapshot = request.axis != 2 or request.cut is not None or not files["spectra"]
    is_scalar = request.field is not None and request.field not in FLOW_FIELDS
    plane = None
    if (needs_snapshot or is_scalar) and files["snapshot"]:
        plane = read_plane(files["snapshot"][-1], request.axis, request.cut)
    elif needs_snapshot:
        raise InputError(f"{path}: --axis and --cut need a snapshot; a file of spectra holds one plane across z")
    else:
        plane = read_slice(files["spectra"][-1])
    return _Scene(request, plane, spectra, read_history((path if path.is_dir() else path.parent) / FILE_NAME))


def _rows(scene: _Scene) -> list[list[Panel]]:
    """Panels, row by row."""
    field = scene.request.field
    names = ["v", "omega"] if field is None else [field]
    slices: list[Panel] = [_slice_panel(name, name == names[0]) for name in names]
    curves: list[Panel] = [_draw_spectrum, _draw_flux, _draw_structure] if scene.spectra else []
    densities: list[Panel] = [_draw_densities] if scene.spectra else []
    history: list[Panel] = [_draw_energy, _draw_dissipation, _draw_numbers] if scene.history else []
    kind = scene.request.kind
    rows = {"slice": [slices], "profile": [curves, densities], "history": [history],
            "all": [slices + densities, curves, history]}[kind]
    return [row for row in rows if row]


def _height(row: list[Panel], scene: _Scene, width: float) -> float:
    """Inches; slices follow the shape of their plane."""
    if row[0] in (_draw_spectrum, _draw_densities, _draw_energy) or scene.plane is None:
        return CURVE_HEIGHT
    right, up = scene.plane.extent
    return float(np.clip(0.72 * width * up / right + 0.75, 2.4, 9.0))


def _title(scene: _Scene) -> str:
    source = scene.latest if scene.spectra else scene.plane
    parts = [escaped(source.name), rf"$t = {source.time:.4g}$"]
    if source.points:
        parts.append(points_text(source.points))
    if source.viscosity is not None:
        parts.append(rf"$\nu = {source.viscosity:.4g}$")
    parts += [f"${symbol} = {value:.4g}$" for symbol, value in reynolds_numbers(source, scene.history).items()]
    return "    ".join([*parts, "(code units)"])


def points_text(points: tuple[int, ...]) -> str:
    """The resolution, for mathtext: 64^3, or the numbers of points along the axes."""
    return f"${points[0]}^3$" if len(set(points)) == 1 else "$" + r"\times".join(map(str, points)) + "$"


def reynolds_numbers(source: Spectra | Plane, history: dict[str, Array]) -> dict[str, float]:
    """By symbol: that of the set-up where it has one, else that of the large scales, u' L / nu; and Re_lambda.

    Both are of the time of `source`; without spectra they come from the history where that reaches so far.
    """
    scales = {}
    if isinstance(source, Spectra):
        scales = {"kinetic_energy": float(source.shells["energy"].sum()), **source.scales}
    time = history.get("time", np.zeros(0))
    if not scales and len(time) > 0 and time[0] <= source.time <= time[-1]:
        scales = {name: float(np.interp(source.time, time, values)) for name, values in history.items()}
    numbers = {}
    nu, speed = source.viscosity or 0.0, table(source.parameters, "taylor_green").get("speed", 1.0)
    if nu > 0.0 and setup_of(source.parameters) == "taylor_green" and isinstance(speed, (int, float)):
        numbers["Re"] = speed * float(source.box[0]) / (2.0 * np.pi) / nu
    elif nu > 0.0 and scales.get("integral_scale", 0.0) > 0.0:
        rms = np.sqrt(2.0 / 3.0 * scales.get("kinetic_energy", 0.0))
        numbers["Re_L"] = rms * scales["integral_scale"] / nu
    if scales.get("taylor_reynolds_number", 0.0) > 0.0:
        numbers[r"Re_\lambda"] = scales["taylor_reynolds_number"]
    return numbers


def _slice_panel(name: str, is_ranged: bool = True) -> Panel:
    def draw(axes: Axes, scene: _Scene) -> None:
        plane = scene.plane
        assert plane is not None
        image = plane.quantity(name)
        right, up = ("xyz"[k] for k in plane.directions)
        is_signed = name not in _NAMES
        largest = max(float(np.percentile(np.abs(image), 99.8)), 1e-300)
        # Points are the centres of pixels, and the first ones follow the last.
        half_up, half_right = (0.5 * side / count for side, count in zip(plane.extent[::-1], image.shape))
        shown = axes.imshow(np.pad(image, ((0, 1), (0, 1)), mode="wrap"), origin="lower",
                            extent=(-half_right, plane.extent[0] + half_right, -half_up, plane.extent[1] + half_up),
                            cmap=style.DIVERGING if is_signed else {"v": "cividis", "omega": "inferno"}[name],
                            vmin=-largest if is_signed else 0.0, vmax=largest, interpolation="bilinear")
        title = f"slice at ${'xyz'[plane.axis]} = {plane.cut:.4g}$"
        axes.set(title=title, xlabel=f"${right}$", ylabel=f"${up}$", xlim=(0.0, plane.extent[0]),
                 ylim=(0.0, plane.extent[1]))
        ratio = maps.frame(axes, shown, scene.request, is_ranged)
        maps.add_bar(axes, shown, _NAMES.get(name, _component(name)), ratio or plane.extent[1] / plane.extent[0])

    return draw


def _component(name: str) -> str:
    if name not in FLOW_FIELDS:
        return {"buoyancy": "buoyancy $b$"}.get(name, name.replace("scalar", "scalar "))
    return rf"vorticity $\omega_{name[-1]}$" if name.startswith("omega") else rf"velocity $u_{name[-1]}$"


def _draw_spectrum(axes: Axes, scene: _Scene) -> None:
    """E(k) of the first and the latest time, and the slope of Kolmogorov's law."""
    looks = ((style.SKY, "--"), (style.BLUE, "-"))[-len(scene.spectra):]
    top, bottom = 0.0, np.inf
    for spectra, (colour, line) in zip(scene.spectra, looks):
        k, energy = spectra.shells["wave_number"][1:], spectra.shells["energy"][1:] / spectra.shell_width
        seen = energy > _SMALLEST * energy.max()
        axes.loglog(k[seen], energy[seen], color=colour, linestyle=line, label=f"$t = {spectra.time:.4g}$",
                    marker=style.marker(np.count_nonzero(seen)))
        top, bottom = max(top, float(energy.max())), min(bottom, float(energy[seen].min(initial=np.inf)))
    draw_law(axes, scene.latest)
    style.number_ticks(axes.xaxis)
    if top > 0.0:
        axes.set_ylim(max(bottom, 1e-12 * top) / 3.0, 20.0 * top)
    axes.set(xlabel="wave number $k$", ylabel="energy spectrum $E(k)$")
    axes.legend(loc="lower left")


def draw_law(axes: Axes, spectra: Spectra) -> None:
    """Kolmogorov's law, above the curve, over the wave numbers that follow it; nothing where none do."""
    found = spectra.inertial_range()
    if found is None:
        return
    k, energy = spectra.shells["wave_number"], spectra.shells["energy"] / spectra.shell_width
    inside = (k >= found[0]) & (k <= found[1])
    law = k[inside] ** (-5.0 / 3.0)
    axes.loglog(k[inside], 2.0 * float(np.max(energy[inside] / law)) * law, color=style.BLACK, linestyle=":",
                label="$k^{-5/3}$")


def _draw_flux(axes: Axes, scene: _Scene) -> None:
    """Pi(k) and the dissipation beyond k, over the dissipation."""
    spectra = scene.latest
    k, flux = spectra.shells["wave_number"][1:] + 0.5 * spectra.shell_width, spectra.shells["flux"][1:]
    total = float(spectra.shells["dissipation"].sum())
    scale = total if total > 0.0 else max(float(np.abs(flux).max()), 1e-300)
    axes.semilogx(k, flux / scale, color=style.VERMILION, label=r"$\Pi(k) / \epsilon$" if total > 0.0 else r"$\Pi(k)$")
    if total > 0.0:
        axes.semilogx(k, 1.0 - np.cumsum(spectra.shells["dissipation"])[1:] / total, color=style.GREEN,
                      linestyle="--", label=r"dissipation beyond $k$, over $\epsilon$")
    axes.axhline(0.0, color=style.BLACK, linewidth=0.6)
    style.number_ticks(axes.xaxis)
    unit = r"\epsilon" if total > 0.0 else r"\max|\Pi|"
    axes.set(xlabel="wave number $k$", ylabel=rf"energy flux $\Pi(k) / {unit}$")
    axes.legend(loc="best")


def _draw_structure(axes: Axes, scene: _Scene) -> None:
    """- <du_L^3> / (eps r) along each axis, against 4/5."""
    spectra = scene.latest
    dissipation = float(spectra.shells["dissipation"].sum())
    # Lines differ too: in symmetric flows they lie on each other.
    looks = ((style.BLUE, "-"), (style.GREEN, "--"), (style.ORANGE, "-."))
    for (axis, along), (colour, line) in zip(sorted(spectra.structures.items()), looks):
        r = along["separation"][1:]
        scale = dissipation * r if dissipation > 0.0 else 1.0
        axes.semilogx(r, -along["longitudinal_3"][1:] / scale, color=colour, linestyle=line, label=f"${axis}$")
    if dissipation > 0.0:
        axes.axhline(0.8, color=style.BLACK, linestyle=":", label="4/5")
        axes.set_ylim(top=max(1.15, 1.1 * axes.get_ylim()[1]))  # room for the legend
    style.number_ticks(axes.xaxis)
    ylabel = r"$-\langle\delta u_L^3\rangle / \epsilon r$"
    axes.set(xlabel="separation $r$", ylabel=ylabel if dissipation > 0.0 else r"$-\langle\delta u_L^3\rangle$")
    axes.legend(loc="best", ncols=2)


def _draw_densities(axes: Axes, scene: _Scene) -> None:
    """Densities of the quantities, components together, against a Gaussian."""
    looks = (("velocity", style.BLUE, "$u_i$"), ("gradient", style.VERMILION, r"$\partial u_i / \partial x_i$"),
             ("vorticity", style.GREEN, r"$\omega_i$"))
    reach, least = 4.0, 1e-4
    for name, colour, label in looks:
        found = scene.latest.densities[name]
        with np.errstate(invalid="ignore"):
            mean = found.density[np.ptp(found.density, axis=1) > 0.0].mean(axis=0)
        seen = mean > 0.0
        if not seen.any():
            continue
        axes.semilogy(found.centre[seen], mean[seen], color=colour, label=label)
        reach = max(reach, float(np.abs(found.centre[seen]).max()))
        least = min(least, float(mean[seen].min()))
    x = np.linspace(-reach, reach, 400)
    axes.semilogy(x, np.exp(-0.5 * x**2) / np.sqrt(2.0 * np.pi), color=style.BLACK, linestyle=":", label="Gaussian")
    axes.set(xlabel=r"$q / q_\mathrm{rms}$", ylabel=r"probability density $p(q / q_\mathrm{rms})$",
             xlim=(-reach, reach), ylim=(max(least / 2.0, 1e-12), 30.0))
    axes.legend(loc="upper right", ncols=2)


def _draw_energy(axes: Axes, scene: _Scene) -> None:
    time = scene.history["time"]
    axes.plot(time, scene.history["kinetic_energy"], color=style.BLUE, marker=style.marker(len(time)))
    axes.set(xlabel="time $t$", ylabel="kinetic energy $K$", ylim=(0.0, None))
    axes.margins(x=0.0)


def _draw_dissipation(axes: Axes, scene: _Scene) -> None:
    """2 nu times the enstrophy, and what energy is lost beside the power of what drives the flow."""
    time, energy = scene.history["time"], scene.history["kinetic_energy"]
    axes.plot(time, scene.history["dissipation"], color=style.VERMILION, marker=style.marker(len(time)),
              label=r"$\epsilon = 2\nu Z$")
    if len(time) > 3:
        power = scene.history.get("forcing_power")
        lost = -np.gradient(energy, time, edge_order=2)
        axes.plot(time, lost if power is None else power + lost, color=style.BLACK, linestyle=":",
                  label=r"$-\mathrm{d}K/\mathrm{d}t$" if power is None else r"$P - \mathrm{d}K/\mathrm{d}t$")
    axes.set(xlabel="time $t$", ylabel=r"dissipation $\epsilon$")
    axes.margins(x=0.0)
    axes.legend(loc="best")


def _draw_numbers(axes: Axes, scene: _Scene) -> None:
    """Reynolds number to the left; how well the smallest scale is resolved to the right."""
    time, history = scene.history["time"], scene.history
    axes.plot(time, history["taylor_reynolds_number"], color=style.BLUE, marker=style.marker(len(time)))
    axes.set(xlabel="time $t$", ylabel=r"Taylor Reynolds number $Re_\lambda$")
    axes.yaxis.label.set_color(style.BLUE)
    axes.margins(x=0.0)
    other = axes.twinx()
    other.plot(time, history["k_max_eta"], color=style.ORANGE, linestyle="--", marker=style.marker(len(time)))
    other.set_ylabel(r"resolution $k_\mathrm{max}\,\eta$", color=style.ORANGE)
    other.set_ylim(0.0, 1.1 * other.get_ylim()[1])  # what hardly changes does not lie on the frame
