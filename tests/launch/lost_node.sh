#!/usr/bin/env bash
# Hands examples/jobs/slurm_spares.sh to a Slurm of three nodes, disturbs it, and says how the job has ended.
# SPDX-License-Identifier: Apache-2.0
#
# usage: slurm.sh --nodes 3 lost_node.sh PROGRAM SOURCE lost|wrong|stopped|none_left
# lost: node2 dies after the first checkpoints; there is a spare one. none_left: there is none. wrong: the input is.
# stopped: by the file STOP. Says "lost_node: STATE CODE:SIGNAL" of the job.
set -euo pipefail
program=$1
source=$2
what=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export TACIT_PROGRAM=$program TACIT_ANSWER_S=10 TACIT_SPARES=1
if [[ $what == none_left ]]; then TACIT_SPARES=0; fi
if [[ $what == lost ]]; then
  # What started before the node died must not end before Slurm has seen that it died, however fast the run is.
  cat >"$folder/program" <<PROGRAM
#!/usr/bin/env bash
[[ -e '$folder/disturbed' ]] && exec '$program' "\$@"
'$program' "\$@" && exec sleep 250
PROGRAM
  chmod +x "$folder/program"
  TACIT_PROGRAM=$folder/program
fi

arguments=("$source/examples/heat/spreading/run.toml")
add() { arguments+=(--set "$1"); }
add 'heat.cells=[64,64,64]'
add time.end=0.15
add output.snapshot_every=0.15
add output.checkpoint_every=0.3
add output.double_precision=true
add output.picture=false
add run.threads=1
add run.pin=false
add run.deterministic=true
if [[ $what == stopped || $what == none_left ]]; then add time.end=100.0; fi
if [[ $what == wrong ]]; then add time.edn=1.0; fi

state() { scontrol --oneliner show job "$job" | sed 's/.* JobState=\([A-Z]*\) .* ExitCode=\([0-9:]*\) .*/\1 \2/'; }
is_under_way() { [[ $(state) =~ ^(PENDING|CONFIGURING|RUNNING|COMPLETING) ]]; }
# Two checkpoints, of which the older one is complete.
wait_for_checkpoints() {
  while (($(find "$folder/out" -name 'restart_*.hdf5' ! -name '*.part*' 2>/dev/null | wc -l) < 2)); do
    is_under_way || return 0
    sleep 0.05
  done
}

job=$(sbatch --parsable --nodes=3 --ntasks-per-node=1 --cpus-per-task=1 --time=10 --chdir="$folder" \
  --output="$folder/log" "$source/examples/jobs/slurm_spares.sh" "${arguments[@]}" --output out)
wait_for_checkpoints
case $what in
  lost | none_left)
    kill -KILL "$(<"$TACIT_SLURM_RUN/node2")"
    touch "$folder/disturbed"
    ;;
  stopped) touch "$folder/out/STOP" ;;
esac
while is_under_way; do sleep 0.2; done
cat "$folder/log"
echo "lost_node: $(state)"
if [[ $what == lost ]]; then
  mkdir "$folder/good"
  # The files hold the name of their folder: it is the same.
  (cd "$folder/good" && "$program" run "${arguments[@]}" --output out) >"$folder/log" 2>&1 || cat "$folder/log"
  "$program" diff "$folder/out/snapshot_0001.hdf5" "$folder/good/out/snapshot_0001.hdf5" && echo 'as an undisturbed run'
fi
