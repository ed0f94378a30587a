/* attach.c - a session that a user has begun without the job becomes a task of it
 * (tpp.md 8, ATTACH).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

static bool is_of_user(const struct mom_job *j, const char *user)
{
    const char *euser = wire_attrs_value(&j->attrs, "euser", NULL);

    return euser && strcmp(euser, user) == 0;
}

/* The job that is named, or the only one of the user here; else the code that says why
 * there is none. */
static int32_t find_job(const struct mom *m, const char *id, const char *user,
                        struct mom_job **ret)
{
    struct mom_job *j, *next;

    if (*id) {
        *ret = job_find(m, id);
        if (!*ret || !spawned_may_start(*ret))
            return TASK_ENOTFOUND;
        return is_of_user(*ret, user) ? 0 : TASK_EUSER;
    }
    *ret = NULL;
    HASH_ITER (hh, m->jobs, j, next) {
        if (!spawned_may_start(j) || !is_of_user(j, user))
            continue;
        if (*ret)
            return TASK_ENOTFOUND; /* which of them is not said */
        *ret = j;
    }
    return *ret ? 0 : TASK_ENOTFOUND;
}

static bool has_session(const struct mom_job *j, int32_t session)
{
    const struct spawned *t;

    if (j->top.session == session && job_has_processes(j))
        return true;
    DL_FOREACH (j->tasks, t)
        if (t->session == session)
            return true;
    return false;
}

/* Of any job: a session that two jobs had would be counted and killed for both. */
static bool is_taken(const struct mom *m, int32_t session)
{
    struct mom_job *j, *next;

    HASH_ITER (hh, m->jobs, j, next)
        if (has_session(j, session))
            return true;
    return false;
}

/* May that process's session be given to a job of the user, if no job has it? The end
 * of the job ends all of the session, so its leader must be the user's as well. */
static int32_t judge(const struct mom *m, uint32_t uid, const struct mom_attach *a)
{
    if (m->cfg.forbids_attach)
        return TASK_ENOTIMPLEMENTED;
    if (!a->user || a->uid != uid)
        return TASK_EUSER;
    if (a->session <= 1)
        return TASK_ENOPROC;
    return a->owner != a->uid || a->leader_owner != a->uid ? TASK_EOWNER : 0;
}

static struct spawned *adopt(struct mom_job *j, const struct mom_attach *a,
                             struct mom_out *out)
{
    struct spawned *t = spawned_add(j, host_list_vnode_of(j, j->hosts.own));

    t->is_told = true;
    t->is_attached = true;
    t->session = a->session;
    spawned_set_mark(t, a->mark);
    out_joblog(out, LOG_EV_JOB, j, "task %08X attached, session = %d", t->number,
               t->session);
    /* After a restart it is known by the record alone. */
    job_save_task(j, t->number, out);
    out_job(out, MOM_ADOPT, j);
    out->v[out->n - 1].task = t->number;
    return t;
}

struct looked_session {
    int32_t session;
    UT_hash_handle hh;
};

struct looked_user { /* who has a job here that may have more tasks */
    const char *name;
    struct mom_job *job; /* NULL: he has several */
    UT_hash_handle hh;
};

struct mom_look {
    const struct mom *m;
    struct arena *arena; /* of what is in the tables */
    struct looked_session *sessions;
    struct looked_user *users;
};

static void look_add_session(struct mom_look *l, int32_t session)
{
    struct looked_session *s;

    HASH_FIND(hh, l->sessions, &session, sizeof(session), s);
    if (s)
        return;
    s = arena_alloc(l->arena, sizeof(*s));
    s->session = session;
    HASH_ADD(hh, l->sessions, session, sizeof(s->session), s);
}

static struct looked_user *look_user(const struct mom_look *l, const char *name)
{
    struct looked_user *u;

    HASH_FIND_STR(l->users, name, u);
    return u;
}

static void look_add_user(struct mom_look *l, struct mom_job *j)
{
    const char *name = wire_attrs_value(&j->attrs, "euser", NULL);
    struct looked_user *u = name ? look_user(l, name) : NULL;

    if (!name || !spawned_may_start(j))
        return;
    if (u) {
        u->job = NULL;
        return;
    }
    u = arena_alloc(l->arena, sizeof(*u));
    u->name = arena_strdup(l->arena, name);
    u->job = j;
    HASH_ADD_KEYPTR(hh, l->users, u->name, strlen(u->name), u);
}

struct mom_look *mom_look_begin(struct mom *m)
{
    struct mom_look *l = xcalloc(1, sizeof(*l));
    const struct spawned *t;
    struct mom_job *j, *next;

    l->m = m;
    l->arena = arena_new();
    HASH_ITER (hh, m->jobs, j, next) {
        look_add_user(l, j);
        if (job_has_processes(j))
            look_add_session(l, j->top.session);
        DL_FOREACH (j->tasks, t)
            look_add_session(l, t->session);
    }
    return l;
}

void mom_look_end(struct mom_look *l)
{
    HASH_CLEAR(hh, l->sessions);
    HASH_CLEAR(hh, l->users);
    arena_free(l->arena);
    free(l);
}

bool mom_look_has_session(const struct mom_look *l, int32_t session)
{
    struct looked_session *s;

    HASH_FIND(hh, l->sessions, &session, sizeof(session), s);
    return s != NULL;
}

bool mom_look_attach(struct mom_look *l, const struct mom_attach *a,
                     struct mom_out *out)
{
    const struct looked_user *u;

    if (judge(l->m, a->uid, a) || mom_look_has_session(l, a->session))
        return false;
    u = look_user(l, a->user);
    if (!u || !u->job || !spawned_may_start(u->job))
        return false;
    (void)adopt(u->job, a, out);
    look_add_session(l, a->session);
    return true;
}

size_t mom_users(const struct mom *m, const char **ret)
{
    struct mom_job *j, *next;
    size_t n = 0;

    HASH_ITER (hh, m->jobs, j, next) {
        const char *user = wire_attrs_value(&j->attrs, "euser", NULL);

        if (user)
            ret[n++] = user;
    }
    MUST(n <= mom_n_jobs(m));
    return n;
}

void mom_attach(struct mom *m, int64_t now_at, uint64_t connection,
                const struct task_request *rq, const struct mom_attach *a,
                struct mom_out *out)
{
    int32_t code = judge(m, rq->uid, a);
    struct mom_effect *e;
    struct mom_job *j;
    uint32_t task = 0;

    (void)now_at;
    MUST(connection & MOM_TASK_CONNECTION && rq->command == TASK_ATTACH);
    if (!code && is_taken(m, a->session))
        code = TASK_ESESSION;
    if (!code)
        code = find_job(m, rq->job_id, a->user, &j);
    if (code)
        out_log(out, LOG_EV_ERROR, LOG_IN_JOB, "tm_attach",
                "process %u of uid %u not attached to job \"%s\", %d", rq->pid, a->uid,
                rq->job_id, code);
    else
        task = adopt(j, a, out)->number;
    e = out_add(out, MOM_ANSWER_TASK);
    e->stream = connection;
    e->u.answer.asked = TASK_ATTACH;
    e->u.answer.reply = (struct task_reply){ .version = rq->version,
                                             .failed = code != 0,
                                             .code = code,
                                             .event = rq->event,
                                             .task = task };
}
