/* show.c - "list" and "print" (cli.md 8.4, 8.5).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qmgr/qmgr.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define LIST_COLUMNS      80
#define MOM_PORT_STANDARD "15002"

static const struct {
    int object;
    const char *title; /* of "list" */
} titles[] = {
    { MGR_OBJ_SERVER, "Server" }, { MGR_OBJ_QUEUE, "Queue" },
    { MGR_OBJ_NODE, "Node" },     { MGR_OBJ_SCHED, "Sched" },
    { MGR_OBJ_RSC, "Resource" },  { MGR_OBJ_SITE_HOOK, "Hook" },
    { MGR_OBJ_PBS_HOOK, "Hook" },
};

static void list_attr(const struct attrl *a)
{
    size_t used = strlen(a->name) + 11 + (a->resource ? strlen(a->resource) + 1 : 0);
    const char *p = a->value;

    printf("    %s%s%s = ", a->name, a->resource ? "." : "",
           a->resource ? a->resource : "");
    for (bool first = true;; first = false) {
        size_t len = strcspn(p, ",");

        used += len + 1;
        if (!first && used >= LIST_COLUMNS) {
            fputs("\n\t", stdout);
            while (len > 0 && *p == ' ') {
                p++;
                len--;
            }
        }
        fwrite(p, 1, len, stdout);
        p += len;
        if (*p == '\0')
            break;
        putchar(',');
        p++;
    }
    putchar('\n');
}

void qmgr_list(int object, const struct batch_status *objects)
{
    const char *title = "?";

    for (size_t i = 0; i < ARRAY_LEN(titles); i++)
        if (titles[i].object == object)
            title = titles[i].title;
    for (; objects; objects = objects->next) {
        printf("%s %s\n", title, objects->name);
        for (const struct attrl *a = objects->attribs; a; a = a->next)
            list_attr(a);
        putchar('\n');
    }
}

static const char *value_of(const struct batch_status *o, const char *name)
{
    for (const struct attrl *a = o->attribs; a; a = a->next)
        if (strcasecmp(a->name, name) == 0)
            return a->value;
    return NULL;
}

static void print_quoted(const char *value, size_t len)
{
    bool plain = len > 0;

    for (size_t i = 0; i < len; i++)
        if (strchr(" \t,'\"", value[i]))
            plain = false;
    if (plain)
        printf("%.*s\n", (int)len, value);
    else if (memchr(value, '"', len))
        printf("'%.*s'\n", (int)len, value);
    else
        printf("\"%.*s\"\n", (int)len, value);
}

static bool is_list(const struct attr_row *row)
{
    return row && (row->type == &attr_strings || row->type == &attr_acl_user ||
                   row->type == &attr_acl_host || row->type == &attr_acl_group);
}

/* "set queue q attr = value", one line per piece of a list. */
static void print_attr(int object, const char *name, const struct attrl *a)
{
    const struct attr_table *table = qmgr_table(object);
    int row = table ? attr_find(table, a->name) : -1;
    bool pieces = row >= 0 && !a->resource && is_list(&table->rows[row]);
    const char *p = a->value;
    const char *op = "=";

    for (;;) {
        size_t len = pieces ? strcspn(p, ",") : strlen(p);

        printf("set %s%s%s %s%s%s %s ", qmgr_object_word(object), *name ? " " : "",
               name, a->name, a->resource ? "." : "", a->resource ? a->resource : "",
               op);
        print_quoted(p, len);
        p += len;
        if (*p == '\0')
            return;
        p++;
        op = "+=";
    }
}

/* Read-only attributes cannot be set again, and some of a node go with its creation. */
static bool is_printed(int object, const struct attrl *a)
{
    const struct attr_table *table = qmgr_table(object);
    int row = table ? attr_find(table, a->name) : -1;

    if (row >= 0 && !(table->rows[row].write & (WHO_OPERATOR | WHO_MANAGER)))
        return false;
    if (object != MGR_OBJ_NODE)
        return true;
    if (strcasecmp(a->name, "Mom") == 0 || strcasecmp(a->name, "Port") == 0)
        return false;
    return strcasecmp(a->name, "state") != 0 ||
           (strcmp(a->value, "down") != 0 &&
            strncmp(a->value, "state-unknown", 13) != 0);
}

static void print_create(int object, const struct batch_status *o)
{
    const char *mom = value_of(o, "Mom"), *port = value_of(o, "Port");
    const char *sep = " ";

    printf("#\n# Create and define %s %s\n#\ncreate %s %s",
           object == MGR_OBJ_SCHED ? "scheduler" : qmgr_object_word(object), o->name,
           qmgr_object_word(object), o->name);
    if (object == MGR_OBJ_NODE && mom && strcasecmp(mom, o->name) != 0) {
        printf("%sMom=%s%s%s", sep, strchr(mom, ',') ? "\"" : "", mom,
               strchr(mom, ',') ? "\"" : "");
        sep = ",";
    }
    if (object == MGR_OBJ_NODE && port && strcmp(port, MOM_PORT_STANDARD) != 0)
        printf("%sPort=%s", sep, port);
    putchar('\n');
}

void qmgr_print_objects(int object, const struct batch_status *objects,
                        bool with_create)
{
    for (; objects; objects = objects->next) {
        bool unnamed =
            object == MGR_OBJ_SERVER ||
            (object == MGR_OBJ_SCHED && strcmp(objects->name, "default") == 0);

        if (with_create && object != MGR_OBJ_SERVER)
            print_create(object, objects);
        for (const struct attrl *a = objects->attribs; a; a = a->next)
            if (is_printed(object, a))
                print_attr(object, unnamed ? "" : objects->name, a);
    }
}

void qmgr_help(const char *topic)
{
    static const struct {
        const char *name, *text;
    } topics[] = {
        { "create", "create queue|node|resource|sched NAME[,NAME] [ATTR=VALUE,...]" },
        { "delete", "delete queue|node|resource|sched NAME[,NAME]" },
        { "set", "set server|queue|node|resource|sched [NAME,...] ATTR[.RESOURCE] "
                 "=|+=|-= VALUE, ..." },
        { "unset", "unset server|queue|node|sched [NAME,...] ATTR[.RESOURCE], ..." },
        { "list", "list OBJECT [NAME,...] [ATTR,...]: show attributes" },
        { "print", "print OBJECT [NAME,...] [ATTR,...]: as commands that rebuild it" },
        { "active",
          "active queue|node [NAME,...]: what commands without a name act on" },
        { "quit", "quit, exit: leave" },
        { "operator", "= sets, += adds to, -= takes from a value" },
        { "name", "NAME[@SERVER],...; @default means all on the default server" },
        { "value", "a value with blanks or commas is quoted with ' or \"" },
    };
    size_t len = topic ? strcspn(topic, " \t") : 0;

    for (size_t i = 0; len > 0 && i < ARRAY_LEN(topics); i++) {
        if (strncmp(topics[i].name, topic, len) == 0) {
            printf("%s\n\n", topics[i].text);
            return;
        }
    }
    if (len > 0) {
        printf("No help available on: %.*s\n", (int)len, topic);
        puts("Check the PBS Reference Guide for more help.\n");
        return;
    }
    puts("Commands; 'help WORD' says more:");
    for (size_t i = 0; i < ARRAY_LEN(topics); i++)
        printf("  %s\n", topics[i].name);
    putchar('\n');
}
