# SPDX-License-Identifier: Apache-2.0
#
# libhfmethod is what libpbs and commands need of this room: no cryptography behind it.
include_HEADERS += src/include/pbs_auth.h
noinst_LTLIBRARIES += libhfauth.la libhfmethod.la
libhfmethod_la_SOURCES = \
	src/include/pbs_auth.h \
	src/lib/auth/account.c \
	src/lib/auth/iff_client.c src/lib/auth/iff_client.h \
	src/lib/auth/plugin.c src/lib/auth/plugin.h \
	src/lib/auth/session.c src/lib/auth/session.h \
	src/lib/auth/sockowner.c src/lib/auth/sockowner.h

libhfauth_la_CPPFLAGS = $(AM_CPPFLAGS) $(CRYPTO_CFLAGS)
libhfauth_la_LIBADD = $(CRYPTO_LIBS)
libhfauth_la_SOURCES = \
	src/lib/auth/auth.h \
	src/lib/auth/clusterkey.c src/lib/auth/clusterkey.h \
	src/lib/auth/equiv.c src/lib/auth/equiv.h \
	src/lib/auth/peer.c \
	src/lib/auth/porttoken.c src/lib/auth/porttoken.h \
	src/lib/auth/resvport.c src/lib/auth/resvport.h

check_PROGRAMS += test/unit/auth/test_auth
TESTS += test/unit/auth/test_auth
test_unit_auth_test_auth_SOURCES = test/unit/auth/test_auth.c
test_unit_auth_test_auth_LDADD = libhfauth.la libhfmethod.la libhfbase.la -lcunit
check_PROGRAMS += test/unit/auth/test_equiv
TESTS += test/unit/auth/test_equiv
test_unit_auth_test_equiv_SOURCES = test/unit/auth/test_equiv.c
test_unit_auth_test_equiv_LDADD = libhfauth.la libhfbase.la -lcunit
check_PROGRAMS += test/unit/auth/test_porttoken
TESTS += test/unit/auth/test_porttoken
test_unit_auth_test_porttoken_SOURCES = test/unit/auth/test_porttoken.c
test_unit_auth_test_porttoken_CPPFLAGS = $(AM_CPPFLAGS) $(CRYPTO_CFLAGS)
test_unit_auth_test_porttoken_LDADD = libhfauth.la libhfbase.la $(CRYPTO_LIBS) -lcunit

check_PROGRAMS += test/unit/auth/test_sockowner
TESTS += test/unit/auth/test_sockowner
test_unit_auth_test_sockowner_SOURCES = test/unit/auth/test_sockowner.c
test_unit_auth_test_sockowner_LDADD = libhfmethod.la libhfbase.la -lcunit

# A method of the test's own, found in the build directory.
check_LTLIBRARIES += libauth_toy.la libauth_half.la
libauth_toy_la_SOURCES = test/unit/auth/toy.c
libauth_toy_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
libauth_half_la_SOURCES = test/unit/auth/half.c
libauth_half_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere

check_PROGRAMS += test/unit/auth/test_session
TESTS += test/unit/auth/test_session
test_unit_auth_test_session_SOURCES = test/unit/auth/test_session.c
test_unit_auth_test_session_LDADD = libhfmethod.la libhfbase.la -lcunit
EXTRA_test_unit_auth_test_session_DEPENDENCIES = libauth_toy.la libauth_half.la

EXTRA_DIST += src/lib/auth/README.md
