#!/usr/bin/env python3
# Tests that optional libraries which are broken, or there in part, are left out with a line that says why.
# SPDX-License-Identifier: Apache-2.0
"""Usage: test_broken_libraries.py [CMAKE]. The libraries are fakes in a prefix of the test's own, which hides those of
the system; of the project only cmake/TacitOptional.cmake is used."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CMAKE = sys.argv.pop(1) if len(sys.argv) > 1 else "cmake"

PROJECT = f"""\
cmake_minimum_required(VERSION 3.24)
project(optional LANGUAGES C CXX)
# Hides what the system has: where programs and libraries usually are, and what Debian keeps in folders of its own.
set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)
set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)
set(CMAKE_LIBRARY_ARCHITECTURE none)
list(APPEND CMAKE_MODULE_PATH "{ROOT}/cmake")
include(TacitOptional)
message(STATUS "has ${{TACIT_HAS_MPI}} ${{TACIT_HAS_PMIX}} ${{TACIT_HAS_OFI}} ${{TACIT_HAS_METIS}}.")
"""

HEADERS = {
    "pmix.h": "int PMIx_Initialized(void);",
    "pmix_version.h": "#define PMIX_VERSION_MAJOR 4\n#define PMIX_VERSION_MINOR 2\n#define PMIX_VERSION_RELEASE 2\n",
    "rdma/fabric.h": "#define FI_MAJOR_VERSION 1\n#define FI_MINOR_VERSION 17\nint fi_version(void);",
    "metis.h": "#define METIS_VER_MAJOR 5\n#define METIS_VER_MINOR 1\n#define METIS_VER_SUBMINOR 0\n"
               "int METIS_SetDefaultOptions(int*);",
}
LIBRARIES = {"pmix": "int PMIx_Initialized(void) { return 0; }", "fabric": "int fi_version(void) { return 0; }",
             "metis": "int METIS_SetDefaultOptions(int* o) { return o != 0; }"}
NAMES = {"MPI": "MPI", "PMIx": "PMIX", "libfabric": "OFI", "METIS": "METIS"}
PACKAGES = {"MPI": "libopenmpi-dev", "PMIx": "libpmix-dev", "libfabric": "libfabric-dev", "METIS": "libmetis-dev"}


class Broken(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name)
        self.prefix = self.top / "prefix"
        for name in ("include", "lib", "bin"):
            (self.prefix / name).mkdir(parents=True)
        (self.top / "CMakeLists.txt").write_text(PROJECT)

    def headers(self):
        for name, text in HEADERS.items():
            path = self.prefix / "include" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(f'extern "C" {{\n{text}\n}}\n')

    def libraries(self, suffix=".so"):
        for name, text in LIBRARIES.items():
            subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", self.prefix / f"lib/lib{name}{suffix}"],
                           input=text, text=True, check=True)

    def mpi_compiler(self, body):
        for name in ("mpicxx", "mpicc"):
            path = self.prefix / "bin" / name
            path.write_text(f"#!/bin/sh\n{body}\n")
            path.chmod(0o755)

    def configure(self, *options, fails=False):
        """What CMake says, and which of MPI, PMIx, libfabric and METIS are used."""
        chosen = {f"-DTACIT_{name}=AUTO" for name in NAMES.values()
                  if not any(o.startswith(f"-DTACIT_{name}=") for o in options)}
        done = subprocess.run(
            [CMAKE, "-G", "Ninja", "-S", self.top, "-B", self.top / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}",
             *chosen, *options],
            capture_output=True, text=True, check=False)
        said = " ".join((done.stdout + done.stderr).split())
        self.assertEqual(done.returncode != 0, fails, said)
        return said, said.split("-- has ")[1].split(".")[0].split() if not fails else []

    def assert_left_out(self, said, used, whys):
        """Each with its reason, and in one line."""
        for library, why in whys.items():
            self.assertRegex(said, rf"left out: {library}: [^(]*{why}[^-]*\(Debian: apt-get install "
                                   rf"{PACKAGES[library]}\)")
            self.assertEqual(said.count(f"left out: {library}:"), 1)
        self.assertTrue(all(not value or value in ("OFF", "FALSE") for value in used), used)

    def test_what_is_not_there_is_not_spoken_of(self):
        said, used = self.configure()
        self.assertNotIn("left out", said)
        self.assertEqual(used, ["FALSE", "OFF", "OFF", "OFF"])
        said, _ = self.configure("-DTACIT_METIS=ON", fails=True)
        self.assertIn("TACIT_METIS=ON, but METIS 5 or newer (metis.h, libmetis) was not found", said)

    def test_headers_without_libraries_and_what_becomes_whole(self):
        self.headers()
        said, used = self.configure()
        parts = "but there is no lib"
        self.assert_left_out(said, used, {"PMIx": f"{parts}pmix", "libfabric": f"{parts}fabric",
                                          "METIS": f"{parts}metis"})
        self.libraries()
        said, used = self.configure()
        self.assertNotIn("left out", said)
        self.assertEqual(used[1:], ["ON", "ON", "ON"], "the next call finds what has come")
        (self.prefix / "lib/libmetis.so").write_text("no library")
        said, used = self.configure("-DTACIT_PMIX=OFF", "-DTACIT_OFI=OFF", "-DTACIT_METIS=AUTO", "-UTACIT_METIS_WORKS")
        self.assert_left_out(said, used, {"METIS": "does not compile and link"})

    def test_libraries_without_headers(self):
        self.libraries()
        said, used = self.configure()
        self.assert_left_out(said, used, {"PMIx": "libpmix.so is there without its header pmix.h",
                                          "libfabric": "without its header rdma/fabric.h",
                                          "METIS": "without its header metis.h"})

    def test_runtimes_alone(self):
        for name in ("libpmix.so.2", "libfabric.so.1", "libmetis.so.5", "libmpich.so.12"):
            (self.prefix / "lib" / name).touch()
        said, used = self.configure()
        self.assert_left_out(said.replace("libmpich-dev", PACKAGES["MPI"]), used,
                             {"MPI": "without compiler and headers", "PMIx": "so.2 is there without its header",
                              "libfabric": "so.1 is there without its header",
                              "METIS": "so.5 is there without its header"})
        self.assertIn("libmpich-dev", said)

    def test_what_does_not_link_or_has_no_version(self):
        self.headers()
        for name in LIBRARIES:
            (self.prefix / f"lib/lib{name}.so").write_text("no library")
        (self.prefix / "include/pmix_version.h").write_text("// No numbers.\n")
        self.mpi_compiler(f"echo -I{self.prefix}/include -L{self.prefix}/lib -lmpi")
        said, used = self.configure()
        self.assert_left_out(said, used, {"MPI": "no program with it compiles and links",
                                          "PMIx": "that does not say its version",
                                          "libfabric": "does not compile and link",
                                          "METIS": "does not compile and link"})

    def test_a_compiler_of_mpi_without_its_headers(self):
        self.mpi_compiler(f"echo -I{self.prefix}/openmpi/include -pthread -lmpi")
        said, used = self.configure()
        self.assert_left_out(said, used, {"MPI": f"the headers that {self.prefix}/bin/mpicxx names are not there"})

    def test_what_is_asked_for_by_name_is_an_error(self):
        self.headers()
        self.mpi_compiler(f"echo -I{self.prefix}/openmpi/include -pthread -lmpi")
        for library, name in NAMES.items():
            said, _ = self.configure(f"-DTACIT_{name}=ON", fails=True)
            self.assertRegex(said, rf"TACIT_{name}=ON, but {library} cannot be used: .*\(Debian: apt-get install "
                                   rf"{PACKAGES[library]}\), or do without \(-DTACIT_{name}=OFF\)")


if __name__ == "__main__":
    sys.exit(unittest.main())
