#!/usr/bin/env python3
# Checks `tacit place` against a run between two emulated nodes, whose wires have a known speed.
# SPDX-License-Identifier: Apache-2.0
"""Exits with 77, what ctest takes for a skipped test, where nodes cannot be emulated.

usage: test_prediction.py PROGRAM
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import nodes

MACHINE = """
name = "two nodes"
[graph]
routers = ["switch"]
[[graph.nodes]]
router = "switch"
names = ["node0", "node1"]
[nodes]
bandwidth = "1 Gbit/s"
latency = "50 us"
"""
POINTS = 64
SPEED = 1e9 / 8  # of a wire [B/s]
BURST = 80e3  # bytes that a wire of nodes.py may carry at once
FLOW = f"""
solver = "dns"
[dns]
points = {POINTS}
viscosity = 0.01
chunks = 1
[initial]
setup = "taylor_green"
[time]
end = 1.0
max_steps = 10
[output]
picture = false
[ranks]
routes = "routes"
"""


def run(*words: str) -> str:
    """What a program prints that must succeed."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=240, check=False)
    if done.returncode == nodes.SKIPPED:
        print(done.stderr, file=sys.stderr)
        sys.exit(nodes.SKIPPED)
    assert done.returncode == 0, f"{words}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def main(program: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "machine.toml").write_text(MACHINE)
        (folder / "flow.toml").write_text(FLOW.replace('"routes"', f'"{folder}/routes"'))
        (folder / "routes").write_text("between nodes mpi\n")
        place = (program, "place")
        run(*place, f"{folder}/machine.toml", "--ranks", "2", "--ranks-per-node", "1", "--points", str(POINTS),
            "--output", f"{folder}/placement")
        run(sys.executable, nodes.__file__, "--nodes", "2", "--ranks", "1", "--rate", "1gbit", "--",
            program, "run", f"{folder}/flow.toml", "--threads", "1", "--output", f"{folder}/run")
        found = json.loads(run(*place, "--compare", f"{folder}/run", "--output", f"{folder}/placement", "--json"))
        row, column = found["exchanges"]
        print(json.dumps(found))
        assert row["count"] == 0, "a row of one rank exchanges something"
        assert column["count"] > 0 and column["bytes"] > 2 * BURST, "messages are too few or too short"
        expected_s = 50e-6 + column["bytes"] / SPEED
        assert abs(column["predicted_s"] / expected_s - 1) < 1e-6, f"predicted, not {expected_s} s"
        # No wire is faster than it is; how much slower messages are than that is not for a test.
        assert column["alone_s"] > 0.95 * (column["bytes"] - BURST) / SPEED, "exchanges alone are faster than the wire"
        assert column["measured_s"] > 0.0
        summary = json.loads((folder / "run" / "summary.json").read_text())
        assert summary["hidden_fraction"] < 1.0


if __name__ == "__main__":
    main(sys.argv[1])
