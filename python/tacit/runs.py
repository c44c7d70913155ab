"""Finds the snapshots of a run's directory.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

from tacit.errors import InputError
from tacit.snapshot import header_time


def snapshot_path(path: Path) -> Path:
    """The file itself, or the latest snapshot of a run's directory: by time in the header, then by name.

    Raises:
        InputError: if there is nothing at `path`, or no snapshot in the directory.
    """
    if not path.is_dir():
        return path
    candidates = [file for folder in (path, path / "snapshots") for file in folder.glob("*.hdf5")]
    dated = [(time, file.name, file) for file in candidates if (time := header_time(file)) is not None]
    if not dated:
        raise InputError(f"{path}: no snapshot with gas (*.hdf5) in this directory")
    return max(dated)[2]
