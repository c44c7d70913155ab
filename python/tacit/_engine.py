"""The engine's library, called through its C functions (apps/python/interface.h).

SPDX-License-Identifier: Apache-2.0

ctypes releases the lock of the interpreter during each call.
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
import warnings
import weakref
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from tacit.errors import (
    EngineMissing,
    FormatError,
    InputError,
    InternalError,
    MachineError,
    NumericsError,
    ParameterError,
    Problem,
    TacitError,
)

INTERFACE = 1
LIBRARY = "libtacit_python.so"

# The phases of a run.
MADE, GOES_ON, OVER, STOPPED, ENDED, NOTHING_TO_DO, FAILED = range(7)


class State(ctypes.Structure):
    """What changes with each step."""

    _fields_ = [("step", ctypes.c_uint64), ("time", ctypes.c_double), ("dt", ctypes.c_double),
                ("begin", ctypes.c_double), ("end", ctypes.c_double), ("phase", ctypes.c_int32),
                ("unused", ctypes.c_int32)]


_Text = ctypes.POINTER(ctypes.c_char_p)
_Run = ctypes.c_void_p
_FUNCTIONS: dict[str, Sequence[Any]] = {
    "tacit_run_make": (ctypes.c_char_p, ctypes.POINTER(_Run)),
    "tacit_run_state": (_Run, ctypes.POINTER(State)),
    "tacit_run_advance": (_Run, ctypes.c_uint64, ctypes.c_double, ctypes.c_double, ctypes.POINTER(State)),
    "tacit_run_end": (_Run, _Text),
    "tacit_run_write_snapshot": (_Run, ctypes.c_char_p),
    "tacit_run_about": (_Run, _Text),
    "tacit_run_fields": (_Run, _Text),
    "tacit_run_notes": (_Run, _Text),
    "tacit_verify": (ctypes.c_char_p, _Text),
    "tacit_solvers": (_Text,),
    "tacit_schema": (ctypes.c_char_p, _Text),
}


def _candidates() -> list[Path]:
    """Where the library may be: in the package, or where a clone is built."""
    package = Path(__file__).resolve().parent
    build = os.environ.get("TACIT_BUILD_DIR")
    folders = [package, *([Path(build) / "lib"] if build else []), package.parents[1] / "build" / "lib"]
    return [folder / LIBRARY for folder in folders]


@functools.cache
def library() -> ctypes.CDLL:
    """The library, loaded once.

    Raises:
        EngineMissing: if there is none, it cannot be loaded, or it belongs to another version of the package.
    """
    path = next((path for path in _candidates() if path.is_file()), None)
    if path is None:
        raise EngineMissing("the engine is not installed with this package: 'pip install .' in a clone of Tacit builds "
                            f"it (looked for {LIBRARY} in {', '.join(str(one.parent) for one in _candidates())})")
    try:
        loaded = ctypes.CDLL(str(path))
        found = loaded.tacit_interface()
    except (OSError, AttributeError) as error:
        raise EngineMissing(f"{path}: cannot be loaded: {error}") from error
    if found != INTERFACE:
        raise EngineMissing(f"{path}: has interface {found}, this package needs {INTERFACE}: install both together")
    for name, arguments in _FUNCTIONS.items():
        function = getattr(loaded, name)
        function.argtypes = arguments
        function.restype = ctypes.c_int
    for name in ("tacit_version", "tacit_error"):
        getattr(loaded, name).restype = ctypes.c_char_p
    loaded.tacit_run_drop.argtypes = (_Run,)
    loaded.tacit_run_drop.restype = None
    _warn_of_namesake()
    return loaded


def _warn_of_namesake() -> None:
    """Another project has the name tacit on PyPI; ours is tacit-sim. Each overwrites files of the other's module."""
    try:
        version = metadata.version("tacit")
    except metadata.PackageNotFoundError:
        return
    warnings.warn(f"the distribution 'tacit' {version}, of another project, is installed beside 'tacit-sim', and both "
                  "have a module 'tacit': uninstall one of them, then install the other again", stacklevel=2)


def call(name: str, *arguments: Any) -> None:
    """Calls a function that may fail.

    Raises:
        TacitError: the one that belongs to what the engine threw.
    """
    loaded = library()
    if getattr(loaded, name)(*arguments) != 0:
        raise error_of(json.loads(loaded.tacit_error()))


def text_from(name: str, *arguments: Any) -> Any:
    """What a function gives as JSON."""
    out = ctypes.c_char_p()
    call(name, *arguments, ctypes.byref(out))
    return json.loads(out.value or b"null")


class Handle:
    """A run of the engine, which is dropped when nothing refers to this any more, or the interpreter ends."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.pointer = _Run()
        call("tacit_run_make", json.dumps(request).encode(), ctypes.byref(self.pointer))
        weakref.finalize(self, library().tacit_run_drop, self.pointer)


def error_of(told: dict[str, Any]) -> TacitError:
    """The exception for what the engine says of one of its own."""
    kind, text = told["kind"], told["text"]
    if kind == "parameter":
        return ParameterError(text, tuple(Problem(**problem) for problem in told["problems"]))
    if kind == "numerics":
        return NumericsError(text, told.get("step"), told.get("field", ""), told.get("element"))
    if kind in ("machine", "output", "stalled", "ranks"):
        error = MachineError(text)
        error.errno = told.get("errno") or None
        return error
    return {"format": FormatError, "input": InputError}.get(kind, InternalError)(text)
