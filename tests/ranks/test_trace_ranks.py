"""What `tacit trace` says of a run on several ranks: who sent what, and how evenly they worked.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from launched import launch, on_ranks
from program import succeed, tacit, write_parameters

RANKS = 2
COMMON = {"run.threads": 1, "run.pin": False, "output.picture": False}
PHASES = {
    "sph": {"motion", "hydro", "gradients", "bins"},
    "heat": {"halo"},
    "dns": {"columns to points", "columns to modes"},
}
CASES = {
    "sph": {"initial.setup": "sedov", "sedov.resolution": 12, "time.max_steps": 6},
    "heat": {"heat.cells": [12, 12, 12], "heat.diffusivity": 1.0, "initial.setup": "gaussian", "time.max_steps": 6},
    "dns": {"dns.points": 12, "dns.viscosity": 0.05, "initial.setup": "taylor_green", "time.max_steps": 3,
            "dns.process_grid": 1},  # columns only, whatever is faster
}


def reports(folder: Path, solver: str) -> tuple[dict, str]:
    """The report of a run on two ranks, as JSON and as text."""
    file = write_parameters(folder / "run.toml", COMMON | {"solver": solver, "time.end": 1.0} | CASES[solver])
    done = launch(on_ranks(RANKS, "run", file.name, "--output", "run"), folder)
    assert done.returncode in (0, 6), done.stdout + done.stderr
    return json.loads(succeed("trace", "run", "--json", cwd=folder)), succeed("trace", "run", cwd=folder)


@pytest.mark.parametrize("solver", CASES)
def test_each_rank_says_what_it_sent(solver: str, tmp_path: Path) -> None:
    report, text = reports(tmp_path, solver)
    assert len(report["ranks"]) == RANKS
    for number, rank in enumerate(report["ranks"]):
        phases = {phase["name"]: phase for phase in rank["phases"]}
        assert set(phases) >= PHASES[solver]
        for name in ("messages", "bytes"):
            assert rank[name] == sum(phase[name] for phase in phases.values())
        assert min(phase["messages"] for phase in phases.values()) > 0
        assert rank["workers"] == 1
        assert rank["task_s"] == pytest.approx(report["workers"][number]["task_s"])
        assert re.search(rf"^ +{number} +{rank['messages']} .* {rank['polls']} +\d+\.\d\d % ", text, re.M), text
    assert sum(rank["polls"] for rank in report["ranks"]) == report["counters"]["polls"]
    assert report["imbalance"]["ranks"] >= 1.0
    assert f"imbalance: {report['imbalance']['ranks']:.2f} over ranks, " in text
    assert re.search(r"^rank +messages +k?M?B sent ", text, re.M), text


MODELLED = {
    "sph": {"initial.setup": "kelvin_helmholtz", "kelvin_helmholtz.resolution": 16, "sph.time_steps": "common"},
    "dns": {"dns.points": 16, "dns.viscosity": 0.05, "dns.dt": 0.01, "initial.setup": "taylor_green",
            "dns.tuning": "none", "output.snapshot_every": 1.0, "output.statistics_every": 1.0},
}
STEPS = (2, 6)
STEP_PHASES = {"motion", "hydro", "gradients", "rows to points", "rows to modes", "columns to points",
               "columns to modes"}


def sent(folder: Path, name: str) -> dict[str, int]:
    """Messages and bytes of all ranks in the phases of steps."""
    report = json.loads((folder / name / "trace.json").read_text())["otherData"]["tacit"]
    phases = [phase for rank in report["ranks"] for phase in rank["phases"] if phase["name"] in STEP_PHASES]
    return {what: sum(phase[what] for phase in phases) for what in ("messages", "bytes")}


@pytest.mark.parametrize("solver", MODELLED)
def test_a_run_on_one_rank_predicts_what_four_send(solver: str, tmp_path: Path) -> None:
    file = write_parameters(tmp_path / "run.toml", COMMON | {"solver": solver, "time.end": 1.0} | MODELLED[solver])
    for ranks, steps in ((1, STEPS[1]), (4, STEPS[0]), (4, STEPS[1])):
        done = launch(on_ranks(ranks, "run", file.name, "--set", f"time.max_steps={steps}", "--output",
                               f"{ranks}_{steps}"), tmp_path)
        assert done.returncode in (0, 6), done.stdout + done.stderr
    model = json.loads(succeed("trace", f"1_{STEPS[1]}", "--model", "--json", cwd=tmp_path))
    predicted = next(step for step in model["same"] if step["ranks"] == 4)
    # What begins and ends a run is in both.
    first, last = (sent(tmp_path, f"4_{steps}") for steps in STEPS)
    for what in ("messages", "bytes"):
        assert last[what] > first[what]
        assert (last[what] - first[what]) / (STEPS[1] - STEPS[0]) == pytest.approx(predicted[what], rel=0.05)


def test_the_model_says_that_it_predicts(tmp_path: Path) -> None:
    begin = "A prediction for steps that all elements end; nothing of it was measured on more than 1 rank."
    for solver, more in (("sph", {"kelvin_helmholtz.resolution": 48}), ("dns", {})):
        file = write_parameters(tmp_path / "run.toml", COMMON | {"solver": solver, "time.end": 1.0,
                                                                 "time.max_steps": 1} | MODELLED[solver] | more)
        assert launch(on_ranks(1, "run", file.name, "--output", solver), tmp_path).returncode in (0, 6)
    text = succeed("trace", "sph", "--model", cwd=tmp_path)
    assert text.startswith(begin)
    assert re.search(r"^ +2  .*^ +64  .*^as much on each rank.*^ +10000  ", text, re.M | re.S), text
    text = succeed("trace", "dns", "--model", "--ranks", "12288", "--set", "dns.points=12288", cwd=tmp_path)
    assert text.startswith(begin)
    assert re.search(r"^ +12288  ", text, re.M), text


def test_what_the_model_cannot_use_is_refused(tmp_path: Path) -> None:
    file = write_parameters(tmp_path / "run.toml", COMMON | {"solver": "heat", "time.end": 1.0} | CASES["heat"])
    assert launch(on_ranks(1, "run", file.name, "--output", "run"), tmp_path).returncode in (0, 6)
    done = tacit("trace", "run", "--model", cwd=tmp_path)
    assert done.returncode == 2
    assert "does not say what other numbers of ranks would send" in done.stderr
