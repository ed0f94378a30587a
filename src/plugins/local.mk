# SPDX-License-Identifier: Apache-2.0
#
# Loaded by name from PBS_EXEC/lib; nobody links them.
pbslibdir = $(libdir)
pbslib_LTLIBRARIES = libauth_munge.la libauth_tls.la
PLUGIN_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-export-symbols-regex '^pbs_auth_'

libauth_munge_la_SOURCES = src/plugins/auth_munge.c src/include/pbs_auth.h \
	src/lib/auth/account.c
libauth_munge_la_CPPFLAGS = $(AM_CPPFLAGS) $(MUNGE_CFLAGS)
libauth_munge_la_LDFLAGS = $(PLUGIN_LDFLAGS)
libauth_munge_la_LIBADD = libhfconf.la libhfbase.la

libauth_tls_la_SOURCES = src/plugins/auth_tls.c
libauth_tls_la_CPPFLAGS = $(AM_CPPFLAGS) $(SSL_CFLAGS)
libauth_tls_la_LDFLAGS = $(PLUGIN_LDFLAGS)
libauth_tls_la_LIBADD = libhfconf.la libhfbase.la $(SSL_LIBS)

# Certificates for the method tls.
sbin_SCRIPTS += pbs_tls_setup
CLEANFILES += pbs_tls_setup
pbs_tls_setup: src/plugins/pbs_tls_setup.sh src/lib/base/version.h
	$(AM_V_GEN)value() { sed -n "s/^#define $$1  *\"\(.*\)\"/\1/p" $(srcdir)/src/lib/base/version.h; }; \
	sed -e "s,@PBS_VERSION@,`value PBS_VERSION`,g" \
	    -e "s,@HOLDFAST_VERSION@,`value HOLDFAST_VERSION`,g" \
	    $(srcdir)/src/plugins/pbs_tls_setup.sh > $@.new && chmod 755 $@.new && mv $@.new $@

EXTRA_DIST += src/plugins/pbs_tls_setup.sh src/plugins/README.md
