/* mock_mom.h - MoMs that speak the real messages and whose jobs only pass the time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_MOCK_MOM_H
#define TEST_SIM_MOCK_MOM_H

#include "lib/base/arena.h"
#include "lib/wire/is.h"

struct sim;

#define MOCK_MOM_PORT 15002

enum mom_job_state {
    MOM_JOB_COMING, /* QueueJob is here, Commit is not */
    MOM_JOB_RUNNING,
    MOM_JOB_ENDED, /* obituary sent */
};

struct mom_job {
    char *id;
    char *exec_vnode;
    enum mom_job_state state;
    int32_t run_version;
    int64_t lasts_ms;
    int64_t walltime_ms; /* 0: none */
    int64_t began_ms;
    int32_t session;
    int32_t status;
    uint64_t number; /* of this life of the job at this MoM */
    bool acked;
    struct mom_job *prev, *next;
};

struct mock_mom {
    size_t index;
    char host[16];
    uint32_t addr;
    bool up;
    bool cut_off;    /* from the network */
    uint64_t stream; /* 0: none */
    bool greeted;    /* REPLYHELLO came on it */
    uint64_t life;
    int64_t hello_ms; /* how long it waits before the next hello */
    int64_t modtime;
    bool silent; /* takes commands and answers none */
    struct mom_job *jobs;
    uint64_t last_number;
};

void mock_mom_init(struct sim *s, size_t index);
void mock_mom_fini(struct mock_mom *m);

void mock_mom_start(struct sim *s, size_t mom);
/* The process ends. jobs: they go on and are found again; else they are gone. */
void mock_mom_stop(struct sim *s, size_t mom, bool keep_jobs);
void mock_mom_cut_off(struct sim *s, size_t mom, bool cut_off);
bool mock_mom_is_reachable(const struct sim *s, size_t mom);

/* The server opens a stream; 0: nobody there. */
uint64_t mock_mom_called(struct sim *s, const char *host, uint32_t port);
void mock_mom_message(struct sim *s, size_t mom, uint64_t stream,
                      const struct is_message *msg);
void mock_mom_stream_ended(struct sim *s, size_t mom, uint64_t stream);

#endif
