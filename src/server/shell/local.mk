# SPDX-License-Identifier: Apache-2.0
#
# Everything but main() is a library, so that tests can put a core of their own into it.
EXTRA_DIST += src/server/shell/README.md
noinst_LTLIBRARIES += libhfsvrshell.la
libhfsvrshell_la_CPPFLAGS = $(AM_CPPFLAGS) $(EVENT_CFLAGS) $(SQLITE_CFLAGS)
libhfsvrshell_la_SOURCES = \
	src/server/shell/accounting.c src/server/shell/accounting.h \
	src/server/shell/bundle_load.c src/server/shell/bundle_names.h \
	src/server/shell/bundle_table.c src/server/shell/bundle_table.h \
	src/server/shell/bundle_text.c src/server/shell/bundle_text.h \
	src/server/shell/bundles.c src/server/shell/bundles.h \
	src/server/shell/calls.c src/server/shell/calls.h \
	src/server/shell/client.h \
	src/server/shell/clients.c src/server/shell/clients.h \
	src/server/shell/client_admit.c \
	src/server/shell/client_budget.c \
	src/server/shell/committer.c src/server/shell/committer.h \
	src/server/shell/crowd.c src/server/shell/crowd.h \
	src/server/shell/client_life.c src/server/shell/client_life.h \
	src/server/shell/client_handshake.c src/server/shell/client_handshake.h \
	src/server/shell/find_out.c src/server/shell/find_out.h \
	src/server/shell/hand_over.c src/server/shell/hand_over.h \
	src/server/shell/hook_compile.c src/server/shell/hook_compile.h \
	src/server/shell/hook_dir.c src/server/shell/hook_dir.h \
	src/server/shell/long_reply.c \
	src/server/shell/lookups.c src/server/shell/lookups.h \
	src/server/shell/mail.c src/server/shell/mail.h \
	src/server/shell/mail_text.c src/server/shell/mail_text.h \
	src/server/shell/methods.c src/server/shell/methods.h \
	src/server/shell/mom_link.c src/server/shell/mom_link.h \
	src/server/shell/options.c src/server/shell/options.h \
	src/server/shell/outbox.c src/server/shell/outbox.h \
	src/server/shell/records.c src/server/shell/records.h \
	src/server/shell/server_name.c src/server/shell/server_name.h \
	src/server/shell/sched_conn.c \
	src/server/shell/site_accounts.c src/server/shell/site_equiv.c \
	src/server/shell/site_hosts.c \
	src/server/shell/site_names.h \
	src/server/shell/secure.c src/server/shell/secure.h \
	src/server/shell/serve.c \
	src/server/shell/shell.c src/server/shell/shell.h \
	src/server/shell/start.c src/server/shell/start.h \
	src/server/shell/trust.c src/server/shell/trust.h \
	src/server/shell/vouch.c
HF_SVR_LIBS = libhfsvrshell.la libhfsvrcore.la libhfcal.la libhfattr.la libhfstore.la \
	$(SQLITE_LIBS) $(PQ_LIBS) $(HF_TPP_LIBS) -lpthread

sbin_PROGRAMS += pbs_server
pbs_server_SOURCES = src/server/shell/main.c
pbs_server_LDADD = $(HF_SVR_LIBS)

check_PROGRAMS += test/unit/server/test_shell
TESTS += test/unit/server/test_shell
test_unit_server_test_shell_SOURCES = test/unit/server/test_shell.c test/unit/server/file_text.h
test_unit_server_test_shell_LDADD = $(HF_SVR_LIBS) -lcunit
check_PROGRAMS += test/unit/server/test_accounting
TESTS += test/unit/server/test_accounting
test_unit_server_test_accounting_SOURCES = test/unit/server/test_accounting.c test/unit/server/file_text.h
test_unit_server_test_accounting_LDADD = $(HF_SVR_LIBS) -lcunit
check_PROGRAMS += test/unit/server/test_records
TESTS += test/unit/server/test_records
test_unit_server_test_records_SOURCES = test/unit/server/test_records.c
test_unit_server_test_records_LDADD = $(HF_SVR_LIBS) -lcunit

check_PROGRAMS += test/unit/server/test_crowd
TESTS += test/unit/server/test_crowd
test_unit_server_test_crowd_SOURCES = test/unit/server/test_crowd.c
test_unit_server_test_crowd_LDADD = $(HF_SVR_LIBS) -lcunit

check_PROGRAMS += test/unit/server/test_mail_text
TESTS += test/unit/server/test_mail_text
test_unit_server_test_mail_text_SOURCES = test/unit/server/test_mail_text.c
test_unit_server_test_mail_text_LDADD = $(HF_SVR_LIBS) -lcunit

check_PROGRAMS += test/unit/server/test_client_life
TESTS += test/unit/server/test_client_life
test_unit_server_test_client_life_SOURCES = test/unit/server/test_client_life.c
test_unit_server_test_client_life_LDADD = $(HF_SVR_LIBS) -lcunit

check_PROGRAMS += test/unit/server/test_lookups
TESTS += test/unit/server/test_lookups
test_unit_server_test_lookups_SOURCES = test/unit/server/test_lookups.c
test_unit_server_test_lookups_LDADD = $(HF_SVR_LIBS) -lcunit

check_PROGRAMS += test/unit/server/test_calls
TESTS += test/unit/server/test_calls
test_unit_server_test_calls_SOURCES = test/unit/server/test_calls.c
test_unit_server_test_calls_LDADD = $(HF_SVR_LIBS) -lcunit

check_PROGRAMS += test/unit/server/test_secure
TESTS += test/unit/server/test_secure
test_unit_server_test_secure_SOURCES = test/unit/server/test_secure.c
test_unit_server_test_secure_LDADD = $(HF_SVR_LIBS) -lcunit

check_PROGRAMS += test/unit/server/test_hook_dir
TESTS += test/unit/server/test_hook_dir
test_unit_server_test_hook_dir_SOURCES = test/unit/server/test_hook_dir.c
test_unit_server_test_hook_dir_LDADD = $(HF_SVR_LIBS) -lcunit

check_PROGRAMS += test/unit/server/test_trust
TESTS += test/unit/server/test_trust
test_unit_server_test_trust_SOURCES = test/unit/server/test_trust.c \
	test/unit/server/harness.c test/unit/server/harness.h
test_unit_server_test_trust_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
test_unit_server_test_trust_LDADD = $(HF_SVR_LIBS) -lcunit

check_PROGRAMS += test/unit/server/test_edited_store
TESTS += test/unit/server/test_edited_store
test_unit_server_test_edited_store_SOURCES = test/unit/server/test_edited_store.c $(RESV_WORLD)
test_unit_server_test_edited_store_LDADD = $(HF_SVR_LIBS) -lcunit

check_PROGRAMS += test/unit/server/test_bundles
TESTS += test/unit/server/test_bundles
EXTRA_DIST += test/unit/server/layout-4.sql
test_unit_server_test_bundles_SOURCES = test/unit/server/test_bundles.c
test_unit_server_test_bundles_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS)
test_unit_server_test_bundles_LDADD = $(HF_SVR_LIBS) -lcunit
