#!/usr/bin/env python3
# Tests which solvers the launcher ./tacit has compiled, with stand-ins for compilers, cmake and ninja.
# SPDX-License-Identifier: Apache-2.0
import os
import sys
import unittest

from launcher_sandbox import LONGEST_S, ROOT, LauncherTest, read_until, wait_until

SOLVERS = {"qcd": ["gauge", "qcd"], "sph": ["sph"], "heat": ["heat"]}
"""Of each folder, as in the real tree."""


class SolversTest(LauncherTest):
    def setUp(self):
        super().setUp()
        for folder, names in SOLVERS.items():
            described = self.box.tree / "src/tacit/solvers" / folder / "described"
            described.mkdir(parents=True)
            (described.parent / "kernels.cpp").write_text("// A source.\n")
            for name in names:
                (described / f"{name}.json").write_text("{}\n")

    def file(self, text, name="run.toml"):
        (self.box.top / name).write_text(text)
        return name

    def configured(self):
        """The solvers that each call of CMake was told, and forgets the calls."""
        calls = [call.split("-DTACIT_SOLVERS=")[1].split()[0] for call in self.box.calls("cmake -G")]
        self.box.forget_calls()
        return calls


class WhatIsCompiled(SolversTest):
    def test_a_first_run_compiles_the_solver_that_its_file_names(self):
        for number, (text, arguments, solver) in enumerate((
                ('solver = "sph"\n', [], "sph"),
                ("# A comment: solver = \"sph\"\n  solver='heat' # diffusion\n[run]\n", [], "heat"),
                ('solver = "sph"\n', ["--set", "solver=gauge"], "gauge"),
                ('solver = "sph"\n', ['--set=solver="heat"'], "heat"),
                ('[run]\nsolver = "sph"\n', [], "none"),  # of another table
                ('solver = "spx"\n', [], "none"),  # the program says what is wrong with it
                ("", [], "none"))):
            with self.subTest(text=text, arguments=arguments):
                result = self.box.run("run", *arguments, self.file(text), TACIT_BUILD_DIR=f"build{number}")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(self.configured(), [solver])

    def test_commands_without_a_file_compile_no_solver(self):
        self.box.run("keys", "sph")
        self.assertEqual(self.configured(), ["none"])
        self.box.run("build")
        self.assertEqual(self.configured(), ["all"])

    def test_what_was_compiled_stays(self):
        self.box.run("run", self.file('solver = "sph"\n'))
        self.box.run("build", "qcd", "heat")
        self.assertEqual(self.configured(), ["sph", "heat;qcd;sph"])
        self.box.touch_source()
        self.box.run("run", self.file('solver = "gauge"\n'))
        self.box.touch_source()
        self.box.run("info", "x")
        self.assertEqual(self.configured(), ["gauge;heat;qcd;sph"], "and CMake is not called for the solvers of now")

    def test_a_program_of_before_has_all(self):
        self.built()
        (self.box.build / ".solvers").unlink()
        self.box.touch_source()
        self.box.run("run", self.file('solver = "sph"\n'))
        self.assertEqual(self.configured(), ["all"])

    def test_a_build_that_fails_adds_nothing(self):
        self.box.run("run", self.file('solver = "heat"\n'))
        result = self.box.run("build", "sph", STAND_NINJA_FAILS=1)
        self.assertEqual(result.returncode, 9)
        self.box.forget_calls()
        self.assertIn("program", self.box.run("run", "run.toml", STAND_ASKS="sph").stdout)
        self.assertEqual(len(self.box.calls("ninja")), 1, "it is not taken for built")

    def test_words_that_are_no_solver(self):
        result = self.box.run("build", "spx")
        self.assertEqual(result.returncode, 2)
        self.assertIn("'spx' is neither of the form -DNAME=VALUE nor a solver: gauge heat qcd sph", result.stderr)
        result = self.box.run("build", "-DTACIT_SOLVERS=heat;sph")
        self.assertEqual(result.returncode, 2)
        self.assertIn("./tacit build heat sph", result.stderr)
        self.assertEqual(self.box.calls(), [])

    def test_the_announcement_counts_what_is_compiled(self):
        for words, files in (([], 5), (["gauge"], 3), (["heat", "qcd", "sph"], 5)):
            said = self.box.run("build", *words, TACIT_BUILD_DIR="_".join(["b", *words])).stderr
            self.assertIn(f"first build: {files} files", said)
        self.assertIn("first build: 2 files", self.box.run("keys").stderr)


class WhatTheProgramAsksFor(SolversTest):
    def test_a_program_that_lacks_a_solver_has_it_built_and_begins_again(self):
        self.box.run("run", self.file('solver = "heat"\n'))
        self.box.forget_calls()
        result = self.box.run("run", "a file", "--set", "solver = sph", STAND_ASKS="sph",
                              STAND_PLAN="[1/2] Building CXX object x.o\\n")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("building the program with solvers: heat sph", result.stderr)
        self.assertEqual([line.split(" python=")[0] for line in result.stdout.splitlines()],
                         [f"program {self.box.top} run a file --set solver = sph"] * 2, "and it asks once, no more")
        self.assertEqual(self.configured(), ["heat;sph"])

    def test_it_may_not_ask_where_nothing_may_be_built(self):
        self.box.run("run", self.file('solver = "heat"\n'))
        self.box.forget_calls()
        for variables in ({"SLURM_PROCID": 0}, {"OMPI_COMM_WORLD_RANK": 1}, {"TACIT_NO_BUILD": 1}):
            variables["TACIT_BUILDS_FOR_US"] = self.box.tree / "tacit"  # of a launcher around this one
            result = self.box.run("run", "x", STAND_ASKS="sph", **variables)
            self.assertEqual((result.returncode, len(result.stdout.splitlines())), (0, 1), result.stderr)
            result = self.box.run("__with", "sph", "run", "x", **variables)
            self.assertEqual(result.returncode, 5)
            self.assertIn("run ./tacit build sph first", result.stderr)
        self.assertEqual(self.box.calls(), [])

    def test_two_calls_that_need_different_solvers_wait_for_each_other(self):
        gate = self.box.gate()
        first = self.box.start("run", self.file('solver = "heat"\n', "heat.toml"), STAND_NINJA_GATE=gate)
        self.assertTrue(wait_until(lambda: self.box.calls("ninja")))
        second = self.box.start("run", self.file('solver = "sph"\n', "sph.toml"), STAND_ASKS="sph")
        self.assertTrue(read_until(second.stderr, "waiting for it"))
        gate.touch()
        for process in (first, second):
            stdout, stderr = process.communicate(timeout=LONGEST_S)
            self.assertEqual(process.returncode, 0, stderr)
            self.assertIn("program", stdout)
        self.assertEqual(self.configured(), ["heat", "heat;sph"])
        self.assertEqual((self.box.build / ".solvers").read_text(), "heat sph\n")


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(unittest.main())
