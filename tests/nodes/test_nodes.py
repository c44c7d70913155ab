#!/usr/bin/env python3
# Checks that emulated nodes are apart from each other and from the machine, and that nothing of them is left.
# SPDX-License-Identifier: Apache-2.0
"""Exits with 77, what ctest takes for a skipped test, where nodes cannot be emulated."""

import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

import nodes

SCRIPT = nodes.__file__
ENTER = str(Path(SCRIPT).parent / "enter.sh")


def start(*words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, SCRIPT, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def output(*words: str) -> str:
    """What a program prints that must succeed."""
    process = start(*words)
    out, err = process.communicate(timeout=60)
    if process.returncode != 0:
        raise AssertionError(f"exit code {process.returncode}: {err}")
    return out


def on_nodes(count: int, script: str, *words: str) -> str:
    """The same of a script that runs on node after node."""
    return output("--nodes", str(count), *words, "--", "bash", "-ec",
                  f"for node in $(seq 0 {count - 1}); do {ENTER} $node '{script}'; done")


def is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


class TestNodes(unittest.TestCase):
    def test_a_node_is_a_host_of_its_own(self) -> None:
        self.assertEqual(on_nodes(3, "hostname", "--prefix", "n"), "n0\nn1\nn2\n")
        self.assertNotEqual(os.uname().nodename, "node0")

    def test_a_node_has_its_own_processes_and_memory(self) -> None:
        # A file in /dev/shm of one node is in no other; a node sees its own few processes, not the machine's.
        seen = on_nodes(2, "ls /dev/shm | wc -l; touch /dev/shm/x; ls -d /proc/[0-9]* | wc -l")
        counts = [int(count) for count in seen.split()]
        self.assertEqual(counts[0::2], [0, 0])
        self.assertLess(max(counts[1::2]), 10)
        self.assertFalse(Path("/dev/shm/x").exists())

    def test_nodes_reach_each_other_and_nothing_else(self) -> None:
        server = f"{sys.executable} -m http.server 5000 --bind {nodes.address(1)}"
        reach = f"(exec 3<>/dev/tcp/{nodes.address(1)}/5000) 2>/dev/null"
        output("--nodes", "2", "--", "bash", "-ec",
               f"{ENTER} 1 '{server} >/dev/null 2>&1' & {ENTER} 0 'until {reach}; do sleep 0.1; done'")
        # lo and e0, of which nothing leads to the machine's own network.
        self.assertEqual(on_nodes(1, "grep -c : /proc/net/dev"), "2\n")

    def test_a_wire_has_its_rate(self) -> None:
        self.assertIn("rate 100Mbit", on_nodes(1, "tc qdisc show dev e0", "--rate", "100mbit"))

    def test_a_wire_has_its_delay(self) -> None:
        # A connection is there after a packet each way. Later than that it may be on a busy machine, never earlier.
        server = f"{sys.executable} -m http.server 5000 --bind {nodes.address(1)}"
        now = "${EPOCHREALTIME/./}"  # microseconds
        reach = f"begin={now}; exec 3<>/dev/tcp/{nodes.address(1)}/5000; echo $(({now} - begin))"
        microseconds = output("--nodes", "2", "--delay", "5000", "--", "bash", "-ec",
                              f"{ENTER} 1 '{server} >/dev/null 2>&1' & "
                              f"{ENTER} 0 'until ({reach}) 2>/dev/null; do sleep 0.1; done'")
        self.assertGreaterEqual(int(microseconds), 10000)
        self.assertEqual(on_nodes(2, "hostname", "--delay", "5000"), "node0\nnode1\n")

    def test_the_exit_code_is_the_programs(self) -> None:
        process = start("--nodes", "1", "--", "bash", "-c", "exit 5")
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 5)

    def test_sets_run_side_by_side(self) -> None:
        sets = [start("--nodes", "2", "--", "bash", "-ec", f"{ENTER} 1 hostname; sleep 1") for _ in range(3)]
        self.assertEqual([process.communicate(timeout=60)[0] for process in sets], ["node1\n"] * 3)

    def test_nothing_is_left_however_it_ends(self) -> None:
        script = f"{ENTER} 1 'sleep 1000' & echo $$ $! $TACIT_NODES; wait"
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL):
            process = start("--nodes", "2", "--", "bash", "-c", script)
            assert process.stdout is not None and process.stderr is not None
            started = [int(word) for word in process.stdout.readline().split()]
            self.assertEqual(len(started), 4)
            process.send_signal(number)
            process.wait(timeout=30)
            process.stdout.close()
            process.stderr.close()
            end = time.monotonic() + 20
            while any(map(is_there, started)) and time.monotonic() < end:
                time.sleep(0.05)
            self.assertFalse([one for one in started if is_there(one)], f"left after signal {number}")


if __name__ == "__main__":
    try:
        nodes.require_means()
    except nodes.CannotEmulate as error:
        print(f"SKIPPED: nodes cannot be emulated here: {error}", file=sys.stderr)
        sys.exit(nodes.SKIPPED)
    unittest.main()
