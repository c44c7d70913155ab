"""With a disk slowed to 20 MB/s, a run goes on while its files are written, and says what that has cost.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import time
from pathlib import Path

from faults import faults
from runs import IS_STRESS, Launch, assert_same_run, each_case
from solvers import Case

RATE = 20e6
"""Bytes per second."""
LONG = {"time.max_steps": 200 if IS_STRESS else 12, "output.compression": 0}


def timed(launch: Launch, rate: float) -> tuple[float, dict[str, float]]:
    """Wall time of a run by a clock outside of it, and its summary."""
    before = time.monotonic()
    launch.succeed(env=faults(launch.directory, rate=rate))
    wall_s = time.monotonic() - before
    return wall_s, json.loads((launch.directory / "summary.json").read_text())


def events(directory: Path) -> list[dict]:
    """What the workers and the thread that writes files did."""
    return [event for event in json.loads((directory / "trace.json").read_text())["traceEvents"] if event["ph"] == "X"]


@each_case
def test_steps_go_on_while_files_are_written(case: Case, tmp_path: Path) -> None:
    values = dict(case.large) | LONG
    slow = Launch(case, tmp_path / "slow", values=values)
    fast = Launch(case, tmp_path / "fast", values=values)
    slow_s, summary = timed(slow, RATE)
    fast_s, undisturbed = timed(fast, 1e12)
    assert_same_run(slow.directory, fast.directory)
    recorded = events(slow.directory)
    writing = [event for event in recorded if event["name"] == "write file"]
    tasks = [event for event in recorded if event["cat"] == "task"]
    # The first snapshot takes longest; in its time the first steps are made.
    during = [task for task in tasks if any(w["ts"] < task["ts"] < w["ts"] + w["dur"] for w in writing)]
    assert during != []
    assert 0.0 < summary["output_exposed_s"] <= summary["wall_s"]
    assert summary["output_exposed_s"] > undisturbed["output_exposed_s"]
    exposed_s = summary["output_exposed_s"] - undisturbed["output_exposed_s"]
    outside_s = slow_s - fast_s
    print(f"{case.solver}: output exposed {exposed_s:.3f} s more by its own clock, {outside_s:.3f} s outside, "
          f"ratio {exposed_s / outside_s:.3f}; {len(during)} of {len(tasks)} tasks ran meanwhile")


@each_case
def test_without_staging_nothing_runs_meanwhile(case: Case, tmp_path: Path) -> None:
    """The order of what is in the trace says the same of a run that waits for its files."""
    launch = Launch(case, tmp_path / "out", values=dict(case.large) | LONG | {"output.staging_memory": 0})
    timed(launch, RATE)
    recorded = events(launch.directory)
    output = [event for event in recorded if event["name"] in ("write snapshot", "write checkpoint")]
    tasks = [event for event in recorded if event["cat"] == "task" and event["tid"] == 0]
    assert output != []
    ends = sorted(event["ts"] + event["dur"] for event in output)
    later = [task for task in tasks if task["ts"] > ends[0]]
    assert later != [] and all(event["name"] != "write file" for event in recorded)
