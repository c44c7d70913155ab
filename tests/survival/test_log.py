"""The continuous log of a run: right, the same after a restart, and readable whenever the run dies.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from faults import faults
from numpy.typing import NDArray
from program import assert_same_bits, environment, program
from runs import (EVERY_STEP, IS_STRESS, LONGEST_S, MACHINE, Launch, assert_one_message, checkpoints, info, main_files,
                  some, statistics)
from solvers import CASES, Case

from tacit.log_file import LogFile, RunLog

TOLERANCE = 0.01
LOG: Mapping[str, object] = {"output.log": True, "output.log_tolerance": TOLERANCE, "output.log_room": 65536}
CHANGES = {"dns": {"dns.points": 16, "dns.particles.count": 200, "dns.cfl": 0.1}}
LOGGING = tuple(replace(case, small=dict(case.small) | CHANGES.get(case.solver, {})) for case in CASES if case.has_log)
"""The cases."""
GAS = next(case for case in LOGGING if case.solver == "sph")
FLOW = next(case for case in LOGGING if case.solver == "dns")
COSTLY = "dns"
"""Of flows, whose steps take longest, the longest tests wait for --full."""


def params(cases: Sequence[Case]) -> list[Any]:
    """The cases, of which the costly one is long."""
    return [pytest.param(case, id=case.solver, marks=pytest.mark.long if case.solver == COSTLY else ())
            for case in cases]


ON_RANKS = [(case, ranks) for case in LOGGING for ranks in case.ranks if IS_STRESS or ranks < 4]
QUICK = {case.solver: ranks for case, ranks in ON_RANKS}
"""What the quick suite runs: of each solver the largest number of ranks; each run of mpirun takes a second."""
each_on_ranks = pytest.mark.parametrize(
    ("case", "ranks"), [pytest.param(case, ranks, id=f"{case.solver}-{ranks}",
                                     marks=() if QUICK[case.solver] == ranks else pytest.mark.long)
                        for case, ranks in ON_RANKS])
Table = dict[str, NDArray[Any]]
SIDE_OF_SEDOV = 1.0
"""Of its periodic box."""


def logged(case: Case, directory: Path, ranks: int = 1, more: Mapping[str, object] | None = None) -> Launch:
    """A run of the case with a log."""
    return Launch(case, directory, ranks, dict(LOG) | dict(more or {}))


def end_of(case: Case) -> float:
    """When the case ends."""
    return float(str(case.small["time.end"]))


def assert_same_state(a: Table, b: Table) -> None:
    """All fields of two states agree in every bit."""
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)


def assert_same_log(case: Case, ranks: int, a: Path, b: Path) -> None:
    """Two logs say the same of all elements, at random times and record by record."""
    first, second, end = RunLog(a), RunLog(b), end_of(case)
    assert first.complete == second.complete
    draw = random.Random(1)
    for time in [0.0, end, *(draw.uniform(0.0, end) for _ in range(100))]:
        if case.solver == "dns" and ranks > 1:
            # A restarted run may divide the box among ranks in another way; tracers that come to a rank are logged.
            assert_close_states(case, first.state(time), second.state(time))
        else:
            assert_same_state(first.state(time), second.state(time))
    if case.solver == "dns" and ranks > 1:
        return
    for element in some(list(first.state(0.0)["id"]), 20):
        assert_same_state(first.trajectory(element), second.trajectory(element))


def assert_close_states(case: Case, a: Table, b: Table) -> None:
    """Two states agree within what both logs may be off."""
    np.testing.assert_array_equal(a["id"], b["id"])
    if case.solver == "sph":
        assert np.max(apart(a["x"], b["x"], SIDE_OF_SEDOV) / a["h"]) < 4.0 * TOLERANCE
        return
    spacing = 2.0 * np.pi / int(str(case.small["dns.points"]))
    assert np.max(np.linalg.norm(a["x"] - b["x"], axis=1)) < 2.0 * TOLERANCE * spacing


def snapshots_of(case: Case, directory: Path) -> list[Path]:
    """Those with what is logged."""
    name = "tracers" if case.solver == "dns" else "snapshot"
    return [path for path in main_files(directory) if path.name.startswith(name)]


def time_of(snapshot: Path) -> float:
    """When it was written."""
    with h5py.File(snapshot) as file:
        return float(file["Header"].attrs["Time"][0])


def apart(a: NDArray[Any], b: NDArray[Any], box: NDArray[Any] | float) -> NDArray[Any]:
    """Distances in a periodic box."""
    d = a - b
    return np.linalg.norm(d - box * np.rint(d / box), axis=1)


def error_of(case: Case, state: Table, snapshot: Path) -> float:
    """How far a state from the log is from a snapshot, in the units of output.log_tolerance."""
    with h5py.File(snapshot) as file:
        if case.solver == "sph":
            gas = file["PartType0"]
            order = np.argsort(gas["ParticleIDs"][:])
            np.testing.assert_array_equal(state["id"], gas["ParticleIDs"][:][order])
            box = file["Header"].attrs["BoxSize"]
            off = apart(state["x"], gas["Coordinates"][:][order], box)
            return float(np.max(off / gas["SmoothingLengths"][:][order]))
        box = float(file["Header"].attrs["BoxSize"][0])
        np.testing.assert_array_equal(state["id"], file["VTKHDF/PointData/id"][:])
        spacing = box / int(str(case.small["dns.points"]))
        return float(np.max(apart(state["x"], file["VTKHDF/Points"][:], box))) / spacing


@each_on_ranks
def test_a_log_changes_nothing(case: Case, ranks: int, tmp_path: Path) -> None:
    """Every array of every snapshot, and every line of statistics; `info` knows the logs."""
    plain = Launch(case, tmp_path / "plain", ranks).succeed()
    with_log = logged(case, tmp_path / "log", ranks).succeed()
    assert statistics(plain) == statistics(with_log)
    for path in main_files(plain):
        if not path.name.startswith("restart"):
            assert_same_bits(path, with_log / path.name)
    logs = sorted(with_log.glob("output*.log"))
    assert len(logs) == ranks
    for log in logs:
        said = info(log)
        assert said.returncode == 0 and "sound" in said.stdout, said.stdout + said.stderr
        said = subprocess.run([program(), "info", str(log)], capture_output=True, text=True, env=environment(),
                              timeout=LONGEST_S, check=True)
        assert "a continuous log" in said.stdout and "ended by its run" in said.stdout, said.stdout


@each_on_ranks
def test_states_match_snapshots(case: Case, ranks: int, tmp_path: Path) -> None:
    """At 100 times which have nothing to do with steps: snapshots of a run against the log of another one."""
    end = end_of(case)
    log = RunLog(logged(case, tmp_path / "log", ranks).succeed())
    dense = Launch(case, tmp_path / "dense", values={"output.snapshot_every": end / 99.7}).succeed()
    snapshots = snapshots_of(case, dense)
    assert len(snapshots) >= 100
    errors = [error_of(case, log.state(min(time_of(path), end)), path) for path in snapshots]
    # A record comes after the first step that leaves the tolerance, which may end that far from it again.
    assert max(errors) < 2.0 * TOLERANCE, max(errors)


def test_takes_less_than_dumps(tmp_path: Path) -> None:
    """Of a blast wave, against dumps of all particles that are as dense as the records of the busiest one."""
    case = replace(GAS, small=dict(GAS.small) | {"sedov.resolution": 12})
    log = RunLog(logged(case, tmp_path / "log").succeed())
    size = log.logs[0].path.stat().st_size
    dumps = 80.0 * len(log.state(0.0)["id"]) * most_records(log)
    print(f"log {size} bytes, dumps at equal resolution {dumps:.0f}: ratio {size / dumps:.3f}")
    assert size < 0.5 * dumps


def most_records(log: RunLog) -> int:
    """Of any element."""
    records = log.logs[0]._records
    states = records["id"][log.logs[0]._whole & (records["kind"] == 1)]
    return int(np.unique(states, return_counts=True)[1].max())


def steps_of(directory: Path) -> int:
    """How many steps the run took."""
    return int(json.loads((directory / "summary.json").read_text())["steps"])


@each_on_ranks
def test_a_restarted_run_logs_the_same(case: Case, ranks: int, tmp_path: Path) -> None:
    alone = logged(case, tmp_path / "alone", ranks).succeed()
    stop = max(1, steps_of(alone) // 2)
    launch = logged(case, tmp_path / "twice", ranks)
    launch.succeed("--set", f"time.max_steps={stop}")
    # What the second part logs is cut off by the third, which begins where it began.
    kept = {path.name: path.read_bytes() for path in checkpoints(launch.directory)}
    launch.succeed("--restart", "--set", f"time.max_steps={stop + 1}")
    for path in checkpoints(launch.directory):
        path.unlink()
    for name, content in kept.items():
        (launch.directory / name).write_bytes(content)
    assert_same_log(case, ranks, alone, launch.succeed("--restart"))


@pytest.mark.parametrize("case", params([case for case in LOGGING if len(case.ranks) > 1]))
def test_goes_on_with_other_ranks(case: Case, tmp_path: Path) -> None:
    """The log of two ranks, then that of one, then none, then of two: all of them together are one."""
    end = end_of(case)
    alone = logged(case, tmp_path / "alone").succeed()
    steps = steps_of(alone)
    directory = tmp_path / "out"
    logged(case, directory, 2).succeed("--set", f"time.max_steps={max(1, steps // 3)}")
    logged(case, directory, 1).succeed("--restart", "--set", f"time.max_steps={max(2, steps // 2)}")
    logged(case, directory, 2).succeed("--restart")
    names = sorted(path.name for path in directory.glob("output*.log"))
    assert len(names) == 5, names
    log, single = RunLog(directory), RunLog(alone)
    assert log.complete == single.complete
    for time in np.linspace(0.0, end, 30):
        assert_close_states(case, log.state(time), single.state(time))
    # Without a log the run ends it, and goes on.
    before = {path.name: path.stat().st_size for path in directory.glob("output*.log")}
    Launch(case, directory, 1).succeed("--restart", "--set", f"time.end={1.2 * end}")
    assert {path.name: path.stat().st_size for path in directory.glob("output*.log")}.keys() == before.keys()
    assert all(one.is_closed for one in RunLog(directory).logs)


@pytest.mark.parametrize("case", params(LOGGING))
def test_killed_while_it_grows(case: Case, tmp_path: Path) -> None:
    """By SIGKILL between any two writes; the log is read as it is, and then continued."""
    ranks = case.quick_ranks
    alone = logged(case, tmp_path / "alone", ranks).succeed()
    for number, call in enumerate((3, 7, 11)):
        launch = logged(case, tmp_path / str(number), ranks, EVERY_STEP)
        done = launch.run(env=faults(launch.directory, kill=f"before:fsync:{call}", rank=0, kill_all=1))
        assert done.returncode != 0
        if not list(launch.directory.glob("output*.log")):
            continue
        log = RunLog(launch.directory)
        if log.complete is not None:
            assert len(log.state(log.complete)["id"]) > 0
            assert_same_ids_and_bounds(case, log, RunLog(alone))
        assert_same_log(case, ranks, alone, launch.go_on())


def assert_same_ids_and_bounds(case: Case, killed: RunLog, whole: RunLog) -> None:
    """What is there of a log agrees with that of a run that lived."""
    assert killed.complete is not None
    a, b = killed.state(0.9 * killed.complete), whole.state(0.9 * killed.complete)
    np.testing.assert_array_equal(a["id"], b["id"])
    scale = float(np.max(np.abs(b["x"])))
    assert np.max(np.abs(a["x"] - b["x"])) < 2.0 * TOLERANCE * scale


@pytest.mark.parametrize("ranks", [1, 2])
def test_full_disk_under_the_log(ranks: int, tmp_path: Path) -> None:
    """Named as other output is, on all ranks; what was logged before can be read, and the run goes on."""
    case = GAS if ranks == 1 else FLOW
    launch = logged(case, tmp_path / "out", ranks, EVERY_STEP | {"output.log_room": 4096, "output.log_steps": 1})
    launch.directory.mkdir()
    name = "output.log" if ranks == 1 else "output.1of2.log"
    # More than what a log begins with, and less than what a few steps add.
    space = 600000 if case is GAS else 40000
    done = launch.run(env=faults(launch.directory / name, space=space, rank=ranks - 1))
    assert MACHINE in (done.returncode,), (done.returncode, done.stderr)
    assert_one_message(done.stderr)
    assert name in done.stderr and "No space left on device" in done.stderr, done.stderr
    log = RunLog(launch.directory)
    assert log.complete is not None and len(log.state(log.complete)["id"]) > 0
    launch.go_on()
    assert RunLog(launch.directory).complete == pytest.approx(end_of(case))


@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=pytest.mark.long)])
@pytest.mark.parametrize("call", ["write:5", "fsync:2", pytest.param("fsync:3", marks=pytest.mark.long)])
def test_a_disk_that_fails_under_the_log(call: str, ranks: int, tmp_path: Path) -> None:
    """EIO where the log grows, and where it is made durable; the run goes on once the disk is well."""
    case = GAS if ranks == 1 else FLOW
    launch = logged(case, tmp_path / "out", ranks, EVERY_STEP | {"output.log_room": 4096, "output.log_steps": 1})
    launch.directory.mkdir()
    name = "output.log" if ranks == 1 else "output.1of2.log"
    done = launch.run(env=faults(launch.directory / name, error=f"{call}:EIO", rank=ranks - 1))
    assert done.returncode == MACHINE, (done.returncode, done.stderr)
    assert_one_message(done.stderr)
    assert name in done.stderr and "Input/output error" in done.stderr, done.stderr
    assert ("cannot grow" if call.startswith("write") else "cannot be made durable") in done.stderr, done.stderr
    launch.go_on()
    assert RunLog(launch.directory).complete == pytest.approx(end_of(case))


def end_of_last_mark(path: Path) -> int:
    """The byte behind the last mark of a log."""
    log = LogFile(path)
    marks = np.flatnonzero(log._whole & (log._records["kind"] == 3))
    return int(log._begin + (marks[-1] + 1) * log._record.itemsize)


def lose_power(path: Path, durable: int) -> None:
    """Of what no fdatasync had written, the disk has zeros."""
    with path.open("r+b") as file:
        length = path.stat().st_size
        file.truncate(durable)
        file.truncate(length)


@pytest.mark.parametrize("number", [4, 6])
def test_a_checkpoint_comes_after_the_log_that_it_needs(number: int, tmp_path: Path) -> None:
    """No checkpoint has its name before the log is durable up to where it says, so a power cut loses neither."""
    case = GAS
    more = EVERY_STEP | {"output.staging_memory": 0}
    alone = logged(case, tmp_path / "alone", more=more).succeed()
    before = logged(case, tmp_path / "before", more=more)
    before.directory.mkdir()
    # The first fsync is that of a new log, each of the others that of a checkpoint.
    assert before.run(env=faults(before.directory / "output.log", kill=f"after:fsync:{number - 1}")).returncode != 0
    durable = end_of_last_mark(before.directory / "output.log")
    launch = logged(case, tmp_path / "out", more=more)
    launch.directory.mkdir()
    assert launch.run(env=faults(launch.directory / "output.log", kill=f"before:fsync:{number}")).returncode != 0
    assert end_of_last_mark(launch.directory / "output.log") > durable  # there is something to lose
    named = []
    for path in checkpoints(launch.directory):
        with h5py.File(path) as file:
            named.append(int(file["Engine/log"][0, 1]))
    assert named and max(named) == durable
    lose_power(launch.directory / "output.log", durable)
    assert_same_log(case, 1, alone, launch.go_on())


@pytest.mark.parametrize("command", ["run", "check"])
def test_a_log_of_nothing_is_refused(command: str, tmp_path: Path) -> None:
    launch = Launch(CASES[1], tmp_path / "out", values=LOG)
    words = [command if word == "run" else word for word in launch.command()]
    done = subprocess.run(words, capture_output=True, text=True, env=environment(), timeout=LONGEST_S, check=False)
    assert done.returncode == 2
    assert "output.log: there is nothing that dns logs in this run" in done.stderr, done.stderr


@pytest.mark.parametrize("harm", ["deleted", "damaged"])
def test_a_log_that_is_lost_does_not_end_a_run_for_good(harm: str, tmp_path: Path) -> None:
    """The message names the key that goes on."""
    case = GAS
    launch = logged(case, tmp_path / "out", more=EVERY_STEP)
    launch.succeed("--set", f"{case.stop}=4")
    log = launch.directory / "output.log"
    if harm == "deleted":
        log.unlink()
    else:
        whole = LogFile(log)
        content = bytearray(log.read_bytes())
        content[whole._begin + whole._record.itemsize // 2] ^= 1  # of the first record
        log.write_bytes(content)
    done = launch.run("--restart", "--set", f"{case.stop}=6")
    assert done.returncode not in (0, 6) and str(log) in done.stderr, done.stderr
    assert "--restart --set output.log=false goes on without the log" in done.stderr, done.stderr
    Launch(case, launch.directory, values=EVERY_STEP).succeed("--restart", "--set", f"{case.stop}=6")
    launch.succeed("--restart", "--set", f"{case.stop}=8")  # with another one from here on
    assert len(list(launch.directory.glob("output_*.log"))) == 1
