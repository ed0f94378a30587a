/* telling.c - what the server is told of jobs: updates and obituaries.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/image.h"

/* Jobs in one message about usage: a millisecond of the server. */
#define UPDATES_MOST 100

static void add_set(struct wire_attrs *list, struct arena *arena, const char *name,
                    const char *value)
{
    if (value)
        wire_attrs_add(list, arena, name, NULL, arena_strdup(arena, value),
                       WIRE_OP_SET);
}

static const char *home_of(const struct mom_job *j, struct arena *arena)
{
    const char *jobdir = wire_attrs_value(&j->attrs, "jobdir", NULL);
    const char *vars = wire_attrs_value(&j->attrs, "Variable_List", NULL);
    /* The home directory of the host where the job was submitted is as near as the core
     * can come: accounts are known to the shell only. */
    const char *at = vars ? strstr(vars, "PBS_O_HOME=") : NULL;

    if (jobdir || !at)
        return jobdir;
    at += strlen("PBS_O_HOME=");
    return arena_strndup(arena, at, strcspn(at, ","));
}

void mom_set_jobdir(struct mom *m, const char *job_id, const char *path)
{
    struct wire_attr attr = { .name = "jobdir", .value = path };
    const struct wire_attrs one = { .n = 1, .v = &attr };
    struct mom_job *j = job_find(m, job_id);
    struct arena *arena = arena_new();
    const char *known = j ? home_of(j, arena) : NULL;

    if (j && !(known && strcmp(known, path) == 0))
        job_replace_attrs(j, &one);
    arena_free(arena);
}

void mom_set_made_jobdir(struct mom *m, const char *job_id, const char *path)
{
    struct wire_attr attr = { .name = JOB_MADE_JOBDIR, .value = path };
    const struct wire_attrs one = { .n = 1, .v = &attr };
    struct mom_job *j = job_find(m, job_id);

    if (j && j->is_sister)
        job_replace_attrs(j, &one);
}

/* The first update is what makes the job run in the server's eyes. */
static struct is_job_update update_of(const struct mom *m, const struct mom_job *j,
                                      int64_t now_at, bool first, struct arena *arena)
{
    struct is_job_update u = { .job_id = arena_strdup(arena, j->id),
                               .run_version = j->run_version };

    if (first)
        wire_attrs_add(&u.attrs, arena, "session_id", NULL,
                       arena_printf(arena, "%d", j->top.session), WIRE_OP_SET);
    usage_attrs(m, j, now_at, &u.attrs, arena);
    if (first) {
        add_set(&u.attrs, arena, "Error_Path",
                wire_attrs_value(&j->attrs, "Error_Path", NULL));
        add_set(&u.attrs, arena, "Output_Path",
                wire_attrs_value(&j->attrs, "Output_Path", NULL));
        add_set(&u.attrs, arena, "jobdir", home_of(j, arena));
        /* Where it lies may be this MoM's word. */
        if (wire_attrs_value(&j->attrs, "tolerate_node_failures", NULL))
            add_set(&u.attrs, arena, "exec_vnode",
                    wire_attrs_value(&j->attrs, "exec_vnode", NULL));
    }
    return u;
}

/* The next usage of a suspended job is that of its end. */
static bool has_news(const struct mom_job *j)
{
    return job_has_processes(j) && !j->is_dropped && !j->is_sister &&
           !j->checkpoint.is_restarting && !(j->is_told && j->phase == JOB_SUSPENDED);
}

static void add_update(const struct mom *m, int64_t now_at, struct mom_job *j,
                       struct is_message *msg, struct arena *arena)
{
    MUST(msg->n_updates < UPDATES_MOST);
    msg->updates[msg->n_updates++] = update_of(m, j, now_at, !j->is_told, arena);
    j->is_told = true;
}

void life_tell(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    struct is_message msg = { .command = IS_RESCUSED };

    /* A server that registers later hears of all jobs then (link_hello_reply()). */
    if (!m->registered || !has_news(j))
        return;
    msg.updates = ARENA_ARRAY(out->arena, struct is_job_update, 1);
    add_update(m, now_at, j, &msg, out->arena);
    out_send(out, m->server, &msg);
}

/* The server takes a message up as a whole, and a MoM of many jobs has others to serve
 * as well: so many jobs in a message, and one message in a turn. */
void life_go_on_telling(struct mom *m, int64_t now_at, struct mom_out *out)
{
    struct is_message msg = { .command = IS_RESCUSED };
    struct news_round *r = &m->news;

    for (size_t n = 0; r->next && n < UPDATES_MOST; n++) {
        struct mom_job *j = r->next;

        r->next = j->hh.next;
        if (r->judges) {
            usage_enforce(m, now_at, j, out);
            checkpoint_tick(m, now_at, j, out);
        }
        if (!m->registered || !has_news(j))
            continue;
        if (!msg.updates)
            msg.updates = ARENA_ARRAY(out->arena, struct is_job_update,
                                      MIN_OF(HASH_COUNT(m->jobs), UPDATES_MOST));
        add_update(m, now_at, j, &msg, out->arena);
    }
    if (msg.n_updates > 0)
        out_send(out, m->server, &msg);
    if (!r->next)
        *r = (struct news_round){ .next = r->again ? m->jobs : NULL,
                                  .judges = r->again };
    r->due_at = now_at;
}

int64_t life_telling_deadline(const struct mom *m)
{
    return m->news.next ? m->news.due_at : INT64_MAX;
}

void life_tell_sampled(struct mom *m, int64_t now_at, struct mom_out *out)
{
    /* A round that is under way comes to its end first, so that the last job has its
     * turn however often the first ones are sampled. */
    if (m->news.next)
        m->news.again = true;
    else
        m->news = (struct news_round){ .next = m->jobs, .judges = true };
    life_go_on_telling(m, now_at, out);
}

void life_tell_running(struct mom *m, int64_t now_at, struct mom_out *out)
{
    struct mom_job *j, *tmp;

    /* Perhaps this server is another one, or has lost what it was told. */
    HASH_ITER (hh, m->jobs, j, tmp)
        j->is_told = false;
    /* What a round had before it is before this one, too. */
    m->news.next = m->jobs;
    life_go_on_telling(m, now_at, out);
}

void life_leaves(struct mom *m, const struct mom_job *j)
{
    if (m->news.next == j)
        m->news.next = j->hh.next;
}

void life_send_obit(struct mom *m, int64_t now_at, struct mom_job *j,
                    struct mom_out *out)
{
    struct is_job_update u;
    struct is_message msg = { .command = IS_JOBOBIT, .n_updates = 1 };

    MUST(j->phase == JOB_OBIT);
    if (!m->registered)
        return;
    u = update_of(m, j, now_at, false, out->arena);
    u.status = j->status;
    msg.updates = arena_copy(out->arena, &u, sizeof(u));
    out_send(out, m->server, &msg);
    /* Answers come on the stream of the question only, so those that an earlier stream
     * owes are not waited for (obit.c). */
    j->n_obits = j->obit_stream == m->server ? j->n_obits + 1 : 1;
    j->obit_stream = m->server;
    j->obit_at = now_at;
    life_reckon(m, j);
    out_joblog(out, LOG_EV_DEBUG2, j, "Obit sent");
}

void life_send_obits(struct mom *m, int64_t now_at, struct mom_out *out)
{
    struct mom_job *j, *tmp;
    size_t n = 0;

    HASH_ITER (hh, m->jobs, j, tmp) {
        if (j->phase != JOB_OBIT || j->is_dropped)
            continue;
        if (n++ < MOM_JOBS_IN_TURN) {
            life_send_obit(m, now_at, j, out);
        } else { /* life_tick() goes on */
            j->obit_at = 0;
            life_reckon(m, j);
        }
    }
}
