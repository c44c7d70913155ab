"""Starts the program on several ranks, and the flow that these tests run.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from program import assert_same_bits, checkpoint, environment, fingerprint, program, snapshots, write_parameters

LONGEST_S = 120.0
"""Ends what hangs; no test measures time, but for how long a run lives on without one of its ranks."""

MPIRUN = ("mpirun", "--oversubscribe", "--bind-to", "none")

FLOW: Mapping[str, object] = {
    "solver": "dns",
    "run.threads": 1,
    "run.pin": False,
    "run.deterministic": True,
    "dns.points": 16,
    "dns.viscosity": 0.05,
    "dns.dt": 0.02,
    "initial.setup": "taylor_green",
    "time.end": 0.6,
    "output.snapshot_every": 0.3,
    "output.statistics_every": 0.1,
    "output.double_precision": True,
    "output.picture": False,
}
"""Taylor & Green's vortices for some tens of steps."""


def on_ranks(ranks: int, *arguments: str | Path, options: tuple[str, ...] = ()) -> list[str]:
    """The command that runs `tacit ARGUMENTS` on so many ranks, or alone."""
    words = [program(), *map(str, arguments)]
    return words if ranks == 1 else [*MPIRUN, *options, "-n", str(ranks), *words]


def launched_environment() -> dict[str, str]:
    """What mpirun needs to start something as root."""
    return environment(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def launch(command: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end."""
    return subprocess.run(command, cwd=cwd, env=launched_environment(), capture_output=True, text=True,
                          errors="replace", timeout=LONGEST_S, check=False)


def flow(folder: Path, name: str, ranks: int, *arguments: str, **more: object) -> Path:
    """Runs the flow on so many ranks into folder/NAME, which it returns. `more`: dns__points=32 is dns.points."""
    values = dict(FLOW) | {key.replace("__", "."): value for key, value in more.items()}
    file = write_parameters(folder / "flow.toml", values)
    done = launch(on_ranks(ranks, "run", file.name, "--output", name, *arguments), folder)
    assert done.returncode == 0, f"exit code {done.returncode} on {ranks} ranks\n{done.stdout}{done.stderr}"
    return folder / name


def statistics(directory: Path) -> list[str]:
    """The lines of statistics.csv without what the clock says."""
    lines = (directory / "statistics.csv").read_text().splitlines()
    column = lines[0].split(",").index("wall_s")
    return [",".join(field for i, field in enumerate(line.split(",")) if i != column) for line in lines]


def assert_same_results(a: Path, b: Path) -> None:
    """Statistics, snapshots and checkpoints of two runs agree in every bit, and so do their fingerprints."""
    assert statistics(a) == statistics(b)
    for first, second in zip(snapshots(a), snapshots(b), strict=True):
        assert_same_bits(first, second)
    assert_same_bits(checkpoint(a), checkpoint(b))
    assert fingerprint(a) == fingerprint(b)
