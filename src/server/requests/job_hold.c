/* job_hold.c - HoldJob and ReleaseJob.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/base/date.h"
#include "server/decide/checkpoint.h"
#include "server/decide/config.h"
#include "server/decide/edit.h"
#include "server/decide/job_comment.h"
#include "server/model/job_phase.h"
#include "server/requests/handlers.h"
#include "server/requests/job_access.h"
#include "server/requests/job_admit.h"

#include <string.h>

struct hold_change {
    const struct job *job;
    const struct request *rq;
    const char *letters;
    bool release;
    struct record *rec; /* with which the holds change */
};

static const char *held_comment(const struct hold_change *h)
{
    const struct svr_config *cfg = h->rq->cfg;
    int64_t at = h->rq->now_at;
    char text[DATE_TEXT_BYTES];

    date_ctime(date_of(at, cfg->utc_offset_s ? cfg->utc_offset_s(cfg->arg, at) : 0),
               text);
    return arena_printf(h->rq->arena, "Job held by %s on %s", h->rq->who->user, text);
}

/* The last hold is gone, and with it what a hold has written. Of an array under way the
 * comment says since when it is. */
static void take_comment_away(const struct hold_change *h, struct edit *e)
{
    const struct object *o = &h->job->obj;

    if (h->job->array && obj_is_set(o, JOB_A_STIME))
        edit_set_str(
            e, JOB_A_COMMENT,
            array_began_comment(h->rq->cfg, obj_num(o, JOB_A_STIME, 0), h->rq->arena));
    else
        edit_unset(e, JOB_A_COMMENT, NULL);
}

static void change_comment(const struct hold_change *h, const char *holds,
                           struct edit *e)
{
    const char *comment = obj_str(&h->job->obj, JOB_A_COMMENT, "");

    if (!h->release)
        edit_set_str(e, JOB_A_COMMENT, held_comment(h));
    else if (!strpbrk(holds, "uosp") && job_comment_origin(comment) == COMMENT_OF_HOLD)
        take_comment_away(h, e);
}

/* A job that does not run goes where its holds send it. */
static void change_state(const struct hold_change *h, const char *holds, struct edit *e)
{
    MUST(!job_is_at_mom(h->job));
    edit_job_event(e, job_place_held(h->job, holds, h->rq->now_at), h->rq->now_at);
}

static int change_holds(struct hold_change *h, struct edit *e, struct decision *out)
{
    const struct attr_type *type = job_rows[JOB_A_HOLD_TYPES].type;
    const char *holds;
    struct record *rec;
    int err = edit_set(e, JOB_A_HOLD_TYPES, NULL, h->letters,
                       h->release ? WIRE_OP_DECR : WIRE_OP_INCR, &out->why);

    MUST(*h->letters); /* without any, the edit would unset the attribute */
    if (err)
        return err;
    holds = attr_value_text(type, edit_value(e, JOB_A_HOLD_TYPES), h->rq->arena);
    if (!holds)
        holds = "n";
    /* A running job keeps its state; the hold counts when it is back in its queue. */
    if (!job_is_at_mom(h->job)) {
        change_state(h, holds, e);
        change_comment(h, holds, e);
    }
    /* An administrator's hold outlives that of a dependency. */
    if (!h->release && strchr(h->letters, 's') &&
        obj_is_set(&h->job->obj, JOB_A_HF_DEPEND_HOLD))
        edit_set_str(e, JOB_A_HF_DEPEND_HOLD, "-");
    edit_set_num(e, JOB_A_MTIME, h->rq->now_at);
    rec = decide(out, h->rq, FACT_JOB_MODIFIED, OBJ_JOB, h->job->obj.id);
    h->rec = rec;
    rec->note = arena_printf(out->arena, "Holds %s %s at request of %s", h->letters,
                             h->release ? "released" : "set", h->rq->actor);
    edit_commit(e, out->arena, rec);
    return 0;
}

int check_hold_letters(const struct request *rq, const char *letters, struct diag *why)
{
    if (letters[strspn(letters, "uosp")] != '\0' && strcmp(letters, "n") != 0)
        return diag_code(why, PBSE_BADATVAL);
    /* The letter says whose hold it is: the user's, an operator's (o), or the system's
     * (s), which needs a manager. The hold of a bad password (p) needs no right of its
     * own (cli.md 5.3). */
    if (strchr(letters, 's') && !(rq->who->rights & WHO_MANAGER))
        return diag_code(why, PBSE_PERM);
    if (strchr(letters, 'o') && !(rq->who->rights & WHO_STAFF))
        return diag_code(why, PBSE_PERM);
    return 0;
}

int check_holds_taken(const struct request *rq, const struct job *job,
                      const char *after, struct diag *why)
{
    const char *before = job_holds_text(job, rq->arena);
    bool depends = str_same(obj_str(&job->obj, JOB_A_HF_DEPEND_HOLD, ""), "s");
    char taken[sizeof("uosp")] = "";
    size_t n = 0;

    for (const char *c = "uosp"; *c; c++)
        /* The hold of a dependency is the server's, and comes back by itself. */
        if (strchr(before, *c) && !strchr(after, *c) && !(*c == 's' && depends))
            taken[n++] = *c;
    MUST(n < sizeof(taken));
    return check_hold_letters(rq, taken, why);
}

/* A job that runs is held with an image of what it has done so far, where it and its
 * MoM can: it goes on running otherwise, and the hold counts when it is back in its
 * queue. Who asks hears which of the two when the MoM has said. */
static void checkpoint(const struct hold_change *h, struct decision *out)
{
    const char **ids;
    struct decision trial = { .arena = out->arena };

    if (h->release || checkpoint_may_begin(h->job, &trial))
        return;
    h->rec->reason = REASON_CHECKPOINT;
    checkpoint_ask(h->rec, out->arena, CHECKPOINT_TO_HOLD);
    ids = ARENA_ARRAY(out->arena, const char *, 1);
    ids[0] = h->job->obj.id;
    act_wait_jobs(out, 1, ids, 0);
}

/* Holds that a request may set. The letters n and p are taken and set none. */
static bool sets_a_hold(const struct hold_change *h)
{
    return strpbrk(h->letters, "uos") != NULL;
}

/* The letters without p, which no request sets: it can come beside others only in a
 * request that no client of PBS makes. */
static const char *without_password(const char *letters, struct arena *arena)
{
    char *kept = arena_strndup(arena, letters, strlen(letters)), *to = kept;

    for (const char *from = letters; *from; from++)
        if (*from != 'p')
            *to++ = *from;
    *to = '\0';
    return kept;
}

int handle_hold_job(const struct model *m, const struct request *rq,
                    struct decision *out)
{
    const struct body_manage *body = rq->body;
    const char *letters = wire_attrs_value(&body->attrs, "Hold_Types", NULL);
    struct hold_change h = { .rq = rq,
                             /* Without letters the hold is the user's own. */
                             .letters = letters && *letters ? letters : "u",
                             .release = rq->wire->number == BATCH_RELEASE_JOB };
    struct edit e;
    int err = job_for_request(m, rq, body->object_name, &h.job, &out->why);

    if (!err)
        err = check_hold_letters(rq, h.letters, &out->why);
    if (!err && job_state(h.job) == 'E')
        err = diag_code(&out->why, PBSE_BADSTATE);
    if (err || (!h.release && !sets_a_hold(&h)))
        return err;
    if (!h.release)
        h.letters = without_password(h.letters, rq->arena);
    edit_init(&e, m, OBJ_JOB, &h.job->obj);
    err = change_holds(&h, &e, out);
    edit_fini(&e);
    if (!err)
        checkpoint(&h, out);
    return err;
}
