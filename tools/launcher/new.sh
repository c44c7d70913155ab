# Part of ./tacit: writes a parameter file to begin with.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # variables and helpers of ./tacit

new_usage() {
  cat <<END
usage: ./tacit new SOLVER [FILE]
  Writes a small problem of the solver, which runs as it is, with comments on the keys that one's own needs.
  SOLVER    $(all_solvers)
  FILE      SOLVER.toml without it; a file that is there is left alone
END
}

new_command() {
  local solver=${1:-} file
  load solvers
  case $solver in
    -h | --help) new_usage && exit 0 ;;
    '') new_usage >&2 && fail 2 'new: of which solver?' ;;
  esac
  if ! is_solver "$solver" || [[ ! -f $root/tools/new/$solver.toml ]]; then
    fail 2 "new: '$solver' is not one of $(all_solvers)"
  fi
  if (($# > 2)); then new_usage >&2 && fail 2 "new: '$3' is one word too many"; fi
  file=${2:-$solver.toml}
  [[ $file == *.toml ]] || fail 2 "new: '$file' does not end in .toml, as parameter files do"
  if [[ -e $file || -L $file ]]; then
    fail 2 "new: $file is there already; name another one: ./tacit new $solver FILE"
  fi
  # Not over one that has come meanwhile.
  (set -o noclobber && cat "$root/tools/new/$solver.toml" >"$file") 2>/dev/null || fail 4 "new: $file cannot be written"
  say "wrote $file; next: ./tacit check $file, then ./tacit run $file"
}
