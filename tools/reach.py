#!/usr/bin/env python3
# Names the tests that a change can reach: those that ./tacit test --full builds with a sanitizer.
# SPDX-License-Identifier: Apache-2.0
"""Usage: reach.py [ROOT]. Prints three lines: the targets to build, ctest's pattern of the tests to run, and whether
the scheduler is among them (yes or no). Without anything to test, the first two are empty. stderr says what was found.

The change is what differs from the commit in .ci/passed, the last one whose continuous integration passed. By
cmake/layers.txt it reaches the layers that include a changed one, directly or not. The layers of CORE are below
nearly everything: of them their own tests run, and a small case of every solver in place of all that is above them.
Everything is tested when that commit is unknown here, or when a file changed that no rule names.
"""

import re
import subprocess
import sys
from pathlib import Path

from check_layers import layer_of, read_layers

RECORD = ".ci/passed"
CORE = {"base", "tasks", "comm", "exchange"}
SMALL_CASES = "physics: a small case of every solver"

# The first pattern that matches a changed file decides: all layers, none, the tests of one layer, or (no rule) the
# layer that the file is in.
ALL, NONE = "all", "none"
RULES = [
    (r"(.*/)?CMakeLists\.txt|.*\.cmake", ALL),
    (r"tests/(mpi|nodes|ofi)/.*", "comm"),
    (r"tests/(messages|physics)/.*|tests/support/.*\.py", "apps"),
    (r"bench/.*", "bench"),
    (r"(docs|examples|python|\.ci|tools/(?!launcher/)|tests/(bench|data|docs|install|launch|python|ranks|rules))/?.*|"
     r".*\.md|LICENSE|\.git\w+|\.clang-\w+", NONE),
]


def git(root, *arguments):
    """The lines that git prints; None if it fails or is not there."""
    try:
        done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.splitlines()


def changed_files(root):
    """(files, commit): what differs from the recorded commit; (None, why) if that cannot be said."""
    record = root / RECORD
    match = re.search(r"^[0-9a-f]{40}$", record.read_text(), re.MULTILINE) if record.is_file() else None
    if not match:
        return None, f"{RECORD} names no commit"
    commit = match.group()
    if git(root, "merge-base", "--is-ancestor", commit, "HEAD") is None:
        return None, f"{commit[:7]} of {RECORD} is not in the history here"
    changed = git(root, "diff", "--name-only", "--no-renames", commit)
    new = git(root, "ls-files", "--others", "--exclude-standard")
    return (None, "git fails") if changed is None or new is None else (changed + new, commit[:7])


def below(layer, layers):
    """`layer` and all layers that it includes, directly or not."""
    found, new = set(), {layer}
    while new:
        found |= new
        new = set().union(*(layers.get(name, set()) for name in new)) - found
    return found


def classify(files, layers):
    """(changed layers, layers of which tests changed); None if some file may concern all layers."""
    changed, tested = set(), set()
    for file in files:
        rule = next((what for pattern, what in RULES if re.fullmatch(pattern, file)), None)
        source = re.fullmatch(r"(tests/unit/|src/tacit/|(?=apps/))(.+)", file)
        layer = layer_of(source.group(2), layers) if source else None
        if rule == ALL or (rule is None and layer is None):
            return None
        if rule is None and source.group(1) != "tests/unit/":
            changed.add(layer)
        elif rule != NONE:
            tested.add(rule or layer)
    return changed, tested


def reach(files, layers):
    """(layers to test, whether the small cases run, whether the scheduler is tested) for these changed files."""
    layers = layers | {"bench": {"topology"}}
    found = classify(files, layers)
    if found is None:
        return set(layers), True, True
    changed, tested = found
    core = {layer for layer in changed if layer.split("/")[0] in CORE}
    reached = {layer for layer in layers if below(layer, layers) & (changed - core)} | changed | tested
    return reached, bool(core), "tasks" in tested or bool(changed & below("tasks", layers))


def tested_layers(reached, root):
    """The layers whose programs test these, by tests/CMakeLists.txt: parts of a layer may have none of their own."""
    programs = re.findall(r"^tacit_unit_test\(([\w/]+)", (root / "tests/CMakeLists.txt").read_text(), re.MULTILINE)
    wholes = {"/".join(layer.split("/")[:n]) for layer in reached for n in range(1, layer.count("/") + 2)}
    return wholes.intersection(programs)


def selection(reached, small):
    """(targets, pattern) of the tests of these layers."""
    targets = [f"tests_of_{layer.replace('/', '_')}" for layer in sorted(reached)]
    names = [f"{layer}: " for layer in sorted(reached)]
    if "comm" in reached:
        names.append("nodes: ")
    if "apps" in reached:
        names += ["messages$", "physics: "]
    elif small:
        targets.append("tacit")
        names.append(f"{SMALL_CASES}$")
    return " ".join(targets), f"^({'|'.join(names)})" if names else ""


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[1])
    files, since = changed_files(root)
    layers = read_layers(root)
    reached, small, scheduler = (set(layers), True, True) if files is None else reach(files, layers)
    if files is None or reached >= set(layers):
        print(f"all layers: {since if files is None else f'the change since {since} may concern each'}",
              file=sys.stderr)
        print("all\n.\nyes")
        return
    tested = tested_layers(reached, root)
    targets, pattern = selection(tested, small)
    what = ", ".join(sorted(tested) + ["a small case of every solver"] * small)
    print(f"the change since {since} reaches {what or 'no layer'}", file=sys.stderr)
    print(f"{targets}\n{pattern}\n{'yes' if scheduler else 'no'}")


if __name__ == "__main__":
    main()
