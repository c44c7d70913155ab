"""A plugin of pytest: the folders of tests lie in memory, where that is a file system with room.

SPDX-License-Identifier: Apache-2.0

A run waits for the disk a dozen times, a millisecond or more each: some of these tests waited as long as they computed.
What runs leave on a disk is the subject of tests/survival, which sets TACIT_TEST_ON_DISK.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")
ROOM = 4 << 30
"""Bytes; the largest of these tests leave some hundred megabytes, two of which may run at once."""


def _has_room(folder: Path) -> bool:
    return os.path.ismount(folder) and os.access(folder, os.W_OK) and shutil.disk_usage(folder).free >= ROOM


@pytest.hookimpl(tryfirst=True)
def pytest_configure() -> None:
    """Chooses where folders are made. The option tmp_path_retention_policy removes those of tests that passed."""
    if "TMPDIR" not in os.environ and os.environ.get("TACIT_TEST_ON_DISK") != "1" and _has_room(MEMORY):
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)
