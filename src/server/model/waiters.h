/* waiters.h - jobs of other servers that wait for a job of this one
 * (doc/design/075-dependencies-between-servers.md).
 *
 * They are stored with the job that they wait for, until their servers have been told
 * how it ended; so long it is not forgotten.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_WAITERS_H
#define SERVER_MODEL_WAITERS_H

#include "server/model/depend.h"

/* Of one job wait so many jobs of other servers at most. */
#define WAITERS_MAX 1000

struct waiter {
    enum depend_type type; /* one of DEPEND_AFTER... */
    const char *job;       /* its id */
    const char *server;    /* "host[:port]" */
    int64_t at;            /* when its server is asked for it, or told; 0: at once */
    bool again;            /* its server did not know it once */
    bool own; /* of hf_verify: the owner wants to wait for it, and not another server */
    int64_t n_failed; /* of hf_verify: so often its server did not look at it */
    bool known; /* of hf_verify: its server has confirmed it, and is asked seldom */
    bool off;   /* of news alone: it is not in the list any more */
};

struct waiters {
    size_t n;
    size_t cap;
    struct waiter *v; /* in the arena, like all texts */
};

/* The text of hf_waiters or hf_verify, 'news': of what has changed since. False: the
 * server has not written that. */
bool waiters_read(const char *text, bool news, struct arena *arena,
                  struct waiters *ret) MUST_CHECK;
/* The jobs of other servers that wait for it (JOB_A_HF_WAITERS), or that it waits for
 * and whose servers are asked whether they know that (JOB_A_HF_VERIFY), with what has
 * changed since these were written. */
struct waiters waiters_in(const struct job *job, int attr, struct arena *arena);
struct waiters waiters_of(const struct job *job, struct arena *arena);
/* Where in the list that job is, with that type; list->n: nowhere. */
size_t waiters_find(const struct waiters *list, enum depend_type type, const char *job);
/* The list without the one at that place. */
struct waiters waiters_without(const struct waiters *list, size_t at,
                               struct arena *arena);
/* Add to a record about the job that this is its list now. What is stored follows the
 * change: a list is written anew only after WAITERS_NEWS_MAX changes. */
#define WAITERS_NEWS_MAX 32
struct record;
void waiters_record(struct record *rec, struct arena *arena, const struct job *job,
                    int attr, const struct waiters *list);

/* The text of hf_waiters, NULL when there are none. */
const char *waiters_text(const struct waiters *list, struct arena *arena);
void waiters_add(struct waiters *list, struct arena *arena, const struct waiter *w);

/* A server of waiters that has not answered. */
struct away {
    const char *server; /* as in struct waiter */
    int64_t at;         /* when it is asked again */
    int64_t until;      /* when it is given up */
    bool asked;         /* not stored: once is enough to know that it is back */
};

struct aways {
    size_t n;
    size_t cap;
    struct away *v; /* in the arena, like all texts */
};

/* The text of hf_tell_until; false: the server has not written that. A number, which
 * earlier versions wrote for all servers together, is an empty list. */
bool aways_read(const char *text, struct arena *arena, struct aways *ret) MUST_CHECK;
struct aways aways_of(const struct job *job, struct arena *arena);
/* NULL: it has answered, or was never asked. */
struct away *aways_find(const struct aways *list, const char *server);
void aways_add(struct aways *list, struct arena *arena, const struct away *a);
/* The text of hf_tell_until without that server (NULL: with all); NULL: it is empty. */
const char *aways_text(const struct aways *list, const char *server,
                       struct arena *arena);

/* The text "id@host[:port]" or "id" names a job and its server; the server of the
 * second is that of the id. False: it is none, or has letters in it that no name has.
 */
bool waiter_parse(const char *text, struct arena *arena, struct waiter *ret) MUST_CHECK;

/* Does any job wait for it, here or elsewhere? */
bool job_is_awaited(const struct job *job);

/* The job is linked, or no longer: the model lists those that are awaited elsewhere,
 * and has deadlines for those whose waiters may be told something (m->to_tell). */
void waiters_link(struct model *m, struct job *j);
void waiters_unlink(struct model *m, struct job *j);

#endif
