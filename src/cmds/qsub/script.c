/* script.c - the job script: directives at its head, the text that will run
 * (cli.md 3.4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qsub/qsub.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DIRECTIVE_WORDS_MAX 128
#define DEFAULT_PREFIX      "#PBS"

int qsub_split(char *line, char **words, int max_words)
{
    char *out = line;
    int n = 0;

    for (char *p = line;;) {
        char quote = '\0';

        p += strspn(p, " \t\n\v\f\r");
        if (*p == '\0')
            return n;
        /* The words and their place are the caller's, and a line may have any number of
         * them. */
        if (n == max_words)
            return -2;
        words[n++] = out;
        for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
            /* A word never becomes longer than it was, so it can be written over the
             * line that it is read from. */
            if (*p == '\\' && p[1])
                *out++ = *++p;
            else if (quote && *p == quote)
                quote = '\0';
            else if (!quote && (*p == '"' || *p == '\''))
                quote = *p;
            else
                *out++ = *p;
        }
        if (quote)
            return -1;
        if (*p)
            p++;
        *out++ = '\0';
    }
}

static int bad_directive(int n, char **words)
{
    fprintf(stderr, "%s: directive error: ", CMD);
    for (int i = 1; i <= n; i++)
        fprintf(stderr, "%s ", words[i]);
    fputc('\n', stderr);
    return 1;
}

static int carry_out(struct qsub *q, const char *text)
{
    char *words[DIRECTIVE_WORDS_MAX + 2] = { (char *)CMD };
    char *copy = xstrdup(text), *shown = xstrdup(text);
    int n = qsub_split(copy, words + 1, DIRECTIVE_WORDS_MAX), operand = 0, bad = 0;

    if (n == -1) {
        fprintf(stderr, "%s: unmatched quote\n", CMD);
        bad = 1;
    } else if (n < 0) {
        fprintf(stderr, "%s: directive error: %s\n", CMD, shown);
        bad = 1;
    } else {
        char *given[DIRECTIVE_WORDS_MAX + 2];

        /* getopt changes the order of the words; a complaint shows them as they were
         * written. */
        memcpy(given, words, sizeof(given));
        bad = qsub_options(q, n + 1, words, LEVEL_DIRECTIVE, &operand);
        if (bad == -1 || (bad == 0 && operand < n + 1))
            bad = bad_directive(n, given);
    }
    free(copy);
    free(shown);
    return bad;
}

static const char *prefix_of(const struct qsub *q)
{
    const char *env = getenv("PBS_DPREFIX");

    if (q->prefix)
        return q->prefix;
    return env ? env : DEFAULT_PREFIX;
}

/* True when the script's own commands begin with this line. Directives count only
 * before the first command of the script. A line that begins with ':' is no command
 * here, which is PBS's rule (cli.md 3.4). */
static bool is_executable(const char *line)
{
    const char *p = line + strspn(line, " \t\n");

    return line[0] != ':' && *p != '\0' && *p != '#';
}

/* A shell would take the carriage return as part of the last word, and fail with words
 * that help nobody. */
static bool is_of_dos(const char *line, ssize_t len)
{
    if (len < 2 || strcmp(line + len - 2, "\r\n") != 0)
        return false;
    fprintf(stderr, "%s: script contains cr, lf\n", CMD);
    return true;
}

/* Add following lines while this one ends in a backslash; false when one of them ends
 * as no line of a script does. */
static bool join_lines(struct buf *line, FILE *in, char **next, size_t *cap)
{
    for (;;) {
        size_t len = line->len;
        ssize_t got;

        while (len > 0 && isspace((unsigned char)line->data[len - 1]))
            len--;
        if (len == 0 || line->data[len - 1] != '\\')
            return true;
        /* The backslash and what stands behind it go; the copy of the script keeps the
         * joined line. */
        line->len = len - 1;
        line->data[line->len] = '\0';
        got = getline(next, cap, in);
        if (got <= 0)
            return true;
        if (is_of_dos(*next, got))
            return false;
        buf_add(line, *next, (size_t)got);
    }
}

static int directive(struct qsub *q, struct buf *line, const char *prefix)
{
    char *text = line->data + strspn(line->data, " \t") + strlen(prefix);
    size_t len = strcspn(text, "\n");
    char *copy = xstrndup(text, len);
    int bad = carry_out(q, copy);

    free(copy);
    return bad;
}

int qsub_script(struct qsub *q, FILE *in, FILE *out)
{
    const char *prefix = prefix_of(q);
    struct buf line = { 0 };
    char *next = NULL;
    size_t cap = 0;
    bool head = *prefix != '\0';
    ssize_t got;
    int bad = 0;

    while (!bad && (got = getline(&next, &cap, in)) > 0) {
        if (is_of_dos(next, got)) {
            bad = 1;
            break;
        }
        buf_clear(&line);
        buf_add(&line, next, (size_t)got);
        const char *first = line.data + strspn(line.data, " \t");
        if (head && strncmp(first, prefix, strlen(prefix)) == 0) {
            bad = join_lines(&line, in, &next, &cap) ? directive(q, &line, prefix) : 1;
        } else if (head && strncmp(line.data, "#!", 2) != 0 &&
                   is_executable(line.data)) {
            /* Comments and blank lines do not end the head, and commands do. */
            head = false;
        }
        /* The caller asks the stream what was wrong, and tells it. */
        if (fwrite(line.data, 1, line.len, out) != line.len)
            bad = 1;
    }
    /* What could be read before an error is not the script that was meant. */
    if (!bad && ferror(in)) {
        fprintf(stderr, "%s: could not read the script: %s\n", CMD, strerror(errno));
        bad = 1;
    }
    buf_fini(&line);
    free(next);
    return bad;
}
