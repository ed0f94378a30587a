/* run.c - carry out a parsed command on the servers it names.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qmgr/qmgr.h"

#include "include/pbs_error.h"
#include "lib/attr/resource.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const int manager_commands[] = {
    [VERB_CREATE] = MGR_CMD_CREATE,
    [VERB_DELETE] = MGR_CMD_DELETE,
    [VERB_SET] = MGR_CMD_SET,
    [VERB_UNSET] = MGR_CMD_UNSET,
};

static void print_server_error(const struct qmgr *q, int conn, const char *object,
                               const char *server)
{
    const char *text = cmd_error_text(conn);

    if (q->quiet)
        return;
    if (text)
        fprintf(stderr, "qmgr obj=%s svr=%s: %s\n", object, server, text);
    if (pbs_errno == PBSE_HOOKERROR)
        fputs("qmgr: hook error returned from server\n", stderr);
    else
        fprintf(stderr, "qmgr: Error (%d) returned from server\n", pbs_errno);
}

/* The connection to a server named after '@', or to the first one. */
static int conn_of(const struct qmgr *q, const char *server, const char **shown)
{
    *shown = server && *server ? server : "default";
    if (!server || strcmp(server, "default") == 0 || strcmp(server, "active") == 0)
        return q->conns[0];
    for (size_t i = 0; i < q->n_servers; i++)
        if (strcasecmp(q->servers[i], server) == 0)
            return q->conns[i];
    return -1;
}

/* Attributes travel in the reverse of the order written. */
static struct attropl *reversed(const struct attropl *list)
{
    struct attropl *out = NULL;

    for (; list; list = list->next) {
        struct attropl *a = xcalloc(1, sizeof(*a));

        *a = *list;
        a->next = out;
        out = a;
    }
    return out;
}

static void free_shallow(struct attropl *list)
{
    while (list) {
        struct attropl *next = list->next;

        free(list);
        list = next;
    }
}

static const struct attropl *attr_named(const struct attropl *list, const char *name)
{
    for (; list; list = list->next)
        if (strcasecmp(list->name, name) == 0)
            return list;
    return NULL;
}

static int manage(struct qmgr *q, const struct qmgr_command *c, const char *name,
                  const char *server)
{
    const char *shown;
    int conn = conn_of(q, server, &shown), code = 0;
    struct attropl *attrs = reversed(c->attrs);

    if (conn < 0) {
        if (!q->quiet)
            fprintf(stderr, "qmgr: cannot connect to server %s\n", server);
        free_shallow(attrs);
        return 3;
    }
    if (pbs_manager(conn, manager_commands[c->verb], c->object, name, attrs, NULL) !=
        0) {
        code = cmd_exit_code(pbs_errno);
        print_server_error(q, conn, name, shown);
    } else if (cmd_error_text(conn)) {
        fprintf(stderr, "%s\n", cmd_error_text(conn));
    }
    if (code == 0 && attr_named(c->attrs, "reserve_retry_cutoff"))
        fputs("qmgr: warning: reserve_retry_cutoff has no effect: reservations are "
              "reconfirmed until they end\n",
              stderr);
    free_shallow(attrs);
    return code;
}

/* The names of all objects of a kind on the first server. */
static struct batch_status *status_of(const struct qmgr *q, int object,
                                      const char *name, const char *server,
                                      const struct attropl *wanted, const char **shown)
{
    int conn = conn_of(q, server, shown);
    struct attrl *attrs = NULL;
    struct attropl *copy = reversed(wanted);
    struct batch_status *list = NULL;

    for (struct attropl *a = copy; a; a = a->next)
        a->value = (char *)"";
    attrs = (struct attrl *)(void *)copy;
    if (conn < 0)
        pbs_errno = PBSE_BADHOST;
    else if (object == MGR_OBJ_SERVER)
        list = pbs_statserver(conn, attrs, NULL);
    else if (object == MGR_OBJ_QUEUE)
        list = pbs_statque(conn, name, attrs, NULL);
    else if (object == MGR_OBJ_NODE)
        list = pbs_statvnode(conn, name, attrs, NULL);
    else if (object == MGR_OBJ_SCHED)
        list = pbs_statsched(conn, attrs, NULL);
    else if (object == MGR_OBJ_RSC)
        list = pbs_statrsc(conn, name, attrs, NULL);
    else
        list = pbs_stathook(conn, name, attrs,
                            object == MGR_OBJ_PBS_HOOK ? PBS_HOOK : SITE_HOOK);
    free_shallow(copy);
    return list;
}

/* The objects of 'list' that fit; the others are freed. */
static struct batch_status *keep(struct batch_status *list,
                                 bool (*fits)(const char *name, const void *arg),
                                 const void *arg)
{
    struct batch_status **p = &list;

    while (*p) {
        struct batch_status *o = *p;

        if (fits(o->name, arg)) {
            p = &o->next;
            continue;
        }
        *p = o->next;
        o->next = NULL;
        pbs_statfree(o);
    }
    return list;
}

static bool is_named(const char *name, const void *wanted)
{
    return strcmp(name, wanted) == 0;
}

static bool is_custom(const char *name, const void *builtin)
{
    return !resource_find(builtin, name);
}

static void section(const char *what)
{
    printf("#\n# %s\n#\n", what);
}

static void print_section_of(int object)
{
    static const struct {
        int object;
        const char *text;
    } texts[] = {
        { MGR_OBJ_SERVER, "Set server attributes." },
        { MGR_OBJ_QUEUE, "Create queues and set their attributes." },
        { MGR_OBJ_NODE, "Create nodes and set their properties." },
        { MGR_OBJ_RSC, "Create resources and set their properties." },
    };

    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        if (texts[i].object == object)
            section(texts[i].text);
}

static bool is_lasting_queue(const char *name, const void *unused)
{
    (void)unused;
    return !name[0] || !strchr("RSM", name[0]) || !name[1] ||
           name[1 + strspn(name + 1, "0123456789")] != '\0';
}

/* "print server" rebuilds the queues too. */
static void print_queues(const struct qmgr *q, const char *server)
{
    const char *shown;
    struct batch_status *queues = keep(
        status_of(q, MGR_OBJ_QUEUE, "", server, NULL, &shown), is_lasting_queue, NULL);

    if (queues) {
        print_section_of(MGR_OBJ_QUEUE);
        qmgr_print_objects(MGR_OBJ_QUEUE, queues, true);
    }
    pbs_statfree(queues);
}

static struct batch_status *only_custom(struct batch_status *list)
{
    struct resource_defs *builtin = resource_defs_new();

    list = keep(list, is_custom, builtin);
    resource_defs_free(builtin);
    return list;
}

static int show(struct qmgr *q, const struct qmgr_command *c, const char *name,
                const char *server)
{
    const char *shown;
    struct batch_status *list = status_of(q, c->object, name, server, c->attrs, &shown);

    if (!list && pbs_errno != 0) {
        int code = cmd_exit_code(pbs_errno);

        print_server_error(q, conn_of(q, server, &shown), name, shown);
        return code;
    }
    if (c->object == MGR_OBJ_SCHED && *name)
        list = keep(list, is_named, name); /* the server shows all of them */
    if (c->object == MGR_OBJ_RSC && !*name)
        list = only_custom(list);
    if (c->verb == VERB_LIST) {
        if (c->object == MGR_OBJ_RSC && !*name)
            print_section_of(c->object);
        qmgr_list(c->object, list);
    } else {
        if (c->object == MGR_OBJ_SERVER && !c->attrs)
            print_queues(q, server);
        print_section_of(c->object);
        qmgr_print_objects(c->object, list, !c->attrs || c->object == MGR_OBJ_NODE);
    }
    pbs_statfree(list);
    return 0;
}

static int act_on(struct qmgr *q, const struct qmgr_command *c, const char *name,
                  const char *server)
{
    if (c->verb == VERB_LIST || c->verb == VERB_PRINT)
        return show(q, c, name, server);
    return manage(q, c, name, server);
}

/* "@default" in a change means every object there, one request each. */
static int act_on_all(struct qmgr *q, const struct qmgr_command *c, const char *server)
{
    const char *shown;
    struct batch_status *list;
    int code = 0;

    if (c->verb == VERB_LIST || c->verb == VERB_PRINT || c->object == MGR_OBJ_SERVER)
        return act_on(q, c, "", server);
    list = status_of(q, c->object, "", server, NULL, &shown);
    if (!list) {
        if (pbs_errno == 0 && c->object == MGR_OBJ_NODE)
            return manage(q, c, "", server);
        code = cmd_exit_code(pbs_errno);
        if (code)
            print_server_error(q, conn_of(q, server, &shown), "", shown);
        return code;
    }
    for (const struct batch_status *o = list; o; o = o->next) {
        int failed = manage(q, c, o->name, server);

        if (failed)
            code = failed;
    }
    pbs_statfree(list);
    return code;
}

static int run_active(struct qmgr *q, const struct qmgr_command *c)
{
    struct qmgr_name **active = &q->active[c->object];

    if (c->names) {
        struct qmgr_command old = { .names = *active };
        struct qmgr_name **end = active;

        *active = NULL;
        for (const struct qmgr_name *n = c->names; n; n = n->next) {
            *end = xcalloc(1, sizeof(**end));
            (*end)->name = xstrdup(n->name);
            (*end)->server = n->server ? xstrdup(n->server) : NULL;
            end = &(*end)->next;
        }
        qmgr_command_clear(&old);
        return 0;
    }
    printf("Active %ss:\n", qmgr_object_word(c->object));
    for (const struct qmgr_name *n = *active; n; n = n->next)
        printf("%s@%s\n", n->name, n->server ? n->server : "active");
    return 0;
}

/* A command without a name acts on the active objects. */
static int run_unnamed(struct qmgr *q, const struct qmgr_command *c)
{
    bool takes_names = c->object == MGR_OBJ_QUEUE || c->object == MGR_OBJ_NODE;
    int code = 0;

    if (!takes_names)
        return act_on(q, c, "", NULL);
    if (!q->active[c->object]) {
        fprintf(stderr, "No Active %s, nothing done.\n",
                c->object == MGR_OBJ_QUEUE ? "Queues" : "Nodes");
        return 0;
    }
    for (const struct qmgr_name *n = q->active[c->object]; n; n = n->next) {
        int failed = act_on(q, c, n->name, n->server);

        if (failed)
            code = failed;
    }
    return code;
}

int qmgr_run(struct qmgr *q, const struct qmgr_command *c)
{
    int code = 0;

    if (c->verb == VERB_ACTIVE)
        return run_active(q, c);
    if (c->verb == VERB_IMPORT || c->verb == VERB_EXPORT) {
        fputs("qmgr: hooks are not served by this version\n", stderr);
        return 1;
    }
    if (!c->names)
        return run_unnamed(q, c);
    for (const struct qmgr_name *n = c->names; n; n = n->next) {
        int failed = *n->name == '\0' ? act_on_all(q, c, n->server)
                                      : act_on(q, c, n->name, n->server);

        if (failed)
            code = failed;
    }
    return code;
}
