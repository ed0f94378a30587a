/* logfile.c - PBS log files.
 *
 * Each line is one write() to a descriptor opened for appending, so lines of several
 * processes never mix. A daemon that asks for it has the lines of one turn written
 * together. A line that cannot be written is lost, and how many were is said when lines
 * can be written again: logging never stops a daemon.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/logfile.h"

#include "lib/base/buf.h"
#include "lib/base/printable.h"
#include "lib/base/version.h"
#include "lib/io/clock.h"
#include "lib/io/daemon.h"
#include "lib/io/net.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#define HELD_BYTES_MAX 65536

struct logfile {
    char *dir, *file, *daemon, *console;
    const struct conf *conf;
    uint32_t mask;
    bool to_stderr;
    bool to_syslog;
    int fd;           /* -1: no files */
    char day[9];      /* of the open file */
    int64_t stamp_at; /* the second of the last line, its text, and its day */
    char stamp[20], stamp_day[9];
    bool torn;       /* it ends in a part of a line */
    uint64_t n_lost; /* lines that could not be written */
    bool gathers;
    unsigned held_by; /* n_forks of the process whose lines are held */
    struct buf held;  /* whole lines */
    struct buf line;  /* memory for the next one */
};

static void time_format(int64_t at, const char *fmt, char *text, size_t size)
{
    time_t t = (time_t)at;
    struct tm tm;

    /* Local time, as PBS writes it: administrators read logs beside their clock. */
    localtime_r(&t, &tm);
    strftime(text, size, fmt, &tm);
}

void log_time_text(int64_t at, char *text)
{
    time_format(at, "%m/%d/%Y %H:%M:%S", text, 20);
}

void log_day_text(int64_t at, char *text)
{
    time_format(at, "%Y%m%d", text, 9);
}

/* Does the file end in a part of a line? An earlier process may have been killed when
 * the disk was full and only a part of its last line had room. */
static bool ends_in_part(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;
    char last = '\n';

    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
        pread(fd, &last, 1, st.st_size - 1) != 1)
        last = '\n';
    close(fd);
    return last != '\n';
}

static int file_open(struct logfile *lf, const char *day)
{
    char *path = lf->file ? xstrdup(lf->file) : xasprintf("%s/%s", lf->dir, day);
    /* A file that the administrator names may be a link or a device; in the directory
     * of days others may be allowed to make files, and the name of tomorrow is known.
     */
    int own = lf->file ? 0 : O_NOFOLLOW | O_NONBLOCK;
    int fd =
        open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | own, 0644);

    if (fd >= 0)
        lf->torn = ends_in_part(path);
    free(path); /* errno stays as it is */
    return fd;
}

/* What nobody can read in the log is for whoever sits before the host. A console that
 * does not take it at once is not waited for, and there need not be one. */
static void tell_console(const char *console, int err)
{
    int fd = open(console, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

    if (fd < 0)
        return;
    (void)dprintf(fd, "PBS cannot open its log - errno = %d\n", err);
    close(fd);
}

/* PBS_SYSLOG as a facility of syslog(3), -1: off. */
static int facility_of(const struct conf *conf)
{
    static const int of[] = { -1,         LOG_DAEMON, LOG_LOCAL0, LOG_LOCAL1,
                              LOG_LOCAL2, LOG_LOCAL3, LOG_LOCAL4, LOG_LOCAL5,
                              LOG_LOCAL6, LOG_LOCAL7 };

    return conf->syslog < ARRAY_LEN(of) ? of[conf->syslog] : -1;
}

/* The severity for syslog: that of the first row with one of the events in it. */
static int severity_of(uint32_t event)
{
    static const struct {
        uint32_t events;
        int severity;
    } rows[] = {
        { LOG_EV_ERROR | LOG_EV_SECURITY, LOG_ERR },
        { LOG_EV_SYSTEM | LOG_EV_ADMIN, LOG_NOTICE },
        { LOG_EV_JOB | LOG_EV_JOB_USAGE | LOG_EV_SCHED | LOG_EV_RESV, LOG_INFO },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (event & rows[i].events)
            return rows[i].severity;
    return event & ~(uint32_t)LOG_EV_FORCE ? LOG_DEBUG : LOG_NOTICE;
}

/* "class;object;text" of a line; the object is one field (operations.md 14). */
static void fields_put(struct buf *line, uint32_t log_class, const char *object,
                       const char *text)
{
    size_t len = strlen(text), at;

    buf_add_str(line, log_class_name(log_class));
    buf_add_char(line, ';');
    at = line->len;
    buf_add_printable(line, object, strlen(object));
    for (; at < line->len; at++)
        if (line->data[at] == ';')
            line->data[at] = ',';
    buf_add_char(line, ';');
    /* The reader splits at ends of lines; a text that brings its own would leave an
     * empty one. */
    while (len > 0 && text[len - 1] == '\n')
        len--;
    buf_add_printable(line, text, len);
}

static void syslog_put(const struct logfile *lf, uint32_t event, uint32_t log_class,
                       const char *object, const char *text)
{
    struct buf line = { 0 };
    int severity = severity_of(event);
    unsigned least = lf->conf->syslog_severity; /* 0: all */

    if (least != 0 && severity > (int)least)
        return;
    fields_put(&line, log_class, object, text);
    syslog(severity, "%s", line.data);
    buf_fini(&line);
}

/* Many lines share the texts of their second. */
static void stamp_set(struct logfile *lf, int64_t at)
{
    if (lf->stamp_at == at && *lf->stamp)
        return;
    lf->stamp_at = at;
    log_time_text(at, lf->stamp);
    log_day_text(at, lf->stamp_day);
}

/* Write whole lines, and return where the first one begins that is lost. A part of it
 * may have been written: the next one then begins with an end of line. */
static size_t lines_put(struct logfile *lf, const struct buf *lines)
{
    struct iovec v[2] = { { (char *)(uintptr_t) "\n", 1 },
                          { lines->data, lines->len } };
    bool mends = lf->torn;
    size_t written, whole;
    ssize_t n;

    MUST(lines->len > 0 && lines->data[lines->len - 1] == '\n');
    n = writev(lf->fd, mends ? v : v + 1, mends ? 2 : 1);
    /* After a failed write the end of the file is what it was. */
    if (n > 0)
        lf->torn = false;
    written = n > 0 ? (size_t)n - mends : 0;
    for (whole = written; whole > 0 && lines->data[whole - 1] != '\n'; whole--)
        lf->torn = true;
    for (size_t i = whole; i < lines->len; i++)
        lf->n_lost += lines->data[i] == '\n';
    return whole;
}

void logfile_flush(struct logfile *lf)
{
    if (!lf || lf->held.len == 0)
        return;
    fputs(lf->held.data + lines_put(lf, &lf->held), stderr);
    buf_clear(&lf->held);
}

/* How many forks lie between the process and the daemon that began: getpid() would be a
 * system call for each line. */
static unsigned n_forks;

static void note_fork(void)
{
    n_forks++;
}

void logfile_gather(struct logfile *lf, bool gathers)
{
    static bool watched;

    if (!lf)
        return;
    if (!watched)
        watched = pthread_atfork(NULL, NULL, note_fork) == 0;
    logfile_flush(lf);
    lf->gathers = gathers && watched;
    lf->held_by = n_forks;
}

/* A process that was forked has copies of lines that its parent writes. */
static void line_hold(struct logfile *lf, const struct buf *line, bool is_error)
{
    if (lf->held_by != n_forks)
        buf_clear(&lf->held);
    lf->held_by = n_forks;
    buf_add(&lf->held, line->data, line->len);
    if (is_error || lf->held.len > HELD_BYTES_MAX)
        logfile_flush(lf);
}

/* ";0080;pbs_sched;": a scheduler writes thousands of lines at a time. */
static void origin_put(const struct logfile *lf, uint32_t event, struct buf *line)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t bits = event & ~(uint32_t)LOG_EV_FORCE;
    int shift = 12;

    while (shift < 28 && bits >> (shift + 4)) /* as "%04x" has it */
        shift += 4;
    buf_add_char(line, ';');
    for (; shift >= 0; shift -= 4)
        buf_add_char(line, digits[bits >> shift & 15]);
    buf_add_char(line, ';');
    buf_add_str(line, lf->daemon);
    buf_add_char(line, ';');
}

static void line_put(struct logfile *lf, int64_t at_us, uint32_t event,
                     uint32_t log_class, const char *object, const char *text)
{
    struct buf *line = &lf->line;

    MUST(lf->fd >= 0);
    stamp_set(lf, at_us / 1000000);
    buf_clear(line);
    buf_add_str(line, lf->stamp);
    if (lf->conf->highres_timestamp)
        buf_printf(line, ".%06d", (int)(at_us % 1000000));
    origin_put(lf, event, line);
    fields_put(line, log_class, object, text);
    buf_add_char(line, '\n');
    if (lf->gathers)
        line_hold(lf, line, event & LOG_EV_ERROR);
    if ((!lf->gathers && lines_put(lf, line) < line->len) ||
        (lf->to_stderr && (event & LOG_EV_ERROR)))
        fputs(line->data, stderr);
}

static void say_lost(struct logfile *lf, int64_t at_us)
{
    uint64_t n = lf->n_lost;
    char text[80];

    /* Before the line is written, so that its own loss can be seen. */
    lf->n_lost = 0;
    snprintf(text, sizeof(text), "%" PRIu64 " lines of this log could not be written",
             n);
    line_put(lf, at_us, LOG_EV_ERROR, LOG_IN_SERVER, "Log", text);
    logfile_flush(lf);
    /* When this line was lost as well, the next try says the old number. */
    if (lf->n_lost)
        lf->n_lost = n;
}

static void banner_interfaces(struct logfile *lf, int64_t at_us)
{
    struct ifaddrs *list, *i;

    if (getifaddrs(&list) < 0)
        return;
    for (i = list; i; i = i->ifa_next) {
        char name[NI_MAXHOST], text[NI_MAXHOST + IF_NAMESIZE + 32];

        if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET)
            continue;
        /* Numbers: resolving every address at midnight could block the daemon. */
        if (getnameinfo(i->ifa_addr, sizeof(struct sockaddr_in), name, sizeof(name),
                        NULL, 0, NI_NUMERICHOST))
            continue;
        snprintf(text, sizeof(text), "ipv4 interface %s: %s ", i->ifa_name, name);
        line_put(lf, at_us, LOG_EV_SYSTEM, LOG_IN_SERVER, lf->daemon, text);
    }
    freeifaddrs(list);
}

/* The lines that PBS writes at the top of each log file (operations.md 14). */
static void banner(struct logfile *lf, int64_t at_us)
{
    char host[256] = "", *text;
    const char *leaf = lf->conf->leaf_name, *mom = lf->conf->mom_node_name;

    gethostname(host, sizeof(host) - 1);
    line_put(lf, at_us, LOG_EV_SYSTEM, LOG_IN_SERVER, "Log", "Log opened");
    line_put(lf, at_us, LOG_EV_SYSTEM, LOG_IN_SERVER, lf->daemon,
             "pbs_version=" PBS_VERSION);
    line_put(lf, at_us, LOG_EV_SYSTEM, LOG_IN_SERVER, lf->daemon,
             "pbs_build=mach=N/A:security=N/A:configure_args=N/A");
    text = xasprintf("hostname=%s;pbs_leaf_name=%s;pbs_mom_node_name=%s", host,
                     leaf ? leaf : "N/A", mom ? mom : "N/A");
    line_put(lf, at_us, LOG_EV_SYSTEM, LOG_IN_SERVER, lf->daemon, text);
    free(text);
    banner_interfaces(lf, at_us);
}

static void say_closed(struct logfile *lf, int64_t at_us)
{
    line_put(lf, at_us, LOG_EV_SYSTEM, LOG_IN_SERVER, "Log", "Log closed");
    logfile_flush(lf);
}

/* Open the file of that day, or the named file anew. When that fails the old file stays
 * in use. */
static void logfile_switch(struct logfile *lf, int64_t at_us, const char *day)
{
    int fd;

    if (lf->fd < 0)
        return;
    /* Also into a file that was moved away: whoever reads that one sees that it is
     * whole. */
    say_closed(lf, at_us);
    /* The day is noted also when opening fails: the next try is tomorrow's, not each
     * line's. */
    memcpy(lf->day, day, sizeof(lf->day));
    fd = file_open(lf, day);
    if (fd < 0) {
        tell_console(lf->console, errno);
        return;
    }
    close(lf->fd);
    lf->fd = fd;
    banner(lf, at_us);
}

int logfile_open(const struct logfile_config *cfg, struct logfile **ret,
                 struct diag *why)
{
    struct logfile *lf;
    int64_t now_us = clock_read_us();
    int facility = facility_of(cfg->conf);
    const char *console = cfg->console ? cfg->console : "/dev/console";

    MUST(cfg->daemon && (cfg->file || cfg->dir));
    /* Without files there is no need for the directory, and no right to make it
     * perhaps. */
    if (!cfg->file && (facility < 0 || cfg->conf->local_log)) {
        int err = daemon_mkdir(cfg->dir, 0755, why);

        if (err) {
            tell_console(console, errno);
            return err;
        }
    }
    lf = xcalloc(1, sizeof(*lf));
    lf->dir = cfg->dir ? xstrdup(cfg->dir) : NULL;
    lf->file = cfg->file ? xstrdup(cfg->file) : NULL;
    lf->daemon = xstrdup(cfg->daemon);
    lf->console = xstrdup(console);
    lf->conf = cfg->conf;
    lf->mask = cfg->mask;
    lf->to_stderr = cfg->to_stderr;
    log_day_text(now_us / 1000000, lf->day);
    lf->fd = -1;
    if (facility >= 0) {
        lf->to_syslog = true;
        openlog(lf->daemon, LOG_NOWAIT, facility);
        if (!cfg->conf->local_log) {
            *ret = lf;
            return 0;
        }
    }
    lf->fd = file_open(lf, lf->day);
    if (lf->fd < 0) {
        int no = errno;
        int err = diag_set(why, PBSE_SYSTEM, "%s: %s", cfg->file ? cfg->file : cfg->dir,
                           strerror(no));

        tell_console(lf->console, no);
        logfile_close(lf);
        return err;
    }
    banner(lf, now_us);
    *ret = lf;
    return 0;
}

/* Where a failed assertion is told before the process ends; one for each process. */
static struct logfile *witness;

static void tell_witness(const char *words)
{
    logfile_write(witness, LOG_EV_ERROR | LOG_EV_FORCE, LOG_IN_SERVER, "must", words);
}

void logfile_witness(struct logfile *lf)
{
    witness = lf;
    must_tell(tell_witness);
}

void logfile_close(struct logfile *lf)
{
    if (!lf)
        return;
    if (witness == lf)
        logfile_witness(NULL);
    if (lf->fd >= 0) {
        say_closed(lf, clock_read_us());
        close(lf->fd);
    }
    if (lf->to_syslog)
        closelog();
    buf_fini(&lf->held);
    buf_fini(&lf->line);
    free(lf->dir);
    free(lf->file);
    free(lf->daemon);
    free(lf->console);
    free(lf);
}

void logfile_reopen(struct logfile *lf)
{
    int64_t now_us = clock_read_us();
    char day[9];

    lf->stamp[0] = '\0'; /* the time zone may be another one */
    log_day_text(now_us / 1000000, day);
    logfile_switch(lf, now_us, day);
}

void logfile_set_mask(struct logfile *lf, uint32_t mask)
{
    lf->mask = mask;
}

uint32_t logfile_mask(const struct logfile *lf)
{
    return lf->mask;
}

void logfile_write(struct logfile *lf, uint32_t event, uint32_t log_class,
                   const char *object, const char *text)
{
    int64_t now_us;

    if (!lf || !(event & (lf->mask | LOG_EV_FORCE)))
        return;
    if (lf->to_syslog)
        syslog_put(lf, event, log_class, object, text);
    if (lf->fd < 0)
        return;
    now_us = clock_read_us();
    stamp_set(lf, now_us / 1000000);
    /* Files are named after days, and change with the first line of a day. */
    if (!lf->file && strcmp(lf->stamp_day, lf->day) != 0)
        logfile_switch(lf, now_us, lf->stamp_day);
    if (lf->n_lost)
        say_lost(lf, now_us);
    line_put(lf, now_us, event, log_class, object, text);
}

void logfile_printf(struct logfile *lf, uint32_t event, uint32_t log_class,
                    const char *object, const char *fmt, ...)
{
    va_list ap;
    char *text;

    if (!lf || !(event & (lf->mask | LOG_EV_FORCE)))
        return;
    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) < 0)
        text = NULL;
    va_end(ap);
    if (text)
        logfile_write(lf, event, log_class, object, text);
    free(text);
}
