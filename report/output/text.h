/* SPDX-License-Identifier: BSD-2-Clause */
/* text.h - formats numbers, times and names for people, and escapes them for XML. */
#ifndef REPORT_OUTPUT_TEXT_H
#define REPORT_OUTPUT_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A destination for text, and what it can show. */
struct text_out {
	FILE *file;
	bool color;
	bool utf8;
	int width; /* columns of the terminal; 0: no limit */
	int keys;  /* the terminal, of a view that reads keys */
};

/* A number as text: printf("%s", text_count(n).s). */
struct text {
	char s[40];
};

struct text text_count(uint64_t n);                    /* 1,234,567 */
struct text text_share(uint64_t part, uint64_t whole); /* 12.3%; of nothing: 0.0% */
struct text text_time(uint64_t ns);                    /* 41.0 us, 98.1 ms, 10.0 s, 2 h 03 min */
struct text text_utc(uint64_t real_ns);                /* 2024-05-01T12:00:00.123456Z */
struct text text_uuid(const uint8_t uuid[16]);
struct text text_trace_id(const uint8_t id[16]);

/* Columns that @name takes: a character is one, which is right for identifiers and near enough for others. */
int text_columns(const char *name);
/* Prints @name, which is safe already, in at most @columns (0: as long as it is), cut with an ellipsis. */
void text_name(FILE *out, const char *name, int columns, bool utf8);

/* The same for paths: cut at its beginning. */
void text_path(FILE *out, const char *path, int columns, bool utf8);

/*
 * Escapes @text for XML and HTML, between tags and in quoted attributes: at most @len bytes, up to its end. UTF-8, as
 * from print_safe(); what XML cannot hold becomes '?'.
 */
void text_xml(FILE *out, const char *text, size_t len);

/* Columns that a terminal of @width has left behind @used, at least one; no limit, 0, if it has none. */
static inline int text_room(int width, int used)
{
	return width == 0 ? 0 : width > used ? width - used : 1;
}

#endif
