/* main.c - pbs_comm: options, checks, background.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "comm/shell/shell.h"
#include "lib/io/daemon.h"
#include "lib/io/net.h"
#include "lib/io/protect.h"
#include "lib/io/startup.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    const char *routers;
    bool foreground;
    bool has_mask;
    unsigned mask;
    long threads;
};

static void print_usage(const char *argv0)
{
    fprintf(stderr,
            "Usage: %s [-N] [-e log mask] [-t number of threads]\n"
            "       %s --version\n"
            "Carries messages between the daemons of a cluster; -N stays in the "
            "foreground.\n",
            argv0, argv0);
}

static bool read_number(const char *text, long *ret)
{
    char *end;

    /* strtol() tells of a number that is too large in errno only. */
    errno = 0;
    *ret = strtol(text, &end, 0);
    return end != text && *end == '\0' && errno == 0;
}

/* 0, or the exit status of a wrong command line. */
static int read_options(int argc, char **argv, struct options *o)
{
    long mask;
    int c;

    while ((c = getopt(argc, argv, "r:t:Ne:")) != -1) {
        switch (c) {
        /* The option is understood so that check_options() can refuse it with a
         * reason. */
        case 'r':
            o->routers = optarg;
            break;
        case 't':
            if (!read_number(optarg, &o->threads)) {
                print_usage(argv[0]);
                return 1;
            }
            break;
        case 'N':
            o->foreground = true;
            break;
        case 'e':
            /* A mask that is no number leaves that of the settings in force. */
            o->has_mask = read_number(optarg, &mask);
            o->mask = (unsigned)mask;
            break;
        default:
            print_usage(argv[0]);
            return 1;
        }
    }
    if (optind < argc) {
        print_usage(argv[0]);
        return 1;
    }
    return 0;
}

/* One thread does the work of all; the number is checked and shown as tools expect. */
static int check_options(const struct options *o, const struct conf *conf)
{
    const char *routers = o->routers ? o->routers : conf->comm_routers;

    if (o->threads < 2) {
        fprintf(stderr, "pbs_comms should have at least 2 threads\n");
        return 1;
    }
    if (o->threads > 100) {
        fprintf(stderr, "pbs_comms should have <= 100 threads\n");
        return 1;
    }
    if (routers && routers[0]) {
        fprintf(stderr, "pbs_comm: links to other routers (%s) are not offered\n",
                routers);
        return 1;
    }
    return 0;
}

static int open_log(struct comm *c, const struct options *o, struct diag *why)
{
    char host[256], name[256], dir[PATH_MAX];
    struct logfile_config cfg = {
        .dir = dir,
        .daemon = c->daemon,
        .mask = o->has_mask ? o->mask : c->conf->comm_log_events,
        .conf = c->conf,
    };

    /* This name is for the log; the name by which leaves know the router is found out
     * later (comm_prepare()), when mistakes in it can be logged. */
    net_host_name(host, sizeof(host));
    net_short_name(host, name, sizeof(name));
    snprintf(c->daemon, sizeof(c->daemon), "Comm@%s", name);
    snprintf(dir, sizeof(dir), "%s/comm_logs", c->conf->home);
    return startup_log(&cfg, &c->log, why);
}

static void announce(const struct comm *c, const char *argv0, long threads)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s", argv0);
    /* The line is the same on standard output and in the log: scripts wait for either
     * (tpp.md 4). */
    printf("%s ready (pid=%d), Proxy Name:%s:%u, Threads:%ld\n", path, (int)getpid(),
           c->host, c->port, threads);
    fflush(stdout);
    logfile_printf(c->log, LOG_EV_SYSTEM | LOG_EV_FORCE, LOG_IN_SERVER, c->daemon,
                   "%s ready (pid=%d), Proxy Name:%s:%u, Threads:%ld", path,
                   (int)getpid(), c->host, c->port, threads);
}

/* Everything after the lock; the exit status. */
static int serve(struct comm *c, const struct options *o, const char *argv0)
{
    struct diag why;
    int err = comm_prepare(c, &why);

    if (!err)
        err = comm_open(c, &why);
    if (err) {
        fprintf(stderr, "pbs_comm: %s\n", why.text);
        logfile_write(c->log, LOG_EV_ERROR | LOG_EV_FORCE, LOG_IN_SERVER, c->daemon,
                      why.text);
    } else {
        announce(c, argv0, o->threads);
        if (!o->foreground)
            daemon_ready();
        comm_run(c);
        logfile_write(c->log, LOG_EV_SYSTEM | LOG_EV_FORCE, LOG_IN_SERVER, c->daemon,
                      "Exiting");
    }
    comm_close(c);
    return err ? 1 : 0;
}

/* The lock keeps a second router of the same home away; the file stays behind. */
static int lock_and_serve(struct comm *c, const struct options *o, const char *argv0)
{
    char path[PATH_MAX];
    struct diag why;
    int err;

    snprintf(path, sizeof(path), "%s/server_priv", c->conf->home);
    err = daemon_mkdir(path, 0750, &why);
    if (!err) {
        snprintf(path, sizeof(path), "%s/server_priv/comm.lock", c->conf->home);
        err = startup_take_place(o->foreground, path, 0600, &why);
    }
    /* What the caller wanted is there already, so this does not count as a failure. */
    if (err == PBSE_OBJBUSY) {
        fprintf(stderr, "pbs_comm: another PBS comm router running at the same port\n");
        return 0;
    }
    if (err) {
        fprintf(stderr, "pbs_comm: %s\n", why.text);
        return 1;
    }
    protect_logged(c->log, c->daemon);
    return serve(c, o, argv0);
}

int main(int argc, char **argv)
{
    struct options o = { .threads = -1 };
    struct comm c = { 0 };
    struct conf *conf;
    struct diag why;
    int status;

    if (startup_tells_version(argc, argv))
        return 0;
    daemon_tidy();
    status = read_options(argc, argv, &o);
    if (status)
        return status;
    conf = startup_conf();
    if (!conf)
        return 1;
    c.conf = conf;
    /* The command line wins over the settings. */
    if (o.threads < 0)
        o.threads = conf->comm_threads;
    status = check_options(&o, conf);
    if (!status && open_log(&c, &o, &why) != 0) {
        fprintf(stderr, "pbs_comm: %s\n", why.text);
        status = 1;
    }
    if (!status)
        status = lock_and_serve(&c, &o, argv[0]);
    logfile_close(c.log);
    conf_free(conf);
    return status;
}
