/* job_notes.c - see job_notes.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/job_notes.h"

#include "lib/wire/dis.h"

#include <stdlib.h>

enum kind {
    NOTE_ENDED,
    NOTE_BEGAN,
    NOTE_KINDS
};

void job_note_encode(const struct job_note *n, struct buf *out)
{
    size_t before = out->len;

    MUST(n->has_ended || (n->task.session > 0 && n->task.vnode >= 0));
    dis_put_uint(out, n->has_ended ? NOTE_ENDED : NOTE_BEGAN);
    dis_put_uint(out, n->task.number);
    dis_put_uint(out, n->n_tasks);
    dis_put_int(out, n->cput_s);
    dis_put_int(out, n->mem_kb);
    dis_put_int(out, n->vmem_kb);
    if (!n->has_ended) {
        dis_put_uint(out, (uint64_t)n->task.session);
        dis_put_uint(out, (uint64_t)n->task.vnode);
        dis_put_uint(out, n->task.is_attached);
        dis_put_string(out, n->task.mark);
    }
    MUST(out->len - before <= JOB_FILE_MAX_NOTE);
}

/* A number of a note, and what it may be. */
struct number {
    int64_t *to, least, most;
};

static bool get_numbers(struct dis_in *in, const struct number *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (dis_get_long(in, numbers[i].to) != DIS_OK ||
            *numbers[i].to < numbers[i].least || *numbers[i].to > numbers[i].most)
            return false;
    return true;
}

static bool get_task(struct dis_in *in, struct job_record_task *t)
{
    int64_t session, vnode, is_attached;
    const struct number numbers[] = { { &session, 1, INT32_MAX },
                                      { &vnode, 0, INT32_MAX },
                                      { &is_attached, 0, 1 } };

    if (!get_numbers(in, numbers, ARRAY_LEN(numbers)) ||
        dis_get_string(in, JOB_RECORD_MAX_MARK, &t->mark) != DIS_OK)
        return false;
    t->session = (int32_t)session;
    t->vnode = (int32_t)vnode;
    t->is_attached = is_attached != 0;
    return true;
}

bool job_note_decode(const char *data, size_t len, struct arena *arena,
                     struct job_note *ret)
{
    struct dis_in in = { .at = data, .end = data + len, .arena = arena };
    struct job_note n = { .task.mark = "" };
    int64_t kind, number, n_tasks;
    const struct number numbers[] = {
        { &kind, 0, NOTE_KINDS - 1 },          { &number, 2, UINT32_MAX },
        { &n_tasks, 0, JOB_RECORD_MAX_TASKS }, { &n.cput_s, 0, JOB_RECORD_MOST },
        { &n.mem_kb, 0, JOB_RECORD_MOST },     { &n.vmem_kb, 0, JOB_RECORD_MOST }
    };

    if (!get_numbers(&in, numbers, ARRAY_LEN(numbers)))
        return false;
    n.task.number = (uint32_t)number;
    n.n_tasks = (uint32_t)n_tasks;
    n.has_ended = kind == NOTE_ENDED;
    if ((!n.has_ended && !get_task(&in, &n.task)) || in.at != in.end)
        return false;
    *ret = n;
    return true;
}

/* What was said of a task, first by the record and then by notes. */
struct said {
    struct job_record_task task;
    bool has_ended;
    size_t order;
};

struct sayings {
    size_t n, cap;
    struct said *v;
};

static void add(struct sayings *all, struct arena *arena,
                const struct job_record_task *t, bool has_ended)
{
    ARENA_ROOM(arena, all, v, 16);
    all->v[all->n] =
        (struct said){ .task = *t, .has_ended = has_ended, .order = all->n };
    all->n++;
}

static int by_number_and_order(const void *a, const void *b)
{
    const struct said *x = a, *y = b;

    if (x->task.number != y->task.number)
        return x->task.number < y->task.number ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Of each task the last that was said of it. */
static void settle(struct sayings *all, struct arena *arena, struct job_record *r)
{
    qsort(all->v, all->n, sizeof(*all->v), by_number_and_order);
    r->n_stored = 0;
    r->tasks = ARENA_ARRAY(arena, struct job_record_task, all->n);
    for (size_t i = 0; i < all->n; i++) {
        const struct said *s = &all->v[i];
        bool is_last = i + 1 == all->n || s->task.number != s[1].task.number;

        if (is_last && !s->has_ended)
            r->tasks[r->n_stored++] = s->task;
    }
}

static bool read_notes(const struct job_file *f, struct arena *arena,
                       struct job_record *r)
{
    struct sayings all = { 0 };
    struct job_note note;
    size_t at = 0, len;
    const char *bytes;

    for (size_t i = 0; i < r->n_stored; i++)
        add(&all, arena, &r->tasks[i], false);
    while (job_file_note(f, &at, &bytes, &len)) {
        if (!job_note_decode(bytes, len, arena, &note))
            return false;
        add(&all, arena, &note.task, note.has_ended);
        r->n_tasks = note.n_tasks;
        r->cput_s = note.cput_s;
        r->mem_kb = note.mem_kb;
        r->vmem_kb = note.vmem_kb;
    }
    settle(&all, arena, r);
    return true;
}

bool job_notes_fold(const struct job_file *f, struct buf *out)
{
    struct arena *arena;
    struct job_record r;
    bool ok;

    if (f->is_damaged)
        return false;
    if (f->n_notes == 0) {
        buf_add(out, f->record, f->len);
        return true;
    }
    arena = arena_new();
    ok = job_record_decode(f->record, f->len, arena, &r) && read_notes(f, arena, &r);
    if (ok)
        job_record_encode(&r, out);
    arena_free(arena);
    return ok;
}
