/* admin.c - administration, and the calls of schedulers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include <stdlib.h>
#include <string.h>

int ifl_manager(int c, int command, int object, const char *name,
                struct attropl *attribs, const char *extend)
{
    struct body_manage body = { .command = (uint32_t)command,
                                .object_type = (uint32_t)object,
                                .object_name = name ? name : "" };
    const struct ifl_wish wish = { .number = BATCH_MANAGER,
                                   .command = command,
                                   .object = object,
                                   .attrs = (const void *)attribs };
    int err;

    /* Both travel as unsigned numbers: one below 0 would arrive as another request. */
    if (command < 0 || object < 0)
        return ifl_set_error(c, PBSE_IVALREQ, NULL);
    if (ifl_verify_name(c, command, object, body.object_name) ||
        ifl_verify_wish(c, &wish) || ifl_attrs(c, attribs, false, &body.attrs))
        return pbs_errno;
    err = ifl_do(c, BATCH_MANAGER, &body, extend);
    free(body.attrs.v);
    return err;
}

int ifl_terminate(int c, int manner, const char *extend)
{
    const struct body_number body = { .value = (uint32_t)manner };

    return ifl_do(c, BATCH_SHUTDOWN, &body, extend);
}

/* A connection on which the registration failed is closed (wire.md 15.2),
 * and the error outlives it. */
static int register_one(const char *name, int c)
{
    const struct body_id body = { .id = name };
    struct ifl_handle *h;

    if (ifl_do(c, BATCH_REGISTER_SCHED, &body, NULL) == 0)
        return 0;
    h = ifl_handle_lock(c);
    if (h) {
        int code = pbs_errno;

        ifl_handle_close(h);
        ifl_set_error(-1, code, NULL);
    }
    return -1;
}

/* The first connection becomes the primary. */
int ifl_register_sched(const char *name, int c1, int c2)
{
    if (!name || !*name) {
        ifl_set_error(c1, PBSE_IVALREQ, NULL);
        return -1;
    }
    return register_one(name, c1) || register_one(name, c2) ? -1 : 0;
}

int ifl_defschreply(int c, int command, char *id, int error, char *text, char *extend)
{
    const struct body_sched_reply body = {
        .command = command, .job_id = id, .error = error, .text = text
    };

    return ifl_has_id(c, id) ? ifl_do(c, BATCH_DEF_SCHED_REPLY, &body, extend)
                             : pbs_errno;
}

/* The arrays of texts of the calling program are only read. */
static struct wire_strings first(char **v, size_t n)
{
    return (struct wire_strings){ n, (const char **)(void *)v };
}

static struct wire_strings up_to_null(char **v)
{
    size_t n = 0;

    while (v && v[n])
        n++;
    return first(v, n);
}

/* As many entries as ids were sent; what the answer does not mention stays empty. The
 * fields have a fixed size in the public header: a longer text of a strange server is
 * cut, and the zeros of calloc() end it. */
static preempt_job_info *preempted(const struct wire_deleted *from, size_t n)
{
    preempt_job_info *v = calloc(n + 1, sizeof(*v));

    for (size_t i = 0; v && i < MIN_OF(n, from->n); i++) {
        strncpy(v[i].job_id, from->v[i].id, sizeof(v[i].job_id) - 1);
        strncpy(v[i].order, from->v[i].order, sizeof(v[i].order) - 1);
    }
    return v;
}

preempt_job_info *ifl_preempt_jobs(int c, char **ids)
{
    const struct body_list body = { .ids = up_to_null(ids) };
    preempt_job_info *v = NULL;
    struct ifl_answer answer;
    int err;

    if (body.ids.n == 0) {
        ifl_set_error(c, PBSE_IVALREQ, NULL);
        return NULL;
    }
    /* A list is handed on whatever code came with it: the choice decides. */
    err = ifl_ask(c, BATCH_PREEMPT_JOBS, &body, NULL, &answer);
    if (answer.reply.choice == REPLY_PREEMPT) {
        v = preempted(&answer.reply.deleted, body.ids.n);
        if (!v)
            ifl_set_error(c, PBSE_SYSTEM, NULL);
    } else if (!err) {
        ifl_set_error(c, PBSE_PROTOCOL, NULL);
    }
    ifl_answer_fini(&answer);
    return v;
}

/* An empty word would end the list on the wire. */
static bool has_empty(struct wire_strings list)
{
    for (size_t i = 0; i < list.n; i++)
        if (!*list.v[i])
            return true;
    return false;
}

/* What comes back is an exit status, so that an error can only be -1: pbs_errno says
 * which one. */
int ifl_py_spawn(int c, char *id, char **argv, char **envp)
{
    const struct body_spawn body = { .job_id = id,
                                     .argv = up_to_null(argv),
                                     .envp = up_to_null(envp) };
    struct ifl_answer answer;
    int aux = -1;

    if (!ifl_has_id(c, id))
        return -1;
    if (body.argv.n == 0 || has_empty(body.argv) || has_empty(body.envp)) {
        ifl_set_error(c, PBSE_IVALREQ, NULL);
        return -1;
    }
    if (ifl_ask(c, BATCH_PY_SPAWN, &body, NULL, &answer) == 0)
        aux = answer.reply.aux;
    ifl_answer_fini(&answer);
    return aux;
}
