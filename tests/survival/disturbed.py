"""Runs with a checkpoint after every step, that something happens to.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from faults import faults, is_durable, read_counts
from runs import EVERY_STEP, IS_STRESS, Launch, assert_same_run, assert_whole, leftovers, strategies
from solvers import CASES, Case


IN_PLACE = ".tacit.lock:statistics.csv:"
"""What is written under its final name, each with a colon."""


@dataclass
class Trial:
    """A case on some ranks, what it leaves undisturbed, and how many calls it makes."""

    case: Case
    ranks: int
    writers: dict[str, object]
    good: Path | None = None
    counts: list[Counter[str]] = field(default_factory=list)

    def prepare(self, folder: Path) -> Trial:
        """Runs it undisturbed."""
        if self.good is None:
            directory = folder / self.name / "good"
            directory.parent.mkdir(parents=True)
            counted = faults(directory, counts=folder / self.name / "counts", **{"except": IN_PLACE})
            self.good = Launch(self.case, directory, self.ranks, self.values).succeed(env=counted)
            self.counts = read_counts(folder / self.name / "counts", self.ranks)
            assert all(is_durable(counts) for counts in self.counts), self.counts
            # It comes last but for the summary; its size depends on times.
            self.counts[0]["bytes"] -= (directory / "trace.json").stat().st_size
        return self

    @property
    def name(self) -> str:
        """As in the names of tests."""
        return "-".join([self.case.solver, str(self.ranks), *map(str, self.writers.values())])

    @property
    def values(self) -> dict[str, object]:
        """Settings of all its runs."""
        return EVERY_STEP | self.writers

    @property
    def writing_ranks(self) -> list[int]:
        """Those that write files."""
        return [rank for rank, counts in enumerate(self.counts) if counts["fsync"] > 0]

    def launch(self, folder: Path) -> Launch:
        """A run of it into folder/out."""
        return Launch(self.case, folder / "out", self.ranks, self.values)

    def assert_survives(self, launch: Launch) -> None:
        """What is there is whole; continued, the run ends as if nothing had happened, and nothing else is left."""
        if launch.directory.exists():
            assert_whole(launch.directory)
        launch.go_on()
        assert self.good is not None
        assert_same_run(self.good, launch.directory)
        assert leftovers(launch.directory) == []


def trials() -> Iterator[Trial]:
    """Every number of ranks and way to write with --stress, else one of each case, in parts where it has ranks."""
    for case in CASES:
        for ranks in case.ranks if IS_STRESS else (case.quick_ranks,):
            ways = strategies(ranks)
            for way in ways if IS_STRESS else [way for way in ways if "all" in way.values()] or ways[:1]:
                yield Trial(case, ranks, dict(way))


TRIALS = list(trials())
PARAMS = [pytest.param(trial, id=trial.name, marks=() if trial.case.is_quick else pytest.mark.long)
          for trial in TRIALS]
