/* check.h - the own checks of single attributes, for the rows of the tables.
 *
 * Each looks at a decoded, set value and returns 0 or a PBSE code with the catalogue's
 * text and no attribute name (attributes.md 2, step 5).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_CHECK_H
#define LIB_ATTR_CHECK_H

#include "lib/attr/value.h"

#define CHECK(name)       int check_##name(const struct attr_value *v, struct diag *why)

/* The least and the longest step by which a reservation extends itself, in seconds. */
#define AUTO_EXTEND_MIN_S 60
#define AUTO_EXTEND_MAX_S (366 * 24 * 60 * 60)

/* Checks of numbers. */
CHECK(positive);
CHECK(not_negative);
CHECK(priority);       /* -1024 .. 1024 */
CHECK(queue_priority); /* -1024 .. 1023 */
CHECK(resend_term_delay);
CHECK(license_min);
CHECK(license_max);
CHECK(license_linger);
CHECK(sequence_id);
CHECK(script_size);
CHECK(client_port); /* 1024 .. 65535: no port of a service */

/* Checks of texts. */
CHECK(queue_type);
CHECK(require_cred);
CHECK(partition);
CHECK(sharing);
CHECK(checkpoint);
CHECK(sandbox);
CHECK(keep_files);
CHECK(remove_files);
CHECK(join_path);
CHECK(job_mail_points);
CHECK(resv_mail_points);
CHECK(tolerate);
CHECK(job_run_wait);
CHECK(backfill_fuzzy);
CHECK(preempt_prio);
CHECK(preempt_order);
CHECK(preempt_sort);
CHECK(manager_list);
CHECK(mail_users);
CHECK(auto_extend); /* AUTO_EXTEND_MIN_S .. AUTO_EXTEND_MAX_S */
CHECK(on_end);      /* kill, requeue, hold, extend */

#undef CHECK

#endif
