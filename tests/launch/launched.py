#!/usr/bin/env python3
# Starts a program as launchers do, and holds what it says and how it ends against what is expected.
# SPDX-License-Identifier: Apache-2.0
"""usage: launched.py [--root] [--nodes] [--needs PROGRAM]... [--fails] [--within S] [--says TEXT]... [--once TEXT]...
                   -- COMMAND...

Exit code 0: as expected; 1: not; 77: something is missing here, which is named.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys

SKIPPED = 77


def parsed(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", action="store_true", help="only root can run it")
    parser.add_argument("--nodes", action="store_true", help="it emulates nodes by namespaces of the kernel")
    parser.add_argument("--needs", action="append", default=[], help="a program that must be there")
    parser.add_argument("--fails", action="store_true", help="the exit code is not 0")
    parser.add_argument("--within", type=float, default=120.0, help="seconds, after which it hangs")
    parser.add_argument("--says", action="append", default=[], help="a text that is in the output")
    parser.add_argument("--once", action="append", default=[], help="a text that is there once")
    dashes = arguments.index("--")
    found = parser.parse_args(arguments[:dashes])
    found.command = arguments[dashes + 1:]
    return found


def missing(expected: argparse.Namespace) -> str:
    """Returns what keeps the test from being run; empty: nothing."""
    for program in expected.needs:
        if shutil.which(program) is None:
            return f"there is no {program} (Debian: mpich libmpich-dev slurm-wlm munge openmpi-bin)"
    if expected.root and os.getuid() != 0:
        return "only root can start a batch system"
    spaces = ["unshare", "--pid", "--mount", "--uts", "--fork", "--mount-proc", "true"]
    if expected.nodes and subprocess.run(spaces, capture_output=True, check=False).returncode != 0:
        return "the kernel gives no namespaces here, in which nodes are emulated (a container needs CAP_SYS_ADMIN)"
    return ""


def run(command: list[str], seconds: float) -> tuple[int | None, str]:
    """Returns exit code (None: it hung) and output of `command`, all of whose processes end with it."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            return finish(process, seconds)
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # all have ended


def finish(process: subprocess.Popen, seconds: float) -> tuple[int | None, str]:
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)  # launchers end their ranks, which have sessions of their own
        try:
            output, _ = process.communicate(timeout=20)
        except subprocess.TimeoutExpired as error:
            output = (error.stdout or b"").decode(errors="replace")
        return None, output


def complaints(expected: argparse.Namespace, code: int | None, output: str) -> list[str]:
    """Returns what differs from what was expected."""
    found = []
    if code is None:
        found.append(f"it had not ended after {expected.within:g} s")
    elif (code != 0) != expected.fails:
        found.append(f"its exit code is {code}")
    found += [f"it does not say '{text}'" for text in expected.says if text not in output]
    found += [f"it says '{text}' {output.count(text)} times" for text in expected.once if output.count(text) != 1]
    return found


def main() -> int:
    expected = parsed(sys.argv[1:])
    reason = missing(expected)
    if reason:
        print(f"SKIPPED: {reason}")
        return SKIPPED
    code, output = run(expected.command, expected.within)
    print(output)
    found = complaints(expected, code, output)
    for complaint in found:
        print(f"FAILED: {complaint}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
