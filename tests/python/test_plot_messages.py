"""One clear message for each request that `tacit plot` cannot meet: the exact text on stderr, and no picture.

SPDX-License-Identifier: Apache-2.0

golden/NAME.txt holds what the user sees, with the folder of the test as DIR. TACIT_UPDATE_GOLDEN=1 writes the
files; read the difference before you commit it. All of it runs in this process: starting Python costs a second a case.
"""

from __future__ import annotations

import os
from pathlib import Path

import h5py
import pytest
from conftest import sedov_snapshot, sod_snapshot
from test_plot_flow import write_flow_run
from test_plot_heat import write_heat_run
from test_plot_timeline import write_trace

from tacit.cli import main

GOLDEN = Path(__file__).parent / "golden"
CASES = {
    "field_unknown": ["blast.hdf5", "--field", "colour", "--kind", "slice"],
    "field_temperature": ["blast.hdf5", "--field", "T"],
    "field_temperature_in_code_units": ["blast.hdf5", "--field", "T", "--mean-molecular-weight", "0.59"],
    "cut_outside": ["blast.hdf5", "--cut", "7", "--kind", "slice"],
    "output_of_unknown_format": ["blast.hdf5", "--output", "x.jpeg2"],
    "output_in_no_folder": ["blast.hdf5", "--output", "DIR/nowhere/at/all.png", "--kind", "profile"],
    "output_for_two_files": ["blast.hdf5", "tube/snapshot_0000.hdf5", "--output", "one.png"],
    "history_missing": ["blast.hdf5", "--kind", "history"],
    "flow_projection": ["flow", "--kind", "projection"],
    "flow_field_of_gas": ["flow", "--kind", "slice", "--field", "rho"],
    "flow_field_buoyancy": ["flow", "--field", "buoyancy"],
    "flow_field_scalar": ["flow", "--field", "scalar2"],
    "flow_cut_outside": ["flow", "--axis", "x", "--cut", "7"],
    "heat_projection": ["warm", "--kind", "projection"],
    "heat_field_of_gas": ["warm", "--kind", "slice", "--field", "rho"],
    "heat_cut_outside": ["warm", "--cut", "7"],
    "runs_of_amr": ["grids", "grids"],
    "runs_of_heat": ["warm", "warm"],
    "runs_of_two_solvers": ["tube", "flow"],
    "runs_of_two_setups": ["tube", "blast"],
    "runs_of_two_unit_systems": ["blast", "kpc"],
    "runs_and_files": ["tube", "blast.hdf5"],
    "runs_as_maps": ["blast", "blast", "--kind", "slice"],
    "runs_of_flows_with_a_field": ["flow", "flow", "--field", "vx"],
    "runs_without_history": ["blast", "blast", "--kind", "history"],
    "runs_one_of_them_missing": ["blast", "none"],
    "runs_too_many": ["blast"] * 8,
    "window_of_a_snapshot": ["blast.hdf5", "--window", "1", "2"],
    "window_backwards": ["trace.json", "--window", "2", "1"],
    "range_backwards": ["blast.hdf5", "--range", "2", "1"],
    "extent_without_width": ["blast.hdf5", "--extent", "0", "1", "2", "2"],
    "window_without_events": ["trace.json", "--window", "100", "200"],
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a snapshot, runs of gas, a run of a flow, one of heat, one on sub-grids, and a trace."""
    folder = tmp_path_factory.mktemp("inputs")
    for name in ("blast", "kpc", "tube", "flow", "warm", "grids"):
        (folder / name).mkdir()
    sedov_snapshot(folder / "blast.hdf5", n=4)
    sedov_snapshot(folder / "blast" / "snapshot_0000.hdf5", n=4)
    sedov_snapshot(folder / "kpc" / "snapshot_0000.hdf5", n=4, units=(3.0856776e21, 1.98841e43, 3.0856776e16))
    sod_snapshot(folder / "tube" / "snapshot_0000.hdf5", n=4)
    write_flow_run(folder / "flow")
    write_heat_run(folder / "warm", (6, 5, 4))
    with h5py.File(folder / "grids" / "snapshot_0000.hdf5", "w") as file:
        file["VTKHDF/Level0/CellData/density"] = [1.0] * 8
    write_trace(folder / "trace.json")
    return folder


@pytest.mark.parametrize("name", CASES)
def test_message(inputs: Path, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(inputs)
    before = sorted(inputs.rglob("*"))
    assert main(["plot", *(word.replace("DIR", str(inputs)) for word in CASES[name])]) == 1
    output = capsys.readouterr()
    message = output.err.replace(str(inputs), "DIR")
    golden = GOLDEN / f"{name}.txt"
    if os.environ.get("TACIT_UPDATE_GOLDEN"):
        golden.write_text(message)
    assert message == golden.read_text()
    assert message.count("\n") == 1 and output.out == ""
    assert sorted(inputs.rglob("*")) == before


def test_every_golden_file_has_a_case() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(CASES)
