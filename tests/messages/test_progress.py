"""The line of progress on a terminal: it never takes more columns than there are.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from program import environment, program, write_parameters

BLAST = {"initial.setup": "sedov", "sedov.resolution": 6, "time.begin": -2.3456e-11, "time.end": -1.2345e-11,
         "output.picture": False, "run.threads": 1}
"""One step; its numbers make a long line."""


def output_on_terminal(folder: Path, columns: int, **more: str) -> str:
    """What a run of BLAST writes to a terminal of so many columns."""
    write_parameters(folder / "run.toml", BLAST)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen([program(), "run", "run.toml", "--output", "run"], cwd=folder,
                          env=environment(**more), stdout=theirs, stderr=subprocess.STDOUT) as process:
        os.close(theirs)
        pieces = []
        try:
            while piece := os.read(ours, 4096):
                pieces.append(piece)
        except OSError:  # the program has closed its side
            pass
    os.close(ours)
    assert process.returncode == 0
    return b"".join(pieces).decode()


@pytest.mark.parametrize("columns", [50, 80, 200])
def test_progress_fits_the_terminal(tmp_path: Path, columns: int) -> None:
    pieces = output_on_terminal(tmp_path, columns).split("\r")
    lines = [piece.split("\x1b[K")[0] for piece in pieces if "\x1b[K" in piece]
    assert lines
    assert all(len(line) < columns for line in lines), lines
    assert "100 %" in lines[-1]
    if columns != 80:
        assert ("dE" in lines[-1]) == (columns == 200)


def test_a_terminal_of_the_launchers_own_is_no_person(tmp_path: Path) -> None:
    """Open MPI gives its ranks one; what the launcher itself writes, here this test, goes to a file."""
    with (tmp_path / "log").open("w") as log:
        said = subprocess.run(
            [sys.executable, "-c", "import sys, pathlib; sys.path[:0] = sys.argv[2:]; import test_progress; "
             "pathlib.Path('said').write_text(test_progress.output_on_terminal(pathlib.Path(sys.argv[1]), 80, "
             "OMPI_COMM_WORLD_SIZE='1', OMPI_COMM_WORLD_RANK='0'))", str(tmp_path), *sys.path],
            cwd=tmp_path, stdout=log, check=True)
    assert said.returncode == 0
    text = (tmp_path / "said").read_text()
    assert "100 %" in text and "\x1b" not in text
