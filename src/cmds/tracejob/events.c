/* events.c - see tracejob.h.
 *
 * A file is read line by line, once for each job: logs may be larger than memory, and
 * people ask for one job or a few.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/tracejob/tracejob.h"

#include "lib/base/buf.h"
#include "lib/base/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DAY_S        (24 * 60 * 60)

/* MM/DD/YYYY hh:mm:ss, and perhaps a fraction of a second. */
#define SECOND_CHARS 19

static const struct {
    const char *dir;
    char letter;
    int fields; /* the last one is the message, the one before it the name */
    int least;  /* of them that a line has to have */
} logs[TRACE_LOG_COUNT] = {
    [TRACE_SERVER] = { "server_logs", 'S', 6, 6 },
    [TRACE_SCHED] = { "sched_logs", 'L', 6, 6 },
    [TRACE_MOM] = { "mom_logs", 'M', 6, 6 },
    [TRACE_ACCOUNTING] = { "server_priv/accounting", 'A', 4, 3 },
};

static void add(struct events *list, const struct event *e)
{
    if (list->n == list->cap) {
        list->cap = list->cap ? 2 * list->cap : 64;
        list->v = xrealloc(list->v, list->cap * sizeof(*list->v));
    }
    list->v[list->n] = *e;
    list->v[list->n].number = list->n;
    list->n++;
}

/* Lines about no object have an empty name: no job is called like that. */
static bool is_about(const char *name, const char *id)
{
    size_t len = strcspn(id, ".");

    return len > 0 && strncmp(name, id, len) == 0 &&
           (name[len] == '.' || name[len] == '\0');
}

/* The line is cut into its fields; false when it has fewer than the least number. Those
 * that it does not have are empty. */
static bool split(char *line, char **fields, int n, int least)
{
    char *end = line + strlen(line), *next;
    int found = 0;

    for (int i = 0; i < n; i++)
        fields[i] = end;
    for (char *p = line; p && found < n; p = next) {
        next = found + 1 < n ? strchr(p, ';') : NULL;
        if (next)
            *next++ = '\0';
        fields[found++] = p;
    }
    return found >= least;
}

/* A field as people and terminals read it: files of another make, and of hooks, may
 * have any byte. */
static char *shown(const char *field)
{
    struct buf b = { 0 };

    buf_add_printable(&b, field, strlen(field));
    return b.data ? b.data : xstrdup("");
}

/* One line of a file of that kind, which is written over. */
static void take_line(const struct trace *t, enum trace_log log, const char *id,
                      char *line, struct events *list)
{
    char *fields[6];
    const int n = logs[log].fields;
    struct event e = { .letter = logs[log].letter, .log = log };

    line[strcspn(line, "\n")] = '\0';
    if (!split(line, fields, n, logs[log].least) || !is_about(fields[n - 2], id))
        return;
    /* The second field of an accounting line is the letter of the record. */
    if (log != TRACE_ACCOUNTING)
        e.class = (uint32_t)strtoul(fields[1], NULL, 16);
    if (e.class & t->hidden)
        return;
    e.date = shown(fields[0]);
    e.text = shown(fields[n - 1]);
    add(list, &e);
}

/* NULL with errno. A pipe or a directory in the place of a file is none: a pipe would
 * keep the command waiting for ever. */
static FILE *open_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    FILE *f;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
        errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
    else if ((f = fdopen(fd, "r")))
        return f;
    close(fd);
    return NULL;
}

static void read_file(const struct trace *t, enum trace_log log, const char *path,
                      const char *id, struct events *list)
{
    FILE *f = open_file(path);
    char *line = NULL;
    size_t size = 0;

    while (f && getline(&line, &size, f) > 0)
        take_line(t, log, id, line, list);
    if (t->verbose && (!f || ferror(f)))
        fprintf(stderr, "%s: %s: %s\n", CMD, path, strerror(errno));
    free(line);
    if (f)
        fclose(f);
}

/* The files of a day are named after it, in local time. */
static void read_day(const struct trace *t, int back, const char *id,
                     struct events *list)
{
    struct tm tm;
    time_t at;

    localtime_r(&t->now_at, &tm);
    /* Noon is the same day with summer time and without. */
    tm.tm_hour = 12;
    tm.tm_isdst = -1;
    at = mktime(&tm) - (time_t)back * DAY_S;
    localtime_r(&at, &tm);
    for (enum trace_log log = 0; log < TRACE_LOG_COUNT; log++) {
        char *path;

        if (t->skip[log])
            continue;
        path = xasprintf("%s/%s/%04d%02d%02d", log == TRACE_MOM ? t->mom_home : t->home,
                         logs[log].dir, tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
        read_file(t, log, path, id, list);
        free(path);
    }
}

/* Years come last in what is written, and first in the order. */
static int compare_seconds(const char *a, const char *b)
{
    int order;

    if (strlen(a) < SECOND_CHARS || strlen(b) < SECOND_CHARS)
        return strcmp(a, b);
    order = strncmp(a + 6, b + 6, 4);
    if (order == 0)
        order = strncmp(a, b, 5);
    return order ? order : strncmp(a + 11, b + 11, SECOND_CHARS - 11);
}

/* What has no fraction stands behind all of its second: a record is written when what
 * it tells has happened. */
static int compare_fractions(const char *a, const char *b)
{
    const char *x = strlen(a) > SECOND_CHARS ? a + SECOND_CHARS : NULL;
    const char *y = strlen(b) > SECOND_CHARS ? b + SECOND_CHARS : NULL;

    if (!x || !y)
        return (x == NULL) - (y == NULL);
    return strcmp(x, y);
}

static int by_time(const void *pa, const void *pb)
{
    const struct event *a = pa, *b = pb;
    int order = compare_seconds(a->date, b->date);

    if (order == 0)
        order = compare_fractions(a->date, b->date);
    if (order == 0 && a->log != b->log)
        order = a->log < b->log ? -1 : 1;
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

struct events events_of_job(const struct trace *t, const char *id)
{
    struct events list = { 0 };
    /* There are no files from before clocks began, however many days are asked for. */
    int64_t days = MIN_OF((int64_t)t->days, t->now_at / DAY_S + 1);

    for (int back = (int)days - 1; back >= 0; back--)
        read_day(t, back, id, &list);
    if (list.n > 1)
        qsort(list.v, list.n, sizeof(*list.v), by_time);
    return list;
}

static void event_clear(struct event *e)
{
    free(e->date);
    free(e->text);
}

static int by_text(const void *pa, const void *pb)
{
    const struct event *a = *(struct event *const *)pa, *b = *(struct event *const *)pb;
    int order = strcmp(a->text, b->text);

    return order ? order : (a > b) - (a < b);
}

/* Those that say the same stand beside one another then, the last of them last: a job
 * that waits for weeks has as many lines as there were cycles. */
static struct event **sorted_by_text(struct events *list)
{
    struct event **v = xcalloc(list->n + 1, sizeof(struct event *));

    for (size_t i = 0; i < list->n; i++)
        v[i] = &list->v[i];
    qsort(v, list->n, sizeof(struct event *), by_text);
    return v;
}

void events_drop_repeated(struct events *list, size_t most)
{
    struct event **v = sorted_by_text(list);
    bool *drop = xcalloc(list->n + 1, sizeof(*drop));
    size_t kept = 0, next;

    for (size_t i = 0; i < list->n; i = next) {
        for (next = i + 1; next < list->n; next++)
            if (strcmp(v[i]->text, v[next]->text) != 0)
                break;
        for (size_t k = i; next - i > most && k + 1 < next; k++)
            drop[v[k] - list->v] = true;
    }
    for (size_t i = 0; i < list->n; i++) {
        if (drop[i])
            event_clear(&list->v[i]);
        else
            list->v[kept++] = list->v[i];
    }
    list->n = kept;
    free(drop);
    free(v);
}

void events_free(struct events *list)
{
    for (size_t i = 0; i < list->n; i++)
        event_clear(&list->v[i]);
    free(list->v);
    *list = (struct events){ 0 };
}
