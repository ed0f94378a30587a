/* pair.c - see pair.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/server/pair.h"

#include "test/unit/unit.h"

#include <string.h>

struct pair pair_new(const char *attrs, const char *script)
{
    struct pair p = { .from = rig_new(), .to = rig_new(), .conn = 1000 };

    delete_job(p.to, RIG_ROOT, submit(p.to, RIG_USER, "", "", NULL), NULL);
    p.id = submit(p.from, RIG_USER, "", attrs, script);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p.id);
    return p;
}

void pair_free(struct pair *p)
{
    CU_ASSERT_TRUE(rig_is_same(p->from));
    CU_ASSERT_TRUE(rig_is_same(p->to));
    rig_free(p->from);
    rig_free(p->to);
}

const struct need *transfer_asked(const struct rig *r)
{
    for (size_t i = 0; i < r->out.n; i++)
        if (r->out.v[i].kind == EFFECT_FIND_OUT &&
            need_is_deed(r->out.v[i].u.need.kind))
            return &r->out.v[i].u.need;
    return NULL;
}

struct wire_reply pair_served(struct pair *p, const struct wire_request *rq)
{
    const struct requester who = {
        .user = RIG_ROOT, .host = "other.example", .peer = true, .conn = p->conn
    };
    const struct wire_reply *reply;

    p->to->out = (struct effects){ .arena = p->to->arena };
    svr_request(p->to->s, p->to->now_at, &who, rq, &p->to->out);
    reply = rig_reply(p->to, p->conn);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    p->n_taken += rq->number == BATCH_COMMIT && reply->code == 0;
    return *reply;
}

struct finding pair_attempt(struct pair *p, const struct need *need, int cut)
{
    struct dis_in in = { need->data, need->data + need->len, p->from->arena };
    struct finding f = { 0 };
    struct wire_request rq;
    struct wire_reply reply;
    bool known;

    p->conn++;
    while (in.at < in.end) {
        CU_ASSERT_EQUAL_FATAL(batch_read_request(&in, &rq, &known), DIS_OK);
        f.doubt |= rq.number == BATCH_COMMIT;
        f.failed = true;
        if (cut-- == 0)
            return f;
        reply = pair_served(p, &rq);
        batch_open_reply(&reply, p->to->arena);
        if (cut-- == 0)
            return f;
        f.failed = false;
        f.code = reply.code;
        f.words = finding_words(&reply, p->from->arena);
        if (f.code)
            return f;
    }
    f.found = true;
    return f;
}

void pair_tell(struct pair *p, const struct need *need, const struct finding *f)
{
    p->from->out = (struct effects){ .arena = p->from->arena };
    svr_learned(p->from->s, p->from->now_at, need, f, &p->from->out);
    p->said = rig_reply(p->from, p->client);
}

void pair_go(struct pair *p, int cut)
{
    const struct need *need = transfer_asked(p->from);
    struct finding f;

    CU_ASSERT_PTR_NOT_NULL_FATAL(need);
    f = pair_attempt(p, need, cut);
    pair_tell(p, need, &f);
}

bool job_lives(const struct rig *r, const char *id)
{
    const struct object *o = the_job(r, id);

    return o && !TO_JOB(o)->past;
}
