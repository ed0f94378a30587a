/* hook_event.h - the events a hook may be for: names and bits (hooks.md 2).
 *
 * Rows are in the order in which an event list is printed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_HOOK_EVENT_H
#define SERVER_MODEL_HOOK_EVENT_H

#include "lib/base/buf.h"

enum hook_event {
    HOOK_QUEUEJOB = 0x1,
    HOOK_MODIFYJOB = 0x2,
    HOOK_RESVSUB = 0x4,
    HOOK_MOVEJOB = 0x8,
    HOOK_RUNJOB = 0x10,
    HOOK_PROVISION = 0x20,
    HOOK_EXECJOB_BEGIN = 0x40,
    HOOK_EXECJOB_PROLOGUE = 0x80,
    HOOK_EXECJOB_EPILOGUE = 0x100,
    HOOK_EXECJOB_END = 0x200,
    HOOK_EXECJOB_PRETERM = 0x400,
    HOOK_EXECJOB_LAUNCH = 0x800,
    HOOK_EXECHOST_PERIODIC = 0x1000,
    HOOK_EXECHOST_STARTUP = 0x2000,
    HOOK_EXECJOB_ATTACH = 0x4000,
    HOOK_PERIODIC = 0x8000,
    HOOK_RESV_END = 0x10000,
    HOOK_EXECJOB_RESIZE = 0x20000,
    HOOK_EXECJOB_ABORT = 0x40000,
    HOOK_EXECJOB_POSTSUSPEND = 0x80000,
    HOOK_EXECJOB_PRERESUME = 0x100000,
    HOOK_MANAGEMENT = 0x200000,
    HOOK_MODIFYVNODE = 0x400000,
    HOOK_JOBOBIT = 0x800000,
    HOOK_RESV_BEGIN = 0x1000000,
    HOOK_RESV_CONFIRM = 0x2000000,
    HOOK_MODIFYRESV = 0x4000000,
    HOOK_POSTQUEUEJOB = 0x8000000,
};

/* The bit of a name of that length, 0 when there is no such event. */
uint32_t hook_event_find(const char *name, size_t len);

/* Bits of a stored list; words that are no events count nothing. */
uint32_t hook_events_of(const char *list);

/* Append "queuejob,modifyjob". */
void hook_events_print(uint32_t events, struct buf *out);

/* Append what may be named, separated by commas, as the refusals of "=" and "+=" (less
 * false) and of "-=" list them (hooks.md 5). */
void hook_events_print_choice(bool less, struct buf *out);

#endif
