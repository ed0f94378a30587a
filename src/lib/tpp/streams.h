/* streams.h - the stream table of a leaf (tpp.md 3), pure.
 *
 * At each end a stream is a small number 'sd' and a magic; to the program it is a
 * number that is never used again. Slots rest 60 s after their end, so that a late
 * packet finds a dead slot and not a stranger's stream.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_TPP_STREAMS_H
#define LIB_TPP_STREAMS_H

#include "lib/wire/tpp.h"

#define STREAM_REST_S 60
#define STREAMS_MAX   (1u << 20)

struct streams;

/* What the table tells, in order. Callbacks may call streams_open(), streams_send() and
 * streams_close(). */
struct streams_events {
    void (*send)(void *arg, const struct tpp_packet *pkt);
    void (*message)(void *arg, uint64_t stream, const struct tpp_addr *peer,
                    const char *data, size_t len);
    void (*closed)(void *arg, uint64_t stream);
    void *arg;
};

/* 'own' is the source of all streams. */
struct streams *streams_new(const struct tpp_addr *own,
                            const struct streams_events *ev);
void streams_free(struct streams *s);

/* 0 when the table is full. */
uint64_t streams_open(struct streams *s, int64_t now_at,
                      const struct tpp_addr *peer) MUST_CHECK;
bool streams_send(struct streams *s, uint64_t stream, const void *data, size_t len);
void streams_close(struct streams *s, int64_t now_at, uint64_t stream);
/* The small number of a stream, for log lines; -1 when it is over. */
int streams_sd(const struct streams *s, uint64_t stream);
size_t streams_n_open(const struct streams *s);

/* A decoded packet from a router. False: a packet that no router may send (tpp.md 3,
 * "Bad input to a leaf"): the router connection is to be closed. */
bool streams_packet(struct streams *s, int64_t now_at, const struct tpp_packet *pkt,
                    struct arena *arena) MUST_CHECK;

/* The way to all peers was lost: every stream is over. */
void streams_net_down(struct streams *s, int64_t now_at);

#endif
