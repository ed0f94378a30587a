# SPDX-License-Identifier: Apache-2.0
TESTS += tools/check-headers tools/check-layers tools/check-man tools/check-symbols
EXTRA_DIST += autogen.sh check quickstart .ci \
	tools/check-dist tools/check-headers tools/check-layers tools/check-man \
	tools/check-symbols tools/prepare.sh tools/symbols.allow tools/trends

# How large files and functions are; a look, no gate.
trends:
	@top_srcdir='$(abs_top_srcdir)' $(abs_top_srcdir)/tools/trends
.PHONY: trends
