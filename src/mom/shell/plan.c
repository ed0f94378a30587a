/* plan.c - see plan.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/plan.h"

#include "lib/attr/ids.h"
#include "lib/attr/value.h"
#include "mom/shell/environ.h"
#include "mom/shell/home.h"
#include "mom/shell/node_file.h"
#include "mom/shell/sandbox.h"
#include "mom/shell/usecp.h"

#include <ctype.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One that is missing reads as empty, which means "not given" for all of them. */
static const char *attr(const struct wire_attrs *attrs, const char *name)
{
    const char *v = wire_attrs_value(attrs, name, NULL);

    return v ? v : "";
}

/* What the password entry says besides what a plan keeps. */
struct login {
    const char *shell;
    gid_t gid; /* the primary group */
};

/* The server names a group without an entry by its number, and knows only primary ones
 * of that kind. */
static bool is_number_of(const char *group, gid_t gid, struct arena *arena)
{
    return strcmp(group, arena_printf(arena, "%lu", (unsigned long)gid)) == 0;
}

/* Whom the job runs as. The server has chosen user and group, but it may know accounts
 * that this host does not: such a job does not begin as anybody else. One that has
 * begun may lose its group: what is left to be done for its user is done in his primary
 * one. */
static int find_account(const struct wire_attrs *attrs, bool has_begun,
                        struct arena *arena, struct plan *p, struct login *login,
                        struct diag *why)
{
    const char *user = attr(attrs, "euser"), *group = attr(attrs, "egroup");
    struct passwd *pw = getpwnam(user);
    struct group *gr;

    if (!pw) {
        diag_set(why, PBSE_BADUSER, "No Password Entry for User %s", user);
        return START_BAD_USER;
    }
    if (!pw->pw_dir || !pw->pw_dir[0]) {
        diag_set(why, PBSE_BADUSER, "null home directory");
        return START_BAD_USER;
    }
    p->user = arena_strdup(arena, pw->pw_name);
    p->uid = pw->pw_uid;
    p->gid = pw->pw_gid;
    p->home = arena_strdup(arena, pw->pw_dir);
    login->gid = pw->pw_gid;
    login->shell =
        arena_strdup(arena, pw->pw_shell && pw->pw_shell[0] ? pw->pw_shell : "/bin/sh");
    if (group[0]) {
        gr = getgrnam(group);
        if (!gr && !has_begun && !is_number_of(group, p->gid, arena)) {
            diag_set(why, PBSE_BADUSER, "No Group Entry for Group %s", group);
            return START_BAD_USER;
        }
        if (gr)
            p->gid = gr->gr_gid;
        p->group = arena_strdup(arena, group);
        return 0;
    }
    gr = getgrgid(p->gid);
    p->group = gr ? arena_strdup(arena, gr->gr_name)
                  : arena_printf(arena, "%u", (unsigned)p->gid);
    return 0;
}

int plan_account(const struct wire_attrs *attrs, struct arena *arena, struct plan *ret,
                 struct diag *why)
{
    struct login login;

    return find_account(attrs, true, arena, ret, &login, why);
}

/* The user may have left the group since the job was submitted, or may never have been
 * in it on this host. 0, or the reason. */
static int check_member(const struct plan *p, gid_t primary, struct arena *arena,
                        struct diag *why)
{
    int n = 64;
    gid_t *gids = ARENA_ARRAY(arena, gid_t, (size_t)n);

    if (p->gid == primary)
        return 0;
    /* It tells how much room it wants. A group may come between two calls. */
    while (getgrouplist(p->user, primary, gids, &n) < 0)
        gids = ARENA_ARRAY(arena, gid_t, (size_t)n);
    for (int i = 0; i < n; i++)
        if (gids[i] == p->gid)
            return 0;
    diag_set(why, PBSE_BADUSER, "user not in group");
    return START_BAD_USER;
}

/* "path@host,path": the entry whose host begins our name, else the one without. */
static const char *choose_shell(const char *list, const char *host, const char *login,
                                struct arena *arena)
{
    char *copy = arena_strdup(arena, list), *save = NULL;
    const char *plain = NULL;

    for (char *entry = strtok_r(copy, ",", &save); entry;
         entry = strtok_r(NULL, ",", &save)) {
        char *at = strchr(entry, '@');

        /* The host of an entry may be the beginning of our name only: "node" serves all
         * of node1, node2 (execution.md 12). */
        if (at && strncmp(at + 1, host, strlen(at + 1)) == 0) {
            *at = '\0';
            return entry;
        }
        if (!at)
            plain = entry;
    }
    return plain ? plain : login;
}

/* Copy text of XML; its five entities become what they stand for. */
static char *plain_text(const char *at, const char *end, struct arena *arena)
{
    static const struct {
        const char *entity;
        char c;
    } rows[] = {
        { "&amp;", '&' },  { "&lt;", '<' },    { "&gt;", '>' },
        { "&quot;", '"' }, { "&apos;", '\'' },
    };
    char *text = arena_alloc(arena, (size_t)(end - at) + 1);
    size_t n = 0;

    while (at < end) {
        size_t i = 0;

        while (i < ARRAY_LEN(rows) &&
               strncmp(at, rows[i].entity, strlen(rows[i].entity)) != 0)
            i++;
        text[n++] = i < ARRAY_LEN(rows) ? rows[i].c : *at;
        at += i < ARRAY_LEN(rows) ? strlen(rows[i].entity) : 1;
    }
    text[n] = '\0';
    return text;
}

/* The next <...NAME>text</...> from *at on, which is moved behind it; NULL when there
 * is none. */
static char *next_xml_text(const char **at, const char *name, struct arena *arena)
{
    const char *open = strstr(*at, name);
    const char *text = open ? strchr(open, '>') : NULL;
    const char *end = text ? strchr(++text, '<') : NULL;
    const char *after = end ? strchr(end, '>') : NULL;

    if (!end)
        return NULL;
    *at = after ? after : end + strlen(end);
    return plain_text(text, end, arena);
}

/* qsub -- prog args. All arguments are read in one walk: a job may have 20,000. */
static void plan_program(struct plan *p, const struct wire_attrs *attrs,
                         struct arena *arena)
{
    const char *at = attr(attrs, "argument_list");
    struct {
        size_t n, cap;
        char **v;
    } args = { 0 };
    char *text;

    p->program = arena_strdup(arena, attr(attrs, "executable"));
    ARENA_ROOM(arena, &args, v, 16);
    args.v[args.n++] = arena_strdup(arena, p->program);
    while ((text = next_xml_text(&at, "Argument", arena))) {
        ARENA_ROOM(arena, &args, v, 16);
        args.v[args.n++] = text;
    }
    ARENA_ROOM(arena, &args, v, 16);
    args.v[args.n] = NULL;
    p->argv = args.v;
}

/* The shell shall take each byte of the path as it is; the brackets in the id of a
 * subjob would be a pattern for it. */
static void add_escaped(struct buf *line, const char *path)
{
    for (const char *c = path; *c; c++) {
        if (!isalnum((unsigned char)*c) && !strchr("/._-+:,@%=", *c))
            buf_add_char(line, '\\');
        buf_add_char(line, *c);
    }
}

/* The shell is given one line: the name of the script, and before it where the job
 * works. */
static void plan_script(struct plan *p, const struct plan_host *host,
                        struct arena *arena)
{
    char path[PATH_MAX];
    struct buf line = { 0 };

    home_path(host->home, HOME_SCRIPT, p->job_id, path);
    p->script = arena_strdup(arena, path);
    if (p->jobdir) {
        buf_add_str(&line, "cd ");
        add_escaped(&line, p->jobdir);
        buf_add_char(&line, ';');
    }
    add_escaped(&line, path);
    buf_add_char(&line, '\n');
    p->input = arena_strndup(arena, line.data, line.len);
    buf_fini(&line);
}

/* A login shell (its name begins with '-'), so that the user's profile is read. It is
 * found by its own path, and called by another name. */
static void plan_shell(struct plan *p, const char *shell, struct arena *arena)
{
    const char *base = strrchr(shell, '/');

    p->program = shell;
    p->argv = ARENA_ARRAY(arena, char *, 2);
    p->argv[0] = arena_printf(arena, "-%s", base ? base + 1 : shell);
}

/* Does the file stay where the program writes it, instead of being delivered? */
static bool keeps(const struct wire_attrs *attrs, bool error)
{
    return strchr(attr(attrs, "Keep_Files"), error ? 'e' : 'o');
}

static bool wants_direct(const struct wire_attrs *attrs, bool error)
{
    return keeps(attrs, error) && strchr(attr(attrs, "Keep_Files"), 'd');
}

/* NULL unless the file is to be written at its destination, and this host has that. */
static const char *direct_path(const struct plan_host *host, const char *job_id,
                               const struct wire_attrs *attrs, const char *user_home,
                               bool error, struct arena *arena)
{
    const char *path = attr(attrs, error ? "Error_Path" : "Output_Path");
    struct stat st;

    if (!wants_direct(attrs, error) || !*path)
        return NULL;
    path = usecp_path(host, path, arena);
    if (path && path[0] != '/')
        path = arena_printf(arena, "%s/%s", user_home, path);
    /* In a directory it has the name that it would have in the spool. */
    if (path && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        path = arena_printf(arena, "%s/%s.%s", path, job_id, error ? "ER" : "OU");
    return path;
}

const char *plan_file(const struct plan_host *host, const char *job_id,
                      const struct wire_attrs *attrs, const char *user_home, bool error,
                      struct arena *arena)
{
    const char *joined = attr(attrs, "Join_Path"), *index = attr(attrs, "array_index");
    const char *direct;
    char path[PATH_MAX];

    if (strcmp(joined, error ? "oe" : "eo") == 0)
        return NULL;
    direct = direct_path(host, job_id, attrs, user_home, error, arena);
    if (direct)
        return direct;
    /* Where that is not possible it is kept in the home directory: a file in the spool
     * would be delivered by nobody, since its letter says that it is not to be copied,
     * and a directory of the job's own goes with the job. */
    if (sandbox_is_private(attrs) && !wants_direct(attrs, error)) {
        user_home = sandbox_path(host->config, job_id, user_home, arena);
        if (!keeps(attrs, error))
            return arena_printf(arena, "%s/%s.%s", user_home, job_id,
                                error ? "ER" : "OU");
    } else if (!keeps(attrs, error)) {
        home_path(host->home, error ? HOME_ERR : HOME_OUT, job_id, path);
        return arena_strdup(arena, path);
    }
    return arena_printf(arena, "%s/%s.%c%" PRIu64 "%s%s", user_home,
                        attr(attrs, "Job_Name"), error ? 'e' : 'o',
                        (uint64_t)strtoull(job_id, NULL, 10), index[0] ? "." : "",
                        index);
}

/* Where direct writing is asked for and not possible the user finds a line in the error
 * output. */
static void plan_remark(const struct plan_host *host, struct plan *p,
                        const struct wire_attrs *attrs, struct arena *arena)
{
    for (int error = 0; error <= 1; error++) {
        if (!plan_file(host, p->job_id, attrs, p->home, error, arena) ||
            !wants_direct(attrs, error) ||
            direct_path(host, p->job_id, attrs, p->home, error, arena))
            continue;
        p->not_direct[error] =
            arena_strdup(arena, attr(attrs, error ? "Error_Path" : "Output_Path"));
        p->remark = arena_printf(arena,
                                 "Direct write is requested for job: %s, but the "
                                 "destination is not usecp-able from %s",
                                 p->job_id, host->host);
    }
}

static struct plan_output plan_output(const struct plan_host *host, const char *job_id,
                                      const struct wire_attrs *attrs,
                                      const char *user_home, bool error,
                                      struct arena *arena)
{
    char path[PATH_MAX];

    home_path(host->home, error ? HOME_EARLIER_ERR : HOME_EARLIER_OUT, job_id, path);
    return (struct plan_output){
        .path = plan_file(host, job_id, attrs, user_home, error, arena),
        .is_users = keeps(attrs, error) || sandbox_is_private(attrs),
        .earlier = arena_strdup(arena, path),
    };
}

size_t plan_removed(const struct plan_host *host, const char *job_id,
                    const struct wire_attrs *attrs, struct arena *arena,
                    struct plan *ret, const char **paths)
{
    const char *letters = attr(attrs, "Remove_Files");
    struct login login;
    size_t n = 0;
    struct diag why;

    if (find_account(attrs, true, arena, ret, &login, &why))
        return 0;
    for (int error = 0; error <= 1; error++) {
        const char *path = plan_file(host, job_id, attrs, ret->home, error, arena);

        if (path && strchr(letters, error ? 'e' : 'o') && keeps(attrs, error) &&
            strcmp(path, "/dev/null") != 0)
            paths[n++] = path;
    }
    MUST(n <= PLAN_REMOVED_MAX);
    return n;
}

/* Of several limits of one kind the lowest counts. */
static void add_limit(struct plan *p, int resource, int64_t value)
{
    for (size_t i = 0; i < p->n_limits; i++)
        if (p->limits[i].resource == resource) {
            p->limits[i].value = MIN_OF(p->limits[i].value, (rlim_t)value);
            return;
        }
    MUST(p->n_limits < ARRAY_LEN(p->limits)); /* a place for each kind */
    p->limits[p->n_limits++] =
        (struct plan_limit){ .resource = resource, .value = (rlim_t)value };
}

/* Limits that the kernel enforces (execution.md 18). A value that cannot be read limits
 * nothing: servers check values when they take a job. */
static void plan_limits(struct plan *p, const struct wire_attrs *attrs, double cputmult)
{
    static const struct {
        const char *name;
        int resource;
        bool seconds;
    } rows[] = { { "cput", RLIMIT_CPU, true },    { "pcput", RLIMIT_CPU, true },
                 { "file", RLIMIT_FSIZE, false }, { "vmem", RLIMIT_AS, false },
                 { "pvmem", RLIMIT_AS, false },   { "mem", RLIMIT_RSS, false },
                 { "pmem", RLIMIT_RSS, false } };
    const char *nice = wire_attrs_value(attrs, "Resource_List", "nice");

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *text = wire_attrs_value(attrs, "Resource_List", rows[i].name);
        struct size_value size;
        int64_t n;

        if (!text)
            continue;
        if (rows[i].seconds ? duration_parse(text, &n) != 0
                            : size_parse(text, &size) != 0)
            continue;
        /* A size may be larger than any number of bytes: then it is no limit. */
        if (!rows[i].seconds && __builtin_mul_overflow(size_kib(&size), 1024, &n))
            continue;
        /* The kernel counts seconds of this host's processors. */
        if (rows[i].seconds && cputmult > 0 &&
            (double)n / cputmult < (double)(INT64_MAX / 2))
            n = (int64_t)((double)n / cputmult);
        add_limit(p, rows[i].resource, n);
    }
    if (nice)
        p->nice = (int)MIN_OF(MAX_OF(strtol(nice, NULL, 10), -40L), 40L);
}

static void add_kib_limit(struct plan *p, int resource, int64_t kib)
{
    int64_t n;

    if (!__builtin_mul_overflow(kib, 1024, &n))
        add_limit(p, resource, n);
}

void plan_share(struct plan *p, const struct mom_share *share)
{
    add_kib_limit(p, RLIMIT_AS, share->vmem_kb);
    add_kib_limit(p, RLIMIT_RSS, share->mem_kb);
}

/* Tasks of the mother superior's own host have none (execution.md 15). */
static bool has_nodefile(const struct plan_host *host, const struct plan_task *task)
{
    return !task || (task->remote.ip && host->config->nodefile_on_sisters);
}

static void plan_environment(const struct plan_host *host, struct plan *p,
                             const struct wire_attrs *attrs,
                             const struct job_chunks *chunks, const char *shell,
                             const struct plan_terminal *terminal,
                             const struct plan_task *task, struct arena *arena)
{
    struct environment e = { .arena = arena };
    const char *ncpus = job_chunks_first(chunks, "ncpus");
    const char *threads = job_chunks_first(chunks, "ompthreads");
    const char *const rows[][2] = {
        { "HOME", p->home },
        { "LOGNAME", p->user },
        { "USER", p->user },
        { "SHELL", shell },
        { "PBS_JOBNAME", attr(attrs, "Job_Name") },
        { "PBS_JOBID", p->job_id },
        { "PBS_QUEUE", attr(attrs, "queue") },
        { "PBS_JOBCOOKIE", attr(attrs, "cookie") },
        { "PBS_NODENUM", arena_printf(arena, "%d", task ? task->vnode : 0) },
        { "PBS_VNODENUM", arena_printf(arena, "%d", task ? task->vnode : 0) },
        { "PBS_TASKNUM", task ? arena_printf(arena, "%08X", task->number) : "1" },
        { "PBS_MOMPORT", arena_printf(arena, "%u", host->rm_port) },
        { "OMP_NUM_THREADS", threads ? threads : ncpus },
        { "NCPUS", threads ? threads : ncpus },
        { "PBS_NODEFILE", has_nodefile(host, task) ? p->nodefile : NULL },
        { "PBS_ACCOUNT", wire_attrs_value(attrs, "Account_Name", NULL) },
        { "PBS_ARRAY_INDEX", wire_attrs_value(attrs, "array_index", NULL) },
        { "PBS_ARRAY_ID", wire_attrs_value(attrs, "array_id", NULL) },
        { "TMPDIR", p->tmpdir },
        { "PBS_JOBDIR", p->jobdir ? p->jobdir : p->home },
        { "PBS_ENVIRONMENT", terminal ? "PBS_INTERACTIVE" : "PBS_BATCH" },
        { "ENVIRONMENT", terminal ? NULL : "BATCH" },
        { "TERM", terminal ? terminal->type : NULL },
        { "DISPLAY", terminal ? terminal->display : NULL },
    };

    /* Later ones replace earlier ones: the user may change what the administrator has
     * laid down for all jobs, and nobody what the MoM says of this job. */
    environment_add_site(&e, host->environment);
    environment_add_list(&e, attr(attrs, "Variable_List"));
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i][1])
            environment_set(&e, rows[i][0], rows[i][1]);
    for (size_t i = 0; task && i < task->env->n; i++)
        environment_add(&e, task->env->v[i]);
    environment_fini(&e);
    MUST(e.n > 0 && !e.v[e.n]);
    p->envp = e.v;
}

/* Nobody else reads what a job writes, unless its user has said so. Servers take any
 * number; one with other digits than those of a mask says nothing. */
static mode_t plan_umask(const struct wire_attrs *attrs)
{
    const char *text = attr(attrs, "umask");

    return text[0] && !text[strspn(text, "01234567")]
               ? (mode_t)(strtoul(text, NULL, 8) & 0777)
               : 077;
}

/* A task runs what it was spawned with, and writes where its host says. */
static void plan_task(struct plan *p, const struct wire_attrs *attrs,
                      const struct plan_task *task, struct arena *arena)
{
    const struct wire_strings *args = task->args;

    MUST(args->n > 0);
    p->argv = ARENA_ARRAY(arena, char *, args->n + 1);
    for (size_t i = 0; i < args->n; i++)
        p->argv[i] = arena_strdup(arena, args->v[i]);
    p->argv[args->n] = NULL;
    p->program = p->argv[0];
    p->is_searched = true;
    p->remote = task->remote;
    p->remote.cookie = arena_strdup(arena, attr(attrs, "cookie"));
    /* What an earlier run has written is there since the top task began. */
    p->out.earlier = p->err.earlier = NULL;
}

static int make(const struct plan_host *host, const char *job_id,
                const struct wire_attrs *attrs, const struct plan_terminal *terminal,
                const struct plan_task *task, struct arena *arena, struct plan *ret,
                struct diag *why)
{
    const char *tmpdir =
        host->config->tmpdir ? host->config->tmpdir : host->conf->tmpdir;
    struct plan p = { .job_id = arena_strdup(arena, job_id) };
    struct job_chunks chunks;
    struct login login;
    const char *shell;
    char path[PATH_MAX];
    int status = find_account(attrs, false, arena, &p, &login, why);

    if (!status)
        status = check_member(&p, login.gid, arena, why);
    if (status)
        return status;
    if (p.uid == 0 && host->config->reject_root_scripts) {
        diag_set(why, PBSE_BADUSER, "jobs of root are rejected");
        return START_BAD_USER;
    }
    if (job_chunks_read(attrs, arena, &chunks, why) != 0)
        return START_FAILED_EARLY;
    if (sandbox_is_private(attrs))
        p.jobdir = sandbox_path(host->config, job_id, p.home, arena);
    shell = choose_shell(attr(attrs, "Shell_Path_List"),
                         host->full_name ? host->full_name : host->host, login.shell,
                         arena);
    if (!task && attr(attrs, "executable")[0])
        plan_program(&p, attrs, arena);
    else if (!task)
        plan_shell(&p, shell, arena);
    if (!task && !terminal && !attr(attrs, "executable")[0])
        plan_script(&p, host, arena);
    p.tmpdir = arena_printf(arena, "%s/pbs.%s", tmpdir ? tmpdir : "/var/tmp", job_id);
    p.nodefile = arena_strdup(arena, home_path(host->home, HOME_NODES, job_id, path));
    p.out = plan_output(host, job_id, attrs, p.home, false, arena);
    p.err = plan_output(host, job_id, attrs, p.home, true, arena);
    if (!terminal)
        plan_remark(host, &p, attrs, arena);
    p.umask = plan_umask(attrs);
    plan_limits(&p, attrs, host->config->cputmult);
    if (task)
        plan_task(&p, attrs, task, arena);
    plan_environment(host, &p, attrs, &chunks, shell, terminal, task, arena);
    if (has_nodefile(host, task))
        status = node_file_write(p.nodefile, attrs, host->host, &chunks, arena, why);
    if (!status) {
        /* What the child needs that is about to be forked. */
        MUST(p.program && p.argv && p.argv[0] && p.envp);
        MUST((p.input != NULL) == (p.script != NULL));
        *ret = p;
    }
    return status;
}

int plan_make(const struct plan_host *host, const char *job_id,
              const struct wire_attrs *attrs, const struct plan_terminal *terminal,
              struct arena *arena, struct plan *ret, struct diag *why)
{
    return make(host, job_id, attrs, terminal, NULL, arena, ret, why);
}

int plan_make_task(const struct plan_host *host, const char *job_id,
                   const struct wire_attrs *attrs, const struct plan_task *task,
                   struct arena *arena, struct plan *ret, struct diag *why)
{
    MUST(task);
    return make(host, job_id, attrs, NULL, task, arena, ret, why);
}

int plan_nodefile(const struct plan_host *host, const char *job_id,
                  const struct wire_attrs *attrs, struct arena *arena, struct diag *why)
{
    char path[PATH_MAX];
    struct job_chunks chunks;

    if (job_chunks_read(attrs, arena, &chunks, why) != 0)
        return START_FAILED_EARLY;
    return node_file_write(home_path(host->home, HOME_NODES, job_id, path), attrs,
                           host->host, &chunks, arena, why);
}
