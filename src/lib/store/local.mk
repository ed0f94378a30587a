# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += src/lib/store/README.md
noinst_LTLIBRARIES += libhfstore.la
libhfstore_la_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS)
libhfstore_la_LIBADD = $(SQLITE_LIBS)
libhfstore_la_SOURCES = \
	src/lib/store/backend.h \
	src/lib/store/memory.c \
	src/lib/store/sqlite.c \
	src/lib/store/store.c src/lib/store/store.h

check_PROGRAMS += test/unit/store/test_store
TESTS += test/unit/store/test_store
test_unit_store_test_store_SOURCES = test/unit/store/test_store.c
test_unit_store_test_store_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS)
test_unit_store_test_store_LDADD = libhfstore.la libhfbase.la $(SQLITE_LIBS) -lcunit
