# SPDX-License-Identifier: Apache-2.0
# bash completion of lagosh: the same candidates as the shell's own Tab, from the running switch.
# zsh: autoload -U bashcompinit && bashcompinit, then source this file.
# shellcheck shell=bash

_lagosh() {
    local options=(--rundir -c -f -j -e -x -n --complete --manual --version --help)
    local words=() rundir=() line="" i word
    COMPREPLY=()
    # What readline splits at : and = belongs together: take the words from the line itself.
    local current=${COMP_LINE:0:COMP_POINT}
    read -r -a words <<<"$current"
    [[ $current == *[[:space:]] ]] && words+=("")
    local last=$((${#words[@]} - 1))
    for ((i = 1; i <= last; ++i)); do
        word=${words[i]}
        case $word in
            --rundir)
                if ((i + 1 >= last)); then
                    ((i < last)) && mapfile -t COMPREPLY < <(compgen -d -- "${words[last]}")
                    return
                fi
                rundir=(--rundir "${words[++i]}")
                ;;
            -f | -c)
                if ((i + 1 >= last)); then
                    ((i < last)) && [[ $word == -f ]] &&
                        mapfile -t COMPREPLY < <(compgen -f -- "${words[last]}")
                    return
                fi
                ((++i))
                ;;
            -*)
                if ((i == last)) && [[ -z $line ]]; then
                    mapfile -t COMPREPLY < <(compgen -W "${options[*]}" -- "$word")
                    return
                fi
                line+="$word "
                ;;
            *) line+="$word" && ((i < last)) && line+=" " ;;
        esac
    done
    mapfile -t COMPREPLY < <(lagosh "${rundir[@]}" --complete "$line" 2>/dev/null)
    # readline replaces only what is behind the last : or =.
    local part=${words[last]}
    local kept=${part%"${part##*[:=]}"}
    if [[ -n $kept ]]; then
        COMPREPLY=("${COMPREPLY[@]#"$kept"}")
    fi
    # A directory goes on.
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == */ ]] && compopt -o nospace
}
complete -F _lagosh lagosh
