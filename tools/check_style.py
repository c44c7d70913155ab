#!/usr/bin/env python3
# Checks what the style sheet asks of every file: first line, SPDX, widths, lengths, and a library that never prints.
# SPDX-License-Identifier: Apache-2.0
"""Usage: check_style.py [ROOT]. Prints "file:line: what is wrong" and exits with 1 if anything is."""

import re
import sys
from pathlib import Path

from source_files import is_code, project_files, report

MAX_COLUMNS = 120
MAX_LINES = 600  # the aim is 400; beyond 600 a file is more than one thing
SPDX = "SPDX-License-Identifier: Apache-2.0"
# The library throws; only main() prints and ends the program.
FORBIDDEN_IN_LIBRARY = re.compile(
    r"\bstd::(cout|cerr|clog)\b|(?<![\w.>])(std::)?(printf|fprintf|puts|putchar|perror)\s*\(|\bfmt::print(ln)?\s*\("
    r"|(?<![\w.>])(std::)?(exit|_exit|quick_exit|abort|terminate)\s*\("
)
STRING_OR_COMMENT = re.compile(r'"(\\.|[^"\\])*"|//.*')
C_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)  # of the headers for C


def first_line_error(lines):
    """The first line (after "#!") says in one sentence what the file holds; the next ones carry the licence."""
    body = lines[1:] if lines and lines[0].startswith("#!") else lines
    first = body[0] if body else ""
    if not re.match(r'(//|/\*|#|""")\s*\S.*', first) or first.startswith(("#include", "#pragma", "#if")):
        return "the first line must be a comment that says what the file holds"
    if "SPDX-License" in first:
        return "the first line must say what the file holds; the SPDX line comes second"
    if not any(SPDX in line for line in lines[:10]):
        return f"'{SPDX}' is missing from the first lines"
    return None


def check_text(lines, is_table):
    """Yields complaints about white space and widths; rows of data tables may be wide."""
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            yield number, "white space at the end of the line"
        if "\t" in line:
            yield number, "tab character"
        if len(line) > MAX_COLUMNS and not is_table and "http" not in line:
            yield number, f"{len(line)} columns; at most {MAX_COLUMNS}"


def check_file(path, in_library):
    """Yields (line number, message) for one code file."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    error = first_line_error(lines)
    if error:
        yield 1, error
    if text and not text.endswith("\n"):
        yield len(lines), "no line feed at the end of the file"
    yield from check_text(lines, is_table=path.suffix == ".inc")
    if len(lines) > MAX_LINES:
        yield len(lines), f"{len(lines)} lines; at most {MAX_LINES} (aim: 120, seldom over 400)"
    if path.suffix in {".hpp", ".h"} and not any(line in ("#pragma once",) or "#ifndef" in line for line in lines[:20]):
        yield 1, "a header needs #pragma once"
    if in_library:
        code = C_COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text) if path.suffix == ".h" else text
        for number, line in enumerate(code.splitlines(), 1):
            match = FORBIDDEN_IN_LIBRARY.search(STRING_OR_COMMENT.sub("", line))
            if match:
                yield number, f"the library never prints, exits or aborts: '{match.group(0)}'; throw an error instead"


def check(root):
    """Returns all complaints about the tree at `root`, as lines."""
    complaints = []
    for path in project_files(root):
        if not is_code(path):
            continue
        place = path.relative_to(root).as_posix()
        in_library = place.startswith("src/") and path.suffix != ".py"
        complaints += [f"{place}:{number}: {message}" for number, message in check_file(path, in_library)]
    return complaints


if __name__ == "__main__":
    sys.exit(report(check))
