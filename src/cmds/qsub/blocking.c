/* blocking.c - see blocking.h.
 *
 * The server calls when the job is over. Nothing in the protocol proves that it is the
 * server, so a job that has ended by itself is looked up there before the call is
 * believed. And a call may be lost with the server's life, so it is asked now and then.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qsub/blocking.h"

#include "cmds/qsub/qsub.h"
#include "lib/wire/job_ended.h"
#include "lib/wire/packet.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOK_EVERY_S 30
#define CALL_S       30 /* for all that a caller says */
#define FAILED_EXIT  3

static const int held[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, 0 };

struct blocking {
    struct callback *callback;
    const char *server; /* as for pbs_connect() */
    const char *job_id;
};

/* One packet of a caller; false when it is none. */
static bool read_packet(int fd, struct buf *payload)
{
    char head[PACKET_HEADER_BYTES];
    struct packet p = { 0 };

    if (!callback_read(fd, head, sizeof(head), CALL_S) ||
        packet_peek(head, sizeof(head), JOB_ENDED_MAX_BYTES, &p) == PACKET_BAD)
        return false;
    /* A header says how much follows in its last four bytes. */
    p.len = 0;
    for (size_t i = sizeof(head) - 4; i < sizeof(head); i++)
        p.len = p.len << 8 | (unsigned char)head[i];
    if (!callback_read(fd, buf_reserve(payload, p.len), p.len, CALL_S))
        return false;
    payload->len += p.len;
    return true;
}

static int broken(const char *part)
{
    fprintf(stderr, "%s: Bad Request Protocol, %s\n", CMD, part);
    return FAILED_EXIT;
}

/* What a call means. -1: nothing, go on waiting. */
static int take_end(const struct blocking *b, const struct buf *payload,
                    struct arena *arena)
{
    struct job_ended e;
    int32_t version;
    enum job_ended_part wrong =
        job_ended_get(payload->data, payload->len, arena, &e, &version);

    if (wrong == JOB_ENDED_NO_VERSION) {
        fprintf(stderr, "%s: unknown protocol version %d\n", CMD, version);
        return -1;
    }
    if (strcmp(e.job_id, b->job_id) != 0) {
        fprintf(stderr, "%s: Unknown Job Identifier %s\n", CMD, e.job_id);
        return -1;
    }
    if (wrong != JOB_ENDED_WHOLE)
        return broken(wrong == JOB_ENDED_NO_MESSAGE ? "message" : "exitval");
    if (*e.message) {
        fprintf(stderr, "%s: %s %s\n", CMD, b->job_id, e.message);
        return FAILED_EXIT;
    }
    return callback_job_lives(b->server, b->job_id) ? -1 : e.exit_value & 0xff;
}

static int take_call(const struct blocking *b, int fd)
{
    struct arena *arena = arena_new();
    struct buf payload = { 0 };
    int code = read_packet(fd, &payload) ? take_end(b, &payload, arena) : -1;

    close(fd);
    buf_fini(&payload);
    arena_free(arena);
    return code;
}

/* Nobody has called for a while. */
static int look(const struct blocking *b)
{
    int status;

    if (callback_job_lives(b->server, b->job_id))
        return -1;
    if (callback_job_status(b->server, b->job_id, &status))
        return status & 0xff;
    fprintf(stderr, "%s: job %s has ended; its exit status is not known\n", CMD,
            b->job_id);
    return FAILED_EXIT;
}

static int take_signal(const struct blocking *b, int signo)
{
    fprintf(stderr, "%s: wait for job %s interrupted by signal %d\n", CMD, b->job_id,
            signo);
    callback_delete_job(b->server, b->job_id);
    return 2;
}

int blocking_run(struct callback *c, const char *server, const char *job_id)
{
    const struct blocking b = { .callback = c, .server = server, .job_id = job_id };
    struct sockaddr_in from;
    int code = -1, fd, signo;

    while (code < 0) {
        switch (callback_wait(c, LOOK_EVERY_S, &fd, &from, &signo)) {
        case CALLBACK_CALL:
            code = take_call(&b, fd);
            break;
        case CALLBACK_SIGNAL:
            code = take_signal(&b, signo);
            break;
        case CALLBACK_TIME:
            code = look(&b);
        }
    }
    callback_let_go(c, held);
    return code;
}

void blocking_hold(struct callback *c)
{
    callback_hold(c, held);
}
