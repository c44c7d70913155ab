"""tacit info --verify: which files of a run are as they were written.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from gadget import blob
from program import checkpoint, run, succeed, tacit

BAD_INPUT = 2


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a few steps."""
    return run(tmp_path_factory.mktemp("verify"),
               {"initial.setup": "sedov", "sedov.resolution": 4, "time.end": 0.001, "run.threads": 1})


def verdicts(path: Path, exit_code: int) -> dict[str, str]:
    """What is printed of each file."""
    done = tacit("info", path, "--verify", cwd=path.parent)
    assert done.returncode == exit_code and done.stderr == ""
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())


def test_all_files_of_a_run_are_sound(results: Path) -> None:
    found = verdicts(results, 0)
    assert set(found) == {path.name for path in results.glob("*.hdf5")}
    assert all(verdict.startswith("sound, ") and verdict.endswith(" MB") for verdict in found.values())
    newest = checkpoint(results)
    assert succeed("info", newest, "--verify", cwd=results).startswith(f"{newest}: sound, ")


def test_a_flipped_bit_and_a_lost_end_are_named(results: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(results, copy)
    restart, snapshot = checkpoint(copy), copy / "snapshot_0000.hdf5"
    content = bytearray(restart.read_bytes())
    content[len(content) // 2] ^= 16
    restart.write_bytes(content)
    snapshot.write_bytes(snapshot.read_bytes()[:-1])
    found = verdicts(copy, BAD_INPUT)
    assert found.pop(restart.name).startswith("damaged: bytes ")
    assert found.pop("snapshot_0000.hdf5") == "damaged: is truncated: the checksums behind its data are missing"
    assert found and all(verdict.startswith("sound, ") for verdict in found.values())
    assert verdicts(restart, BAD_INPUT)[str(restart)].startswith("damaged: bytes ")


def test_a_file_without_checksums_is_not_called_sound(tmp_path: Path) -> None:
    path = blob(4).write(tmp_path / "ics.hdf5")
    assert verdicts(path, BAD_INPUT) == {str(path): "no checksums (written by another program, or an earlier version)"}


def test_an_ended_log_that_is_cut_off_is_damaged(tmp_path: Path) -> None:
    results = run(tmp_path, {"initial.setup": "sedov", "sedov.resolution": 6, "time.end": 0.01, "output.log": True,
                             "run.threads": 1})
    log = results / "output.log"
    whole = log.read_bytes()
    assert verdicts(results, 0)["output.log"].startswith("sound, ")
    for cut in (1, 500, 2000):
        log.write_bytes(whole[:-cut])
        assert verdicts(log, BAD_INPUT)[str(log)].startswith("damaged: its run has ended it (there is a summary.json)")
        assert "cut off" in succeed("info", log, cwd=results)
    (results / "summary.json").unlink()  # as that of a run which goes on, or was killed
    assert verdicts(log, 0)[str(log)].startswith("sound, ")
