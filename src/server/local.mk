# SPDX-License-Identifier: Apache-2.0
# The core only: the daemon around it is in src/server/shell.
noinst_LTLIBRARIES += libhfsvrcore.la
libhfsvrcore_la_SOURCES = \
	src/server/held.c src/server/held.h \
	src/server/sched_link.c src/server/sched_link.h \
	src/server/settle.c \
	src/server/svr.c src/server/svr.h src/server/svr_priv.h \
	src/server/take_up.c \
	src/server/watch.c src/server/watch.h \
	src/server/model/fact.c \
	src/server/model/kind.c \
	src/server/model/links.c \
	src/server/model/model.c src/server/model/model.h \
	src/server/model/object.c \
	src/server/model/priv.h \
	src/server/model/record.c src/server/model/record.h \
	src/server/model/same.c \
	src/server/react/effect.c \
	src/server/react/react.h src/server/react/reactions.h \
	src/server/react/table.c \
	src/server/requests/edit.c src/server/requests/edit.h \
	src/server/requests/handlers.h \
	src/server/requests/request.c src/server/requests/request.h \
	src/server/requests/show.h \
	src/server/requests/table.c \
	src/server/rules/rule.h src/server/rules/rules.h \
	src/server/rules/table.c
