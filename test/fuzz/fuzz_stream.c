/* Fuzz target: what a router may send to a leaf: the stream table, its payloads
 * inflated. Packets stand one behind the other, as in a connection.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/tpp/inflate.h"
#include "lib/tpp/streams.h"

#include "fuzz.h"

const char fuzz_frames[] = "tpp.txt";

static void sent(void *arg, const struct tpp_packet *pkt)
{
    struct buf b = { 0 };

    (void)arg;
    tpp_encode(&b, pkt);
    FUZZ_CHECK(b.len > 4);
    buf_fini(&b);
}

static void arrived(void *arg, uint64_t stream, const struct tpp_addr *peer,
                    const char *data, size_t len)
{
    static volatile char sink;

    (void)arg;
    FUZZ_CHECK(stream && peer);
    for (size_t i = 0; i < len; i++)
        sink = data[i];
    (void)sink;
}

static void ended(void *arg, uint64_t stream)
{
    (void)arg;
    FUZZ_CHECK(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const struct tpp_addr own = { .ip = { 10, 77, 5, 1 }, .port = 15001 };
    static const struct streams_events events = { sent, arrived, ended, NULL };
    struct streams *s = streams_new(&own, &events);
    struct arena *arena = arena_new();
    int64_t now_at = 1790000000;
    uint64_t ours = streams_open(s, now_at, &own);
    size_t total = 0;

    (void)!streams_send(s, ours, "hello", 5);
    for (size_t at = 0;
         tpp_peek((const char *)data + at, len - at, len, &total) == TPP_READY;
         at += total) {
        struct tpp_packet pkt;

        if (!tpp_decode((const char *)data + at, total, arena, &pkt) ||
            !streams_packet(s, ++now_at, &pkt, arena))
            break;
    }
    streams_net_down(s, now_at);
    FUZZ_CHECK(streams_n_open(s) == 0);
    streams_free(s);
    arena_free(arena);
    return 0;
}
