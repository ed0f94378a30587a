/* test_settings.c - every attribute that an administrator may set, of server, queues,
 * vnodes and schedulers, and every one of a job that may be altered: a legal value is
 * there after the server was killed and started again; a value that its type cannot
 * read is refused with PBS's number and words and changes nothing; unset, it is as it
 * was before it was set, after another start too (attributes.md 2).
 *
 * The values come from the attribute's type. What needs another one has a row in
 * 'special', so a new attribute is tested without being named here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/attr/row.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <string.h>

#define EVERYBODY (WHO_USER | WHO_OPERATOR | WHO_MANAGER)
#define JOB       "0.svr"

/* What one kind of object is called. */
struct subject {
    const struct attr_table *table;
    uint32_t type, status;
    const char *name;
};

static const struct subject subjects[] = {
    { &server_table, OBJECT_SERVER, BATCH_STATUS_SERVER, "" },
    { &queue_table, OBJECT_QUEUE, BATCH_STATUS_QUEUE, "q" },
    { &queue_table, OBJECT_QUEUE, BATCH_STATUS_QUEUE, "route" },
    { &node_table, OBJECT_NODE, BATCH_STATUS_NODE, "n1" },
    { &sched_table, OBJECT_SCHED, BATCH_STATUS_SCHED, "default" },
    { &job_table, OBJECT_JOB, BATCH_STATUS_JOB, JOB },
};

/* By type: the member of a list that is set, a value as it is shown, and one that
 * cannot be read. */
static const struct sort {
    const struct attr_type *type;
    const char *member, *value, *wrong;
} sorts[] = {
    { &attr_bool, NULL, "True", "maybe" },
    { &attr_long, NULL, "7", "seven" },
    { &attr_int64, NULL, "20000000", "many" },
    { &attr_float, NULL, "2.5", "much" },
    { &attr_size, NULL, "50mb", "large" },
    { &attr_duration, NULL, "00:02:05", "long" },
    { &attr_time, NULL, "1800003600", "soon" },
    { &attr_string, NULL, "word", NULL },
    { &attr_project, NULL, "word", "a/b" },
    { &attr_jobname, NULL, "word", NULL },
    { &attr_strings, NULL, "word", NULL },
    { &attr_variables, NULL, "A=b", NULL },
    { &attr_acl_user, NULL, "bob@svr.example", NULL },
    { &attr_acl_host, NULL, "other.example", NULL },
    { &attr_acl_group, NULL, "friends", NULL },
    { &attr_hold, NULL, "u", "x" },
    { &attr_resources, "ncpus", "3", "three" },
    { &attr_entity_limit, NULL, "[u:PBS_GENERIC=3]", "[u:bob]" },
    { &attr_entity_limit_resource, "ncpus", "[u:PBS_GENERIC=3]", "[u:bob]" },
    { &attr_node_state, NULL, "offline", "asleep" },
};

/* 'value' NULL: it cannot be set by itself, for the reason in 'why'. 'unset' NULL: what
 * it was before comes back; "": it is not shown any more (attributes.md 17). */
static const struct special {
    const struct attr_table *table;
    const char *name, *value, *unset, *why;
    bool until_start; /* it is not shown until the next start */
} special[] = {
    { &server_table, "scheduling", "False", NULL, NULL },
    { &server_table, "default_queue", "q", "", NULL },
    { &server_table, "default_chunk", "3", "", NULL },
    { &server_table, "mailer", "/bin/mail", NULL, NULL },
    { &server_table, "node_group_key", "host", NULL, NULL },
    { &server_table, "node_fail_requeue", "7", NULL, NULL, true },
    { &server_table, "resend_term_delay", "7", NULL, NULL, true },
    { &server_table, "require_cred", "aes", NULL, NULL },
    { &server_table, "job_sort_formula", "ncpus", NULL, NULL },
    { &server_table, "job_history_enable", "True", "", NULL },
    { &server_table, "restrict_res_to_release_on_suspend", "ncpus", NULL, NULL },
    { &server_table, "show_hidden_attribs", "True", "", NULL },
    { &server_table, "max_job_sequence_id", "20000000", "", NULL },
    { &server_table, "resv_default_on_end", "requeue", NULL, NULL },
    { &queue_table, "queue_type", NULL, NULL, "it may not be unset" },
    { &queue_table, "route_destinations", "workq", "", NULL },
    { &queue_table, "require_cred", "aes", NULL, NULL },
    { &queue_table, "node_group_key", "host", NULL, NULL },
    { &queue_table, "enabled", "False", "", NULL },
    { &queue_table, "started", "False", "", NULL },
    { &node_table, "Mom", NULL, NULL, "it is given when the vnode is made" },
    { &node_table, "Port", NULL, NULL, "it is given when the vnode is made" },
    { &node_table, "vnode_pool", NULL, NULL, "it is given when the vnode is made" },
    { &node_table, "current_aoe", NULL, NULL,
      "resources_available.aoe has to name it" },
    { &node_table, "queue", "q", NULL, NULL },
    { &node_table, "resv_enable", "False", "", NULL },
    { &sched_table, "partition", NULL, NULL, "not of the default scheduler" },
    { &sched_table, "sched_priv", NULL, NULL, "not of the default scheduler" },
    { &sched_table, "sched_log", NULL, NULL, "not of the default scheduler" },
    { &sched_table, "job_run_wait", "none", NULL, NULL },
    { &sched_table, "opt_backfill_fuzzy", "low", NULL, NULL },
    { &sched_table, "preempt_prio", "normal_jobs", NULL, NULL },
    { &sched_table, "preempt_order", "CR", NULL, NULL },
    { &sched_table, "preempt_sort", NULL, NULL, "it has one value only" },
    { &sched_table, "job_sort_formula", "ncpus", NULL, NULL },
    { &job_table, "Job_Name", "word", "", NULL },
    { &job_table, "Checkpoint", "c=5", "", NULL },
    { &job_table, "depend", "afterany:1.svr@svr", NULL, NULL },
    { &job_table, "group_list", NULL, NULL, "the owner has one group here" },
    { &job_table, "Hold_Types", "o", "", NULL },
    { &job_table, "Join_Path", "oe", "", NULL },
    { &job_table, "Keep_Files", "oe", "", NULL },
    { &job_table, "Mail_Points", "be", "", NULL },
    { &job_table, "Priority", "7", "", NULL },
    { &job_table, "Remove_Files", "e", NULL, NULL },
    { &job_table, "Rerunable", "False", "", NULL },
    { &job_table, "Resource_List", NULL, NULL,
      "ncpus may not be unset (test_catalogue.c)" },
    { &job_table, "sandbox", "PRIVATE", NULL, NULL },
    { &job_table, "User_List", NULL, NULL, "nobody else may be trusted here" },
    { &job_table, "Variable_List", "A=b", "", NULL },
    { &job_table, "eligible_time", NULL, NULL, "only while it is counted" },
    { &job_table, "node_set", NULL, NULL, "it is shown to daemons only" },
    { &job_table, "ptime", NULL, NULL, "it is shown to daemons only" },
    { &job_table, "tolerate_node_failures", "all", NULL, NULL },
    { &job_table, "Submit_Host", "other", "", NULL },
    { &job_table, "max_run_subjobs", NULL, NULL,
      "of arrays only (test_array_limits.c)" },
};

static const struct special *special_of(const struct subject *s, const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(special); i++)
        if (special[i].table == s->table && strcmp(special[i].name, name) == 0)
            return &special[i];
    return NULL;
}

static const struct sort *sort_of(const struct attr_row *row)
{
    for (size_t i = 0; i < ARRAY_LEN(sorts); i++)
        if (sorts[i].type == row->type)
            return &sorts[i];
    return NULL;
}

static int change(struct rig *r, const struct subject *s, uint32_t command,
                  const char *attrs)
{
    struct body_manage body = { .object_type = OBJECT_JOB, .object_name = s->name };

    if (s->type != OBJECT_JOB)
        return rig_manager(r, RIG_ROOT, command, s->type, s->name, attrs);
    body.command = MANAGER_SET;
    body.attrs = rig_attrs(r, attrs);
    return rig_ask(r, RIG_ROOT, BATCH_MODIFY_JOB, &body, NULL)->code;
}

static const char *value_of(struct rig *r, const struct subject *s, const char *key)
{
    const char *text = rig_value(r, RIG_ROOT, s->status, s->name, key);

    return text ? arena_strdup(r->arena, text) : NULL;
}

/* One line for each difference, so that one run shows all of them. */
static void expect(const struct subject *s, const char *key, const char *when,
                   const char *got, const char *want)
{
    if (!str_same(got, want))
        printf("\n  %s %s, %s: '%s', expected '%s'", s->table->kind, key, when,
               got ? got : "(not set)", want ? want : "(not set)");
    CU_ASSERT_TRUE(str_same(got, want));
}

static void refuse_wrong(struct rig *r, const struct subject *s, const char *key,
                         const char *wrong)
{
    const char *before = value_of(r, s, key);
    int code = change(r, s, SET, arena_printf(r->arena, "%s=%s", key, wrong));
    const char *said = arena_strdup(r->arena, rig_text(r));

    expect(s, key, "the number", arena_printf(r->arena, "%d", code), "15014");
    expect(s, key, "the words", said,
           arena_printf(r->arena, "Illegal attribute or resource value %s", key));
    expect(s, key, "refused", value_of(r, s, key), before);
}

static void keep_through_a_start(struct rig *r, const struct subject *s,
                                 const struct attr_row *row)
{
    const struct sort *sort = sort_of(row);
    const struct special *sp = special_of(s, row->name);
    const char *value, *key, *before;

    CU_ASSERT_PTR_NOT_NULL_FATAL(sort);
    value = sp ? sp->value : sort->value;
    key = sort->member ? arena_printf(r->arena, "%s.%s", row->name, sort->member)
                       : row->name;
    if (row->dflt && str_same(row->dflt, value))
        value = "False";
    before = value_of(r, s, key);
    if (sort->wrong)
        refuse_wrong(r, s, key, sort->wrong);
    if (change(r, s, SET, arena_printf(r->arena, "%s=%s", key, value)))
        expect(s, key, "set", rig_text(r), "");
    expect(s, key, "set", value_of(r, s, key), value);
    rig_restart(r);
    expect(s, key, "after a start", value_of(r, s, key), value);
    if (change(r, s, UNSET, arena_printf(r->arena, "%s=", key)))
        expect(s, key, "unset", rig_text(r), "");
    if (sp && (sp->unset || sp->until_start))
        expect(s, key, "unset", value_of(r, s, key), NULL);
    rig_restart(r);
    expect(s, key, "unset, after a start", value_of(r, s, key),
           !sp || !sp->unset ? before : NULL);
}

/* The router has what is of routing queues, and no partition (attributes.md 12). */
static bool may_be_set(const struct subject *s, const struct attr_row *row)
{
    bool routes = strcmp(s->name, "route") == 0;
    uint32_t of_others = routes ? ATTR_EXEC_QUEUE : ATTR_ROUTE_QUEUE;

    if (!(row->write & EVERYBODY) || row->flags & (ATTR_INTERNAL | ATTR_NOT_SAVED))
        return false;
    return s->type != OBJECT_QUEUE ||
           (!(row->flags & of_others) &&
            !(routes && strcmp(row->name, "partition") == 0));
}

static void every_setting_is_kept(void)
{
    size_t n = 0;

    for (size_t k = 0; k < ARRAY_LEN(subjects); k++)
        for (size_t i = 0; i < subjects[k].table->n; i++) {
            const struct attr_row *row = &subjects[k].table->rows[i];
            const struct special *sp = special_of(&subjects[k], row->name);
            struct fake_mom fm;

            if (!may_be_set(&subjects[k], row) || (sp && !sp->value))
                continue;
            fm = fake_mom_new();
            CU_ASSERT_EQUAL(rig_manager(fm.r, RIG_ROOT, SET, OBJECT_SERVER, "",
                                        "show_hidden_attribs=True"),
                            0);
            new_queue(fm.r, "q", "");
            new_router(fm.r, "route", "q", "started=True");
            CU_ASSERT_PTR_NOT_NULL(submit(fm.r, RIG_USER, "", "Hold_Types=u", "x\n"));
            CU_ASSERT_PTR_NOT_NULL(submit(fm.r, RIG_USER, "", "", "x\n"));
            keep_through_a_start(fm.r, &subjects[k], row);
            fake_mom_free(&fm);
            n++;
        }
    CU_ASSERT_TRUE(n > 200);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "every setting is kept", every_setting_is_kept },
    };

    return unit_main("settings", cases, ARRAY_LEN(cases));
}
