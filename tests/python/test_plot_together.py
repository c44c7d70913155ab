"""Several runs in one picture: whose curves they are, and what they share.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import sedov_snapshot
from test_plot import check_picture, panels
from test_plot_flow import flow_run  # noqa: F401 (a fixture)

from tacit.cli import main
from tacit.drawing.request import Request
from tacit.drawing.together import compose_together

SEDOV = '[initial]\nsetup = "sedov"\n[sedov]\nenergy = 1.0\ndensity = 1.0\n'


@pytest.fixture
def gas_runs(run_directory: Path) -> list[Path]:
    """Two runs of one explosion, of 12^3 and 8^3 particles."""
    other = run_directory.with_name("coarse")
    other.mkdir()
    sedov_snapshot(other / "snapshot_0000.hdf5", n=8, time=0.05, name="coarse")
    shutil.copy(run_directory / "statistics.csv", other)
    return [run_directory, other]


def labels(figure, panel: int = 0) -> list[str]:
    """Of the lines of a panel."""
    return [line.get_label() for line in panels(figure)[panel].lines]


def test_gas_is_drawn_over_each_other(gas_runs: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    """Each run once in every panel, under its name; the exact solution, which is the same, once."""
    figure = compose_together(gas_runs, Request())
    assert labels(figure) == ["late, $N = 1728$", "coarse, $N = 512$", "exact"]
    assert [len(axes.lines) for axes in panels(figure)] == [3, 3, 3, 3, 2, 2, 2]
    assert [axes.get_legend() is not None for axes in panels(figure)] == [True, *[False] * 3, True, *[False] * 2]
    assert [axes.get_yscale() for axes in panels(figure)[:4]] == ["linear"] * 3 + ["log"]  # u spans decades
    assert "sedov" in figure.texts[0].get_text() and "$t = 0.05$" in figure.texts[0].get_text()
    assert main(["plot", *map(str, gas_runs)]) == 0
    assert capsys.readouterr().out.strip() == str(gas_runs[0] / "comparison.png")
    check_picture(gas_runs[0] / "comparison.png")


def test_flows_are_drawn_over_each_other(flow_run: Path, tmp_path_factory) -> None:  # noqa: F811
    """Runs of the same name are told apart by their directories."""
    other = tmp_path_factory.mktemp("second")
    for file in flow_run.iterdir():
        shutil.copy(file, other)
    (other / "spectra_000001.hdf5").unlink()
    figure = compose_together([flow_run, other], Request())
    assert [label.split(",")[0] for label in labels(figure)] == [flow_run.name, other.name]
    assert [label.split(", ")[-1] for label in labels(figure)] == ["$t = 1$", "$t = 0$"]
    assert len(panels(figure)) == 6


def test_exact_solutions_that_differ_are_left_out(gas_runs: list[Path]) -> None:
    sedov_snapshot(gas_runs[1] / "snapshot_0000.hdf5", n=8, time=0.04, name="coarse", parameters=SEDOV)
    figure = compose_together(gas_runs, Request(kind="profile", field="P"))
    assert labels(figure) == ["late, $N = 1728$, $t = 0.05$", "coarse, $N = 512$, $t = 0.04$"]
    assert len(panels(figure)) == 1
