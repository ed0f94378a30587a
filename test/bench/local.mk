# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += test/bench/bench.py
