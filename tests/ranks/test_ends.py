"""How runs on several ranks end that do not come to their end: signals, deaths, mistakes in the input.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from launched import FLOW, LONGEST_S, flow, launch, launched_environment, on_ranks
from program import program, wait_for, write_parameters

LONG = {"time.end": 1e4, "output.statistics_every": 0.1, "output.snapshot_every": 1e4}
"""A run that goes on for long after its first lines."""


def ranks_of(launcher: int) -> dict[int, int]:
    """The processes that run the program below a launcher, by their ranks."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            if not entry.name.isdigit() or os.readlink(entry / "exe") != program():
                continue
            if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) != launcher:
                continue
            variables = dict(word.partition("=")[::2] for word in (entry / "environ").read_text().split("\0"))
            found[int(variables["OMPI_COMM_WORLD_RANK"])] = int(entry.name)
        except OSError:
            continue  # it has ended meanwhile
    return found


def started(folder: Path, ranks: int, *arguments: str, options: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    """A long run, in the midst of its steps."""
    write_parameters(folder / "flow.toml", dict(FLOW) | LONG)
    process = subprocess.Popen(on_ranks(ranks, "run", "flow.toml", "--output", "out", *arguments, options=options),
                               cwd=folder, env=launched_environment(), stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace")
    wait_for(folder / "out/statistics.csv", process)
    deadline = time.monotonic() + LONGEST_S
    while (folder / "out/statistics.csv").read_text().count("\n") < 4:
        assert process.poll() is None and time.monotonic() < deadline, process.communicate()[0]
        time.sleep(0.02)
    return process


@pytest.mark.parametrize("asked", [0, 1])
def test_a_signal_to_one_rank_stops_all_with_a_checkpoint(tmp_path: Path, asked: int) -> None:
    process = started(tmp_path, 2)
    os.kill(ranks_of(process.pid)[asked], signal.SIGTERM)
    output = process.communicate(timeout=LONGEST_S)[0]
    assert process.returncode == 6, output
    assert "continue with: tacit run flow.toml --output out --restart" in output
    summary = json.loads((tmp_path / "out/summary.json").read_text())
    assert not summary["finished"]
    again = launch(on_ranks(2, "run", "flow.toml", "--output", "out", "--restart", "--set",
                            f"time.max_steps={summary['steps'] + 2}"), tmp_path)
    assert again.returncode == 0 and f"continues from step {summary['steps']}" in again.stdout


@pytest.mark.parametrize("killed", [0, 2])
def test_the_others_name_a_rank_that_was_killed(tmp_path: Path, killed: int) -> None:
    # The launcher would end the others at once; it is told not to, and then its own exit code says nothing.
    process = started(tmp_path, 3, options=("--enable-recovery",))
    os.kill(ranks_of(process.pid)[killed], signal.SIGKILL)
    before = time.monotonic()
    output = process.communicate(timeout=LONGEST_S)[0]
    # They notice within 20 ms where there are processors for all; a loaded machine needs some seconds to run them.
    assert time.monotonic() - before < 60.0
    assert output.count(" has died, while we waited for ") == 1, output
    left = 1 if killed == 0 else 0
    assert re.search(rf"rank {left} \(.*\): rank {killed} \(.*\), process \d+, has died, while", output), output
    assert (tmp_path / "out/snapshot_0000.hdf5").exists()


def refused(folder: Path, ranks: int, *arguments: str, once: str) -> None:
    """The run ends at once, with an error that is said once."""
    done = launch(on_ranks(ranks, "run", *arguments), folder)
    assert done.returncode != 0 and done.stderr.count(once) == 1, done.stdout + done.stderr
    assert not (folder / "out").exists()


def test_mistakes_are_said_once(tmp_path: Path) -> None:
    write_parameters(tmp_path / "flow.toml", FLOW)
    write_parameters(tmp_path / "gas.toml", {"initial.setup": "sedov", "sedov.resolution": 8, "time.end": 0.001,
                                             "sph.pairs": "symmetric"})
    refused(tmp_path, 2, "nothing.toml", "--output", "out", once="nothing.toml: ")
    refused(tmp_path, 2, "flow.toml", "--output", "out", "--set", "dns.points=many", once="expected an integer")
    refused(tmp_path, 2, "gas.toml", "--output", "out", once="pairs are visited once on one rank alone")
    refused(tmp_path, 4, "flow.toml", "--output", "out", "--set", "dns.process_grid=3",
            once="rows of 3 ranks cannot be made of 4")
    (tmp_path / "broken.routes").write_text("between nodes pigeon\n")
    refused(tmp_path, 2, "flow.toml", "--output", "out", "--set", "ranks.routes=broken.routes", once="broken.routes:1")


def test_what_one_rank_alone_cannot_read_it_says(tmp_path: Path) -> None:
    write_parameters(tmp_path / "flow.toml", FLOW)
    command = [*on_ranks(2, "run", "flow.toml", "--output", "out"), ":", "-n", "1", program(), "run", "nothing.toml"]
    command[command.index("-n") + 1] = "1"
    done = launch(command, tmp_path)
    assert done.returncode != 0
    assert done.stderr.count("nothing.toml: ") == 1 and "rank 1 (" in done.stderr, done.stderr


def test_an_earlier_result_in_use_is_left_alone(tmp_path: Path) -> None:
    out = flow(tmp_path, "out", 2)
    before = (out / "statistics.csv").read_text()
    done = launch(on_ranks(2, "run", "flow.toml", "--output", "out", "--set", "initial.setup=none"), tmp_path)
    assert done.returncode != 0 and (out / "statistics.csv").read_text() == before
