# SPDX-License-Identifier: Apache-2.0
#
# Whole directories, as pytest finds them; what Python leaves in them stays behind.
EXTRA_DIST += test/ptl test/golden/conversations
dist-hook:
	find '$(distdir)/test/ptl' -depth -name __pycache__ -exec rm -rf {} +
