# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libhfwire.la
libhfwire_la_SOURCES = \
	src/lib/wire/batch.c src/lib/wire/batch.h \
	src/lib/wire/batch_table.c \
	src/lib/wire/dis.c src/lib/wire/dis.h \
	src/lib/wire/dis_float.c \
	src/lib/wire/field.c src/lib/wire/field.h \
	src/lib/wire/field_dump.c \
	src/lib/wire/field_random.c \
	src/lib/wire/packet.c src/lib/wire/packet.h \
	src/lib/wire/reply.c \
	src/lib/wire/tpp.c src/lib/wire/tpp.h
libhfwire_la_LIBADD = libhfbase.la -lm

check_PROGRAMS += test/unit/wire/test_dis
TESTS += test/unit/wire/test_dis
test_unit_wire_test_dis_SOURCES = test/unit/wire/test_dis.c
test_unit_wire_test_dis_LDADD = libhfwire.la -lcunit

check_PROGRAMS += test/unit/wire/test_batch
TESTS += test/unit/wire/test_batch
test_unit_wire_test_batch_SOURCES = test/unit/wire/test_batch.c
test_unit_wire_test_batch_LDADD = libhfwire.la -lcunit
