#!/usr/bin/env python3
# Shows that ctest has one test per suite of a GoogleTest program, with a name that is the same in every build.
# SPDX-License-Identifier: Apache-2.0
"""Usage: test_suites.py CTEST."""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[1] / "support/gtest_suites.cmake"
CTEST = sys.argv.pop(1) if __name__ == "__main__" else "ctest"

PROGRAM = """#!/bin/sh
if [ "$1" = --gtest_list_tests ]; then
cat <<'END'
Running main() from gtest_main.cc
Plain.
  One
  Two
Some/Param.
  Case/0  # GetParam() = (0x55d0c0ffee00 pointing to "found", 1)
  Case/1  # GetParam() = 16-byte object <62-48 27-7B>
Typed/0.  # TypeParam = float
  Case
END
exit
fi
[ "$1" = '--gtest_filter=Plain.*' ]
"""


class Suites(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "CTestTestfile.cmake").write_text(
            f'set(program "{self.folder}/program")\nset(prefix "layer: ")\nset(properties LABELS unit)\n'
            f'include("{SCRIPT}")\n')

    def ctest(self, *arguments):
        return subprocess.run([CTEST, "--test-dir", self.folder, *arguments], capture_output=True, text=True)

    def test_one_test_per_suite(self):
        (self.folder / "program").write_text(PROGRAM)
        (self.folder / "program").chmod(0o755)
        self.assertEqual(re.findall(r"Test +#\d+: (.*)", self.ctest("-N", "-L", "unit").stdout),
                         ["layer: Plain", "layer: Some/Param", "layer: Typed/0"])
        self.assertEqual(self.ctest("-R", "Plain").returncode, 0)
        self.assertNotEqual(self.ctest("-R", "Param").returncode, 0)

    def test_a_program_that_is_not_built_is_a_failure(self):
        result = self.ctest()
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("layer: no suites: the program is not built", result.stdout)


if __name__ == "__main__":
    unittest.main()
