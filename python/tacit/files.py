"""Files of runs, read when something of them is asked for.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from tacit import _engine
from tacit.errors import EngineMissing, FormatError, InputError
from tacit.history import read_columns
from tacit.parameters import parsed
from tacit.parts import open_whole, text_of
from tacit.results import Results


def load(path: str | Path, *, verify: bool = True) -> Results | DataFile | dict[str, NDArray[np.float64]]:
    """What is at a path: the directory of a run, an HDF5 file that a run wrote, or its statistics.csv.

    Args:
        verify: whether all bytes of an HDF5 file, and of its parts, are compared with the checksums behind its data.

    Returns:
        Results of a directory; a DataFile of an HDF5 file; of statistics.csv its columns by name, shape (lines) each.

    Raises:
        InputError: if there is nothing, or something else.
        FormatError: if a byte of the file is not what was written; names file and place.
    """
    path = Path(path)
    if path.is_dir():
        if not any((path / name).exists() for name in ("parameters.toml", "summary.json", "statistics.csv")):
            raise InputError(f"{path}: is not the directory of a run: it has no parameters.toml")
        return Results(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file or directory")
    if path.suffix == ".csv":
        return read_columns(path)
    return DataFile(path, verify=verify)


class DataFile(Mapping[str, NDArray[Any]]):
    """The arrays of a snapshot, a checkpoint or another HDF5 file by name; each is read when it is asked for.

    A name is that in the file, "PartType0/Densities", or its end where only one has it: "Densities". `attributes` has
    the attributes of a group, `header` those that every snapshot has.
    """

    def __init__(self, path: Path, *, verify: bool = True) -> None:
        self.path = path
        self.is_verified = False
        """Whether all bytes have been found to be those that were written. False: it was not asked for, the file has no
        checksums (a program other than Tacit wrote it), or the package has no engine, which compares them."""
        if verify:
            self._verify()
        try:
            self._file = open_whole(path)
        except OSError as error:
            raise InputError(f"{path}: cannot be read as HDF5: {' '.join(str(error).split())}") from error
        self._names: list[str] = []
        try:
            self._file.visititems(lambda name, one: self._names.append(name) if isinstance(one, h5py.Dataset) else None)
        except RuntimeError as error:  # what HDF5 says of a damaged directory
            self._file.close()
            raise FormatError(f"{path}: cannot be read as HDF5: {' '.join(str(error).split())}") from error

    def _verify(self) -> None:
        try:
            told = _engine.text_from("tacit_verify", str(self.path).encode())
        except EngineMissing:
            return
        if told["damage"]:
            raise FormatError(told["damage"])
        self.is_verified = told["has_checksums"]

    def dataset(self, name: str) -> h5py.Dataset:
        """An array that is still in the file: parts of it can be read.

        Raises:
            KeyError: if there is none of that name, or several; says which there are.
        """
        found = [one for one in self._names if one == name] or [one for one in self._names if one.endswith("/" + name)]
        if len(found) != 1:
            problem = f"several arrays are called '{name}'" if found else f"there is no array '{name}'"
            raise KeyError(f"{self.path}: {problem}; there are {', '.join(found or self._names)}")
        return self._file[found[0]]

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.dataset(name)[()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def attributes(self, group: str) -> dict[str, Any]:
        """The attributes of a group or an array; texts as str, single numbers as numbers.

        Raises:
            KeyError: if there is no such group.
        """
        return {name: _simple(value) for name, value in self._file[group].attrs.items()}

    @property
    def header(self) -> dict[str, Any]:
        """What the header says; empty of a file without one."""
        return self.attributes("Header") if "Header" in self._file else {}

    @property
    def time(self) -> float | None:
        """Of the state, in the units of the file; None where it does not say."""
        value = self.header.get("Time")
        return None if value is None else float(np.ravel(value)[0])

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the run, as nested dicts; empty where the file has none (or this Python, 3.10, no TOML)."""
        text = self.header.get("Parameters")
        if text is None and "Parameters" in self._file:
            text = self.attributes("Parameters").get("Tacit:parameter_file")
        return parsed(text_of(text)) if text is not None else {}

    def close(self) -> None:
        """Closes the file; arrays that were read stay."""
        self._file.close()

    def __enter__(self) -> DataFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<tacit.DataFile {self.path}: {len(self._names)} arrays>"


def _simple(value: Any) -> Any:
    if isinstance(value, bytes):
        return text_of(value)
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.ravel()[0]
    return text_of(value) if isinstance(value, bytes) else value.item() if isinstance(value, np.generic) else value
