/* is.h - messages between server and MoM as structs (tpp.md 5 and 6).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_WIRE_IS_H
#define LIB_WIRE_IS_H

#include "lib/wire/batch.h"

enum is_command {
    IS_CMD = 1,
    IS_CMD_REPLY = 2,
    IS_CLUSTER_ADDRS = 3,
    IS_UPDATE = 4,
    IS_RESCUSED = 5,
    IS_JOBOBIT = 6,
    IS_OBITREPLY = 7,
    IS_REPLYHELLO = 8,
    IS_SHUTDOWN = 9,
    IS_IDLE = 10,
    IS_REGISTERMOM = 11,
    IS_UPDATE2 = 12,
    IS_DISCARD_JOB = 13,
    IS_DISCARD_DONE = 14,
    IS_UPDATE_FROM_HOOK = 15,
    IS_RESCUSED_FROM_HOOK = 16,
    IS_HOOK_JOB_ACTION = 17,
    IS_HOOK_ACTION_ACK = 18,
    IS_HOOK_RESTART_CYCLE = 19,
    IS_HOOK_CHECKSUMS = 20,
    IS_UPDATE_FROM_HOOK2 = 21,
    IS_HELLOSVR = 22,
};

struct is_range {
    uint64_t low_ip; /* host order */
    uint64_t extra;  /* low_ip .. low_ip + extra */
};

struct is_vnode_attr {
    const char *name; /* "resources_available.ncpus" */
    const char *value;
    int32_t type;
    int32_t flags;
};

struct is_vnode {
    const char *name;
    size_t n;
    struct is_vnode_attr *attrs;
};

struct is_state {   /* the state block of REGISTERMOM, UPDATE, UPDATE2 */
    uint32_t state; /* 0x02 down, 0x80 busy */
    uint32_t pcpus;
    uint32_t acpus;
    uint64_t mem_kb;
    const char *arch;
    bool has_vnodes;
    int64_t modtime;
    size_t n_vnodes;
    struct is_vnode *vnodes;
    const char *version; /* NULL when absent */
};

struct is_running { /* a job in REGISTERMOM */
    const char *job_id;
    int32_t substate;
    int64_t run_version;
    int32_t node_id;
    const char *exec_vnode;
};

struct is_job_update { /* an entry of RESCUSED and JOBOBIT */
    const char *job_id;
    const char *comment; /* NULL when none travels */
    int32_t status;      /* exit status in JOBOBIT */
    int32_t run_version;
    struct wire_attrs attrs;
};

enum is_action { /* what is asked for a job (tpp.md 5.2) */
    IS_ACTION_REQUEUE = 0,
    IS_ACTION_DELETE = 1,
    IS_ACTION_DEALLOCATE = 2, /* the job has left the host */
};

struct is_job_action { /* an entry of HOOK_JOB_ACTION */
    const char *job_id;
    uint64_t id; /* by which it is acknowledged */
    int32_t run_version;
    int32_t action;     /* enum is_action, or another number */
    uint32_t hook_user; /* 0: the administrator */
};

struct is_acked {
    uint64_t id;
};

struct is_message {
    enum is_command command;
    /* CMD and CMD_REPLY */
    const char *msgid;
    struct wire_request request;
    struct wire_reply reply;
    /* HELLOSVR */
    uint32_t mom_port;
    /* REPLYHELLO, CLUSTER_ADDRS */
    int32_t need_inventory;
    size_t n_ranges;
    struct is_range *ranges;
    /* REGISTERMOM */
    size_t n_running;
    struct is_running *running;
    struct is_state state; /* also UPDATE, UPDATE2 */
    /* RESCUSED, JOBOBIT */
    size_t n_updates;
    struct is_job_update *updates;
    /* OBITREPLY */
    struct wire_strings acks;
    struct wire_strings rejects;
    /* DISCARD_JOB, DISCARD_DONE */
    const char *job_id; /* also IDLE */
    int32_t run_version;
    /* IDLE: 1, the host has stopped the job; 0, it lets it go on */
    uint32_t stands;
    /* HOOK_JOB_ACTION */
    size_t n_actions;
    struct is_job_action *actions;
    /* UPDATE_FROM_HOOK, UPDATE_FROM_HOOK2; the rest of them is raw */
    uint64_t action_id;
    /* HOOK_ACTION_ACK */
    int32_t acked_type;
    size_t n_acked;
    struct is_acked *acked;
    /* anything else: the body's bytes as received */
    struct wire_bytes raw;
};

/* DIS payload <-> message. 'inventory' says whether the receiver asked for a vnode list
 * (REGISTERMOM is parsed by that knowledge, tpp.md 5.2). Decoding accepts a request
 * number without a row: then message.request.body is NULL and *known false. */
void is_encode(struct buf *out, const struct is_message *msg);
enum dis_error is_decode(const char *data, size_t len, bool inventory,
                         struct arena *arena, struct is_message *ret,
                         bool *known) MUST_CHECK;

/* Is it a message of this protocol in a version that nobody knows? Then *ret is that.
 */
bool is_of_other_version(const char *data, size_t len, int32_t *ret) MUST_CHECK;

/* Has the message a state block? */
bool is_has_state(const struct is_message *msg);

/* Copy what was decoded, its texts and lists into 'arena'. */
void is_copy(const struct is_message *from, struct arena *arena,
             struct is_message *ret);

/* One line for people. */
void is_dump(struct buf *out, const struct is_message *msg);

#endif
