/* action.c - the lines of a scenario in which users and administrators do something.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/ids.h"
#include "script.h"
#include "server/model/node_life.h"
#include "server/model/resv_state.h"
#include "server/requests/manager.h"
#include "sim.h"
#include "together.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t number(const char *text, int64_t none)
{
    return text ? atoll(text) : none;
}

static struct end_wish words_end(const struct words *w)
{
    return (struct end_wish){
        .on_end = words_value(w, "on_end"),
        .on_end_queue = words_value(w, "on_end_queue"),
        .auto_extend = words_value(w, "auto_extend"),
        .auto_extend_max = words_value(w, "auto_extend_max"),
        .auto_extend_release = words_value(w, "auto_extend_release"),
    };
}

/* Labels. */

/* Renaming adds to a name: "R1_b" is still R1. */
static bool is_label(const char *name, const char *label)
{
    size_t len = strlen(label);

    return strncmp(name, label, len) == 0 && (name[len] == '\0' || name[len] == '_');
}

static const struct object *by_label(const struct model *m, enum obj_kind kind,
                                     int attr, const char *label)
{
    MODEL_EACH (m, kind, o) {
        if (is_label(obj_str(o, attr, ""), label))
            return o;
    }
    return NULL;
}

/* "J1's": the reservation that was made out of it. */
static const struct object *by_job(const struct sim *s, const struct model *m,
                                   const char *label)
{
    MODEL_EACH (m, OBJ_RESV, o) {
        const struct entry *e =
            ledger_find(&s->ledger, obj_str(o, RESV_A_RESERVE_JOB, ""));

        if (e && e->label && strncmp(e->label, label, strlen(e->label)) == 0 &&
            strcmp(label + strlen(e->label), "'s") == 0)
            return o;
    }
    return NULL;
}

const char *label_id(const struct sim *s, const char *label)
{
    const struct model *m = shell_model(s);
    const struct object *o;

    if (!m)
        return NULL;
    o = by_label(m, OBJ_RESV, RESV_A_RESERVE_NAME, label);
    if (!o)
        o = by_label(m, OBJ_JOB, JOB_A_JOB_NAME, label);
    if (!o)
        o = by_job(s, m, label);
    return o ? o->id : NULL;
}

static bool is_idle_for(const struct node *n, const struct resv *r)
{
    for (size_t i = 0; i < n->n_jobs; i++)
        if (n->jobs[i]->resv == r)
            return false;
    return node_is_usable(n);
}

/* "vnode of J1", "idle vnode of R1", "used vnode of R1", "vnode outside R1". */
static const struct node *described(const struct sim *s, const char *how,
                                    const char *label)
{
    const struct model *m = shell_model(s);
    const char *id = label_id(s, label);
    const struct resv *r = m && id ? model_resv(m, id) : NULL;
    const struct job *j = m && id ? model_job(m, id) : NULL;

    if (j)
        return j->bookings.n ? j->bookings.v[0].node : NULL;
    for (size_t i = 0; r && i < r->current.bookings.n; i++)
        if (is_idle_for(r->current.bookings.v[i].node, r) == (strcmp(how, "idle") == 0))
            return r->current.bookings.v[i].node;
    return NULL;
}

/* A name is given even when nothing fits the words: then any vnode bears it. */
static const struct node *any_vnode(struct sim *s)
{
    const struct model *m = shell_model(s);
    int64_t i = m ? rnd_range(&s->rnd, 0, (int64_t)m->kinds[OBJ_NODE].n) : 0;

    if (!m)
        return NULL;
    MODEL_EACH (m, OBJ_NODE, o) {
        if (i-- <= 0)
            return TO_NODE(o);
    }
    return NULL;
}

/* "call X the idle vnode of R1" */
static bool call(struct sim *s, const struct words *w)
{
    const struct node *n = NULL;
    size_t i;

    if (words_are(w, 0, "call * the vnode of *"))
        n = described(s, "of", w->v[5]);
    else if (words_are(w, 0, "call * the * vnode of *"))
        n = described(s, w->v[3], w->v[6]);
    else
        return false;
    if (!n)
        n = any_vnode(s);
    if (!n)
        return true;
    for (i = 0; i < s->n_called && strcmp(s->called[i].word, w->v[1]) != 0; i++)
        ;
    if (i == ARRAY_LEN(s->called))
        return false;
    s->n_called = MAX_OF(s->n_called, i + 1);
    snprintf(s->called[i].word, sizeof(s->called[i].word), "%s", w->v[1]);
    snprintf(s->called[i].vnode, sizeof(s->called[i].vnode), "%s", n->obj.id);
    sim_trace(s, "%s is %s", w->v[1], n->obj.id);
    return true;
}

const char *vnode_named(const struct sim *s, const char *word)
{
    for (size_t i = 0; i < s->n_called; i++)
        if (strcmp(s->called[i].word, word) == 0)
            return s->called[i].vnode;
    return word;
}

/* Users. */

static bool reserves(struct sim *s, const struct words *w)
{
    const struct resv_wish wish = {
        .user = w->v[0],
        .label = w->v[2],
        .select = words_value(w, "select"),
        .place = words_value(w, "place"),
        .start_at = SIM_EPOCH_S + number(words_after(w, "from"), 0),
        .duration_s = number(words_after(w, "for"), 0),
        .rule = words_after(w, "repeating"),
        .zone = words_value(w, "zone"),
        .waiting = words_after(w, "waiting"),
        .idle_s = number(words_after(w, "idle"), 0),
        .end = words_end(w),
        .dry = words_value(w, "dry") != NULL,
    };

    if (!wish.select || !words_after(w, "from") || !words_after(w, "for"))
        return false;
    client_reserve(s, &wish);
    return true;
}

/* All that these vnodes have: "(vn[0]:ncpus=2)+(vn[3]:ncpus=2)". */
static bool whole_vnodes(struct sim *s, const char *names, struct buf *ret)
{
    struct arena *arena = arena_new();
    char *rest = arena_strdup(arena, names), *name;

    while ((name = strsep(&rest, "+"))) {
        const struct node *n = model_node(shell_model(s), vnode_named(s, name));

        if (!n)
            break;
        buf_printf(ret, "%s(%s:ncpus=%" PRId64 ")", ret->len ? "+" : "", n->obj.id,
                   resources_amount(obj_resources(&n->obj, NODE_A_RESOURCES_AVAILABLE),
                                    "ncpus", 0));
    }
    arena_free(arena);
    return !name;
}

/* "user9 maintains M1 vn[0]+vn[3] select=2:ncpus=2 from 60 for 600": who is an operator
 * takes these vnodes; the select is what they have. */
static bool maintains(struct sim *s, const struct words *w)
{
    struct buf vnodes = { 0 };
    struct resv_wish wish = {
        .user = w->v[0],
        .label = w->v[2],
        .select = words_value(w, "select"),
        .place = "exclhost",
        .start_at = SIM_EPOCH_S + number(words_after(w, "from"), 0),
        .duration_s = number(words_after(w, "for"), 0),
    };
    bool ok =
        w->n > 4 && wish.select && words_after(w, "from") && words_after(w, "for");

    if (ok && shell_model(s) && whole_vnodes(s, w->v[3], &vnodes)) {
        buf_add_char(&vnodes, '\0');
        wish.vnodes = vnodes.data;
        client_reserve(s, &wish);
    }
    buf_fini(&vnodes);
    return ok;
}

/* "user1 reserves R1 out of J1". A job that is not there is asked for by its label. */
static bool reserves_from_job(struct sim *s, const struct words *w)
{
    const char *id = label_id(s, w->v[5]);
    const struct resv_wish wish = {
        .user = w->v[0],
        .label = w->v[2],
        .job = id ? id : w->v[5],
        .duration_s = number(words_after(w, "for"), 0),
        .waiting = words_after(w, "waiting"),
        .idle_s = number(words_after(w, "idle"), 0),
        .end = words_end(w),
        .dry = words_value(w, "dry") != NULL,
    };

    client_reserve(s, &wish);
    return true;
}

/* "user1 reserves R1 moving J1": as soon as possible. */
static bool reserves_for_job(struct sim *s, const struct words *w)
{
    const char *id = label_id(s, w->v[4]);
    const struct resv_wish wish = {
        .user = w->v[0],
        .label = w->v[2],
        .qmove = id ? id : w->v[4],
        .duration_s = number(words_after(w, "for"), 0),
        .waiting = words_after(w, "waiting"),
        .idle_s = number(words_after(w, "idle"), 0),
        .end = words_end(w),
        .dry = words_value(w, "dry") != NULL,
    };

    client_reserve(s, &wish);
    return true;
}

static int64_t moment(const struct words *w, const char *word)
{
    const char *text = words_after(w, word);

    return text ? SIM_EPOCH_S + number(text, 0) : 0;
}

static const char *renamed(const struct words *w, struct arena *arena)
{
    const char *suffix = words_after(w, "renamed");

    return suffix ? arena_printf(arena, "%s_%s", w->v[2], suffix) : NULL;
}

/* "R1[3]": the third occurrence of R1; 0: none is named. */
static uint32_t index_in(const char *word)
{
    const char *bracket = strchr(word, '[');

    return bracket ? (uint32_t)atoll(bracket + 1) : 0;
}

/* The id of the reservation that "R1" or "R1[3]" is of. */
static const char *series_labelled(const struct sim *s, const char *word,
                                   struct arena *arena)
{
    return label_id(s, arena_strndup(arena, word, strcspn(word, "[")));
}

static bool alters(struct sim *s, const struct words *w)
{
    struct arena *arena = arena_new();
    const char *id = series_labelled(s, w->v[2], arena);
    const struct alter_wish wish = {
        .user = w->v[0],
        .label = w->v[2],
        .id = id,
        .select = words_value(w, "select"),
        .name = renamed(w, arena),
        .users = words_value(w, "users"),
        .groups = words_value(w, "groups"),
        .mail = words_value(w, "mail"),
        .mail_to = words_value(w, "mail_to"),
        .end = words_end(w),
        .dry = words_value(w, "dry") != NULL,
        .start_at = moment(w, "from"),
        .end_at = moment(w, "until"),
        .duration_s = number(words_after(w, "for"), 0),
        .waiting = words_after(w, "waiting"),
        .force = strcmp(w->v[w->n - 1], "force") == 0,
        .push = strcmp(w->v[w->n - 1], "push") == 0,
        .occurrence = index_in(w->v[2]),
        .release = strcmp(w->v[w->n - 1], "release") == 0,
    };

    if (id && w->n > 3)
        client_alter(s, &wish);
    arena_free(arena);
    return true;
}

/* "root alters together R1 100 160 R2 160 220 [force]" */
static bool alters_together(struct sim *s, const struct words *w)
{
    struct together_part parts[TOGETHER_MAX];
    bool force = strcmp(w->v[w->n - 1], "force") == 0;
    size_t n = 0;

    for (size_t i = 3; i + 2 < w->n && n < TOGETHER_MAX; i += 3)
        parts[n++] = (struct together_part){
            .id = label_id(s, w->v[i]),
            .start_at = SIM_EPOCH_S + number(w->v[i + 1], 0),
            .end_at = SIM_EPOCH_S + number(w->v[i + 2], 0),
        };
    for (size_t i = 0; i < n; i++)
        if (!parts[i].id)
            return true; /* it is not there: nobody can ask for that */
    together_open(s, parts, n, force);
    return n > 1;
}

static bool looks(struct sim *s, const struct words *w)
{
    client_look(s, w->v[0]);
    return true;
}

/* "user1 asks why R1". One that is gone is asked for by the id that it had. */
static bool asks_why(struct sim *s, const struct words *w)
{
    const struct entry *e = ledger_by_label(&s->ledger, w->v[3]);
    const char *id = label_id(s, w->v[3]);

    if (!id && e)
        id = e->id;
    if (id)
        client_why(s, w->v[0], w->v[3], id);
    return true;
}

/* "J1", or "J1@two": a job of the other server. The id of one that is not there is a
 * number that nobody has. */
static void add_waited(const struct sim *s, const char *word, struct buf *out)
{
    size_t len = strcspn(word, "@");
    const struct sim *of = word[len] ? s->other : s;
    char label[64];
    const char *id;

    snprintf(label, sizeof(label), "%.*s", (int)len, word);
    id = of ? label_id(of, label) : NULL;
    if (id)
        buf_add_str(out, id);
    else
        buf_printf(out, "8888888.%s", of ? of->name : s->name);
    buf_add_str(out, word + len);
}

/* "afterok:J1:J2,on:2" with the ids of those labels. */
static const char *depend_of(struct sim *s, const char *text, struct buf *out)
{
    while (text && *text) {
        size_t len = strcspn(text, ":,");
        char word[64];

        snprintf(word, sizeof(word), "%.*s", (int)len, text);
        if (word[0] >= 'A' && word[0] <= 'Z')
            add_waited(s, word, out);
        else
            buf_add_str(out, word);
        buf_printf(out, "%.1s", text + len);
        text += len + (text[len] != 0);
    }
    return out->len ? out->data : NULL;
}

/* Into a reservation that is not there: into a queue of that name, which is refused. */
static bool submits(struct sim *s, const struct words *w)
{
    const char *into = words_after(w, "into");
    const char *id = into ? label_id(s, into) : NULL;
    struct buf depend = { 0 };
    const struct job_wish wish = {
        .user = w->v[0],
        .label = w->v[2],
        .checkpoint = words_value(w, "checkpoint"),
        .depend = depend_of(s, words_value(w, "depend"), &depend),
        .into = id ? id : into,
        .select = words_value(w, "select"),
        .walltime_s = number(words_value(w, "walltime"), 0),
        .least_s = number(words_value(w, "min_walltime"), 0),
        .most_s = number(words_value(w, "max_walltime"), 0),
        .lasts_s = number(words_after(w, "lasting"), 60),
        .indices = words_value(w, "indices"),
        .reserving = strcmp(w->v[w->n - 1], "reserving") == 0,
        .once = strcmp(w->v[w->n - 1], "once") == 0,
    };

    if (wish.select)
        client_submit(s, &wish);
    buf_fini(&depend);
    return wish.select != NULL;
}

/* "J1", or "J1[3]": a subjob of it. NULL: it is not there. */
static const char *job_id(const struct sim *s, const char *word, struct arena *arena)
{
    const char *id = series_labelled(s, word, arena);
    uint32_t index = index_in(word);

    if (!id || !index)
        return id;
    return strstr(id, "[]") ? subjob_id_make(id, index, arena) : NULL;
}

static bool deletes(struct sim *s, const struct words *w)
{
    struct arena *arena = arena_new();
    const char *id = series_labelled(s, w->v[2], arena);
    bool resv = id && model_resv(shell_model(s), id);

    if (resv && index_in(w->v[2]))
        client_delete_occurrence(s, w->v[0], w->v[2], id, index_in(w->v[2]));
    else if (resv || (id = job_id(s, w->v[2], arena)))
        client_delete(s, w->v[0], w->v[2], id, resv, w->n > 3);
    arena_free(arena);
    return true;
}

static bool runs(struct sim *s, const struct words *w)
{
    struct arena *arena = arena_new();
    const char *id = job_id(s, w->v[2], arena);

    if (id)
        client_run(s, w->v[2], id);
    arena_free(arena);
    return true;
}

static bool requeues(struct sim *s, const struct words *w)
{
    struct arena *arena = arena_new();
    const char *id = job_id(s, w->v[2], arena);

    if (id)
        client_rerun(s, w->v[2], id);
    arena_free(arena);
    return true;
}

/* "user1 holds J1", "user1 frees J1": the user's own hold. */
static bool holds(struct sim *s, const struct words *w)
{
    const char *id = label_id(s, w->v[2]);

    if (id)
        client_hold(s, w->v[0], w->v[2], id, strcmp(w->v[1], "holds") == 0);
    return true;
}

/* It is to make a reservation when it starts. */
static bool marks(struct sim *s, const struct words *w)
{
    const char *id = label_id(s, w->v[2]);

    if (id)
        client_alter_job(s, w->v[0], w->v[2], id, "create_resv_from_job", NULL, "True");
    return true;
}

/* "user1 makes J1 wait afterok:J2@two". */
static bool makes_wait(struct sim *s, const struct words *w)
{
    const char *id = label_id(s, w->v[2]);
    struct buf depend = { 0 };

    if (id)
        client_alter_job(s, w->v[0], w->v[2], id, "depend", NULL,
                         depend_of(s, w->v[4], &depend));
    buf_fini(&depend);
    return true;
}

/* "root expects J1 to last 60": its soft_walltime. */
static bool expects_to_last(struct sim *s, const struct words *w)
{
    const char *id = label_id(s, w->v[2]);

    if (id)
        client_alter_job(s, w->v[0], w->v[2], id, "Resource_List", "soft_walltime",
                         w->v[5]);
    return true;
}

/* "user1 moves J1 into R1", "root moves J1 into workq", "... into workq@two". */
static bool moves(struct sim *s, const struct words *w)
{
    const char *id = label_id(s, w->v[2]), *resv_id = label_id(s, w->v[4]);
    const char *queue = resv_id ? resv_id : w->v[4];
    char name[64];

    /* The queue of a reservation is named by its number. */
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(queue, "."), queue);
    if (id)
        client_move(s, w->v[0], w->v[2], id, name);
    return true;
}

static bool orders(struct sim *s, const struct words *w)
{
    const char *id = label_id(s, w->v[2]), *other = label_id(s, w->v[3]);

    if (id && other)
        client_order(s, w->v[0], w->v[2], id, other);
    return true;
}

static bool releases(struct sim *s, const struct words *w)
{
    const char *id = label_id(s, w->v[2]);

    if (id)
        client_release(s, w->v[0], w->v[2], id,
                       strcmp(w->v[3], "others") == 0 ? "" : vnode_named(s, w->v[3]));
    return true;
}

/* "root admin-suspends J1": the word of qsig with an s behind it. */
static bool signals(struct sim *s, const struct words *w)
{
    static const char *const words[] = { "suspend", "resume", "admin-suspend",
                                         "admin-resume" };
    struct arena *arena = arena_new();
    const char *id = job_id(s, w->v[2], arena);
    bool known = false;

    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (strncmp(w->v[1], words[i], strlen(words[i])) == 0 &&
            strcmp(w->v[1] + strlen(words[i]), "s") == 0) {
            if (id)
                client_signal(s, w->v[2], id, words[i]);
            known = true;
        }
    arena_free(arena);
    return known;
}

/* "root sets resources_available.ncpus 3", "root sets scheduling True" */
static bool sets(struct sim *s, const struct words *w)
{
    struct arena *arena = arena_new();
    char *attr = arena_strdup(arena, w->v[2]), *resource = strchr(attr, '.');

    if (resource)
        *resource++ = '\0';
    client_manage(s, MANAGER_SET, OBJECT_SERVER, "", attr, resource, w->v[3],
                  WIRE_OP_SET);
    arena_free(arena);
    return true;
}

/* "root sets queue late enabled False" */
static bool sets_queue(struct sim *s, const struct words *w)
{
    client_manage(s, MANAGER_SET, OBJECT_QUEUE, w->v[3], w->v[4], NULL, w->v[5],
                  WIRE_OP_SET);
    return true;
}

/* "root sets sched preempt_order SCR 50 R": of the scheduler "default" */
static bool sets_sched(struct sim *s, const struct words *w)
{
    struct buf value = { 0 };

    for (size_t i = 4; i < w->n; i++)
        buf_printf(&value, "%s%s", i > 4 ? " " : "", w->v[i]);
    client_manage(s, MANAGER_SET, OBJECT_SCHED, s->planner.name, w->v[3], NULL,
                  value.data, WIRE_OP_SET);
    buf_fini(&value);
    return true;
}

/* "root sets vnode vn[1] resv_enable False" */
static bool sets_vnode(struct sim *s, const struct words *w)
{
    client_manage(s, MANAGER_SET, OBJECT_NODE, vnode_named(s, w->v[3]), w->v[4], NULL,
                  w->v[5], WIRE_OP_SET);
    return true;
}

/* "root sets all vnodes Priority 7", "root adds 7 to Priority of all vnodes" */
static bool sets_all_vnodes(struct sim *s, const struct words *w)
{
    bool adds = strcmp(w->v[1], "adds") == 0;

    client_manage(s, MANAGER_SET, OBJECT_NODE, "@default", w->v[4], NULL,
                  w->v[adds ? 2 : 5], adds ? WIRE_OP_INCR : WIRE_OP_SET);
    return true;
}

static bool unsets_vnode(struct sim *s, const struct words *w)
{
    client_manage(s, MANAGER_UNSET, OBJECT_NODE, vnode_named(s, w->v[3]), w->v[4], NULL,
                  NULL, WIRE_OP_UNSET);
    return true;
}

static bool unsets(struct sim *s, const struct words *w)
{
    client_manage(s, MANAGER_UNSET, OBJECT_SERVER, "", w->v[2], NULL, NULL,
                  WIRE_OP_UNSET);
    return true;
}

static bool interrupts(struct sim *s, const struct words *w)
{
    client_interrupt(s, w->v[2]);
    return true;
}

static const struct action actions[] = {
    { "call", call },
    { "hooks of * *", verdicts_line },
    { "* reserves * out of *", reserves_from_job },
    { "* reserves * moving *", reserves_for_job },
    { "* reserves *", reserves },
    { "* maintains *", maintains },
    { "root alters together *", alters_together },
    { "* alters *", alters },
    { "* looks", looks },
    { "* asks why *", asks_why },
    { "* submits *", submits },
    { "* deletes *", deletes },
    { "* deletes * with its history", deletes },
    { "* interrupts *", interrupts },
    { "root runs *", runs },
    { "* moves * into *", moves },
    { "* orders * *", orders },
    { "* releases *", releases },
    { "root suspends *", signals },
    { "root resumes *", signals },
    { "root admin-suspends *", signals },
    { "root admin-resumes *", signals },
    { "root requeues *", requeues },
    { "* holds *", holds },
    { "* frees *", holds },
    { "* marks *", marks },
    { "* makes * wait *", makes_wait },
    { "* expects * to last *", expects_to_last },
    { "root sets queue * * *", sets_queue },
    { "root sets sched * *", sets_sched },
    { "root sets all vnodes * *", sets_all_vnodes },
    { "root adds * to * of all vnodes", sets_all_vnodes },
    { "root sets vnode * * *", sets_vnode },
    { "root unsets vnode * *", unsets_vnode },
    { "root sets * *", sets },
    { "root unsets *", unsets },
};

const struct action *action_find(const struct action *table, size_t n,
                                 const struct words *w)
{
    for (size_t i = 0; i < n; i++)
        if (words_are(w, 0, table[i].pattern))
            return &table[i];
    return NULL;
}

bool action_do(struct sim *s, const struct words *w)
{
    const struct action *a = action_of_daemons(w);

    if (!a)
        a = action_find(actions, ARRAY_LEN(actions), w);
    if (!a)
        return false;
    counts_add(s, "line %s", a->pattern);
    return a->fn(s, w);
}
