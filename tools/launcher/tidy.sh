# Part of ./tacit: clang-tidy on the files that have changed in the last two days, for `test --full`.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034  # variables and helpers of ./tacit

readonly MINUTES_FOR_TIDY=10

# run_tidy CHECKS FILE...: clang-tidy, whose configuration compiles file by file and without precompiled headers, as it
# does not read those. Stops at the first finding.
run_tidy() {
  local checks=$1
  shift
  # shellcheck disable=SC2016  # expanded by the inner shell
  printf '%s\0' "$@" | xargs -0 -n 2 -P "$jobs" \
    bash -c '"$0" -p "$1" --quiet ${2:+"--checks=$2"} "${@:3}" || exit 255' "$tidy" "$dir" "$checks"
}

# tidy_within MINUTES CHECKS FILE...: the same, as long as there is time; what was found until then counts.
tidy_within() {
  local minutes=$1 code=0
  shift
  export tidy dir jobs
  export -f run_tidy
  timeout "${minutes}m" bash -c 'run_tidy "$@"' bash "$@" >>"$log" 2>&1 || code=$?
  if ((code == 124)); then
    code=0 name="$tidy, some files"
  fi
  return "$code"
}

# Every changed file must compile by itself, that is name its own headers. What more clang-tidy finds takes longer.
# Headers come along with the files that include them.
tidy_changed() {
  local base files number name tidy jobs dir=$build-tidy first=$cxx verdict=passed start=$SECONDS
  base=$(python3 "$root/tools/reach.py" --base "$root")
  if [[ -n $base && $everything == no ]]; then
    mapfile -t files < <(cd "$root" && git diff --name-only --diff-filter=ACMR "$base" -- 'src/*.cpp' 'apps/*.cpp')
  else
    mapfile -t files < <(cd "$root" && git ls-files -- 'src/*.cpp' 'apps/*.cpp')
  fi
  if ((${#files[@]} == 0)); then return; fi
  newest_compiler clang++ || fail 3 "test --full needs Clang >= 16; found: ${refused:-none}"
  number=$(compiler_version "$cxx")
  number=${number#* } tidy=clang-tidy-${number%.*} name=$tidy jobs=$(count_jobs)
  log=$dir/tacit-build.log
  mkdir -p "$dir"
  : >"$log"
  say "test: $tidy on ${#files[@]} files that have changed; log: $log"
  if ! compile "$dir" tacit_build_info -DCMAKE_BUILD_TYPE=Release -DTACIT_PRECOMPILE=OFF -DTACIT_UNITY=OFF; then
    verdict='BUILD FAILED'
  elif ! (cd "$root" && tidy_within $((MINUTES_FOR_TIDY / 2)) '-*,misc-definitions-in-headers' "${files[@]}" &&
    tidy_within $((MINUTES_FOR_TIDY / 2)) '' "${files[@]}"); then
    verdict='FAILED'
    grep -E 'error:|warning:' "$log" | tail -n 20 >&2
  fi
  cxx=$first
  note_result "$name" "$dir" 0 $((SECONDS - start)) "$verdict"
}
