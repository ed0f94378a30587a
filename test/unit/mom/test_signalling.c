/* test_signalling.c - signals of a turn are sent together, and what is done to a job
 * comes behind its own. The processes are real.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/signalling.h"

#include "../unit.h"
#include "walks.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_S 30
#define N_JOBS  3

static struct shell s;
static char history[200]; /* ids of jobs that were dropped, and what with them */
static int32_t found_at_drop;

static NORETURN void stand(void)
{
    alarm(LIMIT_S);
    for (;;)
        pause();
}

static pid_t begin_session(void)
{
    pid_t pid = fork();

    CU_ASSERT_FATAL(pid >= 0);
    if (pid == 0) {
        if (setsid() < 0)
            _exit(1);
        stand();
    }
    while (getsid(pid) != pid)
        sched_yield();
    return pid;
}

/* The number of a process that is in another group than its session's leader. */
static pid_t begin_session_of_two(pid_t *ret_leader)
{
    pid_t other = 0;
    int ready[2];

    CU_ASSERT_EQUAL_FATAL(pipe(ready), 0);
    *ret_leader = fork();
    if (*ret_leader == 0) {
        setsid();
        if (fork() == 0) {
            setpgid(0, 0);
            other = getpid();
            if (write(ready[1], &other, sizeof(other)) < 0)
                _exit(1);
        }
        stand();
    }
    CU_ASSERT_EQUAL(read(ready[0], &other, sizeof(other)), sizeof(other));
    close(ready[0]);
    close(ready[1]);
    return other;
}

static void expect_end(pid_t pid, int signo)
{
    int status;

    CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid); /* SIGALRM ends it, too */
    CU_ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signo);
}

static bool runs(pid_t pid)
{
    siginfo_t info = { 0 };

    CU_ASSERT_EQUAL(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT), 0);
    return info.si_pid == 0;
}

static const char *id_of(int i)
{
    static const char *const ids[N_JOBS] = { "0.svr", "1.svr", "2.svr" };

    return ids[i];
}

static void on_drop(struct shell *of, const struct mom_effect *drop)
{
    size_t len = strlen(history);

    CU_ASSERT_PTR_EQUAL(of, &s);
    if (found_at_drop)
        expect_end(found_at_drop, SIGKILL);
    found_at_drop = 0;
    snprintf(history + len, sizeof(history) - len, "%s %d %s %s;", drop->job_id,
             (int)drop->u.drop.run_version,
             drop->u.drop.sandbox ? drop->u.drop.sandbox : "-",
             drop->u.drop.user ? drop->u.drop.user : "-");
}

/* One that finds that more of the job is to be killed. */
static void on_drop_with_more(struct shell *of, const struct mom_effect *drop)
{
    signalling_add(of, drop->job_id, found_at_drop, SIGKILL);
}

static bool put_off(int i, const char *sandbox, signalling_drop_fn fn)
{
    struct mom_effect e = { .kind = MOM_DROP, .job_id = id_of(i) };

    e.u.drop.run_version = i + 4;
    e.u.drop.sandbox = sandbox;
    e.u.drop.user = sandbox ? "joe" : NULL;
    return signalling_put_off(&s, &e, fn);
}

static void begin(void)
{
    s = (struct shell){ 0 };
    history[0] = '\0';
    (void)walks();
}

static void test_all_jobs_of_a_turn_cost_one_walk(void)
{
    pid_t leader, others[N_JOBS];

    begin();
    for (int i = 0; i < N_JOBS; i++) {
        others[i] = begin_session_of_two(&leader);
        signalling_add(&s, id_of(i), leader, SIGTERM);
        expect_end(leader, SIGTERM); /* its group has it at once */
    }
    CU_ASSERT_EQUAL(walks(), 0);
    CU_ASSERT_TRUE(runs(others[0]));
    signalling_send(&s);
    CU_ASSERT_EQUAL(walks(), 1);
    for (int i = 0; i < N_JOBS; i++)
        expect_end(others[i], SIGTERM);
    signalling_send(&s);
    CU_ASSERT_EQUAL(walks(), 0);
}

static void test_a_job_is_settled_before_anything_else_is_done_to_it(void)
{
    pid_t leaders[2];
    pid_t first = begin_session_of_two(&leaders[0]);
    pid_t second = begin_session_of_two(&leaders[1]);

    begin();
    for (int i = 0; i < 2; i++) {
        signalling_add(&s, id_of(i), leaders[i], SIGTERM);
        expect_end(leaders[i], SIGTERM);
    }
    signalling_settle(&s, id_of(2));
    CU_ASSERT_EQUAL(walks(), 0);
    CU_ASSERT_TRUE(runs(first));
    signalling_settle(&s, id_of(1));
    expect_end(second, SIGTERM);
    expect_end(first, SIGTERM); /* with the same walk */
    CU_ASSERT_EQUAL(walks(), 1);
    signalling_settle(&s, id_of(1));
    CU_ASSERT_EQUAL(walks(), 0);
}

static void test_files_go_behind_the_processes(void)
{
    char sandbox[] = "/tmp/pbs.0";

    begin();
    CU_ASSERT_FALSE(put_off(0, NULL, on_drop));
    CU_ASSERT_STRING_EQUAL(history, "");
    found_at_drop = begin_session();
    signalling_add(&s, id_of(0), found_at_drop, SIGKILL);
    CU_ASSERT_TRUE(put_off(0, sandbox, on_drop));
    sandbox[0] = '?'; /* effects do not live as long */
    CU_ASSERT_FALSE(put_off(1, NULL, on_drop));
    signalling_add(&s, id_of(1), 0, SIGKILL);
    CU_ASSERT_TRUE(put_off(1, NULL, on_drop));
    CU_ASSERT_STRING_EQUAL(history, "");
    signalling_settle(&s, id_of(0)); /* it is here once more */
    CU_ASSERT_STRING_EQUAL(history, "0.svr 4 /tmp/pbs.0 joe;1.svr 5 - -;");
    CU_ASSERT_PTR_NULL(s.signalling);
}

static void test_what_a_drop_finds_is_killed_as_well(void)
{
    begin();
    signalling_add(&s, id_of(0), 0, SIGKILL);
    CU_ASSERT_TRUE(put_off(0, NULL, on_drop_with_more));
    found_at_drop = begin_session();
    signalling_close(&s);
    expect_end(found_at_drop, SIGKILL);
    found_at_drop = 0;
    CU_ASSERT_PTR_NULL(s.signalling);
}

/* As a shepherd does, some time after the end, whoever has started it takes it. */
static pid_t begin_below_a_shepherd(pid_t *ret_shepherd)
{
    pid_t leader = 0;
    int ready[2];

    CU_ASSERT_EQUAL_FATAL(pipe(ready), 0);
    *ret_shepherd = fork();
    if (*ret_shepherd == 0) {
        siginfo_t info;

        alarm(LIMIT_S);
        leader = begin_session();
        if (write(ready[1], &leader, sizeof(leader)) < 0)
            _exit(1);
        (void)waitid(P_PID, (id_t)leader, &info, WEXITED | WNOWAIT);
        (void)poll(NULL, 0, 50);
        _exit(waitpid(leader, NULL, 0) != leader);
    }
    CU_ASSERT_EQUAL(read(ready[0], &leader, sizeof(leader)), sizeof(leader));
    close(ready[0]);
    close(ready[1]);
    return leader;
}

/* The server may start its job elsewhere at once. */
static void test_the_end_waits_for_who_is_killed(void)
{
    pid_t shepherd, leader = begin_below_a_shepherd(&shepherd);
    int status;

    begin();
    signalling_add(&s, id_of(0), leader, SIGKILL);
    signalling_close(&s);
    CU_ASSERT_EQUAL(getsid(leader), -1);
    CU_ASSERT_EQUAL(waitpid(shepherd, &status, 0), shepherd);
    CU_ASSERT_EQUAL(status, 0);
}

/* So that thousands of signals leave the MoM time for other things. */
static void test_a_walk_may_wait_for_its_time(void)
{
    const int64_t never_ms = INT64_MAX / 2;
    pid_t leader, other = begin_session_of_two(&leader);

    begin();
    s.loop = loop_new();
    s.walk_again_ms = never_ms;
    signalling_turn_end(&s);
    CU_ASSERT_PTR_NULL(s.walk_timer); /* nothing waits */
    signalling_add(&s, id_of(0), leader, SIGTERM);
    expect_end(leader, SIGTERM);
    signalling_turn_end(&s);
    CU_ASSERT_EQUAL(walks(), 0);
    CU_ASSERT_TRUE_FATAL(s.walk_timer && loop_timer_is_set(s.walk_timer));
    s.walk_again_ms = 0; /* its time has come */
    signalling_turn_end(&s);
    CU_ASSERT_EQUAL(walks(), 1);
    expect_end(other, SIGTERM);
    CU_ASSERT_TRUE(s.walk_again_ms > 0);
    signalling_close(&s);
    loop_free(s.loop);
    s.loop = NULL;
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "all jobs of a turn cost one walk", test_all_jobs_of_a_turn_cost_one_walk },
        { "a job is settled before anything else is done to it",
          test_a_job_is_settled_before_anything_else_is_done_to_it },
        { "the end waits for who is killed", test_the_end_waits_for_who_is_killed },
        { "a walk may wait for its time", test_a_walk_may_wait_for_its_time },
        { "files go behind the processes", test_files_go_behind_the_processes },
        { "what a drop finds is killed as well",
          test_what_a_drop_finds_is_killed_as_well },
    };

    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return 2;
    return unit_main("mom/signalling", cases, ARRAY_LEN(cases));
}
