/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_writer.h - writes JSON as a stream. The output can be embedded in an HTML <script>: '<', '>' and '&' are
 * written as \u00NN. Invalid UTF-8 becomes U+FFFD.
 */
#ifndef REPORT_OUTPUT_JSON_WRITER_H
#define REPORT_OUTPUT_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 32

struct json {
	FILE *out; /* the caller checks it for errors */
	unsigned depth;
	struct {
		char close;
		bool any;
	} open[JSON_DEPTH];
};

/* @key: NULL within an array, and for the outermost value. */
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
/* Ends the innermost object or array. */
void json_end(struct json *j);
void json_text(struct json *j, const char *key, const char *text);
/* Numbers above 2^53 are not exact in every reader: times and addresses are better split, or given as text. */
void json_uint(struct json *j, const char *key, uint64_t n);
void json_int(struct json *j, const char *key, int64_t n);
/* Up to 15 digits; what is not finite is null. */
void json_real(struct json *j, const char *key, double n);
void json_bool(struct json *j, const char *key, bool b);
void json_null(struct json *j, const char *key);

#endif
