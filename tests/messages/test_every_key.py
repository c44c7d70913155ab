"""Every key wrong in type, range, unit and spelling: exactly the message that the key's own data predict.

SPDX-License-Identifier: Apache-2.0

The keys come from `tacit keys SOLVER --schema` (structure, ranges, choices) and `--markdown` (names of types), so a new
key is covered as soon as it stands in the table. A quantity of a new dimension needs its cgs unit in `CGS` below. Keys
that solvers share are tried with the first of them.
"""

from __future__ import annotations

import functools
import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from program import contents, environment, keys_of_example, program, solvers, tacit

CGS = {
    "length": "cm", "mass": "g", "time": "s", "velocity": "cm s^-1", "temperature": "K", "electric current": "A",
    "acceleration": "cm s^-2", "density": "g cm^-3", "pressure": "g cm^-1 s^-2", "energy": "g cm^2 s^-2",
    "specific energy": "cm^2 s^-2", "kinematic viscosity": "cm^2 s^-1",
    "length^-1": "cm^-1", "length^3 mass^-1 time^-2": "g^-1 cm^3 s^-2", "heating rate": "s^-1 K", "frequency": "s^-1",
    "power per mass": "cm^2 s^-3", "number density": "cm^-3",
}
"""The cgs unit of each dimension, as messages write it."""

BASE = {
    "sph": {"solver": '"sph"', "initial.setup": '"sedov"', "time.end": "0.001"},
    "dns": {"solver": '"dns"', "initial.setup": '"abc"', "time.end": "0.001", "dns.points": "4",
            "dns.viscosity": "0.01"},
    "heat": {"solver": '"heat"', "initial.setup": '"eigenmode"', "time.end": "0.001", "heat.cells": "[4]",
             "heat.diffusivity": "1.0"},
    "md": {"solver": '"md"', "initial.setup": '"lattice"', "time.end": "0.001", "lattice.cells": "[2]",
           "lattice.constant": "1.6", "md.dt": "0.005"},
    "qcd": {"solver": '"qcd"', "initial.setup": '"unit"', "iteration.end": "1", "qcd.extents": "[2, 2, 2, 2]",
            "qcd.mass": "0.1"},
    "gauge": {"solver": '"gauge"', "initial.setup": '"cold"', "sweep.end": "1", "gauge.extents": "[2, 2, 2, 2]",
              "gauge.beta": "6.0"},
    "amr": {"solver": '"amr"', "initial.setup": '"wave"', "time.end": "0.001", "amr.root": "[1]"},
}
BASE |= {solver: {key: json.dumps(value) for key, value in keys_of_example(solver).items()}
         for solver in solvers() if solver not in BASE}
FORMULA_HINT = 'write "1 + 0.1*sin(2*pi*x)"'


@dataclass(frozen=True)
class Key:
    """One key as its documentation describes it."""

    name: str
    type: str
    """"integer", "quantity (length)", ..."""
    schema: dict[str, object]
    solver: str = "sph"

    @property
    def table(self) -> str:
        """The table that it stands in; empty for the top of the file."""
        return self.name.rpartition(".")[0]

    @property
    def last(self) -> str:
        """Its name in that table."""
        return self.name.rpartition(".")[2]

    @property
    def dimension(self) -> str | None:
        """Of a quantity, or of the three of a vector."""
        match = re.fullmatch(r"(?:quantity|quantities|three quantities) \((.*)\)", self.type)
        return match.group(1) if match else None

    @property
    def a_dimension(self) -> str:
        """"a length", "an energy"; of one without a name what it consists of."""
        if "^" in self.dimension:
            return self.dimension
        return f"{'an' if self.dimension[0] in 'aeiou' else 'a'} {self.dimension}"

    @property
    def expected(self) -> str:
        """What messages call its type."""
        if self.is_choice:
            return ("one or several of " if self.is_list else "one of ") + ", ".join(self.element["enum"])
        names = {"true or false": "true or false", "integer": "an integer", "number": "a number", "text": "a text",
                 "path": "a path", "numbers": "one number or several", "text or integer": "a text or an integer",
                 "formula": "a formula"}
        if self.dimension is None:
            return names[self.type]
        if self.is_list:
            return f"one quantity or several ({self.dimension})"
        return self.type if self.is_vector else f"a {self.type}"

    @property
    def is_vector(self) -> bool:
        """Three quantities."""
        return "items" in self.schema

    @property
    def is_list(self) -> bool:
        """One value, or an array of any length."""
        return "anyOf" in self.schema

    @property
    def is_choice(self) -> bool:
        """One of some names, or several."""
        return self.type in ("choice", "choices")

    @property
    def element(self) -> dict[str, object]:
        """The schema of one value."""
        return self.schema["anyOf"][0] if self.is_list else self.schema.get("items", self.schema)

    @property
    def array(self) -> tuple[str, str]:
        """An array that is none of its values, and what messages call it."""
        return ("[[1, 2]]", "an array") if self.is_list else ("[1, 2]", "2 elements" if self.is_vector else "an array")

    def written(self, value: str) -> str:
        """This value in a parameter file, as often as the key wants it."""
        return f"[{value}, {value}, {value}]" if self.is_vector else value

    @property
    def range(self) -> str:
        """Its range as the documentation writes it."""
        lower, upper = self.bound("inimum"), self.bound("aximum")
        less = {True: "<", False: "<="}
        if lower and upper:
            return f"{lower[0]!r} {less[lower[1]]} value {less[upper[1]]} {upper[0]!r}"
        return f"value {'>' if lower[1] else '>='} {lower[0]!r}" if lower else f"value {less[upper[1]]} {upper[0]!r}"

    @property
    def bounds(self) -> str:
        """Its range as messages write it."""
        lower, upper = self.bound("inimum"), self.bound("aximum")
        parts = [f"{'>' if lower[1] else '>='} {lower[0]!r}"] if lower else []
        if upper:
            parts.append(f"{'<' if upper[1] else '<='} {upper[0]!r}")
        return " and ".join(parts)

    def bound(self, name: str) -> tuple[float, bool] | None:
        """A bound and whether it is open."""
        for key, is_open in (("m" + name, False), ("exclusiveM" + name, True)):
            if key in self.element:
                return self.element[key], is_open
        return None


@functools.cache
def _output(*arguments: str) -> str:
    return subprocess.run([program(), "keys", *arguments], env=environment(), capture_output=True, text=True,
                          check=True).stdout


def keys_of(solver: str) -> list[Key]:
    """All keys of a solver, those of every run too."""
    tables = _output(solver, "--markdown").partition("\n## Fields\n")[0]  # of keys
    types = dict(re.findall(r"^\| `([^`]+)` \| ([^|]+) \|", tables, re.MULTILINE))
    found: list[Key] = []

    def collect(prefix: str, properties: dict[str, dict]) -> None:
        for name, schema in properties.items():
            if "properties" in schema:
                collect(f"{prefix}{name}.", schema["properties"])
            else:
                found.append(Key(prefix + name, types[prefix + name].strip(), schema, solver))

    collect("", json.loads(_output(solver, "--schema"))["properties"])
    assert len(found) == len(types) > 30
    return found


@functools.cache
def keys() -> list[Key]:
    """All keys of all solvers, each once: a key means the same wherever all that is said of it is the same."""
    found: list[Key] = []
    for solver in BASE:
        known = [(key.name, key.type, key.schema) for key in found]
        found += [key for key in keys_of(solver) if (key.name, key.type, key.schema) not in known]
    return found


def text_of(entries: dict[str, str]) -> str:
    """A parameter file with one line for each entry."""
    tables: dict[str, str] = {"": ""}
    for name, value in entries.items():
        table, _, last = name.rpartition(".")
        tables[table] = tables.get(table, "") + f"{last} = {value}\n"
    return "".join((f"[{table}]\n" if table else "") + lines for table, lines in tables.items())


def place(text: str, key: str, of_value: bool = True, of_item: bool = False) -> str:
    """"line:column" of a key's value, of the first item of that, or of the key."""
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("["):
            table = line.strip("[]") + "."
        elif table + line.partition(" = ")[0] == key:
            return f"{number}:{line.index(' = ') + 4 + of_item if of_value else 1}"
    raise AssertionError(f"{key} is not in the file")


def check(folder: Path, about: Key, entries: dict[str, str], key: str, message: str, hint: str = "",
          of_value: bool = True) -> None:
    """The run is refused with this message about this key, and leaves nothing."""
    text = text_of(BASE[about.solver] | entries)
    (folder / "run.toml").write_text(text)
    before = contents(folder)
    done = tacit("run", "run.toml", cwd=folder)
    is_item = about.is_vector and "found" not in message or about.is_list
    of_item = of_value and is_item and entries[key].startswith("[")
    expected = f"run.toml:{place(text, key, of_value, of_item)}: {key}: {message}\n"
    expected += f"  hint: {hint}\n" if hint else ""
    if hint.endswith("..."):
        assert done.stderr.startswith(expected.removesuffix("...\n")) and done.stderr.count("\n") == 2
    else:
        assert done.stderr == expected
    assert (done.returncode, done.stdout) == (2, "")
    assert contents(folder) == before


def of_values() -> list[Key]:
    """All keys but tables whose names the user chooses."""
    return [key for key in keys() if key.type != "table of numbers"]


def of_type(*types: str) -> list[Key]:
    """The keys of these types."""
    return [key for key in keys() if key.type in types]


def ranged() -> list[tuple[Key, str]]:
    """Every end of every range."""
    return [(key, side) for key in keys() for side in ("lower", "upper")
            if key.bound("inimum" if side == "lower" else "aximum")]


def name_of(parameter: object) -> str | None:
    return f"{parameter.solver}:{parameter.name}" if isinstance(parameter, Key) else None


def sample(cases: list) -> list:
    """Of so many cases of one rule, each sixth for the quick suite; the others are long together."""
    return [case if number % 6 == 0 else pytest.param(*(case if isinstance(case, tuple) else (case,)),
                                                      marks=pytest.mark.long) for number, case in enumerate(cases)]


@pytest.mark.parametrize("key", sample(of_values()), ids=name_of)
def test_array_where_a_value_belongs(key: Key, tmp_path: Path) -> None:
    value, found = key.array
    is_one = not (key.is_list or key.is_vector)
    hint = f"it takes one value, as in   {key.name.rsplit('.', 1)[-1]} = ..." if is_one else ""
    check(tmp_path, key, {key.name: value}, key.name, f"expected {key.expected}, found {found}",
          FORMULA_HINT if key.type == "formula" else hint)


@pytest.mark.parametrize("key", sample(of_values()), ids=name_of)
def test_another_type(key: Key, tmp_path: Path) -> None:
    is_text = key.type in ("text", "path") or key.is_choice
    value, found = ("3", "an integer") if is_text or key.type == "true or false" else ("true", "true")
    takes_text = is_text or key.type == "text or integer"
    hint = "put it in quotes" if takes_text else "write [1.0, 1.0, 1.0]" if key.is_vector else ""
    hint = FORMULA_HINT if key.type == "formula" else hint
    check(tmp_path, key, {key.name: value}, key.name, f"expected {key.expected}, found {found}", hint)


@pytest.mark.parametrize("key", sample(of_type("true or false", "integer", "number", "numbers")), ids=name_of)
def test_quoted_value(key: Key, tmp_path: Path) -> None:
    value = "true" if key.type == "true or false" else "1"
    check(tmp_path, key, {key.name: f'"{value}"'}, key.name, f"expected {key.expected}, found a text",
          "remove the quotes")


@pytest.mark.parametrize(("key", "side"), sample(ranged()), ids=name_of)
def test_out_of_range(key: Key, side: str, tmp_path: Path) -> None:
    bound, is_open = key.bound("inimum" if side == "lower" else "aximum")
    value = bound if is_open else bound - 1 if side == "lower" else bound + 1
    check(tmp_path, key, {key.name: key.written(repr(value))}, key.name, f"must be {key.bounds} (got {value!r})")


@pytest.mark.parametrize("key", sample([key for key in keys() if key.dimension]), ids=name_of)
def test_quantity_out_of_range_with_unit(key: Key, tmp_path: Path) -> None:
    if key.bound("inimum") is None:
        # Without a range every number of the right dimension will do: only what is no number is refused.
        check(tmp_path, key, {key.name: key.written("nan")}, key.name, "nan is not a finite number")
        return
    text = f"-1 {CGS[key.dimension]}"
    check(tmp_path, key, {key.name: key.written(f'"{text}"')}, key.name, f"must be {key.bounds} (got '{text}')")


@pytest.mark.parametrize("key", sample([key for key in keys() if key.dimension]), ids=name_of)
def test_quantity_of_another_dimension(key: Key, tmp_path: Path) -> None:
    other = "time" if key.dimension != "time" else "length"
    text = f"1 {CGS[other]}"
    check(tmp_path, key, {key.name: key.written(f'"{text}"')}, key.name,
          f"'{text}' is a {other}, expected {key.a_dimension}",
          f'write {key.a_dimension}, as in "1.0 {CGS[key.dimension]}"')


@pytest.mark.parametrize("key", sample([key for key in keys() if key.dimension]), ids=name_of)
def test_quantity_without_unit(key: Key, tmp_path: Path) -> None:
    check(tmp_path, key, {key.name: key.written('"5"')}, key.name,
          f"'5' has no unit, expected {key.a_dimension}",
          f'without quotes it is in code units; with a unit it is "5 {CGS[key.dimension]}"')


@pytest.mark.parametrize("key", sample(of_type("choice", "choices")), ids=name_of)
def test_unknown_choice(key: Key, tmp_path: Path) -> None:
    choices = key.element["enum"]
    check(tmp_path, key, {key.name: '"something_else"'}, key.name,
          f"'something_else' is not one of {', '.join(choices)}")
    for choice in choices:
        misspelt = choice + choice[-1]
        check(tmp_path, key, {key.name: f'"{misspelt}"'}, key.name, f"'{misspelt}' is not one of {', '.join(choices)}",
              f"did you mean '{choice}'?")


@pytest.mark.parametrize("key", sample(keys()), ids=name_of)
def test_misspelt_key(key: Key, tmp_path: Path) -> None:
    misspelt = key.name + key.name[-1]
    check(tmp_path, key, {misspelt: "1"}, misspelt, "is not a key of this file", f"did you mean '{key.name}'?",
          of_value=False)


@pytest.mark.parametrize("key", sample(of_values()), ids=name_of)
def test_wrong_on_the_command_line(key: Key, tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(text_of(BASE[key.solver]))
    value, found = key.array
    done = tacit("run", "run.toml", "--set", f"{key.name}={value}", cwd=tmp_path)
    first, *hint = done.stderr.splitlines()
    assert first == f"--set: {key.name}: expected {key.expected}, found {found}"
    if key.type == "formula":
        assert hint == [f"  hint: {FORMULA_HINT}"]
        return
    assert [line.split(" = ")[0] for line in hint] == (
        [] if key.is_list or key.is_vector else [f"  hint: it takes one value, as in   {key.name.rsplit('.', 1)[-1]}"])
    assert done.returncode == 2


@pytest.mark.parametrize("key", [key for key in keys() if key.bound("inimum") or key.bound("aximum")], ids=name_of)
def test_documentation_names_the_range(key: Key) -> None:
    page = _output(key.solver, "--markdown")
    assert re.search(rf"^\| `{re.escape(key.name)}` \|.*\| {re.escape(key.range)} \|", page, re.MULTILINE)
