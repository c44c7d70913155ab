"""Starts the real program for the end-to-end tests and looks at what it leaves on disk.

SPDX-License-Identifier: Apache-2.0

TACIT_PROGRAM names the program; ctest sets it.
"""

from __future__ import annotations

import hashlib
import ctypes
import ctypes.util
import json
import os
import re
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import h5py
import numpy as np

SOURCE = Path(__file__).resolve().parents[2]
LONGEST_S = 900.0
"""Ends a run that hangs; no test measures time."""

_FROM_OUTSIDE = ("OMPI_", "PMI_", "PMIX_", "SLURM_", "TACIT_LAUNCHER", "TACIT_SOURCE", "PYTHONPATH")


def solvers() -> list[str]:
    """All solvers, as the registry lists them."""
    registry = (SOURCE / "src/tacit/solvers/registry.cpp").read_text()
    return re.findall(r"&(\w+)::solver_entry\(\)", registry)


def first_example(solver: str) -> Path:
    """Of a solver of which the tests know nothing more: its runs take some hundredths of a second."""
    return min((SOURCE / "examples" / solver).glob("*/run.toml"))


def keys_of_example(solver: str) -> dict[str, object]:
    """What its first example sets, by the names of keys."""
    import tomllib  # of the Python of the tests

    content = tomllib.loads(first_example(solver).read_text())
    tables = {name: value for name, value in content.items() if isinstance(value, dict)}
    flat = {f"{table}.{key}": value for table, keys in tables.items() for key, value in keys.items()}
    return {name: value for name, value in content.items() if name not in tables} | flat


def program() -> str:
    """The program under test."""
    path = os.environ.get("TACIT_PROGRAM")
    if not path:
        raise RuntimeError("set TACIT_PROGRAM to the program, as in TACIT_PROGRAM=build/bin/tacit")
    return str(Path(path).resolve())


def environment(**extra: str) -> dict[str, str]:
    """What the program sees: no launcher around it, no measured limits, and the Python of the tests for pictures."""
    variables = {key: value for key, value in os.environ.items() if not key.startswith(_FROM_OUTSIDE)}
    variables |= {"TACIT_SOURCE": str(SOURCE), "TACIT_PYTHON": sys.executable, "PYTHONDONTWRITEBYTECODE": "1"}
    variables["TACIT_CACHE"] = "/dev/null"  # where nothing is kept: no result depends on what ran here before
    return variables | extra


def tacit(*arguments: str | Path, cwd: Path, env: Mapping[str, str] | None = None,
          preexec: Callable[[], None] | None = None) -> subprocess.CompletedProcess[str]:
    """Runs the program to its end in the folder `cwd`."""
    return subprocess.run([program(), *map(str, arguments)], cwd=cwd, env=env or environment(), capture_output=True,
                          text=True, errors="replace", timeout=LONGEST_S, preexec_fn=preexec, check=False)


def succeed(*arguments: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> str:
    """Runs the program, which must succeed; returns its output."""
    done = tacit(*arguments, cwd=cwd, env=env)
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def start(*arguments: str | Path, cwd: Path) -> subprocess.Popen[str]:
    """Starts the program and returns at once."""
    return subprocess.Popen([program(), *map(str, arguments)], cwd=cwd, env=environment(), stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    """Waits until the process has written `path`."""
    deadline = time.monotonic() + LONGEST_S
    while not path.exists():
        assert process.poll() is None, f"the run ended before it wrote {path.name}: {process.communicate()[0]}"
        assert time.monotonic() < deadline, f"{path.name} has not been written"
        time.sleep(0.002)


def settings(values: Mapping[str, object]) -> list[str]:
    """Command-line overrides: {"sod.resolution": 8} as --set sod.resolution=8."""
    words: list[str] = []
    for key, value in values.items():
        words += ["--set", f"{key}={str(value).lower() if isinstance(value, bool) else value}"]
    return words


def write_parameters(path: Path, values: Mapping[str, object]) -> Path:
    """Writes {"time.end": 0.1, ...} as a parameter file."""
    tables: dict[str, list[str]] = {"": []}
    for key, value in ({"solver": "sph"} | dict(values)).items():
        table, _, name = key.rpartition(".")
        tables.setdefault(table, []).append(f"{name} = {json.dumps(value)}")
    path.write_text("\n".join((f"[{table}]\n" if table else "") + "\n".join(lines) + "\n"
                              for table, lines in tables.items()))
    return path


def run(folder: Path, values: Mapping[str, object], *arguments: str | Path, name: str = "run") -> Path:
    """Runs folder/NAME.toml with these values, without a picture; returns the directory of its results. One thread does
    small work in half the processor time of two, and waits for none beside other tests."""
    folder.mkdir(parents=True, exist_ok=True)
    file = write_parameters(folder / f"{name}.toml", {"output.picture": False, "run.threads": 1} | dict(values))
    succeed("run", file.name, "--output", name, *arguments, cwd=folder)
    return folder / name


def snapshots(directory: Path) -> list[Path]:
    """The snapshots of a run in their order, without the parts of which they consist."""
    return sorted(path for path in directory.glob("snapshot_*.hdf5") if ".part" not in path.name)


def checkpoint(directory: Path) -> Path:
    """The newest checkpoint of a run."""
    return max((path for path in directory.glob("restart_*.hdf5") if ".part" not in path.name),
               key=lambda path: int(path.stem.split("_")[1]))


def renew_checksums(path: Path) -> None:
    """Puts the footer of checksums (src/tacit/io/detail/footer.hpp) behind a file that was changed on purpose."""
    library = ctypes.CDLL(ctypes.util.find_library("xxhash") or "libxxhash.so.0")
    library.XXH3_64bits.restype = ctypes.c_uint64
    library.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]

    def hashed(data: bytes) -> int:
        return library.XXH3_64bits(data, len(data))

    content = path.read_bytes()
    if content[-64:-56] == b"TACITSUM":
        content = content[:int.from_bytes(content[-40:-32], "little")]
    pieces = [content[at:at + (1 << 20)] for at in range(0, len(content), 1 << 20)]
    table = b"".join(struct.pack("<QQ", len(piece), hashed(piece)) for piece in pieces)
    trailer = struct.pack("<8sQQQQQQ", b"TACITSUM", 1, len(pieces), len(content), 0, 0, 0)
    path.write_bytes(content + table + trailer + struct.pack("<Q", hashed(table + trailer)))


def datasets(path: Path) -> dict[str, np.ndarray]:
    """Every dataset of an HDF5 file by its path, read whole."""
    found: dict[str, np.ndarray] = {}

    def visit(name: str, item: h5py.Dataset | h5py.Group) -> None:
        if isinstance(item, h5py.Dataset):
            found[name] = item[()]

    with h5py.File(path) as file:
        file.visititems(visit)
    assert found, f"{path} has no datasets"
    return found


def gas(path: Path) -> dict[str, np.ndarray]:
    """The fields of the gas, sorted by ID."""
    with h5py.File(path) as file:
        order = np.argsort(file["PartType0/ParticleIDs"][()], kind="stable")
        return {name: item[()][order] for name, item in file["PartType0"].items()}


def snapshot_time(path: Path) -> float:
    """The time in the header."""
    with h5py.File(path) as file:
        return float(np.ravel(file["Header"].attrs["Time"])[0])


def assert_same_bits(a: Path, b: Path) -> None:
    """All datasets of two files agree in name, shape, type and every bit."""
    first, second = datasets(a), datasets(b)
    assert first.keys() == second.keys()
    for name, values in first.items():
        other = second[name]
        assert values.dtype == other.dtype and values.shape == other.shape, name
        assert values.tobytes() == other.tobytes(), f"{name} differs between {a} and {b}"


def fingerprint(directory: Path) -> str:
    """What a run says of its last state: 16 hexadecimal digits."""
    digits = json.loads((directory / "summary.json").read_text())["fingerprint"]
    assert len(digits) == 16 and int(digits, 16) >= 0
    return digits


def relative_difference(a: np.ndarray, b: np.ndarray) -> float:
    """Largest difference over the largest value."""
    scale = max(float(np.max(np.abs(a))), float(np.max(np.abs(b))))
    return float(np.max(np.abs(a - b))) / scale if scale > 0.0 else 0.0


def contents(folder: Path) -> dict[str, str]:
    """Every file below the folder with a checksum of its bytes, and every folder."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        for path in sorted(folder.rglob("*"))
    }


def errors(results: Path, solution: str = "auto") -> dict:
    """What `tacit compare --json` prints, without another Python to start (tests/python has the command itself)."""
    from tacit.compare import compare
    from tacit.runs import snapshot_path
    from tacit.snapshot import read_snapshot

    return compare(read_snapshot(snapshot_path(results)), solution)
