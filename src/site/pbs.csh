# pbs.csh - PATH and MANPATH of login shells. The last PBS_EXEC of pbs.conf counts.
#
# SPDX-License-Identifier: Apache-2.0
set __pbs_conf = /etc/pbs.conf
if ( $?PBS_CONF_FILE ) set __pbs_conf = "$PBS_CONF_FILE"
set __pbs_exec = ""
if ( -r "$__pbs_conf" ) set __pbs_exec = "`sed -n 's/^PBS_EXEC=//p' $__pbs_conf:q | tail -n 1`"
if ( "$__pbs_exec" != "" && -d "$__pbs_exec" ) then
    setenv PATH "${PATH}:${__pbs_exec}/bin"
    if ( "`id -u`" == 0 ) setenv PATH "${PATH}:${__pbs_exec}/sbin"
    if ( $?MANPATH ) then
        setenv MANPATH "${MANPATH}:${__pbs_exec}/share/man"
    else
        setenv MANPATH ":${__pbs_exec}/share/man"
    endif
endif
unset __pbs_conf __pbs_exec
