# Part of ./tacit: builds the tests in several configurations and runs them.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034  # variables and helpers of ./tacit
#
# Labels of ctest: tests labelled "full" wait for --full, "stress" for --stress; "rules" (on files, or too
# slow for sanitizers) run in the first configuration only. What the quick suite has tested is not tested again by
# --full, as long as no source and no program has changed since. Sanitizers are for what has changed in the last two
# days and for what that can reach (tools/reach.py): with --sanitize one of them, on the changed layers, as far as some
# minutes go, with --full all of them. With CI=true a skipped test is a failure (tools/ctest_report.py).

full=no
everything=no # all layers with --full
stress=no
cache=()
solver=  # whose tests run alone
sanitize= # minutes for the changed layers alone
minute=${TACIT_TEST_MINUTE:-60} # of so many seconds; the launcher's own tests have shorter ones
ctest_arguments=()
results=()
failures=0
reports=() # of tests that failed, by configuration
# A compiler newer than ours may warn of something new; that must not keep a user from testing.
if [[ ${CI:-} == true ]]; then warnings_as_errors=ON; else warnings_as_errors=OFF; fi

parse_test_arguments() {
  while (($# > 0)); do
    case $1 in
      --full) full=yes ;;
      --full=all) full=yes everything=yes ;;
      --stress) stress=yes ;;
      --solver=*) solver=${1#*=} ;;
      --solver)
        solver=${2:--} # which is none
        shift $(($# > 1))
        ;;
      --sanitize) sanitize=12 ;;
      --sanitize=[1-9]*) sanitize=${1#*=} ;;
      --) ctest_arguments=("${@:2}") && return ;;
      *)
        usage
        fail 2 "test: '$1' is none of --full, --full=all, --stress, --sanitize[=MINUTES] and --solver NAME;" \
          'arguments for ctest come after --'
        ;;
    esac
    shift
  done
  if [[ -n $sanitize && ! $sanitize =~ ^[0-9]{1,4}$ ]]; then
    fail 2 "test: --sanitize=$sanitize is no number of minutes"
  fi
  if [[ -n $solver ]]; then check_solver; fi
  if [[ -n $sanitize && $full$stress != nono ]]; then
    fail 2 'test: --sanitize goes with neither --full nor --stress'
  fi
}

check_solver() {
  local folder names=()
  if [[ -n $sanitize || $full$stress != nono ]]; then
    fail 2 'test: --solver goes with none of --full, --stress and --sanitize'
  fi
  for folder in "$root"/tests/unit/solvers/*; do names+=("${folder##*/}"); done
  [[ " ${names[*]} " == *" $solver "* ]] || fail 2 "test: --solver $solver: it is none of ${names[*]}"
}

# What ctest has of one solver: its own tests, and those which all must pass.
tests_of_solver() {
  echo "^(solvers/$1: |(physics|ranks): $1([ ,]|\$)|physics: examples, |messages: of every key, a sample\$)"
}

# Labels that the run leaves out, as one expression; $1: further ones.
left_out() {
  local labels=$1
  if [[ $full == no ]]; then labels+='|full'; fi
  if [[ $stress == no ]]; then labels+='|stress'; fi
  echo "^(${labels#|})$"
}

# Addresses chosen at random can collide with a sanitizer's shadow memory; where the kernel allows it, they are fixed.
fixed_addresses() { if setarch "$(uname -m)" -R true 2>/dev/null; then echo setarch "$(uname -m)" -R; fi; }

# Whether nothing has changed since the quick suite passed with the first configuration.
quick_suite_holds() {
  [[ -f $build/quick-passed ]] || return 1
  [[ -z $(find "$root" -name .git -prune -o -name __pycache__ -prune -o -path "$root/build*" -prune -o \
    -path "$root/output" -prune -o -type f -newer "$build/quick-passed" -print -quit) ]] || return 1
  [[ -z $(find "$build/bin" -type f ! -name 'tacit-bench*' -newer "$build/quick-passed" -print -quit 2>/dev/null) ]]
}

# start_ctest DIR CTEST-ARGUMENT...: what the tests start finds the program, Python and sources of this very build.
start_ctest() {
  local dir=$1 prefix=() python=$venv/bin/python
  shift
  if [[ $dir != "$build" ]]; then read -r -a prefix < <(fixed_addresses); fi
  if [[ -n ${TACIT_PYTHON:-} ]]; then python=$TACIT_PYTHON; elif ! venv_ready; then python=; fi
  in_group - env TACIT_BUILD_DIR="$dir" TACIT_NO_BUILD=1 TACIT_SOURCE="$root" TACIT_LAUNCHER="$self" \
    ${python:+"TACIT_PYTHON=$python"} TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1" \
    UBSAN_OPTIONS="print_stacktrace=1" \
    ${deadline:+timeout --kill-after=20 $((deadline > SECONDS ? deadline - SECONDS : 1))} \
    "${prefix[@]}" ctest --test-dir "$dir" --output-on-failure "$@"
}

# passes_again DIR NUMBER TIMES NAME: runs a test alone, so often, until it does not pass.
passes_again() {
  local dir=$1 turn
  for ((turn = 1; turn <= $3; ++turn)); do
    say "test: \"$4\" has failed, and runs again, alone ($turn of $3)"
    rm -f "$dir/again.xml"
    start_ctest "$dir" -j 1 -I "$2,$2" --output-junit "$dir/again.xml" || return
    python3 "$root/tools/ctest_report.py" passed "$dir/again.xml" || return
  done
}

# Whether all that has failed in a folder is unsteady: it passes three times now, once if it had run out of time, which
# nobody can wait for so often. After the first that does not, the others are failures as well.
is_only_unsteady() {
  local dir=$1 failed number times name kept
  type -P python3 >/dev/null || return
  mapfile -t failed < <(python3 "$root/tools/ctest_report.py" again "$dir")
  ((${#failed[@]} > 0)) || return
  for name in "${failed[@]}"; do
    IFS=$'\t' read -r number times name <<<"$name"
    passes_again "$dir" "$number" "$times" "$name" || return
    kept=$(python3 "$root/tools/ctest_report.py" keep "$dir" "$number" "$name") || return
    reports+=("unsteady: $name: failed once, then passed when run alone ($times of $times); what it said: $kept")
  done
}

# run_ctest DIR CTEST-ARGUMENT...: runs the tests, and again what fails.
run_ctest() {
  local dir=$1 code=0
  shift
  rm -rf "$dir/tests.xml" "$dir/tests.log" "$dir/Testing/Temporary/LastTestsFailed.log"
  start_ctest "$dir" --no-tests=error -j "$(count_jobs)" --output-log "$dir/tests.log" \
    --output-junit "$dir/tests.xml" --test-output-size-passed 1000000 "$@" "${ctest_arguments[@]}" || code=$?
  if ((code != 0 && code != 124 && code != 137)); then # not stopped at the deadline
    is_only_unsteady "$dir" && return
  fi
  return "$code"
}

# Sets cache: options of CMake by which tests are compiled once, in whatever folder their sources are. A cache knows a
# file by its text after the preprocessor, and would keep none that has precompiled headers.
use_compiler_cache() {
  local launcher='' precompile=ON
  if type -P ccache >/dev/null && [[ $cxx != *ccache* ]]; then
    export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=true
    launcher=ccache precompile=OFF
  fi
  cache=("-DCMAKE_C_COMPILER_LAUNCHER=$launcher" "-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher"
    "-DTACIT_PRECOMPILE=$precompile")
}

# note_result NAME DIR BUILD-SECONDS TEST-SECONDS VERDICT: a line of the summary; what failed is told again at its end.
note_result() {
  local name=$1 dir=$2 verdict=$5
  if [[ $verdict != passed ]]; then failures=$((failures + 1)); fi
  if [[ $verdict == TESTS* ]] && type -P python3 >/dev/null; then
    reports+=("$name:" "$(python3 "$root/tools/ctest_report.py" failures "$dir/tests.xml" 2>&1)")
  fi
  results+=("$(printf '%-34s build %4d s   tests %4d s   %s' "$name" "$3" "$4" "$verdict")")
}

# Continuous integration skips nothing silently.
nothing_skipped() {
  [[ ${CI:-} != true ]] || python3 "$root/tools/ctest_report.py" skips "$1/tests.xml" >&2
}

# test_one NAME DIR TARGETS [CTEST-ARGUMENT...] -- OPTION...: builds and tests one configuration with the compiler cxx.
test_one() {
  local name=$1 dir=$2 targets=$3 selection=() held=no build_time test_time verdict=passed start=$SECONDS
  shift 3
  while [[ $1 != -- ]]; do
    selection+=("$1")
    shift
  done
  shift
  mkdir -p "$dir"
  log=$dir/tacit-build.log
  : >"$log"
  say "test: $name: building in $dir"
  if compile "$dir" "$targets" -DTACIT_TESTS=ON -DTACIT_CHECKS=ON -DTACIT_WERROR="$warnings_as_errors" \
    "${cache[@]}" "$@"; then
    build_time=$((SECONDS - start)) start=$SECONDS
    if [[ $dir != "$build" ]]; then ln -sfn "$venv" "$dir/venv"; fi
    if [[ $dir == "$build" ]] && ! wait_for_venv; then explain_no_venv; fi
    if [[ $dir == "$build" && $full == yes ]] && quick_suite_holds; then
      selection+=(-L '^(full|stress)$') held=yes
      say "test: $name: the quick suite has passed with this very build, and is not run again"
    fi
    say "test: $name: built in $build_time s; testing"
    rm -rf "$dir/unsteady"
    run_ctest "$dir" "${selection[@]}" || verdict='TESTS FAILED'
    nothing_skipped "$dir" || verdict='TESTS FAILED OR SKIPPED'
    test_time=$((SECONDS - start))
    if [[ $dir == "$build" && $verdict == passed && ${#ctest_arguments[@]} == 0 && -z $solver ]]; then
      if [[ $held == yes ]]; then touch "$dir/quick-passed"; else cp "$dir/tests.xml" "$dir/quick-passed"; fi
    fi
  else
    build_time=$((SECONDS - start)) test_time=0 verdict="BUILD FAILED (exit code $?)"
    tail -n 20 "$log" >&2
  fi
  note_result "$name" "$dir" "$build_time" "$test_time" "$verdict"
}

readonly sanitized=(-DCMAKE_BUILD_TYPE=RelWithDebInfo)

# test_changed MINUTES: Clang with addresses and undefined behaviour, on the layers that have changed, the most specific
# first. When the time is over, what has not been tested is named; what failed until then counts.
test_changed() {
  local first=$cxx name='Clang, addresses, undefined' dir=$build-asan deadline=$((SECONDS + minute * $1)) verdict=passed
  local layer targets pattern build_time=0 test_time=0 omitted=()
  newest_compiler clang++ || fail 3 "test --sanitize needs Clang >= 16; found: ${refused:-none}"
  mkdir -p "$dir"
  rm -rf "$dir/unsteady"
  log=$dir/tacit-build.log
  : >"$log"
  while IFS=$'\t' read -r layer targets pattern <&7; do
    if ((deadline <= SECONDS)); then omitted+=("$layer"); else test_changed_layer; fi
  done 7< <(python3 "$root/tools/reach.py" --changed "$root")
  cxx=$first
  note_result "$name" "$dir" "$build_time" "$test_time" "$verdict"
  if ((${#omitted[@]} > 0)); then
    results+=("not tested with sanitizers, for the $1 minutes were over: ${omitted[*]}")
  fi
}

# One layer, for test_changed, whose variables it sets.
test_changed_layer() {
  local code=0 start=$SECONDS
  say "test: $name: $layer, for at most $((deadline - SECONDS)) s"
  compile "$dir" "$targets" -DTACIT_TESTS=ON -DTACIT_CHECKS=ON -DTACIT_WERROR="$warnings_as_errors" -DTACIT_BENCH=OFF \
    "${cache[@]}" "${sanitized[@]}" -DTACIT_SANITIZE=address,undefined || code=$?
  build_time=$((build_time + SECONDS - start)) start=$SECONDS
  if ((code == 124 || (code == 0 && deadline <= SECONDS))); then
    omitted+=("$layer")
    return
  elif ((code != 0)); then
    verdict="BUILD FAILED (exit code $code)"
    tail -n 20 "$log" >&2
    return
  fi
  ln -sfn "$venv" "$dir/venv"
  run_ctest "$dir" -R "$pattern" --no-tests=ignore -LE "$(left_out 'rules|full|docs')" || code=$?
  test_time=$((test_time + SECONDS - start))
  if ((code == 124 || code == 137)); then
    omitted+=("the rest of $layer")
    if grep -q '\*\*\*' "$dir/tests.log"; then verdict='TESTS FAILED'; fi
  elif ((code != 0)); then
    verdict='TESTS FAILED'
  elif [[ -f $dir/tests.xml ]] && ! nothing_skipped "$dir"; then
    verdict='TESTS FAILED OR SKIPPED'
  fi
}

# Sets targets, pattern and scheduler: what the sanitizers are for.
find_reach() {
  local answer
  targets=all pattern=. scheduler=yes
  if [[ $everything == yes ]] || ! answer=$(python3 "$root/tools/reach.py" "$root"); then return; fi
  { read -r targets; read -r pattern; read -r scheduler; } <<<"$answer"
}

# The configurations that --full adds to the first one. Tests labelled "full" say how often something holds, those
# labelled "docs" run what the documents say, which depends on no compiler: they run in the first configuration only.
# What a program says to a user is tested where a wrong address would be seen.
test_more() {
  local first=$cxx targets pattern scheduler
  find_reach
  if [[ -z $targets ]]; then
    results+=('sanitizers: the change reaches no layer')
    return
  fi
  newest_compiler clang++ || fail 3 "test --full needs Clang >= 16; found: ${refused:-none}"
  # Layers without threads have no test for a thread sanitizer.
  test_one 'Clang, addresses, undefined' "$build-asan" "$targets" -R "$pattern" --no-tests=ignore \
    -LE "$(left_out 'rules|full|docs')" -- "${sanitized[@]}" -DTACIT_SANITIZE=address,undefined
  test_one 'Clang, threads' "$build-tsan" "$targets" -R "$pattern" --no-tests=ignore \
    -LE "$(left_out 'rules|full|docs|messages')" -- "${sanitized[@]}" -DTACIT_SANITIZE=thread
  cxx=$first
  if [[ $scheduler == yes && $(compiler_version "$first") == GCC* ]]; then
    test_one 'GCC, threads (scheduler)' "$build-tsan-gcc" test_tasks -R '^tasks: ' -LE "$(left_out 'rules|full')" -- \
      "${sanitized[@]}" -DTACIT_SANITIZE=thread
  fi
}

run_tests() {
  local purposes=(run test) base=$build bench=OFF what
  parse_test_arguments "$@"
  # --full builds the benchmarks, with the peers that are there; only where everything is tested are they installed.
  if [[ $full == yes ]]; then purposes+=(full) bench=ON; fi
  if [[ -n $sanitize ]]; then purposes+=(sanitize); fi
  if [[ $full == yes || ${CI:-} == true ]]; then purposes+=(bench); fi
  # MPI is optional, for a user as well: it is installed where no question is needed, or where everything is tested.
  if type -P apt-get dpkg-query >/dev/null && [[ $full == yes || ${CI:-} == true || $(id -u) == 0 ]]; then
    purposes+=(mpi)
  fi
  lock_build
  : >"$log"
  ensure_installed "$build/test" "${purposes[@]}"
  build=$base/test venv=$base/test/venv
  use_compiler_cache
  requirements+=("$root/python/requirements-test.txt")
  if [[ $full == yes ]]; then requirements+=("$root/python/requirements-full.txt"); fi
  start_venv retry
  if [[ $full == yes ]]; then
    what='an hour or less'
  elif [[ -n $sanitize ]]; then
    what="$sanitize min or less"
  elif [[ -n $solver ]]; then
    what="those of $solver"
  else
    what='12 min or less the first time'
  fi
  say "tests with $(compiler_version "$cxx") and $(count_jobs) jobs, $what; logs of the builds: tacit-build.log in" \
    "$base/test*"
  if [[ -n $sanitize ]]; then
    if ! wait_for_venv; then explain_no_venv; fi
    test_changed "$sanitize"
  elif [[ -n $solver ]]; then
    test_one "$(compiler_version "$cxx")" "$build" "tacit tests_of_solvers_$solver" -R "$(tests_of_solver "$solver")" \
      -LE "$(left_out '')" -- -DTACIT_BENCH="$bench"
  else
    test_one "$(compiler_version "$cxx")" "$build" all -LE "$(left_out '')" -- -DTACIT_BENCH="$bench"
  fi
  if [[ $full == yes ]]; then
    test_more
    load tidy
    tidy_changed
  fi
  # The end of a log is what is looked at: what failed an hour ago is said there once more.
  if ((${#reports[@]} > 0)); then printf '%s\n' "${reports[@]}" >&2; fi
  say "summary ($((SECONDS / 60)) min $((SECONDS % 60)) s):"
  printf '  %s\n' "${results[@]}" >&2
  if ((failures > 0)); then fail 1 "failed: $failures of what the summary lists"; fi
}
