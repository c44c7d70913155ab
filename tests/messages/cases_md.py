"""The mistakes of test_golden.py that belong to the solver md: its keys, its input files, its restarts, its atoms.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

from cases import Case, parameter_file
from cases_dns import restart_case
from program import succeed

GOOD = """\
solver = "md"
[initial]
setup = "lattice"
[lattice]
density = 0.8442
cells = [3]
[md]
dt = 0.005
[time]
end = 0.01
[output]
picture = false
"""
LATTICE = "[lattice]\ndensity = 0.8442\ncells = [3]\n"
FROM_FILE = GOOD.replace('"lattice"', '"file"\nfile = "atoms.xyz"').replace(LATTICE, "")
ATOMS = """\
3
Lattice="5 0 0 0 6 0 0 0 7" pbc="T T T" Properties=species:S:1:pos:R:3:velo:R:3:id:I:1
Ar 0 0 0 1 0 0 4
Ar 1.1 0 0 0 0 0 5
Kr 0 1.2 0 0 0 0 6
"""


def keys(name: str, old: str, new: str) -> Case:
    """A good parameter file with something else in one place."""
    assert old in GOOD
    return Case(name, parameter_file(GOOD.replace(old, new)))


def atoms(name: str, old: str, new: str, content: str = FROM_FILE) -> Case:
    """A good file of atoms with something else in one place."""
    assert old in ATOMS

    def prepare(folder: Path) -> None:
        (folder / "run.toml").write_text(content)
        (folder / "atoms.xyz").write_text(ATOMS.replace(old, new))

    return Case(name, prepare)


METAL = """[units]
length = "1 Angstrom"
mass = "1.602176634e-20 g"
velocity = "1e4 cm/s"
"""
SILICON = (GOOD.replace("density = 0.8442", 'structure = "diamond"\nconstant = 5.432')
           .replace("[initial]\n", METAL + "[initial]\n")
           .replace("dt = 0.005", 'dt = 0.001\nunits = "metal"\npotential = "tersoff"\nelements = "Si"\n'
                    "masses = [28.0855]"))
ENTRY = "Si Si Si 3 1 1.3258 4.8381 2.0417 0 22.956\n 0.33675 1.3258 95.373 3.0 0.2 3.2394 3264.7\n"


def tersoff(name: str, old: str, new: str) -> Case:
    """A good parameter file of Tersoff's potential with something else in one place."""
    assert old in ENTRY

    def prepare(folder: Path) -> None:
        (folder / "run.toml").write_text(SILICON + '[tersoff]\nfile = "Si.tersoff"\n')
        (folder / "Si.tersoff").write_text("# parameters\n" + ENTRY.replace(old, new))

    return Case(name, prepare)


KEYS = [
    keys("md_dt_missing", "dt = 0.005\n", ""),
    keys("md_dt_below_dt_min", "[time]\n", "[time]\ndt_min = 0.01\n"),
    keys("md_potential_unknown", "dt = 0.005", 'dt = 0.005\npotential = "lenard_jones"'),
    keys("md_masses_for_two_types", "dt = 0.005", "dt = 0.005\nmasses = [1, 2]"),
    keys("md_elements_none", "dt = 0.005", 'dt = 0.005\nelements = " "'),
    keys("md_elements_of_zincblende", "[md]\n", 'structure = "zincblende"\n[md]\nelements = "Si"\n'),
    keys("md_lattice_without_a_size", "density = 0.8442\n", ""),
    keys("md_lattice_of_two_sizes", "density = 0.8442\n", "density = 0.8442\nconstant = 1.6\n"),
    keys("md_lattice_cells_missing", "cells = [3]\n", ""),
    keys("md_lattice_cells_of_two_axes", "cells = [3]\n", "cells = [3, 4]\n"),
    keys("md_lattice_cells_not_whole", "cells = [3]\n", "cells = [3.5]\n"),
    keys("md_tail_of_a_shifted_potential", "[time]", '[lennard_jones]\ntruncation = "shifted"\ntail = true\n[time]'),
    keys("md_cutoff_beyond_reach", "[time]", "[lennard_jones]\ncutoff = 100\n[time]"),
    keys("md_metal_with_other_units", "dt = 0.005", 'dt = 0.005\nunits = "metal"\n[units]\nlength = "1 nm"'),
    keys("md_tersoff_in_reduced_units", "dt = 0.005", 'dt = 0.005\npotential = "tersoff"'),
    Case("md_tersoff_without_parameters", parameter_file(SILICON)),
    Case("md_tersoff_parameters_twice",
         parameter_file(SILICON + '[tersoff]\nfile = "run.toml"\nparameters = "si_1988"\n')),
    Case("md_tersoff_parameters_of_another_element",
         parameter_file(SILICON.replace('"Si"', '"Ge"') + '[tersoff]\nparameters = "si_1988"\n')),
    Case("ranks_for_md", parameter_file(GOOD), ("check", "run.toml", "--ranks", "4")),
]

FILES = [
    Case("md_file_missing", parameter_file(FROM_FILE)),
    atoms("md_atoms_uncounted", "3\n", "three\n"),
    atoms("md_atoms_too_few", "3\n", "4\n"),
    atoms("md_atoms_without_a_box", 'Lattice="5 0 0 0 6 0 0 0 7" ', ""),
    atoms("md_atoms_in_half_a_box", "0 0 0 7", "0 0 0"),
    atoms("md_atoms_in_a_flat_box", "0 0 0 7", "0 5 6 0"),
    atoms("md_atoms_in_a_box_of_odd_faces", "T T T", "T T maybe"),
    atoms("md_atoms_in_a_box_tilted_too_far", "0 6 0", "3 6 0"),
    atoms("md_atoms_without_positions", "pos:R:3", "place:R:3"),
    atoms("md_atoms_of_a_damaged_line", "velo:R:3", "velo:R"),
    atoms("md_atom_of_few_columns", "Ar 1.1 0 0", "Ar 1.1 0"),
    atoms("md_atom_nowhere", "Ar 1.1 0 0", "Ar nan 0 0"),
    atoms("md_atom_of_a_word", "Ar 1.1 0 0", "Ar one 0 0"),
    atoms("md_atom_twice", "0 0 0 5", "0 0 0 4"),
    atoms("md_atom_of_an_unknown_element", "3\n", "3\n", FROM_FILE.replace("[md]", '[md]\nelements = "Ar Ne"')),
    atoms("md_atoms_at_one_place", "Ar 1.1 0 0", "Ar 5 0 0"),
]

FROM_DATA = FROM_FILE.replace('"file"', '"lammps"').replace("atoms.xyz", "atoms.data")
DATA = """\
atoms of a test

3 atoms
2 atom types
0 5 xlo xhi
0 6 ylo yhi
0 7 zlo zhi

Masses

1 39.95
2 83.8

Atoms # atomic

4 1 0 0 0
5 1 1.1 0 0
6 2 0 1.2 0

Velocities

4 1 0 0
5 0 1 0
6 0 0 1
"""


def data(name: str, old: str, new: str, content: str = FROM_DATA) -> Case:
    """A good data file of LAMMPS with something else in one place."""
    assert old in DATA

    def prepare(folder: Path) -> None:
        (folder / "run.toml").write_text(content)
        (folder / "atoms.data").write_text(DATA.replace(old, new))

    return Case(name, prepare)


DATA_FILES = [
    data("md_data_without_atoms", "3 atoms", ""),
    data("md_data_without_an_edge", "0 6 ylo yhi", ""),
    data("md_data_of_an_empty_box", "0 6 ylo", "6 6 ylo"),
    data("md_data_of_an_unknown_style", "# atomic", "# full"),
    data("md_data_of_another_style", "Atoms # atomic", "Atoms # charge"),
    data("md_data_with_bonds", "3 atoms", "3 atoms\n2 bonds"),
    data("md_data_of_an_unknown_section", "Velocities", "Speeds"),
    data("md_data_id_twice", "5 1 1.1", "4 1 1.1"),
    data("md_data_atom_missing", "6 2 0 1.2 0\n", ""),
    data("md_data_of_an_unknown_type", "6 2 0", "6 3 0"),
    data("md_data_mass_missing", "2 83.8\n", ""),
    data("md_data_mass_zero", "83.8", "0"),
    data("md_data_velocity_of_nobody", "5 0 1 0", "9 0 1 0"),
    data("md_data_velocity_twice", "5 0 1 0", "4 0 1 0"),
    data("md_data_of_more_types", "0 5", "0 5", FROM_DATA.replace("[md]", '[md]\nelements = "Ar"')),
    data("md_pairs_of_unknown_elements", "0 5", "0 5",
         FROM_DATA.replace("[md]", '[lennard_jones]\npairs = "Ar Kr 1 1 2.5"\n[md]')),
    data("md_boundaries_of_two_axes", "0 5", "0 5",
         FROM_DATA.replace("[md]", '[md]\nboundary = ["open", "periodic"]')),
]

LONGER = GOOD.replace("end = 0.01", "end = 0.02")


def other_potential(folder: Path) -> None:
    """A run that is continued with other numbers in the file of its potential."""
    (folder / "run.toml").write_text(SILICON + '[tersoff]\nfile = "Si.tersoff"\n')
    (folder / "Si.tersoff").write_text(ENTRY)
    succeed("run", "run.toml", "--output", "run", cwd=folder)
    (folder / "Si.tersoff").write_text(ENTRY.replace("3264.7", "3264.8"))


RUNS = [
    Case("md_restart_with_another_potential", other_potential,
         ("run", "run.toml", "--output", "run", "--restart", "--set", "time.end=0.02")),
    restart_case("md_restart_with_more_cells", GOOD, LONGER.replace("[3]", "[4]")),
    restart_case("md_restart_with_another_cutoff", GOOD, LONGER.replace("[md]", "[lennard_jones]\ncutoff = 2.0\n[md]")),
]

TERSOFF = [
    tersoff("tersoff_of_other_elements", "Si Si Si", "C C C"),
    tersoff("tersoff_entry_cut_off", " 3.2394 3264.7", ""),
    tersoff("tersoff_entry_twice", ENTRY, ENTRY + ENTRY),
    tersoff("tersoff_of_a_word", "95.373", "many"),
    tersoff("tersoff_power_of_two", "Si 3 1", "Si 2 1"),
    tersoff("tersoff_negative", "0.33675", "-0.33675"),
    tersoff("tersoff_range_too_wide", "3.0 0.2", "3.0 3.2"),
    tersoff("tersoff_angle_without_width", "2.0417", "0"),
]

STILLINGER_WEBER = SILICON.replace('"tersoff"', '"stillinger_weber"')
SW_ENTRY = "Si Si Si 2.1683 2.0951 1.80 21.0 1.20 -0.333\n 7.049556277 0.6022245584 4 0 0\n"
CARBIDE = (STILLINGER_WEBER.replace('"diamond"', '"zincblende"').replace('"Si"', '"Si C"')
           .replace("[28.0855]", "[28.0855, 12.011]"))


def stillinger_weber(name: str, entries: str, content: str = STILLINGER_WEBER) -> Case:
    """A good parameter file with a file of Stillinger and Weber's potential."""
    def prepare(folder: Path) -> None:
        (folder / "run.toml").write_text(content + '[stillinger_weber]\nfile = "Si.sw"\n')
        (folder / "Si.sw").write_text("# parameters\n" + entries)

    return Case(name, prepare)


def all_entries(names: str, tail: str) -> str:
    """An entry for each triple of two elements."""
    triples = [f"{i} {j} {k}" for i in names.split() for j in names.split() for k in names.split()]
    return "".join(f"{triple} {tail}" for triple in triples)


SW_NUMBERS = SW_ENTRY.removeprefix("Si Si Si ")
EAM = (SILICON.replace('"tersoff"', '"eam"').replace('"Si"', '"Cu"').replace('"diamond"', '"fcc"')
       .replace("5.432", "3.615"))
EAM_FILE = '[eam]\nfile = "Cu.eam.alloy"\n'
NUMBERS = " 1 2 3 4 5\n 6 7 8 9 10\n"
SETFL = f"made\nup\nnumbers\n1 Cu\n10 0.1 10 0.5 4.5\n29 63.546 3.615 fcc\n{NUMBERS * 3}"


def embedded(name: str, old: str, new: str, content: str = EAM + EAM_FILE) -> Case:
    """A good parameter file of embedded atoms with something else in one place of their functions."""
    assert old in SETFL

    def prepare(folder: Path) -> None:
        (folder / "run.toml").write_text(content)
        (folder / "Cu.eam.alloy").write_text(SETFL.replace(old, new))

    return Case(name, prepare)


MANY_BODY = [
    keys("md_morse_without_pairs", "dt = 0.005", 'dt = 0.005\npotential = "morse"'),
    keys("md_morse_of_few_numbers", "dt = 0.005", 'dt = 0.005\npotential = "morse"\n[morse]\npairs = "X X 1 1 2.5"'),
    keys("md_buckingham_of_another_pair", "dt = 0.005",
         'dt = 0.005\nelements = "Ar Kr"\npotential = "buckingham"\n[buckingham]\npairs = "Ar Ar 1 0.3 0 2.5"'),
    keys("md_buckingham_of_no_length", "dt = 0.005",
         'dt = 0.005\nelements = "Ar"\npotential = "buckingham"\n[buckingham]\npairs = "Ar Ar 1 0 0 2.5"'),
    keys("md_stillinger_weber_in_reduced_units", "dt = 0.005", 'dt = 0.005\npotential = "stillinger_weber"'),
    Case("md_stillinger_weber_without_parameters", parameter_file(STILLINGER_WEBER)),
    stillinger_weber("sw_entry_cut_off", SW_ENTRY.replace(" 4 0 0", " 4 0")),
    stillinger_weber("sw_of_a_word", SW_ENTRY.replace("1.80", "1.8o")),
    stillinger_weber("sw_pair_without_a_length", SW_ENTRY.replace("2.0951", "0")),
    stillinger_weber("sw_angle_of_no_cosine", SW_ENTRY.replace("-0.333", "-1.333")),
    stillinger_weber("sw_entry_missing", SW_ENTRY, CARBIDE),
    stillinger_weber("sw_pair_of_two_numbers",
                     all_entries("Si C", SW_NUMBERS).replace("C Si Si 2.1683", "C Si Si 2.1693"), CARBIDE),
    Case("md_eam_without_a_file", parameter_file(EAM)),
    embedded("md_eam_of_another_element", "1 Cu", "1 Ni"),
    embedded("md_eam_of_fewer_names", "1 Cu", "2 Cu"),
    embedded("md_eam_cut_off", NUMBERS * 3, NUMBERS * 2 + " 1 2 3 4 5\n"),
    embedded("md_eam_of_a_word", " 1 2 3 4 5\n", " 1 2 three 4 5\n"),
    embedded("md_eam_of_a_longer_table", " 1 2 3 4 5\n", " 1 2 3 4 5 5.5\n"),
    embedded("md_eam_of_few_distances", " 10 0.5", " 4 0.5"),
    embedded("md_eam_without_a_cutoff", " 4.5\n", " -4.5\n"),
    embedded("md_eam_other_files_of_alloy", "1 Cu", "1 Cu", EAM + EAM_FILE + 'other_files = "Ni.eam"\n'),
    embedded("md_eam_other_file_missing", "1 Cu", "1 Cu",
             EAM + EAM_FILE + 'format = "funcfl"\nother_files = "Ni.eam"\n'),
    embedded("md_eam_files_for_two_types", "1 Cu", "1 Cu",
             EAM.replace('"fcc"', '"zincblende"').replace('"Cu"', '"Cu Ni"') + EAM_FILE + 'format = "funcfl"\n'),
]

IONS = GOOD.replace('density = 0.8442', 'structure = "zincblende"\nconstant = 3.0').replace(
    "dt = 0.005", 'dt = 0.005\nelements = "Na Cl"\npotential = "coulomb"')
CHARGES = "[coulomb]\ncharges = [1, -1]\ncutoff = 2.5\n"
TABLE = "LJ\nN 5 R 0.5 2.5\n\n" + "".join(f"{k + 1} {0.5 + 0.5 * k} {-0.1 * k} 0.2\n" for k in range(5))
TABULATED = GOOD.replace("dt = 0.005", 'dt = 0.005\nelements = "Ar"\npotential = "table"')
TABLE_KEYS = '[table]\nfile = "Ar.table"\npairs = "Ar Ar LJ 2.5"\n'


def table(name: str, old: str, new: str, content: str = TABULATED + TABLE_KEYS) -> Case:
    """A good parameter file of a table of pairs with something else in one place of the table."""
    assert old in TABLE

    def prepare(folder: Path) -> None:
        (folder / "run.toml").write_text(content)
        (folder / "Ar.table").write_text(TABLE.replace(old, new))

    return Case(name, prepare)


SEVERAL = [
    table("md_table_ends_before_the_cutoff", "LJ", "LJ", TABULATED + TABLE_KEYS.replace("2.5", "3.0")),
    table("md_table_of_falling_distances", "N 5 R 0.5 2.5\n\n1 0.5", "N 5\n\n1 1.5"),
    table("md_table_of_other_steps", "3 1.5", "3 1.4"),
    table("md_table_cut_off", "5 2.5 -0.4 0.2\n", ""),
    table("md_table_of_a_word", "-0.2 0.2", "many 0.2"),
    table("md_table_without_a_section", "LJ", "JL"),
    table("md_table_as_a_bitmap", "R 0.5", "BITMAP 0.5"),
    table("md_table_of_few_values", "N 5", "N 3"),
    table("md_table_of_another_pair", "LJ", "LJ",
          TABULATED.replace('"Ar"', '"Ar Kr"').replace("density = 0.8442", 'structure = "zincblende"\nconstant = 3.0')
          + TABLE_KEYS),
    Case("md_table_without_a_file", parameter_file(TABULATED)),
    Case("md_coulomb_without_charges", parameter_file(IONS + CHARGES.replace("charges = [1, -1]\n", ""))),
    Case("md_coulomb_of_one_charge", parameter_file(IONS + CHARGES.replace(", -1", ""))),
    Case("md_coulomb_without_a_cutoff", parameter_file(IONS + CHARGES.replace("cutoff = 2.5\n", ""))),
    Case("md_coulomb_beyond_reach", parameter_file(IONS + CHARGES.replace("2.5", "1000"))),
    Case("md_zbl_in_reduced_units", parameter_file(IONS.replace("coulomb", "zbl"))),
    Case("md_zbl_ends_within", parameter_file(SILICON.replace('"tersoff"', '"zbl"') + "[zbl]\natomic_numbers = [14]\n"
                                              "inner = 2.0\ncutoff = 1.5\n")),
    Case("md_overlay_twice", parameter_file(IONS.replace('"coulomb"', '"coulomb"\noverlay = ["zbl", "coulomb"]')
                                            + CHARGES)),
    Case("md_overlay_leaves_a_pair_out",
         parameter_file(IONS.replace('"coulomb"', '"coulomb"\noverlay = ["morse"]')
                        + CHARGES.replace("-1", "0") + '[morse]\npairs = "Na Cl 1 1 1 2"\n')),
    Case("md_tersoff_of_other_elements_alone",
         parameter_file(SILICON + '[tersoff]\nparameters = "si_1988"\nelements = "C"\n')),
]

ANALYSIS = [
    Case("md_analysis_between_steps", parameter_file(GOOD + "[analysis]\npairs_every = 0.012\n")),
    Case("md_analysis_beyond_the_box", parameter_file(GOOD + "[analysis]\npairs_every = 0.01\npair_distance = 4\n")),
    Case("md_motion_of_a_short_step",
         parameter_file(GOOD + "snapshot_every = 0.007\n[analysis]\nmotion_every = 0.005\n")),
    Case("md_averages_of_nothing", parameter_file(GOOD + "average_from = 0.02\n")),
]

CASES_MD = TERSOFF + DATA_FILES + KEYS + FILES + RUNS + MANY_BODY + SEVERAL + ANALYSIS
