"""Files with more numbers than 2^31 and longer than 4 GiB, without their space on the disk or in memory.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import ctypes
import ctypes.util
import resource
import struct
import subprocess
from collections.abc import Mapping
from pathlib import Path

import h5py
import numpy as np
import pytest
from program import tacit

DAMAGED = 2
DIFFERS = 1
PIECE = 1 << 20


def write_sparse(path: Path, count: int, dtype: str, numbers: Mapping[int, int], name: str = "x") -> Path:
    """An array of zeros, of which the file system keeps only the numbers that are given."""
    space = h5py.h5s.create_simple((count,))
    layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    layout.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    layout.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    with h5py.File(path, "a") as file:
        h5py.h5d.create(file.id, name.encode(), h5py.h5t.py_create(np.dtype(dtype)), space, layout)
        for at, number in numbers.items():
            file[name][at] = number
    assert path.stat().st_blocks * 512 < 1 << 20, "this file system keeps zeros"
    return path


def add_checksums(path: Path) -> None:
    """The footer (src/tacit/io/detail/footer.hpp) of a file, most of which is zeros, which are hashed once."""
    library = ctypes.CDLL(ctypes.util.find_library("xxhash") or "libxxhash.so.0")
    library.XXH3_64bits.restype = ctypes.c_uint64
    library.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    zeros = bytes(PIECE)
    of_zeros = library.XXH3_64bits(zeros, PIECE)
    size = path.stat().st_size
    table = []
    with path.open("r+b") as file:
        for at in range(0, size, PIECE):
            piece = file.read(PIECE)
            hashed = of_zeros if piece == zeros else library.XXH3_64bits(piece, len(piece))
            table.append(struct.pack("<QQ", len(piece), hashed))
        trailer = struct.pack("<8sQQQQQQ", b"TACITSUM", 1, len(table), size, 0, 0, 0)
        footer = b"".join(table) + trailer
        file.write(footer + struct.pack("<Q", library.XXH3_64bits(footer, len(footer))))


def within(megabytes: int, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The program with so much memory for data."""
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))
    return tacit(*arguments, cwd=cwd, preexec=limit)


def test_columns_are_compared_in_pieces(tmp_path: Path) -> None:
    """Each column has half a GiB, of which two would not fit; so have the IDs, which agree."""
    count = 1 << 26
    for name, last in (("a", 3), ("b", 4)):
        write_sparse(tmp_path / f"{name}.hdf5", count, "i8", {count - 1: last})
        write_sparse(tmp_path / f"{name}.hdf5", count, "i8", {count - 1: -1}, "ParticleIDs")
    done = within(700, "diff", "a.hdf5", "b.hdf5", cwd=tmp_path)
    assert done.returncode == DIFFERS, done.stderr
    assert f"x: 1 of {count} numbers differ, first [{count - 1}]: 3 and 4" in done.stdout, done.stdout


@pytest.mark.long
def test_more_numbers_than_32_bits_count(tmp_path: Path) -> None:
    count = (1 << 31) + 8
    write_sparse(tmp_path / "a.hdf5", count, "i1", {count - 2: 3})
    write_sparse(tmp_path / "b.hdf5", count, "i1", {count - 2: 4})
    done = within(700, "diff", "a.hdf5", "b.hdf5", cwd=tmp_path)
    assert done.returncode == DIFFERS, done.stderr
    assert f"x: 1 of {count} numbers differ, first [{count - 2}]: 3 and 4" in done.stdout, done.stdout


@pytest.mark.long
def test_checksums_behind_4_gib(tmp_path: Path) -> None:
    path = write_sparse(tmp_path / "a.hdf5", (1 << 29) + 8, "u8", {1 << 29: 5})
    add_checksums(path)
    done = within(700, "info", "--verify", path.name, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    with path.open("r+b") as file:
        file.seek((1 << 32) + 100)
        file.write(b"\x01")
    done = within(700, "info", "--verify", path.name, cwd=tmp_path)
    assert done.returncode == DAMAGED, done.stdout + done.stderr
    assert str(1 << 32) in done.stdout + done.stderr  # the piece that the byte is in
