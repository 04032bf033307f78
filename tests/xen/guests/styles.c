/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Both styles in one program: `build` compiles this file twice, with frame pointers and without. The functions without
 * leave the frame pointer to their caller, who has one, and have more on the stack than the recorder's window shows;
 * one takes the frame pointer for a register of its own.
 */
#include "guest.h"

#ifdef OMITTED
#define STYLE(name) name##_omitted
#else
#define STYLE(name) name##_framed
#endif
#define STACK 600
#ifdef __x86_64__
#define FRAME_POINTER "rbp"
#elif defined(__i386__)
#define FRAME_POINTER "ebp"
#elif defined(__aarch64__)
#define FRAME_POINTER "x29"
#elif defined(__thumb__)
#define FRAME_POINTER "r7"
#else
#define FRAME_POINTER "r11"
#endif

void STYLE(style)(unsigned units);

KEPT static void STYLE(leaf)(unsigned units)
{
	BURN(units);
}

KEPT static void STYLE(lower)(unsigned units)
{
	volatile uint8_t room[STACK];

	room[0] = 1;
	STYLE(leaf)(units);
	room[STACK - 1] = room[0];
}

KEPT static void STYLE(upper)(unsigned units)
{
	volatile uint8_t room[STACK];

	room[0] = 1;
	STYLE(lower)(units);
	BURN(units);
	room[STACK - 1] = room[0];
}

/* The value lives in the frame pointer, if that is free, while the leaf burns. */
KEPT static void STYLE(taker)(unsigned units)
{
#ifdef OMITTED
	register unsigned long value __asm__(FRAME_POINTER) = 0x12345678;

	__asm__ volatile("" : "+r"(value));
	STYLE(leaf)(units);
	__asm__ volatile("" : "+r"(value));
#else
	STYLE(leaf)(units);
	AFTER_CALL();
#endif
}

KEPT void STYLE(style)(unsigned units)
{
	STYLE(upper)(units);
	STYLE(taker)(units);
	AFTER_CALL();
}

#ifndef OMITTED
void style_omitted(unsigned units);

/* In turn, for so long that the recorder notices, and for so short that it does not. */
KEPT void work_styles(void)
{
	for (;;) {
		style_framed(60);
		style_omitted(60);
		for (int i = 0; i < 10; i++) {
			style_framed(4);
			style_omitted(4);
		}
	}
}
#endif
