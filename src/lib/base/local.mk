# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libhfbase.la
libhfbase_la_SOURCES = \
	src/include/pbs_error.h \
	src/lib/base/arena.c src/lib/base/arena.h \
	src/lib/base/attrs.c src/lib/base/attrs.h \
	src/lib/base/base.h \
	src/lib/base/base64.c src/lib/base/base64.h \
	src/lib/base/buf.c src/lib/base/buf.h \
	src/lib/base/date.c src/lib/base/date.h \
	src/lib/base/deadlines.c src/lib/base/deadlines.h \
	src/lib/base/diag.c src/lib/base/diag.h \
	src/lib/base/instant.h \
	src/lib/base/log.c src/lib/base/log.h \
	src/lib/base/must.c src/lib/base/must.h \
	src/lib/base/numbers.c src/lib/base/numbers.h \
	src/lib/base/pbse.c \
	src/lib/base/printable.c src/lib/base/printable.h \
	src/lib/base/ranks.c src/lib/base/ranks.h \
	src/lib/base/rnd.h \
	src/lib/base/shares.c src/lib/base/shares.h \
	src/lib/base/version.h \
	src/lib/base/xmem.c

check_PROGRAMS += test/unit/base/test_base
TESTS += test/unit/base/test_base
test_unit_base_test_base_SOURCES = test/unit/base/test_base.c
test_unit_base_test_base_LDADD = libhfbase.la -lcunit

check_PROGRAMS += test/unit/base/test_ranks
TESTS += test/unit/base/test_ranks
test_unit_base_test_ranks_SOURCES = test/unit/base/test_ranks.c
test_unit_base_test_ranks_LDADD = libhfbase.la -lcunit

check_PROGRAMS += test/unit/base/test_deadlines
TESTS += test/unit/base/test_deadlines
test_unit_base_test_deadlines_SOURCES = test/unit/base/test_deadlines.c
test_unit_base_test_deadlines_LDADD = libhfbase.la -lcunit

check_PROGRAMS += test/unit/base/test_date
TESTS += test/unit/base/test_date
test_unit_base_test_date_SOURCES = test/unit/base/test_date.c
test_unit_base_test_date_LDADD = libhfbase.la -lcunit

check_PROGRAMS += test/unit/base/test_numbers
TESTS += test/unit/base/test_numbers
test_unit_base_test_numbers_SOURCES = test/unit/base/test_numbers.c
test_unit_base_test_numbers_LDADD = libhfbase.la -lcunit

check_PROGRAMS += test/unit/base/test_printable
TESTS += test/unit/base/test_printable
test_unit_base_test_printable_SOURCES = test/unit/base/test_printable.c
test_unit_base_test_printable_LDADD = libhfbase.la -lcunit

check_PROGRAMS += test/unit/base/test_rnd
TESTS += test/unit/base/test_rnd
test_unit_base_test_rnd_SOURCES = test/unit/base/test_rnd.c
test_unit_base_test_rnd_LDADD = libhfbase.la -lcunit

check_PROGRAMS += test/unit/base/test_shares
TESTS += test/unit/base/test_shares
test_unit_base_test_shares_SOURCES = test/unit/base/test_shares.c
test_unit_base_test_shares_LDADD = libhfbase.la -lcunit

EXTRA_DIST += src/lib/base/README.md
