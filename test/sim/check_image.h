/* check_image.h - an image of a job on which the server counts is complete on the disk
 * of the job's host, and the next run goes on from it; an image that was given up is
 * not used any more (doc/design/066-checkpoint.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_CHECK_IMAGE_H
#define TEST_SIM_CHECK_IMAGE_H

#include "server/engine/svr.h"

struct sim;
struct mom_host;
struct run;

/* A record is about to be applied to 'm'. */
void check_image_record(struct sim *s, const struct model *m, const struct record *rec);
/* Processes of a run begin, or go on from an image. */
void check_image_begins(struct mom_host *h, const struct run *r);

#endif
