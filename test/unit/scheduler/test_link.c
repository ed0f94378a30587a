/* Unit tests of the scheduler's link: against a server in a child process that reads
 * one packet and writes what the script says, turn by turn.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/link.h"

#include "lib/wire/packet.h"

#include "../unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define ACCEPTED "+2+2+0+0+1+0"

/* What the server does: payloads to send in packets after each packet it has read; an
 * empty text sends nothing. A payload that begins with '!' is sent as it is. */
struct script {
    const char *const *turns[4];
};

static char dir[] = "/tmp/test_link.XXXXXX";
static char path[sizeof(dir) + 8];

static void read_one_packet(int fd)
{
    char bytes[4096];
    size_t len = 0;
    struct packet p;

    while (packet_peek(bytes, len, sizeof(bytes), &p) != PACKET_READY) {
        ssize_t n = read(fd, bytes + len, 1);

        if (n <= 0)
            _exit(1);
        len += (size_t)n;
    }
}

static void send_payload(int fd, const char *payload)
{
    struct buf out = { 0 };

    if (*payload == '!')
        buf_add_str(&out, payload + 1);
    else
        packet_put(&out, PACKET_DATA, payload, strlen(payload));
    for (size_t i = 0; i < out.len; i++) /* byte by byte: frames arrive in pieces */
        if (write(fd, out.data + i, 1) != 1)
            _exit(2);
    buf_fini(&out);
}

static pid_t start_server(const struct script *script)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    pid_t pid;

    snprintf(path, sizeof(path), "%s/sock", dir);
    unlink(path);
    strcpy(at.sun_path, path);
    CU_ASSERT_EQUAL_FATAL(bind(listener, (struct sockaddr *)&at, sizeof(at)), 0);
    CU_ASSERT_EQUAL_FATAL(listen(listener, 1), 0);
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        int fd = accept(listener, NULL, NULL);

        for (size_t t = 0; t < COUNT(script->turns) && script->turns[t]; t++) {
            read_one_packet(fd);
            for (const char *const *p = script->turns[t]; *p; p++)
                send_payload(fd, *p);
        }
        _exit(0);
    }
    close(listener);
    return pid;
}

static int end_server(pid_t pid)
{
    int status = -1;

    CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
    return status;
}

static const char *const accept_turn[] = { ACCEPTED, NULL };

static const struct wire_request status_request = {
    .number = BATCH_STATUS_RESV, .body = &(const struct body_status){ .id = "" }
};

static void test_parts_are_joined(void)
{
    struct arena *arena = arena_new();
    struct buf part = { 0 }, last = { 0 };
    struct wire_reply reply = { .choice = REPLY_STATUS, .more = true };
    const char *turn[3] = { NULL, NULL, NULL };
    struct script script = { .turns = { accept_turn, turn } };
    struct wire_reply got;
    struct link *l;
    struct diag why;
    pid_t pid;

    wire_objects_add(&reply.objects, arena, OBJECT_RESV, "R1.svr");
    batch_encode_reply(&part, &reply);
    reply = (struct wire_reply){ .choice = REPLY_STATUS };
    wire_objects_add(&reply.objects, arena, OBJECT_RESV, "R2.svr");
    batch_encode_reply(&last, &reply);
    turn[0] = part.data;
    turn[1] = last.data;
    pid = start_server(&script);
    CU_ASSERT_EQUAL_FATAL(link_open_local(path, "root", &l, &why), 0);
    CU_ASSERT_EQUAL_FATAL(link_call(l, &status_request, arena, &got, &why), 0);
    CU_ASSERT_EQUAL_FATAL(got.objects.n, 2);
    CU_ASSERT_STRING_EQUAL(got.objects.v[0].name, "R1.svr");
    CU_ASSERT_STRING_EQUAL(got.objects.v[1].name, "R2.svr");
    CU_ASSERT_FALSE(link_is_broken(l));
    link_close(l);
    CU_ASSERT_EQUAL(end_server(pid), 0);
    buf_fini(&part);
    buf_fini(&last);
    arena_free(arena);
}

static void test_refused_greeting(void)
{
    static const char *const refusal[] = { "+2+25+15007+0+7+0+3no!", NULL };
    static const char *const closed[] = { NULL };
    static const char *const nonsense[] = { "!X", NULL };
    const char *const *const greetings[] = { refusal, closed, nonsense };

    for (size_t i = 0; i < COUNT(greetings); i++) {
        struct script script = { .turns = { greetings[i] } };
        struct diag why = { 0 };
        struct link *l = NULL;
        pid_t pid = start_server(&script);

        CU_ASSERT_NOT_EQUAL(link_open_local(path, "root", &l, &why), 0);
        CU_ASSERT_PTR_NULL(l);
        CU_ASSERT_NOT_EQUAL(why.text[0], '\0');
        CU_ASSERT_EQUAL(end_server(pid), 0);
    }
}

static void test_refusals_leave_the_link_good(void)
{
    static const char *const turn[] = { "+2+25+15084+0+7+0+3no!", NULL };
    struct script script = { .turns = { accept_turn, turn, turn } };
    struct arena *arena = arena_new();
    struct wire_reply reply;
    struct diag why;
    struct link *l;
    pid_t pid = start_server(&script);

    CU_ASSERT_EQUAL_FATAL(link_open_local(path, "root", &l, &why), 0);
    CU_ASSERT_EQUAL(link_call(l, &status_request, arena, &reply, &why), 0);
    CU_ASSERT_EQUAL(reply.code, 15084);
    CU_ASSERT_FALSE(link_is_broken(l));
    CU_ASSERT_EQUAL(link_call(l, &status_request, arena, &reply, &why), 0);
    CU_ASSERT_EQUAL(end_server(pid), 0);
    CU_ASSERT_NOT_EQUAL(link_call(l, &status_request, arena, &reply, &why), 0);
    CU_ASSERT_TRUE(link_is_broken(l));
    link_close(l);
    arena_free(arena);
}

static void test_commands(void)
{
    static const char *const commands[] = { ACCEPTED, "+6", "2+112+117.pbs1", NULL };
    struct script script = { .turns = { commands } };
    struct arena *arena = arena_new();
    const char *job_id;
    int32_t command;
    struct diag why;
    struct link *l;
    pid_t pid = start_server(&script);

    CU_ASSERT_EQUAL_FATAL(link_open_local(path, "root", &l, &why), 0);
    CU_ASSERT_EQUAL(link_read_command(l, 60000, arena, &command, &job_id, &why), 0);
    CU_ASSERT_EQUAL(command, 6);
    CU_ASSERT_PTR_NULL(job_id);
    CU_ASSERT_NOT_EQUAL(link_read_command(l, 60000, arena, &command, &job_id, &why), 0);
    CU_ASSERT_TRUE(link_is_broken(l));
    link_close(l);
    CU_ASSERT_EQUAL(end_server(pid), 0);
    arena_free(arena);
}

static void test_run_command_names_its_job(void)
{
    static const char *const commands[] = { ACCEPTED, "2+11+717.pbs1", NULL };
    static const char *const nothing[] = { NULL };
    struct script script = { .turns = { commands, nothing } };
    struct arena *arena = arena_new();
    const char *job_id;
    int32_t command;
    struct diag why;
    struct link *l;
    pid_t pid = start_server(&script);

    CU_ASSERT_EQUAL_FATAL(link_open_local(path, "root", &l, &why), 0);
    CU_ASSERT_EQUAL(link_read_command(l, 60000, arena, &command, &job_id, &why), 0);
    CU_ASSERT_EQUAL(command, 11);
    CU_ASSERT_STRING_EQUAL(job_id, "17.pbs1");
    CU_ASSERT_EQUAL(link_read_command(l, 0, arena, &command, &job_id, &why), 0);
    CU_ASSERT_EQUAL(command, -1); /* none is waiting */
    CU_ASSERT_FALSE(link_is_broken(l));
    CU_ASSERT_EQUAL(link_send_done(l, &why), 0);
    CU_ASSERT_EQUAL(end_server(pid), 0);
    link_close(l);
    arena_free(arena);
}

static void test_no_server(void)
{
    struct diag why;
    struct link *l;

    snprintf(path, sizeof(path), "%s/none", dir);
    CU_ASSERT_EQUAL(link_open_local(path, "root", &l, &why), PBSE_SYSTEM);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "the parts of a long reply are one reply", test_parts_are_joined },
        { "a refused greeting opens nothing", test_refused_greeting },
        { "a refused request leaves the link good", test_refusals_leave_the_link_good },
        { "bytes that are no command break the link", test_commands },
        { "a run command names its job and is acknowledged",
          test_run_command_names_its_job },
        { "without a server there is no link", test_no_server },
    };
    int status;

    if (!mkdtemp(dir))
        return 2;
    status = unit_main("scheduler/link", cases, COUNT(cases));
    snprintf(path, sizeof(path), "%s/sock", dir);
    unlink(path);
    rmdir(dir);
    return status;
}
