# shellcheck shell=sh
# pbs.sh - PATH and MANPATH of login shells. The last PBS_EXEC of pbs.conf counts.
#
# SPDX-License-Identifier: Apache-2.0
__pbs_exec=$(sed -n 's/^[[:space:]]*PBS_EXEC=\(.*[^[:space:]]\)[[:space:]]*$/\1/p' \
    "${PBS_CONF_FILE:-/etc/pbs.conf}" 2>/dev/null | tail -n 1)
if [ -n "$__pbs_exec" ] && [ -d "$__pbs_exec" ]; then
    case :$PATH: in
    *:"$__pbs_exec/bin":*) ;;
    *) export PATH="$PATH:$__pbs_exec/bin" ;;
    esac
    if [ "$(id -u)" -eq 0 ]; then
        case :$PATH: in
        *:"$__pbs_exec/sbin":*) ;;
        *) export PATH="$PATH:$__pbs_exec/sbin" ;;
        esac
    fi
    export MANPATH="${MANPATH-}:$__pbs_exec/share/man"
fi
unset __pbs_exec
