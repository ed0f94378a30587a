/* Golden outputs of whole commands: each case of test/golden/commands is run in a child
 * of its own, against the objects of its world; what it prints, on which stream, and
 * its exit status must be as written there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/replay.h"

#include "cmds/qstat/qstat.h"
#include "lib/base/base.h"
#include "lib/base/buf.h"

#include "../unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORDS_MAX 16

static const struct {
    const char *name;
    int (*main)(int argc, char **argv);
} commands[] = {
    { "pbsnodes", replay_pbsnodes }, { "qalter", replay_qalter },
    { "qdel", replay_qdel },         { "qdisable", replay_qdisable },
    { "qenable", replay_qenable },   { "qhold", replay_qhold },
    { "qmove", replay_qmove },       { "qmsg", replay_qmsg },
    { "qorder", replay_qorder },     { "qrerun", replay_qrerun },
    { "qrls", replay_qrls },         { "qrun", replay_qrun },
    { "qselect", replay_qselect },   { "qsig", replay_qsig },
    { "qstart", replay_qstart },     { "qstat", replay_qstat },
    { "qstop", replay_qstop },       { "qsub", replay_qsub },
    { "qterm", replay_qterm },
};

static const char *golden(const char *name, const char *suffix)
{
    static char path[600];
    const char *top = getenv("top_srcdir");

    snprintf(path, sizeof(path), "%s/test/golden/commands/%s%s", top ? top : ".", name,
             suffix);
    return path;
}

/* Words between blanks, or between single quotes. */
static int split(char *line, char **words)
{
    int n = 0;

    while (*line && n < WORDS_MAX) {
        char end = *line == '\'' ? '\'' : ' ';

        line += end == '\'';
        words[n++] = line;
        line += strcspn(line, (char[]){ end, '\0' });
        if (*line)
            *line++ = '\0';
        line += strspn(line, " ");
    }
    words[n] = NULL;
    return n;
}

/* Ends without the exit handlers of this program, which are not the command's. */
static void child(char *line)
{
    char *words[WORDS_MAX + 1];
    int n = split(line, words), status = 99;

    for (size_t i = 0; n > 0 && i < ARRAY_LEN(commands); i++)
        if (strcmp(commands[i].name, words[0]) == 0)
            status = commands[i].main(n, words);
    fflush(NULL);
    _exit(status);
}

static void append_file(struct buf *out, FILE *f)
{
    char part[4096];
    size_t n;

    rewind(f);
    while ((n = fread(part, 1, sizeof(part), f)) > 0)
        buf_add(out, part, n);
    fclose(f);
}

/* A usage text is our own: it counts as a word. The time of a document is any. */
static void normalise(struct buf *text)
{
    char *usage = strstr(text->data, "sage:"), *stamp = strstr(text->data, "timestamp");

    if (usage && (usage == text->data + 1 || usage[-2] == '\n')) {
        text->len = (size_t)(usage - 1 - text->data);
        text->data[text->len] = '\0';
        buf_add_str(text, "(usage)\n");
    }
    while (stamp && (stamp = strpbrk(stamp, "0123456789,")) && *stamp != ',')
        *stamp = '#';
}

/* Run a command line; its streams and status in the form of the golden files. */
static void run_line(const char *line, const struct buf *input, struct buf *got)
{
    FILE *in = tmpfile(), *out = tmpfile(), *err = tmpfile();
    struct buf said = { 0 };
    char *copy = xstrdup(line);
    int status;
    pid_t pid;

    fwrite(input->data ? input->data : "", 1, input->len, in);
    rewind(in);
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        dup2(fileno(in), STDIN_FILENO);
        dup2(fileno(out), STDOUT_FILENO);
        dup2(fileno(err), STDERR_FILENO);
        child(copy);
    }
    waitpid(pid, &status, 0);
    fclose(in);
    append_file(got, out);
    append_file(&said, err);
    if (said.len > 0) {
        normalise(&said);
        buf_printf(got, "--- stderr\n%s", said.data);
    }
    buf_printf(got, "--- exit %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    normalise(got);
    buf_fini(&said);
    free(copy);
}

static void check_case(const char *line, const struct buf *input, struct buf *expected)
{
    struct buf got = { 0 };
    bool same;

    run_line(line, input, &got);
    normalise(expected);
    same = strcmp(got.data, expected->data) == 0;
    if (!same)
        fprintf(stderr, "%s\nexpected:\n%sgot:\n%s", line, expected->data, got.data);
    CU_ASSERT_TRUE(same);
    buf_fini(&got);
}

/* The file's text as a stream in memory: a child that ends moves the place in a file
 * that is shared with it. */
static FILE *open_cases(const char *name, struct buf *text)
{
    FILE *f = fopen(golden(name, ".txt"), "r");

    if (!f)
        return NULL;
    buf_clear(text);
    while (!feof(f)) {
        char part[4096];

        buf_add(text, part, fread(part, 1, sizeof(part), f));
    }
    fclose(f);
    return fmemopen(text->data, text->len, "r");
}

/* All cases of a file: "$ command" (or "% command" by one who is no operator), lines
 * "< text" of its standard input, what it prints, and a line "--- exit N". */
static void replay(const char *name)
{
    struct buf expected = { 0 }, text = { 0 }, input = { 0 };
    FILE *f = open_cases(name, &text);
    char *line = NULL, *command = NULL;
    size_t size = 0;
    int n = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    while (getline(&line, &size, f) > 0) {
        if (!command && strncmp(line, "world ", 6) == 0) {
            line[strcspn(line, "\n")] = '\0';
            CU_ASSERT_TRUE_FATAL(world_load(golden(line + 6, ".world")));
        } else if (!command && (line[0] == '$' || line[0] == '%')) {
            world_set_operator(line[0] == '$');
            line[strcspn(line, "\n")] = '\0';
            command = xstrdup(line + 2);
            buf_clear(&expected);
            buf_clear(&input);
        } else if (command && expected.len == 0 && strncmp(line, "< ", 2) == 0) {
            buf_add_str(&input, line + 2);
        } else if (command) {
            buf_add_str(&expected, line);
            if (strncmp(line, "--- exit ", 9) == 0) {
                check_case(command, &input, &expected);
                free(command);
                command = NULL;
                n++;
            }
        }
    }
    CU_ASSERT_TRUE(n > 0 && !command);
    buf_fini(&expected);
    buf_fini(&input);
    free(line);
    fclose(f);
    buf_fini(&text);
    world_free();
}

static void test_tables(void)
{
    replay("qstat");
}

static void test_errors(void)
{
    replay("qstat-errors");
}

static void test_more(void)
{
    replay("qstat-more");
}

static void test_full_forms(void)
{
    replay("full");
}

static void test_absurd_numbers(void)
{
    replay("absurd");
}

static void test_limits(void)
{
    replay("limits");
}

static void test_strange_bytes(void)
{
    replay("bytes");
}

static void test_wide_ids(void)
{
    replay("wide");
}

static void test_node_lists(void)
{
    replay("nodes");
}

static void test_nodes(void)
{
    replay("pbsnodes");
}

static void test_deletion(void)
{
    replay("qdel");
}

static void test_mail_below_zero(void)
{
    replay("below");
}

static void test_one_by_one(void)
{
    replay("jobs");
}

static void test_submission(void)
{
    replay("qsub");
}

static void test_queue_control(void)
{
    replay("queue-control");
}

/* Sat Nov 21 2026 08:03:00 UTC, as in the captured estimates. */
#define NOW_AT 1795248180
#define HOUR_S 3600
#define DAY_S  (24 * HOUR_S)

static void test_estimates(void)
{
    static const struct {
        const char *state;
        int64_t start_at; /* -1: no estimate */
        const char *expect;
    } cases[] = {
        { "Q", NOW_AT + 1740, "08:32" },
        { "Q", NOW_AT + 2 * DAY_S + 3 * HOUR_S, "Mo 11" },
        { "S", NOW_AT + 4 * DAY_S + 5 * HOUR_S, "We 13" },
        { "Q", NOW_AT + 7 * DAY_S - 1, "Sa 08" },
        { "Q", NOW_AT + 7 * DAY_S, "Nov" },
        { "Q", NOW_AT + 30 * DAY_S, "Dec" },
        { "B", NOW_AT + 60 * DAY_S, "2027" },
        { "Q", NOW_AT + (int64_t)1501 * DAY_S, "2030" },
        { "Q", NOW_AT + (int64_t)2000 * DAY_S, ">5yrs" },
        { "Q", NOW_AT - 1, "--" },
        { "Q", 0, "?" },
        { "Q", -1, "--" },
        { "R", NOW_AT + 1740, "--" },
        { "H", NOW_AT + 1740, "--" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char start[32], cell[CELL_MAX];
        struct attrl state = { .name = (char *)"job_state",
                               .value = (char *)cases[i].state };
        struct attrl estimate = { .next = &state,
                                  .name = (char *)"estimated",
                                  .resource = (char *)"start_time",
                                  .value = start };
        struct batch_status job = {
            .attribs = cases[i].start_at < 0 ? &state : &estimate,
        };

        snprintf(start, sizeof(start), "%lld", (long long)cases[i].start_at);
        qstat_estimate(cell, &job, NOW_AT);
        CU_ASSERT_STRING_EQUAL(cell, cases[i].expect);
    }
}

/* By name: has started later, will start later, nobody knows, will start, nobody knows,
 * has started. */
static void test_order_by_start(void)
{
    struct {
        const char *name, *attr, *member, *value;
    } jobs[] = {
        { "b", "stime", NULL, "200" },
        { "d", "estimated", "start_time", "1795248900" },
        { "e", "job_state", NULL, "Q" },
        { "c", "estimated", "start_time", "1795248800" },
        { "f", "estimated", "start_time", "100" },
        { "a", "stime", NULL, "100" },
    };
    struct batch_status list[ARRAY_LEN(jobs)], *at;
    struct attrl attrs[ARRAY_LEN(jobs)];
    char order[ARRAY_LEN(jobs) + 1] = "";
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_LEN(jobs); i++) {
        attrs[i] = (struct attrl){ .name = (char *)jobs[i].attr,
                                   .resource = (char *)jobs[i].member,
                                   .value = (char *)jobs[i].value };
        list[i] = (struct batch_status){
            .next = i + 1 < ARRAY_LEN(jobs) ? &list[i + 1] : NULL,
            .name = (char *)jobs[i].name,
            .attribs = &attrs[i],
        };
    }
    for (at = qstat_sort_by_start(list, NOW_AT); at && n < ARRAY_LEN(jobs);
         at = at->next)
        order[n++] = *at->name;
    CU_ASSERT_STRING_EQUAL(order, "abcdef");
    CU_ASSERT_PTR_NULL(at);
    CU_ASSERT_PTR_NULL(qstat_sort_by_start(NULL, NOW_AT));
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "qstat's tables are as they were captured", test_tables },
        { "qstat's errors are as they were captured", test_errors },
        { "options of qstat go together or do not", test_more },
        { "the full forms of jobs are as they were captured", test_full_forms },
        { "absurd numbers", test_absurd_numbers },
        { "limits with several entries", test_limits },
        { "a name that is no UTF-8 is a member all the same", test_strange_bytes },
        { "wide ids and a server's comment change the tables", test_wide_ids },
        { "node lists are broken or not", test_node_lists },
        { "pbsnodes prints what was captured", test_nodes },
        { "qdel says which jobs it could not delete", test_deletion },
        { "mail is not suppressed from a job before the first one on",
          test_mail_below_zero },
        { "commands on jobs answer as captured", test_one_by_one },
        { "queue control and qterm answer as captured", test_queue_control },
        { "of what is said of a job the highest level counts", test_submission },
        { "an estimate is told the shorter the nearer it is", test_estimates },
        { "-T sorts by the start, known ones first", test_order_by_start },
    };

    setenv("TZ", "UTC", 1);
    tzset();
    return unit_main("replay", cases, ARRAY_LEN(cases));
}
