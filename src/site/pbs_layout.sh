# shellcheck shell=sh disable=SC2034
# pbs_layout.sh - the directories of PBS_HOME and their modes (operations.md 2), for the
# scripts that make them (pbs_postinstall) and look at them (pbs_probe).
#
# SPDX-License-Identifier: Apache-2.0

# Where a server, a scheduler or a router runs.
LAYOUT_SERVER='server_logs:0755 sched_logs:0755 comm_logs:0755 spool:1777 undelivered:1777
    server_priv:0750 server_priv/accounting:0755 server_priv/jobs:0750 server_priv/users:0750
    server_priv/hooks:0750 server_priv/hooks/tmp:0750 sched_priv:0750 ipc:0755'
# Where a MoM runs, and on every other host, too.
LAYOUT_MOM='aux:0755 checkpoint:0700 spool:1777 undelivered:1777 mom_logs:0755 mom_priv:0751
    mom_priv/config.d:0751 mom_priv/jobs:0751 mom_priv/hooks:0750 mom_priv/hooks/tmp:0750'
