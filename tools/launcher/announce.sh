# Part of ./tacit: says how long a build is about to take.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034  # variables and helpers of ./tacit

# announce_build SOLVERS: says how long a first build is about to take, 1 s for each file, as measured, and CMake; of
# other builds later, by announce_rest, once CMake has seen which libraries have come or gone.
announce_build() {
  local files jobs
  if [[ -x $program && -f $build/.stamp ]] && ! starts_afresh "$build"; then
    announced='sources changed: building what they affect'
    if is_current; then announced='libraries have come or gone: building what they affect'; fi
    if is_current && [[ $configures_again == yes ]]; then
      say "looking for libraries that have come or gone; log: $log"
    fi
    if [[ -n $1 && $1 != "$(built_solvers)" ]]; then announced="building the program with solvers: $1"; fi
    return
  fi
  files=$(find "${sources[@]}" -name '*.cpp' 2>/dev/null | grep -cvF -f <(left_out "${1:-all}"))
  jobs=$(count_jobs)
  say "first build: $files files with $jobs jobs, about $((1 + files / (60 * jobs))) min; log: $log"
}

# announce_rest DIR TARGET...: says how much ninja has to compile, and so how long that takes: 3 s for each command.
# Ninja does not look beyond a run of CMake that may be due; so CMake runs first, and the plan is one without it.
announce_rest() {
  local plan files jobs seconds
  in_group "$log" ninja -C "$1" build.ninja || return
  sed '/^build build\.ninja:/,/^$/d' "$1/build.ninja" >"$1/plan.ninja"
  plan=$(ninja -n -C "$1" -f plan.ninja "${@:2}" 2>/dev/null)
  files=$(grep -c ' Building C' <<<"$plan")
  jobs=$(count_jobs)
  seconds=$((5 + 3 * files / jobs))
  if ((seconds < 100)); then seconds="$seconds s"; else seconds="$(((seconds + 30) / 60)) min"; fi
  if ((files > 0)) || [[ $announced == sources* ]]; then
    say "$announced, $files files with $jobs jobs, $seconds or so; log: $log"
  fi
  announced=
}
