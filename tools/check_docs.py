#!/usr/bin/env python3
# Checks the Markdown files: links and anchors lead somewhere, quoted code is the code, quoted figures are the results.
# SPDX-License-Identifier: Apache-2.0
"""Usage: check_docs.py [ROOT]. Prints "file:line: what is wrong" and exits with 1 if anything is.

A quote is a fenced block with a comment right before it that names where it comes from:

    <!-- quote: src/tacit/engine/simulation.cpp:run -->
    ```cpp
    ...
    ```

The block must occur in that file word for word (but for a common indentation), and the file must contain the name.

A figure is a link to a file of results, with the figure's name as its title; the text is its value, rounded, with any
unit behind it, or a share in percent:

    [3.0](../bench/results/comm/xeon-vm-nodes-818c219.json "nodes4x4_all_to_all_40KB_vs_mpi")
"""

import json
import re
import sys
import textwrap
from pathlib import Path

from source_files import project_files, report

LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
QUOTE = re.compile(r"<!--\s*quote:\s*([^\s:]+)(?::([\w:~]+))?\s*-->")
FIGURE = re.compile(r"\[([^\]]*)\]\(([^)\s]+\.json)\s+\"(\w+)\"\)")
NUMBER = re.compile(r"(-?\d+(?:\.(\d+))?)(?:e(\d+))?(?: .*)?$")
FENCE = re.compile(r"^\s*(```|~~~)")
INLINE_CODE = re.compile(r"`[^`]*`")


def split_fences(lines):
    """Returns [(line number, line)] outside fenced code, and {line number after its opening fence: block text}."""
    outside, blocks, start = [], {}, None
    for number, line in enumerate(lines, 1):
        if FENCE.match(line):
            if start is None:
                start = number + 1
            else:
                blocks[start] = "\n".join(lines[start - 1 : number - 1])
                start = None
        elif start is None:
            outside.append((number, line))
    return outside, blocks


def anchors_of(path):
    """The anchors that headings of a Markdown file get, as the common web viewers make them."""
    outside, _ = split_fences(path.read_text(encoding="utf-8").splitlines())
    anchors = set()
    for _, line in outside:
        match = re.match(r"#+\s+(.*?)\s*#*$", line)
        if match:
            words = re.sub(r"[^\w\- ]", "", match.group(1).lower())
            slug, count = words.replace(" ", "-"), 1
            while slug in anchors:
                slug, count = f"{words.replace(' ', '-')}-{count}", count + 1
            anchors.add(slug)
    return anchors


def link_error(target, path, root):
    """What is wrong with the link `target` in the file `path`; None if nothing is or it leads out of the tree."""
    if re.match(r"[a-z][a-z0-9+.-]*:", target):
        return None
    name, _, anchor = target.partition("#")
    goal = ((root / name.lstrip("/")) if name.startswith("/") else (path.parent / name)) if name else path
    if not goal.exists():
        return f"the link '{target}' leads nowhere"
    if anchor and goal.suffix == ".md" and anchor not in anchors_of(goal):
        return f"the link '{target}': {goal.name} has no such heading"
    return None


def quote_error(source, name, block, root):
    """What is wrong with a quoted block; None if it stands in its source."""
    path = root / source
    if not path.is_file():
        return f"the quoted file '{source}' does not exist"
    if block is None:
        return f"no code block follows the quote of '{source}'"
    text = path.read_text(encoding="utf-8")
    if name and name not in text:
        return f"'{source}' does not contain '{name}'"
    wanted = textwrap.dedent(block).strip("\n").splitlines()
    have = [line.rstrip() for line in text.splitlines()]
    for start in range(len(have) - len(wanted) + 1):
        part = textwrap.dedent("\n".join(have[start : start + len(wanted)])).splitlines()
        if part == [line.rstrip() for line in wanted]:
            return None
    return f"the block differs from '{source}'; copy it again"


def figure_error(text, name, results):
    """What is wrong with a figure of a file of `results`, which a document gives as `text`; None if nothing is."""
    if not results.is_file():
        return None  # the link itself is an error
    figures = json.loads(results.read_text(encoding="utf-8"))["results"]
    values = {figure["name"]: figure["value"] for figure in figures}
    if name not in values:
        return f"'{results.name}' has no figure '{name}'"
    number = NUMBER.match(text)
    if not number:
        return f"the figure '{name}' is given as '{text}', which does not begin with a number"
    decimals = len(number.group(2) or "")
    value = values[name] * (100 if text.endswith(" %") else 1) / 10 ** int(number.group(3) or 0)
    if abs(float(number.group(1)) - value) > 0.501 * 10**-decimals:
        return f"the figure '{name}' is given as '{text}', and is {values[name]:.6g}"
    return None


def check_file(path, root):
    """Yields (line number, message) for one Markdown file."""
    outside, blocks = split_fences(path.read_text(encoding="utf-8").splitlines())
    for number, line in outside:
        for match in LINK.finditer(INLINE_CODE.sub("", line)):
            error = link_error(match.group(1), path, root)
            if error:
                yield number, error
        for figure in FIGURE.finditer(INLINE_CODE.sub("", line)):
            error = figure_error(figure.group(1), figure.group(3), path.parent / figure.group(2))
            if error:
                yield number, error
        quote = QUOTE.search(INLINE_CODE.sub("", line))
        if quote:
            error = quote_error(quote.group(1), quote.group(2), blocks.get(number + 2), root)
            if error:
                yield number, error


def check(root):
    """Returns all complaints about the Markdown files below `root`, as lines."""
    return [
        f"{path.relative_to(root)}:{number}: {message}"
        for path in project_files(root)
        if path.suffix == ".md"
        for number, message in check_file(path, root)
    ]


if __name__ == "__main__":
    sys.exit(report(check))
