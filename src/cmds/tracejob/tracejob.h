/* tracejob.h - what the log files of this host say about a job (operations.md 15).
 *
 * events.c finds the lines in the files of some days and puts them into their order;
 * tracejob.c understands the command line and prints them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_TRACEJOB_TRACEJOB_H
#define CMDS_TRACEJOB_TRACEJOB_H

#include "lib/base/base.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define CMD "tracejob"

/* The kinds of log files, in the order of lines that bear the same time. */
enum trace_log {
    TRACE_SERVER,
    TRACE_SCHED,
    TRACE_MOM,
    TRACE_ACCOUNTING,
    TRACE_LOG_COUNT,
};

/* One line about the job. */
struct event {
    char *date;  /* as it stands in the file */
    char *text;  /* the message */
    char letter; /* of the kind of file */
    enum trace_log log;
    uint32_t class; /* of the event; 0 in accounting files */
    size_t number;  /* in the order of reading */
};

struct events {
    struct event *v;
    size_t n, cap;
};

/* Where and for how long is looked. */
struct trace {
    const char *home, *mom_home;
    bool skip[TRACE_LOG_COUNT];
    uint32_t hidden; /* classes of events that are left out */
    int days;        /* back from 'now_at', which is the first of them */
    time_t now_at;
    bool verbose; /* say which files could not be read */
};

/* All lines about the job in the order of their times. 'id' counts up to its first
 * dot. The caller frees them with events_free(). */
struct events events_of_job(const struct trace *t, const char *id);
void events_free(struct events *list);

/* Leave out all but the last of the events that say the same more than 'most' times. */
void events_drop_repeated(struct events *list, size_t most);

#endif
