"""Command line of the package: `plot`, `movie`, `report` and `compare`.

SPDX-License-Identifier: Apache-2.0

Results go to stdout, errors as one line to stderr. Exit codes: 0 done, 1 the input cannot be used, 2 wrong usage.
numpy, h5py and matplotlib are imported by the commands only, so that help and usage errors come at once.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tacit import __version__
from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.drawing.request import Request

_SOLUTIONS = ("auto", "sedov", "sod", "noh", "gresho", "square", "nfw_gas", "none")
_KINDS = ("slice", "projection", "profile", "history", "all")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit code."""
    options = _parser().parse_args(arguments)
    # The matrices here are small: threads would wait for each other for longer than they compute.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        return options.command(options)
    except InputError as error:
        print(f"tacit {options.name}: {error}", file=sys.stderr)
    except ImportError as error:
        print(f"tacit {options.name}: Python module '{error.name}' cannot be loaded ({error}); "
              "numpy, h5py and matplotlib are needed", file=sys.stderr)
    except OSError as error:
        print(f"tacit {options.name}: {error.filename or 'output'}: {error.strerror or error}", file=sys.stderr)
    except MemoryError:
        print(f"tacit {options.name}: not enough memory for this file and resolution", file=sys.stderr)
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tacit", description="Pictures and checks of Tacit's results.")
    parser.add_argument("--version", action="version", version=f"tacit {__version__}")
    commands = parser.add_subparsers(dest="name", required=True, metavar="COMMAND")

    plot = commands.add_parser("plot", help="draw snapshots, runs, their traces, or benchmarks",
                               description="Draws snapshots, runs, their execution traces, or results of benchmarks.")
    plot.set_defaults(command=_plot)
    plot.add_argument("paths", nargs="+", type=Path, metavar="PATH",
                      help="a snapshot, or a run's directory: its latest snapshot and its history; directories of "
                           "several runs: the curves of all of them in one picture; trace.json of a run: what its "
                           "workers did in a step; what tacit bench --json printed: figures beside their peers")
    plot.add_argument("--output", type=Path, metavar="FILE",
                      help="picture to write, .png, .pdf or .svg (default: DIRECTORY/picture.png, SNAPSHOT.png, or "
                           "comparison.png in the first of several directories)")
    _add_request(plot)
    plot.add_argument("--window", type=float, nargs=2, metavar=("FROM", "TO"),
                      help="of a trace: between which times it is drawn [ms] (default: a step of median length)")

    movie = commands.add_parser("movie", help="make a film of a run's snapshots",
                                description="Draws a picture of each snapshot of a run, all in the same colours, and "
                                            "writes them as an animated GIF.")
    movie.set_defaults(command=_movie)
    movie.add_argument("run", type=Path, metavar="RUN", help="directory of a run")
    movie.add_argument("--output", type=Path, metavar="FILE.gif", help="default: movie.gif in the directory")
    movie.add_argument("--rate", type=_positive, default=8.0, metavar="N",
                       help="pictures per second (default: %(default)g)")
    movie.add_argument("--frames", type=_frames, default=100, metavar="N",
                       help="most pictures; of more snapshots some are left out (default: %(default)s)")
    _add_request(movie)

    report = commands.add_parser("report", help="write a page about a run",
                                 description="Writes what there is to say of a run that has ended into one HTML file: "
                                             "pictures, what was conserved, where the time went, machine, parameters.")
    report.set_defaults(command=_report)
    report.add_argument("run", type=Path, metavar="RUN", help="directory of a run")
    report.add_argument("--output", type=Path, metavar="FILE.html", help="default: report.html in the directory")

    compare = commands.add_parser("compare", help="measure errors against the exact solution",
                                  description="Measures errors of a snapshot against the exact solution.")
    compare.set_defaults(command=_compare)
    compare.add_argument("path", type=Path, metavar="SNAPSHOT", help="a snapshot, or a run's directory: its latest")
    compare.add_argument("--solution", choices=_SOLUTIONS[:-1], default="auto",
                         help="which problem it is (default: what the file says)")
    compare.add_argument("--region", type=float, nargs=2, metavar=("FROM", "TO"),
                         help="x or radius between which errors are measured "
                              "(default: as wide as the solution holds)")
    compare.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _add_request(plot: argparse.ArgumentParser) -> None:
    """The options that say what a picture shows."""
    plot.add_argument("--kind", choices=_KINDS, default="all", help="what to draw (default: %(default)s)")
    plot.add_argument("--field", metavar="NAME",
                      help="rho, P, u, v, vx, vy, vz, h, m, T or a dataset's name (default: rho, else u); "
                           "of a flow v, vx, vy, vz, omega, omega_x, omega_y, omega_z (default: v and omega)")
    plot.add_argument("--mean-molecular-weight", type=_positive, metavar="MU",
                      help="for T of files that hold no temperatures: T = (gamma - 1) u MU m_p / k_B")
    plot.add_argument("--axis", choices=("x", "y", "z"), default="z",
                      help="normal of the slice, direction of the projection (default: %(default)s)")
    plot.add_argument("--cut", type=float, metavar="VALUE", help="where the slice cuts the axis (default: the middle)")
    plot.add_argument("--resolution", type=_resolution, default=256, metavar="N",
                      help="pixels along the longer side of a map, 16 to 4096 (default: %(default)s)")
    plot.add_argument("--range", type=float, nargs=2, metavar=("LOW", "HIGH"),
                      help="values at the ends of the colours of maps, of the field or else the first one; so that "
                           "pictures of a film agree (default: what the map has)")
    plot.add_argument("--extent", type=float, nargs=4, metavar=("LEFT", "RIGHT", "DOWN", "UP"),
                      help="part of the plane that maps show (default: where something is)")
    plot.add_argument("--solution", choices=_SOLUTIONS, default="auto",
                      help="exact solution to draw beside the particles (default: what the file says it is)")


def _resolution(text: str) -> int:
    try:
        value = int(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from error
    if not 16 <= value <= 4096:
        raise argparse.ArgumentTypeError(f"{value} is not between 16 and 4096")
    return value


def _frames(text: str) -> int:
    if not text.isdecimal() or not 2 <= int(text) <= 10_000:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 2 to 10000")
    return int(text)


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number") from error
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return value


def _rising(pair: Sequence[float] | None, option: str) -> tuple[float, float] | None:
    if pair is None:
        return None
    low, high = pair
    if not float("-inf") < low < high < float("inf"):
        raise InputError(f"{option} {low:g} {high:g}: must be two finite numbers, the first less than the second")
    return low, high


def _extent(sides: Sequence[float] | None) -> tuple[float, float, float, float] | None:
    if sides is None:
        return None
    return (*_rising(sides[:2], "--extent"), *_rising(sides[2:], "--extent"))


def _request(options: argparse.Namespace) -> Request:
    from tacit.drawing.request import Request

    window = getattr(options, "window", None)
    return Request(kind=options.kind, field=options.field, axis="xyz".index(options.axis), cut=options.cut,
                   resolution=options.resolution, solution=options.solution,
                   mean_molecular_weight=options.mean_molecular_weight, window=tuple(window) if window else None,
                   range=_rising(options.range, "--range"), extent=_extent(options.extent))


def _movie(options: argparse.Namespace) -> int:
    from tacit.drawing.movie import make_movie

    print(make_movie(options.run, options.output, _request(options), options.rate, options.frames), flush=True)
    return 0


def _report(options: argparse.Namespace) -> int:
    from tacit.report import write_report

    print(write_report(options.run, options.output), flush=True)
    return 0


def _plot(options: argparse.Namespace) -> int:
    from tacit.drawing.figure import draw
    from tacit.drawing.together import draw_together

    request = _request(options)
    if request.window is not None and not 0.0 <= request.window[0] < request.window[1] < float("inf"):
        raise InputError(f"--window {request.window[0]:g} {request.window[1]:g}: must be two times, the first not "
                         "negative and before the second")
    for path in options.paths:
        if not path.exists():
            raise InputError(f"{path}: no such file or directory")
    folders = [path for path in options.paths if path.is_dir()]
    if 0 < len(folders) < len(options.paths):
        raise InputError(f"{folders[0]} is a directory, and others of the paths are files; give directories of runs, "
                         "whose curves are drawn into one picture, or files, which get a picture each")
    if len(folders) > 1:
        print(draw_together(folders, options.output, request), flush=True)
        return 0
    if options.output is not None and len(options.paths) > 1:
        raise InputError(f"--output names one picture, but {len(options.paths)} files get a picture each")
    for path in options.paths:
        print(draw(path, options.output, request), flush=True)
    return 0


def _compare(options: argparse.Namespace) -> int:
    import json

    from tacit.compare import as_text, compare
    from tacit.runs import snapshot_path
    from tacit.snapshot import read_snapshot

    region = tuple(options.region) if options.region else None
    result = compare(read_snapshot(snapshot_path(options.path)), options.solution, region)
    print(json.dumps(result, indent=2) if options.json else as_text(result))
    return 0
