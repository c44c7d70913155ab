"""Runs from files: snapshots as initial conditions, and the same gas in every dress of the GADGET layout.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
from gadget import GasFile, blob
from program import assert_same_bits, gas, relative_difference, run, snapshot_time, snapshots, succeed, write_parameters

TIGHT = {"sph.h_tolerance": 1e-12, "output.double_precision": True}
"""Smoothing lengths as good as rounding allows, so that results hardly depend on where their iteration began."""

SUM_ROUNDING = 3e-6
"""Sums over 48 neighbours are of floats: 48 roundings of 2^-24 where all fall on one side, and the order of the
neighbours differs from run to run. Densities of the same particles differ by that at most (4e-7 measured), smoothing
lengths, which are iterated until this noise stops them, too (1e-6)."""

AFTER_STEPS = 1e-5
"""A handful of steps amplifies SUM_ROUNDING a few times at most: 2.7e-6 measured, in the velocities."""

DIFFERENCED = {"ViscosityParameters": 10.0}
"""Fields that follow differences of others over a step: the change of div v is a tenth of it or more, and so takes ten
times the rounding. 1.1e-5 measured."""

CGS_OF_KPC = (3.0856775814913673e21, 1.98841e33, 3.0856775814913673e21 / 1e5)
"""Length, mass and time in cgs of a file in kpc, solar masses and km/s."""


def assert_close(a: Path, b: Path, tolerance: float, scale: dict[str, float] | None = None,
                 leave_out: str = "") -> None:
    """All fields of the gas agree to `tolerance` of their largest value; IDs exactly. `scale` multiplies those of b."""
    first, second = gas(a), gas(b)
    for fields in (first, second):
        fields.pop(leave_out, None)
    assert first.keys() == second.keys()
    assert np.array_equal(first.pop("ParticleIDs"), second.pop("ParticleIDs"))
    for name, values in first.items():
        difference = relative_difference(values, second[name] * (scale or {}).get(name, 1.0))
        assert difference <= tolerance * DIFFERENCED.get(name, 1.0), f"{name}: {difference}"


def from_there(folder: Path, file: str, name: str, **values: object) -> Path:
    """Runs what lies in a file, or files, of the folder; returns the last snapshot."""
    settings = TIGHT | {"initial.file": file, "time.end": 0.02, "run.name": "blob"} | values
    return snapshots(run(folder, settings, name=name))[-1]


def from_file(folder: Path, content: GasFile, name: str, **values: object) -> Path:
    """Writes the file, runs it, returns the last snapshot."""
    folder.mkdir(exist_ok=True)
    return from_there(folder, content.write(folder / f"{name}.hdf5").name, name, **values)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The last snapshot of gas from a file in which nothing is special."""
    return from_file(tmp_path_factory.mktemp("plain"), blob(), "plain")


# ---- snapshots ------------------------------------------------------------------------------------------------------

ROUND_TRIP = TIGHT | {"initial.setup": "sedov", "sedov.resolution": 10, "sedov.pressure": 0.01, "time.end": 0.02,
                      "output.snapshot_every": 0.01, "sph.scheme": "gadget2", "sph.time_steps": "common"}
"""With a common step, as densities of idle particles in a snapshot are predictions; with gadget2, as sphenix begins
with new coefficients of viscosity and conduction, as SWIFT does: those in a snapshot are not read."""


@pytest.fixture(scope="module")
def run_whole_and_in_two(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., tuple[list[Path], list[Path]]]:
    """Makes such runs at their first use."""
    return functools.cache(lambda dt, double=True: whole_and_in_two(tmp_path_factory.mktemp("two"), dt, double))


def whole_and_in_two(folder: Path, dt: float, double: bool) -> tuple[list[Path], list[Path]]:
    """Snapshots at t = 0, 0.01 and 0.02 of one run, and at 0.01 and 0.02 of one that begins with the second of them."""
    values = ROUND_TRIP | {"time.dt_max": dt, "output.double_precision": double}
    whole = snapshots(run(folder, values, name="whole"))
    rest = {key: value for key, value in values.items() if not key.startswith(("initial", "sedov"))}
    rest |= {"initial.file": str(whole[1]), "output.double_precision": True}
    second = snapshots(run(folder, rest, name="second"))
    assert [snapshot_time(path) for path in whole] == [0.0, 0.01, 0.02]
    assert [snapshot_time(path) for path in second] == [0.01, 0.02]
    return whole, second


def test_run_continues_from_a_snapshot(run_whole_and_in_two: Callable[..., tuple[list[Path], list[Path]]]) -> None:
    """The state is the snapshot's, but viscosity needs velocities where forces are computed: within a run these are
    predictions, off by O(dt^2) from those at the end of the step, which the snapshot holds. The first half kick, dt/2
    long, carries that difference: O(dt^3), so that half the step gives an eighth of it (8.1 measured)."""
    difference = {}
    for dt in (0.001, 0.0005):
        whole, second = run_whole_and_in_two(dt)
        # Densities are computed again; div v is of the predicted velocities.
        assert_close(whole[1], second[0], SUM_ROUNDING, leave_out="VelocityDivergences")
        difference[dt] = relative_difference(gas(whole[2])["Velocities"], gas(second[1])["Velocities"])
    assert difference[0.001] < 1e-4  # 3e-5 measured
    assert 6.0 < difference[0.001] / difference[0.0005] < 10.0


def test_single_precision_is_enough_to_continue(
        run_whole_and_in_two: Callable[..., tuple[list[Path], list[Path]]]) -> None:
    """Velocities, masses and energies are rounded to 6e-8 each, less than the sums over neighbours are."""
    _, from_double = run_whole_and_in_two(0.001)
    _, from_single = run_whole_and_in_two(0.001, double=False)
    assert_close(from_double[0], from_single[0], SUM_ROUNDING)
    assert_close(from_double[1], from_single[1], AFTER_STEPS)


def test_snapshot_at_the_begin_holds_the_initial_conditions(tmp_path: Path) -> None:
    content = blob()
    first = gas(from_file(tmp_path, content, "ics").with_name("snapshot_0000.hdf5"))
    assert np.array_equal(first["ParticleIDs"], content.ids)
    assert np.array_equal(first["Coordinates"], content.x)
    assert np.array_equal(first["Velocities"], content.v)
    assert np.array_equal(first["Masses"], content.m)
    # By way of the entropy, A = (gamma - 1) u / rho^(gamma - 1): two powers and four roundings.
    assert first["InternalEnergies"] == pytest.approx(content.u, rel=1e-14)
    again = snapshots(tmp_path / "ics")[0]
    second = run(tmp_path, TIGHT | {"initial.file": str(again), "time.end": 0.001, "run.name": "blob"}, name="again")
    for name in ("Coordinates", "Velocities", "Masses"):
        assert np.array_equal(gas(snapshots(second)[0])[name], first[name]), name
    # Smoothing lengths and densities are computed again.
    assert_close(snapshots(second)[0], again, SUM_ROUNDING)


# ---- the GADGET layout ----------------------------------------------------------------------------------------------


def test_single_and_double_files_of_the_same_numbers_agree_bitwise(plain: Path, tmp_path: Path) -> None:
    assert_same_bits(from_file(tmp_path, replace(blob(), dtype=np.float32), "single"), plain)


def test_group_units_in_cgs_changes_nothing(plain: Path, tmp_path: Path) -> None:
    assert_same_bits(plain, from_file(tmp_path, replace(blob(), units=(1.0, 1.0, 1.0)), "with"))


def test_order_of_particles_in_the_file_does_not_matter(plain: Path, tmp_path: Path) -> None:
    content = blob()
    mixed = np.random.default_rng(5).permutation(len(content.x))
    shuffled = replace(content, **{name: getattr(content, name)[mixed] for name in ("x", "v", "m", "u", "ids", "h")})
    assert_same_bits(plain, from_file(tmp_path, shuffled, "shuffled"))


@pytest.mark.parametrize("factor", [None, 0.01, 100.0], ids=["missing", "100 times too small", "100 times too large"])
def test_first_guess_of_smoothing_lengths_does_not_matter(factor: float | None, plain: Path, tmp_path: Path) -> None:
    """Wherever the iteration begins, it ends within the noise of the sums."""
    content = blob()
    other = replace(content, h=None if factor is None else factor * content.h)
    assert_close(plain, from_file(tmp_path, other, "other"), AFTER_STEPS)


def test_code_units_do_not_matter_to_plain_numbers(plain: Path, tmp_path: Path) -> None:
    """Without a group Units the numbers of a file are in code units, so that all code units give the same numbers."""
    galactic = from_file(tmp_path, blob(), "galactic", **{"units.length": "1 kpc", "units.mass": "1e10 Msun",
                                                          "units.velocity": "1 km/s"})
    assert_same_bits(plain, galactic)


def test_units_of_the_file_and_of_the_run_may_differ(plain: Path, tmp_path: Path) -> None:
    """The same gas in kpc, solar masses and km/s, run in cgs: every number is a factor larger, to rounding, which
    differs as the factors are no powers of two."""
    length, mass, time = CGS_OF_KPC
    cgs = from_file(tmp_path, replace(blob(), units=CGS_OF_KPC), "cgs", **{"time.end": f"{0.02 * time!r} s"})
    factors = {"Coordinates": length, "Velocities": length / time, "Masses": mass, "SmoothingLengths": length,
               "InternalEnergies": (length / time) ** 2, "Densities": mass / length**3,
               "Pressures": mass / (length * time**2), "VelocityDivergences": 1.0 / time}
    assert_close(cgs, plain, AFTER_STEPS, factors)
    assert snapshot_time(cgs) == pytest.approx(0.02 * time, rel=1e-14)


def test_coefficients_of_sphenix(tmp_path: Path) -> None:
    """Behind the shock viscosity is on, far from it nearly off; numbers without a unit, within the scheme's bounds."""
    blast = {"initial.setup": "sedov", "sedov.resolution": 12, "time.end": 0.02, "output.snapshot_every": 0.02}
    path = snapshots(run(tmp_path, blast, name="sphenix"))[-1]
    fields = gas(path)
    viscosity, diffusion = fields["ViscosityParameters"], fields["DiffusionParameters"]
    assert 0.0 <= viscosity.min() < 0.1 and 1.0 < viscosity.max() <= 2.0
    assert 0.0 <= diffusion.min() < 0.1 and 0.0 < diffusion.max() <= 1.0  # shocks suppress it
    with h5py.File(path) as file:
        for name in ("ViscosityParameters", "DiffusionParameters"):
            attributes = file["PartType0"][name].attrs
            assert [attributes[f"{unit} exponent"][0] for unit in ("U_L", "U_M", "U_t", "U_I", "U_T")] == [0.0] * 5
            assert attributes.keys() == file["PartType0/Densities"].attrs.keys()
        scheme = file["HydroScheme"].attrs
        assert (scheme["Alpha viscosity (max)"][0], scheme["Diffusion alpha (max)"][0]) == (2.0, 1.0)
        assert scheme["Equation of state"] == b"Ideal gas"
    # The same numbers in initial conditions change nothing.
    rest = {"initial.file": str(path), "time.end": 0.021}
    with_them = snapshots(run(tmp_path, rest | {"run.name": "rest"}, name="with"))[-1]
    with h5py.File(path, "r+") as file:
        del file["PartType0/ViscosityParameters"], file["PartType0/DiffusionParameters"]
    assert_same_bits(with_them, snapshots(run(tmp_path, rest | {"run.name": "rest"}, name="without"))[-1])
    old = gas(snapshots(run(tmp_path, blast | {"sph.scheme": "gadget2", "sph.equation_of_state": "isothermal",
                                               "sph.sound_speed": 1.0}, name="gadget2"))[-1])
    assert not {"ViscosityParameters", "DiffusionParameters"} & old.keys()
    with h5py.File(tmp_path / "gadget2/snapshot_0001.hdf5") as file:
        assert file["HydroScheme"].attrs["Equation of state"] == b"Isothermal gas"


def test_masses_of_the_header(plain: Path, tmp_path: Path) -> None:
    content = blob()
    path = content.write(tmp_path / "table.hdf5")
    with h5py.File(path, "r+") as file:
        del file["PartType0/Masses"]
        file["Header"].attrs["MassTable"] = np.array([content.m[0], 0, 0, 0, 0, 0])
    assert_same_bits(plain, from_there(tmp_path, "table.hdf5", "from-table"))


# ---- the same gas, stored in other ways -----------------------------------------------------------------------------


STORAGE = {
    "gzip, shuffle, checksums, small chunks, big-endian, 32-bit IDs": {
        "compression": 9, "shuffle": True, "fletcher32": True, "chunks": 100, "order": ">", "ids": "<u4"},
    "one chunk for all, signed 64-bit IDs": {"compression": 1, "chunks": 512, "ids": ">i8"},
    "signed 32-bit IDs": {"ids": "<i4"},
}
"""Arrays are the same or not, so that several ways may meet in one file."""


@pytest.mark.parametrize("how", STORAGE.values(), ids=STORAGE.keys())
def test_storage_of_the_arrays_does_not_matter(how: dict[str, object], plain: Path, tmp_path: Path) -> None:
    path = blob().write(tmp_path / "other.hdf5")
    filters = {key: how[key] for key in ("compression", "shuffle", "fletcher32") if key in how}
    with h5py.File(path, "r+") as file:
        for name in list(file["PartType0"]):
            values = file["PartType0"][name][()]
            kind = values.dtype.newbyteorder(how.get("order", "=")) if name != "ParticleIDs" else how.get("ids", "<u8")
            del file["PartType0"][name]
            chunks = (how["chunks"], *values.shape[1:]) if "chunks" in how else None
            file["PartType0"].create_dataset(name, data=values.astype(kind), chunks=chunks, **filters)
    assert_same_bits(plain, from_there(tmp_path, path.name, "stored"))


def write_set(content: GasFile, folder: Path, stem: str, ends: list[int]) -> None:
    """Distributes the particles over files; part i ends with particle ends[i]."""
    total = np.array([len(content.x), 0, 0, 0, 0, 0], np.uint32)
    for i, (begin, end) in enumerate(zip([0, *ends], ends)):
        own = {name: getattr(content, name)[begin:end] for name in ("x", "v", "m", "u", "ids", "h")}
        header = {"NumFilesPerSnapshot": len(ends), "NumPart_Total": total}
        replace(content, header=header, **own).write(folder / f"{stem}.{i}.hdf5")


@pytest.mark.parametrize("name", ["ics.2.hdf5", "ics"])
def test_a_set_of_files_is_the_gas_that_one_file_holds(name: str, plain: Path, tmp_path: Path) -> None:
    """By the name of a part, and by what the parts have in common; test_formats_sets.cpp has all names."""
    write_set(blob(), tmp_path, "ics", [100, 100, 512])  # one of them has no gas
    assert_same_bits(plain, from_there(tmp_path, name, "set"))


def test_factors_of_h_are_taken_out(plain: Path, tmp_path: Path) -> None:
    """With h = 1/2 all factors are powers of two, so that every number is exact."""
    content = blob()
    h = 0.5
    per_h = replace(content, x=h * content.x, m=h * content.m, h=h * content.h, box=h, header={"HubbleParam": h})
    assert_same_bits(plain, from_file(tmp_path, per_h, "header", **{"initial.h_factors": True}))
    other = replace(per_h, header={"HubbleParam": 1.0})
    assert_same_bits(plain, from_file(tmp_path, other, "key", **{"initial.h_factors": True,
                                                                 "initial.hubble_parameter": h}))


# ---- particles that are no gas --------------------------------------------------------------------------------------


def add_dark_matter(path: Path, n: int = 50) -> dict[str, np.ndarray]:
    """Adds n particles of type 1, with masses from the table, a colour of their own, and a type 4 with one star."""
    random = np.random.default_rng(9)
    dark = {"Coordinates": random.random((n, 3)), "Velocities": random.normal(size=(n, 3)).astype(np.float32),
            "ParticleIDs": np.arange(5000, 5000 + n, dtype=np.uint32),
            "Colours": random.random((n, 2)).astype(np.float32)}
    with h5py.File(path, "r+") as file:
        for name in ("NumPart_ThisFile", "NumPart_Total"):
            counts = file["Header"].attrs[name]
            counts[[1, 4]] = n, 1
            file["Header"].attrs[name] = counts
        file["Header"].attrs["MassTable"] = np.array([0, 0.25, 0, 0, 0, 0])
        for name, values in dark.items():
            file[f"PartType1/{name}"] = values
        file["PartType1/Colours"].attrs["Meaning"] = "hue and shade"
        file["PartType4/Coordinates"] = np.array([[0.5, 0.5, 0.5]])
    return dark


def assert_carried(path: Path, dark: dict[str, np.ndarray]) -> None:
    """The snapshot holds the dark matter bit by bit, in an order of its own."""
    with h5py.File(path) as file:
        assert list(file["Header"].attrs["NumPart_ThisFile"]) == [512, 50, 0, 0, 1, 0, 0]
        order = np.argsort(file["PartType1/ParticleIDs"][()])
        for name, values in dark.items():
            found = file["PartType1"][name][()][order]
            assert found.dtype == values.dtype and np.array_equal(found, values), name
        assert np.all(file["PartType1/Masses"][()] == 0.25)
        assert file["PartType1/Colours"].attrs["Meaning"] == b"hue and shade"
        assert np.sum(file["Cells/Counts/PartType1"][()]) == 50
        assert np.array_equal(file["PartType4/Coordinates"][()], [[0.5, 0.5, 0.5]])


def test_other_particles_are_carried_along(tmp_path: Path) -> None:
    """They change nothing for the gas, are in every snapshot, survive a restart, and a run from a snapshot."""
    settings = TIGHT | {"time.end": 0.02, "run.name": "blob", "output.snapshot_every": 0.01}
    blob().write(tmp_path / "gas.hdf5")
    dark = add_dark_matter(blob().write(tmp_path / "all.hdf5"))
    alone = snapshots(run(tmp_path, settings | {"initial.file": "gas.hdf5"}, name="alone"))
    whole = snapshots(run(tmp_path, settings | {"initial.file": "all.hdf5"}, name="whole"))
    for path, other in zip(whole, alone, strict=True):
        assert_carried(path, dark)
        for name, values in gas(other).items():
            assert np.array_equal(gas(path)[name], values), name
    run(tmp_path, settings | {"initial.file": "all.hdf5", "time.max_steps": 3}, name="parts")
    assert_same_bits(snapshots(run(tmp_path, settings | {"initial.file": "all.hdf5"}, "--restart",
                                   name="parts"))[-1], whole[-1])
    again = run(tmp_path, settings | {"initial.file": str(whole[-1]), "time.end": 0.03}, name="again")
    assert_carried(snapshots(again)[-1], dark)


@pytest.mark.long
def test_swiftsimio_masks_other_particles(tmp_path: Path) -> None:
    """A region of a snapshot with several types: swiftsimio needs the cells of each."""
    swiftsimio = pytest.importorskip("swiftsimio")
    dark = add_dark_matter(blob().write(tmp_path / "all.hdf5"))
    path = snapshots(run(tmp_path, {"initial.file": "all.hdf5", "time.end": 0.001}))[-1]
    data = swiftsimio.load(str(path))
    assert data.dark_matter.coordinates.shape == dark["Coordinates"].shape
    mask = swiftsimio.mask(str(path))
    mask.constrain_spatial([[0.0 * data.metadata.boxsize[0], 0.5 * data.metadata.boxsize[0]], None, None])
    assert len(swiftsimio.load(str(path), mask=mask).dark_matter.particle_ids) == 50  # there is one cell


# ---- the edges of what makes sense ----------------------------------------------------------------------------------


def some(content: GasFile, count: int) -> GasFile:
    """The first particles of it."""
    return replace(content, **{name: getattr(content, name)[:count] for name in ("x", "v", "m", "u", "ids", "h")})


def together(content: GasFile) -> GasFile:
    """The first two particles at one place."""
    return replace(content, x=np.concatenate([content.x[:1], content.x[:1], content.x[2:]]))


EDGES = {
    "one particle": some(blob(), 1),
    "one particle without h": replace(some(blob(), 1), h=None),
    "two particles": some(blob(), 2),
    "two particles at one place": together(some(blob(), 2)),
    "two of many at one place": together(blob()),
    "h beyond the box": replace(blob(), h=1e6 * blob().h),
    "no temperature": replace(blob(), u=0.0 * blob().u),
    "neither temperature nor motion": replace(blob(), u=0.0 * blob().u, v=0.0 * blob().v),
    "one cold particle": replace(blob(), u=np.where(np.arange(512) == 100, 0.0, blob().u)),
}


BOUNDARIES = ["periodic", "open", "reflecting"]


@pytest.mark.parametrize(("content", "boundary"), [
    pytest.param(content, boundary, id=f"{name}-{boundary}", marks=() if (i + j) % 3 == 0 else pytest.mark.long)
    for i, (name, content) in enumerate(EDGES.items()) for j, boundary in enumerate(BOUNDARIES)])
def test_edges_of_what_makes_sense_simply_work(content: GasFile, boundary: str, tmp_path: Path) -> None:
    """The run ends, all numbers are finite and the mass is what it was, to the rounding of the output."""
    last = from_file(tmp_path, content, "edge", **{"sph.boundary": boundary, "time.end": 0.005})
    fields = gas(last)
    assert all(np.all(np.isfinite(values)) for values in fields.values())
    assert np.sum(fields["Masses"]) == pytest.approx(np.sum(content.m), rel=1e-14)
    assert snapshot_time(last) == 0.005


def test_a_box_around_the_origin_is_the_same_periodic_box(plain: Path, tmp_path: Path) -> None:
    """Positions are multiples of 2^-24 and wrapping by 1 is exact."""
    content = blob()
    centred = replace(content, x=np.where(content.x >= 0.5, content.x - 1.0, content.x))
    assert_same_bits(plain, from_file(tmp_path, centred, "centred"))


# ---- the rest of the header -----------------------------------------------------------------------------------------


def test_time_of_the_header_begins_the_run(tmp_path: Path) -> None:
    last = from_file(tmp_path, replace(blob(), time=3.0), "late", **{"time.end": 3.01})
    assert snapshot_time(last.with_name("snapshot_0000.hdf5")) == 3.0
    assert snapshot_time(last) == 3.01


def test_relative_paths_begin_at_the_parameter_file(tmp_path: Path) -> None:
    blob(4).write(tmp_path / "ics.hdf5")
    (tmp_path / "elsewhere").mkdir()
    write_parameters(tmp_path / "case.toml", {"initial.file": "ics.hdf5", "time.end": 0.001, "output.picture": False})
    succeed("run", "../case.toml", cwd=tmp_path / "elsewhere")
    assert (tmp_path / "elsewhere" / "output" / "case" / "summary.json").exists()


def test_gas_at_rest_does_not_drift(tmp_path: Path) -> None:
    """On a lattice all forces cancel but for rounding, which no scale of |v| would be larger than."""
    n = 8
    x = (np.indices((n, n, n)).reshape(3, -1).T + 0.5) / n
    rest = GasFile(x=x, v=np.zeros_like(x), m=np.full(n**3, 1.0 / n**3), u=np.ones(n**3), ids=np.arange(1, n**3 + 1))
    last = from_file(tmp_path, rest, "rest", **{"time.end": 0.2, "drift.limit": 1e-3})
    drift = json.loads((last.parent / "summary.json").read_text())["conserved"]["momentum"]["max_drift"]
    assert 0.0 <= drift < 6e-8  # sums over neighbours are in single precision
