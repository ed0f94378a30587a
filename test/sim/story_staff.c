/* story_staff.c - the parts of a story in which people do what is not about times and
 * chunks: jobs are held, freed, rerun and marked, subjobs by their index;
 * administrators change what vnodes are for, and owners whom their reservations are
 * for; maintenance takes vnodes. And clocks change between two turns.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "story_tell.h"

static const char *whoever(struct story *t)
{
    static const char *const who[] = { "user1", "user2", "root" };

    return who[pick(t, 0, 2)];
}

static int sometime(struct story *t)
{
    return pick(t, 10, (int)t->last_s);
}

/* Jobs. */

/* "J7", or an array of this part, "A2". */
static void name_job(struct story *t, int n_arrays)
{
    if (n_arrays > 0 && (t->n_jobs == 0 || chance(t, 40)))
        buf_printf(t->out, "A%d", pick(t, 1, n_arrays));
    else
        buf_printf(t->out, "J%d", pick(t, 1, MAX_OF(t->n_jobs, 1)));
}

static void name_subjob(struct story *t, int n_arrays)
{
    buf_printf(t->out, "A%d", pick(t, 1, n_arrays));
    buf_printf(t->out, "[%d]\n", pick(t, 1, 7));
}

/* Some outlast the reservations that they are in. */
static void submit_array(struct story *t, int number)
{
    int resv = t->n_resvs > 0 ? pick(t, 1, t->n_resvs) : 0;
    int64_t second =
        resv && chance(t, 70)
            ? MAX_OF(booking(t, resv)->start_s, INT64_C(10)) + pick(t, -9, 30)
            : sometime(t);

    at(t, second);
    buf_printf(t->out, "user%d submits A%d select=1:ncpus=1", pick(t, 1, 2), number);
    buf_printf(t->out, " lasting %d",
               chance(t, 50) ? pick(t, 5, 60) : pick(t, 60, 600));
    if (resv && chance(t, 80))
        buf_printf(t->out, " into R%d", resv);
    buf_printf(t->out, " indices=1-%d", pick(t, 2, 7));
    buf_add_str(t->out, chance(t, 15) ? " once\n" : "\n");
}

static void hold(struct story *t, int n_arrays)
{
    const char *who = whoever(t);
    bool array = n_arrays > 0 && chance(t, 40);
    int job = pick(t, 1, MAX_OF(array ? n_arrays : t->n_jobs, 1));
    int second = sometime(t);

    at(t, second);
    buf_printf(t->out, "%s holds %c%d\n", who, array ? 'A' : 'J', job);
    if (chance(t, 20))
        return;
    at(t, second + pick(t, 0, 200));
    buf_printf(t->out, "%s frees %c%d\n", who, array ? 'A' : 'J', job);
}

static void do_to_subjob(struct story *t, int n_arrays)
{
    static const char *const acts[] = { "requeues", "deletes", "runs", "suspends",
                                        "resumes" };

    at(t, sometime(t));
    buf_printf(t->out, "root %s ", acts[pick(t, 0, 4)]);
    name_subjob(t, n_arrays);
}

static void do_to_job(struct story *t, int n_arrays)
{
    static const char *const acts[] = { "requeues", "requeues", "deletes", "runs" };

    at(t, sometime(t));
    if (chance(t, 30))
        buf_printf(t->out, "user%d marks ", pick(t, 1, 2));
    else
        buf_printf(t->out, "root %s ", acts[pick(t, 0, 3)]);
    name_job(t, n_arrays);
    buf_add_char(t->out, '\n');
}

void story_job_acts(const struct story *of, uint64_t seed)
{
    struct story t = *of;
    int n, n_arrays;

    t.rnd = rnd_seeded(seed * 7937 + 3);
    n_arrays = pick(&t, 1, 5);
    for (int i = 1; i <= n_arrays; i++)
        submit_array(&t, i);
    n = pick(&t, 10, 60);
    for (int i = 0; i < n; i++) {
        int kind = pick(&t, 0, 9);

        if (kind < 3)
            hold(&t, n_arrays);
        else if (kind < 6)
            do_to_subjob(&t, n_arrays);
        else
            do_to_job(&t, n_arrays);
    }
}

/* What reservations and vnodes are for. */

static void change_people(struct story *t)
{
    static const char *const what[] = { "mail=ae",          "mail=n",
                                        "mail_to=user2@h1", "mail_to=a@h1,b@h2",
                                        "groups=users",     "groups=users,staff",
                                        "users=user1",      "users=user2" };

    int n, second;

    if (t->n_resvs == 0)
        return;
    n = pick(t, 1, t->n_resvs);
    second = (int)booking(t, n)->start_s + pick(t, -60, 200);
    at(t, MAX_OF(second, 1));
    if (chance(t, 50))
        buf_add_str(t->out, "root");
    else
        buf_printf(t->out, "user%d", pick(t, 1, 2));
    buf_printf(t->out, " alters R%d %s\n", n, what[pick(t, 0, 7)]);
}

/* The other way round after a while, mostly. */
static void change_vnode(struct story *t)
{
    static const struct {
        const char *there, *back;
    } acts[] = {
        { "root sets vnode vn[%d] resv_enable False",
          "root sets vnode vn[%d] resv_enable True" },
        { "root sets vnode vn[%d] max_running 1",
          "root unsets vnode vn[%d] max_running" },
        { "root sets vnode vn[%d] Priority 7", "root unsets vnode vn[%d] Priority" },
        { "vnode vn[%d] is deleted", "vnode vn[%d] is made" },
    };
    int which = pick(t, 0, 3), index = pick(t, 0, t->n_vnodes - 1);
    int second = sometime(t);

    at(t, second);
    buf_printf(t->out, acts[which].there, index);
    buf_add_char(t->out, '\n');
    at(t, second + pick(t, 0, 300));
    buf_printf(t->out, acts[which].back, index);
    buf_add_char(t->out, '\n');
}

static void close_to_all(struct story *t)
{
    int second = sometime(t);

    at(t, second);
    buf_add_str(t->out, "root sets resv_enable False\n");
    at(t, second + pick(t, 0, 60));
    buf_add_str(t->out, "root sets resv_enable True\n");
}

void story_limits(const struct story *of, uint64_t seed)
{
    struct story t = *of;
    int n;

    t.rnd = rnd_seeded(seed * 7951 + 17);
    n = pick(&t, 5, 30);
    for (int i = 0; i < n; i++) {
        int kind = pick(&t, 0, 19);

        if (kind == 0)
            close_to_all(&t);
        else if (kind < 10)
            change_people(&t);
        else
            change_vnode(&t);
    }
}

/* Every other time the server dies while it is at it. */
static void change_all_vnodes(struct story *t, int number)
{
    int second = sometime(t), dies = pick(t, 0, 3);

    at(t, second);
    buf_printf(t->out, "root sets all vnodes comment all-%d\n", number);
    if (chance(t, 50)) {
        at(t, second);
        buf_printf(t->out, "root adds %d to Priority of all vnodes\n", pick(t, 1, 3));
    }
    if (dies > 1)
        return;
    at(t, second);
    buf_printf(t->out, "server crashes %s its next commit\n",
               dies ? "before" : "after");
    at(t, second + pick(t, 1, 20));
    buf_add_str(t->out, "server starts\n");
}

void story_all_vnodes(const struct story *of, uint64_t seed)
{
    struct story t = *of;
    int n;

    t.rnd = rnd_seeded(seed * 8009 + 5);
    n = pick(&t, 1, 6);
    for (int i = 1; i <= n; i++)
        change_all_vnodes(&t, i);
}

/* Maintenance comes over a reservation that may have begun, and that is altered then.
 */
static void take_from(struct story *t, int number)
{
    int n = pick(t, 1, t->n_resvs);
    int first = pick(t, 0, t->n_vnodes - 1);
    int last = first + pick(t, 0, 3);
    int64_t start_s = MAX_OF(booking(t, n)->start_s, INT64_C(80)) + pick(t, -60, 100);
    int64_t second = start_s - pick(t, 2, 19);

    last = MIN_OF(last, t->n_vnodes - 1);
    at(t, second);
    buf_printf(t->out, "user9 maintains W%d vn[%d]", number, first);
    for (int i = first + 1; i <= last; i++)
        buf_printf(t->out, "+vn[%d]", i);
    buf_printf(t->out, " select=%d:ncpus=%d", last - first + 1, t->ncpus);
    buf_printf(t->out, " from %" PRId64 " for %d\n", start_s, pick(t, 30, 400));
    for (int i = pick(t, 2, 6); i > 0; i--)
        story_alter(t, second + pick(t, 1, 150), n);
}

void story_conflicts(const struct story *of, uint64_t seed)
{
    struct story t = *of;
    int n;

    t.rnd = rnd_seeded(seed * 7993 + 23);
    n = t.n_resvs > 0 ? pick(&t, 2, 6) : 0;
    for (int i = 1; i <= n; i++)
        take_from(&t, i);
}

/* A series of three weeks, between whose turns clocks are put forward. */

#define WEEK_S   604800
#define CHANGE_S 3600

static void around_turn(struct story *t, int turn)
{
    int64_t second = turn * (int64_t)WEEK_S + pick(t, -CHANGE_S - 60, 300);

    at(t, MAX_OF(second, INT64_C(5)));
    switch (pick(t, 0, 4)) {
    case 0:
        buf_printf(t->out, "vnode vn[%d] goes offline\n", pick(t, 0, t->n_vnodes - 1));
        break;
    case 1:
        buf_printf(t->out, "vnode vn[%d] comes back\n", pick(t, 0, t->n_vnodes - 1));
        break;
    case 2:
        buf_printf(t->out, "user1 submits U%d select=1:ncpus=1 lasting 300 into Z1\n",
                   pick(t, 1, 99));
        break;
    case 3:
        buf_printf(t->out, "user1 alters Z1[%d]", pick(t, 1, 3));
        buf_printf(t->out, " for %d\n", pick(t, 60, 4000));
        break;
    default:
        buf_add_str(t->out, "server crashes\n");
        at(t, MAX_OF(second, INT64_C(5)) + pick(t, 1, 30));
        buf_add_str(t->out, "server starts\n");
        break;
    }
}

void story_clocks(const struct story *of, uint64_t seed)
{
    struct story t = *of;
    int n;

    t.rnd = rnd_seeded(seed * 7963 + 19);
    buf_printf(t.out, "at 2 user1 reserves Z1 select=%d:ncpus=1",
               pick(&t, 1, MAX_OF(1, t.n_vnodes / 3)));
    buf_printf(t.out, " from %d for 120 zone=Australia/Sydney", pick(&t, 60, 200));
    buf_printf(t.out, " repeating FREQ=WEEKLY;COUNT=%d\n", pick(&t, 2, 3));
    /* What is tried every second is not tried for weeks. */
    at(&t, of->last_s + 300);
    buf_add_str(t.out, "store works\n");
    at(&t, of->last_s + 310);
    buf_add_str(t.out, "root sets reserve_retry_time 3600\n");
    n = pick(&t, 4, 12);
    for (int i = 0; i < n; i++)
        around_turn(&t, pick(&t, 0, 2));
}
