"""Continuous logs: the reader in Python against the one in C++, and against damage.

SPDX-License-Identifier: Apache-2.0

The logs are written by the program of the io tests, which TACIT_TEST_IO names.
"""

from __future__ import annotations

import csv
import os
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest

from tacit.errors import InputError
from tacit.log_file import LogFile, _xxh64

RECORD = 56  # bytes of a record of the waves


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with logs, and what the reader in C++ says of them; skips, and says so, where it cannot be made."""
    program = os.environ.get("TACIT_TEST_IO")
    if not program:
        warnings.warn("TACIT_TEST_IO is not set: THE READER OF LOGS IS NOT CHECKED")
        pytest.skip("TACIT_TEST_IO is not set")
    folder = tmp_path_factory.mktemp("log")
    subprocess.run([program, "--gtest_filter=Log.ASampleForOtherReaders"], check=True, capture_output=True,
                   env={**os.environ, "TACIT_LOG_SAMPLE": str(folder)})
    return folder


def rows_of(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_checksum_is_xxh64() -> None:
    data = np.arange(60, dtype=np.uint8)[None, :]
    for count, expected in ((0, 0x4be1d406981cfd3b), (4, 0xb1b1767ce9ace05a), (8, 0x8f9fa96fb44dd3af),
                            (32, 0x41b3c5f0583fb5b8), (60, 0x58ad78122a417bae)):
        assert int(_xxh64(data[:, :count], np.array([5], dtype=np.uint64))[0]) == expected


def test_states_are_those_of_the_reader_in_cpp(sample: Path) -> None:
    log = LogFile(sample / "waves.log")
    assert log.is_closed and log.complete == (2.0, 180)
    assert [(f.name, f.unit, f.rate) for f in log.fields] == [("x", "length", "v"), ("v", "length/time", ""),
                                                              ("rho", "", ""), ("step", "", "")]
    rows = rows_of(sample / "states.csv")
    times = sorted({row[0] for row in rows})
    assert len(times) == 20
    for time in times:
        expected = [row for row in rows if row[0] == time]
        state = log.state(float.fromhex(time))
        assert state["id"].tolist() == [int(row[1]) for row in expected]
        # The same operations in the same order, in which a compiler may have joined products and sums.
        for name, column in (("x", 2), ("v", 3)):
            values = [float.fromhex(row[column]) for row in expected]
            np.testing.assert_allclose(state[name], values, rtol=0, atol=1e-14)
        rho = np.array([float.fromhex(row[4]) for row in expected])
        np.testing.assert_allclose(state["rho"], rho, rtol=1.2e-7)
        assert state["step"].tolist() == [int(row[5]) for row in expected]
        assert state["rho"].dtype == np.float32 and state["step"].dtype == np.uint32


def test_trajectories_are_those_of_the_reader_in_cpp(sample: Path) -> None:
    log = LogFile(sample / "waves.log")
    rows = rows_of(sample / "trajectories.csv")
    for element in range(200):
        expected = [row for row in rows if int(row[0]) == element]
        path = log.trajectory(element)
        assert path["time"].tolist() == [float.fromhex(row[1]) for row in expected]
        assert path["x"].tolist() == [float.fromhex(row[2]) for row in expected]
        assert path["removed"].tolist() == [row[3] == "1" for row in expected]
    assert len(log.trajectory(200)["time"]) == 0


def test_ticks_periods_and_vectors(sample: Path) -> None:
    log = LogFile(sample / "ticks.log")
    assert log.complete == (12.0, 1)
    assert log.state(10.5)["x"].tolist() == [[1.0, 2.0, 5.25]]
    assert log.state(11.0)["x"].tolist() == [[0.25, 0.25, 5.5]]
    assert log.state(12.0)["x"].tolist() == [[0.75, 0.75, 6.0]]
    assert log.state(11.0)["v"].dtype == np.float32


def test_flipped_bits_are_found(sample: Path, tmp_path: Path) -> None:
    whole = (sample / "waves.log").read_bytes()
    header = int.from_bytes(whole[24:32], "little")
    good = LogFile(sample / "waves.log")
    random = np.random.default_rng(11)
    for at in random.integers(0, len(whole) - RECORD, 60):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << int(random.integers(8))
        path = tmp_path / "a.log"
        path.write_bytes(damaged)
        with pytest.raises(InputError):
            LogFile(path)
        if at < header:
            continue
        log = LogFile(path, damage="skip")
        assert log.damaged == [at - (at - header) % RECORD]
        element = int.from_bytes(whole[log.damaged[0] : log.damaged[0] + 8], "little")
        assert len(log.trajectory(element)["time"]) == len(good.trajectory(element)["time"]) - 1


def test_a_cut_log_is_read_up_to_the_cut(sample: Path, tmp_path: Path) -> None:
    whole = (sample / "waves.log").read_bytes()
    header = int.from_bytes(whole[24:32], "little")
    path = tmp_path / "a.log"
    sizes = [0, 100, header - 1, header, header + RECORD - 1, *np.random.default_rng(12).integers(0, len(whole), 5)]
    for size in sizes:
        path.write_bytes(whole[:size])
        if size < header:
            with pytest.raises(InputError):
                LogFile(path)
            continue
        log = LogFile(path)
        assert log.complete is None and not log.is_closed
        records = (size - header) // RECORD
        assert sum(len(log.trajectory(k)["time"]) for k in range(200)) == records


def test_room_and_gaps_behind_the_last_mark_are_no_damage(sample: Path, tmp_path: Path) -> None:
    whole = (sample / "ticks.log").read_bytes()
    path = tmp_path / "a.log"
    path.write_bytes(whole + bytes(100000))
    log = LogFile(path)
    assert log.is_closed and log.unfinished == []
    path.write_bytes(whole + b"begun" + bytes(100000))
    assert LogFile(path).unfinished == [len(whole)]


def test_messages(sample: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"x" * 500)
    with pytest.raises(InputError, match="is no continuous log: it does not begin with a header of one"):
        LogFile(path)
    path.write_bytes((sample / "waves.log").read_bytes()[:300])
    with pytest.raises(InputError, match="the header of the log is damaged or cut off"):
        LogFile(path)
    with pytest.raises(InputError, match="the log cannot be opened"):
        LogFile(tmp_path / "none.log")
    with pytest.raises(InputError, match="the log is complete up to 2.0, so there is no state at 2.5"):
        LogFile(sample / "waves.log").state(2.5)
    with pytest.raises(InputError, match="damage is 'refuse' or 'skip', not 'maybe'"):
        LogFile(path, damage="maybe")
