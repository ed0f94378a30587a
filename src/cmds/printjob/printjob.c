/* printjob.c - see printjob.h.
 *
 * The store is looked into and not asked for: the command works whether or not a server
 * runs, for who may read the store.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/printjob/printjob.h"

#include "cmds/common/cmd.h"
#include "cmds/common/operand.h"
#include "lib/io/conf.h"
#include "lib/wire/job_notes.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] = "usage: printjob [-a] jobid|file ...\n"
                            "       printjob -s jobid ...\n"
                            "       printjob --version | --help\n"
                            "Shows the record of a job: that in a file of a MoM "
                            "(PBS_HOME/mom_priv/jobs/*.JB),\n"
                            "or that in the server's store.\n"
                            "  -a  without the attributes\n"
                            "  -s  the job's script instead\n";

struct options {
    bool without_attrs, script;
    struct conf *conf;
};

static bool read_all(int fd, struct buf *out, const char **why)
{
    char piece[65536];
    ssize_t n;

    while ((n = read(fd, piece, sizeof(piece))) > 0) {
        buf_add(out, piece, (size_t)n);
        if (out->len > JOB_FILE_MAX_BYTES) {
            *why = "it is too large for a job's record";
            return false;
        }
    }
    if (n < 0)
        *why = strerror(errno);
    return n == 0;
}

/* A pipe in the place of a file would keep the command waiting for ever. */
static bool read_file(const char *path, struct buf *out, const char **why)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    bool ok = false;

    if (fd < 0)
        *why = strerror(errno);
    else if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        *why = "it is no plain file";
    else
        ok = read_all(fd, out, why);
    if (fd >= 0)
        close(fd);
    return ok;
}

static int print_file(const struct options *o, const char *path)
{
    struct arena *arena = arena_new();
    const char *why = "it is no record of a job, or is damaged";
    struct job_record r;
    struct job_file f;
    struct buf b = { 0 }, record = { 0 };
    bool ok = read_file(path, &b, &why) && b.data;

    if (ok) {
        f = job_file_read(b.data, b.len);
        ok = job_notes_fold(&f, &record);
        if (!ok)
            why = "the notes behind its record are damaged";
        ok = ok && job_record_decode(record.data, record.len, arena, &r);
    }
    if (ok)
        show_mom_file(&r, path, !o->without_attrs);
    else
        fprintf(stderr, "%s: %s: %s\n", CMD, path, why);
    buf_fini(&b);
    buf_fini(&record);
    arena_free(arena);
    return ok ? 0 : 1;
}

/* 0, or the exit status after the reason was said. */
static int print_found(const struct options *o, const struct store_record *job)
{
    if (!o->script) {
        show_stored(job, !o->without_attrs);
    } else if (!show_script(job)) {
        fprintf(stderr, "%s: job %s has no script\n", CMD, job->id);
        return 1;
    }
    return 0;
}

/* The script of a subjob is that of its array: "5[3].server" becomes "5[].server". */
static void name_array(char id[OPERAND_MAX])
{
    char *open = strchr(id, '['), *end = open ? strchr(open, ']') : NULL;

    if (end)
        memmove(open + 1, end, strlen(end) + 1);
}

static int print_stored(const struct options *o, const char *text)
{
    const struct store_config cfg = { .url = conf_store(o->conf),
                                      .password_file = o->conf->store_password_file };
    char id[OPERAND_MAX], server[OPERAND_MAX];
    struct arena *arena;
    struct store_record job;
    bool found = false;
    struct diag why;
    int code;

    if (!operand_job(text, id, server)) {
        fprintf(stderr, "%s: illegally formed job identifier: %s\n", CMD, text);
        return 1;
    }
    if (o->script)
        name_array(id);
    arena = arena_new();
    if (store_peek(&cfg, "job", id, arena, &job, &found, &why) != 0) {
        fprintf(stderr, "%s: %s\n", CMD, why.text);
        code = 1;
    } else if (!found) {
        fprintf(stderr, "Job %s not found\n", id);
        code = 1;
    } else {
        code = print_found(o, &job);
    }
    arena_free(arena);
    return code;
}

/* What names a file is one; a job is known by its digits. */
static int print_one(const struct options *o, const char *text)
{
    return !o->script && (strchr(text, '/') || access(text, F_OK) == 0)
               ? print_file(o, text)
               : print_stored(o, text);
}

static int run(struct options *o, char **operands)
{
    struct diag why;
    int code = 0;

    if (conf_load(&o->conf, &why) != 0) {
        fprintf(stderr, "%s: %s\n", CMD, why.text);
        return 1;
    }
    for (; *operands; operands++)
        code |= print_one(o, *operands);
    conf_free(o->conf);
    return code;
}

int main(int argc, char **argv)
{
    struct options o = { 0 };
    int letter;

    if (cmd_told(argc, argv, usage))
        return cmd_finish(CMD, 0);
    while ((letter = getopt(argc, argv, "as")) != -1) {
        if (letter == '?') {
            fputs(usage, stderr);
            return 1;
        }
        o.without_attrs |= letter == 'a';
        o.script |= letter == 's';
    }
    if (optind == argc || (o.without_attrs && o.script)) {
        fputs(usage, stderr);
        return 1;
    }
    return cmd_finish(CMD, run(&o, argv + optind));
}
