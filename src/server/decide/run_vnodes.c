/* run_vnodes.c - see run_vnodes.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/run_vnodes.h"

#include "server/decide/checkpoint.h"

#include <string.h>

/* Chunks of a select that one name may be given: what a job may ask for is bounded by
 * numbers only, and each becomes a part of the text. */
#define PARTS_MAX 100000

struct filling {
    const struct select *sel;
    size_t chunk;    /* of the select: whose turn it is */
    int64_t n_taken; /* of its count */
    struct arena *arena;
};

static bool is_bare(const struct exec_chunk *part)
{
    return part->n == 1 && part->parts[0].n == 0;
}

static int64_t count_chunks(const struct select *sel)
{
    int64_t sum = 0;

    for (size_t i = 0; i < sel->n; i++)
        /* The counts are a user's numbers; a sum that is too large is refused by the
         * bound anyhow. */
        if (__builtin_add_overflow(sum, sel->chunks[i].count, &sum))
            return INT64_MAX;
    return sum;
}

/* The chunk whose turn it is; NULL behind the last one. */
static const struct chunk *next_chunk(struct filling *f)
{
    while (f->chunk < f->sel->n && f->n_taken >= f->sel->chunks[f->chunk].count) {
        f->chunk++;
        /* A count of several chunks is taken one by one. */
        f->n_taken = 0;
    }
    if (f->chunk == f->sel->n)
        return NULL;
    f->n_taken++;
    return &f->sel->chunks[f->chunk];
}

/* The name with what a vnode is charged of the chunk. */
static struct exec_chunk filled(const struct filling *f, const char *vnode,
                                const struct chunk *chunk)
{
    struct vnode_part *share = ARENA_NEW(f->arena, struct vnode_part);

    share->vnode = vnode;
    share->res = ARENA_ARRAY(f->arena, struct chunk_resource, chunk->n + 1);
    for (size_t i = 0; i < chunk->n; i++)
        /* What is not counted down, such as an architecture, is no charge on the
         * vnode. */
        if (chunk->res[i].def && (chunk->res[i].def->flags & RESOURCE_CONSUMABLE))
            share->res[share->n++] = chunk->res[i];
    return (struct exec_chunk){ 1, share };
}

/* One name for all chunks. */
static int spread(struct filling *f, struct exec_vnode *ev, struct diag *why)
{
    int64_t n = count_chunks(f->sel);
    const char *vnode = ev->chunks[0].parts[0].vnode;

    /* The bound comes before the allocation. */
    if (n > PARTS_MAX)
        return diag_code(why, PBSE_BADNODESPEC);
    ev->chunks = ARENA_ARRAY(f->arena, struct exec_chunk, (size_t)n + 1);
    for (ev->n = 0; ev->n < (size_t)n; ev->n++)
        ev->chunks[ev->n] = filled(f, vnode, next_chunk(f));
    return 0;
}

/* Each name for the chunk in its place. */
static void fill_in_order(struct filling *f, struct exec_vnode *ev)
{
    size_t n = 0;

    for (size_t i = 0; i < ev->n; i++) {
        const struct chunk *chunk = next_chunk(f);

        /* A name that came with its resources keeps them. */
        if (!is_bare(&ev->chunks[i]))
            ev->chunks[n++] = ev->chunks[i];
        else if (chunk)
            ev->chunks[n++] = filled(f, ev->chunks[i].parts[0].vnode, chunk);
    }
    ev->n = n;
}

/* Parentheses as in what was given: none around names that had none. */
static const char *print(const struct exec_vnode *ev, bool parentheses,
                         struct arena *arena)
{
    struct buf text = { 0 };
    const char *ret;

    if (parentheses)
        return exec_vnode_print(ev, arena);
    for (size_t i = 0; i < ev->n; i++) {
        const struct exec_vnode one = { 1, &ev->chunks[i] };
        const char *part = exec_vnode_print(&one, arena);

        /* The parentheses around the part are left out. */
        buf_printf(&text, "%s%.*s", i ? "+" : "", (int)strlen(part) - 2, part + 1);
    }
    ret = arena_strdup(arena, text.data ? text.data : "");
    buf_fini(&text);
    return ret;
}

static int complete(const struct model *m, const struct job *job, struct arena *arena,
                    struct run_vnodes *v, struct diag *why)
{
    struct select sel;
    struct filling f = { .sel = &sel, .arena = arena };
    int err = select_parse(obj_str(&job->obj, JOB_A_SCHEDSELECT, "1:ncpus=1"), m->defs,
                           arena, &sel, why);

    /* "qrun -H vnode" gives one name for whatever the job asks for. */
    if (!err && v->ev.n == 1)
        err = spread(&f, &v->ev, why);
    else if (!err)
        fill_in_order(&f, &v->ev);
    if (!err)
        v->text = print(&v->ev, strchr(v->text, '(') != NULL, arena);
    return err;
}

static int check_known(const struct model *m, const struct exec_vnode *ev,
                       struct diag *why)
{
    for (size_t i = 0; i < ev->n; i++)
        for (size_t k = 0; k < ev->chunks[i].n; k++)
            /* A scheduler's picture may be older than the deletion of a vnode. */
            if (!model_node(m, ev->chunks[i].parts[k].vnode))
                return diag_code(why, PBSE_UNKNODE);
    return 0;
}

/* Texts that are no list of vnodes and have a refusal of their own. */
static int check_words(const char *text, struct diag *why)
{
    if (strcmp(text, "-") == 0)
        return diag_code(why, PBSE_IVALREQ);
    if (strcmp(text, "+") == 0)
        return diag_code(why, PBSE_BADNODESPEC);
    if (strcmp(text, "()") == 0 || text[strspn(text, " ")] == '\0')
        return diag_code(why, PBSE_UNKNODE);
    return 0;
}

int run_vnodes_read(const struct model *m, const struct job *job, const char *text,
                    struct arena *arena, struct run_vnodes *ret, struct diag *why)
{
    struct run_vnodes v = { .text = text };
    bool bare = false;
    int err;

    /* Where it ran last, of a job that has left something there. */
    if (strcmp(text, "-") == 0 && job_has_image(job))
        v.text = text = obj_str(&job->obj, JOB_A_EXEC_VNODE, "-");
    err = check_words(text, why);

    if (!err)
        err = exec_vnode_parse(text, m->defs, arena, &v.ev, why);
    for (size_t i = 0; !err && i < v.ev.n; i++)
        /* One name without resources is enough to need the job's select. */
        bare |= is_bare(&v.ev.chunks[i]);
    if (!err && bare)
        err = complete(m, job, arena, &v, why);
    if (!err)
        /* Vnodes are looked up last, after everything that is wrong with the text
         * itself. */
        err = check_known(m, &v.ev, why);
    if (!err)
        *ret = v;
    return err;
}
