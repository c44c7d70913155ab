"""What parameter files may hold, as the engine's own tables say.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from typing import Any

from tacit import _engine


def solvers() -> list[str]:
    """The names of all solvers."""
    return _engine.text_from("tacit_solvers")


def schema(solver: str) -> dict[str, Any]:
    """The JSON Schema of a solver's parameter files: tables, keys, types, ranges, defaults and help.

    Raises:
        InputError: if there is no such solver.
    """
    return _engine.text_from("tacit_schema", solver.encode())


def keys(solver: str, section: str = "") -> dict[str, str]:
    """The keys of a solver, with the help on each.

    Args:
        solver: its name, one of `solvers()`.
        section: only keys whose names begin so: "time", "sph.k".

    Raises:
        InputError: if there is no such solver.
    """
    found: dict[str, str] = {}
    _collect(schema(solver), "", found)
    return {key: text for key, text in found.items() if key.startswith(section)}


def _collect(table: dict[str, Any], prefix: str, found: dict[str, str]) -> None:
    for name, entry in table.get("properties", {}).items():
        if "properties" in entry:
            _collect(entry, f"{prefix}{name}.", found)
        else:
            found[prefix + name] = entry.get("description", "")
