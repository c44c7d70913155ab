#!/usr/bin/env python3
# Counts lines of code, without comments and blank lines, by layer: of the tree, of a commit, or of two and the change.
# SPDX-License-Identifier: Apache-2.0
"""Usage: count_lines.py [TREE [TREE]], a TREE being a commit, or "." for the files as they are (the default)."""

import io
import re
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import Path

from source_files import is_code, project_files

ROOT = Path(__file__).resolve().parents[1]
C_COMMENT = re.compile(r'(R"(\w*)\(.*?\)\2"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\')|//[^\n]*|/\*.*?\*/', re.DOTALL)
HASH_COMMENT = re.compile(r'^[ \t]*#[^\n]*$|^[ \t]*""".*?"""[ \t]*$', re.DOTALL | re.MULTILINE)


def code_lines(suffix, text):
    r"""Lines that hold code.

    >>> code_lines(".cpp", 'int a;  // one\n/* two\n three */\n\nauto b = "// code";\n')
    2
    >>> code_lines(".py", '# comment\ndef f():\n    \"\"\"Says what\n    it does.\"\"\"\n    return "#"\n')
    2
    """
    is_c = suffix in {".hpp", ".cpp", ".h", ".c", ".cu", ".cuh"}
    bare = C_COMMENT.sub(lambda found: found[1] or "", text) if is_c else HASH_COMMENT.sub("", text)
    return sum(bool(line.strip()) for line in bare.split("\n"))


def layer_of(path):
    """The layer of a file, or its folder outside src/tacit.

    >>> [layer_of(p) for p in ("src/tacit/io/a/b.cpp", "src/tacit/solvers/dns/a.hpp", "tests/unit/io/a.cpp")]
    ['src/io', 'src/solvers/dns', 'tests']
    """
    parts = path.split("/")
    depth = 4 if parts[2:3] == ["solvers"] else 3
    return "/".join(["src", *parts[2:depth]]).partition(".")[0] if parts[0] == "src" else parts[0]


def files(tree):
    """(path, text) of each code file."""
    if tree == ".":
        return [(str(path.relative_to(ROOT)), path.read_text()) for path in project_files(ROOT) if is_code(path)]
    packed = subprocess.run(["git", "-C", str(ROOT), "archive", tree], check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        return [(file.name, archive.extractfile(file).read().decode())
                for file in archive if file.isfile() and is_code(Path(file.name))]


def main(trees):
    counts = [Counter() for _ in trees]
    for tree, count in zip(trees, counts):
        for path, text in files(tree):
            layer, lines = layer_of(path), code_lines(Path(path).suffix, text)
            count.update({layer: lines, "src": lines if layer != "src" and layer.startswith("src") else 0})
    for layer in sorted(set().union(*counts)):
        lines = [count[layer] for count in counts]
        change = [f"{lines[1] - lines[0]:+9}"] if len(lines) > 1 else []
        print(f"{layer:24}" + "".join([f"{n:9}" for n in lines] + change))


if __name__ == "__main__":
    main(sys.argv[1:3] or ["."])
