#!/usr/bin/env python3
# Checks that every #include keeps to the layers of cmake/layers.txt and every external library to its one home.
# SPDX-License-Identifier: Apache-2.0
"""Usage: check_layers.py [ROOT]. Prints "file:line: what is wrong" and exits with 1 if anything is."""

import re
import sys
from pathlib import Path

from source_files import project_files, report

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
CPP_SUFFIXES = {".cpp", ".hpp", ".h", ".cu", ".cuh"}

# Which folders may include a header (first pattern that matches decides); paths are below src/tacit, or "apps".
# "kernels" stands for any folder of that name, for .cu files only.
HOMES = [
    (r"hdf5\.h|hdf5_hl\.h|H5\w*\.h", ["io"]),
    (r"toml\+\+/.*|toml\.hpp|yaml-cpp/.*|pugi(xml|config)\.hpp|muParser.*\.h", ["config"]),
    (r"CLI/.*", ["apps"]),
    (r"libdeflate\.h", ["io"]),
    (r"xxhash\.h|xxh3\.h", ["base"]),
    (r"mpi\.h", ["comm/providers/mpi", "comm/bootstrap", "comm/c"]),
    (r"pmix.*\.h", ["comm/bootstrap"]),
    (r"rdma/.*", ["comm/providers/ofi"]),
    (r"cufft.*\.h", ["fft"]),
    (r"cuda.*|cooperative_groups.*|nvtx3/.*", ["gpu", "kernels"]),
    (r"fftw3.*\.h", ["fft"]),
    (r"hwloc.*", ["placement"]),
    (r"metis\.h", ["topology"]),
    (r"xsimd/.*", ["base"]),
]


def table_lines(root):
    lines = (root / "cmake/layers.txt").read_text().splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def read_layers(root):
    """Returns {layer: set of layers it may include}, from cmake/layers.txt."""
    layers = {}
    for line in table_lines(root):
        if "<" not in line:
            name, allowed = line.split(":")
            layers[name.strip()] = set(allowed.split())
    return layers


def read_rows(root):
    """Returns {layer: [set of its folders ("name/") and files, for each row from the bottom up]}."""
    rows = {}
    for line in table_lines(root):
        if "<" in line:
            name, parts = line.split("<")
            rows.setdefault(name.strip(), []).append(set(parts.split()))
    return rows


def stem(path):
    return re.sub(r"\.(hpp|cpp|h|cu|cuh)$", "", path)


def layer_of(path, layers):
    """The layer that `path` (below src/tacit, or starting with "apps/") belongs to; None if there is no such layer."""
    owners = [layer for layer in layers if stem(path) == layer or path.startswith(layer + "/")]
    return max(owners, key=len, default=None)


def row_of(path, layer, rows):
    """The row of `layer` that `path` is in, from 0; None if no row names it."""
    inside = path.removeprefix(layer + "/")
    named = [(len(part), number) for number, row in enumerate(rows[layer]) for part in row
             if part == stem(inside) or part.endswith("/") and inside.startswith(part)]
    return max(named)[1] if named else None


def external_error(header, place):
    """What is wrong with including the external `header` in the file at `place`; None if nothing is."""
    if header == "nlohmann/json.hpp" and place.endswith((".hpp", ".h")):
        return "<nlohmann/json.hpp> is too heavy for a header; include <nlohmann/json_fwd.hpp>"
    for pattern, homes in HOMES:
        if not re.fullmatch(pattern, header):
            continue
        in_kernel = "kernels" in homes and "/kernels/" in place and place.endswith(".cu")
        if in_kernel or any(place.startswith(home + "/") for home in homes):
            return None
        return f"<{header}> has its home in {', '.join(homes)} only"
    return None


def inside_error(header, place, layer, rows):
    """What is wrong with including `header` in the file at `place` of the same layer; None if nothing is."""
    if layer not in rows:
        return None
    row, target = row_of(place, layer, rows), row_of(header.removeprefix("tacit/"), layer, rows)
    if target is None:
        return f"'{header}' is in no row of layer '{layer}' in cmake/layers.txt"
    if row is None or target <= row:
        return None  # check_file has complained of a file in no row
    return f"'{header}' is above '{place}' inside layer '{layer}': see its rows in cmake/layers.txt"


def is_private(path):
    """Whether only the layer of `path`, and those in folders of it, may include it."""
    return not {"detail", "connections"}.isdisjoint(path.split("/")[:-1])


def internal_error(header, place, layers, rows):
    """What is wrong with including "tacit/..." `header` in the file at `place`; None if nothing is."""
    layer = layer_of(place, layers)
    target_path = header.removeprefix("tacit/")
    target = layer_of(target_path, layers)
    if target is None:
        return f"'{header}' is in no layer of cmake/layers.txt"
    if "/kernels/" in place:
        own = place.rsplit("/kernels/", 1)[0] + "/kernels/"
        below = "/kernels/" in target_path and target in layers[layer]
        if target == "base" or target_path.startswith(own) or below or target_path == "gpu/macros.hpp":
            return None
        return f"a kernel may not include '{header}'; allowed: base, its own kernels/, and those of layers below"
    if is_private(target_path) and not f"{layer}/".startswith(f"{target}/"):
        return f"layer '{layer}' may not include '{header}': its folder is private to layer '{target}'"
    if target == layer:
        return inside_error(header, place, layer, rows)
    if target in layers[layer]:
        return None
    return f"layer '{layer}' may not include '{header}'; allowed: {' '.join(sorted(layers[layer])) or 'nothing'}"


def check_file(path, place, layers, rows):
    """Yields (line number, message) for each forbidden include of one file."""
    layer = layer_of(place, layers)
    if layer is None:
        yield 1, f"'{place}' is in no layer of cmake/layers.txt"
        return
    if layer in rows and row_of(place, layer, rows) is None:
        yield 1, f"'{place}' is in no row of layer '{layer}' in cmake/layers.txt"
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        header = match.group(2)
        internal = header.startswith("tacit/")
        message = internal_error(header, place, layers, rows) if internal else external_error(header, place)
        if message:
            yield number, message
        if header.startswith("../"):
            yield number, f"'{header}' climbs out of its folder; write \"tacit/<layer>/<file>.hpp\""


def check(root):
    """Returns all complaints about the tree at `root`, as lines."""
    layers, rows = read_layers(root), read_rows(root)
    complaints = []
    for base, prefix in ((root / "src/tacit", ""), (root / "apps", "apps/")):
        if not base.is_dir():
            continue
        for path in project_files(base):
            if path.suffix in CPP_SUFFIXES:
                place = prefix + path.relative_to(base).as_posix()
                for number, message in check_file(path, place, layers, rows):
                    complaints.append(f"{path.relative_to(root)}:{number}: {message}")
    return complaints


if __name__ == "__main__":
    sys.exit(report(check))
