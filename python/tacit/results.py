"""The directory of a run: what it left.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Results:
    """What a run has left in its directory; read when it is asked for."""

    directory: Path

    @cached_property
    def summary(self) -> dict[str, Any]:
        """What summary.json says: steps, seconds, drifts, who ran it and when.

        Raises:
            InputError: if the run has not ended, or was killed.
        """
        path = self.directory / "summary.json"
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputError(f"{path}: no such file: the run has not ended, or this is not its directory") from None
        except ValueError as error:
            raise InputError(f"{path}: is damaged: {error}") from error

    @property
    def finished(self) -> bool:
        """Whether the run came to its end; False: it was stopped, and can be continued."""
        return bool(self.summary["finished"])

    @property
    def statistics(self) -> dict[str, NDArray[np.float64]]:
        """The columns of statistics.csv by name, shape (lines) each, in code units; empty if there are none yet."""
        from tacit.history import FILE_NAME, read_columns

        return read_columns(self.directory / FILE_NAME)

    @property
    def parameters(self) -> str:
        """The parameters as used, defaults included, in TOML."""
        return (self.directory / "parameters.toml").read_text(encoding="utf-8")

    @property
    def snapshots(self) -> list[Path]:
        """The snapshots, the first one first."""
        return sorted(path for path in self.directory.glob("snapshot_*") if ".part" not in path.name)
