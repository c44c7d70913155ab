#!/usr/bin/env python3
# Compares the results of two commits bitwise: small deterministic runs of both, and restarts of one in the other.
# SPDX-License-Identifier: Apache-2.0
"""Builds two commits and compares what fifteen small runs leave, bit by bit.

BASE becomes a worktree below --work, and so does HEAD unless --head names a source tree; each is built by its own
launcher. Compared are the files by name, every array and attribute of the HDF5 files, and every column of the CSV
files, but for IGNORED. Then checkpoints that BASE wrote are continued by both, and compared again. A difference is
named as FILE:PATH, FILE:PATH@ATTRIBUTE or FILE:COLUMN; --ignore takes patterns of such names.

Exit codes: 0 all is the same, 1 something differs or fails, 2 wrong use.
"""

import argparse
import csv
import fnmatch
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

try:
    import h5py
    import numpy as np
except ModuleNotFoundError as missing:
    sys.exit(f"compare_commits.py: {missing}. It needs h5py and numpy: after ./tacit test, run it as\n"
             "  build/test/venv/bin/python tools/compare_commits.py ...")

ROOT = Path(__file__).resolve().parents[1]
LONGEST_S = 300.0  # ends a run that hangs

# Provenance: who computed, where and when, by which parameter file. It says nothing of the physics.
IGNORED = [
    "*:Provenance", "*:Provenance@*", "*:Code", "*:Code@*", "*:Parameters@Tacit:parameter_file", "*@Parameters",
    "*@parameters", "*@physics", "*@source", "*@checksum", "*@commit", "*@version", "*@compiler", "*@build", "*@host",
    "*@user", "*@date", "*@input", "*@System", "*@SnapshotDate", "*.csv:wall_s",
]

COMMON = {
    "run.deterministic": True, "run.pin": False, "run.name": "case", "output.picture": False,
    "output.double_precision": True,
}
SPH = COMMON | {"solver": "sph", "initial.setup": "sedov", "sedov.resolution": 10, "time.end": 0.012,
                "output.snapshot_every": 0.005}
DNS = COMMON | {"solver": "dns", "initial.setup": "isotropic", "dns.points": 16, "dns.viscosity": 0.05, "dns.dt": 0.02,
                "time.end": 0.3, "output.snapshot_every": 0.15, "output.statistics_every": 0.05,
                "dns.statistics.spectra_every": 0.1}
STRATIFIED = {"dns.rotation": [0.1, 0.2, 2.0], "dns.stratification": 1.5, "dns.prandtl": 0.7,
              "dns.truncation": "spherical", "dns.phase_shift": "random"}
SCALARS = {"scalars.schmidt": [0.7, 1.0], "scalars.gradient_z": [0.0, 1.0], "scalars.initial": ["isotropic", "zero"]}
HEAT = COMMON | {"solver": "heat", "initial.setup": "gaussian", "heat.cells": [12, 10, 8], "heat.diffusivity": 1.0,
                 "time.end": 0.02, "output.snapshot_every": 0.01}
LAYERS = {"initial.setup": "two_layers", "heat.diffusivity": None, "heat.walls": ["fixed", "insulating", "periodic"],
          "heat.low": [1, 0, 0], "heat.high": [0, 0, 0]}

# name: ranks, threads, step at which the run stops to be continued, parameters in the spelling of the oldest base
CASES = {
    "sph_sphenix_gather": (1, 2, 5, SPH | {"sph.time_steps": "common"}),
    "sph_sphenix_symmetric": (1, 2, 5, SPH | {"sph.time_steps": "common", "sph.pairs": "symmetric"}),
    "sph_gadget2_gather": (1, 1, 5, SPH | {"sph.scheme": "gadget2", "initial.setup": "sod", "sod.resolution": 8,
                                           "time.end": 0.03}),
    "sph_gadget2_symmetric": (1, 2, 5, SPH | {"sph.scheme": "gadget2", "sph.time_steps": "common",
                                              "sph.pairs": "symmetric", "sph.kernel": "quintic_spline"}),
    "sph_individual_steps": (1, 2, 20, SPH | {"sph.pairs": "symmetric", "sedov.resolution": 16, "sph.boundary": "open",
                                              "potential.point_mass": 1e-3, "potential.softening": 0.1,
                                              "cooling.time": 0.1}),
    "sph_walls": (1, 1, 10, SPH | {"sph.dimension": 2, "sph.boundary": "reflecting", "sph.kernel": "wendland_c2",
                                   "sedov.resolution": 20, "potential.field_y": -5.0, "time.end": 0.1,
                                   "output.snapshot_every": 0.04}),
    "dns_divergence": (1, 2, 3, DNS | {"initial.setup": "taylor_green", "dns.dt": None, "time.end": 1.0}),
    "dns_rotational": (2, 1, 7, DNS | {"dns.form": "rotational", "dns.scheme": "rk4", "dns.points_y": 20}),
    "dns_scalars": (4, 1, 7, DNS | SCALARS),
    "dns_rotation": (2, 2, 7, DNS | STRATIFIED),
    "dns_tracers": (4, 1, 7, DNS | {"dns.particles.count": 200, "dns.ranks_of_row": 2, "dns.chunks": 2}),
    "heat_periodic": (1, 2, 7, HEAT),
    "heat_layers": (2, 1, 5, HEAT | LAYERS | {"heat.scheme": "rkl2", "heat.stages": 5, "time.end": 0.1}),
    "heat_source": (2, 2, 7, HEAT | {"heat.cells": [40, 9], "heat.source": 0.5, "heat.dt": 2e-4}),
    "dns_forced": (1, 1, 7, DNS | SCALARS | STRATIFIED | {"dns.forcing": "eswaran_pope", "forcing.power": 0.1,
                                                          "forcing.memory": 0.5, "dns.particles.count": 50}),
}


# ---- comparing ---------------------------------------------------------------------------------------------------


def entries_of_hdf5(path):
    """{PATH or PATH@ATTRIBUTE: array} of all datasets, groups (empty) and attributes."""
    found = {}

    def visit(name, item):
        found[name] = np.asarray(item[()]) if isinstance(item, h5py.Dataset) else np.empty(0)
        found.update({f"{name}@{key}": np.asarray(value) for key, value in item.attrs.items()})

    with h5py.File(path) as file:
        visit("", file)
        file.visititems(visit)
    return found


def entries_of_csv(path):
    """{column: its fields as text}: numbers are written so that they read back exactly."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    if any(len(row) != len(rows[0]) for row in rows):
        raise RunFailed(f"{path}: a line has another number of columns than the header")
    return {name: np.array([row[i] for row in rows[1:]]) for i, name in enumerate(rows[0])} if rows else {}


def difference_of_arrays(base, head):
    """What differs first between two arrays, as text; None if every bit is the same."""
    if base.dtype.kind in "SUO" and head.dtype.kind in "SUO":
        base, head = base.astype(str), head.astype(str)
    elif base.dtype != head.dtype:
        return f"type {base.dtype} in base, {head.dtype} in head"
    if base.shape != head.shape:
        return f"shape {base.shape} in base, {head.shape} in head"
    if base.dtype.kind == "U":
        differs = base != head
    else:  # by bits: -0.0 is not 0.0, and a NaN is itself
        bits = [np.frombuffer(a.tobytes(), np.uint8).reshape(a.size, a.dtype.itemsize) for a in (base, head)]
        differs = (bits[0] != bits[1]).any(axis=1).reshape(base.shape)
    if not np.any(differs):
        return None
    index = tuple(int(i) for i in np.unravel_index(np.argmax(differs), base.shape))
    place = "[" + ", ".join(map(str, index)) + "]" if index else ""
    count = f"{np.sum(differs)} of {differs.size} differ"
    return f"{place}: {base[index].item()!r} in base, {head[index].item()!r} in head ({count})"


def ignored(label, more=()):
    """Whether a difference of that name is left out."""
    return any(fnmatch.fnmatchcase(label, pattern) for pattern in [*IGNORED, *more])


def first_difference(base, head, ignore=()):
    """Compares two output folders; returns "LABEL: what differs", or None."""
    base, head = Path(base), Path(head)
    names = sorted({path.name for folder in (base, head) for path in folder.iterdir()
                    if path.suffix in {".hdf5", ".h5", ".csv"} and not ignored(path.name, ignore)})
    if not names:
        return f"no results in {base} and {head}"
    for name in names:
        paths = base / name, head / name
        for path, side in zip(paths, ("base", "head")):
            if not path.exists():
                return f"{name}: missing in {side}"
        a, b = map(entries_of_csv if name.endswith(".csv") else entries_of_hdf5, paths)
        for key in sorted(a.keys() | b.keys()):
            label = f"{name}:{key}"
            if ignored(label, ignore):
                continue
            if key not in a or key not in b:
                return f"{label}: missing in {'head' if key in a else 'base'}"
            found = difference_of_arrays(a[key], b[key])
            if found:
                return f"{label}{'' if found.startswith('[') else ' '}{found}"
    return None


def flip_last_bit(folder):
    """Changes the last bit of the last number of one array of the last snapshot (what --mutate file does)."""
    path = sorted(Path(folder).glob("snapshot_*.hdf5"))[-1]
    arrays = []
    with h5py.File(path, "r+") as file:
        file.visititems(lambda _, item: arrays.append(item) if isinstance(item, h5py.Dataset) else None)
        values = arrays[-1][()]
        values.reshape(-1).view(np.uint8)[-values.dtype.itemsize] ^= 1  # little-endian: its first byte is the lowest
        arrays[-1][...] = values


# ---- building ----------------------------------------------------------------------------------------------------


def call(command, **more):
    """Runs a command that must succeed."""
    print("  " + " ".join(map(str, command)), flush=True)
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL, **more)


def worktree(folder, commit):
    """A work tree of the commit in `folder`, which an earlier call may have left there with its build."""
    if (folder / ".git").exists():
        call(["git", "-C", folder, "checkout", "--quiet", "--force", "--detach", commit])
    else:
        call(["git", "-C", ROOT, "worktree", "prune"])
        call(["git", "-C", ROOT, "worktree", "add", "--quiet", "--detach", folder, commit])
    return folder


def commit_of(name):
    """The commit that a name stands for here."""
    done = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"compare_commits.py: '{name}' is no commit of {ROOT}")
    return done.stdout.strip()


def build(tree):
    """Builds the program of a source tree by its launcher; this Python serves in place of an environment."""
    environment = {key: value for key, value in os.environ.items() if key not in ("TACIT_BUILD_DIR", "TACIT_NO_BUILD")}
    call([tree / "tacit", "build"], env=environment | {"TACIT_PYTHON": sys.executable})
    return tree / "build/bin/tacit"


# One flipped summation: neighbours are added to the density in the reverse order.
MUTATED = "src/tacit/solvers/sph/kernels/vector/pair_loops.isa.cpp"
FORWARDS = """  for (std::size_t k = 0; k < hits.count; k += width) {
    sums.add<Kernel>("""
BACKWARDS = """  for (std::size_t k = (hits.count + width - 1) / width * width; k != 0;) {
    k -= width;
    sums.add<Kernel>("""


def build_mutant(tree, to):
    """Builds `tree` with one summation flipped, copies the program, and puts the source back."""
    source = tree / MUTATED
    text = source.read_text(encoding="utf-8")
    if text.count(FORWARDS) != 1:
        sys.exit(f"compare_commits.py: --mutate source: the sum to flip is not in {source}; adapt FORWARDS here")
    try:
        source.write_text(text.replace(FORWARDS, BACKWARDS), encoding="utf-8")
        shutil.copy(build(tree), to)
    finally:
        source.write_text(text, encoding="utf-8")
    return to


# ---- running -----------------------------------------------------------------------------------------------------


def write_parameters(path, values):
    """Writes {"time.end": 0.1, ...} as a parameter file; None leaves a key out."""
    tables = {"": []}
    for key, value in values.items():
        if value is None:
            continue
        table, _, name = key.rpartition(".")
        tables.setdefault(table, []).append(f"{name} = {json.dumps(value)}")
    path.write_text("".join((f"[{table}]\n" if table else "") + "\n".join(lines) + "\n"
                            for table, lines in tables.items()), encoding="utf-8")


class RunFailed(Exception):
    """A run that did not end with exit code 0."""


def run(program, case, folder, output, *more):
    """Runs a case into folder/OUTPUT."""
    ranks, threads = CASES[case][:2]
    command = [program, "run", "case.toml", "--output", output, "--threads", threads, *more]
    if ranks > 1:
        command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", ranks, *command]
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(list(map(str, command)), cwd=folder, env=dict(os.environ) | root, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          timeout=LONGEST_S, check=False)
    if done.returncode:
        raise RunFailed(f"{output} ended with exit code {done.returncode}:\n{done.stdout}")


def compare_case(case, programs, work, options):
    """Runs one case with both programs, and goes on from a checkpoint of the base; returns what differs, or None."""
    folder = work / case
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write_parameters(folder / "case.toml", CASES[case][3])
    for side, program in programs.items():
        run(program, case, folder, side)
    if options.mutate == "file" and case == options.cases[0]:
        flip_last_bit(folder / "head")
    found = first_difference(folder / "base", folder / "head", options.ignore)
    if found or options.no_restart:
        return found
    run(programs["base"], case, folder, "base_continued", "--set", f"time.max_steps={CASES[case][2]}")
    if not [*(folder / "base_continued").glob("restart*.hdf5")]:
        return "the stopped run of base left no checkpoint"
    shutil.copytree(folder / "base_continued", folder / "head_continued")
    run(programs["base"], case, folder, "base_continued", "--restart")
    try:
        run(programs["head"], case, folder, "head_continued", "--restart")
    except RunFailed as error:
        return f"head does not continue a checkpoint of base (if on purpose: --no-restart): {error}"
    found = first_difference(folder / "base_continued", folder / "head_continued", options.ignore)
    return found and f"continued from a checkpoint of base: {found}"


def compare_all(programs, work, options):
    """One line per case; returns the sets of cases that differ and that could not be compared."""
    different, failed = set(), set()
    for case in options.cases:
        ranks, threads = CASES[case][:2]
        try:
            found = compare_case(case, programs, work, options)
        except (RunFailed, subprocess.TimeoutExpired, OSError) as error:
            found = None
            failed.add(case)
            verdict = f"FAILED {error}"
        else:
            verdict = f"DIFFERS {found}" if found else "identical"
        if found:
            different.add(case)
        print(f"{case:22} ranks {ranks} threads {threads}  {verdict}", flush=True)
    return different, failed


def finds_mutation(kind, different, failed, cases):
    """Whether exactly what the mutation can change has changed: one file of the first case, or sums of sph."""
    if kind == "file":
        return not failed and different == {cases[0]}
    return not failed and bool(different) and all(case.startswith("sph_") for case in different)


def parse(arguments):
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", nargs="?", metavar="BASE", help="the commit to compare with")
    parser.add_argument("--head", type=Path, metavar="DIR", help="a source tree, as it is; without it the commit HEAD")
    parser.add_argument("--programs", nargs=2, type=Path, metavar="PROGRAM", help="programs of base and head, built")
    parser.add_argument("--cases", nargs="+", metavar="CASE", default=list(CASES), choices=list(CASES),
                        help="some of: " + " ".join(CASES))
    parser.add_argument("--work", type=Path, metavar="DIR", default=ROOT / "build/compare", help="where all is kept")
    parser.add_argument("--ignore", action="append", default=[], metavar="PATTERN", help="leave out such a difference")
    parser.add_argument("--no-restart", action="store_true", help="the layout of checkpoints was changed on purpose")
    parser.add_argument("--mutate", nargs="?", const="file", choices=["file", "source"],
                        help="self-test that must find a difference: one bit of a file of head, or, in a worktree of "
                        "HEAD that is built again, the order of one sum")
    options = parser.parse_args(arguments)
    if (options.base is None) == (options.programs is None):
        parser.error("give either BASE or --programs")
    if options.mutate == "source" and (options.programs or options.head):
        parser.error("--mutate source changes a worktree of HEAD: without --programs and --head")
    if any(CASES[case][0] > 1 for case in options.cases) and not shutil.which("mpirun"):
        parser.error("mpirun (Open MPI) is missing; choose --cases on one rank")
    return options


def main(arguments):
    options = parse(arguments)
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    if options.programs:
        programs = dict(zip(("base", "head"), (path.resolve() for path in options.programs)))
    else:
        trees = {"base": worktree(work / "base", commit_of(options.base)),
                 "head": options.head.resolve() if options.head else worktree(work / "head", commit_of("HEAD"))}
        programs = {side: build(tree) for side, tree in trees.items()}
    if options.mutate == "source":
        programs["head"] = build_mutant(trees["head"], work / "mutant")
    different, failed = compare_all(programs, work / "runs", options)
    print(f"{len(options.cases) - len(different | failed)} of {len(options.cases)} cases are bitwise identical")
    if options.mutate:
        found = finds_mutation(options.mutate, different, failed, options.cases)
        print("the mutation was " + ("found, and nothing else" if found else "NOT FOUND, or something else differs"))
        return 0 if found else 1
    return 1 if different or failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
