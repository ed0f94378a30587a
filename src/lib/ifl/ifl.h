/* ifl.h - inside libpbs: thread state, connections, the one exchange.
 *
 * Every call is: build a body, ifl_ask(), turn the reply into what the caller gets.
 * Memory of an exchange is one arena; what the caller gets is malloc'd.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IFL_IFL_H
#define LIB_IFL_IFL_H

#include "lib/auth/session.h"
#include "lib/ifl/calls.h"
#include "lib/io/conf.h"
#include "lib/wire/batch.h"

#include <pthread.h>

/* state.c: what each thread has of its own. */

/* Remember code and text (copied, may be NULL) of the last reply on 'c'; 'c' may be -1
 * for errors of no connection. Sets pbs_errno. Returns 'code'. */
int ifl_set_error(int c, int code, const char *text);

/* Forget what is kept for a connection that is gone. */
void ifl_forget(int c);

/* The thread's room for names: PBS_MAXHOSTNAME + 1 bytes. */
char *ifl_default_name(void);

/* Account name of this process, looked up once a thread; NULL when it has none. The
 * effective one: that is whom the kernel names to the server. */
const char *ifl_user(void);

/* Attributes in error: start a new list, add to it (once for each attribute). */
void ifl_bad_attrs_clear(void);
void ifl_bad_attrs_add(const struct attrl *attr, int code, const char *text);

/* settings.c. */

/* The settings, read once; NULL (after the reason was printed) when they cannot be.
 * They stay valid for the life of the program, reloaded or not. */
const struct conf *ifl_conf(void);

/* handle.c: the table of connections, locks. */

struct ifl_handle {
    int fd;
    bool broken;   /* an exchange was cut off: nothing more can be understood */
    int timeout_s; /* for each reply */
    struct auth_session *session; /* encrypts all packets; NULL: in the clear */
    pthread_mutex_t lock;         /* recursive: held for a whole conversation */
};

/* 0 or a PBSE code; the descriptor is closed on failure. */
int ifl_handle_add(int fd, int timeout_s);
/* Locked, for the calling thread; NULL (with pbs_errno set) for no connection of ours.
 */
struct ifl_handle *ifl_handle_lock(int c);
void ifl_handle_unlock(struct ifl_handle *h);
/* Take out of the table and close; 'h' is locked by the caller and gone afterwards. */
void ifl_handle_close(struct ifl_handle *h);

/* failover.c. */

struct ifl_pair {
    int n;                  /* 1, or 2: try them in this order */
    const char *servers[2]; /* "host[:port]", of the settings or the caller */
    bool marked;            /* the secondary comes first */
};

/* The servers that stand behind a host's name and port; 'host' must outlive *ret. */
void ifl_pair_find(const struct conf *conf, const char *host, unsigned port,
                   struct ifl_pair *ret);
/* servers[which] answered: remember it for the next time. */
void ifl_pair_used(const struct conf *conf, const struct ifl_pair *pair, int which);

/* authenticate.c. */

/* Have the server believe who we are, on a TCP connection that has been greeted and is
 * in the table. 0, or -1 with pbs_errno set and the reason printed. */
int ifl_authenticate(const struct conf *conf, int c, const char *host, unsigned port);

/* iff_vouch.c. */

/* Have the helper vouch for this connection: 0, or the code it wrote (15019 refused by
 * the server), or -1 when it could not be run or said nothing. */
int ifl_resvport(const struct conf *conf, int fd, const char *host, unsigned port);

/* ask.c. */

/* What came back: the last reply, and the objects of all parts of a status reply. */
struct ifl_answer {
    struct wire_reply
        reply; /* texts are in 'arena'; its own objects are not to be used */
    struct batch_status *list; /* malloc'd; whoever takes it puts NULL here */
    struct arena *arena;
};

/* Send a request and read the whole answer. Returns 0 or the code; pbs_errno and the
 * connection's text are set from the reply. *ret is to be ended in any case; without a
 * reply its choice is 0. */
int ifl_ask(int c, uint32_t number, const void *body, const char *extend,
            struct ifl_answer *ret);
void ifl_answer_fini(struct ifl_answer *a);

/* Send one that is never answered. */
int ifl_tell(int c, uint32_t number, const void *body, const char *extend);

/* Packets that are no DIS messages: tokens of a handshake, as they are. False: the
 * connection is lost, or there was nothing in time. *payload is the caller's to end. */
bool ifl_send_packet(const struct ifl_handle *h, uint8_t type, const void *data,
                     size_t len);
bool ifl_recv_packet(const struct ifl_handle *h, uint8_t *type, struct buf *payload);

/* Milliseconds of a clock that only goes forward. */
int64_t ifl_now_ms(void);
/* True when 'fd' is ready for 'events' (of poll()), false when it is not by 'until_ms'
 * of that clock. */
bool ifl_wait(int fd, short events, int64_t until_ms);

/* For calls that only return a code. */
int ifl_do(int c, uint32_t number, const void *body, const char *extend);

/* For calls that return the reply's text when its choice is 'choice' (Text: always):
 * malloc'd, or NULL with pbs_errno set. */
char *ifl_ask_text(int c, uint32_t number, const void *body, const char *extend,
                   uint32_t choice);

/* For calls that return what a status reply says, for ifl_statfree(); NULL with
 * pbs_errno 0 when there is nothing. */
struct batch_status *ifl_ask_status(int c, uint32_t number, const void *body,
                                    const char *extend);

/* No id: 15004 without words. */
bool ifl_has_id(int c, const char *id);

/* ifl_convert.c. */

/* The list as it travels: *ret points to the caller's texts, ret->v is for free().
 * 'as_set': each operator becomes SET. Wanted attributes have no values. 0, or
 * PBSE_SYSTEM set as the connection's error. */
int ifl_attrs(int c, const struct attropl *list, bool as_set, struct wire_attrs *ret);
int ifl_wanted(int c, const struct attrl *list, struct wire_attrs *ret);

/* Append malloc'd copies in the reply's order where **end points, and move *end behind
 * them. 0 or PBSE_SYSTEM; what was appended stays. */
int ifl_status_list(const struct wire_objects *objects, struct batch_status ***end);

/* One entry, all malloc'd; NULL: no memory. */
struct attrl *ifl_attrl_new(const char *name, const char *resource, const char *value,
                            enum batch_op op);

/* paths.c. */

/* A path of -o or -e as it travels: *ret malloc'd. PBSE_BADATVAL: it is none, or its
 * host is unknown; PBSE_SYSTEM. May ask the resolver. */
int ifl_path(const struct conf *conf, const char *text, char **ret);

struct ifl_paths {
    const struct attropl *list; /* to be sent: the caller's, or one with other paths */
    size_t n;                   /* private */
    struct attropl *nodes;
    bool *made;
};

/* The list with complete paths; to be ended in any case. 0 or the error, set. */
int ifl_paths(int c, const struct attropl *list, struct ifl_paths *ret);
void ifl_paths_fini(struct ifl_paths *p);

/* subjobs.c. */

/* Put the subjobs that remain behind their parents, in the order of the indices. 0,
 * PBSE_SYSTEM, or PBSE_PROTOCOL: more of them than anybody has. */
int ifl_fill_subjobs(struct batch_status *list);

/* verify.c: names and values are checked before they travel (wire.md 15.3). */

struct ifl_wish {
    uint32_t number; /* enum batch_number */
    int command;     /* of Manager, else MGR_CMD_NONE */
    int object;      /* enum mgr_obj */
    const struct attrl *attrs;
};

/* 0, or the first error with the connection's text set; all of them are listed. */
int ifl_verify_wish(int c, const struct ifl_wish *wish);
int ifl_verify(int c, uint32_t number, int object, const struct attrl *list);

/* False after set_no_attribute_verification(): nothing is checked on this side. */
bool ifl_verifies(void);

/* The name of an object that is to be created. 0 or the error, set. */
int ifl_verify_name(int c, int command, int object, const char *name);

#endif
