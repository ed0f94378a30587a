/* hook_event.c - see hook_event.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/hook_event.h"

#include <string.h>

/* 'more' and 'less' are the places in the refusals of "+=" and "-=", which name them in
 * other orders than they are shown, and not all of them (0). */
/* clang-format off */
static const struct event_row {
    const char *name;
    uint32_t bit;
    uint8_t more, less;
} rows[] = {
    { "queuejob",            HOOK_QUEUEJOB,             1,  1 },
    { "postqueuejob",        HOOK_POSTQUEUEJOB,         2,  2 },
    { "modifyjob",           HOOK_MODIFYJOB,            3,  3 },
    { "modifyvnode",         HOOK_MODIFYVNODE,          4,  4 },
    { "management",          HOOK_MANAGEMENT,           5,  5 },
    { "resvsub",             HOOK_RESVSUB,              6,  6 },
    { "modifyresv",          HOOK_MODIFYRESV,           7,  7 },
    { "movejob",             HOOK_MOVEJOB,              8,  8 },
    { "jobobit",             HOOK_JOBOBIT,              9,  0 },
    { "runjob",              HOOK_RUNJOB,              10,  9 },
    { "provision",           HOOK_PROVISION,           11, 11 },
    { "periodic",            HOOK_PERIODIC,            12, 10 },
    { "resv_confirm",        HOOK_RESV_CONFIRM,        13, 12 },
    { "resv_begin",          HOOK_RESV_BEGIN,          14, 13 },
    { "resv_end",            HOOK_RESV_END,            15, 14 },
    { "execjob_begin",       HOOK_EXECJOB_BEGIN,       16, 15 },
    { "execjob_prologue",    HOOK_EXECJOB_PROLOGUE,    17, 16 },
    { "execjob_epilogue",    HOOK_EXECJOB_EPILOGUE,    18, 17 },
    { "execjob_end",         HOOK_EXECJOB_END,         20, 18 },
    { "execjob_preterm",     HOOK_EXECJOB_PRETERM,     19, 19 },
    { "execjob_launch",      HOOK_EXECJOB_LAUNCH,      22, 21 },
    { "execjob_attach",      HOOK_EXECJOB_ATTACH,      24, 23 },
    { "execjob_resize",      HOOK_EXECJOB_RESIZE,      25, 24 },
    { "execjob_abort",       HOOK_EXECJOB_ABORT,       26, 25 },
    { "execjob_postsuspend", HOOK_EXECJOB_POSTSUSPEND, 27, 26 },
    { "execjob_preresume",   HOOK_EXECJOB_PRERESUME,   28, 27 },
    { "exechost_periodic",   HOOK_EXECHOST_PERIODIC,   21, 20 },
    { "exechost_startup",    HOOK_EXECHOST_STARTUP,    23, 22 },
};
/* clang-format on */

uint32_t hook_event_find(const char *name, size_t len)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        /* The name is a part of a list, so it has no end of its own. */
        if (strlen(rows[i].name) == len && memcmp(rows[i].name, name, len) == 0)
            return rows[i].bit;
    return 0;
}

uint32_t hook_events_of(const char *list)
{
    uint32_t events = 0;

    while (*list) {
        size_t len = strcspn(list, ",");

        /* The list was checked when it was set; a name that is unknown counts for
         * nothing. */
        events |= hook_event_find(list, len);
        list += len + (list[len] == ',');
    }
    return events;
}

static void add_name(const char *name, struct buf *out, size_t start)
{
    if (out->len > start)
        buf_add_char(out, ',');
    buf_add_str(out, name);
}

void hook_events_print(uint32_t events, struct buf *out)
{
    size_t start = out->len;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (events & rows[i].bit)
            add_name(rows[i].name, out, start);
}

static const char *name_at(bool less, unsigned place)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        /* Each place is taken once, so the first row that has it is the one. */
        if ((less ? rows[i].less : rows[i].more) == place)
            return rows[i].name;
    return NULL;
}

void hook_events_print_choice(bool less, struct buf *out)
{
    size_t start = out->len;
    const char *name;

    for (unsigned place = 1; (name = name_at(less, place)) != NULL; place++)
        add_name(name, out, start);
}
