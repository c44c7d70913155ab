"""Functions that are called between the steps of a run.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.simulation import Simulation


@dataclass
class _Observer:
    function: Callable[[Simulation], object]
    every: int
    """Steps; 0: it goes by time."""
    interval: float
    next_step: float = math.inf
    next_time: float = math.inf
    last_step: int = -1
    """That it has seen."""

    def call(self, simulation: Simulation) -> None:
        self.last_step = simulation.steps
        if self.every:
            self.next_step = simulation.steps + self.every
        else:
            # The next multiple that lies ahead; times that rounding keeps from one count as past it.
            self.next_time = (math.floor(simulation.time / self.interval * (1.0 + 1e-12)) + 1.0) * self.interval
        self.function(simulation)

    def is_due(self, simulation: Simulation) -> bool:
        return simulation.steps >= self.next_step or simulation.time >= self.next_time


class Observers:
    """Those of one run."""

    def __init__(self) -> None:
        self._all: list[_Observer] = []
        self._has_begun = False

    def add(self, function: Callable[[Simulation], object], every: int | None, interval: float | None,
            simulation: Simulation) -> None:
        """Has it called from now on: where the run begins, if it has not yet.

        Raises:
            InputError: if it is no function, or `every` or `interval` cannot be.
        """
        if not callable(function):
            raise InputError(f"observe: {function!r} is no function")
        if every is not None and interval is not None:
            raise InputError("observe: give every (steps) or interval (code time), not both")
        if every is not None and (isinstance(every, bool) or not isinstance(every, int) or every < 1):
            raise InputError(f"observe: every={every!r} is not a whole number of steps, 1 or more")
        if interval is not None and not 0.0 < interval < math.inf:
            raise InputError(f"observe: interval={interval!r} is not a positive time")
        one = _Observer(function, 0 if interval is not None else every or 1, float(interval or 0.0))
        self._all.append(one)
        if self._has_begun:
            if one.every:
                one.next_step = simulation.steps + one.every
            else:
                one.next_time = (math.floor(simulation.time / one.interval) + 1.0) * one.interval

    def begin(self, simulation: Simulation) -> None:
        """The run begins."""
        self._has_begun = True
        for one in self._all:
            one.call(simulation)

    def call(self, simulation: Simulation) -> None:
        """Calls those that are due."""
        for one in self._all:
            if one.is_due(simulation):
                one.call(simulation)

    def call_last(self, simulation: Simulation) -> None:
        """The run ends: calls those that have not seen the last state."""
        if self._has_begun:
            for one in self._all:
                if one.last_step != simulation.steps:
                    one.call(simulation)

    def steps_left(self, simulation: Simulation) -> int:
        """Until the next call that goes by steps."""
        return int(min((one.next_step - simulation.steps for one in self._all if one.every), default=2**63))

    def next_time(self) -> float:
        """Of the next call that goes by time."""
        return min((one.next_time for one in self._all), default=math.inf)
