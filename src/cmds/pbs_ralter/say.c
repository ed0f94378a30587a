/* say.c - what pbs_ralter says about an answer: what lies behind a denial or a forced
 * yes, and what is wrong with a request that was refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/explain.h"
#include "cmds/common/operand.h"
#include "cmds/common/why.h"
#include "cmds/pbs_ralter/ralter.h"
#include "include/pbs_error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The attributes of a reservation, or of the occurrence of it that has that index; of
 * which only 'attr', when it is not NULL. */
static struct batch_status *look(int conn, const char *id, int index, const char *attr)
{
    struct attrl wanted = { .name = (char *)(uintptr_t)attr };
    struct attropl of_one = { .name = (char *)(uintptr_t)attr, .value = (char *)"" };
    const struct holdfast_act act = { .what = HOLDFAST_STATUS,
                                      .occurrence = (unsigned)index,
                                      .id = id,
                                      .attribs = attr ? &of_one : NULL };

    return index == OPERAND_WHOLE ? pbs_statresv(conn, id, attr ? &wanted : NULL, "why")
                                  : holdfast_resv_look(conn, &act);
}

static void say_line(const char *words, const char *text)
{
    printf("%s: %s", CMD, words);
    why_print_reason(stdout, text);
    putchar('\n');
}

/* One attribute as a line of its own, or one for each of its parts when 'between'
 * stands between them. A server of another make knows none of them. */
static void say_attribute(int conn, const char *id, int index, const char *attr,
                          const char *words, const char *between)
{
    struct batch_status *bs = look(conn, id, index, attr);

    if (bs && bs->attribs && strcmp(bs->attribs->name, attr) == 0) {
        char *part = bs->attribs->value;
        char *next = between ? strstr(part, between) : NULL;

        for (; next; part = next + strlen(between), next = strstr(part, between)) {
            *next = '\0';
            say_line(words, part);
        }
        say_line(words, part);
    }
    pbs_statfree(bs);
}

void ralter_say_more(const struct ralter *r, int conn, const char *id, int index,
                     const char *answer)
{
    /* Only an answer that was waited for ends in the verdict; others end in "ALTER
     * REQUESTED". */
    const char *word = strrchr(answer, ' ');

    if (!r->waits || !word)
        return;
    if (strcmp(word, " DENIED") == 0)
        say_attribute(conn, id, OPERAND_WHOLE, "alter_denied", "reason: ", NULL);
    else if (r->terms & HOLDFAST_PUSH)
        say_attribute(conn, id, OPERAND_WHOLE, "pushed", "moved ", NULL);
    if (!r->force || strcmp(word, " CONFIRMED") != 0)
        return;
    say_attribute(conn, id, index, "oversubscribed_jobs", "oversubscribes jobs ", NULL);
    say_attribute(conn, id, index, "oversubscribed_resv",
                  "oversubscribes reservations ", NULL);
    say_attribute(conn, id, index, "oversubscribed_on", "meets ", ", ");
}

const struct cmd_option ralter_letters[] = {
    { "reserve_duration", NULL, 'D' },  { "reserve_end", NULL, 'E' },
    { "Authorized_Groups", NULL, 'G' }, { "interactive", NULL, 'I' },
    { "Mail_Points", NULL, 'm' },       { "Mail_Users", NULL, 'M' },
    { "Reserve_Name", NULL, 'N' },      { "reserve_start", NULL, 'R' },
    { "Authorized_Users", NULL, 'U' },  { "on_end", NULL, 'W' },
    { "on_end_queue", NULL, 'W' },      { "auto_extend", NULL, 'W' },
    { "auto_extend_max", NULL, 'W' },   { "auto_extend_release", NULL, 'W' },
};
const size_t ralter_n_letters = ARRAY_LEN(ralter_letters);

bool ralter_say_bad_value(int conn, const struct attropl *sent)
{
    int code = pbs_errno == PBSE_DUPLIST ? PBSE_DUPLIST : PBSE_BADATVAL;
    const char *text = pbs_geterrmsg(conn);
    const char *word = text ? strrchr(text, ' ') : NULL;

    for (size_t i = 0; word && i < ralter_n_letters; i++) {
        if (strcmp(word + 1, ralter_letters[i].attr) != 0)
            continue;
        fprintf(stderr, "%s: illegal -%c value\n", CMD, ralter_letters[i].letter);
        explain_print(CMD, &resv_table, sent, code, text);
        fputs(ralter_usage, stderr);
        return true;
    }
    return false;
}

/* Fill in the times that the reservation has now, where the request gave none. */
static void complete_window(struct window *w, const struct batch_status *resv)
{
    static const struct {
        const char *name;
        enum window_part part;
    } parts[] = {
        { "reserve_start", WINDOW_START },
        { "reserve_end", WINDOW_END },
    };

    for (const struct attrl *a = resv ? resv->attribs : NULL; a; a = a->next) {
        for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
            /* What the user gave is what has to be explained, so it is not replaced. */
            int64_t at = strtoll(a->value, NULL, 10);

            if (w->given & parts[i].part || strcmp(a->name, parts[i].name) != 0)
                continue;
            w->known |= parts[i].part;
            *(parts[i].part == WINDOW_START ? &w->start_at : &w->end_at) = at;
        }
    }
}

static const char *value_in(const struct batch_status *resv, const char *name)
{
    for (const struct attrl *a = resv ? resv->attribs : NULL; a; a = a->next)
        if (strcmp(a->name, name) == 0)
            return a->value;
    return NULL;
}

/* What the reservation is doing that does not go with an alteration. */
static void explain_state(const struct batch_status *resv, const char *id,
                          struct buf *words)
{
    const char *state = value_in(resv, "reserve_state");

    switch (state ? atoi(state) : RESV_NONE) {
    case RESV_BEING_ALTERED:
        buf_printf(words, "another alteration of %s waits for its answer", id);
        break;
    case RESV_BEING_DELETED:
    case RESV_DELETED:
        buf_printf(words, "%s is being deleted", id);
        break;
    case RESV_DELETING_JOBS:
        buf_printf(words, "the occurrence of %s is over and its jobs are ending", id);
        break;
    }
}

void ralter_explain_rights(const struct ralter *r)
{
    if (r->force)
        explain_say(CMD, "-W force is for managers");
    else if (r->terms & HOLDFAST_PUSH)
        explain_say(CMD, "--push is for managers");
}

void ralter_explain(const struct ralter *r, int conn, const char *id, int index,
                    int error, const char *text)
{
    /* The reservation is asked for after the refusal, because only then its times are
     * of interest. This request replaces the text of the last reply, so the caller
     * hands in a copy of that. NULL when there is no such reservation. */
    struct batch_status *resv = look(conn, id, index, NULL);
    struct window w = explain_window_of(r->attrs);
    struct buf words = { 0 };

    if (error == PBSE_PERM) {
        ralter_explain_rights(r);
    } else if (error == PBSE_BADTSPEC) {
        w.has_base = true;
        complete_window(&w, resv);
        explain_window(&w, time(NULL), &words);
    } else if (error == PBSE_BADSTATE) {
        explain_state(resv, id, &words);
    } else if (error == PBSE_UNKRESVID) {
        buf_printf(&words, "there is no reservation %s; pbs_rstat lists all", id);
    } else if (error == PBSE_SELECT_NOT_SUBSET) {
        for (const struct attrl *a = resv ? resv->attribs : NULL; a; a = a->next)
            if (a->resource && strcmp(a->resource, "select") == 0)
                buf_printf(&words,
                           "%s has select=%s; chunks can be left out, not added "
                           "or changed",
                           id, a->value);
    } else {
        explain_refusal(&resv_table, r->attrs, error, text, &words);
    }
    if (words.len > 0)
        explain_say(CMD, words.data);
    buf_fini(&words);
    pbs_statfree(resv);
}
