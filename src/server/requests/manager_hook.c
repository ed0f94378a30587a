/* manager_hook.c - Manager requests about hooks: their attributes, and their bodies
 * through the hook directory (hooks.md 3 to 5, wire.md 7.3).
 *
 * Hooks are root's, or the server's own uid's. What is refused has code 15136 and the
 * same words in the log.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_script.h"
#include "lib/base/base64.h"
#include "server/decide/config.h"
#include "server/decide/know.h"
#include "server/model/hook_event.h"
#include "server/requests/hook_edit.h"
#include "server/requests/manager.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define HOOK_NAME_MAX 511

static int refuse_text(struct manager *g, const char *operation, const char *words)
{
    decide_log(g->out, LOG_EV_ADMIN, LOG_IN_HOOK, operation, "%s", words);
    /* The text goes to the client as it is, without the catalogue's words before it. */
    g->out->why_text = words;
    return diag_set(&g->out->why, PBSE_HOOKERROR, "%s", words);
}

static bool is_pbs(const struct object *o)
{
    return strcmp(obj_str(o, HOOK_A_TYPE, HOOK_SITE), HOOK_PBS) == 0;
}

/* The hook that the request names, of the kind that it names; NULL: refused. */
static const struct object *find_hook(struct manager *g, const char *operation)
{
    const struct object *o = model_find(g->m, OBJ_HOOK, g->name);
    bool pbs = g->body->object_type == OBJECT_PBS_HOOK;

    if (!o)
        refuse_text(g, operation,
                    arena_printf(g->out->arena, "%s does not exist!", g->name));
    /* "hook" and "pbshook" name two kinds of objects, and a name of the other kind is
     * refused. */
    else if (is_pbs(o) != pbs)
        refuse_text(g, operation,
                    arena_printf(g->out->arena,
                                 pbs ? "%s not of 'pbs' type" : "%s not of 'site' type",
                                 g->name));
    else
        return o;
    return NULL;
}

/* This server keeps hooks and does not run them: whoever switches one on should know.
 */
static void warn_enabled(struct manager *g, const struct hook_edit *h)
{
    if (edit_num(&h->e, HOOK_A_ENABLED, 1) && edit_str(&h->e, HOOK_A_EVENT, NULL))
        decide_log(g->out, LOG_EV_ADMIN, LOG_IN_HOOK, g->name,
                   "enabled, but this version keeps hooks without running them");
}

static void log_change(struct manager *g, const char *what)
{
    decide_log(g->out, LOG_EV_ADMIN, LOG_IN_HOOK, g->name, "%s at request of %s", what,
               g->rq->actor);
}

static int change_hook(struct manager *g, const struct object *o, const char *operation)
{
    struct hook_edit h;
    int err = 0;

    hook_edit_init(&h, g->m, g->name, o, g->out->arena);
    /* Everything is tried on the edit first; a refusal leaves the hook as it was. */
    if (!hook_edit_list(&h, &g->attrs)) {
        MUST(h.why); /* who refuses says why */
        err = refuse_text(g, operation, h.why);
    } else {
        if (o)
            log_change(g, operation);
        manager_commit(g, &h.e, o ? FACT_SET : FACT_CREATED, OBJ_HOOK, g->name);
        warn_enabled(g, &h);
    }
    edit_fini(&h.e);
    return err;
}

/* The name becomes part of file names on every host. */
static bool name_is_valid(const char *name)
{
    if (!isalpha((unsigned char)*name) || strlen(name) > HOOK_NAME_MAX)
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && !strchr("_-.", *name))
            return false;
    return true;
}

static int create_hook(struct manager *g)
{
    static const char op[] = "mgr_hook_create";

    /* The names of shipped hooks begin like this. */
    if (strncmp(g->name, "PBS", 3) == 0)
        return refuse_text(
            g, op,
            arena_printf(g->out->arena,
                         "hook_name '%s', cannot use PBS as a prefix it is "
                         "reserved for pbs hooks",
                         g->name));
    if (!name_is_valid(g->name))
        return refuse_text(g, op,
                           "hook_name must begin with a letter and have letters, "
                           "digits, '_', '-' and '.' only");
    if (model_find(g->m, OBJ_HOOK, g->name))
        return refuse_text(
            g, op,
            arena_printf(g->out->arena,
                         "hook name '%s' already registered, try another name",
                         g->name));
    return change_hook(g, NULL, op);
}

static int delete_hook(struct manager *g)
{
    static const char op[] = "mgr_hook_delete";
    const struct object *o = find_hook(g, op);

    if (!o)
        return PBSE_HOOKERROR;
    decide(g->out, g->rq, FACT_DELETED, OBJ_HOOK, o->id);
    manager_log(g, OBJ_HOOK, o->id, "deleted");
    return 0;
}

static int set_hook(struct manager *g)
{
    const char *op = g->command == MANAGER_UNSET ? "mgr_hook_unset" : "mgr_hook_set";
    const struct object *o = find_hook(g, op);

    return o ? change_hook(g, o, op) : PBSE_HOOKERROR;
}

/* An import or export of the body of a hook: its script or its configuration. */
struct transfer {
    const char *operation;
    const char *file; /* base name in the hook directory */
    int attr;         /* HOOK_A_HF_SCRIPT or HOOK_A_HF_CONFIG */
    bool base64;
};

static int read_transfer(struct manager *g, const char *file_attr, struct transfer *t)
{
    const char *type = wire_attrs_value(&g->attrs, "content-type", NULL);
    const char *encoding = wire_attrs_value(&g->attrs, "content-encoding", NULL);

    /* The value is a base name; the shell looks only into the hook directory. */
    t->file = wire_attrs_value(&g->attrs, file_attr, NULL);
    if (!type || !t->file || !encoding)
        return refuse_text(
            g, t->operation,
            arena_printf(g->out->arena,
                         "<content-type>, <content-encoding> and <%s> needed",
                         file_attr));
    if (strcmp(type, "application/x-python") == 0)
        t->attr = HOOK_A_HF_SCRIPT;
    else if (strcmp(type, "application/x-config") == 0)
        t->attr = HOOK_A_HF_CONFIG;
    else
        return refuse_text(g, t->operation,
                           "<content-type> must be application/x-python or "
                           "application/x-config");
    t->base64 = strcmp(encoding, "base64") == 0;
    if (!t->base64 && strcmp(encoding, "default") != 0)
        return refuse_text(g, t->operation,
                           "<content-encoding> must be 'default' or 'base64'");
    return 0;
}

/* The bytes behind their encoding; false: they are not base64. */
static bool decode_body(const struct transfer *t, struct arena *arena,
                        const char **data, size_t *len)
{
    struct buf plain = { 0 };
    bool good;

    if (!t->base64)
        return true;
    good = base64_read(*data, *len, &plain);
    /* The decoded bytes are copied into the arena, since the buffer ends with this
     * function. */
    *len = plain.len;
    *data = plain.len ? arena_copy(arena, plain.data, plain.len) : "";
    buf_fini(&plain);
    return good;
}

static void store_body(struct manager *g, const struct object *o,
                       const struct transfer *t, const char *text)
{
    struct record *rec = decide(g->out, g->rq, FACT_SET, OBJ_HOOK, o->id);

    MUST(t->attr == HOOK_A_HF_SCRIPT || t->attr == HOOK_A_HF_CONFIG);
    record_change(rec, g->out->arena, t->attr, NULL, *text ? text : NULL);
    log_change(g, t->operation);
    /* Only what replaces something is told to the client. */
    if (!obj_is_set(o, t->attr))
        return;
    reply_text(g->out, "hook '%s' contents overwritten", o->id);
    decide_log(g->out, LOG_EV_DEBUG2, LOG_IN_HOOK, t->operation,
               "hook '%s' contents overwritten", o->id);
}

static const char *why_not(const struct finding *f)
{
    return f->words ? f->words : "nobody could say in time, try again later";
}

/* What Python has against a text, in '*words'; NULL for nothing. Where it cannot be
 * asked the text is taken as it is, and the log says so. 0 or NEEDED. */
static int objection(struct manager *g, const char *kind, const char *data, size_t len,
                     const char **words)
{
    const struct need need = {
        .kind = NEED_COMPILED, .name = g->name, .detail = kind, .data = data, .len = len
    };
    const struct finding *f = request_know(g->rq, &need);

    *words = NULL;
    /* The text goes to a Python process, and the request waits and is decided afresh
     * with the answer. */
    if (!f)
        return NEEDED;
    /* Python could not be asked. A site without Python can keep hooks all the same. */
    if (f->failed)
        decide_log(g->out, LOG_EV_ADMIN, LOG_IN_HOOK, g->name,
                   "the %s text was not checked: %s", kind, why_not(f));
    else if (!f->found)
        *words = arena_strdup(g->out->arena, why_not(f));
    return 0;
}

/* A source has no NUL. The words of the refusal are fixed; Python's are in the log. */
static int check_script(struct manager *g, const struct transfer *t, const char *data,
                        size_t len)
{
    const char *words = "it has a NUL byte in it";
    int err = memchr(data, '\0', len) ? 0 : objection(g, "py", data, len, &words);

    if (err || !words)
        return err;
    decide_log(g->out, LOG_EV_ADMIN, LOG_IN_HOOK, g->name, "%s", words);
    return refuse_text(g, t->operation,
                       arena_printf(g->out->arena,
                                    "Failed to compile script, hook '%s' contents not "
                                    "overwritten",
                                    g->name));
}

/* The suffix of its file says what a configuration is; without one it may be anything.
 */
static int check_config(struct manager *g, const struct transfer *t, const char *data,
                        size_t len)
{
    static const char *const kinds[] = { "json", "ini", "xml", "py" };
    const char *dot = strrchr(t->file, '.');

    for (size_t i = 0; dot && i < ARRAY_LEN(kinds); i++) {
        const char *words = NULL;
        int err = 0;

        /* The text is checked only by what its suffix promises. */
        if (strcasecmp(dot + 1, kinds[i]) == 0)
            err = objection(g, kinds[i], data, len, &words);
        if (err)
            return err;
        if (words)
            return refuse_text(g, t->operation,
                               arena_printf(g->out->arena,
                                            "configuration of hook '%s' is no %s, not "
                                            "overwritten: %s",
                                            g->name, kinds[i], words));
    }
    return 0;
}

/* A file that is there and empty has no data. */
static int read_file(struct manager *g, const struct transfer *t, const char **data,
                     size_t *len)
{
    const struct need need = { .kind = NEED_FILE, .name = t->file };
    const struct finding *f = request_know(g->rq, &need);

    /* Reading blocks, so the shell does it on a worker and the request waits. */
    if (!f)
        return NEEDED;
    if (!f->found)
        return refuse_text(g, t->operation, arena_strdup(g->out->arena, why_not(f)));
    *data = f->data ? f->data : "";
    *len = f->len;
    return 0;
}

static int write_file(struct manager *g, const struct transfer *t, const char *data,
                      size_t len)
{
    const struct need need = {
        .kind = NEED_WRITTEN, .name = t->file, .data = data, .len = len
    };
    const struct finding *f = request_know(g->rq, &need);

    if (!f)
        return NEEDED;
    if (f->found)
        return 0;
    return refuse_text(g, t->operation, arena_strdup(g->out->arena, why_not(f)));
}

static int import_hook(struct manager *g)
{
    struct transfer t = { .operation = "mgr_hook_import" };
    const struct object *o = find_hook(g, t.operation);
    const char *data = NULL;
    size_t len = 0;
    int err;

    if (!o)
        return PBSE_HOOKERROR;
    if (read_transfer(g, "input-file", &t))
        return PBSE_HOOKERROR;
    if (is_pbs(o) && t.attr == HOOK_A_HF_SCRIPT)
        return refuse_text(g, t.operation, "cannot replace the script of a 'pbs' hook");
    /* PBS's clients put the file into the server's directory and name only its base
     * name (hooks.md 4). */
    err = read_file(g, &t, &data, &len);
    if (err)
        return err;
    if (!decode_body(&t, g->rq->arena, &data, &len))
        return refuse_text(g, t.operation,
                           arena_printf(g->out->arena, "%s is not base64", t.file));
    err = t.attr == HOOK_A_HF_SCRIPT ? check_script(g, &t, data, len)
                                     : check_config(g, &t, data, len);
    if (err)
        return err;
    /* The body becomes part of the store, so the file may be removed afterwards. */
    store_body(g, o, &t, script_to_text(data, len, g->out->arena));
    return 0;
}

static int export_hook(struct manager *g)
{
    struct transfer t = { .operation = "mgr_hook_export" };
    const struct object *o = find_hook(g, t.operation);
    struct buf coded = { 0 };
    const char *data;
    size_t len;
    int err;

    if (!o)
        return PBSE_HOOKERROR;
    if (read_transfer(g, "output-file", &t))
        return PBSE_HOOKERROR;
    /* The stored text is an encoding in which a record can hold any byte. */
    data = script_from_text(obj_str(o, t.attr, ""), g->rq->arena, &len);
    if (t.base64) {
        base64_print(data, len, &coded);
        data = coded.data ? coded.data : "";
        len = coded.len;
    }
    /* The client fetches the file from there, as with an import. */
    err = write_file(g, &t, data, len);
    buf_fini(&coded);
    if (err)
        return err;
    log_change(g, t.operation);
    return 0;
}

int manager_hook(struct manager *g)
{
    bool shipped = g->body->object_type == OBJECT_PBS_HOOK;

    /* A hook runs as root or as the server, so a manager is not enough. */
    if (!g->rq->who->server_uid)
        return diag_set(&g->out->why, PBSE_HOOKERROR,
                        "%s is unauthorized to access hooks data from server %s",
                        g->rq->actor, g->rq->cfg->server_name);
    switch (g->body->command) {
    /* Shipped hooks come with the installation and are neither created nor deleted. */
    case MANAGER_CREATE:
        return shipped ? REFUSE(g, PBSE_IVALREQ) : create_hook(g);
    case MANAGER_DELETE:
        return shipped ? REFUSE(g, PBSE_IVALREQ) : delete_hook(g);
    case MANAGER_SET:
    case MANAGER_UNSET:
        return set_hook(g);
    case MANAGER_IMPORT:
        return import_hook(g);
    case MANAGER_EXPORT:
        return export_hook(g);
    default:
        return REFUSE(g, PBSE_IVALREQ);
    }
}
