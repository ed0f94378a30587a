/* why.c - see why.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/why.h"

#include "cmds/common/cmd.h"
#include "cmds/common/extension.h"
#include "lib/attr/resv_words.h"
#include "lib/base/base.h"
#include "lib/wire/batch.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static const char *value_of(const struct batch_status *o, const char *name)
{
    for (const struct attrl *a = o->attribs; a; a = a->next)
        if (strcasecmp(a->name, name) == 0)
            return a->value;
    return NULL;
}

bool why_is_told(int conn)
{
    return extension_is_offered(conn, EXTENSION_WHY);
}

/* An instant of 'len' digits; one that no calendar has stays as it is. */
static void print_instant(FILE *f, const char *digits, size_t len)
{
    time_t at = (time_t)strtoll(digits, NULL, 10);
    char text[64];
    struct tm tm;

    if (localtime_r(&at, &tm) &&
        strftime(text, sizeof(text), "%a %b %d %H:%M:%S %Y", &tm) > 0)
        fputs(text, f);
    else
        fprintf(f, "%.*s", (int)MIN_OF(len, (size_t)64), digits);
}

void why_print_time(FILE *f, const char *digits)
{
    print_instant(f, digits, strspn(digits, "0123456789"));
}

/* The text may name what users have named: nothing of it commands a terminal. */
static void print_char(FILE *f, char c)
{
    fputc(iscntrl((unsigned char)c) ? '?' : c, f);
}

void why_print_reason(FILE *f, const char *reason)
{
    while (*reason) {
        size_t n_digits = *reason == '@' ? strspn(reason + 1, "0123456789") : 0;

        if (n_digits > 0)
            print_instant(f, reason + 1, n_digits);
        else
            print_char(f, *reason);
        reason += n_digits > 0 ? 1 + n_digits : 1;
    }
}

static void print_denial(FILE *f, const char *before, const struct batch_status *why,
                         const char *what)
{
    const char *at = value_of(why, "denied_at");
    const char *reason = value_of(why, "denied_reason");

    if (!at || !reason)
        return;
    fprintf(f, "%s%s %s ", before, why->name, what);
    why_print_time(f, at);
    fputs(": ", f);
    why_print_reason(f, reason);
    fputc('\n', f);
}

/* One sentence with an instant at its end, when the server said it. */
static void print_when(FILE *f, const char *before, const struct batch_status *why,
                       const char *words, const char *attr)
{
    const char *at = value_of(why, attr);

    if (!at)
        return;
    fprintf(f, "%s%s %s ", before, why->name, words);
    why_print_time(f, at);
    fputc('\n', f);
}

static void print_living(FILE *f, const char *before, const struct batch_status *why,
                         int64_t state)
{
    const char *altered = value_of(why, "alter_denied");
    const char *name = resv_state_long(state);
    bool waits = state == RESV_UNCONFIRMED || value_of(why, "reserve_retry");

    fprintf(f, "%s%s is in state %s%s\n", before, why->name, name ? name : "unknown",
            waits || altered ? "" : ", and has what it asked for");
    if (state == RESV_UNCONFIRMED && !value_of(why, "asked_at"))
        fprintf(f, "%s%s waits for a scheduler to be asked\n", before, why->name);
    if (state == RESV_UNCONFIRMED)
        print_when(f, before, why, "is unanswered; the scheduler was asked",
                   "asked_at");
    print_denial(f, before, why, "was given no vnodes");
    print_when(f, before, why, "lacks vnodes; it is tried again", "reserve_retry");
    if (altered) {
        fprintf(f, "%s%s could not be altered: ", before, why->name);
        why_print_reason(f, altered);
        fputc('\n', f);
    }
}

void why_print(FILE *f, const char *before, const struct batch_status *why)
{
    const char *state = value_of(why, "reserve_state");

    if (state)
        print_living(f, before, why, strtoll(state, NULL, 10));
    else
        print_denial(f, before, why, "was denied");
}

void why_explain_denial(const char *cmd, int conn, const char *answer)
{
    const char *end = strchr(answer, ' ');
    const char *reason;
    struct batch_status *why;
    char *id;

    if (!end || strcmp(end, " DENIED") != 0 || !why_is_told(conn))
        return;
    id = strndup(answer, (size_t)(end - answer));
    why = id ? holdfast_why(conn, id) : NULL;
    reason = why ? value_of(why, "denied_reason") : NULL;
    if (reason) {
        fprintf(stderr, "%s: reason: ", cmd);
        why_print_reason(stderr, reason);
        fputc('\n', stderr);
    }
    pbs_statfree(why);
    free(id);
}
