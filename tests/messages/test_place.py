"""`tacit place` on the example machines: what it prints, the files for launchers, and the comparison with a run.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from program import SOURCE, environment, succeed, tacit

MACHINES = SOURCE / "examples" / "machines"
EXAMPLES = {"blue_waters.toml": 64, "dragonfly.toml": 64, "fat_tree.toml": 64, "graph.toml": 24, "slurm.toml": 32,
            "topology.conf": 32, "blocks.conf": 32, "topology.yaml": 16}


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_are_placed(example: str, tmp_path: Path) -> None:
    nodes = EXAMPLES[example]
    order = "listed" if example == "dragonfly.toml" else "best"  # a search on 33 groups takes seconds
    advice = json.loads(succeed("place", MACHINES / example, "--ranks", 4 * nodes, "--ranks-per-node", 4, "--points",
                                256, "--order", order, "--json", cwd=tmp_path))
    best = advice["candidates"][0]
    assert best["grid"][0] * best["grid"][1] == 4 * nodes
    assert 0.0 < best["seconds"] <= advice["standard"]["seconds"]
    assert set(Counter(advice["chosen"]["node_of_rank"]).values()) == {4}
    assert len(set(advice["chosen"]["node_of_rank"])) == nodes


def test_files_of_launchers_agree(tmp_path: Path) -> None:
    text = succeed("place", MACHINES / "fat_tree.toml", "--ranks", 64, "--ranks-per-node", 8, "--spares", 2, "--nodes",
                   "n[0030,0001-0020]", "--down", "n0002", "--exclude", "n0003", "--output", "out", cwd=tmp_path)
    assert "8 nodes and 2 spares" in text and "<- as listed" in text
    out = tmp_path / "out"
    hosts = (out / "hostfile").read_text().split()
    assert len(hosts) == 64 and set(Counter(hosts).values()) == {8}
    nodes = (out / "nodes").read_text().split()
    assert len(nodes) == 10 and set(hosts) <= set(nodes)
    assert not {"n0002", "n0003"} & set(nodes)
    ranks = re.findall(r"^rank (\d+)=(n\d+) slot=(\d+)$", (out / "rankfile").read_text(), re.M)
    assert [host for _, host, _ in ranks] == hosts
    assert len({(host, slot) for _, host, slot in ranks}) == 64
    lines = (out / "MPICH_RANK_ORDER").read_text().splitlines()
    assert len(lines) == 8  # one for each node that is used, in the order of `nodes`
    for node, line in zip(nodes, lines):
        assert {hosts[int(rank)] for rank in line.split(",")} == {node}
    record = json.loads((out / "placement.json").read_text())
    assert record["ranks"] == 64


def test_output_goes_to_service_nodes(tmp_path: Path) -> None:
    arguments = ("place", MACHINES / "blue_waters.toml", "--ranks", 256, "--ranks-per-node", 16, "--points", 256,
                 "--order", "listed", "--dump", "48e9", "--exchanges-per-dump", 10)
    advice = json.loads(succeed(*arguments, "--json", cwd=tmp_path))
    for candidate in advice["candidates"]:
        output = candidate["output"]
        assert output["node_seconds"] == pytest.approx(48e9 / 8 / 6e9)  # 8 service nodes of 6 GB/s
        together = sum(exchange["seconds"] for exchange in candidate["exchanges"]) + output["seconds"] / 10
        assert candidate["seconds"] == pytest.approx(together)
    text = succeed(*arguments, cwd=tmp_path)
    assert "48 GB to 8 service nodes; busiest node 1 s; together counts it once in 10 exchanges" in text, text


def test_links_of_a_graph_have_the_names_of_its_switches(tmp_path: Path) -> None:
    (tmp_path / "g.conf").write_text("SwitchName=left Nodes=n[1-4]\nSwitchName=right Nodes=n[5-6]\n"
                                     "SwitchName=top Switches=left,right\n")
    for file, ranks, switch in ((MACHINES / "graph.toml", 24, "[ab][01]"), ("g.conf", 6, "(left|right|top)")):
        text = succeed("place", file, "--ranks", ranks, "--ranks-per-node", 1, "--order", "listed", cwd=tmp_path)
        assert re.search(rf"busiest link {switch} -> {switch},", text), text


def test_partners_of_nodes_that_are_down(tmp_path: Path) -> None:
    arguments = ("place", MACHINES / "blue_waters.toml", "--ranks", 4, "--ranks-per-node", 1, "--nodes",
                 "nid[00100-00105]", "--down", "nid00101", "--order", "listed", "--json")
    chosen = json.loads(succeed(*arguments, cwd=tmp_path))["chosen"]
    assert chosen["used_nodes"] == "nid[00102-00105]"
    chosen = json.loads(succeed(*arguments, "--keep-lone", cwd=tmp_path))["chosen"]
    assert chosen["used_nodes"] == "nid[00100,00102-00104]"


def test_nodes_of_a_file_and_of_slurm(tmp_path: Path) -> None:
    (tmp_path / "nodes").write_text("c[002-003]\nc040\n")
    arguments = ("place", MACHINES / "topology.conf", "--ranks", 3, "--ranks-per-node", 1, "--json")
    by_file = json.loads(succeed(*arguments, "--nodes", "./nodes", cwd=tmp_path))
    assert by_file["chosen"]["listed_nodes"] == "c[002-003,040]"
    job = environment(SLURM_JOB_NODELIST="c[002-003,040]")
    by_job = json.loads(succeed(*arguments, "--nodes", "slurm", cwd=tmp_path, env=job))
    assert by_job == by_file


def test_messages_of_a_trace(tmp_path: Path) -> None:
    """Two pairs that talk across switches belong together: the search brings them onto one node each."""
    (tmp_path / "t").write_text("0 2 1e9\n2 0 1e9\n1 3 1e9\n3 1 1e9\n")
    arguments = ("place", MACHINES / "topology.conf", "--ranks", 4, "--ranks-per-node", 2, "--pattern", "trace:t",
                 "--json")
    advice = json.loads(succeed(*arguments, cwd=tmp_path))
    assert advice["standard"]["exchanges"][0]["name"] == "messages"
    assert advice["candidates"][0]["seconds"] <= advice["standard"]["seconds"]


def time_line(path: Path, *transfers: tuple[str, float, dict[str, float]]) -> None:
    """Writes the trace.json of a run with these transfers: name, seconds, and what else is known of them."""
    path.mkdir()
    lines = []
    for number, (name, seconds, args) in enumerate(transfers, 1):
        event = {"pid": 1, "tid": 0, "id": number, "name": name, "cat": "transfers"}
        lines += [json.dumps(event | {"ph": "b", "ts": 1000.0, "args": args}),
                  json.dumps(event | {"ph": "e", "ts": 1000.0 + 1e6 * seconds})]
    (path / "trace.json").write_text('{"otherData": {}, "traceEvents": [\n' + ",\n".join(lines) + "\n]}\n")


def predicted(path: Path) -> dict[str, dict[str, float]]:
    """Places 64 ranks with the files in `path`/out, and gives the exchanges of the best placement by their names."""
    succeed("place", MACHINES / "topology.conf", "--ranks", 64, "--ranks-per-node", 4, "--grid", "8x8", "--output",
            "out", cwd=path)
    best = json.loads((path / "out" / "placement.json").read_text())["candidates"][0]
    return {exchange["name"]: exchange for exchange in best["exchanges"]}


def test_prediction_beside_a_run(tmp_path: Path) -> None:
    row_s = predicted(tmp_path)["row"]["seconds"]
    time_line(tmp_path / "run", ("rows to points", 5.0 * row_s, {}), ("rows to modes", 7.0 * row_s, {}),
              ("tuning: rows to modes", 100.0 * row_s, {}), ("density", 1.0, {}))
    arguments = ("place", "--compare", "run", "--output", "out", "--fields", 3)
    found = json.loads(succeed(*arguments, "--json", cwd=tmp_path))
    row, column = found["exchanges"]
    assert row["name"] == "row" and row["count"] == 2 and row["alone_s"] is None
    # A mean of 6 predictions of a field, for 3 fields. The times are some ms at 1 ms, so 1e-9 of them is kept.
    assert row["ratio"] == pytest.approx(2.0, rel=1e-9)
    assert column["measured_s"] is None and column["ratio"] is None
    text = succeed(*arguments, cwd=tmp_path)
    assert re.search(r"^row .* 2 +2\.00$", text, re.M) and re.search(r"^column .* - +- +0 +-$", text, re.M)


def test_prediction_is_for_the_bytes_of_a_message(tmp_path: Path) -> None:
    row = predicted(tmp_path)["row"]
    # 128^3 points of 8 bytes for each rank, of which it keeps an eighth.
    assert row["rank_bytes"] == 128**3 * 8 * 7 / 8
    known = {"bytes": row["rank_bytes"] / 4, "alone_us": 3e6 * row["seconds"]}
    time_line(tmp_path / "run", ("rows to points", 9.0 * row["seconds"], known))
    found = json.loads(succeed("place", "--compare", "run", "--output", "out", "--json", cwd=tmp_path))["exchanges"][0]
    wire_s = row["seconds"] - row["latency_seconds"]
    assert found["predicted_s"] == pytest.approx(row["latency_seconds"] + wire_s / 4, rel=1e-12)
    assert found["alone_s"] == pytest.approx(3.0 * row["seconds"], rel=1e-12)
    assert found["ratio"] == pytest.approx(found["alone_s"] / found["predicted_s"], rel=1e-12)


def test_run_without_transposes_is_said(tmp_path: Path) -> None:
    succeed("place", MACHINES / "topology.conf", "--ranks", 4, "--ranks-per-node", 1, "--output", "out", cwd=tmp_path)
    time_line(tmp_path / "run", ("density", 1.0, {}))
    done = tacit("place", "--compare", "run", "--output", "out", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == ("run/trace.json: has no transfers with 'row', 'column' in their names: the run had one "
                           "rank, or its solver exchanges others\n")
