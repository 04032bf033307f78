/* SPDX-License-Identifier: BSD-2-Clause */
/* arm_tables.h - walks the page tables of ARM, in every format that its processors have (Arm ARM, D8 and G5). */
#ifndef GUEST_ARM_TABLES_H
#define GUEST_ARM_TABLES_H

#include "guest/capture.h"
#include "guest/hypervisor.h"

/*
 * As translate() of struct arch; frames are of 4 KiB, whatever the granule. At most four steps, whatever the tables
 * hold; each of the tables may have been changed by the guest since the last one was read.
 */
int arm64_walk(struct capture *capture, const struct space_root *root, uint64_t address, uint64_t *frame);
int arm32_walk(struct capture *capture, const struct space_root *root, uint64_t address, uint64_t *frame);

#endif
