/* client.h - one connection of the table, shared by clients.c and the files that serve
 * it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_CLIENT_H
#define SERVER_SHELL_CLIENT_H

#include "lib/base/buf.h"
#include "lib/io/conn.h"
#include "lib/io/listen.h"
#include "server/shell/client_life.h"
#include "server/shell/clients.h"
#include "server/shell/crowd.h"
#include "server/shell/lookups.h"
#include "server/shell/trust.h"

#include <netinet/in.h>
#include <uthash.h>

/* Connections at a time; less when the system gives fewer descriptors. */
#define CLIENTS_MAX               10000
/* Descriptors left for files, the store, the router network, and connections that are
 * refused with an answer. */
#define CLIENTS_SPARE_FDS         96
/* Connections kept for root, so that a full table can be looked into. */
#define CLIENTS_FOR_ROOT          8
/* Strangers: connections that nobody has been authenticated on. They have nothing large
 * to say, and this long to become somebody: longer than a helper that has to wait for a
 * reserved port (wire.md 4.2). */
#define CLIENT_MAX_STRANGER_BYTES (64u << 10)
#define CLIENT_STRANGER_MS        120000
/* One message of an ordinary user: what it takes to look at it is time of all. Root, at
 * this host, has CONN_MAX_FRAME_BYTES. */
#define CLIENT_MAX_USER_BYTES     (8u << 20)
/* Replies that a client has not read: while there are more its requests wait. */
#define CLIENT_MAX_UNREAD_BYTES   (1u << 20)
/* What long replies hold while they are gathered and read. When it is more, no further
 * ones are gathered, and whoever has read nothing for so long goes. */
#define CLIENTS_MAX_HELD_BYTES    ((size_t)512 << 20)
#define CLIENT_STALLED_MS         2000
/* One message may come in so many packets, and is not longer than this then: its front
 * is read again with each. */
#define CLIENT_MAX_PACKETS        256
#define CLIENT_MAX_SPREAD_BYTES   (1u << 20)
/* Requests of a connection in one turn, before it is the others'. */
#define CLIENT_TURN_REQUESTS      32
/* Parked requests go on for so long in one turn. */
#define CLIENTS_WORK_MS           2

struct client {
    struct clients *all;
    uint64_t number; /* never used again */
    struct conn *conn;
    struct seeker seeker;    /* LOOKING: for the request at the front of 'message' */
    bool local;              /* on the Unix socket */
    uid_t uid;               /* of its peer there */
    struct sockaddr_in peer; /* TCP */
    char user[257];          /* whose it is; "" as long as nobody is authenticated */
    char host[256];          /* where from */
    bool host_root;          /* root of this host, by a helper's word */
    bool server_uid;         /* root or the server's own uid, by the kernel's word */
    struct buf message;      /* payload of packets */
    size_t message_at;       /* served up to here */
    unsigned n_packets;      /* of the message that is not whole yet */
    size_t counted;          /* besides the connection's own, in the budget */
    uint32_t request;        /* number of the last one that was served */
    bool is_server;          /* another server, by its reserved port */
    bool scheduler;          /* one of its two */
    enum life life;          /* written by client_happens() */
    uint64_t rests_since;    /* RESTING: the turn in which it began to */
    int64_t wrote_ms;        /* when a part of it was written last */
    struct buf part;         /* of it, on a connection that is encrypted */
    struct handshake *shake; /* under way: nothing is served */
    struct auth_session *session; /* encrypts; NULL: in the clear */
    enum crowd_rank rank;
    struct share *share;                  /* whose connections it is one of */
    int64_t since_ms;                     /* when it came, by the monotonic clock */
    struct client *prev, *next;           /* in order of arrival */
    struct client *s_prev, *s_next;       /* the same, strangers only */
    struct client *life_prev, *life_next; /* all in the same state, oldest first */
    UT_hash_handle hh;                    /* by number */
};

struct clients {
    struct shell *sh;
    struct listener *tcp, *local;
    struct client *by_number, *list, *strangers;
    uint64_t last_number;
    struct client *in[LIFE_COUNT]; /* by state: who came into it first is first */
    const struct client *serving;  /* whose request is under way */
    uint64_t turn;                 /* of those that rest */
    struct loop_timer *gather;
    struct buf bytes; /* of one write of a long reply */
    struct crowd crowd;
    int64_t stranger_ms;
    /* Bytes of memory: messages that are not whole, jobs that are being sent, replies
     * that are not read. When it is more, whoever has most of it goes. */
    size_t max_memory, max_user_memory, max_stranger_memory;
    /* The same for what was decided and is not saved yet: a client waits whose user has
     * more. */
    size_t max_unsaved, max_user_unsaved;
    size_t max_held;
    int64_t stalled_ms;
    struct loop_timer *squeeze;
    int64_t crowded_at; /* when a full table was logged last */
    struct loop_timer *resume, *sweep;
    struct loop_timer *work; /* parked requests go on */
    struct methods *methods;
};

/* serve.c: a packet came; bytes left over from before. */
void serve_packet(struct client *c, const char *data, size_t len);
void serve_rest(struct client *c);
/* What became of its request, which was served now or in a later turn. */
void client_fate(struct client *c, enum svr_outcome outcome);

/* vouch.c: Authenticate: a helper says whose another connection is, or the handshake of
 * a method begins (wire.md 4). False: something has to be looked up for that, nothing
 * was done. From client_become() on the connection is that user's, of that host. */
bool serve_authenticate(struct client *c, const struct wire_request *rq) MUST_CHECK;
void client_become(struct client *c, const char *user, const char *host);
/* Another server sends no Authenticate: its reserved port says who it is, where that
 * counts (wire.md 14). False: something has to be looked up first. Afterwards the
 * connection is a server's (is_server), or nobody's still. */
bool serve_as_server(struct client *c, const struct wire_request *rq) MUST_CHECK;

/* clients.c: something happens to it; the only writer of client.life. What cannot
 * happen in its state is a broken promise: ask client_can() about what comes from
 * outside. */
void client_happens(struct client *c, enum life_event event);
bool client_can(const struct client *c, enum life_event event);
bool client_is_closing(const struct client *c);
/* It ends: the core drops what it held for it. */
void client_gone(struct client *c);
/* Its buffers have changed, or the job that it is sending. */
void client_count(struct client *c);

/* client_admit.c: it is somebody's now: 'user' and 'host_root' are set. Should that
 * user have too many connections it is told so and ends. */
void client_is_known(struct client *c);
/* Whose a connection on the local socket is: by the name of c->uid, which may have to
 * be looked up first; it is called again then. */
void client_name_local(struct client *c);
/* It is a stranger from 'key', who is turned out when nobody has become of it in time.
 */
void client_enter_stranger(struct client *c, const char *key);
/* It belongs to nobody any more; its memory is not counted. */
void client_leave(struct client *c);
/* Is there room for one more of that rank and party, also when somebody else has to go,
 * who has gone then? */
bool clients_make_room(struct clients *cs, enum crowd_rank rank,
                       const char *key) MUST_CHECK;
/* A timer: strangers that have not become somebody in time go. */
void clients_sweep(void *clients);

/* client_budget.c: close connections until nobody, and all together, make the server
 * hold no more than the settings allow. */
void clients_keep_budgets(struct clients *cs);

/* Answer with a code of the shell's own, and close when 'close'. */
void client_refuse(struct client *c, uint32_t number, const char *user, int code,
                   bool close);
/* The same with other words than the code's. */
void client_refuse_as(struct client *c, uint32_t number, const char *user, int code,
                      const char *text);
void client_send_reply(struct client *c, const struct wire_reply *reply);

/* long_reply.c: a part of a long status can be read; there is room for more of it; the
 * turn of those for whom the core is gathering. */
void long_reply_read(struct client *c);
void long_reply_write(struct client *c);
void long_replies_gather(void *clients);
/* They hold too much; whether and who is looked at again after a while. */
void long_replies_squeeze(void *clients);

/* sched_conn.c: whether this connection's user is one that the settings name for a
 * scheduler. Whether he, on the host that it comes from, may be the scheduler of that
 * name. A packet on its secondary connection, and a command for it. */
bool sched_conn_is_schedulers_user(const struct client *c);
enum trust sched_conn_may_register(struct client *c, const char *sched);
void sched_conn_packet(struct client *c, const char *data, size_t len);
void sched_conn_command(struct client *c, int32_t command, const char *job_id);

#endif
