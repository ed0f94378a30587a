/* task.h - messages between a task of a job and the MoM of its host (tpp.md 8).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_WIRE_TASK_H
#define LIB_WIRE_TASK_H

#include "lib/wire/field.h"

enum task_command {
    TASK_INIT = 100,
    TASK_TASKS = 101,
    TASK_SPAWN = 102,
    TASK_SIGNAL = 103,
    TASK_OBIT = 104,
    TASK_RESOURCES = 105,
    TASK_POSTINFO = 106,
    TASK_GETINFO = 107,
    TASK_REGISTER = 109,
    TASK_FINALIZE = 112,
    TASK_ATTACH = 113,
};

enum task_error { /* as tm.h has them, from TM_ESYSTEM on */
    TASK_ESYSTEM = 17000,
    TASK_EUNKNOWNCMD = 17003,
    TASK_ENOTIMPLEMENTED = 17004,
    TASK_ENOTFOUND = 17006,
    TASK_ESESSION = 17008,
    TASK_EUSER = 17009,
    TASK_EOWNER = 17010,
    TASK_ENOPROC = 17011,
};

/* A message from a task is no longer than this; the MoM ends connections of those that
 * are. */
#define TASK_MAX_BYTES (4u << 20)

struct task_request {
    int32_t version; /* 2; 1 is accepted and repeated */
    const char *job_id;
    const char *cookie;
    enum task_command command;
    int32_t event; /* repeated in the reply */
    uint32_t task; /* that asks */

    uint32_t vnode;
    uint32_t target_task; /* SIGNAL, OBIT, GETINFO */
    uint32_t signo;
    struct wire_strings args, env; /* SPAWN */
    const char *name;              /* POSTINFO, GETINFO */
    struct wire_bytes info;        /* POSTINFO */
    uint32_t uid, pid;             /* ATTACH */
    struct wire_bytes raw;         /* of a command that is not known */
};

struct task_vnode {
    int32_t number;
};

struct task_reply {
    int32_t version;
    bool failed;
    int32_t event;
    int32_t code; /* when it failed */

    /* By what was asked. */
    size_t n_vnodes; /* INIT */
    struct task_vnode *vnodes;
    const char *parent_job;
    int32_t parent_vnode;
    uint32_t parent_task;
    uint32_t task;             /* SPAWN, ATTACH */
    struct wire_numbers tasks; /* TASKS */
    int32_t exit_status;       /* OBIT */
    const char *text;          /* RESOURCES */
    struct wire_bytes info;    /* GETINFO */
    struct wire_bytes raw;     /* after task_reply_decode(), until
                                  task_reply_decode_body() */
};

/* DIS payload <-> message. */
void task_request_encode(struct buf *out, const struct task_request *rq);
enum dis_error task_request_decode(const char *data, size_t len, struct arena *arena,
                                   struct task_request *ret) MUST_CHECK;

/* 'asked' says which body follows. Decoding takes two steps: what was asked is known
 * when the event was read. */
void task_reply_encode(struct buf *out, const struct task_reply *reply,
                       enum task_command asked);
enum dis_error task_reply_decode(const char *data, size_t len, struct arena *arena,
                                 struct task_reply *ret) MUST_CHECK;
enum dis_error task_reply_decode_body(struct task_reply *reply, enum task_command asked,
                                      struct arena *arena) MUST_CHECK;

/* One line for people. */
void task_request_dump(struct buf *out, const struct task_request *rq);

#endif
