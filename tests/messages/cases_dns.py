"""The mistakes of test_golden.py that belong to the dns solver: its keys, its input files, its restarts.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
from cases import Case, parameter_file
from program import succeed

GOOD = """\
solver = "dns"
[initial]
setup = "taylor_green"
[dns]
points = 8
viscosity = 0.01
[time]
end = 0.1
[output]
picture = false
"""

FROM_FILE = GOOD.replace('"taylor_green"', '"file"\nfile = "field.hdf5"')
RANDOM = GOOD.replace('"taylor_green"', '"isotropic"')
FROM_SPECTRUM = RANDOM + '[isotropic]\nspectrum = "file"\nspectrum_file = "e.txt"\n'
PAO = RANDOM + '[isotropic]\nspectrum = "von_karman_pao"\n'


def parameters(name: str, content: str) -> Case:
    """A mistake in the parameter file."""
    return Case(name, parameter_file(content))


def field_case(name: str, change: Callable[[h5py.File], None]) -> Case:
    """A good velocity of 8^3 points, changed."""

    def prepare(folder: Path) -> None:
        (folder / "run.toml").write_text(FROM_FILE)
        y = np.arange(8)[None, :, None] * (2 * np.pi / 8) * np.ones((8, 8, 8))
        with h5py.File(folder / "field.hdf5", "w") as file:
            file["u"] = np.sin(y)
            file["v"] = np.zeros((8, 8, 8))
            file["w"] = np.zeros((8, 8, 8))
            change(file)

    return Case(name, prepare)


def replace(array: str, values: np.ndarray) -> Callable[[h5py.File], None]:
    """Puts another array into the place of one."""

    def change(file: h5py.File) -> None:
        del file[array]
        file[array] = values

    return change


def not_finite(file: h5py.File) -> None:
    """One number in the midst."""
    file["v"][1, 2, 3] = np.nan


def in_another_box(file: h5py.File) -> None:
    """As a snapshot says it."""
    file.create_group("Header").attrs["BoxSize"] = [1.0, 1.0, 1.0]


def field_bytes(name: str, content: bytes | None, exit_code: int = 2) -> Case:
    """A field of these bytes; None: a folder of that name."""

    def prepare(folder: Path) -> None:
        (folder / "run.toml").write_text(FROM_FILE)
        if content is None:
            (folder / "field.hdf5").mkdir()
        else:
            (folder / "field.hdf5").write_bytes(content)

    return Case(name, prepare, exit_code=exit_code)


def spectrum_case(name: str, content: str) -> Case:
    """A table of a spectrum."""

    def prepare(folder: Path) -> None:
        (folder / "run.toml").write_text(FROM_SPECTRUM)
        (folder / "e.txt").write_text(content)

    return Case(name, prepare)


def restart_case(name: str, before: str, after: str, exit_code: int = 2) -> Case:
    """A run that is continued with another parameter file."""

    def prepare(folder: Path) -> None:
        (folder / "run.toml").write_text(before)
        succeed("run", "run.toml", "--output", "run", cwd=folder)
        (folder / "run.toml").write_text(after)

    return Case(name, prepare, ("run", "run.toml", "--output", "run", "--restart"), exit_code)


LONGER = GOOD.replace("end = 0.1", "end = 0.2")
SPH = """\
solver = "sph"
[initial]
setup = "sedov"
[sedov]
resolution = 4
[time]
end = 0.001
[output]
picture = false
"""

KEYS = [
    parameters("dns_points_missing", GOOD.replace("points = 8\n", "")),
    parameters("dns_setup_of_sph", GOOD.replace('"taylor_green"', '"sedov"')),
    parameters("dns_dt_beside_cfl", GOOD.replace("points = 8", "points = 8\ndt = 0.1\ncfl = 0.5")),
    parameters("dns_dt_below_dt_min", GOOD.replace("points = 8", "points = 8\ndt = 0.01")
               .replace("end = 0.1", "end = 0.1\ndt_min = 0.02")),
    Case("dns_rows_of_three_check", parameter_file(GOOD.replace("points = 8", "points = 8\nprocess_grid = 3")),
         ("check", "run.toml", "--ranks", "4")),
    Case("dns_ranks_of_no_grid_check", parameter_file(GOOD), ("check", "run.toml", "--ranks", "1009")),
    parameters("dns_box_of_two", GOOD.replace("points = 8", "points = 8\nbox = [1, 1]")),
    parameters("dns_box_negative", GOOD.replace("points = 8", "points = 8\nbox = [1, -1, 1]")),
    parameters("dns_viscosity_is_a_velocity", GOOD.replace("viscosity = 0.01", 'viscosity = "1 m/s"')),
    parameters("dns_file_not_named", GOOD.replace('"taylor_green"', '"file"')),
    parameters("dns_file_beside_a_setup", GOOD.replace('"taylor_green"', '"taylor_green"\nfile = "field.hdf5"')),
    parameters("dns_k_eta_missing", PAO),
    parameters("dns_k_eta_of_another_form", GOOD + "[isotropic]\nk_eta = 10.0\n"),
    parameters("dns_spectrum_file_missing", FROM_SPECTRUM),
    parameters("dns_slice_outside", GOOD + "[dns.statistics]\nslice_z = 7.0\n"),
    parameters("dns_particles_negative", GOOD + "[dns.particles]\ncount = -5\n"),
]

FIELDS = [
    Case("dns_field_missing", parameter_file(FROM_FILE)),
    Case("dns_field_missing_check", parameter_file(FROM_FILE), ("check", "run.toml")),
    field_bytes("dns_field_is_a_folder", None),
    field_bytes("dns_field_is_text", b"0 0 0\n"),
    field_case("dns_field_without_v", lambda file: file.__delitem__("v")),
    field_case("dns_field_of_something_else", lambda file: [file.__delitem__(name) for name in ("u", "v", "w")]),
    field_case("dns_field_of_other_shapes", replace("w", np.zeros((8, 8, 4)))),
    field_case("dns_field_in_a_plane", replace("u", np.zeros((8, 8)))),
    field_case("dns_field_of_texts", replace("u", np.full((8, 8, 8), b"here"))),
    field_case("dns_field_nan", not_finite),
    field_case("dns_field_in_another_box", in_another_box),
    spectrum_case("dns_spectrum_of_one_column", "1 0.1\n2\n"),
    spectrum_case("dns_spectrum_falls_back", "1 0.1\n2 0.2\n1.5 0.1\n"),
    spectrum_case("dns_spectrum_negative", "1 0.1\n2 -0.2\n"),
    spectrum_case("dns_spectrum_empty", "# k E\n"),
]

RESTARTS = [
    restart_case("dns_restart_with_more_points", GOOD, LONGER.replace("points = 8", "points = 12")),
    restart_case("dns_restart_with_tracers", GOOD, LONGER + "[dns.particles]\ncount = 5\n"),
    restart_case("dns_restart_in_another_box", GOOD, LONGER.replace("points = 8", "points = 8\nbox = [1, 1, 1]")),
    restart_case("dns_restart_of_sph", SPH, LONGER),
]

CASES_DNS = KEYS + FIELDS + RESTARTS
