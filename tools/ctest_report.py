#!/usr/bin/env python3
# Tells of the tests of one configuration what its summary must not lose: skips without an excuse, and failures.
# SPDX-License-Identifier: Apache-2.0
"""Usage: ctest_report.py skips|failures|passed TESTS.xml, the file that `ctest --output-junit` writes; or
       ctest_report.py again FOLDER, or keep FOLDER NUMBER NAME, with the folder of a build whose tests have run; or
       ctest_report.py budget JOBS QUICK.xml BUILD [BUILD-FULL...], the folders of the builds, the first configuration's
       first and with QUICK.xml of the quick suite that it ran; the others are those of --full, if that was run.

skips: exits with 1 if a test was skipped for another reason than one of licence, for continuous integration skips
nothing silently. failures: the names of the tests that failed, and the end of what they printed, without those that
were found to be unsteady. passed: exits with 1 unless there is a test, and all have passed. again: number, how often it
is to be run again, and name of each test that has failed. keep: writes what such a test has printed below
FOLDER/unsteady, as it is unsteady, and says where. budget: what each solver costs, beside what it may; a warning where
it costs more, never a failure, for no verdict hangs on time.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ALLOWED_REASON = "may not be copied"  # reference data that we may read but not ship
LINES_IN_ALL = 80  # of what failed tests have printed: a summary stays one

# What GoogleTest prints of one test of a suite that it skips, and of those that pass.
SKIPPED = re.compile(r"^\[ RUN      \] (\S+)$\n((?:(?!\[ RUN).*\n)*?)\[  SKIPPED \] \1 \(", re.MULTILINE)
PASSED = re.compile(r"^\[ RUN      \] (\S+)\n\[       OK \] \1 .*\n|^\[-{10}\].*\n", re.MULTILINE)

TIMES_AGAIN = 3  # that a test must pass to be unsteady; one that has run out of its time, once
TIMEOUT = re.compile(r"Test +#(\d+): .*\*\*\*Timeout")

LIMITS = {"clean build": 45.0, "quick suite": 30.0, "--full": 180.0}  # seconds per solver


def cases(path):
    """Returns the elements of all tests in `path`."""
    return ElementTree.parse(path).getroot().iter("testcase")


def unexcused_skips(path):
    """Returns [(name, output)] of the tests in `path` that were skipped without the allowed reason."""
    skips = []
    for case in cases(path):
        output = case.findtext("system-out") or ""
        skipped = case.find("skipped")
        if skipped is not None or case.get("status") in ("notrun", "disabled"):
            reason = skipped.get("message", "") if skipped is not None else ""
            skips.append((case.get("name"), f"{output}\n{reason}"))
        else:
            skips += SKIPPED.findall(output)
    return [(name, output.strip()) for name, output in skips if ALLOWED_REASON not in output]


def failures(path):
    """Returns [(name, output)] of the tests in `path` that failed; the reason follows the output, if ctest has one. Of
    a suite of GoogleTest: the output without tests that passed."""
    found = []
    for case in cases(path):
        failure = case.find("failure")
        if failure is not None or case.get("status") == "fail":
            reason = failure.get("message", "") if failure is not None else ""
            output = PASSED.sub("", case.findtext("system-out") or "")
            found.append((case.get("name"), f"{output}\n{reason}".strip()))
    return found


def unsteady(folder):
    """The names of the tests that were found to be unsteady."""
    return {path.read_text().partition("\n")[0] for path in (folder / "unsteady").glob("*.txt")}


def again(folder):
    """Returns [(number, times, name)] of the tests that have failed, in any way."""
    lines = (folder / "Testing/Temporary/LastTestsFailed.log").read_text(errors="replace").splitlines()
    hung = set(TIMEOUT.findall((folder / "tests.log").read_text(errors="replace")))
    failed = [line.partition(":") for line in lines]
    return [(number, 1 if number in hung else TIMES_AGAIN, name) for number, _, name in failed]


def keep(folder, number, name):
    """Writes what a test that was found to be unsteady has printed, and returns the file."""
    texts = [case.findtext("system-out") or "" for case in cases(folder / "tests.xml") if case.get("name") == name]
    path = folder / "unsteady" / f"{number}.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([name, *texts]))
    return path


def build_seconds(folder, solver):
    """Seconds that one processor compiled the solver and its unit tests in this build, by the log of ninja."""
    log = folder / ".ninja_log"
    last = {}
    for line in log.read_text().splitlines()[1:] if log.is_file() else []:
        start, end, _, output, _ = line.split("\t")
        if re.search(rf"(^|/)(tacit|test)_solvers_{solver}(_[a-z0-9]+)?\.dir/", output):
            last[output] = (int(end) - int(start)) / 1000
    return sum(last.values())


def test_seconds(path, solver):
    """Seconds of the tests in `path` whose names name the solver."""
    if not path.is_file():
        return 0.0
    return sum(float(case.get("time") or 0.0) for case in cases(path) if re.search(rf"\b{solver}\b", case.get("name")))


def budget(jobs, quick, folders, solvers):
    """Lines of a table of the seconds that each solver costs, and a warning for each that is over its limit."""
    limits = [(name, most) for name, most in LIMITS.items() if name != "--full" or len(folders) > 1]
    lines = ["seconds per solver" + "".join(f"{f'{name} (at most {most:.0f})':>28}" for name, most in limits)]
    warnings = []
    for solver in solvers:
        more = sum(build_seconds(folder, solver) for folder in folders[1:]) / jobs
        more += sum(test_seconds(folder / "tests.xml", solver) for folder in folders)
        costs = (build_seconds(folders[0], solver) / jobs, test_seconds(quick, solver), more)
        lines.append(f"  {solver:16}" + "".join(f"{cost:28.0f}" for cost, _ in zip(costs, limits)))
        warnings += [f"warning: {solver}: {name} takes {cost:.0f} s, more than {most:.0f} s"
                     for (name, most), cost in zip(limits, costs) if cost > most]
    return lines + warnings


def print_tests(what, tests, lines):
    """Prints a test as the name, and below the last `lines` of its output."""
    for name, output in tests:
        print(f"{what}: {name}\n  " + "\n  ".join(output.splitlines()[-lines:]))


def print_budget(jobs, quick, *folders):
    """Prints the table for the solvers of this tree."""
    root = Path(__file__).resolve().parents[1]
    solvers = sorted(path.name for path in (root / "src/tacit/solvers").iterdir() if path.is_dir())
    print("\n".join(budget(int(jobs), Path(quick), [Path(folder) for folder in folders], solvers)))


def main():
    what, *arguments = sys.argv[1:]
    try:
        if what == "budget":
            print_budget(*arguments)
            return 0
        if what == "again":
            for entry in again(Path(arguments[0])):
                print(*entry, sep="\t")
            return 0
        if what == "keep":
            print(keep(Path(arguments[0]), *arguments[1:]))
            return 0
        if what == "passed":
            states = [case.get("status") for case in cases(arguments[0])]
            return 0 if states and set(states) == {"run"} else 1
        tests = unexcused_skips(*arguments) if what == "skips" else failures(*arguments)
    except (OSError, ElementTree.ParseError) as error:
        print(f"no test results to read: {error}")
        return 1
    if what == "failures":
        known = unsteady(Path(arguments[0]).parent)
        tests = [test for test in tests if test[0] not in known]
        print_tests("failed", tests, max(3, LINES_IN_ALL // max(1, len(tests))))
        return 0
    print_tests("skipped", tests, 6)
    return 1 if tests else 0


if __name__ == "__main__":
    sys.exit(main())
