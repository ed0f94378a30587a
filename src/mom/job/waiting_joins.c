/* waiting_joins.c - orders to join that wait until an earlier copy of the job is gone.
 *
 * A start that failed may be followed by the next one within a second, and what this
 * host had of the first takes a moment to end. A refusal would be one more failed
 * start, and the server puts a job on hold after 21 of them. So the mother superior is
 * not answered yet: she waits for her own $sister_join_job_alarm and says ABORT_JOB
 * when it is over.
 *
 * There is one such order for a job at most, the last one, and it goes with its stream.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

struct waiting_join {
    struct arena *arena; /* of 'msg' */
    struct im_message msg;
    uint64_t stream;
    struct tpp_addr from;
    struct waiting_join *prev, *next;
};

static void drop(struct mom *m, struct waiting_join *w)
{
    DL_DELETE(m->joins, w);
    arena_free(w->arena);
    free(w);
}

static struct waiting_join *find(const struct mom *m, const char *job_id)
{
    struct waiting_join *w;

    DL_FOREACH (m->joins, w)
        if (strcmp(w->msg.job_id, job_id) == 0)
            return w;
    return NULL;
}

void joins_wait(struct mom *m, uint64_t stream, const struct tpp_addr *from,
                const struct im_message *msg)
{
    struct waiting_join *w = xcalloc(1, sizeof(*w));

    MUST(job_find(m, msg->job_id) && !find(m, msg->job_id));
    w->arena = arena_new();
    w->msg = asked_copy_message(msg, w->arena);
    w->stream = stream;
    w->from = *from;
    DL_APPEND(m->joins, w);
}

void joins_drop(struct mom *m, const char *job_id)
{
    struct waiting_join *w = find(m, job_id);

    if (w)
        drop(m, w);
}

bool joins_drop_run(struct mom *m, const struct im_message *msg)
{
    struct waiting_join *w = find(m, msg->job_id);
    bool ends = msg->command == IM_ABORT_JOB || msg->command == IM_KILL_JOB ||
                msg->command == IM_DELETE_JOB || msg->command == IM_DELETE_JOB_REPLY;

    if (!w || !ends || strcmp(w->msg.cookie, msg->cookie) != 0)
        return false;
    drop(m, w);
    return true;
}

void joins_drop_stream(struct mom *m, uint64_t stream)
{
    struct waiting_join *w, *next;

    DL_FOREACH_SAFE (m->joins, w, next)
        if (w->stream == stream)
            drop(m, w);
}

void joins_note(struct mom *m, const char *job_id)
{
    if (find(m, job_id))
        m->join_at = 0;
}

void joins_tick(struct mom *m, int64_t now_at, struct mom_out *out)
{
    struct waiting_join *w, *next;

    if (now_at < m->join_at)
        return;
    m->join_at = INT64_MAX;
    DL_FOREACH_SAFE (m->joins, w, next) {
        struct arena *arena = w->arena;
        const struct im_message msg = w->msg;
        const struct tpp_addr from = w->from;
        uint64_t stream = w->stream;

        if (job_find(m, msg.job_id))
            continue;
        /* Joining drops what waits for the same job, so this is in no list by then. */
        DL_DELETE(m->joins, w);
        free(w);
        sister_join(m, stream, &from, &msg, out);
        arena_free(arena);
    }
}

void joins_free_all(struct mom *m)
{
    while (m->joins)
        drop(m, m->joins);
}
