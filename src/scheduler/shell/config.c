/* config.c - what the administrator writes for the scheduler: the four files of the
 * private directory (scheduling.md 5 and 6).
 *
 * Lines may be as long as they like. An error costs its line and nothing else.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/shell.h"

#include "lib/io/clock.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A file of the private directory while it is read. */
struct reader {
    struct shell *sh;
    const char *name;
    int number; /* of the line, from 1 */
    struct buf line;
};

static void tell(const struct shell *sh, const char *object, const char *text)
{
    logfile_write(sh->log, LOG_EV_SCHED, LOG_IN_FILE, object, text);
}

static bool is_cut(const struct buf *line, bool joined)
{
    return joined && line->len > 0 && line->data[line->len - 1] == '\\';
}

/* Read the next line without its end. Where 'joined', a line that ends in a backslash
 * goes on in the next one; *number is that of its last line. */
static bool read_line(FILE *f, struct buf *line, int *number, bool joined)
{
    int c;

    buf_clear(line);
    /* The line has memory from here on, also when it stays empty. */
    buf_add_str(line, "");
    ++*number;
    while ((c = getc(f)) != EOF) {
        if (c != '\n') {
            buf_add_char(line, (char)c);
            continue;
        }
        if (!is_cut(line, joined))
            return true;
        line->data[--line->len] = '\0';
        ++*number;
    }
    /* The last line counts even when nothing ends it. */
    return line->len > 0;
}

/* Call 'read' for each line. False: the file cannot be opened. */
static bool read_file(struct shell *sh, const char *name, bool joined,
                      void (*read)(struct reader *r, const char *line))
{
    struct reader r = { .sh = sh, .name = name };
    char *path = xasprintf("%s/%s", sh->priv_dir, name);
    FILE *f = fopen(path, "re");

    free(path);
    if (!f)
        return false;
    while (read_line(f, &r.line, &r.number, joined))
        read(&r, r.line.data ? r.line.data : "");
    buf_fini(&r.line);
    fclose(f);
    return true;
}

/* The line behind its blanks; NULL for a comment or an empty line. */
static const char *content(const char *line)
{
    line += strspn(line, " \t\r");
    return *line && *line != '#' && *line != '*' ? line : NULL;
}

static void tell_missing(const struct shell *sh, const char *func, const char *name)
{
    logfile_printf(sh->log, LOG_EV_ERROR, LOG_IN_FILE, name,
                   "%s (%d) in %s, Error opening file %s", strerror(errno), errno, func,
                   name);
}

static void read_setting(struct reader *r, const char *line)
{
    struct diag why = { 0 };
    enum policy_line result = policy_line(r->sh->policy, line, &why);

    if (result == POLICY_FINE)
        return;
    if (result == POLICY_WRONG)
        logfile_printf(r->sh->log, LOG_EV_SCHED, LOG_IN_FILE, r->name,
                       "Error reading line %d: %s", r->number, why.text);
    else
        tell(r->sh, r->name, why.text);
}

/* What the files ask for in vain is said at the start, and again when it changes. */
static void tell_unserved(struct shell *sh)
{
    struct buf names = { 0 };

    MUST(sh->policy);
    policy_unserved(sh->policy, &names);
    if (sh->holidays_year)
        buf_printf(&names, "%sholidays (it is prime time for ever)",
                   names.len ? ", " : "");
    if (sh->has_shares)
        buf_printf(&names, "%sresource_group", names.len ? ", " : "");
    if (names.len > 0 && !str_same(sh->unserved, names.data))
        logfile_printf(sh->log, LOG_EV_SCHED, LOG_IN_FILE, "sched_config",
                       "Read, and not served yet: %s", names.data);
    free(sh->unserved);
    sh->unserved = names.len > 0 ? xstrdup(names.data) : NULL;
    buf_fini(&names);
}

/* "MM/DD/YYYY HH:MM" in local time at *at, which is moved behind it. */
static bool read_instant(const char **at, int64_t *ret)
{
    struct tm tm = { .tm_isdst = -1 };
    int used = 0;
    time_t when;

    if (sscanf(*at, "%2d/%2d/%4d %2d:%2d%n", &tm.tm_mon, &tm.tm_mday, &tm.tm_year,
               &tm.tm_hour, &tm.tm_min, &used) != 5 ||
        tm.tm_mon < 1 || tm.tm_mon > 12 || tm.tm_mday < 1 || tm.tm_mday > 31 ||
        tm.tm_hour < 0 || tm.tm_hour > 24 || tm.tm_min < 0 || tm.tm_min > 59 ||
        tm.tm_year < 0)
        return false;
    /* Years of two digits: 00 to 89 are of this century, 90 to 99 of the last one. */
    if (tm.tm_year < 100)
        tm.tm_year += tm.tm_year < 90 ? 2000 : 1900;
    tm.tm_mon -= 1;
    tm.tm_year -= 1900;
    /* Whether summer time holds is for mktime() to find out (tm_isdst is -1); 24:00
     * becomes 00:00 of the next day. */
    when = mktime(&tm);
    if (when == (time_t)-1)
        return false;
    *ret = when;
    *at += used;
    return true;
}

/* A mistake goes to standard output, where suites look for it; the log has a line too.
 */
static void tell_period(struct reader *r, const char *line)
{
    printf("Error: %s\n", line);
    fflush(stdout);
    logfile_printf(r->sh->log, LOG_EV_ERROR, LOG_IN_FILE, r->name,
                   "Line %d is no \"MM/DD/YYYY HH:MM MM/DD/YYYY HH:MM\": %s", r->number,
                   line);
}

static void read_period(struct reader *r, const char *line)
{
    const char *at = content(line);
    int64_t from_at, to_at;

    if (!at)
        return;
    if (!read_instant(&at, &from_at) || !isspace((unsigned char)*at) ||
        !read_instant(&at, &to_at) || content(at)) {
        tell_period(r, line);
        return;
    }
    if (from_at > to_at)
        logfile_printf(r->sh->log, LOG_EV_ERROR, LOG_IN_SERVER, "pbs_sched",
                       "Dedicated Time Conflict, From date is greater than To date in "
                       "the line - '%s'.",
                       line);
    if (to_at <= clock_read())
        return; /* past */
    if (!policy_add_dedicated(r->sh->policy, from_at, to_at))
        logfile_printf(r->sh->log, LOG_EV_ERROR, LOG_IN_FILE, r->name,
                       "Line %d: too many periods, this one is left out", r->number);
}

static bool is_clock(const char *word)
{
    size_t len = strspn(word, "0123456789");

    return (len > 0 && len <= 4 && !word[len]) || strcasecmp(word, "all") == 0 ||
           strcasecmp(word, "none") == 0;
}

static bool is_day_name(const char *word)
{
    static const char *const days[] = { "weekday",  "monday", "tuesday",  "wednesday",
                                        "thursday", "friday", "saturday", "sunday" };

    for (size_t i = 0; i < ARRAY_LEN(days); i++)
        if (strcasecmp(word, days[i]) == 0)
            return true;
    return false;
}

static bool is_day(const char *prime, const char *nonprime)
{
    return is_clock(prime) && is_clock(nonprime);
}

/* Both starts may be the word all or none, which users mean as a whole day of prime
 * time. */
static void tell_whole_day(const struct reader *r, const char *prime,
                           const char *nonprime)
{
    if (strcasecmp(prime, nonprime) == 0 && isalpha((unsigned char)*prime))
        logfile_printf(r->sh->log, LOG_EV_SCHED, LOG_IN_FILE, r->name,
                       "Warning: both prime & non-prime starts are '%s'; assuming 24hr "
                       "primetime",
                       strcasecmp(prime, "all") == 0 ? "all" : "none");
}

/* Lines are checked; prime time itself is not served. */
static void read_holiday(struct reader *r, const char *line)
{
    char word[32] = "", prime[32] = "", nonprime[32] = "";
    const char *at = content(line);
    bool ok = true;

    if (!at)
        return;
    /* Words that are missing stay empty; a day without its two times is refused below.
     */
    (void)!sscanf(at, "%31s %31s %31s", word, prime, nonprime);
    if (strcasecmp(word, "YEAR") == 0)
        r->sh->holidays_year = strtol(prime, NULL, 10);
    else if (is_day_name(word))
        ok = is_day(prime, nonprime);
    else if (isdigit((unsigned char)*word))
        ok = strtol(word, NULL, 10) >= 1 && strtol(word, NULL, 10) <= 366;
    if (!ok)
        logfile_printf(r->sh->log, LOG_EV_SCHED, LOG_IN_FILE, r->name,
                       "Error on line %d, line started with: %s", r->number, word);
    else if (is_day_name(word))
        tell_whole_day(r, prime, nonprime);
}

static void tell_old_holidays(const struct shell *sh)
{
    time_t now = (time_t)clock_read();
    struct tm tm;

    if (sh->holidays_year && localtime_r(&now, &tm) &&
        sh->holidays_year < tm.tm_year + 1900)
        logfile_write(sh->log, LOG_EV_ADMIN, LOG_IN_FILE, "holidays",
                      "The holiday file is out of date; please update it.");
}

/* NAME CGROUP PARENT SHARES: counted and checked; shares are not served. */
static void read_group(struct reader *r, const char *line)
{
    const char *at = content(line);
    char name[128], parent[128];
    long long cgroup, shares;

    if (!at)
        return;
    if (sscanf(at, "%127s %lld %127s %lld", name, &cgroup, parent, &shares) == 4) {
        r->sh->has_shares = true;
        return;
    }
    logfile_printf(r->sh->log, LOG_EV_SCHED, LOG_IN_FILE, "fairshare",
                   "resgroup: error on line %d.", r->number);
}

void shell_read_config(struct shell *sh)
{
    /* The policy is made anew, so that a setting whose line was deleted has its default
     * again. */
    policy_free(sh->policy);
    sh->policy = policy_new();
    sh->holidays_year = 0;
    sh->has_shares = false;
    if (!read_file(sh, "sched_config", true, read_setting))
        tell(sh, "sched_config", "Can not open file: sched_config");
    if (!read_file(sh, "holidays", false, read_holiday)) {
        tell_missing(sh, "parse_holidays", "holidays");
        tell(sh, "holidays",
             "Warning: cannot open holidays file; assuming 24hr primetime");
    }
    tell_old_holidays(sh);
    if (!read_file(sh, "dedicated_time", false, read_period))
        tell_missing(sh, "parse_ded_file", "dedicated_time");
    if (!read_file(sh, "resource_group", false, read_group))
        tell(sh, "fairshare",
             "Warning: resource group file error, fair share will not work");
    tell_unserved(sh);
}

/* Copy the file under another name and rename it, so that half a file is never read. */
static bool copy_file(const char *from, const char *to)
{
    char *made = xasprintf("%s.new", to);
    FILE *in = fopen(from, "re"), *out = in ? fopen(made, "we") : NULL;
    bool ok = out && fchmod(fileno(out), 0644) == 0;
    int c;

    while (ok && (c = getc(in)) != EOF)
        ok = putc(c, out) != EOF;
    ok = ok && !ferror(in);
    if (in)
        fclose(in);
    if (out)
        ok = fclose(out) == 0 && ok;
    ok = ok && rename(made, to) == 0;
    if (out && !ok)
        (void)unlink(made);
    free(made);
    return ok;
}

void shell_lay_files(struct shell *sh)
{
    static const struct {
        const char *name, *installed;
    } files[] = {
        { "sched_config", "pbs_sched_config" },
        { "holidays", "pbs_holidays" },
        { "dedicated_time", "pbs_dedicated" },
        { "resource_group", "pbs_resource_group" },
    };

    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        char *from = xasprintf("%s/etc/%s", sh->conf->exec, files[i].installed);
        char *to = xasprintf("%s/%s", sh->priv_dir, files[i].name);

        /* A file that the administrator has is never overwritten. */
        if (access(to, F_OK) < 0 && access(from, F_OK) == 0 && !copy_file(from, to))
            logfile_printf(sh->log, LOG_EV_ERROR, LOG_IN_FILE, files[i].name,
                           "%s could not be copied from %s: %s", to, from,
                           strerror(errno));
        free(from);
        free(to);
    }
}
