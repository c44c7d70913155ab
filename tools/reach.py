#!/usr/bin/env python3
# Names the tests of what has changed, and of what that can reach: those that ./tacit test gives to sanitizers.
# SPDX-License-Identifier: Apache-2.0
"""Usage: reach.py ROOT           what the change reaches, for --full
       reach.py --changed ROOT  the changed layers alone, for --sanitize
       reach.py --base ROOT     the commit that the tree is compared with; nothing if there is none

The change is what differs from the newest commit of the first line of parents that is older than 48 hours: what has
come in since then was tested by few. stderr says what was found.

The first prints three lines: the targets to build, ctest's pattern of the tests to run, and whether the scheduler is
among them (yes or no). Without anything to test, the first two are empty. By cmake/layers.txt a change reaches the
layers that include a changed one, directly or not. The layers of CORE are below nearly everything: of them their own
tests run, and a small case of every solver in place of all that is above them. Everything is tested when there is no
such commit, or when a file changed that no rule names.

The second prints a line for each changed layer: layer, targets, pattern. The most specific come first, those that the
fewest others include, and among these the ones with the shortest tests, so that a limited time finds the most. Files
that no rule names are left to the first.
"""

import re
import subprocess
import sys
from pathlib import Path

from check_layers import layer_of, read_layers

HOURS = 48  # what is older has been tested in full
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


def base_commit(root):
    """The commit to compare with; None if git knows none."""
    found = git(root, "rev-list", "--first-parent", f"--before={HOURS} hours ago", "--max-count=1", "HEAD")
    return found[0] if found else None


def changed_files(root):
    """(files, commit): what differs from the base; (None, why) if that cannot be said."""
    commit = base_commit(root)
    if commit is None:
        return None, f"there is no commit older than {HOURS} hours"
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


def concerns(file, layers):
    """(rule or None, layer or None, whether it is one of that layer's tests) of a changed file."""
    rule = next((what for pattern, what in RULES if re.fullmatch(pattern, file)), None)
    source = re.fullmatch(r"(tests/unit/|src/tacit/|(?=apps/))(.+)", file)
    layer = layer_of(source.group(2), layers) if source else None
    return rule, layer, bool(source) and source.group(1) == "tests/unit/"


def classify(files, layers):
    """(changed layers, layers of which tests changed); None if some file may concern all layers."""
    changed, tested = set(), set()
    for file in files:
        rule, layer, is_test = concerns(file, layers)
        if rule == ALL or (rule is None and layer is None):
            return None
        if rule is None and not is_test:
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
        names += ["messages: ", "physics: "]
    elif small:
        targets.append("tacit")
        names.append(f"{SMALL_CASES}$")
    return " ".join(targets), f"^({'|'.join(names)})" if names else ""


def changed_layers(files, layers):
    """The layers with a changed file of their own or of their tests."""
    found = set()
    for file in files:
        rule, layer, _ = concerns(file, layers)
        if rule is None and layer is not None:
            found.add(layer)
        elif rule in layers or rule == "bench":
            found.add(rule)
    return found


def lines_of_tests(layer, root):
    """Lines of the tests of a layer: how long they take, as far as a clean clone can tell."""
    return sum(path.read_bytes().count(b"\n") for path in (root / "tests/unit" / layer).rglob("*.cpp"))


def most_specific_first(tested, layers, root):
    """The layers in the order in which a limited time tests them; apps last, for its tests run every solver."""

    def key(layer):
        above = sum(layer in below(other, layers) for other in layers)
        return layer == "apps", above, lines_of_tests(layer, root), layer

    return sorted(tested, key=key)


def print_changed(root):
    """A line for each layer that has changed: layer, targets, pattern, separated by tabs."""
    files, since = changed_files(root)
    layers = read_layers(root)
    tested = tested_layers(set(layers) if files is None else changed_layers(files, layers), root)
    ordered = most_specific_first(tested, layers, root)
    print(f"changed since {since}: {', '.join(ordered) or 'no layer'}", file=sys.stderr)
    for layer in ordered:
        print(layer, *selection({layer}, False), sep="\t")


def print_reached(root):
    """The three lines for --full."""
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


def main():
    mode, root = sys.argv[1:3] if len(sys.argv) > 2 else ("", sys.argv[1])
    if mode == "--base":
        print(base_commit(root) or "")
    else:
        {"": print_reached, "--changed": print_changed}[mode](Path(root))


if __name__ == "__main__":
    main()
