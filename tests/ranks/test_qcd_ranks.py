"""Quark propagators on ranks that mpirun starts: the same bits in every division, and continued in another.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from launched import assert_same_results, launch, on_ranks
from program import assert_same_bits, write_parameters

QCD = {"solver": "qcd", "initial.setup": "random", "random.spread": 0.5, "qcd.extents": [4, 4, 4, 8], "qcd.mass": 1.5,
       "qcd.csw": 1.0, "source.position": [1, 0, 2, 3], "solve.tolerance": 1e-1, "iteration.end": 10000,
       "qcd.write_solutions": True, "qcd.write_gauge": "ildg", "output.picture": False, "run.threads": 1,
       "run.pin": False}


def qcd(folder: Path, name: str, ranks: int, *arguments: str, code: int = 0, **more: object) -> Path:
    """Runs it on so many ranks into folder/NAME, which it returns. `more`: qcd__ranks=[...] is qcd.ranks; without a
    key that is None."""
    changed = {key.replace("__", "."): value for key, value in more.items()}
    values = {key: value for key, value in (QCD | changed).items() if value is not None}
    file = write_parameters(folder / "qcd.toml", values)
    done = launch(on_ranks(ranks, "run", file.name, "--output", name, *arguments), folder)
    assert done.returncode == code, f"exit code {done.returncode} on {ranks} ranks\n{done.stdout}{done.stderr}"
    (folder / f"{name}.said").write_text(done.stderr)
    return folder / name


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A propagator on one rank."""
    return qcd(tmp_path_factory.mktemp("alone"), "alone", 1)


def assert_same(a: Path, b: Path, texts: int = 4) -> None:
    """Statistics, snapshots, checkpoints, correlators and the gauge field agree in every bit."""
    assert_same_results(a, b)
    names = [path.name for path in sorted(a.iterdir()) if path.name.startswith(("correlators_", "gauge_"))]
    assert len(names) == texts
    for name in names:
        assert (a / name).read_bytes() == (b / name).read_bytes(), name


@pytest.mark.parametrize(("ranks", "along", "threads"), [(2, [0, 0, 0, 0], 2), (4, [2, 2, 1, 1], 1),
                                                         (4, [1, 1, 1, 4], 1)])
def test_every_division_leaves_what_one_rank_leaves(ranks: int, along: list[int], threads: int, alone: Path,
                                                    tmp_path: Path) -> None:
    assert_same(alone, qcd(tmp_path, "out", ranks, qcd__ranks=along, run__threads=threads))


def test_a_checkpoint_continues_on_other_counts(alone: Path, tmp_path: Path) -> None:
    for name, first, second in (("down", 2, 1), ("up", 1, 4)):
        qcd(tmp_path, name, first, "--set", "iteration.max_steps=10")
        assert_same(alone, qcd(tmp_path, name, second, "--restart"))


@pytest.mark.parametrize(("method", "precision", "along"), [
    ("cgnr", "mixed", [1, 2, 1, 2]), ("bicgstab", "double", [1, 1, 1, 2]), ("gcr", "mixed", [1, 2, 1, 2])])
def test_other_methods_and_parts_of_unequal_size(method: str, precision: str, along: list[int],
                                                 tmp_path: Path) -> None:
    more = {"qcd__extents": [2, 4, 4, 6], "solve__method": method, "solve__precision": precision,
            "source__position": [0, 1, 0, 5], "solve__even_odd": method == "cgnr"}
    if method == "cgnr":
        more |= {"source__smearing_steps": 3, "smear__kind": "ape", "smear__weight": 0.5, "smear__steps": 2}
    else:
        more |= {"source__kind": "random", "source__position": None}
    one = qcd(tmp_path, "one", 1, **more)
    other = qcd(tmp_path, "several", math.prod(along), qcd__ranks=along, **more)
    assert_same(one, other, texts=4 if method == "cgnr" else 2)


def test_multigrid_is_the_same_on_ranks_and_continues_on_other_counts(tmp_path: Path) -> None:
    more = {"solve__method": "multigrid", "multigrid__vectors": 4, "multigrid__setup_iterations": 1,
            "solve__tolerance": 1e-6, "qcd__mass": 0.5, "source__kind": "random", "source__position": None,
            "qcd__write_gauge": "none", "multigrid__levels": 3, "multigrid__coarse_block": [1, 2, 2, 1]}
    one = qcd(tmp_path, "one", 1, **more)
    four = qcd(tmp_path, "four", 4, qcd__ranks=[2, 1, 1, 2], multigrid__write_setup=True, **more)
    assert_same(one, four, texts=0)
    again = more | {"multigrid__setup_file": str(four / "multigrid_000000.hdf5"), "multigrid__setup_iterations": 0}
    assert_same(one, qcd(tmp_path, "again", 2, **again), texts=0)
    qcd(tmp_path, "parts", 2, "--set", "iteration.max_steps=2", run__threads=2, **more)
    assert_same(one, qcd(tmp_path, "parts", 1, "--restart", **more), texts=0)


def test_sources_at_once_are_the_same_on_ranks_and_continue_on_other_counts(tmp_path: Path) -> None:
    more = {"solve__method": "multigrid", "multigrid__vectors": 4, "multigrid__setup_iterations": 1,
            "solve__tolerance": 1e-4, "qcd__mass": 0.5, "qcd__write_gauge": "none", "solve__at_once": 12}
    one = qcd(tmp_path, "one", 1, **more)
    assert_same(one, qcd(tmp_path, "four", 4, qcd__ranks=[2, 1, 1, 2], **more), texts=2)
    qcd(tmp_path, "parts", 2, "--set", "iteration.max_steps=2", run__threads=2, **more)
    assert_same(one, qcd(tmp_path, "parts", 1, "--restart", **more), texts=2)


def test_ranks_read_their_parts_of_a_file(tmp_path: Path) -> None:
    short = {"source__kind": "ones", "source__position": None, "solve__method": "apply"}
    made = [next(qcd(tmp_path, kind, 2, qcd__write_gauge=kind, **short).glob("gauge_*")) for kind in ("nersc", "ildg")]
    for file, along in zip(made, ([1, 1, 2, 2], [2, 1, 1, 2]), strict=True):
        more = {"initial__setup": "file", "initial__file": str(file), "random__spread": None, "qcd__extents": None,
                **short}
        one, four = (qcd(tmp_path, f"{file.suffix[1:]}_on{ranks}", ranks, qcd__ranks=on, **more)
                     for ranks, on in ((1, [1, 1, 1, 1]), (4, along)))
        assert_same_bits(one / "snapshot_0001.hdf5", four / "snapshot_0001.hdf5")
        assert next(one.glob("gauge_*")).read_bytes() == next(four.glob("gauge_*")).read_bytes()
    spoilt = bytearray(file.read_bytes())
    spoilt[-5000] ^= 1
    file.write_bytes(spoilt)
    qcd(tmp_path, "spoilt", 4, code=2, **more)
    assert (tmp_path / "spoilt.said").read_text().count("the file is damaged") == 1


def test_a_failed_solve_says_it_once_and_keeps_its_history(tmp_path: Path) -> None:
    one = qcd(tmp_path, "one", 1, code=1, solve__max_iterations=5, solve__tolerance=1e-9)
    two = qcd(tmp_path, "two", 2, code=1, solve__max_iterations=5, solve__tolerance=1e-9)
    said = [(tmp_path / f"{name}.said").read_text() for name in ("one", "two")]
    assert said[1].count("failed in its iteration 5") == 1 and "solve.max_iterations" in said[1]
    for name in ("snapshot_0001.hdf5", "restart_000005.hdf5"):
        assert_same_bits(one / name, two / name)


def test_a_lattice_that_ranks_do_not_divide_says_which_would(tmp_path: Path) -> None:
    for more, expected in (({"qcd__extents": [2, 2, 2, 2]}, "2 ranks are too many for a grid of 2 x 2 x 2 x 2 points"),
                           ({"qcd__ranks": [4, 1, 1, 1]}, "a grid of 4 x 1 x 1 x 1 ranks cannot be made of the 2")):
        values = QCD | {key.replace("__", "."): value for key, value in more.items()}
        values["source.position"] = [0, 0, 0, 0]
        file = write_parameters(tmp_path / "qcd.toml", values)
        done = launch(on_ranks(2, "run", file.name, "--output", "out"), tmp_path)
        assert done.returncode == 2 and done.stderr.count(expected) == 1, done.stderr
        assert "use 1 rank" in done.stderr or "leave them out" in done.stderr
