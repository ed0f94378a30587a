/* run.c - carry out a parsed command on the objects and servers it names.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qmgr/qmgr.h"

#include "include/pbs_error.h"
#include "lib/io/conf.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const int manager_commands[] = {
    [VERB_CREATE] = MGR_CMD_CREATE,
    [VERB_DELETE] = MGR_CMD_DELETE,
    [VERB_SET] = MGR_CMD_SET,
    [VERB_UNSET] = MGR_CMD_UNSET,
};

/* Attributes travel in the reverse of the order written, and lists of wanted ones too:
 * the server's answer and its log follow that order (cli.md 8.2). The texts stay the
 * list's. */
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

static struct batch_status *ask_status(int conn, int object, const char *name,
                                       struct attrl *attrs)
{
    switch (object) {
    case MGR_OBJ_SERVER:
        return pbs_statserver(conn, attrs, NULL);
    case MGR_OBJ_QUEUE:
        return pbs_statque(conn, name, attrs, NULL);
    case MGR_OBJ_NODE:
        return pbs_statvnode(conn, name, attrs, NULL);
    case MGR_OBJ_SCHED:
        return pbs_statsched(conn, attrs, NULL);
    case MGR_OBJ_RSC:
        return pbs_statrsc(conn, name, attrs, NULL);
    default:
        return pbs_stathook(conn, name, attrs,
                            object == MGR_OBJ_PBS_HOOK ? PBS_HOOK : SITE_HOOK);
    }
}

struct batch_status *qmgr_status(const struct qmgr_target *t, int object,
                                 const char *name, const struct attropl *wanted)
{
    struct attropl *copy = reversed(wanted);
    struct batch_status *list;

    for (struct attropl *a = copy; a; a = a->next)
        a->value = (char *)"";
    list = ask_status(t->server->conn, object, name, (struct attrl *)(void *)copy);
    if (list || pbs_errno == 0)
        t->server->used_at = time(NULL);
    free_shallow(copy);
    return list;
}

/* Another make of server reads a formula from a file that qmgr leaves for it
 * (cli.md 8.2); ours takes it from the request. */
static bool is_ours(const struct qmgr_target *t)
{
    struct attropl version = { .name = (char *)"holdfast_version" };
    struct batch_status *s = qmgr_status(t, MGR_OBJ_SERVER, "", &version);
    bool ours = s && s->attribs;

    pbs_statfree(s);
    return ours;
}

static int leave_formula(struct qmgr *q, const struct qmgr_target *t,
                         const struct qmgr_command *c)
{
    const struct attropl *formula = attr_named(c->attrs, "job_sort_formula");
    struct conf *conf = NULL;
    struct diag why = { 0 };
    char *path;
    FILE *f;
    bool written;

    /* Without settings the file's place is not known; the request goes out all the
     * same, and the server says what it lacks. */
    if (c->verb != VERB_SET || c->object != MGR_OBJ_SERVER || !formula ||
        !*formula->value || is_ours(t) || conf_load(&conf, &why))
        return 0;
    path = xasprintf("%s/server_priv/sched_formula", conf->home);
    conf_free(conf);
    f = fopen(path, "w");
    written = f && fprintf(f, "%s\n", formula->value) > 0;
    if (f && fclose(f))
        written = false;
    if (!written && !q->quiet)
        fprintf(stderr, "qmgr: Failed to open %s for writing.\n", path);
    free(path);
    return written ? 0 : EXIT_LOCAL;
}

/* What was done, and may not be what was meant. The words of the second one are PBS's
 * (cli.md 8.6). */
static void warn(const struct qmgr *q, const struct qmgr_command *c)
{
    const struct attropl *enabled = attr_named(c->attrs, "enabled");

    if (q->quiet)
        return;
    if (attr_named(c->attrs, "reserve_retry_cutoff"))
        fputs("qmgr: warning: reserve_retry_cutoff has no effect: reservations are "
              "reconfirmed until they end\n",
              stderr);
    if (c->verb == VERB_SET && c->object == MGR_OBJ_PBS_HOOK && enabled &&
        enabled->value[0] && strchr("fFnN0", enabled->value[0]))
        fputs("WARNING: Disabling a PBS hook results in an unsupported "
              "configuration!\n",
              stderr);
}

/* Refuse "state = job-busy" and its like: a state that the server finds out is shown
 * and cannot be set. */
static bool sets_state_of_moment(const struct qmgr_command *c)
{
    static const char *const found[] = { "job-",         "resv-exclusive",
                                         "busy",         "stale",
                                         "provisioning", "wait-provisioning",
                                         "maintenance",  "unresolvable" };

    if (!c->attrs || c->attrs->next || strcasecmp(c->attrs->name, "state") != 0)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(found); i++)
        if (strncasecmp(c->attrs->value, found[i], strlen(found[i])) == 0)
            return true;
    return false;
}

/* What print shows of nodes and of the default scheduler contains lines that no server
 * takes back. When such commands are replayed their refusals are no news. */
static bool is_expected_refusal(const struct qmgr *q, const struct qmgr_command *c,
                                const char *name)
{
    bool of_default =
        c->object == MGR_OBJ_SCHED && (*name == '\0' || strcmp(name, "default") == 0);

    if (!q->replay)
        return false;
    if (c->verb == VERB_CREATE)
        return of_default && pbs_errno == PBSE_SCHEDEXIST;
    if (c->verb != VERB_SET)
        return false;
    if (c->object == MGR_OBJ_NODE)
        return pbs_errno == PBSE_ATTRRO ||
               (pbs_errno == PBSE_BADNDATVAL && sets_state_of_moment(c));
    return of_default &&
           (pbs_errno == PBSE_ATTRRO || pbs_errno == PBSE_SCHED_OP_NOT_PERMITTED);
}

static int manage(struct qmgr *q, const struct qmgr_command *c, const char *name,
                  const struct qmgr_target *t)
{
    int conn = t->server->conn;
    int code = leave_formula(q, t, c);
    struct attropl *attrs;
    int err;

    if (code)
        return code;
    attrs = reversed(c->attrs);
    err = pbs_manager(conn, manager_commands[c->verb], c->object, name, attrs, NULL);
    free_shallow(attrs);
    if (err == 0) {
        t->server->used_at = time(NULL);
        if (cmd_error_text(conn) && !q->quiet)
            fprintf(stderr, "%s\n", cmd_error_text(conn));
        warn(q, c);
        return 0;
    }
    if (is_expected_refusal(q, c, name))
        return 0; /* -a goes on behind it, too */
    return qmgr_refused(q, t, name);
}

static int act_on(struct qmgr *q, const struct qmgr_command *c, const char *name,
                  const struct qmgr_target *t)
{
    switch (c->verb) {
    case VERB_LIST:
    case VERB_PRINT:
        return qmgr_show(q, c, name, t);
    case VERB_IMPORT:
        return qmgr_import(q, c, name, t);
    case VERB_EXPORT:
        return qmgr_export(q, c, name, t);
    default:
        return manage(q, c, name, t);
    }
}

static struct batch_status *turned(struct batch_status *list)
{
    struct batch_status *back = NULL;

    while (list) {
        struct batch_status *next = list->next;

        list->next = back;
        back = list;
        list = next;
    }
    return back;
}

/* "@default" in a change means every object there, one request each. Built-in resources
 * cannot be changed. Nodes are deleted from the last one on: the first of a host stays
 * while it serves others. */
static int change_all(struct qmgr *q, const struct qmgr_command *c,
                      const struct qmgr_target *t)
{
    struct batch_status *list = qmgr_status(t, c->object, "", NULL);
    int code = 0;

    if (!list)
        return pbs_errno ? qmgr_refused(q, t, "") : 0;
    if (c->object == MGR_OBJ_RSC)
        list = qmgr_custom_only(list);
    if (c->verb == VERB_DELETE)
        list = turned(list);
    for (const struct batch_status *o = list; o && !q->lost; o = o->next) {
        int failed = manage(q, c, o->name, t);

        if (failed)
            code = failed;
    }
    pbs_statfree(list);
    return code;
}

static bool takes_names(int object)
{
    return object == MGR_OBJ_QUEUE || object == MGR_OBJ_NODE;
}

/* One name of a command, on every server that it means. */
static int run_name(struct qmgr *q, const struct qmgr_command *c, const char *name,
                    const char *server)
{
    struct qmgr_targets targets;
    bool all = *name == '\0' && server && c->object != MGR_OBJ_SERVER &&
               c->verb != VERB_LIST && c->verb != VERB_PRINT;
    int code;

    if (c->object == MGR_OBJ_SERVER && *name) { /* a server is named by its name */
        server = name;
        name = "";
    }
    /* All servers are tried; the last failure decides the code (cli.md 8.3). */
    code = qmgr_targets(q, server, &targets);
    for (size_t i = 0; i < targets.n && !q->lost; i++) {
        int failed =
            all ? change_all(q, c, &targets.v[i]) : act_on(q, c, name, &targets.v[i]);

        if (failed)
            code = failed;
    }
    return code;
}

static int run_names(struct qmgr *q, const struct qmgr_command *c,
                     const struct qmgr_name *names)
{
    int code = 0;

    for (; names && !q->lost; names = names->next) {
        int failed = run_name(q, c, names->name, names->server);

        if (failed)
            code = failed;
    }
    return code;
}

/* An object of a server that is named has to exist; objects of the active servers are
 * not checked. */
static int check_active(struct qmgr *q, const struct qmgr_command *c)
{
    int code = 0;

    for (const struct qmgr_name *n = c->names; n && code == 0; n = n->next) {
        bool is_server = c->object == MGR_OBJ_SERVER;
        const char *server = is_server && *n->name ? n->name : n->server;
        struct qmgr_targets targets;
        struct batch_status *found;

        if (!server)
            continue;
        code = qmgr_targets(q, server, &targets);
        if (code || targets.n == 0 || is_server || !*n->name)
            continue;
        found = qmgr_status(&targets.v[0], c->object, n->name, NULL);
        if (!found && pbs_errno)
            code = qmgr_refused(q, &targets.v[0], n->name);
        pbs_statfree(found);
    }
    return code;
}

/* The names are copied: those of the command go with it. */
static void remember_active(struct qmgr_name **active, const struct qmgr_name *names)
{
    struct qmgr_command old = { .names = *active };
    struct qmgr_name **end = active;

    *active = NULL;
    for (; names; names = names->next) {
        *end = xcalloc(1, sizeof(**end));
        (*end)->name = xstrdup(names->name);
        (*end)->server = names->server ? xstrdup(names->server) : NULL;
        end = &(*end)->next;
    }
    qmgr_command_clear(&old);
}

static void list_active(const struct qmgr *q, int object)
{
    printf("Active %ss:\n", qmgr_object_word(object));
    for (size_t i = 0; object == MGR_OBJ_SERVER && i < q->n_servers; i++)
        if (q->servers[i].active)
            printf("%s\n", *q->servers[i].name ? q->servers[i].name : "default");
    for (const struct qmgr_name *n = q->active[object]; n; n = n->next)
        printf("%s@%s\n", n->name, n->server ? n->server : "active");
}

static int run_active(struct qmgr *q, const struct qmgr_command *c)
{
    int code;

    if (!c->names) {
        list_active(q, c->object);
        return 0;
    }
    /* All names are looked at before any becomes active: a command that fails has
     * changed nothing. */
    code = check_active(q, c);
    if (code)
        return code;
    if (c->object != MGR_OBJ_SERVER) {
        remember_active(&q->active[c->object], c->names);
        return 0;
    }
    for (const struct qmgr_name *n = c->names; n; n = n->next)
        qmgr_servers_activate(q, *n->name ? n->name : n->server, n == c->names);
    return 0;
}

int qmgr_run(struct qmgr *q, const struct qmgr_command *c)
{
    if (c->verb == VERB_ACTIVE)
        return run_active(q, c);
    if (c->names)
        return run_names(q, c, c->names);
    if (!takes_names(c->object))
        return run_name(q, c, "", NULL);
    if (q->active[c->object])
        return run_names(q, c, q->active[c->object]);
    if (!q->quiet)
        fprintf(stderr, "No Active %s, nothing done.\n",
                c->object == MGR_OBJ_QUEUE ? "Queues" : "Nodes");
    return 0;
}
