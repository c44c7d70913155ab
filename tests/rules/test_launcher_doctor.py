# Tests ./tacit doctor, on systems that are made up.
# SPDX-License-Identifier: Apache-2.0
"""Each finding is provoked by the file of /proc or /sys that it comes from, or by a package that is not installed."""

import json
import unittest

from launcher_sandbox import LIBRARIES, PEERS, LauncherTest


class Doctor(LauncherTest):
    def setUp(self):
        super().setUp()
        self.put("proc/cpuinfo", "processor : 0\nflags : fpu sse4_2 avx2 fma\n\nprocessor : 1\n")
        self.put("proc/loadavg", "0.01 0.02 0.00 1/100 1\n")
        self.put("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n")
        (self.box.system / "dev/shm").mkdir(parents=True)

    def put(self, path, text):
        """A file of the system."""
        (self.box.system / path).parent.mkdir(parents=True, exist_ok=True)
        (self.box.system / path).write_text(text)

    def findings(self, code=0, installed=tuple(LIBRARIES + PEERS + ["python3-venv"]), **variables):
        """{what: (state, text and advice)}; the text has the same as JSON."""
        variables["STAND_INSTALLED"] = " ".join(installed)
        result = self.box.run("doctor", "--json", **variables)
        self.assertEqual((result.returncode, result.stderr), (code, ""))
        found = json.loads(result.stdout)
        text = self.box.run("doctor", **variables)
        self.assertEqual(text.returncode, code)
        self.assertEqual(len(text.stdout.splitlines()), len(found))
        for one, line in zip(found, text.stdout.splitlines()):
            self.assertEqual(line.split()[0], one["state"])
            self.assertIn(one["what"], line)
            self.assertTrue(line.endswith(one["advice"]), line)
        for call in self.box.calls():
            self.assertNotRegex(call, "^ninja (?!--version)|^sudo|^apt-get| -G ", "nothing is built or installed")
        return {one["what"]: (one["state"], one["text"] + " " + one["advice"]) for one in found}

    def test_a_good_machine_lacks_nothing(self):
        found = self.findings()
        self.assertEqual({what for what, (state, _) in found.items() if state not in ("found",)}, {"program", "MPI"})
        self.assertIn("GCC 12.2", found["compiler"][1])
        self.assertEqual(found["instructions"], ("found", "AVX2 "))
        self.assertFalse(self.box.build.exists())

    def test_what_is_missing_has_its_package(self):
        found = self.findings(3, [name for name in LIBRARIES if name != "libhdf5-dev"])
        self.assertEqual(found["HDF5"][0], "missing")
        self.assertIn("sudo apt-get install libhdf5-dev", found["HDF5"][1])
        self.assertEqual(found["METIS"][0], "absent")
        self.assertIn("libmetis-dev", found["METIS"][1])
        self.assertNotIn("TBB", found)
        self.assertEqual(self.findings(3, STAND_CMAKE="3.20.0")["CMake"][0], "missing")

    def test_what_is_slow_says_why_and_what_to_do(self):
        self.put("proc/cpuinfo", "processor : 0\nflags : fpu sse4_2\n")
        self.put("proc/loadavg", "900.5 1 1 1/100 1\n")
        self.put("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n")
        self.put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n")
        self.put("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n")
        self.put("sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "acpi-cpufreq\n")
        self.put("proc/self/cgroup", "0::/job\n")
        self.put("sys/fs/cgroup/job/cpu.max", "50000 100000\n")
        self.put("proc/meminfo", "MemTotal: 65536000 kB\nMemAvailable: 1000000 kB\n")
        found = self.findings()
        slow = {what for what, (state, _) in found.items() if state == "slow"}
        self.assertEqual(slow, {"instructions", "load", "huge pages", "clock", "control group", "memory"})
        self.assertIn("cpupower frequency-set -g performance", found["clock"][1])
        self.assertIn("echo madvise", found["huge pages"][1])
        self.put("sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "amd-pstate-epp\n")  # which follows the load
        self.assertEqual(self.findings()["clock"][0], "found")

    def test_nodes_of_memory_are_for_ranks(self):
        for node in (0, 1):
            (self.box.system / f"sys/devices/system/node/node{node}").mkdir(parents=True)
        self.assertIn("mpirun -n 2 --map-by numa", self.findings()["processors"][1])

    def test_a_program_that_does_not_start_is_missing(self):
        self.built()
        (self.box.build / "bin/tacit").write_text("#!/bin/bash\necho 'libx.so: cannot open' >&2\nexit 127\n")
        found = self.findings(3)
        self.assertEqual(found["program"][0], "missing")
        self.assertIn("libx.so: cannot open", found["program"][1])

    def test_other_words_are_refused(self):
        result = self.box.run("doctor", "--jason")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("usage: ./tacit doctor", result.stderr)
        self.assertEqual(self.box.run("doctor", "--help").returncode, 0)


if __name__ == "__main__":
    unittest.main()
