/* Unit tests of what a MoM answers about its host.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/host_facts.h"

#include "lib/wire/rm.h"
#include "mom/shell/host_script.h"

#include "../unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct host_resource own[] = {
    { "tape", "3" },
    { "scratch", "!printf '12gb\\nmore\\n'" },
    { "tape", "4" },
    { "bad", "!exit 3" },
    { "quota", "!printf '%s|' %user '%fs' \"<%fs>\" %fsx" },
    { "missing", "!/no/such/program" },
    { "ncpus", "64" },
    { "long", "!head -c 70000 /dev/zero | tr '\\000' x" },
};

static bool is_answered(const char *query, const char *expect)
{
    struct host_running running;
    struct host_facts f = { .home = "/nonexistent",
                            .script_ms = 60000,
                            .running = &running,
                            .n_own = ARRAY_LEN(own),
                            .own = own };
    struct buf b = { 0 };
    bool same;

    host_running_init(&running);
    host_facts_answer(&f, query, &b);
    same = strcmp(b.data, expect) == 0;
    if (!same)
        fprintf(stderr, "%s\n", b.data);
    buf_fini(&b);
    host_facts_fini(&f);
    host_running_fini(&running);
    return same;
}

static void test_answers_and_codes(void)
{
    static const struct {
        const char *query, *expect;
    } rows[] = {
        { "tape", "tape=4" },
        { "scratch", "scratch=12gb" },
        { "ncpus", "ncpus=64" },
        { "bad", "bad=? 15205" },
        { "long", "long=? 15014" },
        { "tape[x=1]", "tape[x=1]=? 15202" },
        { "arch", "arch=linux" },
        { "quota[user=joe][fs=/home]",
          "quota[user=joe][fs=/home]=joe|/home|</home>|%fsx|" },
        { "quota[fs=/a b][user=x  y]",
          "quota[fs=/a b][user=x  y]=x  y|/a b|</a b>|%fsx|" },
        /* Whoever asks says no part of the command. */
        { "quota[user=;id][fs=$(id)]",
          "quota[user=;id][fs=$(id)]=;id|$(id)|<$(id)>|%fsx|" },
        { "quota[user=`id`][fs='\"\\]",
          "quota[user=`id`][fs='\"\\]=`id`|'\"\\|<'\"\\>|%fsx|" },
        { "quota[user=*][fs=${PATH}]",
          "quota[user=*][fs=${PATH}]=*|${PATH}|<${PATH}>|%fsx|" },
        { "quota[user=-rf][fs=/]", "quota[user=-rf][fs=/]=? 15202" },
        { "quota[user=a\nb][fs=/]", "quota[user=a\nb][fs=/]=? 15202" },
        { "quota[user=joe][fs=/][more=1]", "quota[user=joe][fs=/][more=1]=? 15202" },
        { "quota[user=1][user=1][user=1][user=1][user=1][user=1][user=1][user=1][fs=1]",
          "quota[user=1][user=1][user=1][user=1][user=1][user=1][user=1][user=1][fs=1]="
          "? "
          "15202" },
        { "quota[user=joe]x", "quota[user=joe]x=? 15202" },
        { "scratch[x=1]", "scratch[x=1]=? 15202" },
        { "size[fs=/][fs=/]", "size[fs=/][fs=/]=? 15202" },
        { "missing", "missing=? 15205" },
        { "nosuch", "nosuch=? 15201" },
        { "", "=? 15201" },
        { "[fs=/]", "[fs=/]=? 15201" },
        { "size", "size=? 15203" },
        { "size[fs=tmp]", "size[fs=tmp]=? 15202" },
        { "size[fs=/no/such/place]", "size[fs=/no/such/place]=? 15204" },
        { "size[file=/]", "size[file=/]=? 15202" },
        { "size[fs=/", "size[fs=/=? 15202" },
        { "size[fs=]", "size[fs=]=? 15202" },
        { "size[fs=/]x", "size[fs=/]x=? 15202" },
        { "size[=/]", "size[=/]=? 15202" },
        { "arch[x=1]", "arch[x=1]=? 15202" },
        { "cput", "cput=? 15203" },
        { "cput[session=1x]", "cput[session=1x]=? 15202" },
        { "cput[session=-1]", "cput[session=-1]=? 15202" },
        { "cput[session=99999999999999999999]",
          "cput[session=99999999999999999999]=? 15202" },
        { "pids[session=2147483647]", "pids[session=2147483647]=? 15204" },
        { "validuser[user=root]", "validuser[user=root]=yes" },
        { "validuser[user=no:such]", "validuser[user=no:such]=no" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CU_ASSERT(is_answered(rows[i].query, rows[i].expect));
}

static void test_names_of_any_length(void)
{
    struct host_facts f = { .home = "/" };
    char query[5000];
    struct buf b = { 0 };

    for (size_t len = 1; len < sizeof(query) - 1; len += 97) {
        memset(query, 'a', len);
        query[len] = '\0';
        buf_clear(&b);
        host_facts_answer(&f, query, &b);
        CU_ASSERT_STRING_EQUAL(b.data + len, "=? 15201");
        memcpy(query, "size[fs=/", len < 9 ? len : 9);
        buf_clear(&b);
        host_facts_answer(&f, query, &b);
        CU_ASSERT_PTR_NOT_NULL(strstr(b.data, "=? 1520"));
    }
    buf_fini(&b);
    host_facts_fini(&f);
}

static void test_this_session_is_seen(void)
{
    struct host_facts f = { .home = "/" };
    char query[64], pid[32];
    struct buf b = { 0 };

    snprintf(query, sizeof(query), "pids[session=%d]", getsid(0));
    snprintf(pid, sizeof(pid), " %d", getpid());
    host_facts_answer(&f, query, &b);
    CU_ASSERT_PTR_NOT_NULL(strstr(b.data, pid));
    buf_clear(&b);
    snprintf(query, sizeof(query), "resi[session=%d]", getsid(0));
    host_facts_answer(&f, query, &b);
    CU_ASSERT_PTR_NULL(strstr(b.data, "=0kb"));
    CU_ASSERT_PTR_NULL(strstr(b.data, "=?"));
    buf_fini(&b);
    host_facts_fini(&f);
}

static bool run_for(const char *command, int64_t limit_ms, size_t most, struct buf *b)
{
    struct host_running r;
    bool ok;

    host_running_init(&r);
    ok = host_script_run(&r, command, 0, NULL, host_script_now() + limit_ms, most, b);
    CU_ASSERT_EQUAL(r.pid, 0);
    host_running_fini(&r);
    return ok;
}

static void test_commands_end_in_time(void)
{
    struct buf b = { 0 };

    CU_ASSERT_FALSE(run_for("sleep 1000", 200, 100, &b));
    /* What it has left keeps the output open, and is killed. */
    CU_ASSERT_FALSE(run_for("sleep 1000 & echo 1", 200, 100, &b));
    CU_ASSERT_FALSE(run_for("exec >&-; sleep 1000", 200, 100, &b));
    CU_ASSERT_FALSE(run_for("kill -9 $$", 60000, 100, &b));
    CU_ASSERT_FALSE(run_for("printf '1\\0002'", 60000, 100, &b));
    CU_ASSERT_EQUAL(b.len, 0);
    CU_ASSERT_TRUE(run_for("true", 60000, 4, &b));
    CU_ASSERT_EQUAL(b.len, 0);
    CU_ASSERT_TRUE(run_for("echo 12345; yes | head -c 1000000", 60000, 4, &b));
    CU_ASSERT_STRING_EQUAL(b.data, "1234");
    buf_fini(&b);
}

/* Also what has closed the output, and would live on unseen. */
static void test_nothing_is_left_of_a_command(void)
{
    struct buf b = { 0 };
    int pid;

    CU_ASSERT_TRUE(run_for("sleep 1000 >/dev/null & echo $!", 60000, 100, &b));
    pid = atoi(b.data);
    CU_ASSERT_FATAL(pid > 0);
    /* It is killed already, and somebody else's child to wait for. */
    for (int i = 0; i < 1000 && kill(pid, 0) == 0; i++) {
        char path[64], text[256] = "";
        FILE *f;

        snprintf(path, sizeof(path), "/proc/%d/stat", pid);
        f = fopen(path, "r");
        if (f && !fgets(text, sizeof(text), f))
            text[0] = '\0';
        if (f)
            fclose(f);
        if (strstr(text, ") Z"))
            break;
        usleep(10000);
        CU_ASSERT_FATAL(i < 999);
    }
    buf_fini(&b);
}

/* For a process that stands for a MoM: run a command that signals its group and then
 * holds 'fifo' open with all that it starts. */
static NORETURN void be_mom(const char *fifo)
{
    struct buf b = { 0 }, command = { 0 };

    buf_printf(&command,
               "exec 9>%s; trap '' TERM; kill -TERM 0; echo x >&9; (sleep 1000 &); "
               "sleep 1000 | sleep 999",
               fifo);
    (void)run_for(command.data, 600000, 100, &b);
    _exit(0);
}

/* 1: a byte has come, 0: nobody has the other end open; -1: neither within a minute. */
static int next_byte(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    char c;

    return poll(&p, 1, 60000) == 1 ? (int)read(fd, &c, 1) : -1;
}

static void test_a_command_ends_with_the_mom(void)
{
    char dir[] = "/tmp/hf-facts-XXXXXX", fifo[64];
    pid_t mom;
    char c;
    int fd;

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
    snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
    CU_ASSERT_EQUAL_FATAL(mkfifo(fifo, 0600), 0);
    fd = open(fifo, O_RDONLY | O_NONBLOCK);
    CU_ASSERT_FATAL(fd >= 0);
    mom = fork();
    if (mom == 0)
        be_mom(fifo);
    CU_ASSERT_EQUAL(next_byte(fd), 1);
    CU_ASSERT_TRUE(read(fd, &c, 1) == 1); /* the end of the line */
    kill(mom, SIGKILL);
    CU_ASSERT_EQUAL(waitpid(mom, NULL, 0), mom);
    CU_ASSERT_EQUAL(next_byte(fd), 0);
    close(fd);
    unlink(fifo);
    rmdir(dir);
}

/* A program may wait for all its children, and those are its own only. */
static void test_a_command_meets_nothing_of_its_guard(void)
{
    struct buf b = { 0 };

    CU_ASSERT_TRUE(run_for("read x </proc/$$/task/$$/children; "
                           "echo \"$x,$(ls /proc/self/fd | tr '\\n' ' ')\"",
                           60000, 100, &b));
    /* 3 is the directory that ls reads. */
    CU_ASSERT_STRING_EQUAL(b.data, ",0 1 2 3 ");
    buf_clear(&b);
    CU_ASSERT_TRUE(run_for("echo '$x'", 60000, 100, &b));
    CU_ASSERT_STRING_EQUAL(b.data, "$x");
    buf_fini(&b);
}

static void *stop_soon(void *arg)
{
    struct host_running *r = arg;
    bool runs = false;

    while (!runs) {
        pthread_mutex_lock(&r->lock);
        runs = r->pid > 0;
        pthread_mutex_unlock(&r->lock);
    }
    host_running_stop(r);
    return NULL;
}

static void test_a_command_is_stopped(void)
{
    struct host_running r;
    struct buf b = { 0 };
    pthread_t id;

    host_running_init(&r);
    CU_ASSERT_EQUAL_FATAL(pthread_create(&id, NULL, stop_soon, &r), 0);
    CU_ASSERT_FALSE(host_script_run(&r, "sleep 1000", 0, NULL,
                                    host_script_now() + 600000, 100, &b));
    pthread_join(id, NULL);
    /* Nothing begins behind that. */
    CU_ASSERT_FALSE(
        host_script_run(&r, "echo 1", 0, NULL, host_script_now() + 600000, 100, &b));
    CU_ASSERT_EQUAL(b.len, 0);
    host_running_fini(&r);
    buf_fini(&b);
}

/* The largest message has its share of time and bytes, and no more. */
static void test_a_message_has_a_limit(void)
{
    static const struct host_resource all[] = {
        { "slow", "!sleep 1000" },
        { "quick", "!echo 1" },
        { "long", "!head -c 65000 /dev/zero | tr '\\000' x" },
    };
    struct host_running r;
    struct host_facts f = { .home = "/",
                            .script_ms = 100,
                            .running = &r,
                            .n_own = ARRAY_LEN(all),
                            .own = all };
    struct buf b = { 0 };

    host_running_init(&r);
    for (int i = 0; i < 256; i++) {
        buf_clear(&b);
        host_facts_answer(&f, "slow", &b);
        CU_ASSERT_STRING_EQUAL(b.data, "slow=? 15205");
    }
    buf_clear(&b);
    host_facts_answer(&f, "quick", &b);
    CU_ASSERT_STRING_EQUAL(b.data, "quick=? 15205");
    host_facts_fini(&f);

    f = (struct host_facts){ .home = "/",
                             .script_ms = 60000,
                             .running = &r,
                             .n_own = ARRAY_LEN(all),
                             .own = all };
    buf_clear(&b);
    for (int i = 0; i < 20; i++)
        host_facts_answer(&f, "long", &b);
    CU_ASSERT(b.len > 16 * 65000 && b.len < HOST_FACTS_MOST + 1000);
    buf_clear(&b);
    host_facts_answer(&f, "long", &b);
    CU_ASSERT_STRING_EQUAL(b.data, "long=? 15014");
    host_facts_fini(&f);
    host_running_fini(&r);
    buf_fini(&b);
}

static void test_programs_that_are_not_roots(void)
{
    char path[] = "/tmp/hf-facts-XXXXXX", file[64], command[64];
    int fd = mkstemp(path), err;

    CU_ASSERT_FATAL(fd >= 0);
    snprintf(command, sizeof(command), " %s;x", path);
    CU_ASSERT_EQUAL(fchmod(fd, 0755), 0);
    CU_ASSERT_TRUE(host_script_is_fit(command, file, sizeof(file), &err));
    CU_ASSERT_EQUAL(fchmod(fd, 0775), 0);
    CU_ASSERT_FALSE(host_script_is_fit(command, file, sizeof(file), &err));
    CU_ASSERT_STRING_EQUAL(file, path);
    CU_ASSERT_EQUAL(err, EPERM);
    unlink(path);
    CU_ASSERT_FALSE(host_script_is_fit(command, file, sizeof(file), &err));
    CU_ASSERT_EQUAL(err, ENOENT);
    CU_ASSERT_FALSE(host_script_is_fit(command, file, 8, &err));
    CU_ASSERT_TRUE(host_script_is_fit("echo /x", file, sizeof(file), &err));
    close(fd);
}

static void test_patterns_of_hosts(void)
{
    static const char *const of[] = { "*.Site.org", "alone" };

    CU_ASSERT_TRUE(host_is_among("a.site.org", of, 2));
    CU_ASSERT_TRUE(host_is_among("ALONE", of, 2));
    CU_ASSERT_FALSE(host_is_among("site.org", of, 2));
    CU_ASSERT_FALSE(host_is_among("a.site.org.evil", of, 2));
    CU_ASSERT_FALSE(host_is_among("xalone", of, 2));
    CU_ASSERT_FALSE(host_is_among("", of, 2));
    CU_ASSERT_FALSE(host_is_among("alone", of, 1));
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "each question has its answer or its code", test_answers_and_codes },
        { "names of any length are answered", test_names_of_any_length },
        { "a session that lives is seen", test_this_session_is_seen },
        { "commands end in time", test_commands_end_in_time },
        { "nothing is left of a command", test_nothing_is_left_of_a_command },
        { "a command ends with the MoM, though that is killed",
          test_a_command_ends_with_the_mom },
        { "a command meets nothing of its guard",
          test_a_command_meets_nothing_of_its_guard },
        { "a command is stopped", test_a_command_is_stopped },
        { "a message has a limit", test_a_message_has_a_limit },
        { "programs that are not root's are not run",
          test_programs_that_are_not_roots },
        { "patterns of hosts", test_patterns_of_hosts },
    };

    return unit_main("mom: facts of the host", cases, ARRAY_LEN(cases));
}
