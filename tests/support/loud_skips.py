"""A plugin of pytest: with CI=true a skipped test fails the session, unless its data may not be copied.

SPDX-License-Identifier: Apache-2.0

ctest sees one result of a whole session, so that a skip within it would go unnoticed (tools/ctest_report.py looks at
ctest's own).
"""

from __future__ import annotations

import os

import pytest

ALLOWED_REASON = "may not be copied"
_unexcused: list[str] = []


def pytest_configure(config: pytest.Config) -> None:
    """Makes the mark known, and leaves out what matplotlib uses of pyparsing: thousands of warnings, one a text."""
    for module in ("matplotlib", "pyparsing"):
        config.addinivalue_line("filterwarnings", f"ignore::DeprecationWarning:{module}")
    config.addinivalue_line("markers", "long: for ./tacit test --full (tests/support/TacitPytest.cmake)")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remembers tests that were skipped for another reason."""
    if report.skipped and ALLOWED_REASON not in str(report.longrepr):
        _unexcused.append(f"{report.nodeid}: {report.longrepr}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Lets the session fail."""
    if _unexcused and os.environ.get("CI") == "true" and session.exitstatus == 0:
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Names the tests."""
    for line in _unexcused:
        terminalreporter.write_line(f"skipped without leave: {line}")
