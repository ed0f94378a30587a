/* proc.h - processes by session, out of /proc.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_PROC_H
#define MOM_SHELL_PROC_H

#include "mom/mom.h"

/* One walk over /proc serves all jobs: what the processes of each session use now. */
struct proc_session {
    int32_t session;
    struct mom_usage used;
    size_t n_processes;
    size_t n_alive; /* of them, without those that have ended and are not waited for */
};
void proc_sample(struct proc_session *sessions, size_t n);

/* The same in slices. The caller's 'sessions' stay as they are until the walk is over;
 * who comes meanwhile may be seen or not. */
struct proc_walk;
struct proc_walk *proc_walk_new(struct proc_session *sessions, size_t n);
/* Look at some more processes, for a millisecond or two. True: the walk is over, and
 * 'sessions' say what was seen. */
bool proc_walk_go_on(struct proc_walk *w) MUST_CHECK;
void proc_walk_free(struct proc_walk *w);

/* What tells a session from a later one whose leader has got the same number: the
 * host's boot and the instant at which the leader began. */
#define PROC_MARK_BYTES 80
/* Of a session of which nothing is left: no session is the one that had this. */
#define PROC_MARK_ENDED "-"
/* False: nothing of that number leads a session, or the kernel does not tell. */
bool proc_session_mark(int32_t session, char ret[PROC_MARK_BYTES]);
/* May processes of that session be those of the one that had this mark? A session whose
 * leader has ended keeps its number while processes of it live. "": not known, then
 * it may be. */
bool proc_session_is(int32_t session, const char *mark);

/* The host's boot, unlike any other; static. NULL: the kernel does not tell. */
const char *proc_boot_id(void);

/* Each process of a session that lives, by its number. */
void proc_each_of_session(int32_t session, void (*fn)(void *arg, int32_t pid),
                          void *arg);

/* A signal for every process of a session. */
struct proc_signal {
    int32_t session;
    int signo;
    bool group_has_it; /* proc_signal_group() has sent it */
};
/* Send them with one walk over /proc, several of a session in their order; SIGKILL with
 * further walks until nobody is found who has not got it, and to all of their groups,
 * so that nobody escapes by becoming another process. Returns how many processes were
 * found. */
size_t proc_signal(const struct proc_signal *v, size_t n);
/* The signal goes to the group that the session's leader began in, at once and without
 * a walk: nearly always that is all of the session. False: the leader is not there any
 * more, so nobody knows whose group that is. */
bool proc_signal_group(int32_t session, int signo);
/* The same for one session. */
size_t proc_signal_session(int32_t session, int signo);

/* Is there a process of that number that leads its session, and has that mark? */
bool proc_session_lives(int32_t session, const char *mark);

/* What the kernel knows of a process. */
struct proc_owner {
    int32_t session;     /* 0: there is no such process */
    uint32_t uid;        /* who has started it */
    uint32_t leader_uid; /* its session's leader; that of the process if it has none */
    char mark[PROC_MARK_BYTES]; /* of the session; "" if not to be had */
};
struct proc_owner proc_look(int32_t pid);

/* All processes that live, sorted by number; the caller frees '*ret'. How many. */
struct proc_entry {
    int32_t pid, parent, session;
    uint32_t uid;   /* who has started it */
    uint64_t began; /* ticks since the host's boot */
};
size_t proc_list(struct proc_entry **ret);
/* Signal that process and none that has its number by now. False: it is gone. */
bool proc_kill(const struct proc_entry *process, int signo);

/* What the host has: memory in KiB (0: unknown), processors that are online (1 at
 * least). */
uint64_t proc_mem_kb(void);
uint32_t proc_ncpus(void);

#endif
