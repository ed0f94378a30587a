/* secure.c - see secure.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/secure.h"

#include "lib/io/daemon.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Ids of the system; larger ones are people's. */
#define SYSTEM_UID_MAX 10
#define SYSTEM_GID_MAX 9

enum look {
    LOOK_FULL_PATH = 1 << 0, /* at every directory above too */
    LOOK_STICKY = 1 << 1,    /* others may write when it is sticky */
    LOOK_MAKE = 1 << 2,      /* made when it is missing */
};

static const struct place {
    const char *name;
    unsigned look;
    mode_t mode;
} places[] = {
    { "server_priv", LOOK_MAKE, 0750 },
    { "server_priv/jobs", LOOK_MAKE | LOOK_FULL_PATH, 0750 },
    { "server_priv/users", LOOK_MAKE | LOOK_FULL_PATH, 0750 },
    { "server_priv/hooks", LOOK_MAKE, 0750 },
    { "server_priv/hooks/tmp", LOOK_MAKE, 0750 },
    { "server_priv/accounting", LOOK_MAKE | LOOK_STICKY, 0755 },
    { "server_logs", LOOK_MAKE | LOOK_STICKY, 0755 },
    { "spool", LOOK_STICKY, 0 },
};

int secure_make_dirs(const char *home, struct diag *why)
{
    int err = 0;

    for (size_t i = 0; err == 0 && i < ARRAY_LEN(places); i++) {
        char *path = xasprintf("%s/%s", home, places[i].name);

        /* What is only looked at belongs to others, who make it. */
        if (places[i].look & LOOK_MAKE)
            err = daemon_mkdir(path, places[i].mode, why);
        free(path);
    }
    return err;
}

/* What is wrong with one object, NULL: nothing. 'strict': nobody else may write it. */
static const char *issue_of(const struct stat *st, bool strict)
{
    bool sticky = S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX);

    if (st->st_uid > SYSTEM_UID_MAX && st->st_uid != geteuid())
        return "owned by an unprivileged user";
    /* In a sticky directory nobody removes the files of others. */
    if (sticky && !strict)
        return NULL;
    if ((st->st_mode & S_IWGRP) &&
        (strict || (st->st_gid > SYSTEM_GID_MAX && st->st_gid != getegid())))
        return "writable by its group";
    if (st->st_mode & S_IWOTH)
        return "writable by others";
    return NULL;
}

struct checker {
    struct logfile *log;
    struct diag *why;
    int n;
};

static void tell(struct checker *c, const char *path, const struct stat *st,
                 const char *issue)
{
    char *object =
        xasprintf("Security issue from secure_check: %s, inode %llu, mode "
                  "0x%x, uid %lu, gid %lu, ctime 0x%llx",
                  issue, (unsigned long long)st->st_ino, (unsigned)st->st_mode,
                  (unsigned long)st->st_uid, (unsigned long)st->st_gid,
                  (unsigned long long)st->st_ctime);

    logfile_write(c->log, LOG_EV_SECURITY, LOG_IN_FILE, object, path);
    free(object);
    MUST(issue);
    /* The first issue is the one that the start reports; the log has all of them. */
    if (c->n++ == 0)
        diag_set(c->why, PBSE_SYSTEM,
                 "%.120s is %s: give it to root or the server's user and take write "
                 "permission away from all others (chown, chmod go-w)",
                 path, issue);
}

static void look_at(struct checker *c, const char *path, bool strict)
{
    struct stat st;
    const char *issue;

    if (stat(path, &st) < 0)
        return; /* who needs it says so */
    issue = issue_of(&st, strict);
    if (issue)
        tell(c, path, &st, issue);
}

static void look_above(struct checker *c, char *path)
{
    char *slash;

    while ((slash = strrchr(path, '/')) != NULL) {
        slash[slash == path] = '\0'; /* "/" stays */
        /* Whoever may write a directory above could replace everything below. */
        look_at(c, path, false);
        if (slash == path)
            break;
    }
}

static void look_at_place(struct checker *c, const char *path, unsigned look)
{
    char real[PATH_MAX];

    /* A place that is missing is no danger. */
    if (!realpath(path, real))
        return;
    look_at(c, real, !(look & LOOK_STICKY));
    if (look & LOOK_FULL_PATH)
        look_above(c, real);
}

int secure_check(const char *home, const char *environment, struct logfile *log,
                 struct diag *why)
{
    struct checker c = { .log = log, .why = why };

    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        char *path = xasprintf("%s/%s", home, places[i].name);

        look_at_place(&c, path, places[i].look);
        free(path);
    }
    look_at_place(&c, environment, LOOK_FULL_PATH);
    return c.n;
}
