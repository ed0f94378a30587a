/* restrict.c - see restrict.h. Whose uid an account has is asked in a thread: a name
 * service that hangs spares everybody, and stops no job. The same thread lists the
 * processes of the host, which takes long when there are thousands.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/restrict.h"

#include "lib/io/pool.h"
#include "mom/shell/shell.h"

#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The account of a data service, which is no user's. */
#define DATA_SERVICE_USER "pbsdata"
#define ACCOUNT_BYTES     16384

struct restricting {
    struct shell *shell;
    struct loop_timer *timer;
    struct pool *pool;
    bool is_asking;
};

/* Names, and the uids of those that have an account. */
struct accounts {
    size_t n;
    char **names;
    size_t n_uids;
    uint32_t *uids;     /* sorted */
    const char **found; /* [n_uids]: among the names */
};

struct question {
    struct pool_job job;
    struct shell *shell;
    struct accounts exempt, owners;
    bool is_answered;       /* of each name it is known whether there is an account */
    struct proc_entry *all; /* then: the processes of the host */
    size_t n_all;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Each name once, sorted. */
static void accounts_fill(struct accounts *a, size_t n, const char *const *names)
{
    a->names = xcalloc(n + 1, sizeof(*a->names));
    a->uids = xcalloc(n + 1, sizeof(*a->uids));
    a->found = xcalloc(n + 1, sizeof(*a->found));
    for (size_t i = 0; i < n; i++)
        a->names[i] = xstrdup(names[i]);
    qsort(a->names, n, sizeof(*a->names), by_text);
    for (size_t i = 0; i < n; i++) {
        if (a->n && strcmp(a->names[a->n - 1], a->names[i]) == 0)
            free(a->names[i]);
        else
            a->names[a->n++] = a->names[i];
    }
}

static void accounts_fini(struct accounts *a)
{
    for (size_t i = 0; i < a->n; i++)
        free(a->names[i]);
    free(a->names);
    free(a->uids);
    free(a->found);
}

static void question_free(struct question *q)
{
    accounts_fini(&q->exempt);
    accounts_fini(&q->owners);
    free(q->all);
    free(q);
}

struct account {
    uint32_t uid;
    const char *name;
};

static int by_uid(const void *a, const void *b)
{
    const struct account *x = a, *y = b;

    return (x->uid > y->uid) - (x->uid < y->uid);
}

static void take_accounts(struct accounts *a, struct account *v, size_t n)
{
    if (n)
        qsort(v, n, sizeof(*v), by_uid);
    for (size_t i = 0; i < n; i++) {
        a->uids[i] = v[i].uid;
        a->found[i] = v[i].name;
    }
    a->n_uids = n;
}

/* False: nobody can say whether there is such an account. */
static bool find_uids(struct accounts *a)
{
    struct account *v = xcalloc(a->n + 1, sizeof(*v));
    char *text = xmalloc(ACCOUNT_BYTES);
    bool known = true;
    size_t n = 0;

    for (size_t i = 0; known && i < a->n; i++) {
        struct passwd pw, *found = NULL;
        int err = getpwnam_r(a->names[i], &pw, text, ACCOUNT_BYTES, &found);

        known = err == 0 || err == ENOENT;
        if (!found)
            continue;
        v[n++] = (struct account){ .uid = found->pw_uid, .name = a->names[i] };
    }
    take_accounts(a, v, n);
    free(v);
    free(text);
    return known;
}

static void on_work(struct pool_job *job)
{
    struct question *q = (struct question *)(void *)job;

    q->is_answered = find_uids(&q->exempt) && find_uids(&q->owners);
    if (q->is_answered)
        q->n_all = proc_list(&q->all);
}

static void on_drop(struct pool_job *job)
{
    question_free((struct question *)(void *)job);
}

static void owners_now(const struct shell *s, struct accounts *ret)
{
    const char **names = xcalloc(mom_n_jobs(s->mom) + 1, sizeof(*names));

    accounts_fill(ret, mom_users(s->mom, names), names);
    free(names);
}

/* A job that has come since the question was asked may be that of a new user. */
static bool has_all_owners(const struct question *q)
{
    struct accounts now = { 0 };
    bool has_all = true;

    owners_now(q->shell, &now);
    for (size_t i = 0; has_all && i < now.n; i++)
        has_all = bsearch(&now.names[i], q->owners.names, q->owners.n,
                          sizeof(*now.names), by_text) != NULL;
    accounts_fini(&now);
    return has_all;
}

/* Of one look at all processes; each user is named in the log once. */
struct killed {
    uint32_t uid;
    size_t n;
    bool has_job;
};

struct sweep {
    struct shell *shell;
    struct mom_look *look;
    struct killed *v;
    size_t n;
};

static void kill_it(struct sweep *sw, const struct proc_entry *p, bool has_job)
{
    size_t i = 0;

    if (!proc_kill(p, SIGKILL))
        return;
    while (i < sw->n && (sw->v[i].uid != p->uid || sw->v[i].has_job != has_job))
        i++;
    if (i == sw->n) {
        sw->v = xrealloc(sw->v, (sw->n + 1) * sizeof(*sw->v));
        sw->v[sw->n++] = (struct killed){ .uid = p->uid, .has_job = has_job };
    }
    sw->v[i].n++;
}

/* The first account with that uid; n_uids: there is none. */
static size_t first_of_uid(const struct accounts *a, uint32_t uid)
{
    size_t from = 0, to = a->n_uids;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (a->uids[middle] < uid)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Its session is given to the job of its user, if that has just one here. */
static bool attach_it(struct sweep *sw, const struct question *q,
                      const struct proc_entry *p, struct mom_out *out)
{
    const struct proc_owner process = proc_look(p->pid);
    const struct accounts *a = &q->owners;
    struct mom_attach found = { .uid = p->uid,
                                .session = process.session,
                                .owner = process.uid,
                                .leader_owner = process.leader_uid,
                                .mark = process.mark };
    bool is_attached = false;

    for (size_t i = first_of_uid(a, p->uid);
         !is_attached && i < a->n_uids && a->uids[i] == p->uid; i++) {
        found.user = a->found[i];
        is_attached = mom_look_attach(sw->look, &found, out);
    }
    return is_attached;
}

static void treat_alien(struct sweep *sw, const struct question *q,
                        const struct proc_entry *p, struct mom_out *out)
{
    const struct config *c = &sw->shell->config;

    if (mom_look_has_session(sw->look, p->session))
        return;
    if (c->alien_attach && attach_it(sw, q, p, out))
        return;
    if (c->alien_kill)
        kill_it(sw, p, true);
}

static void say_killed(const struct sweep *sw)
{
    for (size_t i = 0; i < sw->n; i++)
        logfile_printf(sw->shell->log, LOG_EV_SYSTEM, LOG_IN_SERVER, "restrict_user",
                       "uid %u %s: %zu of its processes killed", sw->v[i].uid,
                       sw->v[i].has_job ? "has processes outside of its jobs"
                                        : "has no job here",
                       sw->v[i].n);
}

static void look(struct shell *s, const struct question *q)
{
    const struct restrict_rules rules = {
        .max_system_uid = (uint32_t)s->config.restrict_max_system_uid,
        .mom_pid = getpid(),
        .mom_session = getsid(0),
        .n_exempt = q->exempt.n_uids,
        .exempt = q->exempt.uids,
        .n_owners = q->owners.n_uids,
        .owners = q->owners.uids,
    };
    struct sweep sw = { .shell = s, .look = mom_look_begin(s->mom) };
    struct mom_out out = { .arena = s->arena };

    for (size_t i = 0; i < q->n_all; i++) {
        switch (restrict_judge(&rules, q->all, q->n_all, i)) {
        case RESTRICT_LEAVE:
            break;
        case RESTRICT_KILL:
            kill_it(&sw, &q->all[i], false);
            break;
        case RESTRICT_ALIEN:
            treat_alien(&sw, q, &q->all[i], &out);
            break;
        }
    }
    mom_look_end(sw.look);
    say_killed(&sw);
    free(sw.v);
    shell_carry_out(s, &out);
}

static void on_done(struct pool_job *job)
{
    struct question *q = (struct question *)(void *)job;
    struct restricting *r = q->shell->restricting;

    r->is_asking = false;
    /* The configuration may have changed meanwhile. */
    if (q->shell->config.restrict_user && q->is_answered && has_all_owners(q))
        look(q->shell, q);
    question_free(q);
}

static void ask(struct restricting *r)
{
    struct shell *s = r->shell;
    struct question *q = xcalloc(1, sizeof(*q));
    size_t n = s->config.n_restrict_exempt;
    const char **exempt = xcalloc(n + 1, sizeof(*exempt));

    q->job = (struct pool_job){ .work = on_work, .done = on_done, .drop = on_drop };
    q->shell = s;
    for (size_t i = 0; i < n; i++)
        exempt[i] = s->config.restrict_exempt[i];
    exempt[n] = DATA_SERVICE_USER;
    accounts_fill(&q->exempt, n + 1, exempt);
    free(exempt);
    owners_now(s, &q->owners);
    r->is_asking = pool_run(r->pool, &q->job);
    if (!r->is_asking)
        question_free(q); /* no thread: the next look asks again */
}

static void on_timer(void *arg)
{
    struct restricting *r = arg;

    loop_timer_set(r->timer, RESTRICT_INTERVAL_MS);
    if (!r->is_asking)
        ask(r);
}

void restrict_reread(struct shell *s)
{
    struct restricting *r = s->restricting;

    if (!s->config.restrict_user) {
        if (r)
            loop_timer_clear(r->timer);
        return;
    }
    if (s->user[0]) {
        shell_log(s, LOG_EV_SYSTEM, LOG_IN_SERVER, "restrict_user",
                  "has no effect, since this MoM does not run as root");
        return;
    }
    if (!r) {
        r = xcalloc(1, sizeof(*r));
        r->shell = s;
        r->timer = loop_timer_new(s->loop, on_timer, r);
        r->pool = pool_new(s->loop, 1, 1);
        s->restricting = r;
    }
    loop_timer_set(r->timer, 0);
}

void restrict_close(struct shell *s)
{
    struct restricting *r = s->restricting;

    if (!r)
        return;
    loop_timer_free(r->timer);
    pool_free(r->pool);
    free(r);
}
