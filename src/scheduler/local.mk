# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += src/scheduler/README.md
noinst_LTLIBRARIES += libhfschedcore.la
libhfschedcore_la_LIBADD = -lm
libhfschedcore_la_SOURCES = \
	src/scheduler/sched.h \
	src/scheduler/plan/ahead.c src/scheduler/plan/ahead.h \
	src/scheduler/plan/alike.c src/scheduler/plan/alike.h \
	src/scheduler/plan/booking.c \
	src/scheduler/plan/earliest.c \
	src/scheduler/plan/endless.c src/scheduler/plan/endless.h \
	src/scheduler/plan/ends.c src/scheduler/plan/ends.h \
	src/scheduler/plan/fit.c src/scheduler/plan/fit.h \
	src/scheduler/plan/holders.c src/scheduler/plan/holders.h \
	src/scheduler/plan/jobs_beside.c src/scheduler/plan/jobs_beside.h \
	src/scheduler/plan/book.c src/scheduler/plan/book.h \
	src/scheduler/plan/fit_complete.c \
	src/scheduler/plan/fit_hosts.c \
	src/scheduler/plan/desk.c src/scheduler/plan/desk.h \
	src/scheduler/plan/fit_sorted.c \
	src/scheduler/plan/job.c src/scheduler/plan/jobs.h \
	src/scheduler/plan/job_field.c \
	src/scheduler/plan/job_say.c \
	src/scheduler/plan/job_preempt.c \
	src/scheduler/plan/level.c src/scheduler/plan/level.h \
	src/scheduler/plan/links.c src/scheduler/plan/links.h \
	src/scheduler/plan/subjobs.c src/scheduler/plan/subjobs.h \
	src/scheduler/plan/top_job.c src/scheduler/plan/top_job.h \
	src/scheduler/plan/names.c src/scheduler/plan/names.h \
	src/scheduler/plan/own_chunks.c src/scheduler/plan/own_chunks.h \
	src/scheduler/plan/placement.c \
	src/scheduler/plan/placement_set.c src/scheduler/plan/placement_set.h \
	src/scheduler/plan/set_words.c src/scheduler/plan/set_words.h \
	src/scheduler/plan/many_answers.c \
	src/scheduler/plan/plan.c src/scheduler/plan/plan.h \
	src/scheduler/plan/vnode_pool.c src/scheduler/plan/vnode_pool.h \
	src/scheduler/plan/pool_fit.c \
	src/scheduler/plan/pool_explain.c \
	src/scheduler/plan/ceiling.c src/scheduler/plan/ceiling.h \
	src/scheduler/plan/ceiling_walk.c src/scheduler/plan/ceiling_walk.h \
	src/scheduler/plan/candidate.c src/scheduler/plan/candidate.h \
	src/scheduler/plan/victims.c src/scheduler/plan/victims.h \
	src/scheduler/plan/targets.c src/scheduler/plan/targets.h \
	src/scheduler/plan/push.c src/scheduler/plan/push.h \
	src/scheduler/plan/follower.c src/scheduler/plan/follower.h \
	src/scheduler/plan/limit_fit.c \
	src/scheduler/plan/queue_fit.c \
	src/scheduler/plan/quick_fit.c \
	src/scheduler/plan/classes.c src/scheduler/plan/classes.h \
	src/scheduler/plan/remarks.c src/scheduler/plan/remarks.h \
	src/scheduler/plan/resume.c src/scheduler/plan/resume.h \
	src/scheduler/plan/resv.c \
	src/scheduler/plan/question.h \
	src/scheduler/plan/room.c src/scheduler/plan/room.h \
	src/scheduler/plan/series.c src/scheduler/plan/series.h \
	src/scheduler/plan/series_find.c \
	src/scheduler/plan/server_fit.c \
	src/scheduler/plan/shortage.c src/scheduler/plan/shortage.h \
	src/scheduler/plan/shorten.c src/scheduler/plan/shorten.h \
	src/scheduler/plan/length.c src/scheduler/plan/length.h \
	src/scheduler/plan/shrink.c src/scheduler/plan/shrink.h \
	src/scheduler/plan/vnode_limit.c src/scheduler/plan/vnode_limit.h \
	src/scheduler/plan/plan_check.c src/scheduler/plan/plan_check.h \
	src/scheduler/plan/waiting.c src/scheduler/plan/waiting.h \
	src/scheduler/plan/waiting_order.c src/scheduler/plan/waiting_priv.h \
	src/scheduler/plan/crowd.c \
	src/scheduler/plan/job_value.c src/scheduler/plan/job_value.h \
	src/scheduler/plan/formula_code.c src/scheduler/plan/formula_code.h \
	src/scheduler/plan/formula_math.c src/scheduler/plan/formula_math.h \
	src/scheduler/plan/rules.c src/scheduler/plan/rules.h \
	src/scheduler/plan/together.c src/scheduler/plan/together.h \
	src/scheduler/plan/failure.c \
	src/scheduler/plan/world.c src/scheduler/plan/world.h \
	src/scheduler/policy/policy.c src/scheduler/policy/policy.h \
	src/scheduler/policy/setting.c src/scheduler/policy/setting.h \
	src/scheduler/snapshot/kept.c \
	src/scheduler/snapshot/fields.c \
	src/scheduler/snapshot/objects.c \
	src/scheduler/snapshot/occurrences.c \
	src/scheduler/snapshot/request.c \
	src/scheduler/snapshot/same.c \
	src/scheduler/snapshot/trial.c \
	src/scheduler/snapshot/snapshot.c src/scheduler/snapshot/snapshot.h

sbin_PROGRAMS += pbs_sched
pbs_sched_SOURCES = \
	src/scheduler/shell/config.c \
	src/scheduler/shell/cycle.c src/scheduler/shell/dry.c \
	src/scheduler/shell/link.c src/scheduler/shell/link.h \
	src/scheduler/shell/link_open.c src/scheduler/shell/link_priv.h \
	src/scheduler/shell/main.c \
	src/scheduler/shell/mirror.c src/scheduler/shell/mirror.h \
	src/scheduler/shell/peers.c src/scheduler/shell/peers.h \
	src/scheduler/shell/remark_log.c \
	src/scheduler/shell/resolver.c src/scheduler/shell/resolver.h \
	src/scheduler/shell/run.c \
	src/scheduler/shell/shell.h \
	src/scheduler/shell/signals.c src/scheduler/shell/signals.h \
	src/scheduler/shell/status.c src/scheduler/shell/status.h \
	src/scheduler/shell/step_log.c \
	src/scheduler/shell/unknown_names.c \
	src/scheduler/shell/updates.c src/scheduler/shell/updates.h
pbs_sched_LDADD = libhfschedcore.la libhfcal.la libhfattr.la libhfauth.la libhfmethod.la \
	libhfio.la libhfconf.la libhfwire.la libhfbase.la

sched_test_libs = libhfschedcore.la libhfcal.la libhfattr.la libhfwire.la libhfbase.la \
	-lcunit

check_PROGRAMS += test/unit/scheduler/test_plan_job
TESTS += test/unit/scheduler/test_plan_job
test_unit_scheduler_test_plan_job_SOURCES = \
	test/unit/scheduler/test_plan_job.c test/unit/scheduler/scene.h
test_unit_scheduler_test_plan_job_LDADD = $(sched_test_libs)
check_PROGRAMS += test/unit/scheduler/test_top_job
TESTS += test/unit/scheduler/test_top_job
test_unit_scheduler_test_top_job_SOURCES = \
	test/unit/scheduler/test_top_job.c test/unit/scheduler/scene.h
test_unit_scheduler_test_top_job_LDADD = $(sched_test_libs)
check_PROGRAMS += test/unit/scheduler/test_shrink
TESTS += test/unit/scheduler/test_shrink
test_unit_scheduler_test_shrink_SOURCES = \
	test/unit/scheduler/test_shrink.c test/unit/scheduler/scene.h
test_unit_scheduler_test_shrink_LDADD = $(sched_test_libs)

check_PROGRAMS += test/unit/scheduler/test_soft_walltime
TESTS += test/unit/scheduler/test_soft_walltime
test_unit_scheduler_test_soft_walltime_SOURCES = \
	test/unit/scheduler/test_soft_walltime.c test/unit/scheduler/scene.h
test_unit_scheduler_test_soft_walltime_LDADD = $(sched_test_libs)
check_PROGRAMS += test/unit/scheduler/test_vnode_limit
TESTS += test/unit/scheduler/test_vnode_limit
test_unit_scheduler_test_vnode_limit_SOURCES = \
	test/unit/scheduler/test_vnode_limit.c test/unit/scheduler/scene.h
test_unit_scheduler_test_vnode_limit_LDADD = $(sched_test_libs)

check_PROGRAMS += test/unit/scheduler/test_server_has
TESTS += test/unit/scheduler/test_server_has
test_unit_scheduler_test_server_has_SOURCES = \
	test/unit/scheduler/test_server_has.c test/unit/scheduler/scene.h
test_unit_scheduler_test_server_has_LDADD = $(sched_test_libs)
check_PROGRAMS += test/unit/scheduler/test_job_value
TESTS += test/unit/scheduler/test_job_value
test_unit_scheduler_test_job_value_SOURCES = \
	test/unit/scheduler/test_job_value.c test/unit/scheduler/scene.h
test_unit_scheduler_test_job_value_LDADD = $(sched_test_libs)
check_PROGRAMS += test/unit/scheduler/test_formula_code
TESTS += test/unit/scheduler/test_formula_code
test_unit_scheduler_test_formula_code_SOURCES = \
	test/unit/scheduler/test_formula_code.c test/unit/scheduler/scene.h
test_unit_scheduler_test_formula_code_LDADD = $(sched_test_libs)
check_PROGRAMS += test/unit/scheduler/test_kept
TESTS += test/unit/scheduler/test_kept
test_unit_scheduler_test_kept_SOURCES = \
	test/unit/scheduler/test_kept.c test/unit/scheduler/scene.h
test_unit_scheduler_test_kept_LDADD = $(sched_test_libs)

check_PROGRAMS += test/unit/scheduler/test_waiting
TESTS += test/unit/scheduler/test_waiting
test_unit_scheduler_test_waiting_SOURCES = \
	test/unit/scheduler/test_waiting.c test/unit/scheduler/scene.h
test_unit_scheduler_test_waiting_LDADD = $(sched_test_libs)

check_PROGRAMS += test/unit/scheduler/test_plan_indirect
TESTS += test/unit/scheduler/test_plan_indirect
test_unit_scheduler_test_plan_indirect_SOURCES = \
	test/unit/scheduler/test_plan_indirect.c test/unit/scheduler/scene.h
test_unit_scheduler_test_plan_indirect_LDADD = $(sched_test_libs)

check_PROGRAMS += test/unit/scheduler/test_plan_resv
TESTS += test/unit/scheduler/test_plan_resv
test_unit_scheduler_test_plan_resv_SOURCES = \
	test/unit/scheduler/test_plan_resv.c test/unit/scheduler/scene.h
test_unit_scheduler_test_plan_resv_LDADD = $(sched_test_libs)

check_PROGRAMS += test/unit/scheduler/test_plan_push
TESTS += test/unit/scheduler/test_plan_push
test_unit_scheduler_test_plan_push_SOURCES = \
	test/unit/scheduler/test_plan_push.c test/unit/scheduler/scene.h
test_unit_scheduler_test_plan_push_LDADD = $(sched_test_libs)

check_PROGRAMS += test/unit/scheduler/test_plan_together
TESTS += test/unit/scheduler/test_plan_together
test_unit_scheduler_test_plan_together_SOURCES = \
	test/unit/scheduler/test_plan_together.c test/unit/scheduler/scene.h
test_unit_scheduler_test_plan_together_LDADD = $(sched_test_libs)

check_PROGRAMS += test/unit/scheduler/test_plan_series
TESTS += test/unit/scheduler/test_plan_series
test_unit_scheduler_test_plan_series_SOURCES = \
	test/unit/scheduler/test_plan_series.c test/unit/scheduler/scene.h
test_unit_scheduler_test_plan_series_LDADD = $(sched_test_libs)

check_PROGRAMS += test/unit/scheduler/test_search_series
TESTS += test/unit/scheduler/test_search_series
test_unit_scheduler_test_search_series_SOURCES = \
	test/unit/scheduler/test_search_series.c test/unit/scheduler/scene.h
test_unit_scheduler_test_search_series_LDADD = $(sched_test_libs)

check_PROGRAMS += test/unit/scheduler/test_ceiling
TESTS += test/unit/scheduler/test_ceiling
test_unit_scheduler_test_ceiling_SOURCES = \
	test/unit/scheduler/test_ceiling.c test/unit/scheduler/scene.h
test_unit_scheduler_test_ceiling_LDADD = $(sched_test_libs)

check_PROGRAMS += test/unit/scheduler/test_ends
TESTS += test/unit/scheduler/test_ends
test_unit_scheduler_test_ends_SOURCES = test/unit/scheduler/test_ends.c
test_unit_scheduler_test_ends_LDADD = $(sched_test_libs)

check_PROGRAMS += test/unit/scheduler/test_ahead
TESTS += test/unit/scheduler/test_ahead
test_unit_scheduler_test_ahead_SOURCES = test/unit/scheduler/test_ahead.c
test_unit_scheduler_test_ahead_LDADD = $(sched_test_libs)

check_PROGRAMS += test/unit/scheduler/test_alike
TESTS += test/unit/scheduler/test_alike
test_unit_scheduler_test_alike_SOURCES = \
	test/unit/scheduler/test_alike.c test/unit/scheduler/scene.h
test_unit_scheduler_test_alike_LDADD = $(sched_test_libs)

check_PROGRAMS += test/unit/scheduler/test_earliest
TESTS += test/unit/scheduler/test_earliest
test_unit_scheduler_test_earliest_SOURCES = \
	test/unit/scheduler/test_earliest.c test/unit/scheduler/scene.h
test_unit_scheduler_test_earliest_LDADD = $(sched_test_libs)

check_PROGRAMS += test/unit/scheduler/test_search
TESTS += test/unit/scheduler/test_search
test_unit_scheduler_test_search_SOURCES = \
	test/unit/scheduler/test_search.c test/unit/scheduler/scene.h
test_unit_scheduler_test_search_LDADD = $(sched_test_libs)

check_PROGRAMS += test/unit/scheduler/test_search_wide
TESTS += test/unit/scheduler/test_search_wide
test_unit_scheduler_test_search_wide_SOURCES = \
	test/unit/scheduler/test_search_wide.c test/unit/scheduler/wide_toy.c \
	test/unit/scheduler/wide_toy.h test/unit/scheduler/scene.h
test_unit_scheduler_test_search_wide_LDADD = $(sched_test_libs)

check_PROGRAMS += test/unit/scheduler/test_updates
TESTS += test/unit/scheduler/test_updates
test_unit_scheduler_test_updates_SOURCES = \
	test/unit/scheduler/test_updates.c src/scheduler/shell/updates.c
test_unit_scheduler_test_updates_LDADD = $(sched_test_libs)
check_PROGRAMS += test/unit/scheduler/test_remarks
TESTS += test/unit/scheduler/test_remarks
test_unit_scheduler_test_remarks_SOURCES = \
	test/unit/scheduler/test_remarks.c test/unit/scheduler/scene.h
test_unit_scheduler_test_remarks_LDADD = $(sched_test_libs)

check_PROGRAMS += test/unit/scheduler/test_link
TESTS += test/unit/scheduler/test_link
test_unit_scheduler_test_link_SOURCES = test/unit/scheduler/test_link.c \
	src/scheduler/shell/link.c src/scheduler/shell/link_open.c \
	src/scheduler/shell/resolver.c src/scheduler/shell/signals.c
test_unit_scheduler_test_link_LDADD = libhfmethod.la libhfio.la libhfconf.la libhfwire.la libhfbase.la -lcunit

check_PROGRAMS += test/unit/scheduler/test_resolver
TESTS += test/unit/scheduler/test_resolver
test_unit_scheduler_test_resolver_SOURCES = test/unit/scheduler/test_resolver.c \
	src/scheduler/shell/resolver.c
test_unit_scheduler_test_resolver_LDADD = libhfbase.la -lcunit

check_PROGRAMS += test/unit/scheduler/test_policy
TESTS += test/unit/scheduler/test_policy
test_unit_scheduler_test_policy_SOURCES = \
	test/unit/scheduler/test_policy.c test/unit/scheduler/scene.h
test_unit_scheduler_test_policy_LDADD = $(sched_test_libs)

check_PROGRAMS += test/unit/scheduler/test_placement_sets
TESTS += test/unit/scheduler/test_placement_sets
test_unit_scheduler_test_placement_sets_SOURCES = \
	test/unit/scheduler/test_placement_sets.c test/unit/scheduler/scene.h
test_unit_scheduler_test_placement_sets_LDADD = $(sched_test_libs)

check_PROGRAMS += test/unit/scheduler/test_level
TESTS += test/unit/scheduler/test_level
test_unit_scheduler_test_level_SOURCES = \
	test/unit/scheduler/test_level.c test/unit/scheduler/scene.h
test_unit_scheduler_test_level_LDADD = $(sched_test_libs)

check_PROGRAMS += test/unit/scheduler/test_preempt_plan
TESTS += test/unit/scheduler/test_preempt_plan
test_unit_scheduler_test_preempt_plan_SOURCES = \
	test/unit/scheduler/test_preempt_plan.c test/unit/scheduler/scene.h
test_unit_scheduler_test_preempt_plan_LDADD = $(sched_test_libs)
