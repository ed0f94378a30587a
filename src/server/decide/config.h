/* config.h - what the shell tells the core about its host: names, ports, accounts,
 * addresses, and the directory of hooks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_CONFIG_H
#define SERVER_DECIDE_CONFIG_H

#include "lib/base/arena.h"
#include "lib/base/diag.h"
#include "lib/wire/batch.h"

/* What Python says of a script that it compiled. */
enum hook_verdict {
    HOOK_IS_SOUND,
    HOOK_IS_WRONG,
    HOOK_IS_UNKNOWN, /* it could not be asked */
};

/* The directory through which qmgr and the server hand over bodies of hooks (wire.md
 * 7.3), as the shell lets the core see it: texts by base name. A name that is none, a
 * file that is no plain one of the server's own, and one that is too large are
 * PBSE_HOOKERROR with words. 'compile' (may be NULL) says with words what is wrong with
 * a text of the hook 'name', or why nobody knows; kinds are "py", "json", "ini", "xml".
 */
struct hook_files {
    int (*read)(void *arg, const char *name, struct arena *arena, const char **data,
                size_t *len, struct diag *why);
    int (*write)(void *arg, const char *name, const char *data, size_t len,
                 struct diag *why);
    enum hook_verdict (*compile)(void *arg, const char *kind, const char *name,
                                 const char *data, size_t len, struct diag *why);
    void *arg;
};

struct svr_config {
    const char *server_name; /* short name: "svr" in "R7.svr" */
    const char *server_host; /* canonical host name */
    uint32_t server_port;
    uint32_t mom_port;   /* Port of new vnodes that name none; 0: 15002 */
    const char *home;    /* PBS_HOME, for the paths that objects show; may be NULL */
    const char *version; /* pbs_version */
    const char *holdfast_version;
    const char *root_user; /* name of the uid that runs the server: has root's rights */
    /* Accounts that are known beforehand, a pure table: primary and supplementary group
     * names of a user; returns false for an unknown user. NULL: they are found out when
     * a request needs them (facts.h), as the daemon does. */
    bool (*user_groups)(void *arg, const char *user, struct arena *arena,
                        struct wire_strings *ret);
    /* How far local time is ahead of UTC at an instant, for dates that people read;
     * NULL: UTC is shown. */
    int64_t (*utc_offset_s)(void *arg, int64_t at);
    /* IPv4 addresses of a host, in host byte order: at most 'max' of them, 0 when it is
     * unknown. The shell remembers answers for a while. NULL: only texts like
     * "127.0.0.1" have an address. */
    size_t (*host_addrs)(void *arg, const char *host, uint32_t *ret, size_t max);
    /* True when that is a host's full name: one that resolves to itself. NULL: not
     * checked. */
    bool (*is_full_name)(void *arg, const char *host);
    void *arg;
    const struct hook_files *hook_files; /* NULL: bodies of hooks do not travel */
    /* Bytes that the attributes of one job or reservation may have together, scripts
     * not counted, and those of all jobs of one user with their scripts; 0: no limit.
     */
    size_t max_object_bytes;
    size_t max_user_jobs_bytes;
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
