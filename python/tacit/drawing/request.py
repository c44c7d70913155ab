"""What a picture is to show.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Request:
    """What is to be drawn; see the command line's help."""

    kind: str = "all"
    field: str | None = None
    axis: int = 2
    cut: float | None = None
    resolution: int = 256
    solution: str = "auto"
    mean_molecular_weight: float | None = None
    window: tuple[float, float] | None = None
    """Of a trace [ms]."""
    range: tuple[float, float] | None = None
    """Between which values colours of maps go: of the field that is asked for, else of the first one."""
    extent: tuple[float, float, float, float] | None = None
    """Which part of the plane maps show: from and to along their two axes."""
