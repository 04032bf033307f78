/* SPDX-License-Identifier: BSD-2-Clause */
/* x86's near calls, told by the bytes that end with them (Intel SDM vol. 2A, CALL, and chapter 2, ModR/M and SIB). */
#include "guest/x86.h"

#define CALL_REL32 0xe8u /* and four bytes */
#define GROUP_5 0xffu    /* a call if the ModR/M byte's middle field is 2 */
#define RM_SIB 4u
#define RM_DISP32 5u /* with mod 0: an address of four bytes, in 64-bit mode relative to rip */

/* How long is FF /2 with these bytes behind FF, of which there are @room - 1? 0: it is another instruction. */
static unsigned indirect_length(const uint8_t *modrm, unsigned room)
{
	unsigned mod = modrm[0] >> 6, rm = modrm[0] & 7, length = 2;

	if ((modrm[0] >> 3 & 7) != 2)
		return 0;
	if (mod == 3)
		return length;
	if (rm == RM_SIB) {
		if (++length > room)
			return 0;
		rm = modrm[1] & 7;
	}
	if (mod == 0)
		return rm == RM_DISP32 ? length + 4 : length;
	return mod == 1 ? length + 1 : length + 4;
}

bool x86_ends_call(const uint8_t *code)
{
	const uint8_t *end = code + ARCH_CALL_BYTES;

	if (end[-5] == CALL_REL32)
		return true;
	for (unsigned n = 2; n <= 7; n++)
		if (end[-(int)n] == GROUP_5 && indirect_length(end - n + 1, n) == n)
			return true;
	return false;
}
