"""Reads continuous logs: the state of all elements at any time, and the trajectory of one.

SPDX-License-Identifier: Apache-2.0

The format, byte by byte, is in docs/guide/log.md.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError

Table = dict[str, NDArray[Any]]

_TYPES = ("f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
_STATE, _REMOVED, _MARK, _END = 1, 2, 3, 4
_PIECE = 1 << 18  # records that are checked at a time
_FIELD = np.dtype([("type", "<u4"), ("count", "<u4"), ("offset", "<u4"), ("rate", "<u4"), ("period", "<f8", 3),
                   ("name", "S56"), ("unit", "S32")])
_HEADER = np.dtype([("magic", "S8"), ("version", "<u4"), ("order", "<u4"), ("key", "<u8"), ("header_bytes", "<u8"),
                    ("record_bytes", "<u4"), ("fields", "<u4"), ("time_type", "<u4"), ("reserved", "<u4"),
                    ("time_unit", "<f8"), ("time_zero", "<f8")])
_PRIMES = tuple(np.uint64(p) for p in (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                                       0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5))


@dataclass
class Field:
    """One field of a record."""

    name: str
    dtype: np.dtype[Any]
    count: int
    unit: str
    rate: str
    """Name of the field that is its time derivative, or ""."""
    period: NDArray[np.float64]
    """Shape (3): where components jump at the edge of a periodic box, else 0."""


class LogFile:
    """An open log.

    `damage` is "refuse", where a record before the last mark that is not what was written is an error, or "skip", where
    it is left out. Where a log was cut off or its run was killed, what is whole is read in both cases.
    """

    def __init__(self, path: str | Path, damage: str = "refuse") -> None:
        if damage not in ("refuse", "skip"):
            raise InputError(f"damage is 'refuse' or 'skip', not '{damage}'")
        self.path = Path(path)
        self.damage = damage
        self.fields: list[Field] = []
        self.damaged: list[int] = []
        """Offsets of the places before the last mark that hold no whole record."""
        self.unfinished: list[int] = []
        """Offsets of those behind it that are not zero."""
        self.complete: tuple[float, int] | None = None
        """Time of the last mark, and the number of elements then; None before the first."""
        self.is_closed = False
        self.begin: float | None = None
        """When the log begins: the time of its first record, None without one."""
        try:
            self._bytes = np.memmap(self.path, dtype=np.uint8, mode="r")
        except (OSError, ValueError) as error:
            raise InputError(f"{self.path}: the log cannot be opened ({error})") from None
        self._read_header()
        self._scan()
        if self.damaged and damage == "refuse":
            raise InputError(f"{self.path}: places of the log, the first at byte {self.damaged[0]}, are not what was "
                             "written; read the rest with damage='skip'")

    def state(self, time: float) -> Table:
        """Id, and each field by its name, of the elements that exist at `time`, by rising id.

        Fields with a rate are interpolated by the cubic Hermite polynomial through the records around `time`, or
        extrapolated behind the last one; other floating-point fields linearly; integers are those of the record before.
        """
        return self._state_of(*self._around(time), time)

    def _around(self, time: float) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.bool_]]:
        """Of each element its last record until `time`, the next one, and whether there are both; by rising id.

        What is not there is a copy of the other one, or, of an element that begins later, without a meaning.
        """
        if self.complete is None or not time <= self.complete[0]:
            until = "not complete up to any time" if self.complete is None else f"complete up to {self.complete[0]}"
            raise InputError(f"{self.path}: the log is {until}, so there is no state at {time}")
        before = self._last_places.copy()
        after = np.full_like(before, -1)
        late = np.flatnonzero(~(self._time_of(before) <= time))
        while len(late):
            after[late] = before[late]
            before[late] = self._previous(before[late])
            late = late[before[late] >= 0]
            late = late[~(self._time_of(before[late]) <= time)]
        has = np.stack([before >= 0, after >= 0], axis=1)
        return (self._records[np.where(before >= 0, before, after)], self._records[np.where(after >= 0, after, before)],
                has)

    def _state_of(self, before: NDArray[Any], after: NDArray[Any], has: NDArray[np.bool_], time: float) -> Table:
        is_there = has[:, 0] & (before["kind"] == _STATE)
        return self._interpolated(before[is_there], np.where(has[is_there, 1], after[is_there], before[is_there]), time)

    def trajectory(self, element: int) -> Table:
        """All records of one element in the order of time: `time`, `removed`, and each field by its name.

        `removed` is True where the element does not exist from that time on. No rows if it has no record.
        """
        k = np.searchsorted(self._ids, np.uint64(element))
        places = []
        if k < len(self._ids) and self._ids[k] == element:
            place = self._last_places[k : k + 1]
            while len(place) and place[0] >= 0:
                places.append(place[0])
                place = self._previous(place)
        rows = self._records[np.array(places[::-1], dtype=np.int64)]
        table: Table = {"time": self._physical(rows["time"]), "removed": rows["kind"] == _REMOVED}
        for field in self.fields:
            table[field.name] = rows["fields"][field.name].copy()
        return table

    def _read_header(self) -> None:
        data = self._bytes
        if len(data) < 128 or data[:8].tobytes() != b"TACITLOG":
            raise InputError(f"{self.path}: is no continuous log: it does not begin with a header of one")
        header = data[: _HEADER.itemsize].view(_HEADER)[0]
        length = int(header["header_bytes"])
        count = int(header["fields"])
        is_whole = length == -(-(72 + 128 * count) // 64) * 64 and length <= len(data)
        if not is_whole or int(_xxh64(data[None, : length - 8], np.zeros(1, np.uint64))[0]) != int(
                data[length - 8 : length].view("<u8")[0]):
            raise InputError(f"{self.path}: the header of the log is damaged or cut off")
        if header["version"] != 1:
            raise InputError(f"{self.path}: is a log of version {header['version']}; this program reads version 1")
        entries = data[64 : 64 + 128 * count].view(_FIELD)
        for entry in entries:
            if entry["type"] >= len(_TYPES) or entry["rate"] > count:
                raise InputError(f"{self.path}: the header of the log is not valid")
            rate = entries[entry["rate"] - 1]["name"].decode() if entry["rate"] else ""
            self.fields.append(Field(entry["name"].decode(), np.dtype("<" + _TYPES[entry["type"]]), int(entry["count"]),
                                     entry["unit"].decode(), rate, entry["period"].copy()))
        self._key = header["key"]
        self._begin = length
        self._time_scale = (float(header["time_zero"]), float(header["time_unit"]))
        self._record = self._record_type(int(header["record_bytes"]), int(header["time_type"]), entries)

    def _record_type(self, length: int, time_type: int, entries: NDArray[Any]) -> np.dtype[Any]:
        formats = [(f.dtype, (f.count,)) if f.count > 1 else f.dtype for f in self.fields]
        try:
            fields = np.dtype({"names": [f.name for f in self.fields], "formats": formats, "itemsize": length - 32,
                               "offsets": [int(e["offset"]) - 24 for e in entries]})
            return np.dtype({"names": ["id", "previous", "time", "fields", "kind", "sum"],
                             "formats": ["<u8", "<u8", "<i8" if time_type == 5 else "<f8", fields, "<u4", "<u4"],
                             "offsets": [0, 8, 16, 24, length - 8, length - 4], "itemsize": length})
        except (ValueError, TypeError):
            raise InputError(f"{self.path}: the header of the log is not valid") from None

    def _scan(self) -> None:
        """Checks all records, and finds the last one of each element. A place is the number of a record, from 0 on."""
        size = self._record.itemsize
        count = (len(self._bytes) - self._begin) // size
        self._raw = self._bytes[self._begin : self._begin + count * size].reshape(count, size)
        self._records = self._raw.reshape(-1).view(self._record)
        self._whole = np.zeros(count, dtype=bool)
        gaps, marks = [], []
        self._ids, self._last_places = np.empty(0, np.uint64), np.empty(0, np.int64)
        for first, last in self._pieces(count):
            self._whole[first:last] = self._are_whole(np.arange(first, last))
            piece = self._records[first:last]
            whole = self._whole[first:last]
            gaps.append(first + np.flatnonzero(~whole))
            marks.append(first + np.flatnonzero(whole & ((piece["kind"] == _MARK) | (piece["kind"] == _END))))
            elements = first + np.flatnonzero(whole & ((piece["kind"] == _STATE) | (piece["kind"] == _REMOVED)))
            self._note(elements)
        if count and self._whole[0] and self._records["kind"][0] in (_STATE, _REMOVED, _MARK, _END):
            self.begin = float(self._physical(self._records["time"][0]))
        last_mark = max((int(m[-1]) for m in marks if len(m)), default=-1)
        ends = np.flatnonzero(self._whole)
        self._sort_gaps(np.concatenate(gaps) if gaps else np.empty(0, np.int64), last_mark)
        if last_mark >= 0:
            mark = self._records[last_mark]
            self.complete = (float(self._physical(mark["time"])), int(mark["id"]))
            self.is_closed = mark["kind"] == _END and last_mark == ends[-1]

    def _pieces(self, count: int) -> list[tuple[int, int]]:
        """Ranges of records that may be other than zero: holes of the file are left out."""
        size, pieces, at = self._record.itemsize, [], 0
        with self.path.open("rb") as file:
            while at < count:
                offset = self._begin + at * size
                try:
                    data = os.lseek(file.fileno(), offset, os.SEEK_DATA)
                    hole = os.lseek(file.fileno(), data, os.SEEK_HOLE)
                except OSError as error:
                    if error.errno == 6:  # ENXIO: only a hole follows
                        break
                    data, hole = offset, len(self._bytes)
                at += max(data - offset, 0) // size
                until = min(max(-(-(hole - self._begin) // size), at + 1), count)
                pieces += [(first, min(first + _PIECE, until)) for first in range(at, until, _PIECE)]
                at = until
        return pieces

    def _note(self, places: NDArray[np.int64]) -> None:
        ids = np.concatenate([self._ids, self._records["id"][places]])
        places = np.concatenate([self._last_places, places])
        order = np.argsort(ids, kind="stable")  # so that the latest of each element is the last of its run
        ids, places = ids[order], places[order]
        is_last = np.append(ids[1:] != ids[:-1], True)[: len(ids)]
        self._ids, self._last_places = ids[is_last], places[is_last]

    def _sort_gaps(self, gaps: NDArray[np.int64], last_mark: int) -> None:
        size = self._record.itemsize
        before = np.flatnonzero(~self._whole[: last_mark + 1])
        self.damaged = [self._begin + int(k) * size for k in before]
        later = gaps[gaps > last_mark]
        self.unfinished = [self._begin + int(k) * size for k in later if self._raw[k].any()]

    def _are_whole(self, places: NDArray[np.int64]) -> NDArray[np.bool_]:
        raw = np.ascontiguousarray(self._raw[places])
        records = raw.reshape(-1).view(self._record)
        seeds = self._key + (self._begin + places * self._record.itemsize).astype(np.uint64)
        sums = _xxh64(raw[:, :-4], seeds).astype(np.uint32)
        return (sums == records["sum"]) & (records["kind"] >= 1) & (records["kind"] <= 5)

    def _previous(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """The records before these of the same elements; -1 where there is none."""
        size = self._record.itemsize
        offsets = self._records["previous"][places]
        found = np.full(len(places), -1, dtype=np.int64)
        has = offsets != 0
        is_place = (offsets >= self._begin) & (offsets < self._begin + places.astype(np.uint64) * np.uint64(size))
        is_place &= (offsets - np.uint64(self._begin)) % np.uint64(size) == 0
        target = np.where(is_place, (offsets - np.uint64(self._begin)) // np.uint64(size), 0).astype(np.int64)
        good = is_place & self._whole[target] & (self._records["id"][target] == self._records["id"][places])
        good &= (self._records["kind"][target] == _STATE) | (self._records["kind"][target] == _REMOVED)
        found[has & good] = target[has & good]
        for k in np.flatnonzero(has & ~good):
            found[k] = self._last_before(int(places[k]))
        return found

    def _last_before(self, place: int) -> int:
        """The element's last whole record before `place`, found by looking at all: its back-pointer leads nowhere."""
        records = self._records[:place]
        is_it = self._whole[:place] & (records["id"] == self._records["id"][place]) & (
            (records["kind"] == _STATE) | (records["kind"] == _REMOVED))
        found = np.flatnonzero(is_it)
        return int(found[-1]) if len(found) else -1

    def _physical(self, time: NDArray[Any]) -> NDArray[np.float64]:
        zero, unit = self._time_scale
        return zero + unit * np.asarray(time, dtype=np.float64)

    def _time_of(self, places: NDArray[np.int64]) -> NDArray[np.float64]:
        return self._physical(self._records["time"][places])

    def _interpolated(self, first: NDArray[Any], second: NDArray[Any], time: float) -> Table:
        t = time - self._physical(first["time"])
        length = self._physical(second["time"]) - self._physical(first["time"])
        table: Table = {"id": first["id"].copy()}
        for field in self.fields:
            x0, x1 = (r["fields"][field.name] for r in (first, second))
            if field.dtype.kind != "f":
                table[field.name] = x0.copy()
                continue
            rates = None if not field.rate else tuple(
                r["fields"][field.rate].astype(np.float64) for r in (first, second))
            shape = (-1,) + (1,) * (x0.ndim - 1)
            value = _between(x0.astype(np.float64), x1.astype(np.float64), rates, length.reshape(shape),
                             t.reshape(shape), field.period[: field.count] if field.count <= 3 else np.zeros(1))
            table[field.name] = value.astype(field.dtype)
        return table


class RunLog:
    """All logs of a run: those of its ranks, and those of its parts on other ranks, one after the other.

    `path` is the directory of the run, or one log, which is then taken alone; `damage` is as for LogFile.
    """

    def __init__(self, path: str | Path, damage: str = "refuse") -> None:
        self.path = Path(path)
        self.parts: list[list[LogFile]] = []
        """The logs by rank, of each part of the run, in the order of time."""
        if not self.path.is_dir():
            self.parts.append([LogFile(self.path, damage)])
            return
        found = sorted((_numbers_of(file.name), file) for file in self.path.glob("output*.log")
                       if _NAME.fullmatch(file.name))
        if not found:
            raise InputError(f"{self.path}: has no continuous log (output.log)")
        for step in sorted({numbers[0] for numbers, _ in found}):
            part = [(numbers, file) for numbers, file in found if numbers[0] == step]
            ranks = part[0][0][2]
            if [numbers[1:] for numbers, _ in part] != [(rank, ranks) for rank in range(ranks)]:
                raise InputError(f"{self.path}: of {ranks} logs that begin at step {step}, some are missing")
            self.parts.append([LogFile(file, damage) for _, file in part])

    @property
    def logs(self) -> list[LogFile]:
        """All of them."""
        return [log for part in self.parts for log in part]

    @property
    def complete(self) -> float | None:
        """Up to when all ranks' logs have everything; None before their first marks."""
        marks = [log.complete for log in self.parts[-1]]
        return None if None in marks else min(mark[0] for mark in marks if mark is not None)

    def state(self, time: float) -> Table:
        """As LogFile.state, of the elements of all ranks; of one that was on several, all records count."""
        begun = [part for part in self.parts if part[0].begin is None or part[0].begin <= time]
        logs = begun[-1] if begun else self.parts[0]
        if len(logs) == 1:
            return logs[0].state(time)
        around = [log._around(time) for log in logs]
        before, after, has = (np.concatenate([one[k] for one in around]) for k in range(3))
        order = np.argsort(before["id"], kind="stable")
        before, after, has = before[order], after[order], has[order]
        ids, first = np.unique(before["id"], return_index=True)
        if len(ids) < len(before):
            before = before[_best_of(first, np.where(has[:, 0], logs[0]._physical(before["time"]), -np.inf))]
            after = after[_best_of(first, np.where(has[:, 1], -logs[0]._physical(after["time"]), -np.inf))]
            has = np.logical_or.reduceat(has, first)
        return logs[0]._state_of(before, after, has, time)

    def trajectory(self, element: int) -> Table:
        """As LogFile.trajectory, on whichever rank the element was."""
        tables = [log.trajectory(element) for log in self.logs]
        joined = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
        order = np.argsort(joined["time"], kind="stable")
        return {name: values[order] for name, values in joined.items()}


_NAME = re.compile(r"output(?:_(\d+))?(?:\.(\d+)of(\d+))?\.log")


def _numbers_of(name: str) -> tuple[int, int, int]:
    """Step, rank and number of ranks in the name of a log."""
    step, rank, ranks = _NAME.fullmatch(name).groups()  # type: ignore[union-attr]
    return int(step or 0), int(rank or 0), int(ranks or 1)


def _best_of(first: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Of each group, which begin at `first`, the place of the largest value."""
    group = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(values))))
    return np.lexsort((values, group))[np.append(first[1:], len(values)) - 1]


def _between(x0: NDArray[Any], x1: NDArray[Any], rates: tuple[NDArray[Any], NDArray[Any]] | None,
             length: NDArray[Any], t: NDArray[Any], period: NDArray[Any]) -> NDArray[Any]:
    """Values at `t` between the records at 0 and at `length`; `length` is 0 where there is no second record."""
    L = np.where(length > 0.0, length, 1.0)
    s = t / L
    expected = x0 if rates is None else x0 + 0.5 * (rates[0] + rates[1]) * L
    images = np.where(period > 0.0, period, 0.0)
    x1 = x1 + images * np.rint((expected - x1) / np.where(period > 0.0, period, 1.0))
    if rates is None:
        return np.where((length > 0.0) & (t > 0.0), x0 + s * (x1 - x0), x0)
    r0, r1 = rates
    hermite = (x0 + s * (1.0 - s) * (1.0 - s) * L * r0 + s * s * (3.0 - 2.0 * s) * (x1 - x0)
               - s * s * (1.0 - s) * L * r1)
    return np.where(t == 0.0, x0, np.where(length > 0.0, hermite, x0 + r0 * t))


def _xxh64(data: NDArray[np.uint8], seeds: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """XXH64 of each row; shape (N, bytes) with bytes a multiple of 4, seeds of shape (N). Overflow is meant."""
    P = _PRIMES
    bytes_ = data.shape[1]
    lanes = np.ascontiguousarray(data[:, : bytes_ // 8 * 8]).view("<u8")
    with np.errstate(over="ignore"):
        stripes = bytes_ // 32
        if stripes:
            sums = [seeds + P[0] + P[1], seeds + P[1], seeds + np.uint64(0), seeds - P[0]]
            for stripe in range(stripes):
                sums = [_round(sums[k], lanes[:, 4 * stripe + k]) for k in range(4)]
            h = sum((_rotated(v, r) for v, r in zip(sums, (1, 7, 12, 18))), np.uint64(0))
            for v in sums:
                h = (h ^ _round(np.uint64(0), v)) * P[0] + P[3]
        else:
            h = seeds + P[4]
        h = h + np.uint64(bytes_)
        for k in range(4 * stripes, lanes.shape[1]):
            h = _rotated(h ^ _round(np.uint64(0), lanes[:, k]), 27) * P[0] + P[3]
        if bytes_ % 8:
            word = np.ascontiguousarray(data[:, -4:]).view("<u4")[:, 0].astype(np.uint64)
            h = _rotated(h ^ (word * P[0]), 23) * P[1] + P[2]
        h = (h ^ (h >> np.uint64(33))) * P[1]
        h = (h ^ (h >> np.uint64(29))) * P[2]
        return h ^ (h >> np.uint64(32))


def _rotated(x: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:
    return (x << np.uint64(bits)) | (x >> np.uint64(64 - bits))


def _round(total: Any, lane: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return _rotated(total + lane * _PRIMES[1], 31) * _PRIMES[0]
