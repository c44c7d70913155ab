"""Lays rows of panels out on one figure, and writes it.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from tacit.drawing import style
from tacit.errors import InputError

Panel = Callable[[Axes], None]

# Inches.
_WIDTHS = {1: 6.0, 2: 9.0}
_WIDEST = 12.0
_TITLE_HEIGHT = 0.4
_LAYOUT = "constrained"
_ENDINGS = (".png", ".pdf", ".svg")


def width_of(columns: int) -> float:
    """Of a figure whose longest row has so many panels [inches]."""
    return _WIDTHS.get(columns, _WIDEST)


def compose(rows: list[list[Panel]], heights: list[float], title: str, width: float | None = None) -> Figure:
    """The figure of panels, row by row.

    Args:
        heights: of the rows [inches].
        width: of the figure [inches]; by default as many panels need.
    """
    height = sum(heights) + _TITLE_HEIGHT
    with rc_context(style.SETTINGS):
        figure = Figure(figsize=(width or width_of(max(map(len, rows))), height), layout=_LAYOUT)
        if _LAYOUT == "constrained":
            figure.get_layout_engine().set(w_pad=0.06, h_pad=0.06, rect=(0.0, 0.0, 1.0, 1.0 - _TITLE_HEIGHT / height))
        # A sub-figure per row: rows differ in the number of their panels, and constrained layout lays each out by
        # itself.
        parts = figure.subfigures(len(rows), 1, height_ratios=heights, squeeze=False)[:, 0]
        for part, row in zip(parts, rows):
            for axes, panel in zip(part.subplots(1, len(row), squeeze=False)[0], row):
                panel(axes)
        figure.text(0.5, 1.0 - 0.5 * _TITLE_HEIGHT / height, title, ha="center", va="center", fontsize=12)
    return figure


def check_ending(target: Path) -> None:
    """Refuses a picture of a format that is not known.

    Raises:
        InputError: naming those that are.
    """
    if target.suffix.lower() not in _ENDINGS:
        raise InputError(f"--output {target}: the ending must be one of {', '.join(_ENDINGS)}")


def _lay_out(figure: Figure) -> None:
    """Places the panels once. Otherwise savefig would draw everything twice: to place the panels, and for the file."""
    engine = figure.get_layout_engine()
    if engine is not None:
        figure.set_dpi(style.SETTINGS["savefig.dpi"])
        engine.execute(figure)
        figure.set_layout_engine(None)


def write(figure: Figure, target: Path) -> None:
    """Writes beside the target and renames, so that a picture under the final name is whole.

    Raises:
        InputError: if it cannot be written.
    """
    def save(partial: Path) -> None:
        with rc_context(style.SETTINGS):
            _lay_out(figure)
            figure.savefig(partial)

    replace_whole(target, save)


def replace_whole(target: Path, save: Callable[[Path], object]) -> None:
    """Has a file written beside the target, and renames it.

    Raises:
        InputError: if it cannot be written.
    """
    partial = target.with_name(f".{target.stem}.{os.getpid()}{target.suffix}")
    try:
        save(partial)
        os.replace(partial, target)
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror or error}") from error
    finally:
        partial.unlink(missing_ok=True)


def png(figure: Figure) -> bytes:
    """The figure as the content of a PNG file."""
    content = io.BytesIO()
    with rc_context(style.SETTINGS):
        _lay_out(figure)
        figure.savefig(content, format="png")
    return content.getvalue()


def pixels(figure: Figure, points_per_inch: float) -> NDArray[np.uint8]:
    """The figure as an image, shape (height, width, 3)."""
    with rc_context(style.SETTINGS):
        canvas = FigureCanvasAgg(figure)
        figure.set_dpi(points_per_inch)
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[:, :, :3].copy()


def escaped(name: str) -> str:
    """A name as it is, where a dollar sign would begin mathtext."""
    return name.replace("$", r"\$")
