#!/usr/bin/env python3
# Runs test problems at several resolutions and fits the order at which their errors fall.
# SPDX-License-Identifier: Apache-2.0
"""Usage: convergence.py [--problems NAME...] [--quick] [--page] [--set KEY=VALUE]... [--output FOLDER]

Writes convergence.json and convergence.png into FOLDER and prints the table of errors and orders. With --page all of
docs/guide/test-problems.md is rewritten, the pictures of the examples among it, and bench/results/sph/convergence.json:

    build/venv/bin/python bench/sph/convergence.py --page

It needs the program (TACIT_PROGRAM, or build/bin/tacit) and a Python with numpy, h5py, and matplotlib with Pillow.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import numpy as np  # noqa: E402
from matplotlib import rc_context  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import NullLocator  # noqa: E402
from PIL import Image  # noqa: E402

from tacit.compare import compare  # noqa: E402
from tacit.drawing import style  # noqa: E402
from tacit.runs import snapshot_path  # noqa: E402
from tacit.snapshot import read_snapshot  # noqa: E402


@dataclass(frozen=True)
class Problem:
    """A set-up, what is set of it, and the error that is looked at."""

    setup: str
    settings: dict[str, object]
    resolutions: tuple[int, ...]
    error: str
    what: str


PROBLEMS = (
    Problem("sod", {"time.end": 0.2}, (16, 24, 32, 48), "L1_rho", "density"),
    Problem("sedov", {"time.end": 0.05}, (16, 24, 32, 48), "L1_rho", "density"),
    Problem("gresho", {"time.end": 1.0, "sph.dimension": 2}, (24, 36, 48, 72), "L1_v_mean",
            "mean velocity of rings"),
    Problem("noh", {"time.end": 0.6, "sph.dimension": 2, "sph.boundary": "open"}, (16, 24, 32, 48), "L1_rho",
            "density"),
)


_LOOKS = (("L1_rho", "density", style.BLUE), ("L1_v", "velocity", style.VERMILION), ("L1_P", "pressure", style.GREEN),
          ("L1_v_mean", "mean velocity", style.ORANGE))


def program() -> str:
    """The program that is measured."""
    return os.environ.get("TACIT_PROGRAM", str(ROOT / "build" / "bin" / "tacit"))


def environment() -> dict[str, str]:
    """Pictures are drawn by this Python."""
    return os.environ | {"TACIT_SOURCE": str(ROOT), "TACIT_PYTHON": sys.executable}


def run(folder: Path, problem: Problem, resolution: int, extra: list[str]) -> dict[str, object]:
    """One run and its errors.

    Raises:
        subprocess.CalledProcessError: if the run fails.
    """
    file = folder / f"{problem.setup}_{resolution}.toml"
    file.write_text(f'solver = "sph"\n[initial]\nsetup = "{problem.setup}"\n[time]\nend = 1\n')
    values = problem.settings | {f"{problem.setup}.resolution": resolution, "output.picture": "false"}
    words = [f"{key}={value}" for key, value in values.items()] + extra
    output = folder / file.stem
    command = [program(), "run", str(file), "--output", str(output)]
    subprocess.run(command + [part for word in words for part in ("--set", word)], check=True,
                   stdout=subprocess.DEVNULL, env=environment())
    errors = compare(read_snapshot(snapshot_path(output)), problem.setup)
    summary = json.loads((output / "summary.json").read_text())
    drift = summary["conserved"]["energy"]["max_drift"]
    return {"resolution": resolution, "steps": summary["steps"], "energy_drift": drift, **errors}


def order(rows: list[dict[str, object]], error: str) -> float:
    """p of error ~ resolution^-p, by least squares of the logarithms."""
    n, e = (np.log([float(row[key]) for row in rows]) for key in ("resolution", error))
    return float(-np.polyfit(n, e, 1)[0])


def table(results: dict[str, dict]) -> str:
    """The errors and orders as Markdown."""
    lines = ["| problem | error of | resolutions | L1 error | order |", "|---|---|---|---|---|"]
    for name, result in results.items():
        rows, error = result["runs"], result["error"]
        lines.append(f"| {name}, {result['dimension']}-D | {result['what']} | "
                     f"{', '.join(str(row['resolution']) for row in rows)} | "
                     f"{', '.join(format(row[error], '.3g') for row in rows)} | {result['order']:.2f} |")
    return "\n".join(lines) + "\n"


def draw(results: dict[str, dict], path: Path) -> None:
    """One panel per problem: errors as points, the fitted power as a line."""
    with rc_context(style.SETTINGS):
        figure = Figure(figsize=(3.0 * len(results), 3.6), layout="constrained", dpi=100)
        for axes, (name, result) in zip(figure.subplots(1, len(results), squeeze=False)[0], results.items()):
            n = np.array([row["resolution"] for row in result["runs"]], dtype=float)
            for error, label, colour in _LOOKS:
                if error not in result["runs"][0]:
                    continue
                e = np.array([row[error] for row in result["runs"]])
                p = order(result["runs"], error)
                fitted = np.exp(np.mean(np.log(e)) - p * (np.log(n) - np.mean(np.log(n))))
                axes.loglog(n, e, "o", color=colour, markersize=4)
                axes.loglog(n, fitted, color=colour, linewidth=1.0, label=f"{label} {p:.2f}")
            axes.set(title=f"{name}, {result['dimension']}-D", xlabel="resolution", ylabel="$L_1$ error", xticks=n,
                     xticklabels=[f"{value:g}" for value in n])
            axes.xaxis.set_minor_locator(NullLocator())
            axes.legend(title="order", loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
        figure.savefig(path, dpi=100)


def shrink(picture: Path, target: Path) -> None:
    """Two thirds of the size and 256 colours: a page with many pictures should not weigh megabytes."""
    with Image.open(picture) as image:
        small = image.convert("RGB").resize((image.width * 2 // 3, image.height * 2 // 3), Image.Resampling.LANCZOS)
        # This method keeps white, about which signed fields are shown, and the few colours of lines and points.
        colours = small.quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        colours.save(target, optimize=True)


def draw_examples(folder: Path, extra: list[str]) -> None:
    """Runs every example and keeps its picture, smaller."""
    for file in sorted((ROOT / "examples" / "sph").glob("*/run.toml")):
        name = file.parent.name
        with tempfile.TemporaryDirectory() as scratch:
            command = [program(), "run", str(file), "--output", f"{scratch}/{name}"]
            subprocess.run(command + [part for word in extra for part in ("--set", word)], check=True,
                           stdout=subprocess.DEVNULL, env=environment())
            shrink(Path(scratch) / name / "picture.png", folder / f"{name}.png")
        print(f"{name}.png", flush=True)


def write_page(text: str) -> None:
    """Puts the table into the page, between its two marks."""
    page = ROOT / "docs" / "guide" / "test-problems.md"
    begin, end = "<!-- table: bench/sph/convergence.py -->\n", "<!-- end of the table -->"
    page.write_text(re.sub(f"{begin}.*?{end}", lambda _: f"{begin}{text}{end}", page.read_text(), flags=re.DOTALL))


def main() -> int:
    """Reads the command line and does what it says."""
    parser = argparse.ArgumentParser(description="Errors of test problems against resolution, and the fitted orders.")
    names = [problem.setup for problem in PROBLEMS]
    parser.add_argument("--problems", nargs="+", choices=names, default=names, help="which (default: all)")
    parser.add_argument("--quick", action="store_true", help="the two coarsest resolutions only")
    parser.add_argument("--page", action="store_true", help="write docs/guide/test-problems.md and its pictures")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="for all runs")
    parser.add_argument("--output", type=Path, default=Path("output/convergence"), metavar="FOLDER")
    options = parser.parse_args()
    if options.page:
        options.output, options.problems = ROOT / "docs" / "images", names
    options.output.mkdir(parents=True, exist_ok=True)
    results = {}
    for problem in (problem for problem in PROBLEMS if problem.setup in options.problems):
        with tempfile.TemporaryDirectory() as scratch:
            resolutions = problem.resolutions[: 2 if options.quick else None]
            rows = [run(Path(scratch), problem, n, options.set) for n in resolutions]
        results[problem.setup] = {"dimension": problem.settings.get("sph.dimension", 3), "what": problem.what,
                                  "error": problem.error, "order": order(rows, problem.error), "runs": rows}
        print(table({problem.setup: results[problem.setup]}).splitlines()[-1], flush=True)
    numbers = ROOT / "bench" / "results" / "sph" if options.page else options.output
    (numbers / "convergence.json").write_text(json.dumps(results, indent=1) + "\n")
    draw(results, options.output / "convergence.png")
    if options.page:
        write_page(table(results))
        draw_examples(options.output, options.set)
    return 0


if __name__ == "__main__":
    sys.exit(main())
