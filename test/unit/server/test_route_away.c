/* test_route_away.c - routing queues whose destinations are at other servers: who is
 * asked, what each answer means, and that no job is lost or doubled on the way
 * (attributes.md 12, doc/design/060-routing.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/job_transfer.h"
#include "server/decide/route_away.h"
#include "test/unit/server/pair.h"
#include "test/unit/unit.h"

#include <stdlib.h>
#include <string.h>

/* The first job, at a server whose queue "in" sends on; all times are its default. */
static struct pair routed(const char *to, const char *queue, const char *job)
{
    struct pair p = { .from = rig_new(), .to = rig_new(), .conn = 1000 };

    delete_job(p.to, RIG_ROOT, submit(p.to, RIG_USER, "", "", NULL), NULL);
    new_router(p.from, "in", to, queue);
    p.id = submit(p.from, RIG_USER, "in", job, "x\n");
    CU_ASSERT_PTR_NOT_NULL_FATAL(p.id);
    return p;
}

/* The destination that is asked to take the job, "" when none is. */
static const char *who_is_asked(const struct rig *r)
{
    const struct need *need = transfer_asked(r);

    return need ? need->detail : "";
}

static void answer(struct pair *p, int code)
{
    const struct need *need = transfer_asked(p->from);

    CU_ASSERT_PTR_NOT_NULL_FATAL(need);
    pair_tell(p, need, &(struct finding){ .code = code, .failed = code == 0 });
}

static bool waits(const struct pair *p)
{
    const struct object *o = the_job(p->from, p->id);

    return o && state_of(p->from, p->id) == 'Q' &&
           obj_num(o, JOB_A_HF_ROUTE_TRIED, 0) && !obj_is_set(o, JOB_A_HF_ROUTE_SAID);
}

static void a_job_goes_to_another_server(void)
{
    struct pair p = routed("workq@two:15051", "started=true",
                           "Resource_List.walltime=600 Priority=7");
    const struct object *o;

    CU_ASSERT_EQUAL(rig_manager(p.from, RIG_ROOT, SET, OBJECT_SERVER, "svr",
                                "job_history_enable=true"),
                    0);
    CU_ASSERT_EQUAL(state_of(p.from, p.id), 'T');
    rig_restart(p.from);
    CU_ASSERT_STRING_EQUAL_FATAL(who_is_asked(p.from), "workq@two:15051");
    /* What led to it is durable before it leaves. */
    CU_ASSERT_EQUAL(rig_effect(p.from, EFFECT_FIND_OUT, 0)->seq,
                    svr_model(p.from->s)->seq);
    pair_go(&p, FOR_EVER);
    CU_ASSERT_EQUAL(state_of(p.from, p.id), 'M');
    CU_ASSERT_STRING_EQUAL(accounted(p.from, 'M', 0), "destination=workq@two");
    CU_ASSERT_TRUE(rig_logged(p.from, "Job Moved to destination: \"workq@two:15051\""));
    o = the_job(p.to, p.id);
    CU_ASSERT_PTR_NOT_NULL_FATAL(o);
    CU_ASSERT_EQUAL(state_of(p.to, p.id), 'Q');
    CU_ASSERT_EQUAL(obj_num(o, JOB_A_PRIORITY, 0), 7);
    CU_ASSERT_EQUAL(obj_num(o, JOB_A_HOP_COUNT, 0), 2);
    pair_free(&p);
}

/* What the first of two servers says (0: nothing), and what it means. */
static const struct {
    const char *story;
    int code;
    bool for_now;
} words[] = {
    { "nobody answers", 0, true },
    { "its queue is disabled", PBSE_QUNOENB, true },
    { "its queue is full", PBSE_MAXQUED, true },
    { "its user has enough jobs there", PBSE_ENTLIMCT, true },
    { "its user has enough cpus there", PBSE_ENTLIMRESC, true },
    { "nobody knows its groups there", PBSE_SYSTEM, true },
    { "it shuts down", PBSE_SVRDOWN, true },
    { "it does not believe this server", PBSE_BADCRED, true },
    { "it cannot store", PBSE_SAVE_ERR, true },
    { "it has no such queue", PBSE_UNKQUE, false },
    { "its queue is for others", PBSE_PERM, false },
    { "its queue is for other hosts", PBSE_BADHOST, false },
    { "its queue is for smaller jobs", PBSE_EXCQRESC, false },
    { "it does not know a resource", PBSE_UNKRESC, false },
    { "it does not know the user", PBSE_BADUSER, false },
    { "its own destinations reject it", PBSE_ROUTEREJ, false },
    { "the job went through too many", PBSE_HOPCOUNT, false },
    { "it has another job of that id", PBSE_JOBEXIST, false },
};

static void every_word_is_for_now_or_for_good(void)
{
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        struct pair p = routed("q@two,q@three", "started=true", "");

        CU_ASSERT_STRING_EQUAL(who_is_asked(p.from), "q@two");
        answer(&p, words[i].code);
        CU_ASSERT_STRING_EQUAL(who_is_asked(p.from), "q@three");
        answer(&p, PBSE_UNKQUE);
        if (waits(&p) != words[i].for_now)
            printf("%s\n", words[i].story);
        CU_ASSERT_EQUAL(waits(&p), words[i].for_now);
        CU_ASSERT_EQUAL(the_job(p.from, p.id) == NULL, !words[i].for_now);
        if (!words[i].for_now)
            CU_ASSERT_STRING_EQUAL(accounted(p.from, 'A', 0),
                                   "Job rejected by all possible destinations");
        pair_free(&p);
    }
}

static void who_is_refused_for_now_asks_all_again(void)
{
    struct pair p = routed("q@two,workq", "started=true route_retry_time=20", "");

    CU_ASSERT_EQUAL(
        rig_manager(p.from, RIG_ROOT, SET, OBJECT_QUEUE, "workq", "enabled=false"), 0);
    rig_restart(p.from);
    answer(&p, PBSE_UNKQUE);
    CU_ASSERT_TRUE(waits(&p));
    rig_restart(p.from);
    rig_advance(p.from, RIG_START_AT + 19);
    CU_ASSERT_STRING_EQUAL(who_is_asked(p.from), "");
    rig_advance(p.from, RIG_START_AT + 20);
    CU_ASSERT_STRING_EQUAL(who_is_asked(p.from), "q@two");
    CU_ASSERT_EQUAL(
        rig_manager(p.from, RIG_ROOT, SET, OBJECT_QUEUE, "workq", "enabled=true"), 0);
    rig_restart(p.from);
    answer(&p, PBSE_UNKQUE);
    CU_ASSERT_STRING_EQUAL(obj_str(the_job(p.from, p.id), JOB_A_QUEUE, ""), "workq");
    CU_ASSERT_EQUAL(state_of(p.from, p.id), 'Q');
    CU_ASSERT_FALSE(obj_is_set(the_job(p.from, p.id), JOB_A_HF_ROUTE_SAID));
    pair_free(&p);
}

/* Two queues of one server are two destinations. */
static void each_queue_of_a_server_is_asked(void)
{
    struct pair p = routed("nosuch@two,workq@two", "started=true", "");

    pair_go(&p, FOR_EVER);
    CU_ASSERT_STRING_EQUAL_FATAL(who_is_asked(p.from), "workq@two");
    pair_go(&p, FOR_EVER);
    CU_ASSERT_PTR_NULL(the_job(p.from, p.id));
    CU_ASSERT_TRUE(job_lives(p.to, p.id));
    pair_free(&p);
}

/* Its defaults stay here; those of the queue there are added, and its limits asked. */
static void defaults_and_limits_are_those_of_the_other_server(void)
{
    struct pair p = routed("small@two,large@two", "resources_default.walltime=60",
                           "Resource_List.ncpus=2");
    const struct object *o;

    new_queue(p.to, "small", "resources_max.ncpus=1");
    new_queue(p.to, "large",
              "resources_default.mem=1gb resources_min.walltime=00:10:00 "
              "resources_default.walltime=00:20:00");
    CU_ASSERT_STRING_EQUAL(
        rig_value(p.from, RIG_ROOT, BATCH_STATUS_JOB, p.id, "Resource_List.walltime"),
        "00:01:00");
    CU_ASSERT_EQUAL(
        rig_manager(p.from, RIG_ROOT, SET, OBJECT_QUEUE, "in", "started=true"), 0);
    pair_go(&p, FOR_EVER);
    CU_ASSERT_STRING_EQUAL_FATAL(who_is_asked(p.from), "large@two");
    pair_go(&p, FOR_EVER);
    o = the_job(p.to, p.id);
    CU_ASSERT_PTR_NOT_NULL_FATAL(o);
    CU_ASSERT_STRING_EQUAL(obj_str(o, JOB_A_QUEUE, ""), "large");
    CU_ASSERT_STRING_EQUAL(
        rig_value(p.to, RIG_ROOT, BATCH_STATUS_JOB, p.id, "Resource_List.walltime"),
        "00:20:00");
    CU_ASSERT_STRING_EQUAL(
        rig_value(p.to, RIG_ROOT, BATCH_STATUS_JOB, p.id, "Resource_List.mem"), "1gb");
    CU_ASSERT_STRING_EQUAL(
        rig_value(p.to, RIG_ROOT, BATCH_STATUS_JOB, p.id, "Resource_List.ncpus"), "2");
    pair_free(&p);
}

/* A queue of this server, whatever stands behind its name. */
static void a_destination_may_name_this_server(void)
{
    struct pair p = routed("workq@svr,q@two", "started=true", "");

    CU_ASSERT_STRING_EQUAL(obj_str(the_job(p.from, p.id), JOB_A_QUEUE, ""), "workq");
    pair_free(&p);
}

static void time_in_the_queue_has_an_end(void)
{
    struct pair p = routed("q@two", "started=true route_lifetime=10", "");
    const struct need *need;

    rig_restart(p.from);
    need = transfer_asked(p.from);
    CU_ASSERT_PTR_NOT_NULL_FATAL(need);
    /* On its way nobody takes it away. */
    rig_advance(p.from, RIG_START_AT + 20);
    CU_ASSERT_EQUAL(state_of(p.from, p.id), 'T');
    pair_tell(&p, need, &(struct finding){ .code = PBSE_QUNOENB });
    CU_ASSERT_PTR_NULL(the_job(p.from, p.id));
    CU_ASSERT_STRING_EQUAL(accounted(p.from, 'A', 0),
                           "Job was in its routing queue for too long");
    pair_free(&p);
}

static void held_and_waiting_jobs_go_where_that_is_wanted(void)
{
    static const struct {
        const char *queue, *job;
        char arrives; /* in that state; 0: it stays */
    } cases[] = {
        { "started=true", "Hold_Types=u", 0 },
        { "started=true route_held_jobs=true", "Hold_Types=u", 'H' },
        { "started=true", "Execution_Time=1800000100", 0 },
        { "started=true route_waiting_jobs=true", "Execution_Time=1800000100", 'W' },
        { "", "", 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct pair p = routed("workq@two", cases[i].queue, cases[i].job);

        rig_restart(p.from);
        CU_ASSERT_EQUAL(transfer_asked(p.from) != NULL, cases[i].arrives != 0);
        if (cases[i].arrives) {
            pair_go(&p, FOR_EVER);
            CU_ASSERT_EQUAL(state_of(p.to, p.id), cases[i].arrives);
            CU_ASSERT_PTR_NULL(the_job(p.from, p.id));
        }
        pair_free(&p);
    }
}

/* Who waits for others, or is waited for, is tried when nothing holds it any more. */
static void a_job_with_ties_waits(void)
{
    struct pair p = routed("workq@two", "", "");
    const char *depend = arena_printf(p.from->arena, "depend=afterany:%s", p.id);
    const char *other = submit(p.from, RIG_USER, "workq", depend, NULL);

    CU_ASSERT_PTR_NOT_NULL_FATAL(other);
    CU_ASSERT_EQUAL(
        rig_manager(p.from, RIG_ROOT, SET, OBJECT_QUEUE, "in", "started=true"), 0);
    CU_ASSERT_TRUE(waits(&p));
    CU_ASSERT_EQUAL(delete_job(p.from, RIG_ROOT, other, NULL), 0);
    rig_advance(p.from, RIG_START_AT + 30);
    CU_ASSERT_STRING_EQUAL(who_is_asked(p.from), "workq@two");
    pair_free(&p);
}

/* Nobody begins to wait for a job that may be another server's already. */
static void who_is_on_its_way_is_not_waited_for(void)
{
    static const char *const kinds[] = { "afterany", "before", "runone" };
    struct pair p = routed("workq@two", "started=true", "");

    CU_ASSERT_EQUAL(state_of(p.from, p.id), 'T');
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        CU_ASSERT_EQUAL(
            submit_code(p.from, RIG_USER, "workq",
                        arena_printf(p.from->arena, "depend=%s:%s", kinds[i], p.id)),
            PBSE_BADDEPEND);
    rig_restart(p.from);
    pair_go(&p, FOR_EVER);
    CU_ASSERT_PTR_NULL(the_job(p.from, p.id));
    pair_free(&p);
}

/* Somebody moves it himself: what he is told is no word to the queue. */
static void a_move_by_hand_is_no_round(void)
{
    struct pair p = routed("workq", "", "");
    const struct body_move body = { .job_id = p.id, .destination = "q@two" };

    CU_ASSERT_PTR_NULL(rig_ask(p.from, RIG_USER, BATCH_MOVE_JOB, &body, NULL));
    p.client = p.from->conn;
    answer(&p, PBSE_UNKQUE);
    CU_ASSERT_EQUAL_FATAL(p.said->code, PBSE_UNKQUE);
    CU_ASSERT_FALSE(obj_is_set(the_job(p.from, p.id), JOB_A_HF_ROUTE_SAID));
    CU_ASSERT_EQUAL(state_of(p.from, p.id), 'Q');
    pair_free(&p);
}

static size_t n_asked(const struct rig *r)
{
    size_t n = 0;

    for (size_t i = 0; i < r->out.n; i++)
        n += r->out.v[i].kind == EFFECT_FIND_OUT &&
             r->out.v[i].u.need.kind == NEED_TRANSFER;
    return n;
}

/* Of many jobs that wait for a server one asks; each that it takes lets two more ask.
 */
static void one_of_many_asks(void)
{
    struct pair p = routed("workq@two", "", "");
    const struct queue *in = model_queue(svr_model(p.from->s), "in");
    size_t n_others = 2 * ROUTE_AWAY_MAX;

    for (size_t i = 0; i < n_others; i++)
        CU_ASSERT_PTR_NOT_NULL_FATAL(submit(p.from, RIG_USER, "in", "", "x\n"));
    /* The ids are of jobs that the other server has had. */
    for (size_t i = 0; i < n_others; i++)
        delete_job(p.to, RIG_ROOT, submit(p.to, RIG_USER, "", "", NULL), NULL);
    CU_ASSERT_EQUAL(
        rig_manager(p.from, RIG_ROOT, SET, OBJECT_QUEUE, "in", "started=true"), 0);
    rig_settle(p.from);
    /* So many are sent at once, and the others wait for their turn. */
    CU_ASSERT_EQUAL(in->n_away, ROUTE_AWAY_MAX);
    CU_ASSERT_EQUAL(in->n_classes, 1);
    rig_advance(p.from, RIG_START_AT + 31); /* nobody answers */
    rig_settle(p.from);
    CU_ASSERT_EQUAL(in->n_away, 1);
    rig_advance(p.from, RIG_START_AT + 62);
    CU_ASSERT_EQUAL(in->n_away, 1);
    CU_ASSERT_EQUAL(n_asked(p.from), 1);
    pair_go(&p, FOR_EVER);
    CU_ASSERT_EQUAL(in->n_away, 2);
    CU_ASSERT_EQUAL(n_asked(p.from), 2);
    pair_go(&p, FOR_EVER);
    CU_ASSERT_EQUAL(in->n_away, 3);
    pair_free(&p);
}

/* How many times the job lives. */
static size_t n_lives(const struct pair *p)
{
    return (size_t)job_lives(p->from, p->id) + (size_t)job_lives(p->to, p->id);
}

static void settle_transfer(struct pair *p)
{
    for (int i = 0; i < 5 && job_lives(p->from, p->id); i++) {
        if (!transfer_asked(p->from))
            rig_advance(p->from, p->from->now_at + 60);
        if (transfer_asked(p->from))
            pair_go(p, FOR_EVER);
    }
}

/* QueueJob, JobScript, Commit and their answers: one of the servers dies at each. */
static void either_server_may_die_at_any_step(void)
{
    for (int cut = 0; cut <= 6; cut++)
        for (int who = 0; who < 3; who++) {
            struct pair p = routed("workq@two", "started=true", "");
            const struct need *need;
            struct finding f;

            rig_restart(p.from);
            need = transfer_asked(p.from);
            CU_ASSERT_PTR_NOT_NULL_FATAL(need);
            f = pair_attempt(&p, need, cut);
            if (who != 0)
                rig_restart(p.to);
            if (who == 1)
                pair_tell(&p, need, &f);
            else
                rig_restart(p.from);
            settle_transfer(&p);
            if (n_lives(&p) != 1 || !job_lives(p.to, p.id) || p.n_taken != 1)
                printf("cut %d, who %d: %zu, taken %zu\n", cut, who, n_lives(&p),
                       p.n_taken);
            CU_ASSERT_EQUAL(n_lives(&p), 1);
            CU_ASSERT_TRUE(job_lives(p.to, p.id));
            CU_ASSERT_EQUAL(p.n_taken, 1);
            pair_free(&p);
        }
}

static const struct unit_case cases[] = {
    { "a job goes to another server", a_job_goes_to_another_server },
    { "every word is for now or for good", every_word_is_for_now_or_for_good },
    { "who is refused for now asks all again", who_is_refused_for_now_asks_all_again },
    { "each queue of a server is asked", each_queue_of_a_server_is_asked },
    { "defaults and limits are those of the other server",
      defaults_and_limits_are_those_of_the_other_server },
    { "a destination may name this server", a_destination_may_name_this_server },
    { "time in the queue has an end", time_in_the_queue_has_an_end },
    { "held and waiting jobs go where that is wanted",
      held_and_waiting_jobs_go_where_that_is_wanted },
    { "a job with ties waits", a_job_with_ties_waits },
    { "who is on its way is not waited for", who_is_on_its_way_is_not_waited_for },
    { "a move by hand is no round", a_move_by_hand_is_no_round },
    { "one of many asks", one_of_many_asks },
    { "either server may die at any step", either_server_may_die_at_any_step },
};

int main(void)
{
    return unit_main("routing to other servers", cases, ARRAY_LEN(cases));
}
