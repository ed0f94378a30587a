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
    struct arena *arena;
    int err;

    if (command < 0 || object < 0)
        return ifl_set_error(c, PBSE_IVALREQ, NULL);
    if (ifl_verify(c, BATCH_MANAGER, object, (const void *)attribs))
        return pbs_errno;
    arena = arena_new();
    body.attrs = ifl_attrs(attribs, arena);
    err = ifl_do(c, BATCH_MANAGER, &body, extend);
    arena_free(arena);
    return err;
}

int ifl_terminate(int c, int manner, const char *extend)
{
    const struct body_number body = { .value = (uint32_t)manner };

    return ifl_do(c, BATCH_SHUTDOWN, &body, extend);
}

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

/* A NULL-terminated array as a list. */
static struct wire_strings strings_of(char **v, struct arena *arena)
{
    struct wire_strings list = { 0 };

    while (v && v[list.n])
        list.n++;
    list.v = ARENA_ARRAY(arena, const char *, list.n);
    for (size_t i = 0; i < list.n; i++)
        list.v[i] = v[i];
    return list;
}

/* As many entries as ids were sent; what the answer does not mention stays empty. */
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
    struct arena *arena = arena_new();
    const struct body_list body = { .ids = strings_of(ids, arena) };
    preempt_job_info *v = NULL;
    struct wire_reply reply = { 0 };

    if (body.ids.n == 0) {
        ifl_set_error(c, PBSE_IVALREQ, NULL);
    } else {
        ifl_ask(c, BATCH_PREEMPT_JOBS, &body, NULL, arena, &reply);
        if (reply.choice == REPLY_PREEMPT)
            v = preempted(&reply.deleted, body.ids.n);
    }
    arena_free(arena);
    return v;
}

int ifl_py_spawn(int c, char *id, char **argv, char **envp)
{
    struct arena *arena;
    struct body_spawn body = { .job_id = id };
    struct wire_reply reply;
    int aux = -1;

    if (!ifl_has_id(c, id) || !argv || !argv[0]) {
        ifl_set_error(c, PBSE_IVALREQ, NULL);
        return -1;
    }
    arena = arena_new();
    body.argv = strings_of(argv, arena);
    body.envp = strings_of(envp, arena);
    if (ifl_ask(c, BATCH_PY_SPAWN, &body, NULL, arena, &reply) == 0)
        aux = reply.aux;
    arena_free(arena);
    return aux;
}

static struct wire_strings resources_of(char **list, int n, struct arena *arena)
{
    struct wire_strings to = { .v = ARENA_ARRAY(arena, const char *, (size_t)n) };

    for (int i = 0; i < n; i++)
        to.v[to.n++] = list[i];
    return to;
}

static void copy_numbers(int *to, const uint32_t *from, size_t n)
{
    for (size_t i = 0; to && i < n; i++)
        to[i] = (int)from[i];
}

int ifl_rescquery(int c, char **list, int n, int *available, int *allocated,
                  int *reserved, int *down)
{
    int *to[] = { available, allocated, reserved, down };
    struct arena *arena;
    struct body_resources body = { .handle = RESOURCE_T_NULL };
    struct wire_reply reply;
    int err;

    if (!list || n <= 0)
        return ifl_set_error(c, PBSE_RMNOPARAM, NULL);
    arena = arena_new();
    body.resources = resources_of(list, n, arena);
    err = ifl_ask(c, BATCH_RESCQ, &body, NULL, arena, &reply);
    if (!err && (reply.choice != REPLY_RESC_QUERY || reply.resources.n != (size_t)n))
        err = ifl_set_error(c, PBSE_PROTOCOL, NULL);
    for (size_t i = 0; !err && i < ARRAY_LEN(to); i++)
        copy_numbers(to[i], reply.resources.numbers + i * (size_t)n, (size_t)n);
    arena_free(arena);
    return err;
}

int ifl_rescreserve(int c, char **list, int n, pbs_resource_t *handle)
{
    struct arena *arena;
    struct body_resources body = { 0 };
    struct wire_reply reply;
    int err;

    if (!handle || !list || n <= 0)
        return ifl_set_error(c, PBSE_RMNOPARAM, NULL);
    arena = arena_new();
    body.handle = *handle;
    body.resources = resources_of(list, n, arena);
    err = ifl_ask(c, BATCH_RESERVE_RESC, &body, NULL, arena, &reply);
    if (!err)
        *handle = reply.aux;
    arena_free(arena);
    return err;
}

int ifl_rescrelease(int c, pbs_resource_t handle)
{
    const struct body_resources body = { .handle = handle };

    return ifl_do(c, BATCH_RELEASE_RESC, &body, NULL);
}
