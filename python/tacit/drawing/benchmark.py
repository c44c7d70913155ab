"""Pictures of what `tacit bench --json` prints: every figure beside its peers, collectives as nodes carry them out, and
what a coarse-grid solve consists of.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, StrMethodFormatter

from tacit.drawing import style
from tacit.drawing.page import Panel, compose, escaped
from tacit.errors import InputError

_MOST_ROWS = 90
_ROW_HEIGHT, _FRAME_HEIGHT, _COLLECTIVES_HEIGHT = 0.19, 0.9, 2.9  # [inches]
_WIDTH = 10.0
_MARKERS = ((style.BLUE, "o"), (style.VERMILION, "s"), (style.GREEN, "D"), (style.ORANGE, "^"), (style.SKY, "v"),
            (style.BLACK, "x"))
_COLLECTIVE = re.compile(r"nodes(?P<nodes>\d+)x(?P<ranks>\d+)_(?P<transport>ofi_)?"
                         r"(?P<name>all_to_all|scatter|all_gather|gather)_(?P<size>\d+KB)_us")
_COARSE = re.compile(r"coarse_(?P<ranks>\d+)r_(?P<transport>ofi_)?(?P<part>iteration|halo|sums)_us")
_COLLECTIVES = ("all_to_all", "scatter", "all_gather", "gather")


@dataclass(frozen=True)
class _Row:
    """A figure of ours: how many times as good as each peer it is, at its median and where it spreads."""

    name: str
    times: dict[str, tuple[float, float, float]]
    """By peer: least, median, most."""


def is_benchmark(path: Path) -> bool:
    """Whether the file begins as the results of `tacit bench --json` do."""
    if not path.is_file() or path.suffix != ".json":
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        return re.match(r'\s*{\s*"machine"', file.read(200)) is not None


def compose_benchmark(path: Path) -> Figure:
    """The figure of results: above, where there are collectives between nodes, their times by flat ranks and by one
    rank for each node; where there are coarse-grid solves, the parts of an iteration; below, every figure that has
    peers, as so many times their speed.

    Raises:
        InputError: if these are no results, or none has a peer.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        results, title = content["results"], _title(content["machine"])
        rows = [row for row in map(_row, results) if row.times]
        groups = _collectives(results)
        coarse = _coarse(results)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: is not what tacit bench --json prints: {type(error).__name__} {error}") from error
    if not rows:
        raise InputError(f"{path}: none of its {len(results)} figures has a peer to be drawn beside")
    panels: list[list[Panel]] = []
    heights: list[float] = []
    for (transport, ranks), sizes in sorted(groups.items()):
        panels.append([partial(_draw_collectives, times=times, ranks=ranks, what=f"{size[:-2]} KB a node{transport}")
                       for size, times in sorted(sizes.items(), key=lambda item: int(item[0][:-2]))])
        heights.append(_COLLECTIVES_HEIGHT)
    if coarse:
        panels.append([partial(_draw_coarse, ranks=ranks, bars=bars) for ranks, bars in coarse.items()])
        heights.append(_COLLECTIVES_HEIGHT)
    shown = rows[:_MOST_ROWS]
    panels.append([partial(_draw_rows, rows=shown, left_out=len(rows) - len(shown))])
    heights.append(_FRAME_HEIGHT + _ROW_HEIGHT * len(shown))
    return compose(panels, heights, title, _WIDTH)


def _title(machine: dict) -> str:
    flag = machine["flag_before"]
    latency = f", a flag takes {flag['median_ns']:.0f} ns between cores" if flag else ""
    return escaped(f"{machine['cpu']}, {machine['cores_allowed']} processors{latency}")


def _row(result: dict) -> _Row:
    ours = [float(result[key]) for key in ("min", "value", "max")]
    times = {}
    for peer, value in result["peers"].items():
        if value is None or not value > 0.0 or not min(ours) > 0.0:
            continue  # a share below zero is no speed
        ratios = sorted(value / x if result["better"] == "lower" else x / value for x in ours)
        times[peer] = (ratios[0], ratios[1], ratios[2])
    return _Row(str(result["name"]), times)


def _collectives(results: list[dict]) -> dict[tuple[str, int], dict[str, dict[tuple[str, int], dict[str, float]]]]:
    """Times [ms] as [transport, ranks on a node if flat][size][who, ranks on a node][collective]; only where the same
    nodes were measured with one rank each and with several."""
    found: dict[str, dict[str, dict[tuple[str, int], dict[str, float]]]] = {}
    for result in results:
        match = _COLLECTIVE.fullmatch(result["name"])
        if match is None or "MPI" not in result["peers"]:
            continue
        transport = ", through libfabric" if match["transport"] else ""
        size = found.setdefault(transport, {}).setdefault(match["size"], {})
        for who, value in (("MPI", result["peers"]["MPI"]), ("Tacit", result["value"])):
            size.setdefault((who, int(match["ranks"])), {})[match["name"]] = 1e-3 * float(value)
    groups = {}
    for transport, sizes in found.items():
        counts = {ranks for times in sizes.values() for _, ranks in times}
        if 1 in counts and len(counts) > 1:
            groups[transport, max(counts)] = sizes
    return groups


def _coarse(results: list[dict]) -> dict[int, dict[str, dict[str, float]]]:
    """Times [us] of an iteration of coarse-grid solves and of its halos and sums, by ranks and by who; only where all
    three are known."""
    found: dict[int, dict[str, dict[str, float]]] = {}
    for result in results:
        match = _COARSE.fullmatch(result["name"])
        if match is None:
            continue
        by_whom = {"MPI": result["peers"].get("MPI"), "Tacit": result["value"]}
        for who, value in by_whom.items():
            if value is not None:
                name = f"{who}, libfabric" if match["transport"] else who
                found.setdefault(int(match["ranks"]), {}).setdefault(name, {})[match["part"]] = float(value)
    whole = {ranks: {name: times for name, times in sorted(by_whom.items()) if len(times) == 3}
             for ranks, by_whom in sorted(found.items())}
    return {ranks: by_whom for ranks, by_whom in whole.items() if by_whom}


def _draw_coarse(axes: Axes, ranks: int, bars: dict[str, dict[str, float]]) -> None:
    """Bars of what an iteration takes: computing, halos and sums, one on the other."""
    below = np.zeros(len(bars))
    for part, colour, label in (("rest", style.SKY, "computing"), ("halo", style.VERMILION, "halos"),
                                ("sums", style.ORANGE, "sums over ranks")):
        values = np.array([max(times["iteration"] - times["halo"] - times["sums"], 0.0) if part == "rest"
                           else times[part] for times in bars.values()])
        axes.bar(range(len(bars)), values, 0.6, bottom=below, color=colour, label=label)
        below += values
    axes.set_xticks(range(len(bars)), list(bars))
    axes.tick_params(axis="x", which="both", length=0)
    axes.set_xlim(-0.6, max(len(bars), 3) - 0.4)
    axes.set_ylim(0.0, 1.3 * below.max())  # room for the legend
    axes.set_ylabel("an iteration [us]")
    axes.set_title(f"Coarse-grid solve on {ranks} ranks: what an iteration consists of")
    axes.legend(loc="upper center", ncols=3)


def _draw_collectives(axes: Axes, times: dict[tuple[str, int], dict[str, float]], ranks: int, what: str) -> None:
    bars = (("MPI", ranks, style.ORANGE, f"MPI, {ranks} ranks a node"), ("Tacit", ranks, style.BLUE, f"Tacit, {ranks}"),
            ("MPI", 1, "#F3D08A", "MPI, one rank a node"), ("Tacit", 1, style.SKY, "Tacit, one"))
    width = 0.8 / len(bars)
    for index, (who, count, colour, label) in enumerate(bars):
        values = times.get((who, count), {})
        names = [name for name in _COLLECTIVES if name in values]
        places = [_COLLECTIVES.index(name) + (index - 0.5 * (len(bars) - 1)) * width for name in names]
        axes.bar(places, [values[name] for name in names], width, color=colour, label=label)
    axes.set_xticks(range(len(_COLLECTIVES)), [name.replace("_", " ") for name in _COLLECTIVES])
    axes.tick_params(axis="x", which="both", length=0)
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.set_ylim(low, high * (high / low) ** 0.35)  # room for the legend
    style.number_ticks(axes.yaxis)
    axes.set_ylabel("time [ms]")
    axes.set_title(what)
    axes.legend(loc="upper center", ncols=2)


def _draw_rows(axes: Axes, rows: list[_Row], left_out: int) -> None:
    peers = list(dict.fromkeys(peer for row in rows for peer in row.times))
    for index, peer in enumerate(peers):
        colour, marker = _MARKERS[index % len(_MARKERS)]
        places = [place for place, row in enumerate(rows) if peer in row.times]
        low, middle, high = np.array([rows[place].times[peer] for place in places]).T
        axes.errorbar(middle, places, xerr=np.array([middle - low, high - middle]), fmt=marker, color=colour,
                      markersize=4.0, linewidth=0.8, label=peer)
    axes.axvline(1.0, color=style.BLACK, linewidth=0.8)
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    steps = (1.0, 2.0, 5.0) if high < 200.0 * low else (1.0,)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    axes.set_xticks([tick for tick in (step * 10.0**decade for decade in decades for step in steps)
                     if low <= tick <= high])
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_yticks(range(len(rows)), [row.name for row in rows])
    axes.tick_params(axis="y", which="both", length=0)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(axis="y", linewidth=0.3)
    more = f"; {left_out} more are not shown" if left_out > 0 else ""
    axes.set_xlabel(f"Tacit over its peer: right of 1 it is better; lines from the worst to the best sample{more}")
    axes.legend(loc="best")
