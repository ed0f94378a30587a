/* Threads that share a connection and have their own: each gets its own answers and its
 * own errors. Meant to be run under a thread checker too.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include "../unit.h"
#include "lib/wire/packet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define N_THREADS  8
#define N_ROUNDS   100
#define CODE_ROUND 7 /* each so many rounds a request is refused */

/* A server that locates every job at the job's own name. */

static bool take(int fd, char *to, size_t len)
{
    while (len > 0) {
        ssize_t n = recv(fd, to, len, 0);

        if (n <= 0)
            return false;
        to += n;
        len -= (size_t)n;
    }
    return true;
}

static void answer(int fd, const struct wire_request *rq)
{
    const char *id = ((const struct body_id *)rq->body)->id;
    struct wire_reply reply = { .choice = REPLY_LOCATE, .text = id };
    struct buf payload = { 0 }, frame = { 0 };

    if (strstr(id, "refuse")) {
        reply.code = PBSE_UNKJOBID;
        reply.choice = REPLY_TEXT;
    }
    batch_encode_reply(&payload, &reply);
    packet_put(&frame, PACKET_DATA, payload.data, payload.len);
    if (send(fd, frame.data, frame.len, MSG_NOSIGNAL) < 0)
        perror("send");
    buf_fini(&payload);
    buf_fini(&frame);
}

static void *serve(void *arg)
{
    int fd = *(int *)arg;
    char frame[PACKET_HEADER_BYTES + 4096];
    struct arena *arena = arena_new();
    struct wire_request rq;
    bool known;

    while (take(fd, frame, PACKET_HEADER_BYTES)) {
        size_t len = (size_t)(unsigned char)frame[9] << 8 | (unsigned char)frame[10];

        if (len > 4096 || !take(fd, frame, len) ||
            batch_decode_request(frame, len, arena, &rq, &known))
            break;
        answer(fd, &rq);
        arena_clear(arena);
    }
    arena_free(arena);
    close(fd);
    return NULL;
}

struct link {
    int c, peer;
    pthread_t server;
};

static void link_open(struct link *l)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || ifl_handle_add(pair[0], 60))
        abort();
    l->c = pair[0];
    l->peer = pair[1];
    if (pthread_create(&l->server, NULL, serve, &l->peer))
        abort();
}

static void link_close(struct link *l)
{
    ifl_handle_close(ifl_handle_lock(l->c));
    pthread_join(l->server, NULL);
}

/* Clients. */

struct client {
    int number;
    int shared;
    const char *wrong; /* the first thing that was not as it must be */
};

static bool ask(struct client *me, int c, int round)
{
    char id[64], *where;
    bool refused = round % CODE_ROUND == 0, good;

    snprintf(id, sizeof(id), "%s%d.%d", refused ? "refuse" : "", me->number, round);
    where = pbs_locjob(c, id, NULL);
    good = refused
               ? !where && pbs_errno == PBSE_UNKJOBID && str_same(pbs_geterrmsg(c), id)
               : str_same(where, id) && pbs_errno == 0 && !pbs_geterrmsg(c);
    free(where);
    return good;
}

static bool verify(const struct client *me, int c)
{
    char name[32], value[] = "1", walltime[] = "walltime", list[] = "Resource_List";
    char bad[] = "x";
    struct attrl resource = { NULL, list, walltime, bad, SET };
    struct attrl a = { &resource, name, NULL, value, SET };
    const struct ecl_attribute_errors *errors;

    snprintf(name, sizeof(name), "nosuch%d", me->number);
    if (pbs_alterjob(c, "1.x", &a, NULL) != PBSE_NOATTR)
        return false;
    errors = pbs_get_attributes_in_error(c);
    return errors && errors->ecl_numerrors == 2 &&
           str_same(errors->ecl_attrerr[0].ecl_attribute->name, name);
}

static void *client(void *arg)
{
    struct client *me = arg;

    for (int i = 0; i < N_ROUNDS && !me->wrong; i++) {
        struct link own;

        if (!ask(me, me->shared, i))
            me->wrong = "answer on the shared connection";
        link_open(&own);
        if (!ask(me, own.c, i))
            me->wrong = "answer on its own connection";
        if (!verify(me, own.c))
            me->wrong = "attributes in error";
        link_close(&own);
        if (i % 10 == 0 && (pbs_loadconf(me->number == 0) != 1 ||
                            !str_same(pbs_default(), "localhost")))
            me->wrong = "settings";
    }
    return NULL;
}

static void test_each_thread_gets_its_own(void)
{
    pthread_t threads[N_THREADS];
    struct client clients[N_THREADS];
    struct link shared;

    link_open(&shared);
    for (int i = 0; i < N_THREADS; i++) {
        clients[i] = (struct client){ .number = i, .shared = shared.c };
        CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, client, &clients[i]),
                              0);
    }
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(threads[i], NULL);
        if (clients[i].wrong)
            printf("\nthread %d: %s\n", i, clients[i].wrong);
        CU_ASSERT_PTR_NULL(clients[i].wrong);
    }
    link_close(&shared);
}

int main(void)
{
    static const struct unit_case tests[] = {
        { "each thread gets its own", test_each_thread_gets_its_own },
    };

    setenv("PBS_CONF_FILE", "/nonexistent", 1);
    setenv("PBS_HOME", "/nonexistent", 1);
    setenv("PBS_EXEC", "/nonexistent", 1);
    setenv("PBS_SERVER", "localhost", 1);
    return unit_main("libpbs and threads", tests, ARRAY_LEN(tests));
}
