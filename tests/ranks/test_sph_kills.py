"""Gas whose particles migrate all the time, of which a rank is killed: nobody hangs, and its last checkpoint serves.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from launched import LONGEST_S, assert_same_results, launch, launched_environment, on_ranks
from moving_gas import write_moving_gas
from program import checkpoint, wait_for, write_parameters
from test_ends import ranks_of

RANKS = 3
SEEDS = range(20 if os.environ.get("TACIT_TEST_STRESS") == "1" else 3)
ENDLESS = {"solver": "sph", "output.double_precision": True, "output.picture": False, "run.threads": 1,
           "run.pin": False, "run.deterministic": True, "initial.file": "gas.hdf5", "time.end": 1e4,
           "output.snapshot_every": 0.1, "output.statistics_every": 0.05, "output.checkpoint_every": 0.02}
"""A step is some 0.003 long, in which particles fly through two thirds of a cell: nearly all steps sort them."""


@pytest.mark.parametrize("seed", SEEDS)
def test_a_rank_that_is_killed_hangs_no_other(seed: int, tmp_path: Path) -> None:
    write_moving_gas(tmp_path / "gas.hdf5", 8)
    file = write_parameters(tmp_path / "gas.toml", ENDLESS)
    # The launcher would end the others at once; it is told not to.
    process = subprocess.Popen(on_ranks(RANKS, "run", file.name, "--output", "out", options=("--enable-recovery",)),
                               cwd=tmp_path, env=launched_environment(), stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace")
    wait_for(tmp_path / "out/statistics.csv", process)
    while not list((tmp_path / "out").glob("restart_*.hdf5")):
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.002)
    draw = random.Random(seed)
    victim = draw.randrange(RANKS)
    time.sleep(draw.uniform(0.0, 1.0))
    os.kill(ranks_of(process.pid)[victim], signal.SIGKILL)
    before = time.monotonic()
    output = process.communicate(timeout=LONGEST_S)[0]
    # They notice within 20 ms where there are processors for all; a loaded machine needs some seconds to run them.
    assert time.monotonic() - before < 60.0
    assert output.count(" has died, while we waited for ") == 1, output
    assert re.search(rf"rank {victim} \(.*\), process \d+, has died, while", output), output

    last = int(checkpoint(tmp_path / "out").stem.split("_")[1])
    steps = ("--set", f"time.max_steps={last + 3}")
    for words in ((*steps, "--output", "out", "--restart"), (*steps, "--output", "alone")):
        ranks = RANKS if "out" in words else 1
        done = launch(on_ranks(ranks, "run", file.name, *words), tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
    assert_same_results(tmp_path / "alone", tmp_path / "out")
