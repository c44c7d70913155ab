"""The reference pages of the keys are what the program prints.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import pytest
from program import SOURCE, solvers, succeed


@pytest.mark.parametrize(("option", "page"), [("--markdown", "-keys.md"), ("--schema", ".schema.json")])
@pytest.mark.parametrize("solver", solvers())
def test_page_is_current(solver: str, option: str, page: str, tmp_path: Path) -> None:
    path = SOURCE / "docs/reference" / (solver + page)
    written = path.read_text() if path.exists() else ""
    if written != succeed("keys", solver, option, cwd=tmp_path):
        pytest.fail(f"regenerate it: tacit keys {solver} {option} > {path.relative_to(SOURCE)}", pytrace=False)
