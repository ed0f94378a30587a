/* startup.c - the first steps of every daemon's main().
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/startup.h"

#include "lib/base/version.h"
#include "lib/io/daemon.h"

#include <stdio.h>
#include <string.h>

bool startup_tells_version(int argc, char **argv)
{
    if (argc != 2 || strcmp(argv[1], "--version") != 0)
        return false;
    fputs(VERSION_TEXT, stdout);
    return true;
}

struct conf *startup_conf(void)
{
    struct conf *conf;
    struct diag why;

    if (conf_load(&conf, &why) == 0)
        return conf;
    fprintf(stderr, "%s\n", why.text);
    return NULL;
}

int startup_log(const struct logfile_config *cfg, struct logfile **ret,
                struct diag *why)
{
    int err = logfile_open(cfg, ret, why);

    if (!err)
        logfile_witness(*ret);
    if (!err && !daemon_core_limit(cfg->conf->core_limit))
        logfile_write(*ret, LOG_EV_ERROR | LOG_EV_FORCE, LOG_IN_SERVER, cfg->daemon,
                      BAD_CORE_LIMIT);
    return err;
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
