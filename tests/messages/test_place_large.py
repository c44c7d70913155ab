"""`tacit place` for the 12,288 nodes of a run on Blue Waters, which must take less than a minute.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from program import SOURCE, succeed


def test_twelve_thousand_nodes(tmp_path: Path) -> None:
    text = succeed("place", SOURCE / "examples" / "machines" / "blue_waters.toml", "--ranks", 196608,
                   "--ranks-per-node", 16, "--points", 12288, "--output", "out", cwd=tmp_path)
    # Processor time, as other tests may run beside this one; the program has one thread.
    assert os.times().children_user < 60.0
    assert "12288 nodes" in text and "cut normal to y" in text
    best = re.search(r"([\d.]+)x$", text, re.M)
    assert best is not None and float(best.group(1)) >= 1.0
    assert len((tmp_path / "out" / "hostfile").read_text().split()) == 196608
