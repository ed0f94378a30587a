/* mail_text.c - see mail_text.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/mail_text.h"

#include "lib/base/date.h"
#include "lib/base/printable.h"

#include <string.h>

static const char *addressed(const char *name, bool to_owner, const char *host,
                             struct arena *arena)
{
    size_t len = strcspn(name, "@");

    if (!host || !*host || (name[len] && !to_owner))
        return name;
    return arena_printf(arena, "%.*s@%s", (int)len, name, host);
}

/* Something that looks like an option is none. */
static bool is_recipient(const char *name)
{
    return *name != '-' && !has_control(name);
}

const char **mail_recipients(const char *to, bool to_owner, const char *host,
                             struct arena *arena)
{
    const char **all = ARENA_ARRAY(arena, const char *, MAIL_RECIPIENTS_MAX + 1);
    char *list = arena_strdup(arena, to), *save = NULL;
    size_t n = 0;

    for (char *one = strtok_r(list, ", ", &save); one && n < MAIL_RECIPIENTS_MAX;
         one = strtok_r(NULL, ", ", &save))
        if (is_recipient(one))
            all[n++] = addressed(one, to_owner, host, arena);
    all[n] = NULL;
    return all;
}

static void add_header(struct buf *out, const char *name, const char *value)
{
    buf_printf(out, "%s: ", name);
    buf_add_printable(out, value, strlen(value));
    buf_add_char(out, '\n');
}

static void add_to(struct buf *out, const char *const *to)
{
    for (size_t i = 0; to[i]; i++) {
        buf_add_str(out, i ? "," : "To: ");
        buf_add_printable(out, to[i], strlen(to[i]));
    }
    buf_add_char(out, '\n');
}

/* In UTC: readers show it in the time of their own place. */
static void add_date(struct buf *out, int64_t at)
{
    static const char *const days[] = {
        "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"
    };
    static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
    struct date d = date_of(at, 0);

    MUST(d.weekday >= 0 && d.weekday < 7 && d.month >= 1 && d.month <= 12);
    buf_printf(out, "Date: %s, %02d %s %" PRId64 " %02d:%02d:%02d +0000\n",
               days[d.weekday], d.day, months[d.month - 1], d.year, d.hour, d.minute,
               d.second);
}

/* The text line by line. */
static void add_body(struct buf *out, const char *text)
{
    for (;;) {
        size_t len = strcspn(text, "\n");

        buf_add_printable(out, text, len);
        if (!text[len])
            return;
        buf_add_char(out, '\n');
        text += len + 1;
    }
}

void mail_write(struct buf *out, const struct mail_head *head, const char *text)
{
    MUST(head->to[0]);
    /* These two come first, as in the letters of PBS (operations.md 18). */
    add_to(out, head->to);
    add_header(out, "Subject", head->subject);
    add_header(out, "From", head->from);
    add_date(out, head->at);
    buf_add_char(out, '\n');
    add_body(out, text);
}
