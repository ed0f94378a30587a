/* config.h - what the shell tells the core about its host: names, ports and limits.
 * Nothing here may block (doc/design/032).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_CONFIG_H
#define SERVER_DECIDE_CONFIG_H

#include "server/decide/need.h"

struct svr_config {
    const char *server_name; /* short name: "svr" in "R7.svr" */
    const char *server_host; /* canonical host name */
    uint32_t server_port;
    uint32_t mom_port;   /* Port of new vnodes that name none; 0: 15002 */
    const char *home;    /* PBS_HOME, for the paths that objects show; may be NULL */
    const char *version; /* pbs_version */
    const char *holdfast_version;
    const char *root_user; /* name of the uid that runs the server: has root's rights */
    /* For tests: what is known without being asked for, a pure function; false: it has
     * to be found out. NULL, as in the daemon: nothing is known so. Texts and lists in
     * 'arena'. */
    bool (*known)(void *arg, const struct need *need, struct arena *arena,
                  struct finding *ret);
    /* How far local time is ahead of UTC at an instant, for dates that people read;
     * NULL: UTC is shown. */
    int64_t (*utc_offset_s)(void *arg, int64_t at);
    void *arg;
    /* Hooks are asked for their verdict. False in the daemon: this version keeps hooks
     * and runs none. */
    bool runs_hooks;
    /* Bytes that the attributes of one job or reservation may have together, scripts
     * not counted, and those of all jobs of one user with their scripts; 0: no limit.
     */
    size_t max_object_bytes;
    size_t max_user_jobs_bytes;
    /* So many numbers of jobs and reservations are kept with one record
     * (next_number.h); 0: 1. */
    uint32_t number_window;
    /* What one slice of a long status may cost, see listing.h; 0: LISTING_SLICE_BYTES
     */
    size_t listing_slice_bytes;
    /* What one slice of anything else may cost, see config_slice_cost(); 0: a sane
     * default */
    size_t slice_cost;
};

/* About what one turn may cost, of a long request or of what follows from an input: so
 * many times what it costs to look at an object, which is about 0.1 microseconds. */
size_t config_slice_cost(const struct svr_config *cfg);

#endif
