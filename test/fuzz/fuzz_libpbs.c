/* Fuzz target: what libpbs makes of what a server sends, from the socket to the lists
 * that programs get.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include "fuzz.h"
#include "lib/wire/packet.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST_BYTES 65536 /* of an input: it waits in the socket */

const char fuzz_frames[] = "replies.txt";

static size_t length(const char *s)
{
    return s ? strlen(s) : 0;
}

/* Every text of the list is looked at. */
static size_t walk(const struct batch_status *list)
{
    size_t n = 0;

    for (; list; list = list->next) {
        n += length(list->name) + length(list->text);
        for (const struct attrl *a = list->attribs; a; a = a->next)
            n += length(a->name) + length(a->resource) + length(a->value);
    }
    return n;
}

static void take_status(int c, size_t len)
{
    struct batch_status *list = pbs_statvnode(c, "", NULL, NULL);

    FUZZ_CHECK(walk(list) <= len);
    FUZZ_CHECK(!list || pbs_errno == 0);
    pbs_statfree(list);
}

static void take_subjobs(int c, size_t len)
{
    struct batch_status *list = pbs_statjob(c, "", NULL, "t");

    (void)len;
    (void)walk(list);
    pbs_statfree(list);
}

static void take_hosts(int c, size_t len)
{
    struct batch_status *list = pbs_stathost(c, "", NULL, NULL);

    (void)len;
    (void)walk(list);
    pbs_statfree(list);
}

static void take_ids(int c, size_t len)
{
    char **ids = pbs_selectjob(c, NULL, NULL);
    size_t n = 0;

    for (char **id = ids; id && *id; free(*id++))
        n += length(*id);
    FUZZ_CHECK(n <= len);
    free(ids);
}

static void take_text(int c, size_t len)
{
    char *text = pbs_submit_resv(c, NULL, NULL);

    FUZZ_CHECK(length(text) <= len);
    free(text);
}

static void take_deleted(int c, size_t len)
{
    char id[] = "1.x", *ids[] = { id };
    struct batch_deljob_status *list = pbs_deljoblist(c, ids, 1, NULL);

    for (struct batch_deljob_status *st = list; st; st = st->next)
        FUZZ_CHECK(length(st->name) <= len);
    pbs_delstatfree(list);
}

static void take_preempted(int c, size_t len)
{
    char id[] = "1.x", *ids[] = { id, id, NULL };
    preempt_job_info *v = pbs_preempt_jobs(c, ids);

    (void)len;
    for (int i = 0; v && i < 2; i++) {
        FUZZ_CHECK(length(v[i].job_id) < sizeof(v[i].job_id));
        FUZZ_CHECK(length(v[i].order) < sizeof(v[i].order));
    }
    free(v);
}

static void take_counts(int c, size_t len)
{
    char name[] = "nodes", *names[] = { name };
    int n[4];

    (void)len;
    (void)pbs_rescquery(c, names, 1, &n[0], &n[1], &n[2], &n[3]);
}

typedef void take_fn(int c, size_t len);

/* The calls that a reply is for, or any of them. */
static take_fn *pick(const uint8_t *data, size_t len)
{
    static take_fn *const all[] = { take_status,    take_subjobs, take_hosts,
                                    take_ids,       take_text,    take_deleted,
                                    take_preempted, take_counts };
    struct arena *arena = arena_new();
    struct wire_reply reply = { 0 };
    size_t i = len;

    if (batch_decode_reply((const char *)data, len, arena, &reply) != DIS_OK)
        reply.choice = 0;
    arena_free(arena);
    switch (reply.choice) {
    case REPLY_STATUS:
        return all[i % 3];
    case REPLY_SELECT:
        return take_ids;
    case REPLY_TEXT:
        return take_text;
    case REPLY_DELETE:
        return take_deleted;
    case REPLY_PREEMPT:
        return take_preempted;
    case REPLY_RESC_QUERY:
        return take_counts;
    default:
        return all[i % ARRAY_LEN(all)];
    }
}

static bool write_all(int fd, const char *data, size_t len)
{
    return len == 0 || write(fd, data, len) == (ssize_t)len;
}

/* A connection on which the server has answered already, and closed. */
static int answered(const uint8_t *data, size_t len, int *peer)
{
    struct buf frame = { 0 };
    int pair[2];

    FUZZ_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    if (len > 0)
        packet_put(&frame, PACKET_DATA, data, len);
    FUZZ_CHECK(write_all(pair[1], frame.data, frame.len));
    shutdown(pair[1], SHUT_WR);
    buf_fini(&frame);
    FUZZ_CHECK(ifl_handle_add(pair[0], 5) == 0);
    *peer = pair[1];
    return pair[0];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    int c, peer;

    if (len > MOST_BYTES)
        return 0;
    c = answered(data, len, &peer);
    pick(data, len)(c, len);
    ifl_handle_close(ifl_handle_lock(c));
    close(peer);
    return 0;
}
