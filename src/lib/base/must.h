/* must.h - MUST(): what has to be true unless this program has made a mistake.
 *
 * A promise of ours, not of a peer: what others can get wrong is answered with a code.
 * A broken promise ends the process, since nobody knows what else is wrong; the records
 * of the daemons make that safe. Promises are kept in every build.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_MUST_H
#define LIB_BASE_MUST_H

#ifdef NDEBUG
#error "promises stay on: build without NDEBUG"
#endif

#define MUST(claim)                                                                    \
    (__builtin_expect(!(claim), 0) ? must_fail(#claim, __FILE__, __LINE__, __func__)   \
                                   : (void)0)

/* Tell the witness and end the process with SIGABRT. "file:line: function: the claim"
 * stays in memory, for whoever reads the core. */
void must_fail(const char *claim, const char *file, unsigned line, const char *function)
    __attribute__((noreturn, cold));

/* Who is told of a broken promise before the process ends; NULL: nobody. For the whole
 * process: a daemon names its log. 'tell' gets one line and must not rely on anything
 * but what it needs to write it. */
void must_tell(void (*tell)(const char *words));

#endif
