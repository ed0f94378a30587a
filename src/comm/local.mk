# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libhfrouter.la
libhfrouter_la_SOURCES = \
	src/comm/router.h \
	src/comm/router/forward.c \
	src/comm/router/join.c \
	src/comm/router/router.c \
	src/comm/router/table.c src/comm/router/table.h
libhfrouter_la_LIBADD = libhftppcore.la

check_PROGRAMS += test/unit/comm/test_router
TESTS += test/unit/comm/test_router
test_unit_comm_test_router_SOURCES = test/unit/comm/test_router.c
test_unit_comm_test_router_LDADD = libhfrouter.la -lcunit
