# Part of ./tacit: finds out which tools and libraries are missing, and installs or names them.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034  # variables and helpers of ./tacit

at_least() { [[ $(printf '%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]; }

# Prints "GCC 12.2" or "Clang 16.0" for a compiler command (which may carry a wrapper: "ccache g++").
compiler_version() {
  local words
  # shellcheck disable=SC2086  # several words on purpose
  words=$(echo '__clang_major__ __clang_minor__ __GNUC__ __GNUC_MINOR__' | $1 -E -P -x c++ - 2>/dev/null) || return 1
  # shellcheck disable=SC2086
  set -- $words
  if [[ ${1:-} =~ ^[0-9]+$ ]]; then
    echo "Clang $1.$2"
  elif [[ ${3:-} =~ ^[0-9]+$ ]]; then
    echo "GCC $3.$4"
  else
    return 1
  fi
}

is_new_enough() {
  case $1 in GCC*) at_least "${1#* }" 12 ;; Clang*) at_least "${1#* }" 16 ;; *) return 1 ;; esac
}

# newest_compiler STEM...: sets cxx to the newest good one of STEM and STEM-N, for the first stem that has one; else
# refused names one that was too old.
newest_compiler() {
  local stem name path version best
  cxx='' refused=''
  for stem in "$@"; do
    best=0
    for name in "$stem" "$stem"-{10..40}; do
      if ! path=$(type -P "$name") || ! version=$(compiler_version "$path"); then continue; fi
      if ! is_new_enough "$version"; then
        refused="$version ($path)"
      elif ! at_least "$best" "${version#* }"; then
        cxx=$path best=${version#* }
      fi
    done
    if [[ -n $cxx ]]; then return 0; fi
  done
  return 1
}

# Sets cxx: that of an earlier configure, else $CXX, else the newest found. Refuses an old $CXX by name.
choose_compiler() {
  local configured='' version
  if [[ -f $1/.configured ]]; then { read -r _ && read -r configured; } <"$1/.configured"; fi
  if [[ -n $configured ]] && compiler_version "$configured" >/dev/null; then
    if [[ -n ${CXX:-} && $CXX != "$configured" ]]; then
      say "CXX=$CXX is ignored: $1 was configured with $configured (remove it, or set TACIT_BUILD_DIR, to change)"
    fi
    cxx=$configured refused=''
  elif [[ -n ${CXX:-} ]]; then
    version=$(compiler_version "$CXX") || fail 3 "CXX=$CXX does not run as a C++ compiler"
    is_new_enough "$version" || fail 3 "CXX=$CXX is $version; Tacit needs GCC >= 12 or Clang >= 16"
    cxx=$CXX refused=''
  else
    newest_compiler g++ clang++
  fi
}

# need PACKAGE WHAT FOUND NEEDED: remembers that something is missing.
need() { missing+=("$1|$2|$3|$4"); }

find_missing_tools() {
  local version
  if [[ -z $cxx ]]; then need "$(compiler_package)" 'C++ compiler' "${refused:-none}" 'GCC 12 or Clang 16'; fi
  version=$(cmake --version 2>/dev/null | sed -n '1s/.*version \([0-9.]*\).*/\1/p')
  if ! at_least "${version:-0}" 3.24; then need cmake CMake "${version:-none}" 3.24; fi
  if ! type -P ninja >/dev/null; then need ninja-build Ninja none any; fi
}

# Debian's default g++ where that is new enough, else the newest numbered one that apt knows.
compiler_package() {
  local candidate number
  candidate=$(apt-cache policy g++ 2>/dev/null | sed -n 's/.*Candidate: *\([0-9]*:\)\{0,1\}\([0-9]*\).*/\2/p')
  if ((${candidate:-12} < 12)); then
    for number in 14 13 12; do
      if apt-cache show "g++-$number" >/dev/null 2>&1; then echo "g++-$number" && return; fi
    done
  fi
  echo g++
}

# rows PURPOSE|=NAME...: the libraries in cmake/dependencies.txt that are needed and not to be downloaded.
rows() {
  local purpose name version package url fetch
  fetch=$(sed -n 's/^TACIT_FETCH:BOOL=//p' "$build/CMakeCache.txt" 2>/dev/null)
  if [[ " ${user_options[*]} " == *" -DTACIT_FETCH=ON "* ]]; then fetch=ON; fi
  while read -r purpose name version package url _; do
    if [[ " $* " != *" $purpose "* && " $* " != *" =$name "* ]]; then continue; fi
    if [[ $fetch == ON && $url == http* ]]; then continue; fi
    echo "$name $version $package"
  done < <(grep '^[a-z]' "$root/cmake/dependencies.txt")
}

# find_missing_libraries PURPOSE...: asks dpkg, or without it CMake itself.
find_missing_libraries() {
  local name version package installed probed='' found
  if type -P apt-get dpkg-query >/dev/null; then
    installed=$(dpkg-query -W -f='|${Package} ${db:Status-Status}|' 2>/dev/null)
    # What is not a package may still stand where CMAKE_PREFIX_PATH points.
    if [[ -n ${CMAKE_PREFIX_PATH:-} ]]; then probed=$(probe_libraries); fi
    if ! python_can_draw; then
      if [[ " $* " == *" test "* ]]; then need python3-venv 'Python venv' none any; else optional=(python3-venv); fi
    fi
    if [[ " $* " == *" full "* || " $* " == *" sanitize "* ]]; then find_missing_clang "$@"; fi
    if [[ " $* " == *" full "* ]]; then find_missing_launchers; fi
  else
    probed=$(probe_libraries)
  fi
  while read -r name version package; do
    found=
    if [[ $probed =~ "TACIT_PROBE $name "([^$'\n']*) ]]; then found=${BASH_REMATCH[1]}; fi
    if [[ -n $found && $found != none && $found != *-too-old ]]; then continue; fi
    if [[ -z ${installed:-} && -n $probed ]]; then need "$package" "$name" "${found%-too-old}" "$version"; fi
    if [[ -n ${installed:-} ]]; then need_package "$package" "$name" "$version"; fi
  done < <(rows "$@")
}

need_package() { if [[ $installed != *"|$1 installed|"* ]]; then need "$1" "${2:-$1}" none "${3:-any}"; fi; }

# The second compiler, the sanitizers' runtime that Debian keeps apart from it, and for `test --full` clang-tidy.
find_missing_clang() {
  local saved=$cxx number=16
  if newest_compiler clang++; then
    number=$(compiler_version "$cxx")
    number=${number#* } number=${number%.*}
  else
    need clang-16 Clang "${refused:-none}" 16
  fi
  need_package "libclang-rt-$number-dev"
  if [[ " $* " == *" full "* ]]; then need_package "clang-tidy-$number"; fi
  cxx=$saved
}

# A second MPI and a batch system, for the tests of launching; only root can start the latter.
find_missing_launchers() {
  local package
  if [[ $(id -u) != 0 ]]; then return; fi
  for package in mpich libmpich-dev slurm-wlm munge; do need_package "$package"; done
}

probe_libraries() {
  if [[ -z $cxx ]] || ! type -P cmake ninja >/dev/null; then return; fi
  rm -rf "$build/probe"
  run_cmake "$root/tools/probe" "$build/probe" 2>>"$log"
}

list_missing() {
  local item what found needed
  for item in "${missing[@]}"; do
    IFS='|' read -r _ what found needed <<<"$item"
    printf '  %-14s found: %-24s needed: %s\n' "$what" "$found" "$needed" >&2
  done
}

ways_out() {
  cat >&2 <<'END'
Ways out:
  1. modules:        module load gcc cmake ninja hdf5 fftw   (names differ by site: module avail)
  2. conda or Spack: conda create -n tacit -c conda-forge gxx cmake ninja fmt tomlplusplus yaml-cpp pugixml \
                           muparser cli11 hdf5 libdeflate fftw nlohmann_json xxhash xsimd gtest
                     conda activate tacit; export CMAKE_PREFIX_PATH=$CONDA_PREFIX
                     or: spack install gcc cmake ninja fmt tomlplusplus yaml-cpp pugixml muparser cli11 hdf5 \
                          libdeflate fftw nlohmann-json xxhash xsimd googletest
  3. ./tacit build -DTACIT_FETCH=ON   downloads fmt, toml++, yaml-cpp, pugixml, muParser, CLI11, nlohmann-json,
                                      xxHash, xsimd, libdeflate (pinned hashes)
END
}

# Prints "=NAME" for each optional library that the user asks for by name (-DTACIT_MPI=ON); of MPI only where there is
# none yet: any that brings mpicxx, and the headers of that, will do.
asked_for() {
  local options=" ${user_options[*]} "
  if [[ $options == *" -DTACIT_METIS=ON "* ]]; then echo '=METIS'; fi
  if [[ $options == *" -DTACIT_PMIX=ON "* ]]; then echo '=PMIx'; fi
  if [[ $options == *" -DTACIT_OFI=ON "* ]]; then echo '=Libfabric'; fi
  if [[ $options == *" -DTACIT_MPI=ON "* && $options != *" -DMPI_CXX_COMPILER="* ]] && ! mpi_has_headers; then
    echo '=MPI'
  fi
}

mpi_has_headers() { echo '#include <mpi.h>' | mpicxx -E -x c++ - >/dev/null 2>&1; }

# All but the pictures works without Python: root gets it with the rest, others are told how.
settle_optional() {
  if ((${#optional[@]} == 0)); then return; fi
  if [[ $(id -u) == 0 ]]; then
    say "installing ${optional[*]}; log: $log"
    if apt_as_root apt-get install -y --no-install-recommends "${optional[@]}"; then return; fi
  fi
  explain_no_venv
}

# ensure_installed DIR PURPOSE...: leaves with code 3 if something is missing and cannot be installed here.
ensure_installed() {
  local dir=$1 packages
  shift
  missing=() optional=()
  choose_compiler "$dir"
  find_missing_tools
  # shellcheck disable=SC2046  # words or none
  if type -P apt-get >/dev/null || [[ ! -f $dir/.configured ]]; then find_missing_libraries "$@" $(asked_for); fi
  if ((${#missing[@]} == 0)); then
    settle_optional
    return
  fi
  if ! type -P apt-get dpkg-query >/dev/null; then
    say "missing here:"
    list_missing && ways_out
    exit 3
  fi
  mapfile -t packages < <(printf '%s\n' "${missing[@]%%|*}")
  install_packages "${packages[@]}" "${optional[@]}"
  missing=()
  choose_compiler "$dir"
  find_missing_tools
  if ((${#missing[@]} > 0)); then
    say "too old, or still missing, with this system's packages:"
    list_missing && ways_out
    exit 3
  fi
}

# Installs by apt as root; asks before sudo on a terminal; otherwise prints the command and leaves with code 3.
install_packages() {
  local answer apt=(apt-get install -y --no-install-recommends "$@")
  if [[ $(id -u) == 0 ]]; then
    say "installing $# packages ($*); log: $log"
    apt_as_root "${apt[@]}" || { local code=$?; ways_out; give_up "$code" 'apt-get'; }
  elif [[ -t 0 && -t 2 ]] && type -P sudo >/dev/null; then
    say "needs these packages: $*"
    apt-get -o Debug::NoLocking=1 --assume-no --no-install-recommends install "$@" 2>/dev/null |
      grep -E '^(Need to get|After this)' >&2
    read -r -p 'tacit: install them with sudo? [y/N] ' answer
    [[ $answer == [yY]* ]] || fail 3 "nothing was installed; the command is: sudo ${apt[*]}"
    # shellcheck disable=SC2024  # the log is ours, not root's
    sudo "${apt[@]}" >>"$log" 2>&1 9>&- || give_up $? 'apt-get'
  else
    fail 3 "missing packages; install them with: sudo ${apt[*]}"
  fi
  configures_again=yes
}

# The lists of a fresh container are empty, those of an old machine stale: only then is `apt-get update` worth its time.
apt_as_root() {
  export DEBIAN_FRONTEND=noninteractive
  if compgen -G "$system/var/lib/apt/lists/*_Packages*" >/dev/null && in_group "$log" "$@"; then return; fi
  in_group "$log" apt-get update
  in_group "$log" "$@"
}
