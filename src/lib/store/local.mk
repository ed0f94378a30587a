# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += src/lib/store/README.md
noinst_LTLIBRARIES += libhfstore.la
libhfstore_la_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS) $(PQ_CFLAGS)
libhfstore_la_LIBADD = $(SQLITE_LIBS) $(PQ_LIBS)
libhfstore_la_SOURCES = \
	src/lib/store/backend.h \
	src/lib/store/changes_text.c src/lib/store/changes_text.h \
	src/lib/store/json_text.c src/lib/store/json_text.h \
	src/lib/store/made_text.c src/lib/store/made_text.h \
	src/lib/store/memory.c \
	src/lib/store/object_rows.c src/lib/store/object_rows.h \
	src/lib/store/batch_sum.c src/lib/store/batch_sum.h \
	src/lib/store/peek.c \
	src/lib/store/password.c src/lib/store/password.h \
	src/lib/store/pg.c \
	src/lib/store/pg_batch.c src/lib/store/pg_batch.h \
	src/lib/store/pg_objects.c src/lib/store/pg_objects.h \
	src/lib/store/pg_peek.c \
	src/lib/store/pg_link.c src/lib/store/pg_link.h \
	src/lib/store/pg_schema.c src/lib/store/pg_schema.h \
	src/lib/store/pg_text.c src/lib/store/pg_text.h \
	src/lib/store/rows.c src/lib/store/rows.h \
	src/lib/store/sqlite.c \
	src/lib/store/sqlite_objects.c src/lib/store/sqlite_objects.h \
	src/lib/store/sqlite_peek.c \
	src/lib/store/sqlite_schema.c src/lib/store/sqlite_schema.h \
	src/lib/store/store.c src/lib/store/store.h \
	src/lib/store/views.c src/lib/store/views.h

check_PROGRAMS += test/unit/store/test_store
TESTS += test/unit/store/test_store
test_unit_store_test_store_SOURCES = test/unit/store/test_store.c \
	test/unit/store/suite.c test/unit/store/suite.h
test_unit_store_test_store_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS)
test_unit_store_test_store_LDADD = libhfstore.la libhfbase.la $(SQLITE_LIBS) $(PQ_LIBS) -lcunit

check_PROGRAMS += test/unit/store/test_store_pg
TESTS += test/unit/store/test_store_pg
test_unit_store_test_store_pg_SOURCES = test/unit/store/test_store_pg.c \
	test/unit/store/pg_server.c test/unit/store/pg_server.h \
	test/unit/store/suite.c test/unit/store/suite.h
test_unit_store_test_store_pg_CPPFLAGS = $(AM_CPPFLAGS) $(PQ_CFLAGS)
test_unit_store_test_store_pg_LDADD = libhfstore.la libhfbase.la $(SQLITE_LIBS) $(PQ_LIBS) -lcunit
