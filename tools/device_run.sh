#!/usr/bin/env bash
# One short run on a machine with a device of NVIDIA: builds kernels, slots and a driver (bench/device), compares bits
# with the loops of the processor, lets compute-sanitizer look, measures, and writes bench/results/gpu/HOST.json.
# SPDX-License-Identifier: Apache-2.0
#
#   tools/device_run.sh --prepare    copies what that machine may lack, the headers of {fmt}, to build/device/include,
#                                    which travels with the sources
#   tools/device_run.sh              the run: needs nvcc, CMake 3.24 and Ninja; at most 8 minutes
#   tools/device_run.sh --host       the same with a host device, to try the script where there is none; writes nothing
set -euo pipefail
cd "$(dirname "$0")/.."
readonly build=build/device
readonly deadline=$((SECONDS + ${TACIT_DEVICE_RUN_S:-480}))

say() { printf 'device_run: %s\n' "$*" >&2; }
# within COMMAND...: ends it when the time of the whole run is over.
within() {
  local left=$((deadline - SECONDS))
  if ((left < 1)); then
    say "no time is left for: $*"
    return 124
  fi
  timeout "$left" "$@"
}

prepare() {
  local folder
  for folder in /usr/include /usr/local/include "${CONDA_PREFIX:-/usr}/include"; do
    if [[ -f $folder/fmt/format.h ]]; then
      mkdir -p "$build/include"
      cp -rL "$folder/fmt" "$build/include/"
      say "headers of {fmt} are in $build/include"
      return
    fi
  done
  say "fmt/format.h is not here: install it (Debian: apt-get install libfmt-dev)"
  return 1
}

compile() {
  local cuda=ON architecture
  [[ $device == cuda ]] || cuda=OFF
  local options=("-DTACIT_CUDA=$cuda")
  if [[ -d $build/include ]]; then options+=("-DFMT_INCLUDE=$PWD/$build/include"); fi
  architecture=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -1 | tr -d .) || true
  if [[ -n $architecture ]]; then options+=("-DCMAKE_CUDA_ARCHITECTURES=$architecture"); fi
  within cmake -G Ninja -S bench/device -B "$build/$device" "${options[@]}" >"$build/cmake.log"
  within cmake --build "$build/$device" >"$build/build.log"
}

run() { within "$build/$device/device_run" "${of_host[@]}" "$@"; }

# The bits of each set of instructions that this machine has. Prints a list of JSON.
compare() {
  local set separator=""
  printf '['
  for set in scalar v2 v3 v4; do
    if ! TACIT_INSTRUCTION_SET=$set run --short --checks >"$build/$set.json" 2>"$build/$set.log"; then
      if grep -q 'this machine can run' "$build/$set.log"; then continue; fi
      say "bits differ, or a launch failed, beside $set: $(tr '\n' ' ' <"$build/$set.log")"
      verdict=1
    fi
    if [[ -s $build/$set.json ]]; then
      printf '%s' "$separator"
      cat "$build/$set.json"
      separator=","
    fi
  done
  printf ']'
}

# What compute-sanitizer finds in small cases. Prints an object of JSON, by tool.
sanitize() {
  local tool errors separator=""
  printf '{'
  if [[ $device == cuda ]] && command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck synccheck; do
      errors=0
      if ! within compute-sanitizer --tool "$tool" --error-exitcode 9 "$build/$device/device_run" --short --checks \
        >"$build/$tool.log" 2>&1; then
        errors=1
        verdict=1
        say "$tool: $(tail -1 "$build/$tool.log")"
      fi
      printf '%s"%s": %s' "$separator" "$tool" "$([[ $errors == 0 ]] && echo '"clean"' || echo '"errors"')"
      separator=", "
    done
  fi
  printf '}'
}

device=cuda
of_host=()
case ${1:-} in
  --prepare) mkdir -p "$build" && prepare && exit 0 || exit 1 ;;
  --host) device=host of_host=(--host) ;;
  "") ;;
  *)
    sed -n 's/^#   //p' "$0" >&2
    exit 2
    ;;
esac
mkdir -p "$build"
if [[ $device == cuda ]] && ! command -v nvcc >/dev/null; then
  if [[ ! -x /usr/local/cuda/bin/nvcc ]]; then
    say "nvcc is not on the PATH, nor in /usr/local/cuda/bin"
    exit 2
  fi
  PATH=/usr/local/cuda/bin:$PATH
fi
verdict=0
if ! compile; then
  say "it does not build: see $build/cmake.log and $build/build.log"
  tail -20 "$build/build.log" >&2
  exit 2
fi
say "built after $SECONDS s"
if ! run --short --checks >"$build/first.json" 2>"$build/first.log" && [[ ! -s $build/first.json ]]; then
  say "nothing could be compared: $(<"$build/first.log")"
  exit 2
fi
compare >"$build/compared.json"
sanitize >"$build/sanitized.json"
say "compared after $SECONDS s"
run >"$build/measured.json" || verdict=1
{
  printf '{"machine": {"host": "%s", "date": "%s", "commit": "%s", "device": "%s", "nvcc": "%s"},\n' \
    "$(uname -n)" "$(date -u +%FT%TZ)" "$(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)" \
    "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -1 || true)" \
    "$(nvcc --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p' || true)"
  printf '"compared": %s,\n"compute_sanitizer": %s,\n"measured": %s}\n' \
    "$(<"$build/compared.json")" "$(<"$build/sanitized.json")" "$(<"$build/measured.json")"
} >"$build/result.json"
if [[ $device == cuda ]]; then
  mkdir -p bench/results/gpu
  cp "$build/result.json" "bench/results/gpu/$(uname -n).json"
  # A folder that is brought back from the machine, where there is one.
  if [[ -n ${OUT:-} ]]; then cp "$build/result.json" "$OUT/$(uname -n).json"; fi
fi
cat "$build/result.json"
say "done after $SECONDS s: $([[ $verdict == 0 ]] && echo "all bits agree" || echo "something differs")"
exit $verdict
