#!/usr/bin/env bash
# Runs a command inside a Slurm of its own, with PMIx: one node, which is this machine, or several on it.
# SPDX-License-Identifier: Apache-2.0
#
# usage: slurm.sh [--nodes N] COMMAND... (as root; Debian: slurm-wlm, munge). All files are in a folder of its own that
# goes with it; the exit code is that of the command. With --nodes there are node1 to nodeN, each with processes and a
# name of its own; `kill -KILL $(<$TACIT_SLURM_RUN/node2)` ends one as a power cut does.
set -euo pipefail

folder=$(mktemp -d)
host=$(hostname -s)
several=0

# A port that no process listens at, other than those named.
free_port() {
  local port
  while :; do
    port=$((20000 + RANDOM % 10000))
    if [[ " $* " != *" $port "* ]] && ! (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then break; fi
  done
  echo "$port"
}

# Ends what we started, the jobs first, and waits for it: a process that still writes would bring the folder back.
end_all() {
  local code=$? pids=() file pid i
  trap '' INT TERM HUP
  if [[ -f $folder/run/slurmctld.pid ]]; then timeout 10 scancel --user=root 2>/dev/null || true; fi
  for file in slurmd slurmctld munged; do
    if [[ -s $folder/run/$file.pid ]]; then pids+=("$(<"$folder/run/$file.pid")"); fi
  done
  for file in "$folder"/run/node*; do
    if [[ -s $file ]]; then kill -KILL "$(<"$file")" 2>/dev/null || true; fi
  done
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for ((i = 0; i < 100; i++)); do
    if ((${#pids[@]} == 0)) || ! kill -0 "${pids[@]}" 2>/dev/null; then break; fi
    sleep 0.1
  done
  for pid in "${pids[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
  rm -rf "$folder"
  exit "$code"
}

# What is running is told by its process; groups of the kernel are not ours to make in a container.
write_configuration() {
  local port nodes i
  local -a ports
  port=$(free_port)
  if ((several == 0)); then
    nodes="NodeName=$host NodeAddr=127.0.0.1 Port=$(free_port "$port")"
  else
    for ((i = 0; i < several; i++)); do ports+=("$(free_port "$port" "${ports[@]:-}")"); done
    nodes="NodeName=node[1-$several] NodeHostname=$host NodeAddr=127.0.0.1 Port=$(IFS=, && echo "${ports[*]}")"
  fi
  cat >"$folder/slurm.conf" <<CONF
ClusterName=tacit
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdTimeout=$((several == 0 ? 300 : 5))
AuthType=auth/munge
AuthInfo=socket=$folder/run/munge.sock
SlurmUser=root
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
ReturnToService=2
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
TmpFS=$folder/tmp/%n
SlurmctldPidFile=$folder/run/slurmctld.pid
SlurmdPidFile=$folder/run/slurmd$( ((several == 0)) || echo .%n).pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.%n.log
$nodes CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
CONF
}

# Starts slurmd for each node; those of several see only their own processes, and end with `unshare`.
start_nodes() {
  local i
  mkdir -p "$folder/tmp/$host"
  if ((several == 0)); then slurmd; fi
  for ((i = 1; i <= several; i++)); do
    mkdir -p "$folder/tmp/node$i"
    unshare --pid --mount --uts --fork --kill-child --mount-proc \
      sh -c "hostname node$i && exec slurmd -D -N node$i" >/dev/null 2>&1 &
    echo $! >"$folder/run/node$i"
    disown # no word from this shell when it is killed
  done
}

start() {
  local i idle
  mkdir -p "$folder"/{state,spool,run}
  chmod 755 "$folder" "$folder/run" # munged refuses a folder that others may write to
  (umask 077 && head -c 1024 /dev/urandom >"$folder/munge.key")
  write_configuration
  export SLURM_CONF=$folder/slurm.conf TACIT_SLURM_RUN=$folder/run
  munged --force --key-file="$folder/munge.key" --socket="$folder/run/munge.sock" --pid-file="$folder/run/munged.pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/munge.seed"
  slurmctld
  start_nodes
  idle="idle $((several > 0 ? several : 1))"
  for ((i = 0; i < 300; i++)); do
    if [[ $(timeout 5 sinfo --noheader --format='%t %D' 2>/dev/null) == "$idle" ]]; then return; fi
    sleep 0.1
  done
  tail -n 20 "$folder"/*.log >&2
  echo 'slurm.sh: a node is not idle after 30 s; see above' >&2
  return 1
}

if [[ ${1:-} == --nodes ]]; then
  several=${2:-0}
  shift 2
fi
if (($# == 0)); then
  sed -n 's/^# usage: /usage: /p' "$0" >&2
  exit 2
fi
trap end_all EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP
start
"$@"
