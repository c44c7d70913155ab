"""What figures of the solvers on a lattice have in common: which snapshots are theirs, and one row of panels.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

import h5py
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tacit.drawing.page import compose, escaped
from tacit.drawing.request import Request
from tacit.errors import InputError
from tacit.parts import open_whole

State = TypeVar("State")

_ROW_HEIGHT = 3.4
"""[inches]"""
_MOST_IN_A_ROW = 3


@dataclass(frozen=True)
class LatticeFigure(Generic[State]):
    """How the snapshots of a solver are told from others, read and drawn."""

    solver: str
    groups: tuple[str, str]
    """That its snapshots have."""
    read: Callable[[h5py.File], State]
    panels: Callable[[State], dict[str, Sequence[Callable[[Axes, State], None]]]]
    """By kind of the request: profile, history."""
    title: Callable[[State], str]
    kinds: str
    """What there is, in words."""
    empty: str
    """Why a kind may be missing, in words."""

    def is_file(self, path: Path) -> bool:
        """Whether it is a snapshot of the solver."""
        try:
            with h5py.File(path) as file:
                return all(group in file for group in self.groups)
        except OSError:
            return False

    def snapshots(self, path: Path) -> list[Path]:
        """Those in a directory, in the order of their names."""
        return [file for file in sorted(path.glob("snapshot_*.hdf5")) if self.is_file(file)]

    def is_there(self, path: Path) -> bool:
        """Whether there is anything of the solver at `path`."""
        return bool(self.snapshots(path)) if path.is_dir() else self.is_file(path)

    def compose(self, path: Path, request: Request) -> Figure:
        """The figure of a run's directory or a snapshot.

        Raises:
            InputError: if the request cannot be met with what is there.
        """
        if request.kind in ("slice", "projection"):
            raise InputError(f"--kind {request.kind}: there are {self.kinds}")
        state = self.state_of(path)
        by_kind = self.panels(state)
        drawn = [panel for kind, panels in by_kind.items() if request.kind in (kind, "all") for panel in panels]
        if not drawn:
            raise InputError(f"{path}: there is nothing of the kind '{request.kind}' here: {self.empty}")
        return compose_panels([partial(panel, state=state) for panel in drawn], self.title(state))

    def state_of(self, path: Path) -> State:
        """What a snapshot says, or the last one of a run's directory.

        Raises:
            InputError: if it is no whole snapshot of the solver.
        """
        return self._read(self.snapshots(path)[-1] if path.is_dir() else path)

    def _read(self, path: Path) -> State:
        try:
            with open_whole(path) as file:
                return self.read(file)
        except (OSError, KeyError, ValueError, TypeError) as error:
            raise InputError(f"{path}: is no whole snapshot of the {self.solver} solver: {error}") from error


def compose_panels(panels: Sequence[Callable[[Axes], None]], title: str) -> Figure:
    """Panels in rows of about the same length."""
    rows = -(-len(panels) // _MOST_IN_A_ROW)
    in_a_row = -(-len(panels) // rows)
    return compose([panels[first:first + in_a_row] for first in range(0, len(panels), in_a_row)],
                   [_ROW_HEIGHT] * rows, title)


def title_of(name: str, extents: Sequence[int], parts: Sequence[str]) -> str:
    """The name of a run, its lattice, and what else there is to say."""
    return "    ".join([escaped(name), "$" + r"\times".join(map(str, extents)) + "$", *parts])
