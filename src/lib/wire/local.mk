# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libhfwire.la
libhfwire_la_SOURCES = \
	src/lib/wire/answers.c src/lib/wire/answers.h \
	src/lib/wire/batch.c src/lib/wire/batch.h \
	src/lib/wire/batch_table.c \
	src/lib/wire/confirm.c src/lib/wire/confirm.h \
	src/lib/wire/dis.c src/lib/wire/dis.h \
	src/lib/wire/dis_float.c \
	src/lib/wire/field.c src/lib/wire/field.h \
	src/lib/wire/field_dump.c \
	src/lib/wire/field_random.c \
	src/lib/wire/im.c src/lib/wire/im.h \
	src/lib/wire/rm.c src/lib/wire/rm.h \
	src/lib/wire/is.c src/lib/wire/is.h \
	src/lib/wire/job_ended.c src/lib/wire/job_ended.h \
	src/lib/wire/job_file.c src/lib/wire/job_file.h \
	src/lib/wire/job_notes.c src/lib/wire/job_notes.h \
	src/lib/wire/job_record.c src/lib/wire/job_record.h \
	src/lib/wire/packet.c src/lib/wire/packet.h \
	src/lib/wire/reply.c \
	src/lib/wire/sched_command.h \
	src/lib/wire/task.c src/lib/wire/task.h \
	src/lib/wire/terminal.c src/lib/wire/terminal.h \
	src/lib/wire/tpp.c src/lib/wire/tpp.h

check_PROGRAMS += test/unit/wire/test_dis
TESTS += test/unit/wire/test_dis
test_unit_wire_test_dis_SOURCES = test/unit/wire/test_dis.c
test_unit_wire_test_dis_LDADD = libhfwire.la libhfbase.la -lcunit

check_PROGRAMS += test/unit/wire/test_batch
TESTS += test/unit/wire/test_batch
test_unit_wire_test_batch_SOURCES = test/unit/wire/test_batch.c
test_unit_wire_test_batch_LDADD = libhfwire.la libhfbase.la -lcunit

check_PROGRAMS += test/unit/wire/test_answers
TESTS += test/unit/wire/test_answers
test_unit_wire_test_answers_SOURCES = test/unit/wire/test_answers.c
test_unit_wire_test_answers_LDADD = libhfwire.la libhfbase.la -lcunit

check_PROGRAMS += test/unit/wire/test_confirm
TESTS += test/unit/wire/test_confirm
test_unit_wire_test_confirm_SOURCES = test/unit/wire/test_confirm.c
test_unit_wire_test_confirm_LDADD = libhfwire.la libhfbase.la -lcunit

check_PROGRAMS += test/unit/wire/test_is
TESTS += test/unit/wire/test_is
test_unit_wire_test_is_SOURCES = test/unit/wire/test_is.c
test_unit_wire_test_is_LDADD = libhfwire.la libhfbase.la -lcunit

check_PROGRAMS += test/unit/wire/test_rm
TESTS += test/unit/wire/test_rm
test_unit_wire_test_rm_SOURCES = test/unit/wire/test_rm.c
test_unit_wire_test_rm_LDADD = libhfwire.la libhfbase.la -lcunit

check_PROGRAMS += test/unit/wire/test_im
TESTS += test/unit/wire/test_im
test_unit_wire_test_im_SOURCES = test/unit/wire/test_im.c
test_unit_wire_test_im_LDADD = libhfwire.la libhfbase.la -lcunit

check_PROGRAMS += test/unit/wire/test_job_ended
TESTS += test/unit/wire/test_job_ended
test_unit_wire_test_job_ended_SOURCES = test/unit/wire/test_job_ended.c
test_unit_wire_test_job_ended_LDADD = libhfwire.la libhfbase.la -lcunit

check_PROGRAMS += test/unit/wire/test_job_file
TESTS += test/unit/wire/test_job_file
test_unit_wire_test_job_file_SOURCES = test/unit/wire/test_job_file.c
test_unit_wire_test_job_file_LDADD = libhfwire.la libhfbase.la -lcunit

check_PROGRAMS += test/unit/wire/test_job_notes
TESTS += test/unit/wire/test_job_notes
test_unit_wire_test_job_notes_SOURCES = test/unit/wire/test_job_notes.c
test_unit_wire_test_job_notes_LDADD = libhfwire.la libhfbase.la -lcunit

check_PROGRAMS += test/unit/wire/test_job_record
TESTS += test/unit/wire/test_job_record
test_unit_wire_test_job_record_SOURCES = test/unit/wire/test_job_record.c
test_unit_wire_test_job_record_LDADD = libhfwire.la libhfbase.la -lcunit

check_PROGRAMS += test/unit/wire/test_terminal
TESTS += test/unit/wire/test_terminal
test_unit_wire_test_terminal_SOURCES = test/unit/wire/test_terminal.c
test_unit_wire_test_terminal_LDADD = libhfwire.la libhfbase.la -lcunit

check_PROGRAMS += test/unit/wire/test_tpp
TESTS += test/unit/wire/test_tpp
test_unit_wire_test_tpp_SOURCES = test/unit/wire/test_tpp.c
test_unit_wire_test_tpp_LDADD = libhfwire.la libhfbase.la -lcunit

# Linked with an allocator that counts.
check_PROGRAMS += test/unit/wire/test_memory
TESTS += test/unit/wire/test_memory
test_unit_wire_test_memory_SOURCES = test/unit/wire/test_memory.c test/unit/counted.h
test_unit_wire_test_memory_LDADD = libhfwire.la libhfbase.la -lcunit
test_unit_wire_test_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc \
	-Wl,--wrap=realloc

# Frames recorded from a live system.
EXTRA_DIST += \
	src/lib/wire/README.md \
	test/golden/frames/commands.txt \
	test/golden/frames/extensions.txt \
	test/golden/README.md \
	test/golden/frames/im.txt \
	test/golden/frames/im-specified.txt \
	test/golden/frames/is.txt \
	test/golden/frames/packets.txt \
	test/golden/frames/replies.txt \
	test/golden/frames/requests.txt \
	test/golden/frames/rm.txt \
	test/golden/frames/tm.txt \
	test/golden/frames/tm-specified.txt \
	test/golden/frames/tpp.txt
check_PROGRAMS += test/golden/test_frames
TESTS += test/golden/test_frames
test_golden_test_frames_SOURCES = test/golden/test_frames.c \
	test/golden/frames.c test/golden/frames.h
test_golden_test_frames_CPPFLAGS = $(AM_CPPFLAGS)
test_golden_test_frames_LDADD = libhfwire.la libhfbase.la -lcunit
