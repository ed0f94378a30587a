# SPDX-License-Identifier: Apache-2.0
#
# libhfconf is what libpbs needs of this room: no event loop behind it.
noinst_LTLIBRARIES += libhfconf.la libhfio.la
libhfconf_la_SOURCES = \
	src/lib/io/clock.c src/lib/io/clock.h \
	src/lib/io/conf.c src/lib/io/conf.h \
	src/lib/io/net.c src/lib/io/net.h \
	src/lib/io/relay.c src/lib/io/relay.h

libhfio_la_CPPFLAGS = $(AM_CPPFLAGS) $(EVENT_CFLAGS)
libhfio_la_LIBADD = $(EVENT_LIBS)
libhfio_la_SOURCES = \
	src/lib/io/child.c src/lib/io/child.h \
	src/lib/io/conn.c src/lib/io/conn.h src/lib/io/conn_priv.h \
	src/lib/io/conn_input.c \
	src/lib/io/conn_output.c \
	src/lib/io/daemon.c src/lib/io/daemon.h \
	src/lib/io/heap.c src/lib/io/heap.h \
	src/lib/io/listen.c src/lib/io/listen.h \
	src/lib/io/logfile.c src/lib/io/logfile.h \
	src/lib/io/loop.c src/lib/io/loop.h src/lib/io/loop_priv.h \
	src/lib/io/loop_child.c \
	src/lib/io/loop_notify.c \
	src/lib/io/net_ask.c src/lib/io/net_ask.h \
	src/lib/io/pool.c src/lib/io/pool.h \
	src/lib/io/protect.c src/lib/io/protect.h \
	src/lib/io/site_env.c src/lib/io/site_env.h \
	src/lib/io/startup.c src/lib/io/startup.h \
	src/lib/io/zonefile.c src/lib/io/zonefile.h

check_PROGRAMS += test/unit/io/test_conf test/unit/io/test_conn test/unit/io/test_loop \
	test/unit/io/test_logfile test/unit/io/test_startup
TESTS += test/unit/io/test_conf test/unit/io/test_conn test/unit/io/test_loop \
	test/unit/io/test_logfile test/unit/io/test_startup
check_PROGRAMS += test/unit/io/test_heap
TESTS += test/unit/io/test_heap
test_unit_io_test_heap_SOURCES = test/unit/io/test_heap.c
test_unit_io_test_heap_LDADD = libhfio.la libhfbase.la -lcunit
check_PROGRAMS += test/unit/io/test_relay
TESTS += test/unit/io/test_relay
test_unit_io_test_relay_SOURCES = test/unit/io/test_relay.c
test_unit_io_test_relay_LDADD = libhfconf.la libhfbase.la -lcunit
check_PROGRAMS += test/unit/io/test_protect
TESTS += test/unit/io/test_protect
test_unit_io_test_protect_SOURCES = test/unit/io/test_protect.c
test_unit_io_test_protect_LDADD = libhfio.la libhfconf.la libhfbase.la -lcunit
check_PROGRAMS += test/unit/io/test_site_env
TESTS += test/unit/io/test_site_env
test_unit_io_test_site_env_SOURCES = test/unit/io/test_site_env.c
test_unit_io_test_site_env_LDADD = libhfio.la libhfbase.la -lcunit
check_PROGRAMS += test/unit/io/test_pool
TESTS += test/unit/io/test_pool
test_unit_io_test_pool_SOURCES = test/unit/io/test_pool.c
test_unit_io_test_pool_LDADD = libhfio.la libhfbase.la -lcunit -lpthread
check_PROGRAMS += test/unit/io/test_zonefile
TESTS += test/unit/io/test_zonefile
test_unit_io_test_zonefile_SOURCES = test/unit/io/test_zonefile.c
test_unit_io_test_zonefile_LDADD = libhfio.la libhfbase.la -lcunit
test_unit_io_test_conf_SOURCES = test/unit/io/test_conf.c
test_unit_io_test_conf_LDADD = libhfconf.la libhfbase.la -lcunit
test_unit_io_test_conn_SOURCES = test/unit/io/test_conn.c
test_unit_io_test_conn_LDADD = libhfio.la libhfconf.la libhfwire.la libhfbase.la -lcunit
test_unit_io_test_conn_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc \
	-Wl,--wrap=realloc,--wrap=buf_eat
test_unit_io_test_loop_SOURCES = test/unit/io/test_loop.c
test_unit_io_test_loop_LDADD = libhfio.la libhfconf.la libhfwire.la libhfbase.la -lcunit
test_unit_io_test_logfile_SOURCES = test/unit/io/test_logfile.c
test_unit_io_test_logfile_LDADD = libhfio.la libhfconf.la libhfwire.la libhfbase.la -lcunit
test_unit_io_test_startup_SOURCES = test/unit/io/test_startup.c
test_unit_io_test_startup_LDADD = libhfio.la libhfconf.la libhfwire.la libhfbase.la -lcunit

EXTRA_DIST += src/lib/io/README.md
