/* streams.c - see streams.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/tpp/streams.h"

#include "lib/tpp/inflate.h"
#include "lib/wire/packet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define uthash_malloc(size)    xmalloc(size)
#define uthash_free(ptr, size) free(ptr)
#include <uthash.h>

enum slot_state {
    SLOT_FREE,
    SLOT_OPEN,
    SLOT_DELETED, /* ended, resting */
};

/* Who is at the other end, as packets without a dest_sd name it. */
struct peer_key {
    struct tpp_addr addr;
    uint32_t sd;
    uint32_t magic;
};

struct slot {
    enum slot_state state;
    uint64_t stream;
    uint32_t sd;
    uint32_t magic;
    bool peer_known;
    struct peer_key peer; /* addr always; sd and magic when peer_known */
    int64_t free_at;
    struct slot *next_resting;
    UT_hash_handle hh; /* in by_peer when peer_known and open */
};

struct streams {
    struct tpp_addr own;
    struct streams_events ev;
    struct slot **slots; /* by sd; slots never move */
    size_t n_slots;
    size_t cap;
    size_t n_open;
    uint64_t counter;
    struct slot *by_peer;
    struct slot *resting; /* oldest first */
    struct slot **resting_end;
};

struct streams *streams_new(const struct tpp_addr *own, const struct streams_events *ev)
{
    struct streams *s = xcalloc(1, sizeof(*s));

    s->own = *own;
    s->ev = *ev;
    s->resting_end = &s->resting;
    return s;
}

void streams_free(struct streams *s)
{
    if (!s)
        return;
    HASH_CLEAR(hh, s->by_peer);
    for (size_t i = 0; i < s->n_slots; i++)
        free(s->slots[i]);
    free(s->slots);
    free(s);
}

size_t streams_n_open(const struct streams *s)
{
    return s->n_open;
}

/* The slot of an open stream. A stream's number is never used again, so an old
 * number finds nothing even when its slot has a new stream. */
static struct slot *find(const struct streams *s, uint64_t stream)
{
    uint64_t sd = stream % STREAMS_MAX;

    if (stream == 0 || sd >= s->n_slots)
        return NULL;
    return s->slots[sd]->state == SLOT_OPEN && s->slots[sd]->stream == stream
               ? s->slots[sd]
               : NULL;
}

int streams_sd(const struct streams *s, uint64_t stream)
{
    const struct slot *sl = find(s, stream);

    return sl ? (int)sl->sd : -1;
}

/* One more slot; NULL when there are as many as a number on the wire can name. */
static struct slot *append_slot(struct streams *s)
{
    /* Peers choose how many streams they open, so there is an end to it. */
    if (s->n_slots == STREAMS_MAX)
        return NULL;
    if (s->n_slots == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 16;
        s->slots = xrealloc(s->slots, s->cap * sizeof(struct slot *));
    }
    MUST(s->n_slots < s->cap);
    s->slots[s->n_slots] = xcalloc(1, sizeof(struct slot));
    s->slots[s->n_slots]->sd = (uint32_t)s->n_slots;
    return s->slots[s->n_slots++];
}

/* A slot that has rested long enough, else a new one: packets of its last stream may
 * still be under way for a while. */
static struct slot *take_slot(struct streams *s, int64_t now_at)
{
    struct slot *sl = s->resting;

    if (!sl || sl->free_at > now_at)
        return append_slot(s);
    MUST(sl->state == SLOT_DELETED);
    s->resting = sl->next_resting;
    if (!s->resting)
        s->resting_end = &s->resting;
    return sl;
}

static struct slot *open_slot(struct streams *s, int64_t now_at,
                              const struct tpp_addr *peer)
{
    struct slot *sl = take_slot(s, now_at);
    uint32_t sd;

    if (!sl)
        return NULL;
    MUST(sl->state != SLOT_OPEN);
    sd = sl->sd;
    memset(sl, 0, sizeof(*sl));
    sl->sd = sd;
    sl->state = SLOT_OPEN;
    /* The magic tells two lives of a slot apart. A slot rests for STREAM_REST_S in
     * between, so they never begin in the same second. */
    sl->magic = (uint32_t)now_at;
    /* The slot can be read off the number, so that nothing has to be searched; the
     * counter makes it new. */
    sl->stream = ++s->counter * STREAMS_MAX + sd;
    /* The members are copied one by one: the bytes between them stay zero, and the
     * whole is hashed. */
    memcpy(sl->peer.addr.ip, peer->ip, sizeof(peer->ip));
    sl->peer.addr.port = peer->port;
    sl->peer.addr.family = peer->family;
    s->n_open++;
    return sl;
}

/* The slot is not used any more; the other end is not told. */
static void end_slot(struct streams *s, int64_t now_at, struct slot *sl)
{
    MUST(sl->state == SLOT_OPEN && s->n_open > 0);
    if (sl->peer_known)
        HASH_DEL(s->by_peer, sl);
    sl->state = SLOT_DELETED;
    sl->free_at = now_at + STREAM_REST_S;
    sl->next_resting = NULL;
    *s->resting_end = sl;
    s->resting_end = &sl->next_resting;
    s->n_open--;
}

static void end_and_tell(struct streams *s, int64_t now_at, struct slot *sl)
{
    uint64_t stream = sl->stream;

    /* Who is told may open a stream, and may find this slot ended. */
    end_slot(s, now_at, sl);
    s->ev.closed(s->ev.arg, stream);
}

uint64_t streams_open(struct streams *s, int64_t now_at, const struct tpp_addr *peer)
{
    struct slot *sl = open_slot(s, now_at, peer);

    return sl ? sl->stream : 0;
}

static struct tpp_packet packet_for(const struct streams *s, const struct slot *sl,
                                    enum tpp_type type)
{
    return (struct tpp_packet){
        .type = type,
        .src_magic = sl->magic,
        .src_sd = sl->sd,
        .dest_sd = sl->peer_known ? sl->peer.sd : TPP_NO_SD,
        .src_addr = s->own,
        .dest_addr = sl->peer.addr,
    };
}

bool streams_send(struct streams *s, uint64_t stream, const void *data, size_t len)
{
    struct slot *sl = find(s, stream);
    struct tpp_packet pkt;
    struct buf frame = { 0 };

    if (!sl)
        return false;
    packet_put(&frame, PACKET_DATA, data, len);
    pkt = packet_for(s, sl, TPP_DATA);
    pkt.payload = frame.data;
    pkt.payload_len = frame.len;
    pkt.totlen = (uint32_t)frame.len;
    s->ev.send(s->ev.arg, &pkt);
    buf_fini(&frame);
    return true;
}

void streams_close(struct streams *s, int64_t now_at, uint64_t stream)
{
    struct slot *sl = find(s, stream);
    struct tpp_packet pkt;

    if (!sl)
        return;
    pkt = packet_for(s, sl, TPP_CLOSE_STRM);
    /* The packet was made before, from what the slot still knew. */
    end_slot(s, now_at, sl);
    s->ev.send(s->ev.arg, &pkt);
}

static void send_noroute(struct streams *s, const struct tpp_packet *to,
                         const char *text)
{
    const struct tpp_packet pkt = { .type = TPP_CTL_MSG,
                                    .code = TPP_CTL_NOROUTE,
                                    .src_sd = to->src_sd,
                                    .src_addr = to->dest_addr,
                                    .dest_addr = to->src_addr,
                                    .text = text };

    s->ev.send(s->ev.arg, &pkt);
}

/* A packet that names its stream (tpp.md 3, step 2): NULL when it may not use it, and
 * then the sender was told. */
static struct slot *named_slot(struct streams *s, const struct tpp_packet *pkt)
{
    struct slot *sl = pkt->dest_sd < s->n_slots ? s->slots[pkt->dest_sd] : NULL;
    char text[80] = "";

    /* Both ends are compared: a peer that guesses numbers gets into no stream but its
     * own. */
    if (sl && sl->state == SLOT_OPEN && tpp_addr_same(&sl->peer.addr, &pkt->src_addr) &&
        (!sl->peer_known || sl->peer.sd == pkt->src_sd))
        return sl;
    if (sl)
        snprintf(text, sizeof(text), "Data to sd=%u %s", pkt->dest_sd,
                 sl->state == SLOT_OPEN ? "mismatch dest info in stream"
                                        : "which is deleted");
    if (pkt->type == TPP_DATA)
        send_noroute(s, pkt, text);
    return NULL;
}

/* The key is compared as bytes, also those between its members. */
static struct peer_key key_of(const struct tpp_packet *pkt)
{
    struct peer_key key;

    memset(&key, 0, sizeof(key));
    memcpy(key.addr.ip, pkt->src_addr.ip, sizeof(key.addr.ip));
    key.addr.port = pkt->src_addr.port;
    key.addr.family = pkt->src_addr.family;
    key.sd = pkt->src_sd;
    key.magic = pkt->src_magic;
    return key;
}

/* The first packet from the other end tells its number. Another stream may have that
 * key already; then this one stays without. */
static void learn_peer(struct streams *s, struct slot *sl, const struct tpp_packet *pkt)
{
    struct slot *other;
    struct peer_key key = key_of(pkt);

    if (sl->peer_known)
        return;
    HASH_FIND(hh, s->by_peer, &key, sizeof(key), other);
    if (other)
        return;
    MUST(sl->state == SLOT_OPEN);
    sl->peer = key;
    sl->peer_known = true;
    HASH_ADD(hh, s->by_peer, peer, sizeof(sl->peer), sl);
}

/* The slot of a packet that does not name our number yet: that of its stream, or of a
 * new one if it brings data. */
static struct slot *unnamed_slot(struct streams *s, int64_t now_at,
                                 const struct tpp_packet *pkt)
{
    struct peer_key key = key_of(pkt);
    struct slot *sl;

    HASH_FIND(hh, s->by_peer, &key, sizeof(key), sl);
    MUST(!sl || sl->state == SLOT_OPEN); /* a stream that ends leaves the table */
    /* The end of a stream that nobody knows does not begin one. */
    if (sl || pkt->type == TPP_CLOSE_STRM)
        return sl;
    sl = open_slot(s, now_at, &pkt->src_addr);
    if (!sl)
        send_noroute(s, pkt, "");
    return sl;
}

/* Hand over all frames of one packet. A wrong frame ends the stream, and so may whoever
 * gets one: then the rest is dropped. */
static void take_frames(struct streams *s, int64_t now_at, struct slot *sl,
                        const char *data, size_t len)
{
    /* A callback may end this stream; then nothing may be read from its slot any
     * more. */
    uint64_t stream = sl->stream;
    struct tpp_addr peer = sl->peer.addr;
    struct packet f;

    do {
        if (packet_peek(data, len, TPP_MAX_PAYLOAD_BYTES, &f) != PACKET_READY) {
            streams_close(s, now_at, stream);
            s->ev.closed(s->ev.arg, stream);
            return;
        }
        s->ev.message(s->ev.arg, stream, &peer, f.data, f.len);
        MUST(f.total_bytes <= len);
        data += f.total_bytes;
        len -= f.total_bytes;
    } while (len > 0 && find(s, stream));
}

static bool take_data(struct streams *s, int64_t now_at, const struct tpp_packet *pkt,
                      struct arena *arena)
{
    bool named = pkt->dest_sd != TPP_NO_SD;
    const char *data;
    size_t len;
    struct slot *sl;

    if (pkt->payload_len == 0 && pkt->type == TPP_DATA)
        return named; /* older daemons acknowledge so; without a number it is wrong */
    sl = named ? named_slot(s, pkt) : unnamed_slot(s, now_at, pkt);
    if (!sl)
        return true;
    learn_peer(s, sl, pkt);
    if (pkt->type == TPP_CLOSE_STRM) {
        end_and_tell(s, now_at, sl);
        return true;
    }
    if (!tpp_plain_payload(pkt, arena, &data, &len))
        return false;
    take_frames(s, now_at, sl, data, len);
    return true;
}

/* True for streams up to number 'last'. Callbacks may open others while streams are
 * gone through, and those stay. */
static bool was_open(const struct slot *sl, uint64_t last)
{
    return sl->state == SLOT_OPEN && sl->stream / STREAMS_MAX <= last;
}

static bool is_listed(const struct tpp_addr *addr, const struct tpp_packet *pkt)
{
    for (size_t i = 0; i < pkt->n_addrs; i++)
        if (tpp_addr_same(addr, &pkt->addrs[i]))
            return true;
    return false;
}

/* Daemons at these addresses are gone from the network: so are the streams to them. */
static void take_leave(struct streams *s, int64_t now_at, const struct tpp_packet *pkt)
{
    /* Slots may be added by callbacks while this runs; they do not move, and was_open()
     * passes new streams over. */
    uint64_t last = s->counter;

    for (size_t i = 0; i < s->n_slots; i++)
        if (was_open(s->slots[i], last) && is_listed(&s->slots[i]->peer.addr, pkt))
            end_and_tell(s, now_at, s->slots[i]);
}

static void take_noroute(struct streams *s, int64_t now_at,
                         const struct tpp_packet *pkt)
{
    struct slot *sl = pkt->src_sd < s->n_slots ? s->slots[pkt->src_sd] : NULL;

    /* Only a word about our packets to that address ends the stream; a NOROUTE of any
     * other leaf is a lie or late. */
    if (sl && sl->state == SLOT_OPEN && tpp_addr_same(&sl->peer.addr, &pkt->src_addr))
        end_and_tell(s, now_at, sl);
}

bool streams_packet(struct streams *s, int64_t now_at, const struct tpp_packet *pkt,
                    struct arena *arena)
{
    switch (pkt->type) {
    case TPP_DATA:
    case TPP_CLOSE_STRM:
        return take_data(s, now_at, pkt, arena);
    case TPP_LEAVE:
        take_leave(s, now_at, pkt);
        return true;
    case TPP_CTL_MSG:
        if (pkt->code == TPP_CTL_NOROUTE)
            take_noroute(s, now_at, pkt);
        return true;
    default:
        return false;
    }
}

void streams_net_down(struct streams *s, int64_t now_at)
{
    uint64_t last = s->counter;

    for (size_t i = 0; i < s->n_slots; i++)
        if (was_open(s->slots[i], last))
            end_and_tell(s, now_at, s->slots[i]);
}
