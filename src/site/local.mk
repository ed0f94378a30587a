# SPDX-License-Identifier: Apache-2.0
#
# Scripts find one another beside themselves; only versions and the place of pbs.conf
# are put into them.
SITE_LIBEXEC = src/site/pbs_habitat src/site/pbs_init.d src/site/pbs_postinstall
SITE_MADE = $(SITE_LIBEXEC) src/site/pbs_probe
libexec_SCRIPTS = $(SITE_LIBEXEC)
sbin_SCRIPTS += src/site/pbs_probe
dist_libexec_SCRIPTS = src/site/pbs_reload
pbsshdir = $(libexecdir)
dist_pbssh_DATA = src/site/pbs_conf.sh src/site/pbs_layout.sh
pbsetcdir = $(prefix)/etc
dist_pbsetc_DATA = src/site/pbs.csh src/site/pbs.sh \
	src/site/sched/pbs_dedicated src/site/sched/pbs_holidays \
	src/site/sched/pbs_resource_group src/site/sched/pbs_sched_config
unitdir = $(prefix)/lib/systemd/system
EXTRA_DIST += src/site/README.md src/site/pbs.service.in \
	src/site/pbs_habitat.in src/site/pbs_init.d.in src/site/pbs_postinstall.in \
	src/site/pbs_probe.in
CLEANFILES += $(SITE_MADE)

$(SITE_MADE): src/lib/base/version.h Makefile
	$(AM_V_GEN)$(MKDIR_P) src/site; \
	value() { sed -n "s/^#define $$1  *\"\(.*\)\"/\1/p" $(srcdir)/src/lib/base/version.h; }; \
	sed -e "s,@PBS_VERSION@,`value PBS_VERSION`,g" \
	    -e "s,@HOLDFAST_VERSION@,`value HOLDFAST_VERSION`,g" \
	    -e "s,@PBS_CONF@,$(sysconfdir)/pbs.conf,g" \
	    -e "s,@BIN_PROGRAMS@,`echo $(bin_PROGRAMS)`,g" \
	    -e "s,@SBIN_PROGRAMS@,`echo $(sbin_PROGRAMS) $(sbin_SCRIPTS) | sed s:src/site/::`,g" \
	    $(srcdir)/$@.in > $@.new && chmod +x $@.new && mv $@.new $@
src/site/pbs_habitat: src/site/pbs_habitat.in
src/site/pbs_init.d: src/site/pbs_init.d.in
src/site/pbs_postinstall: src/site/pbs_postinstall.in
src/site/pbs_probe: src/site/pbs_probe.in

# The unit names the place of this very installation. Programs that look for the server
# by the name that its process has elsewhere find that one too.
install-data-local:
	$(MKDIR_P) '$(DESTDIR)$(unitdir)'
	sed 's,@PBS_LIBEXEC@,$(libexecdir),g' $(srcdir)/src/site/pbs.service.in \
		> '$(DESTDIR)$(unitdir)/pbs.service'
install-exec-local:
	$(MKDIR_P) '$(DESTDIR)$(sbindir)'
	cd '$(DESTDIR)$(sbindir)' && ln -sf pbs_server pbs_server.bin
uninstall-local:
	rm -f '$(DESTDIR)$(unitdir)/pbs.service' '$(DESTDIR)$(sbindir)/pbs_server.bin'
TESTS += test/unit/site/test_quickstart
EXTRA_DIST += test/unit/site/test_quickstart
