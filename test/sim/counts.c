/* counts.c - see counts.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "counts.h"

#include "server/model/job_state.h"
#include "server/model/resv_state.h"
#include "sim.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct count {
    char *words;
    size_t n;
    UT_hash_handle hh;
};

void counts_fini(struct counts *c)
{
    struct count *one, *next;

    HASH_ITER (hh, c->list, one, next) {
        HASH_DEL(c->list, one);
        free(one->words);
        free(one);
    }
}

void counts_add(const struct sim *s, const char *fmt, ...)
{
    struct count *one;
    char words[200];
    va_list ap;

    if (!s->counts)
        return;
    va_start(ap, fmt);
    vsnprintf(words, sizeof(words), fmt, ap);
    va_end(ap);
    HASH_FIND_STR(s->counts->list, words, one);
    if (!one) {
        one = xcalloc(1, sizeof(*one));
        one->words = xstrdup(words);
        HASH_ADD_KEYPTR(hh, s->counts->list, one->words, strlen(one->words), one);
    }
    one->n++;
}

static int by_words(const struct count *a, const struct count *b)
{
    return strcmp(a->words, b->words);
}

void counts_print(struct counts *c)
{
    const struct count *one, *next;

    HASH_SORT(c->list, by_words);
    HASH_ITER (hh, c->list, one, next)
        printf("%8zu  %s\n", one->n, one->words);
}

/* Phases as people say them. */
static const char *phase_words(enum resv_phase phase)
{
    static const char *const words[PHASE_COUNT] = {
        [PHASE_NONE] = "in no phase",
        [PHASE_UNCONFIRMED] = "unconfirmed",
        [PHASE_CONFIRMED] = "confirmed",
        [PHASE_DEGRADED] = "degraded",
        [PHASE_RUNNING] = "running",
        [PHASE_RUNNING_DEGRADED] = "running degraded",
        [PHASE_CONFLICT] = "in conflict",
        [PHASE_RUNNING_CONFLICT] = "running in conflict",
        [PHASE_BETWEEN] = "between",
        [PHASE_BETWEEN_DEGRADED] = "between degraded",
        [PHASE_BETWEEN_CONFLICT] = "between in conflict",
        [PHASE_ENDING] = "ending",
        [PHASE_DELETED] = "deleted",
    };

    return words[phase];
}

static const char *job_words(const struct job *j)
{
    return !j          ? ""
           : j->parent ? ", a subjob"
           : j->array  ? ", an array"
           : j->resv   ? ", in a reservation"
                       : ", a job";
}

void count_record(const struct sim *s, const struct model *m, const struct record *rec)
{
    const struct resv *r = rec->kind == OBJ_RESV ? model_resv(m, rec->id) : NULL;
    const struct job *j = rec->kind == OBJ_JOB ? model_job(m, rec->id) : NULL;
    const char *why = rec->reason ? reason_text(rec->reason) : NULL;

    counts_add(s, "record %s of a %s%s%s%s%s%s", fact_name(rec->fact),
               kind_name(rec->kind), r ? ", " : "", r ? phase_words(resv_phase(r)) : "",
               job_words(j), why ? ": " : "", why ? why : "");
}

void count_request(const struct sim *s, uint32_t number, const struct wire_reply *reply)
{
    if (!reply)
        counts_add(s, "request %u waits", number);
    else if (reply->code)
        counts_add(s, "request %u is refused, %d", number, reply->code);
    else
        counts_add(s, "request %u is granted", number);
}

void count_alteration(const struct sim *s, const struct resv *r, const struct wish *w,
                      const char *fate)
{
    const struct object *o = &r->obj;
    const char *how = w->several ? " with others"
                      : w->push  ? " by push"
                      : w->force ? " by force"
                                 : "";
    const struct {
        bool wanted;
        const char *words;
    } parts[] = {
        { w->times && w->start_at != obj_num(o, RESV_A_RESERVE_START, 0), "start" },
        { w->times && w->end_at != obj_num(o, RESV_A_RESERVE_END, 0), "end" },
        { w->select != NULL, "select" },
        { w->name != NULL, "name" },
        { w->users != NULL, "users" },
        { w->groups != NULL, "groups" },
        { w->mail != NULL, "mail" },
        { w->release, "release" },
        { w->shorter, "extends itself" },
    };

    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        if (parts[i].wanted)
            counts_add(s, "alteration of %s%s, %s%s: %s", parts[i].words, how,
                       phase_words(resv_phase(r)), w->later ? ", a later one" : "",
                       fate);
}
