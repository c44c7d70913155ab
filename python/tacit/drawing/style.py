"""The look of all figures: fonts, colours that colour-blind readers can tell apart, names of quantities.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import matplotlib
from matplotlib.axis import Axis
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

matplotlib.use("Agg")

# Okabe & Ito (2008), Color Universal Design.
BLACK, BLUE, VERMILION, GREEN, ORANGE, SKY = "#000000", "#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9"
PARTICLES = "#7F8C99"
MEAN = BLUE
EXACT = VERMILION

RUNS = ((BLUE, "-"), (VERMILION, "--"), (GREEN, "-."), (ORANGE, "-"), (SKY, "--"), ("#CC79A7", "-."), (BLACK, "-"))
"""Colours and lines of several runs in one picture; lines differ too, as curves may lie on each other."""

DOTS_PER_INCH = 150

SETTINGS = {
    "font.family": "DejaVu Sans",
    "mathtext.fontset": "dejavuserif",
    "font.size": 9.5,
    "axes.titlesize": 10,
    "axes.labelsize": 10,
    "axes.linewidth": 0.8,
    "axes.spines.top": True,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "legend.handlelength": 1.6,
    "lines.linewidth": 1.6,
    "xtick.direction": "in",
    "ytick.direction": "in",
    "xtick.top": True,
    "ytick.right": True,
    "xtick.minor.visible": True,
    "ytick.minor.visible": True,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "savefig.dpi": DOTS_PER_INCH,
    "figure.dpi": DOTS_PER_INCH,
    "axes.formatter.limits": (-3, 4),
    "axes.formatter.use_mathtext": True,
    "axes.formatter.useoffset": False,
}

_SYMBOLS = {
    "rho": r"$\rho$", "sigma": r"$\Sigma$", "P": r"$P$", "u": r"$u$", "v": r"$|\mathbf{v}|$", "vx": r"$v_x$",
    "vy": r"$v_y$", "vz": r"$v_z$", "h": r"$h$", "m": r"$m$", "T": r"$T$",
    "VelocityDivergences": r"$\nabla\cdot\mathbf{v}$",
}
_WORDS = {
    "rho": "density", "sigma": "surface density", "P": "pressure", "u": "internal energy", "v": "speed",
    "vx": "velocity", "vy": "velocity", "vz": "velocity", "h": "smoothing length", "m": "particle mass",
    "T": "temperature", "VelocityDivergences": "velocity divergence",
}
DIVERGING = "RdBu_r"
_SIGNED = ("vx", "vy", "vz", "VelocityDivergences")
_MAPS = {"rho": "viridis", "sigma": "magma", "P": "inferno", "u": "inferno", "T": "inferno", "v": "cividis"}


def marker(points: int) -> str:
    """What makes so few points seen that they are hardly a line."""
    return "o" if points < 3 else ""


def number_ticks(axis: Axis) -> None:
    """Numbers at 1, 2 and 5 of each decade of a logarithmic axis of few decades, where powers of ten would be one or
    two."""
    low, high = axis.get_view_interval()
    if 0.0 < low < high < 200.0 * low and low > 1e-3 and high < 1e4:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.set_minor_formatter(NullFormatter())


def symbol(name: str) -> str:
    """Mathematical symbol of a quantity; a dataset's own name stays as it is."""
    return _SYMBOLS.get(name, name)


def words(name: str) -> str:
    """What the quantity is called, with its symbol: "density $\\rho$"."""
    return f"{_WORDS[name]} {_SYMBOLS[name]}" if name in _WORDS else name


def is_signed(name: str) -> bool:
    """Whether the quantity has a direction, so that its sign matters."""
    return name in _SIGNED


def colour_map(name: str, is_difference: bool = False) -> str:
    """Perceptually even colour map of a quantity; diverging where the sign matters, or how it departs from a value."""
    return DIVERGING if is_difference or is_signed(name) else _MAPS.get(name, "viridis")
