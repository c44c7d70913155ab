#!/usr/bin/env python3
"""Tests of tools/new_solver.py: the copy is complete, entered everywhere, compiles, and nothing is half done.

Usage: test_new_solver.py CXX

SPDX-License-Identifier: Apache-2.0
"""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CXX = sys.argv.pop(1) if len(sys.argv) > 1 else "c++"
sys.path.insert(0, str(ROOT / "tools"))
import new_solver  # noqa: E402
from count_lines import code_lines  # noqa: E402

COPIED = ("src/tacit", "cmake", "CMakeLists.txt", "tests/CMakeLists.txt", "tests/unit/solvers", ".clang-format")
NAME = "shallow_water"


def everything(root):
    return {p.relative_to(root): p.read_bytes() for p in root.rglob("*") if p.is_file()}


class NewSolver(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, self.root / name)
            else:
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, self.root / name)

    def test_the_copy_is_complete_and_in_every_list(self):
        written = {str(path) for path in new_solver.make(self.root, NAME)}
        for path in (ROOT / "src/tacit/solvers/skeleton").rglob("*.?pp"):
            copy = str(path.relative_to(ROOT)).replace("skeleton", NAME)
            self.assertIn(copy, written)
        self.assertIn(f"tests/unit/solvers/{NAME}/test_{NAME}.cpp", written)
        self.assertIn(f"examples/{NAME}/first/run.toml", written)
        lists = {"cmake/layers.txt": rf"^solvers/{NAME} *: base .* mesh stencil$",
                 "CMakeLists.txt": rf"^tacit_layer\(solvers/{NAME}\)$",
                 "tests/CMakeLists.txt": rf"^tacit_unit_test\(solvers/{NAME}\b.*\)$",
                 "src/tacit/solvers/registry.cpp": rf"&{NAME}::solver_entry\(\)"}
        for path, pattern in lists.items():
            self.assertRegex((self.root / path).read_text(), re.compile(pattern, re.MULTILINE), path)
        self.assertRegex((self.root / "cmake/layers.txt").read_text(), rf"(?m)^solvers/registry *:.* solvers/{NAME}$")
        check = subprocess.run([sys.executable, ROOT / "tools/check_layers.py", self.root], capture_output=True,
                               text=True)
        self.assertEqual(check.stdout + check.stderr, "")

    def test_a_second_one_stands_beside_the_first(self):
        new_solver.make(self.root, "one")
        new_solver.make(self.root, "two")
        registry = (self.root / "src/tacit/solvers/registry.cpp").read_text()
        count = int(re.search(r"SolverEntry\*, (\d+)> all", registry)[1])
        self.assertEqual(len(re.findall(r"&\w+::solver_entry\(\)", registry)), count)
        self.assertIn("&one::solver_entry(), &two::solver_entry()", " ".join(registry.split()))

    def test_nothing_keeps_the_name_of_the_model(self):
        for path in new_solver.make(self.root, NAME):
            if NAME in str(path):
                self.assertNotIn("skeleton", (self.root / path).read_text().lower(), path)

    def test_the_model_is_small(self):
        """At most 250 lines of code, to be read in a quarter of an hour."""
        files = [p for p in (ROOT / "src/tacit/solvers/skeleton").rglob("*.?pp")]
        self.assertLessEqual(sum(code_lines(p.suffix, p.read_text()) for p in files), 250)

    def compiled(self, name):
        folder = self.root / "src/tacit/solvers" / name
        sources = [p for p in sorted(folder.rglob("*.cpp")) if not p.name.endswith(".isa.cpp")]
        text = "".join(f'#include "{path}"\n' for path in sources)
        return subprocess.run([CXX, "-std=c++20", "-fsyntax-only", "-x", "c++", "-", f"-I{self.root}/src"], input=text,
                              capture_output=True, text=True)

    def compile_all(self, name):
        done = self.compiled(name)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_copy_compiles(self):
        new_solver.make(self.root, NAME)
        self.compile_all(NAME)

    def test_the_guide_fits_the_code(self):
        """The pieces of docs/guide/write-a-solver.md take the places that it names, and the result compiles."""
        new_solver.make(self.root, "gray_scott")
        guide = (ROOT / "docs/guide/write-a-solver.md").read_text()
        pieces = re.findall(r"^<!-- in (\S+) from: (.+?) -->\n```cpp\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
        self.assertGreaterEqual(len(pieces), 6)
        for file, first, piece in pieces:
            path = self.root / ("" if file.startswith("tests/") else "src/tacit/solvers/gray_scott") / file
            text = path.read_text()
            self.assertEqual(text.count(f"\n{first}"), 1, f"{file}: {first}")
            begin = text.index(f"\n{first}") + 1
            lines = piece.splitlines()  # what ends the piece ends what it replaces; a line replaces a line
            last = lines[-1] if len(lines) > 1 else text[begin:].split("\n")[0]
            end = text.index(f"\n{last}\n", begin - 1) + len(last) + 2
            path.write_text(text[:begin] + piece + text[end:])
        self.compile_all("gray_scott")
        self.compile_kernel("gray_scott")
        self.compile("tests/unit/solvers/gray_scott/test_gray_scott.cpp", f"-I{ROOT}/tests")
        solver = self.root / "src/tacit/solvers/gray_scott/gray_scott_solver.cpp"
        solver.write_text(solver.read_text().replace('.name = "v"', '.name = "u"'))
        self.assertIn("two rows of the table of fields have the same name", self.compiled("gray_scott").stderr)

    def compile_kernel(self, name):
        self.compile(f"src/tacit/solvers/{name}/kernels/rates.isa.cpp", "-DTACIT_ISA=scalar")

    def compile(self, path, option):
        done = subprocess.run([CXX, "-std=c++20", "-fsyntax-only", option, self.root / path, f"-I{self.root}/src"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_cannot_be_changes_nothing(self):
        before = everything(self.root)
        for name in ("Upper", "with-minus", "", "9lives", "a__b", "heat", "skeleton", "registry", "tasks", "io"):
            with self.assertRaises(new_solver.Refused, msg=name):
                new_solver.make(self.root, name)
        for name, why in (("while", "a word of C"), ("time", "a table of keys"), ("sedov", "a table of keys"),
                          ("potential", "a table of keys"), ("kernels", "a name in the code"),
                          ("std", "a name in the code"), ("rows", "a name in the code")):
            with self.assertRaisesRegex(new_solver.Refused, f"'{name}' .*: it is {why}"):
                new_solver.make(self.root, name)
        in_the_way = self.root / "examples" / NAME / "first/run.toml"
        in_the_way.parent.mkdir(parents=True, exist_ok=True)
        in_the_way.write_text("mine")
        with self.assertRaisesRegex(new_solver.Refused, "exists already"):
            new_solver.make(self.root, NAME)
        in_the_way.unlink()
        self.assertEqual(everything(self.root), before)


if __name__ == "__main__":
    unittest.main()
