/* sim.h - one simulated complex: a server, a scheduler, MoMs and clients around the
 * real cores, on a virtual clock; or two of them, whose servers know each other.
 *
 * Server, scheduler, MoMs and router are the cores that ship. Everything else is made
 * here and may misbehave: messages are late, connections are cut, processes die between
 * any two things that they do and come back, the store refuses commits. After every
 * step the checkers look (checks.h).
 *
 * Of two complexes each has all of its own, the clock too; their clocks show the same
 * time, and whatever comes first happens. Between them there is what peers.h lets
 * through, and check_two.h looks at both.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_SIM_H
#define TEST_SIM_SIM_H

#include "check_alter.h"
#include "check_conflict.h"
#include "check_dry.h"
#include "check_ends.h"
#include "check_fate.h"
#include "check_image.h"
#include "check_limits.h"
#include "check_occurrence.h"
#include "check_preempt.h"
#include "check_push.h"
#include "check_qmove.h"
#include "check_stopped.h"
#include "check_sums.h"
#include "check_two.h"
#include "check_why.h"
#include "checks.h"
#include "clients.h"
#include "clock.h"
#include "comm.h"
#include "counts.h"
#include "host.h"
#include "ledger.h"
#include "lib/base/rnd.h"
#include "net.h"
#include "peers.h"
#include "planner.h"
#include "runs.h"
#include "shell.h"
#include "sweep.h"
#include "verdicts.h"

/* Second 0 of a run. */
#define SIM_EPOCH_S    1790000000

#define SIM_HOSTS_MAX  4
#define SIM_VNODES_MAX 32

/* How rough the weather is: percentages and limits, all 0 in a calm one. */
struct weather {
    int64_t jitter_ms; /* a message takes up to so much longer */
    int late_percent;  /* ... of them take up to late_ms more */
    int64_t late_ms;
    int twice_percent;   /* MoMs and schedulers say things twice */
    int lost_percent;    /* packets to or from a MoM with which its connection is cut */
    int64_t commit_ms;   /* a commit takes up to so long */
    int unheard_percent; /* of the messages to another server, or their answers */
};

struct cluster {
    int n_hosts;
    int vnodes_per_host;
    int ncpus;
};

struct sim {
    const char *name;  /* of the server and its host; static */
    size_t index;      /* 1: of the second of two */
    struct sim *other; /* the complex of the other server; NULL: there is none */
    struct two *two;   /* what is known of both; NULL likewise */
    struct peers peers;
    struct rnd rnd;
    struct clock clock;
    struct weather weather;
    struct cluster cluster;
    struct shell shell;
    struct net net;
    struct comm comm;
    struct planner planner; /* of the scheduler "default" */
    /* Of the scheduler "second", when a scenario makes one. */
    struct planner second;
    bool has_second;
    struct mom_host hosts[SIM_HOSTS_MAX];
    struct runs runs;
    struct clients clients;
    struct verdicts verdicts;
    struct ledger ledger;
    struct checks checks;
    struct alters alters;
    struct ends ends;
    struct fates fates;
    struct pushes pushes;
    struct takers takers;
    struct preempts preempts;
    struct deleted *deleted; /* occurrences, by their index */
    struct whys whys;
    struct dries dries;
    size_t n_called; /* vnodes that the scenario gave a name */
    struct called {
        char word[16];
        char vnode[32];
    } called[16];
    struct sweep *sweep;   /* NULL: none */
    struct counts *counts; /* NULL: nobody counts */
    bool trace;
    bool images;            /* MoMs can make images of jobs */
    bool ends_by_script;    /* they end jobs by a script, */
    bool epilogues;         /* ... and have an epilogue; */
    bool sends_back;        /* ... the next one sends its job back to its image */
    bool slow_lists;        /* a status of few objects takes several turns already */
    uint32_t number_window; /* numbers of jobs that are kept with one record */
    size_t n_steps;
    int n_ticks; /* at this instant, without an event in between */
};

static inline int64_t sim_now_at(const struct sim *s)
{
    return s->clock.now_ms / 1000;
}

/* One line of the trace, with the second of the run in front. */
void sim_trace(const struct sim *s, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Post 'fn' for so many milliseconds from now. */
void sim_after(struct sim *s, int64_t delay_ms, event_fn fn, void *arg,
               event_drop_fn drop);

/* How long a message takes in this weather. */
int64_t sim_latency_ms(struct sim *s);

void sim_init(struct sim *s, uint64_t seed, bool trace);
/* Another complex, whose server is the other one of s's. sim_fini(s) ends both. */
void sim_add_other(struct sim *s, uint64_t seed);
void sim_fini(struct sim *s);

/* All of the following are about both complexes, when there are two. */

/* First start of the server, vnodes, scheduler and MoMs; after it all is idle. */
void sim_begin(struct sim *s);
/* Carry out what happens up to 'until_ms', or until a checker has found something. */
void sim_run(struct sim *s, int64_t until_ms);
/* Faults stop, everything is repaired and runs out; then the checks of the end. */
void sim_end(struct sim *s);

#endif
