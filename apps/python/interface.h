/* What the Python package calls: runs, stepped one call at a time. Everything rare goes as JSON. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Goes up whenever anything below changes: the package and the library must be of one kind. */
#define TACIT_PYTHON_INTERFACE 1

enum tacit_phase {
  TACIT_MADE = 0,          /* nothing is written yet */
  TACIT_GOES_ON = 1,       /* there is a next step */
  TACIT_OVER = 2,          /* the end, or the last step, is reached; to be ended */
  TACIT_STOPPED = 3,       /* asked to, by a file or the clock; to be ended */
  TACIT_ENDED = 4,         /* all is written */
  TACIT_NOTHING_TO_DO = 5, /* the restart of a run that is over */
  TACIT_FAILED = 6
};

typedef struct tacit_state {
  uint64_t step; /* taken so far, those before a restart included */
  double time;   /* on the axis [code time] */
  double dt;     /* of the last step [code time] */
  double begin;
  double end;
  int32_t phase;
  int32_t unused;
} tacit_state;

typedef struct tacit_run tacit_run;

/* Functions that return an int return 0, or 1 after an error, of which tacit_error then tells. Texts are UTF-8, and
   stay until the next call of the thread. From any thread. */

int tacit_interface(void);
const char* tacit_version(void);
/* {"kind": "parameter", "text": "...", "problems": [{"file", "line", "column", "key", "message", "hint"}], ...} */
const char* tacit_error(void);

/* request: {"file", "text" (may be missing), "settings": ["key=value"], "threads", "output", "restart": "never" |
   "always" | "if_any"} */
int tacit_run_make(const char* request, tacit_run** run);
/* Leaves what is on disk as it is; writes nothing more. */
void tacit_run_drop(tacit_run* run);
int tacit_run_state(tacit_run* run, tacit_state* state);
/* Takes steps until so many are taken, that time is reached, or so many seconds have passed; with 0 steps it writes
   what is due at the begin. */
int tacit_run_advance(tacit_run* run, uint64_t steps, double until, double wall_s, tacit_state* state);
/* Writes checkpoint, trace and summary. summary: as in summary.json */
int tacit_run_end(tacit_run* run, const char** summary);
int tacit_run_write_snapshot(tacit_run* run, const char* path);
/* {"solver", "axis", "directory", "parameters"} */
int tacit_run_about(tacit_run* run, const char** about);
/* [{"name", "symbol", "unit", "meaning", "type": "float64", "address", "shape", "strides": [byte]}]: fields in memory,
   until the next step. From then on the run keeps its memory until it is dropped. */
int tacit_run_fields(tacit_run* run, const char** fields);
/* ["warning: ...", ...], said since the last call */
int tacit_run_notes(tacit_run* run, const char** notes);

/* Compares a file, and its parts, with the checksums behind its data: {"has_checksums", "damage": "FILE: ...", or ""}
 */
int tacit_verify(const char* path, const char** verdict);
/* ["sph", ...] */
int tacit_solvers(const char** names);
/* The JSON Schema of a solver's parameter files, with the help on every key. */
int tacit_schema(const char* solver, const char** schema);

#ifdef __cplusplus
}
#endif
