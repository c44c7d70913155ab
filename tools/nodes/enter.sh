#!/usr/bin/env bash
# Runs a command on an emulated node (see nodes.py): stands in for ssh when Open MPI's mpirun starts its helpers.
# SPDX-License-Identifier: Apache-2.0
#
# Usage: enter.sh [OPTION...] ADDRESS|NUMBER COMMAND...
# TACIT_NODES holds the process that keeps each node, by number; the last part of a node's address is its number plus 1.
set -euo pipefail

while [[ ${1:-} == -* ]]; do shift; done # options of ssh
node=$1
shift
if [[ $node == *.* ]]; then node=$((${node##*.} - 1)); fi
read -r -a keepers <<<"${TACIT_NODES:?is set by nodes.py}"
keeper=${keepers[node]}

# --pid by name: only children of the keeper are in the node's process namespace, not the keeper itself.
exec nsenter --target "$keeper" --net --uts --ipc --mount --pid="/proc/$keeper/ns/pid_for_children" --wdns="$PWD" \
  -- bash -c "$*"
