# Tests the completion of words behind ./tacit.
# SPDX-License-Identifier: Apache-2.0
"""Bash itself completes: a word is asked for as the key for it would."""

import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def complete(*words: str, cwd: Path = ROOT) -> set[str]:
    """What bash offers for the last word."""
    script = (f"source {shlex.quote(str(ROOT / 'tools/completion.bash'))}\n"
              f"COMP_WORDS=({shlex.join([str(ROOT / 'tacit'), *words])})\nCOMP_CWORD={len(words)}\n_tacit\n"
              'printf "%s\\n" "${COMPREPLY[@]}"')
    done = subprocess.run(["bash", "-c", script], cwd=cwd, capture_output=True, text=True, check=True)
    assert done.stderr == "", done.stderr
    return set(done.stdout.split())


class Completion(unittest.TestCase):
    def test_commands_are_those_of_the_launcher(self):
        launcher = (ROOT / "tacit").read_text()
        cases = launcher[launcher.index("  case ${1:-} in"):launcher.index("*)\n      if [[ -x $program ]]")]
        known = {name for names in re.findall(r"^    ([a-z |]+)\)", cases, re.M) for name in names.split(" | ")}
        self.assertEqual(complete("") - {"--help", "--version"}, known | {"diff"})  # which the program alone knows
        self.assertEqual(complete("pl"), {"plot", "place"})

    def test_options_are_those_of_the_program(self):
        source = (ROOT / "apps/main.cpp").read_text()
        known = set(re.findall(r'"(--[a-z-]+)"', source)) - {"--version", "--blue-waters"} | {"--help"}
        offered = set().union(*(complete(name, "--") for name in
                                ("run", "check", "keys", "info", "diff", "trace", "place")))
        self.assertEqual(offered, known)
        self.assertNotIn("--restart", complete("check", "--"))

    def test_options_of_pictures_are_those_of_python(self):
        source = (ROOT / "python/tacit/cli.py").read_text()
        own, shared = source.split("def _add_request(plot")
        for command in ("plot", "movie", "report"):
            known = set(re.findall(rf'{command}\.add_argument\("(--[a-z-]+)"', own))
            if f"_add_request({command})" in own:
                known |= set(re.findall(r'plot\.add_argument\("(--[a-z-]+)"', shared))
            self.assertEqual(complete(command, "--") - {"--help"}, known)

    def test_solvers_keys_and_files(self):
        described = {path.stem for path in ROOT.glob("src/tacit/solvers/*/described/*.json")}
        self.assertEqual(complete("new", ""), described)
        self.assertEqual(complete("build", "m"), {"md"})
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "run.toml").write_text('# mine\nsolver = "md"\n')
            self.assertEqual(complete("run", "ru", cwd=folder), {"run.toml"})
            keys = complete("run", "run.toml", "--set", "md.", cwd=folder)
            self.assertIn("md.dt=", keys)
            self.assertTrue(all(key.startswith("md.") for key in keys))
            self.assertEqual(complete("run", "run.toml", "--set", "dns.", cwd=folder), set())
        self.assertIn("dns.viscosity=", complete("check", "--set", "dns."))  # of no file: of all solvers


if __name__ == "__main__":
    unittest.main()
