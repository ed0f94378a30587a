# SPDX-License-Identifier: Apache-2.0
TESTS += tools/check-man tools/check-layers tools/check-symbols
EXTRA_DIST += tools/check-layers tools/check-man tools/check-symbols tools/symbols.allow tools/prepare.sh
