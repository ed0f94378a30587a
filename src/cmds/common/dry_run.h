/* dry_run.h - "--dry-run" of the commands for reservations: what would become of the
 * request (doc/extensions.md, ResvAct).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_COMMON_DRY_RUN_H
#define CMDS_COMMON_DRY_RUN_H

#include "include/pbs_ifl.h"

#include <stdbool.h>

struct json;

/* What the shell sees. */
enum dry_run_status {
    DRY_RUN_CONFIRM = 0,
    DRY_RUN_DENY = 1,
    DRY_RUN_NOT_TOLD = 2, /* no server or scheduler that knows of dry runs */
    DRY_RUN_FORCE = 3,
};

struct dry_run {
    const char *cmd;
    bool wanted; /* --dry-run */
    bool is_json;
    struct json *json;
};

/* The words of '--' and -F: false when it is none of them. */
bool dry_run_take_word(struct dry_run *d, const char *word);
bool dry_run_take_form(struct dry_run *d, const char *form);

/* -F has a meaning for a dry run only; false, with a line, where it stands alone. */
bool dry_run_is_whole(const struct dry_run *d);

/* Ask and print the verdict: its enum dry_run_status. Nothing is sent to a server that
 * does not name dry runs. A refusal is a denial, and its words are printed as well. */
int dry_run_ask(struct dry_run *d, int conn, const struct holdfast_act *act);

/* The same of each occurrence that is left of a series, each as if it were the only
 * one: the worst of them. */
int dry_run_ask_each(struct dry_run *d, int conn, const struct holdfast_act *act);

/* The worse of two: a yes, what needs force, a no, what nobody can tell, and worst any
 * other exit status. */
int dry_run_worse(int a, int b);

/* After the last one. */
void dry_run_end(struct dry_run *d);

#endif
