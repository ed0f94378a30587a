/* startup.h - the first steps of every daemon's main(), which are alike: its version,
 * pbs.conf, its log, its place in the background.
 *
 * Words that a user may see are printed here only where all daemons say the same.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IO_STARTUP_H
#define LIB_IO_STARTUP_H

#include "lib/io/conf.h"
#include "lib/io/logfile.h"
#include "lib/io/site_env.h"

#include <sys/types.h>

/* "--version" as the only argument is answered on stdout: true, the daemon has done its
 * work. */
bool startup_tells_version(int argc, char **argv);

/* pbs.conf (conf_load()). NULL after words on stderr: the daemon ends with status 1. So
 * it does when somebody else could have written the file, which says what a daemon runs
 * and whom it believes: it belongs to root, another account of the system or the uid
 * that runs the daemon, and so does its group where that may write. */
struct conf *startup_conf(void);

/* logfile_open() with a file of its own only by an absolute path, and PBS_CORE_LIMIT of
 * its conf: a wrong one is a line of the log, and means no limit (operations.md 3).
 * Broken promises are told to this log. */
int startup_log(const struct logfile_config *cfg, struct logfile **ret,
                struct diag *why) MUST_CHECK;

/* Read pbs_environment, as pbs.conf names it, and live by it (site_env_take()). At the
 * start that comes before the log is opened, whose lines have its time zone. 'ret' has
 * been filled before, or is of zeros; when this fails all stays as it was. */
int startup_environment(const struct conf *conf, struct site_env *ret,
                        struct diag *why) MUST_CHECK;
/* Tell the log what came of it; 'err' is what it has returned. */
void startup_log_environment(struct logfile *log, const struct conf *conf,
                             const struct site_env *e, int err, const struct diag *why);
#define NO_ENVIRONMENT "Could not set up the environment"

/* Go into the background, unless 'foreground', then take the lock file and write the
 * process number into it. From here on the terminal waits for daemon_ready(). The lock
 * ends with the process. PBSE_OBJBUSY: another process holds it; PBSE_SYSTEM. */
int startup_take_place(bool foreground, const char *lock_path, mode_t mode,
                       struct diag *why) MUST_CHECK;

#endif
