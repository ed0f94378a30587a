/* tm_calls.c - task management, as include/tm.h has it: each call is a request to the
 * MoM of this host (tm_talk.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/tm_talk.h"

#include "lib/base/base.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOM_PORT 15003

/* A number that is the whole text, and at most 'most'. */
static bool read_number(const char *text, int base, unsigned long most,
                        unsigned long *ret)
{
    char *end;

    if (!text || !isxdigit((unsigned char)text[0]))
        return false;
    errno = 0;
    *ret = strtoul(text, &end, base);
    return !errno && !*end && *ret <= most;
}

static bool read_port(const char *text)
{
    unsigned long port;
    bool ok = read_number(text, 10, 65535, &port) && port > 0;

    if (ok)
        tm_talk.port = (int)port;
    return ok;
}

static bool read_environment(tm_node_id *node)
{
    const char *job_id = getenv("PBS_JOBID"), *cookie = getenv("PBS_JOBCOOKIE");
    unsigned long task, vnode;

    if (!job_id || !cookie || !read_port(getenv("PBS_MOMPORT")) ||
        !read_number(getenv("PBS_NODENUM"), 10, INT_MAX, &vnode) ||
        !read_number(getenv("PBS_TASKNUM"), 16, UINT_MAX, &task))
        return false;
    tm_talk.job_id = strdup(job_id);
    tm_talk.cookie = strdup(cookie);
    tm_talk.me = (tm_task_id)task;
    *node = (tm_node_id)vnode;
    return tm_talk.job_id && tm_talk.cookie;
}

int tm_init(void *info, struct tm_roots *roots)
{
    tm_node_id node;
    tm_event_t event;
    int err;

    (void)info;
    if (tm_talk.is_on)
        return TM_BADINIT;
    if (!read_environment(&node)) {
        tm_clear();
        return TM_EBADENVIRONMENT;
    }
    tm_talk.is_on = true;
    err = tm_ask((struct tm_pending){ 0 },
                 (struct task_request){ .command = TASK_INIT }, &event);
    if (!err)
        err = tm_wait_for(event);
    if (err) {
        tm_clear();
        return err;
    }
    (void)tm_note_task(tm_talk.me, node);
    if (roots)
        *roots = (struct tm_roots){ .tm_me = tm_talk.me,
                                    .tm_parent = tm_talk.parent,
                                    .tm_nnodes = tm_talk.n_nodes,
                                    .tm_taskpoolid = -1 };
    return TM_SUCCESS;
}

int tm_finalize(void)
{
    const struct task_request rq = { .version = TM_VERSION,
                                     .job_id = tm_talk.job_id,
                                     .cookie = tm_talk.cookie,
                                     .command = TASK_FINALIZE,
                                     .event = tm_talk.last + 1,
                                     .task = tm_talk.me };

    if (!tm_talk.is_on)
        return TM_BADINIT;
    if (tm_talk.fd >= 0)
        (void)tm_send(&rq);
    tm_clear();
    return TM_SUCCESS;
}

int tm_nodeinfo(tm_node_id **list, int *nnodes)
{
    tm_node_id *copy;

    if (!tm_talk.is_on)
        return TM_BADINIT;
    copy = calloc((size_t)tm_talk.n_nodes + 1, sizeof(*copy));
    if (!copy)
        return TM_ESYSTEM;
    memcpy(copy, tm_talk.nodes, (size_t)tm_talk.n_nodes * sizeof(*copy));
    copy[tm_talk.n_nodes] = TM_ERROR_NODE;
    *list = copy;
    *nnodes = tm_talk.n_nodes;
    return TM_SUCCESS;
}

int tm_atnode(tm_task_id tid, tm_node_id *node)
{
    if (!tm_talk.is_on)
        return TM_BADINIT;
    return tm_find_task(tid, node) ? TM_SUCCESS : TM_ENOTFOUND;
}

static size_t count_strings(char *const *v)
{
    size_t n = 0;

    while (v && v[n])
        n++;
    return n;
}

/* An empty word would end the list on its way. */
static bool has_empty(char *const *v)
{
    for (size_t i = 0; v && v[i]; i++)
        if (!v[i][0])
            return true;
    return false;
}

int tm_spawn(int argc, char *argv[], char *envp[], tm_node_id where, tm_task_id *tid,
             tm_event_t *event)
{
    const struct task_request rq = {
        .command = TASK_SPAWN,
        .vnode = (uint32_t)where,
        .args = { (size_t)MAX_OF(argc, 0), (const char **)(uintptr_t)argv },
        .env = { count_strings(envp), (const char **)(uintptr_t)envp },
    };

    if (!tm_talk.is_on)
        return TM_BADINIT;
    if (argc <= 0 || !argv || !argv[0] || !argv[0][0])
        return TM_ENOTFOUND;
    if (has_empty(envp))
        return TM_EBADENVIRONMENT;
    return tm_ask((struct tm_pending){ .node = where, .tid = tid }, rq, event);
}

/* The vnode of the task, as the request has it. */
static int ask_about(tm_task_id tid, struct tm_pending p, struct task_request rq,
                     tm_event_t *event)
{
    tm_node_id node;

    if (!tm_talk.is_on)
        return TM_BADINIT;
    if (!tm_find_task(tid, &node))
        return TM_ENOTFOUND;
    p.node = node;
    rq.vnode = (uint32_t)node;
    rq.target_task = tid;
    return tm_ask(p, rq, event);
}

int tm_kill(tm_task_id tid, int sig, tm_event_t *event)
{
    const struct task_request rq = { .command = TASK_SIGNAL, .signo = (uint32_t)sig };

    return ask_about(tid, (struct tm_pending){ 0 }, rq, event);
}

int tm_obit(tm_task_id tid, int *obitval, tm_event_t *event)
{
    const struct task_request rq = { .command = TASK_OBIT };

    return ask_about(tid, (struct tm_pending){ .number = obitval }, rq, event);
}

int tm_taskinfo(tm_node_id node, tm_task_id *list, int list_size, int *ntasks,
                tm_event_t *event)
{
    const struct task_request rq = { .command = TASK_TASKS, .vnode = (uint32_t)node };
    const struct tm_pending p = {
        .node = node, .list = list, .room = list_size, .number = ntasks
    };

    return tm_talk.is_on ? tm_ask(p, rq, event) : TM_BADINIT;
}

int tm_rescinfo(tm_node_id node, char *resource, int len, tm_event_t *event)
{
    const struct task_request rq = { .command = TASK_RESOURCES,
                                     .vnode = (uint32_t)node };
    const struct tm_pending p = { .node = node, .text = resource, .room = len };

    return tm_talk.is_on ? tm_ask(p, rq, event) : TM_BADINIT;
}

int tm_publish(char *name, void *info, int len, tm_event_t *event)
{
    const struct task_request rq = { .command = TASK_POSTINFO,
                                     .name = name,
                                     .info = { info, (size_t)MAX_OF(len, 0) } };

    return tm_talk.is_on ? tm_ask((struct tm_pending){ 0 }, rq, event) : TM_BADINIT;
}

int tm_subscribe(tm_task_id tid, char *name, void *info, int len, int *amount,
                 tm_event_t *event)
{
    const struct task_request rq = { .command = TASK_GETINFO, .name = name };

    return ask_about(tid,
                     (struct tm_pending){ .text = info, .room = len, .number = amount },
                     rq, event);
}

static int attach(const char *jobid, const char *cookie, pid_t pid, tm_task_id *tid)
{
    const struct task_request rq = { .command = TASK_ATTACH,
                                     .uid = (uint32_t)getuid(),
                                     .pid = (uint32_t)pid };
    tm_event_t event;
    int err;

    tm_talk.job_id = strdup(jobid ? jobid : "");
    tm_talk.cookie = strdup(cookie ? cookie : "");
    if (!tm_talk.job_id || !tm_talk.cookie)
        return TM_ESYSTEM;
    err = tm_ask((struct tm_pending){ .tid = tid }, rq, &event);
    return err ? err : tm_wait_for(event);
}

int tm_attach(char *jobid, char *cookie, pid_t pid, tm_task_id *tid, char *host,
              int port)
{
    const char *of_job = getenv("PBS_MOMPORT");
    int err;

    (void)host; /* sessions of other hosts cannot be attached */
    if (tm_talk.is_on)
        return TM_BADINIT;
    if (!port && of_job && !read_port(of_job))
        return TM_EBADENVIRONMENT;
    if (port < 0 || port > 65535)
        return TM_ENOTCONNECTED;
    if (port || !of_job)
        tm_talk.port = port ? port : MOM_PORT;
    tm_talk.is_on = true;
    err = attach(jobid, cookie, pid, tid);
    tm_clear();
    return err;
}

int tm_notify(int tm_signal)
{
    (void)tm_signal;
    return TM_ENOTIMPLEMENTED;
}

int tm_alloc(char *resources, tm_event_t *event)
{
    (void)resources;
    (void)event;
    return TM_ENOTIMPLEMENTED;
}

int tm_dealloc(tm_node_id node, tm_event_t *event)
{
    (void)node;
    (void)event;
    return TM_ENOTIMPLEMENTED;
}

int tm_create_event(tm_event_t *event)
{
    (void)event;
    return TM_ENOTIMPLEMENTED;
}

int tm_destroy_event(tm_event_t *event)
{
    (void)event;
    return TM_ENOTIMPLEMENTED;
}

int tm_register(struct tm_whattodo *what, tm_event_t *event)
{
    (void)what;
    (void)event;
    return TM_ENOTIMPLEMENTED;
}
