"""`tacit keys`: of a section, and of what contains a word.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re
from pathlib import Path

from program import solvers, succeed


def names(text: str) -> list[str]:
    """The keys that a page of help describes."""
    return re.findall(r"^  ([a-z][\w.]*)  \(", text, re.M)


def test_section_search_and_both(tmp_path: Path) -> None:
    every = names(succeed("keys", "sph", cwd=tmp_path))
    section = succeed("keys", "sph", "time", cwd=tmp_path)
    assert names(section) == [name for name in every if name.startswith("time.")]
    assert section.startswith("Time\n\n  time.begin")
    assert names(succeed("keys", "sph", "time.end", cwd=tmp_path)) == ["time.end"]
    found = names(succeed("keys", "sph", "--search", "VISCOSITY", cwd=tmp_path))
    assert "sph.alpha" in found and "sph.scheme" in found, "help counts, and that of choices"
    assert len(found) < len(every) / 4
    assert names(succeed("keys", "dns", "dns", "--search", "viscosity", cwd=tmp_path))[0] == "dns.viscosity"
    both = succeed("keys", "--search", "stall", cwd=tmp_path)
    assert names(both) == ["run.stall_timeout"] * len(solvers()), "without a solver, those of each"
