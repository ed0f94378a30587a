/* parse.c - the grammar of a qmgr command, with the column of every mistake
 * (cli.md 8.2, 8.3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qmgr/grammar.h"

#include "cmds/common/attr_list.h"
#include "lib/base/buf.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Where the parser stands. Each function moves 'at' behind what it has taken, and
 * leaves it at the mistake: that is the column of the caret. */
struct scan {
    const char *line;
    const char *at;
    struct qmgr_mistake *why;
};

static void skip_blanks(struct scan *s)
{
    s->at += strspn(s->at, " \t");
}

static size_t word_len(const char *p)
{
    return strcspn(p, " \t");
}

/* The caret stands under a character. A character may have several bytes; only the
 * first of them counts. */
static size_t column_of(const char *line, const char *where)
{
    size_t n = 0;

    for (; line < where; line++)
        n += ((unsigned char)*line & 0xc0) != 0x80;
    return n;
}

static enum qmgr_syntax mistake(const struct scan *s, const char *where,
                                enum qmgr_syntax code)
{
    s->why->code = code;
    s->why->column = column_of(s->line, where);
    return code;
}

/* The same with advice. */
PRINTF_LIKE(4, 5)
static enum qmgr_syntax mistake_hint(const struct scan *s, const char *where,
                                     enum qmgr_syntax code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(s->why->hint, sizeof(s->why->hint), fmt, ap);
    va_end(ap);
    return mistake(s, where, code);
}

static enum qmgr_syntax parse_verb(struct scan *s, struct qmgr_command *c)
{
    size_t len = word_len(s->at);

    c->verb = qmgr_verb_find(s->at, len);
    if (c->verb == VERB_NONE) {
        s->why->len = len;
        return mistake(s, s->at, SYNTAX_VERB);
    }
    s->at += len;
    skip_blanks(s);
    return SYNTAX_OK;
}

static bool moves_files(const struct qmgr_command *c)
{
    return c->verb == VERB_IMPORT || c->verb == VERB_EXPORT;
}

static enum qmgr_syntax parse_object(struct scan *s, struct qmgr_command *c)
{
    size_t len = word_len(s->at);

    c->object = qmgr_object_find(s->at, len);
    /* The message quotes the word, whose end only the parser knows. */
    s->why->len = len;
    if (len == 0)
        return mistake_hint(s, s->at, SYNTAX_OBJECT,
                            "objects: server queue node resource sched hook pbshook");
    if (c->object < 0)
        return mistake(s, s->at, SYNTAX_OBJECT);
    if (moves_files(c) && c->object != MGR_OBJ_SITE_HOOK &&
        c->object != MGR_OBJ_PBS_HOOK)
        return mistake_hint(s, s->at, SYNTAX_OBJECT,
                            "only hooks are imported and exported");
    s->at += len;
    skip_blanks(s);
    return SYNTAX_OK;
}

/* Where an attribute's name ends: node names have dashes and dots in them. */
static size_t attr_name_len(const char *p)
{
    size_t n = 0;

    while (p[n] && !strchr(" \t.=,", p[n]) &&
           !((p[n] == '+' || p[n] == '-') && p[n + 1] == '='))
        n++;
    return n;
}

static const struct attr_row *row_at(int object, const char *name, size_t len)
{
    const struct attr_table *table = qmgr_table(object);
    char *copy;
    int row;

    if (!table)
        return NULL;
    copy = xstrndup(name, len);
    row = attr_find(table, copy);
    free(copy);
    return row < 0 ? NULL : &table->rows[row];
}

static bool at_operator(const char *p)
{
    p += strspn(p, " \t");
    return *p == '=' || ((*p == '+' || *p == '-') && p[1] == '=');
}

/* True when the text at the cursor is an attribute of the object, not a name. A new
 * object may have the name of an attribute. */
static bool at_attribute(const struct scan *s, const struct qmgr_command *c)
{
    size_t len = attr_name_len(s->at);
    const struct attr_row *row;

    if (c->object == MGR_OBJ_SITE_HOOK || c->object == MGR_OBJ_PBS_HOOK ||
        c->verb == VERB_ACTIVE || c->verb == VERB_DELETE)
        return false;
    row = row_at(c->object, s->at, len);
    if (!row)
        return false;
    /* "comment.example.org" is a host that begins like an attribute: what has no
     * members has no '.' behind it either. */
    if (s->at[len] == '.' && c->object == MGR_OBJ_NODE &&
        !attr_type_has_members(row->type))
        return false;
    return c->verb != VERB_CREATE || s->at[len] == '.' || at_operator(s->at + len);
}

/* The first character decides whether a word is taken as a name (cli.md 8.2). Whether
 * an object may have that name is the server's to say. */
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

/* "@server" means all objects of the server. They can be neither created nor given a
 * file. */
static bool needs_one_name(const struct qmgr_command *c)
{
    return c->verb == VERB_CREATE || moves_files(c);
}

/* NULL when text[0..len) is "name[@server]", else where it is not. Control characters
 * are refused because the name comes back in messages, to a terminal. */
static const char *name_mistake(const char *text, size_t len)
{
    const char *mark = memchr(text, '@', len);
    const char *again;

    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return text + i;
    if (!mark)
        return NULL;
    again = memchr(mark + 1, '@', len - (size_t)(mark + 1 - text));
    if (again)
        return again;
    return mark == text + len - 1 ? mark : NULL;
}

/* "nosuch=1": the word stands where an attribute should, but there is no such
 * attribute. */
static enum qmgr_syntax unknown_attribute(struct scan *s, const struct qmgr_command *c,
                                          size_t len)
{
    const char *word = qmgr_object_word(c->object);
    size_t name_len = attr_name_len(s->at);

    /* For these objects a first word is never taken as an attribute, so a missing name
     * is the likelier mistake (cli.md 8.2). The caret stands behind the '=' (8.3). */
    if (c->object == MGR_OBJ_RSC || c->object == MGR_OBJ_SITE_HOOK ||
        c->object == MGR_OBJ_PBS_HOOK)
        return mistake_hint(s, s->at + len + 1, SYNTAX_ATTR,
                            "the name of a %s comes before its attributes", word);
    return mistake_hint(s, s->at + len + 1, SYNTAX_ATTR,
                        "a %s has no attribute '%.*s'; 'help attribute' names them",
                        word, (int)MIN_OF(name_len, 60), s->at);
}

static enum qmgr_syntax parse_names(struct scan *s, struct qmgr_command *c)
{
    if (*s->at == '\0' || at_attribute(s, c))
        return SYNTAX_OK;
    for (;;) {
        size_t len = strcspn(s->at, ", \t=");
        const char *bad;

        if (len == 0 || !name_may_start(c->object, *s->at) ||
            (*s->at == '@' && needs_one_name(c)))
            return mistake(s, s->at, SYNTAX_NAME);
        bad = name_mistake(s->at, len);
        if (bad)
            return mistake(s, bad, SYNTAX_NAME);
        /* A word with "=" behind it was meant as an attribute, and at_attribute() has
         * not found one of that name. */
        if (s->at[len] == '=')
            return unknown_attribute(s, c, len);
        add_name(c, s->at, len);
        s->at += len;
        if (*s->at != ',')
            break;
        s->at++;
    }
    skip_blanks(s);
    return SYNTAX_OK;
}

/* Length of an operator at the cursor, 0 when there is none. */
static size_t parse_op(const struct scan *s, enum batch_op *op)
{
    *op = SET;
    if (s->at[0] == '=')
        return 1;
    if ((s->at[0] == '+' || s->at[0] == '-') && s->at[1] == '=') {
        *op = s->at[0] == '+' ? INCR : DECR;
        return 2;
    }
    return 0;
}

/* A limit that stands unquoted has blanks in it and keeps its inner quotes. */
static enum qmgr_syntax parse_limit(struct scan *s, struct buf *value)
{
    const char *start = s->at, *raw = start, *bad;
    size_t len = qmgr_limit_len(start);
    bool quoted = *start == '"' || *start == '\'';

    if (len > 0) {
        buf_add(value, start, len);
        s->at += len;
    } else if (!qmgr_value_read(&s->at, value)) {
        return mistake(s, s->at, SYNTAX_ATTR);
    }
    if (value->len == 0)
        return SYNTAX_OK; /* quoted and empty: unset */
    bad = qmgr_limit_mistake(value->data, value->len);
    if (!bad)
        return SYNTAX_OK;
    /* 'bad' points into the value without its quotes. When that stands in the line as
     * it is, the same place there gets the caret; else the value's first character
     * does. */
    raw = quoted ? start + 1 : start;
    if (strncmp(raw, value->data, value->len) == 0)
        raw += bad - value->data;
    return mistake_hint(s, raw, SYNTAX_ATTR,
                        "limits are written [u:NAME=N], [g:NAME=N], [p:NAME=N] or "
                        "[o:PBS_ALL=N]; several of them in quotes, joined by commas");
}

static enum qmgr_syntax parse_value(struct scan *s, const char *attr, struct buf *value)
{
    const char *start = s->at;

    if (qmgr_is_limit(attr))
        return parse_limit(s, value);
    if (qmgr_value_read(&s->at, value))
        return SYNTAX_OK;
    /* The caret's place says already that something is wrong; the hint says what. */
    if (*start == '\0' || *start == ',')
        return mistake_hint(s, start, SYNTAX_ATTR,
                            "a value is missing; '' stands for an empty one");
    if (s->at == start)
        return mistake_hint(s, start, SYNTAX_ATTR, "the quote is not closed");
    return mistake_hint(s, s->at, SYNTAX_ATTR,
                        "this character can be written in $'...' only");
}

static void add_attr(struct qmgr_command *c, char *name, char *resource, char *value,
                     enum batch_op op)
{
    struct attropl **end = &c->attrs;

    while (*end)
        end = &(*end)->next;
    *end = xcalloc(1, sizeof(**end));
    (*end)->name = name;
    (*end)->resource = resource;
    (*end)->value = value;
    (*end)->op = op;
}

static bool wants_value(const struct qmgr_command *c)
{
    return c->verb == VERB_SET || c->verb == VERB_CREATE;
}

/* "op value" after a name, into 'value'. */
static enum qmgr_syntax parse_assignment(struct scan *s, const struct qmgr_command *c,
                                         const char *attr, struct buf *value,
                                         enum batch_op *op)
{
    size_t len = parse_op(s, op);
    enum qmgr_syntax bad;

    if (!wants_value(c))
        return len ? mistake_hint(s, s->at + len, SYNTAX_ATTR,
                                  "only set and create take values")
                   : SYNTAX_OK;
    if (len == 0)
        return mistake_hint(s, s->at, SYNTAX_ATTR, "=, += or -= and a value come here");
    s->at += len;
    skip_blanks(s);
    bad = parse_value(s, attr, value);
    if (!bad)
        skip_blanks(s);
    return bad;
}

/* One "attr[.resource] [op value]". */
static enum qmgr_syntax parse_attr(struct scan *s, struct qmgr_command *c)
{
    size_t len = attr_name_len(s->at);
    char *name = xstrndup(s->at, len);
    char *resource = NULL;
    struct buf value = { 0 };
    enum batch_op op = SET;
    enum qmgr_syntax bad = SYNTAX_OK;

    s->at += len;
    if (*s->at == '.') {
        size_t resource_len = attr_name_len(++s->at);

        resource = xstrndup(s->at, resource_len);
        s->at += resource_len;
        if (resource_len == 0)
            bad = mistake(s, s->at, SYNTAX_ATTR);
    }
    if (len == 0)
        bad = mistake(s, s->at, SYNTAX_ATTR);
    skip_blanks(s);
    if (!bad)
        bad = parse_assignment(s, c, name, &value, &op);
    if (!bad && *s->at != '\0' && *s->at != ',')
        bad =
            mistake_hint(s, s->at, SYNTAX_ATTR,
                         "a comma comes before the next attribute; values with blanks "
                         "are quoted");
    if (bad) {
        free(name);
        free(resource);
        buf_fini(&value);
        return bad;
    }
    /* The three texts belong to the command from here on. */
    add_attr(c, name, resource, buf_take(&value), op);
    return SYNTAX_OK;
}

static enum qmgr_syntax parse_attrs(struct scan *s, struct qmgr_command *c)
{
    if (*s->at == '\0') {
        bool needed = c->verb == VERB_SET || c->verb == VERB_UNSET;

        return needed ? mistake_hint(s, s->at, SYNTAX_ATTR, "an attribute comes here")
                      : SYNTAX_OK;
    }
    if (c->verb == VERB_DELETE || c->verb == VERB_ACTIVE)
        return mistake_hint(s, s->at, SYNTAX_ATTR,
                            "names are joined by commas without blanks");
    for (;;) {
        enum qmgr_syntax bad = parse_attr(s, c);

        if (bad)
            return bad;
        if (*s->at == '\0')
            return SYNTAX_OK;
        s->at++;
        skip_blanks(s);
        /* A comma promises one more attribute (cli.md 8.3). */
        if (*s->at == '\0')
            return mistake(s, s->at, SYNTAX_ATTR);
    }
}

static enum qmgr_syntax parse_words(struct scan *s, struct qmgr_command *c)
{
    static const char advice[] = "CONTENT-TYPE ENCODING FILE: application/x-python or "
                                 "application/x-config, default or base64, a file or -";
    size_t needed = c->verb == VERB_IMPORT ? WORD_COUNT : WORD_FILE;

    for (size_t i = 0; i < WORD_COUNT && *s->at; i++) {
        struct buf word = { 0 };

        if (!qmgr_word_read(&s->at, &word)) {
            buf_fini(&word);
            return mistake(s, s->at, SYNTAX_ATTR);
        }
        c->words[i] = buf_take(&word);
        skip_blanks(s);
    }
    if (*s->at)
        return mistake_hint(s, s->at, SYNTAX_ATTR, "%s", advice);
    for (size_t i = 0; i < needed; i++)
        if (!c->words[i]) /* straight after the name the caret is one further on */
            return mistake_hint(s, s->at + (i == 0 ? 1 : 0), SYNTAX_ATTR, "%s", advice);
    return SYNTAX_OK;
}

static enum qmgr_syntax parse_rest(struct scan *s, struct qmgr_command *c)
{
    enum qmgr_syntax bad;

    /* Whatever follows these verbs is no syntax error: help and history look at it
     * themselves, and quit does not. */
    if (c->verb == VERB_HELP || c->verb == VERB_HISTORY) {
        c->topic = xstrdup(s->at);
        return SYNTAX_OK;
    }
    if (c->verb == VERB_QUIT)
        return SYNTAX_OK;
    bad = parse_object(s, c);
    if (!bad)
        bad = parse_names(s, c);
    if (!bad)
        bad = moves_files(c) ? parse_words(s, c) : parse_attrs(s, c);
    return bad;
}

enum qmgr_syntax qmgr_parse(const char *text, struct qmgr_command *ret,
                            struct qmgr_mistake *why)
{
    char *own = xstrdup(text + strspn(text, " \t"));
    struct scan s = { .line = own, .at = own, .why = why };
    size_t len = strlen(own);
    enum qmgr_syntax bad;

    /* The end is cut so that "nothing follows" is one comparison everywhere. */
    while (len > 0 && isspace((unsigned char)own[len - 1]))
        own[--len] = '\0';
    *ret = (struct qmgr_command){ .verb = VERB_NONE };
    *why = (struct qmgr_mistake){ .code = SYNTAX_OK };
    if (len == 0) {
        free(own);
        return SYNTAX_OK;
    }
    bad = parse_verb(&s, ret);
    if (!bad)
        bad = parse_rest(&s, ret);
    if (bad)
        qmgr_command_clear(ret);
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
    for (size_t i = 0; i < WORD_COUNT; i++)
        free(c->words[i]);
    free(c->topic);
    *c = (struct qmgr_command){ .verb = VERB_NONE };
}

void qmgr_mistake_print(const char *text, const struct qmgr_mistake *why, bool hint,
                        FILE *out)
{
    const char *line = text + strspn(text, " \t");
    const char *word = line;

    if (why->code == SYNTAX_OBJECT)
        word += why->column;
    if (why->code == SYNTAX_VERB)
        fprintf(out,
                "qmgr: Illegal operation: %.*s\nTry 'help' if you are having "
                "trouble.\n",
                (int)why->len, word);
    else if (why->code == SYNTAX_OBJECT && why->len == 0)
        fputs("qmgr: No object type given\n", out);
    else if (why->code == SYNTAX_OBJECT)
        fprintf(out, "qmgr: Illegal object type: %.*s.\n", (int)why->len, word);
    else if (why->code != SYNTAX_OK)
        fprintf(out, "qmgr: Syntax error\n%s\n%*s^\n", line, (int)why->column, "");
    if (hint && why->hint[0])
        fprintf(out, "qmgr: %s\n", why->hint);
}
