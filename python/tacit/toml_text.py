"""Writes values as TOML.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from tacit.errors import InputError


def value_text(value: Any, key: str) -> str:
    """A value as TOML writes it; numbers of NumPy are taken for Python's.

    Raises:
        InputError: which names the key, of a value that TOML cannot hold.
    """
    if hasattr(value, "tolist"):  # of NumPy: an array, or a number
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)  # the shortest form that reads back exactly; inf and nan as TOML has them
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # JSON's escapes are TOML's
    if isinstance(value, Mapping):
        pairs = (f"{_name(str(name))} = {value_text(one, f'{key}.{name}')}" for name, one in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(value_text(one, key) for one in value) + "]"
    raise InputError(f"{key}: a value of the type {type(value).__name__} cannot be a parameter; give a number, a text, "
                     "a path, True, False, or a list of these")


def settings(values: Mapping[str, Any]) -> list[str]:
    """As --set takes them: "sph.eta=1.3"."""
    return [f"{key}={value_text(value, key)}" for key, value in _flat(values)]


def document(values: Mapping[str, Any]) -> str:
    """A parameter file: one line for each key; tables may be dicts, or dots in names."""
    return "".join(f"{key} = {value_text(value, key)}\n" for key, value in _flat(values))


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if not isinstance(name, str):
            raise InputError(f"{prefix}{name}: names of parameters are texts")
        key = prefix + (name if prefix == "" else _name(name))
        if isinstance(value, Mapping):
            yield from _flat(value, key + ".")
        else:
            yield key, value


def _name(name: str) -> str:
    is_bare = name != "" and all(letter.isalnum() and letter.isascii() or letter in "-_." for letter in name)
    return name if is_bare else json.dumps(name)
