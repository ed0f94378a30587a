# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += src/lib/ifl/README.md
include_HEADERS += src/include/pbs_ifl.h src/include/pbs_error.h

lib_LTLIBRARIES += libpbs.la
libpbs_la_SOURCES = \
	src/include/pbs_ifl.h \
	src/lib/ifl/admin.c \
	src/lib/ifl/ask.c \
	src/lib/ifl/authenticate.c \
	src/lib/ifl/calls.h \
	src/lib/ifl/connect.c \
	src/lib/ifl/convert.c \
	src/lib/ifl/delete.c \
	src/lib/ifl/entry.c \
	src/lib/ifl/handle.c \
	src/lib/ifl/ifl.h \
	src/lib/ifl/job.c \
	src/lib/ifl/resv.c \
	src/lib/ifl/resvport.c \
	src/lib/ifl/settings.c \
	src/lib/ifl/state.c \
	src/lib/ifl/stathost.c \
	src/lib/ifl/status.c \
	src/lib/ifl/submit.c \
	src/lib/ifl/verify.c
libpbs_la_LIBADD = libhfconf.la libhfwire.la libhfattr.la libhfbase.la -lpthread
# The soname is libpbs.so.0.
libpbs_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined \
	-export-symbols-regex '^(pbs_|pfn_pbs_|__pbs_errno_location$$|__pbs_server_location$$|set_no_attribute_verification$$)'

pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = src/lib/ifl/libpbs.pc

check_PROGRAMS += test/unit/ifl/test_ifl
TESTS += test/unit/ifl/test_ifl
test_unit_ifl_test_ifl_SOURCES = test/unit/ifl/test_ifl.c \
	test/unit/ifl/fake.c test/unit/ifl/fake.h
test_unit_ifl_test_ifl_LDADD = libpbs.la libhfwire.la libhfbase.la -lcunit
check_PROGRAMS += test/unit/ifl/test_tcp
TESTS += test/unit/ifl/test_tcp
test_unit_ifl_test_tcp_SOURCES = test/unit/ifl/test_tcp.c \
	test/unit/ifl/fake.c test/unit/ifl/fake.h
test_unit_ifl_test_tcp_LDADD = libpbs.la libhfwire.la libhfbase.la -lcunit
