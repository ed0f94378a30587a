# SPDX-License-Identifier: Apache-2.0
TESTS += tools/check-man
EXTRA_DIST += tools/check-man tools/prepare.sh
