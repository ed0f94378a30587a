/* cmd.c - see cmd.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/cmd.h"

#include "cmds/common/explain.h"
#include "include/pbs_error.h"
#include "lib/base/diag.h"
#include "lib/base/version.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A standard stream that the caller closed must not become the number of a socket: what
 * is printed would go to the server. Reading and writing fail as they should. */
static void hold_standard_streams(void)
{
    static const int modes[] = { O_WRONLY, O_RDONLY, O_RDONLY };

    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd)
            return;
}

bool cmd_told(int argc, char **argv, const char *usage)
{
    hold_standard_streams();
    /* These options count only when they stand alone. */
    if (argc != 2)
        return false;
    if (strcasecmp(argv[1], "--version") == 0) {
        fputs(VERSION_TEXT, stdout);
        return true;
    }
    if (strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return true;
    }
    return false;
}

int cmd_finish(const char *cmd, int code)
{
    /* The output is buffered, so a full disk may show only when it is flushed. A code
     * that the command has already is kept. */
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "%s: could not write all of the output: %s\n", cmd,
            errno ? strerror(errno) : "stdout has failed");
    return code ? code : 1;
}

/* The library leaves in errno what a failed system call said, and 0 where none failed.
 * An error that has neither a text here nor an errno has no first line (cli.md 1.5). */
void cmd_print_connect_error(void)
{
    static const struct {
        int code;
        const char *text;
    } texts[] = {
        { PBSE_BADHOST, "Unknown Host." },
        { PBSE_NOCONNECTS, "Too many open connections." },
        { PBSE_NOSERVER, "No default server name." },
        { PBSE_PERM, "No Permission." },
        { PBSE_PROTOCOL, "Communication failure." },
        { PBSE_NOSUP, "No support for requested service." },
    };
    /* Printing may change errno, so it is read before. */
    const int system_errno = errno;

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        if (pbs_errno == texts[i].code) {
            fprintf(stderr, "%s\n", texts[i].text);
            return;
        }
    }
    if (pbs_errno == PBSE_SYSTEM && system_errno == 0)
        fputs("System call failure.\n", stderr);
    else if (system_errno != 0)
        fprintf(stderr, "%s\n", strerror(system_errno));
}

int cmd_connect(const char *cmd, const char *server)
{
    int conn = pbs_connect(server);

    if (conn >= 0)
        return conn;
    cmd_print_connect_error();
    /* The library's variable has the server that was tried last, which is the default
     * one when 'server' is empty. */
    fprintf(stderr, "%s: cannot connect to server %s (errno=%d)\n", cmd, pbs_server,
            pbs_errno);
    return -1;
}

int cmd_connect_operator(const char *cmd, const char *server)
{
    int conn = pbs_connect(server);

    if (conn >= 0)
        return conn;
    cmd_print_connect_error();
    fprintf(stderr, "%s: could not connect to server %s (%d)\n", cmd,
            server ? server : "", pbs_errno);
    return -1;
}

const char *cmd_error_text(int conn)
{
    const char *text = pbs_geterrmsg(conn);

    return text && *text ? text : NULL;
}

/* The text of the catalogue when the reply had none; NULL for one that says nothing
 * without the words that belong behind its colon. */
static const char *text_of_code(int code)
{
    const char *text = pbse_text(code);
    size_t len = text ? strlen(text) : 0;

    if (len == 0) /* PBS has none for 15059, say */
        return NULL;
    return len >= 2 && strcmp(text + len - 2, ": ") == 0 ? NULL : text;
}

void cmd_print_error(const char *cmd, int conn, const char *kind, const char *object)
{
    const char *text = cmd_error_text(conn);

    if (!text)
        text = text_of_code(pbs_errno);
    /* Some texts of the catalogue end in a blank, which gives two before the object.
     * That is PBS's output, and is compared (cli.md 1.6). */
    if (text)
        fprintf(stderr, "%s: %s%s%s\n", cmd, text, object ? " " : "",
                object ? object : "");
    else if (object)
        fprintf(stderr, "%s: Server returned error %d for %s %s\n", cmd, pbs_errno,
                kind, object);
    else
        fprintf(stderr, "%s: Error (%d)\n", cmd, pbs_errno);
}

int cmd_exit_code(int error)
{
    int low = error & 255;

    /* The shell sees the low byte of PBS's number (cli.md 1.7). An error whose low byte
     * is 0 must not look like success. */
    return error != 0 && low == 0 ? 255 : low;
}

bool cmd_print_bad_attribute(const char *cmd, int conn, const struct cmd_option *map,
                             size_t n, const struct attr_table *table,
                             const char *usage)
{
    const struct ecl_attribute_errors *bad = pbs_get_attributes_in_error(conn);
    const struct attropl *attr;
    struct buf words = { 0 };

    if (!bad || bad->ecl_numerrors <= 0)
        return false;
    /* Only the first of the attributes in error is told. */
    attr = bad->ecl_attrerr[0].ecl_attribute;
    /* A name that is too long has a line of its own, without the usage text and with a
     * blank at its end (cli.md 2). */
    if (bad->ecl_attrerr[0].ecl_errcode == PBSE_JOBNBIG) {
        fprintf(stderr, "%s: %s name is too long \n", cmd,
                strcasecmp(attr->name, ATTR_N) == 0 ? "Job" : "Reservation");
        return true;
    }
    for (size_t i = 0; attr && i < n; i++) {
        if (strcasecmp(attr->name, map[i].attr) != 0)
            continue;
        if (map[i].resource &&
            (!attr->resource || strcasecmp(attr->resource, map[i].resource) != 0))
            continue;
        fprintf(stderr, "%s: illegal -%c value\n", cmd, map[i].letter);
        explain_value(table, attr, &words);
        explain_say(cmd, words.data);
        buf_fini(&words);
        fputs(usage, stderr);
        return true;
    }
    return false;
}
