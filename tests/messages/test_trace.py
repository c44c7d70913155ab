"""`tacit trace` on the trace of a real run.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from program import run, succeed, tacit

WORKERS = 2


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run of two workers."""
    return run(tmp_path_factory.mktemp("trace"), {"initial.setup": "sedov", "sedov.resolution": 16, "time.end": 0.01,
                                                  "output.snapshot_every": 0.005}, "--threads", WORKERS)


@pytest.fixture(scope="module")
def report(results: Path) -> dict:
    """What --json prints."""
    return json.loads(succeed("trace", "run", "--json", cwd=results.parent))


def test_json_is_the_report_in_the_file(results: Path, report: dict) -> None:
    assert report == json.loads((results / "trace.json").read_text())["otherData"]["tacit"]
    assert report == json.loads(succeed("trace", "run/trace.json", "--json", cwd=results.parent))


def test_workers_fit_into_the_wall_time(results: Path, report: dict) -> None:
    summary = json.loads((results / "summary.json").read_text())
    assert report["wall_s"] >= summary["wall_s"] * 0.999  # clocks agree to 1e-3, and reading input is outside
    assert len(report["workers"]) == WORKERS
    for worker in report["workers"]:
        assert 0.0 < worker["busy_s"]
        # One event at a time; ticks convert to seconds to 1e-4.
        accounted_s = worker["busy_s"] + worker["idle_s"] + worker["wait_s"] + worker["disk_wait_s"]
        assert accounted_s <= report["wall_s"] * 1.001
        assert worker["poll_s"] + worker["communication_s"] + worker["output_s"] <= worker["busy_s"]


def seconds_within_others(path: Path) -> float:
    """Of events that stand in others of their track and count as these: loops that output runs."""
    events = [event for event in json.loads(path.read_text())["traceEvents"]
              if event["ph"] == "X" and event["cat"] != "disk wait"]
    inner, end = 0.0, {}
    for event in sorted(events, key=lambda event: (event["ts"], -event["dur"])):
        if event["ts"] + event["dur"] <= end.get(event["tid"], 0.0) + 0.002:
            inner += 1e-6 * event["dur"]
        else:
            end[event["tid"]] = event["ts"] + event["dur"]
    return inner


def test_kinds_sum_up_to_the_workers(results: Path, report: dict) -> None:
    kinds = {kind["name"]: kind for kind in report["kinds"]}
    assert kinds["write snapshot"]["category"] == "output"
    assert kinds["write snapshot"]["count"] == 3
    waits = kinds["wait for the disk"]
    assert waits["category"] == "disk wait"
    assert waits["seconds"] == pytest.approx(report["workers"][0]["disk_wait_s"], rel=1e-3, abs=1e-6)
    of_kinds = sum(kind["seconds"] for kind in report["kinds"]) - seconds_within_others(results / "trace.json")
    lanes = report["workers"] + [report["outside"]]
    lengths = (lane[f"{name}_s"] for lane in lanes for name in ("busy", "idle", "wait", "disk_wait"))
    # Each sum measures the length of a tick again, to 1e-4.
    assert of_kinds == pytest.approx(sum(lengths), rel=1e-3)
    tasks = sum(kind["count"] for kind in report["kinds"] if kind["category"] == "task")
    assert tasks >= report["counters"]["tasks"] > 0


def test_summary_has_the_same_numbers(results: Path, report: dict) -> None:
    summary = json.loads((results / "summary.json").read_text())
    path = report["critical_path"]
    assert path["runs"] > 0
    assert summary["parallelism"] == path["parallelism"] == pytest.approx(path["work_s"] / path["length_s"])
    assert path["parallelism"] >= 1.0 - 1e-6  # a chain has 1, up to the rounding of sums of times
    assert summary["hidden_fraction"] == report["exposure"]["hidden_fraction"]


def test_text_says_it_in_words(results: Path, report: dict) -> None:
    text = succeed("trace", "run", cwd=results.parent)
    assert text.startswith("run: ")
    assert re.search(r"^ {6}0 ( +\d+\.\d{3} s +\d+\.\d %){4}$", text, re.M)
    for kind in report["kinds"]:
        assert (re.search(rf"^{re.escape(kind['name'])} +{kind['category']} +{kind['count']} ", text, re.M)
                is not None) == (kind["count"] > 0)
    assert f"parallelism {report['critical_path']['parallelism']:.2f}" in text
    assert "nothing was transferred" in text
    assert text.endswith("open run/trace.json at ui.perfetto.dev.\n")


def test_help_names_the_argument(tmp_path: Path) -> None:
    done = tacit("trace", "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert "RUN" in done.stdout and "--json" in done.stdout
