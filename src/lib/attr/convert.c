/* convert.c - the forms of a request that are older than select
 * (attributes.md 7.4, 7.5).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/chunk.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Each count of a text is at most this, so the product of two counts fits in an
 * int64_t. */
#define MAX_TASKS INT32_MAX

/* One segment of a nodes text: "h1:ppn=2:blue". */
struct segment {
    int64_t count;
    const char *host; /* NULL: any */
    int64_t ppn;      /* 0: not given */
    int64_t cpp;
    int64_t ncpus;
    size_t n_words, cap_words;
    const char **words; /* names of boolean resources */
};

struct nodes {
    size_t n, cap;
    struct segment *segments;
    bool excl, shared;
};

bool nodes_is_valid(const char *text)
{
    const char *mark = strchr(text, '#');
    size_t len = mark ? (size_t)(mark - text) : strlen(text);

    if (mark && strcmp(mark, "#excl") != 0 && strcmp(mark, "#shared") != 0)
        return false;
    /* This loop runs once more behind a separator at the end, where it finds an empty
     * word and refuses it. */
    for (size_t at = 0; at <= len;) {
        size_t end = at + strcspn(text + at, ":+#");

        if (end == at || !isalnum((unsigned char)text[at]))
            return false;
        for (; at < end; at++)
            if (!isalnum((unsigned char)text[at]) && !strchr("-_.=", text[at]))
                return false;
        at++;
    }
    return true;
}

/* The whole text as a number from 1 up. */
static bool read_positive(const char *text, int64_t *ret)
{
    int64_t number = 0;

    for (; isdigit((unsigned char)*text); text++) {
        number = number * 10 + (*text - '0');
        if (number > MAX_TASKS)
            return false;
    }
    *ret = number;
    return !*text && number > 0;
}

static int bad_nodes(struct diag *why)
{
    return diag_code(why, PBSE_BADNODESPEC);
}

static int add_word(struct segment *seg, const char *word,
                    const struct resource_defs *defs, struct arena *arena,
                    struct diag *why)
{
    const struct resource_def *def = resource_find(defs, word);

    if (!def || def->type != &attr_bool)
        return diag_set(why, PBSE_INVALSELECTRESC, "%s: %s",
                        pbse_text(PBSE_INVALSELECTRESC), word);
    if (seg->n_words == seg->cap_words) {
        size_t cap = seg->cap_words ? seg->cap_words * 2 : 4;
        const char **v = ARENA_ARRAY(arena, const char *, cap);

        for (size_t i = 0; i < seg->n_words; i++)
            v[i] = seg->words[i];
        seg->words = v;
        seg->cap_words = cap;
    }
    MUST(seg->n_words < seg->cap_words);
    seg->words[seg->n_words++] = word;
    return 0;
}

static int read_property(struct segment *seg, const char *word,
                         const struct resource_defs *defs, struct arena *arena,
                         struct diag *why)
{
    const struct {
        const char *name;
        int64_t *to;
    } numbers[] = {
        { "ppn=", &seg->ppn },
        { "cpp=", &seg->cpp },
        { "ncpus=", &seg->ncpus },
    };

    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        size_t len = strlen(numbers[i].name);

        if (strncasecmp(word, numbers[i].name, len) == 0)
            return read_positive(word + len, numbers[i].to) ? 0 : bad_nodes(why);
    }
    return strchr(word, '=') ? bad_nodes(why) : add_word(seg, word, defs, arena, why);
}

static int read_segment(char *text, const struct resource_defs *defs,
                        struct arena *arena, struct segment *ret, struct diag *why)
{
    struct segment seg = { .count = 1 };
    char *word = text, *next;
    int err = 0;

    for (; !err && word; word = next) {
        next = strchr(word, ':');
        if (next)
            *next++ = '\0';
        if (word != text)
            err = read_property(&seg, word, defs, arena, why);
        else if (!isdigit((unsigned char)*word) || word[strspn(word, "0123456789")])
            seg.host = word;
        else if (!read_positive(word, &seg.count))
            err = bad_nodes(why);
    }
    *ret = seg;
    return err;
}

static int read_nodes(const char *spec, const struct resource_defs *defs,
                      struct arena *arena, struct nodes *ret, struct diag *why)
{
    char *text = arena_strdup(arena, spec), *next, *mark = strchr(text, '#');
    struct nodes nodes = { 0 };

    if (mark) {
        nodes.excl = strcmp(mark, "#excl") == 0;
        nodes.shared = !nodes.excl;
        *mark = '\0';
    }
    for (; text; text = next) {
        struct segment seg;
        int err;

        next = strchr(text, '+');
        if (next)
            *next++ = '\0';
        err = read_segment(text, defs, arena, &seg, why);
        if (err)
            return err;
        ARENA_ROOM(arena, &nodes, segments, 4);
        nodes.segments[nodes.n++] = seg;
    }
    *ret = nodes;
    return 0;
}

/* CPUs of one chunk: what the segment says, else its share of the job's ncpus. */
static int64_t chunk_cpus(const struct segment *seg, int64_t cpus_per_task)
{
    int64_t ppn = seg->ppn ? seg->ppn : 1;

    if (cpus_per_task > 0)
        return cpus_per_task * ppn;
    if (seg->ppn || seg->cpp)
        return ppn * (seg->cpp ? seg->cpp : 1);
    return seg->ncpus ? seg->ncpus : 1;
}

static void print_segment(const struct segment *seg, int64_t cpus_per_task,
                          int64_t chunk_mem_kib, struct buf *out)
{
    MUST(seg->count > 0);
    buf_printf(out, "%" PRId64 ":ncpus=%" PRId64, seg->count,
               chunk_cpus(seg, cpus_per_task));
    if (seg->host)
        buf_printf(out, ":host=%s", seg->host);
    if (seg->ppn)
        buf_printf(out, ":mpiprocs=%" PRId64, seg->ppn);
    for (size_t i = 0; i < seg->n_words; i++)
        buf_printf(out, ":%s=True", seg->words[i]);
    if (chunk_mem_kib > 0)
        buf_printf(out, ":mem=%" PRId64 "KB", chunk_mem_kib);
}

/* Job-wide ncpus is divided over all tasks, mem over all chunks. */
static int divide(const struct nodes *nodes, const struct resources *asked,
                  int64_t *cpus_per_task, int64_t *chunk_mem_kib, struct diag *why)
{
    int64_t tasks = 0, chunks = 0;
    int64_t ncpus = asked ? resources_amount(asked, "ncpus", 0) : 0;
    int64_t mem = asked ? resources_amount(asked, "mem", 0) : 0;

    for (size_t i = 0; i < nodes->n; i++) {
        const struct segment *seg = &nodes->segments[i];

        /* These are the CPUs of one chunk. */
        if (seg->ppn * MAX_OF(seg->cpp, 1) > MAX_TASKS)
            return bad_nodes(why);
        chunks += seg->count;
        if (__builtin_add_overflow(tasks, seg->count * MAX_OF(seg->ppn, 1), &tasks))
            return bad_nodes(why);
    }
    MUST(tasks > 0 && chunks > 0); /* no segment asks for nothing */
    /* CPUs that do not divide evenly are refused, not rounded; memory below is rounded
     * down to whole KiB. */
    if (ncpus % tasks != 0)
        return diag_code(why, PBSE_BADATVAL);
    *cpus_per_task = ncpus / tasks;
    *chunk_mem_kib = mem / chunks;
    return 0;
}

static int from_nodes(const char *spec, const struct resources *asked,
                      const struct resource_defs *defs, struct arena *arena,
                      struct buf *select, const char **place, struct diag *why)
{
    struct nodes nodes;
    int64_t cpus_per_task = 0, chunk_mem_kib = 0;
    int err;

    if (!nodes_is_valid(spec))
        return diag_code(why, PBSE_BADATVAL);
    /* Whatever can be refused is refused before the first byte is added to 'select'. */
    err = read_nodes(spec, defs, arena, &nodes, why);
    if (!err)
        err = divide(&nodes, asked, &cpus_per_task, &chunk_mem_kib, why);
    if (err)
        return err;
    for (size_t i = 0; i < nodes.n; i++) {
        if (i)
            buf_add_char(select, '+');
        print_segment(&nodes.segments[i], cpus_per_task, chunk_mem_kib, select);
    }
    *place = nodes.excl ? "scatter:excl" : nodes.shared ? "scatter:shared" : "scatter";
    return 0;
}

static void from_members(const struct resources *res, struct buf *select)
{
    /* Who asks for nothing gets one CPU. Resources that are not of hosts (without the
     * flag h) count for the whole job and do not belong in a chunk. */
    buf_add_str(select, res->n == 0 ? "1:ncpus=1" : "1");
    for (size_t i = 0; i < res->n; i++) {
        const struct resource_def *def = res->v[i].def;
        struct buf text = { 0 };

        if (!(def->flags & RESOURCE_HOST) || !res->v[i].value.set)
            continue;
        def->type->print(&res->v[i].value, &text);
        buf_printf(select, ":%s=", def->name);
        /* The value was printed apart, since the grammar of a chunk quotes some values.
         */
        chunk_value_print(text.data ? text.data : "", select);
        buf_fini(&text);
    }
}

int select_from_resources(const struct resources *res, const struct resources *asked,
                          const struct resource_defs *defs, bool whole,
                          struct arena *arena, const char **ret_select,
                          const char **ret_place, struct diag *why)
{
    const struct resource_value *nodes = resources_find(res, "nodes");
    const char *place = whole ? "pack" : "free";
    struct buf select = { 0 };
    int err = 0;

    if (nodes && nodes->value.set)
        err = from_nodes(nodes->value.u.str, asked, defs, arena, &select, &place, why);
    else
        from_members(res, &select);
    if (!err) {
        *ret_select = arena_strndup(arena, select.data, select.len);
        *ret_place = place;
    }
    buf_fini(&select);
    return err;
}
