# Part of ./tacit: which solvers there are, which the program has, and which it is to have.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034  # variables and helpers of ./tacit

is_solver() { [[ $1 =~ ^[a-z][a-z0-9_]*$ ]] && compgen -G "$root/src/tacit/solvers/*/described/$1.json" >/dev/null; }

all_solvers() {
  local files
  files=$(compgen -G "$root/src/tacit/solvers/*/described/*.json" | sed 's|.*/||; s|[.]json$||' | sort)
  # shellcheck disable=SC2086  # on one line
  echo ${files:-none}
}

# solver_of ARGUMENT...: prints the solver that the parameter file of a call names, or its --set. No more than a guess,
# so that all can be built at once: the program reads the file as it is meant, and asks for what it lacks (__with).
solver_of() {
  local word name='' given=''
  for word in "$@"; do
    case $word in
      solver=* | --set=solver=*) given=${word##*solver=} ;;
      -*) ;;
      *) if [[ -z $name && -f $word ]]; then name=$(named_solver "$word"); fi ;;
    esac
  done
  given=${given//[\"\']/}
  name=${given:-$name}
  if is_solver "$name"; then echo "$name"; fi
}

# The key stands before all tables of a file; a larger one than the program reads is no parameter file.
named_solver() {
  head -c 1000000 "$1" 2>/dev/null |
    sed -n "/^ *\[/q; s/^ *solver *= *[\"']\([a-z][a-z0-9_]*\)[\"'].*/\1/p" | head -n 1
}

# What the program has: none as long as there is none; before there was a choice, all.
built_solvers() {
  if [[ -f $build/.solvers ]]; then
    cat "$build/.solvers"
  elif [[ -f $build/.stamp ]]; then
    echo all
  fi
}

# What it is to have, in one order, however they came: "heat sph", "all", "none".
wanted_solvers() {
  local names
  names=" $(built_solvers) ${needed[*]} "
  if [[ $names == *' all '* ]]; then
    echo all
  else
    # shellcheck disable=SC2086  # words
    names=$(printf '%s\n' $names | grep -vx none | sort -u)
    # shellcheck disable=SC2086  # on one line
    echo ${names:-none}
  fi
}

# left_out SOLVERS: the folders of those that are not compiled, each with a slash behind.
left_out() {
  local folder file names=" $* "
  if [[ $names == *' all '* ]]; then return; fi
  for folder in "$root"/src/tacit/solvers/*/described; do
    for file in "$folder"/*.json; do
      file=${file##*/}
      if [[ $names == *" ${file%.json} "* ]]; then continue 2; fi
    done
    echo "${folder%described}"
  done
}
