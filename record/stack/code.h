/* SPDX-License-Identifier: BSD-2-Clause */
/* code.h - the code that a vCPU is about to execute, as a sample with all registers keeps it. */
#ifndef RECORD_STACK_CODE_H
#define RECORD_STACK_CODE_H

#include "common/registers.h"
#include "guest/space.h"

/*
 * Reads the code around @ip into @set: about as much before it as behind it, less where there is no page. Makes no
 * call. False: memory is missing that was noted for the next time.
 */
bool code_read(struct space *space, uint64_t ip, struct register_set *set);

#endif
