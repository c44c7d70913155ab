"""Runs of the qcd solver through the real program, against an operator on numpy arrays and reference data.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import csv
import json
from functools import lru_cache
from pathlib import Path

import h5py
import numpy as np
import pytest
from lattice import (GAMMA, GAMMA5, Dirac, conjugate, ildg_records, pion, plaquette, point_source, read_lime,
                     read_nersc, with_boundary, write_lime, write_nersc)
from program import SOURCE, assert_same_bits, checkpoint, run, snapshots, tacit, write_parameters

MASS = 0.5
EXTENTS = [4, 2, 6, 8]
SHAPE = tuple(EXTENTS[::-1])
RANDOM = {"solver": "qcd", "initial.setup": "random", "random.spread": 0.5, "qcd.extents": EXTENTS, "qcd.mass": MASS,
          "solve.tolerance": 1e-13, "iteration.end": 100000, "qcd.write_solutions": True, "run.threads": 1}
DATA = SOURCE.parent / "shared/data/qcd"


def solutions(directory: Path) -> list[np.ndarray]:
    """Of the last snapshot, shape (t, z, y, x, spin, colour)."""
    with h5py.File(snapshots(directory)[-1]) as file:
        shape = (*file["Header"].attrs["Extents"][::-1], 4, 3)
        return [np.ascontiguousarray(values[()]).view(complex).reshape(shape)
                for _, values in sorted(file["Solutions"].items())]


def array(directory: Path, name: str) -> np.ndarray:
    """Of the last snapshot."""
    with h5py.File(snapshots(directory)[-1]) as file:
        return file[name][()]


def rows(directory: Path) -> list[dict[str, float]]:
    """The lines of statistics.csv, without the clock."""
    with (directory / "statistics.csv").open() as file:
        return [{name: float(value) for name, value in row.items() if name != "wall_s"} for row in csv.DictReader(file)]


def write_source(path: Path, values: np.ndarray) -> Path:
    """A source for source.kind = "file"."""
    with h5py.File(path, "w") as file:
        file["source"] = np.stack([values.real, values.imag], axis=-1)
    return path


def random_spinors(shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Normal numbers."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((*shape, 4, 3)) + 1j * rng.standard_normal((*shape, 4, 3))


def relative(found: np.ndarray, expected: np.ndarray) -> float:
    """|found - expected| / |expected|."""
    return float(np.linalg.norm(found - expected) / np.linalg.norm(expected))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A propagator in a random field, with the field."""
    more = {"qcd.write_gauge": "nersc", "output.statistics_every": 1}
    return run(tmp_path_factory.mktemp("whole"), RANDOM | more | {"source.position": [1, 0, 2, 3]})


@pytest.fixture(scope="module")
def links(whole: Path) -> np.ndarray:
    """Those of that field."""
    return read_nersc(next(whole.glob("gauge_*.nersc")))


def test_the_field_is_in_su3_and_its_plaquette_is_told(whole: Path, links: np.ndarray) -> None:
    assert links.shape == (*SHAPE, 4, 3, 3)
    assert np.abs(links @ conjugate(links) - np.eye(3)).max() < 1e-14
    assert np.abs(np.linalg.det(links) - 1.0).max() < 1e-14
    with h5py.File(snapshots(whole)[0]) as file:
        assert file["Header"].attrs["Plaquette"][0] == pytest.approx(plaquette(links), rel=1e-13)
    assert 0.1 < plaquette(links) < 0.9


def jacobi(links: np.ndarray, b: np.ndarray, kappa: float, steps: int) -> np.ndarray:
    """A source spread along x, y, z."""
    for _ in range(steps):
        total = b.copy()
        for axis in range(3):
            u = links[..., axis, :, :]
            total += kappa * np.einsum("...ab,...sb->...sa", u, np.roll(b, -1, axis=3 - axis))
            total += kappa * np.roll(np.einsum("...ab,...sb->...sa", conjugate(u), b), 1, axis=3 - axis)
        b = total / (1.0 + 6.0 * kappa)
    return b


@pytest.mark.parametrize("kind", ["point", "wall"])
def test_smeared_sources_and_walls_are_those_of_numpy(kind: str, links: np.ndarray, tmp_path: Path) -> None:
    """Solutions times the operator are the sources; correlators are there, from t of the source on."""
    done = run(tmp_path, RANDOM | {"source.kind": kind, "source.position": [1, 0, 2, 3], "source.smearing_steps": 2,
                                   "source.smearing_weight": 0.3, "solve.tolerance": 1e-10})
    dirac = Dirac(with_boundary(links), MASS)
    found = solutions(done)
    for column, x in enumerate(found):
        b = point_source(SHAPE, column, (1, 0, 2, 3))
        if kind == "wall":
            b[3] = b[3, 2, 0, 1].copy()
        assert relative(dirac(x), jacobi(links, b, 0.3, 2)) < 2e-10
    assert array(done, "Correlators/Pion") == pytest.approx(np.roll(pion(found), -3), rel=1e-12)


@pytest.mark.parametrize(("boundary", "csw"), [("periodic", 0.0), ("antiperiodic", 0.0), ("antiperiodic", 1.3)])
def test_the_operator_is_that_of_numpy(boundary: str, csw: float, links: np.ndarray, tmp_path: Path) -> None:
    dirac = Dirac(with_boundary(links, antiperiodic=boundary == "antiperiodic"), MASS, csw)
    for number, psi in enumerate((random_spinors(SHAPE, 1), point_source(SHAPE, 7, (3, 1, 0, 7)))):
        source = write_source(tmp_path / "source.hdf5", psi)
        done = run(tmp_path, RANDOM | {"source.kind": "file", "source.file": str(source), "solve.method": "apply",
                                       "qcd.boundary": boundary, "qcd.csw": csw}, name=f"run{number}")
        assert relative(solutions(done)[0], dirac(psi)) < 1e-15


def test_numpy_has_a_hermitian_operator(links: np.ndarray) -> None:
    dirac = Dirac(with_boundary(links), MASS)
    x, y = random_spinors(SHAPE, 1), random_spinors(SHAPE, 2)
    turned = np.einsum("rs,...sa->...ra", GAMMA5, dirac(np.einsum("rs,...sa->...ra", GAMMA5, y)))
    assert relative(dirac(y, -1.0), turned) < 1e-14
    assert abs(np.vdot(y, dirac(x)) - np.vdot(turned, x)) < 1e-10


def test_the_propagator_solves_and_its_correlator_is_that_of_numpy(whole: Path, links: np.ndarray) -> None:
    dirac = Dirac(with_boundary(links), MASS)
    sources = [point_source(SHAPE, column, (1, 0, 2, 3)) for column in range(12)]
    found = solutions(whole)
    assert len(found) == 12
    for x, b, told in zip(found, sources, array(whole, "Residuals/True"), strict=True):
        residual = relative(dirac(x), b)
        assert residual <= 1.1e-13 and told <= 1e-13
    y = dirac.solve(sources[7])  # one is enough: each has just been found to solve its equation
    assert np.vdot(found[7], found[7]).real == pytest.approx(np.vdot(y, y).real, rel=1e-11)
    correlator = array(whole, "Correlators/Pion")
    assert correlator == pytest.approx(np.roll(pion(found), -3), rel=1e-12)
    with sorted(whole.glob("correlators_*.csv"))[-1].open() as file:
        table = list(csv.DictReader(file))
    assert [float(row["pion"]) for row in table] == list(correlator)
    t = np.arange(8)
    for row, mass in zip(table, array(whole, "Correlators/PionEffectiveMass"), strict=True):
        k = int(row["t"])
        assert float(row["pion_effective_mass"]) == mass
        assert (correlator[k] / correlator[(k + 1) % 8]
                == pytest.approx(np.cosh(mass * (t[k] - 4)) / np.cosh(mass * (t[k] - 3)), rel=1e-9))


def test_the_rho_is_that_of_its_trace(whole: Path) -> None:
    S = np.stack([x.reshape(*SHAPE, 12) for x in solutions(whole)], axis=-1)  # rows, then columns
    five = np.kron(GAMMA5, np.eye(3))
    expected = np.zeros(SHAPE[0])
    for gamma in GAMMA[:3]:
        g = np.kron(gamma, np.eye(3))
        traces = np.einsum("...ii->...", g @ S @ g @ five @ conjugate(S) @ five)
        assert abs(traces.sum(axis=(1, 2, 3)).imag).max() < 1e-12
        expected += traces.real.sum(axis=(1, 2, 3)) / 3.0
    rho = array(whole, "Correlators/Rho")
    assert rho == pytest.approx(np.roll(expected, -3), rel=1e-12)
    assert np.all(rho > 0.0) and np.all(rho[1:] < array(whole, "Correlators/Pion")[1:])  # it is heavier


def test_the_history_of_residuals_is_kept(whole: Path) -> None:
    history = array(whole, "Residuals/Recursion")
    counts = array(whole, "Residuals/Iterations").astype(int)
    table = rows(whole)
    assert len(counts) == 12 and counts.sum() == len(history) == len(table) - 1
    assert [row["iteration"] for row in table] == list(range(len(table)))
    ends = set(np.cumsum(counts))
    for n, row in enumerate(table[1:], 1):
        if n not in ends:  # there the next source has begun
            assert row["residual"] == history[n - 1]
    assert table[-1]["residual"] == history[-1] <= 1e-13
    summary = json.loads((whole / "summary.json").read_text())
    assert summary["finished"] and summary["solver"] == "qcd" and summary["steps"] == len(history)


def test_a_restarted_run_leaves_the_same_bits(whole: Path, tmp_path: Path) -> None:
    values = RANDOM | {"output.statistics_every": 1, "source.position": [1, 0, 2, 3]}
    counts = array(whole, "Residuals/Iterations").astype(int)
    write_parameters(tmp_path / "parts.toml", values | {"output.picture": False})
    stopped = tacit("run", "parts.toml", "--output", "parts", "--threads", "2", "--set",
                    f"iteration.max_steps={counts[0] + 5}", cwd=tmp_path)
    assert f"--set iteration.max_steps={2 * (counts[0] + 5)} " in stopped.stdout
    parts = tmp_path / "parts"
    assert run(tmp_path, values, "--restart", name="parts") == parts
    for name in ("Correlators/Pion", "Residuals/Recursion", "Residuals/True", "Solutions/Source00"):
        assert np.array_equal(array(whole, name), array(parts, name)), name
    assert rows(parts) == rows(whole)


def test_plain_loops_leave_the_same_bits(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the fixture are the widest that this processor has."""
    monkeypatch.setenv("TACIT_INSTRUCTION_SET", "scalar")
    done = run(tmp_path, RANDOM | {"source.position": [1, 0, 2, 3]})
    assert np.array_equal(array(done, "Solutions/Source11"), array(whole, "Solutions/Source11"))


@pytest.mark.parametrize(("numbers", "rows_of_links"), [("IEEE32BIG", 3), ("IEEE64BIG", 2), ("IEEE64BIG", 3),
                                                        ("IEEE32LITTLE", 2), ("IEEE64LITTLE", 3)])
def test_files_of_every_kind_are_read(numbers: str, rows_of_links: int, links: np.ndarray, tmp_path: Path) -> None:
    write_nersc(tmp_path / "field.nersc", links, numbers, rows_of_links)
    psi = random_spinors(SHAPE, 1)
    write_source(tmp_path / "source.hdf5", psi)
    done = run(tmp_path, {"solver": "qcd", "initial.setup": "file", "initial.file": "field.nersc", "qcd.kappa": 0.125,
                          "source.kind": "file", "source.file": "source.hdf5", "solve.method": "apply",
                          "iteration.end": 1, "qcd.write_solutions": True, "qcd.write_gauge": "nersc"})
    error = relative(solutions(done)[0], Dirac(with_boundary(links), 0.0)(psi))
    # Numbers of 32 bits have 6e-8 of a link.
    assert error < 1e-14 if "64" in numbers else 1e-12 < error < 1e-6
    again = read_nersc(next(done.glob("gauge_*.nersc")))
    assert np.abs(again @ conjugate(again) - np.eye(3)).max() < 1e-14


@pytest.mark.parametrize("bits", [32, 64])
def test_ildg_files_are_read_and_written(bits: int, links: np.ndarray, tmp_path: Path) -> None:
    write_lime(tmp_path / "field.lime", ildg_records(links, bits))
    psi = random_spinors(SHAPE, 1)
    write_source(tmp_path / "source.hdf5", psi)
    done = run(tmp_path, {"solver": "qcd", "initial.setup": "file", "initial.file": "field.lime", "qcd.mass": 0.0,
                          "source.kind": "file", "source.file": "source.hdf5", "solve.method": "apply",
                          "iteration.end": 1, "qcd.write_solutions": True, "qcd.write_gauge": "ildg"})
    error = relative(solutions(done)[0], Dirac(with_boundary(links), 0.0)(psi))
    assert error < 1e-14 if bits == 64 else 1e-12 < error < 1e-6
    records = read_lime(next(done.glob("gauge_*.lime")))
    written = dict(records)
    # The order in which QIO expects them, and the name without which Grid reads none.
    assert [kind for kind, _ in records] == [
        "scidac-private-file-xml", "scidac-file-xml", "scidac-private-record-xml", "scidac-record-xml", "ildg-format",
        "ildg-data-lfn", "ildg-binary-data", "scidac-checksum"]
    assert written["ildg-data-lfn"].startswith(b"lfn://local/")
    again = np.frombuffer(written["ildg-binary-data"], ">c16").reshape(links.shape).astype(complex)
    assert np.array_equal(again, links) if bits == 64 else np.abs(again - links).max() < 1e-6
    expected = dict(ildg_records(again))
    assert expected["scidac-checksum"] in written["scidac-checksum"]
    for element in (b"<lx>4</lx><ly>2</ly><lz>6</lz><lt>8</lt>", b"<field>su3gauge</field>"):
        assert element in written["ildg-format"]


def test_an_ildg_file_cut_off_anywhere_names_the_record(links: np.ndarray, tmp_path: Path) -> None:
    records = ildg_records(links)
    whole = write_lime(tmp_path / "whole.lime", records).read_bytes()
    values = {"solver": "qcd", "initial.setup": "file", "initial.file": "field.lime", "qcd.mass": 0.0,
              "iteration.end": 1000, "iteration.max_steps": 1, "output.picture": False}
    write_parameters(tmp_path / "run.toml", values)
    begin = 0
    for number, (kind, data) in enumerate(records, 1):
        for keep, expected in ((begin + 100, f"the header of record {number} has 100 of 144 bytes"),
                               (begin + 144 + len(data) - 1, f"record {number}, {kind}: {len(data)} bytes of data")):
            (tmp_path / "field.lime").write_bytes(whole[:keep])
            done = tacit("check", "run.toml", cwd=tmp_path)
            assert done.returncode != 0 and expected in done.stderr and "cut off" in done.stderr
        begin += 144 + (len(data) + 7) // 8 * 8
        (tmp_path / "field.lime").write_bytes(whole[:begin])
        done = tacit("run", "run.toml", "--output", f"out{number}", cwd=tmp_path)
        # Without its checksum the field is read.
        missing = {1: "has no record ildg-format", 2: "has no record ildg-binary-data", 3: "", 4: ""}[number]
        assert missing in done.stderr and (done.returncode != 0) == bool(missing), done.stderr


def test_free_quarks_have_the_correlator_of_the_momentum_sum(tmp_path: Path) -> None:
    extents, mass = (4, 4, 4, 12), 0.3
    done = run(tmp_path, {"solver": "qcd", "initial.setup": "unit", "qcd.extents": list(extents), "qcd.mass": mass,
                          "solve.tolerance": 1e-13, "iteration.end": 10000})
    shifts = (0.0, 0.0, 0.0, 0.5)
    p = np.meshgrid(*(2 * np.pi * (np.arange(n) + shift) / n for n, shift in zip(extents, shifts, strict=True)),
                    indexing="ij")
    scalar = mass + sum(1 - np.cos(k) for k in p)
    below = scalar**2 + sum(np.sin(k) ** 2 for k in p)
    # At each spatial momentum S(t) = 1/T sum_p4 e^(i p4 t) (scalar - i sum gamma sin p) / below, whose squares add up.
    parts = [scalar / below, *(np.sin(k) / below for k in p)]
    wave = np.exp(1j * np.outer(p[3][0, 0, 0], np.arange(extents[3]))) / extents[3]
    expected = 12 / (extents[0] * extents[1] * extents[2]) * sum((np.abs(part @ wave) ** 2).sum(axis=(0, 1, 2))
                                                                for part in parts)
    assert array(done, "Correlators/Pion") == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("csw", [0.0, 1.3])
def test_even_odd_solves_have_the_same_solutions(csw: float, links: np.ndarray, tmp_path: Path) -> None:
    values = RANDOM | {"source.kind": "random", "qcd.csw": csw}
    found = {way: run(tmp_path, values | {"solve.even_odd": way}, name=str(way)) for way in (False, True)}
    x, y = (solutions(found[way])[0] for way in (False, True))
    assert relative(y, x) < 1e-11  # |D^-1| is below 10
    assert array(found[True], "Residuals/Iterations")[0] < 0.7 * array(found[False], "Residuals/Iterations")[0]
    assert array(found[True], "Residuals/True")[0] < 2e-13
    again = Dirac(with_boundary(links), MASS, csw)
    assert relative(again(x), again(y)) < 1e-11


def failing(folder: Path, values: dict[str, object]) -> str:
    """What a run that must fail says."""
    write_parameters(folder / "run.toml", {"output.picture": False} | values)
    done = tacit("run", "run.toml", "--output", "out", cwd=folder)
    assert done.returncode != 0
    return done.stderr


def test_a_solve_that_does_not_converge_keeps_its_history_and_goes_on(tmp_path: Path) -> None:
    values = RANDOM | {"solve.max_iterations": 7, "source.kind": "random", "output.statistics_every": 1}
    message = failing(tmp_path, values)
    assert "the solve of source 1 of 1 failed in its iteration 7" in message and "solve.max_iterations" in message
    out = tmp_path / "out"
    assert len(array(out, "Residuals/Recursion")) == 7 and len(rows(out)) == 8
    assert str(checkpoint(out).name) in message
    write_parameters(tmp_path / "run.toml", values | {"output.picture": False, "solve.max_iterations": 1000})
    done = tacit("run", "run.toml", "--output", "out", "--restart", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    straight = run(tmp_path, values | {"solve.max_iterations": 1000}, name="straight")
    assert np.array_equal(array(out, "Residuals/Recursion"), array(straight, "Residuals/Recursion"))


def test_a_run_that_ends_before_its_solve_keeps_what_there_is_and_goes_on(tmp_path: Path) -> None:
    values = RANDOM | {"iteration.end": 6, "source.kind": "random", "output.statistics_every": 1}
    message = failing(tmp_path, values)
    assert "iteration.end has ended the run: the solve of source 1 of 1 has not converged: |r| / |b| = " in message
    assert "after 6 iterations of it, above solve.tolerance = 1e-13\n" in message
    assert "raise iteration.end and go on with --restart" in message and "restart_000006.hdf5" in message
    out = tmp_path / "out"
    assert len(array(out, "Residuals/Recursion")) == 6 and len(rows(out)) == 7
    done = tacit("run", "run.toml", "--output", "out", "--restart", cwd=tmp_path)  # it is as unfinished as before
    assert done.returncode == 1 and message.splitlines()[0] in done.stderr
    again = tacit("run", "run.toml", "--output", "out", "--restart", "--set", "iteration.end=1000", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    straight = run(tmp_path, values | {"iteration.end": 1000}, name="straight")
    assert np.array_equal(array(out, "Residuals/Recursion"), array(straight, "Residuals/Recursion"))
    # An end that was asked for by other means is no failure.
    write_parameters(tmp_path / "run.toml", values | {"iteration.end": 1000, "output.picture": False})
    stopped = tacit("run", "run.toml", "--output", "few", "--set", "iteration.max_steps=5", cwd=tmp_path)
    assert stopped.returncode == 0, stopped.stderr


def test_a_singular_operator_and_a_source_of_zeros_are_refused(tmp_path: Path) -> None:
    free = {"solver": "qcd", "initial.setup": "unit", "qcd.extents": [4, 4, 4, 4], "qcd.mass": 0.0,
            "qcd.boundary": "periodic", "iteration.end": 10000}
    assert "the operator is singular" in failing(tmp_path, free)
    assert len(array(tmp_path / "out", "Residuals/Recursion")) > 0
    source = write_source(tmp_path / "source.hdf5", np.zeros((4, 4, 4, 4, 4, 3), complex))
    other = tmp_path / "zeros"
    other.mkdir()
    assert "the right-hand side is 0" in failing(other, free | {"source.kind": "file", "source.file": str(source)})


CLOVER = RANDOM | {"source.kind": "random", "qcd.csw": 1.0, "solve.tolerance": 1e-12}


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    """What the first of the methods finds."""
    return solutions(run(tmp_path_factory.mktemp("solved"), CLOVER | {"solve.method": "cgnr",
                                                                      "solve.precision": "double"}))[0]


QUICK_METHODS = {("cgnr", "mixed", True), ("bicgstab", "double", False), ("bicgstab", "mixed", True),
                 ("gcr", "double", True), ("gcr", "mixed", False)}
"""Each method with each precision, and with and without even and odd points."""


@pytest.mark.parametrize(("method", "precision", "even_odd"), [
    pytest.param(*way, even_odd, marks=() if (*way, even_odd) in QUICK_METHODS else pytest.mark.long)
    for way in (("cgnr", "mixed"), ("bicgstab", "double"), ("bicgstab", "mixed"), ("gcr", "double"), ("gcr", "mixed"))
    for even_odd in (True, False)])
def test_other_methods_solve_and_are_continued(method: str, precision: str, even_odd: bool, links: np.ndarray,
                                               solved: np.ndarray, tmp_path: Path) -> None:
    values = CLOVER | {"solve.method": method, "solve.precision": precision, "solve.even_odd": even_odd}
    straight = run(tmp_path, values, name="whole")
    dirac = Dirac(with_boundary(links), MASS, 1.0)
    x = solutions(straight)[0]
    assert relative(x, solved) < 1e-10 and relative(dirac(x), dirac(solved)) < 3e-12
    stopped = run(tmp_path, values | {"iteration.max_steps": 7, "run.threads": 2}, name="parts")
    assert run(tmp_path, values, "--restart", name="parts") == stopped
    for name in ("Residuals/Recursion", "Residuals/True", "Solutions/Source00"):
        assert np.array_equal(array(straight, name), array(stopped, name)), name


@lru_cache
def reference() -> dict[str, dict]:
    """Results of another program; the test is skipped where there are none."""
    path = DATA / "reference.json"
    if not path.is_file():
        pytest.skip("there is no reference data of other programs, which may not be copied into the project")
    return json.loads(path.read_text())


@pytest.mark.parametrize(("field", "csw"), [
    ("A_4x4x4x4_b6", "csw1"), ("B_8x4x4x4_rand", "csw0"), pytest.param("A_4x4x4x4_b6", "csw0", marks=pytest.mark.long),
    pytest.param("B_8x4x4x4_rand", "csw1", marks=pytest.mark.long)])
def test_reference_fields(field: str, csw: str, tmp_path: Path) -> None:
    told = reference()[field]
    case = told[csw]
    stored = np.load(DATA / f"{field}_dirac.npz")
    values = {"solver": "qcd", "initial.setup": "file", "initial.file": str(DATA / f"{field}.nersc"),
              "qcd.csw": float(csw[3:]), "qcd.mass": case["m0"],
              "solve.tolerance": 1e-13, "iteration.end": 100000, "qcd.write_solutions": True}
    shape = stored["rand"].shape[:4]
    sources = {"point": (point_source(shape, 0), f"{csw}_D_point"), "rand": (stored["rand"], f"{csw}_D_rand"),
               "ones": (np.ones((*shape, 4, 3), complex), None)}
    for name, (psi, expected) in sources.items():
        source = {"source.kind": "file", "source.file": str(write_source(tmp_path / f"{name}.hdf5", psi))}
        if expected:
            done = run(tmp_path, values | source | {"solve.method": "apply"}, name=f"apply_{name}")
            assert relative(solutions(done)[0], stored[expected]) < 1e-13
        x = solutions(run(tmp_path, values | source, name=f"solve_{name}"))[0]
        assert np.vdot(x, x).real == pytest.approx(case[f"norm2_x_{name}"], rel=1e-11)
    done = run(tmp_path, values, name="pion")
    assert array(done, "Correlators/Pion") == pytest.approx(case["pion_C_t"], rel=1e-10)
    with h5py.File(snapshots(done)[0]) as file:
        assert file["Header"].attrs["Plaquette"][0] == pytest.approx(told["plaq_mean"], rel=1e-13)


@pytest.mark.parametrize("method", [pytest.param("cgnr", marks=pytest.mark.long), "bicgstab"])
def test_a_norm_that_another_program_prints(method: str, tmp_path: Path) -> None:
    """DD-alphaAMG's of D x = b with ones in b: 7440.59469533."""
    reference()  # or the test is skipped
    done = run(tmp_path, {"solver": "qcd", "initial.setup": "file", "initial.file": str(DATA / "C_8x8x8x8_b6.nersc"),
                          "qcd.mass": -0.5, "qcd.csw": 1.0, "qcd.write_solutions": True, "source.kind": "ones",
                          "solve.method": method, "solve.precision": "mixed", "solve.tolerance": 1e-11,
                          "iteration.end": 1000, "run.threads": 1})
    x = solutions(done)[0]
    assert np.vdot(x, x).real == pytest.approx(7440.59469533, rel=1e-11)
