/* show.c - "list" and "print" (cli.md 8.4, 8.5).
 *
 * What print shows rebuilds the objects when it is read again. So strings stay whole
 * where the server keeps them whole, further limits of an attribute are added instead
 * of set, and what needs quoting is quoted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qmgr/qmgr.h"

#include "include/pbs_error.h"
#include "lib/attr/resource.h"
#include "lib/base/buf.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MOM_PORT_STANDARD "15002"
#define SCHED_DEFAULT     "default"

static const struct {
    int object;
    const char *title;   /* of list */
    const char *section; /* of print, NULL: none */
} kinds[] = {
    { MGR_OBJ_SERVER, "Server", "Set server attributes." },
    { MGR_OBJ_QUEUE, "Queue", "Create queues and set their attributes." },
    { MGR_OBJ_NODE, "Node", "Create nodes and set their properties." },
    { MGR_OBJ_SCHED, "Sched", NULL },
    { MGR_OBJ_RSC, "Resource", "Create resources and set their properties." },
    { MGR_OBJ_SITE_HOOK, "Hook", "Create hooks and set their properties." },
    { MGR_OBJ_PBS_HOOK, "Hook", NULL },
};

static size_t kind_of(int object)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (kinds[i].object == object)
            return i;
    return 0;
}

static void list_objects(int object, const struct batch_status *objects)
{
    struct buf out = { 0 };

    for (; objects; objects = objects->next) {
        buf_clear(&out);
        buf_printf(&out, "%s %s\n", kinds[kind_of(object)].title, objects->name);
        for (const struct attrl *a = objects->attribs; a; a = a->next)
            qmgr_list_attr(a, &out);
        buf_add_char(&out, '\n');
        fwrite(out.data, 1, out.len, stdout);
    }
    buf_fini(&out);
}

struct printer {
    struct qmgr *q;
    struct qmgr_types types;
    int object;
    const char *name; /* as it stands in "set"; "" for none */
    struct buf out;
};

static const char *value_of(const struct batch_status *o, const char *name)
{
    for (const struct attrl *a = o->attribs; a; a = a->next)
        if (strcasecmp(a->name, name) == 0)
            return a->value;
    return NULL;
}

static void print_setting(struct printer *p, const struct attrl *a, const char *op,
                          const char *value, size_t len)
{
    buf_printf(&p->out, "set %s%s%s %s%s%s %s ", qmgr_object_word(p->object),
               *p->name ? " " : "", p->name, a->name, a->resource ? "." : "",
               a->resource ? a->resource : "", op);
    qmgr_value_quote(value, len, &p->out);
    buf_add_char(&p->out, '\n');
}

/* Limits of one attribute come as several entries; the first one sets it. */
static bool goes_on(const struct batch_status *o, const struct attrl *a)
{
    for (const struct attrl *b = o->attribs; b && b != a; b = b->next)
        if (strcasecmp(a->name, b->name) == 0 &&
            (!a->resource ||
             (b->resource && strcasecmp(a->resource, b->resource) == 0)))
            return true;
    return false;
}

static void print_attr(struct printer *p, const struct batch_status *o,
                       const struct attrl *a)
{
    const char *op = qmgr_is_limit(a->name) && goes_on(o, a) ? "+=" : "=";
    const char *text = a->value;

    if (!qmgr_is_list(&p->types, p->object, a)) {
        print_setting(p, a, op, text, strlen(text));
        return;
    }
    for (;; text++) {
        size_t len = qmgr_member_len(text);

        if (len > 0 || text == a->value)
            print_setting(p, a, op, text, len);
        op = "+=";
        text += len;
        if (*text == '\0')
            return;
    }
}

static bool is_default_sched(int object, const char *name)
{
    return object == MGR_OBJ_SCHED && strcmp(name, SCHED_DEFAULT) == 0;
}

/* Some attributes of a node go with its creation or tell of the moment. */
static bool is_node_attr_printed(const struct attrl *a)
{
    static const char *const never[] = { "Mom",        "Port",    "ntype",
                                         "sharing",    "license", "provision_enable",
                                         "current_aoe" };

    for (size_t i = 0; i < ARRAY_LEN(never); i++)
        if (strcasecmp(a->name, never[i]) == 0)
            return false;
    return strcasecmp(a->name, "comment") != 0 || *a->value != '\0';
}

/* Other makes of server do not know it, so a dump for them has it only when it says
 * something. */
static bool is_own_default(const struct attrl *a)
{
    return strcasecmp(a->name, "resv_answer_time") == 0 &&
           strcmp(a->value, "00:10:00") == 0;
}

/* Of the hooks that come with the server only some attributes can be set. */
static bool is_pbshook_attr_printed(const struct attrl *a)
{
    static const char *const fixed[] = { "event", "user", "fail_action" };

    for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
        if (strcasecmp(a->name, fixed[i]) == 0)
            return false;
    return true;
}

/* Read-only attributes cannot be set again; the default scheduler shows all of its. */
static bool is_printed(int object, const char *name, const struct attrl *a)
{
    const struct attr_table *table = qmgr_table(object);
    int row = table ? attr_find(table, a->name) : -1;

    if (object == MGR_OBJ_SCHED && !is_default_sched(object, name))
        return strcasecmp(a->name, "state") != 0 &&
               strcasecmp(a->name, "sched_host") != 0;
    if (object == MGR_OBJ_SCHED)
        return true;
    if (row >= 0 && !(table->rows[row].write & (WHO_OPERATOR | WHO_MANAGER)))
        return false;
    if (object == MGR_OBJ_SERVER)
        return !is_own_default(a);
    if (object == MGR_OBJ_PBS_HOOK)
        return is_pbshook_attr_printed(a);
    return object != MGR_OBJ_NODE || is_node_attr_printed(a);
}

static void print_create(struct printer *p, const struct batch_status *o)
{
    const char *mom = value_of(o, "Mom"), *port = value_of(o, "Port");
    const char *word = qmgr_object_word(p->object);
    const char *sep = " ";

    buf_printf(&p->out, "#\n# Create and define %s %s\n#\n",
               p->object == MGR_OBJ_SCHED ? "scheduler" : word, o->name);
    if (p->object == MGR_OBJ_PBS_HOOK)
        return; /* those are there already */
    buf_printf(&p->out, "create %s %s", word, o->name);
    if (p->object == MGR_OBJ_NODE && mom && strcasecmp(mom, o->name) != 0) {
        buf_printf(&p->out, "%sMom=", sep);
        qmgr_value_quote(mom, strlen(mom), &p->out);
        sep = ",";
    }
    if (p->object == MGR_OBJ_NODE && port && strcmp(port, MOM_PORT_STANDARD) != 0)
        buf_printf(&p->out, "%sPort=%s", sep, port);
    buf_add_char(&p->out, '\n');
}

/* What an administrator has put a node into, and not what it was found in: a node that
 * is down or busy at the moment of the dump is offline afterwards if it was. */
static void print_node_state(struct printer *p, const struct attrl *a)
{
    static const char *const lasting[] = { "offline", "sleep" };
    struct buf kept = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(lasting); i++)
        if (strstr(a->value, lasting[i]))
            buf_printf(&kept, "%s%s", kept.len ? "," : "", lasting[i]);
    if (kept.len > 0)
        print_setting(p, a, "=", kept.data, kept.len);
    else if (strncmp(a->value, "down", 4) != 0 &&
             strncmp(a->value, "state-unknown", 13) != 0)
        print_setting(p, a, "=", a->value, strlen(a->value));
    buf_fini(&kept);
}

static bool is_node_state(const struct printer *p, const struct attrl *a)
{
    return p->object == MGR_OBJ_NODE && strcasecmp(a->name, "state") == 0;
}

static void print_object(struct printer *p, const struct batch_status *o)
{
    bool unnamed = p->object == MGR_OBJ_SERVER || is_default_sched(p->object, o->name);

    buf_clear(&p->out);
    p->name = unnamed ? "" : o->name;
    if (p->object != MGR_OBJ_SERVER)
        print_create(p, o);
    for (const struct attrl *a = o->attribs; a; a = a->next)
        if (is_node_state(p, a))
            print_node_state(p, a);
        else if (is_printed(p->object, o->name, a))
            print_attr(p, o, a);
    fwrite(p->out.data, 1, p->out.len, stdout);
}

static void print_section(int object)
{
    const char *text = kinds[kind_of(object)].section;

    if (text)
        printf("#\n# %s\n#\n", text);
}

static int print_objects(struct qmgr *q, const struct qmgr_target *t, int object,
                         const struct batch_status *objects, bool contents)
{
    struct printer p = { .q = q, .types = { .target = t }, .object = object };
    int code = 0;

    print_section(object);
    for (; objects && !q->lost; objects = objects->next) {
        print_object(&p, objects);
        if (contents) {
            int failed = qmgr_print_contents(q, t, object, objects->name);

            if (failed)
                code = failed;
        }
    }
    buf_fini(&p.out);
    qmgr_types_fini(&p.types);
    return code;
}

/* The objects of 'list' that fit; the others are freed. A server cannot be asked for a
 * part of its objects, only for one or for all. */
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

struct batch_status *qmgr_custom_only(struct batch_status *list)
{
    struct resource_defs *builtin = resource_defs_new();

    list = keep(list, is_custom, builtin);
    resource_defs_free(builtin);
    return list;
}

/* Queues of reservations come and go with them. */
static bool is_lasting_queue(const char *name, const void *unused)
{
    (void)unused;
    return !name[0] || !strchr("RSM", name[0]) || !name[1] ||
           name[1 + strspn(name + 1, "0123456789")] != '\0';
}

/* What "print server" shows before the server: resources, then queues. */
static int print_parts(struct qmgr *q, const struct qmgr_target *t)
{
    static const int parts[] = { MGR_OBJ_RSC, MGR_OBJ_QUEUE };

    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        struct batch_status *list = qmgr_status(t, parts[i], "", NULL);

        if (!list && pbs_errno)
            return qmgr_refused(q, t, "");
        list = parts[i] == MGR_OBJ_RSC ? qmgr_custom_only(list)
                                       : keep(list, is_lasting_queue, NULL);
        if (list)
            print_objects(q, t, parts[i], list, false);
        pbs_statfree(list);
    }
    return 0;
}

static int list_or_print(struct qmgr *q, const struct qmgr_command *c, const char *name,
                         const struct qmgr_target *t, struct batch_status *list)
{
    bool is_hook = c->object == MGR_OBJ_SITE_HOOK || c->object == MGR_OBJ_PBS_HOOK;
    struct qmgr_types types = { .target = t };
    int code = 0;

    if (c->verb == VERB_LIST && q->json) {
        qmgr_list_json(c->object, kinds[kind_of(c->object)].title, list, &types);
        qmgr_types_fini(&types);
        return 0;
    }
    if (c->verb == VERB_LIST) {
        if (c->object == MGR_OBJ_RSC && !*name)
            print_section(c->object);
        list_objects(c->object, list);
        return 0;
    }
    if (c->object == MGR_OBJ_SERVER && !c->attrs)
        code = print_parts(q, t);
    return code ? code : print_objects(q, t, c->object, list, is_hook && !c->attrs);
}

int qmgr_show(struct qmgr *q, const struct qmgr_command *c, const char *name,
              const struct qmgr_target *t)
{
    struct batch_status *list;
    int code;

    if (c->object == MGR_OBJ_PBS_HOOK && c->verb == VERB_PRINT && !*name)
        return EXIT_LOCAL; /* there is nothing to rebuild */
    list = qmgr_status(t, c->object, name, c->attrs);
    if (!list && pbs_errno != 0) {
        code = qmgr_refused(q, t, name);
        return code == cmd_exit_code(PBSE_HOOKERROR) && !q->lost ? EXIT_LOCAL : code;
    }
    if (c->object == MGR_OBJ_SCHED && *name)
        list = keep(list, is_named, name); /* the server shows all of them */
    if (c->object == MGR_OBJ_RSC && !*name)
        list = qmgr_custom_only(list);
    code = list_or_print(q, c, name, t, list);
    pbs_statfree(list);
    return code;
}
