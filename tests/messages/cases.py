"""The mistakes of test_golden.py: what is on disk, what is typed, how the program ends.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import h5py
import numpy as np
from gadget import blob

BAD_INPUT = 2
MACHINE = 4

GOOD = """\
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

FROM_FILE = """\
solver = "sph"
[initial]
file = "ics.hdf5"
[time]
end = 0.001
[output]
picture = false
"""

# The example of the design: line 14, column 14.
CUBIK = """\
# A point explosion.
solver = "sph"

[initial]
setup = "sedov"

[time]
end = 0.05

[run]
name = "blast"

[sph]
kernel     = "cubik_spline"
"""


@dataclass
class Case:
    """One mistake."""

    name: str
    prepare: Callable[[Path], None]
    arguments: tuple[str, ...] = ("run", "run.toml")
    exit_code: int = BAD_INPUT
    environment: dict[str, str] = field(default_factory=dict)


def nothing(folder: Path) -> None:
    """Leaves the folder empty."""


def parameter_file(content: str | bytes) -> Callable[[Path], None]:
    """Writes run.toml with this content."""
    return lambda folder: _write(folder / "run.toml", content)


def _write(path: Path, content: str | bytes) -> None:
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def typed(name: str, *arguments: str, exit_code: int = BAD_INPUT, **environment: str) -> Case:
    """A mistake on the command line or around it, beside a good parameter file."""
    return Case(name, parameter_file(GOOD), arguments, exit_code, environment)


def file_case(name: str, content: str | bytes, exit_code: int = BAD_INPUT) -> Case:
    """A mistake in the parameter file."""
    return Case(name, parameter_file(content), exit_code=exit_code)


def input_case(name: str, change: Callable[[h5py.File], None], parameters: str = FROM_FILE) -> Case:
    """A good input file of 4^3 particles, changed."""

    def prepare(folder: Path) -> None:
        _write(folder / "run.toml", parameters)
        with h5py.File(blob(4).write(folder / "ics.hdf5"), "r+") as file:
            change(file)

    return Case(name, prepare)


def input_bytes(name: str, content: bytes | None) -> Case:
    """An input file of these bytes; None: a folder of that name."""

    def prepare(folder: Path) -> None:
        _write(folder / "run.toml", FROM_FILE)
        if content is None:
            (folder / "ics.hdf5").mkdir()
        else:
            _write(folder / "ics.hdf5", content)

    return Case(name, prepare)


def truncated(folder: Path) -> None:
    """A good input file of which half is lost."""
    _write(folder / "run.toml", FROM_FILE)
    content = blob(4).write(folder / "ics.hdf5").read_bytes()
    _write(folder / "ics.hdf5", content[: len(content) // 2])


def set_value(array: str, index: int, value: float) -> Callable[[h5py.File], None]:
    """Puts a value into one particle."""

    def change(file: h5py.File) -> None:
        file["PartType0"][array][index] = value

    return change


def replace(array: str, values: np.ndarray | None) -> Callable[[h5py.File], None]:
    """Puts another array into the place of one, or removes it."""

    def change(file: h5py.File) -> None:
        del file["PartType0"][array]
        if values is not None:
            file["PartType0"][array] = values

    return change


def huge(file: h5py.File) -> None:
    """Claims 2^40 particles in the header and in an array of which nothing is stored."""
    for name in ("NumPart_ThisFile", "NumPart_Total"):
        file["Header"].attrs[name] = np.array([2**40, 0, 0, 0, 0, 0], dtype=np.uint64)
    del file["PartType0/Coordinates"]
    file["PartType0"].create_dataset("Coordinates", shape=(2**40, 3), dtype="f4", chunks=(1024, 3))


def claims(count: int) -> Callable[[h5py.File], None]:
    """Lets the header claim another number of particles."""

    def change(file: h5py.File) -> None:
        for name in ("NumPart_ThisFile", "NumPart_Total"):
            file["Header"].attrs[name] = np.array([count, 0, 0, 0, 0, 0], dtype=np.uint32)

    return change


def only_dark_matter(file: h5py.File) -> None:
    """Makes all particles dark matter."""
    file.move("PartType0", "PartType1")
    for name in ("NumPart_ThisFile", "NumPart_Total"):
        file["Header"].attrs[name] = np.array([0, 64, 0, 0, 0, 0], dtype=np.uint32)


def attribute(name: str, value: object) -> Callable[[h5py.File], None]:
    """Sets an attribute of the header."""

    def change(file: h5py.File) -> None:
        file["Header"].attrs[name] = value

    return change


def dangling_output(folder: Path) -> None:
    """A good parameter file, and a link to a disk that is not there."""
    _write(folder / "run.toml", GOOD)
    (folder / "link").symlink_to("no/such/disk")


def dangling_input(folder: Path) -> None:
    """An input file that is a link to nothing."""
    _write(folder / "run.toml", FROM_FILE)
    (folder / "ics.hdf5").symlink_to("no/such/disk/ics.hdf5")


def dangling_array(file: h5py.File) -> None:
    """A link in the place of an array."""
    del file["PartType0/Velocities"]
    file["PartType0/Velocities"] = h5py.SoftLink("/PartType0/Velocity")


PARAMETER_FILES = [
    file_case("kernel_misspelt", CUBIK),
    Case("parameter_file_missing", nothing, exit_code=MACHINE),
    Case("parameter_file_is_a_folder", lambda folder: (folder / "run.toml").mkdir(), exit_code=MACHINE),
    file_case("parameter_file_empty", ""),
    file_case("parameter_file_binary", bytes(range(256))),
    file_case("parameter_file_random_letters", b"\xff\xfe\x80 tacit"),
    file_case("parameter_file_is_hdf5", b"\x89HDF\r\n\x1a\n" + bytes(64)),
    file_case("parameter_file_of_2_mb", GOOD + "# padding\n" * 200_000),
    file_case("bracket_not_closed", GOOD.replace("[time]", "[time")),
    file_case("quote_not_closed", GOOD.replace('"sedov"', '"sedov')),
    file_case("key_twice", GOOD + "picture = true\n"),
    file_case("solver_missing", GOOD.replace('solver = "sph"\n', "")),
    file_case("solver_unknown", GOOD.replace('"sph"', '"hps"')),
    file_case("time_end_missing", GOOD.replace("end = 0.001\n", "")),
    file_case("time_end_before_begin", GOOD.replace("end = 0.001", "begin = 1.0\nend = 0.5")),
    file_case("dt_min_above_dt_max", GOOD.replace("end = 0.001", "dt_min = 0.1\ndt_max = 0.01\nend = 1.0")),
    file_case("too_many_snapshots", GOOD.replace("picture", "snapshot_every = 1e-12\npicture")),
    file_case("no_initial_conditions", GOOD.replace('setup = "sedov"\n', "")),
    file_case("two_initial_conditions", GOOD.replace("setup", 'file = "ics.hdf5"\nsetup')),
    file_case("h_factors_of_a_setup", GOOD.replace("setup", "h_factors = true\nsetup")),
    file_case("hubble_parameter_alone", GOOD.replace("setup", "hubble_parameter = 0.7\nsetup")),
    file_case("sod_resolution_no_multiple_of_4", GOOD.replace('"sedov"', '"sod"') + "[sod]\nresolution = 10\n"),
    file_case("table_misspelt", GOOD.replace("[sedov]", "[sedof]")),
    file_case("table_is_a_number", "sph = 3\n" + GOOD),
    file_case("quantity_of_another_dimension", GOOD.replace("end = 0.001", 'end = "3 kpc"')),
    file_case("quantity_without_unit", GOOD.replace("end = 0.001", 'end = "3"')),
    file_case("quantity_of_unknown_unit", GOOD.replace("end = 0.001", 'end = "3 seks"')),
    file_case("several_mistakes", GOOD.replace("resolution = 4", "resolution = 1\nenergie = 2\ndensity = -1")),
]

COMMAND_LINE = [
    typed("no_command"),
    typed("command_unknown", "rum", "run.toml"),
    typed("bench_of_the_program", "bench", "tasks", "--json"),
    typed("option_unknown", "run", "run.toml", "--treads", "2"),
    typed("file_not_given", "run"),
    typed("word_too_many", "run", "run.toml", "other.toml"),
    typed("threads_not_a_number", "run", "run.toml", "--threads", "many"),
    typed("threads_too_many", "run", "run.toml", "--threads", "4096"),
    typed("name_of_another_folder", "run", "run.toml", "--set", "run.name=../other"),
    typed("ranks_negative", "check", "run.toml", "--ranks", "-1"),
    typed("set_without_value", "run", "run.toml", "--set", "sph.eta"),
    typed("set_empty", "run", "run.toml", "--set", "sph.eta="),
    typed("set_unknown_key", "run", "run.toml", "--set", "sph.etta=1.2"),
    typed("set_wrong_type", "run", "run.toml", "--set", "sedov.resolution=high"),
    typed("set_out_of_range", "run", "run.toml", "--set", "sph.gamma=1"),
    typed("set_wrong_choice", "run", "run.toml", "--set", "sph.kernel=cubik_spline"),
    typed("set_wrong_unit", "run", "run.toml", "--set", "time.end=1 kpc"),
    typed("solver_of_keys_unknown", "keys", "shp"),
    typed("section_in_place_of_solver", "keys", "time"),
    typed("section_of_keys_unknown", "keys", "sph", "tmie"),
    typed("search_of_keys_finds_nothing", "keys", "sph", "--search", "chemistry"),
    typed("info_of_nothing", "info", "nothing.hdf5", exit_code=MACHINE),
    typed("info_of_a_text", "info", "run.toml"),
    typed("info_of_another_folder", "info", "."),
    typed("verify_of_a_text", "info", "run.toml", "--verify"),
    typed("verify_of_another_folder", "info", ".", "--verify"),
    typed("diff_of_one_file", "diff", "run.toml"),
    typed("diff_with_nothing", "diff", "run.toml", "nothing.hdf5", exit_code=MACHINE),
    typed("diff_of_a_file_and_a_folder", "diff", "run.toml", "."),
    typed("diff_of_other_folders", "diff", ".", "."),
    typed("diff_with_a_text_for_a_tolerance", "diff", "run.toml", "run.toml", "--tolerance", "Masses=small"),
    typed("diff_with_a_negative_tolerance", "diff", "run.toml", "run.toml", "--absolute", "-1"),
    typed("ranks_for_pairs", "check", "run.toml", "--ranks", "4", "--set", "sph.pairs=symmetric"),
    typed("ranks_of_slurm_for_pairs", "check", "run.toml", "--set", "sph.pairs=symmetric", SLURM_STEP_NUM_TASKS="64",
          SLURM_PROCID="0"),
    typed("restart_without_checkpoint", "run", "run.toml", "--restart", exit_code=MACHINE),
    typed("output_below_a_file", "run", "run.toml", "--output", "run.toml/results", exit_code=MACHINE),
    typed("output_is_a_file", "run", "run.toml", "--output", "run.toml", exit_code=MACHINE),
    typed("output_in_proc", "run", "run.toml", "--output", "/proc/results", exit_code=MACHINE),
    typed("output_deep_in_proc", "run", "run.toml", "--output", "/proc/a/b/c", exit_code=MACHINE),
    typed("output_far_below_a_file", "run", "run.toml", "--output", "run.toml/a/b", exit_code=MACHINE),
    Case("output_below_a_dangling_link", dangling_output, ("run", "run.toml", "--output", "link/run"), MACHINE),
]

INPUT_FILES = [
    Case("input_missing", parameter_file(FROM_FILE)),
    Case("input_missing_check", parameter_file(FROM_FILE), ("check", "run.toml")),
    input_bytes("input_is_a_folder", None),
    input_bytes("input_empty", b""),
    input_bytes("input_is_text", b"x y z\n0 0 0\n"),
    Case("input_is_a_dangling_link", dangling_input),
    input_case("input_array_is_a_dangling_link", dangling_array),
    input_case("input_of_complex_numbers", replace("Masses", np.full(64, 0.5, "c8"))),
    input_case("input_of_a_redshift", attribute("Redshift", 1.0)),
    Case("input_truncated", truncated),
    input_case("input_more_in_header", claims(65)),
    input_case("input_fewer_in_header", claims(63)),
    input_case("input_huge", huge),
    input_case("input_without_gas", only_dark_matter),
    input_case("input_without_header", lambda file: file.__delitem__("Header")),
    input_case("input_without_box", lambda file: file["Header"].attrs.__delitem__("BoxSize")),
    input_case("input_box_negative", attribute("BoxSize", -1.0)),
    input_case("input_of_several_files", attribute("NumFilesPerSnapshot", 4)),
    input_case("input_of_entropies", attribute("Flag_Entropy_ICs", 1)),
    input_case("input_position_nan", set_value("Coordinates", 5, np.nan)),
    input_case("input_position_huge", set_value("Coordinates", 5, 1e51)),
    input_case("input_position_outside", set_value("Coordinates", 5, 2.5)),
    input_case("input_velocity_infinite", set_value("Velocities", 6, np.inf)),
    input_case("input_mass_negative", set_value("Masses", 7, -1.0)),
    input_case("input_mass_nan", set_value("Masses", 7, np.nan)),
    input_case("input_energy_nan", set_value("InternalEnergy", 8, np.nan)),
    input_case("input_energy_huge", set_value("InternalEnergy", 8, 1e150)),
    input_case("input_energy_negative", set_value("InternalEnergy", 8, -2.0)),
    input_case("input_smoothing_length_nan", set_value("SmoothingLength", 9, np.nan)),
    input_case("input_smoothing_length_zero", set_value("SmoothingLength", 9, 0.0)),
    input_case("input_id_twice", set_value("ParticleIDs", 10, 3)),
    input_case("input_without_velocities", replace("Velocities", None)),
    input_case("input_without_energies", replace("InternalEnergy", None)),
    input_case("input_positions_in_a_plane", replace("Coordinates", np.full((64, 2), 0.5))),
    input_case("input_positions_are_texts", replace("Coordinates", np.full((64, 3), b"here"))),
    input_case("input_ids_are_fractions", replace("ParticleIDs", np.arange(64) + 0.5)),
]

NO_TIME_LINE = '{"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 2}]}'
REPORT = '{"wall_s": 1.5, "workers": [%s]}'
WORKER = ('{"busy_s": 1, "poll_s": 0, "communication_s": 0, "output_s": 0, "wait_s": 0, "disk_wait_s": 0, '
          '"idle_s": %s}')


def time_line(report: str) -> str:
    """A trace.json with this report and no events."""
    return '{"otherData": {"tacit": ' + report + '}, "traceEvents": [\n]}\n'


def trace_case(name: str, content: str | bytes) -> Case:
    """Something else, or something damaged, in the place of a trace."""
    return Case(name, lambda folder: _write(folder / "trace.json", content), ("trace", "trace.json"))


TIME_LINES = [
    typed("trace_of_nothing", "trace", "nothing", exit_code=MACHINE),
    typed("trace_not_given", "trace"),
    typed("trace_of_another_folder", "trace", "."),
    Case("trace_of_an_unfinished_run", lambda folder: _write(folder / "parameters.toml", GOOD), ("trace", ".")),
    typed("trace_of_a_text", "trace", "run.toml"),
    trace_case("trace_empty", ""),
    trace_case("trace_of_another_program", NO_TIME_LINE),
    trace_case("trace_nested", '{"otherData": {"tacit": ' + "[" * 100_000),
    trace_case("trace_cut_off_in_the_report", time_line(REPORT % (WORKER % 2))[:60]),
    trace_case("trace_cut_off_in_the_events", time_line(REPORT % (WORKER % 2))[:-3]),
    trace_case("trace_with_a_text_for_a_number", time_line(REPORT % (WORKER % '"2"'))),
    trace_case("trace_without_kinds", time_line(REPORT.replace("}", ', "outside": %s}') % ((WORKER % 2,) * 2))),
]

CASES = PARAMETER_FILES + COMMAND_LINE + INPUT_FILES + TIME_LINES
