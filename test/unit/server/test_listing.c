/* Unit tests of long status replies: what is kept of objects' looks, and listings that
 * take several turns.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/packet.h"
#include "server/engine/svr_priv.h"
#include "test/unit/server/fake_mom.h"

#include "test/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void change(struct rig *r, uint32_t command, uint32_t type, const char *name,
                   const char *attrs)
{
    int code = rig_manager(r, RIG_ROOT, command, type, name, attrs);

    if (code)
        printf("%s %s: %d %s\n", name, attrs, code, rig_text(r));
    CU_ASSERT_EQUAL(code, 0);
}

static void assert_right(struct rig *r, const char *after)
{
    struct buf why = { 0 };
    bool right = svr_shown_is_right(r->s, r->now_at, &why);

    if (!right)
        printf("after %s: %s\n", after, why.data);
    CU_ASSERT_TRUE(right);
    buf_fini(&why);
}

static void test_kept_looks_follow_every_change(void)
{
    static const struct {
        uint32_t command, type;
        const char *name, *attrs;
    } steps[] = {
        { CREATE, OBJECT_NODE, "n1", "Mom=h1" },
        { CREATE, OBJECT_NODE, "n2", "Mom=h1" }, /* in_multivnode_host of n1 */
        { CREATE, OBJECT_NODE, "n3", "Mom=h1" },
        { SET, OBJECT_NODE, "n1", "resources_available.ncpus=4" },
        { SET, OBJECT_NODE, "n1", "comment=x" },
        { SET, OBJECT_NODE, "n1", "state=offline" },
        { CREATE, OBJECT_QUEUE, "q1", "queue_type=execution" },
        { SET, OBJECT_QUEUE, "q1", "enabled=True" },
        { SET, OBJECT_NODE, "n2", "queue=q1" }, /* hasnodes of q1 */
        { UNSET, OBJECT_NODE, "n2", "queue=" },
        { CREATE, OBJECT_RESOURCE, "gas", "type=long flag=hn" },
        { SET, OBJECT_NODE, "n1", "resources_available.gas=3" },
        { SET, OBJECT_RESOURCE, "gas", "flag=hni" }, /* not for users any more */
        { SET, OBJECT_SERVER, "", "show_hidden_attribs=True" },
        { SET, OBJECT_SERVER, "", "show_hidden_attribs=False" },
        { DELETE, OBJECT_NODE, "n3", "" },
        { DELETE, OBJECT_NODE, "n2", "" }, /* n1 is alone again */
        { DELETE, OBJECT_QUEUE, "q1", "" },
    };
    struct rig *r = rig_new();

    assert_right(r, "the start");
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        change(r, steps[i].command, steps[i].type, steps[i].name, steps[i].attrs);
        assert_right(r, steps[i].name);
        assert_right(r, steps[i].attrs); /* what was made is kept now */
    }
    CU_ASSERT_PTR_NULL(
        rig_value(r, RIG_USER, BATCH_STATUS_NODE, "n1", "resources_available.gas"));
    CU_ASSERT_PTR_NOT_NULL(
        rig_value(r, RIG_ROOT, BATCH_STATUS_NODE, "n1", "resources_available.gas"));
    rig_free(r);
}

static void make_nodes(struct rig *r, int n)
{
    for (int i = 0; i < n; i++) {
        char name[16];

        snprintf(name, sizeof(name), "n%d", i);
        change(r, CREATE, OBJECT_NODE, name, "resources_available.ncpus=4");
    }
}

/* The cache alone. */

struct viewer {
    struct requester who;
    struct wire_request wire;
    struct request rq;
};

static const struct request *view(struct viewer *v, const struct rig *r,
                                  uint32_t rights)
{
    static const struct svr_config cfg = { .server_name = "svr" };

    *v = (struct viewer){ .who = { .user = "x", .host = "y", .rights = rights } };
    v->rq = (struct request){
        .wire = &v->wire, .who = &v->who, .now_at = r->now_at, .cfg = &cfg
    };
    return &v->rq;
}

static void test_what_is_kept_is_bounded(void)
{
    const struct asked all = { .all = true };
    struct shown_cache *c = shown_cache_new(20000);
    struct rig *r = rig_new();
    struct viewer v;
    const struct request *rq = view(&v, r, WHO_USER);
    const struct model *m = svr_model(r->s);
    bool made;
    size_t n;

    make_nodes(r, 200);
    for (int round = 0; round < 2; round++)
        MODEL_EACH (m, OBJ_NODE, o) {
            shown_release(c, shown_get(c, m, rq, &all, o, &made, &n));
            CU_ASSERT_TRUE(made); /* others pushed it out since */
            shown_release(c, shown_get(c, m, rq, &all, o, &made, &n));
            CU_ASSERT_FALSE(made);
            CU_ASSERT(shown_kept_bytes(c) <= 20000);
        }
    CU_ASSERT(shown_kept_bytes(c) > 10000);
    CU_ASSERT_EQUAL(shown_held_bytes(c), 0);
    shown_cache_free(c);
    rig_free(r);
}

static void test_held_pieces_stay_as_they_were(void)
{
    const struct asked all = { .all = true };
    struct shown_cache *c = shown_cache_new(1u << 20);
    struct rig *r = rig_new();
    struct viewer v;
    const struct request *rq = view(&v, r, WHO_USER);
    const struct model *m = svr_model(r->s);
    const struct shown *before, *after;
    bool made;
    size_t n;

    change(r, CREATE, OBJECT_NODE, "n0", "Mom=h comment=first");
    before = shown_get(c, m, rq, &all, m->kinds[OBJ_NODE].first, &made, &n);
    change(r, SET, OBJECT_NODE, "n0", "comment=other");
    after = shown_get(c, m, rq, &all, m->kinds[OBJ_NODE].first, &made, &n);
    CU_ASSERT_TRUE(made);
    CU_ASSERT_PTR_NOT_NULL(memmem(before->data, before->len, "first", 5));
    CU_ASSERT_PTR_NOT_NULL(memmem(after->data, after->len, "other", 5));
    CU_ASSERT(shown_held_bytes(c) > 0); /* 'before' is nobody else's any more */
    shown_release(c, before);
    CU_ASSERT_EQUAL(shown_held_bytes(c), 0);
    shown_forget(c, m->kinds[OBJ_NODE].first);
    CU_ASSERT_EQUAL(shown_kept_bytes(c), 0);
    shown_release(c, after);
    shown_cache_free(c);
    rig_free(r);
}

/* Operators and managers read the same of a vnode, users less of it. */
static void test_viewers_of_a_class_share(void)
{
    const struct asked all = { .all = true };
    struct shown_cache *c = shown_cache_new(1u << 20);
    struct rig *r = rig_new();
    struct viewer v;
    const struct model *m = svr_model(r->s);
    const struct object *o;
    bool made;
    size_t n;

    make_nodes(r, 1);
    o = m->kinds[OBJ_NODE].first;
    shown_release(c, shown_get(c, m, view(&v, r, WHO_USER), &all, o, &made, &n));
    CU_ASSERT_TRUE(made);
    shown_release(
        c, shown_get(c, m, view(&v, r, WHO_USER | WHO_STAFF), &all, o, &made, &n));
    CU_ASSERT_TRUE(made);
    shown_release(
        c, shown_get(c, m, view(&v, r, WHO_USER | WHO_MANAGER), &all, o, &made, &n));
    CU_ASSERT_FALSE(made);
    shown_cache_free(c);
    rig_free(r);
}

/* As a release of vnodes will leave it. */
static void give_hidden_value(struct rig *r, const char *job)
{
    struct model *m = (struct model *)svr_model(r->s);
    struct records list = { 0 };
    struct record *rec =
        record_add(&list, r->arena, FACT_JOB_MODIFIED, OBJ_JOB, job, "", r->now_at);

    rec->seq = m->seq + 1;
    record_change(rec, r->arena, JOB_A_EXEC_VNODE_ORIG, NULL, "(hidden:ncpus=1)");
    model_apply(m, rec);
}

static bool shows_hidden(struct shown_cache *c, struct rig *r, const struct object *o)
{
    const struct asked all = { .all = true };
    struct viewer v;
    const struct request *rq = view(&v, r, WHO_USER);
    const struct model *m = svr_model(r->s);
    bool made, shows;
    size_t n;
    const struct shown *s = shown_get(c, m, rq, &all, o, &made, &n);

    shows = memmem(s->data, s->len, "exec_vnode_orig", 15) != NULL;
    shown_release(c, s);
    CU_ASSERT_TRUE(shown_is_right(c, m, rq, o));
    return shows;
}

/* A setting of the server that no object's own record tells of. */
static void test_hidden_attributes_are_shown_and_hidden_at_once(void)
{
    struct shown_cache *c = shown_cache_new(1u << 20);
    struct rig *r = rig_new();
    const char *id = submit(r, RIG_USER, "", "", NULL);
    const struct object *o;

    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    o = the_job(r, id);
    give_hidden_value(r, id);
    CU_ASSERT_FALSE(shows_hidden(c, r, o));
    change(r, SET, OBJECT_SERVER, "", "show_hidden_attribs=True");
    CU_ASSERT_TRUE(shows_hidden(c, r, o));
    assert_right(r, "showing what is hidden");
    change(r, SET, OBJECT_SERVER, "", "comment=x");
    CU_ASSERT_TRUE(shows_hidden(c, r, o));
    change(r, UNSET, OBJECT_SERVER, "", "show_hidden_attribs=");
    CU_ASSERT_FALSE(shows_hidden(c, r, o));
    assert_right(r, "hiding it again");
    shown_cache_free(c);
    rig_free(r);
}

/* Listings. */

#define MANY 900
#define CONN 77

static void ask_nodes(struct rig *r)
{
    const struct requester who = { .user = RIG_USER, .host = RIG_HOST, .conn = CONN };
    const struct body_status body = { .id = "" };
    const struct wire_request rq = { .number = BATCH_STATUS_NODE,
                                     .user = RIG_USER,
                                     .body = &body };

    svr_request(r->s, r->now_at, &who, &rq, &r->out);
}

/* The whole reply, read a little at a time. */
static struct wire_reply read_nodes(struct rig *r)
{
    struct wire_reply reply = { 0 };
    struct buf bytes = { 0 };
    struct packet p;
    enum svr_listing left;

    do {
        left = svr_listing_read(r->s, CONN, 5000, &bytes);
    } while (left == SVR_LISTING_SOME);
    CU_ASSERT_EQUAL(left, SVR_LISTING_ALL);
    CU_ASSERT_EQUAL_FATAL(packet_peek(bytes.data, bytes.len, bytes.len, &p),
                          PACKET_READY);
    CU_ASSERT_EQUAL(p.total_bytes, bytes.len);
    CU_ASSERT_EQUAL_FATAL(batch_decode_reply(p.data, p.len, r->arena, &reply), DIS_OK);
    buf_fini(&bytes);
    return reply;
}

static void gather_nodes(struct rig *r)
{
    while (svr_listing_is_gathering(r->s, CONN))
        svr_listing_go_on(r->s, r->now_at, CONN, &r->out);
}

static void test_long_listing_takes_several_turns(void)
{
    struct rig *r = rig_new();
    struct wire_reply reply;
    int n_slices = 0;

    make_nodes(r, MANY);
    ask_nodes(r);
    CU_ASSERT_TRUE(svr_listing_is_gathering(r->s, CONN));
    for (; svr_listing_is_gathering(r->s, CONN); n_slices++)
        svr_listing_go_on(r->s, r->now_at, CONN, &r->out);
    CU_ASSERT(n_slices >= 2);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_LISTING), 1);
    reply = read_nodes(r);
    CU_ASSERT_EQUAL(reply.objects.n, MANY);
    CU_ASSERT_STRING_EQUAL(reply.objects.v[MANY - 1].name, "n899");
    CU_ASSERT_EQUAL(svr_listing_read(r->s, CONN, 1, NULL), SVR_LISTING_ALL); /* gone */
    rig_free(r);
}

/* Between two slices all that was not met goes, but one, and one comes. */
static void test_listing_lives_with_changes(void)
{
    struct rig *r = rig_new();
    struct wire_reply reply;
    size_t last;

    make_nodes(r, MANY);
    ask_nodes(r);
    CU_ASSERT_TRUE_FATAL(svr_listing_is_gathering(r->s, CONN));
    for (int i = 0; i < MANY - 1; i++) {
        char name[16];

        snprintf(name, sizeof(name), "n%d", i);
        change(r, DELETE, OBJECT_NODE, name, "");
    }
    change(r, CREATE, OBJECT_NODE, "late", "Mom=h");
    gather_nodes(r);
    reply = read_nodes(r);
    last = reply.objects.n - 1;
    CU_ASSERT_FATAL(last > 10 && last < MANY);
    CU_ASSERT_STRING_EQUAL(reply.objects.v[0].name, "n0"); /* was there when met */
    CU_ASSERT_STRING_EQUAL(reply.objects.v[last - 1].name, "n899");
    CU_ASSERT_STRING_EQUAL(reply.objects.v[last].name, "late");
    rig_free(r);
}

static void test_listing_ends_with_its_connection(void)
{
    struct rig *r = rig_new();

    make_nodes(r, MANY);
    ask_nodes(r);
    svr_client_gone(r->s, r->now_at, CONN, &r->out);
    CU_ASSERT_FALSE(svr_listing_is_gathering(r->s, CONN));
    ask_nodes(r);
    gather_nodes(r);
    ask_nodes(r); /* instead of the one before */
    gather_nodes(r);
    CU_ASSERT_EQUAL(read_nodes(r).objects.n, MANY);
    rig_free(r);
}

/* A status waits for what it shows, and for no other change. */
static void test_listing_has_seen_what_it_shows(void)
{
    struct rig *r = rig_new();
    const struct model *m = svr_model(r->s);
    uint64_t made;

    change(r, CREATE, OBJECT_NODE, "n0", "Mom=h");
    made = m->seq;
    change(r, SET, OBJECT_QUEUE, "workq", "Priority=7");
    rig_status(r, RIG_USER, BATCH_STATUS_NODE, "", "");
    CU_ASSERT(made < m->seq);
    CU_ASSERT_EQUAL(rig_effect(r, EFFECT_REPLY, 0)->seq, made);
    rig_status(r, RIG_USER, BATCH_STATUS_QUEUE, "", "");
    CU_ASSERT_EQUAL(rig_effect(r, EFFECT_REPLY, 0)->seq, m->seq);
    change(r, DELETE, OBJECT_NODE, "n0", "");
    rig_status(r, RIG_USER, BATCH_STATUS_NODE, "", "");
    CU_ASSERT_EQUAL(rig_effect(r, EFFECT_REPLY, 0)->seq, m->seq);
    rig_free(r);
}

/* Jobs, of which there are more than in two parts of a reply. */

#define N_JOBS 1100 /* the last part is none that is sent as a short reply */

static void order(struct rig *r, int a, int b)
{
    const struct body_move body = {
        .job_id = arena_printf(r->arena, "%d.svr", a),
        .destination = arena_printf(r->arena, "%d.svr", b),
    };

    CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, BATCH_ORDER_JOB, &body, NULL)->code, 0);
}

static void ask_jobs(struct rig *r, const char *queue, const char *extend)
{
    const struct requester who = { .user = RIG_USER, .host = RIG_HOST, .conn = CONN };
    const struct body_status body = { .id = queue };
    const struct wire_request rq = {
        .number = BATCH_STATUS_JOB, .user = RIG_USER, .body = &body, .extend = extend
    };

    svr_request(r->s, r->now_at, &who, &rq, &r->out);
}

/* The rest of a listing, of whose first part 'n' jobs were read. */
static void add_part(struct rig *r, const struct buf *bytes, int *numbers, size_t *n)
{
    struct wire_reply reply = { 0 };
    struct packet p;

    CU_ASSERT_EQUAL_FATAL(packet_peek(bytes->data, bytes->len, bytes->len, &p),
                          PACKET_READY);
    CU_ASSERT_EQUAL_FATAL(batch_decode_reply(p.data, p.len, r->arena, &reply), DIS_OK);
    CU_ASSERT_FATAL(*n + reply.objects.n <= N_JOBS);
    for (size_t i = 0; i < reply.objects.n; i++)
        numbers[(*n)++] = atoi(reply.objects.v[i].name);
}

static size_t read_jobs(struct rig *r, int *numbers)
{
    enum svr_listing left;
    size_t n = 0;

    do {
        struct buf bytes = { 0 };

        gather_nodes(r);
        do {
            left = svr_listing_read(r->s, CONN, SIZE_MAX / 2, &bytes);
        } while (left == SVR_LISTING_SOME);
        add_part(r, &bytes, numbers, &n);
        buf_fini(&bytes);
    } while (left == SVR_LISTING_PART);
    return n;
}

static void assert_listed(struct rig *r, const char *queue, const char *extend,
                          const int *numbers)
{
    int found[N_JOBS];

    ask_jobs(r, queue, extend);
    CU_ASSERT_EQUAL_FATAL(read_jobs(r, found), N_JOBS);
    CU_ASSERT_EQUAL(memcmp(found, numbers, sizeof(found)), 0);
}

static void listed_in_their_order(struct rig *r)
{
    int numbers[N_JOBS];

    for (int i = 0; i < N_JOBS; i++)
        numbers[i] = i;
    assert_listed(r, "", NULL, numbers);
    for (int i = 0; i < 10; i++) {
        order(r, i, N_JOBS - 1 - i);
        numbers[i] = N_JOBS - 1 - i;
        numbers[N_JOBS - 1 - i] = i;
    }
    assert_listed(r, "", NULL, numbers);
    assert_listed(r, "workq", NULL, numbers);
    assert_listed(r, "", "x", numbers);
    rig_restart(r);
    assert_listed(r, "", NULL, numbers);
    assert_listed(r, "workq", NULL, numbers);
}

/* Jobs that were met change places with some that were not. */
static void moved_beside_a_listing(struct rig *r)
{
    int numbers[N_JOBS], times[N_JOBS] = { 0 };

    ask_jobs(r, "", NULL);
    gather_nodes(r);
    for (int i = 0; i < N_JOBS / 2; i += 20)
        order(r, i, N_JOBS - 1 - i);
    CU_ASSERT_EQUAL_FATAL(read_jobs(r, numbers), N_JOBS);
    for (int i = 0; i < N_JOBS; i++)
        times[numbers[i]]++;
    for (int i = 0; i < N_JOBS; i++)
        CU_ASSERT_EQUAL(times[i], 1);
}

/* It stands still while more jobs pass it by than it may remember. */
static void lost_listing_says_so(struct rig *r)
{
    struct job *passing = xcalloc(JOB_WALK_MAX_ASIDE + 1, sizeof(*passing));
    struct buf part = { 0 };

    ask_jobs(r, "", NULL);
    gather_nodes(r);
    for (int i = 0; i <= JOB_WALK_MAX_ASIDE; i++) {
        passing[i].in_order.place = (struct rank_place){ 1, (uint64_t)i + 1 };
        listings_moved(&r->s->listings, &passing[i], RANK_PLACE_LAST);
    }
    while (svr_listing_read(r->s, CONN, SIZE_MAX / 2, &part) == SVR_LISTING_SOME)
        continue;
    buf_fini(&part);
    svr_listing_go_on(r->s, r->now_at, CONN, &r->out);
    CU_ASSERT_EQUAL(rig_reply(r, CONN)->code, PBSE_SYSTEM);
    free(passing);
}

/* In one server, since so many jobs take their time. */
static void test_many_jobs_are_listed_in_their_order(void)
{
    struct rig *r = rig_new();

    change(r, SET, OBJECT_SERVER, "", "job_history_enable=True scheduling=False");
    for (int i = 0; i < N_JOBS; i++)
        CU_ASSERT_PTR_NOT_NULL_FATAL(submit(r, RIG_USER, "", "", NULL));
    listed_in_their_order(r);
    moved_beside_a_listing(r);
    lost_listing_says_so(r);
    rig_free(r);
}

/* So does one of the resources, which waits for no job. */
static void test_resources_have_seen_their_definitions(void)
{
    struct rig *r = rig_new();
    const struct model *m = svr_model(r->s);
    uint64_t made;

    change(r, CREATE, OBJECT_RESOURCE, "licences", "type=long");
    made = m->seq;
    change(r, CREATE, OBJECT_QUEUE, "q2", "queue_type=e");
    rig_status(r, RIG_USER, BATCH_STATUS_RESOURCE, "ncpus", "");
    CU_ASSERT(made < m->seq);
    CU_ASSERT_EQUAL(rig_effect(r, EFFECT_REPLY, 0)->seq, made);
    change(r, SET, OBJECT_SERVER, "",
           "comment=busy"); /* who may see what is such one */
    rig_status(r, RIG_USER, BATCH_STATUS_RESOURCE, "", "");
    CU_ASSERT_EQUAL(rig_effect(r, EFFECT_REPLY, 0)->seq, m->seq);
    rig_status(r, RIG_USER, BATCH_STATUS_SERVER, "", "");
    CU_ASSERT_EQUAL(rig_effect(r, EFFECT_REPLY, 0)->seq, m->seq);
    rig_free(r);
}

static const struct unit_case cases[] = {
    { "kept looks follow every change", test_kept_looks_follow_every_change },
    { "what is kept is bounded", test_what_is_kept_is_bounded },
    { "held pieces stay as they were", test_held_pieces_stay_as_they_were },
    { "viewers of a class share", test_viewers_of_a_class_share },
    { "hidden attributes are shown and hidden at once",
      test_hidden_attributes_are_shown_and_hidden_at_once },
    { "a long listing takes several turns", test_long_listing_takes_several_turns },
    { "a listing lives with changes", test_listing_lives_with_changes },
    { "a listing ends with its connection", test_listing_ends_with_its_connection },
    { "a listing has seen what it shows", test_listing_has_seen_what_it_shows },
    { "many jobs are listed in their order", test_many_jobs_are_listed_in_their_order },
    { "resources have seen their definitions",
      test_resources_have_seen_their_definitions },
};

int main(void)
{
    return unit_main("listing", cases, ARRAY_LEN(cases));
}
