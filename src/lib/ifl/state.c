/* state.c - what each thread has of its own: pbs_errno, names, texts by connection,
 * attributes in error.
 *
 * Fixed parts are thread-local variables and cannot fail; what is allocated hangs off
 * them and is freed by a key's destructor when the thread ends.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include "lib/auth/auth.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct said { /* the last reply on one connection */
    struct said *next;
    int c;
    int code;
    char *text;
};

struct state {
    int error;
    char server[PBS_MAXHOSTNAME + 1];
    char default_name[PBS_MAXHOSTNAME + 1];
    char user[PBS_MAXUSER + 1]; /* of 'uid'; empty: not asked yet */
    uid_t uid;
    struct said *said;
    struct ecl_attribute_errors bad;
    bool keyed;
};

#define BAD_STEP 10

static _Thread_local struct state self;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool have_key;

static void bad_clear(struct state *st)
{
    for (int i = 0; i < st->bad.ecl_numerrors; i++) {
        struct ecl_attrerr *e = &st->bad.ecl_attrerr[i];

        free(e->ecl_attribute->name);
        free(e->ecl_attribute->resource);
        free(e->ecl_attribute->value);
        free(e->ecl_attribute);
        free(e->ecl_errmsg);
    }
    free(st->bad.ecl_attrerr);
    st->bad = (struct ecl_attribute_errors){ 0 };
}

static void state_fini(void *p)
{
    struct state *st = p;

    bad_clear(st);
    while (st->said) {
        struct said *next = st->said->next;

        free(st->said->text);
        free(st->said);
        st->said = next;
    }
}

static void make_key(void)
{
    have_key = pthread_key_create(&key, state_fini) == 0;
}

/* Called before something is allocated for the thread. */
static void want_fini(void)
{
    pthread_once(&once, make_key);
    if (!self.keyed && have_key)
        self.keyed = pthread_setspecific(key, &self) == 0;
}

int *__pbs_errno_location(void)
{
    return &self.error;
}

char *__pbs_server_location(void)
{
    return self.server;
}

char *ifl_default_name(void)
{
    return self.default_name;
}

const char *ifl_user(void)
{
    uid_t uid = geteuid();
    struct diag why;

    if (self.user[0] && self.uid == uid)
        return self.user;
    if (auth_user_name(uid, self.user, sizeof(self.user), &why)) {
        self.user[0] = '\0';
        return NULL;
    }
    self.uid = uid;
    return self.user;
}

int ifl_geterrno(void)
{
    return self.error;
}

static struct said *said_find(int c)
{
    struct said *s = self.said;

    while (s && s->c != c)
        s = s->next;
    return s;
}

int ifl_set_error(int c, int code, const char *text)
{
    struct said *s = said_find(c);

    /* The number is always kept. Without memory the text is missing, and callers print
     * the number then. */
    self.error = code;
    if (!s && text) {
        want_fini();
        s = calloc(1, sizeof(*s));
        if (!s)
            return code;
        s->c = c;
        s->next = self.said;
        self.said = s;
    }
    if (s) {
        free(s->text);
        s->text = text ? strdup(text) : NULL;
        s->code = code;
    }
    return code;
}

char *ifl_geterrmsg(int c)
{
    const struct said *s = said_find(c);

    return s ? s->text : NULL;
}

void ifl_forget(int c)
{
    for (struct said **at = &self.said; *at; at = &(*at)->next) {
        struct said *s = *at;

        if (s->c != c)
            continue;
        *at = s->next;
        free(s->text);
        free(s);
        return;
    }
}

void ifl_bad_attrs_clear(void)
{
    bad_clear(&self);
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_listed(const struct attrl *attr)
{
    for (int i = 0; i < self.bad.ecl_numerrors; i++) {
        const struct attropl *known = self.bad.ecl_attrerr[i].ecl_attribute;

        if (same(known->name, attr->name) && same(known->resource, attr->resource))
            return true;
    }
    return false;
}

static bool copy_text(char **to, const char *from)
{
    *to = from ? strdup(from) : NULL;
    return !from || *to;
}

static bool fill(struct ecl_attrerr *e, const struct attrl *attr, int code,
                 const char *text)
{
    struct attropl *copy = calloc(1, sizeof(*copy));

    *e = (struct ecl_attrerr){ copy, code, NULL };
    if (!copy)
        return false;
    copy->op = attr->op;
    return copy_text(&copy->name, attr->name) &&
           copy_text(&copy->resource, attr->resource) &&
           copy_text(&copy->value, attr->value) && copy_text(&e->ecl_errmsg, text);
}

void ifl_bad_attrs_add(const struct attrl *attr, int code, const char *text)
{
    int n = self.bad.ecl_numerrors;
    struct ecl_attrerr *v = self.bad.ecl_attrerr;

    if (is_listed(attr))
        return;
    want_fini();
    /* The array has room for the next multiple of BAD_STEP. The public struct has no
     * field for that room (wire.md 15.1), and needs none. */
    if (n % BAD_STEP == 0) {
        v = realloc(v, (size_t)(n + BAD_STEP) * sizeof(*v));
        if (!v)
            return;
        self.bad.ecl_attrerr = v;
    }
    if (fill(&v[n], attr, code, text))
        self.bad.ecl_numerrors++;
    else if (v[n].ecl_attribute) {
        free(v[n].ecl_attribute->name);
        free(v[n].ecl_attribute->resource);
        free(v[n].ecl_attribute->value);
        free(v[n].ecl_attribute);
    }
}

/* The list is of the thread and not of a connection; PBS's call has the parameter all
 * the same. */
struct ecl_attribute_errors *ifl_get_attributes_in_error(int c)
{
    (void)c;
    return self.bad.ecl_numerrors > 0 ? &self.bad : NULL;
}
