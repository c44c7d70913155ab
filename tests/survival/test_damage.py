"""A damaged file is found, and said to be so: no run goes on from it, and no reader crashes or hangs.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from disturbed import PARAMS, TRIALS, Trial
from runs import (BAD_INPUT, IS_STRESS, MACHINE, Launch, checkpoints, fresh_copy, info, main_files, parts_of)

FLIPS, CUTS = (1000, 200) if IS_STRESS else (8, 6)


@pytest.fixture(scope="module", params=PARAMS)
def stopped(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Trial, Path]:
    """A run that was stopped after two steps."""
    folder = tmp_path_factory.mktemp("stopped")
    launch = Launch(request.param.case, folder / "out", request.param.ranks, request.param.writers)
    return request.param, launch.succeed("--set", f"{request.param.case.stop}=2")


def damages(content: bytes, seed: int) -> Iterator[tuple[str, bytes]]:
    """One flipped bit, or fewer bytes; each with a name."""
    draw = random.Random(seed)
    for _ in range(FLIPS):
        at, bit = draw.randrange(len(content)), draw.randrange(8)
        yield f"bit {bit} of byte {at}", content[:at] + bytes([content[at] ^ (1 << bit)]) + content[at + 1:]
    for length in [0, 1, len(content) - 1, *(draw.randrange(len(content)) for _ in range(CUTS - 3))]:
        yield f"cut to {length} bytes", content[:length]


def flaw_in(said: subprocess.CompletedProcess[str], name: str) -> str:
    """What is wrong with how a reader takes a file that is damaged; nothing if it says so and ends."""
    if said.returncode in (BAD_INPUT, MACHINE):
        words = ("terminate called", "what():", "internal error", "Sanitizer")
        return "" if name in said.stderr and not any(word in said.stderr for word in words) else said.stderr
    text = re.sub(r"\S*/", "", said.stdout + said.stderr)  # a folder may have any name
    named = re.escape(name)
    if said.returncode == 0 and re.search(rf"cannot be continued from: {named}|{named}\S* .*damaged", text):
        return ""  # it has been named, and another one been taken
    return "not found" if said.returncode == 0 else f"exit code {said.returncode}: {said.stderr}"


def flaws(path: Path, read: Callable[[], subprocess.CompletedProcess[str]], name: str, seed: int) -> list[str]:
    """Damages a file in many ways, one after the other; returns those that were not dealt with."""
    good = path.read_bytes()
    found = []
    for what, content in damages(good, seed):
        path.write_bytes(content)
        if flaw := flaw_in(read(), name):
            found.append(f"{path.name}, {what}: {flaw}")
    path.write_bytes(good)
    return found


def files_of(path: Path) -> list[Path]:
    """The file itself and its parts."""
    return [path, *parts_of(path)]


def test_damaged_checkpoints_are_found(stopped: tuple[Trial, Path], tmp_path: Path) -> None:
    trial, good = stopped
    found = []
    for number, victim in enumerate(files_of(checkpoints(good)[-1])):
        directory = fresh_copy(good, tmp_path / "out")
        # A restart on one rank reads every byte, too, and starts sooner.
        launch = Launch(trial.case, directory, 1, trial.writers)

        def restart(launch: Launch = launch, directory: Path = directory,
                    victim: Path = victim) -> subprocess.CompletedProcess[str]:
            done = launch.run("--restart", "--set", f"{trial.case.stop}=3")
            if done.returncode == 0:  # the next damage shall meet what there was
                content = (directory / victim.name).read_bytes()
                fresh_copy(good, directory)
                (directory / victim.name).write_bytes(content)
            return done

        found += flaws(directory / victim.name, restart, victim.name.partition(".part")[0], number)
    assert found == []


@pytest.fixture(scope="module")
def read_again(stopped: tuple[Trial, Path], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What `tacit info` did not find in a checkpoint, a snapshot, a file of each series, and their parts."""
    directory = fresh_copy(stopped[1], tmp_path_factory.mktemp("again") / "out")
    kinds = {path.name.rpartition("_")[0]: path for path in main_files(directory)}
    found = []
    for number, main in enumerate(kinds.values()):
        for victim in files_of(main):
            found += flaws(victim, lambda main=main: info(main), main.name.partition(".")[0], number)
    return found


def test_damage_crashes_no_reader(read_again: list[str]) -> None:
    """It ends by itself, whatever the file, with a list or a message."""
    assert [flaw for flaw in read_again if not flaw.endswith("not found")] == []


def test_damaged_results_are_found(read_again: list[str]) -> None:
    """All of it, by `tacit info --verify`."""
    assert read_again == []


IN_PARTS = [param for param, trial in zip(PARAMS, TRIALS) if trial.ranks > 1 and "all" in trial.writers.values()]

if IN_PARTS:

    @pytest.mark.parametrize("trial", IN_PARTS)
    def test_parts_that_do_not_belong_are_found(trial: Trial, tmp_path: Path) -> None:
        """A part missing, swapped with another, or of another run."""
        mine, other = (Launch(trial.case, tmp_path / name, trial.ranks, trial.writers).succeed(
            "--set", f"{trial.case.stop}={steps}") for name, steps in (("mine", 2), ("other", 3)))
        parts = parts_of(checkpoints(mine)[-1])
        others = parts_of(checkpoints(other)[-1])
        assert len(parts) == len(others) == trial.ranks
        for number, part in enumerate(parts):
            for what in (None, parts[number - 1], others[number]):
                if what is not None and what.read_bytes() == part.read_bytes():
                    continue  # short arrays are in no part: then parts are alike
                directory = fresh_copy(mine, tmp_path / "out")
                (directory / part.name).unlink()
                if what is not None:
                    shutil.copy(what, directory / part.name)
                done = Launch(trial.case, directory, trial.ranks, trial.writers).run(
                    "--restart", "--set", f"{trial.case.stop}=3")
                # Named; where there is an older checkpoint, that has been taken.
                said = done.stdout + done.stderr
                assert part.name in said, (what, said)
                assert done.returncode > 0 or "continues from step 1 " in said, (what, said)
                assert info(checkpoints(directory)[-1]).returncode > 0
