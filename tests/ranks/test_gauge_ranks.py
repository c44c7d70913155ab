"""Markov chains of gauge fields on ranks that mpirun starts: the same bits in every division, and continued in another.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import pytest
from launched import assert_same_results, launch, on_ranks
from program import write_parameters

GAUGE = {"solver": "gauge", "initial.setup": "hot", "gauge.extents": [4, 4, 4, 8], "gauge.beta": 5.7, "gauge.seed": 3,
         "gauge.write": "ildg", "gauge.overrelaxation": 1, "measure.from": 2, "measure.wilson_loops": [2, 2],
         "smear.kind": "ape", "smear.weight": 0.5, "smear.steps": 2, "flow.time": 0.1, "flow.step": 0.05,
         "flow.points": 2, "flow.every": 2,
         "sweep.end": 6, "output.statistics_every": 1, "output.picture": False, "run.threads": 1, "run.pin": False}


def gauge(folder: Path, name: str, ranks: int, *arguments: str, **more: object) -> Path:
    """Runs it on so many ranks into folder/NAME, which it returns. `more`: gauge__ranks=[...] is gauge.ranks."""
    values = GAUGE | {key.replace("__", "."): value for key, value in more.items()}
    file = write_parameters(folder / "gauge.toml", values)
    done = launch(on_ranks(ranks, "run", file.name, "--output", name, *arguments), folder)
    assert done.returncode == 0, f"exit code {done.returncode} on {ranks} ranks\n{done.stdout}{done.stderr}"
    return folder / name


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chain on one rank."""
    return gauge(tmp_path_factory.mktemp("alone"), "alone", 1)


def texts(folder: Path) -> dict[str, bytes]:
    """Measurements, means and fields."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())
            if path.name.startswith(("measurements_", "means_", "gauge_", "flow_"))}


def assert_same(a: Path, b: Path) -> None:
    """Statistics, snapshots, checkpoints, tables and fields agree in every bit."""
    assert_same_results(a, b)
    assert len(texts(a)) == 10 and texts(a) == texts(b)


@pytest.mark.parametrize(("ranks", "along", "threads"), [(2, [0, 0, 0, 0], 2), (4, [2, 1, 1, 2], 1)])
def test_every_division_leaves_what_one_rank_leaves(ranks: int, along: list[int], threads: int, alone: Path,
                                                    tmp_path: Path) -> None:
    assert_same(alone, gauge(tmp_path, "out", ranks, gauge__ranks=along, run__threads=threads))


def test_a_checkpoint_continues_on_other_counts(alone: Path, tmp_path: Path) -> None:
    gauge(tmp_path, "parts", 2, "--set", "sweep.max_steps=3")
    assert_same(alone, gauge(tmp_path, "parts", 1, "--restart"))


def test_another_seed_leaves_other_bits(alone: Path, tmp_path: Path) -> None:
    """The comparison can fail."""
    other = gauge(tmp_path, "other", 1, gauge__seed=4)
    assert texts(alone) != texts(other)
