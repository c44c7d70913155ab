"""`tacit plot` of what `tacit bench --json` prints: marks where the ratios are, collectives, files that are neither.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from matplotlib.axes import Axes

from tacit.cli import main
from tacit.drawing.benchmark import compose_benchmark


def result(name: str, value: float, peers: dict[str, float | None], better: str = "lower") -> dict:
    """A figure whose best sample is twice, whose worst is half as good as its median."""
    return {"name": name, "value": value, "min": 0.5 * value, "max": 2.0 * value, "better": better, "peers": peers}


def write_results(path: Path, results: list[dict]) -> Path:
    machine = {"cpu": "A_CPU $ 1", "cores_allowed": 2, "flag_before": {"median_ns": 57.2}}
    path.write_text(json.dumps({"machine": machine, "results": results}, indent=2))
    return path


def marks(axes: Axes, peer: str) -> list[tuple[float, float]]:
    """Ratio and row of the marks of a peer."""
    labels = [container.get_label() for container in axes.containers]
    line = axes.containers[labels.index(peer)].lines[0]
    return [(float(x), float(y)) for x, y in zip(*line.get_data())]


def test_right_of_one_is_better(tmp_path: Path) -> None:
    path = write_results(tmp_path / "tasks.json", [
        result("spawn_ns", 10.0, {"A": 30.0, "B": 5.0}), result("alone_ns", 1.0, {}),
        result("hidden", 0.8, {"B": 0.4, "C": -0.1, "D": None}, better="higher")])
    axes = compose_benchmark(path).subfigs[0].axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["spawn_ns", "hidden"]
    assert marks(axes, "A") == [pytest.approx((3.0, 0.0))]
    assert marks(axes, "B") == [pytest.approx((0.5, 0.0)), pytest.approx((2.0, 1.0))]
    (spread,) = axes.containers[0].lines[2][0].get_segments()  # of A: from the slowest sample to the fastest
    assert spread[:, 0] == pytest.approx([1.5, 6.0])
    assert {container.get_label() for container in axes.containers} == {"A", "B"}


def test_flat_and_hybrid_collectives(tmp_path: Path) -> None:
    results = [result(f"nodes4x{ranks}_{name}_{size}KB_us", 1e3 * ranks * place * size, {"MPI": 4e3 * ranks * size})
               for size in (400, 40) for ranks in (1, 4) for place, name in ((1, "all_to_all"), (3, "all_gather"))]
    figure = compose_benchmark(write_results(tmp_path / "nodes.json", results))
    small, large = figure.subfigs[0].axes
    assert (small.get_title(), large.get_title()) == ("40 KB a node", "400 KB a node")
    heights = {bars.get_label(): [bar.get_height() for bar in bars] for bars in large.containers}
    assert heights == {"MPI, 4 ranks a node": pytest.approx([6400.0, 6400.0]), "Tacit, 4": pytest.approx([1600, 4800]),
                       "MPI, one rank a node": pytest.approx([1600.0, 1600.0]),
                       "Tacit, one": pytest.approx([400.0, 1200.0])}
    assert len(figure.subfigs[1].axes[0].get_yticklabels()) == len(results)
    # Ranks of one kind alone are nothing to compare.
    figure = compose_benchmark(write_results(tmp_path / "flat.json", [r for r in results if "4x4" in r["name"]]))
    assert len(figure.subfigs) == 1


def test_parts_of_a_coarse_solve_stand_on_each_other(tmp_path: Path) -> None:
    results = [result(f"coarse_2r_{part}_us", value, {"MPI": 2.0 * value})
               for part, value in (("iteration", 100.0), ("halo", 20.0), ("sums", 5.0))]
    results.append(result("coarse_2r_ofi_halo_us", 50.0, {}))  # without its other parts it is not drawn
    (axes,) = compose_benchmark(write_results(tmp_path / "coarse.json", results)).subfigs[0].axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["MPI", "Tacit"]
    heights = {bars.get_label(): [(bar.get_y(), bar.get_height()) for bar in bars] for bars in axes.containers}
    assert heights == {"computing": [(0.0, 150.0), (0.0, 75.0)], "halos": [(150.0, 40.0), (75.0, 20.0)],
                       "sums over ranks": [(190.0, 10.0), (95.0, 5.0)]}


def test_picture_of_many_figures_stands_beside_the_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_results(tmp_path / "all.json", [result(f"figure_{i}", 1.0, {"A": 2.0}) for i in range(95)])
    assert "; 5 more are not shown" in compose_benchmark(path).subfigs[0].axes[0].get_xlabel()
    assert main(["plot", str(path)]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'all.png'}\n"
    assert (tmp_path / "all.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(("text", "why"), [
    ('{"machine": 1', "is not what tacit bench --json prints: "),
    ('{"machine": {}, "results": []}', "is not what tacit bench --json prints: "),
    ('{"machine": {"cpu": "", "cores_allowed": 1, "flag_before": null}, "results": [1]}', "is not what tacit bench"),
    ('{"machine": {"cpu": "", "cores_allowed": 1, "flag_before": null}, "results": []}', "none of its 0 figures")])
def test_results_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, why: str) -> None:
    path = tmp_path / "results.json"
    path.write_text(text)
    assert main(["plot", str(path)]) == 1
    message = capsys.readouterr().err
    assert message.startswith(f"tacit plot: {path}: {why}")
    assert message.count("\n") == 1 and not path.with_suffix(".png").exists()
