"""Films and reports of runs.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import base64
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from program import run
from program import tacit as call
from tacit.cli import main
from tacit.report import limits_of

Capture = pytest.CaptureFixture[str]

NAME = "a <script>alert(1) & b"
BAR = {"solver": "heat", "initial.setup": "gaussian", "gaussian.width": 0.1, "heat.cells": [16, 8],
       "heat.diffusivity": 1.0, "time.end": 0.01, "output.snapshot_every": 0.002, "run.name": NAME}
NO_ELEMENTS_OF_ITS_OWN = {"meta", "link", "img"}


def by_package(*words: str | Path) -> int:
    """A command, in this process: each other one loads matplotlib first."""
    return main([str(word) for word in words])


@pytest.fixture(scope="module")
def bar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a run of six snapshots."""
    return run(tmp_path_factory.mktemp("bar"), BAR)


def test_the_program_passes_both_commands_on(tmp_path: Path) -> None:
    for command in ("movie", "report"):
        done = call(command, "nowhere", cwd=tmp_path)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == f"tacit {command}: nowhere: no such directory; give that of a run\n"


def test_a_film_has_a_picture_of_each_snapshot_in_the_same_colours(bar: Path, capfd: Capture) -> None:
    assert by_package("movie", bar, "--rate", "5", "--field", "temperature") == 0
    assert capfd.readouterr() == (f"{bar}/movie.gif\n", "")
    with Image.open(bar / "movie.gif") as film:
        assert film.n_frames == 6 and film.info["loop"] == 0 and film.info["duration"] == 200
        frames = []
        for number in range(6):
            film.seek(number)
            frames.append(np.asarray(film.convert("RGB"), dtype=int))
    assert len({frame.shape for frame in frames}) == 1
    # The spot fades, in colours that stay: the middle of the map gets darker in each picture.
    height, width = frames[0].shape[:2]
    middles = [frame[int(0.45 * height):int(0.6 * height), int(0.35 * width):int(0.55 * width)].mean()
               for frame in frames]
    assert all(a > b for a, b in zip(middles, middles[1:])), middles


def test_long_films_leave_pictures_out_and_short_ones_are_refused(bar: Path, tmp_path: Path, capfd: Capture) -> None:
    film = tmp_path / "short.gif"
    assert by_package("movie", bar, "--frames", "3", "--kind", "history", "--output", film) == 0
    capfd.readouterr()
    with Image.open(film) as picture:
        assert picture.n_frames == 3
    lone = tmp_path / "lone"
    lone.mkdir()
    shutil.copy(bar / "snapshot_0000.hdf5", lone)
    for arguments, told in (([lone], "a film needs two snapshots or more, and there is one"),
                            ([bar, "--output", tmp_path / "film.mp4"], "the ending must be .gif"),
                            ([bar, "--field", "rho"], "--field rho")):
        assert by_package("movie", *arguments) == 1
        out, error = capfd.readouterr()
        assert out == "" and told in error and error.count("\n") == 1
    assert not list(tmp_path.glob("*.mp4")) and not list(tmp_path.glob(".*"))


class Page(HTMLParser):
    """What a browser would make of it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in NO_ELEMENTS_OF_ITS_OWN:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_report_is_one_file_with_all_there_is_to_say(bar: Path, capfd: Capture) -> None:
    assert by_package("report", bar) == 0
    assert capfd.readouterr() == (f"{bar}/report.html\n", "")
    text = (bar / "report.html").read_text()
    page = Page(text)
    assert page.open == []  # well nested
    names = {tag for tag, _ in page.elements}
    assert not names & {"script", "iframe", "object", "form"} and NAME in page.text  # text stays text
    for tag, attributes in page.elements:
        assert not any(name.startswith("on") for name in attributes)
        for link in (attributes.get("src", ""), attributes.get("href", "")):
            assert link == "" or link.startswith("data:"), f"<{tag}> asks for {link[:80]}"
    assert "url(" not in text and "@import" not in text
    pictures = [attributes["src"] for tag, attributes in page.elements if tag == "img"]
    assert len(pictures) == 2
    for picture in pictures:
        assert base64.b64decode(picture.split(",")[1]).startswith(b"\x89PNG")
    summary = json.loads((bar / "summary.json").read_text())
    drift = f"{summary['conserved']['heat']['max_drift']:.2e}"
    for told in ("came to its end", f"{summary['steps']} steps", "heat", drift, summary["provenance"]["commit"],
                 summary["provenance"]["host"], "diffusivity = 1.0", "updates/s per core"):
        assert told in page.text, told
    given = re.findall(r'<span class="given">(\w+) = ', text)
    assert {"end", "snapshot_every", "diffusivity", "name"} <= set(given) and "cfl" not in given


def test_a_run_that_has_not_ended_has_no_report(bar: Path, tmp_path: Path, capfd: Capture) -> None:
    (tmp_path / "part").mkdir()
    shutil.copy(bar / "parameters.toml", tmp_path / "part")
    assert by_package("report", tmp_path / "part") == 1
    assert "summary.json: no such file: the run has not ended" in capfd.readouterr().err


def test_what_held_a_run_up() -> None:
    summary = {"exposed_share": 0.3, "output_share": 0.04, "idle_share": 0.5, "parallelism": 1.7}
    idle, messages = limits_of(summary)
    assert idle.startswith("50 %: workers without work") and "1.7 threads" in idle and messages.startswith("30 %")
    assert limits_of({"exposed_share": None}) == []
