"""The mistakes of test_golden.py that belong to the qcd solver: its keys, gauge fields that are not good, its restarts.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
from cases import Case, parameter_file
from cases_dns import restart_case
from lattice import ildg_records, write_lime, write_nersc

GOOD = """\
solver = "qcd"
[initial]
setup = "random"
[qcd]
extents = [2, 2, 4, 2]
mass = 0.5
[iteration]
end = 1000
[output]
picture = false
"""
MULTIGRID = 'end = 1000\n[solve]\nmethod = "multigrid"\n[multigrid]\n'
FROM_FILE = GOOD.replace('"random"', '"file"\nfile = "field.nersc"').replace("extents = [2, 2, 4, 2]\n", "")


def keys(name: str, new: str, old: str = "extents = [2, 2, 4, 2]") -> Case:
    """A good parameter file with something else in one place."""
    return Case(name, parameter_file(GOOD.replace(old, new)))


def links() -> np.ndarray:
    """A field of 2 x 2 x 4 x 2 sites with links that are diagonal."""
    phases = np.arange(2 * 4 * 2 * 2 * 4).reshape(2, 4, 2, 2, 4) / 100.0
    diagonal = np.exp(1j * np.stack([phases, -2.0 * phases, phases], axis=-1))
    return diagonal[..., None] * np.eye(3)


def field_case(name: str, spoil: Callable[[Path], None] = lambda path: None, numbers: str = "IEEE64BIG",
               field: np.ndarray | None = None, content: str = FROM_FILE, **header: str) -> Case:
    """A NERSC file, with entries of its header replaced or the file spoilt."""

    def prepare(folder: Path) -> None:
        (folder / "run.toml").write_text(content)
        spoil(write_nersc(folder / "field.nersc", links() if field is None else field, numbers, **header))

    return Case(name, prepare)


def cut(nbytes: int) -> Callable[[Path], None]:
    """Leaves out the end of a file."""

    def spoil(path: Path) -> None:
        path.write_bytes(path.read_bytes()[:-nbytes])

    return spoil


def with_link(value: float) -> np.ndarray:
    """The field with an element of a link changed."""
    field = links()
    field[1, 3, 0, 1, 2, 0, 1] = value
    return field


def flip(path: Path) -> None:
    """Changes the lowest bit of a number in the middle of the links."""
    content = bytearray(path.read_bytes())
    content[-4001] ^= 1
    path.write_bytes(content)


KEYS = [
    keys("qcd_extents_missing", ""),
    keys("qcd_extents_odd", "extents = [2, 3, 4, 2]"),
    keys("qcd_extents_of_three_axes", "extents = [2, 2, 2]"),
    keys("qcd_extents_not_whole", "extents = [2, 2, 2.5, 2]"),
    keys("qcd_mass_missing", "", "mass = 0.5\n"),
    keys("qcd_mass_beside_kappa", "mass = 0.5\nkappa = 0.1", "mass = 0.5"),
    keys("qcd_source_outside", "end = 1000\n[source]\nposition = [0, 0, 4, 0]", "end = 1000"),
    keys("qcd_source_position_of_noise", 'end = 1000\n[source]\nkind = "random"\nposition = [0, 0, 1, 0]',
         "end = 1000"),
    keys("qcd_links_smeared_for_no_source", 'end = 1000\n[smear]\nkind = "ape"\nweight = 0.5\nsteps = 2', "end = 1000"),
    keys("qcd_end_missing", "", "[iteration]\nend = 1000\n"),
    keys("qcd_ranks_of_three_axes", "extents = [2, 2, 4, 2]\nranks = [1, 1, 2]"),
    keys("qcd_ranks_not_whole", "extents = [2, 2, 4, 2]\nranks = [1, 1, 1.5, 1]"),
    keys("qcd_ranks_that_there_are_not", "extents = [2, 2, 4, 2]\nranks = [1, 1, 2, 1]"),
    keys("qcd_multigrid_block_that_does_not_divide", MULTIGRID + "block = [2, 2, 8, 2]", "end = 1000"),
    keys("qcd_multigrid_block_odd", MULTIGRID + "block = [2, 2, 3, 2]", "end = 1000"),
    keys("qcd_multigrid_of_odd_sites", MULTIGRID.replace('"multigrid"', '"multigrid"\neven_odd = true'), "end = 1000"),
    keys("qcd_multigrid_in_double", MULTIGRID.replace('"multigrid"', '"multigrid"\nprecision = "double"'),
         "end = 1000"),
    keys("qcd_more_sources_at_once_than_there_are",
         'end = 1000\n[solve]\nmethod = "multigrid"\nat_once = 2\n[source]\nkind = "random"', "end = 1000"),
    keys("qcd_multigrid_keys_of_another_method", "end = 1000\n[multigrid]\nvectors = 4", "end = 1000"),
    Case("qcd_multigrid_block_across_ranks",
         parameter_file(GOOD.replace("[2, 2, 4, 2]", "[2, 2, 8, 2]").replace("end = 1000", MULTIGRID)),
         ("check", "run.toml", "--ranks", "4")),
    keys("qcd_multigrid_coarse_block_that_does_not_divide",
         MULTIGRID + "levels = 3\ncoarse_block = [1, 1, 4, 1]", "end = 1000"),
    keys("qcd_multigrid_level_no_coarser", MULTIGRID + "levels = 4", "end = 1000"),
    Case("qcd_multigrid_coarse_block_across_ranks",
         parameter_file(GOOD.replace("[2, 2, 4, 2]", "[2, 2, 12, 2]")
                        .replace("end = 1000", MULTIGRID + "levels = 3\ncoarse_block = [1, 1, 3, 1]")),
         ("check", "run.toml", "--ranks", "3")),
    Case("ranks_for_qcd", parameter_file(GOOD), ("check", "run.toml", "--ranks", "4")),
]

FIELDS = [
    Case("qcd_field_missing", parameter_file(FROM_FILE)),
    field_case("qcd_field_of_other_extents", content=FROM_FILE.replace("mass", "extents = [2, 2, 2, 2]\nmass")),
    field_case("qcd_field_is_something_else", lambda path: path.write_bytes(b"HEADER = BEGIN\n")),
    field_case("qcd_field_without_end_of_header", cut(2 * 4 * 2 * 2 * 4 * 144 + 5)),
    field_case("qcd_field_cut_off", cut(1)),
    field_case("qcd_field_longer_than_it_should_be", lambda path: path.write_bytes(path.read_bytes() + b"\n")),
    field_case("qcd_field_with_another_checksum", CHECKSUM="1234abcd"),
    field_case("qcd_field_with_a_bit_flipped", flip),
    field_case("qcd_field_with_a_wrong_checksum_key", CHECKSUM="sum"),
    field_case("qcd_field_in_the_other_byte_order", FLOATING_POINT="IEEE64LITTLE"),
    field_case("qcd_field_of_unknown_numbers", FLOATING_POINT="IEEE128BIG"),
    field_case("qcd_field_of_another_group", DATATYPE="4D_SU2_GAUGE"),
    field_case("qcd_field_of_odd_extents", DIMENSION_3="3"),
    field_case("qcd_field_of_huge_extents", DIMENSION_1="4294967296"),
    field_case("qcd_field_with_another_plaquette", PLAQUETTE="0.5"),
    field_case("qcd_field_with_another_link_trace", LINK_TRACE="0.5"),
    field_case("qcd_field_with_a_link_trace_in_words", LINK_TRACE="one"),
    field_case("qcd_field_not_unitary", field=with_link(0.01)),
    field_case("qcd_field_not_unitary_in_single_precision", numbers="IEEE32BIG", field=with_link(0.01)),
    field_case("qcd_field_nan", field=with_link(np.nan), LINK_TRACE="0.5", PLAQUETTE="0.5"),
]


def ildg_case(name: str, old: bytes, new: bytes, field: np.ndarray | None = None) -> Case:
    """An ILDG file with something else in one of its records."""

    def prepare(folder: Path) -> None:
        (folder / "run.toml").write_text(FROM_FILE)
        records = ildg_records(links() if field is None else field)
        write_lime(folder / "field.nersc", [(kind, re.sub(old, new, data) if old else data) for kind, data in records])

    return Case(name, prepare)


def spoil_second_record(path: Path) -> None:
    """Another number where a record begins."""
    records = ildg_records(links())
    write_lime(path, records)
    content = bytearray(path.read_bytes())
    content[144 + (len(records[0][1]) + 7) // 8 * 8] ^= 1
    path.write_bytes(content)


FIELDS += [
    ildg_case("qcd_ildg_of_another_group", b"su3gauge", b"su2gauge"),
    ildg_case("qcd_ildg_of_half_precision", b"<precision>64", b"<precision>16"),
    ildg_case("qcd_ildg_of_other_extents", b"<lz>4", b"<lz>6"),
    ildg_case("qcd_ildg_of_odd_extents", b"<lz>4", b"<lz>5"),
    ildg_case("qcd_ildg_without_extents", b"<lz>4</lz>", b""),
    ildg_case("qcd_ildg_with_another_checksum", rb"<sumb>[0-9a-f]+", b"<sumb>1"),
    ildg_case("qcd_ildg_with_a_checksum_in_words", b"<suma>", b"<suma>sum"),
    ildg_case("qcd_ildg_with_another_plaquette", b"<plaq>0.7", b"<plaq>0.6"),
    ildg_case("qcd_ildg_not_unitary", b"", b"", with_link(0.01)),
    field_case("qcd_ildg_with_a_record_that_is_none", spoil_second_record),
]


def source_case(name: str, array: str, values: np.ndarray) -> Case:
    """A source of a file."""

    def prepare(folder: Path) -> None:
        (folder / "run.toml").write_text(GOOD + '[source]\nkind = "file"\nfile = "source.hdf5"\n')
        with h5py.File(folder / "source.hdf5", "w") as file:
            file[array] = values

    return Case(name, prepare)


RIGHT_HAND_SIDES = [
    source_case("qcd_source_of_another_name", "b", np.ones((2, 4, 2, 2, 4, 3, 2))),
    source_case("qcd_source_of_another_shape", "source", np.ones((2, 2, 4, 2, 4, 3, 2))),
    source_case("qcd_source_nan", "source", np.where(np.arange(768).reshape(2, 4, 2, 2, 4, 3, 2) == 500, np.nan, 1.0)),
]

SHORT = GOOD.replace("end = 1000", "end = 1000\nmax_steps = 5")
RESTARTS = [
    restart_case("qcd_restart_with_another_mass", SHORT, GOOD.replace("mass = 0.5", "mass = 0.4")),
    restart_case("qcd_restart_with_other_extents", SHORT, GOOD.replace("4, 2]", "2, 2]")),
    restart_case("qcd_restart_with_another_seed", SHORT, GOOD + "[random]\nseed = 2\n"),
]

CHAIN = """\
solver = "gauge"
[initial]
setup = "hot"
[gauge]
extents = [2, 2, 4, 2]
beta = 6.0
[sweep]
end = 10
[output]
picture = false
"""


def chain(name: str, new: str, old: str = "extents = [2, 2, 4, 2]") -> Case:
    """A good parameter file of the gauge solver with something else in one place."""
    return Case(name, parameter_file(CHAIN.replace(old, new)))


CHAINS = [
    chain("gauge_beta_missing", "", "beta = 6.0\n"),
    chain("gauge_extents_missing", ""),
    chain("gauge_ranks_that_there_are_not", "extents = [2, 2, 4, 2]\nranks = [1, 1, 2, 1]"),
    chain("gauge_loops_longer_than_the_lattice", "end = 10\n[measure]\nwilson_loops = [3, 2]", "end = 10"),
    chain("gauge_interval_of_files_that_are_not_written", "beta = 6.0\nwrite_every = 5", "beta = 6.0"),
    chain("gauge_smearing_of_more_than_all",
          'end = 10\n[measure]\nwilson_loops = [2, 2]\n[smear]\nkind = "ape"\nweight = 1.5\nsteps = 2', "end = 10"),
    restart_case("gauge_restart_with_another_beta", CHAIN.replace("end = 10", "end = 10\nmax_steps = 2"),
                 CHAIN.replace("6.0", "5.7")),
]

CASES_QCD = CHAINS + KEYS + FIELDS + RIGHT_HAND_SIDES + RESTARTS
