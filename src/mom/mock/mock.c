/* mock.c - see mock.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/mock/mock.h"

#include "lib/attr/value.h"
#include "lib/base/deadlines.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#define uthash_malloc(size)    xmalloc(size)
#define uthash_free(ptr, size) free(ptr)
#include <uthash.h>

#define FIRST_SESSION 1001
#define ENDS_MOST     MOM_JOBS_IN_TURN
#define MOCK_COOKIE   "00000000000000000000000000000000"

struct run { /* of a job that pretends to have processes */
    char *job_id;
    int64_t since_at; /* its clock runs since; 0: it is stopped */
    int64_t ran_s;    /* before that */
    struct deadline end;
    UT_hash_handle hh;
};

struct mock {
    struct mom *m;
    double wallmult;
    struct run *runs;
    struct deadlines ends;
    int32_t next_session;
};

void mock_fill_rules(struct mom_config *cfg)
{
    cfg->ends_by = NULL;
    cfg->checkpoints = cfg->checkpoint_aborts = false;
    cfg->suspend_signo = SIGSTOP;
    cfg->resume_signo = SIGCONT;
}

struct mock *mock_new(struct mom *m, double wallmult)
{
    struct mock *x = xcalloc(1, sizeof(*x));

    MUST(wallmult > 0);
    x->m = m;
    x->wallmult = wallmult;
    x->next_session = FIRST_SESSION;
    return x;
}

static struct run *find(const struct mock *x, const char *job_id)
{
    struct run *r;

    HASH_FIND_STR(x->runs, job_id, r);
    return r;
}

static void run_free(struct mock *x, struct run *r)
{
    MUST(find(x, r->job_id) == r);
    /* The hash entry points to the id that is freed below, so it goes first. */
    HASH_DEL(x->runs, r);
    deadline_set(&x->ends, &r->end, DEADLINE_NEVER);
    free(r->job_id);
    free(r);
}

void mock_free(struct mock *x)
{
    struct run *r, *next;

    if (!x)
        return;
    HASH_ITER (hh, x->runs, r, next) {
        run_free(x, r);
    }
    deadlines_fini(&x->ends);
    free(x);
}

/* It ends when it has used its walltime, which is asked for again after each change. */
static void reckon(struct mock *x, struct run *r)
{
    const struct wire_attrs *attrs = mom_job_attrs(x->m, r->job_id);
    const char *text =
        attrs ? wire_attrs_value(attrs, "Resource_List", "walltime") : NULL;
    int64_t limit_s, at = DEADLINE_NEVER;
    double most_s;

    if (r->since_at && text && duration_parse(text, &limit_s) == 0) {
        /* $wallmult makes the clock of the job faster or slower than ours. This is
         * never later than usage_walltime_end(), and the executor is asked first what
         * is due, so the run ends by itself and is not killed. */
        most_s = ceil((double)limit_s / x->wallmult);
        if (most_s < (double)(INT64_MAX / 4))
            at = r->since_at + (int64_t)most_s - r->ran_s;
    }
    deadline_set(&x->ends, &r->end, at);
}

static void start(struct mock *x, int64_t now_at, const char *job_id,
                  struct mom_out *out)
{
    struct run *r = find(x, job_id);

    if (!r) {
        r = xcalloc(1, sizeof(*r));
        r->job_id = xstrdup(job_id);
        HASH_ADD_KEYPTR(hh, x->runs, r->job_id, strlen(r->job_id), r);
    }
    r->since_at = now_at;
    r->ran_s = 0;
    reckon(x, r);
    /* This comes before mom_started(), whose first update of usage already shows what
     * the job pretends to use. */
    mom_pretend_usage(x->m, job_id);
    mom_started(x->m, now_at, job_id, x->next_session++, 0, "Started mock run of job",
                out);
}

void mock_set_wallmult(struct mock *x, double wallmult)
{
    struct run *r, *next;

    MUST(wallmult > 0);
    x->wallmult = wallmult;
    HASH_ITER (hh, x->runs, r, next)
        reckon(x, r);
}

static void end(struct mock *x, int64_t now_at, struct run *r, int32_t status,
                struct mom_out *out)
{
    /* The id outlives its run: the core may ask for the job to be dropped while it
     * hears of the end. */
    char *job_id = xstrdup(r->job_id);

    run_free(x, r);
    mom_exited(x->m, now_at, job_id, status, NULL, out);
    free(job_id);
}

static void stop_clock(struct mock *x, int64_t now_at, struct run *r)
{
    if (r->since_at && now_at > r->since_at)
        r->ran_s += now_at - r->since_at;
    r->since_at = 0;
    reckon(x, r);
}

static void take_signal(struct mock *x, int64_t now_at, const char *job_id, int signo,
                        struct mom_out *out)
{
    struct run *r = find(x, job_id);

    if (!r)
        return;
    /* The core ends, stops and continues jobs with these; signals of users find no
     * process that could take them. */
    if (signo == SIGTERM || signo == SIGKILL) {
        end(x, now_at, r, 256 + signo, out);
    } else if (signo == SIGSTOP) {
        stop_clock(x, now_at, r);
    } else if (signo == SIGCONT && !r->since_at) {
        r->since_at = now_at;
        reckon(x, r);
    }
}

static void carry_out(void *self, int64_t now_at, const struct mom_effect *e,
                      struct mom_out *out)
{
    struct mock *x = self;
    struct run *r = e->job_id ? find(x, e->job_id) : NULL;

    switch (e->kind) {
    case MOM_STORE:
        mom_stored(x->m, now_at, e->job_id, NULL, out);
        break;
    case MOM_SAVE:
        /* The record is saved after each change of the job, and the walltime may be
         * what has changed. */
        if (r)
            reckon(x, r);
        break;
    case MOM_START:
        start(x, now_at, e->job_id, out);
        break;
    case MOM_PREPARE: /* nobody writes anything, and nobody is kept out */
        mom_prepared(x->m, now_at, e->job_id, MOCK_COOKIE, 0, 0, out);
        break;
    case MOM_SPAWN:
        mom_task_started(x->m, now_at, e->job_id, e->task, x->next_session++, 0, NULL,
                         out);
        mom_task_ended(x->m, now_at, e->job_id, e->task, 0, NULL, out);
        break;
    case MOM_ADOPT: /* nobody looks at processes here */
        mom_task_ended(x->m, now_at, e->job_id, e->task, 0, NULL, out);
        break;
    case MOM_KILL:
        if (e->task > 1) /* it has ended */
            break;
        take_signal(x, now_at, e->job_id, e->u.signo, out);
        break;
    case MOM_SAMPLE:
        /* There is nothing to tell of single jobs, they use what they asked for. */
        mom_sampled(x->m, now_at, out);
        break;
    case MOM_TELL: /* there is nothing to write into */
        mom_files_done(x->m, now_at, e->u.tell.token, 0, NULL, out);
        break;
    case MOM_FILES:
        mom_files_done(x->m, now_at, e->u.files.token, 0, NULL, out);
        break;
    case MOM_DROP:
        if (r)
            run_free(x, r);
        break;
    default: /* nothing that waits for its go */
        break;
    }
}

static void tick(void *self, int64_t now_at, struct mom_out *out)
{
    struct mock *x = self;
    struct deadline *d;

    for (size_t n = 0; n < ENDS_MOST && (d = deadlines_take(&x->ends, now_at)); n++)
        end(x, now_at, STRUCT_OF(d, struct run, end), 0, out);
}

static int64_t next_deadline(const void *self)
{
    const struct mock *x = self;

    return deadlines_next(&x->ends);
}

struct executor mock_executor(struct mock *x)
{
    return (struct executor){
        .self = x, .carry_out = carry_out, .tick = tick, .next_deadline = next_deadline
    };
}
