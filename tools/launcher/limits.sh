# Part of ./tacit: how many jobs this machine and its control groups leave room for.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # variables and helpers of ./tacit

system=${TACIT_TEST_SYSTEM:-} # the launcher's own tests put another /proc, /sys and /var here

# The folders of our control groups (versions 1 and 2), innermost first, up to the root of each.
cgroup_folders() {
  local controllers path base
  [[ -r $system/proc/self/cgroup ]] || return
  while IFS=: read -r _ controllers path; do
    case ",$controllers," in
      ,,) base=$system/sys/fs/cgroup ;;
      *,cpu,*) base=$system/sys/fs/cgroup/cpu ;;
      *,memory,*) base=$system/sys/fs/cgroup/memory ;;
      *) continue ;;
    esac
    while [[ -n ${path%/} ]]; do
      echo "$base$path"
      path=${path%/*}
    done
    echo "$base"
  done <"$system/proc/self/cgroup"
}

# The cores that the control group in FOLDER grants, rounded down; nothing if it sets no limit.
granted_cores() {
  local quota=max period=0
  if [[ -r $1/cpu.max ]]; then
    read -r quota period <"$1/cpu.max"
  elif [[ -r $1/cpu.cfs_quota_us && -r $1/cpu.cfs_period_us ]]; then
    quota=$(<"$1/cpu.cfs_quota_us") period=$(<"$1/cpu.cfs_period_us")
  fi
  if [[ $quota =~ ^[0-9]+$ ]] && ((period > 0)); then echo $((quota / period)); fi
}

# The memory in kB that the control group in FOLDER leaves us; file caches that can be dropped count as free.
granted_memory() {
  local limit=max used=0 cached=0
  if [[ -r $1/memory.max && -r $1/memory.current ]]; then
    limit=$(<"$1/memory.max") used=$(<"$1/memory.current")
  elif [[ -r $1/memory.limit_in_bytes && -r $1/memory.usage_in_bytes ]]; then
    limit=$(<"$1/memory.limit_in_bytes") used=$(<"$1/memory.usage_in_bytes")
  fi
  [[ $limit =~ ^[0-9]+$ ]] || return
  if [[ -r $1/memory.stat ]]; then cached=$(sed -n 's/^inactive_file //p' "$1/memory.stat"); fi
  echo $(((limit - used + ${cached:-0}) / 1024))
}

# How many jobs to run at once: min(cores allowed, memory / 1.5 GB, 16), at least one.
count_jobs() {
  local jobs memory folder cores kilobytes
  jobs=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)
  memory=$(sed -n 's/^MemAvailable: *\([0-9]*\).*/\1/p' "$system/proc/meminfo")
  while read -r folder; do
    cores=$(granted_cores "$folder") kilobytes=$(granted_memory "$folder")
    if [[ -n $cores ]] && ((cores < jobs)); then jobs=$cores; fi
    if [[ -n $kilobytes ]] && ((kilobytes < memory)); then memory=$kilobytes; fi
  done < <(cgroup_folders)
  if ((memory / 1500000 < jobs)); then jobs=$((memory / 1500000)); fi
  if ((jobs > 16)); then jobs=16; fi
  if ((jobs < 1)); then jobs=1; fi
  echo "$jobs"
}
