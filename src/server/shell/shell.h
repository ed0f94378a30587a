/* shell.h - the daemon around the server's core: what its files share.
 *
 * A turn of the loop collects the effects of all its inputs in one arena. At its end
 * the records go to the store thread, at most one commit under way; everything else
 * waits in order until the records it has seen are durable (outbox.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_SHELL_H
#define SERVER_SHELL_SHELL_H

#include "lib/io/conf.h"
#include "lib/io/heap.h"
#include "lib/io/logfile.h"
#include "lib/io/loop.h"
#include "lib/io/site_env.h"
#include "lib/store/store.h"
#include "server/engine/svr.h"

struct accounting;
struct clients;
struct find_out;
struct committer;
struct hook_dir;
struct letters;
struct calls;
struct lookups;
struct mom_link;
struct outbox;

struct options {
    const char *argv0;
    const char *home;            /* -d */
    const char *log_file;        /* -L */
    const char *accounting_file; /* -A; "" turns accounting off */
    enum svr_start start;        /* -t */
    bool start_given;
    bool foreground;   /* -N */
    bool force;        /* -f: no question before jobs or a store are given up */
    bool recover_only; /* -C */
    bool lock_memory;  /* -l */
    int scheduling;    /* -a: 0, 1; -1: not given */
    uint32_t log_mask; /* -e; 0: not given */
    const char *port, *mom_port, *manager_port; /* -p, -M, -R; NULL: not given */
};

struct shell {
    struct options opt;
    struct conf *conf;
    struct site_env environment; /* what pbs_environment says */
    char host[256];              /* canonical name of this host */
    char daemon[300];            /* "Server@short": name in log lines */
    char user[257];              /* whose uid runs the server */
    int lock_fd;
    char *lock_path;
    struct loop *loop;
    struct logfile *log;
    struct store *store; /* the store thread's while it runs */
    struct bundles *bundles;
    struct svr *svr;
    struct lookups *lookups;
    struct find_out *find_out;
    struct accounting *accounting;
    struct hook_dir *hooks;
    struct committer *committer;
    struct letters *letters; /* that wait to be sent */
    struct calls *calls;     /* to clients that wait for their jobs */
    struct outbox *outbox;
    struct clients *clients;
    struct mom_link *moms; /* NULL: no router is known */
    struct loop_timer *deadline;
    int64_t now_at; /* of this turn; 0: not read yet */
    struct heap_watch heap;
    uint64_t mask_version; /* of the server object whose log_events are in force */
    bool stopping;
    int status; /* exit status */
};

/* The time of this turn. */
int64_t shell_now(struct shell *sh);

/* A line of the shell's own, named after the daemon. */
void shell_log(struct shell *sh, uint32_t event, uint32_t log_class, const char *fmt,
               ...) PRINTF_LIKE(4, 5);

/* Carry out the ends of turns and what becomes due, from now on. */
void shell_watch(struct shell *sh);

/* Leave the loop when everything that waits has left, or after a while. */
void shell_stop(struct shell *sh);

#endif
