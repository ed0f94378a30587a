/* learn.c - what is found out about the world outside: who waits for it, and who is
 * told (doc/design/032).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/instant.h"
#include "server/decide/host_book.h"
#include "server/decide/know.h"
#include "server/engine/svr_priv.h"
#include "server/moms/moms.h"

/* An answer that does not come in so many seconds is taken for one that nobody has. */
#define FIND_OUT_S 30

/* What rules have learned and not used in so many seconds they have no use for. */
#define LEARNED_S  3600

static const struct finding nobody_knows = { .failed = true };

static void find_out(struct turn *t, const struct need *need)
{
    /* Hosts of MoMs are asked for anyway. */
    if (need->kind != NEED_MOM_HOSTS)
        effect_add(t->out, EFFECT_FIND_OUT, need_is_deed(need->kind) ? t->s->m->seq : 0)
            ->u.need = need_copy(need, t->out->arena);
}

static int64_t give_up_at(const struct turn *t)
{
    return instant_after(t->now_at, FIND_OUT_S);
}

bool wait_for_needs(struct turn *t, const struct request *rq, bool let_in, bool silent)
{
    struct parked_table *table = &t->s->parked;
    struct parked *p = rq->progress ? STRUCT_OF(rq->progress, struct parked, progress)
                                    : parked_add(table, rq, silent, &t->s->inquiries);
    struct needs *needs = rq->knows.needs;

    /* Its user has as many parked requests as one may have. */
    if (!p)
        return false;
    /* What was decided at the door is not asked again. */
    p->let_in |= let_in;
    for (size_t i = 0; i < needs->n; i++)
        /* Only the first asker makes the shell find out. */
        if (parked_ask(table, p, &needs->v[i], give_up_at(t)))
            find_out(t, &needs->v[i]);
    return true;
}

void rules_wait(struct turn *t, struct watch *x, struct needs *needs)
{
    struct asker *asker = watch_asker(x, &t->s->inquiries);

    for (size_t i = 0; i < needs->n; i++)
        if (asker_ask(asker, &needs->v[i], give_up_at(t)))
            find_out(t, &needs->v[i]);
}

/* Whoever waits for that has learned it; fine when nobody asks it any longer. Rules
 * look again in this turn, requests have theirs later. */
static void answer(struct svr *s, int64_t now_at, const struct need *need,
                   const struct finding *f)
{
    struct inquiry *q = inquiries_find(&s->inquiries, need);
    struct asker *a;

    if (!q)
        return;
    /* Taking one asker after the other is safe even when an asker begins to wait for
     * something else. */
    while ((a = inquiry_take(q)) != NULL) {
        /* An asker without an object is a request. */
        if (!a->o) {
            parked_learn(&s->parked, STRUCT_OF(a, struct parked, asker), &q->need, f);
            continue;
        }
        if (a->learned)
            facts_forget_old(a->learned, now_at);
        asker_learn(a, &q->need, f, instant_after(now_at, LEARNED_S));
        watch_touch(&s->watches, a->o);
    }
    inquiries_end(&s->inquiries, q);
}

/* Requests and rules hear of it. Hosts of MoMs have their own book, and there may be
 * more of them than the table of facts has places. */
static void tell_askers(struct turn *t, const struct need *need,
                        const struct finding *f, bool in_book)
{
    struct svr *s = t->s;
    bool kept = !need_is_private(need->kind) &&
                (!in_book || inquiries_find(&s->inquiries, need));

    MUST(need_is_private(need->kind) == (need->asker != 0));
    /* Answers that were asked for by one request alone are never kept for others. */
    if (kept)
        facts_learn(s->facts, need, f, facts_good_until(f, t->now_at));
    answer(s, t->now_at, need, f);
}

/* The links to the MoMs hear of it, and who waits for all hosts. */
static void tell_of_hosts(struct turn *t, const char *host)
{
    static const struct need all = { .kind = NEED_MOM_HOSTS, .name = "" };
    static const struct finding done = { .found = true };
    struct svr *s = t->s;
    struct decision d;
    struct moms_turn mt = moms_turn(t, &d);

    moms_host_learned(s->moms, &mt, host);
    take_up(t, &d);
    if (!host_book_is_open(s->hosts))
        answer(s, t->now_at, &all, &done);
}

static void learn(struct turn *t, const struct need *need, const struct finding *f)
{
    struct finding dated = *f;
    bool in_book =
        need->kind == NEED_ADDRS && host_book_learn(t->s->hosts, need->name, f);

    dated.learned_at = t->now_at;
    tell_askers(t, need, &dated, in_book);
    if (in_book)
        tell_of_hosts(t, need->name);
}

void svr_learned(struct svr *s, int64_t now_at, const struct need *need,
                 const struct finding *finding, struct effects *out)
{
    struct turn t = turn_begin(s, now_at, out);

    learn(&t, need, finding);
    settle(&t);
}

void ask_hosts(struct turn *t)
{
    struct svr *s = t->s;
    const char *host;

    /* The book gives out only so many at a time; the rest is asked for as answers
     * come. */
    while ((host = host_book_ask(s->hosts, t->now_at)) != NULL) {
        const struct need need = { .kind = NEED_ADDRS, .name = host };
        struct finding f = { 0 };

        if (s->cfg.known && s->cfg.known(s->cfg.arg, &need, t->out->arena, &f))
            learn(t, &need, &f);
        else
            find_out(t, &need);
    }
}

void give_up_answers(struct turn *t)
{
    struct svr *s = t->s;
    const struct inquiry *q;

    while ((q = s->inquiries.oldest) != NULL && q->until_at <= t->now_at) {
        /* The copy outlives the inquiry, which ends while its askers are told. */
        const struct need need = need_copy(&q->need, t->out->arena);

        tell_askers(t, &need, &nobody_knows, false);
    }
    /* MoMs of a host that nobody could find are looked at again, and refused. */
    if (host_book_give_up(s->hosts, t->now_at))
        tell_of_hosts(t, NULL);
}

int64_t answers_deadline(const struct svr *s)
{
    const struct inquiry *q = s->inquiries.oldest;

    return MIN_OF(host_book_deadline(s->hosts), q ? q->until_at : INT64_MAX);
}
