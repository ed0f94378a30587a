/* proc.c - see proc.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/proc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define KILL_WALKS 10
/* Of a walk in slices: what a slice may cost, in questions for the session of a
 * process. Reading what a process uses costs as much as so many of these. */
#define SLICE_COST 4000
#define STAT_COST  40

struct stat_line { /* of /proc/PID/stat */
    char state;
    int parent, group, session;
    unsigned long ticks;      /* own and waited-for children */
    unsigned long long began; /* ticks since the host's boot */
    unsigned long vsize_bytes;
    long rss_pages;
};

/* Read /proc/PID/stat. The name of the command stands in brackets and may have blanks
 * and brackets in it, so the rest begins behind the last ')'. */
static bool read_stat(pid_t pid, struct stat_line *ret)
{
    char path[64], text[1024];
    unsigned long utime, stime;
    long cutime, cstime;
    ssize_t n;
    char *at;
    int fd;

    /* The directory is read while processes come and go: one that has gone is passed
     * over. */
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    n = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    at = strrchr(text, ')');
    if (!at ||
        sscanf(at + 1,
               /* These are state, ppid, pgrp, session, utime, stime, cutime, cstime,
                * starttime, vsize and rss, as proc(5) orders them. */
               " %c %d %d %d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld %*d %*d "
               "%*d %*d %llu %lu %ld",
               &ret->state, &ret->parent, &ret->group, &ret->session, &utime, &stime,
               &cutime, &cstime, &ret->began, &ret->vsize_bytes, &ret->rss_pages) != 11)
        return false;
    ret->ticks = utime + stime + (unsigned long)cutime + (unsigned long)cstime;
    return true;
}

static void for_each_number(void *arg, void (*fn)(void *arg, pid_t pid))
{
    DIR *d = opendir("/proc");
    struct dirent *e;

    if (!d)
        return;
    while ((e = readdir(d)))
        if (isdigit((unsigned char)e->d_name[0]))
            fn(arg, (pid_t)atoi(e->d_name));
    closedir(d);
}

/* The process that has a session's number is its leader. */
static bool read_process(int32_t pid, struct stat_line *ret)
{
    return pid > 1 && read_stat(pid, ret);
}

/* The kernel tells this a hundred times as fast as it prints /proc/PID/stat. False: the
 * process is gone. */
static bool find_session(pid_t pid, int32_t *ret_session, int32_t *ret_group)
{
    struct stat_line st;

    *ret_session = getsid(pid);
    *ret_group = getpgid(pid);
    if (*ret_session >= 0 && *ret_group >= 0)
        return true;
    /* Security modules may keep both to themselves. */
    if (errno == ESRCH || !read_process(pid, &st))
        return false;
    *ret_session = st.session;
    *ret_group = st.group;
    return true;
}

struct proc_walk {
    struct proc_session *sessions;
    struct proc_session **v; /* by session */
    size_t n;
    DIR *at; /* NULL: it is over */
};

static int by_session(const void *a, const void *b)
{
    const struct proc_session *x = *(struct proc_session *const *)a;
    const struct proc_session *y = *(struct proc_session *const *)b;

    return (x->session > y->session) - (x->session < y->session);
}

/* What that has cost. */
static size_t add_process(const struct proc_walk *w, pid_t pid)
{
    long page_kb = sysconf(_SC_PAGESIZE) / 1024, hz = sysconf(_SC_CLK_TCK);
    struct proc_session like = { 0 }, *key = &like, **found;
    struct stat_line st;
    int32_t group;

    if (!find_session(pid, &like.session, &group))
        return 1;
    found = bsearch(&key, w->v, w->n, sizeof(*w->v), by_session);
    if (!found)
        return 1;
    if (!read_process(pid, &st) || st.session != like.session)
        return STAT_COST;
    (*found)->used.cput_s += (int64_t)(st.ticks * 1000 / (unsigned long)hz);
    (*found)->used.mem_kb += (int64_t)st.rss_pages * page_kb;
    (*found)->used.vmem_kb += (int64_t)(st.vsize_bytes / 1024);
    (*found)->n_processes++;
    (*found)->n_alive += st.state != 'Z';
    return STAT_COST;
}

/* The session of each process is looked up by bisection: a host with many jobs has many
 * processes too. While they are added, cput_s is in milliseconds, since the parts of
 * seconds of many short processes add up. */
struct proc_walk *proc_walk_new(struct proc_session *sessions, size_t n)
{
    struct proc_walk *w = xcalloc(1, sizeof(*w));

    *w = (struct proc_walk){ .sessions = sessions,
                             .v = xcalloc(n + 1, sizeof(*w->v)),
                             .n = n,
                             .at = n ? opendir("/proc") : NULL };
    for (size_t i = 0; i < n; i++) {
        sessions[i].used = (struct mom_usage){ 0 };
        sessions[i].n_processes = sessions[i].n_alive = 0;
        w->v[i] = &sessions[i];
    }
    qsort(w->v, n, sizeof(*w->v), by_session);
    return w;
}

static void end_walk(struct proc_walk *w)
{
    closedir(w->at);
    w->at = NULL;
    for (size_t i = 0; i < w->n; i++)
        w->sessions[i].used.cput_s /= 1000;
}

bool proc_walk_go_on(struct proc_walk *w)
{
    struct dirent *e;

    for (size_t cost = 0; w->at && cost < SLICE_COST;) {
        e = readdir(w->at);
        if (!e)
            end_walk(w);
        else if (isdigit((unsigned char)e->d_name[0]))
            cost += add_process(w, (pid_t)atoi(e->d_name));
    }
    return !w->at;
}

void proc_walk_free(struct proc_walk *w)
{
    if (w->at)
        closedir(w->at);
    free(w->v);
    free(w);
}

void proc_sample(struct proc_session *sessions, size_t n)
{
    struct proc_walk *w = proc_walk_new(sessions, n);

    while (!proc_walk_go_on(w))
        ;
    proc_walk_free(w);
}

struct visiting {
    int32_t session;
    void (*fn)(void *arg, int32_t pid);
    void *arg;
};

static void visit_process(void *arg, pid_t pid)
{
    const struct visiting *v = arg;
    int32_t session, group;
    struct stat_line st;

    if (find_session(pid, &session, &group) && session == v->session &&
        read_process(pid, &st) && st.state != 'Z')
        v->fn(v->arg, pid);
}

void proc_each_of_session(int32_t session, void (*fn)(void *arg, int32_t pid),
                          void *arg)
{
    struct visiting v = { .session = session, .fn = fn, .arg = arg };

    if (session > 1)
        for_each_number(&v, visit_process);
}

struct victim {
    int32_t session;
    int signo;
    size_t order;      /* of the signals of a session */
    bool group_has_it; /* the first one of the session */
    bool is_strangers; /* another session has a group of the session's number */
};

struct pids {
    pid_t *v;
    size_t n, cap;
    size_t n_sorted; /* the first of them are */
};

struct killing {
    struct victim *v; /* by session and order */
    size_t n_victims;
    bool only_sigkill; /* the others have been sent */
    bool looks_for_strangers;
    size_t n;
    struct pids killed; /* by SIGKILL, in this walk and those before */
    int group;          /* that was killed last in this walk; 0: none */
};

static int by_number(const void *a, const void *b)
{
    const struct victim *x = a, *y = b;

    if (x->session != y->session)
        return (x->session > y->session) - (x->session < y->session);
    return (x->order > y->order) - (x->order < y->order);
}

static int by_pid(const void *a, const void *b)
{
    const pid_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The first of a session; NULL: there is none. */
static struct victim *find_victim(const struct killing *k, int32_t session)
{
    size_t from = 0, to = k->n_victims;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (k->v[middle].session < session)
            from = middle + 1;
        else
            to = middle;
    }
    return from < k->n_victims && k->v[from].session == session ? &k->v[from] : NULL;
}

static bool is_behind(const struct killing *k, const struct victim *v, int32_t session)
{
    return v == k->v + k->n_victims || v->session != session;
}

/* True: it was not before. Whoever has got SIGKILL starts no other process, so a walk
 * that finds nobody else is the last one. */
static bool note_killed(struct pids *p, pid_t pid)
{
    if (p->n_sorted && bsearch(&pid, p->v, p->n_sorted, sizeof(*p->v), by_pid))
        return false;
    if (p->n == p->cap) {
        p->cap = p->cap ? 2 * p->cap : 64;
        p->v = xrealloc(p->v, p->cap * sizeof(*p->v));
    }
    p->v[p->n++] = pid;
    return true;
}

/* SIGKILL goes to all of the process's group, which is of the same session: the kernel
 * forgets nobody who is just being forked, and a walk over /proc does. */
static void kill_group(struct killing *k, int32_t group)
{
    if (group <= 1 || group == k->group)
        return;
    k->group = group;
    (void)kill(-group, SIGKILL);
}

/* Is that signal still to be sent to a process of that group? */
static bool is_wanted(const struct killing *k, const struct victim *v, int32_t group)
{
    return v->signo == SIGKILL ||
           (!k->only_sigkill && !(v->group_has_it && group == v->session));
}

static bool is_any_wanted(const struct killing *k, const struct victim *v,
                          int32_t group)
{
    int32_t session = v->session;

    for (; !is_behind(k, v, session); v++)
        if (is_wanted(k, v, group))
            return true;
    return false;
}

/* Signal a process of the sessions; a zombie has ended already. */
static void signal_process(void *arg, pid_t pid)
{
    struct killing *k = arg;
    struct victim *v, *named;
    int32_t session, group;
    struct stat_line st;
    bool is_found = false;

    if (!find_session(pid, &session, &group))
        return;
    named = k->looks_for_strangers && group != session ? find_victim(k, group) : NULL;
    for (; named && !is_behind(k, named, group); named++)
        named->is_strangers = true;
    v = find_victim(k, session);
    if (!v || !is_any_wanted(k, v, group) || !read_process(pid, &st) ||
        st.session != session || st.state == 'Z')
        return;
    for (; !is_behind(k, v, session); v++) {
        if (!is_wanted(k, v, st.group))
            continue;
        if (kill(pid, v->signo) == 0 &&
            (v->signo != SIGKILL || note_killed(&k->killed, pid)))
            is_found = true;
        if (v->signo == SIGKILL)
            kill_group(k, st.group);
    }
    k->n += is_found;
}

/* The groups that the leaders began in: processes of one may all have been between two
 * numbers when the walk came by, since each became another one again and again. */
static void kill_first_groups(const struct killing *k)
{
    for (size_t i = 0; i < k->n_victims; i++)
        if (k->v[i].signo == SIGKILL && !k->v[i].is_strangers)
            (void)kill(-k->v[i].session, SIGKILL);
}

static void take_victims(struct killing *k, const struct proc_signal *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        MUST(v[i].signo >= 0);
        if (v[i].session <= 1) /* 0 is no session, and that of init is not a job's */
            continue;
        k->v[k->n_victims++] = (struct victim){ .session = v[i].session,
                                                .signo = v[i].signo,
                                                .order = i,
                                                .group_has_it = v[i].group_has_it };
        k->looks_for_strangers = k->looks_for_strangers || v[i].signo == SIGKILL;
    }
    if (k->n_victims)
        qsort(k->v, k->n_victims, sizeof(*k->v), by_number);
}

static void walk_and_signal(struct killing *k)
{
    k->n = 0;
    k->group = 0;
    for_each_number(k, signal_process);
    kill_first_groups(k);
    k->only_sigkill = true;
    k->killed.n_sorted = k->killed.n;
    if (k->killed.n)
        qsort(k->killed.v, k->killed.n, sizeof(*k->killed.v), by_pid);
}

size_t proc_signal(const struct proc_signal *v, size_t n)
{
    struct killing k = { .v = xcalloc(n + 1, sizeof(*k.v)) };
    size_t total = 0;

    take_victims(&k, v, n);
    for (int walk = 0; k.n_victims > 0 && walk < KILL_WALKS; walk++) {
        /* A process may start others while we go through the list: go again until
         * nobody new is found. */
        walk_and_signal(&k);
        total += k.n;
        if (k.n == 0 || !k.looks_for_strangers)
            break;
    }
    free(k.killed.v);
    free(k.v);
    return total;
}

/* A leader stays in its group, which is of the same number. */
bool proc_signal_group(int32_t session, int signo)
{
    return session > 1 && getsid(session) == session && kill(-session, signo) == 0;
}

size_t proc_signal_session(int32_t session, int signo)
{
    const struct proc_signal one = { .session = session, .signo = signo };

    return proc_signal(&one, 1);
}

/* Ticks alone are not enough: after a restart of the host they begin anew. It is read
 * once, since no process sees two boots. */
const char *proc_boot_id(void)
{
    static char id[48];
    int fd;
    ssize_t n;

    if (id[0])
        return id;
    fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    n = fd >= 0 ? read(fd, id, sizeof(id) - 1) : -1;
    if (fd >= 0)
        close(fd);
    id[MAX_OF(n, 0)] = '\0';
    id[strcspn(id, "\n")] = '\0';
    return id[0] ? id : NULL;
}

static bool mark_of(const struct stat_line *leader, char ret[PROC_MARK_BYTES])
{
    if (!proc_boot_id())
        return false;
    snprintf(ret, PROC_MARK_BYTES, "%s:%llu", proc_boot_id(), leader->began);
    return true;
}

bool proc_session_mark(int32_t session, char ret[PROC_MARK_BYTES])
{
    struct stat_line st;

    return read_process(session, &st) && st.session == session && mark_of(&st, ret);
}

bool proc_session_is(int32_t session, const char *mark)
{
    const char *boot = proc_boot_id();
    char now[PROC_MARK_BYTES];
    struct stat_line st;

    if (strcmp(mark, PROC_MARK_ENDED) == 0)
        return false;
    if (!mark[0] || !boot)
        return true;
    if (read_process(session, &st))
        return mark_of(&st, now) && strcmp(now, mark) == 0;
    return strncmp(mark, boot, strlen(boot)) == 0;
}

bool proc_session_lives(int32_t session, const char *mark)
{
    struct stat_line st;

    return read_process(session, &st) && st.session == session && st.state != 'Z' &&
           proc_session_is(session, mark);
}

/* The real uid, as /proc/PID/status has it. */
static bool read_uid(int32_t pid, uint32_t *ret)
{
    char path[64], line[256];
    bool found = false;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/status", pid);
    f = fopen(path, "re");
    while (f && !found && fgets(line, sizeof(line), f))
        found = sscanf(line, "Uid: %" SCNu32, ret) == 1;
    if (f)
        fclose(f);
    return found;
}

/* The session is read once more behind its owner: a number that was given to another
 * process meanwhile is that of no process. */
struct proc_owner proc_look(int32_t pid)
{
    struct stat_line before, after, leader = { 0 };
    struct proc_owner found = { 0 };

    if (!read_process(pid, &before) || !read_uid(pid, &found.uid) ||
        !read_process(pid, &after) || before.began != after.began || after.state == 'Z')
        return (struct proc_owner){ 0 };
    found.session = after.session;
    found.leader_uid = found.uid;
    if (read_process(found.session, &leader) &&
        !read_uid(found.session, &found.leader_uid))
        return (struct proc_owner){ 0 };
    if (!mark_of(&leader, found.mark))
        found.mark[0] = '\0';
    return found;
}

struct listing {
    struct proc_entry *v;
    size_t n, cap;
};

static void list_process(void *arg, pid_t pid)
{
    struct listing *l = arg;
    struct proc_entry e = { .pid = pid };
    struct stat_line st;

    if (!read_stat(pid, &st) || st.state == 'Z' || !read_uid(pid, &e.uid))
        return;
    e.parent = st.parent;
    e.session = st.session;
    e.began = st.began;
    if (l->n == l->cap) {
        l->cap = l->cap ? 2 * l->cap : 256;
        l->v = xrealloc(l->v, l->cap * sizeof(*l->v));
    }
    l->v[l->n++] = e;
}

static int by_number_of_entry(const void *a, const void *b)
{
    const struct proc_entry *x = a, *y = b;

    return (x->pid > y->pid) - (x->pid < y->pid);
}

size_t proc_list(struct proc_entry **ret)
{
    struct listing l = { 0 };

    for_each_number(&l, list_process);
    if (l.n)
        qsort(l.v, l.n, sizeof(*l.v), by_number_of_entry);
    *ret = l.v;
    return l.n;
}

/* The descriptor stands for one process, also when its number goes to another one while
 * it is looked at. */
bool proc_kill(const struct proc_entry *process, int signo)
{
    int fd = pidfd_open(process->pid, 0);
    struct stat_line st;
    uint32_t uid;
    bool is_done;

    if (fd < 0)
        return false;
    is_done = read_process(process->pid, &st) && st.began == process->began &&
              read_uid(process->pid, &uid) && uid == process->uid &&
              pidfd_send_signal(fd, signo, NULL, 0) == 0;
    close(fd);
    return is_done;
}

uint64_t proc_mem_kb(void)
{
    struct sysinfo si;

    return sysinfo(&si) == 0 ? (uint64_t)si.totalram * si.mem_unit / 1024 : 0;
}

uint32_t proc_ncpus(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n > 0 ? (uint32_t)n : 1;
}
