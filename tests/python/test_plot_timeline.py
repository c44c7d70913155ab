"""`tacit plot` of execution traces: bars where the events are, the window, and files that are no traces.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from matplotlib.axes import Axes

from tacit.cli import main
from tacit.drawing.timeline import STEP_MARK, compose_timeline


def write_trace(path: Path) -> Path:
    """Two ranks of a worker each, in steps of 10, 4 and 6 ms; of each step a half is density, then one waits while
    300 us of a message are under way. Rank 1 computes forces until the end."""
    events: list[dict] = []
    for rank in range(2):
        for process, name in ((2 * rank, f"rank {rank}"), (2 * rank + 1, f"transfers of rank {rank}")):
            events.append({"ph": "M", "pid": process, "name": "process_name", "args": {"name": name}})
        events.append({"ph": "M", "pid": 2 * rank, "tid": 0, "name": "thread_name", "args": {"name": "worker 0"}})

        def add(name: str, category: str, begin: float, length: float, rank: int = rank) -> None:
            events.append({"ph": "X", "pid": 2 * rank, "tid": 0, "name": name, "cat": category, "ts": begin,
                           "dur": length})

        begin = 1000.0
        for step, length in enumerate((10000.0, 4000.0, 6000.0)):
            add(STEP_MARK, "wait", begin, 1.0)
            add("density", "task", begin + 1.0, 0.5 * length - 1.0)
            add("wait" if rank == 0 else "force", "wait" if rank == 0 else "task", begin + 0.5 * length, 0.5 * length)
            for phase, at in (("b", 0.0), ("e", 300.0)):
                events.append({"ph": phase, "pid": 2 * rank + 1, "tid": 0, "id": step, "name": "halo",
                               "cat": "transfers", "ts": begin + 0.5 * length + at})
            begin += length
        add(STEP_MARK, "wait", begin, 1.0)
    path.write_text(json.dumps({"traceEvents": events}))
    return path


def bars(axes: Axes, label: str, row: int) -> list[tuple[float, float]]:
    """Begin and length [ms] of a row's bars in the colour of that name."""
    names = dict(zip([text.get_text() for text in axes.get_legend().get_texts()], axes.get_legend().get_patches()))
    colour = names[label].get_facecolor()
    found = []
    for collection in axes.collections:
        if tuple(collection.get_facecolor()[0]) != tuple(colour):
            continue
        for path in collection.get_paths():
            low, high = path.get_extents().min, path.get_extents().max
            if round(low[1]) == row or round(0.5 * (low[1] + high[1])) == row:
                found.append((low[0], high[0] - low[0]))
    return sorted(found)


def test_step_of_median_length(tmp_path: Path) -> None:
    figure = compose_timeline(write_trace(tmp_path / "trace.json"), None)
    axes = figure.subfigs[0].axes[0]
    assert axes.get_xlim() == pytest.approx((0.0, 6.0))  # the third, from 15 ms on
    assert [label.get_text() for label in axes.get_yticklabels()] == ["rank 0\nworker 0", "rank 1\nworker 0"]
    for row in (0, 1):
        assert bars(axes, "density", row) == [pytest.approx((0.001, 2.999))]
        assert bars(axes, "transfers under way", row) == [pytest.approx((3.0, 0.3))]
    assert bars(axes, "force", 0) == [] and bars(axes, "force", 1) == [pytest.approx((3.0, 3.0))]
    assert bars(axes, "waiting, polling", 0)[-1] == pytest.approx((3.0, 3.0))


def test_steps_are_those_from_where_every_event_is_there(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "trace.json")
    trace = json.loads(path.read_text())
    # Of earlier steps a mark that was waited for long is left, and spans of several events.
    for begin, length in ((100.0, 200.0), (300.0, 5.0)):
        trace["traceEvents"].append({"ph": "X", "pid": 0, "tid": 0, "name": STEP_MARK, "cat": "wait", "ts": begin,
                                     "dur": length, "args": {"key": 0}})
    trace["traceEvents"].append({"ph": "X", "pid": 2, "tid": 0, "name": "density and others", "cat": "task",
                                 "ts": 305.0, "dur": 11000.0, "args": {"merged": 17}})
    path.write_text(json.dumps(trace))
    # That of 10 ms begins before: of 4 and 6 ms the second is taken.
    assert compose_timeline(path, None).subfigs[0].axes[0].get_xlim() == pytest.approx((0.0, 6.0))
    trace["traceEvents"][-1]["dur"] = 14500.0
    # A block of short tasks is an event as any other.
    trace["traceEvents"].append({"ph": "X", "pid": 2, "tid": 0, "name": "density", "cat": "task", "ts": 20000.0,
                                 "dur": 1.0, "args": {"key": 3, "count": 32}})
    path.write_text(json.dumps(trace))
    assert compose_timeline(path, None).subfigs[0].axes[0].get_xlim() == pytest.approx((0.0, 6.0))


def test_window_cuts_events(tmp_path: Path) -> None:
    figure = compose_timeline(write_trace(tmp_path / "trace.json"), (2.0, 7.5))
    axes = figure.subfigs[0].axes[0]
    assert axes.get_xlim() == pytest.approx((0.0, 5.5))
    assert bars(axes, "density", 0) == [pytest.approx((0.0, 4.0))]
    assert bars(axes, "force", 1) == [pytest.approx((4.0, 1.5))]


def test_picture_stands_beside_the_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = write_trace(tmp_path / "trace.json")
    assert main(["plot", str(trace)]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'trace.png'}\n"
    assert (tmp_path / "trace.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("text", [
    "", "{", "[]", "{}", '{"traceEvents": 1}', '{"traceEvents": [1]}', '{"traceEvents": [{"ph": "X"}]}',
    '{"traceEvents": [{"ph": "X", "pid": 0, "tid": 0, "name": "a", "cat": "task", "ts": 0, "dur": 1}]}',
    '{"traceEvents": [{"ph": "e", "pid": 0, "tid": 0, "id": 1, "name": "a", "ts": 0}]}',
    '{"traceEvents": [{"ph": "M", "pid": 0, "tid": 0, "name": "thread_name", "args": {"name": "w"}},'
    ' {"ph": "X", "pid": 0, "tid": 0, "name": "a", "cat": "task", "ts": 0, "dur": Infinity}]}',
    "\xff\xfe"])
def test_file_that_is_no_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    path = tmp_path / "trace.json"
    path.write_bytes(text.encode("latin-1"))
    assert main(["plot", str(path)]) == 1
    message = capsys.readouterr().err
    assert message.startswith(f"tacit plot: {path}: is not a trace of a run (trace.json): ")
    assert message.count("\n") == 1 and not path.with_suffix(".png").exists()
