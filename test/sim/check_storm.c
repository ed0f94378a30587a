/* check_storm.c - see check_storm.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check_storm.h"

#include "sim.h"

#include <stdlib.h>

#define MOST_TIMES 5 /* within a second; what is refused is said again later */
/* A job that does not begin is tried at once, and held after so many runs
 * (execution.md 20). */
#define MOST_RUNS  21

struct said {
    struct buf words; /* the message without its number */
    int n;
    UT_hash_handle hh;
};

void storms_fini(struct storms *w)
{
    struct said *x, *next;

    HASH_ITER (hh, w->said, x, next) {
        HASH_DEL(w->said, x);
        buf_fini(&x->words);
        free(x);
    }
}

static struct said *said_of(struct storms *w, const struct is_message *msg)
{
    struct is_message same = *msg;
    struct buf words = { 0 };
    struct said *x;

    same.msgid = "";
    is_encode(&words, &same);
    HASH_FIND(hh, w->said, words.data, words.len, x);
    if (x) {
        buf_fini(&words);
        return x;
    }
    x = xcalloc(1, sizeof(*x));
    x->words = words;
    HASH_ADD_KEYPTR(hh, w->said, x->words.data, x->words.len, x);
    return x;
}

void check_storm(struct mom_host *h, const struct is_message *msg)
{
    struct storms *w = &h->storms;
    struct said *x;

    /* A script is of the job that came before it. */
    if (msg->command != IS_CMD || msg->request.number == BATCH_JOB_SCRIPT)
        return;
    if (w->second != sim_now_at(h->sim))
        storms_fini(w);
    w->second = sim_now_at(h->sim);
    x = said_of(w, msg);
    if (++x->n == (h->knows_nobody ? MOST_RUNS : MOST_TIMES) + 1)
        check_failed(h->sim, CHECK_STORM,
                     "mom %s is asked the same (request %u) %d times in a second",
                     h->name, msg->request.number, x->n);
}
