/* image_hosts.c - the mother superior has the other hosts of a job make their images,
 * and go back where one of them has failed (tpp.md 7.2, doc/design/084).
 *
 * Her own image comes last, so that her top task is not touched before all others have
 * theirs. Where one has failed all are told to undo it (RESTART), with an event that
 * follows the one of the order: a host that has never had the order finds nothing to
 * undo, and a late answer to the order is none to this. A host that cannot be reached
 * is told when it is heard of, and until then there is no other image.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/image.h"

#include "lib/base/instant.h"

#define STATUS_SISTER    (-14) /* execution.md 20 */
#define STATUS_HAS_IMAGE (-5)
#define SPARE_S          30 /* for what is around a script */

int64_t image_limit_s(const struct mom *m, enum im_command command)
{
    int64_t s = command == IM_RESTART            ? m->cfg.restart_limit_s
                : command == IM_CHECKPOINT_ABORT ? m->cfg.checkpoint_abort_limit_s
                                                 : m->cfg.checkpoint_limit_s;

    return s > 0 ? s + SPARE_S : INT64_MAX;
}

static void ask(struct mom *m, int64_t now_at, struct mom_job *j,
                enum im_command command, int32_t event, struct mom_out *out)
{
    j->checkpoint.answer_by = instant_after(now_at, image_limit_s(m, command));
    life_reckon(m, j);
    superior_ask_event(m, j, command, event, out);
}

void image_ask_others(struct mom *m, int64_t now_at, struct mom_job *j,
                      struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;

    image_move(j, IMAGE_EV_ASK);
    out_job(out, MOM_SAVE, j);
    ask(m, now_at, j,
        c->making == CHECKPOINT_ABORT ? IM_CHECKPOINT_ABORT : IM_CHECKPOINT,
        c->being_made.event, out);
}

void image_undo_others(struct mom *m, int64_t now_at, struct mom_job *j,
                       struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;

    image_move(j, IMAGE_EV_UNDO);
    c->undo = c->being_made.event + 1;
    c->undo_failed = false;
    for (size_t i = 0; i < j->hosts.n; i++)
        j->hosts.v[i].undo = j->hosts.v[i].is_member ? c->undo : 0;
    out_job(out, MOM_SAVE, j);
    ask(m, now_at, j, IM_RESTART, c->undo, out);
}

bool image_has_undone_all(const struct mom_job *j)
{
    for (size_t i = 0; i < j->hosts.n; i++)
        if (j->hosts.v[i].is_member && j->hosts.v[i].undo)
            return false;
    return true;
}

/* RESTART is a question of a start as well, which joining.c follows. */
bool image_has_asked(const struct mom_job *j, const struct asked *a)
{
    if (a->command == IM_RESTART)
        return !j->is_joining;
    return a->command == IM_CHECKPOINT || a->command == IM_CHECKPOINT_ABORT;
}

void image_refused(struct mom_job *j, const struct asked *a, int32_t code,
                   const char *text, struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;
    const char *host = j->hosts.v[a->host].name;

    out_joblog(out, LOG_EV_ERROR, j, "%s failed on %s, %d%s%s",
               im_command_name(a->command), host, code, text ? ": " : "",
               text ? text : "");
    if (a->command == IM_RESTART) {
        /* Whoever is not there is told later; if that is never, the job ends by it. */
        if (code != PBSE_SISCOMM) {
            c->undo_failed = true;
            j->hosts.v[a->host].undo = 0;
        }
        return;
    }
    if (c->failed_code)
        return;
    c->failed_code = code;
    free(c->failed_why);
    c->failed_why =
        text && *text ? xasprintf("%s: %s", host, text) : NULL; /* as people are told */
}

void image_done(struct mom_job *j, const struct asked *a)
{
    if (a->command == IM_RESTART && j->hosts.v[a->host].undo == a->event)
        j->hosts.v[a->host].undo = 0;
}

static bool is_asked(const struct mom_job *j, size_t host, enum im_command command)
{
    const struct asked *a;

    DL_FOREACH (j->asked, a)
        if (a->host == host && a->command == command)
            return true;
    return false;
}

void image_heard(struct mom *m, struct mom_job *j, size_t host, struct mom_out *out)
{
    const struct job_host *h = &j->hosts.v[host];

    if (h->undo && h->is_member && job_has_processes(j) && !j->status_is_set &&
        !is_asked(j, host, IM_RESTART))
        asked_add_event(m, j, host, IM_RESTART, h->undo, out);
}

/* Tasks are gone that the job needs. */
static void end_broken(struct mom *m, int64_t now_at, struct mom_job *j,
                       struct mom_out *out)
{
    out_joblog(out, LOG_EV_ERROR, j,
               "a host could not restore its tasks, killing job now");
    superior_end(m, now_at, j,
                 j->checkpoint.has_image ? STATUS_HAS_IMAGE : STATUS_SISTER, out);
}

static void undone(struct mom *m, int64_t now_at, struct mom_job *j,
                   struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;
    const char *why = arena_strdup(out->arena, c->failed_why);
    bool is_broken = c->undo_failed;

    image_move(j, IMAGE_EV_UNDONE);
    c->undo_failed = false;
    checkpoint_failed(m, now_at, j, c->failed_code ? c->failed_code : PBSE_SYSTEM, why,
                      c->failed_code ? c->failed_code : PBSE_SYSTEM, out);
    if (is_broken)
        end_broken(m, now_at, j, out);
}

void image_step(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;

    if (c->stage == IMAGE_OTHERS && !asked_is_open(j, IM_CHECKPOINT) &&
        !asked_is_open(j, IM_CHECKPOINT_ABORT)) {
        c->answer_by = 0;
        if (c->failed_code)
            image_undo_others(m, now_at, j, out);
        else
            image_make_own(j, out);
    } else if (c->stage == IMAGE_UNDOING && !asked_is_open(j, IM_RESTART)) {
        c->answer_by = 0;
        undone(m, now_at, j, out);
    } else if (c->undo_failed && c->stage != IMAGE_UNDOING && job_has_processes(j)) {
        /* One that was heard of late. */
        c->undo_failed = false;
        end_broken(m, now_at, j, out);
    }
}

int64_t image_due_at(const struct mom_job *j)
{
    return j->checkpoint.answer_by ? j->checkpoint.answer_by : INT64_MAX;
}

void image_too_late(struct mom_job *j, struct mom_out *out)
{
    struct asked *a, *next;

    j->checkpoint.answer_by = 0;
    DL_FOREACH_SAFE (j->asked, a, next)
        if (image_has_asked(j, a)) {
            image_refused(j, a, PBSE_SISCOMM, NULL, out);
            asked_free(j, a);
        }
}
