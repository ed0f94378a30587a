/* demux.h - where tasks of a job on other hosts write to: a process of the job's user
 * that takes their connections and appends what comes to the job's output and error
 * file (tpp.md 7.3).
 *
 * It does not belong to the MoM's life but to the job's: it ends when the shepherd of
 * the top task has ended and everybody who had connected has said his last word. So a
 * restart of the MoM loses no output, and its ports stay what the sisters know.
 *
 * What goes wrong in it is told to the MoM that has started it, for the log; a later
 * MoM hears nothing of it. The job starts when it is ready, and its start fails, to be
 * tried again, when it ends before that. Later the job does without it: tasks on other
 * hosts find their connection closed, as behind a pipe whose reader has ended.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_DEMUX_H
#define MOM_SHELL_DEMUX_H

#include "mom/mom.h"

struct shell;

#define COOKIE_BYTES 33 /* with its NUL */

/* 32 hexadecimal digits that nobody can guess. */
void demux_cookie(char cookie[COOKIE_BYTES]);

/* Carry out MOM_PREPARE: mom_prepared() is called, at once or when the process is ready
 * or has ended, unless the job is gone by then. */
void demux_start(struct shell *s, const char *job_id, struct mom_out *out);

/* What the shepherd of the job's top task has to keep open; -1: the job has no process
 * of this kind. It is the MoM's until demux_release(). */
int demux_hold(struct shell *s, const char *job_id);
void demux_release(struct shell *s, const char *job_id);
void demux_close_all(struct shell *s);

#endif
