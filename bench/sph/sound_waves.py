#!/usr/bin/env python3
# Errors of a sound wave after one period, for both schemes, all kernels, in one to three dimensions.
# SPDX-License-Identifier: Apache-2.0
"""Usage: sound_waves.py [--page] [--output FOLDER]

Prints the tables of errors and writes sound_waves.json into FOLDER. With --page the tables go into
docs/guide/test-problems.md and the numbers into bench/results/sph/sound_waves.json.

It needs the program (TACIT_PROGRAM, or build/bin/tacit) and a Python with numpy and h5py.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

import h5py
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
AMPLITUDE, WAVE_NUMBER, GAMMA = 1e-3, 2 * np.pi, 5 / 3
SCHEMES = ("sphenix", "gadget2")
KERNELS = ("cubic_spline", "quartic_spline", "quintic_spline", "wendland_c2", "wendland_c4", "wendland_c6")

# Cells of the lattice along the wave, and across it. The lattices are those that are stable: points on a line,
# triangles, body-centred cubes. (A simple cubic one is not: in three dimensions it falls into another.)
RESOLUTIONS = {1: (64, 128, 256, 512), 2: (32, 64, 128), 3: (16, 32)}
ACROSS = {1: 1, 2: 8, 3: 8}
WIDTHS = {1: (1.0, 1.0), 2: (np.sqrt(3.0), 1.0), 3: (1.0, 1.0)}  # of a cell across, over its length
MORE_NEIGHBOURS = 1.6  # eta of the last column, at the best resolution

# SWIFT (public snapshot 2026.04, cubic spline, eta = 1.2348, CFL 0.1, one dimension) from the same files.
SWIFT = {"sphenix": (0.0149, 0.0096, 0.0380, 0.9600), "gadget2": (0.0281, 0.0101, 0.0065, 0.0076)}


def lattice(n: int, dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Places, shape (N, 3), and the box; n cells along x."""
    counts = [n] + [ACROSS[dimension] if axis < dimension else 1 for axis in (1, 2)]
    corners = np.stack([index.ravel() for index in np.meshgrid(*map(np.arange, counts), indexing="ij")], axis=1)
    used = np.arange(3) < dimension
    points = [corners + 0.25 * used]
    if dimension > 1:
        points.append(corners + 0.75 * used)
    lengths = np.array([1.0, *WIDTHS[dimension]]) / n
    box = np.where(used, lengths * counts, 1.0)
    return np.concatenate(points) * np.where(used, lengths, 0.0), box


def write_wave(path: Path, n: int, dimension: int) -> None:
    """A wave of length 1 and speed 1 along x, in gas of density 1 and equal masses."""
    place, box = lattice(n, dimension)
    share = place[:, 0].copy()  # of the mass, to the left
    for _ in range(30):
        place[:, 0] = share + AMPLITUDE / WAVE_NUMBER * (np.cos(WAVE_NUMBER * place[:, 0]) - 1)
    wave = AMPLITUDE * np.sin(WAVE_NUMBER * place[:, 0])
    count = len(place)
    with h5py.File(path, "w") as file:
        head = file.create_group("Header").attrs
        head["BoxSize"] = box
        head["Time"], head["Dimension"] = 0.0, dimension
        head["NumPart_ThisFile"] = np.array([count, 0, 0, 0, 0, 0])
        head["NumPart_Total"] = np.array([count, 0, 0, 0, 0, 0], "u4")
        gas = file.create_group("PartType0")
        gas["Coordinates"] = place % box
        gas["Velocities"] = wave[:, None] * np.array([1.0, 0.0, 0.0])
        gas["Masses"] = np.full(count, np.prod(box[:dimension]) / count)
        gas["InternalEnergy"] = (1 + wave) ** (GAMMA - 1) / (GAMMA - 1) / GAMMA
        gas["ParticleIDs"] = np.arange(1, count + 1)


def error(folder: Path, n: int, dimension: int, settings: dict[str, object]) -> float:
    """Mean difference from the velocity of a linear wave after one period, in amplitudes.

    Raises:
        subprocess.CalledProcessError: if the run fails.
    """
    write_wave(folder / "wave.hdf5", n, dimension)
    (folder / "run.toml").write_text(
        f'solver = "sph"\n[initial]\nfile = "wave.hdf5"\n[time]\nend = 1\n[sph]\ndimension = {dimension}\n')
    words = [f"{key}={value}" for key, value in {**settings, "output.picture": "false"}.items()]
    program = os.environ.get("TACIT_PROGRAM", str(ROOT / "build" / "bin" / "tacit"))
    subprocess.run([program, "run", str(folder / "run.toml"), "--output", str(folder / "run"), "--threads", "1",
                    *[part for word in words for part in ("--set", word)]], check=True, stdout=subprocess.DEVNULL)
    last = max((folder / "run").rglob("snapshot*.hdf5"))
    with h5py.File(last) as file:
        x, v = file["PartType0/Coordinates"][:, 0], file["PartType0/Velocities"][:, 0]
    return float(np.mean(np.abs(v - AMPLITUDE * np.sin(WAVE_NUMBER * x)))) / AMPLITUDE


def measure(scheme: str, kernel: str, dimension: int) -> dict[str, object]:
    """The errors of one row."""
    settings = {"sph.scheme": scheme, "sph.kernel": kernel}
    resolutions = RESOLUTIONS[dimension]

    def run(n: int, more: dict[str, object]) -> float:
        with tempfile.TemporaryDirectory() as folder:
            return error(Path(folder), n, dimension, settings | more)
    return {"errors": [run(n, {}) for n in resolutions],
            "more_neighbours": run(resolutions[-1], {"sph.eta": MORE_NEIGHBOURS})}


def number(value: float) -> str:
    """An error in a table; where particles have left the lattice, it means nothing."""
    return f"{value:.4f}" if value < 0.3 else "unstable"


def table(results: dict[str, dict[str, object]], dimension: int) -> str:
    """The rows of one number of dimensions as Markdown."""
    resolutions = RESOLUTIONS[dimension]
    columns = [str(n) for n in resolutions] + [f"{resolutions[-1]}, `eta` = {MORE_NEIGHBOURS}"]
    lines = [f"| {dimension}-D | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for scheme in SCHEMES:
        for kernel in KERNELS:
            row = results[f"{dimension}-D {scheme} {kernel}"]
            numbers = [*row["errors"], row["more_neighbours"]]
            lines.append(f"| {scheme}, {kernel} | {' | '.join(number(value) for value in numbers)} |")
            if dimension == 1 and kernel == "cubic_spline":
                theirs = " | ".join(format(value, ".4f") for value in SWIFT[scheme])
                lines.append(f"| SWIFT: {scheme}, cubic spline | {theirs} | |")
    return "\n".join(lines) + "\n"


def write_page(text: str) -> None:
    """Puts the tables into the page, between their two marks."""
    page = ROOT / "docs" / "guide" / "test-problems.md"
    begin, end = "<!-- table: bench/sph/sound_waves.py -->\n", "<!-- end of the table -->"
    page.write_text(re.sub(f"{begin}.*?{end}", lambda _: f"{begin}{text}{end}", page.read_text(), flags=re.DOTALL))


def main() -> None:
    """Reads the command line and does what it says."""
    parser = argparse.ArgumentParser(description="Errors of a sound wave after one period.")
    parser.add_argument("--page", action="store_true", help="write the tables of docs/guide/test-problems.md")
    parser.add_argument("--output", type=Path, default=Path("output/sound_waves"), metavar="FOLDER")
    options = parser.parse_args()
    results = {}
    for dimension in RESOLUTIONS:
        for scheme in SCHEMES:
            for kernel in KERNELS:
                name = f"{dimension}-D {scheme} {kernel}"
                results[name] = measure(scheme, kernel, dimension)
                print(name, results[name], flush=True)
    text = "\n".join(table(results, dimension) for dimension in RESOLUTIONS)
    folder = ROOT / "bench" / "results" / "sph" if options.page else options.output
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sound_waves.json").write_text(json.dumps(results, indent=1) + "\n")
    if options.page:
        write_page(text)
    print(text)


if __name__ == "__main__":
    main()
