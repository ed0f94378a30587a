/* hooks.c - the contents of hooks travel as files in the server's work directory, not
 * in requests (wire.md 7.3, cli.md 8.6). So import, export and the contents that print
 * shows are for root, or the server's own user, on the server's host.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qmgr/qmgr.h"

#include "include/pbs_error.h"
#include "lib/base/buf.h"
#include "lib/io/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONTENT_SCRIPT "application/x-python"
#define CONTENT_CONFIG "application/x-config"
#define ENCODED        "base64"

/* The words of a failed file are PBS's: its name, a dash and the system's text
 * (cli.md 8.6). */
static int fail(const struct qmgr *q, const char *file, int error)
{
    if (!q->quiet)
        fprintf(stderr, "%s - %s\n", file, strerror(error));
    return EXIT_LOCAL;
}

/* The suffix of a configuration file tells its format; that of a script has no
 * meaning. */
static const char *suffix_of(const struct qmgr_command *c)
{
    const char *slash = strrchr(c->words[WORD_FILE], '/');
    const char *dot = strrchr(c->words[WORD_FILE], '.');

    if (strcmp(c->words[WORD_CONTENT_TYPE], CONTENT_CONFIG) != 0 || !dot ||
        (slash && dot < slash))
        return "";
    return dot;
}

/* A name in the work directory that nobody else uses; the caller frees it. The file is
 * there, empty and ours. NULL with errno. */
static char *make_work_file(const char *suffix)
{
    struct conf *conf = NULL;
    struct diag why = { 0 };
    char *path;
    int fd;

    /* Without settings there is no directory, and the caller's message says as much. */
    if (conf_load(&conf, &why)) {
        errno = ENOENT;
        return NULL;
    }
    path = xasprintf("%s/server_priv/hooks/tmp/qmgr_hook%ldXXXXXX%s", conf->home,
                     (long)getpid(), suffix);
    conf_free(conf);
    /* The user's file name must not lead out of the directory. */
    MUST(!strchr(suffix, '/'));
    fd = mkostemps(path, (int)strlen(suffix), O_CLOEXEC);
    if (fd >= 0) {
        close(fd);
        return path;
    }
    free(path);
    return NULL;
}

static const char *base_name(const char *path)
{
    return strrchr(path, '/') + 1;
}

/* Who cannot use the work directory is told by the server why, if it has a reason: most
 * users may not see hooks at all, and that is the better answer than a directory that
 * they cannot write to. */
static int no_work_file(struct qmgr *q, const struct qmgr_target *t, int object,
                        const char *name, int error)
{
    struct batch_status *found =
        pbs_stathook(t->server->conn, (char *)name, NULL,
                     object == MGR_OBJ_PBS_HOOK ? PBS_HOOK : SITE_HOOK);

    if (!found && pbs_errno)
        return qmgr_refused(q, t, name);
    pbs_statfree(found);
    if (!q->quiet)
        fprintf(stderr,
                "qmgr: no file can be made in the hooks directory of the server: %s\n"
                "qmgr: contents of hooks are moved by root on the server's host\n",
                strerror(error));
    return EXIT_LOCAL;
}

/* The words of a refused script are fixed, and do not say what is wrong with it. */
static int refused(struct qmgr *q, const struct qmgr_target *t, const char *name)
{
    static const char fixed[] = "Failed to compile script";
    const char *text = cmd_error_text(t->server->conn);
    bool advise =
        q->hints && !q->quiet && text && strncmp(text, fixed, sizeof(fixed) - 1) == 0;
    int code = qmgr_refused(q, t, name);

    if (advise)
        fputs("qmgr: the server's log says in which line and why\n", stderr);
    return code;
}

/* One request about a work file; 0, or a code after telling. */
static int ask(struct qmgr *q, const struct qmgr_target *t, int command, int object,
               const char *name, const char *work, const char *content_type,
               const char *encoding)
{
    bool import = command == MGR_CMD_IMPORT;
    struct attropl type = { NULL, (char *)"content-type", NULL, (char *)content_type,
                            SET };
    struct attropl code = { &type, (char *)"content-encoding", NULL, (char *)encoding,
                            SET };
    struct attropl file = { &code, (char *)(import ? "input-file" : "output-file"),
                            NULL, (char *)base_name(work), SET };

    if (pbs_manager(t->server->conn, command, object, (char *)name, &file, NULL) != 0)
        return refused(q, t, name);
    t->server->used_at = time(NULL);
    /* A success may carry a text, as that the old contents were overwritten (8.3). */
    if (import && cmd_error_text(t->server->conn) && !q->quiet)
        fprintf(stderr, "%s\n", cmd_error_text(t->server->conn));
    return 0;
}

/* All of 'from' into 'to'; 0 or an errno value. */
static int copy_stream(FILE *from, FILE *to)
{
    char block[65536];
    size_t n;

    while ((n = fread(block, 1, sizeof(block), from)) > 0)
        if (fwrite(block, 1, n, to) != n)
            return errno ? errno : EIO;
    return ferror(from) ? EIO : 0;
}

/* Of a directory fopen() makes a stream that cannot be read; it is refused before, so
 * that the message names what is wrong. */
static int copy_file(const char *from, const char *to)
{
    FILE *in = fopen(from, "re");
    FILE *out = in ? fopen(to, "we") : NULL;
    int err = out ? 0 : errno;
    struct stat st;

    if (in && fstat(fileno(in), &st) == 0 && S_ISDIR(st.st_mode))
        err = EISDIR;
    if (!err)
        err = copy_stream(in, out);
    if (out && fclose(out) && !err)
        err = errno;
    if (in)
        fclose(in);
    return err;
}

/* Lines of standard input into 'to', which may be NULL: what belongs to the contents
 * must not be taken for commands, even when it cannot be kept. 0 or an errno value. */
static int copy_lines(const struct qmgr *q, struct qmgr_input *in, bool encoded,
                      FILE *to)
{
    const char *wrong;
    char *line;
    int err = 0;

    while ((line = qmgr_input_raw(in, &wrong))) {
        bool last = encoded && *line == '\0' && !wrong;

        if (wrong && !q->quiet)
            fprintf(stderr, "qmgr: line %lu %s\n", qmgr_input_line_number(in), wrong);
        if (wrong)
            err = EMSGSIZE;
        if (!last && to && fprintf(to, "%s\n", line) < 0)
            err = EIO;
        free(line);
        if (last)
            break;
    }
    return err;
}

/* What follows on standard input: encoded text ends at an empty line, so that commands
 * can go on behind it; a plain text may have such lines and goes on to the end. It is
 * taken byte by byte then, except from a terminal, which is read by lines. */
static int copy_input(struct qmgr *q, const struct qmgr_command *c, const char *to,
                      bool *empty)
{
    bool encoded = strcmp(c->words[WORD_ENCODING], ENCODED) == 0;
    struct qmgr_input *in = q->input ? q->input : qmgr_input_open();
    FILE *out = fopen(to, "we");
    int err = out ? 0 : errno, failed;

    if (!out || encoded || qmgr_input_is_terminal(in))
        failed = copy_lines(q, in, encoded, out);
    else
        failed = copy_stream(stdin, out);
    err = err ? err : failed;
    *empty = out && ftell(out) == 0;
    if (!q->input)
        qmgr_input_close(in);
    if (out && fclose(out) && !err)
        err = errno;
    return err;
}

int qmgr_import(struct qmgr *q, const struct qmgr_command *c, const char *name,
                const struct qmgr_target *t)
{
    const char *from = c->words[WORD_FILE];
    bool is_input = strcmp(from, "-") == 0, empty = false;
    char *work;
    int err, code = 0;

    /* The commonest mistake is found before anything is made in the server's directory.
     */
    if (!is_input && access(from, R_OK) != 0)
        return fail(q, from, errno);
    work = make_work_file(suffix_of(c));
    if (!work)
        return no_work_file(q, t, c->object, name, errno);
    err = is_input ? copy_input(q, c, work, &empty) : copy_file(from, work);
    if (err == EMSGSIZE) /* told with the number of the line */
        code = EXIT_LOCAL;
    else if (err)
        code = fail(q, is_input ? work : from, err);
    else if (!empty) /* print shows a missing configuration as nothing */
        code = ask(q, t, MGR_CMD_IMPORT, c->object, name, work,
                   c->words[WORD_CONTENT_TYPE], c->words[WORD_ENCODING]);
    /* The server has read the file by the time it answers. */
    unlink(work);
    free(work);
    return code;
}

/* The server writes into a file that is ours already: it need not know where the user
 * wants the contents, nor be allowed to write there. */
int qmgr_export(struct qmgr *q, const struct qmgr_command *c, const char *name,
                const struct qmgr_target *t)
{
    const char *to = c->words[WORD_FILE];
    char *work = make_work_file("");
    int code, err = 0;

    if (!work)
        return no_work_file(q, t, c->object, name, errno);
    code = ask(q, t, MGR_CMD_EXPORT, c->object, name, work, c->words[WORD_CONTENT_TYPE],
               c->words[WORD_ENCODING]);
    if (!code && to) {
        err = copy_file(work, to);
    } else if (!code) {
        FILE *in = fopen(work, "re");

        err = in ? copy_stream(in, stdout) : errno;
        if (in)
            fclose(in);
    }
    if (err)
        code = fail(q, to ? to : work, err);
    unlink(work);
    free(work);
    return code;
}

/* The contents as an import command with the text behind it, encoded and ended by an
 * empty line: so a dump may hold any bytes and be read as lines (cli.md 8.5). */
static int print_one(struct qmgr *q, const struct qmgr_target *t, int object,
                     const char *name, const char *content_type)
{
    char *work = make_work_file("");
    FILE *in;
    int code, err;

    if (!work)
        return no_work_file(q, t, object, name, errno);
    code = ask(q, t, MGR_CMD_EXPORT, object, name, work, content_type, ENCODED);
    if (code == 0) {
        printf("import %s %s %s " ENCODED " -\n", qmgr_object_word(object), name,
               content_type);
        in = fopen(work, "re");
        err = in ? copy_stream(in, stdout) : errno;
        if (in)
            fclose(in);
        putchar('\n');
        if (err)
            code = fail(q, work, err);
    }
    unlink(work);
    free(work);
    return code;
}

int qmgr_print_contents(struct qmgr *q, const struct qmgr_target *t, int object,
                        const char *name)
{
    int code = 0;

    if (object != MGR_OBJ_PBS_HOOK) /* the scripts of pbs hooks are not the site's */
        code = print_one(q, t, object, name, CONTENT_SCRIPT);
    return code ? code : print_one(q, t, object, name, CONTENT_CONFIG);
}
