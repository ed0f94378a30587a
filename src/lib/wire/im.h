/* im.h - messages between MoMs about a job of several hosts (tpp.md 7).
 *
 * The mother superior (the MoM of the job's first host) asks, the sisters answer; an
 * answer names the event of the question and nothing else, so its body can be read only
 * by who remembers what was asked.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_WIRE_IM_H
#define LIB_WIRE_IM_H

#include "lib/wire/field.h"

#define IM_PROTOCOL 3

enum im_command {
    IM_ALL_OKAY = 0,
    IM_JOIN_JOB = 1,
    IM_KILL_JOB = 2,
    IM_SPAWN_TASK = 3,
    IM_GET_TASKS = 4,
    IM_SIGNAL_TASK = 5,
    IM_OBIT_TASK = 6,
    IM_POLL_JOB = 7,
    IM_GET_INFO = 8,
    IM_GET_RESC = 9,
    IM_ABORT_JOB = 10,
    IM_SUSPEND = 12,
    IM_RESUME = 13,
    IM_CHECKPOINT = 14,
    IM_CHECKPOINT_ABORT = 15,
    IM_RESTART = 16,
    IM_DELETE_JOB = 17,
    IM_REQUEUE = 18,
    IM_DELETE_JOB_REPLY = 19,
    IM_SETUP_JOB = 20,
    IM_DELETE_JOB2 = 21,
    IM_SEND_RESC = 22,
    IM_UPDATE_JOB = 23,
    IM_EXEC_PROLOGUE = 24,
    IM_RECONNECT_TO_MS = 27,
    IM_JOIN_RECOV_JOB = 28,
    IM_ERROR = 99,
    IM_ERROR2 = 100,
};

struct im_message {
    const char *job_id;
    const char *cookie; /* of the run of the job */
    enum im_command command;
    int32_t event; /* chosen by who asks, repeated in the answer */
    uint32_t task; /* that asks; 0: the mother superior herself */

    /* JOIN_JOB, JOIN_RECOV_JOB */
    int32_t n_nodes;
    int32_t stdout_port, stderr_port; /* of the mother superior's host */
    int32_t credtype;
    struct wire_bytes cred;  /* travels when credtype is not 0 */
    struct wire_attrs attrs; /* of the job; UPDATE_JOB: what changes; answers to
                                KILL_JOB and POLL_JOB: further usage */
    /* SPAWN_TASK to GET_RESC; SPAWN_TASK has its parent here */
    int32_t from_vnode;
    int32_t target_vnode; /* SPAWN_TASK, GET_TASKS */
    uint32_t unused;      /* SPAWN_TASK: 0 */
    struct wire_strings args, env;
    uint32_t target_task; /* SIGNAL_TASK, OBIT_TASK, GET_INFO; answer to SPAWN_TASK */
    int32_t signo;
    const char *name; /* GET_INFO */

    /* Answers, and SEND_RESC, which nobody asks for. */
    enum im_command asked;     /* ALL_OKAY: what the body answers; IM_ALL_OKAY: it is
                                  not known and in 'raw' */
    struct wire_numbers tasks; /* to GET_TASKS */
    int32_t exit_status;       /* to OBIT_TASK */
    int32_t kill_recommended; /* to POLL_JOB; of ours 26 or 27 when it has used too much
                                 of vmem or mem there (execution.md 20 without sign) */
    uint64_t cput_s, mem_kb, cpupercent; /* to KILL_JOB, POLL_JOB */
    const char *host;                    /* SEND_RESC: the mother superior's */
    struct wire_bytes info;              /* to GET_INFO */
    const char *text;                    /* to GET_RESC; ERROR2 */
    int32_t code;                        /* ERROR, ERROR2 */

    struct wire_bytes raw; /* a body that could not be read yet, or of no known command
                            */
};

/* DIS payload <-> message. The body of ALL_OKAY is left in 'raw', 'asked' is then
 * IM_ALL_OKAY. */
void im_encode(struct buf *out, const struct im_message *msg);
enum dis_error im_decode(const char *data, size_t len, struct arena *arena,
                         struct im_message *ret) MUST_CHECK;

/* Read the body of an answer to that question from msg->raw. 'msg' is changed on
 * success only. */
enum dis_error im_decode_answer(struct im_message *msg, enum im_command asked,
                                struct arena *arena) MUST_CHECK;

/* The protocol of a message by its first number; -1: it has none. */
int32_t im_protocol_of(const char *data, size_t len);

/* "JOIN_JOB"; "?" for a number without a name. */
const char *im_command_name(enum im_command command);

/* One line for people. */
void im_dump(struct buf *out, const struct im_message *msg);

#endif
