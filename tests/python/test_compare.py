"""Error norms and the choice of the exact solution.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import sedov_snapshot, sod_snapshot

from tacit.cli import main
from tacit.compare import compare
from tacit.errors import InputError
from tacit.exact import sedov
from tacit.snapshot import read_snapshot
from tacit.solutions import exact_profile


def test_particles_on_the_exact_solution_have_no_error(sod_file: Path) -> None:
    """What is left is the single precision of the fields, 6e-8."""
    result = compare(read_snapshot(sod_file))
    assert result["solution"] == "sod" and result["region"] == pytest.approx([0.6, 1.5])
    for key in ("L1_rho", "L1_v", "L1_P"):
        assert result[key] < 1e-7


def test_a_known_error_is_measured(tmp_path: Path) -> None:
    """A velocity off by 0.01 everywhere has exactly this volume-weighted L1 error."""
    result = compare(read_snapshot(sod_snapshot(tmp_path / "t.hdf5", v_error=0.01)))
    assert result["L1_v"] == pytest.approx(0.01, rel=1e-4)
    assert result["L1_rho"] < 1e-7


def test_mirrored_interface_is_part_of_the_solution(sod_file: Path) -> None:
    result = compare(read_snapshot(sod_file), region=(0.0, 2.0))
    assert result["L1_v"] < 1e-7 and result["particles_in_region"] == result["particles"]


def test_blast_wave_numbers(sedov_file: Path) -> None:
    result = compare(read_snapshot(sedov_file))
    R = sedov.xi0(5.0 / 3.0) * 0.05**0.4
    assert result["shock_radius"] == pytest.approx(R, rel=1e-12)
    assert result["shock_density"] == pytest.approx(4.0)
    # Bins are 0.01 wide: the densest one lies behind the shock, not further than the lattice's spacing of 0.05.
    assert R - 0.05 < result["peak_radius"] < R + 0.005
    assert result["max_density"] <= 4.0
    assert result["L1_v"] < 1e-4 and result["L1_rho"] < 1e-4


def test_parameters_of_the_file_set_the_blast_wave(tmp_path: Path) -> None:
    path = sedov_snapshot(tmp_path / "x.hdf5", n=8,
                          parameters='[initial]\nsetup = "sedov"\n[sedov]\nenergy = 32.0\ndensity = 2.0\n')
    exact = exact_profile(read_snapshot(path))
    assert exact.solution.energy == 32.0 and exact.solution.rho0 == 2.0


def test_without_parameters_the_data_set_the_blast_wave(tmp_path: Path) -> None:
    """The sum over 40^3 cells of size 1/40 replaces integrals over a shock of radius 0.35: a few per cent."""
    exact = exact_profile(read_snapshot(sedov_snapshot(tmp_path / "my_sedov_7.hdf5", n=40, parameters="")))
    assert exact.solution.energy == pytest.approx(1.0, rel=0.05)
    assert exact.solution.rho0 == pytest.approx(1.0, rel=0.05)


@pytest.mark.parametrize(
    ("parameters", "file_name", "choice", "expected"),
    [
        ('[initial]\nsetup = "sod"\n', "sedov.hdf5", "auto", "sod"),
        ('[initial]\nfile = "ics/sod_40.hdf5"\n', "s.hdf5", "auto", "sod"),
        ("", "snap_sedov_32.hdf5", "auto", "sedov"),
        ("", "soda.hdf5", "auto", None),
        ('# setup = "sod"\n[initial]\nfile = "kh_64.hdf5"\n', "s.hdf5", "auto", None),
        ('[initial]\nsetup = "sedov"\n', "s.hdf5", "none", None),
        ('[initial]\nsetup = "sedov"\n', "s.hdf5", "sod", "sod"),
    ],
)
def test_choice_of_the_solution(
    tmp_path: Path, parameters: str, file_name: str, choice: str, expected: str | None
) -> None:
    exact = exact_profile(read_snapshot(sod_snapshot(tmp_path / file_name, n=4, parameters=parameters)), choice)
    assert (exact.name if exact else None) == expected


def test_quantities_with_units_are_measured_in_quiet_gas(tmp_path: Path) -> None:
    parameters = '[initial]\nsetup = "sod"\n[sod]\nrho_left = "1 g cm^-3"\nP_right = "0.1 dyn cm^-2"\n'
    exact = exact_profile(read_snapshot(sod_snapshot(tmp_path / "s.hdf5", parameters=parameters)))
    assert exact.solution.left.rho == pytest.approx(1.0, rel=1e-6)
    assert exact.solution.right.P == pytest.approx(0.1, rel=1e-6)


def test_waves_that_have_met_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="waves have met"):
        compare(read_snapshot(sod_snapshot(tmp_path / "s.hdf5", n=4, time=0.5)))


def test_region_without_particles_is_refused(sod_file: Path) -> None:
    with pytest.raises(InputError, match="no particles between 5 and 6"):
        compare(read_snapshot(sod_file), region=(5.0, 6.0))


def test_command_prints_json_and_text(sod_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(sod_file), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["solution"] == "sod" and np.isfinite(result["L1_P"])
    assert main(["compare", str(sod_file), "--region", "0.7", "1.2"]) == 0
    text = capsys.readouterr().out
    assert "L1_rho" in text and "0.7 1.2" in text
