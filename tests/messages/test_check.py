"""tacit check of runs that no machine can do: it says so, and takes little memory itself.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import re
import resource
import shutil
from pathlib import Path

import pytest
from program import environment, succeed, tacit, write_parameters
from tacit.log_file import LogFile

GAS = {"initial.setup": "sedov", "sedov.resolution": 2048, "time.end": 1.0}
FLOW = {"solver": "dns", "initial.setup": "taylor_green", "dns.points": 1 << 18, "dns.viscosity": 0.01, "time.end": 0.1}


TOO_SMALL_A_DISK = r"warning: output/.*: its file system has .*B free, less than .* \(.*B\)\n"

# The dumps of the talk on PSDNS (CUG 2013): 12288^3 points, fields in double precision, 50 dumps of 74 TB. That is five
# fields: a velocity and two scalars.
DUMPS = {"solver": "dns", "initial.setup": "isotropic", "dns.points": 12288, "dns.viscosity": 1e-5, "dns.dt": 1e-4,
         "dns.scheme": "rk4", "scalars.schmidt": [1.0, 1.0], "output.double_precision": True,
         "output.snapshot_every": 0.02, "time.end": 1.0}


NUMERICS_FAILED = 1


def little_memory() -> None:
    """In the program: 3 GB of address space, which threads and libraries take a part of."""
    resource.setrlimit(resource.RLIMIT_AS, (3_000_000_000, 3_000_000_000))


@pytest.mark.parametrize("values, needed, advice", [
    (GAS, "3.29 TB", "ranks, each on a machine of its own like this one"),
    (FLOW, "EB", "ranks, each on a machine of its own like this one"),
], ids=["sph", "dns"])
def test_memory_that_no_machine_has(tmp_path: Path, values: dict[str, object], needed: str, advice: str) -> None:
    write_parameters(tmp_path / "run.toml", values | {"output.staging_memory": 0})
    done = tacit("check", "run.toml", "--threads", "1", cwd=tmp_path, preexec=little_memory)
    assert done.stderr.count("\n") <= 1 and re.fullmatch(TOO_SMALL_A_DISK, done.stderr)  # no test has such a disk
    assert done.returncode == 4
    first, _, memory, *_ = done.stdout.splitlines()
    assert first == "run.toml: good, but too large for this machine"
    assert memory.startswith("  memory  about ") and needed in memory
    assert " here" in memory and memory.endswith(advice)


def test_as_many_ranks_as_fit_on_a_machine(tmp_path: Path) -> None:
    """Each is small; all of them together need many machines."""
    write_parameters(tmp_path / "run.toml", FLOW | {"dns.points": 4096})
    memory = succeed("check", "run.toml", "--threads", "1", "--ranks", "65536", cwd=tmp_path).splitlines()[2]
    assert "on each of 65536 ranks" in memory and "ranks fit on a machine like this one" in memory


def test_dumps_of_the_talk(tmp_path: Path) -> None:
    """More points than 2^40, in little memory."""
    write_parameters(tmp_path / "run.toml", DUMPS)
    done = tacit("check", "run.toml", "--threads", "1", "--ranks", "24576", cwd=tmp_path, preexec=little_memory)
    assert done.returncode == 0
    assert " 1855425871872 points, " in done.stdout
    disk = re.search(r" about 3\.\d+ PB: 51 snapshots of 74\.2 TB, 2 checkpoints of ([\d.]+) TB, ", done.stdout)
    assert disk, done.stdout
    least = 3 * float(disk[1]) + 74.2
    warning = re.fullmatch(r"warning: output/.*: its file system has .*B free, less than 3 checkpoints and a "
                           r"snapshot \((\d+) TB\)\n", done.stderr)
    assert warning, done.stderr
    assert abs(float(warning[1]) - least) < 1  # three digits


def test_a_disk_for_some_of_the_output(tmp_path: Path) -> None:
    """Each snapshot fits, all of them together do not."""
    many = GAS | {"sedov.resolution": 128, "output.snapshot_every": 1.001e-6}  # 100 MB each
    assert 2e9 < shutil.disk_usage(tmp_path).free < 5e13, "this test needs an ordinary disk"
    write_parameters(tmp_path / "run.toml", many)
    done = tacit("check", "run.toml", "--threads", "1", cwd=tmp_path)
    assert done.returncode == 0
    assert re.fullmatch(TOO_SMALL_A_DISK, done.stderr) and "less than the output will take (" in done.stderr
    write_parameters(tmp_path / "run.toml", many | {"output.snapshot_every": 0.5})
    assert tacit("check", "run.toml", "--threads", "1", cwd=tmp_path).stderr == ""


LOGGED = {
    "sph": {"initial.setup": "sedov", "sedov.resolution": 8, "time.end": 1.0},
    "dns": {"solver": "dns", "initial.setup": "taylor_green", "dns.points": 16, "dns.viscosity": 0.01, "time.end": 1.0,
            "dns.particles.count": 100},
}
ELEMENTS = {"sph": "512 particles", "dns": "100 tracers"}


@pytest.mark.parametrize("solver", sorted(LOGGED))
def test_the_log_begins_with_as_many_bytes_as_check_says(tmp_path: Path, solver: str) -> None:
    values = LOGGED[solver] | {"output.log": True, "output.log_steps": 1000, "output.log_tolerance": 0,
                                   "output.picture": False, "time.max_steps": 1}
    write_parameters(tmp_path / "run.toml", values)
    said = succeed("check", "run.toml", cwd=tmp_path)
    log = re.search(r"\n  log     ([\d.]+ k?B) to begin with, then [\d.]+ k?B to [\d.]+ k?B for each step of all "
                    + ELEMENTS[solver] + r": records of (\d+) B\n", said)
    assert log and ", and the begin of the log\n" in said
    succeed("run", "run.toml", "--output", "out", cwd=tmp_path)
    file = LogFile(tmp_path / "out/output.log")
    number, record = int(ELEMENTS[solver].split()[0]), int(log[2])
    assert len(file.state(0.0)["id"]) == number
    said_bytes = float(log[1].split()[0]) * (1000 if log[1].endswith("kB") else 1)
    bytes_of_records = number * record
    header = said_bytes - bytes_of_records - record
    assert 0 < header < 4096
    # What is written to the log after its begin: marks of the further lines of statistics, and its end.
    more = (tmp_path / "out/output.log").stat().st_size - said_bytes
    assert -0.005 * said_bytes <= more <= 8 * record + 0.005 * said_bytes  # three digits


def test_no_log_no_line(tmp_path: Path) -> None:
    write_parameters(tmp_path / "run.toml", LOGGED["sph"])
    said = succeed("check", "run.toml", cwd=tmp_path)
    assert "\n  log " not in said and "begin of the log" not in said


def test_an_absurd_time_is_said_in_words(tmp_path: Path) -> None:
    write_parameters(tmp_path / "run.toml", GAS | {"sedov.resolution": 128, "time.end": 1e60})
    time = succeed("check", "run.toml", "--threads", "2", cwd=tmp_path).splitlines()[-1]
    assert time.startswith("  time    more than 1000 years on 2 threads: ") and "e+" in time and len(time) < 200


def test_an_old_name_of_a_key_is_read_with_a_warning(tmp_path: Path) -> None:
    values = FLOW | {"dns.points": 4, "dns.ranks_of_row": 1, "time.max_steps": 1, "output.picture": False}
    write_parameters(tmp_path / "run.toml", values)
    note = "dns.ranks_of_row: is the old name of dns.process_grid; write that"
    checked = tacit("check", "run.toml", cwd=tmp_path)
    assert checked.returncode == 0
    assert checked.stderr.startswith("warning: run.toml:") and f"{note}\n" in checked.stderr
    assert note in succeed("run", "run.toml", "--output", "out", cwd=tmp_path)
    warnings = json.loads((tmp_path / "out/summary.json").read_text())["warnings"]
    assert len([warning for warning in warnings if warning.endswith(note)]) == 1


def test_time_follows_from_the_measured_limits_of_the_machine(tmp_path: Path) -> None:
    """Of a run that no rehearsal can begin, once a run has measured them; until then from a speed that is assumed."""
    write_parameters(tmp_path / "run.toml", {
        "solver": "heat", "initial.setup": "gaussian", "gaussian.width": 0.1, "heat.cells": [640, 640, 640],
        "heat.diffusivity": 1.0, "time.end": 1e12, "run.pin": False, "output.picture": False})
    kept = environment(TACIT_CACHE=str(tmp_path / "cache"))

    def speed() -> tuple[float, str]:
        said = succeed("check", "run.toml", "--threads", "1", cwd=tmp_path, env=kept)
        rate, basis = re.search(r": steps at ([\d.e+]+) updates/s per core, (.*)\n", said).groups()
        return float(rate), basis

    assert speed() == (5e8, "which is assumed")
    assert not (tmp_path / "cache").exists()
    succeed("run", "run.toml", "--threads", "1", "--set", "run.peak_share=always", "--set", "time.end=1e-3",
            "--set", "heat.cells=[16, 16, 16]", cwd=tmp_path, env=kept)
    _, line = (tmp_path / "cache/limits").read_text().splitlines()
    flops, _, bandwidth = map(float, line.split()[:3])
    least_time = max((2 * 13 + 6) / flops, 40 / bandwidth)  # of an update by rk2 in 3D
    rate, basis = speed()
    assert basis == "by the limits of this machine"
    assert abs(rate * least_time / 0.78 - 1.0) < 0.06  # the rate is said with two digits


REHEARSED = {
    "sph": {"initial.setup": "sedov", "sedov.resolution": 8, "time.end": 0.02},
    "heat": {"solver": "heat", "initial.setup": "gaussian", "gaussian.width": 0.1, "heat.cells": [16, 16],
             "heat.diffusivity": 1.0, "time.end": 0.01},
    "dns": {"solver": "dns", "initial.setup": "taylor_green", "dns.points": 8, "dns.viscosity": 0.1, "time.end": 1.0},
}


@pytest.mark.parametrize("solver", sorted(REHEARSED))
def test_a_short_run_is_rehearsed_and_nothing_written(tmp_path: Path, solver: str) -> None:
    write_parameters(tmp_path / "run.toml", REHEARSED[solver] | {"output.picture": False})
    said = succeed("check", "run.toml", "--threads", "1", cwd=tmp_path,
                   env=environment(TACIT_CACHE=str(tmp_path / "cache")))
    assert [path.name for path in tmp_path.iterdir()] == ["run.toml"]
    steps, basis = re.search(r"\n  steps   about (\d+), with [\d.e+]+ updates: (.*)\n", said).groups()
    assert basis == "by a rehearsal of all of it"
    succeed("run", "run.toml", "--output", "out", cwd=tmp_path)
    assert json.loads((tmp_path / "out/summary.json").read_text())["steps"] == int(steps)


DOOMED = {
    "a step over which atoms fly": (
        {"solver": "md", "initial.setup": "lattice", "lattice.density": 0.8442, "lattice.cells": [6, 6, 6],
         "velocities.temperature": 1.44, "md.dt": 50.0, "time.end": 1000.0}, "md.dt is too long"),
    "a step that is not stable": (
        {"solver": "dns", "initial.setup": "taylor_green", "dns.points": 16, "dns.viscosity": 0.01, "dns.dt": 2.0,
         "time.end": 9.0}, "dns.dt = 2 is too long: no step beyond "),
    "a solve that is not done": (
        {"solver": "qcd", "initial.setup": "random", "qcd.extents": [4, 4, 4, 4], "qcd.mass": 0.1,
         "iteration.end": 3}, "the solve of source 1 of 12 has not converged: "),
    "a drift that is not allowed": (
        {"initial.setup": "sedov", "sedov.resolution": 8, "time.end": 0.02, "drift.energy": 1e-12},
        "more than drift.energy = 1e-12 allows"),
    "a step that is forbidden": (
        {"initial.setup": "sedov", "sedov.resolution": 8, "time.end": 0.02, "time.dt_min": 0.01},
        "below time.dt_min = 0.01"),
}


@pytest.mark.parametrize("case", sorted(DOOMED))
def test_what_ends_the_run_is_the_verdict(tmp_path: Path, case: str) -> None:
    """Wherever the rehearsal comes as far as the run does; and it writes nothing."""
    values, reason = DOOMED[case]
    write_parameters(tmp_path / "run.toml", values | {"output.picture": False})
    checked = tacit("check", "run.toml", "--threads", "1", cwd=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["run.toml"]
    ran = tacit("run", "run.toml", "--threads", "1", "--output", "out", cwd=tmp_path)
    assert ran.returncode == checked.returncode == NUMERICS_FAILED, checked.stdout + checked.stderr
    assert reason in ran.stderr, ran.stderr
    assert reason in checked.stderr and "run.toml: the run would fail after " in checked.stderr, checked.stderr
    assert "good" not in checked.stdout
