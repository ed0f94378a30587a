# SPDX-License-Identifier: Apache-2.0
#
# One target per decoder and grammar. "make check" replays the golden frames and the
# small corpora; with --enable-fuzzing the engine is linked instead (doc/fuzzing.md).
if FUZZING
FUZZ_MAIN = $(FUZZ_ENGINE)
else
FUZZ_MAIN = libhffuzzmain.la
check_LTLIBRARIES += libhffuzzmain.la
TESTS += $(FUZZ_TARGETS)
endif
libhffuzzmain_la_SOURCES = test/fuzz/driver.c test/fuzz/fuzz.h \
	test/golden/frames.c test/golden/frames.h
check_PROGRAMS += $(FUZZ_TARGETS)

.PHONY: fuzz-targets
fuzz-targets: $(FUZZ_TARGETS)

EXTRA_DIST += test/fuzz/README.md test/fuzz/campaign test/fuzz/corpus test/fuzz/dict
FUZZ_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
FUZZ_TARGETS = \
	test/fuzz/fuzz_acl \
	test/fuzz/fuzz_conf \
	test/fuzz/fuzz_confirm \
	test/fuzz/fuzz_date \
	test/fuzz/fuzz_dis \
	test/fuzz/fuzz_edit_text \
	test/fuzz/fuzz_exec_vnode \
	test/fuzz/fuzz_execvnodes \
	test/fuzz/fuzz_formula \
	test/fuzz/fuzz_handshake \
	test/fuzz/fuzz_host_facts \
	test/fuzz/fuzz_ids \
	test/fuzz/fuzz_iff \
	test/fuzz/fuzz_im \
	test/fuzz/fuzz_is \
	test/fuzz/fuzz_job_notes \
	test/fuzz/fuzz_libpbs \
	test/fuzz/fuzz_mom \
	test/fuzz/fuzz_mom_config \
	test/fuzz/fuzz_mom_job \
	test/fuzz/fuzz_nodes \
	test/fuzz/fuzz_place \
	test/fuzz/fuzz_qmgr \
	test/fuzz/fuzz_recur \
	test/fuzz/fuzz_reply \
	test/fuzz/fuzz_rm \
	test/fuzz/fuzz_request \
	test/fuzz/fuzz_resource \
	test/fuzz/fuzz_router \
	test/fuzz/fuzz_row \
	test/fuzz/fuzz_sched_config \
	test/fuzz/fuzz_select \
	test/fuzz/fuzz_server \
	test/fuzz/fuzz_server_mom \
	test/fuzz/fuzz_session \
	test/fuzz/fuzz_snapshot \
	test/fuzz/fuzz_stream \
	test/fuzz/fuzz_tm \
	test/fuzz/fuzz_terminal \
	test/fuzz/fuzz_tpp \
	test/fuzz/fuzz_value \
	test/fuzz/fuzz_vnodefile \
	test/fuzz/fuzz_zone

# Bytes from the network.
fuzz_wire_libs = libhfwire.la libhfbase.la
test_fuzz_fuzz_confirm_SOURCES = test/fuzz/fuzz_confirm.c
test_fuzz_fuzz_confirm_LDADD = $(FUZZ_MAIN) $(fuzz_wire_libs)
test_fuzz_fuzz_dis_SOURCES = test/fuzz/fuzz_dis.c
test_fuzz_fuzz_dis_LDADD = $(FUZZ_MAIN) $(fuzz_wire_libs)
test_fuzz_fuzz_im_SOURCES = test/fuzz/fuzz_im.c
test_fuzz_fuzz_im_LDADD = $(FUZZ_MAIN) $(fuzz_wire_libs)
test_fuzz_fuzz_rm_SOURCES = test/fuzz/fuzz_rm.c
test_fuzz_fuzz_rm_LDADD = $(FUZZ_MAIN) $(fuzz_wire_libs)
test_fuzz_fuzz_tm_SOURCES = test/fuzz/fuzz_tm.c
test_fuzz_fuzz_tm_LDADD = $(FUZZ_MAIN) $(fuzz_wire_libs)
test_fuzz_fuzz_is_SOURCES = test/fuzz/fuzz_is.c
test_fuzz_fuzz_is_LDADD = $(FUZZ_MAIN) $(fuzz_wire_libs)
test_fuzz_fuzz_reply_SOURCES = test/fuzz/fuzz_reply.c
test_fuzz_fuzz_reply_LDADD = $(FUZZ_MAIN) $(fuzz_wire_libs)
test_fuzz_fuzz_request_SOURCES = test/fuzz/fuzz_request.c
test_fuzz_fuzz_request_LDADD = $(FUZZ_MAIN) $(fuzz_wire_libs)
test_fuzz_fuzz_job_notes_SOURCES = test/fuzz/fuzz_job_notes.c
test_fuzz_fuzz_job_notes_LDADD = $(FUZZ_MAIN) $(fuzz_wire_libs)
test_fuzz_fuzz_terminal_SOURCES = test/fuzz/fuzz_terminal.c
test_fuzz_fuzz_terminal_LDADD = $(FUZZ_MAIN) $(fuzz_wire_libs)
test_fuzz_fuzz_tpp_SOURCES = test/fuzz/fuzz_tpp.c
test_fuzz_fuzz_tpp_LDADD = $(FUZZ_MAIN) $(fuzz_wire_libs)

# Handshakes: tokens of methods, and those of routers and leaves.
test_fuzz_fuzz_session_SOURCES = test/fuzz/fuzz_session.c
test_fuzz_fuzz_session_LDADD = $(FUZZ_MAIN) libhfmethod.la libhfbase.la
test_fuzz_fuzz_handshake_SOURCES = test/fuzz/fuzz_handshake.c
test_fuzz_fuzz_handshake_LDADD = $(FUZZ_MAIN) $(fuzz_stream_libs)

# What a router sends to a leaf.
fuzz_stream_libs = libhftppcore.la libhfwire.la libhfbase.la $(ZLIB_LIBS) -lm
test_fuzz_fuzz_stream_SOURCES = test/fuzz/fuzz_stream.c
test_fuzz_fuzz_stream_LDADD = $(FUZZ_MAIN) $(fuzz_stream_libs)

# Values and their grammars.
fuzz_attr_libs = libhfattr.la libhfbase.la
test_fuzz_fuzz_acl_SOURCES = test/fuzz/fuzz_acl.c
test_fuzz_fuzz_acl_LDADD = $(FUZZ_MAIN) $(fuzz_attr_libs)
test_fuzz_fuzz_exec_vnode_SOURCES = test/fuzz/fuzz_exec_vnode.c
test_fuzz_fuzz_exec_vnode_LDADD = $(FUZZ_MAIN) $(fuzz_attr_libs)
test_fuzz_fuzz_execvnodes_SOURCES = test/fuzz/fuzz_execvnodes.c
test_fuzz_fuzz_execvnodes_LDADD = $(FUZZ_MAIN) $(fuzz_attr_libs)
test_fuzz_fuzz_formula_SOURCES = test/fuzz/fuzz_formula.c
test_fuzz_fuzz_formula_LDADD = $(FUZZ_MAIN) $(fuzz_attr_libs)
test_fuzz_fuzz_nodes_SOURCES = test/fuzz/fuzz_nodes.c
test_fuzz_fuzz_nodes_LDADD = $(FUZZ_MAIN) $(fuzz_attr_libs)
test_fuzz_fuzz_place_SOURCES = test/fuzz/fuzz_place.c
test_fuzz_fuzz_place_LDADD = $(FUZZ_MAIN) $(fuzz_attr_libs)
test_fuzz_fuzz_resource_SOURCES = test/fuzz/fuzz_resource.c
test_fuzz_fuzz_resource_LDADD = $(FUZZ_MAIN) $(fuzz_attr_libs)
test_fuzz_fuzz_row_SOURCES = test/fuzz/fuzz_row.c
test_fuzz_fuzz_row_LDADD = $(FUZZ_MAIN) $(fuzz_attr_libs)
test_fuzz_fuzz_select_SOURCES = test/fuzz/fuzz_select.c
test_fuzz_fuzz_select_LDADD = $(FUZZ_MAIN) $(fuzz_attr_libs)
test_fuzz_fuzz_value_SOURCES = test/fuzz/fuzz_value.c
test_fuzz_fuzz_value_LDADD = $(FUZZ_MAIN) $(fuzz_attr_libs)
test_fuzz_fuzz_ids_SOURCES = test/fuzz/fuzz_ids.c src/cmds/common/operand.c
test_fuzz_fuzz_ids_CPPFLAGS = $(FUZZ_CPPFLAGS)
test_fuzz_fuzz_ids_LDADD = $(FUZZ_MAIN) $(fuzz_attr_libs)

# What the server keeps as a text of its own.
test_fuzz_fuzz_edit_text_SOURCES = test/fuzz/fuzz_edit_text.c
test_fuzz_fuzz_edit_text_LDADD = $(FUZZ_MAIN) $(fuzz_core_libs)

# Whole cores, fed with what others send them.
FUZZ_WORLD = test/fuzz/world.c test/fuzz/world.h \
	test/unit/server/harness.c test/unit/server/harness.h
fuzz_core_libs = libhfsvrcore.la libhfcal.la libhfattr.la libhfwire.la libhfbase.la -lm
test_fuzz_fuzz_server_SOURCES = test/fuzz/fuzz_server.c $(FUZZ_WORLD)
test_fuzz_fuzz_server_CPPFLAGS = $(FUZZ_CPPFLAGS)
test_fuzz_fuzz_server_LDADD = $(FUZZ_MAIN) $(fuzz_core_libs)
test_fuzz_fuzz_server_mom_SOURCES = test/fuzz/fuzz_server_mom.c $(FUZZ_WORLD)
test_fuzz_fuzz_server_mom_CPPFLAGS = $(FUZZ_CPPFLAGS)
test_fuzz_fuzz_server_mom_LDADD = $(FUZZ_MAIN) $(fuzz_core_libs)

fuzz_mom_libs = libhfmomcore.la libhfattr.la libhfwire.la libhfbase.la -lm
test_fuzz_fuzz_mom_SOURCES = test/fuzz/fuzz_mom.c
test_fuzz_fuzz_mom_LDADD = $(FUZZ_MAIN) $(fuzz_mom_libs)
test_fuzz_fuzz_mom_job_SOURCES = test/fuzz/fuzz_mom_job.c
test_fuzz_fuzz_mom_job_LDADD = $(FUZZ_MAIN) $(fuzz_mom_libs)

fuzz_router_libs = libhfrouter.la libhftppcore.la libhfwire.la libhfbase.la $(ZLIB_LIBS) -lm
test_fuzz_fuzz_router_SOURCES = test/fuzz/fuzz_router.c
test_fuzz_fuzz_router_LDADD = $(FUZZ_MAIN) $(fuzz_router_libs)

fuzz_sched_libs = libhfschedcore.la libhfcal.la libhfattr.la libhfwire.la libhfbase.la
test_fuzz_fuzz_snapshot_SOURCES = test/fuzz/fuzz_snapshot.c
test_fuzz_fuzz_snapshot_LDADD = $(FUZZ_MAIN) $(fuzz_sched_libs)
test_fuzz_fuzz_sched_config_SOURCES = test/fuzz/fuzz_sched_config.c
test_fuzz_fuzz_sched_config_LDADD = $(FUZZ_MAIN) $(fuzz_sched_libs)

# Files of the administrator and command lines.
FUZZ_VNODEFILE = src/mom/shell/environ.c src/mom/shell/home.c src/mom/shell/plain.c \
	src/mom/shell/vnodefile.c
fuzz_files_libs = libhfio.la libhfconf.la libhfwire.la libhfbase.la
test_fuzz_fuzz_conf_SOURCES = test/fuzz/fuzz_conf.c
test_fuzz_fuzz_conf_LDADD = $(FUZZ_MAIN) $(fuzz_files_libs)
test_fuzz_fuzz_date_SOURCES = test/fuzz/fuzz_date.c src/cmds/common/datetime.c
test_fuzz_fuzz_date_CPPFLAGS = $(FUZZ_CPPFLAGS)
test_fuzz_fuzz_date_LDADD = $(FUZZ_MAIN) $(fuzz_files_libs)
test_fuzz_fuzz_iff_SOURCES = test/fuzz/fuzz_iff.c src/cmds/pbs_iff/args.c
test_fuzz_fuzz_iff_CPPFLAGS = $(FUZZ_CPPFLAGS)
test_fuzz_fuzz_iff_LDADD = $(FUZZ_MAIN) $(fuzz_files_libs)
test_fuzz_fuzz_qmgr_SOURCES = test/fuzz/fuzz_qmgr.c
test_fuzz_fuzz_qmgr_LDADD = $(FUZZ_MAIN) libhfqmgr.la libhfcmds.la libhfattr.la libhfbase.la
test_fuzz_fuzz_mom_config_SOURCES = test/fuzz/fuzz_mom_config.c \
	src/mom/shell/cgroup.c src/mom/shell/config.c src/mom/shell/cpu_list.c \
	$(MOM_DIRECTIVES) src/mom/shell/host_script.c src/mom/shell/script.c \
	$(FUZZ_VNODEFILE)
test_fuzz_fuzz_mom_config_CPPFLAGS = $(FUZZ_CPPFLAGS)
test_fuzz_fuzz_mom_config_LDADD = $(FUZZ_MAIN) $(fuzz_files_libs)
test_fuzz_fuzz_vnodefile_SOURCES = test/fuzz/fuzz_vnodefile.c $(FUZZ_VNODEFILE)
test_fuzz_fuzz_vnodefile_CPPFLAGS = $(FUZZ_CPPFLAGS)
test_fuzz_fuzz_vnodefile_LDADD = $(FUZZ_MAIN) $(fuzz_files_libs)

test_fuzz_fuzz_host_facts_SOURCES = test/fuzz/fuzz_host_facts.c \
	src/mom/shell/host_facts.c src/mom/shell/host_script.c \
	src/mom/shell/idle_time.c src/mom/shell/proc.c src/mom/shell/script.c
test_fuzz_fuzz_host_facts_LDADD = $(FUZZ_MAIN) $(fuzz_files_libs)

# Replies as programs get them.
test_fuzz_fuzz_libpbs_SOURCES = test/fuzz/fuzz_libpbs.c
test_fuzz_fuzz_libpbs_CPPFLAGS = $(FUZZ_CPPFLAGS)
test_fuzz_fuzz_libpbs_LDADD = $(FUZZ_MAIN) $(ifl_libs)

# Recurrence.
fuzz_cal_libs = libhfcal.la libhfbase.la
test_fuzz_fuzz_recur_SOURCES = test/fuzz/fuzz_recur.c
test_fuzz_fuzz_recur_CPPFLAGS = $(FUZZ_CPPFLAGS)
test_fuzz_fuzz_recur_LDADD = $(FUZZ_MAIN) $(fuzz_cal_libs)
test_fuzz_fuzz_zone_SOURCES = test/fuzz/fuzz_zone.c
test_fuzz_fuzz_zone_LDADD = $(FUZZ_MAIN) $(fuzz_cal_libs)
