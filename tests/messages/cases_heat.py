"""The mistakes of test_golden.py that belong to the heat solver: its keys, its input files, its restarts.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
from cases import Case, parameter_file
from cases_dns import restart_case

GOOD = """\
solver = "heat"
[initial]
setup = "eigenmode"
[heat]
cells = [8, 6]
diffusivity = 1.0
[time]
end = 0.01
[output]
picture = false
"""
FROM_FILE = GOOD.replace('"eigenmode"', '"file"\nfile = "field.hdf5"')
LAYERS = GOOD.replace('"eigenmode"', '"two_layers"').replace("diffusivity = 1.0\n", "")


def keys(name: str, more: str, old: str = "[time]") -> Case:
    """A good parameter file with `more` in the table [heat], or in place of `old`."""
    return Case(name, parameter_file(GOOD.replace(old, f"{more}\n[time]" if old == "[time]" else more)))


def field_case(name: str, content: str = FROM_FILE, **arrays: np.ndarray) -> Case:
    """A file of 8 x 6 cells, with some arrays in place of good ones."""

    def prepare(folder: Path) -> None:
        (folder / "run.toml").write_text(content)
        with h5py.File(folder / "field.hdf5", "w") as file:
            for array, values in ({"temperature": np.ones((6, 8))} | arrays).items():
                file[array] = values

    return Case(name, prepare)


def with_number(value: float) -> np.ndarray:
    """Ones, and one other number."""
    values = np.ones((6, 8))
    values[2, 5] = value
    return values


KEYS = [
    keys("heat_cells_missing", "", "cells = [8, 6]\n"),
    keys("heat_cells_of_four_axes", "cells = [8, 6, 4, 2]", "cells = [8, 6]"),
    keys("heat_cells_not_whole", "cells = [8, 6.5]", "cells = [8, 6]"),
    keys("heat_cells_none", "cells = [8, 0]", "cells = [8, 6]"),
    keys("heat_walls_unknown", 'walls = ["open"]'),
    keys("heat_walls_of_three_axes", 'walls = ["fixed", "fixed", "periodic"]'),
    keys("heat_walls_without_temperatures", 'walls = ["fixed"]'),
    keys("heat_temperatures_without_walls", "low = [1, 1, 1]"),
    keys("heat_stages_even", 'scheme = "rkl2"\nstages = 8'),
    keys("heat_stages_of_rk2", "stages = 7"),
    keys("heat_dt_beside_cfl", "dt = 0.001\ncfl = 0.5"),
    keys("heat_dt_below_dt_min", "dt = 0.001\n[time]\ndt_min = 0.002\n", "[time]\n"),
    keys("heat_diffusivity_missing", "", "diffusivity = 1.0\n"),
    keys("heat_waves_for_one_axis", "[eigenmode]\nwaves = 2"),
    keys("heat_waves_not_whole", "[eigenmode]\nwaves = [1, 1.5]"),
    keys("heat_waves_too_many", "[eigenmode]\nwaves = [4, 4]"),
    keys("heat_waves_too_many_between_walls", 'walls = ["periodic", "insulating"]\n[eigenmode]\nwaves = [1, 6]'),
    Case("heat_layers_without_walls", parameter_file(LAYERS)),
    Case("heat_layers_with_a_diffusivity", parameter_file(
        GOOD.replace('"eigenmode"', '"two_layers"')
        .replace("[time]", 'walls = ["fixed", "periodic"]\nlow = [1, 0, 0]\nhigh = [0, 0, 0]\n[time]'))),
    Case("heat_too_many_ranks_check", parameter_file(GOOD), ("check", "run.toml", "--ranks", "50")),
]

FIELDS = [
    Case("heat_field_missing", parameter_file(FROM_FILE)),
    field_case("heat_field_of_another_shape", temperature=np.ones((8, 6))),
    field_case("heat_field_in_space", temperature=np.ones((2, 6, 8))),
    field_case("heat_field_of_far_fewer_cells", FROM_FILE.replace("[8, 6]", "[1048576, 1048576]")),
    field_case("heat_field_nan", temperature=with_number(np.nan)),
    field_case("heat_diffusivity_of_another_shape", FROM_FILE.replace("diffusivity = 1.0\n", ""),
               diffusivity=np.ones(8)),
    field_case("heat_diffusivity_zero", FROM_FILE.replace("diffusivity = 1.0\n", ""), diffusivity=with_number(0.0)),
    field_case("heat_diffusivity_twice", diffusivity=with_number(2.0)),
    field_case("heat_source_nan", source=with_number(np.nan)),
]

BETWEEN_WALLS = GOOD.replace("[time]", 'walls = ["fixed", "periodic"]\nlow = [1, 0, 0]\nhigh = [0, 0, 0]\n[time]')
LONGER = GOOD.replace("end = 0.01", "end = 0.02")
RESTARTS = [
    restart_case("heat_restart_with_other_cells", GOOD, LONGER.replace("[8, 6]", "[8, 8]")),
    restart_case("heat_restart_with_other_walls", GOOD, LONGER.replace("[time]", 'walls = ["insulating"]\n[time]')),
    restart_case("heat_restart_with_another_diffusivity", GOOD,
                 LONGER.replace("diffusivity = 1.0", "diffusivity = 2.0")),
    restart_case("heat_restart_with_another_mode", GOOD,
                 LONGER.replace("[time]", "[eigenmode]\nwaves = [2, 1]\n[time]")),
    restart_case("heat_restart_with_warmer_walls", BETWEEN_WALLS,
                 BETWEEN_WALLS.replace("end = 0.01", "end = 0.02").replace("low = [1", "low = [2")),
]

CASES_HEAT = KEYS + FIELDS + RESTARTS
