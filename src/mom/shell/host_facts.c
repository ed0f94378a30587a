/* host_facts.c - see host_facts.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/host_facts.h"

#include "lib/wire/rm.h"
#include "mom/shell/host_script.h"
#include "mom/shell/idle_time.h"
#include "mom/shell/proc.h"

#include <ctype.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define MAX_QUERY   4096
#define ACCOUNT_MAX 16384

/* A question, taken apart. Texts lie in 'room'. */
struct query {
    const char *name;
    const char *key, *about; /* "[key=about]", the first of them; "": not there */
    size_t n;
    struct host_param params[HOST_PARAMS];
    char room[MAX_QUERY];
};

/* A value is appended to 'out'; 0 or a code of enum rm_error. */
typedef int (*fact_fn)(struct host_facts *f, const struct query *q, struct buf *out);

/* The text up to one of 'ends', which becomes its end, or NULL: there is nothing, or no
 * such end. */
static char *take_part(char **at, char end)
{
    char *part = *at, *stop = strchr(part, end);

    if (!stop || stop == part)
        return NULL;
    *stop = '\0';
    *at = stop + 1;
    return part;
}

/* 0, or RM_ERR_UNKNOWN for what is no name, RM_ERR_BADPARAM for brackets that are none.
 */
static int take_apart(const char *text, struct query *ret)
{
    size_t name = strcspn(text, "["), len = strlen(text);
    char *at = ret->room + name;

    ret->key = ret->about = "";
    ret->n = 0;
    if (name == 0 || len >= sizeof(ret->room))
        return RM_ERR_UNKNOWN;
    memcpy(ret->room, text, len + 1);
    ret->name = ret->room;
    while (*at == '[') {
        struct host_param *p = &ret->params[ret->n];

        *at++ = '\0';
        if (ret->n++ == HOST_PARAMS || !(p->key = take_part(&at, '=')) ||
            !(p->value = take_part(&at, ']')) || strchr(p->key, ']'))
            return RM_ERR_BADPARAM;
    }
    if (ret->n > 0) {
        ret->key = ret->params[0].key;
        ret->about = ret->params[0].value;
    }
    return *at ? RM_ERR_BADPARAM : 0;
}

static void list_processes(struct host_facts *f)
{
    if (!f->is_listed)
        f->n_processes = proc_list(&f->processes);
    f->is_listed = true;
}

/* A number of /proc/meminfo, KiB; 0: it is not there. */
static uint64_t meminfo_kb(const char *name)
{
    char line[256];
    size_t len = strlen(name);
    unsigned long long kb = 0;
    FILE *file = fopen("/proc/meminfo", "re");

    while (file && fgets(line, sizeof(line), file))
        if (strncmp(line, name, len) == 0 && line[len] == ':' &&
            sscanf(line + len + 1, "%llu", &kb) == 1)
            break;
    if (file)
        fclose(file);
    return kb;
}

static int tell_arch(struct host_facts *f UNUSED, const struct query *q UNUSED,
                     struct buf *out)
{
    buf_add_str(out, "linux");
    return 0;
}

static int tell_uname(struct host_facts *f UNUSED, const struct query *q UNUSED,
                      struct buf *out)
{
    struct utsname u;

    if (uname(&u) != 0)
        return RM_ERR_SYSTEM;
    buf_printf(out, "%s %s %s %s %s", u.sysname, u.nodename, u.release, u.version,
               u.machine);
    return 0;
}

static int tell_loadave(struct host_facts *f UNUSED, const struct query *q UNUSED,
                        struct buf *out)
{
    double load;

    if (getloadavg(&load, 1) != 1)
        return RM_ERR_SYSTEM;
    buf_printf(out, "%.2f", load);
    return 0;
}

static int tell_ncpus(struct host_facts *f UNUSED, const struct query *q UNUSED,
                      struct buf *out)
{
    buf_printf(out, "%u", proc_ncpus());
    return 0;
}

static int tell_kb(struct buf *out, uint64_t kb)
{
    if (kb == 0)
        return RM_ERR_SYSTEM;
    buf_printf(out, "%" PRIu64 "kb", kb);
    return 0;
}

static int tell_physmem(struct host_facts *f UNUSED, const struct query *q UNUSED,
                        struct buf *out)
{
    return tell_kb(out, proc_mem_kb());
}

static int tell_totmem(struct host_facts *f UNUSED, const struct query *q UNUSED,
                       struct buf *out)
{
    return tell_kb(out, meminfo_kb("MemTotal") + meminfo_kb("SwapTotal"));
}

static int tell_availmem(struct host_facts *f UNUSED, const struct query *q UNUSED,
                         struct buf *out)
{
    return tell_kb(out, meminfo_kb("MemAvailable") + meminfo_kb("SwapFree"));
}

static int tell_idletime(struct host_facts *f, const struct query *q UNUSED,
                         struct buf *out)
{
    struct idle_time first_look = { 0 };

    buf_printf(out, "%" PRId64, idle_time_read(&first_look, f->home, time(NULL)));
    return 0;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The sessions of users (who are not root), or those users, each once and sorted. */
static size_t users_and_sessions(struct host_facts *f, bool users, uint32_t **ret)
{
    size_t n = 0, left = 0;
    uint32_t *all;

    list_processes(f);
    all = xcalloc(f->n_processes + 1, sizeof(*all));
    for (size_t i = 0; i < f->n_processes; i++)
        if (f->processes[i].uid != 0 && f->processes[i].session > 0)
            all[n++] = users ? f->processes[i].uid : (uint32_t)f->processes[i].session;
    qsort(all, n, sizeof(*all), by_number);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || all[i] != all[i - 1])
            all[left++] = all[i];
    *ret = all;
    return left;
}

static int tell_count(struct host_facts *f, const struct query *q, struct buf *out)
{
    uint32_t *all;

    buf_printf(out, "%zu", users_and_sessions(f, strcmp(q->name, "nusers") == 0, &all));
    free(all);
    return 0;
}

static int tell_sessions(struct host_facts *f, const struct query *q UNUSED,
                         struct buf *out)
{
    uint32_t *all;
    size_t n = users_and_sessions(f, false, &all);

    for (size_t i = 0; i < n; i++)
        buf_printf(out, " %" PRIu32, all[i]);
    free(all);
    return 0;
}

static int tell_size(struct host_facts *f UNUSED, const struct query *q,
                     struct buf *out)
{
    struct statvfs fs;

    if (q->about[0] != '/')
        return RM_ERR_BADPARAM;
    if (statvfs(q->about, &fs) != 0)
        return RM_ERR_EXIST;
    buf_printf(out, "%" PRIu64 "kb",
               (uint64_t)fs.f_bavail * (fs.f_frsize ? fs.f_frsize : fs.f_bsize) / 1024);
    return 0;
}

static int tell_validuser(struct host_facts *f UNUSED, const struct query *q,
                          struct buf *out)
{
    struct passwd pw, *found = NULL;
    char *room = xcalloc(1, ACCOUNT_MAX);
    int err = getpwnam_r(q->about, &pw, room, ACCOUNT_MAX, &found);

    free(room);
    if (err)
        return RM_ERR_SYSTEM;
    buf_add_str(out, found ? "yes" : "no");
    return 0;
}

/* The session that is meant, if anything of it lives. 0 or a code. */
static int find_session(struct host_facts *f, const struct query *q, int32_t *ret)
{
    char *end;
    long number = strtol(q->about, &end, 10);

    if (*end || !isdigit((unsigned char)q->about[0]) || number < 1 ||
        number > INT32_MAX)
        return RM_ERR_BADPARAM;
    list_processes(f);
    for (size_t i = 0; i < f->n_processes; i++)
        if (f->processes[i].session == number) {
            *ret = (int32_t)number;
            return 0;
        }
    return RM_ERR_EXIST;
}

static int use_of(struct host_facts *f, const struct query *q, struct mom_usage *ret)
{
    struct proc_session s = { 0 };
    int code = find_session(f, q, &s.session);

    if (code == 0)
        proc_sample(&s, 1);
    *ret = s.used;
    return code;
}

static int tell_used(struct host_facts *f, const struct query *q, struct buf *out)
{
    struct mom_usage used;
    int code = use_of(f, q, &used);

    if (code)
        return code;
    if (strcmp(q->name, "cput") == 0)
        buf_printf(out, "%" PRId64, used.cput_s);
    else
        buf_printf(out, "%" PRId64 "kb",
                   strcmp(q->name, "mem") == 0 ? used.vmem_kb : used.mem_kb);
    return 0;
}

static int tell_pids(struct host_facts *f, const struct query *q, struct buf *out)
{
    int32_t session;
    int code = find_session(f, q, &session);

    for (size_t i = 0; i < f->n_processes && code == 0; i++)
        if (f->processes[i].session == session)
            buf_printf(out, " %d", f->processes[i].pid);
    return code;
}

/* Since the first of its processes that live has begun. */
static int tell_walltime(struct host_facts *f, const struct query *q, struct buf *out)
{
    uint64_t began = UINT64_MAX, a_second = (uint64_t)sysconf(_SC_CLK_TCK);
    struct timespec up;
    int32_t session;
    int code = find_session(f, q, &session);

    if (code)
        return code;
    if (clock_gettime(CLOCK_BOOTTIME, &up) != 0)
        return RM_ERR_SYSTEM;
    for (size_t i = 0; i < f->n_processes; i++)
        if (f->processes[i].session == session)
            began = MIN_OF(began, f->processes[i].began);
    buf_printf(out, "%" PRIu64,
               MAX_OF((uint64_t)up.tv_sec, began / a_second) - began / a_second);
    return 0;
}

static int tell_reslist(struct host_facts *f, const struct query *q, struct buf *out);

static const struct {
    const char *name;
    const char
        *key; /* it is about something, which stands behind this word; NULL: not */
    fact_fn tell;
} facts[] = {
    { "arch", NULL, tell_arch },
    { "availmem", NULL, tell_availmem },
    { "cput", "session", tell_used },
    { "idletime", NULL, tell_idletime },
    { "loadave", NULL, tell_loadave },
    { "mem", "session", tell_used },
    { "ncpus", NULL, tell_ncpus },
    { "nsessions", NULL, tell_count },
    { "nusers", NULL, tell_count },
    { "physmem", NULL, tell_physmem },
    { "pids", "session", tell_pids },
    { "resi", "session", tell_used },
    { "reslist", NULL, tell_reslist },
    { "sessions", NULL, tell_sessions },
    { "size", "fs", tell_size },
    { "totmem", NULL, tell_totmem },
    { "uname", NULL, tell_uname },
    { "validuser", "user", tell_validuser },
    { "walltime", "session", tell_walltime },
};

static int tell_reslist(struct host_facts *f, const struct query *q UNUSED,
                        struct buf *out)
{
    for (size_t i = 0; i < f->n_own; i++)
        buf_printf(out, "%s%s", i > 0 ? " " : "", f->own[i].name);
    for (size_t i = 0; i < ARRAY_LEN(facts); i++)
        buf_printf(out, "%s%s", i > 0 || f->n_own > 0 ? " " : "", facts[i].name);
    return 0;
}

/* A program takes what begins with a dash for an option, and who asks chooses none;
 * control characters are in no name. */
static bool is_plain(const char *value)
{
    if (value[0] == '-')
        return false;
    for (; *value; value++)
        if (iscntrl((unsigned char)*value))
            return false;
    return true;
}

static int tell_script(struct host_facts *f, const char *script, const struct query *q,
                       struct buf *out)
{
    int64_t now_ms = host_script_now();
    char file[MAX_QUERY];
    struct buf command = { 0 };
    int err, code = RM_ERR_SYSTEM;

    for (size_t i = 0; i < q->n; i++)
        if (!is_plain(q->params[i].value))
            return RM_ERR_BADPARAM;
    if (f->scripts_until_ms == 0)
        f->scripts_until_ms = now_ms + HOST_FACTS_SCRIPTS * f->script_ms;
    if (!host_script_fill(script, q->n, q->params, &command))
        code = RM_ERR_BADPARAM;
    else if (host_script_is_fit(script, file, sizeof(file), &err) &&
             host_script_run(f->running, command.data, q->n, q->params,
                             MIN_OF(now_ms + f->script_ms, f->scripts_until_ms),
                             RM_MAX_VALUE + 1, out))
        code = 0;
    buf_fini(&command);
    return code;
}

static int tell_own(struct host_facts *f, const struct host_resource *r,
                    const struct query *q, struct buf *out)
{
    if (r->value[0] == '!')
        return tell_script(f, r->value + 1, q, out);
    if (q->n > 0)
        return RM_ERR_BADPARAM;
    buf_add_str(out, r->value);
    return 0;
}

static int tell_fact(struct host_facts *f, size_t i, const struct query *q,
                     struct buf *out)
{
    if (facts[i].key && q->n == 0)
        return RM_ERR_NOPARAM;
    if (q->n > 1 || (q->n == 1 && (!facts[i].key || strcmp(facts[i].key, q->key) != 0)))
        return RM_ERR_BADPARAM;
    return facts[i].tell(f, q, out);
}

/* What the administrator has written goes before what the MoM knows by itself. */
static int tell(struct host_facts *f, const char *text, struct buf *out)
{
    struct query q;
    int code = take_apart(text, &q);

    if (code)
        return code;
    for (size_t i = f->n_own; i-- > 0;)
        if (strcmp(f->own[i].name, q.name) == 0)
            return tell_own(f, &f->own[i], &q, out);
    for (size_t i = 0; i < ARRAY_LEN(facts); i++)
        if (strcmp(facts[i].name, q.name) == 0)
            return tell_fact(f, i, &q, out);
    return RM_ERR_UNKNOWN;
}

void host_facts_answer(struct host_facts *f, const char *query, struct buf *out)
{
    struct buf value = { 0 };
    int code = tell(f, query, &value);

    if (code == 0 &&
        (value.len > RM_MAX_VALUE || f->told_bytes + value.len > HOST_FACTS_MOST))
        code = RM_ERR_TOO_LONG;
    f->told_bytes += code ? 0 : value.len;
    buf_printf(out, "%s=", query);
    if (code)
        buf_printf(out, "? %d", code);
    else if (value.len > 0)
        buf_add(out, value.data, value.len);
    buf_fini(&value);
}

void host_facts_fini(struct host_facts *f)
{
    free(f->processes);
    f->processes = NULL;
}

bool host_is_among(const char *host, const char *const *patterns, size_t n)
{
    size_t len = strlen(host);

    for (size_t i = 0; i < n; i++) {
        bool is_end = patterns[i][0] == '*';
        const char *name = patterns[i] + is_end;
        size_t want = strlen(name);

        if (is_end ? len >= want && strcasecmp(host + len - want, name) == 0
                   : strcasecmp(host, name) == 0)
            return true;
    }
    return false;
}
