#!/usr/bin/env python3
# Tests every rule of the launcher ./tacit with stand-ins for compilers, cmake, ninja, apt and sudo.
# SPDX-License-Identifier: Apache-2.0
import fcntl
import os
import pty
import re
import signal
import sys
import time
import unittest

from launcher_sandbox import LIBRARIES, LONGEST_S, PEERS, ROOT, STAND_INS, LauncherTest, read_until, wait_until

RANK_VARIABLES = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID")


class FastPath(LauncherTest):
    def test_first_call_configures_builds_and_becomes_the_program(self):
        result = self.box.run("check", "run.toml", "--flag")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(f"program {self.box.top} check run.toml --flag", result.stdout)
        self.assertIn(f"launcher={self.box.tree}/tacit source={self.box.tree}", result.stdout)
        self.assertEqual(len(self.box.calls("ninja")), 1)
        self.assertRegex(result.stderr, r"^tacit: first build: 2 files with \d+ jobs, about \d+ min; log: .*\n$")
        self.assertEqual(len(result.stdout.splitlines()), 1, "stdout belongs to the program")

    def test_second_call_starts_nothing_else(self):
        self.built()
        result = self.box.run("check", "x")
        self.assertIn("program", result.stdout)
        self.assertEqual(result.stderr, "")
        self.assertEqual(self.box.calls(), [])

    def test_newer_source_builds_again_and_only_once(self):
        def delete_source():
            (self.box.tree / "src/tacit/base/one.cpp").unlink()

        self.built()
        for change in (self.box.touch_source, delete_source):
            change()
            result = self.box.run("check", "x")
            self.assertEqual(len(self.box.calls("ninja")), 1, change)
            self.assertIn("sources changed", result.stderr)
            self.assertEqual(self.box.calls("cmake -G"), [], "ninja itself knows when to configure")
            self.box.forget_calls()
            self.assertEqual((self.box.run("check", "x").stderr, self.box.calls()), ("", []))

    def test_stamp_carries_the_time_before_the_build(self):
        gate = self.box.gate()
        process = self.box.start("check", "x", STAND_NINJA_GATE=gate)
        self.assertTrue(wait_until(lambda: self.box.calls("ninja")))
        time.sleep(0.02)  # file systems count time in steps of some milliseconds
        (self.box.tree / "apps/main.cpp").write_text("// Edited while the compiler runs.\n")
        gate.touch()
        process.communicate(timeout=LONGEST_S)
        self.box.forget_calls()
        self.box.run("check", "x")
        self.assertEqual(len(self.box.calls("ninja")), 1)

    def test_symlink_and_other_folder(self):
        self.built()
        link = self.box.top / "bin-of-mine"
        link.symlink_to(self.box.tree / "tacit")
        elsewhere = self.box.top / "else where"
        elsewhere.mkdir()
        result = self.box.run("run", "a file.toml", cwd=elsewhere, launcher=link)
        self.assertIn(f"program {elsewhere} run a file.toml", result.stdout)

    def test_no_build_runs_what_is_there(self):
        self.built()
        self.box.touch_source()
        result = self.box.run("check", "x", TACIT_NO_BUILD=1)
        self.assertIn("program", result.stdout)
        self.assertEqual(self.box.calls("ninja"), [])

    def refuses_to_build(self, **options):
        """Asserts that nothing is built, and that the one message names the way out."""
        result = self.box.run("check", "x", **options)
        self.assertEqual(result.returncode, 3)
        self.assertEqual(result.stdout, "")
        self.assertTrue(result.stderr.startswith(f"tacit: cannot write to {self.box.build}; set TACIT_BUILD_DIR"))
        self.assertLess(len(result.stderr.splitlines()), 3, result.stderr)
        self.assertEqual(self.box.calls("cmake"), [])

    def test_build_folder_that_takes_no_lock(self):
        (self.box.build / ".lock").mkdir(parents=True)
        self.refuses_to_build()

    def test_build_folder_of_another_user(self):
        self.box.build.mkdir(mode=0o555)
        self.refuses_to_build(before=self.box.as_another_user())
        self.box.build.chmod(0o755)
        self.built()
        self.box.build.chmod(0o555)
        before = self.box.as_another_user()
        result = self.box.run("run", "x", before=before)
        self.assertEqual((result.returncode, result.stderr), (0, ""), "a program that is current needs no lock")
        self.box.touch_source()
        self.assertIn("TACIT_NO_BUILD=1 runs the program that is there", self.box.run("run", "x", before=before).stderr)
        self.box.build.chmod(0o755)

    def test_file_system_without_locks(self):
        self.box.add_stand_in("flock", "exit 71")
        result = self.box.run("check", "x")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("waiting", result.stderr)

    def test_no_build_without_program(self):
        result = self.box.run("run", "x", TACIT_NO_BUILD=1)
        self.assertEqual(result.returncode, 5)
        self.assertIn("./tacit build", result.stderr)
        self.assertEqual(self.box.calls(), [])

    def test_build_folder_of_the_user(self):
        result = self.box.run("check", "x", TACIT_BUILD_DIR="mine")
        self.assertIn("program", result.stdout)
        self.assertTrue((self.box.top / "mine/bin/tacit").exists())
        self.assertFalse(self.box.build.exists())

    def test_unknown_command_builds_nothing(self):
        for arguments, code in ((("frobnicate",), 2), ((), 0), (("--help",), 0)):
            result = self.box.run(*arguments)
            self.assertEqual((result.returncode, result.stdout), (code, ""))
            self.assertIn("usage: ./tacit", result.stderr)
        self.assertEqual(self.box.calls(), [])


class ParallelLaunch(LauncherTest):
    def test_never_builds_and_one_rank_speaks(self):
        for variable in RANK_VARIABLES:
            for rank in (0, 3):
                result = self.box.run("run", "x", **{variable: rank})
                self.assertEqual(result.returncode, 5)
                self.assertEqual("./tacit build on the login node" in result.stderr, rank == 0, variable)
        self.assertEqual(self.box.calls(), [])
        self.assertFalse(self.box.build.exists())

    def test_runs_an_old_program_and_says_so_once(self):
        self.built()
        self.box.touch_source()
        for rank in (0, 1):
            result = self.box.run("run", "x", SLURM_PROCID=rank)
            self.assertIn("program", result.stdout)
            self.assertEqual("newer than the program" in result.stderr, rank == 0)
        self.assertEqual(self.box.calls(), [])
        self.assertFalse((self.box.build / "venv").exists())

    def test_libraries_of_another_launcher_are_named(self):
        self.built()
        program = self.box.build / "bin/tacit"
        program.write_text("#!/bin/bash\nif [[ -n ${LD_LIBRARY_PATH:-} ]]; then\n"
                           'echo "tacit: symbol lookup error: /wheel/libopen-pal.so.80: undefined symbol: x" >&2\n'
                           "exit 127\nfi\necho program\n")
        for rank in (0, 1):
            result = self.box.run("run", "x", OMPI_COMM_WORLD_RANK=rank, LD_LIBRARY_PATH="/wheel/lib")
            self.assertEqual((result.returncode, result.stdout), (4, ""))
            self.assertEqual("undefined symbol: x" in result.stderr and "/wheel/lib" in result.stderr, rank == 0)
            self.assertEqual("with the mpirun of the MPI that it was built with" in result.stderr, rank == 0)
        self.assertIn("program", self.box.run("run", "x", OMPI_COMM_WORLD_RANK=0).stdout)
        program.write_text("#!/bin/bash\necho program; [[ $* != --version ]]\n")  # which fails for reasons of its own
        self.assertIn("program", self.box.run("run", "x", PMI_RANK=0, LD_LIBRARY_PATH="/wheel/lib").stdout)

    def test_build_and_test_are_refused(self):
        for command in ("build", "test"):
            self.assertEqual(self.box.run(command, PMI_RANK=0).returncode, 5)


class Installing(LauncherTest):
    def test_nothing_missing_no_apt(self):
        self.as_root()
        self.built()
        self.box.touch_source()
        self.box.run("check", "x")
        self.assertEqual(self.box.calls("apt-get"), [])

    def test_root_installs_all_in_one_call(self):
        self.as_root()
        self.box.remove_command("g++", "clang++-16", "ninja")
        result = self.box.run("check", "x", STAND_INSTALLED="libfmt-dev libhdf5-dev libdeflate-dev libfftw3-dev")
        calls = self.box.calls("apt-get")
        self.assertEqual(len(calls), 1, calls)
        self.assertTrue(calls[0].startswith("apt-get install -y --no-install-recommends g++ ninja-build "), calls)
        self.assertEqual(set(calls[0].split()[4:]), {"g++", "ninja-build", "python3-venv", "libtomlplusplus-dev",
                                                     "libyaml-cpp-dev", "libpugixml-dev", "libmuparser-dev",
                                                     "nlohmann-json3-dev", "libcli11-dev", "libxxhash-dev",
                                                     "libxsimd-dev"})
        self.assertEqual(result.returncode, 3, "the stand-in installs nothing, so the compiler is still missing")
        self.assertIn("C++ compiler", result.stderr)

    def test_fresh_container_updates_its_lists_first(self):
        self.as_root()
        (self.box.system / "var/lib/apt/lists/archive_Packages").unlink()
        self.box.run("check", "x", STAND_INSTALLED="python3-venv")
        self.assertEqual([call.split()[1] for call in self.box.calls("apt-get")], ["update", "install"])

    def test_failing_apt_shows_why(self):
        self.as_root()
        result = self.box.run("check", "x", STAND_INSTALLED="python3-venv", STAND_APT_FAILS=1)
        self.assertEqual(result.returncode, 100)
        self.assertIn("E: no such package", result.stderr)

    def test_ordinary_user_without_terminal_gets_the_command(self):
        self.as_root(1000)
        result = self.box.run("check", "x", STAND_INSTALLED=" ".join(LIBRARIES[1:]))
        self.assertEqual(result.returncode, 3)
        self.assertIn("sudo apt-get install -y --no-install-recommends libfmt-dev python3-venv\n", result.stderr)
        self.assertEqual(self.box.calls("apt-get"), [])

    def test_without_python_only_pictures_are_missing(self):
        self.as_root(1000)
        result = self.box.run("run", "x", STAND_INSTALLED=" ".join(LIBRARIES))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("program", result.stdout)
        self.assertIn("no pictures: python3 with its module venv is missing (Debian: sudo apt-get install "
                      "python3-venv)", result.stderr)
        self.assertIn("TACIT_PYTHON", result.stderr)
        self.assertEqual(self.box.calls("apt-get"), [])
        result = self.box.run("plot", "out", STAND_INSTALLED=" ".join(LIBRARIES))
        self.assertEqual(result.returncode, 4)
        self.assertIn("python3-venv", result.stderr)
        result = self.box.run("build", STAND_INSTALLED=" ".join(LIBRARIES))
        self.assertEqual((result.returncode, result.stderr.count("no pictures")), (0, 1), result.stderr)
        self.box.touch_source()
        result = self.box.run("check", "x", STAND_INSTALLED=" ".join(LIBRARIES), TACIT_PYTHON="/opt/python")
        self.assertNotIn("pictures", result.stderr)

    def test_root_without_network_still_builds_without_python(self):
        self.as_root()
        result = self.box.run("run", "x", STAND_INSTALLED=" ".join(LIBRARIES), STAND_APT_FAILS=1)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("apt-get install -y --no-install-recommends python3-venv", self.box.calls("apt-get"))
        self.assertIn("no pictures", result.stderr)

    def test_mpi_is_installed_if_it_is_asked_for(self):
        self.as_root(1000)
        result = self.box.run("build", "-DTACIT_MPI=ON")
        self.assertEqual(result.returncode, 3)
        self.assertIn("sudo apt-get install -y --no-install-recommends libopenmpi-dev\n", result.stderr)
        self.box.add_stand_in("mpicxx", "")
        self.assertEqual(self.box.run("build", "-DTACIT_MPI=ON").returncode, 0, "another MPI is here")
        self.box.add_stand_in("mpicxx", "exit 1")
        self.assertEqual(self.box.run("build", "-DTACIT_MPI=ON").returncode, 3, "another MPI is here, without headers")
        self.box.remove_command("mpicxx")
        self.as_root()
        self.box.run("build", "-DTACIT_MPI=ON")
        self.assertIn("apt-get install -y --no-install-recommends libopenmpi-dev", self.box.calls("apt-get"))

    def test_optional_libraries_are_installed_if_they_are_asked_for(self):
        for option, package in (("METIS", "libmetis-dev"), ("PMIX", "libpmix-dev"), ("OFI", "libfabric-dev")):
            self.as_root(1000)
            result = self.box.run("build", f"-DTACIT_{option}=ON")
            self.assertEqual(result.returncode, 3)
            self.assertIn(f"sudo apt-get install -y --no-install-recommends {package}\n", result.stderr)
            self.as_root()
            self.box.run("build", f"-DTACIT_{option}=ON")
            self.assertIn(f"apt-get install -y --no-install-recommends {package}", self.box.calls("apt-get"))

    def test_what_is_left_out_is_said(self):
        result = self.box.run("check", "x", STAND_CMAKE_SAYS="-- left out: MPI: no headers\\n-- Found x\\n")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("tacit: left out: MPI: no headers\n", result.stderr)
        self.assertNotIn("Found", result.stderr)

    def on_terminal(self, answer):
        """Runs `check` as an ordinary user on a terminal where libfmt-dev is missing; returns (exit code, text)."""
        self.as_root(1000)
        environment = self.box.environment(STAND_INSTALLED=" ".join(LIBRARIES[1:] + ["python3-venv"]))
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(self.box.tree / "tacit", ["tacit", "check", "x"], environment)
        text, asked = "", False
        while True:
            try:
                text += os.read(terminal, 4096).decode()
            except OSError:
                break
            if "[y/N]" in text and not asked:
                asked = True
                os.write(terminal, answer)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), text

    def test_ordinary_user_on_a_terminal_is_asked(self):
        code, text = self.on_terminal(b"n\n")
        self.assertEqual(code, 3)
        self.assertIn("Need to get 12.3 MB", text)
        self.assertEqual(self.box.calls("sudo"), [])
        code, text = self.on_terminal(b"y\n")
        self.assertEqual(code, 0, text)
        self.assertEqual(self.box.calls("sudo"), ["sudo apt-get install -y --no-install-recommends libfmt-dev"])

    def test_test_adds_gtest_and_full_adds_clang(self):
        self.as_root(1000)
        present = " ".join(LIBRARIES + ["python3-venv"])
        result = self.box.run("test", STAND_INSTALLED=present)
        self.assertIn("--no-install-recommends libgtest-dev\n", result.stderr)
        self.box.remove_command("clang++-16")
        result = self.box.run("test", "--full", STAND_INSTALLED=present)
        self.assertIn("--no-install-recommends clang-16 libclang-rt-16-dev clang-tidy-16 libgtest-dev " +
                      " ".join(PEERS) + "\n", result.stderr)

    def test_root_installs_launchers_to_test_everything(self):
        self.as_root()
        present = " ".join(LIBRARIES + ["python3-venv", "libgtest-dev", "libclang-rt-16-dev", "clang-tidy-16", *PEERS])
        self.box.run("test", "--full", STAND_INSTALLED=present)
        self.assertIn("apt-get install -y --no-install-recommends mpich libmpich-dev slurm-wlm munge",
                      self.box.calls("apt-get"))

    def test_root_installs_mpi_to_test_and_others_need_not(self):
        present = " ".join(LIBRARIES + ["python3-venv", "libgtest-dev"])
        self.as_root(1000)
        self.assertEqual(self.box.run("test", STAND_INSTALLED=present).returncode, 0)
        self.assertEqual(self.box.calls("apt-get"), [])
        self.as_root()
        self.assertEqual(self.box.run("test", STAND_INSTALLED=present).returncode, 0)
        self.assertIn("apt-get install -y --no-install-recommends libopenmpi-dev libpmix-dev libfabric-dev "
                      "libmetis-dev", self.box.calls("apt-get"))

    def test_old_compilers_are_refused_by_name(self):
        self.as_root(1000)
        self.box.remove_command("clang++-16")
        result = self.box.run("check", "x", CXX="g++", STAND_GCC=11)
        self.assertEqual(result.returncode, 3)
        self.assertIn("CXX=g++ is GCC 11.2; Tacit needs GCC >= 12 or Clang >= 16", result.stderr)
        self.box.remove_command("apt-get")
        result = self.box.run("check", "x", STAND_GCC=10)
        self.assertEqual(result.returncode, 3)
        self.assertRegex(result.stderr, r"C\+\+ compiler +found: GCC 10.2 \(.*/g\+\+\) +needed: GCC 12 or Clang 16")

    def test_without_apt_names_versions_and_ways_out(self):
        self.box.remove_command("apt-get")
        found = [f"-- TACIT_PROBE {name} 99" for name in (
            "tomlplusplus yaml-cpp pugixml muparser nlohmann_json CLI11 xxhash xsimd").split()]
        probe = "\\n".join(found + ["-- TACIT_PROBE fmt 8.1.1-too-old", "-- TACIT_PROBE HDF5 none"])
        result = self.box.run("check", "x", STAND_PROBE=probe, STAND_CMAKE="3.22.1")
        self.assertEqual(result.returncode, 3)
        self.assertRegex(result.stderr, r"fmt +found: 8\.1\.1 +needed: 9\n")
        self.assertRegex(result.stderr, r"HDF5 +found: none +needed: 1\.10\.3\n")
        self.assertRegex(result.stderr, r"CMake +found: 3\.22\.1 +needed: 3\.24\n")
        self.assertNotIn("CLI11  ", result.stderr)
        for way in ("module load", "conda-forge", "spack install", "-DTACIT_FETCH=ON"):
            self.assertIn(way, result.stderr)

    def test_fetch_leaves_small_libraries_to_cmake(self):
        self.box.remove_command("apt-get")
        probe = r"-- TACIT_PROBE HDF5 1.14.0\n-- TACIT_PROBE FFTW 3.3"
        result = self.box.run("build", "-DTACIT_FETCH=ON", STAND_PROBE=probe)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(any("-DTACIT_FETCH=ON" in call for call in self.box.calls("cmake -G")))

    def test_prefix_path_counts_beside_packages(self):
        self.as_root(1000)
        result = self.box.run("check", "x", STAND_INSTALLED=" ".join(LIBRARIES[1:] + ["python3-venv"]),
                              CMAKE_PREFIX_PATH="/opt/fmt", STAND_PROBE="-- TACIT_PROBE fmt 10.1.0")
        self.assertEqual(result.returncode, 0, result.stderr)


class Compilers(LauncherTest):
    def configured_with(self, **variables):
        self.box.run("check", "x", **variables)
        return (self.box.build / ".configured").read_text().splitlines()[1]

    def test_newest_gcc_is_taken(self):
        self.box.add_stand_in("g++-13", 'echo "__clang_major__ __clang_minor__ 13 1"')
        self.assertTrue(self.configured_with().endswith("/g++-13"))

    def test_clang_where_gcc_is_old(self):
        self.assertTrue(self.configured_with(STAND_GCC=11).endswith("/clang++-16"))

    def test_cxx_is_honoured_at_first_and_named_later(self):
        self.assertEqual(self.configured_with(CXX="clang++-16"), "clang++-16")
        self.box.touch_source()
        result = self.box.run("check", "x", CXX="g++")
        self.assertIn("CXX=g++ is ignored", result.stderr)
        self.assertIn("configured with clang++-16", result.stderr)


class Building(LauncherTest):
    def test_failure_shows_the_last_twenty_lines(self):
        result = self.box.run("check", "x", STAND_NINJA_FAILS=1)
        self.assertEqual(result.returncode, 9)
        shown = [line for line in result.stderr.splitlines() if line.startswith("compile line")]
        self.assertEqual((len(shown), shown[0], shown[-1]), (20, "compile line 11", "compile line 30"))
        self.assertIn("exit code 9", result.stderr)
        self.assertIn("tacit-build.log", result.stderr)
        self.assertEqual(result.stdout, "")

    def test_failed_build_is_tried_again(self):
        self.built()
        self.box.touch_source()
        self.assertEqual(self.box.run("check", "x", STAND_NINJA_FAILS=1).returncode, 9)
        self.box.forget_calls()
        self.box.run("check", "x")
        self.assertEqual(len(self.box.calls("ninja")), 1)

    def test_failed_configure_starts_afresh_with_the_same_options(self):
        result = self.box.run("build", "-DTACIT_FETCH=ON", STAND_CMAKE_FAILS=1)
        self.assertEqual(result.returncode, 7)
        self.assertIn("configure line 30", result.stderr)
        self.box.forget_calls()
        self.assertEqual(self.box.run("check", "x").returncode, 0)
        call = self.box.calls("cmake -G")[0]
        self.assertIn("--fresh", call)
        self.assertIn("-DTACIT_FETCH=ON", call)

    def test_failed_configure_of_a_program_is_announced_as_a_first_build(self):
        self.built()
        self.assertEqual(self.box.run("build", "-DTACIT_FETCH=ON", STAND_CMAKE_FAILS=1).returncode, 7)
        self.box.touch_source()
        self.assertIn("first build: 2 files", self.box.run("check", "x").stderr)

    def test_build_looks_again_for_libraries(self):
        self.built()
        result = self.box.run("build")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("looking for libraries that have come or gone", result.stderr)
        calls = self.box.calls("cmake -G")
        self.assertEqual(len(calls), 1, "CMake looks")
        self.assertNotIn("--fresh", calls[0], "options and what is compiled are kept")
        self.assertEqual(len(self.box.calls("ninja")), 1, "and what has changed is compiled")

    def test_a_build_announces_what_ninja_has_to_compile(self):
        self.built()
        self.box.touch_source()
        plan = "".join(f"[{i}/180] Building CXX object {i}.o\\n" for i in range(176)) + "[180/180] Linking x\\n"
        said = self.box.run("check", "x", STAND_PLAN=plan).stderr
        found = re.search(r"sources changed: building what they affect, 176 files with (\d+) jobs, (.*) or so", said)
        jobs, long = found.groups()
        self.assertEqual(long, {"1": "9 min", "2": "4 min"}.get(jobs, long))
        said = self.box.run("build", STAND_PLAN=plan).stderr
        self.assertIn("building the program with solvers: all, 176 files", said)
        said = self.box.run("build", STAND_PLAN=plan).stderr
        self.assertIn("libraries have come or gone: building what they affect, 176 files", said)

    def test_what_was_installed_is_looked_for(self):
        self.as_root()
        self.assertEqual(self.box.run("test").returncode, 0)
        self.box.forget_calls()
        packages = " ".join(LIBRARIES + ["python3-venv", "libgtest-dev"])
        self.assertEqual(self.box.run("test", STAND_INSTALLED=packages).returncode, 0)
        self.assertIn("libopenmpi-dev", self.box.calls("apt-get")[-1])
        self.assertEqual(len(self.box.calls("cmake -G")), 1)

    def test_killed_configure_starts_afresh(self):
        self.box.add_stand_in("cmake", 'if [[ $1 == --version ]]; then echo "cmake version 3.25.1"; else sleep 2; fi')
        process = self.box.start("check", "x")
        self.assertTrue(wait_until(lambda: self.box.calls("cmake -G")))
        process.kill()
        process.communicate()
        self.box.add_stand_in("cmake", STAND_INS["cmake"])
        self.box.forget_calls()
        self.assertEqual(self.box.run("check", "x").returncode, 0)
        self.assertIn("--fresh", self.box.calls("cmake -G")[0])

    def test_moved_tree_is_configured_afresh(self):
        self.built()
        moved = self.box.top / "moved"
        self.box.tree.rename(moved)
        os.utime(moved / "apps/main.cpp", (time.time() + 9,) * 2)
        result = self.box.run("check", "x", launcher=moved / "tacit")
        self.assertIn("--fresh", self.box.calls("cmake -G")[0])
        self.assertRegex(result.stderr, r"^tacit: first build: 2 files with \d+ jobs, about \d+ min; log: .*\n$",
                         "all is compiled again, whatever has changed")

    def test_two_calls_build_once(self):
        gate = self.box.gate()
        first = self.box.start("check", "x", STAND_NINJA_GATE=gate)
        self.assertTrue(wait_until(lambda: self.box.calls("ninja")))
        second = self.box.start("check", "y")
        self.assertTrue(read_until(second.stderr, "waiting for it"))
        gate.touch()
        for process in (first, second):
            stdout, _ = process.communicate(timeout=LONGEST_S)
            self.assertIn("program", stdout)
        self.assertEqual(len(self.box.calls("ninja")), 1)

    def test_signals_end_the_children(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            self.box.forget_calls()
            process = self.box.start("check", "x", STAND_NINJA_GATE=self.box.gate())  # which stays shut
            self.assertTrue(wait_until(lambda: self.box.calls("ninja")))
            process.send_signal(number)
            _, stderr = process.communicate(timeout=LONGEST_S)
            self.assertEqual(process.returncode, code)
            self.assertIn("interrupted", stderr)
            self.assertFalse((self.box.build / ".stamp").exists())

    def test_jobs_follow_cores_memory_and_sixteen(self):
        cases = [  # cores allowed, cgroup files, available kB, expected jobs
            (64, {}, 64000000, 16),
            (3, {}, 64000000, 3),
            (64, {}, 6100000, 4),
            (64, {}, 900000, 1),
            (64, {"cpu.max": "250000 100000"}, 64000000, 2),
            (64, {"cpu.max": "50000 100000"}, 64000000, 1),
            (64, {"memory.max": "4000000000", "memory.current": "2000000000",
                  "memory.stat": "file 9\ninactive_file 1500000000\n"}, 64000000, 2),
            (64, {"cpu/cpu.cfs_quota_us": "500000", "cpu/cpu.cfs_period_us": "100000"}, 64000000, 5),
            (64, {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, 64000000, 16),
        ]
        for cores, files, available, jobs in cases:
            with self.subTest(cores=cores, files=files, available=available):
                self.box.add_stand_in("nproc", f"echo {cores}")
                (self.box.system / "proc/meminfo").write_text(f"MemAvailable:   {available} kB\n")
                version_1 = any("cfs" in name for name in files)
                groups = "3:cpu,cpuacct:/job/7\n" if version_1 else "0::/a/b\n"
                (self.box.system / "proc/self/cgroup").write_text(groups)
                for name, text in files.items():
                    path = self.box.system / "sys/fs/cgroup" / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text + "\n")
                self.box.forget_calls()
                self.box.touch_source()
                self.box.run("check", "x")
                self.assertIn(f" -j {jobs} ", self.box.calls("ninja")[0])
                for name in files:
                    (self.box.system / "sys/fs/cgroup" / name).unlink()


class Pictures(LauncherTest):
    def test_run_makes_the_environment_behind_the_compiler(self):
        gate = self.box.gate()
        result = self.box.run("run", "x", STAND_PIP_GATE=gate)
        self.assertIn("program", result.stdout, "the run does not wait for it")
        self.assertFalse((self.box.build / "venv/.ready").exists())
        gate.touch()
        self.wait_for_venv()
        result = self.box.run("run", "x")
        self.assertIn(f"python={self.box.build}/venv/bin/python", result.stdout)
        self.assertEqual(len(self.box.calls("pip")), 1)

    def test_check_makes_none(self):
        self.box.run("check", "x")
        self.assertFalse((self.box.build / "venv.lock").exists(), "what makes one begins with its lock")
        self.assertFalse((self.box.build / "venv").exists())

    def test_plot_waits_and_says_so(self):
        gate = self.box.gate()
        self.box.run("run", "x", STAND_PIP_GATE=gate)
        plot = self.box.start("plot", "out", TACIT_NO_BUILD=1)
        self.assertTrue(read_until(plot.stderr, "waiting for the Python environment"))
        gate.touch()
        stdout, stderr = plot.communicate(timeout=LONGEST_S)
        self.assertEqual(plot.returncode, 0, stderr)
        self.assertIn(f"plot out python={self.box.build}/venv/bin/python", stdout)

    def test_failed_environment_is_code_4_with_the_reason(self):
        self.assertEqual(self.box.run("run", "x", STAND_PIP_FAILS=1).returncode, 0)
        self.assertTrue(wait_until((self.box.build / "venv.failed").exists))
        result = self.box.run("plot", "out", TACIT_NO_BUILD=1)
        self.assertEqual((result.returncode, result.stdout), (4, ""))
        self.assertIn("pip: no network here", result.stderr)
        self.assertIn("./tacit build", result.stderr)
        self.box.run("run", "x", STAND_PIP_FAILS=1)
        with open(self.box.build / "venv.lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # what makes an environment holds it from before the run ends
        self.assertEqual(len(self.box.calls("pip")), 1, "a run does not try again")
        self.assertEqual(self.box.run("plot", "out").returncode, 0, "the user's own plot does")

    def test_new_requirements_make_a_new_environment(self):
        self.box.run("run", "x")
        self.wait_for_venv()
        with open(self.box.tree / "python/requirements.txt", "a") as file:
            file.write("another==1.0\n")
        self.box.run("run", "x")
        self.assertTrue(wait_until(lambda: len(self.box.calls("pip")) == 2))

    def test_lock_that_cannot_be_had(self):
        (self.box.build / "venv.lock").mkdir(parents=True)
        self.assertEqual(self.box.run("run", "x").returncode, 0)
        result = self.box.run("plot", "out", TACIT_NO_BUILD=1)
        self.assertEqual(result.returncode, 4)
        self.assertNotIn("flock", result.stderr)
        (self.box.build / "venv.lock").rmdir()
        (self.box.build / "venv.lock").touch(mode=0o444)
        self.box.build.chmod(0o555)
        result = self.box.run("plot", "out", before=self.box.as_another_user())
        self.box.build.chmod(0o755)
        self.assertEqual(result.returncode, 4)
        self.assertIn(f"cannot write to {self.box.build}", result.stderr)

    def test_python_of_the_user(self):
        result = self.box.run("plot", "x", TACIT_PYTHON="/opt/python")
        self.assertIn("python=/opt/python", result.stdout)
        self.assertEqual(self.box.calls("pip"), [])

    def test_build_waits_for_it(self):
        gate = self.box.gate()
        build = self.box.start("build", STAND_PIP_GATE=gate)
        self.assertTrue(wait_until(lambda: self.box.calls("pip") and (self.box.build / ".stamp").exists()))
        self.assertIsNone(build.poll())
        gate.touch()
        stdout, _ = build.communicate(timeout=LONGEST_S)
        self.assertEqual((build.returncode, stdout), (0, ""))
        self.assertTrue((self.box.build / "venv/.ready").exists())


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(unittest.main())
