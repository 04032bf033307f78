/* SPDX-License-Identifier: BSD-2-Clause */
/* capabilities.h - which capabilities this thread lacks, in words. */
#ifndef KVMIF_PROCESS_CAPABILITIES_H
#define KVMIF_PROCESS_CAPABILITIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Of the capabilities in @needed (bits, of those that kvmif uses): "CAP_A and CAP_B are missing" in @text. False: none
 * is missing.
 */
bool capabilities_missing(uint64_t needed, char *text, size_t size);
/* True: the thread is in a user namespace other than the host's, so that its capabilities are not for the host. */
bool capabilities_are_of_a_namespace(void);

#endif
