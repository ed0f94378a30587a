# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libhftppcore.la libhftpp.la
# Pure: packets and tables, for cores too.
libhftppcore_la_SOURCES = \
	src/lib/tpp/handshake.c src/lib/tpp/handshake.h \
	src/lib/tpp/inflate.c src/lib/tpp/inflate.h \
	src/lib/tpp/streams.c src/lib/tpp/streams.h
libhftppcore_la_LIBADD = libhfwire.la $(ZLIB_LIBS)

libhftpp_la_SOURCES = \
	src/lib/tpp/addresses.c \
	src/lib/tpp/leaf.c src/lib/tpp/leaf.h \
	src/lib/tpp/sock.c src/lib/tpp/sock.h
libhftpp_la_LIBADD = libhftppcore.la libhfio.la libhfauth.la
