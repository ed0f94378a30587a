/* attaching.c - see attaching.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/attaching.h"

#include "lib/auth/auth.h"
#include "lib/auth/sockowner.h"
#include "lib/io/pool.h"
#include "mom/shell/proc.h"
#include "mom/shell/task_service.h"

#include <stdlib.h>
#include <sys/socket.h>

#define THREADS    2
#define MOST_WAIT  64
#define USER_BYTES 257

struct attaching {
    struct shell *shell;
    struct pool *pool;
};

struct question {
    struct pool_job job;
    struct shell *shell;
    uint64_t connection;
    int32_t version, event;
    uint32_t claimed_uid, pid;
    char *job_id;
    uint32_t uid;          /* that the kernel knows */
    char user[USER_BYTES]; /* "": it has no account */
};

struct attaching *attaching_new(struct shell *s)
{
    struct attaching *a = xcalloc(1, sizeof(*a));

    a->shell = s;
    a->pool = pool_new(s->loop, THREADS, MOST_WAIT);
    return a;
}

void attaching_free(struct attaching *a)
{
    if (!a)
        return;
    pool_free(a->pool);
    free(a);
}

static void question_free(struct question *q)
{
    free(q->job_id);
    free(q);
}

/* In a thread. An account that is not known is answered as that of another user. */
static void on_work(struct pool_job *job)
{
    struct question *q = (struct question *)(void *)job;
    struct diag why;

    if (auth_user_name(q->uid, q->user, sizeof(q->user), &why) != 0)
        q->user[0] = '\0';
}

/* The process is looked at last, just before it is watched. */
static void decide(struct question *q)
{
    struct shell *s = q->shell;
    struct mom_out out = { .arena = s->arena };
    const struct proc_owner process = proc_look((int32_t)q->pid);
    const struct mom_attach found = { .user = q->user[0] ? q->user : NULL,
                                      .uid = q->uid,
                                      .session = process.session,
                                      .owner = process.uid,
                                      .leader_owner = process.leader_uid,
                                      .mark = process.mark };
    const struct task_request rq = { .version = q->version,
                                     .job_id = q->job_id,
                                     .command = TASK_ATTACH,
                                     .event = q->event,
                                     .uid = q->claimed_uid,
                                     .pid = q->pid };

    mom_attach(s->mom, clock_steady(), q->connection, &rq, &found, &out);
    question_free(q);
    shell_carry_out(s, &out);
}

static void on_done(struct pool_job *job)
{
    decide((struct question *)(void *)job);
}

static void on_drop(struct pool_job *job)
{
    question_free((struct question *)(void *)job);
}

/* Too many ask at once, or the name service hangs: nobody is believed unasked. */
static void put_off(struct question *q)
{
    const struct task_reply no = {
        .version = q->version, .failed = true, .code = TASK_ESYSTEM, .event = q->event
    };

    task_service_reply(q->shell->task_service, q->connection, &no, TASK_ATTACH);
    question_free(q);
}

static bool find_owner(int fd, const struct sockaddr_in *peer, uid_t *ret,
                       struct diag *why)
{
    struct sockaddr_in own;
    socklen_t len = sizeof(own);

    if (getsockname(fd, (struct sockaddr *)&own, &len) != 0) {
        diag_set(why, PBSE_SYSTEM, "no address of the connection");
        return false;
    }
    /* Seen from the other end, that end is its own. */
    return auth_socket_owner(peer, &own, ret, why) == 0;
}

void attaching_start(struct attaching *a, uint64_t connection, int fd,
                     const struct sockaddr_in *peer, const struct task_request *rq)
{
    struct question *q = xcalloc(1, sizeof(*q));
    struct diag why;
    uid_t uid;

    *q = (struct question){
        .job = { .work = on_work, .done = on_done, .drop = on_drop },
        .shell = a->shell,
        .connection = connection,
        .version = rq->version,
        .event = rq->event,
        .claimed_uid = rq->uid,
        /* No process has a number above that. */
        .pid = MIN_OF(rq->pid, (uint32_t)INT32_MAX),
        .job_id = xstrdup(rq->job_id),
        .uid = rq->uid,
    };
    if (!find_owner(fd, peer, &uid, &why)) {
        shell_log(a->shell, LOG_EV_ERROR | LOG_EV_SECURITY, LOG_IN_JOB, "tm_attach",
                  why.text);
        decide(q); /* without an account: refused */
        return;
    }
    q->uid = uid;
    if (!pool_run(a->pool, &q->job))
        put_off(q);
}
