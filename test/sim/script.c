/* script.c - see script.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "script.h"

#include "server/requests/manager.h"
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETTINGS_MS 500 /* by then they are made; a sweep begins there */

struct line {
    size_t number;
    bool at_other; /* "two: ..." */
    int64_t at_ms; /* from second 0 */
    struct words words;
    const char *text; /* for the trace */
};

struct script {
    char *name;
    struct arena *arena;
    struct cluster cluster;
    bool rough;
    bool has_other;       /* "two servers" */
    bool kills_at_server; /* a sweep looks at its messages with MoMs, too */
    bool sweeps_weather;  /* ... or doubles messages and delays them */
    bool loses_hosts;     /* ... or loses hosts for ever */
    struct words hooks;   /* "hooks EVENT EVENT" */
    size_t n_settings;    /* "server NAME VALUE", "queue NAME [for USER]" */
    struct setting {
        struct words words;
        bool at_other;
    } * settings;
    size_t n;
    struct line *lines;
    int64_t last_ms;
};

/* Words. */

static struct words split(const char *text, struct arena *arena)
{
    struct words w = { 0 };
    char *rest = NULL;

    for (char *word = strtok_r(arena_strdup(arena, text), " \t\r", &rest);
         word && w.n < WORDS_MAX; word = strtok_r(NULL, " \t\r", &rest))
        w.v[w.n++] = word;
    return w;
}

const char *words_after(const struct words *w, const char *word)
{
    for (size_t i = 0; i + 1 < w->n; i++)
        if (strcmp(w->v[i], word) == 0)
            return w->v[i + 1];
    return NULL;
}

const char *words_value(const struct words *w, const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < w->n; i++)
        if (strncmp(w->v[i], name, len) == 0 && w->v[i][len] == '=')
            return w->v[i] + len + 1;
    return NULL;
}

bool words_are(const struct words *w, size_t i, const char *text)
{
    struct arena *arena = arena_new();
    struct words want = split(text, arena);
    bool same = i + want.n <= w->n;

    for (size_t k = 0; same && k < want.n; k++)
        same = strcmp(want.v[k], "*") == 0 || strcmp(want.v[k], w->v[i + k]) == 0;
    arena_free(arena);
    return same;
}

/* Parsing. */

static bool bad(const struct script *sc, size_t number, const char *text)
{
    fprintf(stderr, "sim: %s:%zu: makes no sense: %s\n", sc->name, number, text);
    return false;
}

/* "cluster 2 hosts 3 vnodes 2 cpus" */
static bool take_cluster(struct script *sc, const struct words *w)
{
    if (!words_are(w, 0, "cluster * hosts * vnodes * cpus"))
        return false;
    sc->cluster = (struct cluster){ atoi(w->v[1]), atoi(w->v[3]), atoi(w->v[5]) };
    return sc->cluster.n_hosts > 0 && sc->cluster.n_hosts <= SIM_HOSTS_MAX &&
           sc->cluster.vnodes_per_host > 0 && sc->cluster.ncpus > 0 &&
           sc->cluster.n_hosts * sc->cluster.vnodes_per_host <= SIM_VNODES_MAX;
}

/* "two:" in front of a line: it is about the other complex. */
static bool take_other(struct words *w, size_t i)
{
    if (i >= w->n || strcmp(w->v[i], "two:") != 0)
        return false;
    w->n--;
    memmove(&w->v[i], &w->v[i + 1], (w->n - i) * sizeof(w->v[0]));
    return true;
}

static bool take_setting(struct script *sc, const struct words *w, bool at_other)
{
    sc->settings = xrealloc(sc->settings, (sc->n_settings + 1) * sizeof(*sc->settings));
    sc->settings[sc->n_settings++] = (struct setting){ *w, at_other };
    return !at_other || sc->has_other;
}

static bool take_line(struct script *sc, size_t number, const char *text)
{
    struct words w = split(text, sc->arena);
    bool at_other = take_other(&w, 0);
    struct line *l;

    if (w.n == 0 || w.v[0][0] == '#')
        return true;
    if (strcmp(w.v[0], "cluster") == 0)
        return take_cluster(sc, &w);
    if (words_are(&w, 0, "weather rough")) {
        sc->rough = true;
        return true;
    }
    if (words_are(&w, 0, "sweep messages of the server")) {
        sc->kills_at_server = true;
        return true;
    }
    if (words_are(&w, 0, "sweep doubled and late messages")) {
        sc->sweeps_weather = true;
        return true;
    }
    if (words_are(&w, 0, "sweep hosts that are lost")) {
        sc->loses_hosts = true;
        return true;
    }
    if (words_are(&w, 0, "hooks *")) {
        sc->hooks = w;
        return true;
    }
    if (words_are(&w, 0, "two servers")) {
        sc->has_other = true;
        return true;
    }
    if (words_are(&w, 0, "server * *") || words_are(&w, 0, "queue *"))
        return take_setting(sc, &w, at_other);
    at_other = take_other(&w, 2);
    if (strcmp(w.v[0], "at") != 0 || w.n < 3 || (at_other && !sc->has_other))
        return false;
    sc->lines = xrealloc(sc->lines, (sc->n + 1) * sizeof(*sc->lines));
    l = &sc->lines[sc->n++];
    *l = (struct line){ .number = number,
                        .at_other = at_other,
                        .text = arena_strdup(sc->arena, text) };
    l->at_ms = (int64_t)(atof(w.v[1]) * 1000 + 0.5);
    l->words.n = w.n - 2;
    memcpy(l->words.v, w.v + 2, l->words.n * sizeof(w.v[0]));
    sc->last_ms = MAX_OF(sc->last_ms, l->at_ms);
    return true;
}

struct script *script_parse(const char *name, const char *text)
{
    struct script *sc = xcalloc(1, sizeof(*sc));
    char *copy = xstrdup(text);
    size_t number = 0;
    char *rest = copy;

    sc->name = xstrdup(name);
    sc->arena = arena_new();
    sc->cluster = (struct cluster){ 1, 4, 2 };
    while (rest) {
        char *line = strsep(&rest, "\n");

        if (take_line(sc, ++number, line))
            continue;
        (void)bad(sc, number, line);
        script_free(sc);
        sc = NULL;
        break;
    }
    free(copy);
    return sc;
}

void script_free(struct script *sc)
{
    if (!sc)
        return;
    arena_free(sc->arena);
    free(sc->settings);
    free(sc->lines);
    free(sc->name);
    free(sc);
}

/* Running. */

static void do_line(struct sim *s, void *arg)
{
    const struct line *l = arg;

    if (sweep_delays(s, arg))
        return;
    if (s->sweep)
        s->sweep->line = arg;
    sim_trace(s, "--- %s", l->text);
    if (strcmp(l->words.v[0], "expect") == 0 ? !expect_do(s, &l->words)
                                             : !action_do(s, &l->words))
        check_failed(s, CHECK_EXPECT, "line %zu makes no sense: %s", l->number,
                     l->text);
    if (s->sweep)
        s->sweep->line = NULL;
}

/* One draw a statement, so that a seed means the same to every compiler. */
static struct weather rough_weather(struct rnd *rnd)
{
    struct weather w = { .late_ms = 20000 };

    w.jitter_ms = rnd_range(rnd, 0, 300);
    w.late_percent = (int)rnd_range(rnd, 0, 10);
    w.twice_percent = (int)rnd_range(rnd, 0, 10);
    w.lost_percent = (int)rnd_range(rnd, 0, 3);
    w.commit_ms = rnd_range(rnd, 1, 200);
    return w;
}

/* At both, and between them. */
static void make_rough_between(struct sim *s)
{
    s->other->weather = rough_weather(&s->other->rnd);
    s->weather.unheard_percent = (int)rnd_range(&s->rnd, 0, 20);
    s->other->weather.unheard_percent = (int)rnd_range(&s->other->rnd, 0, 20);
}

static void set_queue(struct sim *s, const char *name, const char *attr,
                      const char *value)
{
    client_manage(s, MANAGER_SET, OBJECT_QUEUE, name, attr, NULL, value, WIRE_OP_SET);
}

/* Open to all, or to one user; or one that sends its jobs on. */
static void make_queue(struct sim *s, const struct words *w)
{
    const char *name = w->v[1];
    const char *user = words_after(w, "for");
    const char *to = words_after(w, "to");

    client_manage(s, MANAGER_CREATE, OBJECT_QUEUE, name, "queue_type", NULL,
                  to ? "Route" : "Execution", WIRE_OP_SET);
    if (to)
        set_queue(s, name, "route_destinations", to);
    if (words_after(w, "retry"))
        set_queue(s, name, "route_retry_time", words_after(w, "retry"));
    if (user) {
        set_queue(s, name, "acl_users", user);
        set_queue(s, name, "acl_user_enable", "True");
    }
    set_queue(s, name, "enabled", "True");
    set_queue(s, name, "started", "True");
}

static void make_setting(struct sim *s, const struct words *w)
{
    if (strcmp(w->v[0], "queue") == 0)
        make_queue(s, w);
    else
        client_manage(s, MANAGER_SET, OBJECT_SERVER, "", w->v[1], NULL, w->v[2],
                      WIRE_OP_SET);
}

static void set_up(struct sim *s, const struct script *sc)
{
    s->cluster = sc->cluster;
    if (s->other)
        s->other->cluster = sc->cluster;
    sim_begin(s);
    for (size_t i = 0; i < sc->n_settings; i++)
        make_setting(sc->settings[i].at_other ? s->other : s, &sc->settings[i].words);
    /* One hook for each event, with the event's name. */
    for (size_t i = 1; i < sc->hooks.n; i++)
        client_manage(s, MANAGER_CREATE, OBJECT_HOOK, sc->hooks.v[i], "event", NULL,
                      sc->hooks.v[i], WIRE_OP_SET);
    if (sc->rough)
        s->weather = rough_weather(&s->rnd);
    if (sc->rough && s->other)
        make_rough_between(s);
    for (size_t i = 0; i < sc->n; i++)
        clock_post(sc->lines[i].at_other ? &s->other->clock : &s->clock,
                   (int64_t)SIM_EPOCH_S * 1000 + sc->lines[i].at_ms, do_line,
                   &sc->lines[i], NULL);
}

static void tell_failure(const struct sim *s, const struct script *sc)
{
    const struct checks *c = &s->checks;

    printf("%s: second %.3f: %s: %s\n  (%s: %s)\n", sc->name,
           (double)(c->at_ms - (int64_t)SIM_EPOCH_S * 1000) / 1000, check_name(c->what),
           c->words, check_name(c->what), check_words(c->what));
}

/* Only what a scenario does is swept: not how all begins and how it is cleared. */
static void run_swept(struct sim *s, const struct script *sc, struct sweep *sweep)
{
    s->sweep = sweep;
    if (s->other)
        s->other->sweep = sweep;
    if (sweep) {
        sim_run(s, (int64_t)SIM_EPOCH_S * 1000 + SETTINGS_MS);
        sweep->do_line = do_line;
        sweep->of_server = sc->kills_at_server;
        sweep->of_weather = sc->sweeps_weather;
        sweep->loses_hosts = sc->loses_hosts;
        sweep->is_on = true;
    }
    sim_run(s, (int64_t)SIM_EPOCH_S * 1000 + sc->last_ms + 1000);
    if (sweep)
        sweep->is_on = false;
}

static bool run(const struct script *sc, uint64_t seed, bool trace, struct sweep *sweep,
                struct counts *counts)
{
    struct sim *s = xmalloc(sizeof(*s));
    bool passed;

    sim_init(s, seed, trace);
    if (sc->has_other)
        sim_add_other(s, seed);
    set_up(s, sc);
    s->counts = counts;
    if (s->other)
        s->other->counts = counts;
    run_swept(s, sc, sweep);
    sim_end(s);
    passed = !s->checks.failed;
    if (!passed)
        tell_failure(s, sc);
    sim_fini(s);
    free(s);
    return passed;
}

bool script_run(const struct script *sc, uint64_t seed, bool trace,
                struct counts *counts)
{
    return run(sc, seed, trace, NULL, counts);
}

bool script_sweep(const struct script *sc, bool trace, struct sweep *sweep)
{
    MUST(sweep->at == 0 || !sweep->has_killed);
    return run(sc, 1, trace, sweep, NULL);
}
