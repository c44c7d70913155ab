#!/usr/bin/env python3
# Makes a new solver: a running copy of solvers/skeleton under another name, entered in every list.
# SPDX-License-Identifier: Apache-2.0
"""usage: tools/new_solver.py NAME

Copies src/tacit/solvers/skeleton, its tests and its example to NAME, and enters NAME in cmake/layers.txt,
CMakeLists.txt, tests/CMakeLists.txt and src/tacit/solvers/registry.cpp. Then

    ./tacit run examples/NAME/first/run.toml

runs the copy, which is to become the new solver: docs/guide/write-a-solver.md goes through it step by step. The tests
of all solvers take its name from the registry. Nothing is written if something is in the way.
"""
from __future__ import annotations

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

MODEL = "skeleton"
ROOT = pathlib.Path(__file__).resolve().parent.parent
TEXT = {".cpp", ".hpp", ".md", ".toml", ".py", ".txt"}
KEYWORDS = set("""
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class co_await
co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do
double dynamic_cast else enum explicit export extern false final float for friend goto if import inline int long
module mutable namespace new noexcept not not_eq nullptr operator or or_eq override private protected public register
reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template this
thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor
xor_eq
""".split())

STRINGS_AND_COMMENTS = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*')


class Refused(Exception):
    """What is in the way, for the user."""


def capital(name: str) -> str:
    """shallow_water -> ShallowWater"""
    return "".join(word.capitalize() for word in name.split("_"))


def renamed(text: str, name: str) -> str:
    """The word stands for the name and for nothing else."""
    return text.replace(MODEL, name).replace(capital(MODEL), capital(name))


def renamed_path(path: pathlib.Path, name: str) -> pathlib.Path:
    """src/tacit/solvers/skeleton/skeleton_solver.hpp -> src/tacit/solvers/NAME/NAME_solver.hpp; run.toml becomes an
    example."""
    if path.name == "run.toml":
        return pathlib.Path("examples") / name / "first" / path.name
    return pathlib.Path(renamed(str(path), name))


def models(root: pathlib.Path) -> list[pathlib.Path]:
    """What is copied, relative to the root."""
    folders = [root / "src/tacit/solvers" / MODEL, root / "tests/unit/solvers" / MODEL]
    return [p.relative_to(root) for folder in folders for p in sorted(folder.rglob("*")) if p.suffix in TEXT]


def insert_after(text: str, pattern: str, addition: str, where: str) -> str:
    """Adds a line behind the last that matches."""
    matches = list(re.finditer(pattern, text, re.MULTILINE))
    if not matches:
        raise Refused(f"{where}: no line of a solver, behind which the new one would come")
    end = matches[-1].end()
    return text[:end] + addition + text[end:]


def lists(root: pathlib.Path, name: str) -> dict[pathlib.Path, str]:
    """The files that list solvers, with the new one."""

    def read(path: str) -> str:
        return (root / path).read_text(encoding="utf-8")

    changed: dict[str, str] = {}
    layers = read("cmake/layers.txt")
    row = re.search(rf"^solvers/{MODEL} *:(.*)$", layers, re.MULTILINE)
    if not row:
        raise Refused(f"cmake/layers.txt: no row of solvers/{MODEL}")
    own_row = f"{'solvers/' + name:<16} :{row[1]}\n"
    layers = insert_after(layers, rf"^solvers/{MODEL} *:.*\n", own_row, "cmake/layers.txt")
    changed["cmake/layers.txt"] = re.sub(r"(?m)^(solvers/registry *:.*)$", rf"\1 solvers/{name}", layers)
    changed["CMakeLists.txt"] = insert_after(read("CMakeLists.txt"), r"^tacit_layer\(solvers/(?!registry)\w+.*\n",
                                             f"tacit_layer(solvers/{name})\n", "CMakeLists.txt")
    tests = read("tests/CMakeLists.txt")
    unit = re.search(rf"^tacit_unit_test\(solvers/{MODEL}\b(.*)\)\n", tests, re.MULTILINE)
    changed["tests/CMakeLists.txt"] = insert_after(tests, rf"^tacit_unit_test\(solvers/{MODEL}\b.*\n",
                                                   f"tacit_unit_test(solvers/{name}{unit[1] if unit else ''})\n",
                                                   "tests/CMakeLists.txt")
    registry = read("src/tacit/solvers/registry.cpp")
    registry = insert_after(registry, r'^#include "tacit/solvers/\w+/.*\n',
                            f'#include "tacit/solvers/{name}/{name}_solver.hpp"\n', "registry.cpp")
    count = re.search(r"SolverEntry\*, (\d+)> all\{", registry)
    if not count:
        raise Refused("registry.cpp: the list of solvers is not found")
    registry = registry.replace(count[0], f"SolverEntry*, {int(count[1]) + 1}> all{{", 1)
    registry = re.sub(r"(&\w+::solver_entry\(\))\};", rf"\1, &{name}::solver_entry()}};", registry, count=1)
    changed["src/tacit/solvers/registry.cpp"] = registry
    return {root / path: text for path, text in changed.items()}


def words_of_code(root: pathlib.Path) -> set[str]:
    """Names in the model's code, outside of strings and comments: a namespace of that name would hide or break them."""
    found: set[str] = set()
    for path in models(root):
        if path.suffix in {".cpp", ".hpp"}:
            code = STRINGS_AND_COMMENTS.sub(" ", (root / path).read_text(encoding="utf-8"))
            found.update(re.findall(r"\b[a-z_][a-z0-9_]*\b", code))
    return found - {MODEL}


def tables_of_keys(root: pathlib.Path) -> set[str]:
    """The first words of all keys of parameter files."""
    return {table for path in (root / "src/tacit").rglob("*.cpp")
            for table in re.findall(r'\bKey::\w+\(\s*"([a-z0-9_]+)\.', path.read_text(encoding="utf-8"))}


def check_name(root: pathlib.Path, name: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        raise Refused(f"'{name}' cannot be the name of a solver: lower-case letters, digits and single _, as in "
                      "shallow_water")
    taken = {row.split("/")[-1].split(":")[0].strip()
             for row in (root / "cmake/layers.txt").read_text(encoding="utf-8").splitlines() if ":" in row}
    if name in taken or (root / "src/tacit" / name).exists():
        raise Refused(f"'{name}' is the name of a solver or a layer already")
    for what, words in {"a word of C++": KEYWORDS, "a table of keys in parameter files": tables_of_keys(root),
                        f"a name in the code of {MODEL}": words_of_code(root)}.items():
        if name in words:
            raise Refused(f"'{name}' cannot be the name of a solver: it is {what}")


def format_sources(root: pathlib.Path, paths: list[pathlib.Path]) -> None:
    """Breaks lines anew where the name is longer; left to the user where there is no clang-format."""
    program = shutil.which("clang-format-16")
    if program is not None:
        subprocess.run([program, "-i", *map(str, paths)], check=True, cwd=root)


def make(root: pathlib.Path, name: str) -> list[pathlib.Path]:
    """Writes the new solver. @return what was written, relative to the root"""
    check_name(root, name)
    files = {}
    for path in models(root):
        files[root / renamed_path(path, name)] = renamed((root / path).read_text(encoding="utf-8"), name)
    for path in files:
        if path.exists():
            raise Refused(f"{path.relative_to(root)} exists already")
    files.update(lists(root, name))
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    format_sources(root, [path for path in files if path.suffix in {".cpp", ".hpp"}])
    return sorted(path.relative_to(root) for path in files)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", metavar="NAME", help="of the solver: solver = \"NAME\" in parameter files")
    name = parser.parse_args().name
    try:
        written = make(ROOT, name)
    except Refused as error:
        print(f"new_solver.py: {error}", file=sys.stderr)
        return 2
    run = next(p for p in written if p.name == "run.toml")
    for path in written:
        print(path)
    print(f"\nthe solver '{name}' computes what {MODEL} does, until you change it; try it:\n  ./tacit run {run}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
