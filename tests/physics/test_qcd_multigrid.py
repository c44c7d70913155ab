"""Multigrid through the real program: its solutions, restarts in the middle of a solve, and set-ups that are kept.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
from program import assert_same_bits, checkpoint, run, snapshots, tacit, write_parameters

VALUES = {"solver": "qcd", "initial.setup": "random", "random.spread": 0.4, "qcd.extents": [4, 4, 4, 8],
          "qcd.mass": 0.1, "qcd.csw": 1.0, "source.kind": "random", "solve.method": "multigrid",
          "multigrid.vectors": 8, "multigrid.setup_iterations": 1, "iteration.end": 10000,
          "qcd.write_solutions": True, "run.threads": 1}


def solution(directory: Path) -> tuple[np.ndarray, int, float]:
    """With the number of iterations, and the true residual."""
    with h5py.File(snapshots(directory)[-1]) as file:
        residuals = file["Residuals"]
        return file["Solutions/Source00"][()], int(residuals["Iterations"][0]), float(residuals["True"][0])


def test_the_solution_is_that_of_other_methods(tmp_path: Path) -> None:
    x, iterations, residual = solution(run(tmp_path, VALUES, name="multigrid"))
    others = {key: value for key, value in VALUES.items() if not key.startswith("multigrid.")}
    y, slow, _ = solution(run(tmp_path, others | {"solve.method": "cgnr", "solve.tolerance": 1e-12}, name="cgnr"))
    assert residual <= 1e-10 and 3 * iterations < slow
    assert np.linalg.norm(x - y) < 1e-8 * np.linalg.norm(y)  # |D^-1| is below 100


def test_a_restart_in_the_middle_of_a_solve_leaves_the_same_bits(tmp_path: Path) -> None:
    """The set-up is made again, with the same bits; directions are in the checkpoint."""
    values = VALUES | {"multigrid.levels": 3}
    whole = run(tmp_path, values, name="whole")
    write_parameters(tmp_path / "parts.toml", values | {"output.picture": False})
    stopped = tacit("run", "parts.toml", "--output", "parts", "--threads", "2", "--set", "iteration.max_steps=4",
                    cwd=tmp_path)
    assert stopped.returncode == 0, stopped.stderr
    with h5py.File(checkpoint(tmp_path / "parts")) as file:
        assert len(file["Qcd/history"]) == 4
    parts = run(tmp_path, values, "--restart", name="parts")
    assert_same_bits(snapshots(whole)[-1], snapshots(parts)[-1])


def test_a_setup_is_kept_and_used_again_on_the_same_field_alone(tmp_path: Path) -> None:
    values = VALUES | {"multigrid.levels": 3}
    first = run(tmp_path, values | {"multigrid.write_setup": True}, name="first")
    # Nothing of how a set-up is made matters then.
    again = values | {"multigrid.setup_file": str(first / "multigrid_000000.hdf5"), "multigrid.setup_iterations": 0,
                      "multigrid.seed": 7}
    x, iterations, residual = solution(first)
    y, others, other = solution(run(tmp_path, again, name="second"))
    assert np.array_equal(x, y) and (iterations, residual) == (others, other)
    for key, value, what in (("qcd.mass", 0.2, "qcd.mass is 0.1 there, and 0.2 in this run"),
                             ("random.seed", 2, "the checksum of the gauge field is "),
                             ("qcd.csw", 1.5, "qcd.csw is 1 there, and 1.5"),
                             ("multigrid.vectors", 6, "multigrid.vectors is 8 there, and 6")):
        write_parameters(tmp_path / "other.toml", again | {key: value, "output.picture": False})
        refused = tacit("run", "other.toml", cwd=tmp_path)
        assert refused.returncode == 2, refused.stderr
        assert "multigrid_000000.hdf5" in refused.stderr and what in refused.stderr


def test_sources_at_once_have_the_bits_of_one_after_the_other(tmp_path: Path) -> None:
    """Also where a run is stopped when some of them have converged, and others have not."""
    values = VALUES | {"source.kind": "point", "multigrid.vectors": 4, "qcd.extents": [4, 4, 4, 4]}
    with h5py.File(snapshots(run(tmp_path, values | {"solve.tolerance": 1e-5, "solve.at_once": 12}))[-1]) as file:
        lengths = file["Residuals/Iterations"][()].astype(int)
        histories = np.split(file["Residuals/Recursion"][()], np.cumsum(lengths)[:-1])
    # In between what some of the sources have reached in an iteration and others have not.
    reached = [history[3] for history in histories[5:10]]
    values |= {"solve.tolerance": float(np.sqrt(min(reached) * max(reached)))}
    alone = run(tmp_path, values, name="alone")
    # Parts of five, five and two.
    at_once = values | {"solve.at_once": 5}
    together = run(tmp_path, at_once, name="together")
    with h5py.File(snapshots(alone)[-1]) as one, h5py.File(snapshots(together)[-1]) as other:
        for name in [f"Solutions/Source{source:02}" for source in range(12)] + [
                "Residuals/Recursion", "Residuals/True", "Residuals/Iterations", "Correlators/Pion"]:
            assert np.array_equal(one[name][()], other[name][()]), name
        iterations = one["Residuals/Iterations"][()].astype(int)
    steps = max(iterations[:5]) + max(iterations[5:10])
    assert min(iterations[5:10]) < max(iterations[5:10])
    write_parameters(tmp_path / "parts.toml", at_once | {"output.picture": False})
    stopped = tacit("run", "parts.toml", "--output", "parts", "--threads", "2", "--set",
                    f"iteration.max_steps={steps - 1}", cwd=tmp_path)
    assert stopped.returncode == 0, stopped.stderr
    with h5py.File(checkpoint(tmp_path / "parts")) as file:
        over = [file["Qcd"].attrs[f"converged of source {source}"][0] for source in range(5, 10)]
        assert 0.0 < sum(over) < 5.0
    parts = run(tmp_path, at_once, "--restart", name="parts")
    assert_same_bits(snapshots(together)[-1], snapshots(parts)[-1])
