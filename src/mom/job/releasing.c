/* releasing.c - hosts that a job has left and that still end what they had of it
 * (execution.md 28).
 *
 * They are no hosts of the job any more, so what they are asked is not among the
 * questions to hosts (asked.c). The server hears that they are free when they have said
 * what was used there, for others may run there from then on. One that cannot be
 * reached is not waited for: it is lost to the server as well, and gives the job up by
 * itself (sister.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

static void send_release(struct mom_job *j, struct releasing *l, uint64_t stream,
                         struct mom_out *out)
{
    const struct im_message msg =
        asked_message(j, IM_DELETE_JOB2, l->event, out->arena);

    MUST(!l->is_sent && stream);
    l->is_sent = true;
    out_send_im(out, stream, &msg);
}

/* What a host has used that is none of the job's any more stays counted (tpp.md 6.5):
 * it becomes use of this host. 'ended' is what later samples of this host are added to.
 */
static void take_over(struct mom_job *j, struct releasing *l, int64_t cput_s)
{
    int64_t more = MAX_OF(cput_s - l->cput_s, 0);

    l->cput_s += more;
    j->ended.cput_s += more;
    j->top.used.cput_s += more;
}

void releasing_add(struct mom *m, struct mom_job *j, const struct job_host *h,
                   struct mom_out *out)
{
    struct releasing *l = xcalloc(1, sizeof(*l));
    uint64_t stream;

    MUST(!j->is_sister);
    out_joblog(out, LOG_EV_JOB, j, "%s is released", h->name);
    *l = (struct releasing){ .host = h->name, /* in the arena of the job */
                             .port = h->port,
                             .event = ++m->last_event };
    DL_APPEND(j->releasing, l);
    take_over(j, l, h->used.cput_s);
    j->top.used.mem_kb += h->used.mem_kb;
    stream = reach_stream(m, h->name, h->port, out);
    if (stream)
        send_release(j, l, stream, out);
}

static bool is_at(const struct releasing *l, const struct reached *r)
{
    return l->port == r->port && strcasecmp(l->host, r->host) == 0;
}

static void forget(struct mom_job *j, struct releasing *l)
{
    DL_DELETE(j->releasing, l);
    free(l);
}

void releasing_reached(struct mom_job *j, const struct reached *r, struct mom_out *out)
{
    struct releasing *l;

    DL_FOREACH (j->releasing, l)
        if (is_at(l, r) && !l->is_sent)
            send_release(j, l, r->stream, out);
}

void releasing_lost(struct mom *m, struct mom_job *j, const struct reached *r,
                    struct mom_out *out)
{
    struct releasing *l;

    DL_FOREACH (j->releasing, l) {
        if (!is_at(l, r))
            continue;
        /* A stream may end without its host: once it is tried again. */
        if (l->is_sent && !l->is_resent) {
            l->is_resent = true;
            l->is_sent = false;
            (void)reach_stream(m, l->host, l->port, out);
        } else {
            l->is_given_up = true;
        }
    }
}

void releasing_again(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    struct releasing *l, *next;
    uint64_t stream;

    DL_FOREACH_SAFE (j->releasing, l, next) {
        if (l->is_given_up) {
            forget(j, l);
            continue;
        }
        stream = reach_stream(m, l->host, l->port, out);
        l->is_sent = false;
        if (stream)
            send_release(j, l, stream, out);
    }
}

void releasing_router_lost(struct mom_job *j)
{
    struct releasing *l;

    DL_FOREACH (j->releasing, l)
        l->is_sent = l->is_resent = l->is_given_up = false;
}

bool releasing_is_open(const struct mom_job *j)
{
    const struct releasing *l;

    DL_FOREACH (j->releasing, l)
        if (!l->is_given_up)
            return true;
    return false;
}

bool releasing_is_over(struct mom_job *j, const struct reached *r, int32_t event,
                       int64_t cput_s)
{
    struct releasing *l;

    DL_FOREACH (j->releasing, l)
        if (is_at(l, r) && l->event == event) {
            take_over(j, l, cput_s);
            forget(j, l);
            return true;
        }
    return false;
}

void releasing_drop_all(struct mom_job *j)
{
    while (j->releasing)
        forget(j, j->releasing);
}
