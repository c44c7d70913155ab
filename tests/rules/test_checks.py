#!/usr/bin/env python3
# Shows that each check in tools/ accepts a good tree and names file, line and fault of every violation.
# SPDX-License-Identifier: Apache-2.0
import doctest
import json
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import check_docs  # noqa: E402
import check_layers  # noqa: E402
import check_style  # noqa: E402
import count_lines  # noqa: E402
import ctest_report  # noqa: E402

LAYERS = """# layer : allowed
base          :
io            : base
tasks         : base
fft           : base
gpu           : base
topology      : base
config        : base
comm          : base
engine        : base tasks io
solvers/one   : base tasks engine
solvers/two   : base tasks engine
solvers/registry : base engine solvers/one solvers/two
apps          : base engine solvers/registry
"""
HEAD = "// A file.\n// SPDX-License-Identifier: Apache-2.0\n"


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("cmake/layers.txt", LAYERS)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class Includes(Tree):
    def complaints(self, name, *headers):
        """What the check says of one file with these includes (the file is removed again)."""
        self.write(name, HEAD + "".join(f"#include {header}\n" for header in headers))
        found = check_layers.check(self.root)
        (self.root / name).unlink()
        return found


class Layers(Includes):
    def test_allowed_includes(self):
        for name, header in (
            ("src/tacit/engine/a.cpp", '"tacit/engine/b.hpp"'), ("src/tacit/engine/a.cpp", '"tacit/io/b.hpp"'),
            ("src/tacit/engine/a.cpp", '"tacit/engine/detail/b.hpp"'), ("apps/a.cpp", '"tacit/solvers/registry.hpp"'),
            ("src/tacit/solvers/registry.cpp", '"tacit/solvers/one/a.hpp"'), ("apps/a.cpp", "<CLI/CLI.hpp>"),
            ("src/tacit/solvers/one/kernels/a.cpp", '"tacit/base/a.hpp"'), ("src/tacit/base/a.cpp", "<xxhash.h>"),
            ("src/tacit/solvers/one/kernels/a.cpp", '"tacit/solvers/one/kernels/b.hpp"'),
            ("src/tacit/solvers/one/kernels/a.cpp", '"tacit/engine/kernels/b.hpp"'),
            ("src/tacit/io/a.cpp", "<hdf5.h>"), ("src/tacit/io/a.cpp", "<nlohmann/json.hpp>"),
            ("src/tacit/comm/providers/mpi/a.cpp", "<mpi.h>"),
            ("src/tacit/solvers/one/kernels/a.cu", "<cuda_runtime.h>"),
        ):
            self.assertEqual(self.complaints(name, header), [], (name, header))

    def test_message_names_file_line_layer_and_what_is_allowed(self):
        self.assertEqual(self.complaints("src/tacit/io/a.cpp", "<vector>", '"tacit/tasks/graph.hpp"'), [
            "src/tacit/io/a.cpp:4: layer 'io' may not include 'tacit/tasks/graph.hpp'; allowed: base"])
        self.assertEqual(self.complaints("src/tacit/base/a.cpp", '"tacit/io/file.hpp"'), [
            "src/tacit/base/a.cpp:3: layer 'base' may not include 'tacit/io/file.hpp'; allowed: nothing"])

    def test_every_kind_of_violation_is_found(self):
        for name, header in (
            ("src/tacit/solvers/one/a.hpp", '"tacit/solvers/two/b.hpp"'), ("apps/a.cpp", '"tacit/solvers/one/a.hpp"'),
            ("src/tacit/engine/a.cpp", '"tacit/io/detail/b.hpp"'), ("src/tacit/engine/a.cpp", '"tacit/nowhere/b.hpp"'),
            ("src/tacit/nowhere/a.cpp", "<vector>"), ("src/tacit/engine/a.cpp", '"../io/b.hpp"'),
            ("src/tacit/solvers/one/kernels/a.cpp", '"tacit/tasks/graph.hpp"'),
            ("src/tacit/solvers/one/kernels/a.cpp", '"tacit/solvers/one/fields.hpp"'),
            ("src/tacit/solvers/one/kernels/a.cpp", '"tacit/solvers/two/kernels/b.hpp"'),
            ("src/tacit/engine/a.cpp", "<hdf5.h>"), ("src/tacit/engine/a.cpp", "<H5Fpublic.h>"),
            ("src/tacit/engine/a.cpp", "<toml++/toml.h>"), ("src/tacit/engine/a.cpp", "<CLI/CLI.hpp>"),
            ("src/tacit/io/a.cpp", '"xxhash.h"'), ("src/tacit/comm/a.cpp", "<mpi.h>"),
            ("src/tacit/comm/a.cpp", "<rdma/fabric.h>"), ("src/tacit/engine/a.cpp", "<fftw3.h>"),
            ("src/tacit/topology/a.cpp", "<yaml-cpp/yaml.h>"), ("src/tacit/topology/a.cpp", "<pugixml.hpp>"),
            ("src/tacit/mesh/a.cpp", "<muParser.h>"),
            ("src/tacit/engine/a.cpp", "<hwloc.h>"), ("src/tacit/tasks/a.cpp", "<metis.h>"),
            ("src/tacit/engine/a.cpp", "<cuda_runtime.h>"), ("src/tacit/solvers/one/kernels/a.cpp", "<cuda.h>"),
            ("src/tacit/gpu/a.cpp", "<cufft.h>"), ("src/tacit/io/a.hpp", "<nlohmann/json.hpp>"),
        ):
            found = self.complaints(name, header)
            self.assertEqual(len(found), 1, (name, header, found))
            self.assertTrue(found[0].startswith(name + ":"), found)


class LayersOfComm(Includes):
    """With the project's own table: an arrow inside comm that is turned fails."""

    # From the bottom up; who includes one that comes later fails.
    FILES = ("rank.hpp", "detail/peer_watch.hpp", "bootstrap/threads.hpp", "providers/providers.hpp",
             "connections/communicator_core.hpp", "collectives/reduce.hpp", "one_sided/one_sided.hpp")

    def setUp(self):
        super().setUp()
        self.write("cmake/layers.txt", (ROOT / "cmake/layers.txt").read_text())

    def test_arrows_go_down_only(self):
        for place, lower in enumerate(self.FILES):
            for upper in self.FILES[place + 1:]:
                self.assertEqual(self.complaints(f"src/tacit/comm/{upper}", f'"tacit/comm/{lower}"'), [])
                found = self.complaints(f"src/tacit/comm/{lower}", f'"tacit/comm/{upper}"')
                self.assertEqual(len(found), 1, (lower, upper, found))

    def test_messages(self):
        self.assertEqual(self.complaints("src/tacit/comm/detail/a.cpp", '"tacit/comm/collectives/reduce.hpp"'), [
            "src/tacit/comm/detail/a.cpp:3: 'tacit/comm/collectives/reduce.hpp' is above 'comm/detail/a.cpp' inside "
            "layer 'comm': see its rows in cmake/layers.txt"])
        self.assertEqual(self.complaints("src/tacit/comm/new/a.cpp"), [
            "src/tacit/comm/new/a.cpp:1: 'comm/new/a.cpp' is in no row of layer 'comm' in cmake/layers.txt"])
        self.assertEqual(self.complaints("src/tacit/io/a.cpp", '"tacit/comm/connections/ends.hpp"'), [
            "src/tacit/io/a.cpp:3: layer 'io' may not include 'tacit/comm/connections/ends.hpp': its folder is private "
            "to layer 'comm'"])

    def test_parts_with_a_target_of_their_own(self):
        for name, header in (("c/a.cpp", "collectives/detail/plan.hpp"), ("c/shim/a.cpp", "c/handles.hpp"),
                             ("one_sided/detail/a.cpp", "connections/wait.hpp")):
            self.assertEqual(self.complaints(f"src/tacit/comm/{name}", f'"tacit/comm/{header}"'), [], name)
        for name, header in (("one_sided/a.cpp", "c/handles.hpp"), ("c/a.cpp", "one_sided/work_pool.hpp")):
            self.assertEqual(len(self.complaints(f"src/tacit/comm/{name}", f'"tacit/comm/{header}"')), 1, name)


class Style(Tree):
    def complaints(self, name, text):
        self.write(name, text)
        return [line.split(": ", 1)[1] for line in check_style.check(self.root)]

    def test_good_files(self):
        self.write("src/tacit/base/a.hpp", HEAD + "#pragma once\n// printf(\"comment\")\nint printf_count(int n);\n")
        self.write("src/tacit/base/a.cpp", HEAD + 'const char* text = "call exit(1)";\nauto p = file.exit(3);\n')
        self.write("apps/main.cpp", HEAD + "int main() { std::exit(0); }\n")
        self.write("tools/a.py", "#!/usr/bin/env python3\n# A tool.\n# SPDX-License-Identifier: Apache-2.0\n")
        self.assertEqual(check_style.check(self.root), [])

    def test_every_kind_of_violation_is_found(self):
        for text, part in (
            ("#include <vector>\n" + HEAD, "first line"), ("// A file.\nint a;\n", "SPDX"),
            ("// SPDX-License-Identifier: Apache-2.0\n", "SPDX line comes second"),
            (HEAD + "int a; \n", "white space"), (HEAD + "\tint a;\n", "tab"), (HEAD + "int a;", "no line feed"),
            (HEAD + "// " + 118 * "a" + "\n", "121 columns"), (HEAD + 599 * "//\n", "601 lines"),
            (HEAD + "std::cout << 1;\n", "never prints"), (HEAD + '  printf("%d", 1);\n', "never prints"),
            (HEAD + "fmt::print(stderr, x);\n", "never prints"), (HEAD + "std::exit(1);\n", "never prints"),
            (HEAD + "abort();\n", "never prints"),
        ):
            found = self.complaints("src/tacit/base/a.cpp", text)
            self.assertEqual(len(found), 1, (text[-40:], found))
            self.assertIn(part, found[0])
        (self.root / "src/tacit/base/a.cpp").unlink()
        self.assertIn("#pragma once", self.complaints("src/tacit/base/a.hpp", HEAD)[0])


class Docs(Tree):
    def complaints(self, text):
        self.write("README.md", text)
        return check_docs.check(self.root)

    def test_links(self):
        self.write("docs/a.md", "# A title, with `code`\n")
        good = ("[a](docs/a.md)", "[a](docs/a.md#a-title-with-code)", "[b](#top)", "![p](docs/a.md)", "`[x](nowhere)`",
                "[w](https://example.org/nowhere)", "```\n[x](nowhere)\n```")
        for link in good:
            self.assertEqual(self.complaints(f"# Top\n{link}\n"), [], link)
        for link in ("[a](docs/b.md)", "[a](docs/a.md#other)", "[b](#bottom)", "![p](picture.png)"):
            found = self.complaints(f"# Top\n{link}\n")
            self.assertEqual(len(found), 1, link)
            self.assertTrue(found[0].startswith("README.md:2: "), found)

    def test_quotes(self):
        self.write("src/a.cpp", "// A.\nclass C {\n  void run() {\n    step();\n  }\n};\n")
        quote = "<!-- quote: src/a.cpp:run -->\n```cpp\n{}\n```\n"
        self.assertEqual(self.complaints(quote.format("void run() {\n  step();\n}")), [])
        self.assertIn("differs", self.complaints(quote.format("void run() {\n  stop();\n}"))[0])
        self.assertIn("does not contain", self.complaints(quote.replace(":run", ":walk").format("step();"))[0])
        self.assertIn("does not exist", self.complaints(quote.replace("a.cpp", "b.cpp").format("step();"))[0])
        self.assertIn("no code block", self.complaints("<!-- quote: src/a.cpp:run -->\ntext\n")[0])


    def test_figures(self):
        values = {"put_ns": 163.4, "hidden": 0.0283, "rate": 2.14e6}
        results = [{"name": name, "value": value} for name, value in values.items()]
        self.write("bench/a.json", json.dumps({"results": results}))
        figure = '[{}](bench/a.json "{}")\n'
        for text, name in (("163 ns", "put_ns"), ("163.4", "put_ns"), ("2.8 %", "hidden"), ("2.1e6 /s", "rate")):
            self.assertEqual(self.complaints(figure.format(text, name)), [], text)
        for text, name in (("164 ns", "put_ns"), ("163.5", "put_ns"), ("2.9 %", "hidden"), ("2.2e6", "rate")):
            self.assertIn("is given as", self.complaints(figure.format(text, name))[0])
        self.assertIn("has no figure", self.complaints(figure.format("1", "other"))[0])
        self.assertIn("does not begin", self.complaints(figure.format("fast", "rate"))[0])


class Lines(unittest.TestCase):
    def test_lines_of_code_by_layer(self):
        self.assertEqual(doctest.testmod(count_lines).failed, 0)


class Reports(Tree):
    CASE = "<testcase name='{}' status='{}'>{}<system-out>{}</system-out></testcase>"

    def write_cases(self, *cases):
        self.write("tests.xml", "<testsuite>" + "".join(self.CASE.format(*case) for case in cases) + "</testsuite>")
        return self.root / "tests.xml"

    def test_reasons_of_skips(self):
        path = self.write_cases(("ran", "run", "", "ok"),
                                ("excused", "notrun", "<skipped message='r'/>", "this may not be copied"),
                                ("silent", "notrun", "<skipped message='r'/>", "no reason"))
        self.assertEqual(ctest_report.unexcused_skips(path), [("silent", "no reason\nr")])
        self.assertEqual(ctest_report.failures(path), [])

    def test_failures(self):
        path = self.write_cases(("ran", "run", "", "ok"), ("bad", "fail", "<failure message='Timeout'/>", "1 == 2"))
        self.assertEqual(ctest_report.failures(path), [("bad", "1 == 2\nTimeout")])
        self.assertEqual(ctest_report.unexcused_skips(path), [])

    SUITE = """Note: Google Test filter = A.*
[----------] 3 tests from A
[ RUN      ] A.One
[       OK ] A.One (0 ms)
[ RUN      ] A.Two
a.cpp:3: {}
[  {} ] A.Two (1 ms)
[ RUN      ] A.Three
[       OK ] A.Three (0 ms)
[----------] 3 tests from A (1 ms total)
"""

    def test_a_skip_within_a_suite_is_seen(self):
        path = self.write_cases(("suite", "run", "", self.SUITE.format("Skipped\nno reason", "SKIPPED")))
        self.assertEqual(ctest_report.unexcused_skips(path), [("A.Two", "a.cpp:3: Skipped\nno reason")])
        path = self.write_cases(("suite", "run", "", self.SUITE.format("Skipped\nmay not be copied", "SKIPPED")))
        self.assertEqual(ctest_report.unexcused_skips(path), [])

    def test_of_a_failed_suite_the_tests_that_failed_are_told(self):
        path = self.write_cases(("suite", "fail", "", self.SUITE.format("1 == 2", "FAILED  ")))
        told = ctest_report.failures(path)[0][1]
        self.assertIn("[ RUN      ] A.Two\na.cpp:3: 1 == 2\n[  FAILED   ] A.Two", told)
        self.assertNotIn("A.One", told)

    def test_budget(self):
        ends = ((1000, "tacit_solvers_one"), (90000, "tacit_solvers_one"), (9000, "tacit_solvers_one_v2"),
                (5000, "test_solvers_one"), (7000, "tacit_solvers_oneself"), (7000, "tacit_base"))
        self.write("build/.ninja_log", "# ninja log v5\n" + "".join(
            f"0\t{end}\t0\tCMakeFiles/{target}.dir/a.o\tx\n" for end, target in ends))
        case = "<testcase name='{}' status='run' time='{}'/>".format
        self.write("quick.xml", f"<t>{case('solvers/one: A', 4)}{case('physics: one, x', 2)}{case('base: A', 9)}</t>")
        self.write("build/tests.xml", f"<t>{case('one: long', 150)}</t>")
        self.write("asan/tests.xml", f"<t>{case('solvers/one: A', 31)}</t>")
        folders = [self.root / "build", self.root / "asan"]
        lines = ctest_report.budget(2, self.root / "quick.xml", folders, ["one", "two"])
        self.assertEqual([line.split() for line in lines[1:3]], [["one", "52", "6", "181"], ["two", "0", "0", "0"]])
        self.assertEqual(lines[3:], ["warning: one: clean build takes 52 s, more than 45 s",
                                     "warning: one: --full takes 181 s, more than 180 s"])


if __name__ == "__main__":
    sys.exit(unittest.main())
