"""Opens HDF5 files of runs, whose arrays may lie in parts beside them.

SPDX-License-Identifier: Apache-2.0

HDF5 gives fill values for what a missing part should hold, and says nothing.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import h5py

from tacit.errors import InputError

_TRAILER = struct.Struct("<8s6QQ")  # behind the data of each part; its hash stands for all of it
_MAGIC = b"TACITSUM"


def open_whole(path: Path) -> h5py.File:
    """The file, once its parts have been found to be those that it names.

    Compares names, bytes and the hashes that stand at the end of the parts; their data, `tacit info --verify`.

    Raises:
        InputError: which names the part that is missing, cut off or of another file.
        OSError: as h5py does.
    """
    file = h5py.File(path)
    try:
        for name, size, hash_of_part in _named(path, file):
            flaw = _flaw(_beside(path, name), size, hash_of_part)
            if flaw:
                raise InputError(f"{path}: its part {name} {flaw}")
    except BaseException:
        file.close()
        raise
    return file


def text_of(value: Any) -> str:
    """A text that an attribute holds, as HDF5 gives it: of bytes, or as it is."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _named(path: Path, file: h5py.File) -> list[tuple[str, int, int]]:
    """Name, bytes and hash of each part; none of a file without parts."""
    text = file["Parts"].attrs.get("files", b"") if "Parts" in file else b""
    lines = text_of(text).splitlines()
    try:
        named = [(name, int(size), int(digits, 16)) for name, size, digits in map(str.split, lines)]
    except ValueError as error:
        raise InputError(f"{path}: the list of its parts is damaged") from error
    if any(Path(name).name != name for name, _, _ in named):  # a hostile file could name any other
        raise InputError(f"{path}: the list of its parts is damaged")
    return named


def _beside(path: Path, name: str) -> Path:
    """Where HDF5 finds a part: beside the file, else beside the one to which it leads as a link."""
    here = path.parent / name
    return here if here.exists() else path.resolve().parent / name


def _flaw(part: Path, size: int, hash_of_part: int) -> str:
    """What is wrong with a part, to follow its name; empty if it is the one that is named."""
    try:
        with part.open("rb") as file:
            end = file.seek(0, 2)
            if end != size:
                return f"has {end} bytes, expected {size}: it is cut off, or that of another file"
            file.seek(max(0, end - _TRAILER.size))
            trailer = file.read(_TRAILER.size)
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    if len(trailer) != _TRAILER.size or not trailer.startswith(_MAGIC):
        return "has no checksums behind its data"
    is_named = _TRAILER.unpack(trailer)[-1] == hash_of_part
    return "" if is_named else "is that of another file: its checksums are not those that were written"
