# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libhfmomcore.la
libhfmomcore_la_SOURCES = \
	src/mom/mom.h \
	src/mom/job/core.h \
	src/mom/job/job.c \
	src/mom/job/life.c \
	src/mom/job/link.c \
	src/mom/job/mom.c \
	src/mom/job/out.c \
	src/mom/job/receive.c \
	src/mom/job/requests.c \
	src/mom/job/signals.c \
	src/mom/job/usage.c
