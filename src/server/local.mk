# SPDX-License-Identifier: Apache-2.0
# The core only: the daemon around it is in src/server/shell.
EXTRA_DIST += src/server/README.md src/server/moms/README.md
noinst_LTLIBRARIES += libhfsvrcore.la
libhfsvrcore_la_SOURCES = \
	src/server/decide/array_run.c src/server/decide/array_run.h \
	src/server/decide/act.c src/server/decide/act.h \
	src/server/decide/accrual.c src/server/decide/accrual.h \
	src/server/decide/job_letter.c src/server/decide/job_letter.h \
	src/server/rules/accrual_rule.c \
	src/server/decide/denials.c src/server/decide/denials.h \
	src/server/decide/job_pending.c src/server/decide/job_pending.h \
	src/server/decide/dry_moved.c src/server/decide/dry_moved.h \
	src/server/decide/dry_resv.c src/server/decide/dry_resv.h \
	src/server/decide/dry_run.c src/server/decide/dry_run.h \
	src/server/decide/dry_verdict.c src/server/decide/dry_verdict.h \
	src/server/engine/dry_runs.c \
	src/server/requests/resv_dry.c src/server/requests/resv_dry.h \
	src/server/decide/route.c src/server/decide/route.h \
	src/server/decide/depend_remote.c src/server/decide/depend_remote.h \
	src/server/decide/route_away.c src/server/decide/route_away.h \
	src/server/rules/job_track_rule.c src/server/rules/verify_rule.c src/server/rules/waiters_rule.c src/server/rules/route_pass.c src/server/rules/route_rules.c \
	src/server/rules/route_try.h \
	src/server/engine/acts.c src/server/engine/acts.h \
	src/server/engine/waiting.c src/server/engine/waiting.h \
	src/server/engine/listing.c src/server/engine/listing.h \
	src/server/engine/shown.c src/server/engine/shown.h \
	src/server/decide/same_user.c src/server/decide/same_user.h \
	src/server/decide/sched_link.c src/server/decide/sched_link.h \
	src/server/engine/inquiries.c src/server/engine/inquiries.h \
	src/server/engine/carry_on.c \
	src/server/engine/parked.c src/server/engine/parked.h \
	src/server/decide/need.c src/server/decide/need.h \
	src/server/decide/kept_request.c src/server/decide/kept_request.h \
	src/server/decide/next_number.c src/server/decide/next_number.h \
	src/server/decide/know.c src/server/decide/know.h \
	src/server/decide/verdict.c src/server/decide/verdict.h \
	src/server/decide/host_book.c src/server/decide/host_book.h \
	src/server/engine/learn.c \
	src/server/engine/settle.c src/server/engine/settled.c \
	src/server/engine/svr_start.c \
	src/server/engine/stop.c src/server/engine/stop.h \
	src/server/engine/svr.c src/server/engine/svr.h src/server/engine/svr_priv.h \
	src/server/engine/svr_request.c \
	src/server/engine/svr_listing.c \
	src/server/engine/svr_sched.c \
	src/server/engine/take_up.c src/server/engine/touch.c \
	src/server/engine/turns.c src/server/engine/turns.h \
	src/server/engine/watch.c src/server/engine/watch.h \
	src/server/model/changes.c src/server/model/changes.h \
	src/server/model/edges.c src/server/model/edges.h \
	src/server/model/fact.c \
	src/server/model/hot_start.h \
	src/server/model/hook_event.c src/server/model/hook_event.h \
	src/server/model/array_ends.c src/server/model/array_ends.h \
	src/server/model/job_array.c src/server/model/job_array.h \
	src/server/model/job_checkpoint.c src/server/model/job_checkpoint.h \
	src/server/model/job_exit.c src/server/model/job_exit.h \
	src/server/model/job_hosts.c src/server/model/job_hosts.h \
	src/server/model/job_order.c src/server/model/job_order.h \
	src/server/model/job_phase.c src/server/model/job_phase.h \
	src/server/model/job_walk.c src/server/model/job_walk.h \
	src/server/model/job_suspend.c src/server/model/job_suspend.h \
	src/server/model/depend.c src/server/model/depend.h \
	src/server/model/link_depend.c \
	src/server/model/waiters.c src/server/model/waiters.h \
	src/server/model/history.c src/server/model/history.h \
	src/server/model/job_state.c src/server/model/job_state.h \
	src/server/model/job_tally.c src/server/model/job_tally.h \
	src/server/model/kind.c \
	src/server/model/bookings.c src/server/model/pointers.c src/server/model/sums.c \
	src/server/model/link_hot.c src/server/model/link_job.c src/server/model/link_node.c \
	src/server/model/link_priv.h src/server/model/link_queue.c \
	src/server/model/link_occurrence.c src/server/model/link_tasks.c \
	src/server/model/link_references.c src/server/model/link_resv.c \
	src/server/model/links.c \
	src/server/model/route_wait.c src/server/model/route_wait.h \
	src/server/model/load_check.c src/server/model/load_check.h \
	src/server/model/model.c src/server/model/model.h \
	src/server/model/node_life.c src/server/model/node_life.h \
	src/server/model/object.c src/server/model/obj_attrs.c src/server/model/obj_attrs.h \
	src/server/model/occurrence_times.c src/server/model/occurrence_times.h \
	src/server/model/occurrence.c src/server/model/occurrence.h \
	src/server/model/model_priv.h \
	src/server/model/reads.c src/server/model/reads.h \
	src/server/model/record.c src/server/model/record.h \
	src/server/model/resource_request.c src/server/model/resource_request.h \
	src/server/model/indirect.c src/server/model/indirect.h \
	src/server/model/resv_claims.c src/server/model/resv_claims.h \
	src/server/model/claims_over.c src/server/model/claims_over.h \
	src/server/model/resv_fit.c src/server/model/resv_fit.h \
	src/server/model/resv_oversub.c src/server/model/resv_oversub.h \
	src/server/model/resv_state.c src/server/model/resv_state.h \
	src/server/model/resv_time.c src/server/model/resv_time.h \
	src/server/model/stored_text.c src/server/model/stored_text.h \
	src/server/model/same.c \
	src/server/moms/command.c \
	src/server/moms/hello.c \
	src/server/moms/hello_reply.c \
	src/server/moms/jobs.c src/server/moms/run_hosts.c \
	src/server/moms/link.c src/server/moms/mom_actions.c \
	src/server/moms/moms.c src/server/moms/moms.h \
	src/server/moms/moms_priv.h \
	src/server/moms/command_reply.c src/server/moms/forward.c \
	src/server/moms/register.c \
	src/server/moms/checkpointing.c \
	src/server/moms/release.c src/server/moms/standing.c src/server/moms/stopping.c \
	src/server/moms/report.c \
	src/server/moms/moms_table.c \
	src/server/moms/tidings.c src/server/moms/tidings.h \
	src/server/moms/vnode_names.c \
	src/server/moms/vnode_report.h \
	src/server/moms/vnode_resources.c \
	src/server/moms/vnode_state.c \
	src/server/moms/vnodes.c \
	src/server/decide/effect.c src/server/decide/effect.h \
	src/server/react/job_account.c \
	src/server/react/job_call.c \
	src/server/react/job_log.c \
	src/server/react/job_react.h \
	src/server/react/job_wake.c \
	src/server/react/manager_react.c \
	src/server/react/node_react.c \
	src/server/react/react.h src/server/react/reactions.h \
	src/server/react/resv_account.c \
	src/server/react/resv_log.c \
	src/server/react/job_mail.c \
	src/server/react/resv_mail.c \
	src/server/react/resv_queue_log.c \
	src/server/react/resv_react.c src/server/react/resv_react.h \
	src/server/react/resv_reply.c src/server/react/resv_reply.h \
	src/server/react/resv_wake.c \
	src/server/react/react_table.c \
	src/server/decide/config.h \
	src/server/decide/object_size.c src/server/decide/object_size.h \
	src/server/decide/edit.c src/server/decide/edit.h \
	src/server/requests/handlers.h \
	src/server/requests/hook_edit.c src/server/requests/hook_edit.h \
	src/server/requests/hook_show.c \
	src/server/decide/hot_put_back.c src/server/decide/hot_put_back.h \
	src/server/requests/array_delete.c src/server/requests/array_delete.h \
	src/server/requests/array_submit.c src/server/requests/array_submit.h \
	src/server/requests/job_access.c src/server/requests/job_access.h \
	src/server/requests/job_named.c src/server/requests/job_named.h \
	src/server/requests/job_admit.c src/server/requests/job_admit.h \
	src/server/requests/job_delete.c \
	src/server/decide/job_over.c src/server/decide/job_over.h \
	src/server/decide/job_transfer.c src/server/decide/job_transfer.h \
	src/server/decide/said_id.c src/server/decide/said_id.h \
	src/server/decide/job_comment.c src/server/decide/job_comment.h \
	src/server/decide/job_end.c src/server/decide/job_end.h \
	src/server/decide/job_of_end.c src/server/decide/job_of_end.h \
	src/server/decide/job_prune.c src/server/decide/job_prune.h \
	src/server/decide/job_release.c src/server/decide/job_release.h \
	src/server/requests/job_hold.c \
	src/server/requests/job_move.c src/server/requests/job_move.h \
	src/server/requests/job_move_away.c src/server/requests/job_move_away.h \
	src/server/requests/job_register_dep.c src/server/requests/job_track.c \
	src/server/requests/job_arrive.c src/server/requests/job_arrive.h \
	src/server/requests/job_exchange.c \
	src/server/requests/job_paths.c src/server/requests/job_paths.h \
	src/server/decide/job_limits.c src/server/decide/job_limits.h \
	src/server/requests/job_locate.c \
	src/server/requests/job_modify.c \
	src/server/requests/job_altered.c src/server/requests/job_altered.h \
	src/server/requests/job_queue.c \
	src/server/requests/job_commit.c \
	src/server/requests/job_settle.c src/server/requests/job_settle.h \
	src/server/requests/submission.c src/server/requests/submission.h \
	src/server/requests/job_release_nodes.c \
	src/server/requests/job_preempt.c \
	src/server/requests/job_rerun.c src/server/requests/job_rerun.h \
	src/server/requests/job_run.c \
	src/server/requests/job_select.c src/server/requests/job_select.h \
	src/server/requests/array_walk.c src/server/requests/array_walk.h \
	src/server/requests/job_stop.c src/server/requests/job_stop.h \
	src/server/requests/job_signal.c \
	src/server/decide/depend_admit.c src/server/decide/depend_admit.h \
	src/server/decide/depend_chain.c src/server/decide/depend_chain.h \
	src/server/decide/depend_search.c src/server/decide/depend_search.h \
	src/server/decide/resv_shrink.c src/server/decide/resv_shrink.h \
	src/server/decide/resv_extend.c src/server/decide/resv_extend.h \
	src/server/decide/resv_on_end.c src/server/decide/resv_on_end.h \
	src/server/decide/job_defaults.c src/server/decide/job_defaults.h \
	src/server/decide/job_leave.c src/server/decide/job_leave.h \
	src/server/decide/queue_door.c src/server/decide/queue_door.h \
	src/server/decide/job_start.c src/server/decide/job_start.h \
	src/server/decide/run_limits.c src/server/decide/run_limits.h \
	src/server/decide/checkpoint.c src/server/decide/checkpoint.h \
	src/server/decide/suspension.c src/server/decide/suspension.h \
	src/server/decide/run_vnodes.c src/server/decide/run_vnodes.h \
	src/server/requests/manager.c src/server/requests/manager.h \
	src/server/requests/manager_each.c src/server/requests/manager_each.h \
	src/server/requests/manager_hook.c \
	src/server/requests/manager_limits.c \
	src/server/requests/manager_node.c \
	src/server/requests/manager_queue.c \
	src/server/requests/manager_resource.c \
	src/server/requests/manager_sched.c \
	src/server/requests/manager_server.c \
	src/server/requests/node_indirect.c src/server/requests/node_indirect.h \
	src/server/decide/node_used.c src/server/decide/node_used.h \
	src/server/requests/not_served.c \
	src/server/requests/preempt_method.c src/server/requests/preempt_method.h \
	src/server/decide/facts.c src/server/decide/facts.h \
	src/server/decide/request.c src/server/decide/request.h \
	src/server/requests/occurrence_status.c \
	src/server/requests/resv_access.c src/server/requests/resv_access.h \
	src/server/decide/resv_turn.c src/server/decide/resv_turn.h \
	src/server/decide/resv_user.c src/server/decide/resv_user.h \
	src/server/requests/resv_confirm.c \
	src/server/requests/resv_delete.c \
	src/server/decide/resource_limits.c src/server/decide/resource_limits.h \
	src/server/decide/resv_from_job.c src/server/decide/resv_from_job.h \
	src/server/decide/resv_qmove.c src/server/decide/resv_qmove.h \
	src/server/requests/resv_modify.c \
	src/server/decide/edit_text.c src/server/decide/edit_text.h \
	src/server/decide/resv_proposal.c src/server/decide/resv_proposal.h \
	src/server/decide/proposal_grant.c src/server/decide/proposal_priv.h \
	src/server/decide/proposal_order.c \
	src/server/decide/resv_queue.c src/server/decide/resv_queue.h \
	src/server/decide/question_alter.c \
	src/server/decide/question_confirm.c \
	src/server/decide/question_series.c src/server/decide/question_series.h \
	src/server/decide/question_kind.c src/server/decide/question_kind.h \
	src/server/decide/counter_offer.c src/server/decide/counter_offer.h \
	src/server/decide/resv_answer.c src/server/decide/resv_answer.h \
	src/server/decide/resv_conflict.c src/server/decide/resv_conflict.h \
	src/server/decide/resv_question.c src/server/decide/resv_question.h \
	src/server/decide/resv_record.c src/server/decide/resv_record.h \
	src/server/requests/resv_show.c \
	src/server/decide/resv_series.c src/server/decide/resv_series.h \
	src/server/decide/resv_submit.c src/server/decide/resv_submit.h \
	src/server/requests/sched_requests.c \
	src/server/requests/server_acl.c src/server/requests/server_acl.h \
	src/server/requests/show.c src/server/requests/show.h \
	src/server/requests/server_show.c \
	src/server/requests/node_show.c \
	src/server/requests/job_show.c \
	src/server/requests/shutdown.c \
	src/server/requests/status.c \
	src/server/requests/request_table.c \
	src/server/requests/resv_act.c \
	src/server/requests/resv_answers.c \
	src/server/requests/resv_offer.c \
	src/server/requests/resv_why.c \
	src/server/requests/walk.c src/server/requests/walk.h \
	src/server/requests/walk_changes.c \
	src/server/requests/walk_subjobs.c \
	src/server/rules/array_rules.c \
	src/server/rules/history_rule.c \
	src/server/rules/hot_rules.c \
	src/server/rules/job_resv_end.c \
	src/server/rules/depend_rule.c \
	src/server/rules/job_transfer_rule.c \
	src/server/rules/job_rules.c \
	src/server/rules/node_rules.c \
	src/server/rules/resv_ask.c \
	src/server/rules/resv_end.c \
	src/server/rules/job_to_resv.c \
	src/server/rules/resv_more_time.c \
	src/server/rules/resv_health.c \
	src/server/rules/resv_retry.c \
	src/server/rules/resv_start.c \
	src/server/rules/rule.h src/server/rules/rules.h \
	src/server/rules/rule_table.c

# Engine and model.
check_PROGRAMS += test/unit/server/test_model test/unit/server/test_svr \
	test/unit/server/test_watch
TESTS += test/unit/server/test_model test/unit/server/test_svr \
	test/unit/server/test_watch
check_PROGRAMS += test/unit/server/test_manager
TESTS += test/unit/server/test_manager
test_unit_server_test_manager_SOURCES = test/unit/server/test_manager.c $(svr_harness)
test_unit_server_test_manager_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_manager_LDADD = $(svr_test_libs)
check_PROGRAMS += test/unit/server/test_manager_each
TESTS += test/unit/server/test_manager_each
test_unit_server_test_manager_each_SOURCES = test/unit/server/test_manager_each.c $(svr_harness)
test_unit_server_test_manager_each_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_manager_each_LDADD = $(svr_test_libs)
check_PROGRAMS += test/unit/server/test_hooks
TESTS += test/unit/server/test_hooks
test_unit_server_test_hooks_SOURCES = test/unit/server/test_hooks.c $(svr_harness)
test_unit_server_test_hooks_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_hooks_LDADD = $(svr_test_libs)
check_PROGRAMS += test/unit/server/test_turns
TESTS += test/unit/server/test_turns
test_unit_server_test_turns_SOURCES = test/unit/server/test_turns.c
test_unit_server_test_turns_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_turns_LDADD = $(svr_test_libs)
test_unit_server_test_watch_SOURCES = test/unit/server/test_watch.c
test_unit_server_test_watch_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_watch_LDADD = $(svr_test_libs)
svr_harness = test/unit/server/harness.c test/unit/server/harness.h
svr_test_libs = libhfsvrcore.la libhfcal.la libhfattr.la libhfwire.la libhfbase.la -lcunit -lm
test_unit_server_test_model_SOURCES = test/unit/server/test_model.c test/unit/server/one_record.h
test_unit_server_test_model_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_model_LDADD = $(svr_test_libs)
check_PROGRAMS += test/unit/server/test_job_order
TESTS += test/unit/server/test_job_order
test_unit_server_test_job_order_SOURCES = test/unit/server/test_job_order.c test/unit/server/one_record.h
test_unit_server_test_job_order_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_job_order_LDADD = $(svr_test_libs)
check_PROGRAMS += test/unit/server/test_occurrences
TESTS += test/unit/server/test_occurrences
test_unit_server_test_occurrences_SOURCES = test/unit/server/test_occurrences.c test/unit/server/one_record.h
test_unit_server_test_occurrences_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_occurrences_LDADD = $(svr_test_libs)
test_unit_server_test_svr_SOURCES = test/unit/server/test_svr.c $(svr_harness)
test_unit_server_test_svr_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_svr_LDADD = $(svr_test_libs)
check_PROGRAMS += test/unit/server/test_listing
TESTS += test/unit/server/test_listing
test_unit_server_test_listing_SOURCES = test/unit/server/test_listing.c $(FAKE_MOM)
test_unit_server_test_listing_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_listing_LDADD = $(FAKE_MOM_LIBS)

# Jobs, with a MoM that the test plays.
check_PROGRAMS += test/unit/server/test_job_life test/unit/server/test_stage_in test/unit/server/test_mom_link \
	test/unit/server/test_mom_slices \
	test/unit/server/test_job_submit test/unit/server/test_job_model \
	test/unit/server/test_said_id \
	test/unit/server/test_next_number \
	test/unit/server/test_catalogue test/unit/server/test_indirect \
	test/unit/server/test_settings \
	test/unit/server/test_array_life test/unit/server/test_job_release \
	test/unit/server/test_job_mail test/unit/server/test_job_stop \
	test/unit/server/test_job_stands \
	test/unit/server/test_accrual
TESTS += test/unit/server/test_job_life test/unit/server/test_stage_in test/unit/server/test_mom_link \
	test/unit/server/test_mom_slices \
	test/unit/server/test_job_submit test/unit/server/test_job_model \
	test/unit/server/test_said_id \
	test/unit/server/test_next_number \
	test/unit/server/test_catalogue test/unit/server/test_indirect \
	test/unit/server/test_settings \
	test/unit/server/test_array_life test/unit/server/test_job_release \
	test/unit/server/test_job_mail test/unit/server/test_job_stop \
	test/unit/server/test_job_stands \
	test/unit/server/test_accrual
FAKE_MOM = test/unit/server/fake_mom.c test/unit/server/fake_mom.h \
	test/unit/server/harness.c test/unit/server/harness.h
FAKE_MOM_LIBS = libhfsvrcore.la libhfcal.la libhfattr.la libhfwire.la libhfbase.la -lcunit -lm
test_unit_server_test_mom_slices_SOURCES = test/unit/server/test_mom_slices.c $(FAKE_MOM)
test_unit_server_test_mom_slices_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_mom_slices_LDADD = $(FAKE_MOM_LIBS)
test_unit_server_test_stage_in_SOURCES = test/unit/server/test_stage_in.c $(FAKE_MOM)
test_unit_server_test_stage_in_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_stage_in_LDADD = $(FAKE_MOM_LIBS)
test_unit_server_test_job_life_SOURCES = test/unit/server/test_job_life.c $(FAKE_MOM)
test_unit_server_test_job_life_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_job_life_LDADD = $(FAKE_MOM_LIBS)
test_unit_server_test_job_release_SOURCES = test/unit/server/test_job_release.c $(FAKE_MOM)
test_unit_server_test_job_release_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_job_release_LDADD = $(FAKE_MOM_LIBS)
test_unit_server_test_job_stop_SOURCES = test/unit/server/test_job_stop.c $(FAKE_MOM)
test_unit_server_test_job_stop_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_job_stop_LDADD = $(FAKE_MOM_LIBS)
test_unit_server_test_job_stands_SOURCES = test/unit/server/test_job_stands.c $(FAKE_MOM)
test_unit_server_test_job_stands_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_job_stands_LDADD = $(FAKE_MOM_LIBS)
test_unit_server_test_array_life_SOURCES = test/unit/server/test_array_life.c $(FAKE_MOM)
test_unit_server_test_array_life_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_array_life_LDADD = $(FAKE_MOM_LIBS)
test_unit_server_test_accrual_SOURCES = test/unit/server/test_accrual.c $(FAKE_MOM)
test_unit_server_test_accrual_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_accrual_LDADD = $(FAKE_MOM_LIBS)
test_unit_server_test_job_mail_SOURCES = test/unit/server/test_job_mail.c $(FAKE_MOM)
test_unit_server_test_job_mail_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_job_mail_LDADD = $(FAKE_MOM_LIBS)
test_unit_server_test_settings_SOURCES = test/unit/server/test_settings.c $(FAKE_MOM)
test_unit_server_test_settings_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_settings_LDADD = $(FAKE_MOM_LIBS)
test_unit_server_test_catalogue_SOURCES = test/unit/server/test_catalogue.c $(FAKE_MOM)
test_unit_server_test_catalogue_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_catalogue_LDADD = $(FAKE_MOM_LIBS)
test_unit_server_test_indirect_SOURCES = test/unit/server/test_indirect.c $(FAKE_MOM)
test_unit_server_test_indirect_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_indirect_LDADD = $(FAKE_MOM_LIBS)
test_unit_server_test_next_number_SOURCES = test/unit/server/test_next_number.c \
	test/unit/server/one_record.h $(FAKE_MOM)
test_unit_server_test_next_number_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_next_number_LDADD = $(FAKE_MOM_LIBS)
test_unit_server_test_said_id_SOURCES = test/unit/server/test_said_id.c $(FAKE_MOM)
test_unit_server_test_said_id_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_said_id_LDADD = $(FAKE_MOM_LIBS)
test_unit_server_test_job_submit_SOURCES = test/unit/server/test_job_submit.c $(FAKE_MOM)
test_unit_server_test_job_submit_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_job_submit_LDADD = $(FAKE_MOM_LIBS)
test_unit_server_test_job_model_SOURCES = test/unit/server/test_job_model.c $(FAKE_MOM)
test_unit_server_test_job_model_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_job_model_LDADD = $(FAKE_MOM_LIBS)
test_unit_server_test_mom_link_SOURCES = test/unit/server/test_mom_link.c $(FAKE_MOM)
test_unit_server_test_mom_link_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_mom_link_LDADD = $(FAKE_MOM_LIBS)

check_PROGRAMS += test/unit/server/test_acts
TESTS += test/unit/server/test_acts
test_unit_server_test_acts_SOURCES = test/unit/server/test_acts.c $(FAKE_MOM)
test_unit_server_test_acts_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_acts_LDADD = $(FAKE_MOM_LIBS)
check_PROGRAMS += test/unit/server/test_sched_link
TESTS += test/unit/server/test_sched_link
test_unit_server_test_sched_link_SOURCES = test/unit/server/test_sched_link.c $(FAKE_MOM)
test_unit_server_test_sched_link_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_sched_link_LDADD = $(FAKE_MOM_LIBS)
check_PROGRAMS += test/unit/server/test_parked
TESTS += test/unit/server/test_parked
test_unit_server_test_parked_SOURCES = test/unit/server/test_parked.c $(FAKE_MOM)
test_unit_server_test_parked_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_parked_LDADD = $(FAKE_MOM_LIBS)
check_PROGRAMS += test/unit/server/test_know
TESTS += test/unit/server/test_know
test_unit_server_test_know_SOURCES = test/unit/server/test_know.c $(FAKE_MOM)
test_unit_server_test_know_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_know_LDADD = $(FAKE_MOM_LIBS)
check_PROGRAMS += test/unit/server/test_host_book
TESTS += test/unit/server/test_host_book
test_unit_server_test_host_book_SOURCES = test/unit/server/test_host_book.c $(FAKE_MOM)
test_unit_server_test_host_book_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_host_book_LDADD = $(FAKE_MOM_LIBS)
check_PROGRAMS += test/unit/server/test_verdict
TESTS += test/unit/server/test_verdict
test_unit_server_test_verdict_SOURCES = test/unit/server/test_verdict.c $(FAKE_MOM)
test_unit_server_test_verdict_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_verdict_LDADD = $(FAKE_MOM_LIBS)
check_PROGRAMS += test/unit/server/test_between
TESTS += test/unit/server/test_between
PAIR = test/unit/server/pair.c test/unit/server/pair.h $(FAKE_MOM)
test_unit_server_test_between_SOURCES = test/unit/server/test_between.c $(PAIR)
test_unit_server_test_between_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_between_LDADD = $(FAKE_MOM_LIBS)
check_PROGRAMS += test/unit/server/test_depend_remote
TESTS += test/unit/server/test_depend_remote
TWO = test/unit/server/two.c test/unit/server/two.h $(PAIR)
test_unit_server_test_depend_remote_SOURCES = test/unit/server/test_depend_remote.c $(TWO)
test_unit_server_test_depend_remote_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_depend_remote_LDADD = $(FAKE_MOM_LIBS)
check_PROGRAMS += test/unit/server/test_depend_tell
TESTS += test/unit/server/test_depend_tell
test_unit_server_test_depend_tell_SOURCES = test/unit/server/test_depend_tell.c $(TWO)
test_unit_server_test_depend_tell_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_depend_tell_LDADD = $(FAKE_MOM_LIBS)
check_PROGRAMS += test/unit/server/test_depend_verify
TESTS += test/unit/server/test_depend_verify
test_unit_server_test_depend_verify_SOURCES = test/unit/server/test_depend_verify.c $(TWO)
test_unit_server_test_depend_verify_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_depend_verify_LDADD = $(FAKE_MOM_LIBS)
check_PROGRAMS += test/unit/server/test_depend_before
TESTS += test/unit/server/test_depend_before
test_unit_server_test_depend_before_SOURCES = test/unit/server/test_depend_before.c $(TWO)
test_unit_server_test_depend_before_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_depend_before_LDADD = $(FAKE_MOM_LIBS)
check_PROGRAMS += test/unit/server/test_depend_circle
TESTS += test/unit/server/test_depend_circle
test_unit_server_test_depend_circle_SOURCES = test/unit/server/test_depend_circle.c $(TWO)
test_unit_server_test_depend_circle_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_depend_circle_LDADD = $(FAKE_MOM_LIBS)
check_PROGRAMS += test/unit/server/test_route_away
TESTS += test/unit/server/test_route_away
test_unit_server_test_route_away_SOURCES = test/unit/server/test_route_away.c $(PAIR)
test_unit_server_test_route_away_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_route_away_LDADD = $(FAKE_MOM_LIBS)
check_PROGRAMS += test/unit/server/test_rule_waits
TESTS += test/unit/server/test_rule_waits
test_unit_server_test_rule_waits_SOURCES = test/unit/server/test_rule_waits.c $(FAKE_MOM)
test_unit_server_test_rule_waits_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_rule_waits_LDADD = $(FAKE_MOM_LIBS)
check_PROGRAMS += test/unit/server/test_bounds
TESTS += test/unit/server/test_bounds
test_unit_server_test_bounds_SOURCES = test/unit/server/test_bounds.c $(FAKE_MOM)
test_unit_server_test_bounds_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_bounds_LDADD = $(FAKE_MOM_LIBS)

check_PROGRAMS += test/unit/server/test_object_size
TESTS += test/unit/server/test_object_size
test_unit_server_test_object_size_SOURCES = test/unit/server/test_object_size.c $(FAKE_MOM)
test_unit_server_test_object_size_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_object_size_LDADD = $(FAKE_MOM_LIBS)

# Limits of users, groups and projects.
check_PROGRAMS += test/unit/server/test_route
TESTS += test/unit/server/test_route
test_unit_server_test_route_SOURCES = test/unit/server/test_route.c $(FAKE_MOM)
test_unit_server_test_route_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_route_LDADD = $(FAKE_MOM_LIBS)

check_PROGRAMS += test/unit/server/test_same_user
TESTS += test/unit/server/test_same_user
test_unit_server_test_same_user_SOURCES = test/unit/server/test_same_user.c $(FAKE_MOM)
test_unit_server_test_same_user_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_same_user_LDADD = $(FAKE_MOM_LIBS)
check_PROGRAMS += test/unit/server/test_job_move
TESTS += test/unit/server/test_job_move
test_unit_server_test_job_move_SOURCES = test/unit/server/test_job_move.c $(FAKE_MOM)
test_unit_server_test_job_move_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_job_move_LDADD = $(FAKE_MOM_LIBS)
check_PROGRAMS += test/unit/server/test_job_limits
TESTS += test/unit/server/test_job_limits
test_unit_server_test_job_limits_SOURCES = test/unit/server/test_job_limits.c $(FAKE_MOM)
test_unit_server_test_job_limits_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_job_limits_LDADD = $(FAKE_MOM_LIBS)
check_PROGRAMS += test/unit/server/test_wakes
TESTS += test/unit/server/test_wakes
test_unit_server_test_wakes_SOURCES = test/unit/server/test_wakes.c $(FAKE_MOM)
test_unit_server_test_wakes_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_wakes_LDADD = $(FAKE_MOM_LIBS)
check_PROGRAMS += test/unit/server/test_run_limits
TESTS += test/unit/server/test_run_limits
test_unit_server_test_run_limits_SOURCES = test/unit/server/test_run_limits.c $(FAKE_MOM)
test_unit_server_test_run_limits_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_run_limits_LDADD = $(FAKE_MOM_LIBS)

# The end of the server.
check_PROGRAMS += test/unit/server/test_hot_start
TESTS += test/unit/server/test_hot_start
test_unit_server_test_hot_start_SOURCES = test/unit/server/test_hot_start.c $(FAKE_MOM)
test_unit_server_test_hot_start_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_hot_start_LDADD = $(FAKE_MOM_LIBS)
check_PROGRAMS += test/unit/server/test_checkpoint
TESTS += test/unit/server/test_checkpoint
test_unit_server_test_checkpoint_SOURCES = test/unit/server/test_checkpoint.c $(FAKE_MOM)
test_unit_server_test_checkpoint_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_checkpoint_LDADD = $(FAKE_MOM_LIBS)
check_PROGRAMS += test/unit/server/test_shutdown
TESTS += test/unit/server/test_shutdown
test_unit_server_test_shutdown_SOURCES = test/unit/server/test_shutdown.c $(FAKE_MOM)
test_unit_server_test_shutdown_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_shutdown_LDADD = $(FAKE_MOM_LIBS)

# Reservations: tables, and the whole core in a small world.
check_PROGRAMS += test/unit/server/test_depend
TESTS += test/unit/server/test_depend
test_unit_server_test_depend_SOURCES = test/unit/server/test_depend.c $(FAKE_MOM)
test_unit_server_test_depend_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_depend_LDADD = $(FAKE_MOM_LIBS)
check_PROGRAMS += test/unit/server/test_history
TESTS += test/unit/server/test_history
test_unit_server_test_history_SOURCES = test/unit/server/test_history.c $(FAKE_MOM)
test_unit_server_test_history_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_history_LDADD = $(FAKE_MOM_LIBS)
check_PROGRAMS += test/unit/server/test_job_phase
TESTS += test/unit/server/test_job_phase
test_unit_server_test_job_phase_SOURCES = test/unit/server/test_job_phase.c
test_unit_server_test_job_phase_LDADD = $(RESV_TEST_LIBS)
check_PROGRAMS += test/unit/server/test_obj_attrs
TESTS += test/unit/server/test_obj_attrs
test_unit_server_test_obj_attrs_SOURCES = test/unit/server/test_obj_attrs.c
test_unit_server_test_obj_attrs_LDADD = $(RESV_TEST_LIBS)
check_PROGRAMS += test/unit/server/test_resv_state test/unit/server/test_resv_time \
	test/unit/server/test_resv_submit test/unit/server/test_resv_confirm \
	test/unit/server/test_resv_question test/unit/server/test_resv_together \
	test/unit/server/test_resv_life test/unit/server/test_resv_health \
	test/unit/server/test_resv_from_job test/unit/server/test_resv_alter \
	test/unit/server/test_resv_told test/unit/server/test_facts test/unit/server/test_waits \
	test/unit/server/test_put_off test/unit/server/test_edges \
	test/unit/server/test_changes test/unit/server/test_denials \
	test/unit/server/test_extensions \
	test/unit/server/test_resv_qmove \
	test/unit/server/test_status_changes
TESTS += test/unit/server/test_resv_state test/unit/server/test_resv_time \
	test/unit/server/test_resv_submit test/unit/server/test_resv_confirm \
	test/unit/server/test_resv_question test/unit/server/test_resv_together \
	test/unit/server/test_resv_life test/unit/server/test_resv_health \
	test/unit/server/test_resv_from_job test/unit/server/test_resv_alter \
	test/unit/server/test_resv_told test/unit/server/test_facts test/unit/server/test_waits \
	test/unit/server/test_put_off test/unit/server/test_edges \
	test/unit/server/test_changes test/unit/server/test_denials \
	test/unit/server/test_extensions \
	test/unit/server/test_resv_qmove \
	test/unit/server/test_status_changes
RESV_TEST_LIBS = libhfsvrcore.la libhfcal.la libhfattr.la libhfwire.la libhfbase.la -lcunit -lm
RESV_WORLD = test/unit/server/resv_world.c test/unit/server/resv_world.h
DRY_WORLD = test/unit/server/dry_world.c test/unit/server/dry_world.h $(RESV_WORLD)
test_unit_server_test_resv_state_SOURCES = test/unit/server/test_resv_state.c
test_unit_server_test_resv_state_LDADD = $(RESV_TEST_LIBS)
test_unit_server_test_resv_time_SOURCES = test/unit/server/test_resv_time.c
test_unit_server_test_resv_time_LDADD = $(RESV_TEST_LIBS)
test_unit_server_test_resv_submit_SOURCES = test/unit/server/test_resv_submit.c $(RESV_WORLD)
test_unit_server_test_resv_submit_LDADD = $(RESV_TEST_LIBS)
test_unit_server_test_resv_confirm_SOURCES = test/unit/server/test_resv_confirm.c $(RESV_WORLD)
test_unit_server_test_resv_confirm_LDADD = $(RESV_TEST_LIBS)
test_unit_server_test_resv_together_SOURCES = test/unit/server/test_resv_together.c $(RESV_WORLD)
test_unit_server_test_resv_together_LDADD = $(RESV_TEST_LIBS)
test_unit_server_test_resv_question_SOURCES = test/unit/server/test_resv_question.c $(RESV_WORLD)
test_unit_server_test_resv_question_LDADD = $(RESV_TEST_LIBS)
test_unit_server_test_resv_life_SOURCES = test/unit/server/test_resv_life.c $(RESV_WORLD)
test_unit_server_test_resv_life_LDADD = $(RESV_TEST_LIBS)
check_PROGRAMS += test/unit/server/test_occurrence_index
TESTS += test/unit/server/test_occurrence_index
test_unit_server_test_occurrence_index_SOURCES = test/unit/server/test_occurrence_index.c $(RESV_WORLD)
test_unit_server_test_occurrence_index_LDADD = $(RESV_TEST_LIBS)
check_PROGRAMS += test/unit/server/test_resv_standing
TESTS += test/unit/server/test_resv_standing
test_unit_server_test_resv_standing_SOURCES = test/unit/server/test_resv_standing.c $(RESV_WORLD)
test_unit_server_test_resv_standing_LDADD = $(RESV_TEST_LIBS)
check_PROGRAMS += test/unit/server/test_resv_dry
TESTS += test/unit/server/test_resv_dry
test_unit_server_test_resv_dry_SOURCES = test/unit/server/test_resv_dry.c $(DRY_WORLD)
test_unit_server_test_resv_dry_LDADD = $(RESV_TEST_LIBS)
check_PROGRAMS += test/unit/server/test_dry_occurrence
TESTS += test/unit/server/test_dry_occurrence
test_unit_server_test_dry_occurrence_SOURCES = test/unit/server/test_dry_occurrence.c $(DRY_WORLD)
test_unit_server_test_dry_occurrence_LDADD = $(RESV_TEST_LIBS)
check_PROGRAMS += test/unit/server/test_dry_push
TESTS += test/unit/server/test_dry_push
test_unit_server_test_dry_push_SOURCES = test/unit/server/test_dry_push.c $(DRY_WORLD)
test_unit_server_test_dry_push_LDADD = $(RESV_TEST_LIBS)
check_PROGRAMS += test/unit/server/test_resv_new_series
TESTS += test/unit/server/test_resv_new_series
test_unit_server_test_resv_new_series_SOURCES = test/unit/server/test_resv_new_series.c $(RESV_WORLD)
test_unit_server_test_resv_new_series_LDADD = $(RESV_TEST_LIBS)
check_PROGRAMS += test/unit/server/test_resv_answers
TESTS += test/unit/server/test_resv_answers
test_unit_server_test_resv_answers_SOURCES = test/unit/server/test_resv_answers.c $(RESV_WORLD)
test_unit_server_test_resv_answers_LDADD = $(RESV_TEST_LIBS)

check_PROGRAMS += test/unit/server/test_resv_push
TESTS += test/unit/server/test_resv_push
test_unit_server_test_resv_push_SOURCES = test/unit/server/test_resv_push.c $(RESV_WORLD)
test_unit_server_test_resv_push_LDADD = $(RESV_TEST_LIBS)
check_PROGRAMS += test/unit/server/test_resv_extend
TESTS += test/unit/server/test_resv_extend
test_unit_server_test_resv_extend_SOURCES = test/unit/server/test_resv_extend.c $(RESV_WORLD)
test_unit_server_test_resv_extend_LDADD = $(RESV_TEST_LIBS)
check_PROGRAMS += test/unit/server/test_resv_on_end
TESTS += test/unit/server/test_resv_on_end
test_unit_server_test_resv_on_end_SOURCES = test/unit/server/test_resv_on_end.c $(RESV_WORLD)
test_unit_server_test_resv_on_end_LDADD = $(RESV_TEST_LIBS)

check_PROGRAMS += test/unit/server/test_array_resv
TESTS += test/unit/server/test_array_resv
test_unit_server_test_array_resv_SOURCES = test/unit/server/test_array_resv.c $(RESV_WORLD)
test_unit_server_test_array_resv_LDADD = $(RESV_TEST_LIBS)
check_PROGRAMS += test/unit/server/test_resv_turn
TESTS += test/unit/server/test_resv_turn
test_unit_server_test_resv_turn_SOURCES = test/unit/server/test_resv_turn.c $(RESV_WORLD)
test_unit_server_test_resv_turn_LDADD = $(RESV_TEST_LIBS)
check_PROGRAMS += test/unit/server/test_resv_series
TESTS += test/unit/server/test_resv_series
test_unit_server_test_resv_series_SOURCES = test/unit/server/test_resv_series.c $(RESV_WORLD)
test_unit_server_test_resv_series_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_resv_series_LDADD = libhfsvrcore.la libhfcal.la libhfattr.la \
	libhfwire.la libhfbase.la -lcunit -lm
test_unit_server_test_put_off_SOURCES = test/unit/server/test_put_off.c $(RESV_WORLD)
test_unit_server_test_put_off_LDADD = $(RESV_TEST_LIBS)
test_unit_server_test_status_changes_SOURCES = \
	test/unit/server/test_status_changes.c $(RESV_WORLD)
test_unit_server_test_status_changes_LDADD = libhfschedcore.la $(RESV_TEST_LIBS)
test_unit_server_test_resv_qmove_SOURCES = test/unit/server/test_resv_qmove.c $(RESV_WORLD)
test_unit_server_test_resv_qmove_LDADD = $(RESV_TEST_LIBS)
test_unit_server_test_extensions_SOURCES = test/unit/server/test_extensions.c \
	test/golden/frames.c test/golden/frames.h $(RESV_WORLD)
test_unit_server_test_extensions_CPPFLAGS = $(AM_CPPFLAGS)
test_unit_server_test_extensions_LDADD = $(RESV_TEST_LIBS)
test_unit_server_test_denials_SOURCES = test/unit/server/test_denials.c $(RESV_WORLD)
test_unit_server_test_denials_LDADD = $(RESV_TEST_LIBS)
test_unit_server_test_changes_SOURCES = test/unit/server/test_changes.c test/unit/server/one_record.h
test_unit_server_test_changes_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_changes_LDADD = $(RESV_TEST_LIBS)
test_unit_server_test_edges_SOURCES = test/unit/server/test_edges.c
test_unit_server_test_edges_LDADD = $(RESV_TEST_LIBS)
test_unit_server_test_facts_SOURCES = test/unit/server/test_facts.c
test_unit_server_test_facts_LDADD = $(RESV_TEST_LIBS)
test_unit_server_test_waits_SOURCES = test/unit/server/test_waits.c
test_unit_server_test_waits_LDADD = $(RESV_TEST_LIBS)
test_unit_server_test_resv_told_SOURCES = test/unit/server/test_resv_told.c $(RESV_WORLD)
test_unit_server_test_resv_told_LDADD = $(RESV_TEST_LIBS)
test_unit_server_test_resv_alter_SOURCES = test/unit/server/test_resv_alter.c $(RESV_WORLD)
test_unit_server_test_resv_alter_LDADD = $(RESV_TEST_LIBS)
test_unit_server_test_resv_health_SOURCES = test/unit/server/test_resv_health.c $(RESV_WORLD)
test_unit_server_test_resv_health_LDADD = $(RESV_TEST_LIBS)
test_unit_server_test_resv_from_job_SOURCES = test/unit/server/test_resv_from_job.c $(FAKE_MOM)
test_unit_server_test_resv_from_job_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_resv_from_job_LDADD = $(FAKE_MOM_LIBS)
include src/server/shell/local.mk

check_PROGRAMS += test/unit/server/test_array_depend
TESTS += test/unit/server/test_array_depend
test_unit_server_test_array_depend_SOURCES = test/unit/server/test_array_depend.c $(FAKE_MOM)
test_unit_server_test_array_depend_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_array_depend_LDADD = $(FAKE_MOM_LIBS)

check_PROGRAMS += test/unit/server/test_array_slices
TESTS += test/unit/server/test_array_slices
test_unit_server_test_array_slices_SOURCES = test/unit/server/test_array_slices.c $(FAKE_MOM)
test_unit_server_test_array_slices_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_array_slices_LDADD = $(FAKE_MOM_LIBS)

check_PROGRAMS += test/unit/server/test_array_limits
TESTS += test/unit/server/test_array_limits
test_unit_server_test_array_limits_SOURCES = test/unit/server/test_array_limits.c $(FAKE_MOM)
test_unit_server_test_array_limits_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_array_limits_LDADD = $(FAKE_MOM_LIBS)

check_PROGRAMS += test/unit/server/test_preempt
TESTS += test/unit/server/test_preempt
test_unit_server_test_preempt_SOURCES = test/unit/server/test_preempt.c $(FAKE_MOM)
test_unit_server_test_preempt_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_preempt_LDADD = $(FAKE_MOM_LIBS)
