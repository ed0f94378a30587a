/* version.h - the versions that daemons and commands report.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_VERSION_H
#define LIB_BASE_VERSION_H

/* What tools of the PBS world compare. */
#define PBS_VERSION      "23.06.06"

/* Our own. */
#define HOLDFAST_VERSION "0.1.0"

/* Printed on stdout by every program for "--version" as its only argument. */
#define VERSION_TEXT                                                                   \
    "pbs_version = " PBS_VERSION "\nholdfast_version = " HOLDFAST_VERSION "\n"

#endif
