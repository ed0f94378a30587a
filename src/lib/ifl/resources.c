/* resources.c - the calls of an early resource manager: asked, and never granted.
 *
 * No server answers them with anything but 15029 today; programs that were linked
 * against them still find them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include <limits.h>
#include <string.h>

static struct wire_strings names(char **list, int n)
{
    return (struct wire_strings){ (size_t)n, (const char **)(void *)list };
}

/* An empty word is sent, but NULL could not be: it would end the program. */
static bool has_names(int c, char **list, int n)
{
    for (int i = 0; list && i < n; i++)
        if (!list[i])
            list = NULL;
    if (list && n > 0)
        return true;
    ifl_set_error(c, PBSE_RMNOPARAM, NULL);
    return false;
}

static void copy_numbers(int *to, const uint32_t *from, size_t n)
{
    for (size_t i = 0; to && i < n; i++)
        to[i] = (int)from[i];
}

int ifl_rescquery(int c, char **list, int n, int *available, int *allocated,
                  int *reserved, int *down)
{
    int *to[] = { available, allocated, reserved, down };
    struct body_resources body = { .handle = RESOURCE_T_NULL };
    struct ifl_answer answer;
    int err;

    if (!has_names(c, list, n))
        return pbs_errno;
    body.resources = names(list, n);
    err = ifl_ask(c, BATCH_RESCQ, &body, NULL, &answer);
    /* The caller's arrays have room for 'n' numbers, so a reply about any other count
     * is not copied. */
    if (!err && (answer.reply.choice != REPLY_RESC_QUERY ||
                 answer.reply.resources.n != (size_t)n))
        err = ifl_set_error(c, PBSE_PROTOCOL, NULL);
    for (size_t i = 0; !err && i < ARRAY_LEN(to); i++)
        copy_numbers(to[i], answer.reply.resources.numbers + i * (size_t)n, (size_t)n);
    ifl_answer_fini(&answer);
    return err;
}

int ifl_rescreserve(int c, char **list, int n, pbs_resource_t *handle)
{
    struct body_resources body = { 0 };
    struct ifl_answer answer;
    int err;

    if (!handle)
        return ifl_set_error(c, PBSE_RMNOPARAM, NULL);
    if (!has_names(c, list, n))
        return pbs_errno;
    body.handle = *handle;
    body.resources = names(list, n);
    err = ifl_ask(c, BATCH_RESERVE_RESC, &body, NULL, &answer);
    if (!err)
        *handle = answer.reply.aux;
    ifl_answer_fini(&answer);
    return err;
}

int ifl_rescrelease(int c, pbs_resource_t handle)
{
    const struct body_resources body = { .handle = handle };

    return ifl_do(c, BATCH_RELEASE_RESC, &body, NULL);
}

/* The three calls on top of the first ask about "nodes" or one named resource, and keep
 * what they were told last. */
struct counts {
    int available, allocated, reserved, down;
};

/* Each thread has counts of its own, as it has a pbs_errno of its own. */
static _Thread_local struct counts nodes;

static int ask_counts(int c, const char *resource, struct counts *ret)
{
    char *list[] = { (char *)(uintptr_t)resource };
    struct counts got = { 0 };
    int err = pbs_rescquery(c, list, 1, &got.available, &got.allocated, &got.reserved,
                            &got.down);

    if (!err)
        *ret = got;
    return err;
}

/* A server may send any numbers: a sum beyond what the call can return stays at its
 * end. */
static int bounded(long long sum)
{
    return (int)MAX_OF(MIN_OF(sum, INT_MAX), INT_MIN);
}

int totpool(int c, int update)
{
    if (update && ask_counts(c, "nodes", &nodes))
        return -1;
    return bounded((long long)nodes.available + nodes.allocated + nodes.reserved +
                   nodes.down);
}

int usepool(int c, int update)
{
    if (update && ask_counts(c, "nodes", &nodes))
        return -1;
    return bounded((long long)nodes.allocated + nodes.reserved + nodes.down);
}

char *avail(int c, char *resource)
{
    static char yes[] = "yes", no[] = "no", never[] = "never", unknown[] = "?";
    struct counts got;

    if (!resource || !*resource || ask_counts(c, resource, &got))
        return unknown;
    if (got.available > 0)
        return yes;
    return (long long)got.allocated + got.reserved > 0 ? no : never;
}
