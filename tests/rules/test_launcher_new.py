# Tests ./tacit new; test_new.py in tests/messages tries the files that it writes.
# SPDX-License-Identifier: Apache-2.0
"""It needs no program: the tree has a solver of a description and a file, and one without a file."""

import unittest

from launcher_sandbox import ROOT, LauncherTest


class New(LauncherTest):
    def setUp(self):
        super().setUp()
        for solver in ("sph", "bare"):
            folder = self.box.tree / "src/tacit/solvers" / solver / "described"
            folder.mkdir(parents=True)
            (folder / f"{solver}.json").touch()

    def files(self):
        """What there is, with what is in it."""
        return {path: path.read_text() for path in self.box.top.glob("*.toml") if not path.is_symlink()}

    def refuses(self, code, part, *words):
        """Asserts that nothing is written, and what is said."""
        before = self.files()
        result = self.box.run("new", *words)
        self.assertEqual((result.returncode, result.stdout), (code, ""))
        self.assertIn(part, result.stderr)
        self.assertEqual(self.files(), before)

    def test_writes_the_file_and_says_what_is_next(self):
        result = self.box.run("new", "sph")
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        self.assertIn("./tacit check sph.toml", result.stderr)
        written = (self.box.top / "sph.toml").read_text()
        self.assertEqual(written, (ROOT / "tools/new/sph.toml").read_text())
        self.assertEqual(self.box.run("new", "sph", "a name.toml").returncode, 0)
        self.assertEqual((self.box.top / "a name.toml").read_text(), written)
        self.assertEqual(self.box.calls(), [])

    def test_leaves_what_is_there_alone(self):
        (self.box.top / "sph.toml").write_text("mine")
        self.refuses(2, "sph.toml is there already; name another one: ./tacit new sph FILE", "sph")
        (self.box.top / "link.toml").symlink_to("nowhere.toml")
        self.refuses(2, "link.toml is there already", "sph", "link.toml")
        self.assertFalse((self.box.top / "nowhere.toml").exists())

    def test_other_words_are_refused(self):
        self.refuses(2, "of which solver?")
        self.refuses(2, "'sphh' is not one of bare sph", "sphh")
        self.refuses(2, "'bare' is not one of", "bare")
        self.refuses(2, "'../sph' is not one of", "../sph")
        self.refuses(2, "'run.txt' does not end in .toml", "sph", "run.txt")
        self.refuses(2, "'more' is one word too many", "sph", "a.toml", "more")
        self.refuses(4, "nowhere/a.toml cannot be written", "sph", "nowhere/a.toml")
        self.assertIn("bare sph", self.box.run("new", "--help").stdout)


if __name__ == "__main__":
    unittest.main()
