/* SPDX-License-Identifier: BSD-2-Clause */
/* register_text.h - what a vCPU's registers say, in words: flags by name, segments, the mode it is in. */
#ifndef REPORT_VIEW_REGISTER_TEXT_H
#define REPORT_VIEW_REGISTER_TEXT_H

#include "common/registers.h"
#include "format/upf.h"

#include <stdbool.h>

#define REGISTER_TEXT 160 /* bytes of a text */

/* The bits of a register of flags, the highest first, as manuals call them; "" for other registers. */
void register_flags(char text[REGISTER_TEXT], uint32_t id, uint64_t value);
/* The attributes of segment @s (enum segment_id). */
void register_segment(char text[REGISTER_TEXT], unsigned s, uint64_t attributes);
/* Is it T32 code (Thumb) of ARM? */
bool register_thumb(const struct register_set *set);
/* The mode of a sample of instruction set @arch, such as "kernel mode, 64-bit code". */
void register_mode(char text[REGISTER_TEXT], const struct register_set *set, uint8_t arch, bool user);
/* The @nregs registers of a sample by the names that assemblers use, and the order to show them in. */
const char *const *register_names(uint32_t nregs);
const uint8_t *register_order(uint32_t nregs);

#endif
