/* Unit tests of libpbs over TCP: a server in a thread, and scripts in the helper's
 * place.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "include/pbs_ifl.h"

#include "../unit.h"
#include "fake.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOTE   "echo \"$@\" >${0%/sbin/*}/args\nenv >${0%/sbin/*}/env\n"
#define SAY_OK "printf '\\0\\0\\0\\0'\n"

static struct fake *fake;
static char exec_dir[] = "/tmp/hf-iff-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s/%s", exec_dir, name);
    return path;
}

static void helper_is(const char *script, mode_t mode)
{
    FILE *f = fopen(path_of("sbin/pbs_iff"), "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    fprintf(f, "#!/bin/sh\n%s", script);
    fclose(f);
    CU_ASSERT_EQUAL(chmod(path_of("sbin/pbs_iff"), mode), 0);
}

static void setup(const char *script)
{
    fake = fake_start();
    setenv("PBS_EXEC", exec_dir, 1);
    setenv("PBS_LOCAL_SOCKET", "0", 1);
    if (script)
        helper_is(script, 0755);
    CU_ASSERT_EQUAL(pbs_loadconf(1), 1);
}

static void teardown(void)
{
    static const char *const files[] = { "sbin/pbs_iff", "args", "env" };

    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        unlink(path_of(files[i]));
    fake_stop(fake);
}

static const char *contents(const char *name)
{
    static char text[4096];
    FILE *f = fopen(path_of(name), "r");
    size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

    text[n] = '\0';
    if (f)
        fclose(f);
    return text;
}

/* pbs_connect() with what it prints on stderr. */
static int connect_quietly(char *text, size_t size)
{
    int pipefd[2], saved = dup(STDERR_FILENO), c;
    ssize_t n;

    CU_ASSERT_EQUAL_FATAL(pipe2(pipefd, O_CLOEXEC), 0);
    fflush(stderr);
    dup2(pipefd[1], STDERR_FILENO);
    c = pbs_connect(NULL);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    close(pipefd[1]);
    n = read(pipefd[0], text, size - 1);
    text[n > 0 ? n : 0] = '\0';
    close(pipefd[0]);
    return c;
}

static void test_the_helper_gets_the_connection_and_no_more(void)
{
    struct sockaddr_in own, peer;
    socklen_t len = sizeof(own);
    char expect[96];
    int c;

    setup(NOTE "ls /proc/$$/fd >${0%/sbin/*}/fds\n"
               "[ -S /proc/$$/fd/$3 ] && " SAY_OK);
    setenv("SECRET", "1", 1);
    c = pbs_connect(NULL);
    CU_ASSERT_TRUE_FATAL(c > 2);
    CU_ASSERT_EQUAL(getsockname(c, (struct sockaddr *)&own, &len), 0);
    CU_ASSERT_EQUAL(getpeername(c, (struct sockaddr *)&peer, &len), 0);
    snprintf(expect, sizeof(expect), "localhost %u %d %u\n", ntohs(peer.sin_port), c,
             own.sin_port);
    CU_ASSERT_STRING_EQUAL(contents("args"), expect);
    CU_ASSERT_PTR_NOT_NULL(strstr(contents("env"), "PBS_IFF_CLIENT_ADDR=127.0.0.1\n"));
    CU_ASSERT_PTR_NULL(strstr(contents("env"), "SECRET"));
    CU_ASSERT_PTR_NULL(strstr(contents("env"), "PBS_ENCRYPT_METHOD"));
    /* stdin, stdout, stderr, the script itself and the connection */
    snprintf(expect, sizeof(expect), "\n%d\n", c);
    CU_ASSERT_PTR_NOT_NULL(strstr(contents("fds"), expect));
    CU_ASSERT_EQUAL(fcntl(c, F_GETFD), FD_CLOEXEC);
    CU_ASSERT_PTR_NOT_NULL(strstr(fake_request(fake, 0), "0(Connect)"));
    fake_null(fake, 1);
    CU_ASSERT_EQUAL(pbs_rerunjob(c, "5.x", NULL), 0);
    CU_ASSERT_EQUAL(pbs_disconnect(c), 0);
    unlink(path_of("fds"));
    unsetenv("SECRET");
    teardown();
}

static void test_what_a_helper_may_answer(void)
{
    static const struct {
        const char *script; /* NULL: there is none */
        mode_t mode;
        int code;
    } cases[] = {
        { "printf '\\253\\072\\0\\0\\022\\0\\0\\0Invalid credential'\nexit 1", 0755,
          PBSE_BADCRED },
        { "printf '\\253\\072\\0\\0'", 0755, PBSE_BADCRED },
        { "echo cannot >&2\nexit 4", 0755, -1 },
        { "printf '\\0\\0'", 0755, -1 },
        { "printf '\\0'; printf '\\0\\0'; printf '\\0'; exit 3", 0755, 0 },
        { SAY_OK, 0644, -1 },
        { NULL, 0, -1 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char text[512], first[64];
        int c;

        setup(NULL);
        if (cases[i].script)
            helper_is(cases[i].script, cases[i].mode);
        c = connect_quietly(text, sizeof(text));
        CU_ASSERT_EQUAL(c < 0, cases[i].code != 0);
        CU_ASSERT_EQUAL(pbs_errno, cases[i].code);
        if (c < 0) {
            snprintf(first, sizeof(first), "auth: error returned: %d\n", cases[i].code);
            CU_ASSERT_EQUAL(errno, 0);
            CU_ASSERT_PTR_NOT_NULL(strstr(text, first));
            CU_ASSERT_PTR_NOT_NULL(strstr(text, "auth: Unable to authenticate "
                                                "connection (localhost:"));
        } else {
            CU_ASSERT_EQUAL(pbs_disconnect(c), 0);
        }
        teardown();
    }
}

static volatile sig_atomic_t n_reaped;

static void reap_blindly(int number)
{
    const int keep = errno;

    (void)number;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        n_reaped++;
    errno = keep;
}

static void test_programs_may_do_what_they_like_with_sigchld(void)
{
    struct sigaction old, handler = { .sa_handler = reap_blindly };
    int c;

    setup("sleep 0\n" SAY_OK); /* children of its own */
    CU_ASSERT_EQUAL(sigaction(SIGCHLD, &handler, &old), 0);
    c = pbs_connect(NULL);
    CU_ASSERT_TRUE(c >= 0);
    CU_ASSERT_EQUAL(pbs_disconnect(c), 0);
    handler.sa_handler = SIG_IGN;
    CU_ASSERT_EQUAL(sigaction(SIGCHLD, &handler, NULL), 0);
    c = pbs_connect(NULL);
    CU_ASSERT_TRUE(c >= 0);
    CU_ASSERT_EQUAL(pbs_disconnect(c), 0);
    sigaction(SIGCHLD, &old, NULL);
    c = pbs_connect(NULL);
    CU_ASSERT_TRUE(c >= 0);
    CU_ASSERT_EQUAL(waitpid(-1, NULL, WNOHANG), -1); /* no child is left behind */
    CU_ASSERT_EQUAL(errno, ECHILD);
    CU_ASSERT_EQUAL(pbs_disconnect(c), 0);
    teardown();
}

static void test_a_program_may_have_closed_its_stdin(void)
{
    int saved = dup(STDIN_FILENO), c;

    setup("[ -S /proc/$$/fd/$3 ] && " SAY_OK);
    close(STDIN_FILENO);
    c = pbs_connect(NULL);
    CU_ASSERT_TRUE(c > 2);
    CU_ASSERT_EQUAL(pbs_disconnect(c), 0);
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
    teardown();
}

static void test_the_local_socket_needs_no_helper(void)
{
    int c;

    setup(NULL);
    unsetenv("PBS_LOCAL_SOCKET");
    CU_ASSERT_EQUAL(pbs_loadconf(1), 1);
    c = pbs_connect(NULL);
    CU_ASSERT_TRUE(c >= 0);
    CU_ASSERT_EQUAL(pbs_disconnect(c), 0);
    teardown();
}

/* The library gives a local server ten minutes to take a connection; here they are
 * short. */
static bool minutes_are_short;

int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
    static const struct timeval soon = { .tv_usec = 50000 };
    bool shorten = minutes_are_short && level == SOL_SOCKET && name == SO_SNDTIMEO;

    return (int)syscall(SYS_setsockopt, fd, level, name, shorten ? &soon : value,
                        shorten ? sizeof(soon) : len);
}

/* A listener at 'path' that takes no more connections: the numbers of all its sockets
 * are in 'fds', how many is returned. */
static size_t listen_in_vain(const char *path, int fds[16])
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    size_t n = 1;

    strcpy(at.sun_path, path);
    fds[0] = socket(AF_UNIX, SOCK_STREAM, 0);
    CU_ASSERT_EQUAL_FATAL(bind(fds[0], (struct sockaddr *)&at, sizeof(at)), 0);
    CU_ASSERT_EQUAL_FATAL(listen(fds[0], 1), 0);
    for (; n < 16; n++) {
        fds[n] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
        if (connect(fds[n], (struct sockaddr *)&at, sizeof(at)) < 0)
            break;
    }
    CU_ASSERT_TRUE_FATAL(n < 16);
    return n + 1;
}

static void test_a_local_server_that_hangs_is_not_waited_for_without_end(void)
{
    const char *path = path_of("hangs.sock");
    int fds[16];
    size_t n = listen_in_vain(path, fds);
    int c;

    setup(SAY_OK);
    unsetenv("PBS_LOCAL_SOCKET");
    setenv("PBS_SERVER_SOCKET", path_of("hangs.sock"), 1);
    CU_ASSERT_EQUAL(pbs_loadconf(1), 1);
    minutes_are_short = true;
    alarm(60); /* the end of the test, should it wait */
    c = pbs_connect(NULL);
    alarm(0);
    minutes_are_short = false;
    CU_ASSERT_TRUE(c >= 0); /* over TCP */
    CU_ASSERT_EQUAL(pbs_disconnect(c), 0);
    unsetenv("PBS_SERVER_SOCKET");
    for (size_t i = 0; i < n; i++)
        close(fds[i]);
    unlink(path_of("hangs.sock"));
    teardown();
}

/* Nobody listens there. */
#define DEAD "127.0.0.2"

static void pair_is(const char *primary, const char *secondary)
{
    setenv("PBS_PRIMARY", primary, 1);
    setenv("PBS_SECONDARY", secondary, 1);
    setenv("PBS_TMPDIR", exec_dir, 1);
    CU_ASSERT_EQUAL(pbs_loadconf(1), 1);
}

static void pair_ends(void)
{
    unsetenv("PBS_PRIMARY");
    unsetenv("PBS_SECONDARY");
    unsetenv("PBS_TMPDIR");
}

static mode_t mode_of_mark(void)
{
    char name[64];
    struct stat st;

    snprintf(name, sizeof(name), ".pbsrc.%s", getpwuid(geteuid())->pw_name);
    return stat(path_of(name), &st) < 0 ? 0 : st.st_mode & 0777;
}

static void expect_connected(const char *to)
{
    int c = pbs_connect(NULL);

    CU_ASSERT_TRUE(c >= 0);
    CU_ASSERT_STRING_EQUAL(pbs_server, to);
    CU_ASSERT_EQUAL(pbs_disconnect(c), 0);
}

static void test_of_a_pair_the_one_that_answers_is_asked(void)
{
    setup(SAY_OK);
    pair_is(DEAD, "localhost");
    CU_ASSERT_STRING_EQUAL(pbs_default(), DEAD);
    CU_ASSERT_EQUAL(mode_of_mark(), 0);
    expect_connected("localhost");
    CU_ASSERT_EQUAL(mode_of_mark(), 0200); /* the secondary is asked first now */
    expect_connected("localhost");
    CU_ASSERT_EQUAL(mode_of_mark(), 0200);
    pair_is("localhost", DEAD);
    expect_connected("localhost");
    CU_ASSERT_EQUAL(mode_of_mark(), 0);
    expect_connected("localhost");
    CU_ASSERT_EQUAL(mode_of_mark(), 0);

    pair_is(DEAD, "127.0.0.3");
    CU_ASSERT_EQUAL(pbs_connect(NULL), -1);
    CU_ASSERT_EQUAL(pbs_errno, PBSE_SYSTEM);
    CU_ASSERT_EQUAL(errno, ECONNREFUSED);
    CU_ASSERT_STRING_EQUAL(pbs_server, "127.0.0.3");
    CU_ASSERT_EQUAL(pbs_connect("127.0.0.4"), -1); /* no name of the pair */
    CU_ASSERT_STRING_EQUAL(pbs_server, "127.0.0.4");
    CU_ASSERT_EQUAL(mode_of_mark(), 0);
    pair_ends();
    teardown();
}

static void test_a_server_that_refuses_is_not_passed_over(void)
{
    char text[512];

    setup("exit 1");
    pair_is("localhost", DEAD);
    CU_ASSERT_EQUAL(connect_quietly(text, sizeof(text)), -1);
    CU_ASSERT_EQUAL(pbs_errno, -1); /* of the helper, not of the dead one */
    CU_ASSERT_STRING_EQUAL(pbs_server, "localhost");
    pair_ends();
    teardown();
}

static void test_the_settings_name_the_address_to_come_from(void)
{
    struct sockaddr_in own;
    socklen_t len = sizeof(own);
    int c;

    setup(SAY_OK);
    setenv("PBS_PUBLIC_HOST_NAME", "127.0.0.5", 1);
    CU_ASSERT_EQUAL(pbs_loadconf(1), 1);
    c = pbs_connect(NULL);
    CU_ASSERT_TRUE(c >= 0);
    CU_ASSERT_EQUAL(getsockname(c, (struct sockaddr *)&own, &len), 0);
    CU_ASSERT_EQUAL(ntohl(own.sin_addr.s_addr), 0x7f000005);
    CU_ASSERT_EQUAL(pbs_disconnect(c), 0);
    unsetenv("PBS_PUBLIC_HOST_NAME");
    teardown();
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "of a pair the one that answers is asked",
          test_of_a_pair_the_one_that_answers_is_asked },
        { "a server that refuses is not passed over",
          test_a_server_that_refuses_is_not_passed_over },
        { "the settings name the address to come from",
          test_the_settings_name_the_address_to_come_from },
        { "the helper gets the connection and no more",
          test_the_helper_gets_the_connection_and_no_more },
        { "what a helper may answer", test_what_a_helper_may_answer },
        { "programs may do what they like with SIGCHLD",
          test_programs_may_do_what_they_like_with_sigchld },
        { "a program may have closed its stdin",
          test_a_program_may_have_closed_its_stdin },
        { "the local socket needs no helper", test_the_local_socket_needs_no_helper },
        { "a local server that hangs is not waited for without end",
          test_a_local_server_that_hangs_is_not_waited_for_without_end },
    };
    int rc;

    if (!mkdtemp(exec_dir) || mkdir(path_of("sbin"), 0755))
        return 2;
    rc = unit_main("ifl over tcp", cases, ARRAY_LEN(cases));
    rmdir(path_of("sbin"));
    rmdir(exec_dir);
    return rc;
}
