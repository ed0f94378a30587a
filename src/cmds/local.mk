# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libhfcmds.la
libhfcmds_la_SOURCES = \
	src/cmds/common/attrs.c src/cmds/common/attrs.h \
	src/cmds/common/cmd.c src/cmds/common/cmd.h \
	src/cmds/common/datetime.c src/cmds/common/datetime.h \
	src/cmds/common/full.c src/cmds/common/full.h \
	src/cmds/common/json.c src/cmds/common/json.h \
	src/cmds/common/operand.c src/cmds/common/operand.h
libhfcmds_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
