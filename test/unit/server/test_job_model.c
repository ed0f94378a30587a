/* test_job_model.c - the pure parts of jobs: where they belong, what an exit status
 * means, host lists, scripts as texts, states of vnodes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_script.h"
#include "server/model/job_exit.h"
#include "server/model/job_hosts.h"
#include "server/model/job_phase.h"
#include "server/model/node_life.h"
#include "test/unit/server/harness.h"
#include "test/unit/unit.h"

#include <string.h>

static void jobs_settle_where_they_belong(void)
{
    static const struct {
        const char *holds;
        int64_t execution_at;
        bool stage_in;
        char state;
        int substate;
    } rows[] = {
        { "n", 0, false, 'Q', 10 },   { "n", 100, false, 'Q', 10 },
        { "n", 101, false, 'W', 30 }, { "u", 101, true, 'H', 20 },
        { "so", 0, false, 'H', 20 },  { "n", 0, true, 'Q', 11 },
        { "p", 0, false, 'H', 20 },   { "", 0, false, 'Q', 10 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        enum job_phase to =
            job_next(JOB_IN_TRANSIT, job_place(rows[i].holds, rows[i].execution_at,
                                               rows[i].stage_in, 100));

        CU_ASSERT_EQUAL(job_phase_state(to), rows[i].state);
        CU_ASSERT_EQUAL(job_phase_substate(to), rows[i].substate);
    }
}

static void exit_status_decides(void)
{
    static const struct {
        int32_t status;
        enum job_fate rerunnable, not_rerunnable;
    } rows[] = {
        { 0, FATE_END, FATE_END },           { 1, FATE_END, FATE_END },
        { 271, FATE_END, FATE_END },         { -1, FATE_ABORT, FATE_ABORT },
        { -2, FATE_ABORT, FATE_ABORT },      { -3, FATE_REQUEUE, FATE_REQUEUE },
        { -4, FATE_REQUEUE, FATE_ABORT },    { -5, FATE_REQUEUE, FATE_REQUEUE },
        { -6, FATE_REQUEUE, FATE_REQUEUE },  { -7, FATE_REQUEUE, FATE_REQUEUE },
        { -8, FATE_END, FATE_END },          { -10, FATE_REQUEUE, FATE_REQUEUE },
        { -11, FATE_REQUEUE, FATE_ABORT },   { -12, FATE_HOLD, FATE_HOLD },
        { -13, FATE_HOLD, FATE_HOLD },       { -14, FATE_REQUEUE, FATE_REQUEUE },
        { -15, FATE_REQUEUE, FATE_REQUEUE }, { -9, FATE_END, FATE_END },
        { -16, FATE_REQUEUE, FATE_REQUEUE }, { -17, FATE_ABORT, FATE_ABORT },
        { -18, FATE_REQUEUE, FATE_REQUEUE }, { -19, FATE_ABORT, FATE_ABORT },
        { -20, FATE_REQUEUE, FATE_ABORT },   { -21, FATE_HOLD, FATE_HOLD },
        { -22, FATE_REQUEUE, FATE_REQUEUE }, { -23, FATE_ABORT, FATE_ABORT },
        { -24, FATE_END, FATE_END },         { -29, FATE_END, FATE_END },
        { -30, FATE_REQUEUE, FATE_REQUEUE }, { -31, FATE_END, FATE_END },
        { INT32_MIN, FATE_END, FATE_END },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        enum job_fate doomed = job_exit_verdict(rows[i].status, true, true).fate;

        CU_ASSERT_EQUAL(job_exit_verdict(rows[i].status, true, false).fate,
                        rows[i].rerunnable);
        CU_ASSERT_EQUAL(job_exit_verdict(rows[i].status, false, false).fate,
                        rows[i].not_rerunnable);
        CU_ASSERT(doomed == FATE_END || doomed == FATE_ABORT);
    }
}

/* Some have words for the job's owner, and some a line for the log. */
static void exit_status_has_words(void)
{
    static const struct {
        int32_t status;
        bool rerunnable;
        const char *comment, *log;
    } rows[] = {
        { -4, true, NULL, NULL },
        { -4, false, NULL, "Job aborted on PBS Server initialization" },
        { -11, true, NULL, NULL },
        { -11, false, NULL, "Non-rerunable job deleted on requeue" },
        { -13, true, "job held due to bad password", NULL },
        { -20, false, NULL, "Non-rerunable job deleted on requeue" },
        { -21, true,
          "job held due to possible security breach of job tmpdir, failed to start",
          NULL },
        { -30, true, NULL, "Mom rejected job due to join job error" },
        { -3, true, NULL, NULL },
        { 0, true, NULL, NULL },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct job_verdict v =
            job_exit_verdict(rows[i].status, rows[i].rerunnable, false);

        CU_ASSERT_STRING_EQUAL(v.comment ? v.comment : "",
                               rows[i].comment ? rows[i].comment : "");
        CU_ASSERT_STRING_EQUAL(v.log ? v.log : "", rows[i].log ? rows[i].log : "");
    }
}

/* The host is named by the first vnode of the MoM, as it was created. */
static void host_lists_follow_the_chunks(void)
{
    static const struct {
        const char *exec_vnode, *exec_host, *exec_host2;
    } rows[] = {
        { "(a:ncpus=1)", "a/0", "h.dom:15002/0" },
        { "(a:ncpus=2)", "a/0*2", "h.dom:15002/0*2" },
        { "(a:mem=1gb)", "a/0*0", "h.dom:15002/0*0" },
        { "(a:ncpus=1)+(a:ncpus=1)", "a/0+a/1", "h.dom:15002/0+h.dom:15002/1" },
        { "(a:ncpus=1+a2:ncpus=2)", "a/0*3", "h.dom:15002/0*3" },
        { "(a:ncpus=1+b:ncpus=1)+(b:ncpus=4)", "a/0+b/0+b/1*4",
          "h.dom:15002/0+10.0.0.2:17000/0+10.0.0.2:17000/1*4" },
        { "(10.0.0.3:ncpus=1)", "10.0.0.3/0", "10.0.0.3:15002/0" },
        { "(c:ncpus=1)", "c.dom.example/0", "10.0.0.4:15002/0" },
        { "(other:ncpus=1)", "other/0", "10.0.0.4:15004/0" },
    };
    struct rig *r = rig_new();
    struct job_hosts hosts;
    struct exec_vnode ev;
    struct diag why;

    rig_manager(r, RIG_ROOT, 0, OBJECT_NODE, "a", "Mom=h.dom");
    rig_manager(r, RIG_ROOT, 0, OBJECT_NODE, "a2", "Mom=h.dom");
    rig_manager(r, RIG_ROOT, 0, OBJECT_NODE, "b", "Mom=10.0.0.2 Port=17000");
    rig_manager(r, RIG_ROOT, 0, OBJECT_NODE, "10.0.0.3", "");
    rig_manager(r, RIG_ROOT, 0, OBJECT_NODE, "c.dom.example", "Mom=10.0.0.4");
    rig_manager(r, RIG_ROOT, 0, OBJECT_NODE, "c", "Mom=10.0.0.4");
    rig_manager(r, RIG_ROOT, 0, OBJECT_NODE, "other", "Mom=10.0.0.4 Port=15004");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CU_ASSERT_EQUAL(exec_vnode_parse(rows[i].exec_vnode, svr_model(r->s)->defs,
                                         r->arena, &ev, &why),
                        0);
        CU_ASSERT_EQUAL(job_hosts_make(svr_model(r->s), &ev, r->arena, &hosts, &why),
                        0);
        CU_ASSERT_STRING_EQUAL(hosts.exec_host, rows[i].exec_host);
        CU_ASSERT_STRING_EQUAL(hosts.exec_host2, rows[i].exec_host2);
    }
    CU_ASSERT_EQUAL(exec_vnode_parse("(zz:ncpus=1)", NULL, r->arena, &ev, &why), 0);
    CU_ASSERT_EQUAL(job_hosts_make(svr_model(r->s), &ev, r->arena, &hosts, &why),
                    PBSE_UNKNODE);
    CU_ASSERT_STRING_EQUAL(why.text, "Unknown node  zz");
    rig_free(r);
}

static void scripts_survive_as_texts(void)
{
    static const struct {
        const char *data;
        size_t len;
        const char *text;
    } rows[] = {
        { "", 0, "" },
        { "echo\n", 5, "echo\n" },
        { "\0", 1, "\\0" },
        { "\\0", 2, "\\\\0" },
        { "a\0\\b\xff", 5, "a\\0\\\\b\xff" },
    };
    struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *text = script_to_text(rows[i].data, rows[i].len, arena);
        size_t len;
        const char *back = script_from_text(text, arena, &len);

        CU_ASSERT_STRING_EQUAL(text, rows[i].text);
        CU_ASSERT_EQUAL_FATAL(len, rows[i].len);
        CU_ASSERT_EQUAL(memcmp(back, rows[i].data, len), 0);
    }
    arena_free(arena);
}

static void usable_is_what_counts(void)
{
    static const struct {
        uint32_t bits;
        bool usable;
        const char *text;
    } rows[] = {
        { 0, true, "free" },
        { NODE_BUSY, true, "busy" },
        { NODE_DOWN, false, "down" },
        { NODE_INITIAL, false, "state-unknown,down" },
        { NODE_STATE_UNKNOWN, false, "state-unknown" },
        { NODE_STATE_UNKNOWN | NODE_LAST_KNOWN, true, "state-unknown" },
        { NODE_STATE_UNKNOWN | NODE_LAST_KNOWN | NODE_OFFLINE, false,
          "state-unknown,offline" },
        { NODE_STALE, false, "Stale" },
        { NODE_OFFLINE | NODE_OFFLINE_BY_MOM, false, "offline" },
        { NODE_MAINTENANCE, false, "maintenance" },
        { NODE_SLEEP, false, "sleep" },
        { NODE_JOB_BUSY, true, "job-busy" },
        { NODE_RESV_EXCLUSIVE, true, "resv-exclusive" },
    };
    struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CU_ASSERT_EQUAL(node_bits_usable(rows[i].bits), rows[i].usable);
        CU_ASSERT_STRING_EQUAL(node_state_text(rows[i].bits, arena), rows[i].text);
    }
    arena_free(arena);
}

static void managers_change_what_is_theirs(void)
{
    static const struct {
        uint32_t stored;
        const char *text;
        enum wire_op op;
        int code;
        uint32_t bits;
    } rows[] = {
        { NODE_STALE, "offline", WIRE_OP_SET, 0, NODE_STALE | NODE_OFFLINE },
        { NODE_DOWN | NODE_OFFLINE, "free", WIRE_OP_SET, 0, 0 },
        { NODE_DOWN, "offline", WIRE_OP_INCR, 0, NODE_DOWN | NODE_OFFLINE },
        { NODE_OFFLINE | NODE_OFFLINE_BY_MOM | NODE_DOWN, "offline", WIRE_OP_DECR, 0,
          NODE_DOWN },
        { 0, "free,offline", WIRE_OP_SET, PBSE_MUTUALEX, 0 },
        { 0, "job-busy", WIRE_OP_SET, PBSE_BADNDATVAL, 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint32_t bits = 0;

        CU_ASSERT_EQUAL(
            node_state_change(rows[i].stored, rows[i].text, rows[i].op, &bits, NULL),
            rows[i].code);
        CU_ASSERT_EQUAL(bits, rows[i].bits);
    }
}

static const struct unit_case cases[] = {
    { "jobs settle where they belong", jobs_settle_where_they_belong },
    { "the exit status decides", exit_status_decides },
    { "the exit status has words", exit_status_has_words },
    { "host lists follow the chunks", host_lists_follow_the_chunks },
    { "scripts survive as texts", scripts_survive_as_texts },
    { "usable is what counts", usable_is_what_counts },
    { "managers change what is theirs", managers_change_what_is_theirs },
};

int main(void)
{
    return unit_main("job model", cases, ARRAY_LEN(cases));
}
