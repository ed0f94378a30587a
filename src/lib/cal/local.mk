# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libhfcal.la
libhfcal_la_CPPFLAGS = $(AM_CPPFLAGS) $(ICAL_CFLAGS)
libhfcal_la_LIBADD = $(ICAL_LIBS)
libhfcal_la_SOURCES = \
	src/lib/cal/recur.c src/lib/cal/recur.h \
	src/lib/cal/recur_rule.c src/lib/cal/recur_rule.h \
	src/lib/cal/step_block.c \
	src/lib/cal/timeline.c src/lib/cal/timeline.h src/lib/cal/timeline_priv.h \
	src/lib/cal/timeline_steps.c \
	src/lib/cal/timeline_tree.c \
	src/lib/cal/zone.c src/lib/cal/zone.h \
	src/lib/cal/zone_rule.c src/lib/cal/zone_rule.h

check_PROGRAMS += test/unit/cal/test_recur test/unit/cal/test_timeline \
	test/unit/cal/test_zone
TESTS += test/unit/cal/test_recur test/unit/cal/test_timeline test/unit/cal/test_zone
test_unit_cal_test_recur_SOURCES = test/unit/cal/test_recur.c test/unit/cal/tzif.h test/unit/cal/zones.h \
	test/unit/unit.h
test_unit_cal_test_recur_LDADD = libhfcal.la libhfbase.la -lcunit
test_unit_cal_test_timeline_SOURCES = test/unit/cal/test_timeline.c test/unit/unit.h
test_unit_cal_test_timeline_LDADD = libhfcal.la libhfbase.la -lcunit
test_unit_cal_test_zone_SOURCES = test/unit/cal/test_zone.c test/unit/cal/tzif.h \
	test/unit/unit.h
test_unit_cal_test_zone_LDADD = libhfcal.la libhfbase.la -lcunit

EXTRA_DIST += src/lib/cal/README.md
