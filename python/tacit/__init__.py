"""Tacit from Python: runs, their results, and pictures of them.

SPDX-License-Identifier: Apache-2.0

    import tacit
    results = tacit.run("run.toml", output="DIR", set={"sph.eta": 1.3})
    results.snapshots[-1], results.statistics["time"]

`run` and `Simulation` need the engine, which `pip install .` builds; the rest reads files. Importing the package loads
nothing heavy; numpy, h5py and matplotlib come with what needs them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tacit.errors import (
    EngineMissing,
    FormatError,
    InputError,
    InternalError,
    MachineError,
    NumericsError,
    ParameterError,
    Problem,
    StateError,
    TacitError,
)

if TYPE_CHECKING:
    from tacit.files import DataFile, load
    from tacit.key_tables import keys, schema, solvers
    from tacit.results import Results
    from tacit.simulation import Simulation, run

__version__ = "0.1.0"

__all__ = ["DataFile", "EngineMissing", "FormatError", "InputError", "InternalError", "MachineError", "NumericsError",
           "ParameterError", "Problem", "Results", "Simulation", "StateError", "TacitError", "keys", "load", "run",
           "schema", "solvers"]

# No module here has one of these names: once imported, it would stand in their place.
_HOMES = {"DataFile": "tacit.files", "Results": "tacit.results", "Simulation": "tacit.simulation",
          "keys": "tacit.key_tables", "load": "tacit.files", "run": "tacit.simulation", "schema": "tacit.key_tables",
          "solvers": "tacit.key_tables"}


def __getattr__(name: str) -> Any:
    """What is loaded when it is first asked for."""
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'tacit' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
