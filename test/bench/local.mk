# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += test/bench/arrays.py test/bench/bench.py test/bench/dry.py test/bench/durable.py test/bench/ends.py test/bench/jobs.py \
	test/bench/largest.py test/bench/many.py test/bench/memory.py test/bench/others.py test/bench/queued.py test/bench/real.py \
	test/bench/past.py test/bench/paths.py test/bench/standing.py test/bench/turn.c test/bench/width.py

check_PROGRAMS += test/bench/hammer
test_bench_hammer_SOURCES = test/bench/hammer.c
test_bench_hammer_LDADD = libhfwire.la libhfbase.la

# Many jobs over one connection, for jobs.py.
check_PROGRAMS += test/bench/submit
test_bench_submit_SOURCES = test/bench/submit.c
test_bench_submit_LDADD = libpbs.la
test_bench_submit_LDFLAGS = -no-install

# The server's core without sockets: encoding and decoding.
check_PROGRAMS += test/bench/status
test_bench_status_SOURCES = test/bench/status.c test/bench/measure.h
test_bench_status_LDADD = libhfsvrcore.la libhfcal.la libhfattr.la libhfwire.la libhfbase.la -lm

# A standing reservation in the scheduler: new, kept and degraded.
check_PROGRAMS += test/bench/series
test_bench_series_SOURCES = test/bench/series.c test/bench/measure.h
test_bench_series_LDADD = libhfschedcore.la libhfcal.la libhfattr.la libhfwire.la libhfbase.la

# What is promised on a vnode, with few and with many occurrences there.
check_PROGRAMS += test/bench/claims
test_bench_claims_SOURCES = test/bench/claims.c
test_bench_claims_LDADD = libhfsvrcore.la libhfcal.la libhfattr.la libhfwire.la libhfbase.la -lm

# The tree of a timeline against walking its steps.
check_PROGRAMS += test/bench/timeline
test_bench_timeline_SOURCES = test/bench/timeline.c
test_bench_timeline_LDADD = libhfcal.la libhfbase.la

# The MoM's core with few and with many jobs.
check_PROGRAMS += test/bench/mom
test_bench_mom_SOURCES = test/bench/mom.c test/unit/mom/node1.h
test_bench_mom_LDADD = libhfmomcore.la libhfattr.la libhfwire.la libhfbase.la -lm

# The records of a job that begins and ends many tasks.
check_PROGRAMS += test/bench/notes
test_bench_notes_SOURCES = test/bench/notes.c test/bench/measure.h test/unit/mom/node1.h \
	src/mom/shell/home.c src/mom/shell/plain.c src/mom/shell/records.c
test_bench_notes_LDADD = libhfmomcore.la libhfio.la libhfconf.la libhfattr.la libhfwire.la libhfbase.la -lm

# Jobs with many tasks in the MoM's core.
check_PROGRAMS += test/bench/tasks
test_bench_tasks_SOURCES = test/bench/tasks.c test/unit/mom/node1.h
test_bench_tasks_LDADD = libhfmomcore.la libhfattr.la libhfwire.la libhfbase.la -lm

# A plan of the scheduler's core.
check_PROGRAMS += test/bench/plan
test_bench_plan_SOURCES = test/bench/plan.c test/bench/measure.h
test_bench_plan_LDADD = libhfschedcore.la libhfcal.la libhfattr.la libhfwire.la libhfbase.la

# One question about a reservation, where the snapshot is kept.
check_PROGRAMS += test/bench/question
test_bench_question_SOURCES = test/bench/question.c test/bench/measure.h test/bench/tell.h
test_bench_question_LDADD = libhfschedcore.la libhfcal.la libhfattr.la libhfwire.la libhfbase.la

# Looks at nothing new, and at little, beside thousands of jobs that wait.
check_PROGRAMS += test/bench/looks
test_bench_looks_SOURCES = test/bench/looks.c test/bench/measure.h test/bench/tell.h
test_bench_looks_LDADD = libhfschedcore.la libhfcal.la libhfattr.la libhfwire.la libhfbase.la

# A later start for a reservation that finds no place.
check_PROGRAMS += test/bench/earliest
test_bench_earliest_SOURCES = test/bench/earliest.c test/bench/measure.h
test_bench_earliest_LDADD = libhfschedcore.la libhfcal.la libhfattr.la libhfwire.la libhfbase.la
