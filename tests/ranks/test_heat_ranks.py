"""Heat on ranks that mpirun starts: the same bits on any number of them, and continued on another.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import pytest
from launched import assert_same_results, launch, on_ranks
from program import checkpoint, write_parameters

HEAT = {"solver": "heat", "initial.setup": "gaussian", "gaussian.width": 0.3, "heat.cells": [18, 15, 16],
        "heat.walls": ["insulating", "periodic", "fixed"], "heat.low": [0, 0, 1], "heat.high": [0, 0, 2],
        "heat.diffusivity": 1.0, "time.end": 0.01, "output.double_precision": True, "output.statistics_every": 0.002,
        "output.picture": False, "run.threads": 1, "run.pin": False}


def heat(folder: Path, name: str, ranks: int, *arguments: str, **more: object) -> Path:
    """Runs it on so many ranks into folder/NAME, which it returns. `more`: heat__scheme="rkl2" is heat.scheme."""
    values = HEAT | {key.replace("__", "."): value for key, value in more.items()}
    file = write_parameters(folder / "heat.toml", values)
    done = launch(on_ranks(ranks, "run", file.name, "--output", name, *arguments), folder)
    assert done.returncode == 0, f"exit code {done.returncode} on {ranks} ranks\n{done.stdout}{done.stderr}"
    return folder / name


@pytest.mark.parametrize("scheme", ["rk2", "rkl2"])
def test_ranks_leave_what_one_leaves(scheme: str, tmp_path: Path) -> None:
    alone = heat(tmp_path, "alone", 1, heat__scheme=scheme)
    for ranks in (2, 4) if scheme == "rk2" else (3,):
        assert_same_results(alone, heat(tmp_path, str(ranks), ranks, heat__scheme=scheme))


def test_all_ranks_write_into_one_file(tmp_path: Path) -> None:
    """Laid out first, uncompressed, and continued on other counts; h5py finds the arrays where they are."""
    alone = heat(tmp_path, "alone", 1)
    for name, first, second in (("1", 1, 4), ("2", 2, 1), ("4", 4, 2)):
        folder = heat(tmp_path, name, first, "--set", "time.max_steps=3", output__writers="shared")
        with h5py.File(checkpoint(folder)) as file:
            temperature = file["Heat/temperature"]
            assert temperature.chunks is None
            raw = checkpoint(folder).read_bytes()[temperature.id.get_offset():][:temperature.nbytes]
            assert raw == temperature[()].tobytes()
        assert not list(folder.glob("*.part*"))
        assert_same_results(alone, heat(tmp_path, name, second, "--restart", output__writers="shared"))
        assert json.loads((folder / "summary.json").read_text())["writers"] == {"restart": "shared",
                                                                                "snapshot": "shared"}


def test_a_checkpoint_continues_on_other_counts(tmp_path: Path) -> None:
    alone = heat(tmp_path, "alone", 1)
    for name, first, second in (("down", 2, 1), ("up", 1, 3)):
        heat(tmp_path, name, first, "--set", "time.max_steps=3")
        assert_same_results(alone, heat(tmp_path, name, second, "--restart"))


@pytest.mark.parametrize("ranks", [1, 2])
def test_says_how_near_it_came_to_the_machine(ranks: int, tmp_path: Path) -> None:
    """Measured by all ranks, and alike in bits to a run that says nothing of it."""
    said = heat(tmp_path, "said", ranks, run__peak_share="always")
    summary = json.loads((said / "summary.json").read_text())
    # A state that fits into the caches can be faster than memory; the processors' time may belong to others.
    assert 0.0 < summary["peak_share"] < 2.0
    peak = summary["peak"]
    assert peak["limit"] in ("memory", "arithmetic")
    assert 0.0 < peak["flops_per_s"] < 2.0 * peak["flops_limit"]
    assert 0.0 < peak["bytes_per_s"] < 2.0 * peak["bytes_limit"]
    share = max(peak["flops_per_s"] / peak["flops_limit"], peak["bytes_per_s"] / peak["bytes_limit"])
    assert summary["peak_share"] == pytest.approx(share)
    # rk2 in 3D: rates of 13 operations, and 2 and 4 more; 16 and 24 bytes.
    assert peak["flops_per_s"] / peak["bytes_per_s"] == pytest.approx((2 * 13 + 6) / 40)
    silent = heat(tmp_path, "silent", ranks, run__peak_share="never")
    assert json.loads((silent / "summary.json").read_text())["peak_share"] is None
    assert_same_results(said, silent)
