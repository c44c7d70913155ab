"""Reads AMReX plotfiles, by the format alone: an oracle for what the program writes.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_BOX = re.compile(r"\(\(([\d,]+)\) \(([\d,]+)\) \(([\d,]+)\)\)")


@dataclass(frozen=True)
class Grid:
    """The cells of a box."""

    low: tuple[int, ...]
    """Of its first cell among those of the level."""
    high: tuple[int, ...]
    """Of its last cell."""
    edges: Array
    """Shape (axes, 2): where it begins and ends."""
    cells: NDArray[np.generic]
    """Shape (fields, ..., y, x), in the precision of the file."""


@dataclass(frozen=True)
class Plotfile:
    """A folder."""

    fields: list[str]
    time: float
    step: int
    low: Array
    high: Array
    domains: list[tuple[tuple[int, ...], tuple[int, ...]]]
    """Of each level."""
    spacings: list[Array]
    """Of each level: shape (axes)."""
    levels: list[list[Grid]]


def _box(text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    found = _BOX.fullmatch(text)
    assert found, text
    low, high, kind = (tuple(map(int, group.split(","))) for group in found.groups())
    assert set(kind) == {0}, "numbers are of cells"
    return low, high


def _read_cells(path: Path, place: int, box: tuple[tuple[int, ...], tuple[int, ...]],
                fields: int) -> NDArray[np.generic]:
    with path.open("rb") as file:
        file.seek(place)
        line = file.readline().decode()
        words = re.fullmatch(r"FAB \(\(8, \(([\d ]+)\)\),\((\d), \(([\d ]+)\)\)\)(.+) (\d+)\n", line)
        assert words
        size = int(words[2])
        bits = {8: "64 11 52 0 1 12 0 1023", 4: "32 8 23 0 1 9 0 127"}
        assert words[1] == bits[size] and _box(words[4]) == box and int(words[5]) == fields
        order = [int(word) for word in words[3].split()]
        sign = {tuple(range(size, 0, -1)): "<", tuple(range(1, size + 1)): ">"}[tuple(order)]
        shape = [last - first + 1 for first, last in zip(*box, strict=True)]
        count = fields * int(np.prod(shape))
        return np.frombuffer(file.read(count * size), dtype=f"{sign}f{size}", count=count).reshape(fields, *shape[::-1])


def _extremes(lines: list[str], grids: int, fields: int) -> Array:
    assert lines[0] == f"{grids},{fields}"
    rows = [line.split(",") for line in lines[1:1 + grids]]
    assert all(row[-1] == "" for row in rows) and lines[1 + grids] == ""
    return np.array([[float(word) for word in row[:-1]] for row in rows])


def _read_level(path: Path, edges: list[Array], fields: int) -> list[Grid]:
    lines = Path(f"{path}_H").read_text().split("\n")
    assert lines[:4] == ["1", "1", str(fields), "0"]
    count = len(edges)
    assert lines[4] == f"({count} 0"
    boxes = [_box(line) for line in lines[5:5 + count]]
    assert lines[5 + count:7 + count] == [")", str(count)]
    places = [line.split() for line in lines[7 + count:7 + 2 * count]]
    assert lines[7 + 2 * count] == ""
    rest = lines[8 + 2 * count:]
    least, largest = (_extremes(part, count, fields) for part in (rest, rest[2 + count:]))
    grids = []
    for number, ((word, name, place), box) in enumerate(zip(places, boxes, strict=True)):
        assert word == "FabOnDisk:"
        cells = _read_cells(path.parent / name, int(place), box, fields)
        flat = cells.reshape(fields, -1).astype(float)
        assert np.array_equal(flat.min(axis=1), least[number]) and np.array_equal(flat.max(axis=1), largest[number])
        grids.append(Grid(*box, edges[number], cells))
    return grids


def read_plotfile(folder: Path) -> Plotfile:
    """Reads all of it, and asserts what the format says of it."""
    lines = iter((folder / "Header").read_text().split("\n"))
    assert next(lines) == "HyperCLaw-V1.1"
    fields = [next(lines) for _ in range(int(next(lines)))]
    axes = int(next(lines))
    time = float(next(lines))
    count = int(next(lines)) + 1
    low, high = (np.array(next(lines).split(), dtype=float) for _ in range(2))
    assert len(low) == len(high) == axes
    assert next(lines).split() == ["2"] * (count - 1)
    domains = [_box(text) for text in re.findall(r"\(\(.*?\) \(.*?\) \(.*?\)\)", next(lines))]
    steps = [int(word) for word in next(lines).split()]
    assert len(domains) == len(steps) == count and len(set(steps)) == 1
    spacings = [np.array(next(lines).split(), dtype=float) for _ in range(count)]
    assert (next(lines), next(lines)) == ("0", "0")
    levels = []
    for level in range(count):
        words = next(lines).split()
        assert (int(words[0]), float(words[2]), int(next(lines))) == (level, time, steps[0])
        edges = [np.array([next(lines).split() for _ in range(axes)], dtype=float) for _ in range(int(words[1]))]
        levels.append(_read_level(folder / next(lines), edges, len(fields)))
    assert list(lines) == [""]
    return Plotfile(fields, time, steps[0], low, high, domains, spacings, levels)


def plotfiles(directory: Path) -> list[Path]:
    """Those of a run, in their order."""
    return sorted(directory.glob("plt_*"))


def files_of(folder: Path) -> dict[str, bytes]:
    """The bytes of its files, but for those that say when and where it was made."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*"))
            if path.is_file() and path.name != "parameters.toml"}
