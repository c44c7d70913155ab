"""The files of `tacit new`: each runs as it is, and what their comments name is there.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from program import SOURCE, solvers, succeed, tacit

FOLDER = SOURCE / "tools/new"


def keys_of(solver: str, folder: Path) -> dict[str, dict[str, Any]]:
    """By their names, as the schema has them."""
    found: dict[str, dict[str, Any]] = {}

    def add(table: dict[str, Any], prefix: str) -> None:
        for name, value in table.get("properties", {}).items():
            found[prefix + name] = value
            add(value, f"{prefix}{name}.")

    add(json.loads(succeed("keys", solver, "--schema", cwd=folder)), "")
    return found


def test_every_solver_has_one() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.toml")) == sorted(solvers())


@pytest.mark.parametrize("solver", solvers())
def test_it_passes_the_check(solver: str, tmp_path: Path) -> None:
    text = (FOLDER / f"{solver}.toml").read_text()
    (tmp_path / "first.toml").write_text(text)
    assert tomllib.loads(text)["solver"] == solver
    done = tacit("check", "first.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert solver == "amr" or done.stderr == "", done.stderr  # which says that grids follow the gas
    assert "first.toml: good" in done.stdout


@pytest.mark.parametrize("solver", solvers())
def test_what_its_comments_name_is_there(solver: str, tmp_path: Path) -> None:
    """Keys that are commented out, with values that TOML reads, and the choices that a comment lists."""
    keys = keys_of(solver, tmp_path)
    table = ""
    count = 0
    for line in (FOLDER / f"{solver}.toml").read_text().splitlines():
        if header := re.match(r"(?:# )?\[([\w.]+)\]", line):
            table = header[1] + "."
        elif comment := re.match(r"# (\w+) = .*", line):
            name = table + comment[1]
            assert name in keys or (table.rstrip(".") in keys and "fields" in table), f"there is no key {name}"
            tomllib.loads(line[2:])
            count += 1
        if listed := re.match(r'(\w+) = "\w+".*# (?:others|or):? (.*)', line):
            allowed = json.dumps(keys[table + listed[1]])
            for words in listed[2].split(", "):
                word = re.match(r'"?([a-z][a-z0-9_]*)"?( \(.*)?$', words)
                if not word:
                    break  # a sentence goes on
                assert f'"{word[1]}"' in allowed, f"{table}{listed[1]}: there is no choice {word[1]}"
                count += 1
    assert count >= 1 + (solver not in ("qcd", "gauge"))
