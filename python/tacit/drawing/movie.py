"""A run as a film: a picture of each snapshot, in the same colours, as an animated GIF.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

from tacit.drawing.figure import figure_of
from tacit.drawing.page import pixels, replace_whole
from tacit.drawing.request import Request
from tacit.errors import InputError
from tacit.results import Results

_POINTS_PER_INCH = 80
_LAST_STAYS_S = 1.0
"""Before the film begins again."""


def make_movie(directory: Path, output: Path | None, request: Request, frames_per_s: float, most_frames: int) -> Path:
    """Draws the snapshots of a run, and writes the film.

    Args:
        output: default: movie.gif in the directory.
        request: of each picture; `kind` "all": the slice, or the first kind that the solver's pictures have.
        most_frames: of more snapshots every second, third, ... one is shown, and the last.

    Returns:
        The path of the film.

    Raises:
        InputError: if there are no two snapshots, they cannot be drawn, or the film cannot be written.
    """
    target = output or directory / "movie.gif"
    if target.suffix.lower() != ".gif":
        raise InputError(f"--output {target}: the ending must be .gif")
    if not directory.is_dir():
        raise InputError(f"{directory}: no such directory; give that of a run")
    files = chosen(Results(directory).snapshots, most_frames)
    if len(files) < 2:
        raise InputError(f"{directory}: a film needs two snapshots or more, and there {_are(len(files))}; "
                         "output.snapshot_every says how often they are written")
    request = replace(request, kind=_kind_for(files[-1], request))
    figures = [figure_of(file, request) for file in files]
    limits = common_limits(figures)
    images = []
    for figure in figures:
        for shown, (low, high) in zip(mapped(figure), limits):
            shown.set_clim(low, high)
        images.append(pixels(figure, _POINTS_PER_INCH))
    durations = [1000.0 / frames_per_s] * len(images)
    durations[-1] += 1000.0 * _LAST_STAYS_S
    replace_whole(target, lambda partial: write_gif(partial, images, [round(ms) for ms in durations]))
    return target


def chosen(files: list[Path], most: int) -> list[Path]:
    """At most so many of them, evenly spread, the first and the last among them."""
    if len(files) <= most:
        return files
    return [files[round(i * (len(files) - 1) / (most - 1))] for i in range(most)]


def mapped(figure: Figure) -> list[ScalarMappable]:
    """What of a figure has colours for numbers, in the order in which it was drawn."""
    return [one for axes in figure.axes for one in (*axes.images, *axes.collections) if one.get_array() is not None]


def common_limits(figures: list[Figure]) -> list[tuple[float, float]]:
    """Between which values the colours of each map go, over all figures."""
    limits: list[tuple[float, float]] = []
    for figure in figures:
        own = [one.get_clim() for one in mapped(figure)]
        limits = [(min(a[0], b[0]), max(a[1], b[1])) for a, b in zip(limits, own)] if limits else own
    return limits


def write_gif(path: Path, images: list[NDArray[np.uint8]], durations_ms: list[int]) -> None:
    """Frames of one size: that of the largest, others on white."""
    height, width = (max(image.shape[axis] for image in images) for axis in (0, 1))
    frames = []
    for image in images:
        page = Image.new("RGB", (width, height), "white")
        page.paste(Image.fromarray(image), (0, 0))
        frames.append(page.quantize(256, dither=Image.Dither.NONE))
    frames[0].save(path, format="GIF", save_all=True, append_images=frames[1:], duration=durations_ms, loop=0)


def _kind_for(file: Path, request: Request) -> str:
    """What a film shows where it was not asked for: a slice, where there is one."""
    if request.kind != "all":
        return request.kind
    try:
        figure_of(file, replace(request, kind="slice"))
    except InputError:
        return "all"
    return "slice"


def _are(count: int) -> str:
    return "is one" if count == 1 else "is none"
