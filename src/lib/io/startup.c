/* startup.c - the first steps of every daemon's main().
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/startup.h"

#include "lib/base/version.h"
#include "lib/io/daemon.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

bool startup_tells_version(int argc, char **argv)
{
    if (argc != 2 || strcasecmp(argv[1], "--version") != 0)
        return false;
    fputs(VERSION_TEXT, stdout);
    return true;
}

/* Larger ids than these are those of people. */
#define SYSTEM_UID_MAX 10
#define SYSTEM_GID_MAX 9

/* Refuse a configuration that other users could have written. A file that is missing is
 * no fault here: conf_load() says so. */
static int check_conf_file(const char *path, struct diag *why)
{
    struct stat st;
    const char *issue = NULL;

    if (stat(path, &st) < 0)
        return 0;
    if (st.st_uid > SYSTEM_UID_MAX && st.st_uid != geteuid())
        issue = "owned by an unprivileged user";
    else if ((st.st_mode & S_IWGRP) && st.st_gid > SYSTEM_GID_MAX &&
             st.st_gid != getegid())
        issue = "writable by its group";
    else if (S_ISREG(st.st_mode) && (st.st_mode & S_IWOTH))
        issue = "writable by others";
    if (!issue)
        return 0;
    return diag_set(why, PBSE_BADCRED,
                    "pbsconf error: %.400s is %s: give it to root or to the user that "
                    "runs the daemons, and take write permission away from all others "
                    "(chown, chmod go-w)",
                    path, issue);
}

struct conf *startup_conf(void)
{
    struct conf *conf;
    struct diag why;

    if (check_conf_file(conf_path(), &why) == 0 && conf_load(&conf, &why) == 0)
        return conf;
    fprintf(stderr, "%s\n", why.text);
    return NULL;
}

int startup_log(const struct logfile_config *cfg, struct logfile **ret,
                struct diag *why)
{
    int err;

    /* The file is opened anew when its name is asked for again, and by then the daemon
     * works in another directory. */
    if (cfg->file && cfg->file[0] != '/')
        return diag_set(why, PBSE_SYSTEM, "%.200s: not an absolute path", cfg->file);
    err = logfile_open(cfg, ret, why);
    if (!err)
        logfile_witness(*ret);
    if (!err && !daemon_core_limit(cfg->conf->core_limit))
        logfile_write(*ret, LOG_EV_ERROR | LOG_EV_FORCE, LOG_IN_SERVER, cfg->daemon,
                      BAD_CORE_LIMIT);
    return err;
}

/* The environment with which the process was started; its texts live as long as the
 * process, and so does this list. */
static char **started_with(void)
{
    static char **list;
    size_t n = 0;

    if (list)
        return list;
    while (environ[n])
        n++;
    list = xcalloc(n + 1, sizeof(*list));
    memcpy(list, environ, n * sizeof(*list));
    return list;
}

int startup_environment(const struct conf *conf, struct site_env *ret, struct diag *why)
{
    struct site_env fresh;
    int err = site_env_read(conf->environment, started_with(), &fresh, why);

    if (err)
        return err;
    site_env_take(&fresh, started_with());
    site_env_fini(ret);
    *ret = fresh;
    return 0;
}

void startup_log_environment(struct logfile *log, const struct conf *conf,
                             const struct site_env *e, int err, const struct diag *why)
{
    /* PBS's line says no more than that; ours before it names the reason. */
    if (err) {
        logfile_write(log, LOG_EV_ERROR, LOG_IN_NONE, "setup_env", why->text);
        logfile_write(log, LOG_EV_ERROR, LOG_IN_NONE, "setup_env", NO_ENVIRONMENT);
    } else if (e->is_there) {
        logfile_printf(log, LOG_EV_SYSTEM, LOG_IN_NONE, "setup_env",
                       "read environment from %s", conf->environment);
    }
}

int startup_take_place(bool foreground, const char *lock_path, mode_t mode,
                       struct diag *why)
{
    int fd, err = foreground ? 0 : daemon_fork();

    if (err)
        return diag_set(why, PBSE_SYSTEM, "fork: %s", strerror(err));
    err = daemon_lock(lock_path, mode, &fd, why);
    return err ? err : daemon_lock_pid(fd, why);
}
