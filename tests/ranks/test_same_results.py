"""A run leaves the same bits on one rank and on two, and continues on either.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from launched import FLOW, flow, launch, on_ranks, statistics
from program import assert_same_bits, checkpoint, fingerprint, snapshots, write_parameters


def assert_same_results(a: Path, b: Path) -> None:
    """Statistics, snapshots, spectra and checkpoints of two runs agree in every bit."""
    assert statistics(a) == statistics(b)
    assert len(snapshots(a)) == 3 and sorted(a.glob("spectra_*"))
    names = [path.name for path in [*snapshots(a), *sorted(a.glob("spectra_*")), checkpoint(a)]]
    assert names[:-1] == [path.name for path in [*snapshots(b), *sorted(b.glob("spectra_*"))]]
    for name in names:
        assert_same_bits(a / name, b / name)
    assert fingerprint(a) == fingerprint(b)


def test_two_ranks_leave_what_one_leaves(tmp_path: Path) -> None:
    alone, both = (flow(tmp_path, str(ranks), ranks) for ranks in (1, 2))
    assert_same_results(alone, both)
    summary = json.loads((both / "summary.json").read_text())
    assert (summary["ranks"], summary["threads"], summary["finished"]) == (2, 1, True)
    assert summary["exposed_s"] > 0.0 and summary["hidden_fraction"] is not None
    trace = json.loads((both / "trace.json").read_text())
    processes = {event["pid"] for event in trace["traceEvents"] if event["ph"] == "X"}
    assert processes == {0, 2}  # the workers of two ranks
    assert "2 workers" in launch(on_ranks(1, "trace", both), tmp_path).stdout


@pytest.mark.parametrize("transport", ["mpi", "ofi"])
def test_no_transport_changes_a_bit(tmp_path: Path, transport: str) -> None:
    file = write_parameters(tmp_path / "flow.toml", FLOW | {"ranks.transport": transport, "time.max_steps": 10})
    done = launch(on_ranks(2, "run", file.name, "--output", "given"), tmp_path)
    if "built without libfabric" in done.stdout + done.stderr:
        pytest.skip("this build has no libfabric")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"ranks reach each other by {transport}\n" in done.stdout
    found = flow(tmp_path, "found", 2, time__max_steps=10)
    assert statistics(found) == statistics(tmp_path / "given")
    assert_same_bits(checkpoint(found), checkpoint(tmp_path / "given"))


def test_a_checkpoint_of_two_ranks_continues_on_one(tmp_path: Path) -> None:
    alone = flow(tmp_path, "alone", 1)
    flow(tmp_path, "both", 2, "--set", "time.max_steps=5")
    both = flow(tmp_path, "both", 1, "--restart")
    assert_same_results(alone, both)
