"""The reference pages of the keys, and what is kept of solvers for programs without them, are what the program prints.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import pytest
from program import SOURCE, solvers, succeed


PAGES = [("--markdown", "docs/reference/{solver}-keys.md"), ("--schema", "docs/reference/{solver}.schema.json"),
         ("--description", "src/tacit/solvers/{layer}/described/{solver}.json")]


@pytest.mark.parametrize(("option", "page"), PAGES)
@pytest.mark.parametrize("solver", solvers())
def test_page_is_current(solver: str, option: str, page: str, tmp_path: Path) -> None:
    layer = {"gauge": "qcd"}.get(solver, solver)
    path = SOURCE / page.format(solver=solver, layer=layer)
    written = path.read_text() if path.exists() else ""
    if written != succeed("keys", solver, option, cwd=tmp_path):
        pytest.fail(f"regenerate it: tacit keys {solver} {option} > {path.relative_to(SOURCE)}", pytrace=False)
