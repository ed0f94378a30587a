/* actions.c - see actions.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/actions.h"

#include "lib/io/daemon.h"
#include "mom/shell/config.h"
#include "mom/shell/home.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_BYTES 200 /* home_write() needs some for the name of its new file */

static bool is_reserved(const char *name)
{
    /* Files of that prefix are made by PBS itself and are read before all others
     * (execution.md 5). */
    return strncmp(name, "PBS", 3) == 0;
}

/* The name must not lead out of config.d, a hidden file would never be read
 * (config_names()), and the list of names has one a line. */
static bool is_file_name(const char *name)
{
    for (const char *c = name; *c; c++)
        if (*c == '/' || iscntrl((unsigned char)*c))
            return false;
    return name[0] && name[0] != '.' && strlen(name) <= NAME_BYTES;
}

static int action_insert(const char *dir, const char *path, char **args,
                         struct diag *why)
{
    struct buf text = { 0 };
    struct diag wrong;
    struct stat st;
    int err;

    if (is_reserved(args[0]))
        return diag_set(why, PBSE_SYSTEM, "config file may not start with \"PBS\"");
    /* Two calls at the same time may both get here; the later one then replaces the
     * file as a whole, since home_write() renames. */
    if (access(path, F_OK) == 0)
        return diag_set(why, PBSE_SYSTEM, "attempt to add existing config file %s",
                        path);
    if (home_read_setting(args[1], &text, &st, &wrong) != 0) {
        buf_fini(&text);
        return diag_set(why, PBSE_SYSTEM, "access R_OK %s", wrong.text);
    }
    /* The directory is made by the first insertion (execution.md 4). */
    err = daemon_mkdir(dir, 0700, why);
    if (!err)
        err = home_write(path, 0600, text.data ? text.data : "", text.len, why);
    buf_fini(&text);
    return err;
}

static int action_remove(const char *dir, const char *path, char **args,
                         struct diag *why)
{
    (void)dir;
    if (is_reserved(args[0]))
        return diag_set(
            why, PBSE_SYSTEM,
            "file begins with reserved prefix \"PBS\" and may not be removed");
    if (unlink(path) < 0)
        return diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
    return 0;
}

static int action_show(const char *dir, const char *path, char **args, struct diag *why)
{
    struct buf text = { 0 };
    struct diag wrong;
    struct stat st;
    int err = 0;

    (void)dir;
    (void)args;
    if (home_read_setting(path, &text, &st, &wrong) != 0)
        err = diag_set(why, PBSE_SYSTEM, "access R_OK %s", path);
    else if (text.len && fwrite(text.data, text.len, 1, stdout) != 1)
        err = diag_set(why, PBSE_SYSTEM, "stdout: %s", strerror(errno));
    buf_fini(&text);
    return err;
}

static int action_list(const char *mom_priv)
{
    char **names = config_names(mom_priv);

    for (size_t i = 0; names[i]; i++)
        puts(names[i]);
    config_names_free(names);
    return 0;
}

static const struct {
    const char *verb;
    int n_args;
    int (*run)(const char *dir, const char *path, char **args, struct diag *why);
} rows[] = {
    { "insert", 2, action_insert },
    { "remove", 1, action_remove },
    { "show", 1, action_show },
};

int action_run(const char *mom_priv, int argc, char **args, struct diag *why)
{
    char dir[PATH_MAX], path[PATH_MAX];

    MUST(argc > 0); /* -s has an argument, or getopt() refuses it */

    if (argc == 1 && strcmp(args[0], "list") == 0)
        return action_list(mom_priv);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (argc != rows[i].n_args + 1 || strcmp(args[0], rows[i].verb) != 0)
            continue;
        if (!is_file_name(args[1]))
            return diag_set(why, PBSE_SYSTEM, "%.60s is not a file name", args[1]);
        snprintf(dir, sizeof(dir), "%s/config.d", mom_priv);
        if (snprintf(path, sizeof(path), "%s/config.d/%s", mom_priv, args[1]) >=
            (int)sizeof(path))
            return diag_set(why, PBSE_SYSTEM, "%s is too long", args[1]);
        return rows[i].run(dir, path, args + 1, why);
    }
    return diag_code(why, PBSE_IVALREQ);
}
