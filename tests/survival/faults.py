"""Lets the file system fail for the program under test (faulty_io.cpp), by environment variables.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

LIBRARY = os.environ.get("TACIT_FAULTY_IO", "")
"""The library; ctest sets it."""

NO_HOST_PID = 4194000
"""A process that this machine does not have, or hardly ever: Linux counts to 4194304 at most."""


def faults(folder: Path, *, program: str = "tacit", **asked: object) -> dict[str, str]:
    """Environment variables for faults on files of the folder: kill="before:fsync:2", space=10000, ..."""
    variables = {"LD_PRELOAD": LIBRARY, "FAULTY_IO_PROGRAM": program, "FAULTY_IO_FOLDER": str(folder.resolve())}
    return variables | {f"FAULTY_IO_{key.upper()}": str(value) for key, value in asked.items()}


def read_counts(path: Path, ranks: int = 1) -> list[Counter[str]]:
    """The calls of each rank by kind, which counts=path has asked for."""
    return [Counter(json.loads(Path(f"{path}.{rank}").read_text())) for rank in range(ranks)]


def is_durable(counts: Counter[str]) -> bool:
    """Whether a power cut leaves no name without its file, and no file without its name: each file was made durable
    before it was renamed, and its folder after it. docs/guide/output.md promises that of all but the trace."""
    return counts["lost"] == 0 and set(counts["early"]) <= {"trace.json"}
