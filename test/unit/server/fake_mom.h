/* fake_mom.h - a MoM that is played by a test: it says hello, registers, answers and
 * reports, and remembers what it was told.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_UNIT_SERVER_FAKE_MOM_H
#define TEST_UNIT_SERVER_FAKE_MOM_H

#include "test/unit/server/harness.h"

#define MOM_HOST "127.0.0.1"
#define MOM_PORT 15002

struct fake_mom {
    struct rig *r;
    uint64_t stream;
    uint32_t service_port;
    int64_t modtime;
};

/* A rig with the vnode "n1" (4 cpus), its MoM connected and registered, and the jobs of
 * every user allowed. */
struct fake_mom fake_mom_new(void);
void fake_mom_free(struct fake_mom *fm);

/* A new stream: HELLOSVR, then REGISTERMOM with those jobs. */
void fake_hello(struct fake_mom *fm);
void fake_register(struct fake_mom *fm, size_t n_running, struct is_running *running);
/* The same with HELLOSVR before it, of a MoM whose vnode is another one than "n1". */
void fake_register_as(struct fake_mom *fm, const char *vnode, size_t n_running,
                      struct is_running *running);
/* HELLOSVR and REGISTERMOM; effects of both. */
void fake_connect(struct fake_mom *fm, size_t n_running, struct is_running *running);
void fake_send(struct fake_mom *fm, const struct is_message *msg);
void fake_lose(struct fake_mom *fm);

/* The n-th batch request of that number among the effects, with its message; NULL. */
const struct is_message *fake_told(const struct fake_mom *fm, uint32_t number,
                                   size_t n);
/* The first message of another command. */
const struct is_message *fake_message(const struct fake_mom *fm,
                                      enum is_command command);
/* Answer a command; 'text' NULL: a Null reply. 'told' must be of the effects. */
void fake_answer(struct fake_mom *fm, const struct is_message *told, int32_t code,
                 const char *text);
/* The job starts (session 4711) or ends. */
void fake_usage(struct fake_mom *fm, const char *job_id, int32_t run_version,
                const char *session_id, const char *walltime);
void fake_obit(struct fake_mom *fm, const char *job_id, int32_t run_version,
               int32_t status);
/* Its MoM knows the job by another id, too. */
void fake_alt_id(struct fake_mom *fm, const char *job_id, int32_t run_version,
                 const char *alt_id);

/* Submissions. The id, or NULL when it was refused: see rig_text(). */
const char *submit(struct rig *r, const char *user, const char *queue,
                   const char *attrs, const char *script);
int submit_code(struct rig *r, const char *user, const char *queue, const char *attrs);
/* AsyrunJob_ack by a manager; the reply's code. */
int run_job(struct rig *r, const char *id, const char *vnodes);
/* A job that runs: submitted, sent, taken and started. */
const char *running_job(struct fake_mom *fm);
const char *running_job_of(struct fake_mom *fm, const char *attrs, const char *vnodes);
int delete_job(struct rig *r, const char *user, const char *id, const char *extend);

/* A queue that is enabled and started, with more attributes ("a=1 b=2" or ""). */
void new_queue(struct rig *r, const char *name, const char *attrs);
/* A routing queue that is enabled. */
void new_router(struct rig *r, const char *name, const char *to, const char *attrs);
/* RIG_USER asks on that connection for a cpu in an hour, for ten minutes. The
 * reservation is not confirmed, and its queue is there. */
void ask_for_a_reservation(struct rig *r, uint64_t conn);

/* Job as the server has it; NULL: gone. */
const struct object *the_job(const struct rig *r, const char *id);
char state_of(const struct rig *r, const char *id);
/* The n-th accounting line of a type, NULL when there are fewer. */
const char *accounted(const struct rig *r, char type, size_t n);

#endif
