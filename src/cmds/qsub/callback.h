/* callback.h - who submits a job and waits for it listens at a port, which the job has
 * as an attribute: an interactive job's MoM calls there, and the server when a blocking
 * job has ended (cli.md 3.8, 3.9).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_QSUB_CALLBACK_H
#define CMDS_QSUB_CALLBACK_H

#include "cmds/common/attr_list.h"

#include <netinet/in.h>
#include <signal.h>

struct callback {
    int fd; /* that listens; -1: none */
    unsigned port;
    sigset_t before; /* the signals that were blocked before callback_hold() */
};

/* Listen at a port that the system chooses, on all addresses, and set the attribute
 * 'attr' to it. 0, or the exit status after the mistake was printed. */
int callback_listen(struct callback *c, struct attropl **attrs, const char *attr);
void callback_close(struct callback *c);

/* From now on these signals (0 ends the list) are noticed only while
 * callback_wait() waits. */
void callback_hold(struct callback *c, const int *signals);
/* Signals are again what they were for a new process. */
void callback_let_go(struct callback *c, const int *signals);

enum callback_event {
    CALLBACK_CALL,   /* somebody has connected */
    CALLBACK_SIGNAL, /* one of those that are held has come */
    CALLBACK_TIME,   /* neither, for so long */
};

/* The next thing that happens. CALLBACK_CALL: *ret_fd is the caller's, whom *from says;
 * CALLBACK_SIGNAL: *ret_signal is its number. */
enum callback_event callback_wait(struct callback *c, int timeout_s, int *ret_fd,
                                  struct sockaddr_in *from, int *ret_signal);

/* Read exactly 'size' bytes from a caller. False when it has ended before, or is slower
 * than 'timeout_s' seconds for all of them. */
bool callback_read(int fd, void *bytes, size_t size, int timeout_s) MUST_CHECK;

/* Is the job still one that may call? True also when the server cannot be asked, since
 * it may come back; false when it does not know the job, or the job has ended. */
bool callback_job_lives(const char *server, const char *job_id);

/* The exit status of a job that has ended, where the server keeps that. */
bool callback_job_status(const char *server, const char *job_id, int *ret) MUST_CHECK;

/* Delete the job and say so on stdout, or why it could not be on stderr. */
void callback_delete_job(const char *server, const char *job_id);

#endif
