# A copy of the launcher in a temporary tree, on a PATH where compilers, cmake, ninja, apt and sudo are stand-ins.
# SPDX-License-Identifier: Apache-2.0
"""Every stand-in writes its name and arguments to `calls`; environment variables named STAND_* steer what it does. With
a gate (STAND_NINJA_GATE=FILE) a stand-in waits until there is that file, or the sandbox is gone: tests decide on the
order of events, never on times. LONGEST_S ends what hangs."""

import os
import shutil
import signal
import subprocess
import tempfile
import textwrap
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LONGEST_S = 300
LIBRARIES = ("libfmt-dev libtomlplusplus-dev libyaml-cpp-dev libpugixml-dev libmuparser-dev "
             "nlohmann-json3-dev libcli11-dev libxxhash-dev libxsimd-dev libhdf5-dev libdeflate-dev "
             "libfftw3-dev").split()
PEERS = ["libtbb-dev", "libfftw3-mpi-dev", "libopenblas-serial-dev", "libopenmpi-dev", "libpmix-dev", "libfabric-dev",
         "libmetis-dev"]
"""In the order of cmake/dependencies.txt."""
SYSTEM_TOOLS = """bash cat chmod cp cut date dirname env false find flock grep head kill ln mkdir mktemp mv readlink rm
    sed setsid sh sleep sort stat tail timeout touch tr true uname wc id nproc""".split()

RECORD = """#!/bin/bash
case "${0##*/} $*" in
  "ninja -n"* | ninja*" build.ninja") ;;  # which only say what is about to be done
  *) echo "${0##*/} $*" >>"$STAND_CALLS" ;;
esac
"""

STAND_INS = {
    "g++": """[[ $* == *-E* ]] && echo "__clang_major__ __clang_minor__ ${STAND_GCC:-12} 2" """,
    "clang++-16": """[[ $* == *-E* ]] && echo "16 0 4 2" """,
    "cmake": """
        if [[ $1 == --version ]]; then echo "cmake version ${STAND_CMAKE:-3.25.1}"; exit; fi
        while (($#)); do [[ $1 == -B ]] && dir=$2; [[ $1 == -S ]] && source=$2; shift; done
        if [[ $source == */probe ]]; then printf '%b\\n' "$STAND_PROBE"; exit; fi
        mkdir -p "$dir"
        echo "cmake with CXX=$CXX CC=${CC:-}"
        touch "$dir/CMakeCache.txt"
        printf '%b' "${STAND_CMAKE_SAYS:-}"
        if [[ -n ${STAND_CMAKE_FAILS:-} ]]; then seq -f 'configure line %.0f' 30; exit 7; fi
        touch "$dir/build.ninja" """,
    "ninja": """
        if [[ $1 == -n ]]; then printf '%b' "${STAND_PLAN:-}"; exit; fi
        if [[ $* == *' build.ninja' ]]; then exit; fi
        while (($#)); do [[ $1 == -C ]] && dir=$2; shift; done
        until [[ -z ${STAND_NINJA_GATE:-} || -e $STAND_NINJA_GATE || ! -e $STAND_CALLS ]]; do sleep 0.02; done
        if [[ -n ${STAND_NINJA_FAILS:-} ]]; then seq -f 'compile line %.0f' 30; exit 9; fi
        mkdir -p "$dir/bin"
        for name in tacit tacit-bench; do
          [[ -e $dir/bin/$name ]] && continue
          {
            echo '#!/bin/bash'
            echo 'echo "program $PWD $*" python=$TACIT_PYTHON launcher=$TACIT_LAUNCHER source=$TACIT_SOURCE'
            echo 'if [[ -n ${STAND_ASKS:-} && -n ${TACIT_BUILDS_FOR_US:-} ]]; then'
            echo '  exec "$TACIT_BUILDS_FOR_US" __with "$STAND_ASKS" "$@"'
            echo 'fi'
          } >"$dir/bin/$name"
          chmod +x "$dir/bin/$name"
        done """,
    "ctest": """
        while (($#)); do
          [[ $1 == --output-junit ]] && junit=$2
          [[ $1 == --output-log ]] && echo "${STAND_TEST_LOG:-}" >"$2"
          shift
        done
        sleep "${STAND_TEST_SECONDS:-0}"
        echo "100% tests passed"
        echo "<testsuite><testcase name='t' status='${STAND_TEST_STATUS:-run}'>" >"$junit"
        [[ ${STAND_TEST_STATUS:-} == notrun ]] && echo "<skipped message='x'/>" >>"$junit"
        echo "<system-out>${STAND_TEST_OUTPUT:-}</system-out></testcase></testsuite>" >>"$junit"
        [[ ${STAND_TEST_STATUS:-} != fail ]] """,
    "apt-get": """
        [[ $1 == install && -n ${STAND_APT_FAILS:-} ]] && { echo "E: no such package"; exit 100; }
        if [[ $* == *--assume-no* ]]; then echo "Need to get 12.3 MB of archives."; exit 1; fi
        exit 0 """,
    "apt-cache": """ echo "  Candidate: 4:12.2.0-3" """,
    "dpkg-query": """ for package in $STAND_INSTALLED; do printf '|%s installed|' "$package"; done """,
    "sudo": """ "$@" """,
    "python3": """
        if [[ $1 == */reach.py && -n ${STAND_REACH:-} ]]; then printf '%b' "$STAND_REACH"; exit; fi
        if [[ $1 == */ctest_report.py || $1 == */reach.py ]]; then exec /usr/bin/env -i "$STAND_PYTHON" "$@"; fi
        [[ " $STAND_INSTALLED " == *" python3-venv "* ]] || { echo "no ensurepip"; exit 1; }
        [[ $* == "-c import ensurepip, venv" ]] && exit
        [[ $* == "-m venv "* ]] || exit 1
        mkdir -p "$3/bin"
        {
          echo '#!/bin/bash'
          echo 'echo "pip $*" >>"$STAND_CALLS"'
          echo 'until [[ -z ${STAND_PIP_GATE:-} || -e $STAND_PIP_GATE || ! -e $STAND_CALLS ]]; do sleep 0.02; done'
          echo 'if [[ -n ${STAND_PIP_FAILS:-} ]]; then echo "pip: no network here"; exit 1; fi'
        } >"$3/bin/python"
        chmod +x "$3/bin/python" """,
}


class Sandbox:
    """A temporary tree with the real launcher and stand-ins for everything it starts."""

    def __init__(self):
        self.top = Path(tempfile.mkdtemp(prefix="tacit-launcher-"))
        self.tree = self.top / "tree"
        self.build = self.tree / "build"
        self.bin = self.top / "bin"
        self.calls_file = self.top / "calls"
        self.system = self.top / "system"
        self._copy_tree()
        self._make_stand_ins()
        self._make_system()

    def _copy_tree(self):
        for name in ("tacit", "CMakeLists.txt", "cmake/dependencies.txt", "python/requirements.txt",
                     "python/requirements-test.txt", "python/requirements-full.txt"):
            target = self.tree / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target)
        shutil.copytree(ROOT / "tools", self.tree / "tools")
        (self.tree / "examples/comm").mkdir(parents=True)
        for name in ("src/tacit/base/one.cpp", "apps/main.cpp", "bench/main.cpp"):
            (self.tree / name).parent.mkdir(parents=True)
            (self.tree / name).write_text("// A source.\n")

    def _make_stand_ins(self):
        self.bin.mkdir()
        self.calls_file.touch()
        for name, body in STAND_INS.items():
            self.add_stand_in(name, body)
        for name in SYSTEM_TOOLS + ["seq", "setarch"]:
            real = shutil.which(name)
            if real and not (self.bin / name).exists():
                (self.bin / name).symlink_to(real)

    def _make_system(self):
        """64 cores and 64 GB, no control group, and lists of packages."""
        for folder in ("proc/self", "sys/fs/cgroup", "var/lib/apt/lists"):
            (self.system / folder).mkdir(parents=True)
        (self.system / "proc/meminfo").write_text("MemTotal: 65536000 kB\nMemAvailable:   64000000 kB\n")
        (self.system / "proc/self/cgroup").write_text("0::/\n")
        (self.system / "var/lib/apt/lists/archive_Packages").touch()

    def add_stand_in(self, name, body):
        """Replaces the command `name` by a script."""
        path = self.bin / name
        path.unlink(missing_ok=True)
        path.write_text(RECORD + textwrap.dedent(body) + "\n")
        path.chmod(0o755)

    def remove_command(self, *names):
        for name in names:
            (self.bin / name).unlink()

    def environment(self, **extra):
        """What the launcher sees: everything installed, an ordinary user, no network needed."""
        variables = {
            "PATH": str(self.bin), "HOME": str(self.top), "STAND_CALLS": str(self.calls_file),
            "STAND_INSTALLED": " ".join(LIBRARIES + ["python3-venv", "libgtest-dev"]),
            "STAND_PYTHON": shutil.which("python3") or "python3", "TACIT_TEST_SYSTEM": str(self.system),
        }
        variables.update({name: str(value) for name, value in extra.items()})
        return variables

    def start(self, *arguments, cwd=None, launcher=None, before=(), **variables):
        """Starts ./tacit in the background, by the command `before` if there is one; returns the Popen object."""
        command = [*before, str(launcher or self.tree / "tacit"), *arguments]
        return subprocess.Popen(command, cwd=cwd or self.top, text=True, env=self.environment(**variables),
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                start_new_session=True)

    def run(self, *arguments, **options):
        """Runs ./tacit to its end; returns an object with returncode, stdout and stderr."""
        process = self.start(*arguments, **options)
        try:
            stdout, stderr = process.communicate(timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # a launcher that waits for ever must not do so behind the tests
            raise
        return subprocess.CompletedProcess(arguments, process.returncode, stdout, stderr)

    def gate(self, name="gate"):
        """A file that is not there yet, for STAND_NINJA_GATE and STAND_PIP_GATE; its touch() opens the gate."""
        return self.top / name

    def calls(self, name=""):
        """The calls so far, one line each, of the stand-in `name` (all: "")."""
        return [line for line in self.calls_file.read_text().splitlines() if line.startswith(name)]

    def forget_calls(self):
        self.calls_file.write_text("")

    def touch_source(self):
        """Makes one source newer than any stamp."""
        time.sleep(0.02)  # file systems count time in steps of some milliseconds
        (self.tree / "src/tacit/base/one.cpp").touch()

    def as_another_user(self):
        """The words before a command that let it run without root's rights, as a user who may read the tree."""
        for folder in (self.top, self.tree):
            folder.chmod(0o755)
        self.calls_file.chmod(0o666)
        if os.geteuid() != 0:
            return []
        return [shutil.which("setpriv"), "--reuid=65534", "--regid=65534", "--clear-groups"]

    def close(self):
        shutil.rmtree(self.top, ignore_errors=True)


def wait_until(condition, seconds=LONGEST_S):
    """Polls `condition`; True as soon as it holds, False if it does not within `seconds`."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def read_until(stream, text):
    """Reads lines of what a process writes up to one that has the text; False if it ends without it."""
    return any(text in line for line in iter(stream.readline, ""))


class LauncherTest(unittest.TestCase):
    def setUp(self):
        self.box = Sandbox()
        self.addCleanup(self.box.close)

    def as_root(self, number=0):
        self.box.add_stand_in("id", f"echo {number}")

    def built(self):
        """Builds once, and forgets what was called for it."""
        result = self.box.run("check", "x.toml")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.box.forget_calls()

    def wait_for_venv(self):
        self.assertTrue(wait_until((self.box.build / "venv/.ready").exists))
