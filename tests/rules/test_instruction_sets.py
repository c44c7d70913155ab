#!/usr/bin/env python3
# Checks that no function compiled for one instruction set can be taken for that of another.
# SPDX-License-Identifier: Apache-2.0
"""Usage: test_instruction_sets.py NM COMPILER LIST OBJECT_FOLDER

An inline function that several object files hold is kept once by the linker, whichever copy it meets first. If one copy
was compiled with AVX-512, a processor without it dies in code that has nothing to do with vectors. LIST names the
object files that were compiled for an instruction set; no function that they define may be defined anywhere else below
OBJECT_FOLDER, nor in two of them.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SHARED = {"T", "W", "i"}
"""nm's letters for functions that other objects may use: global, weak, chosen at load time."""


def functions(nm: str, paths: list[Path]) -> dict[Path, set[str]]:
    """The functions that the linker may use from each of `paths` elsewhere; one nm reads them all."""
    found: dict[Path, set[str]] = {path: set() for path in paths}
    command = [nm, "--extern-only", "--defined-only", "--print-file-name", *map(str, paths)]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout if paths else ""
    for line in listing.splitlines():
        words = line.split()  # path:address kind name
        if len(words) == 3 and words[1] in SHARED:
            found[Path(words[0].rpartition(":")[0])].add(words[2])
    return found


def leaks(nm: str, special: list[Path], others: list[Path]) -> list[str]:
    """Lines that name each function of a special object that another object defines too."""
    owner: dict[str, Path] = {}
    complaints = []
    for path, names in functions(nm, special).items():
        for name in names:
            if name in owner:
                complaints.append(f"{name}: in {owner[name]} and in {path}")
            owner[name] = path
    for path, names in functions(nm, others).items():
        shared = names & owner.keys()
        complaints += [f"{name}: in {owner[name]} and in {path}" for name in sorted(shared)]
    return complaints


def main(nm: str, listed: str, folder: str) -> int:
    special = [Path(line).resolve() for line in Path(listed).read_text(encoding="utf-8").split("\n") if line]
    built = [path for path in special if path.exists()]
    others = sorted(set(Path(folder).resolve().rglob("*.o")) - set(special))
    if not built or not others:
        print(f"nothing to look at: {len(built)} objects of instruction sets, {len(others)} others")
        return 1
    complaints = leaks(nm, built, others)
    print("\n".join(complaints) or f"{len(built)} objects share no function with {len(others)} others")
    return 1 if complaints else 0


class TheCheckItself(unittest.TestCase):
    """Finds a function that two objects share, which the compiler did not inline."""

    def test_finds_a_leak(self) -> None:
        source = ("inline __attribute__((noinline)) int twice(int x) {{ return 2 * x; }}"
                  "int {}(int x) {{ return twice(x); }}")
        with tempfile.TemporaryDirectory() as name:
            objects = []
            for function in ("common", "special"):
                path = Path(name) / f"{function}.o"
                subprocess.run([COMPILER, "-x", "c++", "-c", "-o", str(path), "-"], input=source.format(function),
                               text=True, check=True)
                objects.append(path)
            self.assertEqual(len(leaks(NM, [objects[1]], [objects[0]])), 1)
            self.assertEqual(leaks(NM, [objects[1]], []), [])


if __name__ == "__main__":
    NM, COMPILER = sys.argv[1], sys.argv[2]
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    sys.exit(main(NM, *sys.argv[3:5]) if result.wasSuccessful() else 1)
