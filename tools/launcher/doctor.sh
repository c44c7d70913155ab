# Part of ./tacit: what this machine has, lacks and is slow at, and what to do. It builds and installs nothing.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034  # variables and helpers of ./tacit

doctor_usage() {
  cat <<'END'
usage: ./tacit doctor [--json]
  What this machine has (found), lacks (missing: Tacit needs it; absent: it can do without) and is slow at (slow), a
  line each, with what to do. The exit code is 3 if something is missing. Nothing is built or installed.
  --json    as a list of objects with state, what, text and advice
END
}

findings=() # STATE|WHAT|TEXT|ADVICE
find_it() { findings+=("$1|$2|${3//|//}|${4:-}"); }

first_line() { head -n 1 "$1" 2>/dev/null; }
gib() { echo "$(($1 / 1048576)).$(($1 % 1048576 * 10 / 1048576)) GiB"; } # of kB

examine_program() {
  local version
  if [[ ! -x $program ]]; then
    find_it absent program "none in $build" './tacit build, or ./tacit run FILE, which builds what the file needs'
  elif version=$("$program" --version 2>/dev/null); then
    if is_current; then
      find_it found program "Tacit $version"
    else
      find_it found program "Tacit $version; sources are newer" 'the next ./tacit run builds it again'
    fi
  else
    find_it missing program "$program does not start: $("$program" --version 2>&1 | head -n 1)" './tacit build'
  fi
}

# What the launcher would install, by its own list.
examine_tools() {
  local item package what found needed command version
  command='sudo apt-get install'
  if ! type -P apt-get dpkg-query >/dev/null; then
    command='see ./tacit build: modules, conda, Spack or -DTACIT_FETCH=ON;'
  fi
  missing=() optional=()
  build=$(mktemp -d) # which no earlier configuration speaks for
  choose_compiler "$build"
  if [[ -n $cxx ]]; then find_it found compiler "$(compiler_version "$cxx") ($cxx)"; fi
  find_missing_tools
  if version=$(cmake --version 2>/dev/null | sed -n '1s/.*version //p') && [[ -n $version ]]; then
    find_it found CMake "$version"
  fi
  if type -P ninja >/dev/null; then find_it found Ninja "$(ninja --version 2>/dev/null)"; fi
  find_missing_libraries run
  for item in "${missing[@]}"; do
    IFS='|' read -r package what found needed <<<"$item"
    find_it missing "$what" "found: $found, needed: $needed" "$command $package"
  done
  if ((${#missing[@]} == 0)); then find_it found libraries "all $(rows run | wc -l) that Tacit is built with"; fi
  missing=()
  find_missing_libraries mpi
  rm -rf "$build"
  build=$1
  for item in "${missing[@]}"; do
    IFS='|' read -r package what found needed <<<"$item"
    case $what in
      MPI) if mpi_has_headers; then continue; fi && needed='starts ranks and carries messages between nodes' ;;
      PMIx) needed='starts ranks where there is no MPI' ;;
      Libfabric) needed='carries messages between nodes' ;;
      METIS) needed='divides gas among ranks' ;;
      *) continue ;;
    esac
    find_it absent "$what" "$needed" "$command $package, then ./tacit build"
  done
  if mpi_has_headers; then
    find_it found MPI "$(mpirun --version 2>/dev/null | head -n 1), $(type -P mpirun)"
  elif [[ "${missing[*]}" != *'|MPI|'* ]]; then
    find_it absent MPI 'its package is there, but mpicxx finds no mpi.h' "$command --reinstall libopenmpi-dev"
  fi
  if ((${#optional[@]} > 0)) || ! python_can_draw; then
    find_it absent Python 'no python3 with its module venv: no pictures' "$command python3-venv"
  else
    find_it found Python "$("${TACIT_PYTHON:-python3}" --version 2>&1), for pictures"
  fi
}

examine_processors() {
  local allowed online folder cores granted='' flags nodes siblings advice=''
  allowed=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc) online=$(grep -c '^processor' "$system/proc/cpuinfo")
  while read -r folder; do
    cores=$(granted_cores "$folder")
    if [[ -n $cores ]] && ((cores < ${granted:-1000000})); then granted=$cores; fi
  done < <(cgroup_folders)
  nodes=$(find "$system/sys/devices/system/node" -maxdepth 1 -name 'node[0-9]*' 2>/dev/null | wc -l)
  siblings=$(first_line "$system/sys/devices/system/cpu/cpu0/topology/thread_siblings_list")
  if ((nodes > 1)); then advice="one rank for each NUMA node: mpirun -n $nodes --map-by numa"; fi
  find_it found processors \
    "$allowed of $online may be used, in $((nodes > 0 ? nodes : 1)) NUMA node(s); threads of the first core:\
 ${siblings:-unknown}" "$advice"
  if [[ -n $granted ]] && ((granted < allowed)); then
    find_it slow 'control group' \
      "grants the time of $granted processor(s), but $allowed may be used: threads are stopped" \
      "run.threads = $((granted > 0 ? granted : 1)), or a larger share (docker run --cpus)"
  fi
  flags=" $(sed -n '/^\(flags\|Features\)/{s/^[^:]*: *//p;q}' "$system/proc/cpuinfo") "
  case $flags in
    *' avx512f '*) find_it found instructions AVX-512 ;;
    *' avx2 '*) find_it found instructions AVX2 ;;
    *' asimd '*) find_it found instructions NEON ;;
    *' sse4_2 '*) find_it slow instructions 'SSE4.2 alone: vectors are half as wide as with AVX2' 'another machine' ;;
    *) find_it slow instructions 'no vectors that Tacit has loops for: one number at a time' 'another machine' ;;
  esac
}

examine_clock() {
  local governors driver load
  governors=$(cat "$system"/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor 2>/dev/null)
  if [[ $governors == *powersave* ]]; then governors=powersave; fi # of one, which the others wait for
  driver=$(first_line "$system/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver")
  case $governors in
    '') find_it found 'clock' 'frequencies cannot be seen here, as in most virtual machines' ;;
    powersave)
      if [[ $driver == *pstate* ]]; then
        find_it found clock "$driver, governor powersave, which follows the load"
      else
        find_it slow clock "governor powersave ($driver): processors stay at their lowest frequency" \
          'sudo cpupower frequency-set -g performance'
      fi
      ;;
    *) find_it found clock "governor ${governors%%$'\n'*} (${driver:-unknown driver})" ;;
  esac
  load=$(cut -d ' ' -f 1 "$system/proc/loadavg" 2>/dev/null)
  if [[ -n $load ]] && ((2 * ${load%.*} > $(nproc))); then
    find_it slow load "$load programs have run in the last minute, on $(nproc) processor(s)" \
      'wait, or measure elsewhere: runs share what there is'
  fi
}

examine_memory() {
  local available total folder kilobytes shm blocks bytes huge
  available=$(sed -n 's/^MemAvailable: *\([0-9]*\).*/\1/p' "$system/proc/meminfo")
  total=$(sed -n 's/^MemTotal: *\([0-9]*\).*/\1/p' "$system/proc/meminfo")
  find_it found memory "$(gib "$available") of $(gib "$total") are free"
  while read -r folder; do
    kilobytes=$(granted_memory "$folder")
    if [[ -n $kilobytes ]] && ((kilobytes < available)); then available=$kilobytes; fi
  done < <(cgroup_folders)
  if ((available < 1500000)); then
    find_it slow memory "$(gib "$available") are left to us; a compiler takes 1.5 GiB" \
      'end other programs, or a larger share'
  fi
  huge=$(sed -n 's/.*\[\(.*\)\].*/\1/p' "$system/sys/kernel/mm/transparent_hugepage/enabled" 2>/dev/null)
  case $huge in
    never) find_it slow 'huge pages' 'never: arrays are in pages of 4 KiB, of which few addresses are kept at hand' \
      'echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled' ;;
    '') find_it found 'huge pages' 'cannot be seen here' ;;
    *) find_it found 'huge pages' "$huge" ;;
  esac
  shm=
  if read -r blocks bytes < <(stat -f -c '%b %S' "$system/dev/shm" 2>/dev/null); then shm=$((blocks * bytes / 1024)); fi
  if [[ -z $shm ]]; then
    find_it absent /dev/shm 'none: MPI falls back to files, or to the network' 'mount -t tmpfs tmpfs /dev/shm'
  elif ((shm < 1000000)); then
    find_it slow /dev/shm "$((shm / 1024)) MiB: MPI may have no room for messages within a node" \
      'docker run --shm-size=4g'
  else
    find_it found /dev/shm "$(gib "$shm")"
  fi
}

json_text() { local text=${1//\\/\\\\}; printf '"%s"' "${text//\"/\\\"}"; }

print_findings() {
  local item state what text advice separator='[' code=0
  for item in "${findings[@]}"; do
    IFS='|' read -r state what text advice <<<"$item"
    if [[ $state == missing ]]; then code=3; fi
    if [[ $1 == json ]]; then
      printf '%s\n  {"state": "%s", "what": %s, "text": %s, "advice": %s}' "$separator" "$state" \
        "$(json_text "$what")" "$(json_text "$text")" "$(json_text "$advice")"
      separator=,
    else
      printf '%-8s %-14s %s%s\n' "$state" "$what" "$text" "${advice:+; $advice}"
    fi
  done
  if [[ $1 == json ]]; then printf '\n]\n'; fi
  return "$code"
}

doctor_command() {
  local form=text
  case "${1:-}${2:-}" in
    '') ;;
    --json) form=json ;;
    -h | --help) doctor_usage && exit 0 ;;
    *) doctor_usage >&2 && fail 2 "doctor: '$*' is not --json" ;;
  esac
  load limits install
  { # nothing but findings is printed
    examine_program
    examine_tools "$build"
    examine_processors
    examine_clock
    examine_memory
  } >/dev/null
  print_findings "$form"
  exit $?
}
