"""What happens to results on disk when something goes wrong: locks, kills, signals, full disks, damaged checkpoints.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py
import pytest
from program import (assert_same_bits, checkpoint, contents, datasets, environment, renew_checksums, run, snapshot_time,
                     snapshots, start,
                     succeed, tacit, wait_for, write_parameters)

NUMERICS = 1
MACHINE = 4
STOPPED = 6
BLAST = {"initial.setup": "sedov", "sedov.resolution": 12, "time.end": 0.05, "output.snapshot_every": 0.002,
         "output.double_precision": True, "output.picture": False, "run.threads": 2, "run.name": "blast"}
"""Some 40 steps and 26 snapshots: long enough to be disturbed in the middle."""
TINY = {"initial.setup": "sedov", "sedov.resolution": 4, "time.end": 0.001, "output.picture": False}


def assert_one_message(text: str) -> None:
    """Says something, and no trace of C++ or Python."""
    assert text.strip()
    for word in ("terminate", "Traceback", "what():", "internal error", "Sanitizer", "core dumped"):
        assert word not in text


def assert_whole(path: Path) -> None:
    """Opens, and every array can be read to its end."""
    arrays = datasets(path)
    assert len(arrays["PartType0/ParticleIDs"]) == len(arrays["PartType0/Densities"]) == BLAST["sedov.resolution"] ** 3


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a run that nothing happened to."""
    return run(tmp_path_factory.mktemp("undisturbed"), BLAST)


def time_reached(results: Path) -> float:
    """By the last whole line of statistics: files are written beside the steps, and may be far behind."""
    return float((results / "statistics.csv").read_text().split("\n")[-2].split(",")[1])


def pause_in_the_middle(folder: Path) -> subprocess.Popen[str]:
    """Starts BLAST in folder/run and freezes it after its second snapshot."""
    write_parameters(folder / "run.toml", BLAST)
    for _ in range(20):  # on a busy machine the run may be over before this process looks again
        process = start("run", "run.toml", "--output", "run", cwd=folder)
        wait_for(folder / "run" / "snapshot_0001.hdf5", process)
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)  # until its last thread has stopped
        if len(snapshots(folder / "run")) < 20 and time_reached(folder / "run") < 0.7 * BLAST["time.end"]:
            return process
        process.kill()
        process.communicate()
        shutil.rmtree(folder / "run")
    raise AssertionError("the run was never caught in the middle")


def signal_in_the_middle(folder: Path, sign: int) -> tuple[int, str]:
    """Sends a signal to BLAST in folder/run after its second snapshot; returns exit code and output."""
    process = pause_in_the_middle(folder)
    process.send_signal(sign)
    process.send_signal(signal.SIGCONT)
    output = process.communicate()[0]
    return process.returncode, output


def test_second_run_in_the_directory_is_refused(tmp_path: Path, undisturbed: Path) -> None:
    first = pause_in_the_middle(tmp_path)  # so that it is there for as long as the second one tries
    try:
        before = contents(tmp_path / "run")
        second = tacit("run", "run.toml", "--output", "run", cwd=tmp_path)
        after = contents(tmp_path / "run")
    finally:
        first.send_signal(signal.SIGCONT)
    assert second.returncode == MACHINE
    assert re.fullmatch(rf"run: another run writes here \(process {first.pid} on \S+ since \S+Z\); wait for it, or "
                        r"choose another with --output DIR\n", second.stderr), second.stderr
    assert before == after
    assert first.wait() == 0, first.communicate()[0]
    assert_same_bits(snapshots(tmp_path / "run")[-1], snapshots(undisturbed)[-1])


def test_killed_run_leaves_whole_snapshots_and_no_lock(tmp_path: Path, undisturbed: Path) -> None:
    code, _ = signal_in_the_middle(tmp_path, signal.SIGKILL)
    assert code == -signal.SIGKILL
    left = snapshots(tmp_path / "run")
    assert len(left) >= 2
    for path in left:
        assert_whole(path)
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir() if not path.name.startswith(".")}
    assert "moved to run/earlier-1" in succeed("run", "run.toml", "--output", "run", cwd=tmp_path)
    assert_same_bits(snapshots(tmp_path / "run")[-1], snapshots(undisturbed)[-1])
    moved = tmp_path / "run" / "earlier-1"
    assert before == {path.name: path.read_bytes() for path in moved.iterdir()}
    assert [path.name for path in (tmp_path / "run").iterdir() if path.name.endswith(".tmp")] == []


def test_results_of_an_earlier_run_move_aside_untouched(tmp_path: Path) -> None:
    results = run(tmp_path, TINY)
    (results / "notes.txt").write_text("mine")
    earlier = contents(results)
    for number in (1, 2):
        run(tmp_path, TINY)
        moved = contents(results / f"earlier-{number}")
        if number == 1:
            assert moved == {key: value for key, value in earlier.items() if key not in (".tacit.lock", "notes.txt")}
    assert (results / "notes.txt").read_text() == "mine"
    assert contents(results / "earlier-1") == {key: earlier[key] for key in contents(results / "earlier-1")}


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_stopped_run_continues_bitwise(tmp_path: Path, undisturbed: Path, sign: int) -> None:
    code, output = signal_in_the_middle(tmp_path, sign)
    assert code == STOPPED, output
    results = tmp_path / "run"
    assert "continue with: tacit run run.toml --output run --restart\n" in output
    assert checkpoint(results).exists()
    assert len(snapshots(results)) < len(snapshots(undisturbed))
    assert "continues from step" in succeed("run", "run.toml", "--output", "run", "--restart", cwd=tmp_path)
    assert [path.name for path in snapshots(results)] == [path.name for path in snapshots(undisturbed)]
    for mine, other in zip(snapshots(results), snapshots(undisturbed)):
        assert snapshot_time(mine) == snapshot_time(other)
        assert_same_bits(mine, other)
    steps = [line.split(",")[0] for line in (results / "statistics.csv").read_text().splitlines()]
    assert steps == [line.split(",")[0] for line in (undisturbed / "statistics.csv").read_text().splitlines()]


def test_a_run_that_is_asked_for_a_checkpoint_goes_on(tmp_path: Path, undisturbed: Path) -> None:
    """Every run ends with one; the other is that of the signal."""
    code, output = signal_in_the_middle(tmp_path, signal.SIGUSR1)
    assert code == 0, output
    names = [path.name for path in sorted((tmp_path / "run").glob("restart_*.hdf5"))]
    assert len(names) == 2 and names[1] == checkpoint(undisturbed).name, names
    assert_same_bits(snapshots(tmp_path / "run")[-1], snapshots(undisturbed)[-1])


def test_hint_after_a_stop_continues_this_very_run(tmp_path: Path) -> None:
    """Followed without the output directory, it would go on with another run, and overwrite what that has left."""
    other = run(tmp_path / "elsewhere", TINY)
    write_parameters(tmp_path / "run.toml", TINY | {"output.directory": "elsewhere/run"})
    mine = ("run", "run.toml", "--set", "run.name=my blast", "--set", "time.end=0.05", "--set", "time.max_steps=2",
            "--threads", "1", "--output", "my results")
    before = contents(other)
    text = succeed(*mine, cwd=tmp_path)
    hint = re.search(r"^continue with: tacit (.*)$", text, re.MULTILINE).group(1)
    # With the number of steps that has ended it, there would be nothing to do.
    assert shlex.split(hint) == [word.replace("max_steps=2", "max_steps=4") for word in mine] + ["--restart"]
    assert "time.max_steps has ended the run; to go on, raise it\n" in text
    assert "continues from step 2" in succeed(*shlex.split(hint), cwd=tmp_path)
    assert json.loads((tmp_path / "my results" / "summary.json").read_text())["steps"] == 2
    assert contents(other) == before


def test_restart_of_a_finished_run_changes_nothing(tmp_path: Path) -> None:
    results = run(tmp_path, TINY)
    before = contents(results)
    text = succeed("run", "run.toml", "--output", "run", "--restart", cwd=tmp_path)
    assert text == ("the run in run has already ended at t = 0.001: nothing to do, nothing changed\n"
                    "to go on from there, raise time.end\n")
    after = contents(results)
    assert before.pop(".tacit.lock") and after.pop(".tacit.lock")
    assert before == after
    longer = succeed("run", "run.toml", "--output", "run", "--restart", "--set", "time.end=0.002", cwd=tmp_path)
    assert "continues from step" in longer


def damage_middle(content: bytes) -> bytes:
    """Overwrites 64 bytes in the middle, as a broken disk does."""
    middle = len(content) // 2
    return content[:middle] + bytes(64 * [0xA5]) + content[middle + 64:]


@pytest.mark.parametrize("damage", [lambda content: content[: len(content) // 2], lambda content: b"",
                                    lambda content: b"not HDF5", damage_middle],
                         ids=["truncated", "empty", "text", "overwritten"])
def test_restart_from_a_damaged_checkpoint_is_refused(tmp_path: Path, undisturbed: Path, damage) -> None:
    write_parameters(tmp_path / "run.toml", BLAST | {"time.end": 0.06})
    results = tmp_path / "run"
    shutil.copytree(undisturbed, results)
    newest = checkpoint(results)
    newest.write_bytes(damage(newest.read_bytes()))
    before = contents(results)
    done = tacit("run", "run.toml", "--output", "run", "--restart", cwd=tmp_path)
    assert done.returncode in (2, MACHINE)
    assert done.stderr.startswith(f"run: none of its checkpoints can be continued from:\n  run/{newest.name}: ")
    assert_one_message(done.stderr)
    after = contents(results)
    assert before.pop(".tacit.lock") and after.pop(".tacit.lock")
    assert before == after


def test_a_failed_state_lies_beside_the_last_checkpoint(tmp_path: Path) -> None:
    results = run(tmp_path, TINY | {"time.end": 0.1, "time.max_steps": 2})
    state = checkpoint(results)
    good = state.read_bytes()
    with h5py.File(state, "r+") as file:
        file["Sph/vx"][7] = 1e200  # its square is infinite
    renew_checksums(state)
    bad = state.read_bytes()
    go_on = ("run", "run.toml", "--output", "run", "--restart", "--set", "time.max_steps=4")
    before = snapshots(results)
    done = tacit(*go_on, cwd=tmp_path)
    assert done.returncode == NUMERICS
    assert re.fullmatch(r"step 2: position, .* of particle \d+ is not finite at t = .*\n"
                        r"  Look at the last snapshot; .*\n"
                        r"  The failed state is in run/failed.hdf5.\n"
                        r"  The last valid checkpoint is run/restart_000002.hdf5, of step 2, t = .*\.\n", done.stderr)
    assert state.read_bytes() == bad and snapshots(results) == before
    text = succeed("info", results / "failed.hdf5", cwd=tmp_path)
    assert re.search(r"^  failed in step +2", text, re.M) and re.search(r"^  Sph/vx +float64 +64$", text, re.M)
    state.write_bytes(good)
    assert "continues from step 2" in succeed(*go_on, cwd=tmp_path)


def test_restart_refuses_a_snapshot_as_checkpoint(tmp_path: Path) -> None:
    results = run(tmp_path, TINY)
    shutil.copy(snapshots(results)[-1], results / "restart_999999.hdf5")
    done = tacit("run", "run.toml", "--output", "run", "--restart", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "run/restart_999999.hdf5: is not a checkpoint of Tacit (it has no group Engine)\n"


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[bool]:
    """A file system of `size` at the folder; False where this process may not mount one."""
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)],
                             capture_output=True, check=False).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)


def limit_files() -> None:
    """In the program: no file may exceed 64 kB; the write fails as on a full disk, where the signal is ignored."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))


def test_full_disk(tmp_path: Path) -> None:
    """A disk for some snapshots of the 26; where mounting is not allowed, a limit on the size of files instead."""
    write_parameters(tmp_path / "run.toml", BLAST)
    with small_disk(tmp_path / "disk", "600k") as mounted:
        done = tacit("run", "run.toml", "--output", "disk/run", cwd=tmp_path,
                     preexec=None if mounted else limit_files)
        left = snapshots(tmp_path / "disk" / "run")
        names = [path.name for path in (tmp_path / "disk" / "run").iterdir()]
        for path in left:
            assert_whole(path)
    assert done.returncode == MACHINE, done.stderr
    assert done.stderr.startswith("disk/run/")
    assert ("No space left on device" if mounted else "File too large") in done.stderr
    assert "--output DIR" in done.stderr or "ulimit" in done.stderr
    assert_one_message(done.stderr)
    assert (len(left) > 1) == mounted
    assert all(name.startswith("snapshot_") or name in (".tacit.lock", "parameters.toml", "statistics.csv")
               for name in names), names


def test_limit_on_the_size_of_files(tmp_path: Path) -> None:
    write_parameters(tmp_path / "run.toml", BLAST)
    done = tacit("run", "run.toml", "--output", "run", cwd=tmp_path, preexec=limit_files)
    assert done.returncode == MACHINE
    assert "run/snapshot_0000.hdf5" in done.stderr and "File too large" in done.stderr and "ulimit" in done.stderr
    assert_one_message(done.stderr)
    assert snapshots(tmp_path / "run") == []


def test_disk_that_is_full_keeps_the_earlier_results(tmp_path: Path) -> None:
    """The results of an earlier run are moved, not lost, when the next one cannot write."""
    results = run(tmp_path, TINY)
    earlier = {path.name: path.read_bytes() for path in results.iterdir() if path.name != ".tacit.lock"}
    write_parameters(tmp_path / "run.toml", BLAST)
    done = tacit("run", "run.toml", "--output", "run", cwd=tmp_path, preexec=limit_files)
    assert done.returncode == MACHINE
    assert {path.name: path.read_bytes() for path in (results / "earlier-1").iterdir()} == earlier


def test_missing_python_is_a_warning(tmp_path: Path) -> None:
    """A picture that cannot be drawn does not spoil the run."""
    write_parameters(tmp_path / "run.toml", TINY | {"output.picture": True})
    done = tacit("run", "run.toml", "--output", "run", cwd=tmp_path, env=environment(TACIT_PYTHON="/no/such/python"))
    assert done.returncode == 0
    assert done.stderr == "warning: no picture was drawn; the results are complete. Try: tacit plot run\n"
    assert (tmp_path / "run" / "summary.json").exists()


def test_picture_may_use_all_processors(tmp_path: Path) -> None:
    """A worker is bound to one processor; what is started after the run is not."""
    python = tmp_path / "python"
    python.write_text(f"#!{sys.executable}\nimport os, pathlib\n"
                      "pathlib.Path('processors').write_text(str(sorted(os.sched_getaffinity(0))))\n")
    python.chmod(0o755)
    write_parameters(tmp_path / "run.toml", TINY | {"output.picture": True})
    succeed("run", "run.toml", "--output", "run", cwd=tmp_path, env=environment(TACIT_PYTHON=str(python)))
    assert (tmp_path / "processors").read_text() == str(sorted(os.sched_getaffinity(0)))
