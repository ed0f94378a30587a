/* Unit tests of task management: what a program of a job is told by a MoM that goes
 * away, answers nonsense, or does not take more before its answers are read. The MoM is
 * a process of the test that follows a script.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "include/tm.h"
#include "lib/wire/packet.h"
#include "lib/wire/task.h"

#include "../unit.h"

#include <arpa/inet.h>
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_S 120 /* of one test, before it counts as hanging */

/* The MoM's side. */

static struct arena *arena;

static void get(int fd, char *to, size_t len)
{
    for (ssize_t n; len > 0; to += n, len -= (size_t)n) {
        n = read(fd, to, len);
        if (n <= 0)
            _exit(0); /* the program has gone */
    }
}

static void put(int fd, const char *from, size_t len)
{
    for (ssize_t n; len > 0; from += n, len -= (size_t)n) {
        n = write(fd, from, len);
        if (n <= 0)
            _exit(1);
    }
}

static struct task_request next_request(int fd)
{
    char head[PACKET_HEADER_BYTES], *data;
    struct task_request rq;
    uint32_t len;

    get(fd, head, sizeof(head));
    memcpy(&len, head + 7, sizeof(len));
    len = ntohl(len);
    data = arena_alloc(arena, len);
    get(fd, data, len);
    if (task_request_decode(data, len, arena, &rq) != DIS_OK)
        _exit(1);
    return rq;
}

static void frame(struct buf *out, const struct task_reply *reply,
                  enum task_command asked)
{
    struct buf b = { 0 };

    task_reply_encode(&b, reply, asked);
    packet_put(out, PACKET_DATA, b.data, b.len);
    buf_fini(&b);
}

static void answer(int fd, const struct task_request *rq, struct task_reply reply)
{
    struct buf b = { 0 };

    reply.version = 2;
    reply.event = rq->event;
    frame(&b, &reply, rq->command);
    put(fd, b.data, b.len);
    buf_fini(&b);
}

static void answer_init(int fd)
{
    struct task_vnode one = { 0 };
    const struct task_request rq = next_request(fd);

    answer(
        fd, &rq,
        (struct task_reply){
            .n_vnodes = 1, .vnodes = &one, .parent_job = "1.svr", .parent_vnode = -1 });
}

/* A program asks for this alone at first, on a connection of its own. */
static bool was_init(int fd, int nth)
{
    if (nth == 0)
        answer_init(fd);
    return nth == 0;
}

/* 'script' is called with each connection until it ends the process. */
static _Noreturn void serve(int fd, void (*script)(int fd, int nth))
{
    for (int nth = 0;; nth++) {
        int client = accept(fd, NULL, NULL);

        alarm(LIMIT_S);
        arena = arena_new();
        script(client, nth);
        close(client);
    }
}

/* Play a MoM, in a process of its own. */
static pid_t play(void (*script)(int fd, int nth))
{
    struct sockaddr_in a = { .sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(a);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char port[8];
    pid_t pid;

    if (bind(fd, (struct sockaddr *)&a, len) || listen(fd, 8) ||
        getsockname(fd, (struct sockaddr *)&a, &len))
        err(2, "socket");
    snprintf(port, sizeof(port), "%u", ntohs(a.sin_port));
    setenv("PBS_MOMPORT", port, 1);
    setenv("PBS_JOBID", "1.svr", 1);
    setenv("PBS_JOBCOOKIE", "c00kie", 1);
    setenv("PBS_NODENUM", "0", 1);
    setenv("PBS_TASKNUM", "00000001", 1);
    alarm(LIMIT_S);
    pid = fork();
    if (pid == 0)
        serve(fd, script);
    close(fd);
    return pid;
}

static void end(pid_t mom)
{
    int status = 0;

    (void)tm_finalize();
    kill(mom, SIGTERM);
    CU_ASSERT_EQUAL(waitpid(mom, &status, 0), mom);
    CU_ASSERT(!WIFEXITED(status) || WEXITSTATUS(status) == 0);
}

/* The code of the next event; *event is that. */
static int next_code(tm_event_t *event)
{
    int code = -1;

    CU_ASSERT_EQUAL(tm_poll(TM_NULL_EVENT, event, 1, &code), TM_SUCCESS);
    return code;
}

/* The tests. */

static void goes_and_returns(int fd, int nth)
{
    struct task_request rq;

    if (was_init(fd, nth))
        return;
    if (nth == 1) {
        for (int i = 0; i < 3; i++)
            (void)next_request(fd);
        return;
    }
    rq = next_request(fd);
    answer(fd, &rq, (struct task_reply){ .task = 5 });
    (void)next_request(fd); /* the end of the program */
}

/* What a MoM was asked that is gone is not waited for on the connection to the next. */
static void test_a_mom_that_goes_is_told_for_each_event(void)
{
    char path[] = "/bin/true", *argv[] = { path, NULL };
    pid_t mom = play(goes_and_returns);
    tm_event_t obits[3], spawn, event;
    tm_task_id task = 0;
    int status, code;

    CU_ASSERT_EQUAL_FATAL(tm_init(NULL, NULL), TM_SUCCESS);
    for (size_t i = 0; i < ARRAY_LEN(obits); i++)
        CU_ASSERT_EQUAL(tm_obit(1, &status, &obits[i]), TM_SUCCESS);
    CU_ASSERT_EQUAL(next_code(&event), TM_ENOTCONNECTED);
    CU_ASSERT_EQUAL(event, obits[0]);
    CU_ASSERT_EQUAL(tm_spawn(1, argv, NULL, 0, &task, &spawn), TM_SUCCESS);
    for (size_t i = 1; i < ARRAY_LEN(obits); i++) {
        CU_ASSERT_EQUAL(next_code(&event), TM_ENOTCONNECTED);
        CU_ASSERT_EQUAL(event, obits[i]);
    }
    CU_ASSERT_EQUAL(next_code(&event), TM_SUCCESS);
    CU_ASSERT_EQUAL(event, spawn);
    CU_ASSERT_EQUAL(task, 5);
    CU_ASSERT_EQUAL(tm_poll(TM_NULL_EVENT, &event, 1, &code), TM_ENOEVENT);
    end(mom);
}

static void ends_each_alone(int fd, int nth)
{
    struct task_request rq;
    char byte;

    if (!was_init(fd, nth)) {
        rq = next_request(fd);
        answer(fd, &rq, (struct task_reply){ .task = 5 });
    }
    if (read(fd, &byte, 1) != 0)
        _exit(1);
}

/* A MoM that was restarted while nothing was asked is found again, and a program that
 * rests takes no connection from others. */
static void test_who_waits_for_nothing_has_no_connection(void)
{
    char path[] = "/bin/true", *argv[] = { path, NULL };
    pid_t mom = play(ends_each_alone);
    tm_event_t spawn, event;
    tm_task_id task;

    CU_ASSERT_EQUAL_FATAL(tm_init(NULL, NULL), TM_SUCCESS);
    for (int i = 0; i < 2; i++) {
        task = 0;
        CU_ASSERT_EQUAL(tm_spawn(1, argv, NULL, 0, &task, &spawn), TM_SUCCESS);
        CU_ASSERT_EQUAL(next_code(&event), TM_SUCCESS);
        CU_ASSERT(event == spawn && task == 5);
    }
    end(mom);
}

static void answers_half(int fd, int nth)
{
    struct task_request rq;
    struct task_reply reply = { .version = 2, .exit_status = 3 };
    struct buf b = { 0 };

    if (was_init(fd, nth))
        return;
    rq = next_request(fd);
    reply.event = rq.event;
    frame(&b, &reply, rq.command);
    put(fd, b.data, b.len - 1);
    rq = next_request(fd);
    put(fd, b.data + b.len - 1, 1);
    buf_fini(&b);
    answer(fd, &rq, (struct task_reply){ 0 });
    (void)next_request(fd);
}

/* Who does not want to wait is not made to by half an answer. */
static void test_half_an_answer_is_none_yet(void)
{
    pid_t mom = play(answers_half);
    tm_event_t obit, sent, event;
    int status = -1, code;

    CU_ASSERT_EQUAL_FATAL(tm_init(NULL, NULL), TM_SUCCESS);
    CU_ASSERT_EQUAL(tm_obit(1, &status, &obit), TM_SUCCESS);
    for (int i = 0; i < 100; i++) {
        CU_ASSERT_EQUAL(tm_poll(TM_NULL_EVENT, &event, 0, &code), TM_SUCCESS);
        CU_ASSERT_EQUAL_FATAL(event, TM_NULL_EVENT);
        usleep(1000);
    }
    CU_ASSERT_EQUAL(tm_kill(1, 0, &sent), TM_SUCCESS);
    CU_ASSERT_EQUAL(next_code(&event), TM_SUCCESS);
    CU_ASSERT(event == obit && status == 3);
    CU_ASSERT_EQUAL(next_code(&event), TM_SUCCESS);
    CU_ASSERT_EQUAL(event, sent);
    end(mom);
}

#define MANY      600
#define LONG_TEXT (32u << 10)

static void answers_at_length(int fd, int nth)
{
    char *text = arena_zero(arena, LONG_TEXT + 1);

    if (was_init(fd, nth))
        return;
    memset(text, 'x', LONG_TEXT);
    for (;;) {
        struct task_request rq = next_request(fd);

        answer(fd, &rq, (struct task_reply){ .text = text });
    }
}

/* A MoM takes no more from a task that does not read her answers. */
static void test_answers_are_kept_while_requests_are_sent(void)
{
    pid_t mom = play(answers_at_length);
    char(*texts)[8] = calloc(MANY, sizeof(*texts));
    char name[4096] = "";
    tm_event_t event, last = 0;

    memset(name, 'n', sizeof(name) - 1);
    CU_ASSERT_EQUAL_FATAL(tm_init(NULL, NULL), TM_SUCCESS);
    for (int i = 0; i < MANY; i++) {
        CU_ASSERT_EQUAL(tm_rescinfo(0, texts[i], sizeof(texts[i]), &event), TM_SUCCESS);
        last = event;
    }
    for (int i = 0; i < MANY; i++) {
        CU_ASSERT_EQUAL(next_code(&event), TM_SUCCESS);
        CU_ASSERT_STRING_EQUAL(texts[i], "xxxxxxx");
    }
    CU_ASSERT_EQUAL(event, last);
    free(texts);
    end(mom);
}

static struct {
    const char *story, *bytes;
    size_t len;
    int code; /* of tm_init() */
} nonsense[] = {
    { "no packet", "HTTP/1.1 200", 12, TM_ENOTCONNECTED },
    { "an empty packet", "PKTV1\0\0\0\0\0\0", 11, TM_ENOTCONNECTED },
    { "a packet of 4 GiB", "PKTV1\0\0\377\377\377\377", 11, TM_ENOTCONNECTED },
    { "another protocol", "PKTV1\0\0\0\0\0\10+3+2+0+1", 19, TM_ENOTCONNECTED },
    { "a third outcome", "PKTV1\0\0\0\0\0\10+2+2+7+1", 19, TM_ENOTCONNECTED },
    { "an answer without its body", "PKTV1\0\0\0\0\0\10+2+2+0+1", 19,
      TM_ENOTCONNECTED },
    { "more vnodes than bytes", "PKTV1\0\0\0\0\0\13+2+2+0+19+9", 22, TM_ENOTCONNECTED },
    { "an error without a code", "PKTV1\0\0\0\0\0\13+2+23+999+1", 22,
      TM_ENOTCONNECTED },
    { "an answer to something else, and a refusal",
      "PKTV1\0\0\0\0\0\10+2+2+0+7PKTV1\0\0\0\0\0\22+2+23+999+15+17006", 48,
      TM_ENOTFOUND },
    { "nothing", "", 0, TM_ENOTCONNECTED },
};
static size_t nth_nonsense;

static void talks_nonsense(int fd, int nth)
{
    (void)nth;
    (void)next_request(fd);
    put(fd, nonsense[nth_nonsense].bytes, nonsense[nth_nonsense].len);
}

static void test_nonsense_is_told(void)
{
    for (nth_nonsense = 0; nth_nonsense < ARRAY_LEN(nonsense); nth_nonsense++) {
        pid_t mom = play(talks_nonsense);
        int code = tm_init(NULL, NULL);

        if (code != nonsense[nth_nonsense].code)
            fprintf(stderr, "%s: got %d\n", nonsense[nth_nonsense].story, code);
        CU_ASSERT_EQUAL(code, nonsense[nth_nonsense].code);
        end(mom);
    }
}

static void knows_init_alone(int fd, int nth)
{
    if (!was_init(fd, nth))
        _exit(1);
}

/* What cannot be asked is refused here. */
static void test_what_cannot_be_asked(void)
{
    char path[] = "/bin/true", empty[] = "", one[] = "A=1";
    char *argv[] = { path, NULL, NULL }, *env[] = { one, empty, one, NULL };
    pid_t mom = play(knows_init_alone);
    tm_event_t event = 77;
    tm_task_id task;
    char *large = calloc(1, TASK_MAX_BYTES + 1);

    memset(large, 'x', TASK_MAX_BYTES);
    CU_ASSERT_EQUAL_FATAL(tm_init(NULL, NULL), TM_SUCCESS);
    CU_ASSERT_EQUAL(tm_spawn(1, argv, env, 0, &task, &event), TM_EBADENVIRONMENT);
    argv[1] = large;
    CU_ASSERT_EQUAL(tm_spawn(2, argv, NULL, 0, &task, &event), TM_ESYSTEM);
    CU_ASSERT_EQUAL(tm_publish(one, large, TASK_MAX_BYTES, &event), TM_ESYSTEM);
    CU_ASSERT_EQUAL(event, 77);
    free(large);
    end(mom);
}

static void test_an_environment_that_is_no_jobs(void)
{
    static const struct {
        const char *name, *value;
    } cases[] = {
        { "PBS_MOMPORT", "" },          { "PBS_MOMPORT", "0" },
        { "PBS_MOMPORT", "65536" },     { "PBS_MOMPORT", "15003x" },
        { "PBS_NODENUM", "-1" },        { "PBS_NODENUM", "99999999999" },
        { "PBS_TASKNUM", "" },          { "PBS_TASKNUM", "g" },
        { "PBS_TASKNUM", "100000000" }, { "PBS_TASKNUM", " 1" },
        { "PBS_JOBID", NULL },          { "PBS_JOBCOOKIE", NULL },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        setenv("PBS_MOMPORT", "1", 1);
        setenv("PBS_JOBID", "1.svr", 1);
        setenv("PBS_JOBCOOKIE", "c00kie", 1);
        setenv("PBS_NODENUM", "0", 1);
        setenv("PBS_TASKNUM", "1", 1);
        if (cases[i].value)
            setenv(cases[i].name, cases[i].value, 1);
        else
            unsetenv(cases[i].name);
        CU_ASSERT_EQUAL(tm_init(NULL, NULL), TM_EBADENVIRONMENT);
        CU_ASSERT_EQUAL(tm_finalize(), TM_BADINIT);
    }
}

static void test_ports_of_sessions_to_attach(void)
{
    tm_task_id task;

    setenv("PBS_MOMPORT", "15003x", 1);
    CU_ASSERT_EQUAL(tm_attach(NULL, NULL, getpid(), &task, NULL, 0),
                    TM_EBADENVIRONMENT);
    CU_ASSERT_EQUAL(tm_attach(NULL, NULL, getpid(), &task, NULL, 65536 + 22),
                    TM_ENOTCONNECTED);
    CU_ASSERT_EQUAL(tm_attach(NULL, NULL, getpid(), &task, NULL, -1), TM_ENOTCONNECTED);
}

int main(void)
{
    static const struct unit_case tests[] = {
        { "a MoM that goes is told for each event",
          test_a_mom_that_goes_is_told_for_each_event },
        { "who waits for nothing has no connection",
          test_who_waits_for_nothing_has_no_connection },
        { "half an answer is none yet", test_half_an_answer_is_none_yet },
        { "answers are kept while requests are sent",
          test_answers_are_kept_while_requests_are_sent },
        { "nonsense is told", test_nonsense_is_told },
        { "what cannot be asked is refused", test_what_cannot_be_asked },
        { "an environment that is no job's is refused",
          test_an_environment_that_is_no_jobs },
        { "ports that are none are refused", test_ports_of_sessions_to_attach },
    };

    signal(SIGPIPE, SIG_IGN);
    return unit_main("task management", tests, ARRAY_LEN(tests));
}
