/* tm.h - task management: a task of a job asks the MoM of its host for further tasks,
 * on any host of the job (the interface of the PSCHED standard, tpp.md 8).
 *
 * Calls that ask something return at once with an event; tm_poll() tells which event
 * has happened, and by then what the call was given to fill in is filled in: until then
 * that memory must stay. What else a call is given may go when it returns. One thread
 * at a time may call them.
 *
 * All return TM_SUCCESS or one of the codes below. TM_BADINIT: tm_init() was not
 * called. TM_ESYSTEM: memory is short. TM_ENOTCONNECTED: the MoM cannot be reached,
 * which is tried for four seconds. TM_ENOTFOUND: no task of that number was heard of by
 * this process (it is its own, was spawned by it or listed to it).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef _TM_H
#define _TM_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int tm_node_id;          /* a vnode of the job: 0, 1, ... */
typedef int tm_event_t;          /* of a call; TM_NULL_EVENT: none */
typedef unsigned int tm_task_id; /* TM_NULL_TASK: none */

#define TM_ERROR_NODE      ((tm_node_id)-1)
#define TM_NULL_EVENT      ((tm_event_t)0)
#define TM_ERROR_EVENT     ((tm_event_t)-1)
#define TM_NULL_TASK       ((tm_task_id)0)

/* What calls return, and tm_poll() for their events. */
#define TM_SUCCESS         0
#define TM_ESYSTEM         17000
#define TM_ENOEVENT        17001
#define TM_ENOTCONNECTED   17002
#define TM_EUNKNOWNCMD     17003
#define TM_ENOTIMPLEMENTED 17004
#define TM_EBADENVIRONMENT 17005
#define TM_ENOTFOUND       17006
#define TM_BADINIT         17007
#define TM_ESESSION        17008
#define TM_EUSER           17009
#define TM_EOWNER          17010
#define TM_ENOPROC         17011
#define TM_EHOOK           17012

struct tm_roots {
    tm_task_id tm_me;     /* this task */
    tm_task_id tm_parent; /* that spawned it; TM_NULL_TASK: the job's first task */
    int tm_nnodes;        /* vnodes of the job */
    int tm_ntasks;        /* 0: never filled in */
    int tm_taskpoolid;    /* -1 */
    tm_task_id *tm_tasklist;
};

struct tm_whattodo {
    int tm_todo;
    tm_task_id tm_what;
    tm_node_id tm_where;
};

/* First of all, and it waits for the MoM's answer. 'info' is not looked at; *roots is
 * filled in unless NULL. TM_BADINIT when it was called before, TM_EBADENVIRONMENT
 * outside of a job, or the MoM's refusal. */
int tm_init(void *info, struct tm_roots *roots);
/* The last of all: events that have not happened are forgotten. tm_init() may follow.
 */
int tm_finalize(void);

/* The next event that has happened, 'poll_event' being TM_NULL_EVENT; each is told
 * once. With 'wait' 0 it does not wait, and *result_event may be TM_NULL_EVENT.
 * *tm_errno is the event's own code: only with TM_SUCCESS there is something filled in.
 * TM_ENOEVENT: nothing is being asked. A MoM that is gone, or answers what cannot be
 * read, makes all events happen with TM_ENOTCONNECTED; calls that follow connect anew.
 */
int tm_poll(tm_event_t poll_event, tm_event_t *result_event, int wait, int *tm_errno);

/* The vnodes of the job: *nnodes of them and TM_ERROR_NODE behind, for free(). */
int tm_nodeinfo(tm_node_id **list, int *nnodes);
/* On which vnode a task is. */
int tm_atnode(tm_task_id tid, tm_node_id *node);

/* Start a program on a vnode of the job: 'argc' words in argv, the first of which is
 * not empty (else TM_ENOTFOUND), and envp up to its NULL (or NULL) on top of the job's
 * environment; an empty word in it is TM_EBADENVIRONMENT. All words together have 4 MiB
 * of room (else TM_ESYSTEM), and what the kernel lets a program have besides. *tid is
 * the new task's number when the event has happened. */
int tm_spawn(int argc, char *argv[], char *envp[], tm_node_id where, tm_task_id *tid,
             tm_event_t *event);
/* Send a signal, by the number that this host has for it, to all processes of a task.
 */
int tm_kill(tm_task_id tid, int sig, tm_event_t *event);
/* The event happens when the task ends, with *obitval from 0 to 255, or 256 and the
 * signal that ended it. */
int tm_obit(tm_task_id tid, int *obitval, tm_event_t *event);
/* At most 'list_size' tasks of the vnode are written to 'list'; *ntasks says how many
 * there are. */
int tm_taskinfo(tm_node_id node, tm_task_id *list, int list_size, int *ntasks,
                tm_event_t *event);
/* What the job has asked for, "uname:resource=value,...", written to 'resource', which
 * has 'len' bytes; a longer text is cut, and a NUL ends it. */
int tm_rescinfo(tm_node_id node, char *resource, int len, tm_event_t *event);
/* Keep 'len' bytes of any value under a name of this task, for the others to read; a
 * second value replaces the first. The event has TM_ESYSTEM when the job keeps too much
 * already. */
int tm_publish(char *name, void *info, int len, tm_event_t *event);
/* Read what task 'tid' has published: at most 'len' bytes are written to 'info', and
 * *amount says how many there are. */
int tm_subscribe(tm_task_id tid, char *name, void *info, int len, int *amount,
                 tm_event_t *event);

/* Make the session of process 'pid' a task of the job, from a process outside of it:
 * not between tm_init() and tm_finalize() (TM_BADINIT). 'jobid' NULL or "": the one job
 * of this user on this host. 'cookie' may be NULL. 'host' is not looked at: sessions of
 * other hosts cannot be attached. 'port' is the MoM's, 0: PBS_MOMPORT, else 15003. It
 * waits for the answer and fills in *tid. TM_ESESSION: the session belongs to a job
 * already; TM_ENOPROC: there is no such process; TM_EOWNER, TM_EUSER: it, or the job,
 * is somebody else's. */
int tm_attach(char *jobid, char *cookie, pid_t pid, tm_task_id *tid, char *host,
              int port);

/* Parts of the interface that no MoM serves: TM_ENOTIMPLEMENTED. */
int tm_notify(int tm_signal);
int tm_alloc(char *resources, tm_event_t *event);
int tm_dealloc(tm_node_id node, tm_event_t *event);
int tm_create_event(tm_event_t *event);
int tm_destroy_event(tm_event_t *event);
int tm_register(struct tm_whattodo *what, tm_event_t *event);

#ifdef __cplusplus
}
#endif

#endif
