# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libhfrouter.la
libhfrouter_la_SOURCES = \
	src/comm/router.h \
	src/comm/router/forward.c \
	src/comm/router/join.c \
	src/comm/router/router.c \
	src/comm/router/table.c src/comm/router/table.h

sbin_PROGRAMS += pbs_comm
pbs_comm_SOURCES = \
	src/comm/shell/main.c \
	src/comm/shell/prove.c src/comm/shell/reload.c \
	src/comm/shell/shell.c src/comm/shell/shell.h \
	src/comm/shell/trusted.c
pbs_comm_LDADD = libhfrouter.la $(HF_TPP_LIBS)

check_PROGRAMS += test/unit/comm/test_router
TESTS += test/unit/comm/test_router
test_unit_comm_test_router_SOURCES = test/unit/comm/test_router.c
test_unit_comm_test_router_LDADD = libhfrouter.la libhftppcore.la libhfwire.la \
	libhfbase.la $(ZLIB_LIBS) -lcunit -lm

EXTRA_DIST += src/comm/README.md
