/* demux.h - where tasks of a job on other hosts write to: a process of the job's user
 * that takes their connections and appends what comes to the job's output and error
 * file (tpp.md 7.3).
 *
 * It does not belong to the MoM's life but to the job's: it ends when the shepherd of
 * the top task has ended and everybody who had connected has said his last word. So a
 * restart of the MoM loses no output, and its ports stay what the sisters know.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_DEMUX_H
#define MOM_SHELL_DEMUX_H

#include "mom/mom.h"

struct shell;

#define COOKIE_BYTES 33 /* with its NUL */

/* 32 hexadecimal digits that nobody can guess. */
void demux_cookie(char cookie[COOKIE_BYTES]);

/* Carry out MOM_PREPARE: mom_prepared() is called. */
void demux_start(struct shell *s, const char *job_id, struct mom_out *out);

/* What the shepherd of the job's top task has to keep open; -1: the job has no process
 * of this kind. It is the MoM's until demux_release(). */
int demux_hold(struct shell *s, const char *job_id);
void demux_release(struct shell *s, const char *job_id);
void demux_close_all(struct shell *s);

#endif
