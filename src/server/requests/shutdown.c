/* shutdown.c - Shutdown: how the server is to end (operations.md 12, wire.md 10.7).
 *
 * What becomes of running jobs is no part of the decision: there may be many, so that
 * the engine has them decided a slice at a time (engine/stop.c, decide/job_of_end.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/log.h"
#include "server/decide/config.h"
#include "server/decide/job_end.h"
#include "server/requests/handlers.h"

enum shutdown_bits {
    SHUTDOWN_MANNER = 0x0f,
    SHUTDOWN_SCHED = 0x10,
    SHUTDOWN_MOMS = 0x20,
    SHUTDOWN_SECONDARY_ONLY = 0x100,
};

enum shutdown_manner {
    MANNER_IMMEDIATE,
    MANNER_DELAY,
    MANNER_QUICK,
};

static const char *manner_name(enum server_stop was, enum server_stop is,
                               uint32_t manner)
{
    static const char *const names[] = { "Immediate", "Delayed", "Quick" };

    if (was == STOP_IMMEDIATE && is == STOP_NOW)
        return "Forced";
    return manner < ARRAY_LEN(names) ? names[manner] : "Forced";
}

/* A second immediate request does not wait any longer. */
static enum server_stop how_to_stop(enum server_stop was, uint32_t manner)
{
    if (manner == MANNER_DELAY)
        return was > STOP_DELAYED ? was : STOP_DELAYED;
    if (manner == MANNER_IMMEDIATE && was < STOP_IMMEDIATE)
        return STOP_IMMEDIATE;
    return STOP_NOW;
}

static bool any_keeps_server(const struct model *m)
{
    MODEL_EACH_LIVE(m, OBJ_JOB, o)
    {
        if (job_keeps_server(TO_JOB(o)))
            return true;
    }
    return false;
}

int handle_shutdown(const struct model *m, const struct request *rq,
                    struct decision *out)
{
    const struct body_number *body = rq->body;
    const char *server = log_server_name(rq->cfg, out->arena);
    uint32_t manner = body->value & SHUTDOWN_MANNER;
    enum server_stop how = how_to_stop(rq->view->stopping, manner);
    struct act *stop;

    if (body->value & SHUTDOWN_SECONDARY_ONLY)
        return diag_code(&out->why, PBSE_NOSUP);        /* there is no second server */
    MUST(how != STOP_NOT && how >= rq->view->stopping); /* an end is not taken back */
    decide_log(out, LOG_EV_SYSTEM | LOG_EV_ADMIN | LOG_EV_DEBUG, LOG_IN_SERVER, server,
               "Shutdown request from %s ", rq->actor);
    decide_log(out, LOG_EV_SYSTEM | LOG_EV_ADMIN | LOG_EV_DEBUG, LOG_IN_SERVER, server,
               "Starting to shutdown the server, type is %s",
               manner_name(rq->view->stopping, how, manner));
    /* Schedulers and MoMs are told only when the request asks for it. */
    if (body->value & SHUTDOWN_SCHED)
        act_add(out, ACT_QUIT_SCHEDULERS);
    /* A quick end leaves all jobs running; they are found again at the next start. */
    if (how < STOP_NOW && any_keeps_server(m))
        act_add(out, ACT_END_JOBS);
    stop = act_add(out, ACT_STOP);
    stop->u.stop.how = how;
    stop->u.stop.quit_moms = body->value & SHUTDOWN_MOMS;
    return 0;
}
