/* job_start.c - see job_start.h.
 *
 * A job that is given vnodes is running from that record on: it holds them, whether or
 * not its MoM has heard of it yet. Sending it is what follows (moms/), and a MoM that
 * refuses puts it back into the queue.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/job_start.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/node_attrs.h"
#include "lib/attr/queue_attrs.h"
#include "lib/attr/resv_attrs.h"
#include "lib/base/date.h"
#include "lib/base/instant.h"
#include "server/decide/checkpoint.h"
#include "server/decide/config.h"
#include "server/decide/run_vnodes.h"
#include "server/model/depend.h"
#include "server/model/indirect.h"
#include "server/model/job_hosts.h"
#include "server/model/job_phase.h"
#include "server/model/job_suspend.h"
#include "server/model/node_life.h"
#include "server/model/resv_claims.h"
#include "server/model/resv_fit.h"

#include <string.h>
#include <strings.h>

#define COMMENT_MAX        255
#define KILL_DELAY_DEFAULT 10

/* The pieces of a run. */
struct run {
    const struct job_start *st;
    const struct model *m;
    const struct job *job;
    struct arena *arena;
    struct run_vnodes at;
    struct job_hosts hosts;
};

/* A vnode that no MoM serves at the moment cannot take a job. */
#define UNREACHABLE (NODE_DOWN | NODE_STATE_UNKNOWN | NODE_UNRESOLVABLE | NODE_SLEEP)

static int check_vnodes(const struct run *run, struct diag *why)
{
    for (size_t i = 0; i < run->at.ev.n; i++) {
        for (size_t k = 0; k < run->at.ev.chunks[i].n; k++) {
            const struct node *n =
                model_node(run->m, run->at.ev.chunks[i].parts[k].vnode);

            /* The check comes before the record: a job that cannot be sent shall not
             * seem to run. */
            if (node_state_stored(n) & (uint32_t)UNREACHABLE)
                return diag_code(why, PBSE_NORELYMOM);
        }
    }
    return 0;
}

/* What jobs of the reservation already use of that resource on the vnode. */
static int64_t used_in_resv(const struct run *run, const struct node *n,
                            const char *resource)
{
    int64_t sum = 0;

    for (size_t i = 0; i < n->n_jobs; i++) {
        const struct job *job = n->jobs[i];

        /* Jobs of others on the vnode are not charged to the reservation, and the job
         * itself, when it is resumed, asks for all that it has there. */
        if (job->resv == run->job->resv && job != run->job)
            sum += resources_amount(bookings_on(&job->bookings, n), resource, 0);
    }
    return sum;
}

/* What the reservation holds of it there; nothing of a vnode that is not its own. */
static int64_t held_by_resv(const struct resv *resv, const struct node *n,
                            const char *resource)
{
    int64_t sum = 0;

    for (size_t i = 0; i < resv->current.bookings.n; i++)
        if (resv->current.bookings.v[i].node == n)
            sum += resources_amount(&resv->current.bookings.v[i].amount, resource, 0);
    return sum;
}

/* The same two of a resource that vnodes share, through whichever of them. */
static bool fits_at_home(const struct run *run, const struct node *n,
                         const char *resource)
{
    const struct resv *resv = run->job->resv;
    const struct node *home = node_home(n, resource);
    int64_t used = 0;

    /* Each vnode that shares the home is counted once, by the booking that it has in
     * the reservation. */
    for (size_t i = 0; i < resv->current.bookings.n; i++)
        if (node_home(resv->current.bookings.v[i].node, resource) == home)
            used += used_in_resv(run, resv->current.bookings.v[i].node, resource);
    return used + offer_at_home(run->m, &run->at.ev, home, resource) <=
           bookings_at_home(&resv->current.bookings, home, resource);
}

static bool is_counted(const struct resource_def *def)
{
    return def && (def->flags & RESOURCE_CONSUMABLE);
}

static bool is_own(const struct resv *resv, const struct node *n)
{
    for (size_t i = 0; i < resv->current.bookings.n; i++)
        if (resv->current.bookings.v[i].node == n)
            return true;
    return false;
}

/* Is the resource one that the reservation names on the vnode, or, of what vnodes
 * share, anywhere? What it does not name on a vnode of its own is the vnode's and not
 * limited by it (reservations.md 11). */
static bool is_named(const struct resv *resv, const struct node *n,
                     const char *resource)
{
    if (node_shares(n, resource))
        return bookings_at_home(&resv->current.bookings, node_home(n, resource),
                                resource) > 0;
    return !is_own(resv, n) ||
           resources_find(bookings_on(&resv->current.bookings, n), resource);
}

/* How long the job may use what it is given: its reservation's end is its own. */
static struct window window_of_job(const struct run *run)
{
    int64_t now_at = run->st->now_at;
    int64_t resv_end_at = occurrence_end_at(&run->job->resv->current, INT64_MAX);
    int64_t end_at = instant_after(now_at, job_walltime_left(run->job));

    return (struct window){
        .start_at = now_at,
        /* At least one second, so that the window is never empty. */
        .end_at = MAX_OF(MIN_OF(end_at, resv_end_at), now_at + 1),
    };
}

/* Has the vnode that much left beside the reservation: for all who use it, inside and
 * outside of it? One that does not name the resource has no limit. */
static bool fits_beside(const struct run *run, const struct node *n,
                        const char *resource)
{
    const struct resv *resv = run->job->resv;
    bool shared = node_shares(n, resource);
    const struct node *home = shared ? node_home(n, resource) : n;
    const struct resources *has = obj_resources(&home->obj, NODE_A_RESOURCES_AVAILABLE);
    int64_t now_at = run->st->now_at;
    struct window window = window_of_job(run);
    struct claims others =
        shared
            ? claims_at_home(home, resource, &resv->current, window, now_at, run->arena)
            : claims_on(n, &resv->current, window, now_at, run->arena);
    int64_t wanted = shared ? offer_at_home(run->m, &run->at.ev, home, resource)
                            : exec_vnode_amount(&run->at.ev, n->obj.id, resource);
    int64_t used = 0;

    /* What the vnode does not name is not counted on it. */
    if (!resources_find(has, resource))
        return true;
    for (size_t i = 0; i < resv->current.bookings.n; i++)
        if (node_home(resv->current.bookings.v[i].node, resource) == home)
            used += used_in_resv(run, resv->current.bookings.v[i].node, resource);
    return wanted <= resources_amount(has, resource, 0) - used -
                         claims_most(&others, resource, now_at);
}

/* Does a share fit into what the reservation of the job has there, and beside it? */
static bool fits_inside(const struct run *run, const struct vnode_part *s)
{
    const struct resv *resv = run->job->resv;
    const struct node *n = model_node(run->m, s->vnode);

    for (size_t r = 0; r < s->n; r++) {
        const char *name = s->res[r].name;
        bool fits = true;

        /* Only what is counted down can run out. */
        if (!is_counted(s->res[r].def))
            continue;
        if (!is_named(resv, n, name))
            fits = is_own(resv, n) && fits_beside(run, n, name);
        else if (node_shares(n, name))
            fits = fits_at_home(run, n, name);
        else
            fits = used_in_resv(run, n, name) +
                       exec_vnode_amount(&run->at.ev, s->vnode, name) <=
                   held_by_resv(resv, n, name);
        if (!fits)
            return false;
    }
    return true;
}

/* A scheduler decides on a picture that may be old: what no longer holds is refused. A
 * manager's qrun may overfill a vnode. */
static int check_room(const struct run *run, struct diag *why)
{
    /* A job outside of reservations must fit beside all promises that are made. */
    if (!run->job->resv)
        return resv_fit_job(run->m, run->job, &run->at.ev, run->st->now_at, run->arena)
                   ? 0
                   : diag_code(why, PBSE_RESCUNAV);
    for (size_t i = 0; i < run->at.ev.n; i++)
        for (size_t k = 0; k < run->at.ev.chunks[i].n; k++)
            if (!fits_inside(run, &run->at.ev.chunks[i].parts[k]))
                return diag_code(why, PBSE_RESCUNAV);
    return 0;
}

static int read_vnodes(struct run *run, const char *text, struct diag *why)
{
    int err = run_vnodes_read(run->m, run->job, text, run->arena, &run->at, why);

    if (!err)
        /* The hosts follow from the vnodes; a vnode whose host is not known cannot run
         * anything. */
        err = job_hosts_make(run->m, &run->at.ev, run->arena, &run->hosts, why);
    return err;
}

/* Are all vnodes of the job's image still there? */
static bool image_is_there(const struct run *run)
{
    struct run_vnodes at;
    struct diag why;

    return run_vnodes_read(run->m, run->job,
                           obj_str(&run->job->obj, JOB_A_EXEC_VNODE, ""), run->arena,
                           &at, &why) == 0;
}

/* A job with an image runs where that is. One whose vnodes were deleted has lost it. */
static int check_image(const struct run *run, struct diag *why)
{
    if (!job_has_image(run->job) ||
        str_same(obj_str(&run->job->obj, JOB_A_EXEC_VNODE, NULL), run->at.text) ||
        !image_is_there(run))
        return 0;
    return diag_code(why, PBSE_EXECTHERE);
}

static const char *run_comment(const struct run *run)
{
    static const char *const days[] = {
        "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"
    };
    static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
    const struct svr_config *cfg = run->st->cfg;
    int64_t offset_s =
        cfg->utc_offset_s ? cfg->utc_offset_s(cfg->arg, run->st->now_at) : 0;
    struct date d = date_of(run->st->now_at, offset_s);
    char *text = arena_printf(run->arena, "Job run at %s %s %02d at %02d:%02d on %s",
                              days[d.weekday], months[d.month - 1], d.day, d.hour,
                              d.minute, run->at.text);

    /* The list of vnodes may be very long, and clients of PBS expect a comment of
     * bounded length. */
    if (strlen(text) > COMMENT_MAX)
        memcpy(text + COMMENT_MAX - 3, "...", 4);
    return text;
}

static int64_t kill_delay_s(const struct run *run)
{
    if (!run->job->queue)
        return KILL_DELAY_DEFAULT;
    return obj_num(&run->job->queue->obj, QUEUE_A_KILL_DELAY, KILL_DELAY_DEFAULT);
}

static void decide_run(const struct run *run, struct decision *out)
{
    const struct object *o = &run->job->obj;
    struct arena *arena = out->arena;
    struct record *rec = record_add(&out->records, arena, FACT_JOB_RUN, OBJ_JOB, o->id,
                                    run->st->actor, run->st->now_at);

    /* From this record on the job has its vnodes; the links and sums follow when it is
     * applied. */
    record_job_event(rec, arena, run->job, JOB_EV_RUN, run->st->now_at);
    if (!str_same(obj_str(o, JOB_A_EXEC_VNODE, NULL), run->at.text))
        checkpoint_forget(run->job, rec, arena);
    record_change(rec, arena, JOB_A_EXEC_VNODE, NULL, run->at.text);
    record_change(rec, arena, JOB_A_EXEC_HOST, NULL, run->hosts.exec_host);
    record_change(rec, arena, JOB_A_EXEC_HOST2, NULL, run->hosts.exec_host2);
    record_change(rec, arena, JOB_A_HASHNAME, NULL, o->id);
    /* Its owner may have set it to any number, also to one without a next one. */
    record_change_num(rec, arena, JOB_A_RUN_COUNT,
                      MIN_OF(obj_num(o, JOB_A_RUN_COUNT, 0), INT64_MAX - 1) + 1);
    /* The MoM is told this number, so that its reports about an older run can be told
     * apart. */
    record_change_num(rec, arena, JOB_A_RUN_VERSION,
                      obj_num(o, JOB_A_RUN_VERSION, 0) + 1);
    record_change_num(rec, arena, JOB_A_JOB_KILL_DELAY, kill_delay_s(run));
    record_change_num(rec, arena, JOB_A_STIME, run->st->now_at);
    record_change_num(rec, arena, JOB_A_MTIME, run->st->now_at);
    record_change(rec, arena, JOB_A_COMMENT, NULL, run_comment(run));
    record_change(rec, arena, JOB_A_PTIME, NULL, NULL);
    /* A job that starts on other vnodes than before is not put back by a hot start any
     * more. */
    if (!str_same(obj_str(o, JOB_A_HF_HOT_VNODES, NULL), run->at.text))
        record_change(rec, arena, JOB_A_HF_HOT_VNODES, NULL, NULL);
}

int job_may_go_on(const struct job_start *st, const char **ret_comment,
                  struct decision *out)
{
    struct run run = { .st = st, .m = st->m, .job = st->job, .arena = out->arena };
    int err =
        run_vnodes_read(run.m, run.job, st->vnodes, run.arena, &run.at, &out->why);

    MUST(job_is_suspended(st->job));
    if (!err)
        err = check_vnodes(&run, &out->why);
    if (!err && st->needs_room)
        err = check_room(&run, &out->why);
    if (!err)
        *ret_comment = run_comment(&run);
    return err;
}

int job_start(const struct job_start *st, struct decision *out)
{
    struct run run = { .st = st, .m = st->m, .job = st->job, .arena = out->arena };
    int err;

    /* The rule that holds it may not have looked yet. */
    if (job_waits_for_others(st->m, st->job, out->arena))
        return diag_code(&out->why, PBSE_BADSTATE);
    err = read_vnodes(&run, st->vnodes, &out->why);
    if (!err)
        err = check_image(&run, &out->why);
    if (!err)
        err = check_vnodes(&run, &out->why);
    /* The order decides which refusal is given: unknown vnodes, vnodes that are away,
     * then room. */
    if (!err && st->needs_room)
        err = check_room(&run, &out->why);
    if (!err)
        decide_run(&run, out);
    return err;
}
