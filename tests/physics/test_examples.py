"""Every example runs, and is drawn.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from program import SOURCE, environment, program, settings, succeed

from tacit.cli import main as plot_main
from tacit.drawing import page

EXAMPLES = sorted((SOURCE / "examples").glob("*/*/run.toml"))
FIRST = {example.parents[1].name: example for example in reversed(EXAMPLES)}.values()
"""One of each solver, whose picture the quick suite draws."""
SMALL = {"sph": {"blob.resolution": 8, "evrard.resolution": 8, "gresho.resolution": 16,
                 "kelvin_helmholtz.resolution": 16, "nfw_gas.resolution": 8, "noh.resolution": 16,
                 "plummer.resolution": 6, "sedov.resolution": 8, "sod.resolution": 8, "square.resolution": 8,
                 "two_spheres.resolution": 6, "time.end": 0.005},
         "dns": {"dns.points": 16, "time.end": 0.005},
         "heat": {"heat.cells": [16, 8], "time.end": 0.005},
         "md": {"lattice.cells": [3, 3, 3], "time.end": 0.02},
         "qcd": {"qcd.extents": [4, 4, 2, 4]},
         "gauge": {"gauge.extents": [4, 4, 4, 4], "measure.from": 1, "sweep.end": 12},
         "amr": {"amr.level": 1, "time.end": 0.005}}
"""What makes the examples of a solver quick, where they are not; one thread waits for nobody."""
OF_EXAMPLE = {"cosmic_web": {"cosmological.resolution": 8, "time.end": 0.045, "output.redshifts": [23]},
              "liquid_vapour": SMALL["md"] | {"analysis.begin": 0, "output.average_from": 0, "time.end": 0.1}}
"""Of one that counts its time otherwise, and one that measures late."""


def draw(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures are drawn here, where matplotlib is loaded once, and without a search for the best layout; that runs
    draw them by themselves is what the last of these tests sees."""
    monkeypatch.setattr(page, "_LAYOUT", "none")
    assert plot_main(["plot", str(directory), "--resolution", "64"]) == 0
    assert (directory / "picture.png").stat().st_size > 10_000


@pytest.mark.parametrize("is_drawn", [False, pytest.param(True, marks=pytest.mark.long)], ids=["run", "drawn"])
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.parent.name)
def test_example(example: Path, is_drawn: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert succeed("check", example, cwd=tmp_path).startswith(f"{example}: good\n")
    assert list(tmp_path.iterdir()) == []
    small = OF_EXAMPLE.get(example.parent.name, SMALL.get(example.parents[1].name, {}))
    succeed("run", example, "--output", "run", "--threads", "1", *settings(small), "--set", "output.picture=false",
            cwd=tmp_path)
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["finished"]
    if "time.end" in small:  # not where iterations are counted
        assert summary["time"] == small["time.end"]
    if is_drawn or example in FIRST:
        draw(tmp_path / "run", monkeypatch)


def test_a_run_leaves_its_picture_when_the_launcher_starts_it(tmp_path: Path) -> None:
    """As users see it, with the layout as it should be, for which all is drawn twice: of the solver whose picture is
    the smallest. The launcher must not rebuild the program in the middle of a test."""
    variables = environment(TACIT_LAUNCHER=str(SOURCE / "tacit"), TACIT_BUILD_DIR=str(Path(program()).parents[1]),
                            TACIT_NO_BUILD="1")
    succeed("run", SOURCE / "examples/qcd/pion/run.toml", "--output", "run", *settings(SMALL["qcd"]), cwd=tmp_path,
            env=variables)
    picture = (tmp_path / "run" / "picture.png").read_bytes()
    assert picture.startswith(b"\x89PNG\r\n\x1a\n") and len(picture) > 15_000


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 2
