"""The mistakes of test_golden.py that belong to the amr solver: its keys, its restarts, ranks, and gas that fails.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from cases import Case, parameter_file
from cases_dns import restart_case

GOOD = """\
solver = "amr"
[initial]
setup = "wave"
[amr]
root = [2, 1]
[time]
end = 0.02
[output]
picture = false
"""
TUBE = GOOD.replace('"wave"', '"sod"')
EXPLOSION = GOOD.replace('"wave"', '"sedov"')
STARS = """\
solver = "amr"
[initial]
setup = "binary"
[gravity]
self = true
[binary]
[rotating_star]
[amr]
gamma = 1.6666666666666667
root = [1, 1, 1]
box = [3.0, 3.0, 3.0]
low = "outflow"
[time]
end = 0.02
[output]
picture = false
"""
PAIR = STARS.replace("[rotating_star]\n", "")
TURNING = STARS.replace('"binary"', '"rotating_star"').replace("[binary]\n", "")
STAR = GOOD.replace('"wave"', '"polytrope"').replace("[2, 1]", "[1, 1, 1]")


def keys(name: str, more: str, old: str = "[time]", content: str = GOOD) -> Case:
    """A good parameter file with `more` in the table [amr], or in place of `old`."""
    return Case(name, parameter_file(content.replace(old, f"{more}\n[time]" if old == "[time]" else more)))


KEYS = [
    keys("amr_root_missing", "", "root = [2, 1]\n"),
    keys("amr_root_of_four_axes", "root = [2, 1, 1, 1]", "root = [2, 1]"),
    keys("amr_root_not_whole", "root = [2, 1.5]", "root = [2, 1]"),
    keys("amr_block_of_twelve", "block = 12"),
    keys("amr_level_too_deep", "level = 17"),
    keys("amr_region_of_three_numbers", "regions = [1, 0.25, 0.75]"),
    keys("amr_region_of_no_finer_level", "level = 1\nregions = [1, 0.25, 0.75, 0.0, 1.0]"),
    keys("amr_region_outside", "regions = [1, 0.25, 1.75, 0.0, 1.0]"),
    keys("amr_region_too_deep", "regions = [20, 0.0, 1.0, 0.0, 1.0]"),
    keys("amr_finest_below_a_region", "regions = [3, 0.0, 1.0, 0.0, 1.0]\nfinest = 2"),
    keys("amr_thresholds_crossed", "finest = 2\nrefine_above = 0.01"),
    keys("amr_jumps_beyond_the_finest", "finest = 3\njumps_finest = 4"),
    keys("amr_jumps_below_the_level", "level = 2\nfinest = 3\njumps_finest = 1"),
    keys("amr_nothing_refines", "level = 1\nfinest = 3\njumps_finest = 1"),
    keys("amr_density_beyond_the_finest", "finest = 3\ndensity_above = 2\ndensity_finest = 5"),
    keys("amr_density_of_a_level_everywhere", "level = 1\nfinest = 3\ndensity_above = 2\ndensity_finest = 1"),
    keys("amr_densities_crossed", "finest = 3\ndensity_above = 2\ndensity_below = 2.5"),
    keys("amr_species_level_beyond_the_finest", "finest = 3\ndensity_above = 2\nspecies = 1\nspecies_finest = [4]"),
    keys("amr_species_levels_of_no_species", "finest = 3\ndensity_above = 2\nspecies_finest = [2, 3]"),
    keys("amr_level_of_no_density", "finest = 3\ndensity_finest = 2"),
    keys("amr_limit_below_the_begin", "level = 3\nfinest = 4\nmost_sub_grids = 100"),
    keys("amr_limit_of_a_fixed_grid", "most_sub_grids = 100"),
    keys("amr_threshold_of_a_fixed_grid", "refine_above = 0.1"),
    keys("amr_limiter_of_parabolas", 'reconstruction = "ppm"\nlimiter = "minmod"'),
    keys("amr_arrays_missing", "level = 1", content=GOOD.replace(
        'setup = "wave"', 'setup = "arrays"\narrays.density = "rho.npy"\narrays.pressure = "P.npy"')),
    keys("amr_explosion_between_cells", "regions = [4, 0, 0.05, 0, 0.05]", content=EXPLOSION),
    keys("amr_pulse_beside_waves", "[wave]\nwaves = [1]\npulse = 0.1"),
    keys("amr_sides_unknown", 'low = "open"'),
    keys("amr_sides_of_three_axes", 'low = ["outflow", "outflow", "outflow"]'),
    keys("amr_sides_that_contradict", 'low = "outflow"\nhigh = ["outflow", "periodic"]'),
    keys("amr_tube_along_a_missing_axis", 'low = "outflow"\n[sod]\naxis = "z"', content=TUBE),
    keys("amr_tube_in_a_periodic_box", "level = 1", content=TUBE),
    keys("amr_tube_with_a_vacuum", 'low = "outflow"\n[sod]\nu_right = 20', content=TUBE),
    keys("amr_wave_across_a_side", 'low = "outflow"'),
    keys("amr_waves_not_whole", "[wave]\nwaves = [1, 0.5]"),
    keys("amr_waves_none", "[wave]\nwaves = [0, 0]"),
    keys("amr_wave_too_high", "[wave]\namplitude = 0.8"),
    keys("amr_gravity_in_a_plane", 'low = "outflow"\n[gravity]\nself = true'),
    keys("amr_gravity_in_a_periodic_box", "root = [2, 1, 1]\n[gravity]\nself = true", "root = [2, 1]"),
    keys("amr_gravity_of_flat_cells",
         'root = [1, 1, 1]\nlow = "outflow"\nbox = [1.0, 1.0, 0.5]\n[gravity]\nself = true', "root = [2, 1]"),
    keys("amr_star_without_gravity", 'low = "outflow"', content=STAR),
    keys("amr_star_beyond_the_box", 'low = "outflow"\n[gravity]\nself = true\n[polytrope]\nradius = 0.5', content=STAR),
    keys("amr_star_that_collapses", 'low = "outflow"\ngamma = 1.3\n[gravity]\nself = true\n[polytrope]\nradius = 0.4',
         content=STAR),
    keys("amr_binary_without_gravity", "self = false", "self = true", PAIR),
    keys("amr_binary_beyond_the_box", "box = [1.5, 1.5, 1.5]", "box = [3.0, 3.0, 3.0]", PAIR),
    keys("amr_binary_that_flows_over", "[binary]\nfilling_1 = 0.9\nfilling_2 = 1.1", "[binary]", PAIR),
    keys("amr_star_that_turns_too_fast", "[rotating_star]\naxis_ratio = 0.5", "[rotating_star]", TURNING),
    keys("amr_frame_without_gravity", 'frame = "rotating"\nframe_rotation = 1.0'),
    keys("amr_frame_that_nothing_turns", 'frame = "rotating"\n[gravity]\nself = true',
         content=STAR.replace("root", 'low = "outflow"\nbox = [3.0, 3.0, 3.0]\nroot')),
    keys("amr_frame_that_follows_one_star", 'frame = "following"', content=TURNING),
    keys("amr_driving_without_an_orbit", "[gravity]\nself = true\n[driving]\nrate = 0.1",
         content=STAR.replace("root", 'low = "outflow"\nbox = [3.0, 3.0, 3.0]\nroot')),
    keys("amr_explosion_too_small", "[sedov]\nradius = 0.01", content=EXPLOSION),
    Case("amr_too_many_ranks_check", parameter_file(GOOD), ("check", "run.toml", "--ranks", "3")),
]
LONGER = GOOD.replace("end = 0.02", "end = 0.04")
RESTARTS = [
    restart_case("amr_restart_with_another_level", GOOD, LONGER.replace("[time]", "level = 1\n[time]")),
    restart_case("amr_restart_with_another_gamma", GOOD, LONGER.replace("[time]", "gamma = 1.6\n[time]")),
]

CASES_AMR = KEYS + RESTARTS
