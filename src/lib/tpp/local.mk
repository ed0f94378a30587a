# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libhftppcore.la libhftpp.la
# Pure: packets and tables, for cores too.
libhftppcore_la_SOURCES = \
	src/lib/tpp/handshake.c src/lib/tpp/handshake.h \
	src/lib/tpp/inflate.c src/lib/tpp/inflate.h \
	src/lib/tpp/streams.c src/lib/tpp/streams.h
libhftpp_la_SOURCES = \
	src/lib/tpp/addresses.c \
	src/lib/tpp/leaf.c src/lib/tpp/leaf.h \
	src/lib/tpp/leaf_conf.c \
	src/lib/tpp/sock.c src/lib/tpp/sock.h

# What a program with a leaf links, dependants first.
HF_TPP_LIBS = libhftpp.la libhftppcore.la libhfmethod.la libhfauth.la libhfio.la libhfconf.la \
	libhfwire.la libhfbase.la $(ZLIB_LIBS) $(CRYPTO_LIBS) $(EVENT_LIBS) -lm

check_PROGRAMS += test/unit/tpp/test_streams test/unit/tpp/test_leaf
TESTS += test/unit/tpp/test_streams test/unit/tpp/test_leaf
test_unit_tpp_test_streams_SOURCES = test/unit/tpp/test_streams.c
test_unit_tpp_test_streams_LDADD = libhftppcore.la libhfwire.la libhfbase.la \
	$(ZLIB_LIBS) -lcunit -lm
test_unit_tpp_test_leaf_SOURCES = test/unit/tpp/test_leaf.c
test_unit_tpp_test_leaf_LDADD = $(HF_TPP_LIBS) -lcunit

EXTRA_DIST += src/lib/tpp/README.md
