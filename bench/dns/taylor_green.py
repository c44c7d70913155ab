#!/usr/bin/env python3
# Runs Taylor-Green at Re = 1600 at some resolutions and compares its dissipation with a reference curve.
# SPDX-License-Identifier: Apache-2.0
"""Prints the table of docs/guide/turbulence.md: errors of the dissipation in percent of its largest value.

The curve is a text file with the columns time, energy, -dE/dt, enstrophy, such as the spectral solution on 512^3 points
of the International Workshop on High-Order CFD Methods. Runs that are there already are not made again.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
TIMES = (4.0, 5.0, 7.0, 9.0)
PARAMETERS = """\
solver = "dns"
[dns]
points = {points}
viscosity = 0.000625
scheme = "rk4"
cfl = 1.0
[initial]
setup = "taylor_green"
[time]
end = {end}
[output]
statistics_every = 0.05
picture = false
"""


def run(points: int, end: float, folder: Path, program: str) -> Path:
    """The results of a run, made if they are not there."""
    directory = folder / f"taylor_green_{points}"
    if not (directory / "summary.json").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"taylor_green_{points}.toml"
        file.write_text(PARAMETERS.format(points=points, end=end))
        subprocess.run([program, "run", str(file), "--output", str(directory)], check=True)
    return directory


def errors(directory: Path, curve: np.ndarray) -> tuple[list[float], float, float]:
    """Largest errors up to each of TIMES and their rms to the last, in percent of the peak; the peak of the run."""
    with (directory / "statistics.csv").open() as file:
        rows = [(float(row["time"]), float(row["dissipation"])) for row in csv.DictReader(file)]
    time, dissipation = np.array(rows).T
    off = 100.0 * np.abs(dissipation - np.interp(time, curve[:, 0], curve[:, 2])) / curve[:, 2].max()
    until = time <= TIMES[-1]
    largest = [float(off[time <= end].max()) for end in TIMES]
    return largest, float(np.sqrt(np.mean(off[until] ** 2))), float(dissipation[until].max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("curve", type=Path, help="text file: time, energy, -dE/dt, enstrophy")
    parser.add_argument("--points", type=int, nargs="+", default=[64, 96, 128], help="along each axis")
    parser.add_argument("--output", type=Path, default=ROOT / "output", help="folder of the runs")
    parser.add_argument("--program", default=str(ROOT / "tacit"), help="tacit or its launcher")
    options = parser.parse_args()
    curve = np.loadtxt(options.curve)
    print("| points |" + "".join(f" to t = {end:g} |" for end in TIMES) + " peak | rms |")
    print("|---" * (len(TIMES) + 3) + "|")
    for points in options.points:
        largest, rms, peak = errors(run(points, TIMES[-1], options.output, options.program), curve)
        print(f"| {points}^3 |" + "".join(f" {value:.2g} |" for value in largest) + f" {peak:.5f} | {rms:.2g} |")


if __name__ == "__main__":
    main()
