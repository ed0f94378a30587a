/* job_peer.c - the streams and connections on which jobs are under way.
 *
 * A peer is known while it sends a job, so that its further parts, and its end, lead to
 * that job without a look at others.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

static struct peer *find(const struct mom *m, uint64_t stream)
{
    struct peer *p;

    HASH_FIND(hh, m->peers, &stream, sizeof(stream), p);
    return p;
}

void peer_receives(struct mom *m, struct mom_job *j, uint64_t stream)
{
    struct peer *p = find(m, stream);

    MUST(!j->peer);
    if (!p) {
        p = xcalloc(1, sizeof(*p));
        p->stream = stream;
        HASH_ADD(hh, m->peers, stream, sizeof(p->stream), p);
    }
    DL_APPEND(p->jobs, j);
    j->peer = p;
    j->stream = stream;
}

void peer_release(struct mom *m, struct mom_job *j)
{
    struct peer *p = j->peer;

    if (!p)
        return;
    MUST(p->jobs); /* this one at least */
    DL_DELETE(p->jobs, j);
    j->peer = NULL;
    if (p->jobs)
        return;
    HASH_DEL(m->peers, p);
    free(p);
}

bool peer_is_of(const struct mom_job *j, uint64_t stream)
{
    return j->peer && j->peer->stream == stream;
}

struct mom_job *peer_job(const struct mom *m, uint64_t stream)
{
    const struct peer *p = find(m, stream);

    return p ? p->jobs : NULL;
}
