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

COPIED = ("src/tacit", "cmake", "CMakeLists.txt", "tests/CMakeLists.txt", "tests/unit/solvers", "examples/heat",
          ".clang-format")
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
        for path in (ROOT / "src/tacit/solvers/heat").rglob("*.?pp"):
            copy = str(path.relative_to(ROOT)).replace("heat", NAME)
            self.assertIn(copy, written)
        self.assertTrue(any(path.endswith("run.toml") for path in written))
        lists = {"cmake/layers.txt": rf"^solvers/{NAME} *: base .* mesh$",
                 "CMakeLists.txt": rf"^tacit_layer\(solvers/{NAME}\)$",
                 "tests/CMakeLists.txt": rf"^tacit_unit_test\(solvers/{NAME}\b.*\)$",
                 "src/tacit/solvers/registry.cpp": rf"&{NAME}::solver_entry\(\)"}
        for path, pattern in lists.items():
            self.assertRegex((self.root / path).read_text(), re.compile(pattern, re.MULTILINE), path)
        self.assertRegex((self.root / "cmake/layers.txt").read_text(), rf"(?m)^solvers/registry *:.* solvers/{NAME}$")
        check = subprocess.run([sys.executable, ROOT / "tools/check_layers.py", self.root], capture_output=True,
                               text=True)
        self.assertEqual(check.stdout + check.stderr, "")

    def test_nothing_keeps_the_name_of_the_model(self):
        for path in new_solver.make(self.root, NAME):
            if NAME not in str(path):
                continue
            text = (self.root / path).read_text()
            left = re.findall(r"tacit::heat|Heat[A-Z]\w*|solvers/heat|\"heat\"|\"heat\.\w+", text)
            self.assertEqual(left, [], path)

    def compile_all(self, name):
        folder = self.root / "src/tacit/solvers" / name
        sources = [p for p in sorted(folder.rglob("*.cpp")) if not p.name.endswith(".isa.cpp")]
        text = "".join(f'#include "{path}"\n' for path in sources)
        done = subprocess.run([CXX, "-std=c++20", "-fsyntax-only", "-x", "c++", "-", f"-I{self.root}/src"], input=text,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_copy_compiles(self):
        new_solver.make(self.root, NAME)
        self.compile_all(NAME)

    def test_the_guide_fits_the_code(self):
        """The changes that docs/guide/write-a-solver.md tells, at the places that it names, compile."""
        new_solver.make(self.root, "fisher")
        guide = (ROOT / "docs/guide/write-a-solver.md").read_text()
        blocks = re.findall(r"^```cpp\n(.*?)^```", guide.split("## 3.")[1], re.MULTILINE | re.DOTALL)
        self.assertEqual(len(blocks), 6)
        growth, term, row, read, member, first = blocks

        def change(file, old, new):
            path = self.root / "src/tacit/solvers/fisher" / file
            text = path.read_text()
            self.assertEqual(text.count(old), 1, f"{file}: {old}")
            path.write_text(text.replace(old, new))

        anchor = "  double constant_source = 0.0;    ///< S [temperature / time]\n"
        change("kernels/diffusion.hpp", anchor, anchor + growth)
        change("kernels/diffusion.isa.cpp", "    return {{sum}};\n", term + "    return {{sum}};\n")
        anchor = '    Key::quantity("fisher.source"'
        change("parameters.cpp", anchor, row + anchor)
        text = (self.root / "src/tacit/solvers/fisher/parameters.cpp").read_text()
        last = text.rindex("  return result;\n")
        (self.root / "src/tacit/solvers/fisher/parameters.cpp").write_text(text[:last] + read + text[last:])
        change("parameters.hpp", "  Initial initial;\n", member + "  Initial initial;\n")
        change("parameters.hpp", "keeps_heat() const { return ", "keeps_heat() const { return growth == 0.0 && ")
        change("fields.cpp", "  kernels::Diffusion by{.constant_source = parameters.source};\n", first)
        self.compile_all("fisher")

    def test_what_cannot_be_changes_nothing(self):
        before = everything(self.root)
        for name in ("Upper", "with-minus", "", "9lives", "a__b", "heat", "sph", "registry", "tasks", "io"):
            with self.assertRaises(new_solver.Refused, msg=name):
                new_solver.make(self.root, name)
        for name, why in (("while", "a word of C"), ("time", "a table of keys"), ("sedov", "a table of keys"),
                          ("potential", "a table of keys"), ("kernels", "a name in the code"),
                          ("std", "a name in the code"), ("spread", "a name in the code")):
            with self.assertRaisesRegex(new_solver.Refused, f"'{name}' .*: it is {why}"):
                new_solver.make(self.root, name)
        (self.root / "examples" / NAME / "spreading").mkdir(parents=True)
        in_the_way = next(self.root / new_solver.renamed_path(p, NAME) for p in new_solver.models(self.root)
                          if p.name == "run.toml")
        in_the_way.parent.mkdir(parents=True, exist_ok=True)
        in_the_way.write_text("mine")
        with self.assertRaisesRegex(new_solver.Refused, "exists already"):
            new_solver.make(self.root, NAME)
        in_the_way.unlink()
        self.assertEqual(everything(self.root), before)


if __name__ == "__main__":
    unittest.main()
