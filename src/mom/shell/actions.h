/* actions.h - pbs_mom -s: vnode definition files of config.d (execution.md 9).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_ACTIONS_H
#define MOM_SHELL_ACTIONS_H

#include "lib/base/diag.h"

/* 'args' are the words after -s. 0 done; PBSE_IVALREQ: wrong words (usage);
 * PBSE_SYSTEM with the reason otherwise. */
int action_run(const char *mom_priv, int argc, char **args,
               struct diag *why) MUST_CHECK;

#endif
