"""`tacit keys`: of a section, and of what contains a word.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from program import run, solvers, succeed, tacit, write_parameters


def names(text: str) -> list[str]:
    """The keys that a page of help describes."""
    return re.findall(r"^  ([a-z][\w.]*)  \(", text, re.M)


WORDS = [
    ("dns", "dns.nu", "'dns.viscosity'"),
    ("dns", "dns.re", "'dns.viscosity'"),
    ("dns", "dns.resolution", "'dns.points'"),
    ("dns", "dns.timestep", "'dns.dt'"),
    ("sph", "sph.eos", "'sph.equation_of_state'"),
    ("sph", "gravity.theta", "'gravity.angle'"),
    ("amr", "amr.max_level", "'amr.finest'"),
    ("amr", "amr.eos", "'amr.gamma'"),
    ("md", "md.timestep", "'md.dt'"),
    ("md", "md.thermostat", "the table [thermostat]"),
    ("qcd", "qcd.tol", "'solve.tolerance'"),
    ("qcd", "qcd.lattice", "'qcd.extents'"),
    ("md", "md.rcut", "'coulomb.cutoff' or 'lennard_jones.cutoff' or 'zbl.cutoff'"),
    ("heat", "heat.kappa", "'heat.diffusivity'"),
]
"""What users of other programs write, and what they mean."""


@pytest.mark.parametrize("solver, word, meant", WORDS)
def test_a_word_of_other_programs_leads_to_the_key(tmp_path: Path, solver: str, word: str, meant: str) -> None:
    (tmp_path / "run.toml").write_text(f'solver = "{solver}"\n')
    said = tacit("check", "run.toml", "--set", f"{word}=1", cwd=tmp_path).stderr
    assert f"--set: {word}: is not a key of this file\n  hint: did you mean {meant}?" in said, said
    if meant.startswith("'"):
        first = meant.split("'")[1]
        assert f"\n  {first}  (" in succeed("keys", solver, "--search", word.split(".")[1], cwd=tmp_path)


def test_section_search_and_both(tmp_path: Path) -> None:
    every = names(succeed("keys", "sph", cwd=tmp_path))
    section = succeed("keys", "sph", "time", cwd=tmp_path)
    assert names(section) == [name for name in every if name.startswith("time.")]
    assert section.startswith("Time\n\n  time.begin")
    assert names(succeed("keys", "sph", "time.end", cwd=tmp_path)) == ["time.end"]
    found = names(succeed("keys", "sph", "--search", "VISCOSITY", cwd=tmp_path))
    assert "sph.alpha" in found and "sph.scheme" in found, "help counts, and that of choices"
    assert len(found) < len(every) / 4
    assert names(succeed("keys", "dns", "dns", "--search", "viscosity", cwd=tmp_path))[0] == "dns.viscosity"
    both = succeed("keys", "--search", "stall", cwd=tmp_path)
    assert names(both) == ["run.stall_timeout"] * len(solvers()), "without a solver, those of each"


def test_units_follow_from_the_name_of_a_system(tmp_path: Path) -> None:
    """Those that the file does not give: results are the same bits, and a restart takes them for the same."""
    crystal = {"run.name": "crystal", "solver": "md", "md.units": "metal", "md.dt": "1 fs", "md.elements": "Si",
               "md.masses": [28.0855],
               "md.potential": "tersoff", "tersoff.parameters": "si_1988", "initial.setup": "lattice",
               "lattice.structure": "diamond", "lattice.constant": "5.432 Angstrom", "lattice.cells": [2, 2, 2],
               "velocities.temperature": "300 K", "time.end": "5 fs", "output.picture": False}
    given = {"units.length": "1 Angstrom", "units.mass": "1.602176634e-20 g", "units.velocity": "1e4 cm/s"}
    with_units, without = (run(tmp_path, crystal | more, name=name)
                           for name, more in (("with", given), ("without", {})))
    assert "length = 1e-08  # cm, default" in (without / "parameters.toml").read_text()
    assert tacit("diff", with_units, without, cwd=tmp_path).returncode == 0
    write_parameters(tmp_path / "more.toml", crystal | {"time.end": "10 fs", "run.threads": 1})
    assert "continues from step 5" in succeed("run", "more.toml", "--output", with_units, "--restart", cwd=tmp_path)
