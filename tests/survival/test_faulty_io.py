"""The library that lets the file system fail does what it is told, and nothing else.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from faults import faults, read_counts

PROGRAM = os.environ.get("TACIT_FAULTY_IO_PROGRAM", "")
NAME = "faulty_io_program"


def run(folder: Path, *what: str, rank: int = 0, **asked: object) -> subprocess.CompletedProcess[str]:
    """Runs the little program in the folder."""
    env = os.environ | faults(folder, program=NAME, **asked) | {"PMIX_RANK": str(rank)}
    env = {key: value for key, value in env.items() if key not in ("OMPI_COMM_WORLD_RANK", "PMI_RANK")}
    return subprocess.run([PROGRAM, *what], cwd=folder, env=env, capture_output=True, text=True, timeout=60,
                          check=False)


def test_counts_and_changes_nothing(tmp_path: Path) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    done = run(inside, "calls", "ofstream", "fopen", counts=tmp_path / "counts")
    assert done.returncode == 0 and "-1" not in done.stdout
    (counts,) = read_counts(tmp_path / "counts")
    assert counts == {"write": 5, "fsync": 2, "rename": 1, "unlink": 1, "truncate": 1, "close": 3, "bytes": 900,
                      "early": [], "lost": 1}
    assert (inside / "ofstream").read_text() == 300 * "o" and (inside / "fopen").read_text() == 300 * "f"


@pytest.mark.parametrize(("words", "early", "lost"), [
    (["hasty"], ["hasty"], 1), (["calls", "hasty"], ["hasty"], 2), (["folder", "hasty"], ["folder", "hasty"], 1),
    (["calls", "folder"], ["folder"], 0)])
def test_sees_names_that_a_power_cut_could_leave_without_a_file(words: list[str], early: list[str], lost: int,
                                                                tmp_path: Path) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    assert "-1" not in run(inside, *words, counts=tmp_path / "counts").stdout
    (counts,) = read_counts(tmp_path / "counts")
    assert (counts["early"], counts["lost"]) == (early, lost)


def test_other_folders_programs_and_ranks_are_left_alone(tmp_path: Path) -> None:
    inside, beside = tmp_path / "in", tmp_path / "in2"
    inside.mkdir()
    beside.mkdir()
    env = os.environ | faults(inside, program=NAME, kill="before:write:1")
    assert subprocess.run([PROGRAM, "calls"], cwd=beside, env=env, timeout=60, check=False).returncode == 0
    assert run(inside, "calls", kill="before:write:1", rank=1).returncode == -signal.SIGKILL
    assert "-1" not in run(inside, "calls", kill="before:write:1", rank=1, RANK=0).stdout
    env |= {"FAULTY_IO_PROGRAM": "other"}
    assert subprocess.run([PROGRAM, "calls"], cwd=inside, env=env, timeout=60, check=False).returncode == 0


@pytest.mark.parametrize(("when", "left"), [
    ("before:write:1", {"calls.tmp": 0}), ("after:write:2", {"calls.tmp": 200}), ("before:fsync:1", {"calls.tmp": 250}),
    ("before:rename:1", {"calls.tmp": 250}), ("after:rename:1", {"calls": 250}), ("after:unlink:1", {})])
def test_kills_where_it_is_told(tmp_path: Path, when: str, left: dict[str, int]) -> None:
    assert run(tmp_path, "calls", kill=when).returncode == -signal.SIGKILL
    assert {path.name: path.stat().st_size for path in tmp_path.iterdir()} == left


def test_the_disk_takes_a_part_of_the_write_that_fills_it(tmp_path: Path) -> None:
    lines = run(tmp_path, "calls", space=250).stdout.splitlines()
    assert lines[:3] == ["write 100 fine", "pwrite 100 fine", "writev 50 fine"]
    lines = run(tmp_path, "calls", space=100).stdout.splitlines()
    assert lines[:2] == ["write 100 fine", "pwrite -1 No space left on device"]
    assert run(tmp_path, "ofstream", space=120).stdout.startswith("ofstream -1")
    assert (tmp_path / "ofstream").stat().st_size == 120
    assert run(tmp_path, "fopen", space=120).stdout.startswith("fwrite -1 No space")
    assert (tmp_path / "fopen").stat().st_size == 120


@pytest.mark.parametrize("kind", ["write", "fsync", "close", "rename", "unlink"])
def test_errors(tmp_path: Path, kind: str) -> None:
    lines = run(tmp_path, "calls", error=f"{kind}:1:EIO").stdout.splitlines()
    assert [line for line in lines if "-1 Input/output error" in line] == [f"{kind} -1 Input/output error"]


def test_a_slow_disk_is_at_least_so_slow(tmp_path: Path) -> None:
    before = time.monotonic_ns()
    assert run(tmp_path, "calls", rate=1000).returncode == 0  # 300 bytes
    assert time.monotonic_ns() - before >= 299_999_000  # 0.3 s but for rounding


def test_a_disk_that_is_held_takes_what_is_short(tmp_path: Path) -> None:
    """What is long waits: test_slow_disk.py has files of megabytes."""
    assert "-1" not in run(tmp_path, "calls", "fopen", hold=tmp_path / "never").stdout


def test_leaves_alone_what_it_is_told(tmp_path: Path) -> None:
    assert "-1" not in run(tmp_path, "calls", "fopen", space=0, **{"except": "calls.tmp:fopen:"}).stdout
    assert run(tmp_path, "ofstream", space=0, **{"except": "calls.tmp:fopen:"}).stdout.startswith("ofstream -1")


def test_another_host_without_locks(tmp_path: Path) -> None:
    lines = run(tmp_path, "identity", host="far", pid=77, flock="ENOLCK").stdout.splitlines()
    assert lines == ["far far 77", "flock -1 No locks available"]
    lines = run(tmp_path, "identity").stdout.splitlines()
    assert not lines[0].startswith("far") and lines[1] == "flock 0 fine"
