"""The reference pages of the keys are what the program prints.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import pytest
from program import SOURCE, succeed


@pytest.mark.parametrize(("option", "page"), [("--markdown", "sph-keys.md"), ("--schema", "sph.schema.json")])
def test_page_is_current(option: str, page: str, tmp_path: Path) -> None:
    path = SOURCE / "docs/reference" / page
    assert path.read_text() == succeed("keys", "sph", option, cwd=tmp_path), (
        f"regenerate it: tacit keys sph {option} > docs/reference/{page}")
