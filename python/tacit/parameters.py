"""The parameter file that results carry with them.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from typing import Any


def parsed(text: str) -> dict[str, Any]:
    """Nested tables; empty if the text is no TOML, or this Python (3.10) cannot read TOML."""
    try:
        import tomllib
    except ImportError:
        return {}
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def table(parameters: dict[str, Any], name: str) -> dict[str, Any]:
    """The table of this name; empty if there is none."""
    found = parameters.get(name, {})
    return found if isinstance(found, dict) else {}


def setup_of(parameters: dict[str, Any]) -> str | None:
    """What the run began from: the name of the set-up, or "the file NAME"; None where the parameters do not say."""
    initial = table(parameters, "initial")
    setup = initial.get("setup")
    if isinstance(setup, str) and setup != "file":
        return setup
    return f"the file {initial['file']}" if isinstance(initial.get("file"), str) else None
