# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += test/sim/sim
TESTS += test/sim/check_hash test/sim/check_scenarios test/sim/check_seeds test/sim/check_more_seeds test/sim/check_last_seeds \
	test/sim/check_sweeps test/sim/check_more_sweeps test/sim/check_last_sweeps test/sim/check_wide_sweeps \
	test/sim/check_two_servers
test_sim_sim_SOURCES = \
	test/sim/action.c test/sim/action_daemons.c \
	test/sim/check_alter.c test/sim/check_alter.h \
	test/sim/check_changes.c \
	test/sim/check_conflict.c test/sim/check_conflict.h \
	test/sim/check_depend.c test/sim/check_depend.h test/sim/check_end.c test/sim/check_whole.c \
	test/sim/check_image.c test/sim/check_image.h \
	test/sim/check_life.c \
	test/sim/check_limits.c test/sim/check_limits.h \
	test/sim/check_sums.c test/sim/check_sums.h \
	test/sim/check_release.c \
	test/sim/check_resv_end.c \
	test/sim/check_retry.c \
	test/sim/check_books.c \
	test/sim/check_promise.c \
	test/sim/conflicts.c \
	test/sim/shares.c test/sim/shares.h \
	test/sim/check_preempt.c test/sim/check_preempt.h \
	test/sim/check_qmove.c test/sim/check_qmove.h \
	test/sim/check_shown.c \
	test/sim/check_start.c \
	test/sim/check_stopped.c test/sim/check_stopped.h \
	test/sim/check_storm.c test/sim/check_storm.h \
	test/sim/check_why.c test/sim/check_why.h \
	test/sim/check_two.c test/sim/check_two.h \
	test/sim/checks.c test/sim/checks.h \
	test/sim/clients.c test/sim/clients.h \
	test/sim/clock.c test/sim/clock.h \
	test/sim/comm.c test/sim/comm.h \
	test/sim/counts.c test/sim/counts.h \
	test/sim/disk.c test/sim/disk.h \
	test/sim/expect.c \
	test/sim/host.c test/sim/host.h \
	test/sim/host_extras.c \
	test/sim/host_images.c \
	test/sim/host_records.c \
	test/sim/host_scripts.c \
	test/sim/host_tasks.c \
	test/sim/ledger.c test/sim/ledger.h \
	test/sim/main.c \
	test/sim/net.c test/sim/net.h \
	test/sim/peers.c test/sim/peers.h \
	test/sim/planner.c test/sim/planner.h \
	test/sim/puller.c test/sim/puller.h \
	test/sim/runs.c test/sim/runs.h \
	test/sim/script.c test/sim/script.h \
	test/sim/shell.c test/sim/shell.h test/sim/shell_parts.h \
	test/sim/shell_commit.c test/sim/shell_errands.c test/sim/shell_leave.c \
	test/sim/sim.c test/sim/sim.h \
	test/sim/story.c test/sim/story.h \
	test/sim/story_busy.c test/sim/story_scripts.c test/sim/story_errs.c test/sim/story_extend.c test/sim/story_faults.c \
	test/sim/story_fit.c test/sim/story_happen.h test/sim/story_hooks.c test/sim/story_hosts.c \
	test/sim/story_jobs.c test/sim/story_preempt.c test/sim/story_push.c \
	test/sim/story_series.c test/sim/story_staff.c test/sim/story_together.c \
	test/sim/story_turns.c test/sim/story_two.c test/sim/story_users.c \
	test/sim/story_tell.h \
	test/sim/sweep.c test/sim/sweep.h \
	test/sim/check_ends.c test/sim/check_ends.h \
	test/sim/check_fate.c test/sim/check_fate.h \
	test/sim/check_dry.c test/sim/check_dry.h \
	test/sim/check_push.c test/sim/check_push.h \
	test/sim/check_occurrence.c test/sim/check_occurrence.h \
	test/sim/together.c test/sim/together.h \
	test/sim/verdicts.c test/sim/verdicts.h \
	test/sim/what_if.c test/sim/what_if.h
test_sim_sim_LDADD = libhfsvrshell.la libhfsvrcore.la libhfmomcore.la libhfrouter.la libhftppcore.la libhfschedcore.la libhfcal.la libhfattr.la \
	libhfstore.la libhfwire.la libhfbase.la $(SQLITE_LIBS) $(PQ_LIBS) $(ZLIB_LIBS) -lm

EXTRA_DIST += test/sim/check_hash test/sim/check_scenarios test/sim/check_seeds test/sim/check_more_seeds test/sim/check_last_seeds \
	test/sim/check_sweeps test/sim/check_more_sweeps test/sim/check_last_sweeps test/sim/check_wide_sweeps \
	test/sim/check_two_servers test/sim/scenarios test/sim/sweeps test/sim/two
