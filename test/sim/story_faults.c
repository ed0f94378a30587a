/* story_faults.c - what goes wrong in a story: vnodes, MoMs, the router, schedulers,
 * the server and its store; and what an administrator sets meanwhile.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "story_happen.h"

/* Something that ends again, or does not before the faults stop. */
static void back(struct story *t, int64_t second, int64_t most_s, const char *words,
                 int index)
{
    if (chance(t, 15))
        return;
    at(t, second + rnd_range(&t->rnd, 0, most_s));
    buf_printf(t->out, words, index);
    buf_add_char(t->out, '\n');
}

void story_vnode(struct story *t, int64_t second)
{
    static const char *const kinds[] = { "idle", "used" };
    int index = pick(t, 0, t->n_vnodes - 1);

    if (t->n_resvs && chance(t, 80)) {
        int x = pick(t, 1, 9);
        int kind = pick(t, 0, 1);
        int resv = recent(t, t->n_resvs);

        at(t, second);
        buf_printf(t->out, "call X%d the %s vnode of R%d\n", x, kinds[kind], resv);
        at(t, second + 1);
        buf_printf(t->out, "vnode X%d goes offline\n", x);
        back(t, second + 1, 300, "vnode X%d comes back", x);
        return;
    }
    at(t, second);
    buf_printf(t->out, "vnode vn[%d] goes offline\n", index);
    back(t, second, 300, "vnode vn[%d] comes back", index);
}

/* In the middle of what it does, which may be long after; and again. */
static void mom_dies(struct story *t, int64_t second, int host)
{
    buf_printf(t->out, "mom h%d dies after %d\n", host, pick(t, 1, 30));
    for (int i = 0; i < 2; i++) {
        second += pick(t, 0, 60);
        at(t, second);
        buf_printf(t->out, "mom h%d starts\n", host);
        at(t, second);
        buf_printf(t->out, "mom h%d dies after %d\n", host, pick(t, 1, 30));
    }
    back(t, second, 100, "mom h%d starts", host);
}

void story_mom(struct story *t, int64_t second)
{
    int host = pick(t, 1, t->n_hosts);

    at(t, second);
    switch (pick(t, 0, 9)) {
    case 0:
        buf_printf(t->out, "mom h%d stops\n", host);
        back(t, second, 400, "mom h%d starts", host);
        break;
    case 1:
        buf_printf(t->out, "mom h%d stops losing jobs\n", host);
        back(t, second, 400, "mom h%d starts", host);
        break;
    case 2:
        buf_printf(t->out, "mom h%d answers nothing\n", host);
        back(t, second, 200, "mom h%d answers again", host);
        break;
    case 3:
        buf_printf(t->out, "mom h%d loses its stream\n", host);
        break;
    case 4:
        buf_printf(t->out, "mom h%d stops\n", host);
        back(t, second, 100, "mom h%d starts with -r", host);
        break;
    case 5:
        buf_printf(t->out, "mom h%d is %s\n", host,
                   chance(t, 50) ? "terminated" : "interrupted");
        back(t, second, 400, "mom h%d starts", host);
        break;
    case 6:
    case 7:
        mom_dies(t, second, host);
        break;
    default:
        buf_printf(t->out, "mom h%d is cut off\n", host);
        back(t, second, 400, "mom h%d is reachable", host);
        break;
    }
}

void story_router(struct story *t, int64_t second)
{
    at(t, second);
    buf_add_str(t->out, "router is lost\n");
    back(t, second, 200, "router comes back", 0);
}

void story_sched(struct story *t, int64_t second)
{
    bool other = t->two_scheds && chance(t, 50);
    const char *who = other ? "second scheduler" : "scheduler";

    at(t, second);
    switch (pick(t, 0, 4)) {
    case 4:
        buf_printf(t->out, "%s errs\n", who);
        break;
    case 0:
        buf_printf(t->out, "%s stops\n", who);
        back(t, second, 300, other ? "second scheduler starts" : "scheduler starts", 0);
        break;
    case 1:
        buf_printf(t->out, "%s thinks %d\n", who, pick(t, 1, 90));
        back(t, second, 300, other ? "second scheduler thinks 0" : "scheduler thinks 0",
             0);
        break;
    case 2:
        buf_printf(t->out, "%s wanders\n", who);
        break;
    default:
        buf_printf(t->out, "%s repeats its last answer\n", who);
        break;
    }
}

void story_server(struct story *t, int64_t second)
{
    static const char *const how[] = { "", " before its next commit",
                                       " after its next commit" };

    at(t, second);
    buf_printf(t->out, "server crashes%s\n", how[pick(t, 0, 2)]);
    for (int i = 0; i < 3; i++) { /* an armed crash may come later than expected */
        second += pick(t, 0, 120);
        at(t, second);
        buf_printf(t->out, "server starts%s\n", second % 2 ? " hot" : "");
    }
}

void story_store(struct story *t, int64_t second)
{
    at(t, second);
    buf_printf(t->out, "store %s\n", chance(t, 70) ? "fails" : "refuses");
    back(t, second, 60, "store works", 0);
}

void story_settings(struct story *t, int64_t second)
{
    static const int times[] = { 1, 5, 20, 60, 600 };

    at(t, second);
    if (chance(t, 20))
        buf_printf(t->out, "root sets reserve_retry_now %s\n",
                   chance(t, 70) ? "True" : "False");
    else if (chance(t, 50))
        buf_printf(t->out, "root sets reserve_retry_time %d\n", times[pick(t, 0, 4)]);
    else
        buf_printf(t->out, "root sets scheduling %s\n",
                   chance(t, 60) ? "True" : "False");
}

/* A reservation for a job, with the death of the server or of a scheduler around it. */
void story_reserve_and_die(struct story *t, int64_t second)
{
    int64_t early_s = pick(t, 0, 3), late_s = pick(t, 0, 25);

    story_reserve_for_job(t, second);
    if (chance(t, 15))
        (chance(t, 60) ? story_server : story_sched)(t, MAX_OF(second - early_s, 1));
    if (chance(t, 25))
        (chance(t, 60) ? story_server : story_sched)(t, second + late_s);
    if (chance(t, 15))
        story_delete(t, second + late_s);
}
