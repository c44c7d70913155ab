#!/usr/bin/env python3
# Runs what the documents tell a user to type: parameter files, Python, and the shell blocks that are marked for it.
# SPDX-License-Identifier: Apache-2.0
"""The blocks of one document run in order, in one folder that holds the directory output/sedov of a tiny run.

- toml: a block with the key `solver` is a whole parameter file and must pass `tacit check`. The comment
  `<!-- file: NAME -->` on the line before the block gives it a name that later blocks can use.
- python: always runs. It needs h5py, numpy and swiftsimio: those of TACIT_PYTHON, or of this Python; and the engine, in
  TACIT_BUILD_DIR/lib.
- sh: ./tacit stands for the program, and `./tacit build` for the build that there is. In README.md and docs/ every
  block says on the line before it what happens to it:
  - `<!-- run -->`: it always runs.
  - `<!-- run: full -->`: it runs with the argument --full, which also runs the others of its document; for blocks that
    take longer. `<!-- run: full, mpi -->` needs mpirun and a program that was built with MPI.
  - `<!-- not run: REASON -->`, and quotations, which tools/check_docs.py holds.

With --quick, only README.md, docs/start and docs/guide/python.md run: what a new user types.

Usage: test_docs_run.py [--quick|--full]. Environment: TACIT_PROGRAM (the program to test), TACIT_PYTHON (with
matplotlib too for --full).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from source_files import project_files  # noqa: E402

FENCE = re.compile(r"^\s*```(\w*)\s*$")
MARK = re.compile(r"^\s*<!--\s*(?:(?P<mark>run(?:: full(?:, mpi)?)?|(?:not run|quote): *\S.*?)|"
                  r"file:\s*(?P<name>[\w.-]+))\s*-->\s*$")
FULL = "--full" in sys.argv
QUICK = "--quick" in sys.argv
IN_QUICK = (ROOT / "README.md", ROOT / "docs/guide/python.md")
PYTHON_MODULES = "h5py, numpy, swiftsimio"

TINY_RUN = """\
solver = "sph"
[initial]
setup = "sedov"
[sedov]
resolution = 8
[time]
end = 0.005
[output]
picture = false
snapshot_every = 0.002
"""
LAUNCHER = """\
#!/bin/sh
[ "$1" = build ] && exit
exec '{program}' "$@"
"""


@dataclass(frozen=True)
class Block:
    """A fenced block of a document."""

    language: str
    mark: str
    """"run", "run: full", "not run: ..." and so on, a file name, or nothing."""
    text: str
    line: int


def blocks_of(text: str) -> list[Block]:
    """The fenced blocks of a Markdown text, in order."""
    blocks, lines, start, mark = [], text.splitlines(), None, ""
    for number, line in enumerate(lines, 1):
        fence = FENCE.match(line)
        if fence and start is None:
            start, language = number, fence.group(1)
            above = MARK.match(lines[number - 2]) if number > 1 else None
            mark = (above.group("name") or above.group("mark")) if above else ""
        elif fence:
            blocks.append(Block(language, mark, "\n".join(lines[start : number - 1]) + "\n", start))
            start = None
    return blocks


def is_runnable(block: Block) -> bool:
    """Whether this test does anything with the block."""
    if block.language == "toml":
        return re.search(r"^solver\s*=", block.text, re.M) is not None
    return block.language == "python" or (block.language == "sh" and re.match("run(:|$)", block.mark) is not None)


def is_long(block: Block) -> bool:
    """Whether the block runs with --full only."""
    return block.language == "sh" and block.mark.startswith("run: full")


def runs_now(path: Path, block: Block) -> bool:
    """Whether the block of this document runs with the arguments of now."""
    if not is_runnable(block) or (is_long(block) and not FULL):
        return False
    return not QUICK or path in IN_QUICK or path.parent == ROOT / "docs/start"


def python_for_blocks() -> str:
    """A Python with the modules that the documents use.

    Raises:
        RuntimeError: if there is none.
    """
    for python in filter(None, (os.environ.get("TACIT_PYTHON"), sys.executable)):
        if subprocess.run([python, "-c", f"import {PYTHON_MODULES}"], capture_output=True).returncode == 0:
            return python
    raise RuntimeError(f"no Python with {PYTHON_MODULES}: set TACIT_PYTHON to one (./tacit test does)")


def documents() -> list[Path]:
    """All Markdown files."""
    return [path for path in project_files(ROOT) if path.suffix == ".md"]


def write_script(path: Path, text: str) -> None:
    """Writes an executable file."""
    path.write_text(text)
    path.chmod(0o755)


class DocumentsRun(unittest.TestCase):
    """One sub-test per document."""

    def setUp(self) -> None:
        self.program = os.environ.get("TACIT_PROGRAM")
        self.assertTrue(self.program, "set TACIT_PROGRAM to the program to test")

    def test_every_block_runs(self) -> None:
        ran = 0
        for path in documents():
            blocks = [block for block in blocks_of(path.read_text(encoding="utf-8")) if runs_now(path, block)]
            if FULL and not any(map(is_long, blocks)):
                continue
            ran += len(blocks)
            if blocks:
                with self.subTest(path.relative_to(ROOT).as_posix()), tempfile.TemporaryDirectory() as folder:
                    self.run_document(path, blocks, Path(folder))
        least = 8 if QUICK else 15
        self.assertGreaterEqual(ran, least, "the documents have lost their blocks, or this test no longer finds them")

    def run_document(self, path: Path, blocks: list[Block], folder: Path) -> None:
        """Runs the blocks in `folder`, prepared as a user would find it after a first run."""
        write_script(folder / "tacit", LAUNCHER.format(program=self.program))
        python = folder / "build/venv/bin/python"
        python.parent.mkdir(parents=True)
        write_script(python, f"#!/bin/sh\nexec '{python_for_blocks()}' \"$@\"\n")
        for name in ("examples", "python"):
            (folder / name).symlink_to(ROOT / name)
        (folder / "tiny").mkdir()
        (folder / "tiny/run.toml").write_text(TINY_RUN)
        self.run_command(["./tacit", "run", "tiny/run.toml", "--output", "output/sedov"], folder, "the tiny run")
        for block in blocks:
            place = f"{path.relative_to(ROOT)}:{block.line}"
            if "mpi" in block.mark and not shutil.which("mpirun"):
                print(f"{place} is left out: there is no mpirun")
                continue
            self.run_command(self.command_for(block, folder), folder, place)

    def command_for(self, block: Block, folder: Path) -> list[str]:
        if block.language == "toml":
            name = block.mark or f"block_{block.line}.toml"
            (folder / name).write_text(block.text)
            return ["./tacit", "check", name]
        if block.language == "python":
            return [python_for_blocks(), "-c", block.text]
        return ["bash", "-euc", block.text]

    def run_command(self, command: list[str], folder: Path, place: str) -> None:
        # A launcher's variables would make the program refuse to run, or start the real launcher.
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI", "SLURM_"))}
        clean["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
        if os.geteuid() == 0:
            clean |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        clean["PYTHONPATH"] = str(ROOT / "python")  # as if it were installed
        if not FULL:
            clean["TACIT_PYTHON"] = "false"  # of pictures only those of --full
        done = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, f"{place} fails:\n{done.stdout}{done.stderr}")


class BlocksAreFound(unittest.TestCase):
    """The extraction itself: what it takes and what it leaves."""

    def test_every_shell_block_says_what_happens_to_it(self) -> None:
        for path in documents():
            name = path.relative_to(ROOT).as_posix()
            if name == "README.md" or name.startswith("docs/"):
                for block in blocks_of(path.read_text(encoding="utf-8")):
                    if block.language in ("sh", "bash", "console"):
                        self.assertTrue(block.mark, f"{name}:{block.line}: put <!-- run -->, <!-- run: full --> or "
                                                    "<!-- not run: REASON --> on the line before the block")

    def test_marks_and_languages(self) -> None:
        text = ('<!-- file: a.toml -->\n```toml\nsolver = "sph"\n```\n```toml\nkey = 1\n```\n'
                "<!-- run -->\n```sh\ntrue\n```\n```sh\nfalse\n```\n```python\npass\n```\n```text\nno\n```\n")
        found = blocks_of(text)
        self.assertEqual([block.mark for block in found], ["a.toml", "", "run", "", "", ""])
        self.assertEqual([is_runnable(block) for block in found], [True, False, True, False, True, False])
        self.assertEqual(found[0].text, 'solver = "sph"\n')
        self.assertEqual(found[2].line, 9)

    def test_long_blocks_and_reasons(self) -> None:
        marks = ["run: full", "run: full, mpi", "not run: needs a cluster", "quote: a.sh", "not run:", "runs"]
        found = blocks_of("".join(f"<!-- {mark} -->\n```sh\ntrue\n```\n" for mark in marks))
        self.assertEqual([block.mark for block in found], [*marks[:4], "", ""])
        self.assertEqual([is_runnable(block) for block in found], [True, True, False, False, False, False])
        self.assertEqual([is_long(block) for block in found], [True, True, False, False, False, False])


if __name__ == "__main__":
    unittest.main(argv=[argument for argument in sys.argv if argument not in ("--quick", "--full")])
