"""Runs from Python: all at once, or step by step.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import math
import os
import sys
import tempfile
import time as clock
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from tacit import _engine, toml_text
from tacit.errors import InputError, StateError
from tacit.observers import Observers
from tacit.results import Results

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.fields import FieldView

Parameters = str | os.PathLike[str] | Mapping[str, Any]
Observer = Callable[["Simulation"], object]
_O = TypeVar("_O", bound=Observer)

_log = logging.getLogger("tacit")
_log.addHandler(logging.NullHandler())  # without a handler of the host's, warnings would be printed

_LOOK_EVERY_S = 0.05
"""How long the engine steps before Python looks whether Ctrl-C was pressed."""
_LINE_EVERY_S = 0.5
_MOST_STEPS = 2**64 - 1


def run(parameters: Parameters, output: str | os.PathLike[str] | None = None, *, set: Mapping[str, Any] | None = None,
        initial: Mapping[str, Any] | None = None, threads: int | None = None, restart: bool | str = False,
        observe: Observer | Sequence[Observer] = (), every: int | None = None, interval: float | None = None,
        progress: bool = False) -> Results:
    """Runs to the end, as the program does, and returns what is in the directory of the run.

    Args:
        parameters, output, set, initial, threads, restart, progress: as of `Simulation`.
        observe: functions that are called with the simulation; see `Simulation.observe`.
        every: number of steps between their calls.
        interval: code time between their calls.

    Raises:
        ParameterError, FormatError, NumericsError, MachineError: what the program would report; the text is the same.
        KeyboardInterrupt: of Ctrl-C, once the step in hand is done and a checkpoint is on disk.
        Exception: what a function of `observe` raises; the run has ended with a checkpoint then.
    """
    with Simulation(parameters, output, set=set, initial=initial, threads=threads, restart=restart,
                    progress=progress) as simulation:
        for function in [observe] if callable(observe) else observe:
            simulation.observe(function, every=every, interval=interval)
        return simulation.run()


class Simulation:
    """A run that Python drives. It prints nothing; what the program would print goes to the logger "tacit".

        with tacit.Simulation("run.toml", output="blast") as simulation:
            while simulation.step():
                print(simulation.time)

    Steps are those of the program, bit by bit: nothing that Python does between them changes what comes out. Files
    appear in the output directory at the times that the parameters say. Leaving the `with` block ends a run that has
    begun, with a checkpoint, so that it can be continued; a Simulation that is dropped without that leaves none. Any
    thread may call; while one is in the engine, other threads of Python go on.
    """

    def __init__(self, parameters: Parameters, output: str | os.PathLike[str] | None = None, *,
                 set: Mapping[str, Any] | None = None, initial: Mapping[str, Any] | None = None,
                 threads: int | None = None, restart: bool | str = False, progress: bool = False) -> None:
        """Reads and checks the input, and prepares the state; no result is written yet.

        Args:
            parameters: a parameter file, or its content as a dict: {"solver": "heat", "time": {"end": 1.0}}, or with
                dots in names. Relative paths in a dict begin in the working directory.
            output: directory for all results, in place of output.directory.
            set: keys that override those of the file: {"sph.eta": 1.3}. Quantities with units are texts: "2 kpc".
            initial: arrays to begin from, by name, in code units, in place of initial.setup and initial.file; copied.
                sph: positions and velocities (n, 3), masses, internal_energies, optionally smoothing_lengths and ids
                (n), or a dict of these for each type (gas, halo, disc, bulge, stars, black_holes); box.
                heat: temperature, optionally diffusivity and source, axes z, y, x. dns: u, v, w, optionally scalar1,
                ..., b, likewise. md: positions (n, 3), elements, cell, optionally velocities, masses, periodic.
                qcd, gauge: links, complex, (t, z, y, x, direction, row, column).
            threads: worker threads, in place of run.threads; 0: as many as this process may use.
            restart: True goes on from the newest sound checkpoint; "if_any" begins where there is none.
            progress: whether to write lines about the progress to stderr.

        Raises:
            ParameterError: the parameters are wrong: each problem with its file, line and key.
            InputError: an array of `initial` is missing, unknown or of a wrong shape.
            FormatError: an input file is not what its format says.
            MachineError: a file cannot be read, the directory is in use by another run, mpirun has started several
                ranks, ...
            EngineMissing: the package is installed without the engine.
        """
        self._state = _engine.State()
        self._observers = Observers()
        self._progress = progress
        self._last_line_s = -math.inf
        self._handle: _engine.Handle | None = None
        with tempfile.TemporaryDirectory(prefix="tacit-") as folder:  # the engine reads it here, and not again
            settings = dict(set or {})
            if initial is not None:
                from tacit import initial as arrays  # h5py is imported where it is needed

                settings |= arrays.keys_of(initial, parameters, settings, Path(folder))
            self._handle = _engine.Handle(_request(parameters, output, settings, threads, restart))
        about = self._text_from("tacit_run_about")
        self.solver: str = about["solver"]
        self.directory = Path(about["directory"])
        """Of all results."""
        self.parameters: str = about["parameters"]
        """As used, defaults included, in TOML."""
        self._axis: str = about["axis"]
        self._look()
        self._pass_on()

    # ---- what there is to know --------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """Of the present state [code time]; of a counted solver its number: of trajectories, of iterations."""
        return self._state.time

    @property
    def end(self) -> float:
        """Where the run ends, as `time`."""
        return self._state.end

    @property
    def dt(self) -> float:
        """Length of the last step [code time]; 0 before the first one."""
        return self._state.dt

    @property
    def steps(self) -> int:
        """Taken so far, those before a restart included."""
        return self._state.step

    @property
    def is_over(self) -> bool:
        """Whether there is no next step: the end is reached, or something has stopped or ended the run."""
        return self._state.phase not in (_engine.MADE, _engine.GOES_ON)

    @property
    def was_stopped(self) -> bool:
        """Whether a file STOP, or the clock (run.wall_limit), has asked the run to end early."""
        return self._state.phase == _engine.STOPPED

    @property
    def statistics(self) -> dict[str, float]:
        """The last line of statistics.csv by the names of its columns, in code units; empty before the run begins.

        Lines come at the times of output.statistics_every. All of them: `results.statistics`.
        """
        return {name: float(column[-1]) for name, column in self.results.statistics.items()}

    @property
    def results(self) -> Results:
        """What is in the directory of the run so far."""
        return Results(self.directory)

    # ---- fields -----------------------------------------------------------------------------------------------------

    @property
    def fields(self) -> dict[str, str]:
        """The fields that can be looked at without a copy, by name, and what each is; empty of solvers that keep theirs
        in cells or halves: ask for a copy of a field of their snapshots."""
        self._require_run()
        return {told["name"]: told["meaning"] for told in self._text_from("tacit_run_fields")}

    def field(self, name: str, *, copy: bool = False) -> FieldView | NDArray[Any]:
        """A field of the present state, in code units.

        Args:
            name: one of `fields`; with `copy` also that of an array in the solver's snapshots, "PartType0/Densities" or
                its end, "Densities".
            copy: whether to take a copy, which stays as it is.

        Returns:
            Without `copy` a read-only view of the engine's memory, axes as in snapshots (z, y, x of a grid): once a
            step has been taken it raises StateError. A copy of an array in snapshots is made by writing one, in
            double precision, and comes in its order.

        Raises:
            InputError: if there is no such field; names those that there are.
            StateError: after the run has ended.
        """
        import numpy as np

        from tacit.fields import copy_of, view_of

        self._require_run()
        told = next((one for one in self._text_from("tacit_run_fields") if one["name"] == name), None)
        if told is None and copy:
            return copy_of(name, self.write_snapshot)
        if told is None:
            known = ", ".join(self.fields)
            there_are = (f"there are {known}" if known else f"the memory of {self.solver} holds no plain arrays; with "
                         "copy=True there is a copy of each field of its snapshots")
            raise InputError(f"there is no view of a field '{name}': {there_are}")
        step = self.steps

        def flaw() -> str:
            if self._handle is None or self._state.phase in (_engine.ENDED, _engine.FAILED):
                return f"this view of '{name}' is of a run that has ended; np.array(view) before keeps what it shows"
            if self.steps != step:
                return (f"this view of '{name}' is of step {step}, and {self.steps - step} have been taken since: ask "
                        "for it again, or take copy=True")
            return ""

        view = view_of(told, self._handle, flaw)
        return np.array(view) if copy else view

    # ---- stepping ---------------------------------------------------------------------------------------------------

    def observe(self, function: _O, *, every: int | None = None, interval: float | None = None) -> _O:
        """Has `function` called with this simulation: once where the run begins, then between steps, and at the end.

        Args:
            every: after so many steps; 1 where neither is given.
            interval: after the first step past each multiple of so much code time; steps are not cut for it.

        An exception that it raises ends the run with a checkpoint, and leaves `run`.
        """
        self._observers.add(function, every, interval, self)
        return function

    def step(self) -> bool:
        """Takes one step, and writes what is due then; the first call also writes what is due at the begin.

        Returns:
            Whether a step was taken; False: the run is over.

        Raises:
            NumericsError, MachineError: see `run`. The run has ended then; what was written before stays.
            StateError: after the run has ended.
        """
        before = self._state.step
        self._begin()
        self._advance(1, math.inf, math.inf)
        if self._state.step == before:
            return False
        self._observers.call(self)
        return True

    def run(self, until: float | None = None) -> Results:
        """Goes on to the end of the run, and ends it; or only until the first step that reaches the time `until`.

        Raises:
            NumericsError: a number is not finite, a step too short, ...: says where the state is, and which checkpoint
                is the last valid one.
            MachineError: a file could not be written, ...
            KeyboardInterrupt: of Ctrl-C; the step in hand is done, and a checkpoint on disk.
            StateError: after the run has ended.
        """
        if self._state.phase == _engine.NOTHING_TO_DO:
            return self.results
        limit = math.inf if until is None else float(until)
        try:
            self._begin()
            while not self.is_over and self._state.time < limit:
                self._advance(min(self._observers.steps_left(self), _MOST_STEPS),
                              min(limit, self._observers.next_time()), _LOOK_EVERY_S)
                self._observers.call(self)
            return self.finish() if until is None else self.results
        except BaseException:
            self._end_after_error()
            raise

    def finish(self) -> Results:
        """Ends the run where it is: writes a checkpoint, the trace and the summary. Does nothing a second time."""
        if self._state.phase not in (_engine.ENDED, _engine.NOTHING_TO_DO):
            self._require_run()
            self._observers.call_last(self)
            self._end()
        return self.results

    def write_snapshot(self, path: str | os.PathLike[str]) -> Path:
        """Writes the present state, in double precision, into a file of the kind that the run's snapshots are.

        Raises:
            MachineError: if it cannot be written.
            NumericsError: if a number is not finite; there is no file then.
            StateError: after the run has ended.
        """
        self._require_run()
        path = Path(path).absolute()
        self._call("tacit_run_write_snapshot", os.fsencode(path))
        return path

    def close(self) -> None:
        """Ends a run that has begun, as `finish`; lets go of the directory and of the threads."""
        try:
            if self._state.phase in (_engine.GOES_ON, _engine.OVER, _engine.STOPPED):
                self.finish()
        finally:
            self._handle = None  # views of fields keep it for as long as they are there

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if error is not None:
            self._end_after_error()
        self.close()

    def __repr__(self) -> str:
        return f"<tacit.Simulation {self.solver} in {self.directory}: step {self.steps}, {self._axis} {self.time:g}>"

    # ---- calls of the engine ----------------------------------------------------------------------------------------

    def _require_run(self) -> None:
        phase = self._state.phase
        if self._handle is None:
            raise StateError("the simulation was closed: make another one, with restart=True to go on")
        if phase == _engine.ENDED:
            raise StateError("the run has ended: make another Simulation, with restart=True to go on with a later end")
        if phase == _engine.NOTHING_TO_DO:
            raise StateError(f"the run in {self.directory} had already ended: there is nothing to do; to go on from "
                             "there, raise its end")
        if phase == _engine.FAILED:
            raise StateError("the run has failed: make another Simulation, with restart=True to go on from the last "
                             "checkpoint")

    def _call(self, name: str, *arguments: Any) -> None:
        _engine.call(name, self._handle.pointer, *arguments)

    def _text_from(self, name: str) -> Any:
        return _engine.text_from(name, self._handle.pointer)

    def _begin(self) -> None:
        self._require_run()
        if self._state.phase == _engine.MADE:
            self._advance(0, math.inf, math.inf)
            self._observers.begin(self)

    def _advance(self, steps: int, until: float, wall_s: float) -> None:
        try:
            self._call("tacit_run_advance", steps, until, wall_s, ctypes.byref(self._state))
        except BaseException:
            self._look()
            raise
        finally:
            self._pass_on()

    def _end(self) -> None:
        try:
            self._text_from("tacit_run_end")
        finally:
            self._look()
            self._pass_on()

    def _end_after_error(self) -> None:
        """The error that led here counts, not one of the end."""
        if self._handle is not None and self._state.phase in (_engine.GOES_ON, _engine.OVER, _engine.STOPPED):
            with contextlib.suppress(Exception):
                self._end()

    def _look(self) -> None:
        self._call("tacit_run_state", ctypes.byref(self._state))

    def _pass_on(self) -> None:
        """Notes to the logger; lines of progress to stderr."""
        for note in self._text_from("tacit_run_notes"):
            is_warning = note.startswith("warning: ")
            _log.log(logging.WARNING if is_warning else logging.INFO, "%s", note.removeprefix("warning: "))
            if self._progress:
                print(note, file=sys.stderr, flush=True)
        now = clock.monotonic()
        if self._progress and now - self._last_line_s >= _LINE_EVERY_S:
            self._last_line_s = now
            print(f"{self._axis} {self.time:.4g} of {self.end:.4g}  step {self.steps}", file=sys.stderr, flush=True)


def _request(parameters: Parameters, output: str | os.PathLike[str] | None, set: Mapping[str, Any] | None,
             threads: int | None, restart: bool | str) -> dict[str, Any]:
    """What the engine is asked for."""
    if restart not in (True, False, "if_any"):
        raise InputError(f'restart={restart!r}: expected True, False or "if_any"')
    if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int)):
        raise InputError(f"threads={threads!r}: expected a whole number, 0 for as many as this process may use")
    request = {"settings": toml_text.settings(set or {}), "threads": "" if threads is None else str(threads),
               "output": "" if output is None else os.fspath(output),
               "restart": {True: "always", False: "never"}.get(restart, restart)}
    if isinstance(parameters, Mapping):
        return {**request, "file": "parameters", "text": toml_text.document(parameters)}
    return {**request, "file": os.fspath(parameters)}
