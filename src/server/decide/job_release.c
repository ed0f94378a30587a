/* job_release.c - see job_release.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/job_release.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/select.h"
#include "server/model/job_hosts.h"
#include "server/model/node_life.h"

#include <string.h>
#include <strings.h>

#define NOT_SUBSET "New select must be made up of a subset of the original chunks"

/* A release being planned. */
struct plan {
    const struct job_release *r;
    struct arena *arena;
    struct exec_vnode ev;
    struct select sel; /* the schedselect, one chunk for each of 'ev' */
    bool has_sel;      /* an operator's qrun may have placed other chunks than it */
    const struct node *first;
    char *signs; /* as many as there are parts, in their order */
    size_t n;
};

static bool same_mom(const struct node *a, const struct node *b)
{
    return node_mom_port(a) == node_mom_port(b) &&
           strcasecmp(node_mom_host(a), node_mom_host(b)) == 0;
}

static size_t count_parts(const struct exec_vnode *ev)
{
    size_t n = 0;

    for (size_t i = 0; i < ev->n; i++)
        n += ev->chunks[i].n;
    return n;
}

/* "3:ncpus=2" becomes three chunks, so that each has the place of its vnodes. */
static bool unfold(const struct select *sel, size_t n, struct arena *arena,
                   struct select *ret)
{
    *ret = (struct select){ .chunks = ARENA_ARRAY(arena, struct chunk, n + 1) };
    for (size_t i = 0; i < sel->n; i++)
        for (int64_t k = 0; k < sel->chunks[i].count; k++) {
            if (ret->n == n)
                return false;
            ret->chunks[ret->n] = sel->chunks[i];
            ret->chunks[ret->n++].count = 1;
        }
    return ret->n == n;
}

static int read_job(struct plan *p, struct diag *why)
{
    const struct object *o = &p->r->job->obj;
    struct select sel;
    int err = exec_vnode_parse(obj_str(o, JOB_A_EXEC_VNODE, ""), p->r->m->defs,
                               p->arena, &p->ev, why);

    if (err)
        return err;
    /* Without its first vnode the job has no MoM, and nothing could be asked. */
    if (p->ev.n == 0 || p->ev.chunks[0].n == 0 || !job_first_node(p->r->job))
        return diag_code(why, PBSE_BADSTATE);
    p->first = job_first_node(p->r->job);
    p->n = count_parts(&p->ev);
    p->signs = ARENA_ARRAY(p->arena, char, p->n + 1);
    memset(p->signs, RELEASE_STAYS, p->n);
    p->signs[p->n] = '\0';
    p->has_sel = select_parse(obj_str(o, JOB_A_SCHEDSELECT, ""), p->r->m->defs,
                              p->arena, &sel, NULL) == 0 &&
                 unfold(&sel, p->ev.n, p->arena, &p->sel);
    return 0;
}

/* The vnode of a part; NULL: it is gone. */
static const struct node *node_of(const struct plan *p, const struct vnode_part *part)
{
    return model_node(p->r->m, part->vnode);
}

static bool is_first_host(const struct plan *p, const struct vnode_part *part)
{
    const struct node *n = node_of(p, part);

    return n && same_mom(n, p->first);
}

/* A host is named as its MoM is, with or without the domain. */
static bool is_host_name(const char *name, const char *host)
{
    size_t len = strcspn(host, ".");

    return strcasecmp(name, host) == 0 ||
           (strlen(name) == len && strncasecmp(name, host, len) == 0);
}

static bool is_named(const struct plan *p, const struct vnode_part *part,
                     const char *name)
{
    const struct node *n = node_of(p, part);

    return strcasecmp(part->vnode, name) == 0 ||
           (n && is_host_name(name, node_mom_host(n)));
}

/* Call 'mark' for each part, with its place. */
static void each_part(struct plan *p,
                      void (*mark)(struct plan *p, const struct vnode_part *part,
                                   size_t at))
{
    size_t at = 0;

    for (size_t i = 0; i < p->ev.n; i++)
        for (size_t k = 0; k < p->ev.chunks[i].n; k++)
            mark(p, &p->ev.chunks[i].parts[k], at++);
    MUST(at == p->n);
}

static void mark_others(struct plan *p, const struct vnode_part *part, size_t at)
{
    p->signs[at] = is_first_host(p, part) ? RELEASE_STAYS : RELEASE_GOES;
}

static int mark_name(struct plan *p, const char *name, struct diag *why)
{
    size_t at = 0, n_found = 0;

    for (size_t i = 0; i < p->ev.n; i++)
        for (size_t k = 0; k < p->ev.chunks[i].n; k++, at++) {
            const struct vnode_part *part = &p->ev.chunks[i].parts[k];

            if (!is_named(p, part, name))
                continue;
            /* The job's script runs there. */
            if (is_first_host(p, part))
                return diag_set(why, PBSE_SYSTEM,
                                "Can't free '%s' since it's on a primary execution "
                                "host",
                                name);
            p->signs[at] = RELEASE_GOES;
            n_found++;
        }
    if (n_found > 0)
        return 0;
    return diag_set(why, PBSE_SYSTEM,
                    "node(s) requested to be released not part of the job: %s", name);
}

static int mark_names(struct plan *p, struct diag *why)
{
    const char *at = p->r->vnodes;
    int err = 0;

    while (!err && *at) {
        size_t len = strcspn(at, "+");

        if (len > 0)
            err = mark_name(p, arena_strndup(p->arena, at, len), why);
        at += len + (at[len] == '+');
    }
    return err;
}

static const char *value_of(const struct chunk *c, const char *resource)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcasecmp(c->res[i].name, resource) == 0)
            return c->res[i].value;
    return NULL;
}

static int64_t chunk_amount(const struct exec_chunk *c, const char *resource)
{
    const struct exec_vnode one = { 1, (struct exec_chunk *)(uintptr_t)c };

    return exec_vnode_amount(&one, NULL, resource);
}

/* Has the i-th chunk of the job all that is to be kept? */
static bool satisfies(const struct plan *p, size_t i, const struct chunk *wanted)
{
    for (size_t k = 0; k < wanted->n; k++) {
        const struct chunk_resource *res = &wanted->res[k];
        const struct vnode_part asked = { .n = 1,
                                          .res =
                                              (struct chunk_resource *)(uintptr_t)res };
        const char *has;

        if (res->def && (res->def->flags & RESOURCE_CONSUMABLE)) {
            if (chunk_amount(&p->ev.chunks[i], res->name) <
                vnode_part_amount(&asked, res->name))
                return false;
            continue;
        }
        has = p->has_sel ? value_of(&p->sel.chunks[i], res->name) : NULL;
        if (!has || strcasecmp(has, res->value) != 0)
            return false;
    }
    return true;
}

/* Whole chunks stay; '+' before anything was chosen means nothing yet. */
static void keep_chunk(struct plan *p, size_t chunk)
{
    size_t at = 0;

    for (size_t i = 0; i < chunk; i++)
        at += p->ev.chunks[i].n;
    memset(p->signs + at, RELEASE_STAYS, p->ev.chunks[chunk].n);
}

/* A chunk that says nothing of resources is a host: all chunks that lie on it. */
static void keep_host(struct plan *p, const struct node *host, bool *taken)
{
    for (size_t i = 0; i < p->ev.n; i++) {
        const struct node *n = node_of(p, &p->ev.chunks[i].parts[0]);

        if (!n || !same_mom(n, host))
            continue;
        taken[i] = true;
        keep_chunk(p, i);
    }
}

static bool keep_one(struct plan *p, const struct chunk *wanted, bool *taken)
{
    for (size_t i = 0; i < p->ev.n; i++) {
        const struct node *n = node_of(p, &p->ev.chunks[i].parts[0]);

        if (taken[i] || !n || !satisfies(p, i, wanted))
            continue;
        if (wanted->n == 0) {
            keep_host(p, n, taken);
        } else {
            taken[i] = true;
            keep_chunk(p, i);
        }
        return true;
    }
    return false;
}

/* The job's first host stays whatever the select says; it is also the first that may
 * satisfy a chunk of it. */
static int mark_kept(struct plan *p, struct diag *why)
{
    bool *taken = ARENA_ARRAY(p->arena, bool, p->ev.n + 1);
    struct select keep;

    memset(taken, 0, p->ev.n * sizeof(*taken));
    if (select_parse(p->r->keep, p->r->m->defs, p->arena, &keep, NULL))
        return diag_set(why, PBSE_BADATVAL, "%s Resource_List.select",
                        pbse_text(PBSE_BADATVAL));
    each_part(p, mark_others);
    for (size_t i = 0; i < keep.n; i++)
        for (int64_t k = 0; k < keep.chunks[i].count; k++)
            if (!keep_one(p, &keep.chunks[i], taken))
                return diag_set(why, PBSE_SELECT_NOT_SUBSET, NOT_SUBSET);
    return 0;
}

int job_release_plan(const struct job_release *r, struct arena *arena,
                     const char **ret_signs, struct diag *why)
{
    struct plan p = { .r = r, .arena = arena };
    int err = read_job(&p, why);

    if (!err && r->keep)
        err = mark_kept(&p, why);
    else if (!err && *r->vnodes)
        err = mark_names(&p, why);
    else if (!err)
        each_part(&p, mark_others);
    if (err)
        return err;
    MUST(p.signs[0] == RELEASE_STAYS); /* the first vnode is on the first host */
    if (!r->keep && !strchr(p.signs, RELEASE_GOES))
        return diag_set(why, PBSE_SYSTEM,
                        "nothing to release: all of the job is on its primary "
                        "execution host");
    *ret_signs = p.signs;
    return 0;
}

/* What stays of the parts, as an exec_vnode; places[i] is the old place of the i-th
 * chunk. */
static struct exec_vnode kept_parts(const struct plan *p, const char *signs,
                                    size_t *places)
{
    struct exec_vnode kept = { .chunks =
                                   ARENA_ARRAY(p->arena, struct exec_chunk, p->ev.n) };

    for (size_t i = 0; i < p->ev.n; i++) {
        const struct exec_chunk *c = &p->ev.chunks[i];
        struct exec_chunk stays = { 0, ARENA_ARRAY(p->arena, struct vnode_part, c->n) };

        for (size_t k = 0; k < c->n; k++)
            if (*signs++ == RELEASE_STAYS)
                stays.parts[stays.n++] = c->parts[k];
        if (stays.n == 0)
            continue;
        places[kept.n] = i;
        kept.chunks[kept.n++] = stays;
    }
    return kept;
}

static void add_resource(struct chunk *to, const char *name, const char *value,
                         const struct resource_def *def)
{
    to->res[to->n++] = (struct chunk_resource){ name, value, def };
}

/* What the rest of a chunk asks for: of what is counted down what is left of it, in the
 * words of the exec_vnode; of everything else what the chunk asked for. */
static struct chunk rest_of_chunk(const struct plan *p, const struct exec_chunk *left,
                                  size_t place)
{
    const struct exec_vnode one = { 1, (struct exec_chunk *)(uintptr_t)left };
    const struct chunk *was = p->has_sel ? &p->sel.chunks[place] : NULL;
    struct attr_value sum = { .set = true };
    struct wire_attrs all = { 0 };
    struct chunk rest = { .count = 1, .counted = true };

    exec_vnode_sum(&one, NULL, &sum.u.res);
    attr_value_encode(&attr_resources, &sum, "", &all, p->arena);
    resources_clear(&sum.u.res);
    rest.res = ARENA_ARRAY(p->arena, struct chunk_resource, all.n + (was ? was->n : 0));
    for (size_t i = 0; i < all.n; i++)
        add_resource(&rest, all.v[i].resource, all.v[i].value,
                     resource_find(p->r->m->defs, all.v[i].resource));
    for (size_t i = 0; was && i < was->n; i++)
        if (!was->res[i].def || !(was->res[i].def->flags & RESOURCE_CONSUMABLE))
            add_resource(&rest, was->res[i].name, was->res[i].value, was->res[i].def);
    return rest;
}

static void add_attr(struct wire_attrs *to, int attr, const char *resource,
                     const char *value, struct arena *arena)
{
    MUST(value);
    wire_attrs_add(to, arena, job_rows[attr].name, resource, value, WIRE_OP_SET);
}

/* The members of the list that the select adds up, as they are now. */
static void add_sums(const struct plan *p, const struct select *sel,
                     struct wire_attrs *ret)
{
    const struct resources *was = obj_resources(&p->r->job->obj, JOB_A_RESOURCE_LIST);
    struct attr_value sums = { .set = true };
    struct wire_attrs all = { 0 };

    select_sum(sel, p->r->m->defs, &sums.u.res);
    attr_value_encode(&attr_resources, &sums, "", &all, p->arena);
    for (size_t i = 0; i < all.n; i++)
        add_attr(ret, JOB_A_RESOURCE_LIST, all.v[i].resource, all.v[i].value, p->arena);
    for (size_t i = 0; i < was->n; i++) {
        const struct resource_def *def = was->v[i].def;

        if ((def->flags & RESOURCE_HOST) && (def->flags & RESOURCE_CONSUMABLE) &&
            !resources_find(&sums.u.res, def->name))
            add_attr(ret, JOB_A_RESOURCE_LIST, def->name, "", p->arena);
    }
    resources_clear(&sums.u.res);
}

static int attrs_of(const struct plan *p, const char *signs, struct wire_attrs *ret,
                    struct diag *why)
{
    size_t *places = ARENA_ARRAY(p->arena, size_t, p->ev.n + 1);
    const struct exec_vnode kept = kept_parts(p, signs, places);
    struct select sel = { .chunks = ARENA_ARRAY(p->arena, struct chunk, kept.n + 1) };
    struct job_hosts hosts;
    const char *text;
    int err = job_hosts_keep(p->r->m, p->r->job, &kept, p->arena, &hosts, why);

    if (err)
        return err;
    for (size_t i = 0; i < kept.n; i++)
        sel.chunks[sel.n++] = rest_of_chunk(p, &kept.chunks[i], places[i]);
    text = select_to_schedselect(&sel, NULL, p->arena);
    add_attr(ret, JOB_A_EXEC_VNODE, NULL, exec_vnode_print(&kept, p->arena), p->arena);
    add_attr(ret, JOB_A_EXEC_HOST, NULL, hosts.exec_host, p->arena);
    add_attr(ret, JOB_A_EXEC_HOST2, NULL, hosts.exec_host2, p->arena);
    add_attr(ret, JOB_A_SCHEDSELECT, NULL, text, p->arena);
    add_sums(p, &sel, ret);
    add_attr(ret, JOB_A_RESOURCE_LIST, "select", text, p->arena);
    return 0;
}

int job_release_attrs(const struct model *m, const struct job *job, const char *signs,
                      struct arena *arena, struct wire_attrs *ret, struct diag *why)
{
    const struct job_release r = { .m = m, .job = job };
    struct plan p = { .r = &r, .arena = arena };
    int err = read_job(&p, why);

    if (err)
        return err;
    if (strlen(signs) != p.n || signs[0] != RELEASE_STAYS)
        return diag_code(why, PBSE_INTERNAL);
    return attrs_of(&p, signs, ret, why);
}

/* One attribute becomes another one's old value. */
static void copy_attr(const struct object *o, int from, int to, struct arena *arena,
                      struct record *rec)
{
    const struct attr_type *type = job_rows[from].type;
    struct wire_attrs all = { 0 };

    if (!attr_type_has_members(type)) {
        record_change(rec, arena, to, NULL,
                      arena_strdup(arena, obj_str(o, from, NULL)));
        return;
    }
    record_change(rec, arena, to, NULL, NULL);
    attr_value_encode(type, obj_attr(o, from), "", &all, arena);
    for (size_t i = 0; i < all.n; i++)
        record_change(rec, arena, to, all.v[i].resource, all.v[i].value);
}

/* What a phase and what the whole job was, for accounting (operations.md 17). */
static void keep_phase(const struct object *o, struct arena *arena, struct record *rec)
{
    static const int rows[][3] = {
        { JOB_A_EXEC_VNODE, JOB_A_EXEC_VNODE_ACCT, JOB_A_EXEC_VNODE_ORIG },
        { JOB_A_EXEC_HOST, JOB_A_EXEC_HOST_ACCT, JOB_A_EXEC_HOST_ORIG },
        { JOB_A_RESOURCE_LIST, JOB_A_RESOURCE_LIST_ACCT, JOB_A_RESOURCE_LIST_ORIG },
        { JOB_A_SCHEDSELECT, -1, JOB_A_SCHEDSELECT_ORIG },
        { JOB_A_RESOURCES_USED, JOB_A_RESOURCES_USED_ACCT, -1 },
    };
    bool is_first = !obj_is_set(o, JOB_A_EXEC_VNODE_ORIG);

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (rows[i][1] >= 0)
            copy_attr(o, rows[i][0], rows[i][1], arena, rec);
        if (is_first && rows[i][2] >= 0)
            copy_attr(o, rows[i][0], rows[i][2], arena, rec);
    }
}

int job_release_changes(const struct model *m, const struct job *job, const char *signs,
                        struct arena *arena, struct record *rec, struct diag *why)
{
    struct wire_attrs attrs = { 0 };
    struct buf usage = { 0 };
    int err = job_release_attrs(m, job, signs, arena, &attrs, why);

    if (err)
        return err;
    keep_phase(&job->obj, arena, rec);
    for (size_t i = 0; i < attrs.n; i++) {
        const struct wire_attr *a = &attrs.v[i];

        record_change(rec, arena, attr_find_any(&job_table, a->name), a->resource,
                      *a->value ? a->value : NULL);
    }
    record_change(rec, arena, JOB_A_HF_RELEASE, NULL, NULL);
    job_phase_usage(&job->obj, arena, &usage);
    rec->note = arena_strdup(arena, usage.data ? usage.data : "");
    buf_fini(&usage);
    return 0;
}

void job_release_undo(const struct job *job, struct arena *arena, struct record *rec)
{
    static const int gone[] = {
        JOB_A_HF_RELEASE,         JOB_A_EXEC_VNODE_ACCT,     JOB_A_EXEC_HOST_ACCT,
        JOB_A_RESOURCE_LIST_ACCT, JOB_A_RESOURCES_USED_ACCT, JOB_A_EXEC_VNODE_ORIG,
        JOB_A_EXEC_HOST_ORIG,     JOB_A_RESOURCE_LIST_ORIG,  JOB_A_SCHEDSELECT_ORIG,
    };
    const struct object *o = &job->obj;

    if (obj_is_set(o, JOB_A_EXEC_VNODE_ORIG)) {
        copy_attr(o, JOB_A_RESOURCE_LIST_ORIG, JOB_A_RESOURCE_LIST, arena, rec);
        copy_attr(o, JOB_A_SCHEDSELECT_ORIG, JOB_A_SCHEDSELECT, arena, rec);
    }
    for (size_t i = 0; i < ARRAY_LEN(gone); i++)
        if (obj_is_set(o, gone[i]))
            record_change(rec, arena, gone[i], NULL, NULL);
}

/* These only grow, so a phase has its share of them; the others are peaks. */
static bool is_total(const char *resource)
{
    return strcasecmp(resource, "cput") == 0 || strcasecmp(resource, "walltime") == 0;
}

void job_phase_usage(const struct object *job, struct arena *arena, struct buf *out)
{
    const struct resources *before = obj_resources(job, JOB_A_RESOURCES_USED_ACCT);
    const struct resources *used = obj_resources(job, JOB_A_RESOURCES_USED);
    struct wire_attrs all = { 0 };

    attr_value_encode(&attr_resources, obj_attr(job, JOB_A_RESOURCES_USED),
                      "resources_used", &all, arena);
    for (size_t i = 0; i < all.n; i++) {
        const char *name = all.v[i].resource;

        buf_printf(out, "%sresources_used.%s=", out->len ? " " : "", name);
        if (is_total(name))
            duration_print(MAX_OF(resources_amount(used, name, 0) -
                                      resources_amount(before, name, 0),
                                  0),
                           out);
        else
            buf_add_quoted(out, all.v[i].value);
    }
}
