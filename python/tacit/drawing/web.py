"""Pictures of the matter of a universe: the web, its power spectrum over linear theory, and the masses of groups.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from numpy.typing import NDArray

from tacit.drawing import maps, style
from tacit.drawing.page import compose, escaped, width_of
from tacit.drawing.request import Request
from tacit.errors import InputError
from tacit.matter import (Groups, Matter, MatterPower, is_power_file, power_files, read_groups, read_matter,
                          read_power)

Array = NDArray[np.float64]

CURVE_HEIGHT = 3.1
"""Of a row of curves [inches]."""
_BLUR = 0.6
"""Of a particle on a map, in distances to its neighbours."""
_NEIGHBOURS = 8
"""Particles in a cell whose density is that of each of them."""


@dataclass(frozen=True)
class _Scene:
    """What there is to draw; parts may be missing."""

    request: Request
    matter: Matter | None
    power: list[MatterPower]
    """The first and the latest, or one alone."""
    groups: Groups | None


def is_web(path: Path) -> bool:
    """Whether there are power spectra of matter at `path`."""
    return bool(power_files(path)) if path.is_dir() else is_power_file(path)


def compose_web(path: Path, request: Request) -> Figure:
    """The figure of a run's directory or a file of a power spectrum.

    Raises:
        InputError: if the request cannot be met with what is there.
    """
    if request.kind in ("slice", "history") or request.field is not None:
        raise InputError(f"{path}: of a box with power spectra there are --kind projection and profile; give a "
                         "snapshot for others")
    scene = _read(path, request)
    rows = _rows(scene)
    if not rows:
        raise InputError(f"{path}: there is nothing of the kind '{request.kind}' here")
    width = width_of(max(map(len, rows)))
    heights = [maps.height(width / len(row), 1.0, request) if row[0].func is _draw_map else CURVE_HEIGHT
               for row in rows]
    latest = scene.power[-1]
    count = "" if scene.matter is None else rf"    $N = {len(scene.matter.m):,}$".replace(",", r"\,")
    redshift = round(1.0 / latest.a - 1.0, 6) + 0.0  # of today rounding alone is left
    title = rf"{escaped(latest.name)}    $a = {latest.a:.4g}$    $z = {redshift:.3g}${count}"
    return compose(rows, heights, title)


def _read(path: Path, request: Request) -> _Scene:
    if not path.is_dir():
        return _Scene(request, None, [read_power(path)], None)
    files = power_files(path)
    snapshots = sorted(path.rglob("snapshot_*.hdf5"), key=lambda file: file.name)
    snapshots = [file for file in snapshots if ".part" not in file.name]
    groups = sorted(path.rglob("groups_*.hdf5"), key=lambda file: file.name)
    groups = [file for file in groups if ".part" not in file.name]
    return _Scene(request, read_matter(snapshots[-1]) if snapshots else None,
                  [read_power(file) for file in dict.fromkeys([files[0], files[-1]])],
                  read_groups(groups[-1]) if groups else None)


def _rows(scene: _Scene) -> list[list[partial[None]]]:
    shown: list[partial[None]] = []
    if scene.matter is not None:
        kinds = [kind for kind in (False, True) if np.any(scene.matter.is_gas == kind)]
        shown = [partial(_draw_map, scene=scene, is_gas=kind) for kind in kinds]
    curves = [partial(_draw_power, scene=scene)]
    if any(one.linear is not None for one in scene.power):
        curves.append(partial(_draw_ratio, scene=scene))
    if scene.groups is not None:
        curves.append(partial(_draw_groups, scene=scene))
    rows = {"projection": [shown], "profile": [curves]}.get(scene.request.kind, [shown, curves])
    return [row for row in rows if row]


def _draw_map(axes: Axes, scene: _Scene, is_gas: bool) -> None:
    """Surface density through the whole box, over its mean."""
    matter, axis = scene.matter, scene.request.axis
    assert matter is not None
    right, up = (k for k in range(3) if k != axis)
    left, right_end, down, top = scene.request.extent or (0.0, matter.box[right], 0.0, matter.box[up])
    mine = matter.is_gas == is_gas
    pixels = max(scene.request.resolution, 16)
    sigma = surface_density(matter.x[mine], matter.m[mine], matter.box, axis, pixels)
    low, high = (scene.request.range if scene.request.range is not None else
                 (max(float(np.percentile(sigma, 1.0)), 1e-3), max(float(sigma.max()), 2e-3)))
    shown = axes.imshow(np.maximum(sigma, 1e-6), origin="lower", cmap=style.colour_map("sigma"),
                        extent=(0.0, matter.box[right], 0.0, matter.box[up]), norm=LogNorm(low, high))
    axes.set_xlim(left, right_end)
    axes.set_ylim(down, top)
    label = scene.power[-1].units.label("length")
    axes.set(title=f"{'gas' if is_gas else 'dark matter'}, along ${'xyz'[axis]}$", xlabel=f"${'xyz'[right]}${label}",
             ylabel=f"${'xyz'[up]}${label}")
    maps.add_bar(axes, shown, r"$\Sigma / \bar\Sigma$", (top - down) / (right_end - left))


def surface_density(x: Array, m: Array, box: Array, axis: int, pixels: int) -> Array:
    """Shape (pixels, pixels), rows along the second of the other axes: mass per area through the whole periodic box,
    over its mean. Each particle is spread by the distance of its neighbours, so that none shows as a dot where they
    are rare, and haloes stay sharp."""
    right, up = (k for k in range(3) if k != axis)
    edges = [np.linspace(0.0, box[k], pixels + 1) for k in (right, up)]
    # Widths in steps of sqrt 2, and nothing narrower than a pixel.
    widths = np.maximum(_BLUR * local_spacing(x, box) * pixels / box[right], 0.7)
    steps = np.round(2.0 * np.log2(widths)).astype(int)
    sigma = np.zeros((pixels, pixels))
    for step in np.unique(steps):
        these = steps == step
        mass, _, _ = np.histogram2d(x[these, right], x[these, up], bins=edges, weights=m[these])
        sigma += _blurred(mass.T, 2.0 ** (0.5 * step))
    return sigma / sigma.mean()


def local_spacing(x: Array, box: Array) -> Array:
    """Shape (N): the mean distance of neighbours [length], from the smallest cell of a grid that holds some of them."""
    spacing = np.full(len(x), float(np.cbrt(np.prod(box) / max(len(x), 1))))
    for level in range(1, 14):
        cells = 2**level
        place = np.clip((x / box * cells).astype(np.int64), 0, cells - 1)
        _, which, counts = np.unique((place[:, 0] * cells + place[:, 1]) * cells + place[:, 2], return_inverse=True,
                                     return_counts=True)
        count = counts[which.ravel()]
        is_crowded = count >= _NEIGHBOURS
        if not is_crowded.any():
            break
        spacing[is_crowded] = np.cbrt(np.prod(box / cells) / count[is_crowded])
    return spacing


def _blurred(image: Array, sigma: float) -> Array:
    """Spread over so many pixels, around the faces of the box."""
    waves = [np.fft.fftfreq(n) for n in image.shape]
    damping = np.exp(-2.0 * np.pi**2 * sigma**2 * (waves[0][:, None] ** 2 + waves[1][None, :] ** 2))
    return np.maximum(np.fft.ifft2(np.fft.fft2(image) * damping).real, 0.0)


def _finest(scene: _Scene) -> float | None:
    """The wave number of Nyquist of a lattice of the bodies, or where there are none of the gas; None if not known."""
    if scene.matter is None:
        return None
    gas = int(np.count_nonzero(scene.matter.is_gas))
    count = len(scene.matter.m) - gas or gas
    return float(np.pi * np.cbrt(count / np.prod(scene.matter.box)))


def _mark_finest(axes: Axes, scene: _Scene) -> None:
    if (finest := _finest(scene)) is not None:
        axes.axvline(finest, color=style.PARTICLES, linewidth=0.8, linestyle="--", label="Nyquist's of the particles")


def _draw_power(axes: Axes, scene: _Scene) -> None:
    """Spectra, and linear theory's."""
    for one, (colour, line) in zip(scene.power, style.RUNS):
        axes.loglog(one.k, one.power, color=colour, linestyle=line, label=f"$a = {one.a:.3g}$")
        if one.linear is not None:
            axes.loglog(one.k, one.linear, color=style.EXACT, linewidth=0.8, linestyle=":",
                        label="linear theory" if one is scene.power[-1] else None)
    latest = scene.power[-1]
    axes.axhline(latest.shot_noise, color=style.PARTICLES, linewidth=0.6, label="shot noise of as many particles")
    _mark_finest(axes, scene)
    unit = latest.units.name("length").strip() or "length"
    axes.set(xlabel=f"$k$ [1 / {unit}]", ylabel=f"$P(k)$ [{unit}$^3$]", title="power spectrum")
    axes.legend(loc="best", fontsize=7)


def _draw_ratio(axes: Axes, scene: _Scene) -> None:
    """Spectra over linear theory's, with what the number of modes lets expect of chance."""
    finest = _finest(scene)
    shown = []
    for one, (colour, line) in zip(scene.power, style.RUNS):
        if one.linear is None:
            continue
        ratio = one.power / one.linear
        axes.semilogx(one.k, ratio, color=colour, linestyle=line, label=f"$a = {one.a:.3g}$")
        shown.append(ratio if finest is None else ratio[one.k <= finest])
    first = next(one for one in scene.power if one.linear is not None)
    spread = np.sqrt(2.0 / first.modes)
    axes.fill_between(first.k, 1.0 - spread, 1.0 + spread, color=style.PARTICLES, alpha=0.3, linewidth=0.0,
                      label="chance")
    axes.axhline(1.0, color=style.BLACK, linewidth=0.6)
    axes.set_yscale("log")
    _mark_finest(axes, scene)
    if all(len(ratio) for ratio in shown):  # beyond Nyquist's number stand images of the lattice
        values = np.concatenate([*shown, 1.0 + spread, np.maximum(1.0 - spread, 0.3)])
        axes.set_ylim(0.8 * values.min(), 1.5 * values.max())
    unit = first.units.name("length").strip() or "length"
    axes.set(xlabel=f"$k$ [1 / {unit}]", ylabel="$P(k)$ over linear theory", title="growth of structure")
    axes.legend(loc="best", fontsize=7)


def _draw_groups(axes: Axes, scene: _Scene) -> None:
    """How many groups are heavier."""
    groups, units = scene.groups, scene.power[-1].units
    assert groups is not None
    if len(groups.masses) > 0:
        axes.loglog(groups.masses, np.arange(1, len(groups.masses) + 1), color=style.BLUE, drawstyle="steps-post")
    else:
        axes.text(0.5, 0.5, "none yet", ha="center", transform=axes.transAxes)
    axes.set(xlabel=f"mass $M${units.label('m')}", ylabel="groups heavier than $M$", title="groups")
