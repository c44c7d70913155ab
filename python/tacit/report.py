"""The report of a run: one HTML file that needs nothing beside it.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

from tacit.errors import InputError
from tacit.results import Results

Row = tuple[str, ...]

_IS_DEFAULT = re.compile(r"#[^\"]*\bdefault$")
_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; color: #222; margin: 0 auto; max-width: 60rem; padding: 1rem; }}
h1 {{ font-size: 1.6rem; overflow-wrap: anywhere; }}
h2 {{ font-size: 1.2rem; margin-top: 2rem; border-bottom: 1px solid #ccc; }}
img {{ max-width: 100%; height: auto; }}
table {{ border-collapse: collapse; }}
td, th {{ padding: 0.15rem 1.2rem 0.15rem 0; text-align: left; vertical-align: top; overflow-wrap: anywhere; }}
th {{ font-weight: 600; }}
td + td {{ font-variant-numeric: tabular-nums; }}
pre, .wide {{ overflow-x: auto; }}
pre {{ background: #f6f6f6; padding: 0.8rem; font-size: 0.85rem; }}
.given {{ background: #fff3bf; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def write_report(directory: Path, output: Path | None = None) -> Path:
    """Writes the report of a run that has ended.

    Args:
        output: default: report.html in the directory.

    Raises:
        InputError: if the directory is not that of a run that has ended, or the report cannot be written.
    """
    from tacit.drawing.page import replace_whole

    if not directory.is_dir():
        raise InputError(f"{directory}: no such directory; give that of a run")
    target = output or directory / "report.html"
    text = report_of(directory)
    replace_whole(target, lambda partial: partial.write_text(text, encoding="utf-8"))
    return target


def report_of(directory: Path) -> str:
    """The report as HTML."""
    results = Results(directory)
    summary = results.summary
    name = directory.resolve().name
    head = f"{summary.get('solver', 'run')}: {name}"
    parts = [f"<h1>{escape(head)}</h1>", _outcome(summary), _warnings(summary), *_pictures(directory),
             _section("Conserved quantities", _conserved(summary)), _section("Where the time went", _costs(summary)),
             *_timeline(directory), _section("Machine and origin", _origin(summary)),
             _section("Parameters", _parameters(results.parameters))]
    return _PAGE.format(title=escape(head), body="\n".join(part for part in parts if part))


def limits_of(summary: dict[str, Any]) -> list[str]:
    """What held the run up, the most first, and what to do about it: shares of its time above a twentieth."""
    found = [(summary.get("exposed_share") or 0.0, "waiting for messages",
              "fewer ranks for this problem, or more work for each"),
             (summary.get("output_share") or 0.0, "waiting for output",
              "output.snapshot_every and output.checkpoint_every say how often files are written, "
              "output.staging_memory how much may wait"),
             (summary.get("idle_share") or 0.0, "workers without work",
              f"the tasks could keep {summary.get('parallelism') or 0.0:.1f} threads busy: run.threads, or a larger "
              "problem")]
    return [f"{100.0 * share:.0f} %: {what}; {advice}" for share, what, advice in sorted(found, reverse=True)
            if share > 0.05]


def _outcome(summary: dict[str, Any]) -> str:
    axis = next((key for key in ("time", "trajectory", "iteration") if key in summary), None)
    at = f" at {axis} {summary[axis]:g}" if axis else ""
    verdict = "It came to its end" if summary.get("finished") else "It was stopped, and can be continued"
    return (f"<p>{verdict}{escape(at)} after {summary['steps']:,} steps in {summary['wall_s']:.4g} s, on "
            f"{summary['ranks']} rank(s) of {summary['threads']} thread(s).</p>")


def _warnings(summary: dict[str, Any]) -> str:
    warnings = summary.get("warnings") or []
    return _section("Warnings", "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in warnings) + "</ul>"
                    if warnings else "")


def _conserved(summary: dict[str, Any]) -> str:
    rows = [(name, _number(entry["start"]), _number(entry["end"]), f"{entry['max_drift']:.2e}")
            for name, entry in summary.get("conserved", {}).items()]
    return _table(rows, ("quantity", "start", "end", "largest drift, of its scale")) if rows else ""


def _costs(summary: dict[str, Any]) -> str:
    rows = [("updates", f"{summary['updates']:,}"), ("updates/s per core", f"{summary['updates_per_core_s']:.4g}")]
    if summary.get("peak_share") is not None:
        binds = summary.get("peak", {}).get("limit", "machine")
        rows.append((f"share of what the {binds} allows", f"{100.0 * summary['peak_share']:.1f} %"))
    rows += [("workers idle", f"{100.0 * summary['idle_share']:.1f} %"),
             ("communication exposed", f"{100.0 * summary['exposed_share']:.1f} %"),
             ("output exposed", f"{100.0 * summary['output_share']:.1f} %"),
             ("written", f"{summary['output_bytes'] / 1e6:.4g} MB")]
    limits = limits_of(summary)
    held = "".join(f"<li>{escape(text)}</li>" for text in limits)
    return _table(rows) + (f"<p>What held it up:</p><ul>{held}</ul>" if limits else "<p>Nothing held it up.</p>")


def _origin(summary: dict[str, Any]) -> str:
    return _table([(name, str(value)) for name, value in summary.get("provenance", {}).items() if value])


def _parameters(text: str) -> str:
    """What the user gave stands out; other lines end with the comment that they are defaults."""
    lines = []
    for line in text.splitlines():
        is_given = "=" in line and not line.startswith("#") and not _IS_DEFAULT.search(line)
        lines.append(f'<span class="given">{escape(line)}</span>' if is_given else escape(line))
    return "<p>Marked: what was given.</p><pre>" + "\n".join(lines) + "</pre>"


def _pictures(directory: Path) -> Iterable[str]:
    yield _section("Results", _picture(directory, "the state at the end, and its history"))


def _timeline(directory: Path) -> Iterable[str]:
    trace = directory / "trace.json"
    yield _section("Time line of a step", _picture(trace, "what each worker did") if trace.is_file() else "")


def _picture(path: Path, words: str) -> str:
    """Drawn for this page; a reason, where there is nothing to draw."""
    from tacit.drawing.figure import figure_of
    from tacit.drawing.page import png
    from tacit.drawing.request import Request

    try:
        data = png(figure_of(path, Request()))
    except InputError as error:
        return f"<p>No picture: {escape(str(error))}</p>"
    return f'<img alt="{escape(words)}" src="data:image/png;base64,{base64.b64encode(data).decode()}">'


def _section(title: str, body: str) -> str:
    return f"<h2>{escape(title)}</h2>\n{body}" if body else ""


def _table(rows: Iterable[Row], head: Row = ()) -> str:
    lines = [_line(head, "th")] if head else []
    lines += [_line(row, "td") for row in rows]
    return '<div class="wide"><table>' + "".join(lines) + "</table></div>"


def _line(cells: Row, tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def _number(value: float | list[float]) -> str:
    return ", ".join(_number(one) for one in value) if isinstance(value, list) else f"{value:.6g}"
