/* tm_talk.h - the one connection of a task to the MoM of its host: requests out, and
 * answers, which are told apart by their events. It lasts as long as something is
 * waited for (tpp.md 8).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IFL_TM_TALK_H
#define LIB_IFL_TM_TALK_H

#include "include/tm.h"
#include "lib/wire/task.h"

#define TM_VERSION 2

struct tm_pending { /* asked, and not told yet */
    tm_event_t event;
    enum task_command asked;
    tm_node_id node; /* that it is about */
    tm_task_id *tid;
    int *number; /* exit status, count of tasks, bytes of a value */
    tm_task_id *list;
    char *text;   /* also of bytes */
    int room;     /* in list or text */
    bool is_lost; /* the connection on which it was asked is gone */
    struct tm_pending *next;
};

struct tm_known { /* where a task is */
    tm_task_id tid;
    tm_node_id node;
    struct tm_known *next;
};

struct tm_talk {
    bool is_on;
    char *job_id, *cookie;
    tm_task_id me;
    int port;
    int fd;   /* -1: not connected */
    char *in; /* what has come; from in_at on it is not taken yet */
    size_t in_at, in_len, in_cap;
    tm_event_t last;
    struct tm_pending *pending; /* oldest first */
    struct tm_known *known;
    int n_nodes;
    tm_node_id *nodes;
    tm_task_id parent;
};

extern struct tm_talk tm_talk;

/* Send a request, connecting first where that was not done yet. Answers that come while
 * the MoM takes no more are kept: it may wait for that. 0, or TM_ENOTCONNECTED, or
 * TM_ESYSTEM when memory is short or the request is longer than any MoM takes. */
int tm_send(const struct task_request *rq);

/* Remember what is asked, and ask it: 'p' and 'rq' say what is asked and where the
 * answer goes, the rest of both is filled in here. 'p' is copied; *event is its event.
 * 0 or a TM code. */
int tm_ask(struct tm_pending p, struct task_request rq, tm_event_t *event) MUST_CHECK;

/* Wait for that event alone; others keep their turn, since nothing else was asked.
 * Returns its code. */
int tm_wait_for(tm_event_t event) MUST_CHECK;

/* A task is on that vnode; false: memory is short. Where is it? False: nobody has said.
 */
bool tm_note_task(tm_task_id tid, tm_node_id node);
bool tm_find_task(tm_task_id tid, tm_node_id *node) MUST_CHECK;

/* Forget everything, and close the connection. */
void tm_clear(void);

#endif
