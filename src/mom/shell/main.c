/* main.c - pbs_mom: options, checks, background.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/auth.h"
#include "lib/base/version.h"
#include "lib/io/daemon.h"
#include "lib/io/listen.h"
#include "lib/io/net.h"
#include "lib/io/protect.h"
#include "lib/io/startup.h"
#include "mom/shell/actions.h"
#include "mom/shell/checkpoints.h"
#include "mom/shell/home.h"
#include "mom/shell/service.h"
#include "mom/shell/shell.h"
#include "mom/shell/task_service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define MOST_ALARM_S 3600

struct options {
    const char *home, *log, *config, *checkpoint_dir;
    unsigned mom_port, rm_port, server_port; /* 0: as pbs.conf says */
    int64_t alarm_s;                         /* 0: the usual one */
    bool foreground, keep, kill, mock, lock_memory;
    int n_action;
    char **action; /* words of -s */
};

static void print_usage(const char *argv0)
{
    fprintf(
        stderr,
        "Usage: %s [-N] [-m] [-p|-r] [-d home] [-c config] [-L log file] [-C dir]\n"
        "           [-M port] [-R port] [-S port] [-a seconds] [-n nice] [-l] [-x]\n"
        "       %s -s insert name file | remove name | show name | list\n"
        "       %s --version\n"
        "Runs jobs on this host. -N foreground, -m pretend only, -p keep running "
        "jobs\n(the default), -r kill and give back running jobs.\n",
        argv0, argv0, argv0);
}

static bool read_port(const char *what, const char *text, unsigned *ret)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (end == text || *end || n <= 0 || n > 65535) {
        fprintf(stderr, "Bad %s value %s\n", what, text);
        return false;
    }
    *ret = (unsigned)n;
    return true;
}

/* The daemon works in a directory of its own, where a relative path would lead to
 * something else, and an empty one to the root of the file system. */
static bool read_path(const char *text, const char **ret)
{
    if (text[0] != '/') {
        fprintf(stderr, "pbs_mom: \"%s\" is not an absolute path\n", text);
        return false;
    }
    *ret = text;
    return true;
}

static bool is_number(const char *text)
{
    char *end;

    (void)strtol(text, &end, 10);
    return end != text && *end == '\0';
}

static bool set_nice(const char *text)
{
    /* 1000 is outside of what the system allows, so a word that is no number is refused
     * with the same message. */
    long n = is_number(text) ? strtol(text, NULL, 10) : 1000;

    if (n < PRIO_MIN || n > PRIO_MAX || setpriority(PRIO_PROCESS, 0, (int)n) < 0) {
        fprintf(stderr, "%s: bad nice value\n", text);
        return false;
    }
    return true;
}

/* -1 go on; else the exit status. */
static int take_option(int c, struct options *o, int argc, char **argv)
{
    switch (c) {
    case 'd':
        return read_path(optarg, &o->home) ? -1 : 1;
    case 'c':
        o->config = optarg;
        return -1;
    case 'L':
        o->log = optarg;
        return -1;
    case 'C':
        return read_path(optarg, &o->checkpoint_dir) ? -1 : 3;
    case 'l':
        o->lock_memory = true;
        return -1;
    case 'm':
        o->mock = true;
        return -1;
    case 'N':
        o->foreground = true;
        return -1;
    case 'p':
        o->keep = true;
        return -1;
    case 'r':
        o->kill = true;
        return -1;
    /* This and -Q are taken so that start scripts written for other versions work. */
    case 'x':
        return -1;
    case 'Q':
        fprintf(stderr, "pbs_mom: -Q has no effect\n");
        return -1;
    case 'M':
        return read_port("MOM port", optarg, &o->mom_port) ? -1 : 1;
    case 'R':
        return read_port("RM port", optarg, &o->rm_port) ? -1 : 1;
    case 'S':
        return read_port("Server port", optarg, &o->server_port) ? -1 : 1;
    case 'a':
        if (is_number(optarg) && strtol(optarg, NULL, 10) >= 0) {
            o->alarm_s = MIN_OF(strtoll(optarg, NULL, 10), MOST_ALARM_S);
            return -1;
        }
        fprintf(stderr, "%s: bad alarm time\n", optarg);
        break;
    case 'n':
        if (set_nice(optarg))
            return -1;
        break;
    case 's': /* everything behind it is its own */
        o->action = &argv[optind - 1];
        o->n_action = argc - optind + 1;
        optind = argc;
        return -1;
    default:
        break;
    }
    print_usage(argv[0]);
    return 1;
}

/* Jobs inherit them: what limits the service that has started the MoM is none of theirs
 * (execution.md 2). Only root may raise what somebody has fixed. */
static void lift_limits(void)
{
    static const int lifted[] = { RLIMIT_CPU,   RLIMIT_FSIZE, RLIMIT_DATA,
                                  RLIMIT_NPROC, RLIMIT_RSS,   RLIMIT_MEMLOCK };
    const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
    struct rlimit lim;

    for (size_t i = 0; i < ARRAY_LEN(lifted); i++) {
        if (setrlimit((__rlimit_resource_t)lifted[i], &none) == 0 ||
            getrlimit((__rlimit_resource_t)lifted[i], &lim) < 0)
            continue;
        lim.rlim_cur = lim.rlim_max;
        setrlimit((__rlimit_resource_t)lifted[i], &lim);
    }
}

static int read_options(int argc, char **argv, struct options *o)
{
    int c, status = -1;

    while (status < 0 && (c = getopt(argc, argv, "d:c:M:mNS:R:lL:a:xC:prs:n:Q:")) != -1)
        status = take_option(c, o, argc, argv);
    if (status >= 0)
        return status;
    if (optind < argc || (o->keep && o->kill)) {
        print_usage(argv[0]);
        return 1;
    }
    return 0;
}

static int set_ports(struct shell *s, const struct options *o)
{
    s->mom_port = o->mom_port ? o->mom_port : s->conf->mom_port;
    /* Servers find a MoM on the router network at its service port plus one (tpp.md 1),
     * so any other choice is refused. */
    s->rm_port = o->rm_port    ? o->rm_port
                 : o->mom_port ? o->mom_port + 1
                               : s->conf->manager_port;
    s->server_port = o->server_port ? o->server_port : s->conf->batch_port;
    if (s->rm_port > 65535) {
        fprintf(stderr, "Bad RM port value %u\n", s->rm_port);
        return 1;
    }
    if (s->rm_port == s->mom_port + 1)
        return 0;
    fprintf(stderr, "Mom RM port must be one greater than the Mom Service port\n");
    return 1;
}

static void set_names(struct shell *s, const struct options *o)
{
    const char *home = o->home             ? o->home
                       : s->conf->mom_home ? s->conf->mom_home
                                           : s->conf->home;

    /* The command line comes first, then the MoM's own setting, then the home of all
     * daemons: hosts may share one PBS_HOME and not the MoM's. */
    snprintf(s->home, sizeof(s->home), "%s", home);
    /* This waits for the name service, before anything that others could wait for. */
    net_host_name(s->host_name, sizeof(s->host_name));
    net_short_name(s->host_name, s->short_name, sizeof(s->short_name));
    snprintf(s->node_name, sizeof(s->node_name), "%s",
             s->conf->mom_node_name ? s->conf->mom_node_name : s->short_name);
}

static int open_log(struct shell *s, const struct options *o)
{
    char dir[PATH_MAX + 16];
    struct logfile_config cfg = { .dir = dir,
                                  .file = o->log,
                                  .daemon = "pbs_mom",
                                  .mask = LOG_MASK_DEFAULT,
                                  .conf = s->conf };
    struct diag why;

    snprintf(dir, sizeof(dir), "%s/mom_logs", s->home);
    if (startup_log(&cfg, &s->log, &why) == 0)
        return 0;
    fprintf(stderr, "pbs_mom: Unable to open logfile\npbs_mom: %s\n", why.text);
    return 1;
}

static void config_says(void *arg, int event, int log_class, const char *object,
                        const char *words)
{
    shell_log(arg, event, log_class, object, words);
}

static int read_config(struct shell *s, const struct options *o, const char *mom_priv,
                       const char *argv0)
{
    const struct config_log log = { .fn = config_says, .arg = s };

    if (!config_read(mom_priv, s->config_file, s->short_name, &log, &s->config)) {
        fprintf(stderr, "%s: config file(s) parsing failed\n", argv0);
        return 1;
    }
    /* Until here the log had its default mask: mistakes in the files are logged
     * whatever they ask for. */
    logfile_set_mask(s->log, s->config.log_events);
    if (s->config.node_name)
        snprintf(s->node_name, sizeof(s->node_name), "%s", s->config.node_name);
    /* The command line is for this run, the file for all. */
    if (s->config.port && !o->mom_port && !o->rm_port) {
        s->mom_port = s->config.port;
        s->rm_port = s->host.rm_port = s->mom_port + 1;
    }
    return 0;
}

static int run_action(struct shell *s, const struct options *o, const char *mom_priv,
                      const char *argv0)
{
    struct diag why;
    int err = action_run(mom_priv, o->n_action, o->action, &why);

    /* A word that is no action is a mistake in the command line; the other failures are
     * told in the log as well, where PBS tells them (execution.md 9). */
    if (err == PBSE_IVALREQ) {
        print_usage(argv0);
    } else if (err) {
        fprintf(stderr, "pbs_mom: %s\n", why.text);
        shell_log(s, LOG_EV_ERROR, LOG_IN_SERVER, "pbs_mom", why.text);
    }
    return err ? 1 : 0;
}

static void announce(struct shell *s)
{
    logfile_printf(s->log, LOG_EV_SYSTEM | LOG_EV_ADMIN, LOG_IN_FILE, "pbs_mom",
                   "Version %s, started, initialization type = %d", PBS_VERSION,
                   s->kill_at_start ? 1 : 2);
    logfile_printf(s->log, LOG_EV_SYSTEM, LOG_IN_SERVER, "pbs_mom",
                   "Mom pid = %d ready, using ports Server:%u MOM:%u RM:%u",
                   (int)getpid(), s->server_port, s->mom_port, s->rm_port);
}

static void complain(struct shell *s, const char *words)
{
    fprintf(stderr, "pbs_mom: %s\n", words);
    shell_log(s, LOG_EV_ERROR, LOG_IN_SERVER, "pbs_mom", words);
}

/* Another MoM on this host notices that the ports are ours. 0, or the exit status. */
static int take_ports(struct shell *s)
{
    const char *addr = s->user[0] ? "127.0.0.1" : NULL;
    struct diag why;

    if (service_open(s, addr, s->mom_port, &s->service, &why) == 0 &&
        task_service_open(s, addr, s->rm_port, &s->task_service, &why) == 0)
        return 0;
    complain(s, why.text);
    return 3;
}

/* The ports come first: nothing is touched when another MoM has them. */
static int open_all(struct shell *s)
{
    struct diag why;
    int status;

    MUST(!s->loop && !s->mom);
    s->loop = loop_new();
    if (!s->loop) {
        complain(s, "no event loop");
        return 1;
    }
    /* Jobs are recovered by shell_open(): two MoMs of one home would both believe them
     * to be theirs. */
    status = take_ports(s);
    if (!status && shell_open(s, &why) != 0) {
        complain(s, why.text);
        status = 1;
    }
    return status;
}

static int serve(struct shell *s, const struct options *o)
{
    int status = open_all(s);

    MUST(status || s->mom); /* all is open, or there is a reason */
    if (!status) {
        announce(s);
        /* Whoever started us waits for this: from here on jobs can come. */
        if (!o->foreground)
            daemon_ready();
        shell_run(s);
        shell_log(s, LOG_EV_SYSTEM, LOG_IN_SERVER, "pbs_mom", "Is down");
    }
    shell_close(s);
    return status;
}

static int lock_and_serve(struct shell *s, const struct options *o)
{
    char path[PATH_MAX + 32];
    struct diag why;
    int err, status;

    snprintf(path, sizeof(path), "%s/mom_priv/mom.lock", s->home);
    err = startup_take_place(o->foreground, path, 0644, &why);
    if (err == PBSE_OBJBUSY) {
        fprintf(stderr, "pbs_mom: another mom running\n");
        shell_log(s, LOG_EV_ERROR, LOG_IN_SERVER, "pbs_mom", "another mom running");
        return 1;
    }
    if (err) {
        fprintf(stderr, "pbs_mom: %s\n", why.text);
        return 1;
    }
    protect_logged(s->log, "pbs_mom");
    /* The lock on memory is not inherited by fork(), so it is taken in the
     * background. */
    if (o->lock_memory && mlockall(MCL_CURRENT | MCL_FUTURE) < 0)
        perror("pbs_mom: mlockall");
    status = serve(s, o);
    /* The lock itself goes with the process; the file says who had it. */
    (void)unlink(path);
    return status;
}

/* What there is of pbs_environment, and why not. */
struct environment_read {
    int err;
    struct diag why;
};

static bool tell_environment(struct shell *s, const struct environment_read *r)
{
    startup_log_environment(s->log, s->conf, &s->environment, r->err, &r->why);
    if (r->err)
        fprintf(stderr, "pbs_mom: %s\npbs_mom: " NO_ENVIRONMENT "\n", r->why.text);
    return r->err == 0;
}

static int run(struct shell *s, const struct options *o,
               const struct environment_read *environment, const char *argv0)
{
    char mom_priv[PATH_MAX + 16];
    struct diag why;
    int status;

    MUST(s->log); /* open_log() */
    snprintf(mom_priv, sizeof(mom_priv), "%s/mom_priv", s->home);
    /* Actions work while a MoM runs, and before there is a home (execution.md 9):
     * nothing of it is checked or locked for them. */
    if (o->n_action)
        return run_action(s, o, mom_priv, argv0);
    /* A core file, should there be one, lands where only root looks. */
    if (home_prepare(s->home, s->conf->environment, &why) != 0 || chdir(mom_priv) < 0) {
        fprintf(stderr, "pbs_mom: %s\n", why.text);
        shell_log(s, LOG_EV_ERROR, LOG_IN_SERVER, "pbs_mom", why.text);
        return 3;
    }
    if (!tell_environment(s, environment))
        return 1;
    status = read_config(s, o, mom_priv, argv0);
    if (status)
        return status;
    if (checkpoints_open(s, o->checkpoint_dir, &why) != 0) {
        complain(s, why.text);
        return 3;
    }
    return lock_and_serve(s, o);
}

/* Without root the MoM runs the jobs of whoever started it. */
static int find_user(struct shell *s)
{
    struct diag why;

    if (geteuid() == 0)
        return 0;
    if (auth_user_name(geteuid(), s->user, sizeof(s->user), &why) == 0)
        return 0;
    fprintf(stderr, "pbs_mom: %s\n", why.text);
    return 1;
}

int main(int argc, char **argv)
{
    struct options o = { 0 };
    struct shell s = { 0 };
    struct environment_read environment;
    struct conf *conf;
    int status;

    if (startup_tells_version(argc, argv))
        return 0;
    daemon_tidy();
    lift_limits();
    status = read_options(argc, argv, &o);
    if (status)
        return status;
    conf = startup_conf();
    if (!conf)
        return 1;
    s.conf = conf;
    s.mock = o.mock;
    s.monitor_alarm_s = o.alarm_s > 0 ? o.alarm_s : HOST_FACTS_SCRIPT_S;
    s.kill_at_start = o.kill;
    s.config_file = o.config;
    /* The list of vnodes is as new as this start, or as the newest file
     * (shell_report_vnodes()). */
    s.started_at = clock_read();
    set_names(&s, &o);
    s.host = (struct plan_host){
        .conf = conf,
        .config = &s.config,
        .home = s.home,
        .host = s.short_name,
        .full_name = s.host_name,
        .environment = &s.environment,
    };
    /* Before the log, whose lines have the time zone of the file. */
    environment.err = startup_environment(conf, &s.environment, &environment.why);
    status = set_ports(&s, &o);
    s.host.rm_port = s.rm_port;
    if (!status)
        status = find_user(&s);
    if (!status)
        status = open_log(&s, &o);
    if (!status)
        status = run(&s, &o, &environment, argv[0]);
    logfile_close(s.log);
    site_env_fini(&s.environment);
    conf_free(conf);
    return status;
}
