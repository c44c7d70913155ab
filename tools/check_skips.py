#!/usr/bin/env python3
# Fails if a test was skipped for another reason than one of licence; continuous integration skips nothing silently.
# SPDX-License-Identifier: Apache-2.0
"""Usage: check_skips.py TESTS.xml, the file that `ctest --output-junit` writes."""

import sys
import xml.etree.ElementTree as ElementTree

ALLOWED_REASON = "may not be copied"  # reference data that we may read but not ship


def unexcused_skips(path):
    """Returns [(name, output)] of the tests in `path` that were skipped without the allowed reason."""
    skips = []
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        skipped = case.find("skipped")
        if skipped is None and case.get("status") not in ("notrun", "disabled"):
            continue
        reason = skipped.get("message", "") if skipped is not None else ""
        output = f"{case.findtext('system-out') or ''}\n{reason}"
        if ALLOWED_REASON not in output:
            skips.append((case.get("name"), output.strip()))
    return skips


def main():
    try:
        skips = unexcused_skips(sys.argv[1])
    except (OSError, ElementTree.ParseError) as error:
        print(f"no test results to read: {error}")
        return 1
    for name, output in skips:
        print(f"skipped: {name}\n  " + "\n  ".join(output.splitlines()[-6:]))
    return 1 if skips else 0


if __name__ == "__main__":
    sys.exit(main())
