# SPDX-License-Identifier: Apache-2.0
TESTS += tools/check-blocking tools/check-citations tools/check-comments tools/check-headers tools/check-layers tools/check-man \
	tools/check-names tools/check-requirements tools/check-symbols
EXTRA_DIST += autogen.sh quickstart .ci \
	tools/check-blocking tools/blocking.rows \
	tools/check-citations tools/check-comments tools/check-dist tools/check-format tools/check-headers tools/check-layers \
	tools/check-man tools/check-names tools/check-requirements tools/check-symbols tools/prepare.sh tools/symbols.allow \
	tools/time-limit tools/trends

# "check" is a file and a target: as a file to distribute it would run the tests. Test
# directories are distributed whole; what Python leaves in them stays behind.
dist-hook:
	cp -p '$(srcdir)/check' '$(distdir)/check'
	find '$(distdir)/test/ptl' -depth -name __pycache__ -exec rm -rf {} +

# How large files and functions are; a look, no gate.
trends:
	@top_srcdir='$(abs_top_srcdir)' $(abs_top_srcdir)/tools/trends
.PHONY: trends

# The pages of doc/reference are printed from the tables that the daemons run by.
REFERENCE = attributes jobs requests reservations settings
noinst_PROGRAMS += tools/reference
tools_reference_SOURCES = tools/reference.c
tools_reference_LDADD = libhfsvrcore.la libhfcal.la libhfattr.la libhfwire.la libhfconf.la libhfbase.la -lm
TESTS += tools/check-reference
EXTRA_DIST += tools/check-reference \
	doc/reference/attributes.txt doc/reference/jobs.txt \
	doc/reference/requests.txt doc/reference/reservations.txt \
	doc/reference/settings.txt

.PHONY: reference
reference: tools/reference$(EXEEXT)
	for p in $(REFERENCE); do ./tools/reference $$p > $(srcdir)/doc/reference/$$p.txt || exit 1; done
