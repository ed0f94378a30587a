/* story_hooks.c - what the hooks of a story say, and how long they take.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "story_tell.h"

/* What hooks say, and how long they take, changes all the time. */
static void hooks_say(struct story *t, int64_t second)
{
    bool jobs = chance(t, 50);

    at(t, second);
    buf_printf(t->out, "hooks of %s ", jobs ? "queuejob" : "resvsub");
    switch (pick(t, 0, 9)) {
    case 0:
        buf_add_str(t->out, "reject not today");
        break;
    case 1:
        buf_add_str(t->out, "never answer");
        break;
    case 2:
        buf_add_str(t->out, "fail");
        break;
    case 3:
        buf_add_str(t->out, jobs ? "set Priority=many" : "set Resource_List.ncpus=no");
        break;
    case 4:
    case 5:
        buf_printf(t->out, jobs ? "set Priority=%d" : "set delete_idle_time=00:0%d:00",
                   pick(t, 1, 9));
        break;
    case 6:
    case 7:
        buf_printf(t->out, "answer after %d", pick(t, 0, 40));
        break;
    default:
        buf_add_str(t->out, "accept");
        break;
    }
    buf_add_char(t->out, '\n');
}

/* From random numbers of their own: the rest of the story is as it is without them. */
void story_hooks(const struct story *of, uint64_t seed)
{
    struct story t = *of;
    int n;

    t.rnd = rnd_seeded(~seed);
    n = pick(&t, 3, 20);
    buf_add_str(t.out, "hooks queuejob resvsub\n");
    for (int i = 0; i < n; i++)
        hooks_say(&t, pick(&t, 0, of->last_s));
}
