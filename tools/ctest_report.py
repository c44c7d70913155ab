#!/usr/bin/env python3
# Tells of the tests of one configuration what its summary must not lose: skips without an excuse, and failures.
# SPDX-License-Identifier: Apache-2.0
"""Usage: ctest_report.py skips|failures TESTS.xml, the file that `ctest --output-junit` writes.

skips: exits with 1 if a test was skipped for another reason than one of licence, for continuous integration skips
nothing silently. failures: the names of the tests that failed, and the end of what they printed.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree

ALLOWED_REASON = "may not be copied"  # reference data that we may read but not ship
LINES_IN_ALL = 80  # of what failed tests have printed: a summary stays one

# What GoogleTest prints of one test of a suite that it skips, and of those that pass.
SKIPPED = re.compile(r"^\[ RUN      \] (\S+)$\n((?:(?!\[ RUN).*\n)*?)\[  SKIPPED \] \1 \(", re.MULTILINE)
PASSED = re.compile(r"^\[ RUN      \] (\S+)\n\[       OK \] \1 .*\n|^\[-{10}\].*\n", re.MULTILINE)


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


def print_tests(what, tests, lines):
    """Prints a test as the name, and below the last `lines` of its output."""
    for name, output in tests:
        print(f"{what}: {name}\n  " + "\n  ".join(output.splitlines()[-lines:]))


def main():
    what, path = sys.argv[1:]
    try:
        tests = unexcused_skips(path) if what == "skips" else failures(path)
    except (OSError, ElementTree.ParseError) as error:
        print(f"no test results to read: {error}")
        return 1
    if what == "failures":
        print_tests("failed", tests, max(3, LINES_IN_ALL // max(1, len(tests))))
        return 0
    print_tests("skipped", tests, 6)
    return 1 if tests else 0


if __name__ == "__main__":
    sys.exit(main())
