"""One clear message for each mistake: the exact text on stderr, the exit code, and nothing harmed on disk.

SPDX-License-Identifier: Apache-2.0

golden/NAME.txt holds what the user sees, with the folder of the test as DIR, and the list of solvers as SOLVERS.
TACIT_UPDATE_GOLDEN=1 writes the files again; read the difference before you commit it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from cases import CASES, Case
from cases_amr import CASES_AMR
from cases_dns import CASES_DNS
from cases_heat import CASES_HEAT
from cases_md import CASES_MD
from cases_qcd import CASES_QCD
from place_cases import PLACE
from program import contents, environment, solvers, tacit

GOLDEN = Path(__file__).parent / "golden"
ALL = CASES + CASES_DNS + CASES_HEAT + CASES_MD + CASES_QCD + CASES_AMR + PLACE


def normalised(text: str, folder: Path) -> str:
    """The text without what differs from machine to machine."""
    text = text.replace(str(folder), "DIR").replace(", ".join(solvers()), "SOLVERS")
    return re.sub(r"eof = \d+", "eof = N", text)  # h5py's versions write other sizes


def results(folder: Path) -> dict[str, str]:
    """What is on disk, but for who had locked a run that is continued."""
    return {name: checksum for name, checksum in contents(folder).items() if not name.endswith(".tacit.lock")}


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_message(case: Case, tmp_path: Path) -> None:
    folder = tmp_path / "case"  # the run has its name from this folder
    folder.mkdir()
    case.prepare(folder)
    before = results(folder)
    done = tacit(*case.arguments, cwd=folder, env=environment(**case.environment))
    message = normalised(done.stderr, folder)
    golden = GOLDEN / f"{case.name}.txt"
    if os.environ.get("TACIT_UPDATE_GOLDEN"):
        golden.write_text(message)
    assert message == golden.read_text()
    assert done.returncode == case.exit_code, message
    assert done.stdout == ""
    assert results(folder) == before


def test_every_golden_file_has_a_case() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == {case.name for case in ALL}
    assert len(ALL) == len({case.name for case in ALL})
