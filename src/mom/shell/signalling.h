/* signalling.h - signals for processes of jobs, and what waits behind them.
 *
 * Which processes are of a session is found by a walk over all processes of the host.
 * So a signal goes to the group of the session's leader at once, where nearly always
 * all of the job is: nobody is answered before that. And the signals of a turn of the
 * loop are gathered, and one walk at its end sends them to what else there is of these
 * jobs. What is done to a job meanwhile must not come before its signals:
 * whoever carries out an effect that says something else of the job settles it first.
 * The removal of its files is put off instead, since jobs are often killed and dropped
 * together.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_SIGNALLING_H
#define MOM_SHELL_SIGNALLING_H

#include "mom/shell/shell.h"

/* A signal for the processes of a session of that job, behind those that wait. */
void signalling_add(struct shell *s, const char *job_id, int32_t session, int signo);

/* Have 'fn' carry out that MOM_DROP behind the signals that wait for its job; the
 * effect is copied. False: none waits, and nothing is done. */
typedef void (*signalling_drop_fn)(struct shell *s, const struct mom_effect *drop);
bool signalling_put_off(struct shell *s, const struct mom_effect *drop,
                        signalling_drop_fn fn) MUST_CHECK;

/* All that waits is sent and carried out, if something of that job does. */
void signalling_settle(struct shell *s, const char *job_id);
/* The same, whatever waits. */
void signalling_send(struct shell *s);
/* The same at the end of a turn, or a little later: walks take a tenth of the time at
 * most. */
void signalling_turn_end(struct shell *s);
/* At the end of the MoM: what waits is sent, and who is killed with that is waited for,
 * a second at most. */
void signalling_close(struct shell *s);

#endif
