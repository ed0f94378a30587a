/* type_strings.c - lists of texts: arrays of strings and access control lists.
 *
 * A member ends at a comma or newline; a backslash before a comma keeps it and stays
 * (attributes.md 4). An access control list is kept in the order in which it is
 * evaluated and holds no text twice.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/list_edit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define DECODER(name)                                                                  \
    static int name(struct attr_value *v, const struct resource_defs *defs UNUSED,     \
                    const char *resource UNUSED, const char *text)

static void strings_append(struct strings *list, char *member)
{
    /* Grown when n + 1 is a power of two, so that the capacity needs no field. */
    if ((list->n & (list->n + 1)) == 0)
        list->v = xrealloc(list->v, 2 * (list->n + 1) * sizeof(*list->v));
    list->v[list->n++] = member;
}

static void clear_strings(struct attr_value *v)
{
    for (size_t i = 0; v->set && i < v->u.list.n; i++)
        free(v->u.list.v[i]);
    if (v->set)
        free(v->u.list.v);
    *v = (struct attr_value){ 0 };
}

static void copy_strings(struct attr_value *to, const struct attr_value *from)
{
    *to = (struct attr_value){ .set = from->set };
    for (size_t i = 0; from->set && i < from->u.list.n; i++)
        strings_append(&to->u.list, xstrdup(from->u.list.v[i]));
}

/* Length of the member at 'text', without the separator. */
static size_t member_len(const char *text, const char *separators)
{
    const char stops[] = { '\\', separators[0], separators[1], '\0' };
    size_t n = 0;

    /* Of one separator or two; what stands before a stop is passed over at once. */
    MUST(separators[0] && (!separators[1] || !separators[2]));
    while (text[n += strcspn(text + n, stops)] == '\\')
        n += text[n + 1] && text[n + 1] != '\n' ? 2 : 1;
    return n;
}

/* True when the last character is a backslash that no other one protects. */
static bool ends_open(const char *text, size_t len)
{
    size_t n = 0;

    while (n < len && text[len - 1 - n] == '\\')
        n++;
    return n % 2 == 1;
}

/* The member without blanks around it, NULL when nothing is left. Where backslashes are
 * kept, one that protects nothing goes too: joined to the next member it would. */
static char *stripped(const char *text, size_t len, bool keeps_backslashes)
{
    while (len > 0 && isblank((unsigned char)*text)) {
        text++;
        len--;
    }
    while (len > 0 && (isblank((unsigned char)text[len - 1]) ||
                       (keeps_backslashes && ends_open(text, len))))
        len--;
    return len > 0 ? xstrndup(text, len) : NULL;
}

static struct attr_value split(const char *text, const char *separators,
                               bool keeps_backslashes)
{
    struct attr_value v = { .set = true };

    for (;;) {
        size_t len = member_len(text, separators);
        char *member = stripped(text, len, keeps_backslashes);

        if (member)
            strings_append(&v.u.list, member);
        if (!text[len])
            return v;
        text += len + 1;
    }
}

static int replace(struct attr_value *v, struct attr_value fresh)
{
    clear_strings(v);
    *v = fresh;
    return 0;
}

DECODER(decode_strings)
{
    return replace(v, split(text, ",\n", true));
}

static void print_strings(const struct attr_value *v, struct buf *out)
{
    for (size_t i = 0; i < v->u.list.n; i++)
        buf_printf(out, "%s%s", i ? "," : "", v->u.list.v[i]);
}

static int add_strings(struct attr_value *v, const struct attr_value *more)
{
    MUST(more != v); /* it would never end */
    for (size_t i = 0; i < more->u.list.n; i++)
        strings_append(&v->u.list, xstrdup(more->u.list.v[i]));
    v->set = true;
    return 0;
}

/* Edit the list in one step, for a value that is not edited in several entries of one
 * request. */
static int combine_list(const struct attr_type *type, struct attr_value *v,
                        const struct attr_value *other, enum wire_op op)
{
    struct list_edit *l = list_edit_begin(type, v);
    struct attr_value mine;

    copy_strings(&mine, other);
    list_edit_apply(l, &mine, op, 0);
    return list_edit_end(l, v, NULL);
}

/* For each member of 'less' the first equal one goes. */
static int subtract_strings(struct attr_value *v, const struct attr_value *less)
{
    return combine_list(&attr_strings, v, less, WIRE_OP_DECR);
}

static int compare_strings(const struct attr_value *a, const struct attr_value *b)
{
    const struct strings *x = &a->u.list, *y = &b->u.list;

    for (size_t i = 0; i < x->n && i < y->n; i++) {
        int cmp = strcmp(x->v[i], y->v[i]);

        if (cmp)
            return cmp;
    }
    return (x->n > y->n) - (x->n < y->n);
}

/* The characters that a Variable_List has a backslash before on the wire. Members hold
 * the plain value. */
static const char special[] = "\"',\\";

static void unescape(char *s)
{
    char *to = s;

    /* Most have nothing that is escaped. */
    if (!strchr(s, '\\'))
        return;
    for (; *s; s++) {
        if (*s == '\\' && s[1] && strchr(special, s[1]))
            s++;
        *to++ = *s;
    }
    *to = '\0';
}

DECODER(decode_variables)
{
    /* A variable's value may hold newlines; only commas separate. */
    struct attr_value fresh = split(text, ",", false);

    for (size_t i = 0; i < fresh.u.list.n; i++)
        unescape(fresh.u.list.v[i]);
    return replace(v, fresh);
}

static void print_variables(const struct attr_value *v, struct buf *out)
{
    for (size_t i = 0; i < v->u.list.n; i++) {
        if (i)
            buf_add_char(out, ',');
        for (const char *s = v->u.list.v[i]; *s; s++) {
            if (strchr(special, *s))
                buf_add_char(out, '\\');
            buf_add_char(out, *s);
        }
    }
}

/* A member without its sign; a sign alone is the answer when nothing matches and sorts
 * by itself. */
static const char *unsigned_member(const char *s)
{
    return (*s == '+' || *s == '-') && s[1] ? s + 1 : s;
}

/* From the end, larger characters first, and the longer of two when one is the end of
 * the other: what is more specific comes first, wildcards last. */
static int order_hosts(const char *a, const char *b)
{
    size_t i = strlen(a), j = strlen(b);

    while (i > 0 && j > 0) {
        int x = tolower((unsigned char)a[--i]), y = tolower((unsigned char)b[--j]);

        if (x != y)
            return y - x;
    }
    return (j > 0) - (i > 0);
}

static int order_users(const char *a, const char *b)
{
    size_t n = strcspn(a, "@"), m = strcspn(b, "@");
    /* The account first, with its case; then the host, which has none. */
    int cmp = strncmp(a, b, MIN_OF(n, m));

    if (cmp)
        return cmp;
    if (n != m)
        return n > m ? 1 : -1;
    return order_hosts(a[n] ? a + n + 1 : "", b[m] ? b + m + 1 : "");
}

static int decode_ordered(const struct attr_type *type, struct attr_value *v,
                          const char *text)
{
    /* Setting puts the members in order, too: who reads the list takes the first
     * that matches. */
    struct attr_value given = split(text, ",\n", true), fresh = { 0 };
    struct list_edit *l = list_edit_begin(type, &fresh);
    int err;

    list_edit_apply(l, &given, WIRE_OP_SET, 0);
    err = list_edit_end(l, &fresh, NULL);
    return err ? err : replace(v, fresh);
}

#define ACL_TYPE(kind, order)                                                          \
    static int by_##kind(const void *a, const void *b)                                 \
    {                                                                                  \
        const struct list_part *x = *(const struct list_part *const *)a;               \
        const struct list_part *y = *(const struct list_part *const *)b;               \
        int cmp = order(unsigned_member(x->text), unsigned_member(y->text));           \
                                                                                       \
        return cmp ? cmp : (x->at > y->at) - (x->at < y->at);                          \
    }                                                                                  \
    static const struct list_kind kind##_list = { .by_order = by_##kind };             \
    DECODER(decode_acl_##kind)                                                         \
    {                                                                                  \
        return decode_ordered(&attr_acl_##kind, v, text);                              \
    }                                                                                  \
    static int add_acl_##kind(struct attr_value *v, const struct attr_value *more)     \
    {                                                                                  \
        return combine_list(&attr_acl_##kind, v, more, WIRE_OP_INCR);                  \
    }                                                                                  \
    const struct attr_type attr_acl_##kind = { .name = #kind " ACL",                   \
                                               .wire_type = 8,                         \
                                               .list = &kind##_list,                   \
                                               .decode = decode_acl_##kind,            \
                                               .decode_less = decode_strings,          \
                                               .print = print_strings,                 \
                                               .add = add_acl_##kind,                  \
                                               .subtract = subtract_strings,           \
                                               .compare = compare_strings,             \
                                               .clear = clear_strings,                 \
                                               .copy = copy_strings }

ACL_TYPE(user, order_users);
ACL_TYPE(host, order_hosts);
ACL_TYPE(group, strcmp);

/* A plain list keeps its members in the order in which they came, equal ones too. */
static const struct list_kind plain_list;

const struct attr_type attr_strings = {
    .name = "array of strings",
    .wire_type = 4,
    .list = &plain_list,
    .decode = decode_strings,
    .print = print_strings,
    .add = add_strings,
    .subtract = subtract_strings,
    .compare = compare_strings,
    .clear = clear_strings,
    .copy = copy_strings,
};

const struct attr_type attr_variables = {
    .name = "array of escaped strings",
    .wire_type = 4,
    .list = &plain_list,
    .decode = decode_variables,
    .print = print_variables,
    .add = add_strings,
    .subtract = subtract_strings,
    .compare = compare_strings,
    .clear = clear_strings,
    .copy = copy_strings,
};
