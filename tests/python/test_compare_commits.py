"""tools/compare_commits.py sees one bit, and what is missing; its builds and runs, with stand-ins for the program.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import compare_commits  # noqa: E402

TABLE = "step,time,energy,wall_s\n0,0,1.5,0.01\n1,0.1,1.25,0.02\n"


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Outputs of two runs that agree but for their provenance."""
    for side in ("base", "head"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "statistics.csv").write_text(TABLE.replace("0.02", "0.03" if side == "head" else "0.02"))
        with h5py.File(tmp_path / side / "snapshot_0000.hdf5", "w") as file:
            file.create_group("Provenance").attrs["commit"] = side
            file.create_group("Header").attrs["Time"] = np.array([0.5])
            file["Header"].attrs["Parameters"] = side
            file["PartType0/Densities"] = np.linspace(0.0, 1.0, 12).reshape(4, 3)
            file["PartType0/Names"] = np.array([b"gas", b"star"])
    return tmp_path / "base", tmp_path / "head"


def difference(folders: tuple[Path, Path], change=None, ignore=()) -> str | None:
    if change:
        with h5py.File(folders[1] / "snapshot_0000.hdf5", "r+") as file:
            change(file)
    return compare_commits.first_difference(*folders, ignore)


def test_provenance_and_wall_times_are_left_out(folders) -> None:
    assert difference(folders) is None


def test_one_bit_differs(folders) -> None:
    def change(file: h5py.File) -> None:
        file["PartType0/Densities"][2, 1] = np.nextafter(file["PartType0/Densities"][2, 1], 1.0)

    found = difference(folders, change)
    assert found == ("snapshot_0000.hdf5:PartType0/Densities[2, 1]: 0.6363636363636364 in base, 0.6363636363636365 in "
                     "head (1 of 12 differ)")
    assert difference(folders, ignore=["snapshot_*:PartType0/Densities"]) is None


def test_the_sign_of_zero_differs_but_a_nan_is_itself(folders) -> None:
    def nan(file: h5py.File) -> None:
        file["PartType0/Densities"][3, 2] = np.nan

    assert difference(folders, nan)
    with h5py.File(folders[0] / "snapshot_0000.hdf5", "r+") as file:
        nan(file)
    assert difference(folders) is None

    def negative(file: h5py.File) -> None:
        file["PartType0/Densities"][0, 0] = -0.0

    assert "[0, 0]: 0.0 in base, -0.0 in head" in difference(folders, negative)


@pytest.mark.parametrize("name, value, found", [
    ("PartType0/Densities", None, "snapshot_0000.hdf5:PartType0/Densities: missing in head"),
    ("PartType0/Densities", np.zeros(3), "Densities shape (4, 3) in base, (3,) in head"),
    ("PartType0/Densities", np.zeros((4, 3), np.float32), "Densities type float64 in base, float32 in head"),
    ("PartType0/Names", np.array([b"gas", b"halo"]), "Names[1]: 'star' in base, 'halo' in head (1 of 2 differ)"),
    ("PartType0/More", np.zeros(3), "snapshot_0000.hdf5:PartType0/More: missing in base"),
])
def test_arrays_that_are_missing_or_of_another_kind(folders, name: str, value, found: str) -> None:
    def change(file: h5py.File) -> None:
        if name in file:
            del file[name]
        if value is not None:
            file[name] = value

    assert found in difference(folders, change)


def test_attributes_are_compared(folders) -> None:
    assert "Header@Time[0]: 0.5 in base, 0.25 in head" in difference(
        folders, lambda file: file["Header"].attrs.modify("Time", np.array([0.25])))


@pytest.mark.parametrize("table, found", [
    (TABLE.replace("energy,", "").replace("1.5,", "").replace("1.25,", ""), "statistics.csv:energy: missing in head"),
    (TABLE.replace("1.25", "1.26"), "statistics.csv:energy[1]: '1.25' in base, '1.26' in head"),
    (TABLE + "2,0.2,1,0.1\n", "statistics.csv:energy shape (2,) in base, (3,) in head"),
])
def test_tables(folders, table: str, found: str) -> None:
    (folders[1] / "statistics.csv").write_text(table)
    assert found in difference(folders)


def test_missing_files(folders) -> None:
    (folders[1] / "statistics.csv").unlink()
    assert difference(folders) == "statistics.csv: missing in head"


def test_flipping_a_bit_is_seen(folders) -> None:
    with h5py.File(folders[0] / "snapshot_0000.hdf5", "r+") as base, \
            h5py.File(folders[1] / "snapshot_0000.hdf5", "r+") as head:
        del base["PartType0/Names"], head["PartType0/Names"]
    compare_commits.flip_last_bit(folders[1])
    assert "Densities[3, 2]: 1.0 in base, 1.0000000000000002 in head (1 of 12" in difference(folders)


LAUNCHER = """#!/bin/sh
cd "$(dirname "$0")" && mkdir -p build/bin && cp program build/bin/tacit && chmod +x build/bin/tacit
"""
PROGRAM = """#!/bin/sh
mkdir -p "$4" && cp ROOT/template.hdf5 "$4/restart.hdf5"
printf 'time,wall_s\\n%s,%s\\n' VALUE $$ >"$4/statistics.csv"
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose launcher copies a script to build/bin/tacit; compare_commits takes it for its own."""
    if not shutil.which("git"):
        pytest.skip("git is missing")
    root = tmp_path / "repository"
    root.mkdir()
    with h5py.File(root / "template.hdf5", "w") as file:
        file["Sph/x"] = np.arange(3.0)
    (root / "tacit").write_text(LAUNCHER)
    (root / "tacit").chmod(0o755)
    git(root, "init", "--quiet")
    commit(root, PROGRAM, "base")
    monkeypatch.setattr(compare_commits, "ROOT", root)
    return root


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True)


def commit(root: Path, program: str, name: str) -> None:
    (root / "program").write_text(program.replace("ROOT", str(root)))
    git(root, "add", "tacit", "program")
    git(root, "commit", "--quiet", "--message", name)
    git(root, "tag", name)


def compare(root: Path, *words: str) -> int:
    return compare_commits.main([*words, "--work", str(root / "work"), "--cases", "sph_walls"])


def test_commits_are_built_run_and_compared(repository: Path, capsys) -> None:
    commit(repository, PROGRAM + "# moved\n", "same")
    assert compare(repository, "base") == 0
    assert "sph_walls              ranks 1 threads 1  identical\n1 of 1 cases are" in capsys.readouterr().out
    commit(repository, PROGRAM.replace("VALUE", "OTHER"), "other")
    assert compare(repository, "base") == 1
    assert "DIFFERS statistics.csv:time[0]: 'VALUE' in base, 'OTHER' in head" in capsys.readouterr().out
    (repository / "program").write_text((repository / "program").read_text().replace("OTHER", "PRESENT"))
    assert compare(repository, "other") == 0
    assert compare(repository, "other", "--head", str(repository)) == 1
    assert "'OTHER' in base, 'PRESENT' in head" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="'nothing' is no commit"):
        compare(repository, "nothing")


def test_a_refused_checkpoint_is_a_failure_unless_it_is_expected(repository: Path, capsys) -> None:
    refuses = PROGRAM.replace("#!/bin/sh\n", '#!/bin/sh\ncase "$*" in *--restart*) echo layout 2; exit 2; esac\n')
    commit(repository, refuses, "refuses")
    assert compare(repository, "base") == 1
    told = capsys.readouterr().out
    assert "head does not continue a checkpoint of base (if on purpose: --no-restart)" in told and "layout 2" in told
    assert compare(repository, "base", "--no-restart") == 0
