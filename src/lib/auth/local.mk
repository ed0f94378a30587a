# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libhfauth.la
libhfauth_la_CPPFLAGS = $(AM_CPPFLAGS) $(CRYPTO_CFLAGS)
libhfauth_la_LIBADD = $(CRYPTO_LIBS)
libhfauth_la_SOURCES = \
	src/lib/auth/auth.h \
	src/lib/auth/clusterkey.c src/lib/auth/clusterkey.h \
	src/lib/auth/peer.c \
	src/lib/auth/resvport.c src/lib/auth/resvport.h

check_PROGRAMS += test/unit/auth/test_auth
TESTS += test/unit/auth/test_auth
test_unit_auth_test_auth_SOURCES = test/unit/auth/test_auth.c
test_unit_auth_test_auth_LDADD = libhfauth.la libhfbase.la -lcunit

EXTRA_DIST += src/lib/auth/README.md
