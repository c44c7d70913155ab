"""One number for a result: it says what the last state is, and nothing else.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest
from program import SOURCE, checkpoint, environment, fingerprint, run, succeed, tacit

STATED = re.compile(r"`fingerprint ([0-9a-f]{16}) \((\w+) loops, glibc ([\d.]+)\)`")
EXAMPLES = {readme.parent: STATED.search(readme.read_text())
            for readme in sorted((SOURCE / "examples").glob("*/*/README.md"))}
PUBLISHED = {folder: found.groups() for folder, found in EXAMPLES.items() if found}

HEAT = {"solver": "heat", "initial.setup": "gaussian", "heat.cells": [32, 16], "heat.diffusivity": 1.0,
        "time.end": 0.002, "run.threads": 1, "run.pin": False, "output.picture": False}


@pytest.fixture(scope="module")
def heat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short run."""
    return run(tmp_path_factory.mktemp("heat"), HEAT)


def test_it_is_that_of_the_state_alone(heat: Path, tmp_path: Path) -> None:
    digits = fingerprint(heat)
    # Other names, files and statistics; a restart in the midst.
    other = run(tmp_path, HEAT | {"output.statistics_every": 0.0005, "output.double_precision": True}, name="other")
    assert fingerprint(other) == digits
    run(tmp_path, HEAT, "--set", "time.max_steps=3", name="parts")
    assert fingerprint(tmp_path / "parts") != digits
    assert fingerprint(run(tmp_path, HEAT, "--restart", name="parts")) == digits
    # Another state.
    assert fingerprint(run(tmp_path, HEAT | {"time.end": 0.003}, name="longer")) != digits
    assert "fingerprint" not in json.loads(
        (run(tmp_path, HEAT | {"output.fingerprint": False}, name="none") / "summary.json").read_text())


def test_diff_compares_a_run_or_a_checkpoint_with_it(heat: Path, tmp_path: Path) -> None:
    digits = fingerprint(heat)
    for path in (heat, checkpoint(heat)):
        assert succeed("diff", path, digits.upper(), cwd=tmp_path).startswith(f"the same: {digits}, of heat at step ")
    wrong = tacit("diff", heat, "0123456789abcdef", cwd=tmp_path)
    assert wrong.returncode == 1
    assert wrong.stdout.startswith(f"differs: {digits} is that of heat at step ")


@pytest.mark.parametrize("change", ["bit", "type", "name", "attribute"])
def test_any_change_of_the_state_shows(change: str, heat: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(checkpoint(heat), tmp_path / "changed.hdf5"))
    with h5py.File(path, "r+") as file:
        group = file["Heat"]
        name = next(key for key, item in group.items() if isinstance(item, h5py.Dataset))
        values = group[name][()]
        if change == "bit":
            bits = values.view(np.uint64)
            bits[-1, ...] ^= np.uint64(1)
            group[name][...] = values
        elif change == "type":
            attributes = dict(group[name].attrs)
            del group[name]
            group.create_dataset(name, data=values.astype(np.float32)).attrs.update(attributes)
        elif change == "name":
            file.move(f"Heat/{name}", "Heat/other")
        else:
            group.attrs["more"] = 1.0
    assert tacit("diff", path, fingerprint(heat), cwd=tmp_path).returncode == 1


def test_what_has_none_says_so(heat: Path, tmp_path: Path) -> None:
    digits = fingerprint(heat)
    snapshot = heat / "snapshot_0000.hdf5"
    for path, message in ((snapshot, "is not a checkpoint of Tacit"), (tmp_path, "has no checkpoint"),
                          (tmp_path / "gone", "cannot be opened")):
        refused = tacit("diff", path, digits, cwd=tmp_path)
        assert refused.returncode != 0 and message in refused.stderr, refused.stderr


def test_there_are_published_ones() -> None:
    assert len(PUBLISHED) >= 4


@pytest.mark.long
@pytest.mark.parametrize("example", PUBLISHED, ids=lambda folder: folder.name)
def test_examples_have_the_fingerprint_that_they_state(example: Path, tmp_path: Path) -> None:
    digits, loops, glibc = PUBLISHED[example]
    done = tacit("run", example / "run.toml", "--output", "run", "--set", "output.picture=false", cwd=tmp_path,
                 env=environment(TACIT_INSTRUCTION_SET=loops))
    if "instruction set" in done.stderr:
        pytest.skip(f"this processor has no {loops}")
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    if summary["fingerprint_depends_on"] != f"{loops} loops, glibc {glibc}":
        pytest.skip(f"the published one is of glibc {glibc}, this machine has {summary['fingerprint_depends_on']}")
    assert summary["fingerprint"] == digits
