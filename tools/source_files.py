# Lists the project's own text files for the checks; needs no git, so that it works in an unpacked archive too.
# SPDX-License-Identifier: Apache-2.0
"""Used by check_layers.py, check_style.py and check_docs.py."""

import sys
from pathlib import Path

SKIPPED_FOLDERS = {"build", "output", "__pycache__", "node_modules"}
CODE_SUFFIXES = {".cpp", ".hpp", ".h", ".cu", ".cuh", ".py", ".sh", ".cmake"}


def project_files(root):
    """Yields every file below `root` that is not hidden, built or generated, in sorted order."""
    for path in sorted(root.iterdir()):
        if path.name.startswith(".") or path.name in SKIPPED_FOLDERS or path.name.startswith("build-"):
            continue
        if path.name.endswith(".egg-info") or path.is_symlink():
            continue
        if path.is_dir():
            yield from project_files(path)
        elif path.is_file():
            yield path


def is_code(path: Path):
    """True for files that carry an SPDX line and follow the style sheet."""
    return path.suffix in CODE_SUFFIXES or path.name in {"CMakeLists.txt", "tacit"}


def report(check):
    """Prints what `check(root)` complains of; returns the exit code. The root: the first argument, or our tree."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[1])
    complaints = check(root)
    print("\n".join(complaints), end="\n" if complaints else "")
    return 1 if complaints else 0
