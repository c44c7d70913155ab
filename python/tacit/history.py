"""Reads statistics.csv, the history of a run's conserved quantities, by the names of its columns.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

FILE_NAME = "statistics.csv"


def read_history(path: Path) -> dict[str, Array]:
    """Those of `read_columns`; an empty dict also if there is no column "time"."""
    columns = read_columns(path)
    return columns if "time" in columns else {}


def read_columns(path: Path) -> dict[str, Array]:
    """Columns by name, shape (rows) each, without columns that are not numbers and rows cut short by a killed run.

    Lines may start with '#'; an empty dict comes back if there is no file, or no row.
    """
    if not path.is_file():
        return {}
    with path.open(newline="", encoding="utf-8", errors="replace") as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file) if row]
    if len(rows) < 2:
        return {}
    names = [name.lstrip("# ").strip() for name in rows[0]]
    body = [row for row in rows[1:] if len(row) == len(names) and not row[0].startswith("#")]
    columns = {}
    for k, name in enumerate(names):
        try:
            columns[name] = np.array([float(row[k]) for row in body])
        except ValueError:
            continue
    return columns if body else {}


def is_expanding(history: dict[str, Array]) -> bool:
    """Whether it is that of a box that expands, in which the scale factor stands for the time."""
    return "layzer_irvine" in history


def balanced(history: dict[str, Array]) -> dict[str, Array]:
    """A history in which mass and total energy are those with what has left through sides, without what was added.

    Columns `mass_left`, `mass_added`, `energy_left` and `energy_added` say how much; those that are not there are 0.
    """
    result = dict(history)
    for name, of in (("mass", "mass"), ("total_energy", "energy")):
        if name in history:
            result[name] = history[name] + history.get(f"{of}_left", 0.0) - history.get(f"{of}_added", 0.0)
    return result


def drifts(history: dict[str, Array]) -> dict[str, Array]:
    """|q(t) - q(0)| over the largest natural scale so far, for those of energy, momentum and mass that can be had.

    Scale of the energy: the largest of kinetic, internal and |potential|; in a box that expands it is what Layzer and
    Irvine's equation keeps, with a^2 times that scale. Scale of the momentum: sqrt(2 M E_kin), which
    is an upper bound of sum |m v|; so the momentum drift shown is a lower bound of the one in summary.json.
    """
    result = {}
    parts = [np.abs(history[f"{name}_energy"]) for name in ("kinetic", "internal", "potential")
             if f"{name}_energy" in history]
    if "total_energy" in history and parts:
        total = history["total_energy"]
        result["energy"] = _relative(np.abs(total - total[0]), np.max(parts, axis=0))
    if is_expanding(history) and parts:
        kept = history["layzer_irvine"]
        result["energy"] = _relative(np.abs(kept - kept[0]), history["time"] ** 2 * np.max(parts, axis=0))
    if "mass" in history:
        result["mass"] = _relative(np.abs(history["mass"] - history["mass"][0]), np.abs(history["mass"]))
    momentum = [history[f"momentum_{axis}"] for axis in "xyz" if f"momentum_{axis}" in history]
    if len(momentum) == 3 and "mass" in history and "kinetic_energy" in history:
        change = np.sqrt(sum((p - p[0]) ** 2 for p in momentum))
        result["momentum"] = _relative(change, np.sqrt(2.0 * history["mass"] * np.abs(history["kinetic_energy"])))
    return result


def _relative(change: Array, scale: Array) -> Array:
    largest = np.maximum.accumulate(scale)
    return np.where(largest > 0.0, change / np.where(largest > 0.0, largest, 1.0), 0.0)
