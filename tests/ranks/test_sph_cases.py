"""Gas on ranks of which something is unusual: many bins, the order in the file, damaged files, few particles.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from launched import assert_same_results, launch, on_ranks
from moving_gas import lattice, write_gas, write_moving_gas
from program import assert_same_bits, checkpoint, datasets, gas, relative_difference, snapshots, write_parameters

from tacit.log_file import RunLog

COMMON = {"solver": "sph", "initial.file": "gas.hdf5", "output.double_precision": True, "output.picture": False,
          "run.threads": 1, "run.pin": False, "run.deterministic": True}


def run(folder: Path, name: str, ranks: int, values: dict[str, object], *arguments: str) -> Path:
    """Runs it on so many ranks into folder/NAME, which it returns."""
    file = write_parameters(folder / "gas.toml", COMMON | values)
    done = launch(on_ranks(ranks, "run", file.name, "--output", name, *arguments), folder)
    assert done.returncode == 0, f"exit code {done.returncode} on {ranks} ranks\n{done.stdout}{done.stderr}"
    return folder / name


def write_layers(path: Path, side: int) -> None:
    """Gas of one pressure in a square, whose sound speed spans a factor of 65536 along x, slightly stirred."""
    x = lattice(side, 2)
    cs = 2.0 ** (8.0 * (1.0 + np.cos(2.0 * np.pi * x[:, 0])))
    v = np.zeros_like(x)
    v[:, 0] = 0.05 * cs * np.sin(6.0 * np.pi * x[:, 0])
    write_gas(path, x, 0.9 * cs**2, v, 1.0 / (side**2 * cs**2))


def test_twelve_bins_on_any_ranks_and_restarted(tmp_path: Path) -> None:
    write_layers(tmp_path / "gas.hdf5", 40)
    values = {"sph.dimension": 2, "sph.boundary": "periodic", "time.end": 1.0, "time.max_steps": 12,
              "output.snapshot_every": 1e-5, "output.statistics_every": 1e-6}
    alone = run(tmp_path, "alone", 1, values)
    with h5py.File(checkpoint(alone)) as file:
        found = []
        file.visititems(lambda name, item: found.append(item[()]) if name.endswith("/bin") else None)
    assert len(np.unique(found[0])) >= 12
    for ranks, steps, words in ((3, 5, ()), (1, 8, ("--restart",)), (4, 12, ("--restart",))):
        run(tmp_path, "some", ranks, values | {"time.max_steps": steps}, *words)
    assert_same_results(alone, tmp_path / "some")


MOVING = {"time.end": 0.02, "output.snapshot_every": 0.01}
SIDE = 9


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run on one rank, to which others are held, of gas at Mach 10: its particles lie on the borders of the box at
    first, and leave their ranks again and again."""
    folder = tmp_path_factory.mktemp("moving")
    write_moving_gas(folder / "gas.hdf5", SIDE, offset=0.0)
    return run(folder, "alone", 1, MOVING)


def test_ranks_borders_and_the_order_in_the_file_change_nothing(alone: Path, tmp_path: Path) -> None:
    order = np.random.default_rng(1).permutation(SIDE**3)
    write_moving_gas(tmp_path / "gas.hdf5", SIDE, order=order, offset=0.0)
    assert_same_results(alone, run(tmp_path, "four", 4, MOVING))


def records(directory: Path) -> dict[int, list[tuple[float, bytes]]]:
    """Of each particle, what all logs of a run say, in the order of time."""
    log = RunLog(directory)
    found = {}
    for particle in log.state(0.0)["id"]:
        rows = log.trajectory(int(particle))
        fields = [np.ascontiguousarray(rows[name]) for name in ("x", "v", "u", "rho", "h")]
        found[int(particle)] = [(float(time), b"".join(field[k].tobytes() for field in fields))
                                for k, time in enumerate(rows["time"])]
    return found


def test_the_logs_of_ranks_together_are_that_of_one(alone: Path, tmp_path: Path) -> None:
    """Of particles that leave their ranks again and again, also where the run stops in between."""
    write_moving_gas(tmp_path / "gas.hdf5", SIDE, offset=0.0)
    values = MOVING | {"output.log": True, "output.log_room": 65536}
    one = run(tmp_path, "one", 1, values)
    run(tmp_path, "some", 3, values, "--set", "time.max_steps=7")
    some = run(tmp_path, "some", 3, values, "--restart")
    for first, second in zip(snapshots(alone), snapshots(some), strict=True):
        assert_same_bits(first, second)
    assert records(one) == records(some)
    where = [set(log.state(0.0)["id"]) for log in RunLog(some).logs]
    assert len(where) == 3
    again = sum(len(log.trajectory(int(particle))["time"]) > 0 and int(particle) not in ids
                for log, ids in zip(RunLog(some).logs, where) for particle in records(one))
    assert again > 30  # particles have records of ranks on which they did not begin


def test_without_a_fixed_order_results_differ_by_rounding(alone: Path, tmp_path: Path) -> None:
    write_moving_gas(tmp_path / "gas.hdf5", SIDE, offset=0.0)
    other = gas(snapshots(run(tmp_path, "3", 3, MOVING | {"run.deterministic": False, "run.threads": 2}))[-1])
    last = gas(snapshots(alone)[-1])
    assert last.keys() == other.keys()
    for name, one in last.items():
        # Floats are rounded to 6e-8; some ten steps add up less than 1e-5.
        assert relative_difference(one.astype(float), other[name].astype(float)) < 1e-5, name


@pytest.mark.long
@pytest.mark.parametrize("boundary", ["open", "reflecting"])
def test_particles_may_lie_on_the_border(boundary: str, tmp_path: Path) -> None:
    write_moving_gas(tmp_path / "gas.hdf5", 9, offset=0.0)
    values = {"sph.boundary": boundary, "time.end": 0.01, "output.snapshot_every": 0.005}
    assert_same_results(run(tmp_path, "alone", 1, values), run(tmp_path, "four", 4, values))


def test_a_damaged_checkpoint_is_passed_over_by_all(alone: Path, tmp_path: Path) -> None:
    write_moving_gas(tmp_path / "gas.hdf5", SIDE, offset=0.0)
    values = MOVING | {"output.checkpoint_every": 1e-9}
    stopped = run(tmp_path, "some", 3, values, "--set", "time.max_steps=6")
    newest = checkpoint(stopped)
    content = bytearray(newest.read_bytes())
    content[len(content) // 2] ^= 4
    newest.write_bytes(content)
    done = launch(on_ranks(3, "run", "gas.toml", "--output", "some", "--restart"), tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    begin, found, _ = done.stdout.partition("continues from step 5 ")
    assert found and begin.count(f"cannot be continued from: some/{newest.name}") == 1, done.stdout
    assert_same_results(alone, stopped)


def test_few_particles_run_or_are_refused_once(tmp_path: Path) -> None:
    x = np.random.default_rng(1).random((40, 3))
    write_gas(tmp_path / "gas.hdf5", x, np.ones(40), np.zeros((40, 3)), np.full(40, 0.025))
    values = {"time.end": 0.01}
    file = write_parameters(tmp_path / "gas.toml", COMMON | values)
    done = launch(on_ranks(5, "run", file.name, "--output", "out"), tmp_path)
    assert done.returncode == 2 and done.stderr.count("5 ranks cannot share 1 cells") == 1, done.stderr
    # In one corner of the box they are in one cell of many.
    write_gas(tmp_path / "gas.hdf5", 0.3 + 0.02 * x, np.ones(40), np.zeros((40, 3)), np.full(40, 0.025))
    values = {"time.end": 1e-4, "output.snapshot_every": 1e-4}
    assert_same_results(run(tmp_path, "alone", 1, values), run(tmp_path, "three", 3, values))


def test_a_failing_particle_ends_all_with_one_message(tmp_path: Path) -> None:
    """One flies so fast that the floats of its pairs are infinite."""
    write_moving_gas(tmp_path / "gas.hdf5", 8)
    with h5py.File(tmp_path / "gas.hdf5", "a") as file:
        file["PartType0/Velocities"][77, 1] = 1e25
    file = write_parameters(tmp_path / "gas.toml", COMMON | MOVING | {"sph.time_steps": "common"})
    said = []
    for ranks in (1, 3):
        done = launch(on_ranks(ranks, "run", file.name, "--output", f"out{ranks}"), tmp_path)
        flaw = [line for line in done.stderr.splitlines() if "of particle " in line]
        said.append((done.returncode, flaw))
        assert done.stderr.count(f"The failed state is in out{ranks}/failed.hdf5.") == 1, done.stderr
    assert said[0] == said[1] and len(said[0][1]) == 1
    failed = [{name: len(values) for name, values in datasets(tmp_path / f"out{ranks}/failed.hdf5").items()
               if values.ndim > 0} for ranks in (1, 3)]
    assert failed[0] == failed[1]


def test_a_stop_in_a_step_that_fails_hangs_nobody(tmp_path: Path) -> None:
    """The first rank alone looks for the file STOP; which particle needs too short a step, all find together."""
    write_moving_gas(tmp_path / "gas.hdf5", 8)
    file = write_parameters(tmp_path / "gas.toml", COMMON | MOVING | {"time.dt_min": 0.01})
    for ranks in (1, 2):
        (tmp_path / f"out{ranks}").mkdir()
        (tmp_path / f"out{ranks}" / "STOP").touch()
        done = launch(on_ranks(ranks, "run", file.name, "--output", f"out{ranks}"), tmp_path)
        assert done.returncode == 6 and "continue with: " in done.stdout, done.stdout + done.stderr


def write_galaxy(path: Path) -> None:
    """A ball of gas, a halo around it, and stars: each type in its own way of giving masses and precision."""
    rng = np.random.default_rng(5)

    def ball(count: int, radius: float) -> np.ndarray:
        x = rng.normal(size=(count, 3))
        return 2.0 + radius * x / np.linalg.norm(x, axis=1)[:, None] * rng.random((count, 1)) ** (1 / 3)

    with h5py.File(path, "w") as file:
        header = file.create_group("Header").attrs
        header["BoxSize"], header["Time"], header["NumFilesPerSnapshot"] = 4.0, 0.0, 1
        header["NumPart_ThisFile"] = header["NumPart_Total"] = [400, 700, 0, 0, 60, 1]
        header["MassTable"] = [0.0, 1e-3, 0.0, 0.0, 0.0, 0.0]
        first = 1
        for kind, count, radius in ((0, 400, 0.8), (1, 700, 1.8), (4, 60, 0.5), (5, 1, 0.01)):
            group = file.create_group(f"PartType{kind}")
            group["Coordinates"] = ball(count, radius)
            group["Velocities"] = (0.4 * rng.normal(size=(count, 3))).astype("f4")
            group["ParticleIDs"] = np.arange(first, first + count)
            first += count
            if kind != 1:
                group["Masses"] = np.full(count, 0.05 if kind == 5 else 2e-3)
            if kind == 0:
                group["InternalEnergy"] = np.full(count, 0.2)


def test_gas_halo_and_stars_on_any_ranks_and_restarted(tmp_path: Path) -> None:
    """All types in snapshots and checkpoints, bitwise, also where a run goes on from a snapshot."""
    write_galaxy(tmp_path / "gas.hdf5")
    values = {"sph.boundary": "open", "gravity.self": True, "gravity.constant": 1.0, "gravity.softening": 0.05,
              "gravity.softening_halo": 0.1, "gravity.softening_stars": 0.02, "time.end": 1.0, "time.max_steps": 24,
              "output.snapshot_every": 0.02, "output.statistics_every": 0.01}
    alone = run(tmp_path, "alone", 1, values)
    for ranks, steps, words in ((4, 9, ()), (2, 16, ("--restart",)), (1, 24, ("--restart",))):
        run(tmp_path, "some", ranks, values | {"time.max_steps": steps}, *words)
    assert_same_results(alone, tmp_path / "some")
    with h5py.File(snapshots(alone)[-1]) as file:
        assert list(file["Header"].attrs["NumPart_ThisFile"]) == [400, 700, 0, 0, 60, 1, 0]
        for kind, count in ((0, 400), (1, 700), (4, 60), (5, 1)):
            group = file[f"PartType{kind}"]
            assert len(np.unique(group["ParticleIDs"][:])) == count
            assert file[f"Cells/Counts/PartType{kind}"][:].sum() == count
            assert np.all(np.isfinite(group["Potentials"][:])) and np.all(group["Potentials"][:] < 0.0)
        assert file["PartType1/Masses"][:] == pytest.approx(1e-3, rel=1e-12)
        assert np.all(file["PartType4/Softenings"][:] == 0.02)
    again = run(tmp_path, "again", 1, values | {"initial.file": str(snapshots(alone)[-1]), "time.max_steps": 1})
    with h5py.File(snapshots(alone)[-1]) as before, h5py.File(snapshots(again)[0]) as after:
        for kind in (0, 1, 4, 5):
            ids = [file[f"PartType{kind}/ParticleIDs"][:] for file in (before, after)]
            x = [file[f"PartType{kind}/Coordinates"][:] for file in (before, after)]
            assert np.array_equal(x[0][np.argsort(ids[0])], x[1][np.argsort(ids[1])])
