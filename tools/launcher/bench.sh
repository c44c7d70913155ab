# Part of ./tacit: builds the benchmarks, beside their peers, in a folder of their own.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034  # variables and helpers of ./tacit

# build_benchmarks BASE: makes bin/tacit-bench current. A peer that is no package here is left out by CMake.
build_benchmarks() {
  local purposes=(run) base=$1 code
  if is_current; then return; fi # another call built it while we waited
  mkdir -p "$build"
  : >"$log"
  load limits install solvers announce
  if type -P apt-get dpkg-query >/dev/null; then purposes+=(bench mpi); fi
  if [[ ! -f $build/.configured ]] && grep -qs '^TACIT_FETCH:BOOL=ON' "$base/CMakeCache.txt"; then
    user_options=(-DTACIT_FETCH=ON)
  fi
  ensure_installed "$build" "${purposes[@]}"
  announce_build ''
  compile "$build" tacit-bench -DTACIT_BENCH=ON
  code=$?
  if ((code != 0)); then give_up "$code" 'the build'; fi
}

# Is there no program to ask, help is what can be said without one.
bench_usage() {
  cat <<'END'
usage: ./tacit bench [NAME] [--json] [--quick]
  NAME      which benchmark; without it they are listed
  --json    results as JSON on stdout
  --quick   tiny sizes, to see that everything runs: the figures mean nothing
The first call builds the benchmarks, which takes minutes; ./tacit bench NAME --help then says what one measures.
END
}

bench_command() {
  local base=$build word
  build=$base/bench log=$base/bench/tacit-build.log program=$base/bench/bin/tacit-bench builder='./tacit bench'
  sources=("$root"/{src,bench,cmake,examples/comm,CMakeLists.txt})
  for word in "$@"; do
    if [[ $word == -h || $word == --help ]]; then
      if [[ -x $program ]]; then become "$@"; fi
      bench_usage
      exit 0
    fi
  done
  if ! may_build; then
    require_program
  elif ! is_current; then
    build=$base lock_build
    build_benchmarks "$base"
    exec 9>&-
  fi
  become "$@"
}
