/* harness.h - a server's core in a test: feed it inputs, look at its effects.
 *
 * The clock is a number that the test moves. Each input replaces the effects of the one
 * before; what they point to lives until the rig is freed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_UNIT_SERVER_HARNESS_H
#define TEST_UNIT_SERVER_HARNESS_H

#include "server/engine/svr.h"
#include "server/requests/manager.h"

/* Short names for tables of cases: commands of Manager, status requests. */
enum {
    CREATE = MANAGER_CREATE,
    DELETE = MANAGER_DELETE,
    SET = MANAGER_SET,
    UNSET = MANAGER_UNSET,
    IMPORT = MANAGER_IMPORT,
    EXPORT = MANAGER_EXPORT,
    SVR = BATCH_STATUS_SERVER,
    QUE = BATCH_STATUS_QUEUE,
    NOD = BATCH_STATUS_NODE,
    SCH = BATCH_STATUS_SCHED,
};

struct rig {
    struct svr *s;
    struct arena *arena;
    struct effects out; /* of the last input */
    int64_t now_at;
    uint64_t conn;       /* of the last request */
    uint64_t sched_conn; /* the scheduler's secondary one */
};

/* The one file in the server's hook directory; what the server writes is named
 * "written". */
extern struct rig_file {
    const char *name;
    char data[8192];
    size_t len;
} rig_file;

#define RIG_START_AT 1800000000
#define RIG_ROOT     "root"
#define RIG_USER     "ann"
#define RIG_HOST     "svr.example"

/* A server after its first start: "svr" on RIG_HOST. */
struct rig *rig_new(void);
void rig_free(struct rig *r);

/* The server dies and starts again from what it had stored; clients are gone. */
void rig_restart(struct rig *r);
void rig_restart_as(struct rig *r, enum svr_start type);

/* A request of a user on a connection of its own; root is the server's uid, and
 * "user@host" is on another host. Returns the reply, NULL when there is none (yet). */
const struct wire_reply *rig_ask(struct rig *r, const char *user, uint32_t number,
                                 const void *body, const char *extend);
/* The same on a connection that the test knows. */
const struct wire_reply *rig_ask_on(struct rig *r, uint64_t conn, const char *user,
                                    uint32_t number, const void *body,
                                    const char *extend);

/* What a slice of a long request, or of what follows from an input, costs in rigs that
 * are made from now on; 0: the default (config.h). */
extern size_t rig_slice_cost;

/* Rigs that are made from now on know no account beforehand: EFFECT_FIND_OUT. */
extern bool rig_finds_out;

/* So many numbers of jobs are kept with one record in rigs that are made, or start
 * again, from now on; 0: 1 (config.h). */
extern uint32_t rig_number_window;

/* While it is true nobody's groups are known beforehand: EFFECT_FIND_OUT. */
extern bool rig_hides_groups;

/* The one equivalence that the files of the host know: "account user@host"; NULL. */
extern const char *rig_trusted;

/* Rigs that are made from now on ask hooks for their verdict: EFFECT_FIND_OUT. */
extern bool rig_runs_hooks;

/* One slice of the parked request whose turn it is, or of what was put off; the effects
 * are of it alone. The reply to 'conn', NULL when there is none yet. */
const struct wire_reply *rig_go_on(struct rig *r, uint64_t conn);

/* Go on until all has followed from what was before; the effects of all of it. At each
 * step everybody who has to look at something is told to. */
void rig_settle(struct rig *r);

/* A Manager request. 'attrs' is "name=value name.resource+=value name-=value name="
 * with blanks between. Returns the code of the reply; its text is in rig_text(). */
int rig_manager(struct rig *r, const char *user, uint32_t command, uint32_t type,
                const char *name, const char *attrs);
/* The text of the last reply, "" when it had none. */
const char *rig_text(const struct rig *r);

/* A status request of one object kind; NULL when it was refused. 'wanted' has blanks
 * between the names, "" for all. */
const struct wire_objects *rig_status(struct rig *r, const char *user, uint32_t number,
                                      const char *id, const char *wanted);
/* One value of an object: "name" or "name.resource"; NULL when it is not shown. */
const char *rig_value(struct rig *r, const char *user, uint32_t number, const char *id,
                      const char *attr);

/* Carry out what is due at 'at', one deadline after the other. Effects of all of them.
 */
void rig_advance(struct rig *r, int64_t at);

/* Register and attach the default scheduler; commands are in the effects. */
uint64_t rig_attach_sched(struct rig *r);
/* The scheduler says that its cycle is over. */
void rig_sched_done(struct rig *r);

/* Looking at effects: how many of a kind, the n-th, the reply to a connection. */
size_t rig_count(const struct rig *r, enum effect_kind kind);
const struct effect *rig_effect(const struct rig *r, enum effect_kind kind, size_t n);
const struct wire_reply *rig_reply(const struct rig *r, uint64_t conn);
bool rig_logged(const struct rig *r, const char *text);

/* The attribute list of "name=value ..." as in rig_manager(). */
struct wire_attrs rig_attrs(struct rig *r, const char *text);

/* True when a model rebuilt from the stored attributes equals the live one. */
bool rig_is_same(struct rig *r);

#endif
