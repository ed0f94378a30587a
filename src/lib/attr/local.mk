# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libhfattr.la
libhfattr_la_SOURCES = \
	src/lib/attr/acl.c src/lib/attr/acl.h \
	src/lib/attr/bounds.c src/lib/attr/bounds.h \
	src/lib/attr/check.c src/lib/attr/check.h \
	src/lib/attr/chunk.c src/lib/attr/chunk.h \
	src/lib/attr/convert.c \
	src/lib/attr/exec_vnode.c \
	src/lib/attr/execvnodes.c src/lib/attr/execvnodes.h \
	src/lib/attr/formula.c src/lib/attr/formula.h \
	src/lib/attr/hook_attrs.c src/lib/attr/hook_attrs.h \
	src/lib/attr/ids.c src/lib/attr/ids.h \
	src/lib/attr/indices.c src/lib/attr/indices.h \
	src/lib/attr/job_attrs.c src/lib/attr/job_attrs.h \
	src/lib/attr/job_script.c src/lib/attr/job_script.h \
	src/lib/attr/list_edit.c src/lib/attr/list_edit.h \
	src/lib/attr/node_attrs.c src/lib/attr/node_attrs.h \
	src/lib/attr/node_state.c src/lib/attr/node_state.h \
	src/lib/attr/number_ops.c src/lib/attr/number_ops.h \
	src/lib/attr/place.c \
	src/lib/attr/preempt.c src/lib/attr/preempt.h \
	src/lib/attr/queue_attrs.c src/lib/attr/queue_attrs.h \
	src/lib/attr/resource.c src/lib/attr/resource.h \
	src/lib/attr/resource_sums.c src/lib/attr/resource_sums.h \
	src/lib/attr/resv_attrs.c src/lib/attr/resv_attrs.h \
	src/lib/attr/resv_number.h \
	src/lib/attr/resv_words.c src/lib/attr/resv_words.h \
	src/lib/attr/row.c src/lib/attr/row.h \
	src/lib/attr/sched_attrs.c src/lib/attr/sched_attrs.h \
	src/lib/attr/schedselect.c \
	src/lib/attr/select.c src/lib/attr/select.h \
	src/lib/attr/server_attrs.c src/lib/attr/server_attrs.h \
	src/lib/attr/type_bits.c \
	src/lib/attr/type_duration.c \
	src/lib/attr/run_limit.c src/lib/attr/run_limit.h \
	src/lib/attr/type_limits.c \
	src/lib/attr/type_number.c \
	src/lib/attr/type_resources.c \
	src/lib/attr/type_size.c \
	src/lib/attr/type_strings.c \
	src/lib/attr/type_text.c \
	src/lib/attr/value.c src/lib/attr/value.h \
	src/lib/attr/who.h

check_PROGRAMS += test/unit/attr/test_values test/unit/attr/test_rows \
	test/unit/attr/test_select test/unit/attr/test_ids test/unit/attr/test_without_effect test/unit/attr/test_sweep \
	test/unit/attr/test_formula test/unit/attr/test_list_edit \
	test/unit/attr/test_execvnodes test/unit/attr/test_members \
	test/unit/attr/test_indices test/unit/attr/test_preempt
TESTS += test/unit/attr/test_values test/unit/attr/test_rows \
	test/unit/attr/test_select test/unit/attr/test_ids test/unit/attr/test_without_effect test/unit/attr/test_sweep \
	test/unit/attr/test_formula test/unit/attr/test_list_edit \
	test/unit/attr/test_execvnodes test/unit/attr/test_members \
	test/unit/attr/test_indices test/unit/attr/test_preempt
test_unit_attr_test_execvnodes_SOURCES = test/unit/attr/test_execvnodes.c
test_unit_attr_test_execvnodes_LDADD = libhfattr.la libhfbase.la -lcunit
test_unit_attr_test_members_SOURCES = test/unit/attr/test_members.c
test_unit_attr_test_members_LDADD = libhfattr.la libhfbase.la -lcunit
test_unit_attr_test_members_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=strcasecmp
test_unit_attr_test_list_edit_SOURCES = test/unit/attr/test_list_edit.c
test_unit_attr_test_list_edit_LDADD = libhfattr.la libhfbase.la -lcunit
test_unit_attr_test_values_SOURCES = test/unit/attr/test_values.c
test_unit_attr_test_values_LDADD = libhfattr.la libhfbase.la -lcunit
test_unit_attr_test_rows_SOURCES = test/unit/attr/test_rows.c
test_unit_attr_test_rows_CPPFLAGS = $(AM_CPPFLAGS) \
	-DGOLDEN_ATTRIBUTES='"$(abs_top_srcdir)/test/golden/attributes.txt"'
EXTRA_DIST += test/golden/attributes.txt
test_unit_attr_test_rows_LDADD = libhfattr.la libhfbase.la -lcunit
test_unit_attr_test_select_SOURCES = test/unit/attr/test_select.c
test_unit_attr_test_select_LDADD = libhfattr.la libhfbase.la -lcunit
test_unit_attr_test_preempt_SOURCES = test/unit/attr/test_preempt.c
test_unit_attr_test_preempt_LDADD = libhfattr.la libhfbase.la -lcunit
test_unit_attr_test_indices_SOURCES = test/unit/attr/test_indices.c
test_unit_attr_test_indices_LDADD = libhfattr.la libhfbase.la -lcunit
test_unit_attr_test_without_effect_SOURCES = test/unit/attr/test_without_effect.c
test_unit_attr_test_without_effect_CPPFLAGS = $(AM_CPPFLAGS) \
	-DTHE_PAGE='"$(abs_top_srcdir)/doc/attributes-without-effect.md"'
test_unit_attr_test_without_effect_LDADD = libhfattr.la libhfbase.la -lcunit
test_unit_attr_test_ids_SOURCES = test/unit/attr/test_ids.c
test_unit_attr_test_ids_LDADD = libhfattr.la libhfbase.la -lcunit
test_unit_attr_test_sweep_SOURCES = test/unit/attr/test_sweep.c
test_unit_attr_test_sweep_LDADD = libhfattr.la libhfbase.la -lcunit

test_unit_attr_test_formula_SOURCES = test/unit/attr/test_formula.c
test_unit_attr_test_formula_LDADD = libhfattr.la libhfbase.la -lcunit

EXTRA_DIST += src/lib/attr/README.md
