/* json.c - see json.h. The tree is jansson's; the layout (tabs) is printed here, since
 * tools compare it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/json.h"

#include "cmds/common/cell.h"
#include "cmds/common/json_member.h"
#include "lib/base/printable.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct json {
    json_t *root;
    json_t *repeats; /* the first element of a list that stands for repeated members */
    json_t *object;  /* borrowed: the one that attributes go to */
};

struct json *json_new(time_t now_at)
{
    struct json *j = xcalloc(1, sizeof(*j));

    j->root = json_pack("{s:I}", "timestamp", (json_int_t)now_at);
    j->repeats = json_object();
    return j;
}

void json_head(struct json *j, const char *version, const char *server)
{
    /* A document may hold objects of several servers, and has one head: that of the
     * first. */
    if (json_object_get(j->root, "pbs_version"))
        return;
    json_object_set_new(j->root, "pbs_version", json_text(version, strlen(version)));
    json_object_set_new(j->root, "pbs_server", json_text(server, strlen(server)));
}

void json_object_begin(struct json *j, const char *group, const char *name)
{
    j->object = json_object();
    json_member_set(json_member_object(j->root, group), name, j->object);
}

static bool is_always_text(const char *name)
{
    static const char *const names[] = { "Job_Name", "project", "Account_Name" };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcasecmp(name, names[i]) == 0)
            return true;
    return false;
}

/* A text that is JSON by itself becomes that value. */
static json_t *value_node(const char *name, const char *value)
{
    json_t *node = NULL;

    /* A job that is called "007" or "true" has a name all the same. */
    if (!is_always_text(name))
        node = json_loads(value, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    return node ? node : json_text(value, strlen(value));
}

/* "A=1,B=x\,y" as an object. Of the characters that a backslash protects only the comma
 * loses its backslash (cli.md 4.11); a backslash that is protected itself protects
 * nothing. */
static json_t *variables_node(const char *value)
{
    json_t *all = json_object();
    char *copy = xmalloc(strlen(value) + 1);

    while (*value) {
        size_t n = 0;
        char *equals;

        for (; *value && *value != ','; value++) {
            if (*value == '\\' && value[1] == ',')
                value++;
            else if (*value == '\\' && value[1] == '\\')
                copy[n++] = *value++;
            copy[n++] = *value;
        }
        copy[n] = '\0';
        if (*value == ',')
            value++;
        equals = strchr(copy, '=');
        if (equals)
            *equals = '\0';
        if (*copy)
            json_member_set(all, copy, value_node("", equals ? equals + 1 : ""));
    }
    free(copy);
    return all;
}

void json_attr(struct json *j, const char *name, const char *resource,
               const char *value)
{
    bool variables = !resource && strcasecmp(name, "Variable_List") == 0;

    if (resource)
        json_member_set(json_member_object(j->object, name), resource,
                        value_node(resource, value));
    else
        json_member_set(j->object, name,
                        variables ? variables_node(value) : value_node(name, value));
}

/* Several entries may bear one name, which no tree has. They are kept in a list that
 * begins with a node which no value of an object is. */
static bool is_repeated(const struct json *j, const json_t *node)
{
    return json_is_array(node) && json_array_get(node, 0) == j->repeats;
}

static void add_again(struct json *j, json_t *to, const char *key, const char *value)
{
    json_t *list = json_member(to, key);

    if (!is_repeated(j, list)) {
        list = json_array();
        json_array_append(list, j->repeats);
        json_member_set(to, key, list);
    }
    json_array_append_new(list, value_node("", value));
}

static void add_joined(json_t *to, const char *key, const char *value)
{
    const char *before = json_string_value(json_member(to, key));
    char *all = xasprintf("%s%s%s", before ? before : "", before ? "," : "", value);

    json_member_set(to, key, value_node("", all));
    free(all);
}

void json_limit(struct json *j, const char *name, const char *resource,
                const char *value, enum json_entries how)
{
    json_t *to = resource ? json_member_object(j->object, name) : j->object;

    if (how == JSON_JOINED)
        add_joined(to, resource ? resource : name, value);
    else
        add_again(j, to, resource ? resource : name, value);
}

void json_members_begin(struct json *j, const char *name)
{
    json_member_object(j->object, name);
}

void json_array_begin(struct json *j, const char *name)
{
    json_member_set(j->object, name, json_array());
}

void json_array_add(struct json *j, const char *name, const char *text)
{
    json_array_append_new(json_member(j->object, name), json_text(text, strlen(text)));
}

static void indent(int depth)
{
    for (int i = 0; i < depth; i++)
        putchar('\t');
}

static void print_node(const struct json *j, json_t *node, int depth);

static void print_member(const struct json *j, const char *key, json_t *value,
                         int depth, bool *first)
{
    json_t *text = json_string(key);
    char *quoted = json_dumps(text, JSON_ENCODE_ANY);

    if (!*first)
        fputs(",\n", stdout);
    *first = false;
    indent(depth + 1);
    printf("%s:\t", quoted ? quoted : "\"?\"");
    print_node(j, value, depth + 1);
    free(quoted);
    json_decref(text);
}

static void print_members(const struct json *j, json_t *node, int depth)
{
    const char *key;
    json_t *value;
    bool first = true;

    fputs("{\n", stdout);
    json_object_foreach(node, key, value)
    {
        if (!is_repeated(j, value))
            print_member(j, key, value, depth, &first);
        else
            for (size_t i = 1; i < json_array_size(value); i++)
                print_member(j, key, json_array_get(value, i), depth, &first);
    }
    if (!first)
        putchar('\n');
    indent(depth);
    putchar('}');
}

static void print_node(const struct json *j, json_t *node, int depth)
{
    char *text;

    if (json_is_object(node)) {
        print_members(j, node, depth);
        return;
    }
    text = json_dumps(node, JSON_ENCODE_ANY | JSON_DIGITS);
    fputs(text ? text : "null", stdout);
    free(text);
}

void json_print_and_free(struct json *j)
{
    print_node(j, j->root, 0);
    putchar('\n');
    json_decref(j->root);
    json_decref(j->repeats);
    free(j);
}

void dsv_print_value(const char *text, const char *delimiter)
{
    size_t len = strlen(delimiter);
    char *own = xstrdup(text);
    const char *value = own;

    printable_text(own);
    while (*value) {
        if (len > 0 && strncmp(value, delimiter, len) == 0) {
            printf("\\%s", delimiter);
            value += len;
            continue;
        }
        /* A backslash that protects one of these characters is left alone, and any
         * other is doubled (cli.md 4.10). */
        if (*value == '\\' && !(value[1] && strchr(",\"'\\", value[1])))
            fputs("\\\\", stdout);
        else if (*value == '\n')
            fputs("\\n", stdout);
        else if (*value == '\f')
            fputs("\\f", stdout);
        else
            print_visible_char(*value);
        value++;
    }
    free(own);
}
