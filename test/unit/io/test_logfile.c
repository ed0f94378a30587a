/* Unit tests of lib/io/logfile.c: lines, mask, banner, reopening.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/logfile.h"

#include "lib/base/base.h"
#include "lib/io/clock.h"

#include "../unit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

static char dir[] = "/tmp/hf-log-XXXXXX";

/* Everything in today's file; the caller frees. Tests run in UTC, and none asks for
 * the file's name twice, so a midnight in between is the only flaw left. */
static char *content(char *path, size_t size)
{
    char day[9], *text = xcalloc(1, 1 << 20);
    FILE *f;

    log_day_text(clock_read(), day);
    snprintf(path, size, "%s/%s", dir, day);
    f = fopen(path, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT_TRUE(fread(text, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    return text;
}

static struct logfile *open_log(uint32_t mask, bool highres)
{
    static struct conf conf; /* outlives the log file */
    struct logfile_config cfg = {
        .dir = dir, .daemon = "Server@h", .mask = mask, .conf = &conf
    };
    struct logfile *lf = NULL;
    struct diag why;

    conf = (struct conf){ .leaf_name = "leaf", .highres_timestamp = highres };
    CU_ASSERT_EQUAL_FATAL(logfile_open(&cfg, &lf, &why), 0);
    return lf;
}

/* Does a line end with ';'-joined fields like these, after a time stamp of 'n'? */
static bool has_line(const char *text, size_t stamp_bytes, const char *rest)
{
    size_t len = strlen(rest);

    while (*text) {
        size_t line = strcspn(text, "\n");

        if (line == stamp_bytes + 1 + len && text[stamp_bytes] == ';' &&
            strncmp(text + stamp_bytes + 1, rest, len) == 0)
            return true;
        text += line + (text[line] == '\n');
    }
    return false;
}

static void test_lines_have_the_pbs_format(void)
{
    struct logfile *lf = open_log(LOG_MASK_DEFAULT, false);
    char path[64], *text;

    logfile_write(lf, LOG_EV_DEBUG2, LOG_IN_REQUEST, "", "Type 0 request");
    logfile_write(lf, LOG_EV_SYSTEM | LOG_EV_ADMIN, LOG_IN_FILE, "Server@h", "a;b\n");
    logfile_write(lf, LOG_EV_RESV, LOG_IN_RESV, "R1.h", "not in the mask");
    logfile_write(lf, LOG_EV_RESV | LOG_EV_SYSTEM, LOG_IN_RESV, "R1.h", "two\nlines");
    logfile_printf(lf, LOG_EV_FORCE, LOG_IN_NONE, "x", "forced %d", 7);
    logfile_write(NULL, LOG_EV_FORCE, LOG_IN_NONE, "x", "nobody listens");
    logfile_set_mask(lf, 0xfff);
    CU_ASSERT_EQUAL(logfile_mask(lf), 0xfff);
    logfile_write(lf, LOG_EV_DEBUG4, 99, "x", "now it is");
    logfile_close(lf);
    text = content(path, sizeof(path));
    CU_ASSERT_TRUE(has_line(text, 19, "0100;Server@h;Req;;Type 0 request"));
    CU_ASSERT_TRUE(has_line(text, 19, "0006;Server@h;Fil;Server@h;a;b"));
    CU_ASSERT_PTR_NULL(strstr(text, "not in the mask"));
    CU_ASSERT_TRUE(has_line(text, 19, "0202;Server@h;Resv;R1.h;two lines"));
    CU_ASSERT_TRUE(has_line(text, 19, "0000;Server@h;n/a;x;forced 7"));
    CU_ASSERT_TRUE(has_line(text, 19, "0800;Server@h;n/a;x;now it is"));
    CU_ASSERT_TRUE(has_line(text, 19, "0002;Server@h;Svr;Log;Log opened"));
    CU_ASSERT_TRUE(
        has_line(text, 19, "0002;Server@h;Svr;Server@h;pbs_version=23.06.06"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, ";pbs_leaf_name=leaf;pbs_mom_node_name=N/A\n"));
    CU_ASSERT_TRUE(has_line(text, 19, "0002;Server@h;Svr;Log;Log closed"));
    free(text);
    unlink(path);
}

/* What users name things is in many lines. */
static void test_lines_are_lines_whatever_is_in_them(void)
{
    struct logfile *lf = open_log(LOG_MASK_DEFAULT, false);
    char path[64], *text;

    logfile_write(lf, LOG_EV_SYSTEM, LOG_IN_JOB, "1.h",
                  "name = \x1b]0;x\x07, \r\n11/21/2026 08:02:34;0002;forged");
    logfile_write(lf, LOG_EV_SYSTEM, LOG_IN_QUEUE, "a;b\nc\x1b", "no such object");
    logfile_close(lf);
    text = content(path, sizeof(path));
    CU_ASSERT_TRUE(has_line(text, 19,
                            "0002;Server@h;Job;1.h;name = ^[]0;x^G, ^M 11/21/2026 "
                            "08:02:34;0002;forged"));
    CU_ASSERT_TRUE(has_line(text, 19, "0002;Server@h;Que;a,b c^[;no such object"));
    free(text);
    unlink(path);
}

static void test_time_stamps(void)
{
    struct logfile *lf;
    char path[64], stamp[20], day[9], *text;

    log_time_text(1795248154, stamp);
    log_day_text(1795248154, day);
    CU_ASSERT_STRING_EQUAL(stamp, "11/21/2026 08:02:34");
    CU_ASSERT_STRING_EQUAL(day, "20261121");
    lf = open_log(LOG_MASK_DEFAULT, true);
    logfile_write(lf, LOG_EV_SYSTEM, LOG_IN_SERVER, "x", "fine");
    logfile_close(lf);
    text = content(path, sizeof(path));
    CU_ASSERT_TRUE(has_line(text, 26, "0002;Server@h;Svr;x;fine"));
    free(text);
    unlink(path);
}

static void test_reopening_follows_a_moved_file(void)
{
    struct logfile *lf = open_log(LOG_MASK_DEFAULT, false);
    char path[64], *text;

    free(content(path, sizeof(path)));
    CU_ASSERT_EQUAL(unlink(path), 0);
    logfile_reopen(lf);
    logfile_write(lf, LOG_EV_SYSTEM, LOG_IN_SERVER, "x", "after");
    logfile_close(lf);
    text = content(path, sizeof(path));
    CU_ASSERT_TRUE(has_line(text, 19, "0002;Server@h;Svr;Log;Log opened"));
    CU_ASSERT_TRUE(has_line(text, 19, "0002;Server@h;Svr;x;after"));
    free(text);
    unlink(path);
}

static void test_log_that_cannot_be_opened_is_refused(void)
{
    const struct conf conf = { 0 };
    struct logfile_config cfg = {
        .file = "/nonexistent/log", .daemon = "d", .console = "/dev/null", .conf = &conf
    };
    struct logfile *lf = NULL;
    struct diag why;

    CU_ASSERT_EQUAL(logfile_open(&cfg, &lf, &why), PBSE_SYSTEM);
    CU_ASSERT_PTR_NULL(lf);
    CU_ASSERT_STRING_EQUAL(why.text, "/nonexistent/log: No such file or directory");
}

/* Syslog: these stand in for the C library's. */

static struct {
    char ident[32], text[256];
    int facility, severity;
    size_t n;
} said;

void openlog(const char *ident, int option, int facility)
{
    (void)option;
    snprintf(said.ident, sizeof(said.ident), "%s", ident);
    said.facility = facility;
}

void closelog(void)
{
}

static void say(int severity, const char *fmt, va_list ap)
{
    said.n++;
    said.severity = severity;
    vsnprintf(said.text, sizeof(said.text), fmt, ap);
}

void syslog(int severity, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say(severity, fmt, ap);
    va_end(ap);
}

/* What syslog() is with _FORTIFY_SOURCE. */
void __syslog_chk(int severity, int flag, const char *fmt, ...);
void __syslog_chk(int severity, int flag, const char *fmt, ...)
{
    va_list ap;

    (void)flag;
    va_start(ap, fmt);
    say(severity, fmt, ap);
    va_end(ap);
}

static void test_syslog_takes_what_is_important_enough(void)
{
    static const struct {
        unsigned syslog, severity;
        uint32_t event;
        int facility;
        int said; /* severity; -1: nothing */
    } rows[] = {
        { 1, 0, LOG_EV_DEBUG, LOG_DAEMON, LOG_DEBUG },
        { 2, 3, LOG_EV_ERROR | LOG_EV_DEBUG, LOG_LOCAL0, LOG_ERR },
        { 9, 3, LOG_EV_SECURITY, LOG_LOCAL7, LOG_ERR },
        { 9, 3, LOG_EV_SYSTEM, LOG_LOCAL7, -1 },
        { 9, 5, LOG_EV_ADMIN, LOG_LOCAL7, LOG_NOTICE },
        { 9, 5, LOG_EV_JOB, LOG_LOCAL7, -1 },
        { 9, 6, LOG_EV_JOB, LOG_LOCAL7, LOG_INFO },
        { 9, 7, LOG_EV_DEBUG4, LOG_LOCAL7, -1 }, /* not in the mask */
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct conf conf = { .syslog = rows[i].syslog,
                             .syslog_severity = rows[i].severity };
        struct logfile_config cfg = { .dir = "/nonexistent/logs",
                                      .daemon = "Server@h",
                                      .mask = LOG_MASK_DEFAULT,
                                      .conf = &conf };
        struct logfile *lf = NULL;

        said.n = 0;
        CU_ASSERT_EQUAL_FATAL(logfile_open(&cfg, &lf, NULL), 0);
        CU_ASSERT_EQUAL(said.n, 0); /* no banner */
        CU_ASSERT_STRING_EQUAL(said.ident, "Server@h");
        CU_ASSERT_EQUAL(said.facility, rows[i].facility);
        logfile_write(lf, rows[i].event, LOG_IN_JOB, "1.h", "started");
        CU_ASSERT_EQUAL(said.n, rows[i].said < 0 ? 0 : 1);
        if (said.n) {
            CU_ASSERT_EQUAL(said.severity, rows[i].said);
            CU_ASSERT_STRING_EQUAL(said.text, "Job;1.h;started");
        }
        logfile_reopen(lf);
        logfile_close(lf);
    }
}

static void test_files_are_written_beside_syslog_on_demand(void)
{
    struct conf conf = { .syslog = 1, .local_log = true };
    struct logfile_config cfg = {
        .dir = dir, .daemon = "Server@h", .mask = 1, .conf = &conf
    };
    char path[128], *text;
    struct logfile *lf = NULL;

    CU_ASSERT_EQUAL_FATAL(logfile_open(&cfg, &lf, NULL), 0);
    said.n = 0;
    logfile_write(lf, LOG_EV_ERROR, LOG_IN_SERVER, "x", "both");
    CU_ASSERT_EQUAL(said.n, 1);
    logfile_close(lf);
    text = content(path, sizeof(path));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, ";0001;Server@h;Svr;x;both"));
    free(text);
    unlink(path);
}

static void test_ten_and_more_are_no_facility(void)
{
    struct conf conf = { .syslog = 10 };
    struct logfile_config cfg = { .dir = "/nonexistent/logs/x",
                                  .file = "/nonexistent/log",
                                  .daemon = "d",
                                  .conf = &conf };
    struct logfile *lf = NULL;

    CU_ASSERT_NOT_EQUAL(logfile_open(&cfg, &lf, NULL), 0);
}

/* In a child: a promise that breaks, with 'log' as its witness. */
static void break_promise(bool log)
{
    struct logfile *lf = open_log(LOG_MASK_DEFAULT, false);
    int two = 2;

    if (!freopen("/dev/null", "w", stderr))
        _exit(1);
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    if (log)
        logfile_witness(lf);
    else
        logfile_close(lf);
    MUST(two == 3);
    _exit(0);
}

static int end_of_child(bool log)
{
    pid_t pid = fork();
    int status = 0;

    if (pid == 0)
        break_promise(log);
    CU_ASSERT_EQUAL_FATAL(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void test_broken_promise(void)
{
    char path[64], *text;

    CU_ASSERT_EQUAL(end_of_child(true), SIGABRT);
    text = content(path, sizeof(path));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, ";0001;Server@h;Svr;must;"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, ": break_promise: broken promise: two == 3\n"));
    unlink(path);
    free(text);
    CU_ASSERT_EQUAL(end_of_child(false), SIGABRT);
    text = content(path, sizeof(path));
    CU_ASSERT_PTR_NULL(strstr(text, "broken promise"));
    unlink(path);
    free(text);
}

/* In the directory of days others may be allowed to make files. */
static void test_a_day_is_no_link_of_somebodys(void)
{
    static const struct conf conf;
    struct logfile_config cfg = { .dir = dir, .daemon = "x", .conf = &conf };
    struct logfile *lf = NULL;
    char day[9], path[64], victim[64];
    struct diag why;

    log_day_text(clock_read(), day);
    snprintf(path, sizeof(path), "%s/%s", dir, day);
    snprintf(victim, sizeof(victim), "%s/victim", dir);
    CU_ASSERT_EQUAL_FATAL(symlink(victim, path), 0);
    CU_ASSERT_NOT_EQUAL(logfile_open(&cfg, &lf, &why), 0);
    CU_ASSERT_NOT_EQUAL(access(victim, F_OK), 0);
    unlink(path);
    CU_ASSERT_EQUAL_FATAL(mkfifo(path, 0666), 0); /* nobody reads it: no waiting */
    CU_ASSERT_NOT_EQUAL(logfile_open(&cfg, &lf, &why), 0);
    unlink(path);
    /* what the administrator names may be one */
    CU_ASSERT_EQUAL_FATAL(symlink(victim, path), 0);
    cfg.file = path;
    CU_ASSERT_EQUAL(logfile_open(&cfg, &lf, &why), 0);
    logfile_close(lf);
    CU_ASSERT_EQUAL(access(victim, F_OK), 0);
    unlink(path);
    unlink(victim);
}

/* A process that was killed while the disk was full leaves a part of a line. */
static void test_a_part_of_a_line_stays_alone(void)
{
    char path[64], day[9], *text;
    struct logfile *lf;
    FILE *f;

    log_day_text(clock_read(), day);
    snprintf(path, sizeof(path), "%s/%s", dir, day);
    f = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    fputs("a whole one\n11/25/2026 03:10:00;0002;Ser", f);
    fclose(f);
    lf = open_log(LOG_MASK_DEFAULT, false);
    logfile_close(lf);
    lf = open_log(LOG_MASK_DEFAULT, false);
    logfile_close(lf);
    text = content(path, sizeof(path));
    CU_ASSERT_EQUAL(strncmp(text, "a whole one\n11/25/2026 03:10:00;0002;Ser\n", 41),
                    0);
    /* What ends as it should gets no empty line. */
    CU_ASSERT_PTR_NULL(strstr(text, "\n\n"));
    CU_ASSERT_NOT_EQUAL(*text, '\n');
    free(text);
    unlink(path);
}

static void put_line(struct logfile *lf, const char *text)
{
    logfile_write(lf, LOG_EV_JOB, LOG_IN_JOB, "1.s", text);
}

static bool is_written(const char *text)
{
    char path[64], *all = content(path, sizeof(path));
    bool found = strstr(all, text) != NULL;

    free(all);
    return found;
}

/* Errors do not wait, a forked process does not repeat what its parent holds, and
 * nothing is left behind at the end. */
static void test_gathered_lines_are_written_together(void)
{
    struct logfile *lf = open_log(LOG_MASK_DEFAULT, false);
    char path[64], *all;
    pid_t pid;

    logfile_gather(lf, true);
    put_line(lf, "first");
    put_line(lf, "second");
    CU_ASSERT_FALSE(is_written("first"));
    logfile_flush(lf);
    CU_ASSERT(is_written(";1.s;first\n") && is_written(";1.s;second\n"));
    put_line(lf, "third");
    pid = fork();
    if (pid == 0) {
        logfile_write(lf, LOG_EV_ERROR, LOG_IN_JOB, "1.s", "a child's");
        _exit(0);
    }
    CU_ASSERT_EQUAL(waitpid(pid, NULL, 0), pid);
    CU_ASSERT(is_written("a child's") && !is_written("third"));
    logfile_write(lf, LOG_EV_ERROR, LOG_IN_JOB, "1.s", "an error");
    CU_ASSERT(is_written("third") && is_written("an error"));
    put_line(lf, "fourth");
    logfile_gather(lf, false);
    CU_ASSERT(is_written("fourth"));
    put_line(lf, "fifth");
    CU_ASSERT(is_written("fifth"));
    logfile_gather(lf, true);
    for (int i = 0; i < 2000; i++)
        put_line(lf, "many");
    CU_ASSERT(is_written("many"));
    logfile_reopen(lf);
    put_line(lf, "last");
    logfile_close(lf);
    CU_ASSERT(is_written("last"));
    all = content(path, sizeof(path));
    CU_ASSERT_PTR_NULL(strstr(strstr(all, "third") + 1, "third"));
    free(all);
    unlink(path);
}

/* Of five lines that are written together two and a part of the third have room. */
static void test_lost_lines_are_counted(void)
{
    struct rlimit before, limit;
    char path[64], *all;
    struct logfile *lf;
    struct stat st;

    for (int gathers = 0; gathers <= 1; gathers++) {
        lf = open_log(LOG_MASK_DEFAULT, false);
        free(content(path, sizeof(path)));
        CU_ASSERT_EQUAL_FATAL(stat(path, &st), 0);
        CU_ASSERT_EQUAL(getrlimit(RLIMIT_FSIZE, &before), 0);
        limit = before;
        limit.rlim_cur =
            (rlim_t)st.st_size +
            2 * strlen("12/31/2026 00:00:00;0008;Server@h;Job;1.s;line n\n") + 9;
        CU_ASSERT_PTR_NOT_EQUAL(signal(SIGXFSZ, SIG_IGN), SIG_ERR);
        logfile_gather(lf, gathers);
        CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
        for (int i = 0; i < 5; i++)
            put_line(lf, (const char *const[]){ "line a", "line b", "line c", "line d",
                                                "line e" }[i]);
        logfile_flush(lf);
        CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &before), 0);
        put_line(lf, "line f");
        logfile_close(lf);
        all = content(path, sizeof(path));
        CU_ASSERT(strstr(all, "line b\n") && !strstr(all, "line c"));
        CU_ASSERT(has_line(
            all, 19, "0001;Server@h;Svr;Log;3 lines of this log could not be written"));
        CU_ASSERT(strstr(all, "line f\n") && !strstr(all, "\n\n"));
        free(all);
        unlink(path);
    }
}

/* What the console was told since the last time. */
static const char *console_text(int fd)
{
    static char text[256];
    ssize_t n = read(fd, text, sizeof(text) - 1);

    text[n > 0 ? n : 0] = '\0';
    return text;
}

static int try_to_open(const char *at, const char *console, struct logfile **ret)
{
    static const struct conf conf;
    const struct logfile_config cfg = {
        .dir = at, .daemon = "d", .console = console, .conf = &conf
    };
    struct diag why;

    return logfile_open(&cfg, ret, &why);
}

/* It is nobody's log that cannot be opened, so somebody else has to be told; and a
 * console that nobody reads, or that takes nothing, is not waited for. */
static void test_the_console_is_told_of_a_log_that_cannot_be_opened(void)
{
    char console[64], file[64], below[80], path[64], block[4096] = "";
    struct logfile *lf = NULL;
    int fd;

    snprintf(console, sizeof(console), "%s/console", dir);
    snprintf(file, sizeof(file), "%s/file", dir);
    snprintf(below, sizeof(below), "%s/logs", file);
    CU_ASSERT_EQUAL_FATAL(mkfifo(console, 0600), 0);
    CU_ASSERT_EQUAL(close(open(file, O_WRONLY | O_CREAT, 0600)), 0);
    CU_ASSERT_EQUAL(try_to_open(below, console, &lf), PBSE_SYSTEM);
    fd = open(console, O_RDWR | O_NONBLOCK);
    CU_ASSERT_FATAL(fd >= 0);
    CU_ASSERT_STRING_EQUAL(console_text(fd), "");
    CU_ASSERT_EQUAL(try_to_open(below, console, &lf), PBSE_SYSTEM);
    CU_ASSERT_STRING_EQUAL(console_text(fd), "PBS cannot open its log - errno = 20\n");
    /* Later, too: the lines go on into the old file. */
    CU_ASSERT_EQUAL_FATAL(try_to_open(dir, console, &lf), 0);
    CU_ASSERT_STRING_EQUAL(console_text(fd), "");
    free(content(path, sizeof(path)));
    CU_ASSERT_EQUAL(rename(path, file), 0);
    CU_ASSERT_EQUAL(mkdir(path, 0700), 0);
    logfile_reopen(lf);
    CU_ASSERT_STRING_EQUAL(console_text(fd), "PBS cannot open its log - errno = 21\n");
    while (write(fd, block, sizeof(block)) > 0)
        ;
    logfile_reopen(lf);
    logfile_close(lf);
    CU_ASSERT_EQUAL(rmdir(path), 0);
    close(fd);
    unlink(console);
    unlink(file);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "lines have the PBS format", test_lines_have_the_pbs_format },
        { "lines are lines whatever is in them",
          test_lines_are_lines_whatever_is_in_them },
        { "time stamps are local and may have microseconds", test_time_stamps },
        { "reopening follows a moved file", test_reopening_follows_a_moved_file },
        { "a broken promise is told in the log, and ends the process",
          test_broken_promise },
        { "a log that cannot be opened is refused",
          test_log_that_cannot_be_opened_is_refused },
        { "the console is told of a log that cannot be opened",
          test_the_console_is_told_of_a_log_that_cannot_be_opened },
        { "syslog takes what is important enough",
          test_syslog_takes_what_is_important_enough },
        { "files are written beside syslog on demand",
          test_files_are_written_beside_syslog_on_demand },
        { "a day is no link of somebody's", test_a_day_is_no_link_of_somebodys },
        { "a part of a line stays alone", test_a_part_of_a_line_stays_alone },
        { "gathered lines are written together",
          test_gathered_lines_are_written_together },
        { "lost lines are counted", test_lost_lines_are_counted },
        { "ten and more are no facility", test_ten_and_more_are_no_facility },
    };
    int rc;

    setenv("TZ", "UTC", 1);
    if (!mkdtemp(dir))
        return 2;
    rc = unit_main("logfile", cases, ARRAY_LEN(cases));
    rmdir(dir);
    return rc;
}
