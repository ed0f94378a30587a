/* story_together.c - the part of a story in which three or four small reservations are
 * altered by one proposal, mostly to what can be, and somebody deletes one or a daemon
 * dies meanwhile.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "story_tell.h"

/* "N1", "N2", ... of the part: they have not begun when they are altered. */
static int64_t reserve_all(struct story *t, int first, int n, int64_t second)
{
    int64_t start_s = second + pick(t, 60, 150);

    for (int i = 0; i < n; i++) {
        int user = pick(t, 1, 2);
        int ncpus = pick(t, 1, t->ncpus);
        int from_s = pick(t, 0, 60);

        at(t, second + pick(t, 0, 3));
        buf_printf(t->out, "user%d reserves N%d select=1:ncpus=%d", user, first + i,
                   ncpus);
        buf_printf(t->out, " from %" PRId64 " for %d\n", start_s + from_s,
                   pick(t, 20, 60));
    }
    return start_s;
}

/* All of them begin later, or longer ones take turns. */
static void alter_all(struct story *t, int first, int n, int64_t second,
                      int64_t start_s)
{
    bool in_turn = chance(t, 40);
    int64_t from_s = start_s + pick(t, 0, 100);

    at(t, second);
    buf_add_str(t->out, "root alters together");
    for (int i = 0; i < n; i++) {
        int length_s = pick(t, 10, 100);

        buf_printf(t->out, " N%d %" PRId64 " %" PRId64, first + i, from_s,
                   from_s + length_s);
        if (in_turn)
            from_s += length_s;
    }
    buf_add_str(t->out, chance(t, 20) ? " force\n" : "\n");
}

static void disturb(struct story *t, int first, int n, int64_t second)
{
    static const char *const what[] = { "scheduler stops", "server crashes" };
    static const char *const back[] = { "scheduler starts", "server starts" };
    int which = pick(t, 0, 2);

    at(t, second);
    if (which == 2) {
        buf_printf(t->out, "root deletes N%d\n", first + pick(t, 0, n - 1));
        return;
    }
    buf_printf(t->out, "%s\n", what[which]);
    at(t, second + pick(t, 1, 20));
    buf_printf(t->out, "%s\n", back[which]);
}

void story_proposals(const struct story *of, uint64_t seed)
{
    struct story t = *of;
    int first = 1, times;

    t.rnd = rnd_seeded(seed * 7919 + 31);
    times = pick(&t, 2, 4);
    for (int i = 0; i < times; i++) {
        int n = pick(&t, 3, 4);
        int64_t second = pick(&t, 5, (int)of->last_s);
        int64_t start_s = reserve_all(&t, first, n, second);
        int64_t altered_s = second + pick(&t, 10, 50);

        alter_all(&t, first, n, altered_s, start_s);
        if (chance(&t, 30))
            disturb(&t, first, n, altered_s + pick(&t, -1, 3));
        first += n;
    }
}
