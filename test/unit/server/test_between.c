/* test_between.c - a job goes from one server to another: two cores, the requests that
 * one sends to the other played one by one, cut off anywhere, with servers that die and
 * start again in between. The job is never lost and never at both.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/job_transfer.h"
#include "server/model/history.h"
#include "test/unit/server/pair.h"
#include "test/unit/unit.h"

#include <string.h>

static const struct wire_reply *move_to(struct pair *p, const char *user,
                                        const char *to)
{
    const struct body_move body = { .job_id = p->id, .destination = to };

    p->said = rig_ask(p->from, user, BATCH_MOVE_JOB, &body, NULL);
    p->client = p->from->conn;
    return p->said;
}

static void set_history(struct rig *r)
{
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "svr", "job_history_enable=true"),
        0);
}

static void a_job_goes_to_another_server(void)
{
    struct pair p = pair_new("Job_Name=far Resource_List.walltime=600 Priority=7 "
                             "Variable_List=PBS_O_HOME=/h,A=1",
                             "echo hello\n");
    const struct object *o;

    set_history(p.from);
    CU_ASSERT_PTR_NULL(move_to(&p, RIG_USER, "workq@two.example:15051"));
    CU_ASSERT_EQUAL(state_of(p.from, p.id), 'T');
    CU_ASSERT_STRING_EQUAL(transfer_asked(p.from)->detail, "workq@two.example:15051");
    /* What led to it is durable before it leaves. */
    CU_ASSERT_EQUAL(rig_effect(p.from, EFFECT_FIND_OUT, 0)->seq,
                    svr_model(p.from->s)->seq);
    pair_go(&p, FOR_EVER);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p.said);
    CU_ASSERT_EQUAL(p.said->code, 0);
    CU_ASSERT_EQUAL(state_of(p.from, p.id), 'M');
    CU_ASSERT_STRING_EQUAL(accounted(p.from, 'M', 0), "destination=workq@two.example");
    CU_ASSERT_TRUE(rig_logged(p.from, "Job Moved to destination: "
                                      "\"workq@two.example:15051\""));
    o = the_job(p.to, p.id);
    CU_ASSERT_PTR_NOT_NULL_FATAL(o);
    CU_ASSERT_EQUAL(state_of(p.to, p.id), 'Q');
    CU_ASSERT_STRING_EQUAL(obj_str(o, JOB_A_JOB_NAME, ""), "far");
    CU_ASSERT_STRING_EQUAL(obj_str(o, JOB_A_JOB_OWNER, ""), RIG_USER "@" RIG_HOST);
    CU_ASSERT_STRING_EQUAL(obj_str(o, JOB_A_EUSER, ""), RIG_USER);
    CU_ASSERT_EQUAL(obj_num(o, JOB_A_PRIORITY, 0), 7);
    CU_ASSERT_EQUAL(obj_num(o, JOB_A_HOP_COUNT, 0), 2);
    CU_ASSERT_STRING_EQUAL(obj_str(o, JOB_A_HF_SCRIPT, ""), "echo hello\n");
    CU_ASSERT_TRUE(rig_logged(p.to, "enqueuing into workq, state Q hop 2"));
    pair_free(&p);
}

/* Nothing was asked of the other server, or it has said no: the job is as it was. */
static void a_refusal_is_told_and_the_job_stays(void)
{
    struct pair p = pair_new("Hold_Types=u", "x\n");
    const struct need *need;
    const struct finding nobody = { .failed = true, .words = "Cannot connect" };

    CU_ASSERT_PTR_NULL(move_to(&p, RIG_USER, "nosuch@two.example"));
    pair_go(&p, FOR_EVER);
    CU_ASSERT_EQUAL_FATAL(p.said->code, PBSE_UNKQUE);
    CU_ASSERT_STRING_EQUAL(p.said->text, pbse_text(PBSE_UNKQUE));
    CU_ASSERT_EQUAL(state_of(p.from, p.id), 'H');
    CU_ASSERT_PTR_NULL(move_to(&p, RIG_USER, "workq@two.example"));
    need = transfer_asked(p.from);
    CU_ASSERT_PTR_NOT_NULL_FATAL(need);
    pair_tell(&p, need, &nobody);
    CU_ASSERT_EQUAL_FATAL(p.said->code, PBSE_SYSTEM);
    CU_ASSERT_STRING_EQUAL(p.said->text, "Cannot connect");
    CU_ASSERT_EQUAL(state_of(p.from, p.id), 'H');
    CU_ASSERT_PTR_NULL(accounted(p.from, 'M', 0));
    CU_ASSERT_PTR_NULL(the_job(p.to, p.id));
    pair_free(&p);
}

static void nobody_touches_a_job_that_leaves(void)
{
    struct pair p = pair_new("", NULL);
    const struct body_manage hold = { .object_name = p.id };

    move_to(&p, RIG_USER, "@two.example");
    CU_ASSERT_EQUAL(rig_ask(p.from, RIG_USER, BATCH_HOLD_JOB, &hold, NULL)->code,
                    PBSE_BADSTATE);
    CU_ASSERT_EQUAL(delete_job(p.from, RIG_USER, p.id, NULL), PBSE_BADSTATE);
    CU_ASSERT_EQUAL(run_job(p.from, p.id, "(n1:ncpus=1)"), PBSE_BADSTATE);
    CU_ASSERT_EQUAL(move_to(&p, RIG_USER, "workq")->code, PBSE_BADSTATE);
    CU_ASSERT_EQUAL(delete_job(p.from, RIG_ROOT, p.id, "force"), 0);
    CU_ASSERT_PTR_NULL(the_job(p.from, p.id));
    pair_free(&p);
}

/* Nor does it disturb those who send the job of that id. */
static void a_client_sends_no_ids(void)
{
    struct pair p = pair_new("", NULL);
    const struct body_queue body = { .id = "77.far", .destination = "" };
    struct body_queue theirs = body;
    const struct body_id commit = { .id = body.id };
    const struct wire_request first = { .number = BATCH_QUEUE_JOB,
                                        .user = RIG_ROOT,
                                        .body = &theirs };
    const struct wire_request second = { .number = BATCH_COMMIT,
                                         .user = RIG_ROOT,
                                         .body = &commit };

    theirs.attrs = rig_attrs(p.to, "Job_Owner=ann@far.example");
    CU_ASSERT_EQUAL(pair_served(&p, &first).code, 0);

    CU_ASSERT_EQUAL(rig_ask(p.to, RIG_ROOT, BATCH_QUEUE_JOB, &body, NULL)->code,
                    PBSE_IVALREQ);
    CU_ASSERT_EQUAL(pair_served(&p, &second).code, 0);
    pair_free(&p);
}

/* What is another server's own is passed over, and a server submits nothing itself. */
static void a_server_says_only_what_travels(void)
{
    struct pair p = pair_new("", NULL);
    struct body_queue body = { .id = "77.far", .destination = "" };
    struct wire_request rq = {
        .number = BATCH_QUEUE_JOB, .user = RIG_ROOT, .body = &body, .extend = ":C:"
    };
    const struct object *o;

    body.attrs = rig_attrs(p.to, "Job_Owner=ann@far.example hop_count=1 Priority=5 "
                                 "exec_vnode=(n1:ncpus=1) session_id=44 "
                                 "euser=root queue_rank=1 comment=hello");
    CU_ASSERT_EQUAL_FATAL(pair_served(&p, &rq).code, 0);
    o = the_job(p.to, "77.far");
    CU_ASSERT_PTR_NOT_NULL_FATAL(o);
    CU_ASSERT_EQUAL(obj_num(o, JOB_A_PRIORITY, 0), 5);
    CU_ASSERT_STRING_EQUAL(obj_str(o, JOB_A_EUSER, ""), "ann");
    CU_ASSERT_FALSE(obj_is_set(o, JOB_A_EXEC_VNODE));
    CU_ASSERT_FALSE(obj_is_set(o, JOB_A_SESSION_ID));
    CU_ASSERT_FALSE(obj_is_set(o, JOB_A_COMMENT));
    body.id = "";
    CU_ASSERT_EQUAL(pair_served(&p, &rq).code, PBSE_IVALREQ);
    body.id = "x.far";
    CU_ASSERT_EQUAL(pair_served(&p, &rq).code, PBSE_IVALREQ);
    body.id = "78.../far";
    CU_ASSERT_EQUAL(pair_served(&p, &rq).code, PBSE_IVALREQ);
    body.id = "78.far/..";
    CU_ASSERT_EQUAL(pair_served(&p, &rq).code, PBSE_IVALREQ);
    body.id = "78[].far"; /* without indices */
    CU_ASSERT_EQUAL(pair_served(&p, &rq).code, PBSE_IVALREQ);
    body.id = "78[3].far";
    CU_ASSERT_EQUAL(pair_served(&p, &rq).code, PBSE_IVALREQ);
    body.id = "78.far";
    body.attrs = rig_attrs(p.to, "hop_count=1");
    CU_ASSERT_EQUAL(pair_served(&p, &rq).code, PBSE_IVALREQ); /* whose job? */
    body.attrs = rig_attrs(p.to, "Job_Owner=ann@far.example hop_count=10");
    CU_ASSERT_EQUAL(pair_served(&p, &rq).code, PBSE_HOPCOUNT);
    body.attrs = rig_attrs(p.to, "Job_Owner=root@far.example hop_count=1");
    CU_ASSERT_EQUAL(pair_served(&p, &rq).code, PBSE_BADUSER);
    pair_free(&p);
}

/* An answer that was lost: the other server is asked again, and knows. */
static void a_lost_answer_is_asked_for_again(void)
{
    struct pair p = pair_new("", "x\n");

    move_to(&p, RIG_USER, "workq@two.example");
    pair_go(&p, 5); /* QueueJob, JobScript, Commit: its reply is lost */
    CU_ASSERT_EQUAL(p.n_taken, 1);
    CU_ASSERT_EQUAL(state_of(p.from, p.id), 'T');
    CU_ASSERT_TRUE(job_lives(p.to, p.id));
    rig_advance(p.from, p.from->now_at + 1);
    pair_go(&p, FOR_EVER);
    CU_ASSERT_PTR_NULL(the_job(p.from, p.id));
    CU_ASSERT_EQUAL(p.n_taken, 1);
    pair_free(&p);
}

/* The same, and the job is over and forgotten at the other server by then. */
static void a_job_that_is_over_does_not_come_twice(void)
{
    struct pair p = pair_new("", "x\n");

    move_to(&p, RIG_USER, "workq@two.example");
    pair_go(&p, 5);
    CU_ASSERT_EQUAL(delete_job(p.to, RIG_ROOT, p.id, "deletehist"), 0);
    rig_restart(p.to);
    rig_restart(p.from);
    pair_go(&p, FOR_EVER);
    CU_ASSERT_PTR_NULL(the_job(p.from, p.id));
    CU_ASSERT_EQUAL(p.n_taken, 1);
    /* It is forgotten when nobody can ask for it any more. */
    CU_ASSERT_PTR_NOT_NULL(the_job(p.to, p.id));
    rig_advance(p.to, p.to->now_at + HISTORY_OF_GUESTS_S - 1);
    CU_ASSERT_PTR_NOT_NULL(the_job(p.to, p.id));
    rig_advance(p.to, p.to->now_at + 2);
    CU_ASSERT_PTR_NULL(the_job(p.to, p.id));
    pair_free(&p);
}

/* History that is turned off takes everything at once, but for what may be asked for.
 */
static void history_off_keeps_guests(void)
{
    struct pair p = pair_new("", "x\n");

    set_history(p.to);
    move_to(&p, RIG_USER, "workq@two.example");
    pair_go(&p, 5);
    CU_ASSERT_EQUAL(delete_job(p.to, RIG_ROOT, p.id, NULL), 0);
    CU_ASSERT_EQUAL(rig_manager(p.to, RIG_ROOT, SET, OBJECT_SERVER, "svr",
                                "job_history_enable=false"),
                    0);
    rig_settle(p.to);
    rig_restart(p.from);
    pair_go(&p, FOR_EVER);
    CU_ASSERT_PTR_NULL(the_job(p.from, p.id));
    CU_ASSERT_EQUAL(p.n_taken, 1);
    pair_free(&p);
}

/* The other server never comes back: the job is held, and the reason is said. */
static void a_job_of_which_nobody_knows_is_held(void)
{
    struct pair p = pair_new("", "x\n");

    move_to(&p, RIG_USER, "workq@two.example");
    pair_go(&p, 4); /* Commit does not arrive */
    CU_ASSERT_EQUAL(state_of(p.from, p.id), 'T');
    p.from->now_at += TRANSFER_ASKS_S - 1;
    rig_advance(p.from, p.from->now_at);
    pair_go(&p, 0);
    CU_ASSERT_EQUAL(p.said ? p.said->code : 0, PBSE_SYSTEM);
    CU_ASSERT_EQUAL(state_of(p.from, p.id), 'T');
    rig_advance(p.from, p.from->now_at + 100);
    CU_ASSERT_EQUAL(state_of(p.from, p.id), 'H');
    CU_ASSERT_PTR_NOT_NULL(strstr(obj_str(the_job(p.from, p.id), JOB_A_COMMENT, ""),
                                  "whether workq@two.example has it is not known"));
    pair_free(&p);
}

/* A repetition of an old transfer does not bring back a job that went on, and a job may
 * come back. */
static void a_job_that_went_on_may_come_back(void)
{
    struct pair p = pair_new("", "x\n"), back;
    const struct need *old;
    struct finding f;

    move_to(&p, RIG_USER, "workq@two.example");
    old = transfer_asked(p.from);
    CU_ASSERT_PTR_NOT_NULL_FATAL(old);
    pair_attempt(&p, old, 5);
    /* It goes from there to where it came from, which has not heard of its arrival. */
    back = (struct pair){ .from = p.to, .to = p.from, .id = p.id, .conn = 2000 };
    move_to(&back, RIG_USER, "workq@one.example");
    pair_go(&back, FOR_EVER);
    CU_ASSERT_TRUE(job_lives(p.from, p.id));
    CU_ASSERT_FALSE(job_lives(p.to, p.id));
    CU_ASSERT_EQUAL(state_of(p.from, p.id), 'Q');
    f = pair_attempt(&p, old, FOR_EVER);
    CU_ASSERT_EQUAL(f.code, PBSE_JOBEXIST);
    CU_ASSERT_FALSE(job_lives(p.to, p.id));
    pair_free(&p);
}

/* In one message, as a server of another make may send it. */
static void it_may_come_back_at_once(void)
{
    struct pair p = pair_new("", "x\n"), back;
    struct body_queue body = { .id = p.id, .destination = "" };
    const struct wire_request rq = {
        .number = BATCH_QUEUE_JOB, .user = RIG_ROOT, .body = &body, .extend = ":C:"
    };

    set_history(p.from);
    move_to(&p, RIG_USER, "workq@two.example");
    pair_go(&p, FOR_EVER);
    CU_ASSERT_EQUAL(state_of(p.from, p.id), 'M');
    back = (struct pair){ .to = p.from, .conn = 4000 };
    body.attrs = rig_attrs(p.from, "Job_Owner=" RIG_USER "@" RIG_HOST " hop_count=2");
    CU_ASSERT_EQUAL(pair_served(&back, &rq).code, 0);
    CU_ASSERT_EQUAL(state_of(p.from, p.id), 'Q');
    CU_ASSERT_EQUAL(pair_served(&back, &rq).code, PBSE_JOBEXIST);
    pair_free(&p);
}

static const char *place_of(struct rig *r, const char *id)
{
    const struct body_id body = { .id = id };
    const struct wire_reply *reply =
        rig_ask(r, RIG_USER, BATCH_LOCATE_JOB, &body, NULL);

    return reply->choice == REPLY_LOCATE ? reply->text : "";
}

static int track(struct pair *p, uint32_t hops, const char *location)
{
    const struct body_track body = {
        .job_id = p->id, .hops = hops, .location = location, .state = 'R'
    };
    const struct wire_request rq = {
        .number = BATCH_TRACK_JOB, .user = RIG_ROOT, .body = &body, .extend = "fast"
    };
    struct pair there = { .to = p->from, .conn = 3000 };

    return pair_served(&there, &rq).code;
}

static void where_a_job_went_is_told(void)
{
    struct pair p = pair_new("", "x\n");
    const struct body_track body = { .job_id = p.id, .hops = 9, .location = "far" };

    set_history(p.from);
    CU_ASSERT_EQUAL(track(&p, 3, "three.example"), PBSE_UNKJOBID); /* it is here */
    move_to(&p, RIG_USER, "workq@two.example:15051");
    pair_go(&p, FOR_EVER);
    CU_ASSERT_STRING_EQUAL(place_of(p.from, p.id), "two.example:15051");
    /* It went on, and came to a fourth; what is older comes late. */
    CU_ASSERT_EQUAL(track(&p, 4, "four.example"), 0);
    CU_ASSERT_EQUAL(track(&p, 3, "three.example"), 0);
    CU_ASSERT_STRING_EQUAL(place_of(p.from, p.id), "four.example");
    CU_ASSERT_EQUAL(track(&p, 5, ""), PBSE_IVALREQ);
    /* Nobody but a server says so. */
    CU_ASSERT_EQUAL(rig_ask(p.from, RIG_ROOT, BATCH_TRACK_JOB, &body, NULL)->code,
                    PBSE_IVALREQ);
    CU_ASSERT_STRING_EQUAL(place_of(p.from, p.id), "four.example");
    pair_free(&p);
}

/* A job that another server has made: that one is told where it is. */
static void who_made_a_job_is_told_where_it_is(void)
{
    struct pair p = { .from = rig_new(), .to = rig_new(), .conn = 1000 };
    struct body_queue body = { .id = "77.far", .destination = "" };
    const struct wire_request rq = {
        .number = BATCH_QUEUE_JOB, .user = RIG_ROOT, .body = &body, .extend = ":C:"
    };
    const struct finding nobody = { .failed = true },
                         unknown = { .code = PBSE_UNKJOBID };
    struct wire_request track = { 0 };
    const struct body_track *told;
    const struct need *need;
    struct dis_in in;
    bool known;

    body.attrs = rig_attrs(p.to, "Job_Owner=ann@far.example hop_count=2");
    CU_ASSERT_EQUAL_FATAL(pair_served(&p, &rq).code, 0);
    need = transfer_asked(p.to);
    CU_ASSERT_PTR_NOT_NULL_FATAL(need);
    CU_ASSERT_STRING_EQUAL(need->detail, "@far");
    in = (struct dis_in){ need->data, need->data + need->len, p.to->arena };
    CU_ASSERT_EQUAL_FATAL(batch_read_request(&in, &track, &known), DIS_OK);
    CU_ASSERT_EQUAL_FATAL(track.number, BATCH_TRACK_JOB);
    told = track.body;
    CU_ASSERT_STRING_EQUAL(told->job_id, "77.far");
    CU_ASSERT_EQUAL(told->hops, 3);
    CU_ASSERT_STRING_EQUAL(told->location, "svr.example:15001");
    CU_ASSERT_EQUAL(told->state, 'Q');
    CU_ASSERT_STRING_EQUAL(track.extend, "workq");
    /* Again when it is away, and not when it has forgotten the job. */
    svr_learned(p.to->s, p.to->now_at, need, &nobody, &p.to->out);
    rig_advance(p.to, p.to->now_at + 59);
    CU_ASSERT_PTR_NULL(transfer_asked(p.to));
    rig_advance(p.to, p.to->now_at + 1);
    need = transfer_asked(p.to);
    CU_ASSERT_PTR_NOT_NULL_FATAL(need);
    svr_learned(p.to->s, p.to->now_at, need, &unknown, &p.to->out);
    rig_advance(p.to, p.to->now_at + 1000);
    CU_ASSERT_PTR_NULL(transfer_asked(p.to));
    pair_free(&p);
}

/* Two servers of one name: the other one has given the same id to another job. */
static void another_job_with_the_same_id_is_no_success(void)
{
    struct pair p = pair_new("", "x\n");

    p.id = submit(p.from, RIG_USER, "", "", "x\n");
    CU_ASSERT_STRING_EQUAL_FATAL(submit(p.to, "bob", "", "", NULL), p.id);
    move_to(&p, RIG_USER, "workq@two.example");
    pair_go(&p, FOR_EVER);
    CU_ASSERT_EQUAL_FATAL(p.said->code, PBSE_IVALREQ);
    CU_ASSERT_EQUAL(state_of(p.from, p.id), 'Q');
    CU_ASSERT_EQUAL(p.n_taken, 0);
    /* An id that it will give is no better. */
    p.id = submit(p.from, RIG_USER, "", "", "x\n");
    move_to(&p, RIG_USER, "workq@two.example");
    pair_go(&p, FOR_EVER);
    CU_ASSERT_EQUAL_FATAL(p.said->code, PBSE_IVALREQ);
    /* A server of another make says that it is there. */
    move_to(&p, RIG_USER, "workq@two.example");
    pair_tell(&p, transfer_asked(p.from), &(struct finding){ .code = PBSE_JOBEXIST });
    CU_ASSERT_EQUAL_FATAL(p.said->code, PBSE_JOBEXIST);
    CU_ASSERT_EQUAL(state_of(p.from, p.id), 'Q');
    pair_free(&p);
}

/* An attempt that is older than the one that is refused cannot succeed any more. */
static void the_latest_attempt_counts(void)
{
    struct pair p = pair_new("", "x\n");
    const struct need *need;
    struct body_id commit = { .id = p.id };
    const struct wire_request rq = { .number = BATCH_COMMIT,
                                     .user = RIG_ROOT,
                                     .body = &commit };
    uint64_t old;

    move_to(&p, RIG_USER, "workq@two.example");
    need = transfer_asked(p.from);
    pair_attempt(&p, need, 4);
    old = p.conn;
    CU_ASSERT_EQUAL(
        rig_manager(p.to, RIG_ROOT, SET, OBJECT_QUEUE, "workq", "enabled=false"), 0);
    CU_ASSERT_EQUAL(pair_attempt(&p, need, FOR_EVER).code, PBSE_QUNOENB);
    p.conn = old;
    CU_ASSERT_EQUAL(pair_served(&p, &rq).code, PBSE_UNKJOBID);
    CU_ASSERT_PTR_NULL(the_job(p.to, p.id));
    pair_free(&p);
}

/* Random stories: attempts cut anywhere, servers that die, a job that ends early. */
static uint32_t draw(uint64_t *state, uint32_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % n;
}

static void step(struct pair *p, uint64_t *state)
{
    const struct need *need = transfer_asked(p->from);
    uint32_t what = draw(state, 8);

    if (what < 4 && need) {
        uint32_t cut = draw(state, 8);
        struct finding f = pair_attempt(p, need, (int)cut);

        if (draw(state, 4) > 0)
            pair_tell(p, need, &f);
        else /* it dies with the answer */
            rig_restart(p->from);
    } else if (what == 4) {
        rig_restart(p->from);
    } else if (what == 5) {
        rig_restart(p->to);
    } else if (what == 6 && job_lives(p->to, p->id)) {
        delete_job(p->to, RIG_ROOT, p->id, NULL);
    } else if (!need) {
        rig_advance(p->from, p->from->now_at + draw(state, 100));
        p->to->now_at = p->from->now_at;
    }
}

static void story(uint64_t seed)
{
    struct pair p = pair_new("", "x\n");
    uint64_t state = seed;

    move_to(&p, RIG_USER, "workq@two.example");
    for (uint32_t i = draw(&state, 12); i > 0; i--)
        step(&p, &state);
    /* Faults stop. */
    for (int i = 0; i < 5 && job_lives(p.from, p.id) && state_of(p.from, p.id) == 'T';
         i++) {
        if (!transfer_asked(p.from))
            rig_advance(p.from, p.from->now_at + 60);
        if (transfer_asked(p.from))
            pair_go(&p, FOR_EVER);
    }
    if (p.n_taken > 1 || job_lives(p.from, p.id) == (p.n_taken == 1)) {
        printf("seed %" PRIu64 ": taken %zu times, %s here\n", seed, p.n_taken,
               job_lives(p.from, p.id) ? "still" : "not");
        CU_FAIL("a job is lost or doubled");
    }
    pair_free(&p);
}

static void no_job_is_lost_and_none_doubled(void)
{
    for (uint64_t seed = 1; seed <= 400; seed++)
        story(seed);
}

static const struct unit_case cases[] = {
    { "a job goes to another server", a_job_goes_to_another_server },
    { "a refusal is told and the job stays", a_refusal_is_told_and_the_job_stays },
    { "nobody touches a job that leaves", nobody_touches_a_job_that_leaves },
    { "a client sends no ids", a_client_sends_no_ids },
    { "a server says only what travels", a_server_says_only_what_travels },
    { "a lost answer is asked for again", a_lost_answer_is_asked_for_again },
    { "a job that is over does not come twice",
      a_job_that_is_over_does_not_come_twice },
    { "history off keeps guests", history_off_keeps_guests },
    { "a job of which nobody knows is held", a_job_of_which_nobody_knows_is_held },
    { "a job that went on may come back", a_job_that_went_on_may_come_back },
    { "where a job went is told", where_a_job_went_is_told },
    { "who made a job is told where it is", who_made_a_job_is_told_where_it_is },
    { "another job with the same id is no success",
      another_job_with_the_same_id_is_no_success },
    { "it may come back at once", it_may_come_back_at_once },
    { "the latest attempt counts", the_latest_attempt_counts },
    { "no job is lost and none doubled", no_job_is_lost_and_none_doubled },
};

int main(void)
{
    return unit_main("between servers", cases, ARRAY_LEN(cases));
}
