"""Fields of a run that goes on: views of the engine's memory, or copies.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError, StateError

_TYPES = {"float32": np.float32, "float64": np.float64}


class FieldView(np.ndarray):
    """A field in the engine's memory, read-only and without a copy. What is computed from it is a plain array.

    The next step changes or moves that memory: from then on whatever is done with the view raises StateError. Take
    `np.array(view)` of what is to stay. (`np.asarray(view)` gives a plain array of the same memory, which cannot raise;
    the memory stays as long as there is one.)
    """

    unit: str
    """In words: "temperature time^-1"; numbers are in code units. Empty: a plain number."""
    meaning: str
    _flaw: Callable[[], str] | None
    """Says why the view is no longer good; None: the array has memory of its own."""

    def __array_finalize__(self, source: Any) -> None:
        has_own = bool(self.flags.owndata)
        self._flaw = None if has_own else getattr(source, "_flaw", None)
        self.unit = getattr(source, "unit", "")
        self.meaning = getattr(source, "meaning", "")

    def require_good(self) -> None:
        """Raises StateError if a step has been taken since."""
        if self._flaw is not None and (flaw := self._flaw()):
            raise StateError(flaw)

    def __array_ufunc__(self, function: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return getattr(function, method)(*map(_plain, inputs), **{name: _plain(one) for name, one in options.items()})

    def __array_function__(self, function: Callable[..., Any], types: Any, arguments: Any, options: Any) -> Any:
        return function(*map(_plain, arguments), **{name: _plain(one) for name, one in options.items()})


def _plain(value: Any) -> Any:
    """Views as plain arrays, once they have been found to be good; in lists, too."""
    if isinstance(value, FieldView):
        value.require_good()
        return value.view(np.ndarray)
    return type(value)(map(_plain, value)) if type(value) in (list, tuple) else value


def _guarded(name: str) -> Callable[..., Any]:
    method = getattr(np.ndarray, name)

    def call(self: FieldView, *arguments: Any, **options: Any) -> Any:
        self.require_good()
        return method(self, *arguments, **options)

    call.__name__, call.__doc__ = name, method.__doc__
    return call


# What reads numbers past ufuncs and functions of NumPy.
for _name in ("__getitem__", "__iter__", "__repr__", "__str__", "__format__", "__float__", "__int__", "__bool__",
              "__contains__", "__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "all", "any", "argmax",
              "argmin", "argsort", "astype", "choose", "clip", "compress", "copy", "cumprod", "cumsum", "dot",
              "dump", "dumps", "flatten", "item", "max", "mean", "min", "nonzero", "prod", "ravel", "repeat",
              "round", "searchsorted", "std", "sum", "take", "tobytes", "tofile", "tolist", "trace", "var"):
    setattr(FieldView, _name, _guarded(_name))


def view_of(told: dict[str, Any], keeper: object, flaw: Callable[[], str]) -> FieldView:
    """The view of a field.

    Args:
        told: what the engine says of it: address, type, shape, strides [byte].
        keeper: lives as long as the memory is looked at.
        flaw: see FieldView.
    """
    dtype = np.dtype(_TYPES[told["type"]])
    shape, strides = tuple(told["shape"]), tuple(told["strides"])
    length = dtype.itemsize + sum((count - 1) * stride for count, stride in zip(shape, strides))
    memory = (ctypes.c_char * (length if 0 not in shape else 0)).from_address(told["address"])
    memory.keeper = keeper
    flat = np.frombuffer(memoryview(memory).toreadonly(), dtype)  # no array made of it can be made writable
    view = np.lib.stride_tricks.as_strided(flat, shape, strides, writeable=False).view(FieldView)
    view._flaw, view.unit, view.meaning = flaw, told["unit"], told["meaning"]
    return view


def copy_of(name: str, write_snapshot: Callable[[Path], Path]) -> NDArray[Any]:
    """An array of the present state by its name in snapshots: all of it, "PartType0/Densities", or its end.

    Raises:
        InputError: if there is no such array, or several; names those that there are.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = write_snapshot(Path(folder) / "now.hdf5")
        with h5py.File(path) as file:
            names: list[str] = []
            file.visititems(lambda one, item: names.append(one) if isinstance(item, h5py.Dataset) else None)
            found = [one for one in names if one == name] or [one for one in names if one.endswith("/" + name)]
            if len(found) != 1:
                problem = f"several fields are called '{name}'" if found else f"there is no field '{name}'"
                raise InputError(f"{problem}; there are {', '.join(found or names)}")
            return file[found[0]][()]
