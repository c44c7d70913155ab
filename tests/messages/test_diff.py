"""tacit diff: two runs, two files; bit by bit and within tolerances; particles in another order.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest
from program import checkpoint, run, tacit

SAME = 0
DIFFERS = 1
BLAST = {"initial.setup": "sedov", "sedov.resolution": 6, "time.end": 0.01, "output.snapshot_every": 0.005}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same run on one thread and on two, under two names, where the limits of the machine are known: each says what
    share of them it has reached."""
    folder = tmp_path_factory.mktemp("diff")
    measured = BLAST | {"run.peak_share": "always"}
    return (run(folder, measured | {"run.threads": 1}, name="one"),
            run(folder, measured | {"run.threads": 2}, name="two"))


def diff(a: Path, b: Path, *options: str) -> tuple[int, list[str]]:
    """Exit code and lines."""
    done = tacit("diff", a, b, *options, cwd=a.parent)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def open_to_change(path: Path) -> h5py.File:
    """A file whose checksums would be wrong afterwards: h5py cuts them off."""
    file = h5py.File(path, "r+")
    del file.attrs["checksums"]
    return file


def copy_of(run_: Path, folder: Path) -> Path:
    """A run that a test may change."""
    return Path(shutil.copytree(run_, folder / "copy"))


def test_runs_on_other_threads_are_the_same(runs: tuple[Path, Path], tmp_path: Path) -> None:
    code, lines = diff(*runs)
    assert code == SAME and len(lines) == 1
    assert lines[0].startswith("the same: 6 files, ")  # three snapshots, the checkpoint, statistics and summary
    # Runs as short as these may take the same time to all printed digits.
    slower = copy_of(runs[1], tmp_path)
    table = slower / "statistics.csv"
    header, *rows = table.read_text().splitlines()
    column = header.split(",").index("wall_s")
    cells = rows[-1].split(",")
    cells[column] = str(float(cells[column]) + 1)
    table.write_text("\n".join([header, *rows[:-1], ",".join(cells)]) + "\n")
    assert diff(runs[0], slower)[0] == SAME
    code, lines = diff(runs[0], slower, "--all")
    assert code == DIFFERS
    assert any(line.startswith("statistics.csv: wall_s: ") for line in lines)
    assert any(line.startswith("summary.json: threads is 1 and 2") for line in lines)
    # Of a run on several ranks nothing is known of what other numbers of them would send.
    summary = json.loads((slower / "summary.json").read_text())
    (slower / "summary.json").write_text(json.dumps(summary | {"elements": 512, "traffic": [{"ranks": 2}]}))
    assert diff(runs[0], slower)[0] == SAME


def test_one_number_is_found_and_may_be_allowed(runs: tuple[Path, Path], tmp_path: Path) -> None:
    copy = copy_of(runs[0], tmp_path)
    with open_to_change(copy / "snapshot_0001.hdf5") as file:
        masses = file["PartType0/Masses"]
        masses[5] = np.nextafter(masses[5], np.float32(1))
    code, lines = diff(runs[0], copy)
    assert code == DIFFERS and len(lines) == 2
    assert lines[0].startswith("snapshot_0001.hdf5: PartType0/Masses: 1 of 216 numbers differ, first [5]: ")
    assert lines[1].startswith("1 difference in 1 of 6 files; ")
    assert diff(runs[0], copy, "--tolerance", "1e-6")[0] == SAME
    assert diff(runs[0], copy, "--tolerance", "Masses=1e-6")[0] == SAME
    assert diff(runs[0], copy, "--absolute", "1e-6")[0] == SAME
    assert diff(runs[0], copy, "--tolerance", "Densities=1e-6")[0] == DIFFERS
    assert diff(runs[0], copy, "--tolerance", "1e-6", "--tolerance", "Masses=0")[0] == DIFFERS


def test_another_order_of_particles_does_not_count(runs: tuple[Path, Path], tmp_path: Path) -> None:
    copy = copy_of(runs[0], tmp_path)
    for name, group in (("snapshot_0002.hdf5", "PartType0"), (checkpoint(copy).name, "Sph")):
        with open_to_change(copy / name) as file:
            order = np.random.default_rng(1).permutation(216)
            for array in file[group].values():
                if array.shape[0] == 216:
                    array[:] = array[:][order]
    assert diff(runs[0], copy)[0] == SAME


def test_tables_and_files_that_are_missing(runs: tuple[Path, Path], tmp_path: Path) -> None:
    copy = copy_of(runs[0], tmp_path)
    (copy / "snapshot_0002.hdf5").unlink()
    table = copy / "statistics.csv"
    header, *rows = table.read_text().splitlines()
    fields = rows[-1].split(",")
    fields[header.split(",").index("mass")] = "1.5"
    table.write_text("\n".join([header, *rows[:-1], ",".join(fields)]) + "\n")
    code, lines = diff(runs[0], copy)
    assert code == DIFFERS
    assert lines[0] == "snapshot_0002.hdf5: is only in the first"
    assert lines[1].startswith(f"statistics.csv: mass: 1 of {len(rows)} numbers differ, first [{len(rows) - 1}]: ")
    assert lines[1].endswith(" and 1.5; by at most 0.5, 0.333 of the value")
    assert len(lines) == 3
    table.write_text("\n".join([header, *rows[:-1]]) + "\n")
    assert diff(runs[0], copy)[1][1] == f"statistics.csv: has {len(rows)} and {len(rows) - 1} rows"


LOGGED = {"solver": "dns", "initial.setup": "taylor_green", "dns.points": 8, "dns.viscosity": 0.01, "dns.dt": 0.02,
          "dns.particles.count": 50, "time.end": 0.2, "output.log": True, "output.log_steps": 1}


def test_logs_of_the_same_run_are_the_same(tmp_path: Path) -> None:
    """A log draws a key by chance, and threads write in any order."""
    one = run(tmp_path, LOGGED | {"run.threads": 1}, name="one")
    two = run(tmp_path, LOGGED | {"run.threads": 2}, name="two")
    assert (one / "output.log").read_bytes() != (two / "output.log").read_bytes()
    code, lines = diff(one, two)
    assert code == SAME, lines
    code, lines = diff(one / "output.log", two / "output.log")
    assert code == SAME, lines
    other = run(tmp_path, LOGGED | {"dns.viscosity": 0.05}, name="other")
    code, lines = diff(one / "output.log", other / "output.log")
    assert code == DIFFERS and any(" numbers differ, the first of element " in line for line in lines), lines
    assert diff(one / "output.log", other / "output.log", "--absolute", "1.0")[0] == SAME
    shorter = run(tmp_path, LOGGED | {"time.end": 0.1}, name="shorter")
    code, lines = diff(one / "output.log", shorter / "output.log")
    assert code == DIFFERS and any(line.startswith("log is complete up to 0.2") for line in lines), lines
