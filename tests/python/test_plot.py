"""Pictures of snapshots and runs, and the messages when there is nothing to draw.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import matplotlib.image
import numpy as np
import pytest
from conftest import sedov_snapshot, sod_snapshot

from tacit.cli import main
from tacit.history import drifts, read_history
from tacit.runs import snapshot_path
from tacit.snapshot import read_snapshot

PYTHON = Path(__file__).resolve().parents[2] / "python"


def check_picture(path: Path, least_bytes: int = 15_000) -> np.ndarray:
    """The picture is a PNG of a size to look at, with more on it than a background; returns it."""
    assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert path.stat().st_size > least_bytes
    image = matplotlib.image.imread(path)[:, :, :3]
    assert image.shape[0] >= 300 and image.shape[1] >= 600
    assert len(np.unique((image * 15).astype(int).reshape(-1, 3), axis=0)) > 20
    return image


@pytest.mark.parametrize("kind", ["slice", "projection", "profile", "all"])
@pytest.mark.parametrize("make", [sedov_snapshot, sod_snapshot])
def test_every_kind_is_drawn(tmp_path: Path, kind: str, make, capsys: pytest.CaptureFixture[str]) -> None:
    path = make(tmp_path / "snap.hdf5", 10)
    assert main(["plot", str(path), "--kind", kind, "--resolution", "64"]) == 0
    output = capsys.readouterr()
    assert output.out.strip() == str(tmp_path / "snap.png") and output.err == ""
    check_picture(tmp_path / "snap.png")


@pytest.mark.parametrize("field", ["rho", "P", "u", "v", "vx", "h", "Densities"])
@pytest.mark.parametrize("axis", ["x", "z"])
def test_fields_and_axes(sedov_file: Path, tmp_path: Path, field: str, axis: str) -> None:
    target = tmp_path / f"{field}.png"
    arguments = ["--kind", "slice", "--field", field, "--axis", axis, "--cut", "0.45", "--resolution", "48"]
    assert main(["plot", str(sedov_file), "--output", str(target), *arguments]) == 0
    check_picture(target)


def test_run_directory_takes_the_latest_snapshot_and_its_history(run_directory: Path, capsys) -> None:
    assert snapshot_path(run_directory).name == "snapshot_0001.hdf5"
    assert main(["plot", str(run_directory), "--resolution", "64"]) == 0
    assert capsys.readouterr().out.strip() == str(run_directory / "picture.png")
    with_history = check_picture(run_directory / "picture.png")
    (run_directory / "statistics.csv").unlink()
    assert main(["plot", str(run_directory), "--resolution", "64"]) == 0
    assert check_picture(run_directory / "picture.png").shape[0] < with_history.shape[0]
    assert not list(run_directory.glob(".*"))


def test_several_paths_give_a_picture_each(sedov_file: Path, sod_file: Path, capsys) -> None:
    assert main(["plot", str(sedov_file), str(sod_file), "--kind", "projection", "--resolution", "32"]) == 0
    assert len(capsys.readouterr().out.split()) == 2
    assert main(["plot", str(sedov_file), str(sod_file), "--output", "one.png"]) == 1


def test_gadget_initial_conditions_are_drawn(tmp_path: Path) -> None:
    """Scalar header values, singular names, no densities, no pressures, no units."""
    path = sedov_snapshot(tmp_path / "full.hdf5", 10)
    ics = tmp_path / "ics.hdf5"
    with h5py.File(path) as source, h5py.File(ics, "w") as target:
        target.create_group("Header").attrs.update({"BoxSize": 1.0, "Time": 0.0, "NumFilesPerSnapshot": 1})
        gas = target.create_group("PartType0")
        for name, old in (("Coordinates", "Coordinates"), ("Velocities", "Velocities"), ("Masses", "Masses"),
                          ("InternalEnergy", "InternalEnergies"), ("SmoothingLength", "SmoothingLengths")):
            gas[name] = source["PartType0"][old][:]
    snapshot = read_snapshot(ics)
    assert sorted(snapshot.fields) == ["u"] and snapshot.is_periodic
    assert main(["plot", str(ics), "--resolution", "48"]) == 0
    check_picture(ics.with_suffix(".png"))


def test_gas_that_fills_little_of_its_box_is_magnified(tmp_path: Path) -> None:
    from tacit.drawing.maps import view_bounds

    path = sedov_snapshot(tmp_path / "ball.hdf5", 8)
    with h5py.File(path, "r+") as file:
        file["Header"].attrs["BoxSize"] = np.array([50.0, 50.0, 50.0])
        file["PartType0/Coordinates"][:] += 25.0
    low, high = view_bounds(read_snapshot(path))
    assert np.all(low > 24.5) and np.all(high < 26.5)
    assert main(["plot", str(path), "--resolution", "48"]) == 0
    check_picture(path.with_suffix(".png"))


def test_units_of_the_file_label_the_axes(tmp_path: Path) -> None:
    kpc, sun, km_s = 3.0856776e21, 1.98841e43, 1e5
    snapshot = read_snapshot(sedov_snapshot(tmp_path / "s.hdf5", 4, units=(kpc, sun, kpc / km_s)))
    assert snapshot.units.label("length") == r" [$\mathrm{kpc}$]"
    assert snapshot.units.label("v") == r" [$\mathrm{km/s}$]"
    assert snapshot.units.label("u") == r" [$\mathrm{(km/s)^{2}}$]"
    assert snapshot.units.label("time") == r" [$\mathrm{kpc\,(km/s)^{-1}}$]"
    assert snapshot.units.time_text(0.05) == r"48.89\ \mathrm{Myr}"
    assert snapshot.units.label("rho") == r" [$\mathrm{10^{10}\,M_\odot\,kpc^{-3}}$]"
    assert main(["plot", str(snapshot.path), "--resolution", "32"]) == 0
    check_picture(snapshot.path.with_suffix(".png"))


def test_history_survives_a_cut_line_and_unknown_columns(tmp_path: Path) -> None:
    file = tmp_path / "statistics.csv"
    file.write_text("# time, colour, total_energy, kinetic_energy\n0,red,2,1\n1,blue,2.5,4\n2,green,2")
    history = read_history(file)
    assert sorted(history) == ["kinetic_energy", "time", "total_energy"]
    assert history["time"].tolist() == [0.0, 1.0]
    assert drifts(history)["energy"].tolist() == [0.0, 0.125]
    assert read_history(tmp_path / "none.csv") == {}


def broken_files(folder: Path) -> dict[str, tuple[Path, str]]:
    """Inputs that cannot be drawn, with what the message must say."""
    text = folder / "text.hdf5"
    text.write_text("not HDF5")
    empty, other, dark = folder / "empty.hdf5", folder / "other.hdf5", folder / "dark.hdf5"
    with h5py.File(other, "w") as file:
        file["numbers"] = np.arange(3)
    with h5py.File(empty, "w") as file:
        file.create_group("Header")
        file.create_group("PartType0")["Coordinates"] = np.zeros((0, 3))
    with h5py.File(dark, "w") as file:
        file.create_group("Header")
        file.create_group("PartType1")["Coordinates"] = np.zeros((5, 3))
    cut = folder / "cut.hdf5"
    whole = sedov_snapshot(folder / "whole.hdf5", 6).read_bytes()
    cut.write_bytes(whole[: len(whole) // 2])
    part = sedov_snapshot(folder / "part.0.hdf5", 4)
    with h5py.File(part, "r+") as file:
        file["Header"].attrs["NumFilesPerSnapshot"] = 4
        file["Header"].attrs["NumPart_Total"] = np.array([256, 0, 0, 0, 0, 0])
    (folder / "directory").mkdir()
    return {
        "missing": (folder / "missing.hdf5", "no such file"),
        "text": (text, "not an HDF5 file"),
        "other": (other, "not a snapshot"),
        "empty": (empty, "no gas particles"),
        "dark": (dark, "only PartType1"),
        "cut": (cut, "cannot be read"),
        "part": (part, "one of 4 files"),
        "directory": (folder / "directory", "no snapshot"),
    }


@pytest.mark.parametrize("case", ["missing", "text", "other", "empty", "dark", "cut", "part", "directory"])
@pytest.mark.parametrize("command", ["plot", "compare"])
def test_what_cannot_be_drawn_is_said_in_one_line(tmp_path: Path, case: str, command: str, capsys) -> None:
    path, message = broken_files(tmp_path)[case]
    assert main([command, str(path)]) == 1
    output = capsys.readouterr()
    assert output.out == "" and output.err.count("\n") == 1
    assert str(path) in output.err and message in output.err
    assert not list(tmp_path.rglob("*.png"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--field", "colour", "--kind", "slice"], "no field 'colour'; it has u, rho, P"),
        (["--field", "T"], "no field 'T'"),
        (["--cut", "7", "--kind", "slice"], "--cut 7: the box ends at 0 and 1"),
        (["--output", "x.jpeg2"], "ending must be one of"),
        (["--output", "nowhere/at/all.png"], "cannot be written"),
        (["--kind", "history"], "no history to draw"),
    ],
)
def test_impossible_requests_are_said_in_one_line(sedov_file: Path, arguments: list[str], message: str, capsys) -> None:
    assert main(["plot", str(sedov_file), *arguments]) == 1
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


def test_command_runs_as_a_module_without_traceback(sedov_file: Path, tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "tacit", *arguments], cwd=PYTHON, capture_output=True, text=True)

    drawn = run("plot", str(sedov_file), "--kind", "profile")
    assert drawn.returncode == 0 and drawn.stdout.strip().endswith(".png") and drawn.stderr == ""
    failed = run("plot", str(tmp_path / "none.hdf5"))
    assert failed.returncode == 1 and "Traceback" not in failed.stderr
    assert run("plot", str(sedov_file), "--resolution", "5").returncode == 2


def test_package_imports_nothing_heavy() -> None:
    code = "import sys, tacit.cli; print(sorted({'numpy', 'h5py', 'matplotlib'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], cwd=PYTHON, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_picture_of_another_place_is_left_alone_on_failure(sedov_file: Path, tmp_path: Path) -> None:
    target = tmp_path / "kept.png"
    shutil.copy(__file__, target)
    before = target.read_bytes()
    assert main(["plot", str(sedov_file), "--output", str(target), "--field", "colour"]) == 1
    assert target.read_bytes() == before
