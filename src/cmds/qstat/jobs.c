/* jobs.c - the two tables of jobs (cli.md 4.3, 4.4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qstat/qstat.h"

#include "cmds/common/bounded.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The widths of node lists and comments are those of cli.md 4.4. */
#define NODE_LINE_MAX    77
#define COMMENT_MAX      74
#define COMMENT_MAX_WIDE 114

/* "12.svr" of "12.svr.example.org". */
static void short_id(char out[CELL_MAX], const char *id, size_t width)
{
    const char *dot = strchr(id, '.');
    const char *second = dot ? strchr(dot + 1, '.') : NULL;
    char *text = second ? xstrndup(id, (size_t)(second - id)) : xstrdup(id);

    cell_cut(out, text, width);
    free(text);
}

static void owner_of(char out[CELL_MAX], const struct batch_status *job, size_t width)
{
    const char *owner = cell_or(status_value(job, "Job_Owner", NULL), "");
    char *name = xstrndup(owner, strcspn(owner, "@"));

    cell_cut(out, name, width);
    free(name);
}

/* Durations come as "HH:MM:SS", "MM:SS" or seconds: each part that follows makes those
 * before it sixty times as much. */
static int64_t seconds_of(const char *duration)
{
    int64_t s = 0;

    for (const char *p = duration; p && *p;) {
        s = bounded_add(bounded_mul(s, 60), strtoll(p, NULL, 10));
        p = strchr(p, ':');
        if (p)
            p++;
    }
    return s;
}

/* How many subjobs of an array have expired, in percent; -1 when the job is no array.
 */
static int64_t subjobs_done(const struct batch_status *job)
{
    const char *p = status_value(job, "array_state_count", NULL);
    int64_t all = 0, expired = 0;

    if (!p)
        return -1;
    while (*p) {
        const char *colon = strchr(p, ':');
        int64_t n = colon ? strtoll(colon + 1, NULL, 10) : 0;

        /* The words are "State:count", and only the finished part counts for the
         * percentage. */
        all = bounded_add(all, n);
        if (strncmp(p, "Expired", 7) == 0)
            expired = n;
        p += strcspn(p, " ");
        p += strspn(p, " ");
    }
    return all > 0 ? bounded_percent(expired, all) : 0;
}

/* How much of what was asked for is used, in percent; -1 when it is unknown. */
static int64_t time_done(const struct batch_status *job)
{
    static const char *const of[] = { "cput", "walltime" };
    int64_t most = -1;

    /* A job may be near the end of its processor time long before that of its walltime,
     * or the other way round, so the larger share is shown. */
    for (size_t i = 0; i < ARRAY_LEN(of); i++) {
        const char *used = status_value(job, "resources_used", of[i]);
        const char *asked = status_value(job, "Resource_List", of[i]);

        if (used && asked && seconds_of(asked) > 0)
            most = MAX_OF(most, bounded_percent(seconds_of(used), seconds_of(asked)));
    }
    return most;
}

static void percent_done(char out[CELL_MAX], const struct batch_status *job)
{
    const char *state = cell_or(status_value(job, "job_state", NULL), "?");
    int64_t done = subjobs_done(job);

    if (done < 0)
        done = time_done(job);
    /* A finished subjob has no usage left to compare, but it is done. A job that has
     * not run yet has nothing to show, even when an earlier run left an amount. */
    if (*state == 'X')
        snprintf(out, CELL_MAX, "100");
    else if (done < 0 || strchr("QTW", *state))
        snprintf(out, CELL_MAX, "-- ");
    else
        snprintf(out, CELL_MAX, "%3lld ", (long long)done);
}

/* The three headings are texts that scripts look for, so each is written as it appears
 * and not made from the widths of its columns. */
static void default_heading(const struct qstat *q)
{
    const char *use = q->percent ? " % done " : "Time Use";

    if (q->server_comment && *q->server_comment) {
        print_visible(q->server_comment);
        putchar('\n');
    }
    if (q->wide) {
        printf("%-30s %-15s %-15s  %8s %1s %s\n", "Job id", "Name", "User", use, "S",
               "Queue");
        puts("-----------------------------  --------------- ---------------  -------- "
             "- "
             "---------------");
    } else if (q->wide_ids) {
        printf("%-22s %-16s %-16s  %8s %1s %s\n", "Job id", "Name", "User", use, "S",
               "Queue");
        puts("---------------------  ---------------- ----------------  -------- - "
             "-----");
    } else {
        printf("%-17s %-16s %-16s  %8s %1s %s\n", "Job id", "Name", "User", use, "S",
               "Queue");
        puts("----------------  ---------------- ----------------  -------- - -----");
    }
}

static void default_row(const struct qstat *q, const struct batch_status *job)
{
    const size_t width = q->wide ? 15 : 16, id_width = q->wide       ? 30
                                                       : q->wide_ids ? 22
                                                                     : 17;
    const char *job_name = cell_or(status_value(job, "Job_Name", NULL), "");
    char id[CELL_MAX], name[CELL_MAX], user[CELL_MAX], use[CELL_MAX], queue[CELL_MAX];

    /* The widths differ by what the longest id of this server needs, see cli.md 4.3. */
    short_id(id, job->name, id_width);
    /* A name that fills the column exactly gets the mark of a cut name, too, as in
     * PBS. */
    cell_cut(name, job_name, width);
    if (strlen(job_name) == width)
        name[width - 1] = '*';
    owner_of(user, job, width);
    cell_cut(queue, cell_or(status_value(job, "queue", NULL), ""), width);
    if (q->percent)
        percent_done(use, job);
    else
        cell_cut(use, cell_or(status_value(job, "resources_used", "cput"), "0"), 8);
    printf("%-*s %-*s %-*s  %8s %1.1s %-*s\n", (int)id_width, id, (int)width, name,
           (int)width, user, use, cell_or(status_value(job, "job_state", NULL), "?"),
           (int)width, queue);
}

/* The blanks before "Req'd" are counted in cli.md 4.4; those before "Est" are 15 more.
 */
static void alternate_heading(const struct qstat *q)
{
    const int left = q->wide ? 99 : q->wide_ids ? 65 : 60;

    printf("\n%s: ", q->server);
    print_visible(cell_or(q->server_comment, ""));
    putchar('\n');
    if (q->estimates)
        printf("%*sEst\n", left + 15, "");
    printf("%*sReq'd  Req'd   %s\n", left, "", q->estimates ? "Start" : "Elap");
    if (q->wide) {
        puts("Job ID                         Username        Queue           Jobname   "
             "     "
             " SessID   NDS  TSK   Memory Time  S Time");
        puts("------------------------------ --------------- --------------- "
             "---------------"
             " -------- ---- ----- ------ ----- - -----");
    } else if (q->wide_ids) {
        puts("Job ID               Username Queue    Jobname    SessID NDS TSK Memory "
             "Time  S "
             "Time");
        puts("-------------------- -------- -------- ---------- ------ --- --- ------ "
             "----- - "
             "-----");
    } else {
        puts("Job ID          Username Queue    Jobname    SessID NDS TSK Memory Time  "
             "S Time");
        puts("--------------- -------- -------- ---------- ------ --- --- ------ ----- "
             "- "
             "-----");
    }
}

/* A time is cut and not marked: "100:00:00" is shown as "100:0" (cli.md 4.4). */
static void time_text(const char *value, char out[CELL_MAX])
{
    snprintf(out, CELL_MAX, "%.5s", cell_or(value, " -- "));
}

/* exec_host without domains, in lines that end in '+' when they go on. */
static void print_nodes(const char *hosts, bool one_line)
{
    size_t used = 0;

    while (hosts && *hosts) {
        size_t len = strcspn(hosts, "+"), host_len = strcspn(hosts, "/+");
        char *host = xstrndup(hosts, host_len);
        struct in_addr ip;
        size_t shown =
            inet_pton(AF_INET, host, &ip) == 1 ? host_len : strcspn(host, ".");
        size_t total = shown + (len - host_len);

        /* A host that is longer than a line is printed all the same, at the beginning
         * of one. */
        if (!one_line && used > 0 && used + total >= NODE_LINE_MAX) {
            fputs("\n   ", stdout);
            used = 0;
        }
        printf("%.*s%.*s", (int)shown, host, (int)(len - host_len), hosts + host_len);
        used += total + 1;
        hosts += len;
        if (*hosts == '+') {
            putchar('+');
            hosts++;
        }
        free(host);
    }
}

static void print_comment(const struct qstat *q, const char *comment)
{
    size_t most = q->wide ? COMMENT_MAX_WIDE : COMMENT_MAX;

    if (strlen(comment) > most)
        /* The dots replace four characters, though they are three. */
        printf("%.*s...", (int)(most - 4), comment);
    else
        fputs(comment, stdout);
}

/* What -n and -s add behind or below the row. */
static void print_more(const struct qstat *q, const struct batch_status *job)
{
    const char *hosts = status_value(job, "exec_host", NULL);

    if (!q->nodes && !q->comments) {
        putchar('\n');
        return;
    }
    putchar(q->one_line ? ' ' : '\n');
    if (q->nodes) {
        if (!q->one_line)
            fputs("   ", stdout);
        if (hosts)
            print_nodes(hosts, q->one_line);
        else
            fputs(" -- ", stdout);
        putchar('\n');
    }
    if (q->comments) {
        fputs("   ", stdout);
        print_comment(q, cell_or(status_value(job, "comment", NULL), " -- "));
        putchar('\n');
    }
}

/* "Time" at the end of a row: used so far, or the expected start. */
static void last_cell(const struct qstat *q, const struct batch_status *job,
                      const char *resource, char out[CELL_MAX])
{
    if (q->estimates)
        qstat_estimate(out, job, q->now_at);
    else
        time_text(status_value(job, "resources_used", resource), out);
}

static const char *task_count(const struct batch_status *job)
{
    const char *n = status_value(job, "Resource_List", "ncpus");

    /* A job that asked for mppe shows that instead (cli.md 4.4). A count of 0 is shown
     * like none. */
    if (!n)
        n = status_value(job, "Resource_List", "mppe");
    return n && strcmp(n, "0") != 0 ? n : " -- ";
}

static void memory_cell(const struct qstat *q, const struct batch_status *job,
                        char out[CELL_MAX])
{
    const char *value = status_value(job, "Resource_List", "mem");

    if (value)
        cell_size(out, value, q->size);
    else
        snprintf(out, CELL_MAX, " -- ");
}

static void alternate_row(const struct qstat *q, const struct batch_status *job)
{
    const int id_w = q->wide ? 30 : q->wide_ids ? 20 : 15, name_w = q->wide ? 15 : 8;
    const int job_w = q->wide ? 15 : 10, sess_w = q->wide ? 8 : 6;
    const int nds_w = q->wide ? 4 : 3, tsk_w = q->wide ? 5 : 3;
    /* The two times are of one resource: a job that asked for cput is compared with its
     * cput, any other with its walltime. */
    const char *cput = status_value(job, "Resource_List", "cput");
    char id[CELL_MAX], user[CELL_MAX], queue[CELL_MAX], name[CELL_MAX], sess[CELL_MAX];
    char nds[CELL_MAX], tsk[CELL_MAX], memory[CELL_MAX], asked[CELL_MAX],
        last[CELL_MAX];

    short_id(id, job->name, (size_t)id_w);
    owner_of(user, job, (size_t)name_w);
    cell_cut(queue, cell_or(status_value(job, "queue", NULL), ""), (size_t)name_w);
    cell_cut(name, cell_or(status_value(job, "Job_Name", NULL), ""), (size_t)job_w);
    cell_cut(sess, cell_or(status_value(job, "session_id", NULL), " -- "),
             (size_t)sess_w);
    cell_cut(nds, cell_or(status_value(job, "Resource_List", "nodect"), " -- "),
             (size_t)nds_w);
    cell_cut(tsk, task_count(job), (size_t)tsk_w);
    memory_cell(q, job, memory);
    time_text(cput ? cput : status_value(job, "Resource_List", "walltime"), asked);
    last_cell(q, job, cput ? "cput" : "walltime", last);
    printf("%-*s %-*s %-*s %-*s %*s %*.*s %*.*s %6s %5s %1.1s %5.5s", id_w, id, name_w,
           user, name_w, queue, job_w, name, sess_w, sess, nds_w, nds_w, nds, tsk_w,
           tsk_w, tsk, memory, asked,
           cell_or(status_value(job, "job_state", NULL), "?"), last);
    print_more(q, job);
}

void qstat_print_jobs(struct qstat *q, const struct batch_status *jobs)
{
    for (; jobs; jobs = jobs->next) {
        /* The heading waits for the first job, so a server without jobs prints nothing.
         */
        if (!q->headed && q->alternate)
            alternate_heading(q);
        else if (!q->headed)
            default_heading(q);
        q->headed = true;
        if (q->alternate)
            alternate_row(q, jobs);
        else
            default_row(q, jobs);
    }
}
