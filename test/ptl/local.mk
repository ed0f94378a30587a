# SPDX-License-Identifier: Apache-2.0
#
# Whole directories, as pytest finds them.
EXTRA_DIST += test/ptl test/golden/conversations
