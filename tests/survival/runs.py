"""Runs of the cases, started, killed, continued and compared.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import h5py
import pytest
from program import assert_same_bits, environment, program, settings
from solvers import CASES, Case

IS_STRESS = os.environ.get("TACIT_TEST_STRESS") == "1"
LONGEST_S = 120.0
"""Ends what hangs, some hundred times as long as a run needs; no verdict measures time."""

MACHINE = 4
BAD_INPUT = 2
COMMON: Mapping[str, object] = {"output.picture": False, "output.double_precision": True, "run.pin": False,
                                "run.deterministic": True, "run.threads": 1}
EVERY_STEP = {"output.checkpoint_every": 1e-9}
MPIRUN = ("mpirun", "--oversubscribe", "--bind-to", "none")
each_case = pytest.mark.parametrize("case", CASES, ids=[case.solver for case in CASES])


def quick_for(*solvers: str) -> pytest.MarkDecorator:
    """Each case, of which those of other solvers wait for --full: what is tested lies in a layer that all share."""
    return pytest.mark.parametrize("case", [
        pytest.param(case, id=case.solver, marks=() if case.solver in solvers else pytest.mark.long)
        for case in CASES])


@functools.cache
def knows_key(key: str) -> bool:
    """Whether the program has this key."""
    listed = subprocess.run([program(), "keys"], capture_output=True, text=True, env=environment(), timeout=LONGEST_S,
                            check=True)
    return any(line.split()[:1] == [key] for line in listed.stdout.splitlines())


@functools.cache
def verifies() -> bool:
    """Whether `tacit info` compares bytes with their checksums."""
    listed = subprocess.run([program(), "info", "--help"], capture_output=True, text=True, env=environment(),
                            timeout=LONGEST_S, check=True)
    return "--verify" in listed.stdout


def strategies(ranks: int) -> list[Mapping[str, object]]:
    """Settings for each way to write files; one, of no settings, where there is no choice."""
    if not knows_key("output.writers"):
        return [{}]
    names = ["one", "shared"] if ranks == 1 else ["one", "nodes", "all", "shared", *([2] if ranks > 2 else [])]
    return [{"output.writers": name} for name in names]


def launched(ranks: int, words: list[str]) -> list[str]:
    """The command on so many ranks."""
    return words if ranks == 1 else [*MPIRUN, "-n", str(ranks), *words]


@dataclass
class Launch:
    """How to run a case into one directory."""

    case: Case
    directory: Path
    ranks: int = 1
    values: Mapping[str, object] | None = None

    def command(self, *arguments: str) -> list[str]:
        """Its words."""
        values = dict(COMMON) | dict(self.case.small) | dict(self.values or {})
        return launched(self.ranks, [program(), "run", str(self.case.file), "--output", str(self.directory),
                                     *settings(values), *arguments])

    def start(self, *arguments: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        """Starts it, in a session of its own."""
        self.directory.parent.mkdir(parents=True, exist_ok=True)
        variables = environment(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **(env or {}))
        return subprocess.Popen(self.command(*arguments), cwd=self.directory.parent, env=variables,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                                start_new_session=True)

    def run(self, *arguments: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """Runs it to its end."""
        process = self.start(*arguments, env=env)
        try:
            out, err = process.communicate(timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            raise AssertionError(f"hangs: {out}{err}") from None
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def succeed(self, *arguments: str, env: Mapping[str, str] | None = None) -> Path:
        """Runs it to its end, which must be good; returns the directory."""
        done = self.run(*arguments, env=env)
        assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
        return self.directory

    def go_on(self) -> Path:
        """Continues from the newest checkpoint, or begins anew where there was none yet; returns the directory."""
        return self.succeed("--restart") if checkpoints(self.directory) else self.succeed()


def checkpoints(directory: Path) -> list[Path]:
    """The checkpoints, the newest last, without their parts."""
    return sorted(path for path in directory.glob("restart*.hdf5") if ".part" not in path.name)


def results(directory: Path) -> list[Path]:
    """The HDF5 files that have a final name, parts too."""
    return sorted(path for path in directory.glob("*.hdf5") if not path.name.startswith("."))


def main_files(directory: Path) -> list[Path]:
    """Of them, those for which a reader asks."""
    return [path for path in results(directory) if ".part" not in path.name]


def parts_of(path: Path) -> list[Path]:
    """The files over which a file is spread."""
    with h5py.File(path) as file:
        lines = file["Parts"].attrs["files"] if "Parts" in file else ""
        text = lines.decode() if isinstance(lines, bytes) else str(lines)
    return [path.parent / line.split()[0] for line in text.splitlines() if line.split()]


def leftovers(directory: Path) -> list[str]:
    """What no file needs: temporary names, and parts that nothing names."""
    named = {part.name for path in main_files(directory) for part in parts_of(path)}
    return sorted(path.name for path in directory.iterdir()
                  if (path.name.startswith(".") and path.name != ".tacit.lock")
                  or path.name.endswith((".tmp", ".part", ".partial"))
                  or (".part" in path.name and path.name not in named))


def statistics(directory: Path) -> list[str]:
    """The lines of statistics.csv without what the clock says."""
    lines = (directory / "statistics.csv").read_text().splitlines()
    column = lines[0].split(",").index("wall_s")
    return [",".join(field for i, field in enumerate(line.split(",")) if i != column) for line in lines]


def assert_same_run(a: Path, b: Path) -> None:
    """Statistics, snapshots, series and the last checkpoint of two runs agree in every bit."""
    assert statistics(a) == statistics(b)
    names = [[path.name for path in main_files(of) if not path.name.startswith("restart")] for of in (a, b)]
    assert names[0], "no files"
    assert names[0] == names[1], set(names[0]) ^ set(names[1])
    for name in names[0]:
        assert_same_bits(a / name, b / name)
    assert_same_bits(checkpoints(a)[-1], checkpoints(b)[-1])
    first, second = (json.loads((of / "summary.json").read_text()) for of in (a, b))
    assert first.get("fingerprint") == second.get("fingerprint")  # earlier versions have none


def info(path: Path) -> subprocess.CompletedProcess[str]:
    """What the program says of a file; all of its bytes are verified where it can do that."""
    words = [program(), "info", *(["--verify"] if verifies() else []), str(path)]
    return subprocess.run(words, env=environment(), capture_output=True, text=True, errors="replace",
                          timeout=LONGEST_S, check=False)


def assert_whole(directory: Path) -> None:
    """What has a final name can be read to its end; parts of a file that is not there yet may lie there."""
    for path in some(main_files(directory), 2):
        said = info(path)
        assert said.returncode == 0, said.stdout + said.stderr
    for path in results(directory):
        with h5py.File(path) as file:
            file.visititems(lambda _, item: item[()] if isinstance(item, h5py.Dataset) else None)
    summary = directory / "summary.json"
    assert not summary.exists() or json.loads(summary.read_text())


def assert_one_message(text: str) -> None:
    """Says something, and no trace of C++."""
    assert text.strip()
    for word in ("terminate called", "what():", "internal error", "Sanitizer", "core dumped", "Segmentation"):
        assert word not in text, text


def fresh_copy(source: Path, target: Path) -> Path:
    """A copy of a directory in place of what was there."""
    shutil.rmtree(target, ignore_errors=True)
    return shutil.copytree(source, target)


def some(of: list, few: int) -> list:
    """All of them with --stress, else so many, evenly spread."""
    if IS_STRESS or len(of) <= few:
        return of
    if few == 1:
        return [of[len(of) // 2]]
    return [of[round(i * (len(of) - 1) / (few - 1))] for i in range(few)]
