# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libhfmomcore.la
libhfmomcore_la_SOURCES = \
	src/mom/executor.h \
	src/mom/mock/mock.c src/mom/mock/mock.h \
	src/mom/mom.h \
	src/mom/job/asked.c src/mom/job/askers.c src/mom/job/askers.h \
	src/mom/job/attach.c src/mom/job/checkpoint.c \
	src/mom/job/ended_tasks.c src/mom/job/ended_tasks.h \
	src/mom/job/image.c src/mom/job/image.h src/mom/job/image_hosts.c \
	src/mom/job/image_sister.c src/mom/job/image_tasks.c \
	src/mom/job/core.h src/mom/job/life.h src/mom/job/state.h \
	src/mom/job/tasks.h src/mom/job/wide.h \
	src/mom/job/host_list.c \
	src/mom/job/im_door.c \
	src/mom/job/job.c \
	src/mom/job/life.c \
	src/mom/job/keyboard.c \
	src/mom/job/link.c src/mom/job/load.c \
	src/mom/job/mom.c \
	src/mom/job/noting.c \
	src/mom/job/left_hosts.c src/mom/job/obit.c \
	src/mom/job/out.c \
	src/mom/job/job_peer.c \
	src/mom/job/reach.c src/mom/job/record.c src/mom/job/releasing.c \
	src/mom/job/receive.c src/mom/job/recovery.c \
	src/mom/job/requests.c src/mom/job/resting.c \
	src/mom/job/sampling.c src/mom/job/signals.c \
	src/mom/job/in_step.c src/mom/job/joining.c src/mom/job/tolerate.c \
	src/mom/job/sister.c \
	src/mom/job/spawned.c \
	src/mom/job/standing.c \
	src/mom/job/superior.c \
	src/mom/job/task_door.c \
	src/mom/job/task_questions.c src/mom/job/telling.c \
	src/mom/job/termination.c src/mom/job/waiting_joins.c \
	src/mom/job/usage.c

sbin_PROGRAMS += pbs_mom
MOM_DIRECTIVES = src/mom/shell/directives.c \
	src/mom/shell/directive_action.c src/mom/shell/directive_lists.c \
	src/mom/shell/directive_paths.c src/mom/shell/directive_values.c \
	src/mom/shell/directive_words.c
pbs_mom_SOURCES = \
	src/mom/shell/action_script.c src/mom/shell/action_script.h \
	src/mom/shell/actions.c src/mom/shell/actions.h \
	src/mom/shell/as_user.c src/mom/shell/as_user.h \
	src/mom/shell/checkpoints.c src/mom/shell/checkpoints.h \
	src/mom/shell/config.c src/mom/shell/config.h \
	src/mom/shell/copy.c src/mom/shell/copy.h \
	src/mom/shell/copy_file.c src/mom/shell/copy_file.h src/mom/shell/links.c src/mom/shell/links.h \
	src/mom/shell/demux.c src/mom/shell/demux.h \
	src/mom/shell/demux_serve.c src/mom/shell/demux_serve.h \
	$(MOM_DIRECTIVES) src/mom/shell/directives.h src/mom/shell/directive_rows.h \
	src/mom/shell/environ.c src/mom/shell/environ.h \
	src/mom/shell/epilogues.c src/mom/shell/epilogues.h \
	src/mom/shell/files.c src/mom/shell/files.h \
	src/mom/shell/home.c src/mom/shell/home.h \
	src/mom/shell/host.c src/mom/shell/host.h \
	src/mom/shell/host_facts.c src/mom/shell/host_facts.h \
	src/mom/shell/host_script.c src/mom/shell/host_script.h \
	src/mom/shell/idle_time.c src/mom/shell/idle_time.h \
	src/mom/shell/job_terminal.c src/mom/shell/job_terminal.h \
	src/mom/shell/job_x11.c src/mom/shell/job_x11.h \
	src/mom/shell/main.c \
	src/mom/shell/monitor.c src/mom/shell/monitor.h \
	src/mom/shell/safe_name.c src/mom/shell/safe_name.h \
	src/mom/shell/plain.c src/mom/shell/plain.h \
	src/mom/shell/node_file.c src/mom/shell/node_file.h \
	src/mom/shell/plan.c src/mom/shell/plan.h \
	src/mom/shell/proc.c src/mom/shell/proc.h \
	src/mom/shell/prologue.c src/mom/shell/prologue.h \
	src/mom/shell/restart.c src/mom/shell/restart.h \
	src/mom/shell/restrict.c src/mom/shell/restrict.h \
	src/mom/shell/restrict_judge.c \
	src/mom/shell/sandbox.c src/mom/shell/sandbox.h \
	src/mom/shell/script.c src/mom/shell/script.h \
	src/mom/shell/script_report.c src/mom/shell/script_report.h \
	src/mom/shell/servers.c \
	src/mom/shell/service.c src/mom/shell/service.h \
	src/mom/shell/shell.c src/mom/shell/shell.h \
	src/mom/shell/sisters.c \
	src/mom/shell/records.c src/mom/shell/records.h \
	src/mom/shell/spawn.c src/mom/shell/spawn.h \
	src/mom/shell/starting.c src/mom/shell/starting.h \
	src/mom/shell/start_output.c \
	src/mom/shell/staged.c src/mom/shell/staged.h \
	src/mom/shell/attaching.c src/mom/shell/attaching.h \
	src/mom/shell/cgroup.c src/mom/shell/cgroup.h \
	src/mom/shell/cpu_list.c src/mom/shell/cpu_list.h \
	src/mom/shell/job_groups.c src/mom/shell/job_groups.h \
	src/mom/shell/signalling.c src/mom/shell/signalling.h \
	src/mom/shell/spawning.c src/mom/shell/spawning.h \
	src/mom/shell/steady.c src/mom/shell/steady.h \
	src/mom/shell/task_service.c src/mom/shell/task_service.h \
	src/mom/shell/adopted.c src/mom/shell/host_task.h \
	src/mom/shell/task_usage.c src/mom/shell/tasks.c \
	src/mom/shell/terminations.c src/mom/shell/terminations.h \
	src/mom/shell/topology.c src/mom/shell/topology.h \
	src/mom/shell/transfer.c src/mom/shell/transfer.h \
	src/mom/shell/tree.c src/mom/shell/tree.h \
	src/mom/shell/usecp.c src/mom/shell/usecp.h \
	src/mom/shell/vnodefile.c src/mom/shell/vnodefile.h
pbs_mom_LDADD = libhfmomcore.la libhfattr.la $(HF_TPP_LIBS)

# What describes the host. Without libhwloc there is none, and pbs_mom says little.
if HWLOC
sbin_PROGRAMS += pbs_topology
pbs_topology_SOURCES = src/mom/topology/pbs_topology.c \
	src/mom/topology/describe.c src/mom/topology/describe.h
pbs_topology_CPPFLAGS = $(AM_CPPFLAGS) $(HWLOC_CFLAGS)
pbs_topology_LDADD = libhfbase.la $(HWLOC_LIBS)
check_PROGRAMS += test/unit/mom/test_describe
TESTS += test/unit/mom/test_describe
test_unit_mom_test_describe_SOURCES = test/unit/mom/test_describe.c \
	src/mom/topology/describe.c
test_unit_mom_test_describe_CPPFLAGS = $(AM_CPPFLAGS) $(HWLOC_CFLAGS)
test_unit_mom_test_describe_LDADD = libhfbase.la $(HWLOC_LIBS) -lcunit
endif

check_PROGRAMS += test/unit/mom/test_cgroup test/unit/mom/test_checkpoint test/unit/mom/test_commit test/unit/mom/test_config test/unit/mom/test_copy test/unit/mom/test_demux \
	test/unit/mom/test_host_facts test/unit/mom/test_hosts test/unit/mom/test_images test/unit/mom/test_job_x11 test/unit/mom/test_load test/unit/mom/test_many_ends test/unit/mom/test_many_tasks test/unit/mom/test_mom test/unit/mom/test_plan test/unit/mom/test_proc test/unit/mom/test_restrict test/unit/mom/test_script test/unit/mom/test_signalling test/unit/mom/test_records test/unit/mom/test_spawning test/unit/mom/test_steady test/unit/mom/test_tasks test/unit/mom/test_telling test/unit/mom/test_terminate test/unit/mom/test_topology \
	test/unit/mom/test_user_files test/unit/mom/test_vnodefile
TESTS += test/unit/mom/test_cgroup test/unit/mom/test_checkpoint test/unit/mom/test_commit test/unit/mom/test_config test/unit/mom/test_copy test/unit/mom/test_demux \
	test/unit/mom/test_host_facts test/unit/mom/test_hosts test/unit/mom/test_images test/unit/mom/test_job_x11 test/unit/mom/test_load test/unit/mom/test_many_ends test/unit/mom/test_many_tasks test/unit/mom/test_mom test/unit/mom/test_plan test/unit/mom/test_proc test/unit/mom/test_restrict test/unit/mom/test_script test/unit/mom/test_signalling test/unit/mom/test_records test/unit/mom/test_spawning test/unit/mom/test_steady test/unit/mom/test_tasks test/unit/mom/test_telling test/unit/mom/test_terminate test/unit/mom/test_topology \
	test/unit/mom/test_user_files test/unit/mom/test_vnodefile
test_unit_mom_test_cgroup_SOURCES = test/unit/mom/test_cgroup.c \
	src/mom/shell/cgroup.c src/mom/shell/cpu_list.c
test_unit_mom_test_cgroup_LDADD = libhfbase.la -lcunit
test_unit_mom_test_copy_SOURCES = test/unit/mom/test_copy.c \
	src/mom/shell/copy.c src/mom/shell/copy_file.c src/mom/shell/links.c src/mom/shell/plain.c \
	src/mom/shell/sandbox.c src/mom/shell/staged.c src/mom/shell/transfer.c src/mom/shell/tree.c \
	src/mom/shell/usecp.c
test_unit_mom_test_copy_LDADD = libhfconf.la libhfwire.la libhfbase.la -lcunit
test_unit_mom_test_demux_SOURCES = test/unit/mom/test_demux.c \
	src/mom/shell/demux.c src/mom/shell/demux_serve.c src/mom/shell/plain.c
test_unit_mom_test_demux_LDADD = libhfio.la libhfconf.la libhfwire.la libhfbase.la -lcunit
test_unit_mom_test_hosts_SOURCES = test/unit/mom/test_hosts.c \
	test/unit/mom/three_hosts.h test/unit/mom/node1.h
test_unit_mom_test_hosts_LDADD = libhfmomcore.la libhfattr.la libhfwire.la libhfbase.la \
	-lcunit -lm
test_unit_mom_test_job_x11_SOURCES = test/unit/mom/test_job_x11.c \
	src/mom/shell/job_terminal.c src/mom/shell/job_x11.c src/mom/shell/proc.c
test_unit_mom_test_job_x11_LDADD = libhfattr.la libhfio.la libhfconf.la libhfwire.la \
	libhfbase.la -lcunit
test_unit_mom_test_images_SOURCES = test/unit/mom/test_images.c \
	test/unit/mom/three_hosts.h test/unit/mom/node1.h
test_unit_mom_test_images_LDADD = libhfmomcore.la libhfattr.la libhfwire.la \
	libhfbase.la -lcunit -lm
test_unit_mom_test_checkpoint_SOURCES = test/unit/mom/test_checkpoint.c \
	test/unit/mom/bench.h test/unit/mom/node1.h
test_unit_mom_test_checkpoint_LDADD = libhfmomcore.la libhfattr.la libhfwire.la \
	libhfbase.la -lcunit -lm
test_unit_mom_test_proc_SOURCES = test/unit/mom/test_proc.c test/unit/mom/walks.h \
	src/mom/shell/proc.c
test_unit_mom_test_proc_LDADD = libhfbase.la -lcunit
test_unit_mom_test_restrict_SOURCES = test/unit/mom/test_restrict.c \
	src/mom/shell/idle_time.c src/mom/shell/proc.c src/mom/shell/restrict_judge.c
test_unit_mom_test_restrict_LDADD = libhfbase.la -lcunit
test_unit_mom_test_terminate_SOURCES = test/unit/mom/test_terminate.c \
	test/unit/mom/bench.h test/unit/mom/node1.h
test_unit_mom_test_terminate_LDADD = libhfmomcore.la libhfattr.la libhfwire.la \
	libhfbase.la -lcunit -lm
test_unit_mom_test_load_SOURCES = test/unit/mom/test_load.c test/unit/mom/bench.h \
	test/unit/mom/node1.h
test_unit_mom_test_load_LDADD = libhfmomcore.la libhfattr.la libhfwire.la libhfbase.la \
	-lcunit -lm
test_unit_mom_test_telling_SOURCES = test/unit/mom/test_telling.c test/unit/mom/bench.h \
	test/unit/mom/node1.h
test_unit_mom_test_telling_LDADD = libhfmomcore.la libhfattr.la libhfwire.la libhfbase.la \
	-lcunit -lm
test_unit_mom_test_commit_SOURCES = test/unit/mom/test_commit.c test/unit/mom/bench.h \
	test/unit/mom/node1.h
test_unit_mom_test_commit_LDADD = libhfmomcore.la libhfattr.la libhfwire.la libhfbase.la \
	-lcunit -lm
test_unit_mom_test_many_ends_SOURCES = test/unit/mom/test_many_ends.c \
	test/unit/mom/bench.h test/unit/mom/node1.h
test_unit_mom_test_many_tasks_SOURCES = test/unit/mom/test_many_tasks.c \
	test/unit/mom/bench.h test/unit/mom/node1.h
test_unit_mom_test_many_tasks_LDADD = libhfmomcore.la libhfattr.la libhfwire.la \
	libhfbase.la -lcunit -lm
test_unit_mom_test_many_ends_LDADD = libhfmomcore.la libhfattr.la libhfwire.la \
	libhfbase.la -lcunit -lm
test_unit_mom_test_mom_SOURCES = test/unit/mom/test_mom.c test/unit/mom/bench.h \
	test/unit/mom/node1.h
test_unit_mom_test_mom_LDADD = libhfmomcore.la libhfattr.la libhfwire.la libhfbase.la \
	-lcunit -lm
test_unit_mom_test_host_facts_SOURCES = test/unit/mom/test_host_facts.c \
	src/mom/shell/host_facts.c src/mom/shell/host_script.c \
	src/mom/shell/idle_time.c src/mom/shell/proc.c src/mom/shell/script.c
test_unit_mom_test_host_facts_LDADD = libhfio.la libhfconf.la libhfwire.la libhfbase.la \
	-lcunit
test_unit_mom_test_config_SOURCES = test/unit/mom/test_config.c \
	src/mom/shell/cgroup.c src/mom/shell/config.c src/mom/shell/cpu_list.c \
	$(MOM_DIRECTIVES) src/mom/shell/home.c src/mom/shell/plain.c src/mom/shell/host_script.c \
	src/mom/shell/script.c src/mom/shell/vnodefile.c
test_unit_mom_test_config_LDADD = libhfio.la libhfconf.la libhfwire.la libhfbase.la -lcunit
test_unit_mom_test_vnodefile_SOURCES = test/unit/mom/test_vnodefile.c \
	src/mom/shell/environ.c src/mom/shell/home.c src/mom/shell/plain.c src/mom/shell/vnodefile.c
test_unit_mom_test_vnodefile_LDADD = libhfio.la libhfconf.la libhfwire.la libhfbase.la \
	-lcunit

test_unit_mom_test_plan_SOURCES = test/unit/mom/test_plan.c \
	src/mom/shell/environ.c src/mom/shell/home.c src/mom/shell/plain.c src/mom/shell/node_file.c \
	src/mom/shell/plan.c src/mom/shell/sandbox.c src/mom/shell/usecp.c
test_unit_mom_test_plan_LDADD = libhfattr.la libhfio.la libhfconf.la \
	libhfwire.la libhfbase.la -lcunit
test_unit_mom_test_script_SOURCES = test/unit/mom/test_script.c \
	src/mom/shell/environ.c src/mom/shell/home.c src/mom/shell/node_file.c \
	src/mom/shell/plain.c src/mom/shell/plan.c src/mom/shell/prologue.c \
	src/mom/shell/sandbox.c \
	src/mom/shell/script.c src/mom/shell/usecp.c
test_unit_mom_test_script_LDADD = libhfattr.la libhfio.la libhfconf.la \
	libhfwire.la libhfbase.la -lcunit
test_unit_mom_test_steady_SOURCES = test/unit/mom/test_steady.c \
	src/mom/shell/home.c src/mom/shell/plain.c src/mom/shell/proc.c src/mom/shell/steady.c
test_unit_mom_test_steady_LDADD = libhfio.la libhfconf.la libhfwire.la libhfbase.la \
	-lcunit
test_unit_mom_test_records_SOURCES = test/unit/mom/test_records.c \
	src/mom/shell/home.c src/mom/shell/plain.c src/mom/shell/records.c
test_unit_mom_test_records_LDADD = libhfio.la libhfconf.la libhfwire.la libhfbase.la \
	-lcunit
check_PROGRAMS += test/unit/mom/test_no_process
TESTS += test/unit/mom/test_no_process
test_unit_mom_test_no_process_SOURCES = test/unit/mom/test_no_process.c \
	src/mom/shell/as_user.c src/mom/shell/copy.c \
	src/mom/shell/copy_file.c src/mom/shell/links.c src/mom/shell/environ.c src/mom/shell/files.c \
	src/mom/shell/home.c src/mom/shell/job_terminal.c src/mom/shell/job_x11.c \
	src/mom/shell/node_file.c src/mom/shell/plain.c src/mom/shell/plan.c \
	src/mom/shell/proc.c src/mom/shell/prologue.c \
	src/mom/shell/safe_name.c src/mom/shell/sandbox.c src/mom/shell/script.c \
	src/mom/shell/spawn.c src/mom/shell/staged.c src/mom/shell/start_output.c \
	src/mom/shell/starting.c src/mom/shell/transfer.c src/mom/shell/tree.c \
	src/mom/shell/usecp.c
test_unit_mom_test_no_process_LDADD = libhfattr.la libhfio.la libhfconf.la \
	libhfwire.la libhfbase.la -lcunit
test_unit_mom_test_spawning_SOURCES = test/unit/mom/test_spawning.c \
	src/mom/shell/spawning.c
test_unit_mom_test_spawning_LDADD = libhfio.la libhfconf.la libhfwire.la libhfbase.la -lcunit
test_unit_mom_test_signalling_SOURCES = test/unit/mom/test_signalling.c \
	test/unit/mom/walks.h src/mom/shell/proc.c src/mom/shell/signalling.c
test_unit_mom_test_signalling_LDADD = libhfio.la libhfconf.la libhfwire.la libhfbase.la -lcunit
test_unit_mom_test_tasks_SOURCES = test/unit/mom/test_tasks.c test/unit/mom/node1.h \
	test/unit/mom/walks.h src/mom/shell/signalling.c \
	src/mom/shell/adopted.c src/mom/shell/task_usage.c \
	src/mom/shell/cgroup.c src/mom/shell/cpu_list.c src/mom/shell/home.c src/mom/shell/plain.c \
	src/mom/shell/job_groups.c src/mom/shell/proc.c src/mom/shell/sandbox.c \
	src/mom/shell/records.c src/mom/shell/tasks.c
test_unit_mom_test_tasks_LDADD = libhfmomcore.la libhfattr.la libhfio.la libhfconf.la \
	libhfwire.la libhfbase.la -lcunit -lm
test_unit_mom_test_topology_SOURCES = test/unit/mom/test_topology.c \
	src/mom/shell/topology.c
test_unit_mom_test_topology_LDADD = libhfio.la libhfconf.la libhfwire.la libhfbase.la \
	-lcunit
test_unit_mom_test_user_files_SOURCES = test/unit/mom/test_user_files.c \
	src/mom/shell/as_user.c src/mom/shell/safe_name.c src/mom/shell/plain.c \
	src/mom/shell/tree.c
test_unit_mom_test_user_files_LDADD = libhfio.la libhfconf.la libhfwire.la libhfbase.la \
	-lcunit

EXTRA_DIST += src/mom/README.md
