/* x11.h - qsub -X: the X server of whoever submits an interactive job, for the programs
 * of the job (cli.md 3.8).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_QSUB_X11_H
#define CMDS_QSUB_X11_H

#include "cmds/qsub/callback.h"

/* "[host]:number[.screen]" */
struct x11_display {
    char host[256]; /* "": the socket of this host */
    unsigned number, screen;
};
bool x11_display_parse(const char *text, struct x11_display *ret) MUST_CHECK;

/* A line of "xauth list", "name protocol data", as the attribute has it:
 * "protocol:data:screen". False: it is none. */
bool x11_cookie(const char *line, unsigned screen, char *ret, size_t size) MUST_CHECK;

struct x11 {
    struct x11_display display;
    struct callback callback; /* fd -1: not asked for */
    int until_fd;             /* closing it ends what x11_begin() has begun */
    pid_t carrier;
};
#define X11_NONE                                                                       \
    {                                                                                  \
        .callback = { .fd = -1 }, .until_fd = -1                                       \
    }

/* Ask xauth for the cookie of $DISPLAY and listen for the job's MoM; both become
 * attributes. 0, or the exit status after the mistake was printed. */
int x11_prepare(struct x11 *x, struct attropl **attrs);

/* Carry what the job's X clients say to the X server, in a process of its own, until
 * x11_end(). Only a MoM may connect ('may', as of interactive.h). */
void x11_begin(struct x11 *x,
               bool (*may)(void *arg, int fd, const struct sockaddr_in *from));
void x11_end(struct x11 *x);

#endif
