# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libhfcmds.la
libhfcmds_la_SOURCES = \
	src/cmds/common/attr_list.c src/cmds/common/attr_list.h \
	src/cmds/common/cell.c src/cmds/common/cell.h \
	src/cmds/common/cmd.c src/cmds/common/cmd.h \
	src/cmds/common/datetime.c src/cmds/common/datetime.h \
	src/cmds/common/bounded.h \
	src/cmds/common/explain.c src/cmds/common/explain.h \
	src/cmds/common/extension.c src/cmds/common/extension.h \
	src/cmds/common/full.c src/cmds/common/full.h \
	src/cmds/common/hold_control.c src/cmds/common/hold_control.h \
	src/cmds/common/job_command.c src/cmds/common/job_command.h \
	src/cmds/common/job_options.c src/cmds/common/job_options.h \
	src/cmds/common/json.c src/cmds/common/json.h \
	src/cmds/common/json_member.c src/cmds/common/json_member.h \
	src/cmds/common/depend_ids.c src/cmds/common/depend_ids.h \
	src/cmds/common/known.c src/cmds/common/known.h \
	src/cmds/common/operand.c src/cmds/common/operand.h \
	src/cmds/common/queue_control.c src/cmds/common/queue_control.h \
	src/cmds/common/tm_words.c src/cmds/common/tm_words.h \
	src/cmds/common/dry_run.c src/cmds/common/dry_run.h \
	src/cmds/common/why.c src/cmds/common/why.h
libhfcmds_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)

# An installation can be moved as a whole: commands look for libpbs beside themselves.
CMD_RPATH = $(AM_LDFLAGS) '-Wl,-rpath,$$ORIGIN/../lib'
CMD_LIBS = libhfcmds.la libpbs.la libhfconf.la libhfattr.la libhfbase.la $(JANSSON_LIBS)

bin_PROGRAMS += \
	pbs_attach pbs_hostn printjob pbs_ralter pbs_rdel pbs_release_nodes pbs_rstat pbs_rsub pbs_tmrsh pbsdsh pbsnodes \
	qalter qdel qdisable qenable qhold qmgr qmove qmsg qorder qrerun qrls qrun \
	qselect qsig qstart qstat qstop qsub qterm tracejob
pbs_attach_SOURCES = src/cmds/pbs_attach.c
pbs_attach_LDFLAGS = $(CMD_RPATH)
pbs_attach_LDADD = $(CMD_LIBS)
pbs_hostn_SOURCES = src/cmds/pbs_hostn.c
pbs_hostn_LDFLAGS = $(CMD_RPATH)
pbs_hostn_LDADD = $(CMD_LIBS)
pbs_release_nodes_SOURCES = src/cmds/pbs_release_nodes.c
pbs_release_nodes_LDFLAGS = $(CMD_RPATH)
pbs_release_nodes_LDADD = $(CMD_LIBS)
pbs_ralter_SOURCES = \
	src/cmds/pbs_ralter/pbs_ralter.c src/cmds/pbs_ralter/ralter.h \
	src/cmds/pbs_ralter/options.c \
	src/cmds/pbs_ralter/say.c
pbs_ralter_LDFLAGS = $(CMD_RPATH)
pbs_ralter_LDADD = $(CMD_LIBS)
pbs_rdel_SOURCES = src/cmds/pbs_rdel.c
pbs_rdel_LDFLAGS = $(CMD_RPATH)
pbs_rdel_LDADD = $(CMD_LIBS)
pbs_rstat_SOURCES = src/cmds/pbs_rstat.c
pbs_rstat_LDFLAGS = $(CMD_RPATH)
pbs_rstat_LDADD = $(CMD_LIBS)
pbs_rsub_SOURCES = \
	src/cmds/pbs_rsub/pbs_rsub.c src/cmds/pbs_rsub/rsub.h \
	src/cmds/pbs_rsub/options.c \
	src/cmds/pbs_rsub/asap.c src/cmds/pbs_rsub/asap.h \
	src/cmds/pbs_rsub/hosts.c src/cmds/pbs_rsub/hosts.h
pbs_rsub_LDFLAGS = $(CMD_RPATH)
pbs_rsub_LDADD = $(CMD_LIBS)
pbs_tmrsh_SOURCES = src/cmds/pbs_tmrsh.c
pbs_tmrsh_LDFLAGS = $(CMD_RPATH)
pbs_tmrsh_LDADD = $(CMD_LIBS)
pbsdsh_SOURCES = src/cmds/pbsdsh.c
pbsdsh_LDFLAGS = $(CMD_RPATH)
pbsdsh_LDADD = $(CMD_LIBS)
pbsnodes_SOURCES = \
	src/cmds/pbsnodes/pbsnodes.c src/cmds/pbsnodes/pbsnodes.h \
	src/cmds/pbsnodes/show.c \
	src/cmds/pbsnodes/summary.c
pbsnodes_LDFLAGS = $(CMD_RPATH)
pbsnodes_LDADD = $(CMD_LIBS)
qalter_SOURCES = src/cmds/qalter.c
qalter_LDFLAGS = $(CMD_RPATH)
qalter_LDADD = $(CMD_LIBS)
qdel_SOURCES = src/cmds/qdel.c
qdel_LDFLAGS = $(CMD_RPATH)
qdel_LDADD = $(CMD_LIBS)
qdisable_SOURCES = src/cmds/qdisable.c
qdisable_LDFLAGS = $(CMD_RPATH)
qdisable_LDADD = $(CMD_LIBS)
qenable_SOURCES = src/cmds/qenable.c
qenable_LDFLAGS = $(CMD_RPATH)
qenable_LDADD = $(CMD_LIBS)
qhold_SOURCES = src/cmds/qhold.c
qhold_LDFLAGS = $(CMD_RPATH)
qhold_LDADD = $(CMD_LIBS)
# The language, apart from the command: tests and the fuzz target link it too.
noinst_LTLIBRARIES += libhfqmgr.la
libhfqmgr_la_SOURCES = \
	src/cmds/qmgr/complete.c \
	src/cmds/qmgr/grammar.h \
	src/cmds/qmgr/help.c \
	src/cmds/qmgr/limits.c \
	src/cmds/qmgr/list_columns.c \
	src/cmds/qmgr/parse.c \
	src/cmds/qmgr/quote.c \
	src/cmds/qmgr/words.c
qmgr_SOURCES = \
	src/cmds/qmgr/hooks.c \
	src/cmds/qmgr/input.c \
	src/cmds/qmgr/list_json.c \
	src/cmds/qmgr/qmgr.c src/cmds/qmgr/qmgr.h \
	src/cmds/qmgr/run.c \
	src/cmds/qmgr/servers.c \
	src/cmds/qmgr/show.c \
	src/cmds/qmgr/types.c
qmgr_CFLAGS = $(AM_CFLAGS) $(EDIT_CFLAGS) $(JANSSON_CFLAGS)
qmgr_LDFLAGS = $(CMD_RPATH)
qmgr_LDADD = libhfqmgr.la $(CMD_LIBS) libhfconf.la $(EDIT_LIBS)
qmove_SOURCES = src/cmds/qmove.c
qmove_LDFLAGS = $(CMD_RPATH)
qmove_LDADD = $(CMD_LIBS)
qmsg_SOURCES = src/cmds/qmsg.c
qmsg_LDFLAGS = $(CMD_RPATH)
qmsg_LDADD = $(CMD_LIBS)
qorder_SOURCES = src/cmds/qorder.c
qorder_LDFLAGS = $(CMD_RPATH)
qorder_LDADD = $(CMD_LIBS)
qrerun_SOURCES = src/cmds/qrerun.c
qrerun_LDFLAGS = $(CMD_RPATH)
qrerun_LDADD = $(CMD_LIBS)
qrls_SOURCES = src/cmds/qrls.c
qrls_LDFLAGS = $(CMD_RPATH)
qrls_LDADD = $(CMD_LIBS)
qrun_SOURCES = src/cmds/qrun.c
qrun_LDFLAGS = $(CMD_RPATH)
qrun_LDADD = $(CMD_LIBS)
qselect_SOURCES = src/cmds/qselect.c
qselect_LDFLAGS = $(CMD_RPATH)
qselect_LDADD = $(CMD_LIBS)
qsig_SOURCES = src/cmds/qsig.c
qsig_LDFLAGS = $(CMD_RPATH)
qsig_LDADD = $(CMD_LIBS)
qstart_SOURCES = src/cmds/qstart.c
qstart_LDFLAGS = $(CMD_RPATH)
qstart_LDADD = $(CMD_LIBS)
qstat_SOURCES = \
	src/cmds/qstat/estimate.c \
	src/cmds/qstat/jobs.c \
	src/cmds/qstat/options.c \
	src/cmds/qstat/qstat.c src/cmds/qstat/qstat.h \
	src/cmds/qstat/queues.c
qstat_LDFLAGS = $(CMD_RPATH)
qstat_LDADD = $(CMD_LIBS)
qstop_SOURCES = src/cmds/qstop.c
qstop_LDFLAGS = $(CMD_RPATH)
qstop_LDADD = $(CMD_LIBS)
qsub_SOURCES = \
	src/cmds/qsub/blocking.c src/cmds/qsub/blocking.h \
	src/cmds/qsub/callback.c src/cmds/qsub/callback.h \
	src/cmds/qsub/environment.c \
	src/cmds/qsub/interactive.c src/cmds/qsub/interactive.h \
	src/cmds/qsub/keys.c src/cmds/qsub/keys.h \
	src/cmds/qsub/options.c \
	src/cmds/qsub/qsub.c src/cmds/qsub/qsub.h \
	src/cmds/qsub/script.c \
	src/cmds/qsub/script_copy.c src/cmds/qsub/script_copy.h \
	src/cmds/qsub/tty_session.c src/cmds/qsub/tty_session.h \
	src/cmds/qsub/x11.c src/cmds/qsub/x11.h
qsub_LDFLAGS = $(CMD_RPATH)
qsub_LDADD = libhfcmds.la libpbs.la libhfmethod.la libhfconf.la libhfattr.la libhfwire.la libhfbase.la \
	$(JANSSON_LIBS)
qterm_SOURCES = src/cmds/qterm.c
qterm_LDFLAGS = $(CMD_RPATH)
qterm_LDADD = $(CMD_LIBS)
printjob_SOURCES = \
	src/cmds/printjob/mom_file.c \
	src/cmds/printjob/printjob.c src/cmds/printjob/printjob.h \
	src/cmds/printjob/show.c \
	src/cmds/printjob/stored.c
printjob_LDFLAGS = $(CMD_RPATH)
printjob_LDADD = libhfcmds.la libpbs.la libhfstore.la libhfconf.la libhfattr.la libhfwire.la libhfbase.la \
	$(JANSSON_LIBS) $(SQLITE_LIBS) $(PQ_LIBS)
tracejob_SOURCES = \
	src/cmds/tracejob/events.c \
	src/cmds/tracejob/tracejob.c src/cmds/tracejob/tracejob.h
tracejob_LDFLAGS = $(CMD_RPATH)
tracejob_LDADD = libhfcmds.la libpbs.la libhfconf.la libhfattr.la libhfbase.la $(JANSSON_LIBS)

# Asks MoMs over the router network, as a daemon: where PBS has it.
unsupporteddir = $(prefix)/unsupported
unsupported_PROGRAMS = pbs_rmget
pbs_rmget_SOURCES = src/cmds/pbs_rmget/pbs_rmget.c
pbs_rmget_LDFLAGS = $(CMD_RPATH)
pbs_rmget_LDADD = libhfcmds.la libpbs.la libhfattr.la $(HF_TPP_LIBS) $(JANSSON_LIBS)

# Set-uid: no shared library of ours, and of the others only the system's.
sbin_PROGRAMS += pbs_iff
pbs_iff_SOURCES = \
	src/cmds/pbs_iff/args.c \
	src/cmds/pbs_iff/iff.h \
	src/cmds/pbs_iff/own.c \
	src/cmds/pbs_iff/pbs_iff.c \
	src/cmds/pbs_iff/port.c \
	src/cmds/pbs_iff/server.c \
	src/cmds/pbs_iff/slot.c \
	src/cmds/pbs_iff/talk.c
pbs_iff_LDADD = libhfconf.la libhfwire.la libhfbase.la

# What is installed by somebody else than root stays an ordinary program: it cannot bind
# reserved ports, and clients use the local socket.
install-exec-hook:
	if test "`id -u`" = 0; then chmod 4755 $(DESTDIR)$(sbindir)/pbs_iff; fi

check_PROGRAMS += test/unit/cmds/test_cmds test/unit/cmds/test_explain \
	test/unit/cmds/test_keys test/unit/cmds/test_qmgr test/unit/cmds/test_x11
TESTS += test/unit/cmds/test_cmds test/unit/cmds/test_explain test/unit/cmds/test_keys \
	test/unit/cmds/test_qmgr test/unit/cmds/test_x11
test_unit_cmds_test_x11_SOURCES = test/unit/cmds/test_x11.c \
	src/cmds/qsub/callback.c src/cmds/qsub/x11.c
test_unit_cmds_test_x11_LDADD = libhfcmds.la libpbs.la libhfconf.la libhfattr.la libhfbase.la \
	$(JANSSON_LIBS) -lcunit
test_unit_cmds_test_keys_SOURCES = test/unit/cmds/test_keys.c src/cmds/qsub/keys.c
test_unit_cmds_test_keys_LDADD = libhfbase.la -lcunit
test_unit_cmds_test_explain_SOURCES = test/unit/cmds/test_explain.c test/unit/unit.h
test_unit_cmds_test_explain_LDADD = $(CMD_LIBS) -lcunit
test_unit_cmds_test_qmgr_SOURCES = test/unit/cmds/test_qmgr.c test/unit/unit.h
test_unit_cmds_test_qmgr_LDADD = libhfqmgr.la $(CMD_LIBS) -lcunit
test_unit_cmds_test_cmds_SOURCES = test/unit/cmds/test_cmds.c test/unit/unit.h
test_unit_cmds_test_cmds_LDADD = $(CMD_LIBS) -lcunit

# Whole commands, against objects in memory instead of libpbs.
check_PROGRAMS += test/unit/cmds/test_replay
TESTS += test/unit/cmds/test_replay
test_unit_cmds_test_replay_SOURCES = test/unit/cmds/test_replay.c test/unit/unit.h \
	test/unit/cmds/replay/pbsnodes.c \
	test/unit/cmds/replay/qalter.c \
	test/unit/cmds/replay/qdel.c \
	test/unit/cmds/replay/qdisable.c \
	test/unit/cmds/replay/qenable.c \
	test/unit/cmds/replay/qhold.c \
	test/unit/cmds/replay/qmove.c \
	test/unit/cmds/replay/qmsg.c \
	test/unit/cmds/replay/qorder.c \
	test/unit/cmds/replay/qrerun.c \
	test/unit/cmds/replay/qrls.c \
	test/unit/cmds/replay/qrun.c \
	test/unit/cmds/replay/qselect.c \
	test/unit/cmds/replay/qsig.c \
	test/unit/cmds/replay/qstart.c \
	test/unit/cmds/replay/qstat.c \
	test/unit/cmds/replay/qstop.c \
	test/unit/cmds/replay/qsub.c \
	test/unit/cmds/replay/qterm.c \
	test/unit/cmds/replay/replay.h \
	test/unit/cmds/replay/world.c \
	src/cmds/pbsnodes/show.c \
	src/cmds/pbsnodes/summary.c \
	src/cmds/qstat/estimate.c \
	src/cmds/qstat/jobs.c \
	src/cmds/qstat/options.c \
	src/cmds/qstat/queues.c \
	src/cmds/qsub/environment.c \
	src/cmds/qsub/options.c \
	src/cmds/qsub/script.c src/cmds/qsub/script_copy.c
test_unit_cmds_test_replay_LDADD = \
	libhfcmds.la libhfconf.la libhfattr.la libhfbase.la $(JANSSON_LIBS) -lcunit

EXTRA_DIST += src/cmds/README.md test/golden/commands
