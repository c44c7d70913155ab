"""Files in parts are drawn only with all of their parts: HDF5 would fill in what is missing, silently.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import struct
from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import sedov_snapshot
from test_plot_flow import write_flow_run
from test_plot_heat import write_temperatures

from tacit.cli import main
from tacit.parts import open_whole

HASH = 0x0123456789ABCDEF


def divide(path: Path, name: str) -> Path:
    """Moves an array of a file into a part beside it, as runs with several writers do, and names it there."""
    part = path.with_name(f"{path.stem}.part0-0000abcd-0.hdf5")
    with h5py.File(path, "r+") as file:
        values = file[name][()]
        with h5py.File(part, "w") as other:
            other["values"] = values
        layout = h5py.VirtualLayout(values.shape, values.dtype)
        layout[...] = h5py.VirtualSource(part.name, "values", values.shape)
        del file[name]
        file.create_virtual_dataset(name, layout)
    with part.open("ab") as end:
        end.write(struct.pack("<8s7Q", b"TACITSUM", 1, 0, 0, 0, 0, 0, HASH))
    list_parts(path, f"{part.name} {part.stat().st_size} {HASH:016x}\n")
    return part


def list_parts(path: Path, text: str) -> None:
    with h5py.File(path, "r+") as file:
        file.require_group("Parts").attrs["files"] = np.bytes_(text)


def gas(folder: Path) -> tuple[Path, str]:
    """A snapshot of the sph solver, and one of its arrays."""
    return sedov_snapshot(folder / "blast_0001.hdf5", n=12), "PartType0/Densities"


def heat(folder: Path) -> tuple[Path, str]:
    """Of the heat solver."""
    return write_temperatures(folder / "snapshot_0000.hdf5", 0.5, (16, 9)), "VTKHDF/CellData/temperature"


def flow(folder: Path) -> tuple[Path, str]:
    """Of the dns solver."""
    write_flow_run(folder)
    return sorted(folder.glob("snapshot_*.hdf5"))[-1], "VTKHDF/PointData/velocity"


@pytest.mark.parametrize("write", [gas, heat, flow])
def test_pictures_need_all_parts(write, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, name = write(tmp_path)
    part = divide(path, name)
    picture = tmp_path / "picture.png"
    draw = [str(path), "--output", str(picture), "--kind", "slice"]
    assert main(["plot", *draw]) == 0 and picture.exists(), capsys.readouterr().err
    picture.unlink()
    part.rename(tmp_path / "elsewhere")
    assert main(["plot", *draw]) != 0 and not picture.exists()
    assert f"{path}: its part {part.name} is missing" in capsys.readouterr().err


def test_parts_lie_beside_what_a_link_leads_to(tmp_path: Path) -> None:
    path, name = heat(tmp_path)
    with h5py.File(path) as whole:
        values = whole[name][()]
    divide(path, name)
    link = tmp_path / "links" / "start.hdf5"
    link.parent.mkdir()
    link.symlink_to(Path("..") / path.name)
    with open_whole(link) as file:
        assert np.array_equal(file[name][()], values)


@pytest.mark.parametrize(("change", "flaw"), [
    (lambda data: data[:-1], "has {less} bytes, expected {size}: it is cut off, or that of another file"),
    (lambda data: data[:-1] + b"!", "is that of another file: its checksums are not those that were written"),
    (lambda data: data[:-64] + b"?" + data[-63:], "has no checksums behind its data"),
])
def test_a_part_is_the_one_that_is_named(change, flaw: str, tmp_path: Path,
                                         capsys: pytest.CaptureFixture[str]) -> None:
    path, name = heat(tmp_path)
    part = divide(path, name)
    size = part.stat().st_size
    part.write_bytes(change(part.read_bytes()))
    assert main(["plot", str(path)]) != 0
    assert f"{path}: its part {part.name} {flaw.format(size=size, less=size - 1)}" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["one\n", "a b c\n", "../secret.hdf5 3 ff\n", "a 1 f extra\n"])
def test_a_damaged_list_of_parts_is_refused(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, _ = heat(tmp_path)
    list_parts(path, text)
    assert main(["plot", str(path)]) != 0
    assert f"{path}: the list of its parts is damaged" in capsys.readouterr().err


def test_a_file_without_parts_is_whole(tmp_path: Path) -> None:
    path, name = heat(tmp_path)
    with open_whole(path) as file:
        assert name in file
