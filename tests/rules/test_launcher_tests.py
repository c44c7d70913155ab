#!/usr/bin/env python3
# Tests ./tacit test and ./tacit bench with stand-ins for compilers, cmake, ninja and apt.
# SPDX-License-Identifier: Apache-2.0
import os
import re
import subprocess
import sys
import time
import unittest

from launcher_sandbox import LIBRARIES, PEERS, ROOT, LauncherTest

FOR_FULL = ["python3-venv", "libgtest-dev", "libclang-rt-16-dev", "clang-tidy-16", *PEERS]


class Testing(LauncherTest):
    def test_configures_its_own_folder_and_runs_ctest(self):
        result = self.box.run("test", "--", "-R", "some name")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("100% tests passed", result.stdout)
        self.assertIn("summary", result.stderr)
        cmake = self.box.calls("cmake -G")[0]
        self.assertIn(f"-B {self.box.build}/test -DTACIT_TESTS=ON -DTACIT_CHECKS=ON", cmake)
        ctest = self.box.calls("ctest")[0]
        self.assertIn("-LE ^(full|stress)$ -R some name", ctest)
        self.assertIn(f"--test-dir {self.box.build}/test", ctest)

    def test_one_solver_is_built_and_tested_alone(self):
        (self.box.tree / "tests/unit/solvers/heat").mkdir(parents=True)
        result = self.box.run("test", "--solver", "heat")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(self.box.calls("ninja")[0].endswith(" tacit tests_of_solvers_heat"))
        pattern = re.compile(self.box.calls("ctest")[0].split(" -R ")[1].split(" -LE ")[0])
        for name in ("solvers/heat: HeatOrders", "physics: heat", "ranks: heat", "physics: examples, reference pages"):
            self.assertRegex(name, pattern)
        for name in ("solvers/md: MdPairs", "solvers/heated: Heated", "physics: amr", "rules: the launcher"):
            self.assertNotRegex(name, pattern)
        self.assertFalse((self.box.build / "test/quick-passed").exists())
        for wrong in (["--solver", "hat"], ["--solver"], ["--solver", "heat", "--full"]):
            self.assertEqual(self.box.run("test", *wrong).returncode, 2, wrong)
        self.assertIn("--solver hat: it is none of heat", self.box.run("test", "--solver=hat").stderr)

    def test_a_compiler_cache_is_used_where_there_is_one(self):
        plain = "-DCMAKE_CXX_COMPILER_LAUNCHER= -DTACIT_PRECOMPILE=ON"
        self.assertEqual(self.box.run("test").returncode, 0)
        self.assertIn(plain, self.box.calls("cmake -G")[0])
        self.box.add_stand_in("ccache", "")
        self.assertEqual(self.box.run("test").returncode, 0)
        self.assertIn("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DTACIT_PRECOMPILE=OFF", self.box.calls("cmake -G")[1])

    def test_full_runs_every_configuration(self):
        installed = " ".join(LIBRARIES + FOR_FULL)
        result = self.box.run("test", "--full", STAND_INSTALLED=installed)
        self.assertEqual(result.returncode, 0, result.stderr)
        folders = [call.split("--test-dir ")[1].split()[0] for call in self.box.calls("ctest")]
        names = ["test", "test-asan", "test-tsan", "test-tsan-gcc"]
        self.assertEqual(folders, [str(self.box.build / name) for name in names])
        for name in names:
            self.assertEqual(len([call for call in self.box.calls("cmake -G") if f"/{name} " in call]), 1)
        self.assertEqual(result.stderr.count("passed"), 4)

    def test_full_gives_the_sanitizers_what_the_change_reaches(self):
        installed = " ".join(LIBRARIES + FOR_FULL)
        some = {"STAND_INSTALLED": installed, "STAND_REACH": "tests_of_io tacit\n^(io: )\nno\n"}
        self.assertEqual(self.box.run("test", "--full", **some).returncode, 0)
        self.assertEqual([call.split("-j ")[1].split(" ", 1)[1] for call in self.box.calls("ninja")],
                         ["all", "tests_of_io tacit", "tests_of_io tacit"])
        calls = self.box.calls("ctest")
        self.assertNotIn("-R", calls[0])
        for call in calls[1:]:
            self.assertIn("-R ^(io: ) --no-tests=ignore -LE ", call)
        self.box.forget_calls()
        self.assertEqual(self.box.run("test", "--full=all", **some).stderr.count("passed\n"), 4)
        self.assertEqual({call.split("-j ")[1].split(" ", 1)[1] for call in self.box.calls("ninja")},
                         {"all", "test_tasks"})
        self.box.forget_calls()
        result = self.box.run("test", "--full", STAND_INSTALLED=installed, STAND_REACH="\n\nno\n")
        self.assertEqual((result.returncode, len(self.box.calls("ctest"))), (0, 1))
        self.assertIn("sanitizers: the change reaches no layer", result.stderr)

    def sanitize(self, minutes="", **variables):
        """./tacit test --sanitize of two layers that have changed."""
        changed = "heat\ttests_of_heat\t^(heat: )\nio\ttests_of_io\t^(io: )\n"
        variables = {"STAND_INSTALLED": " ".join(LIBRARIES + FOR_FULL), "STAND_REACH": changed} | variables
        return self.box.run("test", f"--sanitize{minutes}", **variables)

    def test_sanitize_takes_the_changed_layers_one_after_the_other(self):
        result = self.sanitize()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([call.split("-j ")[1].split(" ", 1)[1] for call in self.box.calls("ninja")],
                         ["tests_of_heat", "tests_of_io"])
        self.assertEqual([call.split(" -R ")[1].split(" --")[0] for call in self.box.calls("ctest")],
                         ["^(heat: )", "^(io: )"])
        self.assertEqual(len(self.box.calls("cmake -G")), 1)
        self.assertIn("-DTACIT_SANITIZE=address,undefined", self.box.calls("cmake -G")[0])
        self.assertRegex(result.stderr, r"addresses, undefined +build +\d+ s +tests +\d+ s +passed\n$")

    def test_sanitize_names_what_the_time_left_out(self):
        for variables in ({"STAND_NINJA_GATE": self.box.gate()}, {"STAND_TEST_SECONDS": 600}):
            result = self.sanitize("=8", TACIT_TEST_MINUTE=1, **variables)
            self.assertEqual(result.returncode, 0, result.stderr)
            what = "heat io" if "STAND_NINJA_GATE" in variables else "the rest of heat io"
            self.assertIn(f"the 8 minutes were over: {what}\n", result.stderr)

    def test_what_failed_before_the_time_was_over_fails(self):
        result = self.sanitize("=8", TACIT_TEST_MINUTE=1, STAND_TEST_SECONDS=600,
                               STAND_TEST_LOG="1/2 Test #1: heat ...***Failed")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, "TESTS FAILED\n")

    def test_sanitize_fails_with_a_build_or_a_test(self):
        for variables, verdict in (({"STAND_NINJA_FAILS": 1}, r"BUILD FAILED \(exit code 9\)"),
                                   ({"STAND_TEST_STATUS": "fail"}, "TESTS FAILED")):
            result = self.sanitize(**variables)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, verdict)
            self.assertIn("tests_of_io", self.box.calls("ninja")[-1])

    def test_full_does_not_repeat_the_quick_suite(self):
        installed = {"STAND_INSTALLED": " ".join(LIBRARIES + FOR_FULL)}
        self.assertEqual(self.box.run("test", **installed).returncode, 0)
        only_full = "-LE ^(stress)$ -L ^(full|stress)$"
        self.assertIn("is not run again", self.box.run("test", "--full", **installed).stderr)
        self.assertIn(only_full, self.box.calls("ctest")[1])
        (self.box.tree / "src" / "changed.cpp").write_text("")
        self.box.run("test", "--full", **installed)
        self.assertNotIn(only_full, self.box.calls("ctest")[5])

    def test_build_failure_fails(self):
        result = self.box.run("test", STAND_NINJA_FAILS=1)
        self.assertEqual(result.returncode, 1)
        self.assertIn("BUILD FAILED (exit code 9)", result.stderr)

    def test_skips_fail_in_continuous_integration_only(self):
        installed = " ".join(LIBRARIES + ["python3-venv", "libgtest-dev", *PEERS])
        skipped = {"STAND_TEST_STATUS": "notrun", "STAND_TEST_OUTPUT": "no Python here", "STAND_INSTALLED": installed}
        self.assertEqual(self.box.run("test", **skipped).returncode, 0)
        result = self.box.run("test", CI="true", **skipped)
        self.assertEqual(result.returncode, 1)
        self.assertIn("no Python here", result.stderr)
        skipped["STAND_TEST_OUTPUT"] = "the file may not be copied"
        self.assertEqual(self.box.run("test", CI="true", **skipped).returncode, 0)
        self.assertEqual(self.box.run("test", CI="true", STAND_INSTALLED=installed).returncode, 0)

    def test_failures_are_told_again_at_the_end(self):
        result = self.box.run("test", STAND_TEST_STATUS="fail", STAND_TEST_OUTPUT="1 == 2")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"(?s)failed: t\n  1 == 2\n.*summary.*TESTS FAILED")
        self.assertNotIn("failed: t", self.box.run("test").stderr)

    def test_wrong_arguments(self):
        for arguments in (["--fast"], ["--sanitize=x"], ["--sanitize=0"], ["--sanitize", "--full"]):
            self.assertEqual(self.box.run("test", *arguments).returncode, 2, arguments)

    def test_builds_the_benchmarks_with_the_first_configuration_of_full_only(self):
        installed = " ".join(LIBRARIES + FOR_FULL)
        self.assertEqual(self.box.run("test", "--full", STAND_INSTALLED=installed).returncode, 0)
        asked = ["-DTACIT_BENCH=ON" in call for call in self.box.calls("cmake -G")]
        self.assertEqual(asked, [True, False, False, False])
        self.box.forget_calls()
        self.assertEqual(self.box.run("test").returncode, 0)
        self.assertIn("-DTACIT_BENCH=OFF", self.box.calls("cmake -G")[0])

    def test_peers_of_the_benchmarks_are_installed_where_everything_is_tested(self):
        self.as_root(1000)
        self.assertEqual(self.box.run("test").returncode, 0)
        result = self.box.run("test", CI="true")
        self.assertEqual(result.returncode, 3)
        self.assertIn("--no-install-recommends " + " ".join(PEERS) + "\n", result.stderr)


CTEST_OF_SCRIPTS = """
    while (($#)); do
      case $1 in
        --test-dir) dir=$2 ;; --output-junit) junit=$2 ;; --output-log) log=$2 ;; -I) only=${2%,*} ;;
      esac
      shift
    done
    mkdir -p "$dir/Testing/Temporary" "$STAND_TESTS.turns"
    : >"$dir/Testing/Temporary/LastTestsFailed.log"
    code=0
    echo "<testsuite>" >"$junit"
    for file in "$STAND_TESTS"/*; do
      number=${file##*/} turn=$STAND_TESTS.turns/${file##*/}
      [[ -n ${only:-} && $number != "$only" ]] && continue
      mapfile -t words <"$file"
      echo >>"$turn"
      mapfile -t turns <"$turn"
      outcome=${words[${#turns[@]}]:-${words[-1]}} status=fail
      case $outcome in
        pass) status=run ;; skip) status=notrun ;;
        /*) outcome=$("$outcome" 2>&1) && status=run ;;
      esac
      echo "<testcase name='${words[0]}' status='$status'>" >>"$junit"
      [[ $outcome == skip ]] && echo "<skipped message='no data'/>" >>"$junit"
      shown=${outcome//&/&amp;} shown=${shown//</&lt;}
      echo "<system-out>turn ${#turns[@]} of ${words[0]}: $shown</system-out></testcase>" >>"$junit"
      [[ $status == fail ]] || continue
      code=8
      echo "$number:${words[0]}" >>"$dir/Testing/Temporary/LastTestsFailed.log"
      [[ $outcome == hang ]] && outcome=Timeout
      echo "1/9 Test #$number: ${words[0]} .......***$outcome   1.01 sec" >>"${log:-/dev/null}"
    done
    echo "</testsuite>" >>"$junit"
    exit $code """
"""Of each test there is a file in the folder STAND_TESTS, named by its number: in it the name, then what comes of it
when it runs for the first time, the second time, ...; the last goes on for ever. A path is that of a program, which
tells what comes of it."""

LEAK = """
    #include <cstdlib>
    int main(int, char** words) { return std::malloc(words[0][0]) == nullptr; }
"""


class FailuresAgain(LauncherTest):
    def setUp(self):
        super().setUp()
        self.box.add_stand_in("ctest", CTEST_OF_SCRIPTS)
        self.tests = self.box.top / "scripts"
        self.tests.mkdir()

    def run_with(self, *tests):
        """Runs the tests number 1, 2, ...: each a name and what comes of it."""
        for number, words in enumerate(tests, 1):
            (self.tests / str(number)).write_text("\n".join(words) + "\n")
        return self.box.run("test", STAND_TESTS=self.tests)

    def numbers_again(self):
        """The numbers of the tests that ran again, in their order."""
        first, *others = self.box.calls("ctest")
        self.assertNotIn(" -I ", first)
        for call in others:
            self.assertIn(" -j 1 -I ", call)
        return [int(call.split(" -I ")[1].split(",")[0]) for call in others]

    def test_what_passes_runs_once(self):
        result = self.run_with(["good", "pass"], ["other", "pass"])
        self.assertEqual((result.returncode, self.numbers_again()), (0, []))

    def test_what_fails_again_is_a_failure(self):
        result = self.run_with(["good", "pass"], ["bad: (x) [1]", "fail"], ["good too", "pass"])
        self.assertEqual((result.returncode, self.numbers_again()), (1, [2]))
        self.assertRegex(result.stderr, r"(?s)failed: bad: \(x\) \[1\]\n  turn 1 .*summary.*TESTS FAILED")
        self.assertNotIn("unsteady", result.stderr)
        self.assertFalse((self.box.build / "test/unsteady").exists())

    def test_what_passes_three_times_is_unsteady_and_named_at_the_end(self):
        result = self.run_with(["good", "pass"], ["flips", "fail", "pass"], ["other", "fail", "pass"])
        self.assertEqual((result.returncode, self.numbers_again()), (0, [2, 2, 2, 3, 3, 3]), result.stderr)
        kept = self.box.build / "test/unsteady/2.txt"
        self.assertEqual(kept.read_text(), "flips\nturn 1 of flips: fail")
        self.assertRegex(result.stderr, rf"(?s)unsteady: flips: .*\(3 of 3\).* {kept}\nunsteady: other.*summary.*")
        (self.tests / "2").write_text("flips\npass\n")
        (self.tests / "3").write_text("other\npass\n")
        self.assertNotIn("unsteady", self.box.run("test", STAND_TESTS=self.tests).stderr)
        self.assertFalse(kept.exists(), "of an earlier run")

    def test_what_fails_one_time_in_two_is_a_failure(self):
        result = self.run_with(["half", "fail", "pass", "fail", "pass"])
        self.assertEqual((result.returncode, self.numbers_again()), (1, [1, 1]))
        self.assertIn("failed: half", result.stderr)

    def test_a_leak_is_a_failure(self):
        """Of a program with the sanitizer of addresses, as the launcher starts it."""
        source, program = self.box.top / "leak.cpp", self.box.top / "leak"
        source.write_text(LEAK)
        subprocess.run(["c++", "-fsanitize=address", "-o", program, source], check=True)
        result = self.run_with(["leaks", str(program)])
        self.assertEqual((result.returncode, self.numbers_again()), (1, [1]))
        self.assertRegex(result.stderr, r"(?s)failed: leaks\n  turn 1 .*LeakSanitizer: detected memory leaks")

    def test_what_hangs_runs_again_once(self):
        result = self.run_with(["slow", "hang", "pass"])
        self.assertEqual((result.returncode, self.numbers_again()), (0, [1]))
        self.assertIn("unsteady: slow: failed once, then passed when run alone (1 of 1)", result.stderr)
        self.box.forget_calls()
        result = self.run_with(["hangs", "hang"])
        self.assertEqual((result.returncode, self.numbers_again()), (1, [1]))

    def test_a_skip_is_neither_a_failure_nor_a_pass(self):
        result = self.run_with(["skips", "skip"])
        self.assertEqual((result.returncode, self.numbers_again()), (0, []))
        self.box.forget_calls()
        result = self.run_with(["skips", "pass"], ["gives up", "fail", "skip"])
        self.assertEqual((result.returncode, self.numbers_again()), (1, [2]))

    def test_after_the_first_failure_nothing_runs_again(self):
        result = self.run_with(["flips", "fail", "pass"], ["bad", "fail"], ["flips too", "fail", "pass"])
        self.assertEqual((result.returncode, self.numbers_again()), (1, [1, 1, 1, 2]))
        self.assertIn("unsteady: flips:", result.stderr)
        self.assertIn("failed: bad", result.stderr)
        self.assertIn("failed: flips too", result.stderr)
        self.assertNotIn("failed: flips\n", result.stderr)

    def test_what_ends_without_tests_is_a_failure(self):
        self.box.add_stand_in("ctest", "echo 'No tests were found!!!'; exit 8")
        self.assertEqual(self.box.run("test").returncode, 1)
        self.assertEqual(len(self.box.calls("ctest")), 1)


class Benchmarks(LauncherTest):
    WITH_PEERS = {"STAND_INSTALLED": " ".join(LIBRARIES + ["python3-venv", *PEERS])}

    def test_builds_in_a_folder_of_its_own_and_becomes_their_program(self):
        result = self.box.run("bench", "tasks", "--json", **self.WITH_PEERS)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(f"program {self.box.top} tasks --json", result.stdout)
        self.assertIn(f"-B {self.box.build}/bench -DTACIT_BENCH=ON", self.box.calls("cmake -G")[0])
        self.assertRegex(self.box.calls("ninja")[0], r"-C .*/build/bench -j \d+ tacit-bench$")
        self.assertRegex(result.stderr, r"^tacit: first build: 2 files with .*; log: .*/build/bench/tacit-build.log\n$")
        self.assertFalse((self.box.build / "venv").exists())
        self.box.forget_calls()
        self.assertEqual(self.box.run("bench", "tasks").stderr, "")
        self.assertEqual(self.box.calls(), [])

    def test_help_builds_nothing(self):
        for words in (("--help",), ("tasks", "-h")):
            result = self.box.run("bench", *words)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn("usage: ./tacit bench [NAME]", result.stdout)
        self.assertEqual(self.box.calls(), [])
        self.box.run("bench", **self.WITH_PEERS)
        self.box.forget_calls()
        (self.box.tree / "bench/main.cpp").touch()
        self.assertIn(f"program {self.box.top} tasks --help", self.box.run("bench", "tasks", "--help").stdout)
        self.assertEqual(self.box.calls(), [])

    def test_newer_benchmark_builds_again(self):
        self.box.run("bench", **self.WITH_PEERS)
        self.box.forget_calls()
        time.sleep(0.02)  # file systems count time in steps of some milliseconds
        (self.box.tree / "bench/main.cpp").touch()
        self.assertIn("sources changed", self.box.run("bench", **self.WITH_PEERS).stderr)
        self.assertEqual(len(self.box.calls("ninja")), 1)

    def test_the_peers_are_installed(self):
        self.as_root(1000)
        result = self.box.run("bench", "tasks")
        self.assertEqual(result.returncode, 3)
        self.assertIn("--no-install-recommends " + " ".join(PEERS) + "\n", result.stderr)

    def test_without_apt_peers_may_be_missing(self):
        self.box.remove_command("apt-get")
        result = self.box.run("bench", STAND_PROBE="\n".join(f"-- TACIT_PROBE {name} 99" for name in (
            "fmt", "tomlplusplus", "yaml-cpp", "pugixml", "muparser", "nlohmann_json", "CLI11", "xxhash", "xsimd",
            "HDF5", "libdeflate", "FFTW")) + "\n-- TACIT_PROBE TBB none")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_downloads_what_the_program_downloaded(self):
        self.built()
        (self.box.build / "CMakeCache.txt").write_text("TACIT_FETCH:BOOL=ON\n")
        installed = ["libhdf5-dev", "libdeflate-dev", "libfftw3-dev", "python3-venv", *PEERS]
        self.box.run("bench", STAND_INSTALLED=" ".join(installed))
        self.assertIn("-DTACIT_BENCH=ON -DTACIT_FETCH=ON", self.box.calls("cmake -G")[0])

    def test_never_builds_on_a_compute_node(self):
        result = self.box.run("bench", PMI_RANK=0)
        self.assertEqual(result.returncode, 5)
        self.assertIn("./tacit bench on the login node", result.stderr)
        self.box.run("bench", **self.WITH_PEERS)
        self.assertIn("program", self.box.run("bench", TACIT_NO_BUILD="1").stdout)

    def test_failure_shows_the_log(self):
        result = self.box.run("bench", STAND_NINJA_FAILS=1, **self.WITH_PEERS)
        self.assertEqual(result.returncode, 9)
        self.assertIn("compile line 30", result.stderr)


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(unittest.main())
