# SPDX-License-Identifier: Apache-2.0
# The core only: the daemon around it is in src/server/shell.
noinst_LTLIBRARIES += libhfsvrcore.la
libhfsvrcore_la_SOURCES = \
	src/server/held.c src/server/held.h \
	src/server/sched_link.c src/server/sched_link.h \
	src/server/settle.c \
	src/server/start.c \
	src/server/svr.c src/server/svr.h src/server/svr_priv.h \
	src/server/take_up.c \
	src/server/watch.c src/server/watch.h \
	src/server/model/fact.c \
	src/server/model/kind.c \
	src/server/model/links.c \
	src/server/model/model.c src/server/model/model.h \
	src/server/model/object.c \
	src/server/model/priv.h \
	src/server/model/record.c src/server/model/record.h \
	src/server/model/resource_request.c src/server/model/resource_request.h \
	src/server/model/resv_fit.c src/server/model/resv_fit.h \
	src/server/model/resv_state.c src/server/model/resv_state.h \
	src/server/model/resv_time.c src/server/model/resv_time.h \
	src/server/model/same.c \
	src/server/react/effect.c \
	src/server/react/manager_react.c \
	src/server/react/react.h src/server/react/reactions.h \
	src/server/react/resv_account.c \
	src/server/react/resv_log.c \
	src/server/react/resv_mail.c \
	src/server/react/resv_react.c src/server/react/resv_react.h \
	src/server/react/resv_reply.c src/server/react/resv_reply.h \
	src/server/react/resv_wake.c \
	src/server/react/table.c \
	src/server/requests/edit.c src/server/requests/edit.h \
	src/server/requests/handlers.h \
	src/server/requests/manager.c src/server/requests/manager.h \
	src/server/requests/manager_node.c \
	src/server/requests/manager_queue.c \
	src/server/requests/manager_resource.c \
	src/server/requests/manager_sched.c \
	src/server/requests/manager_server.c \
	src/server/requests/request.c src/server/requests/request.h \
	src/server/requests/resv_access.c src/server/requests/resv_access.h \
	src/server/requests/resv_account.c src/server/requests/resv_account.h \
	src/server/requests/resv_confirm.c \
	src/server/requests/resv_delete.c \
	src/server/requests/resv_modify.c \
	src/server/requests/resv_queue.c src/server/requests/resv_queue.h \
	src/server/requests/resv_record.c src/server/requests/resv_record.h \
	src/server/requests/resv_show.c \
	src/server/requests/resv_submit.c \
	src/server/requests/sched_requests.c \
	src/server/requests/show.c src/server/requests/show.h \
	src/server/requests/status.c \
	src/server/requests/table.c \
	src/server/rules/resv_ask.c \
	src/server/rules/resv_end.c \
	src/server/rules/resv_health.c \
	src/server/rules/resv_start.c \
	src/server/rules/rule.h src/server/rules/rules.h \
	src/server/rules/table.c

check_PROGRAMS += test/unit/server/test_resv_state test/unit/server/test_resv_time
TESTS += test/unit/server/test_resv_state test/unit/server/test_resv_time
test_unit_server_test_resv_state_SOURCES = test/unit/server/test_resv_state.c
test_unit_server_test_resv_state_LDADD = libhfsvrcore.la libhfattr.la libhfwire.la libhfbase.la -lcunit -lm
test_unit_server_test_resv_time_SOURCES = test/unit/server/test_resv_time.c
test_unit_server_test_resv_time_LDADD = libhfsvrcore.la libhfbase.la -lcunit
