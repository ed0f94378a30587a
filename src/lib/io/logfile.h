/* logfile.h - PBS log files (operations.md 13), the same for all daemons.
 *
 * A line is "MM/DD/YYYY HH:MM:SS[.uuuuuu];eeee;daemon;type;name;text". One file per day
 * YYYYMMDD under a directory, or one file that is never rotated. Newlines in a text
 * become blanks, so that line-oriented readers keep working; one at the end is dropped.
 *
 * Syslog gets "type;name;text" of the lines that pass the mask, errors and matters of
 * security as LOG_ERR, the system and administrators as LOG_NOTICE, debugging as
 * LOG_DEBUG, the rest as LOG_INFO. It never gets the banner.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IO_LOGFILE_H
#define LIB_IO_LOGFILE_H

#include "lib/base/diag.h"
#include "lib/base/log.h"
#include "lib/io/conf.h"

struct logfile;

struct logfile_config {
    const char *dir;    /* "HOME/server_logs"; made when missing, 0755 */
    const char *file;   /* instead of dir: an absolute path, never rotated */
    const char *daemon; /* "Server@host", "pbs_sched", "pbs_mom", "Comm@host" */
    uint32_t mask;
    bool to_stderr;      /* copy error lines (event 0001) to stderr */
    const char *console; /* is told when a file cannot be opened; NULL: /dev/console */
    /* Where lines go (PBS_SYSLOG, PBS_SYSLOGSEVR, PBS_LOCALLOG: operations.md 16), how
     * fine their time stamps are (PBS_LOG_HIGHRES_TIMESTAMP), names for the banner. It
     * outlives the log file. */
    const struct conf *conf;
};

/* Open today's file and write the banner. PBSE_SYSTEM with words otherwise; "PBS cannot
 * open its log - errno = N" is then on the console, too, as it is when the file of a
 * later day cannot be opened. */
int logfile_open(const struct logfile_config *cfg, struct logfile **ret,
                 struct diag *why) MUST_CHECK;
/* Writes "Log closed". logfile_close(NULL) is fine. */
void logfile_close(struct logfile *lf);
/* SIGHUP: "Log closed", open anew with the banner. */
void logfile_reopen(struct logfile *lf);

/* Which events are written: bits LOG_EV_... (lib/base/log.h). */
void logfile_set_mask(struct logfile *lf, uint32_t mask);
uint32_t logfile_mask(const struct logfile *lf);

/* From now on, and until it is closed, a broken promise (lib/base/must.h) is a line of
 * this log before the process ends. */
void logfile_witness(struct logfile *lf);

/* Write a line if the mask lets it through. 'lf' NULL: nothing. 'object' may be "". */
void logfile_write(struct logfile *lf, uint32_t event, uint32_t log_class,
                   const char *object, const char *text);
void logfile_printf(struct logfile *lf, uint32_t event, uint32_t log_class,
                    const char *object, const char *fmt, ...) PRINTF_LIKE(5, 6);

/* From now on lines are held until the next call of logfile_flush(), which writes them
 * together; a line with event 0001 and all before it are written at once. A process
 * that is killed meanwhile loses what is held. To be called by the process that writes.
 */
void logfile_gather(struct logfile *lf, bool gathers);
void logfile_flush(struct logfile *lf);

/* "MM/DD/YYYY HH:MM:SS" in local time; 'text' has at least 20 bytes. */
void log_time_text(int64_t at, char *text);
/* "YYYYMMDD" in local time; 'text' has at least 9 bytes. */
void log_day_text(int64_t at, char *text);

#endif
