# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libhfio.la
libhfio_la_SOURCES = \
	src/lib/io/child.h \
	src/lib/io/clock.c src/lib/io/clock.h \
	src/lib/io/conf.h \
	src/lib/io/conn.h \
	src/lib/io/daemon.h \
	src/lib/io/listen.h \
	src/lib/io/logfile.h \
	src/lib/io/loop.h \
	src/lib/io/net.h
