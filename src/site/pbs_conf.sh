# shellcheck shell=sh
# pbs_conf.sh - pbs.conf for shell scripts, by the grammar of the daemons: NAME=value,
# blanks around the line dropped, everything behind the first '=' is the value, no quotes
# and no expansion (operations.md 3). What the caller has in the environment wins.
#
# SPDX-License-Identifier: Apache-2.0

# conf_read FILE: the settings become variables of the shell. Returns 1, and says so, when
# a value looks as if it were meant for a shell; a file that is not there has no settings.
conf_read() {
    conf_given=" $(env | sed -n 's/^\(PBS_[A-Z0-9_]*\)=.*/\1/p' | tr '\n' ' ')"
    conf_bad=0
    if [ -r "$1" ]; then
        conf_file=$1
        while IFS= read -r conf_line || [ -n "$conf_line" ]; do
            conf_take
        done <"$1"
    fi
    if [ -n "${PBS_DEFAULT-}" ] && [ -z "${PBS_SERVER-}" ]; then
        PBS_SERVER=$PBS_DEFAULT
    fi
    return $conf_bad
}

conf_take() {
    conf_line=${conf_line#"${conf_line%%[![:space:]]*}"}
    conf_line=${conf_line%"${conf_line##*[![:space:]]}"}
    case $conf_line in
    '#'*) return ;;
    PBS_*=*) ;;
    *) return ;;
    esac
    conf_name=${conf_line%%=*} conf_value=${conf_line#*=}
    case $conf_name in
    *[!A-Z0-9_]*) return ;;
    PBS_DEFAULT) conf_name=PBS_SERVER ;;
    esac
    case $conf_value in
    \"* | \'* | *\$[A-Za-z\{\(]* | *\`*)
        echo "$conf_file: $conf_name: quotes and variables mean nothing here: $conf_value" >&2
        conf_bad=1
        ;;
    esac
    case $conf_given in
    *" $conf_name "*) ;;
    *) eval "$conf_name=\$conf_value" ;;
    esac
}

# is_on VALUE: a number other than 0.
is_on() {
    case ${1:-0} in
    *[!0-9]*) return 1 ;;
    *[1-9]*) return 0 ;;
    *) return 1 ;;
    esac
}

# resolves NAME: does the name have an address?
resolves() { [ -n "$1" ] && getent ahosts "$1" >/dev/null 2>&1; }

# short NAME: in lower case, without port and domain; an address stays whole.
short() {
    conf_short=$(printf '%s\n' "${1%%[,:]*}" | tr '[:upper:]' '[:lower:]')
    case $conf_short in
    *[!0-9.]*) printf '%s\n' "${conf_short%%.*}" ;;
    *) printf '%s\n' "$conf_short" ;;
    esac
}
