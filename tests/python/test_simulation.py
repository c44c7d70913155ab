"""Runs from Python: the same bits as the program's, errors as exceptions, a host that is left alone.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
import tacit
from program import assert_same_bits, checkpoint, environment, program, snapshots
from tacit import toml_text

BAR = {"solver": "heat", "initial": {"setup": "gaussian"}, "gaussian.width": 0.1, "heat.cells": [32, 16],
       "heat.diffusivity": 1.0, "time.end": 0.004, "output.statistics_every": 0.001, "output.snapshot_every": 0.002,
       "run.threads": 2}
BLAST = {"solver": "sph", "initial.setup": "sedov", "sedov.resolution": 8, "time.end": 0.01,
         "output.snapshot_every": 0.005, "run.threads": 2, "run.deterministic": True}
ENDLESS = {**BAR, "time.end": 1e6, "output.snapshot_every": 1e6, "output.statistics_every": 1e6}


def write_toml(path: Path, values: dict) -> Path:
    path.write_text(toml_text.document(values))
    return path


def by_program(file: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program(), "run", file.name, "--set", "output.picture=false", *more], cwd=file.parent,
                          env=environment(), capture_output=True, text=True, timeout=120)


def assert_same_results(a: Path, b: Path) -> None:
    """All snapshots agree in every bit, and so do the names of all files but older checkpoints."""
    names = ({path.name for path in one.iterdir() if not path.name.startswith("restart_")} for one in (a, b))
    assert next(names) == next(names) and checkpoint(a).name == checkpoint(b).name
    for one, other in zip(snapshots(a), snapshots(b), strict=True):
        assert_same_bits(one, other)


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


# ---- the same run ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parameters", [BAR, BLAST], ids=["heat", "sph"])
def test_bits_are_those_of_the_program(parameters: dict, tmp_path: Path) -> None:
    file = write_toml(tmp_path / "run.toml", parameters)
    done = by_program(file, "--output", "program")
    assert done.returncode == 0, done.stderr
    results = tacit.run(file, output="python")
    again = tacit.run(parameters, output="dict", observe=lambda simulation: simulation.statistics, every=2)
    for other in (results, again):
        assert len(other.snapshots) == 3
        assert_same_results(Path("program"), other.directory)
    assert results.finished and results.summary["steps"] == again.summary["steps"] > 3


def test_steps_and_observers_see_every_state() -> None:
    seen: list[tuple[int, float]] = []
    by_time: list[float] = []
    with tacit.Simulation(BAR, output="a") as simulation:
        assert (simulation.steps, simulation.time, simulation.end) == (0, 0.0, 0.004)
        assert not (simulation.directory / "snapshot_0000.hdf5").exists() and simulation.statistics == {}
        simulation.observe(lambda one: seen.append((one.steps, one.time)), every=3)
        simulation.observe(lambda one: by_time.append(one.time), interval=0.001)
        times = [0.0]
        while simulation.step():
            times.append(simulation.time)
            assert simulation.dt == pytest.approx(times[-1] - times[-2])
        assert simulation.is_over and simulation.time == 0.004
        results = simulation.finish()
        assert simulation.finish() == results
    steps = len(times) - 1
    assert [step for step, _ in seen] == sorted({*range(0, steps, 3), steps})
    assert [time for _, time in seen] == [times[step] for step, _ in seen]
    expected = [next(time for time in times if time >= k * 0.001 * (1 - 1e-12)) for k in range(5)]
    assert by_time == expected
    assert simulation.statistics["time"] == 0.004
    with pytest.raises(tacit.StateError, match="was closed"):
        simulation.step()


def test_a_run_until_some_time_goes_on_as_if_it_had_not_stopped() -> None:
    whole = tacit.run(BAR, output="whole")
    with tacit.Simulation(BAR, output="halves", set={"run.threads": 1}) as simulation:
        simulation.run(until=0.001)
        assert 0.001 <= simulation.time < 0.001 + simulation.dt and not simulation.is_over
        path = simulation.write_snapshot("between.hdf5")
    assert not simulation.results.finished  # the block has ended it, with a checkpoint
    with h5py.File(path) as file:
        assert file["VTKHDF/CellData/temperature"].dtype == np.float64
    rest = tacit.run(BAR, output="halves", restart=True, threads=1)
    assert rest.finished
    assert_same_results(whole.directory, rest.directory)
    assert tacit.run(BAR, output="halves", restart=True).summary["finished"]  # nothing to do


# ---- what goes wrong -------------------------------------------------------------------------------------------------


def test_errors_have_the_text_of_the_program(tmp_path: Path) -> None:
    cases = [({**BAR, "heat.cels": 3, "time.end": -1.0}, tacit.ParameterError),
             ({**BAR, "time.dt_min": 1.0}, tacit.NumericsError),
             ({"solver": "sph", "initial.file": "ics.hdf5", "time.end": 1.0}, tacit.InputError)]
    Path("ics.hdf5").write_bytes(b"no HDF5")
    for number, (parameters, kind) in enumerate(cases):
        file = write_toml(tmp_path / f"case{number}.toml", parameters)
        told = by_program(file, "--output", "out")
        with pytest.raises(kind) as caught:
            tacit.run(file.name, output="out")
        assert isinstance(caught.value, tacit.TacitError)
        assert str(caught.value) + "\n" == told.stderr
    with pytest.raises(tacit.MachineError, match="no_such.toml") as absent:
        tacit.run("no_such.toml")
    assert absent.value.errno == 2 and isinstance(absent.value, OSError)


def test_wrong_parameters_are_listed_with_their_places() -> None:
    with pytest.raises(tacit.ParameterError) as caught:
        tacit.Simulation({**BAR, "heat.cels": 3}, set={"time.end": "soon"})
    first, second = sorted(caught.value.problems, key=lambda problem: problem.key)
    assert (first.file, first.line, first.key) == ("parameters", len(BAR) + 1, "heat.cels") and "cells" in first.hint
    assert (second.file, second.line, second.key) == ("--set", 0, "time.end")
    for value in (object(), {1: 2}, {"a": [b""]}):
        with pytest.raises(tacit.InputError, match="heat"):
            tacit.Simulation({**BAR, "heat": value})
    for options in ({"restart": "yes"}, {"threads": 1.5}):
        with pytest.raises(tacit.InputError):
            tacit.Simulation(BAR, **options)


def test_a_failed_run_is_over_and_its_folder_free() -> None:
    simulation = tacit.Simulation({**BAR, "time.dt_min": 1.0}, output="a")
    with pytest.raises(tacit.NumericsError) as caught:
        simulation.run()
    assert caught.value.step == 0 and "below time.dt_min" in str(caught.value)
    with pytest.raises(tacit.StateError, match="failed"):
        simulation.step()
    simulation.close()
    assert tacit.run(BAR, output="a").finished


def test_an_exception_of_an_observer_ends_the_run_with_a_checkpoint() -> None:
    whole = tacit.run(BAR, output="whole")

    def give_up(simulation: tacit.Simulation) -> None:
        if simulation.steps == 4:
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        tacit.run(BAR, output="a", observe=give_up)
    assert Path("a/restart_000004.hdf5").is_file() and not tacit.Results(Path("a")).finished
    assert_same_results(whole.directory, tacit.run(BAR, output="a", restart=True).directory)


def test_ctrl_c_leaves_a_checkpoint() -> None:
    simulation = tacit.Simulation(ENDLESS, output="a")

    def press() -> None:
        while simulation.steps < 10:  # which this thread can see only while the engine works without Python's lock
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    hand = threading.Thread(target=press)
    hand.start()
    with pytest.raises(KeyboardInterrupt):
        simulation.run()
    hand.join()
    assert simulation.steps >= 10
    assert Path(f"a/restart_{simulation.steps:06}.hdf5").is_file()
    assert simulation.results.summary["steps"] == simulation.steps


def test_ranks_of_a_launcher_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "3")
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "0")
    with pytest.raises(tacit.MachineError, match="a launcher has started 3 ranks, but from Python a run has one"):
        tacit.Simulation(BAR)


# ---- the host --------------------------------------------------------------------------------------------------------


def test_two_at_once_are_like_each_alone() -> None:
    alone = tacit.run(BAR, output="alone"), tacit.run(BLAST, output="blast")
    with tacit.Simulation(BAR, output="a") as a, tacit.Simulation(BLAST, output="b") as b:
        with pytest.raises(tacit.MachineError, match="a"):
            tacit.Simulation(BAR, output="a")
        while any([a.step(), b.step()]):
            pass
        a.finish(), b.finish()
    assert_same_results(alone[0].directory, Path("a"))
    assert_same_results(alone[1].directory, Path("b"))


def test_threads_and_files_of_dropped_runs_are_gone() -> None:
    def open_things() -> tuple[int, int]:
        gc.collect()
        return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))

    small = {**BAR, "heat.cells": [8, 8]}
    tacit.Simulation(small, output="a").step()
    before = open_things()
    for _ in range(100):
        simulation = tacit.Simulation(small, output="a")
        simulation.step()
        del simulation
    assert open_things() == before


HOST = """
import logging, os, signal, sys
import tacit
assert not {"numpy", "h5py", "matplotlib"} & set(sys.modules), "importing is light"
before = os.sched_getaffinity(0), [signal.getsignal(n) for n in (2, 10, 15)], signal.pthread_sigmask(0, [])
tacit.run("run.toml", output="quiet")
assert before == (os.sched_getaffinity(0), [signal.getsignal(n) for n in (2, 10, 15)], signal.pthread_sigmask(0, []))
"""


def test_the_host_is_left_alone_and_hears_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_toml(tmp_path / "run.toml", BAR)
    Path("quiet").mkdir()
    Path("quiet/statistics.csv").write_text("of an earlier run\n")  # of which the program would tell
    done = subprocess.run([sys.executable, "-c", HOST], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    with caplog.at_level(logging.INFO, logger="tacit"):
        tacit.run("run.toml", output="quiet")
    assert any("moved to" in record.message for record in caplog.records)


def test_keys_are_known_with_their_help() -> None:
    assert {"heat", "sph"} <= set(tacit.solvers())
    assert "cells" in tacit.keys("heat")["heat.cells"].lower() and set(tacit.keys("sph", "time.e")) == {"time.end"}
    with pytest.raises(tacit.InputError, match="no solver 'sphh'"):
        tacit.schema("sphh")


def test_values_read_back_from_toml() -> None:
    tomllib = pytest.importorskip("tomllib")
    values = {"a": {"b": 1, "c": {"d": 1e-300, "e": True}}, "f": 'a "quoted" \\ \n é \x7f', "g": [1.5, 2.0],
              "h": float("inf"), "i": [{"j k": 1}, {}]}
    assert tomllib.loads(toml_text.document(values)) == values
    assert tomllib.loads(toml_text.document({"a": np.float32(0.5), "b": np.arange(3), "c": Path("x/y")})) == {
        "a": 0.5, "b": [0, 1, 2], "c": "x/y"}
