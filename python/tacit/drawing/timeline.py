"""Pictures of execution traces: what each worker did in a step, and what travelled meanwhile.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tacit.drawing import style
from tacit.drawing.page import compose
from tacit.errors import InputError

STEP_MARK = "ranks agree on the step"
"""Between two of these a run on several ranks takes one step."""

_MOST_ROWS = 64
_MOST_KINDS = 12
"""Kinds that get a colour of their own; the others, which took least time in the picture, share one."""
_WIDTH, _ROW_HEIGHT, _FRAME_HEIGHT = 10.0, 0.45, 1.0  # [inches]
_LEGEND_HEIGHT = 3.4
"""Room for all names in the legend [inches]."""
_TASKS = (style.BLUE, style.VERMILION, style.GREEN, style.ORANGE, style.SKY, "#CC79A7", "#F0E442", "#7B3294")
_OTHER_TASKS = "#B0A080"
_COMMUNICATION = ("#000000", "#505050", "#808080", "#B0B0B0")
_WAITING = "#E4E4E4"
_TRANSFERS = "#A000A0"

Span = tuple[float, float]


@dataclass
class _Row:
    """A worker: spans by kind, as begin and length [us]."""

    name: str
    spans: dict[str, list[Span]] = field(default_factory=lambda: defaultdict(list))
    transfers: list[Span] = field(default_factory=list)


@dataclass(frozen=True)
class _Trace:
    rows: dict[tuple[int, int], _Row]
    categories: dict[str, str]
    """Of each kind."""
    marks: list[float]
    """Begins of the step marks of the first rank [us], from where the trace has every event."""
    end: float


def is_trace(path: Path) -> bool:
    """Whether the file is named as traces are."""
    return path.is_file() and path.suffix == ".json"


def compose_timeline(path: Path, window: tuple[float, float] | None) -> Figure:
    """The figure of a run's trace.json.

    Args:
        window: begin and end [ms]; by default a step of median length, or all if steps are not marked.

    Raises:
        InputError: if the file is no trace, or there is nothing in the window.
    """
    trace = _read(path)
    begin, end, what = _window(trace, window)
    rows = [row for _, row in sorted(trace.rows.items())
            if any(_within(spans, begin, end) for spans in row.spans.values())]
    shown = rows[:_MOST_ROWS]
    seconds = _seconds_of_kinds(shown, begin, end)
    if not seconds:
        raise InputError(f"{path}: no event between {begin / 1e3:g} and {end / 1e3:g} ms; "
                         f"the trace ends at {trace.end / 1e3:g} ms, and holds only the newest events of each worker")
    title = f"{what}, {(end - begin) / 1e3:.4g} ms"
    if len(rows) > len(shown):
        title += f"; the first {len(shown)} of {len(rows)} workers"

    def panel(axes: Axes) -> None:
        _draw(axes, shown, _colours(seconds, trace.categories), begin, end)

    return compose([[panel]], [max(_FRAME_HEIGHT + _ROW_HEIGHT * len(shown), _LEGEND_HEIGHT)], title, _WIDTH)


def _read(path: Path) -> _Trace:
    try:
        with path.open(encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        return _sorted(events)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: is not a trace of a run (trace.json): {type(error).__name__} {error}") from error


def _sorted(events: list[dict]) -> _Trace:
    processes = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    rows = {key: _Row(f"{processes.get(key[0], key[0])}\n{name}") for key, name in threads.items()}
    # What travels is in a process of its own, beside that of its rank.
    ranks = {f"transfers of {name}": pid for pid, name in processes.items()}
    categories: dict[str, str] = {}
    posted: dict[tuple[int, int], tuple[int, float]] = {}
    marks: list[float] = []
    whole_from = -math.inf  # spans of several events, among them marks, end here
    end = 0.0
    for event in events:
        phase = event["ph"]
        if phase == "X":
            at, length = float(event["ts"]), float(event["dur"])
            name = event["name"]
            end = max(end, at + length)
            categories[name] = event["cat"]
            if "merged" in event.get("args", {}):
                whole_from = max(whole_from, at + length)
            if name == STEP_MARK and event["pid"] == min(processes):
                marks.append(at)
            rows[event["pid"], event["tid"]].spans[name].append((at, length))
        elif phase == "b":
            posted[event["pid"], event["id"]] = event["tid"], float(event["ts"])
        elif phase == "e":
            worker, at = posted.pop((event["pid"], event["id"]))
            row = rows.get((ranks.get(processes.get(event["pid"], ""), -1), worker))
            if row is not None:
                row.transfers.append((at, float(event["ts"]) - at))
    if not all(map(math.isfinite, [end, *marks])):
        raise ValueError("times that are not finite")
    return _Trace(rows, categories, sorted(mark for mark in marks if mark >= whole_from), end)


def _window(trace: _Trace, asked: tuple[float, float] | None) -> tuple[float, float, str]:
    """Begin and end [us], and what it is."""
    if asked is not None:
        return 1e3 * asked[0], 1e3 * asked[1], f"{asked[0]:g} to {asked[1]:g} ms"
    steps = sorted(zip(trace.marks, trace.marks[1:]), key=lambda step: step[1] - step[0])
    if steps:
        begin, end = steps[len(steps) // 2]
        return begin, end, f"One step, from {begin / 1e3:.4g} ms on"
    begins = [at for row in trace.rows.values() for spans in row.spans.values() for at, _ in spans]
    return min(begins, default=0.0), trace.end, "All that the trace holds"


def _within(spans: list[Span], begin: float, end: float) -> list[Span]:
    """Those of them, or parts of them, in the window; from its begin on [ms]."""
    if not spans:
        return []
    at, length = np.array(spans).T
    low, high = np.maximum(at, begin), np.minimum(at + length, end)
    there = high > low
    return list(zip((low[there] - begin) / 1e3, (high - low)[there] / 1e3))


def _seconds_of_kinds(rows: list[_Row], begin: float, end: float) -> dict[str, float]:
    seconds: dict[str, float] = defaultdict(float)
    for row in rows:
        for kind, spans in row.spans.items():
            inside = sum(length for _, length in _within(spans, begin, end))
            if inside > 0.0:
                seconds[kind] += inside
    return seconds


def _colours(seconds: dict[str, float], categories: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Of each kind its colour and its name in the legend; those with the most time come first."""
    colours: dict[str, tuple[str, str]] = {}
    tasks, messages = iter(_TASKS), iter(_COMMUNICATION[:-1])
    for count, kind in enumerate(sorted(seconds, key=lambda name: -seconds[name])):
        category = categories[kind]
        if category in ("wait", "idle", "poll", "disk wait"):
            colours[kind] = _WAITING, "waiting, polling"
        elif category == "communication":
            colour = next(messages, None) if count < _MOST_KINDS else None
            colours[kind] = (colour, kind) if colour else (_COMMUNICATION[-1], "other communication")
        else:
            colour = next(tasks, None) if count < _MOST_KINDS else None
            colours[kind] = (colour, kind) if colour else (_OTHER_TASKS, "other tasks and output")
    return colours


def _draw(axes: Axes, rows: list[_Row], colours: dict[str, tuple[str, str]], begin: float, end: float) -> None:
    named: set[str] = set()

    def label(name: str) -> str | None:
        if name in named:
            return None
        named.add(name)
        return name

    # Waiting first: whatever was done meanwhile lies on it.
    kinds = sorted(colours, key=lambda kind: colours[kind][0] != _WAITING)
    for place, row in enumerate(rows):
        for kind in kinds:
            inside = _within(row.spans.get(kind, []), begin, end)
            if inside:
                colour, name = colours[kind]
                axes.broken_barh(inside, (place - 0.4, 0.6), facecolors=colour, label=label(name), linewidth=0)
        inside = _within(row.transfers, begin, end)
        if inside:
            axes.broken_barh(inside, (place + 0.25, 0.12), facecolors=_TRANSFERS, label=label("transfers under way"),
                             linewidth=0)
    axes.set_yticks(range(len(rows)), [row.name for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(0.0, (end - begin) / 1e3)
    axes.set_xlabel("time [ms]")
    axes.tick_params(axis="y", which="both", length=0)
    axes.minorticks_off()
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
