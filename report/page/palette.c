/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/page/palette.h"

#include <ctype.h>
#include <string.h>

#define HUES 12u
#define SHADES 3u

/*
 * Hues of equal lightness and chroma in OKLCH, so that none stands out, most of them warm: dark text is legible on
 * every light one, light text on every dark one (contrast of 4.5 at least, tested). The two rows behind the hues are
 * grey.
 */
static const char *const light[HUES + 2][SHADES] = {
	{"#fca7a7", "#ffb0b0", "#ffb9b8"}, {"#fbaa97", "#ffb39f", "#ffbca8"}, {"#f7ae89", "#ffb791", "#ffc09a"},
	{"#f0b37d", "#fabc86", "#ffc58f"}, {"#e8b877", "#f2c17f", "#fbca88"}, {"#debd74", "#e8c67d", "#f1cf85"},
	{"#d3c375", "#dccc7e", "#e5d587"}, {"#c0c97c", "#c9d285", "#d2db8e"}, {"#92d49f", "#9bdda8", "#a4e7b1"},
	{"#69d5db", "#72dee4", "#7ce8ed"}, {"#8fc7ff", "#98d0ff", "#a1d9ff"}, {"#dfadea", "#e8b6f3", "#f1bffd"},
	{"#cfd4da", "#d5dae0", "#dbe0e6"}, {"#bcc4ce", "#bcc4ce", "#bcc4ce"},
};
static const char *const dark[HUES + 2][SHADES] = {
	{"#743839", "#7e4041", "#874949"}, {"#743a2d", "#7d4235", "#874b3d"}, {"#723d20", "#7b4528", "#844e31"},
	{"#6d4113", "#76491d", "#805226"}, {"#684508", "#714d14", "#7a561f"}, {"#624902", "#6a5110", "#735a1b"},
	{"#5a4d04", "#625511", "#6a5e1c"}, {"#4d5211", "#555a1b", "#5d6325"}, {"#255a33", "#2e623b", "#376b43"},
	{"#005a5f", "#006368", "#006c70"}, {"#255079", "#2d5883", "#35618c"}, {"#613d6a", "#6a4572", "#734d7b"},
	{"#3a4048", "#3f454d", "#444a52"}, {"#4a525d", "#4a525d", "#4a525d"},
};

/* FNV-1a: names keep their colours from run to run. */
static uint32_t hash(const char *text, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * 16777619u;
	return h ^ h >> 15;
}

/* Where the part of a name that its family shares begins, and its length. */
static size_t family(const char **name)
{
	size_t len = 0;

	*name += strspn(*name, "_");
	while (isalnum((unsigned char)(*name)[len]))
		len++;
	return len;
}

unsigned palette_colour(const char *name, enum fold_kind kind)
{
	const char *start = name;
	unsigned shade = hash(start, strlen(start)) % SHADES;
	size_t len = family(&start);

	if (kind == FOLD_GROUP)
		return (HUES + 1) * SHADES + shade;
	if (kind == FOLD_ADDRESS)
		return HUES * SHADES + shade;
	return hash(start, len) % HUES * SHADES + shade;
}

const char *palette_light(unsigned colour)
{
	return light[colour / SHADES][colour % SHADES];
}

const char *palette_dark(unsigned colour)
{
	return dark[colour / SHADES][colour % SHADES];
}
