"""While the disk takes nothing, a run goes on, and it says how long it has waited for the disk in the end.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

from faults import faults
from program import snapshots
from runs import IS_STRESS, LONGEST_S, Launch, assert_same_run, checkpoints, quick_for
from solvers import Case

LONG = 200 if IS_STRESS else 12
"""Steps."""
LET_THROUGH = 65536
"""Bytes of a write that a held disk takes all the same."""
ASLEEP_S = 0.2
"""How long the main thread is seen asleep, before the disk goes on."""


def events(directory: Path) -> list[dict]:
    """What the workers and the thread that writes files did."""
    return [event for event in json.loads((directory / "trace.json").read_text())["traceEvents"] if event["ph"] == "X"]


def summary(directory: Path) -> dict[str, float]:
    """Its numbers."""
    return json.loads((directory / "summary.json").read_text())


def steps_made(directory: Path) -> int:
    """The last step that has a line in statistics.csv; -1 before the first."""
    path = directory / "statistics.csv"
    lines = path.read_text().split("\n")[1:-1] if path.exists() else []
    return int(lines[-1].split(",")[0]) if lines else -1


def is_asleep(process: subprocess.Popen[str]) -> bool:
    """Whether the main thread waits; one that only does not get a processor does not."""
    state = Path(f"/proc/{process.pid}/task/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state == "S"


def wait_until_it_only_waits(launch: Launch, process: subprocess.Popen[str]) -> None:
    """Waits until a run has made steps and then has slept for a while without a break."""
    end = time.monotonic() + LONGEST_S
    since = time.monotonic()
    while steps_made(launch.directory) < 1 or time.monotonic() - since < ASLEEP_S:
        assert time.monotonic() < end, "hangs: no step is made while the disk takes nothing"
        assert process.poll() is None, process.communicate()
        if not is_asleep(process):
            since = time.monotonic()
        time.sleep(0.001)


@quick_for("sph", "dns", "heat")
def test_steps_go_on_while_the_disk_takes_nothing(case: Case, tmp_path: Path) -> None:
    values = dict(case.large) | {case.stop: LONG, "output.compression": 0}
    held = Launch(case, tmp_path / "held", values=values)
    release = tmp_path / "release"
    process = held.start(env=faults(held.directory, hold=release))
    try:
        wait_until_it_only_waits(held, process)
        named = [path for path in snapshots(held.directory) + checkpoints(held.directory)
                 if path.stat().st_size > LET_THROUGH]
        assert named == [], "what the disk has not taken has no name"
        release.touch()
        assert process.wait(timeout=LONGEST_S) == 0, process.communicate()
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    free = Launch(case, tmp_path / "free", values=values)
    free.succeed()
    assert_same_run(held.directory, free.directory)
    waits = [event for event in events(held.directory) if event["cat"] == "disk wait"]
    assert sum(event["dur"] for event in waits) >= 1e6 * 0.9 * ASLEEP_S
    told = summary(held.directory)
    # Two clocks, which agree to 1e-3.
    assert 0.9 * ASLEEP_S <= told["output_exposed_s"] <= 1.001 * told["wall_s"]


@quick_for("sph", "dns", "heat")
def test_without_staging_nothing_runs_meanwhile(case: Case, tmp_path: Path) -> None:
    """The order of what is in the trace says the same of a run that waits for its files."""
    launch = Launch(case, tmp_path / "out", values=dict(case.large) | {
        case.stop: LONG, "output.compression": 0, "output.staging_memory": 0})
    launch.succeed(env=faults(launch.directory, rate=20e6))
    recorded = events(launch.directory)
    output = [event for event in recorded if event["name"] in ("write snapshot", "write checkpoint")]
    tasks = [event for event in recorded if event["cat"] == "task" and event["tid"] == 0]
    assert output != []
    ends = sorted(event["ts"] + event["dur"] for event in output)
    later = [task for task in tasks if task["ts"] > ends[0]]
    assert later != [] and all(event["name"] != "write file" for event in recorded)
