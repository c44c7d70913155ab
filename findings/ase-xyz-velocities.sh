#!/usr/bin/env bash
# ASE 3.29.0 (the package ase of PyPI): extended XYZ with velocities in a column named velo, vel or velocities.
#
# Guessed: atoms.get_velocities() has them, as positions come from the column pos and masses from the column masses.
# Seen: the column is read without a word into atoms.arrays, and get_velocities() is zero: a run that starts from such a
# file starts cold. Only momenta, in ASE's own unit sqrt(u eV), become velocities. Others take velo or vel for them.
# What we do: files of md hold momenta and masses beside velo in physical units, and md reads momenta.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip -q install --disable-pip-version-check ase==3.29.0
cat >read.py <<'PY'
import ase.io
for name in ("velo", "vel", "velocities", "momenta"):
    with open("atom.xyz", "w", encoding="utf-8") as file:
        file.write(f'1\nLattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3:{name}:R:3 pbc="T T T"\n'
                   "Ar 1 2 3 0.5 0 0\n")
    atoms = ase.io.read("atom.xyz")
    print(name, "kept" if name in atoms.arrays else "lost", "moves" if atoms.get_velocities().any() else "is at rest")
PY
venv/bin/python read.py | tee seen
diff - seen <<'SEEN'
velo kept is at rest
vel kept is at rest
velocities kept is at rest
momenta kept moves
SEEN
echo "as described"
