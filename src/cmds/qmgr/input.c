/* input.c - lines from standard input: with a prompt, editing, history and completion
 * at a terminal, as they come otherwise (cli.md 8, 8.1).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qmgr/qmgr.h"

#include "lib/base/buf.h"
#include "lib/io/conf.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HISTORY_LINES  500               /* cli.md 8 */
#define LINE_BYTES_MAX ((size_t)1 << 20) /* input without line ends takes no more */

struct qmgr_input {
    bool terminal;  /* standard input is one */
    EditLine *edit; /* NULL unless the output is one too */
    History *history;
    bool goes_on; /* the prompt of a continuation */
    bool raw;     /* no prompt at all */
    unsigned long line_number;
    unsigned long wrong_number; /* of the line that was found wrong last */
};

static char *history_path_of_user(void)
{
    const char *home = getenv("HOME");

    return home && *home ? xasprintf("%s/.pbs_qmgr_history", home) : NULL;
}

/* For users without a home directory, and those who may not write to it. The user's
 * name is in the file's name because all of them share the spool (cli.md 8). */
static char *history_path_of_spool(void)
{
    const struct passwd *pw = getpwuid(getuid());
    struct conf *conf = NULL;
    struct diag why = { 0 };
    char *path;

    if (!pw || conf_load(&conf, &why))
        return NULL;
    path = xasprintf("%s/spool/.pbs_qmgr_history_%s", conf->home, pw->pw_name);
    conf_free(conf);
    return path;
}

/* Open our own plain file. Everybody may write to the spool, so anything else under
 * that name is left alone. */
static FILE *open_own(const char *path, int flags, const char *mode)
{
    int fd = path ? open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
    struct stat st;
    FILE *f;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
        st.st_nlink != 1) {
        close(fd);
        return NULL;
    }
    f = fdopen(fd, mode);
    if (!f)
        close(fd);
    return f;
}

static FILE *open_history(int flags, const char *mode)
{
    char *(*const paths[])(void) = { history_path_of_user, history_path_of_spool };
    FILE *f = NULL;

    for (size_t i = 0; i < ARRAY_LEN(paths) && !f; i++) {
        char *path = paths[i]();

        f = open_own(path, flags, mode);
        free(path);
    }
    return f;
}

/* One command a line; blanks and unprintable characters are coded by the library. */
static void load_history(struct qmgr_input *in)
{
    FILE *f = open_history(O_RDONLY, "r");
    char *line = NULL;
    size_t cap = 0;
    HistEvent event;

    while (f && getline(&line, &cap, f) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (*line)
            history(in->history, &event, H_ENTER, line);
    }
    free(line);
    if (f)
        fclose(f);
}

/* The file is cut only after it was found to be ours. What cannot be saved is lost
 * without a word: a history is no reason to fail a command that has done its work. */
static void save_history(struct qmgr_input *in)
{
    FILE *f = open_history(O_WRONLY | O_CREAT, "w");
    HistEvent event;

    if (!f)
        return;
    if (ftruncate(fileno(f), 0) == 0)
        for (int more = history(in->history, &event, H_LAST); more >= 0;
             more = history(in->history, &event, H_PREV))
            fprintf(f, "%.*s\n", (int)strcspn(event.str, "\n"), event.str);
    fclose(f);
}

int qmgr_input_history(struct qmgr_input *in, const char *count)
{
    /* No number, and none above 0, means all of the lines. */
    long wanted = count ? strtol(count, NULL, 10) : 0;
    long skip;
    HistEvent event;

    if (!in || !in->history || history(in->history, &event, H_GETSIZE) < 0)
        return 0;
    skip = wanted > 0 && wanted < event.num ? event.num - wanted : 0;
    for (int more = history(in->history, &event, H_LAST); more >= 0;
         more = history(in->history, &event, H_PREV))
        if (skip-- <= 0)
            printf("%d\t%.*s\n", event.num, (int)strcspn(event.str, "\n"), event.str);
    return 0;
}

/* The line that "!n" stands for, NULL after saying that there is none. */
static char *recall(struct qmgr_input *in, const char *typed)
{
    char *end;
    long wanted = strtol(typed + 1, &end, 10);
    HistEvent event;

    for (int more = history(in->history, &event, H_LAST); more >= 0;
         more = history(in->history, &event, H_PREV)) {
        if (end > typed + 1 && event.num == wanted) {
            char *line = xstrndup(event.str, strcspn(event.str, "\n"));

            printf("%s\n", line);
            return line;
        }
    }
    printf("No item %.*s in history\n", (int)strcspn(typed + 1, " \t\n"), typed + 1);
    return NULL;
}

/* libedit asks for the prompt whenever it draws the line, and frees nothing. */
static char *prompt(EditLine *el)
{
    static char first[] = "Qmgr: ", more[] = "Qmgr< ", none[] = "";
    struct qmgr_input *in;

    el_get(el, EL_CLIENTDATA, &in);
    if (in->raw)
        return none;
    return in->goes_on ? more : first;
}

struct found {
    char *common; /* what all have in common, NULL before the first */
    size_t n;
    struct buf all;
};

static void add_found(const char *word, void *arg)
{
    struct found *f = arg;
    size_t same = 0;

    buf_printf(&f->all, "%s%s", f->n ? "  " : "", word);
    f->n++;
    if (!f->common) {
        f->common = xstrdup(word);
        return;
    }
    while (f->common[same] && f->common[same] == word[same])
        same++;
    f->common[same] = '\0';
}

/* Tab: finish the word, or as much of it as is certain, or show what it can be. */
static unsigned char complete(EditLine *el, int unused)
{
    const LineInfo *info = el_line(el);
    char *line = xstrndup(info->buffer, (size_t)(info->cursor - info->buffer));
    struct found f = { 0 };
    size_t len = qmgr_complete(line, add_found, &f);
    unsigned char how = CC_ERROR;

    (void)unused;
    /* 'len' bytes are typed already. The rest is put behind them, so that an attribute
     * keeps the letter case in which its beginning was typed. */
    if (f.n > 0 && strlen(f.common) > len && el_insertstr(el, f.common + len) == 0)
        how = CC_REFRESH;
    if (f.n == 1 && el_insertstr(el, " ") == 0) {
        how = CC_REFRESH;
    } else if (f.n > 1 && how == CC_ERROR) {
        printf("\n%s\n", f.all.data);
        how = CC_REDISPLAY;
    }
    free(f.common);
    buf_fini(&f.all);
    free(line);
    return how;
}

static void start_editing(struct qmgr_input *in)
{
    HistEvent event;

    in->edit = el_init("qmgr", stdin, stdout, stderr);
    in->history = history_init();
    /* Without memory for one of the two, lines can still be read: each user of 'edit'
     * and 'history' asks whether it is there. */
    if (!in->edit || !in->history)
        return;
    history(in->history, &event, H_SETSIZE, HISTORY_LINES);
    load_history(in);
    el_set(in->edit, EL_CLIENTDATA, in);
    el_set(in->edit, EL_PROMPT, prompt);
    el_set(in->edit, EL_EDITOR, "emacs");
    el_set(in->edit, EL_HIST, history, in->history);
    el_set(in->edit, EL_SIGNAL, 1);
    el_set(in->edit, EL_ADDFN, "qmgr-complete", "finish a word", complete);
    el_set(in->edit, EL_BIND, "^I", "qmgr-complete", NULL);
}

struct qmgr_input *qmgr_input_open(void)
{
    struct qmgr_input *in = xcalloc(1, sizeof(*in));

    in->terminal = isatty(STDIN_FILENO);
    if (in->terminal && isatty(STDOUT_FILENO))
        start_editing(in);
    return in;
}

void qmgr_input_close(struct qmgr_input *in)
{
    if (in->edit && in->history)
        save_history(in);
    if (in->edit)
        el_end(in->edit);
    if (in->history)
        history_end(in->history);
    free(in);
}

bool qmgr_input_is_terminal(const struct qmgr_input *in)
{
    return in->terminal;
}

unsigned long qmgr_input_line_number(const struct qmgr_input *in)
{
    return in->line_number;
}

static volatile sig_atomic_t interrupted;

/* An interrupt may come just before libedit begins to read, and libedit goes on reading
 * after one signal. So an alarm follows every second until it stops. */
static void note_interrupt(int signal UNUSED)
{
    interrupted = 1;
    alarm(1);
}

/* Read a line with editing. An interrupt while a command is typed takes the line back
 * and nothing else: what is active in the session, and its history, stay. While the
 * text of a hook is typed there is nothing to take back, so an interrupt ends qmgr
 * there, after libedit has given the terminal back. */
static const char *edit_line(struct qmgr_input *in, int *n)
{
    const struct sigaction ours = { .sa_handler = note_interrupt };
    struct sigaction before, before_alarm;
    const char *typed;

    interrupted = 0;
    sigaction(SIGINT, &ours, &before);
    sigaction(SIGALRM, &ours, &before_alarm);
    typed = el_gets(in->edit, n);
    sigaction(SIGINT, &before, NULL);
    alarm(0);
    sigaction(SIGALRM, &before_alarm, NULL);
    /* The signal is raised again with its default action, so that the shell sees a
     * program that was interrupted and stops its script. */
    if (in->raw && interrupted) {
        signal(SIGINT, SIG_DFL);
        raise(SIGINT);
    }
    return typed;
}

/* A line of the terminal, NULL at the end. */
static char *read_edited(struct qmgr_input *in)
{
    int n = 0;
    const char *typed;
    bool again;

    /* libedit returns NULL both at the end of the input and after a signal; only errno
     * tells them apart. */
    errno = 0;
    typed = edit_line(in, &n);
    again = interrupted || errno == EINTR;
    if (typed && n > 0 && !interrupted)
        return xstrndup(typed, strcspn(typed, "\n"));
    putchar('\n'); /* the shell's prompt does not follow ours */
    if (!again)
        return NULL;
    el_reset(in->edit);
    return xstrdup("");
}

/* A line of a file, NULL at the end. One that no command can be sets *wrong. Its last
 * byte is kept in any case, since a backslash there says that the next line belongs to
 * it. */
static char *read_plain(const char **wrong)
{
    struct buf line = { 0 };
    bool any = false;
    int c;

    *wrong = NULL;
    while ((c = getc(stdin)) != EOF) {
        any = true;
        if (c == '\n')
            break;
        if (c == '\0')
            *wrong = "contains a NUL byte";
        else if (line.len < LINE_BYTES_MAX)
            buf_add_char(&line, (char)c);
        else {
            *wrong = "is longer than a megabyte";
            if (c != '\r')
                line.data[line.len - 1] = (char)c;
        }
    }
    if (!any) {
        buf_fini(&line);
        return NULL;
    }
    /* Files from other systems end their lines with two characters. */
    if (line.len > 0 && line.data[line.len - 1] == '\r')
        line.data[--line.len] = '\0';
    return buf_take(&line);
}

static char *read_physical(struct qmgr_input *in, const char **wrong)
{
    *wrong = NULL;
    in->line_number++;
    if (in->edit)
        return read_edited(in);
    /* Somebody types while the output goes into a file: the prompt must not go there.
     */
    if (in->terminal && !in->raw) {
        fputs(in->goes_on ? "Qmgr< " : "Qmgr: ", stderr);
        fflush(stderr);
    }
    return read_plain(wrong);
}

char *qmgr_input_raw(struct qmgr_input *in, const char **wrong)
{
    char *line;

    in->raw = true;
    line = read_physical(in, wrong);
    in->raw = false;
    return line;
}

static void remember(struct qmgr_input *in, const char *line)
{
    HistEvent event;

    if (in->edit && in->history)
        history(in->history, &event, H_ENTER, line);
}

/* Note what is wrong with a line that may go on, and where: the first fault counts. */
static void note_wrong(struct qmgr_input *in, const char **wrong, const char *words)
{
    if (*wrong || !words)
        return;
    *wrong = words;
    in->wrong_number = in->line_number;
}

/* The line and those that a backslash at the end goes on with; NULL at the end. A line
 * that no command can be is read to the end of what continues it: the rest of a value
 * must not be carried out as a command. */
static char *read_joined(struct qmgr_input *in, const char **wrong)
{
    struct buf whole = { 0 };
    const char *words;
    char *part;

    *wrong = NULL;
    in->goes_on = false;
    while ((part = read_physical(in, &words))) {
        size_t len = strlen(part);
        /* A comment does not go on: a backslash in prose must not hide a command. */
        bool comment = !in->goes_on && part[strspn(part, " \t")] == '#';
        bool more = !comment && len > 0 && part[len - 1] == '\\';

        if (interrupted) {
            free(part);
            buf_clear(&whole);
            return buf_take(&whole);
        }
        note_wrong(in, wrong, words);
        if (whole.len + len > LINE_BYTES_MAX)
            note_wrong(in, wrong, "is longer than a megabyte with what continues it");
        else
            buf_add(&whole, part, more ? len - 1 : len);
        free(part);
        if (!more)
            return buf_take(&whole);
        if (!*wrong)
            buf_add_char(&whole, ' ');
        in->goes_on = true;
    }
    /* The input has ended behind a backslash: what there is counts as the line. */
    if (in->goes_on)
        return buf_take(&whole);
    buf_fini(&whole);
    return NULL;
}

static bool says_nothing(const char *line)
{
    const char *p = line + strspn(line, " \t");

    return *p == '\0' || *p == '#';
}

enum qmgr_line qmgr_input_line(struct qmgr_input *in, char **ret)
{
    for (;;) {
        const char *wrong;
        char *line = read_joined(in, &wrong);

        *ret = NULL;
        if (!line)
            return LINE_END;
        if (wrong) {
            *ret = xasprintf("line %lu %s", in->wrong_number, wrong);
            free(line);
            return LINE_BAD;
        }
        if (in->history && line[0] == '!') {
            char *again = recall(in, line);

            free(line);
            line = again;
        }
        /* A line that was recalled is remembered too, as what it stood for: "!5" of a
         * later session would be another line. */
        if (line && !says_nothing(line)) {
            remember(in, line);
            *ret = line;
            return LINE_COMMANDS;
        }
        free(line);
    }
}
