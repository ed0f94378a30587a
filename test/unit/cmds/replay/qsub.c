/* qsub.c - the command as a function of the test program. What waits for a job, and the
 * terminal, are not there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay.h"

#define main replay_qsub
#include "cmds/qsub/qsub.c"

bool interactive_may_be(void)
{
    fputs("(no terminal)\n", stderr);
    return false;
}

int interactive_run(struct callback *c, struct x11 *x, const char *server,
                    const char *job_id)
{
    (void)c;
    (void)x;
    (void)server;
    (void)job_id;
    return 0;
}

void blocking_hold(struct callback *c)
{
    (void)c;
}

int blocking_run(struct callback *c, const char *server, const char *job_id)
{
    (void)c;
    (void)server;
    printf("(waits for %s)\n", job_id);
    return 0;
}

int callback_listen(struct callback *c, struct attropl **attrs, const char *attr)
{
    (void)c;
    attrs_set(attrs, attr, NULL, "4711");
    return 0;
}

void callback_close(struct callback *c)
{
    (void)c;
}

int x11_prepare(struct x11 *x, struct attropl **attrs)
{
    (void)x;
    (void)attrs;
    return 0;
}

void x11_end(struct x11 *x)
{
    (void)x;
}
