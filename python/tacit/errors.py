"""What the package raises. Texts are those that the program prints.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass


class TacitError(Exception):
    """What every exception of the package derives from."""


class InputError(TacitError):
    """What the user asked for cannot be done: a missing file, a file of another kind, an impossible option.

    The message names the file or option, what is wrong and, where it helps, what to do. Of the commands of this package
    it holds no line break.
    """


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with the parameters."""

    file: str
    """As it was given; "parameters" of a dict, "--set" of a setting."""
    line: int
    """From 1; 0: there is none, as of a key that is missing."""
    column: int
    key: str
    message: str
    hint: str
    """May be empty."""


class ParameterError(InputError, ValueError):
    """The parameters are wrong; the text names file, line, key and what to write, for each problem."""

    def __init__(self, text: str, problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(text)
        self.problems = problems


class FormatError(InputError, ValueError):
    """A file's content is not what its format says; the text begins with its path."""


class NumericsError(TacitError, ArithmeticError):
    """The numbers of a run failed: a field is not finite, a step vanishes, an iteration does not converge.

    The text names the step, the last valid checkpoint and where the failed state is.
    """

    def __init__(self, text: str, step: int | None = None, field: str = "", element: int | None = None) -> None:
        super().__init__(text)
        self.step = step
        self.field = field
        self.element = element
        """Number of the cell, ID of the particle; None where it is of no single one."""


class MachineError(TacitError, OSError):
    """The machine failed: a file, memory, a run in which nothing moves, ranks that a launcher has started."""


class InternalError(TacitError):
    """A bug of Tacit."""


class StateError(TacitError, RuntimeError):
    """A call for which a run, or a view of its fields, is not in the state."""


class EngineMissing(TacitError, ImportError):
    """The library with the engine is not there, or is not of this package."""
