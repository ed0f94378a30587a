# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libhfwire.la
libhfwire_la_SOURCES = \
	src/lib/wire/dis.c src/lib/wire/dis.h \
	src/lib/wire/dis_float.c \
	src/lib/wire/packet.c src/lib/wire/packet.h \
	src/lib/wire/tpp.c src/lib/wire/tpp.h
libhfwire_la_LIBADD = libhfbase.la -lm

check_PROGRAMS += test/unit/wire/test_dis
TESTS += test/unit/wire/test_dis
test_unit_wire_test_dis_SOURCES = test/unit/wire/test_dis.c
test_unit_wire_test_dis_LDADD = libhfwire.la -lcunit
