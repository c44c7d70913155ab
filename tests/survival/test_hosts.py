"""A folder that two hosts see: processes of equal number, and file systems without flock.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

from faults import NO_HOST_PID, faults
from runs import EVERY_STEP, Launch, assert_same_run, leftovers, quick_for
from solvers import Case


@quick_for("sph", "heat")
def test_what_another_host_is_writing_is_left_alone(case: Case, tmp_path: Path) -> None:
    """Who writes on another host may be alive, though no process here has its number."""
    launch = Launch(case, tmp_path / "out", values=EVERY_STEP)
    there = faults(launch.directory, host="there", pid=NO_HOST_PID, flock="ENOLCK", kill="before:rename:4")
    assert launch.run(env=there).returncode != 0
    its = leftovers(launch.directory)
    assert its != []
    here = faults(launch.directory, host="here", pid=NO_HOST_PID, flock="ENOLCK")
    launch.succeed(env=here)
    assert leftovers(launch.directory) == its
    again = faults(launch.directory, host="there", flock="ENOLCK")
    launch.succeed(env=again)
    assert leftovers(launch.directory) == []


@quick_for("sph", "heat")
def test_a_folder_without_flock(case: Case, tmp_path: Path) -> None:
    good = Launch(case, tmp_path / "good").succeed()
    for error in ("ENOTSUP", "ENOLCK"):
        launch = Launch(case, tmp_path / error)
        unlocked = faults(launch.directory, flock=error)
        launch.succeed("--set", f"{case.stop}=2", env=unlocked)
        continued = launch.run("--restart", env=unlocked)
        assert continued.returncode == 0, continued.stderr
        assert "has no locks (flock)" in continued.stdout + continued.stderr
        assert_same_run(good, launch.directory)
