/* environment.c - Variable_List: what the submitter's surroundings were (cli.md 3.6).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qsub/qsub.h"

#include "lib/io/conf.h"
#include <limits.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

extern char **environ;

/* The characters of a value that was not typed for -v, and that mean something in the
 * list: a comma ends the value, and a backslash takes that meaning away. The
 * name of a directory may end in one. */
#define PROTECTED ",\\"

/* $PWD when it really is where we are (it may hold symbolic links), else getcwd(). */
static void add_workdir(struct buf *out)
{
    const char *pwd = getenv("PWD");
    struct stat a, b;
    char cwd[PATH_MAX];

    if (pwd && stat(pwd, &a) == 0 && stat(".", &b) == 0 && a.st_dev == b.st_dev &&
        a.st_ino == b.st_ino)
        variable_add(out, "PBS_O_WORKDIR", pwd, PROTECTED);
    else if (getcwd(cwd, sizeof(cwd)))
        variable_add(out, "PBS_O_WORKDIR", cwd, PROTECTED);
}

/* How the host of an interactive job is to prove itself; without settings the command
 * fails later, with words of its own. */
static void add_interactive(struct buf *out)
{
    struct conf *conf;
    struct diag why;

    if (conf_load_without_ports(&conf, &why) != 0)
        return;
    variable_add(out, "PBS_O_INTERACTIVE_AUTH_METHOD", conf->interactive_auth_method,
                 PROTECTED);
    variable_add(out, "PBS_O_INTERACTIVE_ENCRYPT_METHOD",
                 conf->interactive_encrypt_method, PROTECTED);
    conf_free(conf);
}

/* PBS_O_ names are made here and nobody else may set them. The cookies are secrets of a
 * job that qsub may have been started in. */
static bool is_kept_back(const char *name)
{
    return strncmp(name, "PBS_O_", 6) == 0 || strncmp(name, "PBS_JOBCOOKIE", 13) == 0 ||
           strncmp(name, "PBS_INTERACTIVE_COOKIE", 22) == 0;
}

/* One "name" or "name=value" of -v at *at, which moves behind its comma. */
static bool take_variable(struct buf *out, const char **at)
{
    size_t name_len = strcspn(*at, "=,");
    char *name = xstrndup(*at, name_len);
    const char *p = *at + name_len;
    struct buf value = { 0 };
    bool ok = true;

    if (*p == '=') {
        char quote = '\0';

        for (p++; *p && (quote || *p != ','); p++) {
            /* The backslash travels on together with what it protects (cli.md 3.6). */
            if (*p == '\\' && p[1]) {
                buf_add(&value, p, 2);
                p++;
            } else if (quote && *p == quote) {
                quote = '\0';
            } else if (!quote && (*p == '"' || *p == '\'')) {
                quote = *p;
            } else {
                /* A backslash that protects nothing must not protect the comma that
                 * the next variable stands behind. */
                if ((quote && *p == ',') || *p == '\\')
                    buf_add_char(&value, '\\');
                buf_add_char(&value, *p);
            }
        }
        /* An empty value still needs its NUL byte. */
        buf_add(&value, "", 0);
        if (strncmp(name, "PBS_O_", 6) != 0)
            variable_add(out, name, value.data, "");
    } else if (name_len > 0 && !is_kept_back(name)) {
        const char *own = getenv(name);

        ok = own != NULL;
        if (ok)
            /* A value from the environment was never quoted by anybody, so all four
             * characters are protected here; one that was typed behind "=" has been
             * read above. */
            variable_add(out, name, own, "\"',\\");
    }
    *at = *p == ',' ? p + 1 : p;
    buf_fini(&value);
    free(name);
    return ok;
}

/* Functions that a shell exports lie in the environment line by line; their lines are
 * joined behind each semicolon (cli.md 3.6). */
static void add_function(struct buf *out, const char *name, const char *value)
{
    char *joined = xstrdup(value), *to = joined;

    for (const char *p = joined; *p; p++)
        if (*p != '\n' || p == joined || p[-1] != ';')
            *to++ = *p;
    *to = '\0';
    variable_add(out, name, joined, "\"',\\");
    free(joined);
}

static void add_all(struct buf *out)
{
    for (char **e = environ; *e; e++) {
        char *equals = strchr(*e, '=');
        char *name;

        /* A list with commas has no word for a variable whose name has one. */
        if (!equals || is_kept_back(*e) || memchr(*e, ',', (size_t)(equals - *e)))
            continue;
        name = xstrndup(*e, (size_t)(equals - *e));
        if (strncmp(equals + 1, "() {", 4) == 0)
            add_function(out, name, equals + 1);
        else
            variable_add(out, name, equals + 1, "\"',\\");
        free(name);
    }
}

/* The canonical name of this host. */
static void add_host(struct buf *out)
{
    struct addrinfo hints = { .ai_family = AF_INET, .ai_flags = AI_CANONNAME }, *found;
    char host[256] = "localhost";

    gethostname(host, sizeof(host) - 1);
    /* The job's host sends files back to this name, so it should be one that others
     * know. A host that cannot look up its own name still submits. */
    if (getaddrinfo(host, NULL, &hints, &found) == 0) {
        variable_add(out, "PBS_O_HOST",
                     found->ai_canonname ? found->ai_canonname : host, ",");
        freeaddrinfo(found);
    } else {
        variable_add(out, "PBS_O_HOST", host, ",");
    }
}

int qsub_environment(struct qsub *q)
{
    static const char *const copied[] = { "LANG", "LOGNAME", "PATH",
                                          "MAIL", "SHELL",   "TZ" };
    const char *home = getenv("HOME");
    struct buf out = { 0 };
    struct utsname uts;

    variable_add(&out, "PBS_O_HOME", home ? home : "/", PROTECTED);
    for (size_t i = 0; i < ARRAY_LEN(copied); i++) {
        const char *value = getenv(copied[i]);
        char name[32];

        snprintf(name, sizeof(name), "PBS_O_%s", copied[i]);
        if (value)
            variable_add(&out, name, value, PROTECTED);
    }
    add_interactive(&out);
    add_workdir(&out);
    if (uname(&uts) == 0)
        variable_add(&out, "PBS_O_SYSTEM", uts.sysname, ",");
    for (const char *p = q->variables; p && *p;) {
        const char *name = p;

        if (!take_variable(&out, &p)) {
            fprintf(stderr, "%s: cannot send environment with the job\n", CMD);
            fprintf(stderr,
                    "%s: -v names \"%.*s\", which is not set here; export it, or say "
                    "-v name=value\n",
                    CMD, (int)strcspn(name, ","), name);
            buf_fini(&out);
            return 1;
        }
    }
    if (q->all_variables)
        add_all(&out);
    add_host(&out);
    MUST(out.len > 0); /* PBS_O_HOME is always there */
    attrs_set(&q->attrs, "Variable_List", NULL, out.data);
    buf_fini(&out);
    return 0;
}
