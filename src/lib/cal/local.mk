# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libhfcal.la
libhfcal_la_SOURCES = src/lib/cal/timeline.c src/lib/cal/timeline.h

check_PROGRAMS += test/unit/cal/test_timeline
TESTS += test/unit/cal/test_timeline
test_unit_cal_test_timeline_SOURCES = test/unit/cal/test_timeline.c test/unit/unit.h
test_unit_cal_test_timeline_LDADD = libhfcal.la libhfbase.la -lcunit

EXTRA_DIST += src/lib/cal/README.md
