/* main.c - the command line of the simulator.
 *
 *   sim --seed N [--trace]        one seed
 *   sim --seeds N [--from M]      the seeds M, M + 1, ... (M is 1)
 *   sim --scenario FILE [...]     named scenarios
 *   sim --sweep FILE [...]        each again and again, with a kill at the next place
 *   sim --every N --from M --sweep FILE [...]     at the places M, M + N, ... only, of
 *                                 each kind (M is 1)
 *   sim --sweep FILE --kill K     one run with that kill: before:7, after:7, twice:7,
 *                                 scheduler:7, meanwhile:7, says:7, hears:7, router:7,
 *                                 tells:7, told:7, between:7; of two servers asks:7,
 *                                 asked:7, learns:7, request:7, answer:7, late:7;
 *                                 and double:7, slow:7, server-double:7, server-slow:7
 *   sim --seeds N --counts        ... and how often what has happened in them
 *   sim --two --seeds N           the seeds of two servers; also of --seed and --print
 *   sim --print N                 the scenario that seed N makes
 *   sim --hash N                  a number for the scenarios of the seeds 1 to N
 *
 * The last line is "sim: N passed, M failed".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "counts.h"
#include "script.h"
#include "story.h"
#include "sweep.h"

#include "lib/base/buf.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct tally {
    const char *program;
    bool trace;
    bool two;              /* seeds are of two servers */
    size_t from, every;    /* which places of a sweep, each from 1 on */
    struct counts *counts; /* NULL: nobody wants to know */
    int passed;
    int failed;
};

/* An assertion of a core ends the process: say how to see it again. */
static char replay[600];

static void on_abort(int signo)
{
    ssize_t ignored = write(STDOUT_FILENO, replay, strlen(replay));

    (void)ignored;
    signal(signo, SIG_DFL);
    raise(signo);
}

static void run(struct tally *t, const char *name, const char *text, uint64_t seed,
                const char *how)
{
    struct script *sc = script_parse(name, text);

    snprintf(replay, sizeof(replay), "  to see it: %s %s --trace\n", t->program, how);
    if (sc && script_run(sc, seed, t->trace, t->counts)) {
        t->passed++;
    } else {
        t->failed++;
        fputs(replay, stdout);
    }
    script_free(sc);
}

static void tell(bool two, uint64_t seed, struct buf *out)
{
    if (two)
        story_write_two(seed, out);
    else
        story_write(seed, out);
}

static void run_seed(struct tally *t, uint64_t seed)
{
    struct buf text = { 0 };
    char name[40], how[60];

    snprintf(name, sizeof(name), "seed %" PRIu64, seed);
    snprintf(how, sizeof(how), "%s--seed %" PRIu64, t->two ? "--two " : "", seed);
    tell(t->two, seed, &text);
    run(t, name, text.data, seed, how);
    buf_fini(&text);
}

static bool read_file(const char *path, struct buf *out)
{
    FILE *f = fopen(path, "r");
    size_t n;

    if (!f)
        return false;
    while ((n = fread(buf_reserve(out, 4096), 1, 4096, f)) > 0)
        out->len += n;
    fclose(f);
    buf_add_char(out, '\n');
    return true;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void run_file(struct tally *t, const char *path)
{
    struct buf text = { 0 };
    char how[400];

    snprintf(how, sizeof(how), "--scenario %s", path);
    if (read_file(path, &text)) {
        run(t, base_name(path), text.data, 1, how);
    } else {
        perror(path);
        t->failed++;
    }
    buf_fini(&text);
}

static void sweep_once(struct tally *t, const struct script *sc, const char *path,
                       struct sweep *sweep)
{
    if (sweep->at)
        snprintf(replay, sizeof(replay),
                 "  to see it: %s --sweep %s --kill %s:%zu --trace\n", t->program, path,
                 sweep_name(sweep->kind), sweep->at);
    else
        snprintf(replay, sizeof(replay), "  to see it: %s --scenario %s --trace\n",
                 t->program, path);
    if (!script_sweep(sc, t->trace, sweep)) {
        t->failed++;
        fputs(replay, stdout);
    } else if (sweep->at && !sweep->has_killed) {
        t->failed++;
        printf("%s: nobody dies at %s:%zu\n", path, sweep_name(sweep->kind), sweep->at);
    } else {
        t->passed++;
    }
}

/* Each sweep is about the server and the scheduler at least. */
static bool has_both_victims(const struct sweep *whole)
{
    return whole->n[SWEEP_BEFORE_COMMIT] > 0 && whole->n[SWEEP_SCHEDULER] > 0;
}

/* One run without a kill says how many places there are; 't' says which of them. A run
 * with a kill may come by more; they belong to what the kill has caused, and are left.
 */
static void sweep_all(struct tally *t, const struct script *sc, const char *path)
{
    struct sweep whole = { 0 };
    int failed = t->failed;

    sweep_once(t, sc, path, &whole);
    if (!has_both_victims(&whole)) {
        t->failed++;
        printf("%s: no place for a kill\n", path);
    }
    for (int kind = 0; kind < SWEEP_KINDS && t->failed == failed; kind++)
        for (size_t at = t->from;
             sweep_is_about(&whole, (enum sweep_kind)kind) && at <= whole.n[kind];
             at += t->every)
            sweep_once(t, sc, path,
                       &(struct sweep){ .kind = (enum sweep_kind)kind, .at = at });
}

/* 'kill' NULL: everywhere. */
static void sweep_file(struct tally *t, const char *path, const char *kill)
{
    struct buf text = { 0 };
    struct script *sc = NULL;

    if (read_file(path, &text))
        sc = script_parse(base_name(path), text.data);
    else
        perror(path);
    if (!sc)
        t->failed++;
    else if (!kill)
        sweep_all(t, sc, path);
    for (int kind = 0; sc && kill && kind < SWEEP_KINDS; kind++) {
        size_t len = strlen(sweep_name((enum sweep_kind)kind));

        if (strncmp(kill, sweep_name((enum sweep_kind)kind), len) == 0 &&
            kill[len] == ':')
            sweep_once(t, sc, path,
                       &(struct sweep){ .kind = (enum sweep_kind)kind,
                                        .at = strtoull(kill + len + 1, NULL, 10) });
    }
    script_free(sc);
    buf_fini(&text);
}

static void print_story(bool two, uint64_t seed)
{
    struct buf text = { 0 };

    tell(two, seed, &text);
    fputs(text.data, stdout);
    buf_fini(&text);
}

/* FNV-1a over the texts: whoever compiled this, a seed tells the same story. */
static void print_hash(uint64_t n)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (uint64_t seed = 1; seed <= n; seed++) {
        struct buf text = { 0 };

        story_write(seed, &text);
        for (size_t i = 0; i < text.len; i++)
            hash = (hash ^ (unsigned char)text.data[i]) * 0x100000001b3u;
        buf_fini(&text);
    }
    printf("%016" PRIx64 "\n", hash);
}

static uint64_t number_after(int argc, char **argv, const char *option, uint64_t none)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], option) == 0)
            return strtoull(argv[i + 1], NULL, 10);
    return none;
}

static bool has(int argc, char **argv, const char *option)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], option) == 0)
            return true;
    return false;
}

static const char *kill_named(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--kill") == 0)
            return argv[i + 1];
    return NULL;
}

static void run_all(struct tally *t, int argc, char **argv)
{
    uint64_t from = number_after(argc, argv, "--from", 1);
    uint64_t n = number_after(argc, argv, "--seeds", 0);
    enum {
        NOTHING,
        SCENARIO,
        SWEEP
    } files = NOTHING;

    if (has(argc, argv, "--seed"))
        run_seed(t, number_after(argc, argv, "--seed", 1));
    for (uint64_t i = 0; i < n; i++)
        run_seed(t, from + i);
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-')
            files = strcmp(argv[i], "--scenario") == 0 ? SCENARIO
                    : strcmp(argv[i], "--sweep") == 0  ? SWEEP
                                                       : NOTHING;
        else if (files == SCENARIO)
            run_file(t, argv[i]);
        else if (files == SWEEP)
            sweep_file(t, argv[i], kill_named(argc, argv));
    }
}

int main(int argc, char **argv)
{
    struct counts counts = { 0 };
    struct tally t = { .program = argv[0],
                       .trace = has(argc, argv, "--trace"),
                       .two = has(argc, argv, "--two"),
                       .from = MAX_OF(number_after(argc, argv, "--from", 1), 1),
                       .every = MAX_OF(number_after(argc, argv, "--every", 1), 1),
                       .counts = has(argc, argv, "--counts") ? &counts : NULL };

    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGABRT, on_abort);
    if (has(argc, argv, "--print")) {
        print_story(t.two, number_after(argc, argv, "--print", 1));
        return 0;
    }
    if (has(argc, argv, "--hash")) {
        print_hash(number_after(argc, argv, "--hash", 1));
        return 0;
    }
    run_all(&t, argc, argv);
    counts_print(&counts);
    counts_fini(&counts);
    printf("sim: %d passed, %d failed\n", t.passed, t.failed);
    return t.failed || t.passed == 0;
}
