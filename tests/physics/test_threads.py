"""Bitwise identical results on any number of threads, and from the parameters as used.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from program import assert_same_bits, datasets, run, snapshots, succeed

SETUPS = {
    "sedov": {"initial.setup": "sedov", "sedov.resolution": 12, "time.end": 0.02},
    "sod": {"initial.setup": "sod", "sod.resolution": 12, "time.end": 0.05},
    "quintic": {"initial.setup": "sedov", "sedov.resolution": 10, "sph.kernel": "quintic_spline", "time.end": 0.01},
    "common": {"initial.setup": "sedov", "sedov.resolution": 12, "sph.time_steps": "common", "time.end": 0.02},
    "gadget2": {"initial.setup": "sedov", "sedov.resolution": 12, "sph.scheme": "gadget2", "time.end": 0.02},
    "open": {"initial.setup": "sedov", "sedov.resolution": 10, "sph.boundary": "open", "time.end": 0.02},
}
OUTPUT = {"output.double_precision": True}
SET = {"by default": SETUPS["sod"],
       "by keys": SETUPS["quintic"] | SETUPS["open"] | {"sph.scheme": "gadget2", "sph.time_steps": "common"}}
"""Runs of which nothing is set but the problem, and of which each choice is another one."""


@pytest.mark.parametrize("setup", [
    pytest.param(name, marks=() if name in ("sedov", "sod", "open") else pytest.mark.long) for name in SETUPS])
def test_threads_and_modes_do_not_change_a_bit(setup: str, tmp_path: Path) -> None:
    """Owner computes: the order of a particle's sum is the same in both modes, so one run is what all are held to."""
    last = [snapshots(run(tmp_path, SETUPS[setup] | OUTPUT | {"run.deterministic": deterministic, "run.name": setup},
                          "--threads", str(threads), name=f"on-{threads}-{deterministic}"))[-1]
            for threads, deterministic in ((1, True), (2, False), (3, True))]
    for other in last[1:]:
        assert_same_bits(last[0], other)


def test_the_comparison_sees_a_difference(tmp_path: Path) -> None:
    """The tests above can fail: a relative change of 1e-6 in the viscosity, 8 roundings of a float, shows."""
    values = SETUPS["gadget2"] | OUTPUT
    first = snapshots(run(tmp_path, values | {"sph.alpha": 0.8}, name="a"))[-1]
    second = snapshots(run(tmp_path, values | {"sph.alpha": 0.8 * (1.0 + 1e-6)}, name="b"))[-1]
    with pytest.raises(AssertionError):
        assert_same_bits(first, second)
    assert datasets(first).keys() == datasets(second).keys()


@pytest.mark.parametrize("values", SET.values(), ids=SET.keys())
def test_parameters_as_used_give_the_run_again(values: dict[str, object], tmp_path: Path) -> None:
    results = run(tmp_path, values | OUTPUT | {"units.length": "1 pc", "time.dt_max": 0.004})
    succeed("run", results / "parameters.toml", "--output", "again", cwd=tmp_path)
    for first, second in zip(snapshots(results), snapshots(tmp_path / "again"), strict=True):
        assert_same_bits(first, second)
    used, again = (tomllib.loads((path / "parameters.toml").read_text()) for path in (results, tmp_path / "again"))
    for parameters in (used, again):
        parameters["output"].pop("directory")
        parameters.get("run", {}).pop("name", None)
    assert used == again
