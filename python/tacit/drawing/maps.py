"""Map panels: a slice through the gas and a projection along an axis.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.image import AxesImage
from matplotlib.patches import Circle, Rectangle
from numpy.typing import NDArray

from tacit.drawing import style
from tacit.drawing.request import Request
from tacit.interpolation import SUPPORT, Window, projection_sums, slice_sums
from tacit.snapshot import Snapshot
from tacit.problems import NohProfile, SquareProfile
from tacit.solutions import ExactProfile, SedovProfile

Array = NDArray[np.float64]

_LEAST_FILLING = 0.5
_LOGARITHMIC_FROM = 30.0
_DEEPEST = 1e-5
_UNIFORM = 1e-4
_OUTLINE = {"fill": False, "linewidth": 0.9, "linestyle": (0, (5, 4))}


def make_window(snapshot: Snapshot, axis: int, resolution: int,
                part: tuple[float, float, float, float] | None = None) -> Window:
    """The part of the plane that is asked for (left, right, down, up); else the whole domain, or the gas with a margin
    where it fills less than half of the domain in some direction.

    The longer side gets `resolution` pixels, the other as many as keep them square, but at least 16.
    """
    low, high = view_bounds(snapshot)
    keep = [k for k in range(3) if k != axis]
    if part is not None:
        low[keep], high[keep] = part[::2], part[1::2]
    extent = high[keep] - low[keep]
    pixels = np.maximum(np.rint(resolution * extent / extent.max()).astype(int), 16)
    return Window(axis, (low[keep[0]], low[keep[1]]), (high[keep[0]], high[keep[1]]), (int(pixels[0]), int(pixels[1])),
                  tuple(snapshot.box), snapshot.is_periodic)


def view_bounds(snapshot: Snapshot) -> tuple[Array, Array]:
    """Corners of the part of the domain that is worth looking at, shape (3) each."""
    first, last = np.percentile(snapshot.x, (0.5, 99.5), axis=0)
    filling = ((last - first) / snapshot.box)[: snapshot.dimension]
    inside = np.all((snapshot.x >= 0.0) & (snapshot.x <= snapshot.box))
    if inside and np.all(filling > _LEAST_FILLING):
        return np.zeros(3), snapshot.box.copy()
    centre, half = 0.5 * (first + last), max(0.6 * float((last - first).max()), 4.0 * float(np.median(snapshot.h)))
    return centre - half, centre + half


def slice_map(snapshot: Snapshot, name: str, window: Window, cut: float) -> Array:
    """The field interpolated onto the plane, shape (up, right); nan where no particle reaches.

    The density is sum m W; another field A is sum V A W / sum V W with V = m / rho.
    """
    h, area = (snapshot.h, 1.0) if snapshot.dimension == 3 else _flat_kernel(snapshot.h)
    if name == "rho":
        values = slice_sums(snapshot.x, h, (area * snapshot.m)[None, :], window, cut)[0]
        return np.where(values > 0.0, values, np.nan)
    volume = area * snapshot.volume()
    norm, values = slice_sums(snapshot.x, h, np.stack([volume, volume * snapshot.quantity(name)]), window, cut)
    return np.where(norm > 0.0, values / np.where(norm > 0.0, norm, 1.0), np.nan)


def _flat_kernel(h: Array) -> tuple[Array, Array]:
    """What makes slice_sums one over areas, for gas in two dimensions: lengths h and factors on the weights, shape (N).

    The cubic spline of the plane has the shape of that of space, another norm, 40/(7 pi) H^-2 for 8/pi H^-3, and
    another support, H = 1.778002 h (Dehnen & Aly 2012, table 1).
    """
    flat = h * (1.778002 / SUPPORT)
    return flat, 5.0 / 7.0 * SUPPORT * flat


def projection_map(snapshot: Snapshot, name: str, window: Window) -> Array:
    """Surface density for rho; for another field its mean along the line of sight, by mass; nan without gas."""
    if name == "rho":
        sigma = projection_sums(snapshot.x, snapshot.h, snapshot.m[None, :], window)[0]
        return np.where(sigma > 1e-10 * sigma.max(), sigma, np.nan)
    weights = np.stack([snapshot.m, snapshot.m * snapshot.quantity(name)])
    mass, values = projection_sums(snapshot.x, snapshot.h, weights, window)
    # FFT leaves round-off where there is no gas.
    is_gas = mass > 1e-10 * mass.max()
    return np.where(is_gas, values / np.where(is_gas, mass, 1.0), np.nan)


def reference(exact: ExactProfile | None, name: str) -> float | None:
    """The value about which a field is shown, if what matters is how it departs from it."""
    return exact.P0 if isinstance(exact, SquareProfile) and name == "P" else None


def draw_map(axes: Axes, image: Array, snapshot: Snapshot, window: Window, name: str, title: str,
             request: Request, about: float | None = None) -> None:
    """Shows an image with its colour bar; the colours are logarithmic where the values span more than a factor 30.

    Args:
        request: whose colours it has, if it asks for some.
        about: the value that is white between two colours; for fields that are not shown so, None.
    """
    extent = (window.low[0], window.high[0], window.low[1], window.high[1])
    # Beyond its outermost particles gas thins out as their kernels do; the colours are for what particles have.
    least = float(snapshot.fields["rho"].min()) if name == "rho" and "rho" in snapshot.fields else 0.0
    shown = axes.imshow(image, origin="lower", extent=extent, cmap=style.colour_map(name, about is not None),
                        norm=_norm(image, name, about, least), interpolation="bilinear", aspect="equal")
    frame(axes, shown, request)
    right, up = ("xyz"[k] for k in window.directions)
    axes.set(title=title, xlabel=f"${right}${snapshot.units.label('length')}",
             ylabel=f"${up}${snapshot.units.label('length')}")
    label = f"{style.words(name)}{snapshot.units.label(name)}"
    add_bar(axes, shown, label if about is None else f"{label}, white: {about:.4g}", window.shape[1] / window.shape[0])


def frame(axes: Axes, shown: AxesImage, request: Request, is_ranged: bool = True) -> float | None:
    """Shows the part of a map that the request asks for, in the colours that it asks for.

    Args:
        is_ranged: whether its field is the one whose colours are asked for.

    Returns:
        Height over width of the part; None where all is shown.
    """
    if request.range is not None and is_ranged:
        is_log = isinstance(shown.norm, LogNorm) and request.range[0] > 0.0
        shown.set_norm(LogNorm(*request.range, clip=True) if is_log else Normalize(*request.range))
    if request.extent is None:
        return None
    left, right, down, up = request.extent
    axes.set(xlim=(left, right), ylim=(down, up))
    return (up - down) / (right - left)


def height(width: float, ratio: float, request: Request) -> float:
    """Of a row with maps of this width [inches]. `ratio`: height over width of the plane."""
    if request.extent is not None:
        left, right, down, up = request.extent
        ratio = (up - down) / (right - left)
    return float(np.clip(0.72 * width * ratio + 0.75, 2.0, 9.0))


def add_bar(axes: Axes, shown: AxesImage, label: str, ratio: float) -> None:
    """A colour bar to the right of a map, as an inset, so that it is exactly as long as the map is high.

    Args:
        ratio: height of the map over its width.
    """
    # Ticks outside: within the map they would need the colour that the map does not have there.
    axes.tick_params(which="both", direction="out", top=False, right=False)
    width = 0.045 * float(np.clip(ratio, 0.3, 1.5))
    bar = axes.figure.colorbar(shown, cax=axes.inset_axes((1.0 + 0.6 * width, 0.0, width, 1.0)))
    bar.set_label(label)
    bar.ax.tick_params(which="both", direction="out", top=False, left=False)
    if isinstance(shown.norm, LogNorm):
        style.number_ticks(bar.ax.yaxis)


def mark_exact(axes: Axes, exact: ExactProfile | None, window: Window, cut: float, is_space: bool) -> None:
    """Draws where the exact shock cuts the plane, or the outline of the square."""
    # Diverging colours are white in their middle, the others begin dark.
    colour = "black" if axes.images[0].get_cmap().name == style.DIVERGING else "white"
    if isinstance(exact, (SedovProfile, NohProfile)):
        height = cut - exact.centre[window.axis] if is_space else 0.0
        if abs(height) < exact.shock_radius:
            radius = float(np.sqrt(exact.shock_radius**2 - height**2))
            centre = tuple(exact.centre[list(window.directions)])
            axes.add_patch(Circle(centre, radius, color=colour, **_OUTLINE))
    if isinstance(exact, SquareProfile) and window.axis == 2:
        corner = tuple(exact.centre[:2] - 0.25 * exact.box)
        axes.add_patch(Rectangle(corner, 0.5 * exact.box, 0.5 * exact.box, color=colour, **_OUTLINE))


def _norm(image: Array, name: str, about: float | None, least: float = 0.0) -> Normalize:
    values = np.maximum(image[np.isfinite(image)], least) if least > 0.0 else image[np.isfinite(image)]
    if len(values) == 0:
        return Normalize(0.0, 1.0)
    if about is not None or style.is_signed(name):
        middle = about or 0.0
        largest = max(float(np.percentile(np.abs(values - middle), 99.8)), _UNIFORM * abs(middle), 1e-300)
        return Normalize(middle - largest, middle + largest)
    positive = values[values > 0.0]
    high = float(values.max())
    if len(positive) > 0 and values.min() >= 0.0 and name != "v" and high > _LOGARITHMIC_FROM * positive.min():
        return LogNorm(max(float(np.percentile(positive, 0.1)), _DEEPEST * high), high, clip=True)
    low = float(values.min())
    if high - low <= _UNIFORM * abs(high):
        # A uniform field must not be drawn as its round-off over the whole colour scale.
        low, high = low - (0.1 * abs(low) or 1.0), high + (0.1 * abs(high) or 1.0)
    return Normalize(low, high)
