/* parse.c - the grammar of a qmgr command, with the column of every mistake
 * (cli.md 8.2, 8.3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qmgr/qmgr.h"

#include "cmds/common/attrs.h"
#include "lib/base/buf.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const verbs[] = {
    [VERB_CREATE] = "create", [VERB_DELETE] = "delete", [VERB_SET] = "set",
    [VERB_UNSET] = "unset",   [VERB_LIST] = "list",     [VERB_PRINT] = "print",
    [VERB_ACTIVE] = "active", [VERB_IMPORT] = "import", [VERB_EXPORT] = "export",
    [VERB_HELP] = "help",     [VERB_QUIT] = "quit",
};

/* In the order in which a prefix is matched. */
static const struct {
    const char *word;
    int object;
    const struct attr_table *table;
} objects[] = {
    { "server", MGR_OBJ_SERVER, &server_table },
    { "queue", MGR_OBJ_QUEUE, &queue_table },
    { "queues", MGR_OBJ_QUEUE, &queue_table },
    { "node", MGR_OBJ_NODE, &node_table },
    { "nodes", MGR_OBJ_NODE, &node_table },
    { "resource", MGR_OBJ_RSC, NULL },
    { "sched", MGR_OBJ_SCHED, &sched_table },
    { "hook", MGR_OBJ_SITE_HOOK, NULL },
    { "pbshook", MGR_OBJ_PBS_HOOK, NULL },
};

const char *qmgr_object_word(int object)
{
    for (size_t i = 0; i < ARRAY_LEN(objects); i++)
        if (objects[i].object == object)
            return objects[i].word;
    return "?";
}

const struct attr_table *qmgr_table(int object)
{
    for (size_t i = 0; i < ARRAY_LEN(objects); i++)
        if (objects[i].object == object)
            return objects[i].table;
    return NULL;
}

struct scan {
    const char *line; /* leading blanks removed */
    const char *at;
    bool quiet;
};

static void skip_blanks(struct scan *s)
{
    s->at += strspn(s->at, " \t");
}

static size_t word_len(const char *p)
{
    return strcspn(p, " \t");
}

static enum qmgr_syntax mistake(const struct scan *s, const char *where,
                                enum qmgr_syntax code)
{
    if (!s->quiet)
        fprintf(stderr, "qmgr: Syntax error\n%s\n%*s^\n", s->line,
                (int)(where - s->line), "");
    return code;
}

static bool is_prefix(const char *word, size_t len, const char *whole)
{
    return len > 0 && len <= strlen(whole) && strncmp(word, whole, len) == 0;
}

static enum qmgr_syntax parse_verb(struct scan *s, struct qmgr_command *c)
{
    size_t len = word_len(s->at);

    c->verb = VERB_NONE;
    if (is_prefix(s->at, len, "exit") && len > 1)
        c->verb = VERB_QUIT;
    else if (len == 1 && *s->at == '?')
        c->verb = VERB_HELP;
    for (int v = VERB_CREATE; c->verb == VERB_NONE && v < VERB_NONE; v++)
        if (is_prefix(s->at, len, verbs[v]) ||
            (v == VERB_EXPORT && len == 1 && *s->at == 'e'))
            c->verb = (enum qmgr_verb)v;
    if (c->verb == VERB_NONE) {
        if (!s->quiet)
            fprintf(stderr,
                    "qmgr: Illegal operation: %.*s\nTry 'help' if you are having "
                    "trouble.\n",
                    (int)len, s->at);
        return SYNTAX_VERB;
    }
    s->at += len;
    skip_blanks(s);
    return SYNTAX_OK;
}

static enum qmgr_syntax parse_object(struct scan *s, struct qmgr_command *c)
{
    size_t len = word_len(s->at);

    if (len == 0) {
        if (!s->quiet)
            fputs("qmgr: No object type given\n", stderr);
        return SYNTAX_OBJECT;
    }
    for (size_t i = 0; i < ARRAY_LEN(objects); i++) {
        if (is_prefix(s->at, len, objects[i].word)) {
            c->object = objects[i].object;
            s->at += len;
            skip_blanks(s);
            return SYNTAX_OK;
        }
    }
    if (!s->quiet)
        fprintf(stderr, "qmgr: Illegal object type: %.*s.\n", (int)len, s->at);
    return SYNTAX_OBJECT;
}

/* True when the text at the cursor is an attribute of the object, not a name. */
static bool at_attribute(const struct scan *s, int object)
{
    const struct attr_table *table = qmgr_table(object);
    size_t len = strcspn(s->at, " \t.=+-,");
    char *name;
    bool known;

    if (!table)
        return false;
    name = xstrndup(s->at, len);
    known = attr_find(table, name) >= 0;
    free(name);
    return known;
}

static bool name_may_start(int object, char c)
{
    return isalpha((unsigned char)c) || c == '@' ||
           (object == MGR_OBJ_NODE && isdigit((unsigned char)c));
}

static void add_name(struct qmgr_command *c, const char *text, size_t len)
{
    const char *mark = memchr(text, '@', len);
    struct qmgr_name **end = &c->names;
    struct qmgr_name *n = xcalloc(1, sizeof(*n));

    n->name = xstrndup(text, mark ? (size_t)(mark - text) : len);
    if (mark)
        n->server = xstrndup(mark + 1, len - (size_t)(mark + 1 - text));
    while (*end)
        end = &(*end)->next;
    *end = n;
}

static enum qmgr_syntax parse_names(struct scan *s, struct qmgr_command *c)
{
    if (*s->at == '\0' || at_attribute(s, c->object))
        return SYNTAX_OK;
    for (;;) {
        size_t len = strcspn(s->at, ", \t=");

        if (len == 0 || !name_may_start(c->object, *s->at))
            return mistake(s, s->at, SYNTAX_NAME);
        if (s->at[len - 1] == '@')
            return mistake(s, s->at + len - 1, SYNTAX_NAME);
        if (s->at[len] == '=') /* an unknown attribute taken for a name */
            return mistake(s, s->at + len + 1, SYNTAX_ATTR);
        add_name(c, s->at, len);
        s->at += len;
        if (*s->at != ',')
            break;
        s->at++;
    }
    skip_blanks(s);
    return SYNTAX_OK;
}

/* A value, quoted or up to a comma or blank, into 'out'; false with the cursor at the
 * place of the mistake. */
static bool parse_value(struct scan *s, struct buf *out)
{
    const char *start = s->at;
    char quote = *s->at == '"' || *s->at == '\'' ? *s->at : '\0';
    size_t len;

    if (quote)
        s->at++;
    len = quote ? strcspn(s->at, (char[]){ quote, '\0' }) : strcspn(s->at, ", \t");
    if ((quote && s->at[len] != quote) || (!quote && len == 0) ||
        memchr(s->at, '&', len)) {
        s->at = start;
        return false;
    }
    buf_add(out, s->at, len);
    s->at += len + (quote ? 1 : 0);
    return true;
}

static bool parse_op(struct scan *s, enum batch_op *op)
{
    *op = SET;
    if (s->at[0] == '=') {
        s->at++;
        return true;
    }
    if ((s->at[0] == '+' || s->at[0] == '-') && s->at[1] == '=') {
        *op = s->at[0] == '+' ? INCR : DECR;
        s->at += 2;
        return true;
    }
    return false;
}

/* One "attr[.resource] [op value]". */
static enum qmgr_syntax parse_attr(struct scan *s, struct qmgr_command *c)
{
    bool wants_value = c->verb == VERB_SET || c->verb == VERB_CREATE;
    size_t name_len = strcspn(s->at, " \t.=+-,");
    const char *name_at = s->at;
    const char *resource = NULL;
    size_t resource_len = 0;
    struct attropl **end = &c->attrs;
    struct buf value = { 0 };
    enum batch_op op = SET;

    s->at += name_len;
    if (*s->at == '.') {
        resource = s->at + 1;
        resource_len = strcspn(resource, " \t=+,");
        s->at = resource + resource_len;
    }
    skip_blanks(s);
    if (name_len == 0 || (resource && resource_len == 0))
        return mistake(s, s->at, SYNTAX_ATTR);
    if (wants_value) {
        if (!parse_op(s, &op))
            return mistake(s, s->at, SYNTAX_ATTR);
        skip_blanks(s);
        if (!parse_value(s, &value)) {
            buf_fini(&value);
            return mistake(s, s->at, SYNTAX_ATTR);
        }
        skip_blanks(s);
    }
    if (*s->at != '\0' && *s->at != ',') {
        buf_fini(&value);
        return mistake(s, *s->at == '=' ? s->at + 1 : s->at, SYNTAX_ATTR);
    }
    while (*end)
        end = &(*end)->next;
    *end = xcalloc(1, sizeof(**end));
    (*end)->name = xstrndup(name_at, name_len);
    (*end)->resource = resource ? xstrndup(resource, resource_len) : NULL;
    (*end)->value = buf_take(&value);
    (*end)->op = op;
    return SYNTAX_OK;
}

static enum qmgr_syntax parse_attrs(struct scan *s, struct qmgr_command *c)
{
    if (*s->at == '\0') {
        bool needed = c->verb == VERB_SET || c->verb == VERB_UNSET;

        return needed ? mistake(s, s->at, SYNTAX_ATTR) : SYNTAX_OK;
    }
    for (;;) {
        enum qmgr_syntax bad = parse_attr(s, c);

        if (bad)
            return bad;
        if (*s->at == '\0')
            return SYNTAX_OK;
        s->at++;
        skip_blanks(s);
        if (*s->at == '\0')
            return mistake(s, s->at, SYNTAX_ATTR);
    }
}

enum qmgr_syntax qmgr_parse(const char *line, bool quiet, struct qmgr_command *ret)
{
    struct scan s = { .line = line + strspn(line, " \t"), .quiet = quiet };
    enum qmgr_syntax bad;
    char *own = xstrdup(s.line);
    size_t len = strlen(own);

    while (len > 0 && isspace((unsigned char)own[len - 1]))
        own[--len] = '\0';
    s.line = s.at = own;
    *ret = (struct qmgr_command){ .verb = VERB_NONE };
    if (len == 0 || own[0] == '#') {
        free(own);
        return SYNTAX_OK;
    }
    bad = parse_verb(&s, ret);
    if (!bad && ret->verb == VERB_HELP)
        ret->topic = xstrdup(s.at);
    if (!bad && ret->verb != VERB_HELP && ret->verb != VERB_QUIT) {
        bad = parse_object(&s, ret);
        if (!bad)
            bad = parse_names(&s, ret);
        if (!bad)
            bad = parse_attrs(&s, ret);
    }
    free(own);
    return bad;
}

void qmgr_command_clear(struct qmgr_command *c)
{
    while (c->names) {
        struct qmgr_name *next = c->names->next;

        free(c->names->name);
        free(c->names->server);
        free(c->names);
        c->names = next;
    }
    attrs_free(c->attrs);
    free(c->topic);
    *c = (struct qmgr_command){ .verb = VERB_NONE };
}
