"""What the header of every snapshot of a grid says.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from tacit.parameters import parsed
from tacit.parts import text_of


@dataclass(frozen=True)
class Header:
    """Of one snapshot."""

    path: Path
    name: str
    """Of the run."""
    time: float
    dimension: int
    box: NDArray[np.float64]
    """Shape (3): sides [length]."""
    parameters: dict[str, Any]
    """The parameter file of the run."""


def read_header(path: Path, file: h5py.File) -> Header:
    """That of a file.

    Raises:
        KeyError, ValueError, TypeError: if an attribute is missing or of another kind.
    """
    header = file["Header"].attrs
    return Header(path, text_of(header["RunName"]), float(np.ravel(header["Time"])[0]),
                  int(np.ravel(header["Dimension"])[0]), np.array(header["BoxSize"], dtype=float),
                  parsed(text_of(header["Parameters"])))
