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
    (r"toml\+\+/.*|toml\.hpp|yaml-cpp/.*|pugi(xml|config)\.hpp", ["config"]),
    (r"CLI/.*", ["apps"]),
    (r"xxhash\.h|xxh3\.h", ["base"]),
    (r"mpi\.h", ["comm/providers/mpi", "comm/bootstrap", "comm/c"]),
    (r"pmix.*\.h", ["comm/bootstrap"]),
    (r"rdma/.*", ["comm/providers/ofi"]),
    (r"cufft.*\.h", ["fft"]),
    (r"cuda.*|cooperative_groups.*|nvtx3/.*", ["gpu", "kernels"]),
    (r"fftw3.*\.h", ["fft"]),
    (r"hwloc.*|metis\.h", ["placement"]),
    (r"xsimd/.*", ["base"]),
]


def read_layers(root):
    """Returns {layer: set of layers it may include}, from cmake/layers.txt."""
    layers = {}
    for line in (root / "cmake/layers.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, allowed = line.split(":")
            layers[name.strip()] = set(allowed.split())
    return layers


def layer_of(path, layers):
    """The layer that `path` (below src/tacit, or starting with "apps/") belongs to; None if there is no such layer."""
    stem = re.sub(r"\.(hpp|cpp|h|cu|cuh)$", "", path)
    owners = [layer for layer in layers if stem == layer or path.startswith(layer + "/")]
    return max(owners, key=len, default=None)


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


def internal_error(header, place, layers):
    """What is wrong with including "tacit/..." `header` in the file at `place`; None if nothing is."""
    layer = layer_of(place, layers)
    target_path = header.removeprefix("tacit/")
    target = layer_of(target_path, layers)
    if target is None:
        return f"'{header}' is in no layer of cmake/layers.txt"
    if "/kernels/" in place:
        own = place.rsplit("/kernels/", 1)[0] + "/kernels/"
        if target == "base" or target_path.startswith(own) or target_path == "gpu/macros.hpp":
            return None
        return f"a kernel may not include '{header}'; allowed: base and its own kernels/"
    if "/detail/" in target_path and target != layer:
        return f"layer '{layer}' may not include '{header}': detail/ is private to layer '{target}'"
    if target == layer or target in layers[layer]:
        return None
    return f"layer '{layer}' may not include '{header}'; allowed: {' '.join(sorted(layers[layer])) or 'nothing'}"


def check_file(path, place, layers):
    """Yields (line number, message) for each forbidden include of one file."""
    if layer_of(place, layers) is None:
        yield 1, f"'{place}' is in no layer of cmake/layers.txt"
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        header = match.group(2)
        internal = header.startswith("tacit/")
        message = internal_error(header, place, layers) if internal else external_error(header, place)
        if message:
            yield number, message
        if header.startswith("../"):
            yield number, f"'{header}' climbs out of its folder; write \"tacit/<layer>/<file>.hpp\""


def check(root):
    """Returns all complaints about the tree at `root`, as lines."""
    layers = read_layers(root)
    complaints = []
    for base, prefix in ((root / "src/tacit", ""), (root / "apps", "apps/")):
        if not base.is_dir():
            continue
        for path in project_files(base):
            if path.suffix in CPP_SUFFIXES:
                place = prefix + path.relative_to(base).as_posix()
                for number, message in check_file(path, place, layers):
                    complaints.append(f"{path.relative_to(root)}:{number}: {message}")
    return complaints


if __name__ == "__main__":
    sys.exit(report(check))
