/* pg_server.c - a PostgreSQL server of the test's own, and a wire to it that breaks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "pg_server.h"

#include "lib/base/base.h"

#include <errno.h>
#include <glob.h>
#include <grp.h>
#include <libpq-fe.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define PORT       "5432"
#define WIRE_PORT  "5433"
#define PATIENCE_S 120

static char *dir, *bindir;
static pid_t server, wire;
static volatile int *how; /* shared with the wire's process */

static bool find_binaries(void)
{
    glob_t found;
    bool ok = glob("/usr/lib/postgresql/*/bin/initdb", 0, NULL, &found) == 0;

    if (ok) {
        bindir = xstrdup(found.gl_pathv[found.gl_pathc - 1]);
        *strrchr(bindir, '/') = '\0';
        globfree(&found);
    } else {
        fprintf(stderr,
                "no PostgreSQL below /usr/lib/postgresql: install postgresql\n");
    }
    return ok;
}

/* In the child: nobody's server runs as root. */
static void become_postgres(void)
{
    struct passwd *pw = geteuid() == 0 ? getpwnam("postgres") : NULL;

    if (pw && (initgroups(pw->pw_name, pw->pw_gid) || setgid(pw->pw_gid) ||
               setuid(pw->pw_uid)))
        _exit(126);
}

static void run_child(const char *const *argv)
{
    char *log = xasprintf("%s/log", dir);

    become_postgres();
    if (!freopen("/dev/null", "r", stdin) || !freopen(log, "a", stdout) ||
        dup2(1, 2) < 0 || chdir(dir) < 0)
        _exit(126);
    execv(argv[0], (char *const *)argv);
    _exit(127);
}

static pid_t start(const char *const *argv)
{
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0)
        run_child(argv);
    return pid;
}

static bool make_cluster(void)
{
    char *program = xasprintf("%s/initdb", bindir), *data = xasprintf("%s/data", dir);
    const char *argv[] = { program,    "-D", data,   "-A",         "trust", "-U",
                           "postgres", "-E", "UTF8", "--locale=C", "-N",    NULL };
    int status = -1;
    pid_t pid = start(argv);

    waitpid(pid, &status, 0);
    free(program);
    free(data);
    if (status != 0)
        fprintf(stderr, "initdb failed: see %s/log\n", dir);
    return status == 0;
}

/* One role has to say a password. */
static bool make_rules(void)
{
    char *name = xasprintf("%s/data/pg_hba.conf", dir);
    FILE *f = fopen(name, "w");
    bool ok =
        f && fputs("local all pbsadmin scram-sha-256\nlocal all all trust\n", f) > 0;

    if (f)
        ok = fclose(f) == 0 && ok;
    free(name);
    return ok;
}

static PGconn *connect_to(const char *database)
{
    char *info = xasprintf("host=%s port=" PORT " user=postgres dbname=%s"
                           " options='-c client_min_messages=warning'",
                           dir, database);
    PGconn *conn = PQconnectdb(info);

    free(info);
    return conn;
}

static bool wait_up(void)
{
    for (int i = 0; i < PATIENCE_S * 20; i++) {
        PGconn *conn = connect_to("postgres");
        bool up = PQstatus(conn) == CONNECTION_OK;

        PQfinish(conn);
        if (up)
            return true;
        if (waitpid(server, NULL, WNOHANG) == server) {
            server = 0;
            break;
        }
        usleep(50000);
    }
    fprintf(stderr, "PostgreSQL does not start: see %s/log\n", dir);
    return false;
}

bool pg_server_start_again(void)
{
    char *program = xasprintf("%s/postgres", bindir), *data = xasprintf("%s/data", dir);
    char *sockets = xasprintf("unix_socket_directories=%s", dir);
    const char *argv[] = {
        program, "-D", data,         "-c", "listen_addresses=", "-c",
        sockets, "-c", "port=" PORT, "-c", "fsync=off",         NULL
    };

    server = start(argv);
    free(program);
    free(data);
    free(sockets);
    return wait_up();
}

void pg_server_stop(bool immediately)
{
    if (server <= 0)
        return;
    kill(server, immediately ? SIGQUIT : SIGINT);
    waitpid(server, NULL, 0);
    server = 0;
}

/* The wire: one process that hands one connection on at a time. */

static int wire_socket(const char *port, bool listening)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(at.sun_path, sizeof(at.sun_path), "%s/.s.PGSQL.%s", dir, port);
    if (listening)
        unlink(at.sun_path);
    if (fd >= 0 && listening &&
        (bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 || listen(fd, 8) < 0))
        return -1;
    if (fd >= 0 && !listening && connect(fd, (struct sockaddr *)&at, sizeof(at)) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static bool pass(int from, int to, char *bytes, size_t size, ssize_t *n)
{
    *n = read(from, bytes, size);
    return *n > 0 && (to < 0 || write(to, bytes, (size_t)*n) == *n);
}

/* True when the connection is to end. */
static bool break_at_commit(int client, int up, const char *bytes, ssize_t n)
{
    char answer[4096];
    int what = *how;

    if (what == WIRE_WHOLE || !memmem(bytes, (size_t)n, "hf_commit", 9))
        return false;
    *how = WIRE_WHOLE;
    if (what != WIRE_BEFORE && write(up, bytes, (size_t)n) != n)
        return true;
    if (what == WIRE_AFTER && read(up, answer, sizeof(answer)) < 0)
        return true;
    if (what == WIRE_CLIENT_HANGS && fork() == 0) {
        close(client);
        while (read(up, answer, sizeof(answer)) > 0)
            continue; /* the server sees an idle client, till it ends the session */
        _exit(0);
    }
    return true;
}

static void serve_wire(int client)
{
    struct pollfd p[2] = { { .fd = client, .events = POLLIN },
                           { .fd = wire_socket(PORT, false), .events = POLLIN } };
    static char bytes[1 << 16];
    ssize_t n;

    while (p[1].fd >= 0 && poll(p, 2, -1) > 0) {
        if (p[0].revents) {
            if (!pass(client, -1, bytes, sizeof(bytes), &n) ||
                break_at_commit(client, p[1].fd, bytes, n) ||
                write(p[1].fd, bytes, (size_t)n) != n)
                break;
        }
        if (p[1].revents && !pass(p[1].fd, client, bytes, sizeof(bytes), &n))
            break;
    }
    if (p[1].fd >= 0)
        close(p[1].fd);
}

static void run_wire(int listener)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_IGN);
    for (;;) {
        int client = accept(listener, NULL, NULL);

        if (client < 0)
            _exit(1);
        serve_wire(client);
        close(client);
    }
}

void pg_wire_break(enum wire_break what)
{
    *how = what;
}

static bool start_wire(void)
{
    int listener = wire_socket(WIRE_PORT, true);

    how = mmap(NULL, sizeof(*how), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
               -1, 0);
    if (listener < 0 || how == MAP_FAILED)
        return false;
    fflush(NULL);
    wire = fork();
    if (wire == 0) {
        setpgid(0, 0);
        run_wire(listener);
    }
    setpgid(wire, wire);
    close(listener);
    return wire > 0;
}

bool pg_server_start(const char *where)
{
    struct passwd *pw = getpwnam("postgres");

    dir = xstrdup(where);
    if (!find_binaries())
        return false;
    if (geteuid() == 0 && (!pw || chown(dir, pw->pw_uid, pw->pw_gid) < 0)) {
        fprintf(stderr, "no user postgres: install postgresql\n");
        return false;
    }
    return make_cluster() && make_rules() && pg_server_start_again() && start_wire();
}

void pg_server_end(void)
{
    char *command = xasprintf("rm -rf '%s'", dir);

    if (wire > 0) {
        kill(-wire, SIGKILL);
        waitpid(wire, NULL, 0);
    }
    pg_server_stop(true);
    if (system(command) != 0)
        fprintf(stderr, "could not remove %s\n", dir);
    free(command);
    free(dir);
    free(bindir);
}

const char *pg_server_url(const char *database, bool through_wire)
{
    static char url[300];

    snprintf(url, sizeof(url), "postgresql:host=%s port=%s user=postgres dbname=%s",
             dir, through_wire ? WIRE_PORT : PORT, database);
    return url;
}

const char *pg_server_ask(const char *database, const char *sql)
{
    static char value[1000];
    PGconn *conn = connect_to(database);
    PGresult *res = PQexec(conn, sql);
    ExecStatusType status = PQresultStatus(res);

    value[0] = '\0';
    if (status == PGRES_TUPLES_OK && PQntuples(res) > 0)
        snprintf(value, sizeof(value), "%s", PQgetvalue(res, 0, 0));
    else if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        snprintf(value, sizeof(value), "ERROR: %s", PQerrorMessage(conn));
    PQclear(res);
    PQfinish(conn);
    return value;
}

bool pg_server_sql(const char *database, const char *sql)
{
    const char *value = pg_server_ask(database, sql);

    if (strncmp(value, "ERROR: ", 7) != 0)
        return true;
    fprintf(stderr, "%s: %s\n", sql, value);
    return false;
}
