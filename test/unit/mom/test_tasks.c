/* Unit test of the order in which a starting job's news are taken: the shepherd is
 * played, the core and the loop are real.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/checkpoints.h"
#include "mom/shell/demux.h"
#include "mom/shell/files.h"
#include "mom/shell/host_task.h"
#include "mom/shell/proc.h"
#include "mom/shell/shell.h"
#include "mom/shell/signalling.h"
#include "mom/shell/spawn.h"

#include "../unit.h"
#include "node1.h"
#include "walks.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utlist.h>

#define LIMIT_S 30
#define N_JOBS  5
#define N_MANY  150

static struct spawn_report to_report; /* what the next shepherd says */
static bool hangs;                    /* nothing, and it does not end */
static bool left_none;                /* of its processes, as the shepherd wrote */
static bool has_no_status;            /* no shepherd has written anything */
static bool kills_at_the_end;         /* all of the job, as the core does */
static char last_log[256];

/* What the tasks need of the rest of the shell. */

/* A shepherd that has said its words and is over when this returns. */
int spawn_start(const struct spawn_order *o, const char *exit_path, struct spawned *ret,
                struct diag *why)
{
    siginfo_t info;
    int up[2];
    pid_t pid;

    (void)o;
    (void)exit_path;
    (void)why;
    CU_ASSERT_EQUAL_FATAL(pipe2(up, O_CLOEXEC | O_NONBLOCK), 0);
    pid = fork();
    while (pid == 0 && hangs)
        pause();
    if (pid == 0)
        _exit(write(up[1], &to_report, sizeof(to_report)) < 0);
    close(up[1]);
    if (!hangs)
        CU_ASSERT_EQUAL_FATAL(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    *ret = (struct spawned){ .shepherd = pid, .report_fd = up[0], .go_fd = -1 };
    return 0;
}

bool spawn_read_exit(const char *exit_path, int32_t *status, struct mom_usage *used,
                     bool *ret_left_none)
{
    (void)exit_path;
    (void)used;
    *ret_left_none = left_none;
    *status = 42;
    return !has_no_status;
}

int files_remove_tree(struct loop *l, const char *path, struct diag *why)
{
    (void)l;
    (void)path;
    (void)why;
    return 0;
}

int files_remove_of(struct loop *l, const char *path, const char *user,
                    struct diag *why)
{
    (void)user;
    return files_remove_tree(l, path, why);
}

/* ... and no images. */
void checkpoints_settle(struct shell *s, const char *job_id)
{
    (void)s;
    (void)job_id;
}

const char *checkpoints_path(const char *dir, const char *job_id, char path[PATH_MAX])
{
    (void)dir;
    snprintf(path, PATH_MAX, "%s", job_id);
    return path;
}

/* The jobs here have one host. */
int demux_hold(struct shell *s, const char *job_id)
{
    (void)s;
    (void)job_id;
    return -1;
}

void demux_release(struct shell *s, const char *job_id)
{
    (void)s;
    (void)job_id;
}

void demux_cookie(char cookie[COOKIE_BYTES])
{
    snprintf(cookie, COOKIE_BYTES, "%032d", 7);
}

void shell_log(struct shell *s, int event, int log_class, const char *object,
               const char *text)
{
    (void)s;
    (void)event;
    (void)log_class;
    (void)object;
    snprintf(last_log, sizeof(last_log), "%s", text);
}

/* The effects stay for the test to look at, and kill when it says so. */
static struct mom_out *all;
static bool kills;

void shell_carry_out(struct shell *s, struct mom_out *out)
{
    for (size_t i = 0; i < out->n; i++) {
        if (kills && out->v[i].kind == MOM_KILL)
            tasks_kill(s, out->v[i].job_id, out->v[i].task, out->v[i].u.signo);
        ARENA_ROOM(all->arena, all, v, 16);
        all->v[all->n++] = out->v[i];
    }
}

/* The tests. */

static void command(struct mom *m, uint32_t number, const void *body,
                    struct mom_out *out)
{
    const struct is_message msg = {
        .command = IS_CMD,
        .msgid = "1:0",
        .request = { .number = number, .user = "root", .body = body },
    };

    mom_message(m, 100, 7, node1_server(), &msg, true, out);
}

static void add_job(struct mom *m, const char *id, struct mom_out *out)
{
    struct wire_attr attr = { .name = "euser", .value = "joe" };
    const struct body_queue queue = { .id = id,
                                      .destination = "node1",
                                      .attrs = { .n = 1, .v = &attr } };
    const struct body_id commit = { .id = id };

    command(m, BATCH_QUEUE_JOB, &queue, out);
    command(m, BATCH_COMMIT, &commit, out);
    mom_stored(m, 100, id, NULL, out);
}

static struct mom *job_on_its_way(struct mom_out *out)
{
    const struct mom_config cfg = node1_config();
    const struct is_message hello = { .command = IS_REPLYHELLO };
    struct mom *m = mom_new(&cfg);

    mom_router_up(m, 100, out);
    mom_connected(m, 100, 7, 1, out);
    mom_message(m, 100, 7, node1_server(), &hello, true, out);
    add_job(m, "1.svr", out);
    return m;
}

/* One turn, as shell.c has it. */
static void turn(struct shell *s, bool wait)
{
    loop_turn(s->loop, wait);
    tasks_tell_ended(s);
    signalling_send(s);
}

/* The exit status that the server is told, when the shepherd is over before its words
 * are read. */
static int32_t told_status(int32_t session, int32_t status, const char *text)
{
    struct mom_out out = { .arena = arena_new() }, seen = { .arena = arena_new() };
    struct config config = { 0 };
    struct conf conf = { 0 };
    struct shell s = { .conf = &conf, .loop = loop_new(), .arena = out.arena };
    struct diag why;
    int32_t told = INT32_MIN;

    all = &seen;
    s.config = config;
    snprintf(s.home, sizeof(s.home), "/nonexistent");
    to_report = (struct spawn_report){ .session = session, .status = status };
    snprintf(to_report.text, sizeof(to_report.text), "%s", text);
    s.mom = job_on_its_way(&out);
    CU_ASSERT_FALSE(tasks_recover(&s, &why)); /* no directory, and then a timer */
    tasks_start_job(&s, "1.svr", &out);
    tasks_kill(&s, "1.svr", 0, SIGTERM); /* nobody is there yet */
    if (hangs)
        tasks_kill(&s, "1.svr", 0, SIGKILL);
    for (int i = 0; i < 10 && told == INT32_MIN; i++) {
        turn(&s, hangs);
        for (size_t k = 0; k < seen.n; k++)
            if (seen.v[k].kind == MOM_SEND && seen.v[k].u.msg.command == IS_JOBOBIT)
                told = seen.v[k].u.msg.updates[0].status;
    }
    if (kills_at_the_end)
        tasks_kill(&s, "1.svr", 0, SIGKILL);
    signalling_close(&s);
    tasks_close(&s);
    mom_free(s.mom);
    loop_free(s.loop);
    arena_free(seen.arena);
    arena_free(out.arena);
    return told;
}

static void test_a_refused_start_keeps_its_reason(void)
{
    CU_ASSERT_EQUAL(told_status(0, START_BAD_USER, "nobody"), START_BAD_USER);
}

static void test_a_short_job_keeps_its_status(void)
{
    CU_ASSERT_EQUAL(told_status(4711, 0, ""), 42);
    CU_ASSERT_STRING_EQUAL(last_log, "");
}

static void test_a_start_that_hangs_can_be_killed(void)
{
    hangs = true;
    CU_ASSERT_EQUAL(told_status(0, 0, ""), START_RETRY);
    hangs = false;
}

static void test_what_was_moved_aside_is_logged(void)
{
    CU_ASSERT_EQUAL(told_status(4711, 0, "x belonged to uid 5"), 42);
    CU_ASSERT_STRING_EQUAL(last_log, "x belonged to uid 5");
}

/* A session that has the number of the job's. */
static pid_t begin_session(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        alarm(LIMIT_S);
        setsid();
        for (;;)
            pause();
    }
    while (getsid(pid) != pid)
        sched_yield();
    return pid;
}

/* Of a job that has left nothing no process is looked for, whatever has its session's
 * number; of any other all go. */
static void test_only_what_is_left_is_killed(void)
{
    kills_at_the_end = true;
    for (int left = 0; left < 2; left++) {
        pid_t pid = begin_session();

        left_none = !left;
        CU_ASSERT_EQUAL(told_status(pid, 0, ""), 42);
        if (!left)
            CU_ASSERT_EQUAL(waitpid(pid, NULL, WNOHANG), 0);
        kill(pid, left ? 0 : SIGKILL);
        CU_ASSERT_EQUAL(waitpid(pid, NULL, 0), pid);
    }
    kills_at_the_end = left_none = false;
}

/* A record of the job as a MoM has left it whose task had that session. */
static void leave_record(const char *home, pid_t session)
{
    struct mom_out out = { .arena = arena_new() };
    struct mom *m = job_on_its_way(&out);
    struct buf record = { 0 };
    static const char *const dirs[] = { "mom_priv", "mom_priv/jobs" };
    char path[PATH_MAX], mark[PROC_MARK_BYTES];
    FILE *f;

    CU_ASSERT_FATAL(proc_session_mark(session, mark));
    mom_set_session_mark(m, "1.svr", 1, mark);
    mom_started(m, 100, "1.svr", session, 0, NULL, &out);
    mom_job_encode(m, "1.svr", &record);
    for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
        snprintf(path, sizeof(path), "%s/%s", home, dirs[i]);
        CU_ASSERT_EQUAL_FATAL(mkdir(path, 0700), 0);
    }
    snprintf(path, sizeof(path), "%s/mom_priv/jobs/1.svr.JB", home);
    f = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT_EQUAL(fwrite(record.data, 1, record.len, f), record.len);
    fclose(f);
    buf_fini(&record);
    mom_free(m);
    arena_free(out.arena);
}

static void remove_home(const char *home)
{
    static const char *const names[] = { "mom_priv/jobs/1.svr.JB", "mom_priv/jobs",
                                         "mom_priv", "" };
    char path[PATH_MAX];

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        snprintf(path, sizeof(path), "%s/%s", home, names[i]);
        (void)remove(path);
    }
}

/* The kernel tells of its end; until then there is nothing to look for. */
static void test_a_task_of_an_earlier_mom_costs_nothing_while_it_runs(void)
{
    struct mom_out seen = { .arena = arena_new() };
    struct shell s = { .loop = loop_new(), .arena = seen.arena };
    const struct mom_config cfg = node1_config();
    pid_t leader = begin_session();
    struct diag why;

    all = &seen;
    snprintf(s.home, sizeof(s.home), "/tmp/hf-test-tasks-XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(s.home));
    leave_record(s.home, leader);
    has_no_status = true;
    s.mom = mom_new(&cfg);
    CU_ASSERT_TRUE_FATAL(tasks_recover(&s, &why));
    has_no_status = false;
    CU_ASSERT_PTR_NOT_NULL_FATAL(s.tasks);
    CU_ASSERT_PTR_NULL(s.leaderless);
    CU_ASSERT_FALSE(loop_timer_is_set(s.watch));
    kill(leader, SIGKILL);
    loop_turn(s.loop, true);
    CU_ASSERT_PTR_NOT_NULL(s.leaderless);
    loop_turn(s.loop, true);
    CU_ASSERT_PTR_NULL(s.tasks);
    CU_ASSERT_PTR_NULL(s.leaderless);
    CU_ASSERT_FALSE(loop_timer_is_set(s.watch));
    CU_ASSERT_EQUAL(waitpid(leader, NULL, 0), leader);
    tasks_close(&s);
    mom_free(s.mom);
    loop_free(s.loop);
    remove_home(s.home);
    arena_free(seen.arena);
}

/* A session whose leader has ended; the number of the process that it has left. */
static pid_t begin_leaderless(pid_t *ret_session)
{
    int ready[2];
    pid_t left = 0;

    CU_ASSERT_EQUAL_FATAL(pipe(ready), 0);
    *ret_session = fork();
    if (*ret_session == 0) {
        alarm(LIMIT_S);
        setsid();
        left = fork();
        if (left > 0)
            _exit(write(ready[1], &left, sizeof(left)) < 0);
        for (;;)
            pause();
    }
    CU_ASSERT_EQUAL(read(ready[0], &left, sizeof(left)), sizeof(left));
    CU_ASSERT_EQUAL(waitpid(*ret_session, NULL, 0), *ret_session);
    close(ready[0]);
    close(ready[1]);
    return left;
}

static void begin_shell(struct shell *s, struct mom_out *seen)
{
    const struct mom_config cfg = node1_config();

    *seen = (struct mom_out){ .arena = arena_new() };
    *s = (struct shell){ .loop = loop_new(), .arena = seen->arena };
    all = seen;
    s->mom = mom_new(&cfg);
    snprintf(s->home, sizeof(s->home), "/nonexistent");
    (void)walks();
}

static void end_shell(struct shell *s)
{
    signalling_close(s);
    tasks_close(s);
    mom_free(s->mom);
    loop_free(s->loop);
    arena_free(s->arena);
}

static const char *id_of(struct shell *s, int i)
{
    return arena_printf(s->arena, "%d.svr", i);
}

/* Nobody tells of their ends, so they are looked for from time to time. */
static void test_sessions_without_leaders_are_looked_at_together(void)
{
    struct mom_out seen;
    struct shell s;
    struct diag why;
    pid_t left[N_JOBS];

    begin_shell(&s, &seen);
    CU_ASSERT_FALSE(tasks_recover(&s, &why)); /* no directory, and then a timer */
    for (int i = 0; i < N_JOBS; i++) {
        struct task *t = task_add(&s, id_of(&s, i), 0, 1);

        left[i] = begin_leaderless(&t->session);
        t->adopted = t->attached = t->is_leaderless = true;
        DL_APPEND(s.leaderless, t);
    }
    (void)walks();
    loop_timer_set(s.watch, 0);
    turn(&s, true);
    CU_ASSERT_EQUAL(HASH_COUNT(s.tasks), N_JOBS);
    CU_ASSERT_EQUAL(walks(), 1);
    for (int i = 1; i < N_JOBS; i++) {
        CU_ASSERT_EQUAL(kill(left[i], SIGKILL), 0);
        CU_ASSERT_EQUAL(waitpid(left[i], NULL, 0), left[i]);
    }
    loop_timer_set(s.watch, 0);
    turn(&s, true);
    CU_ASSERT_EQUAL(HASH_COUNT(s.tasks), 1);
    CU_ASSERT_EQUAL(walks(), 1);
    CU_ASSERT_EQUAL(kill(left[0], SIGKILL), 0);
    CU_ASSERT_EQUAL(waitpid(left[0], NULL, 0), left[0]);
    end_shell(&s);
}

static void on_end(void *arg, pid_t pid, int status)
{
    struct task **t = arg;

    CU_ASSERT_TRUE(pid == (*t)->shepherd && WIFSIGNALED(status));
    (*t)->child = NULL;
    *t = NULL;
}

/* Of a task that was killed and whose shepherd does not hear of that: a sample of all
 * tells. */
static void test_a_sample_sees_who_is_held(void)
{
    struct mom_out seen, out;
    struct shell s;
    struct task *t[N_JOBS];
    pid_t of[N_JOBS];

    begin_shell(&s, &seen);
    out = (struct mom_out){ .arena = s.arena };
    for (int i = 0; i < N_JOBS; i++) {
        t[i] = task_add(&s, id_of(&s, i), 0, 1);
        t[i]->session = of[i] = begin_session();
        t[i]->shepherd = begin_session();
        t[i]->child = loop_child_watch(s.loop, t[i]->shepherd, on_end, &t[i]);
        t[i]->is_killed = true;
    }
    for (int looks = 0; looks < 3; looks++)
        tasks_sample(&s, &out);
    CU_ASSERT_EQUAL(walks(), 3);
    loop_turn(s.loop, false);
    for (int i = 0; i < N_JOBS; i++) {
        CU_ASSERT_PTR_NOT_NULL_FATAL(t[i]);
        kill(of[i], SIGKILL); /* it is not waited for */
        waitid(P_PID, (id_t)of[i], &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
    }
    for (int looks = 0; looks < 2; looks++)
        tasks_sample(&s, &out);
    CU_ASSERT_EQUAL(walks(), 2);
    for (int i = 0; i < N_JOBS; i++) {
        CU_ASSERT_EQUAL(waitpid(of[i], NULL, 0), of[i]);
        for (int turns = 0; turns < 10 && t[i]; turns++)
            loop_turn(s.loop, true);
        CU_ASSERT_PTR_NULL(t[i]);
    }
    end_shell(&s);
}

static void end_session(struct task *t)
{
    CU_ASSERT_EQUAL(kill(t->session, SIGKILL), 0);
    CU_ASSERT_EQUAL(waitpid(t->session, NULL, 0), t->session);
}

/* More processes than are looked at in a turn: others have their turns meanwhile. Each
 * task is seen that was there when the sample began, and none in the place of another.
 */
static void test_a_large_sample_takes_turns(void)
{
    struct task *t[N_MANY], *gone;
    struct mom_out seen, out;
    struct shell s;
    int turns = 0;

    begin_shell(&s, &seen);
    out = (struct mom_out){ .arena = s.arena };
    for (int i = 0; i < N_MANY; i++) {
        t[i] = task_add(&s, id_of(&s, i), 0, 1);
        t[i]->session = begin_session();
        t[i]->attached = true;
    }
    tasks_sample(&s, &out);
    CU_ASSERT_PTR_NOT_NULL(s.sample);
    tasks_sample(&s, &out); /* asked for once more, it is this one */
    gone = t[0];
    task_unlist(gone);
    t[0] = task_add(&s, id_of(&s, 0), 0, 2); /* the job runs again */
    t[0]->session = gone->session;
    t[0]->attached = true;
    for (; s.sample && turns < 1000; turns++)
        turn(&s, true);
    CU_ASSERT_PTR_NULL(s.sample);
    CU_ASSERT_TRUE(turns > 0);
    CU_ASSERT_EQUAL(walks(), 1);
    CU_ASSERT_TRUE(gone->seen.vmem_kb == 0 && t[0]->seen.vmem_kb == 0);
    for (int i = 1; i < N_MANY; i++)
        CU_ASSERT_TRUE(t[i]->seen.vmem_kb > 0);
    task_free(gone);
    tasks_sample(&s, &out); /* it is not over when the MoM ends */
    CU_ASSERT_PTR_NOT_NULL(s.sample);
    tasks_sample_close(&s);
    for (int i = 0; i < N_MANY; i++)
        end_session(t[i]);
    end_shell(&s);
}

/* Ends that nobody tells of are told in turns as well, after one look at the host. */
static void test_many_ends_without_leaders_take_turns(void)
{
    struct mom_out seen;
    struct shell s;
    struct diag why;
    int turns = 0;

    begin_shell(&s, &seen);
    CU_ASSERT_FALSE(tasks_recover(&s, &why)); /* no directory, and then a timer */
    for (int i = 0; i < N_MANY; i++) {
        struct task *t = task_add(&s, id_of(&s, i), 0, 1);

        t->session = begin_session();
        end_session(t);
        t->adopted = t->attached = t->is_leaderless = true;
        DL_APPEND(s.leaderless, t);
    }
    (void)walks();
    loop_timer_set(s.watch, 0);
    turn(&s, true);
    CU_ASSERT_TRUE(HASH_COUNT(s.tasks) > N_MANY / 2);
    for (; s.tasks && turns < N_MANY; turns++)
        turn(&s, true);
    CU_ASSERT_PTR_NULL(s.tasks);
    CU_ASSERT_EQUAL(walks(), 1);
    end_shell(&s);
}

/* Each has left a process that does not outlive it. */
static void test_what_ended_jobs_have_left_costs_one_walk(void)
{
    struct mom_out seen, out;
    struct shell s;
    struct conf conf = { 0 };
    pid_t left[N_JOBS];

    begin_shell(&s, &seen);
    s.conf = &conf;
    mom_free(s.mom);
    out = (struct mom_out){ .arena = s.arena };
    s.mom = job_on_its_way(&out);
    for (int i = 0; i < N_JOBS; i++) {
        if (i != 1)
            add_job(s.mom, id_of(&s, i), &out);
        to_report = (struct spawn_report){ 0 };
        left[i] = begin_leaderless(&to_report.session);
        tasks_start_job(&s, id_of(&s, i), &out);
    }
    (void)walks();
    kills = true;
    while (s.tasks)
        turn(&s, true);
    kills = false;
    for (int i = 0; i < N_JOBS; i++)
        CU_ASSERT_EQUAL(waitpid(left[i], NULL, 0), left[i]);
    CU_ASSERT_EQUAL(walks(), 2); /* the second one finds nobody */
    end_shell(&s);
}

static void test_jobs_that_are_killed_cost_one_walk(void)
{
    struct mom_out seen;
    struct shell s;
    struct task *t;
    pid_t of[N_JOBS];

    begin_shell(&s, &seen);
    for (int i = 0; i < N_JOBS; i++) {
        t = task_add(&s, id_of(&s, i), 0, 1);
        of[i] = t->session = begin_session();
        tasks_kill(&s, id_of(&s, i), 0, SIGTERM);
    }
    CU_ASSERT_EQUAL(walks(), 0);
    signalling_send(&s);
    CU_ASSERT_EQUAL(walks(), 1);
    for (int i = 0; i < N_JOBS; i++)
        CU_ASSERT_EQUAL(waitpid(of[i], NULL, 0), of[i]);
    end_shell(&s);
}

static const struct unit_case cases[] = {
    { "a task of an earlier MoM costs nothing while it runs",
      test_a_task_of_an_earlier_mom_costs_nothing_while_it_runs },
    { "a refused start keeps its reason", test_a_refused_start_keeps_its_reason },
    { "a short job keeps its status", test_a_short_job_keeps_its_status },
    { "a start that hangs can be killed", test_a_start_that_hangs_can_be_killed },
    { "only what is left of a job is killed", test_only_what_is_left_is_killed },
    { "what was moved aside is logged", test_what_was_moved_aside_is_logged },
    { "sessions without leaders are looked at together",
      test_sessions_without_leaders_are_looked_at_together },
    { "a sample sees who is held", test_a_sample_sees_who_is_held },
    { "a large sample takes turns", test_a_large_sample_takes_turns },
    { "many ends without leaders take turns",
      test_many_ends_without_leaders_take_turns },
    { "what ended jobs have left costs one walk",
      test_what_ended_jobs_have_left_costs_one_walk },
    { "jobs that are killed cost one walk", test_jobs_that_are_killed_cost_one_walk },
};

int main(void)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return 2;
    return unit_main("mom/tasks", cases, ARRAY_LEN(cases));
}
