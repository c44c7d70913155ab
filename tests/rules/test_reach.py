#!/usr/bin/env python3
# Shows which tests tools/reach.py selects for a change, and when it selects all of them.
# SPDX-License-Identifier: Apache-2.0
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import reach  # noqa: E402
from check_layers import read_layers  # noqa: E402

LAYERS = {
    "base": set(), "trace": {"base"}, "topology": {"base"}, "tasks": {"base", "trace", "topology"},
    "comm": {"base", "topology"}, "io": {"base", "comm"},
    "fft": {"base", "tasks", "comm"}, "engine": {"base", "tasks", "io"},
    "solvers/one": {"base", "engine"}, "solvers/two": {"base", "engine", "fft"},
    "solvers/registry": {"engine", "solvers/one", "solvers/two"}, "apps": {"base", "engine", "solvers/registry"},
}
ABOVE_ENGINE = {"solvers/one", "solvers/two", "solvers/registry", "apps"}


class Reach(unittest.TestCase):
    def layers(self, *files):
        return reach.reach(files, LAYERS)[0]

    def test_a_layer_reaches_those_that_include_it_directly_or_not(self):
        self.assertEqual(self.layers("src/tacit/engine/a.cpp"), {"engine"} | ABOVE_ENGINE)
        self.assertEqual(self.layers("src/tacit/fft/detail/a.hpp"), {"fft", "solvers/two", "solvers/registry", "apps"})
        self.assertEqual(self.layers("src/tacit/solvers/one/a.cpp"), {"solvers/one", "solvers/registry", "apps"})
        self.assertEqual(self.layers("src/tacit/solvers/registry.cpp"), {"solvers/registry", "apps"})
        self.assertEqual(self.layers("apps/main.cpp"), {"apps"})
        self.assertIn("bench", self.layers("src/tacit/topology/a.cpp"))

    def test_a_layer_below_nearly_all_is_tested_alone_with_small_cases(self):
        for layer in ("base", "tasks", "comm"):
            self.assertEqual(reach.reach([f"src/tacit/{layer}/a.hpp"], LAYERS)[:2], ({layer}, True))
        parts = LAYERS | {"comm/core": {"base"}, "comm/pool": {"comm/core"}}
        self.assertEqual(reach.reach(["src/tacit/comm/core/a.hpp"], parts)[:2], ({"comm/core"}, True))
        both = reach.reach(["src/tacit/comm/a.hpp", "src/tacit/solvers/one/a.cpp"], LAYERS)
        self.assertEqual(both[:2], ({"comm", "solvers/one", "solvers/registry", "apps"}, True))

    def test_changed_tests_reach_their_layer_alone(self):
        self.assertEqual(self.layers("tests/unit/solvers/two/test_a.cpp"), {"solvers/two"})
        self.assertEqual(self.layers("tests/mpi/a.cpp", "tests/physics/test_a.py"), {"comm", "apps"})
        self.assertEqual(reach.reach(["tests/unit/tasks/a.cpp"], LAYERS), ({"tasks"}, False, True))

    def test_what_no_sanitizer_sees_reaches_nothing(self):
        self.assertEqual(self.layers("docs/guide/a.md", "README.md", "python/tacit/cli.py", "examples/sph/sod/run.toml",
                                     "tools/reach.py", ".ci/run", "tests/rules/test_a.py", ".clang-tidy"), set())

    def test_how_all_is_built_reaches_all(self):
        for file in ("CMakeLists.txt", "bench/CMakeLists.txt", "tests/mpi/litmus.cmake", "cmake/layers.txt", "tacit",
                     "tools/launcher/test.sh", "CMakePresets.json", "tests/support/temporary_folder.hpp",
                     "src/tacit/gone/a.cpp", "something/new"):
            self.assertEqual(reach.reach(["docs/a.md", file], LAYERS), (set(LAYERS) | {"bench"}, True, True), file)

    def test_the_scheduler_is_tested_when_it_or_what_is_below_it_changed(self):
        for layer, tested in (("tasks", True), ("trace", True), ("base", True), ("comm", False), ("engine", False)):
            self.assertEqual(reach.reach([f"src/tacit/{layer}/a.cpp"], LAYERS)[2], tested, layer)

    def test_targets_and_names(self):
        targets, pattern = reach.selection({"comm", "solvers/one"}, True)
        self.assertEqual(targets, "tests_of_comm tests_of_solvers_one tacit")
        for name, runs in (("comm: Suite", True), ("nodes: a test", True), ("solvers/one: Suite", True),
                           (reach.SMALL_CASES, True), ("physics: other", False), ("messages: golden", False),
                           ("base: of comm: Suite", False)):
            self.assertEqual(bool(re.search(pattern, name)), runs, name)
        targets, pattern = reach.selection({"apps"}, False)
        self.assertEqual(targets, "tests_of_apps")
        for name in ("apps: Suite", "messages: golden", "physics: other"):
            self.assertRegex(name, pattern)
        self.assertEqual(reach.selection(set(), False), ("", ""))

    def test_the_tree_has_what_is_named(self):
        for layer in reach.CORE - {"exchange"}:
            self.assertIn(layer, read_layers(ROOT))
        tests = "".join(path.read_text() for path in (ROOT / "tests").rglob("CMakeLists.txt"))
        for text in (f'tacit_pytest("{reach.SMALL_CASES}" ', 'tacit_pytest("messages: golden" ',
                     "add_custom_target(tests_of_"):
            self.assertIn(text, tests)


class Record(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.git("init", "-q")
        self.write("cmake/layers.txt", "base :\nio : base\nfft : base\n")
        for layer in ("base", "io"):
            self.write(f"src/tacit/{layer}/a.cpp", "")
        self.write("tests/CMakeLists.txt", "tacit_unit_test(base)\ntacit_unit_test(io LINK a)\n")
        self.commit(hours=50)

    def git(self, *arguments, hours=0):
        settings = ["-c", "user.name=t", "-c", "user.email=t", "-c", "commit.gpgsign=false"]
        date = {"GIT_COMMITTER_DATE": f"@{int(time.time() - 3600 * hours)} +0000"}
        return subprocess.run(["git", "-C", self.root, *settings, *arguments], check=True, capture_output=True,
                              text=True, env=os.environ | date).stdout.strip()

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def commit(self, hours=0):
        """Commits everything, as if that had been so many hours ago."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "a", hours=hours)
        return self.git("rev-parse", "HEAD")

    def answer(self, *mode):
        done = subprocess.run([sys.executable, ROOT / "tools/reach.py", *mode, self.root], capture_output=True,
                              text=True, check=True)
        return done.stdout.split("\n")[:-1], done.stderr

    def test_what_changed_in_two_days(self):
        self.assertEqual(self.answer()[0], ["", "", "no"])
        self.write("src/tacit/io/a.cpp", "// Not committed.\n")
        self.assertEqual(self.answer()[0], ["tests_of_io", "^(io: )", "no"])
        self.commit(hours=47)
        self.assertEqual(self.answer()[0], ["tests_of_io", "^(io: )", "no"])
        self.git("mv", "src/tacit/base/a.cpp", "src/tacit/io/b.cpp")
        answer, reason = self.answer()
        self.assertEqual(answer[0], "tests_of_base tests_of_io tacit")
        self.assertRegex(reason, "since [0-9a-f]{7} reaches base, io, a small case of every solver\n")

    def test_the_base_is_the_newest_old_commit_of_the_first_parents(self):
        self.write("a", "")
        newest = self.commit(hours=49)
        self.git("checkout", "-q", "-b", "other", "HEAD~1")
        self.write("b", "")
        self.commit(hours=48.5)
        self.git("checkout", "-q", "-")
        self.git("merge", "-q", "--no-ff", "-m", "m", "other", hours=1)
        self.assertEqual(self.answer("--base")[0], [newest])

    def test_changed_layers_come_with_the_most_specific_first(self):
        self.write("src/tacit/io/a.cpp", "// Not committed.\n")
        self.write("src/tacit/base/a.cpp", "// Not committed.\n")
        self.write("CMakeLists.txt", "")
        rows = ["io\ttests_of_io\t^(io: )", "base\ttests_of_base\t^(base: )"]
        self.assertEqual(self.answer("--changed")[0], rows)
        self.write("tests/unit/fft/test_a.cpp", "")
        with (self.root / "tests/CMakeLists.txt").open("a") as file:
            file.write("tacit_unit_test(fft)\n")
        self.assertEqual(self.answer("--changed")[0], ["fft\ttests_of_fft\t^(fft: )", *rows])

    def test_apps_come_last(self):
        layers = {"base": set(), "io": {"base"}, "apps": {"io"}}
        self.assertEqual(reach.most_specific_first({"apps", "base", "io"}, layers, self.root), ["io", "base", "apps"])

    def test_parts_of_a_layer_are_tested_with_it(self):
        self.assertEqual(reach.tested_layers({"io/files", "fft"}, self.root), {"io"})

    def test_all_without_an_old_commit(self):
        self.git("commit", "-q", "--amend", "-m", "young")
        self.assertEqual(self.answer(), (["all", ".", "yes"], "all layers: there is no commit older than 48 hours\n"))
        self.assertEqual([line.split("\t")[0] for line in self.answer("--changed")[0]], ["io", "base"])
        self.assertEqual(self.answer("--base")[0], [""])


if __name__ == "__main__":
    sys.exit(unittest.main())
