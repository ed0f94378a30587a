# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += src/lib/ifl/README.md src/lib/ifl/libpbs.sym
include_HEADERS += src/include/pbs_ifl.h src/include/pbs_error.h src/include/tm.h

noinst_LTLIBRARIES += libhfifl.la
libhfifl_la_SOURCES = \
	src/lib/ifl/admin.c \
	src/lib/ifl/ask.c \
	src/lib/ifl/authenticate.c \
	src/lib/ifl/calls.h \
	src/lib/ifl/connect.c \
	src/lib/ifl/ifl_convert.c \
	src/lib/ifl/delete.c \
	src/lib/ifl/entry.c \
	src/lib/ifl/failover.c \
	src/lib/ifl/handle.c \
	src/lib/ifl/ifl.h \
	src/lib/ifl/job.c \
	src/lib/ifl/paths.c \
	src/lib/ifl/resources.c \
	src/lib/ifl/resv.c \
	src/lib/ifl/resv_act.c \
	src/lib/ifl/iff_vouch.c \
	src/lib/ifl/rules.c \
	src/lib/ifl/rules.h \
	src/lib/ifl/settings.c \
	src/lib/ifl/state.c \
	src/lib/ifl/stathost.c \
	src/lib/ifl/status.c \
	src/lib/ifl/subjobs.c \
	src/lib/ifl/submit.c \
	src/lib/ifl/tm_calls.c \
	src/lib/ifl/tm_talk.c src/lib/ifl/tm_talk.h \
	src/lib/ifl/verify.c

ifl_libs = libhfifl.la libhfmethod.la libhfconf.la libhfwire.la libhfattr.la libhfbase.la -lpthread
lib_LTLIBRARIES += libpbs.la
libpbs_la_SOURCES = src/include/pbs_ifl.h
libpbs_la_LIBADD = $(ifl_libs)
# The soname is libpbs.so.0; nothing but what libpbs.sym lists can be seen.
libpbs_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined \
	-export-symbols $(srcdir)/src/lib/ifl/libpbs.sym

pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = src/lib/ifl/pbs.pc

check_PROGRAMS += test/unit/ifl/test_ifl
TESTS += test/unit/ifl/test_ifl
test_unit_ifl_test_ifl_SOURCES = test/unit/ifl/test_ifl.c \
	test/unit/ifl/fake.c test/unit/ifl/fake.h
test_unit_ifl_test_ifl_LDADD = libpbs.la libhfattr.la libhfwire.la libhfbase.la -lcunit
check_PROGRAMS += test/unit/ifl/test_tcp
TESTS += test/unit/ifl/test_tcp
test_unit_ifl_test_tcp_SOURCES = test/unit/ifl/test_tcp.c \
	test/unit/ifl/fake.c test/unit/ifl/fake.h
test_unit_ifl_test_tcp_LDADD = libpbs.la libhfwire.la libhfbase.la -lcunit
check_PROGRAMS += test/unit/ifl/test_tm
TESTS += test/unit/ifl/test_tm
test_unit_ifl_test_tm_SOURCES = test/unit/ifl/test_tm.c
test_unit_ifl_test_tm_LDADD = libpbs.la libhfwire.la libhfbase.la -lcunit
# Each allocation fails once: linked with the library's parts, since what a shared
# library calls cannot be replaced in it.
check_PROGRAMS += test/unit/ifl/test_memory
TESTS += test/unit/ifl/test_memory
test_unit_ifl_test_memory_SOURCES = test/unit/ifl/test_memory.c
test_unit_ifl_test_memory_LDADD = $(ifl_libs) -lcunit
test_unit_ifl_test_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc \
	-Wl,--wrap=realloc,--wrap=strdup,--wrap=strndup
check_PROGRAMS += test/unit/ifl/test_subjobs test/unit/ifl/test_verify
TESTS += test/unit/ifl/test_subjobs test/unit/ifl/test_verify
test_unit_ifl_test_subjobs_SOURCES = test/unit/ifl/test_subjobs.c
test_unit_ifl_test_subjobs_LDADD = $(ifl_libs) -lcunit
test_unit_ifl_test_verify_SOURCES = test/unit/ifl/test_verify.c
test_unit_ifl_test_verify_LDADD = libpbs.la -lcunit
check_PROGRAMS += test/unit/ifl/test_threads
TESTS += test/unit/ifl/test_threads
test_unit_ifl_test_threads_SOURCES = test/unit/ifl/test_threads.c
test_unit_ifl_test_threads_LDADD = $(ifl_libs) -lcunit
check_PROGRAMS += test/unit/ifl/test_answers
TESTS += test/unit/ifl/test_answers
test_unit_ifl_test_answers_SOURCES = test/unit/ifl/test_answers.c
test_unit_ifl_test_answers_LDADD = $(ifl_libs) -lcunit
test_unit_ifl_test_answers_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc \
	-Wl,--wrap=realloc
check_PROGRAMS += test/unit/ifl/test_paths
TESTS += test/unit/ifl/test_paths
test_unit_ifl_test_paths_SOURCES = test/unit/ifl/test_paths.c
test_unit_ifl_test_paths_LDADD = $(ifl_libs) -lcunit
