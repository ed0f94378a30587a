/* main.c - pbs_sched: options, checks, background.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/peers.h"
#include "scheduler/shell/shell.h"

#include "lib/auth/auth.h"
#include "lib/base/version.h"
#include "lib/io/daemon.h"
#include "lib/io/protect.h"
#include "lib/io/startup.h"
#include "scheduler/shell/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct options {
    const char *home;
    const char *log_file;
    const char *out_file;
    const char *name;
    bool foreground;
};

static int usage(const char *argv0)
{
    fprintf(stderr,
            "usage: %s [-d home][-L logfile][-p file][-I schedname][-n][-N]"
            "[-c clientsfile][-t num threads]\n"
            "       %s --version\n",
            argv0, argv0);
    return 1;
}

/* The plan runs on one thread; the number is checked as tools expect. */
static int check_threads(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    if (end != text && *end == '\0' && n >= 1 && n <= 99999) {
        if (cores > 0 && n > cores)
            fprintf(stderr,
                    "%ld: cannot be larger than number of cores %ld, using number of "
                    "cores instead\n",
                    n, cores);
        return 0;
    }
    fprintf(stderr, "%s: bad num threads value\n", text);
    fprintf(stderr, "%s: bad num threads value (should be in range 1-99999)\n", text);
    return 1;
}

/* 0, or the exit status of a wrong command line. -n, -c and -l change nothing here. */
static int read_options(int argc, char **argv, struct options *o)
{
    int c;

    while ((c = getopt(argc, argv, "d:L:p:I:nNc:t:l")) != -1) {
        switch (c) {
        case 'd':
            o->home = optarg;
            break;
        case 'L':
            o->log_file = optarg;
            break;
        case 'p':
            o->out_file = optarg;
            break;
        case 'I':
            o->name = optarg;
            break;
        case 'N':
            o->foreground = true;
            break;
        case 't':
            if (check_threads(optarg))
                return usage(argv[0]);
            break;
        case 'n':
        case 'c':
        case 'l':
            break;
        default:
            return usage(argv[0]);
        }
    }
    return 0;
}

static bool is_default(const struct options *o)
{
    return strcmp(o->name, "default") == 0;
}

static char *directory(const struct options *o, const char *base)
{
    /* Several schedulers share one home: all but the default one have their name in
     * their directories. */
    return is_default(o) ? xasprintf("%s/%s", o->home, base)
                         : xasprintf("%s/%s_%s", o->home, base, o->name);
}

/* A directory that other users may write to cannot be trusted. The daemon ends without
 * a word then, as the init scripts expect. */
static bool is_private(const char *dir)
{
    struct stat st;

    return stat(dir, &st) == 0 && S_ISDIR(st.st_mode) &&
           (st.st_uid == 0 || st.st_uid == geteuid()) &&
           (st.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static int open_log(struct shell *sh, const struct options *o, struct diag *why)
{
    char *dir = directory(o, "sched_logs");
    struct logfile_config cfg = { .dir = dir,
                                  .file = o->log_file,
                                  .daemon = "pbs_sched",
                                  .mask = LOG_MASK_SCHED,
                                  .conf = sh->conf };
    int err = startup_log(&cfg, &sh->log, why);

    free(dir);
    return err;
}

/* From here on what libraries print goes to a file of the private directory. */
static void redirect_output(const struct options *o)
{
    int fd = open(o->out_file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

    /* Without the file the output stays where it was; that is no reason not to start.
     */
    if (fd < 0)
        return;
    (void)dup2(fd, STDOUT_FILENO);
    (void)dup2(fd, STDERR_FILENO);
    close(fd);
}

static void announce(struct shell *sh, const char *argv0)
{
    logfile_write(sh->log, LOG_EV_SYSTEM | LOG_EV_ADMIN, LOG_IN_FILE, "pbs_sched",
                  "Version " PBS_VERSION ", started, initialization type = 0");
    logfile_printf(sh->log, LOG_EV_SYSTEM, LOG_IN_SERVER, "sched_main",
                   "%s startup pid %d", argv0, (int)getpid());
}

/* The environment comes first: the lines of the log have its time zone. Of a file that
 * others could have written nothing is said, as of a directory of that kind. */
static int read_environment_and_open_log(struct shell *sh, const struct options *o)
{
    struct site_env e = { 0 };
    struct diag issue, why;
    int err = startup_environment(sh->conf, &e, &issue);

    if (err == PBSE_PERM)
        return 1;
    if (open_log(sh, o, &why) != 0) {
        fprintf(stderr, "pbs_sched: %s\n", why.text);
        site_env_fini(&e);
        return 1;
    }
    startup_log_environment(sh->log, sh->conf, &e, err, &issue);
    site_env_fini(&e);
    if (!err)
        return 0;
    fprintf(stderr, "pbs_sched: %s\npbs_sched: " NO_ENVIRONMENT "\n", issue.text);
    logfile_close(sh->log);
    return 1;
}

static int serve(struct shell *sh, const struct options *o, const char *argv0)
{
    int signo;

    if (read_environment_and_open_log(sh, o) != 0)
        return 1;
    announce(sh, argv0);
    protect_logged(sh->log, "pbs_sched");
    /* Who started the daemon waits for this, and saw errors on its own standard error
     * until now. It makes standard output /dev/null, so the file for that is opened
     * afterwards. */
    if (!o->foreground)
        daemon_ready();
    redirect_output(o);
    signals_setup();
    shell_lay_files(sh);
    shell_read_config(sh);
    sh->resolver = resolver_new();
    sh->peers = peers_new();
    shell_run(sh);
    peers_free(sh->peers);
    resolver_free(sh->resolver);
    signo = signals_stop();
    if (signo)
        logfile_printf(sh->log, LOG_EV_SYSTEM, LOG_IN_SERVER, "die", "caught signal %d",
                       signo);
    logfile_close(sh->log);
    return 0;
}

static int lock_and_serve(struct shell *sh, const struct options *o, const char *argv0)
{
    struct diag why;
    /* The lock is a file of the working directory, so prepare() has gone there before.
     */
    int err = startup_take_place(o->foreground, "sched.lock", 0644, &why);

    if (err == PBSE_OBJBUSY) {
        fprintf(stderr, "pbs_sched: another scheduler running\n");
        return 1;
    }
    if (err) {
        fprintf(stderr, "pbs_sched: %s\n", why.text);
        return 1;
    }
    return serve(sh, o, argv0);
}

/* The working directory is the private directory. */
static int enter_priv(struct shell *sh, const struct options *o)
{
    struct diag why;

    sh->priv_dir = directory(o, "sched_priv");
    if (daemon_mkdir(sh->priv_dir, 0750, &why) != 0) {
        fprintf(stderr, "pbs_sched: %s\n", why.text);
        return 1;
    }
    if (!is_private(sh->priv_dir))
        return 1;
    if (chdir(sh->priv_dir) < 0) {
        perror(sh->priv_dir);
        return 1;
    }
    return 0;
}

static int prepare(struct shell *sh, const struct options *o)
{
    char user[AUTH_USER_MAX + 1];
    struct diag why;

    if (auth_user_name(geteuid(), user, sizeof(user), &why) != 0) {
        fprintf(stderr, "pbs_sched: %s\n", why.text);
        return 1;
    }
    sh->user = xstrdup(user);
    sh->name = o->name;
    return enter_priv(sh, o);
}

int main(int argc, char **argv)
{
    struct options o = { .name = "default", .out_file = "sched_out" };
    struct shell sh = { 0 };
    struct conf *conf;
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
    sh.conf = conf;
    if (!o.home)
        o.home = conf->home;
    status = prepare(&sh, &o);
    if (!status)
        status = lock_and_serve(&sh, &o, argv[0]);
    arena_free(sh.defs_arena);
    policy_free(sh.policy);
    shell_forget_in_vain(&sh);
    free(sh.unserved);
    free(sh.last_waiting);
    free(sh.remembered_job);
    free(sh.priv_dir);
    free(sh.user);
    conf_free(conf);
    return status;
}
