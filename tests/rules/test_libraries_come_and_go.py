#!/usr/bin/env python3
# Tests that a configured folder notices optional libraries that have come or gone.
# SPDX-License-Identifier: Apache-2.0
"""Usage: test_libraries_come_and_go.py [CMAKE]. The library is a header in a temporary folder; nothing is compiled."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CMAKE = sys.argv.pop(1) if len(sys.argv) > 1 else "cmake"

PROJECT = """\
cmake_minimum_required(VERSION 3.24)
project(come_and_go LANGUAGES NONE)
include("{root}/cmake/TacitForgetGone.cmake")
tacit_forget_gone("^LIB_" LIB_INCLUDE)
find_path(LIB_INCLUDE lib.h PATHS "{top}/one" "{top}/two" NO_DEFAULT_PATH)
set(LIB_FROM "${{LIB_INCLUDE}}" CACHE STRING "What else was found out")
set(LIBRARY_OF_THE_USER "kept" CACHE STRING "What the user said")
message(STATUS "found ${{LIB_INCLUDE}} ${{LIB_FROM}} ${{LIBRARY_OF_THE_USER}}.")
"""


class ComeAndGo(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name)
        (self.top / "CMakeLists.txt").write_text(PROJECT.format(root=ROOT, top=self.top))

    def configure(self, *options):
        """What is found: path, what was derived from it, and the user's own setting."""
        done = subprocess.run([CMAKE, "-S", self.top, "-B", self.top / "build", *options], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout.split("-- found ")[1].split(".\n")[0].split()

    def install(self, name):
        (self.top / name).mkdir()
        (self.top / name / "lib.h").touch()

    def remove(self, name):
        (self.top / name / "lib.h").unlink()
        (self.top / name).rmdir()

    def test_what_comes_goes_and_moves_is_noticed(self):
        self.assertEqual(self.configure("-DLIBRARY_OF_THE_USER=mine")[0], "LIB_INCLUDE-NOTFOUND")
        self.install("two")
        self.assertEqual(self.configure()[0], f"{self.top}/two")
        self.remove("two")
        self.install("one")
        self.assertEqual(self.configure(), [f"{self.top}/one", f"{self.top}/one", "mine"])
        self.remove("one")
        self.assertEqual(self.configure(), ["LIB_INCLUDE-NOTFOUND", "LIB_INCLUDE-NOTFOUND", "mine"])

    def test_mpi_pmix_libfabric_and_metis_are_looked_for_again(self):
        text = (ROOT / "cmake/TacitOptional.cmake").read_text()
        for library in ("MPI_", "TACIT_PMIX_", "TACIT_LIBFABRIC_", "METIS_"):
            self.assertRegex(text, rf'tacit_forget_gone\("\^\(?{library}')


if __name__ == "__main__":
    sys.exit(unittest.main())
