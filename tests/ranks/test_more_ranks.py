"""Slabs and pencils of four ranks, three ranks that divide nothing evenly, restarts on any of them.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from launched import flow, launch, on_ranks
from program import SOURCE, succeed
from test_same_results import assert_same_results


@pytest.mark.parametrize("row", [1, 2])
def test_four_ranks_leave_what_one_leaves(tmp_path: Path, row: int) -> None:
    alone = flow(tmp_path, "1", 1)
    assert_same_results(alone, flow(tmp_path, "4", 4, "--set", f"dns.process_grid={row}"))


def test_a_box_that_three_ranks_cannot_divide_evenly(tmp_path: Path) -> None:
    more = {"dns__points_y": 20, "dns__points_z": 14, "dns__scheme": "rk4", "dns__form": "rotational"}
    assert_same_results(flow(tmp_path, "1", 1, **more), flow(tmp_path, "3", 3, **more))


def test_restarts_on_any_number_of_ranks(tmp_path: Path) -> None:
    alone = flow(tmp_path, "alone", 1)
    for ranks in ((2, 4), (4, 1)):
        name = "_".join(map(str, ranks))
        flow(tmp_path, name, ranks[0], "--set", "time.max_steps=4")
        assert_same_results(alone, flow(tmp_path, name, ranks[1], "--restart"))


def test_check_says_what_a_rank_needs(tmp_path: Path) -> None:
    flow(tmp_path, "1", 1, "--set", "time.max_steps=0")
    planned = launch(on_ranks(1, "check", "flow.toml", "--ranks", "4", "--threads", "1"), tmp_path)
    launched = launch(on_ranks(4, "check", "flow.toml", "--threads", "1"), tmp_path)
    assert planned.returncode == launched.returncode == 0
    assert "on each of 4 ranks" in planned.stdout
    assert launched.stdout == planned.stdout  # once


def test_exchanges_of_a_run_stand_beside_their_prediction(tmp_path: Path) -> None:
    """Rows of two ranks on four: the trace names the exchanges as `tacit place` looks for them."""
    run = flow(tmp_path, "run", 4, "--set", "dns.process_grid=2", "--set", "time.max_steps=2")
    succeed("place", SOURCE / "examples" / "machines" / "topology.conf", "--ranks", 4, "--ranks-per-node", 1, "--grid",
            "2x2", "--points", 16, "--output", "plan", cwd=tmp_path)
    found = json.loads(succeed("place", "--compare", run, "--output", "plan", "--json", cwd=tmp_path))
    assert [exchange["name"] for exchange in found["exchanges"]] == ["row", "column"]
    for exchange in found["exchanges"]:
        assert exchange["count"] > 0 and exchange["measured_s"] > 0.0
