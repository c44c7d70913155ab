# Completes words behind ./tacit in bash:  source tools/completion.bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

# The folder of the launcher that is called.
_tacit_root() {
  local launcher
  launcher=$(type -P "$1") || return 1
  dirname "$(readlink -f "$launcher")"
}

# The solver of the parameter file among the words; of none: all, as "*".
_tacit_solver() {
  local word
  for word in "${COMP_WORDS[@]:2}"; do
    if [[ $word == *.toml && -r $word ]]; then
      sed -n "s/^ *solver *= *[\"']\([a-z][a-z0-9_]*\)[\"'].*/\1/p" "$word" | head -n 1
      return
    fi
  done
  echo '*'
}

_tacit_files() {
  compopt -o filenames 2>/dev/null # only while a word is completed
  mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

_tacit() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} root words='' solvers
  COMPREPLY=()
  root=$(_tacit_root "${COMP_WORDS[0]}") || return
  solvers=$(compgen -G "$root/src/tacit/solvers/*/described/*.json" | sed 's|.*/||; s|[.]json$||')
  if ((COMP_CWORD == 1)); then
    words='run check keys info diff plot movie report trace place new doctor bench build test --help --version'
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    return
  fi
  if [[ $before == --set ]]; then # the names of keys, from the pages of the reference
    # shellcheck disable=SC2046,SC2016  # all pages where there is a star; backquotes are of the page
    words=$(sed -n 's/^| `\([a-z][A-Za-z0-9_.]*\)` .*/\1=/p' "$root"/docs/reference/$(_tacit_solver)-keys.md 2>/dev/null)
    compopt -o nospace 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word" | sort -u)
    return
  fi
  case ${COMP_WORDS[1]} in
    run) words='--set --threads --output --restart --help' ;;
    check) words='--set --threads --output --ranks --help' ;;
    keys) words="$solvers --search --markdown --schema --description --help" ;;
    info) words='--verify --help' ;;
    diff) words='--tolerance --absolute --all --help' ;;
    trace) words='--json --model --machine --ranks-per-node --ranks --set --help' ;;
    place)
      words='--ranks --ranks-per-node --grid --points --word --pattern --nodes --exclude --down --keep-lone --spares
        --dump --exchanges-per-dump --order --seed --output --compare --fields --json --help'
      ;;
    plot | movie)
      words='--output --kind --field --mean-molecular-weight --axis --cut --resolution --range --extent --solution --help'
      if [[ ${COMP_WORDS[1]} == plot ]]; then words+=' --window'; else words+=' --rate --frames'; fi
      ;;
    report) words='--output --help' ;;
    new | build) words="$solvers" ;;
    doctor) words='--json --help' ;;
    bench) words='--json --quick --help' ;;
    test) words='--full --stress --sanitize --solver' ;;
  esac
  if [[ $word != -* && " run check info diff plot movie report trace place " == *" ${COMP_WORDS[1]} "* ]]; then
    _tacit_files "$word"
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  fi
}

complete -F _tacit tacit ./tacit
