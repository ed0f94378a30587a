/* verify.c - attributes are checked before a request travels (wire.md 15.3, cli.md 2).
 *
 * Names are looked up in the tables of lib/attr. Of values only what can be no value at
 * all is judged: numbers, words of a fixed set and the grammars of rules.c; amounts of
 * built-in resources too. The rest (lists, limits, specifications, resources of the
 * site) is the server's to judge, which names the attribute in its answer. All that is
 * bad is collected for pbs_get_attributes_in_error(); the first decides the call's code
 * and text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include "lib/attr/chunk.h"
#include "lib/attr/resource.h"
#include "lib/attr/row.h"
#include "lib/ifl/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Programs are compiled with the numbers of pbs_ifl.h, daemons with those of batch.h.
 */
_Static_assert((int)MGR_CMD_CREATE == MANAGER_CREATE, "create");
_Static_assert((int)MGR_CMD_DELETE == MANAGER_DELETE, "delete");
_Static_assert((int)MGR_CMD_SET == MANAGER_SET, "set");
_Static_assert((int)MGR_CMD_UNSET == MANAGER_UNSET, "unset");
_Static_assert((int)MGR_CMD_IMPORT == MANAGER_IMPORT, "import");
_Static_assert((int)MGR_CMD_EXPORT == MANAGER_EXPORT, "export");
_Static_assert((int)MGR_OBJ_SERVER == OBJECT_SERVER, "server");
_Static_assert((int)MGR_OBJ_QUEUE == OBJECT_QUEUE, "queue");
_Static_assert((int)MGR_OBJ_JOB == OBJECT_JOB, "job");
_Static_assert((int)MGR_OBJ_NODE == OBJECT_NODE, "node");
_Static_assert((int)MGR_OBJ_RESV == OBJECT_RESV, "reservation");
_Static_assert((int)MGR_OBJ_RSC == OBJECT_RESOURCE, "resource");
_Static_assert((int)MGR_OBJ_SCHED == OBJECT_SCHED, "scheduler");
_Static_assert((int)MGR_OBJ_HOST == OBJECT_HOST, "host");
_Static_assert((int)MGR_OBJ_SITE_HOOK == OBJECT_HOOK, "hook of the site");
_Static_assert((int)MGR_OBJ_PBS_HOOK == OBJECT_PBS_HOOK, "shipped hook");
_Static_assert((int)MGR_OBJ_JOBARRAY_PARENT == OBJECT_ARRAY_PARENT, "array");
_Static_assert((int)MGR_OBJ_SUBJOB == OBJECT_SUBJOB, "subjob");

/* Of the whole program, not of a thread or a connection (wire.md 15.3). */
static bool verify_off;

void set_no_attribute_verification(void)
{
    verify_off = true;
}

bool ifl_verifies(void)
{
    return !verify_off;
}

static const struct attr_table *table_of(int object)
{
    static const struct {
        int object;
        const struct attr_table *table;
    } tables[] = {
        { MGR_OBJ_SERVER, &server_table }, { MGR_OBJ_QUEUE, &queue_table },
        { MGR_OBJ_JOB, &job_table },       { MGR_OBJ_NODE, &node_table },
        { MGR_OBJ_RESV, &resv_table },     { MGR_OBJ_SCHED, &sched_table },
        { MGR_OBJ_HOST, &node_table },     { MGR_OBJ_SITE_HOOK, &hook_table },
        { MGR_OBJ_PBS_HOOK, &hook_table },
    };

    for (size_t i = 0; i < ARRAY_LEN(tables); i++)
        if (tables[i].object == object)
            return tables[i].table;
    return NULL;
}

/* Names that travel without being attributes of the object. */
static const struct {
    uint32_t number;
    int object;
    const char *name;
} others[] = {
    { BATCH_SELECT_JOBS, MGR_OBJ_JOB, ATTR_q },
    { BATCH_SELECT_STATUS, MGR_OBJ_JOB, ATTR_q },
    { BATCH_MANAGER, MGR_OBJ_RSC, ATTR_RESC_TYPE },
    { BATCH_MANAGER, MGR_OBJ_RSC, ATTR_RESC_FLAG },
    { BATCH_STATUS_RESOURCE, MGR_OBJ_RSC, ATTR_RESC_TYPE },
    { BATCH_STATUS_RESOURCE, MGR_OBJ_RSC, ATTR_RESC_FLAG },
};

static bool is_other(uint32_t number, int object, const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (others[i].number == number && others[i].object == object &&
            strcasecmp(others[i].name, name) == 0)
            return true;
    return false;
}

/* What this library does not know is left to the server: other object types, and
 * changes of hooks, whose refusals name the attribute in a way of their own (hooks.md
 * 5). */
static bool can_judge(uint32_t number, int object)
{
    if (number == BATCH_MANAGER &&
        (object == MGR_OBJ_SITE_HOOK || object == MGR_OBJ_PBS_HOOK))
        return false;
    return object == MGR_OBJ_RSC || table_of(object);
}

/* Types whose values need no memory to be decoded. */
static bool is_number(const struct attr_type *type)
{
    return type == &attr_bool || type == &attr_long || type == &attr_int64 ||
           type == &attr_float || type == &attr_size || type == &attr_duration ||
           type == &attr_time || type == &attr_seconds;
}

/* Other refusals of a check are left to the server, which knows who asks and what the
 * site has set. */
static int only_bad_value(int code)
{
    return code == PBSE_BADATVAL ? code : 0;
}

/* 'any': of the type's values, also those that the attribute itself does not take. */
static int check_row(const struct attr_row *row, const char *text, bool any)
{
    struct attr_value v = { 0 };
    struct diag why;
    int err = 0;

    if (is_number(row->type)) {
        err = attr_value_set(row->type, &v, NULL, NULL, text, WIRE_OP_SET);
    } else if (row->type == &attr_string) {
        v.set = true;
        v.u.str = (char *)(uintptr_t)text; /* looked at only */
    } else {
        return 0;
    }
    if (!err && row->check && !any)
        err = row->check(&v, &why);
    return only_bad_value(err);
}

/* The built-in resources, made once and kept. */
static struct resource_defs *defs;
static pthread_mutex_t defs_lock = PTHREAD_MUTEX_INITIALIZER;

static void make_defs(void *arg)
{
    *(struct resource_defs **)arg = resource_defs_new();
}

static const struct resource_def *built_in(const char *name)
{
    const struct resource_defs *d;

    pthread_mutex_lock(&defs_lock);
    if (!defs && !xmem_try(make_defs, &defs))
        defs = NULL;
    /* Without memory nothing is known, so every value passes: the server judges it
     * anyway. */
    d = defs;
    pthread_mutex_unlock(&defs_lock);
    return d ? resource_find(d, name) : NULL;
}

/* "@vnode" points to another vnode's amount. */
static int check_resource(const char *resource, const char *text)
{
    const struct resource_def *def = *text == '@' ? NULL : built_in(resource);
    struct attr_value v = { 0 };

    if (!def || !is_number(def->type))
        return 0;
    return only_bad_value(resource_decode(def, NULL, &v, text));
}

/* One pair "name=value" of a chunk; *at moves behind it. The name of a built-in amount
 * with a wrong value is handed over, 15014. */
static int check_pair(const char **at, char *name, size_t size)
{
    char value[128];
    size_t len = chunk_name_len(*at), n = 0;
    const char *p = *at + len;
    char quote = '\0';

    snprintf(name, size, "%.*s", (int)len, *at);
    for (p += *p == '='; *p && (quote || !strchr(":+", *p)); p++)
        if (quote ? *p == quote : *p == '"' || *p == '\'')
            quote = quote ? '\0' : *p;
        else if (n < sizeof(value) - 1)
            value[n++] = *p;
    value[n] = '\0';
    *at = p;
    /* What is no pair is the server's to refuse. */
    return len > 0 && len < size && n > 0 ? check_resource(name, value) : 0;
}

/* Chunks have amounts of built-in resources, too (attributes.md 7.1). */
static int check_select(const char *text, char *name, size_t size)
{
    int code = 0;

    while (*text && !code) {
        size_t count = strspn(text, "0123456789");

        text += count + (text[count] == ':');
        do
            code = check_pair(&text, name, size);
        while (!code && *text == ':' && *++text);
        text += !code && *text == '+';
    }
    return code;
}

/* Is this the text of a new value, and not a wish to read or to unset? */
static bool has_value(const struct ifl_wish *wish, const struct attrl *a)
{
    if (!rules_apply(wish->number) || a->op == UNSET)
        return false;
    return wish->number != BATCH_MANAGER ||
           ((wish->command == MGR_CMD_SET || wish->command == MGR_CMD_CREATE) &&
            a->value && *a->value);
}

static bool has_rule(const struct ifl_wish *wish, const char *name, const char *text,
                     int *code)
{
    return (wish->object == MGR_OBJ_JOB || wish->object == MGR_OBJ_RESV) &&
           rules_check(wish->number, name, text, code);
}

static bool is_select(const char *attr, const char *resource)
{
    return strcasecmp(attr, ATTR_l) == 0 && strcasecmp(resource, "select") == 0;
}

/* An attribute that no user may set is sent: the server refuses it with the right code,
 * and criteria of a selection may name it.
 */
static int check_value(const struct ifl_wish *wish, const struct attr_row *row,
                       const struct attrl *a)
{
    const bool select = rules_select(wish->number);
    const char *text = a->value ? a->value : "";
    char chunk_name[128];
    int code;

    if (!has_value(wish, a))
        return 0;
    /* A rule of this library goes before the type: it knows what PBS's clients refuse
     * and its servers would take. */
    if (has_rule(wish, row->name, text, &code))
        return code;
    if (!*text || (!select && !(row->write & ~WHO_DAEMON)))
        return 0;
    if (row->type != &attr_resources)
        return check_row(row, text, select);
    if (!a->resource || !*a->resource)
        return 0;
    return !select && is_select(row->name, a->resource)
               ? check_select(text, chunk_name, sizeof(chunk_name))
               : check_resource(a->resource, text);
}

static int check(const struct ifl_wish *wish, const struct attrl *a)
{
    const struct attr_table *t = table_of(wish->object);
    int row = t ? attr_find(t, a->name) : -1;

    if (row >= 0)
        return check_value(wish, &t->rows[row], a);
    return is_other(wish->number, wish->object, a->name) ? 0 : PBSE_NOATTR;
}

/* The code's text; of a resource also its name, as a server says it, and of a select
 * the name of the one in its chunks. */
static void say(char *text, size_t size, int code, const struct attrl *a)
{
    const char *words = pbse_text(code);
    char name[128];

    if (code == PBSE_BADATVAL && a->resource && is_select(a->name, a->resource) &&
        check_select(a->value, name, sizeof(name)) == code)
        snprintf(text, size, "%s %s.%s", words, a->resource, name);
    else if (code != PBSE_NOATTR && a->resource && *a->resource)
        snprintf(text, size, "%s %s.%s", words, a->name, a->resource);
    else
        snprintf(text, size, "%s", words ? words : "");
}

int ifl_verify_wish(int c, const struct ifl_wish *wish)
{
    char text[512];
    int first = 0;

    /* The list of an earlier call must not be taken for that of this one, even when
     * this one judges nothing. */
    ifl_bad_attrs_clear();
    if (verify_off || !can_judge(wish->number, wish->object))
        return 0;
    for (const struct attrl *a = wish->attrs; a; a = a->next) {
        char words[sizeof(text)];
        int code = a->name && *a->name ? check(wish, a) : 0;

        if (!code)
            continue;
        say(words, sizeof(words), code, a);
        ifl_bad_attrs_add(a, code, words);
        if (!first) {
            first = code;
            memcpy(text, words, sizeof(text));
        }
    }
    return first ? ifl_set_error(c, first, text) : 0;
}

int ifl_verify(int c, uint32_t number, int object, const struct attrl *list)
{
    const struct ifl_wish wish = {
        .number = number, .command = MGR_CMD_NONE, .object = object, .attrs = list
    };

    return ifl_verify_wish(c, &wish);
}

int ifl_verify_name(int c, int command, int object, const char *name)
{
    if (verify_off || command != MGR_CMD_CREATE || object != MGR_OBJ_QUEUE)
        return 0;
    if (strlen(name) > PBS_MAXQUEUENAME)
        return ifl_set_error(c, PBSE_QUENBIG, NULL);
    return rules_queue_name(name)
               ? 0
               : ifl_set_error(c, PBSE_IVAL_OBJ_NAME, pbse_text(PBSE_IVAL_OBJ_NAME));
}
