/* hook_edit.c - see hook_edit.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/hook_edit.h"

#include "server/model/hook_event.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HOOK_USER_ROOT "pbsadmin"
#define HOOK_USER_JOB  "pbsuser"
#define NO_EVENTS      "\"\""

/* clang-format off */
static const struct {
    const char *name;
    uint32_t needs; /* one of these events */
    const char *without;
} fail_actions[] = {
    { "offline_vnodes",
      HOOK_EXECJOB_BEGIN | HOOK_EXECHOST_STARTUP | HOOK_EXECJOB_PROLOGUE,
      "at least one of execjob_begin, exechost_startup, execjob_prologue" },
    { "clear_vnodes_upon_recovery", HOOK_EXECHOST_STARTUP,
      "at least an exechost_startup value" },
    { "scheduler_restart_cycle", HOOK_EXECJOB_BEGIN | HOOK_EXECJOB_PROLOGUE,
      "at least one of execjob_begin, execjob_prologue" },
};
/* clang-format on */

#define JOB_USER_EVENTS                                                                \
    (HOOK_EXECJOB_PROLOGUE | HOOK_EXECJOB_EPILOGUE | HOOK_EXECJOB_PRETERM)
#define TIMED_EVENTS (HOOK_PERIODIC | HOOK_EXECHOST_PERIODIC)

static bool refuse(struct hook_edit *h, const char *words)
{
    h->why = words;
    return false;
}

static uint32_t events(const struct hook_edit *h)
{
    return hook_events_of(edit_str(&h->e, HOOK_A_EVENT, ""));
}

static bool is_word(const char *text, size_t len, const char *word)
{
    return strlen(word) == len && memcmp(text, word, len) == 0;
}

static void set_text(struct hook_edit *h, int attr, struct buf *text)
{
    edit_set_str(&h->e, attr, text->data ? text->data : "");
    buf_fini(text);
}

static bool refuse_event(struct hook_edit *h, const char *word, size_t len, bool less)
{
    struct buf text = { 0 };

    buf_printf(&text, "invalid argument (%.*s) to event. Should be one or more of: ",
               (int)MIN_OF(len, 64), word);
    hook_events_print_choice(less, &text);
    buf_printf(&text, " or \"\" for no event%s", less ? "." : "");
    h->why = arena_strdup(h->arena, text.data);
    buf_fini(&text);
    return false;
}

static bool read_events(struct hook_edit *h, const char *list, bool less, uint32_t *ret)
{
    *ret = 0;
    if (strcmp(list, NO_EVENTS) == 0)
        return true;
    while (*list) {
        size_t len = strcspn(list, ",");
        uint32_t bit = hook_event_find(list, len);

        /* One unknown word refuses the whole list, and nothing of it is kept. */
        if (bit == 0)
            return refuse_event(h, list, len, less);
        *ret |= bit;
        /* The comma behind the last word is no further word. */
        list += len + (list[len] == ',');
    }
    return true;
}

/* A provisioning hook is for nothing else, and there is one at most. */
static bool check_provision(struct hook_edit *h, uint32_t bits)
{
    if (!(bits & HOOK_PROVISION))
        return true;
    if (bits != HOOK_PROVISION)
        return refuse(h, "Event provision is exclusive with other events, and only one "
                         "provision hook allowed");
    /* The other hooks are asked, too, since the rule is about all of them. */
    MODEL_EACH (h->m, OBJ_HOOK, o) {
        if (strcmp(o->id, h->name) != 0 &&
            (hook_events_of(obj_str(o, HOOK_A_EVENT, "")) & HOOK_PROVISION))
            return refuse(h, arena_printf(h->arena,
                                          "Another hook '%s' already has event "
                                          "'provision', only one 'provision' hook "
                                          "allowed",
                                          o->id));
    }
    return true;
}

static bool action_fits(const char *list, uint32_t bits)
{
    for (size_t i = 0; i < ARRAY_LEN(fail_actions); i++)
        /* No name of an action is a part of another one, so a search in the list is
         * exact. */
        if (strstr(list, fail_actions[i].name) && !(bits & fail_actions[i].needs))
            return false;
    return true;
}

/* What no longer fits the events falls back to its default. */
static void refit(struct hook_edit *h)
{
    uint32_t bits = events(h);

    if (!action_fits(edit_str(&h->e, HOOK_A_FAIL_ACTION, "none"), bits))
        edit_set_str(&h->e, HOOK_A_FAIL_ACTION, "none");
    /* A hook runs as the user of a job only at events that have a job and run on its
     * host. */
    if (strcmp(edit_str(&h->e, HOOK_A_USER, ""), HOOK_USER_JOB) == 0 &&
        (!(bits & JOB_USER_EVENTS) || (bits & HOOK_PERIODIC)))
        edit_set_str(&h->e, HOOK_A_USER, HOOK_USER_ROOT);
}

static bool set_event(struct hook_edit *h, const char *value, enum wire_op op)
{
    uint32_t bits, was = events(h);
    struct buf text = { 0 };

    if (!read_events(h, value, op == WIRE_OP_DECR, &bits))
        return false;
    /* What "+=" and "-=" leave is checked as a whole, like a list that was given. */
    if (op == WIRE_OP_INCR)
        bits |= was;
    else if (op == WIRE_OP_DECR)
        bits = was & ~bits;
    if (!check_provision(h, bits))
        return false;
    if (bits == 0) {
        edit_unset(&h->e, HOOK_A_EVENT, NULL);
    } else {
        hook_events_print(bits, &text);
        set_text(h, HOOK_A_EVENT, &text);
    }
    refit(h);
    return true;
}

static bool set_type(struct hook_edit *h, const char *value, enum wire_op op)
{
    (void)op;
    if (strcmp(value, h->pbs ? HOOK_PBS : HOOK_SITE) == 0)
        return true;
    /* Scripts repeat the type that a hook has; any other is refused, with its own words
     * for shipped hooks. */
    if (strcmp(value, HOOK_PBS) == 0)
        return refuse(h, "not allowed to set hook to 'pbs' type");
    return refuse(h, "type value of a hook must be site");
}

static bool set_switch(struct hook_edit *h, int attr, const char *value)
{
    static const char *const yes[] = { "true", "t", "y", "1" };
    static const char *const no[] = { "false", "f", "n", "0" };

    for (size_t i = 0; i < ARRAY_LEN(yes); i++) {
        bool on = strcasecmp(value, yes[i]) == 0;

        if (!on && strcasecmp(value, no[i]) != 0)
            continue;
        edit_set_num(&h->e, attr, on);
        return true;
    }
    /* The words are those of PBS, which tests of sites compare. */
    return refuse(h, arena_printf(h->arena,
                                  "unexpected value '%s', must be (not case sensitive) "
                                  "true|t|y|1|false|f|n|0",
                                  value));
}

static bool set_enabled(struct hook_edit *h, const char *value, enum wire_op op)
{
    (void)op;
    return set_switch(h, HOOK_A_ENABLED, value);
}

static bool set_debug(struct hook_edit *h, const char *value, enum wire_op op)
{
    (void)op;
    return set_switch(h, HOOK_A_DEBUG, value);
}

static bool set_user(struct hook_edit *h, const char *value, enum wire_op op)
{
    (void)op;
    if (strcmp(value, HOOK_USER_ROOT) != 0 && strcmp(value, HOOK_USER_JOB) != 0)
        return refuse(h, "user value of a hook must be pbsadmin,pbsuser");
    if (strcmp(value, HOOK_USER_JOB) == 0 && (events(h) & HOOK_PERIODIC))
        return refuse(h, "user value of a server periodic hook must be pbsadmin");
    if (strcmp(value, HOOK_USER_JOB) == 0 && !(events(h) & JOB_USER_EVENTS))
        return refuse(h, "Can't set hook user value to 'pbsuser': hook event must "
                         "contain at least execjob_prologue,execjob_epilogue,"
                         "execjob_preterm");
    edit_set_str(&h->e, HOOK_A_USER, value);
    return true;
}

/* What is no whole number counts as 0. */
static int64_t number_of(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    return *text && !*end && n >= INT32_MIN && n <= INT32_MAX ? n : 0;
}

static bool set_alarm(struct hook_edit *h, const char *value, enum wire_op op)
{
    (void)op;
    if (number_of(value) <= 0)
        return refuse(h, arena_printf(h->arena,
                                      "set_hook_alarm: alarm value '%s' of a hook must "
                                      "be > 0",
                                      value));
    edit_set_num(&h->e, HOOK_A_ALARM, number_of(value));
    return true;
}

static bool set_freq(struct hook_edit *h, const char *value, enum wire_op op)
{
    (void)op;
    if (number_of(value) <= 0)
        return refuse(
            h, arena_printf(h->arena,
                            "set_hook_freq: freq value '%s' of a hook must be > 0",
                            value));
    /* The events were set first, so the order within the request does not matter. */
    if (!(events(h) & TIMED_EVENTS))
        return refuse(h, "set_hook_freq: Can't set hook freq value: hook event must "
                         "contain at least'exechost_periodic' or 'periodic'");
    edit_set_num(&h->e, HOOK_A_FREQ, number_of(value));
    return true;
}

static bool set_order(struct hook_edit *h, const char *value, enum wire_op op)
{
    /* Shipped hooks may run before and after all those of the site. */
    int64_t low = h->pbs ? -1000 : 1, high = h->pbs ? 2000 : 1000;
    int64_t n = number_of(value);

    (void)op;
    if (events(h) & HOOK_PERIODIC)
        return true; /* has no order */
    if (n < low || n > high)
        return refuse(h, arena_printf(h->arena,
                                      "order given (%" PRId64 ") is outside the "
                                      "acceptable range of [%" PRId64 ", %" PRId64
                                      "] for type '%s'.",
                                      n, low, high, h->pbs ? HOOK_PBS : HOOK_SITE));
    edit_set_num(&h->e, HOOK_A_ORDER, n);
    return true;
}

static const char bad_action[] =
    "fail_action value of a hook must be \"none\" or one or more of \"offline_vnodes\","
    "\"clear_vnodes_upon_recovery\", \"scheduler_restart_cycle\"";

/* Rows of a list as bits; -1 for anything else. "none" is no row. */
static int read_actions(const char *list)
{
    int found = 0;
    bool none = false;

    while (*list) {
        size_t len = strcspn(list, ",");
        int row = -1;

        for (size_t i = 0; i < ARRAY_LEN(fail_actions); i++)
            if (is_word(list, len, fail_actions[i].name))
                row = (int)i;
        if (row >= 0)
            found |= 1 << row;
        else if (is_word(list, len, "none"))
            none = true;
        else
            return -1;
        list += len + (list[len] == ',');
    }
    /* "none" beside an action contradicts it. */
    return none && found ? -1 : found;
}

static bool check_actions(struct hook_edit *h, int rows)
{
    MUST(rows >= 0 && rows < 1 << ARRAY_LEN(fail_actions));
    for (size_t i = 0; i < ARRAY_LEN(fail_actions); i++)
        if ((rows & 1 << i) && !(events(h) & fail_actions[i].needs))
            return refuse(h,
                          arena_printf(h->arena,
                                       "Can't set hook fail_action value to '%s': "
                                       "hook event must contain %s",
                                       fail_actions[i].name, fail_actions[i].without));
    return true;
}

static bool set_fail_action(struct hook_edit *h, const char *value, enum wire_op op)
{
    int was = read_actions(edit_str(&h->e, HOOK_A_FAIL_ACTION, "none"));
    int rows = read_actions(value);
    struct buf text = { 0 };

    /* Adding "none" to actions would contradict them, too. */
    if (rows < 0 || (op == WIRE_OP_INCR && rows == 0 && was != 0))
        return refuse(h, bad_action);
    if (op == WIRE_OP_DECR)
        rows = was & ~rows;
    /* What is taken away need not fit the events; what is set or added must. */
    else if (!check_actions(h, rows))
        return false;
    else if (op == WIRE_OP_INCR)
        rows |= was;
    /* The stored list is in the order of the table, whatever order was given. */
    for (size_t i = 0; i < ARRAY_LEN(fail_actions); i++)
        if (rows & 1 << i)
            buf_printf(&text, "%s%s", text.len ? "," : "", fail_actions[i].name);
    if (rows == 0)
        buf_add_str(&text, "none");
    set_text(h, HOOK_A_FAIL_ACTION, &text);
    return true;
}

/* What sets each attribute of a hook. */
static const struct hook_row {
    const char *name;
    int attr;
    bool (*set)(struct hook_edit *h, const char *value, enum wire_op op);
    bool shipped_too; /* may be set on a shipped hook */
} hook_rows_set[] = {
    { "type", HOOK_A_TYPE, set_type, true },
    { "enabled", HOOK_A_ENABLED, set_enabled, true },
    { "event", HOOK_A_EVENT, set_event, false },
    { "user", HOOK_A_USER, set_user, false },
    { "alarm", HOOK_A_ALARM, set_alarm, true },
    { "freq", HOOK_A_FREQ, set_freq, true },
    { "order", HOOK_A_ORDER, set_order, true },
    { "debug", HOOK_A_DEBUG, set_debug, true },
    { "fail_action", HOOK_A_FAIL_ACTION, set_fail_action, false },
};

static const struct hook_row *find_row(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(hook_rows_set); i++)
        if (strcasecmp(hook_rows_set[i].name, name) == 0)
            return &hook_rows_set[i];
    return NULL;
}

void hook_edit_init(struct hook_edit *h, const struct model *m, const char *name,
                    const struct object *o, struct arena *arena)
{
    *h = (struct hook_edit){ .m = m, .name = name, .arena = arena };
    edit_init(&h->e, m, OBJ_HOOK, o);
    if (o)
        /* A hook that a site creates is never a shipped one. */
        h->pbs = strcmp(obj_str(o, HOOK_A_TYPE, ""), HOOK_PBS) == 0;
    else
        edit_defaults(&h->e);
}

static bool bring_default_back(struct hook_edit *h, const struct hook_row *row)
{
    const char *dflt = hook_rows[row->attr].dflt;

    /* The type of a hook never changes, so unsetting it changes nothing. */
    if (row->attr == HOOK_A_TYPE)
        return true;
    if (dflt)
        edit_set_str(&h->e, row->attr, dflt);
    else
        edit_unset(&h->e, row->attr, NULL);
    /* Without its events a hook may have an action or a user that no longer fits. */
    refit(h);
    return true;
}

static bool set_one(struct hook_edit *h, const struct hook_row *row,
                    const struct wire_attr *a)
{
    if (h->pbs && !row->shipped_too)
        return refuse(h, "cannot set attributes of a 'pbs' hook");
    if (*a->value == '\0')
        return bring_default_back(h, row);
    return row->set(h, a->value, (enum wire_op)a->op);
}

bool hook_edit_list(struct hook_edit *h, const struct wire_attrs *attrs)
{
    /* The event is taken first: what the other attributes may be depends on it. */
    for (int first = 1; first >= 0; first--)
        for (size_t i = 0; i < attrs->n; i++) {
            const struct hook_row *row = find_row(attrs->v[i].name);

            if (!row)
                return refuse(h, arena_printf(h->arena, "Undefined attribute  - %s",
                                              attrs->v[i].name));
            if ((row->attr == HOOK_A_EVENT) == (bool)first &&
                !set_one(h, row, &attrs->v[i]))
                return false;
        }
    return true;
}
